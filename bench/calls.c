/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * calls.c - the traced program of the process engine's benchmarks: N calls of
 * a function of a nanosecond (shared/limits: the "loop"), or N system calls;
 * then the nanoseconds one took, on standard output.
 *
 * usage: calls work|paced|syscall|bursts N [THREADS]
 *   paced: work, with as much to do between the calls that they come every 30
 *   ns or so.
 *   bursts: work, N times in each of BURSTS bursts with a pause after each, in
 *   which a consumer can read what was recorded; the least of them counts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) long
work(long x, long key)
{
	return (x ^ key) * 3 + 1;
}

#define BURSTS	 20
#define PAUSE_NS 50000000l
#define PACE	 36 /* multiplications, each of which waits for the last */

static long count;
static int syscalls, paced;

static long
pace(long x)
{
	for (int i = 0; i < PACE; i++)
		__asm__("imul $5, %0, %0" : "+r"(x));
	return x;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void *
run(void *arg)
{
	long *x = arg;

	if (syscalls) {
		for (long i = 0; i < count; i++)
			*x += getppid();
	} else if (paced) {
		for (long i = 0; i < count; i++)
			*x = pace(work(*x, i & 255));
	} else {
		for (long i = 0; i < count; i++)
			*x = work(*x, i & 255);
	}
	return NULL;
}

static int
bursts(void)
{
	double least = 0;
	long x = 0;

	for (int i = 0; i < BURSTS; i++) {
		double t = now();
		run(&x);
		t = now() - t;
		if (i == 0 || t < least)
			least = t;
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	printf("%.2f\n", least / (double)count);
	return x == 42;
}

int
main(int argc, char **argv)
{
	long n = argc > 3 ? atol(argv[3]) : 1, x[64] = { 0 };
	pthread_t t[64];

	if (argc < 3 || n < 1 || n > 64)
		return 2;
	count = atol(argv[2]);
	syscalls = strcmp(argv[1], "syscall") == 0;
	paced = strcmp(argv[1], "paced") == 0;
	if (strcmp(argv[1], "bursts") == 0)
		return bursts();
	double start = now();
	for (long i = 1; i < n; i++)
		if (pthread_create(&t[i], NULL, run, &x[i]) != 0)
			return 2;
	run(&x[0]);
	for (long i = 1; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%.2f\n", (now() - start) / (double)count);
	return x[0] == 42;
}
