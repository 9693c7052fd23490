/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * deep.c - the traced program of the benchmarks of stacks and static probes:
 * what one call takes below so many frames, in nanoseconds, on standard output.
 *
 * usage: deep KIND DEPTH N
 *   call: leaf() is called N times; static: mark() is, which has a static
 *   probe, or is empty where NO_PROBES is defined; walk: backtrace(3) walks the
 *   stack; spin: no call, for N seconds, for who takes samples.
 */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef NO_PROBES
#include "deep.h" /* dtrace -h */
#endif

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

__attribute__((noinline)) long
leaf(long x)
{
	__asm__ volatile("push %rbx; pop %rbx");
	return x + 1;
}

__attribute__((noinline)) long
mark(long x)
{
#ifndef NO_PROBES
	DEEP_MARK(x);
#endif
	__asm__ volatile("");
	return x + 1;
}

__attribute__((noinline)) long
walk(long x)
{
	void *pc[128];

	return x + backtrace(pc, 128);
}

static long
spin(long n)
{
	double end = seconds() + (double)n;
	long x = 0;

	while (seconds() < end)
		for (int i = 0; i < 1000; i++)
			x = x * 3 + i;
	return x;
}

static long
loop(char kind, long n)
{
	long x = 0;

	for (long i = 0; i < n; i++)
		x += kind == 'c' ? leaf(i) : kind == 's' ? mark(i) : walk(i);
	return x;
}

/* What it adds is known at run time only: no frame may be left out. */
__attribute__((noinline)) long
down(long depth, char kind, long n)
{
	volatile long here = depth;

	if (depth > 0)
		return down(depth - 1, kind, n) + here;
	return (kind == 'S' ? spin(n) : loop(kind, n)) + here;
}

int
main(int argc, char **argv)
{
	double t;
	long n, x;

	if (argc != 4)
		return 2;
	n = atol(argv[3]);
	t = seconds();
	x = down(atol(argv[2]), strcmp(argv[1], "spin") == 0 ? 'S' : argv[1][0], n);
	printf("%.2f\n", (seconds() - t) * 1e9 / (double)n);
	return x == 42;
}
