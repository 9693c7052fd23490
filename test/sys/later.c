/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * later.c - a program that loads libraries (later_lib.c) while it is traced:
 *
 *	later HOW ROUNDS LIB ...
 *
 * HOW is a string of letters: w: wait first, until a line comes; k: keep what
 * is opened; f: open the first library before waiting; n: in a namespace of
 * its own (dlmopen); 2: in two threads.  Prints the sum of all results.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static long rounds;
static char **libs;

static void *
lib_open(const char *path)
{
	void *h = strchr(how, 'n') != NULL ?
			  dlmopen(LM_ID_NEWLM, path, RTLD_NOW) :
			  dlopen(path, RTLD_NOW);

	if (h == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return h;
}

static long
lib_call(void *h, int arg)
{
	int (*fn)(int) = (int (*)(int))(unsigned long)dlsym(h, "later_fn");

	if (fn == NULL)
		exit(3);
	return fn(arg);
}

static void *
run(void *arg)
{
	long *sum = arg;

	for (long i = 0; i < rounds; i++)
		for (char **l = libs; *l != NULL; l++) {
			void *h = lib_open(*l);

			*sum += lib_call(h, (int)i);
			if (strchr(how, 'k') == NULL)
				dlclose(h);
		}
	return NULL;
}

int
main(int argc, char **argv)
{
	long sum[2] = { 0 };
	pthread_t t[2];
	void *first = NULL;

	if (argc < 4)
		return 2;
	how = argv[1];
	rounds = atol(argv[2]);
	libs = argv + 3;
	if (strchr(how, 'f') != NULL)
		sum[0] += lib_call(first = lib_open(libs[0]), 100);
	if (strchr(how, 'w') != NULL) {
		puts("ready");
		fflush(stdout);
		if (getchar() == EOF)
			return 4;
	}
	if (first != NULL)
		dlclose(first);
	for (int i = 0; strchr(how, '2') != NULL && i < 2; i++)
		if (pthread_create(&t[i], NULL, run, &sum[i]) != 0)
			return 5;
	for (int i = 0; strchr(how, '2') != NULL && i < 2; i++)
		pthread_join(t[i], NULL);
	if (strchr(how, '2') == NULL)
		run(&sum[0]);
	printf("sum %ld\n", sum[0] + sum[1]);
	return 7;
}
