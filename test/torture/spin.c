/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spin.c - threads that call small functions without pause: a probe is put
 * under running feet.  Prints a checksum that depends on every call.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAXTHREADS 1024

struct part {
	uint64_t seed, n, sum;
};

__attribute__((noinline)) uint64_t
mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	return x;
}

/* An early return and a loop: several ways out, a target near the top. */
__attribute__((noinline)) uint64_t
fold(uint64_t x, uint64_t n)
{
	if (n == 0)
		return x;
	do
		x = mix(x + n);
	while (--n != 0 && (x & 7) != 0);
	return x;
}

/* A jump table. */
__attribute__((noinline)) uint64_t
choose(uint64_t x)
{
	switch (x & 7) {
	case 0: return mix(x);
	case 1: return x + 1;
	case 2: return x * 3;
	case 3: return x - 5;
	case 4: return fold(x, 2);
	case 5: return ~x;
	case 6: return x ^ 0x5555;
	default: return x >> 1;
	}
}

static void *
run(void *arg)
{
	struct part *p = arg;

	for (uint64_t i = 0; i < p->n; i++)
		p->sum += choose(fold(p->seed + i, i & 15));
	return NULL;
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	uint64_t total = argc > 2 ? strtoull(argv[2], NULL, 0) : 40000000;
	static struct part part[MAXTHREADS];
	pthread_t t[MAXTHREADS];
	uint64_t sum = 0;

	if (n < 1 || n > MAXTHREADS)
		return 2;
	for (int i = 0; i < n; i++) {
		part[i] = (struct part){ .seed = (uint64_t)i * 977,
					 .n = total / (uint64_t)n };
		if (pthread_create(&t[i], NULL, run, &part[i]) != 0)
			return 2;
	}
	for (int i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum += part[i].sum;
	}
	printf("%llx\n", (unsigned long long)sum);
	return 3;
}
