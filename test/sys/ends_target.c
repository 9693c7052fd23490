/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* ends_target.c - N detached threads; those of musl unmap their stacks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int ended;

static void *
thread(void *arg)
{
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20;
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, &a, thread, NULL) != 0)
			return 1;
	while (ended != n)
		usleep(1000);
	usleep(200000); /* for those that have only come to their last lines */
	printf("ended %d\n", ended);
	return 0;
}
