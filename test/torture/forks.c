/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * forks.c - a fork storm: children of fork, vfork and posix_spawn, from several
 * threads; children work in probed functions, execute, or leave at once.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static uint64_t rounds = 150;

__attribute__((noinline)) uint64_t
labour(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 6364136223846793005ull + 1;
	return x;
}

static int
wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 1000 + WTERMSIG(status);
}

static int
child_forked(uint64_t i)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)(labour(i) & 63));
	return wait_for(pid);
}

static int
child_vforked(void)
{
	char *const argv[] = { (char *)"true", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/bin/true", argv);
		_exit(99);
	}
	return wait_for(pid);
}

static int
child_spawned(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 11",
			       NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) != 0)
		return -1;
	return wait_for(pid);
}

static void *
run(void *arg)
{
	uint64_t *sum = arg;

	for (uint64_t i = 0; i < rounds; i++) {
		int st = i % 3 == 0 ? child_forked(i) :
			 i % 3 == 1 ? child_vforked() : child_spawned();
		*sum = *sum * 31 + (uint64_t)st + labour(i) % 7;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t t[2];
	uint64_t sum[2] = { 0, 1 };

	if (argc > 1)
		rounds = strtoull(argv[1], NULL, 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, run, &sum[i]) != 0)
			return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%llx %llx\n", (unsigned long long)sum[0],
	       (unsigned long long)sum[1]);
	return 4;
}
