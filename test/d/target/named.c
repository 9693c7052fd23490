/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* named.c - a thread that has a name of its own, and one that has not. */
#define _GNU_SOURCE
#include <pthread.h>

#define FN __attribute__((noipa))

FN void
hello(void)
{
}

static void *
work(void *arg)
{
	if (arg != NULL)
		pthread_setname_np(pthread_self(), "worker-1");
	hello();
	return NULL;
}

int
main(void)
{
	pthread_t t;

	pthread_setname_np(pthread_self(), "boss");
	hello();
	pthread_create(&t, NULL, work, "named");
	pthread_join(t, NULL);
	pthread_create(&t, NULL, work, NULL);
	return pthread_join(t, NULL);
}
