/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Calls on CPU 0: made(0) .. made(9); then on CPU 1, if there is one:
   made(100) .. made(110). */
#define _GNU_SOURCE
#include <sched.h>

__attribute__((noipa)) void
made(long i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

int
main(void)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) != 0)
			break;
		for (long i = 0; i < 10 + cpu; i++)
			made(cpu * 100 + i);
	}
	return 0;
}
