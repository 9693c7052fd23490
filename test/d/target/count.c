/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A thousand calls on one CPU: made(0), made(1) ...  With an argument, as many
 * calls.  With a second one it then stays until who has started it ends.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noipa)) void
made(long i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (long i = 0; i < n; i++)
		made(i);
	if (argc > 2) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	return 0;
}
