/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * detached.c - threads that nobody waits for, some at a time: they end without
 * a stack where the C library is musl.  Prints a sum of what they reckon.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIVE 8

static volatile uint64_t sum;
static volatile uint32_t ended;

__attribute__((noinline)) uint64_t
step(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void *
thread(void *arg)
{
	uint64_t x = (uintptr_t)arg * 2654435761u;

	for (int i = 0; i < 200; i++)
		x = step(x);
	__atomic_fetch_add(&sum, x, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

int
main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (uint32_t i = 1; i <= n; i++) {
		void *arg = (void *)(uintptr_t)i;
		while (i - ended > LIVE)
			usleep(50);
		while (pthread_create(&t, &a, thread, arg) != 0)
			usleep(1000);
	}
	while (ended != n)
		usleep(1000);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
