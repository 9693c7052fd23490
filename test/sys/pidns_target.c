/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pidns_target.c - a process whose numbers are looked at: one thread makes a
 * system call every 10 ms, and every 100 ms there is another one that makes one
 * and ends.
 *
 * pidns_target [N]: N of those, 10 without; then it ends.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *
always(void *arg)
{
	for (;;) {
		syscall(SYS_getppid);
		usleep(10000);
	}
	return arg;
}

static void *
once(void *arg)
{
	syscall(SYS_getppid);
	usleep(100000);
	return arg;
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	pthread_t t;

	if (pthread_create(&t, NULL, always, NULL) != 0)
		return 1;
	access("/a/path", F_OK);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, once, NULL) != 0 ||
		    pthread_join(t, NULL) != 0)
			return 1;
	access("/a/path", F_OK);
	return 0;
}
