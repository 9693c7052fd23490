/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stops.c - a program that spins in THREADS threads and knows how long it has
 * stood still: the longest time in which none of them came any further.
 *
 * A line is read, from then on it is measured anew; and what was measured until
 * then is printed: the longest time, in milliseconds.  It ends when there is no
 * more line.
 *
 * usage: stops [THREADS], 16 unless told
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static _Atomic uint64_t last, worst;

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What is traced. */
__attribute__((noinline)) void
work(void)
{
	uint64_t t = now(), before = last, w = worst;

	/* Who was put aside since it looked at the clock knows nothing new. */
	while (t > before && !atomic_compare_exchange_weak(&last, &before, t))
		;
	while (t > before && t - before > w &&
	       !atomic_compare_exchange_weak(&worst, &w, t - before))
		;
}

static void *
spin(void *arg)
{
	for (;;)
		work();
	return arg;
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16;
	pthread_t t;

	last = now();
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, spin, NULL) != 0)
			return 1;
	while (getchar() != EOF) {
		printf("%.2f\n", (double)atomic_exchange(&worst, 0) / 1e6);
		fflush(stdout);
	}
	return 0;
}
