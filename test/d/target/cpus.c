/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Calls on CPU 0: made(0) .. made(9); then on CPU 1, if there is one:
   made(100) .. made(110).  With an argument, the other way round. */
#define _GNU_SOURCE
#include <sched.h>

__attribute__((noipa)) void
made(long i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

int
main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		int cpu = argc > 1 ? 1 - i : i;
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) != 0)
			continue;
		for (long k = 0; k < 10 + cpu; k++)
			made(cpu * 100 + k);
	}
	return 0;
}
