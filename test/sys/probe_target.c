/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_target.c [ROUNDS] - what test/sys/probes.c has its probes in.
 *
 * With a number, so many rounds, and exit status 3.  Without, it says where
 * t_add() is; then, for each number on standard input, as many rounds, and the
 * number again on standard output.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

long t_add(long a, long b, long c, long d, long e, long f);
long t_mul(long a, long b);
long t_inner(long a);
long t_outer(long a);

/* Called through these, functions stay what they are. */
static long (*volatile add)(long, long, long, long, long, long) = t_add;
static long (*volatile mul)(long, long) = t_mul;
static long (*volatile inner)(long) = t_inner;
static long (*volatile outer)(long) = t_outer;

static volatile long sink;

long
t_add(long a, long b, long c, long d, long e, long f)
{
	return a + b + c + d + e + f;
}

long
t_mul(long a, long b)
{
	return a * b + sink;
}

long
t_inner(long a)
{
	sink = a;
	return a + 1;
}

long
t_outer(long a)
{
	long r = inner(a);

	return r + sink;
}

static void
rounds(long n)
{
	for (long i = 0; i < n; i++) {
		add(i, 20, 30, 40, 50, 60);
		mul(i, 2);
		outer(i);
	}
}

int
main(int argc, char **argv)
{
	long n;

	if (argc > 1) {
		rounds(atol(argv[1]));
		return 3;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%p\n", (void *)(uintptr_t)t_add);
	while (scanf("%ld", &n) == 1) {
		rounds(n);
		printf("%ld\n", n);
	}
	return 7;
}
