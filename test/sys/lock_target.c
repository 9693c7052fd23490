/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lock_target.c - threads that want the same locks of the kernel at once: the
 * mutex of a pipe, whose readers and writers copy much under it; and the
 * address space, which one maps in while the other fills it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define CHUNK 65536
#define SPACE (16u << 20)

static int fds[2];
static double until;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What one reads another writes: nobody waits for long. */
static void *
pipes(void *arg)
{
	char *buf = malloc(CHUNK);

	memset(buf, 0, CHUNK);
	while (now() < until)
		if (write(fds[1], buf, CHUNK / 2) < 0 ||
		    read(fds[0], buf, CHUNK / 2) < 0)
			exit(1);
	free(buf);
	return arg;
}

static void *
spaces(void *arg)
{
	while (now() < until) {
		char *p = mmap(NULL, SPACE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
			       0);
		if (p == MAP_FAILED || munmap(p, SPACE) != 0)
			exit(1);
	}
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t t[2 * THREADS];

	if (pipe(fds) != 0)
		return 1;
	until = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	for (int i = 0; i < 2 * THREADS; i++)
		if (pthread_create(&t[i], NULL, i % 2 ? pipes : spaces, NULL))
			return 1;
	for (int i = 0; i < 2 * THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
