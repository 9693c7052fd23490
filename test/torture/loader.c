/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loader.c - libraries come and go under the tracer: dlopen, call, dlclose, in
 * two threads, over and over.  Arguments: rounds, libraries (their function
 * `loaded` is called).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static char **libs;
static int nlibs;
static uint64_t rounds;

static void *
run(void *arg)
{
	uint64_t *sum = arg;

	for (uint64_t i = 0; i < rounds; i++) {
		void *h = dlopen(libs[i % (uint64_t)nlibs], RTLD_NOW);
		uint64_t (*fn)(uint64_t);

		if (h == NULL || (fn = (uint64_t(*)(uint64_t))(uintptr_t)dlsym(
					  h, "loaded")) == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			exit(2);
		}
		for (uint64_t k = 0; k < 50; k++)
			*sum += fn(*sum + k);
		dlclose(h);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t t[2];
	uint64_t sum[2] = { 3, 4 };

	if (argc < 3)
		return 2;
	rounds = strtoull(argv[1], NULL, 0);
	libs = argv + 2;
	nlibs = argc - 2;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, run, &sum[i]) != 0)
			return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%llx %llx\n", (unsigned long long)sum[0],
	       (unsigned long long)sum[1]);
	return 6;
}
