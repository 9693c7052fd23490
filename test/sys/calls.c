/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * calls.c - a program whose system calls are hard to see.
 *
 * calls threads N    N times: a thread, signals, calls by number
 * calls spawns N     the same, and processes made in every way there is
 * calls handler      say "ready" within a handler of a signal that no call has
 *                    brought, never return
 *
 * It ends with 0 if all went as it must.  It makes the same calls whenever it
 * is run, but for futex(2).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK 65536

extern char **environ;
static volatile sig_atomic_t signalled;

static void
on_signal(int sig)
{
	signalled++;
}

static void
in_handler(int sig)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		signalled++;
}

static void *
thread(void *arg)
{
	syscall(SYS_getppid);
	return arg;
}

static int
cloned(void *arg)
{
	syscall(SYS_getppid);
	_exit(7);
}

/* The child ended with that status. */
static void
ended(pid_t pid, int status)
{
	int st;

	if (pid <= 0 || waitpid(pid, &st, 0) != pid ||
	    !WIFEXITED(st) || WEXITSTATUS(st) != status)
		_exit(2);
}

static void
spawns(char *stack)
{
	char *argv[] = { "true", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
		_exit(3);
	ended(pid, 0);
	pid = vfork();
	if (pid == 0) {
		syscall(SYS_getppid);
		_exit(4);
	}
	ended(pid, 4);
	pid = fork();
	if (pid == 0) {
		syscall(SYS_getppid);
		_exit(5);
	}
	ended(pid, 5);
	ended(clone(cloned, stack + STACK, SIGCHLD | CLONE_VM | CLONE_VFORK,
		    NULL), 7);
	ended(clone(cloned, stack + STACK, SIGCHLD, NULL), 7);
}

int
main(int argc, char **argv)
{
	static char stack[STACK] __attribute__((aligned(16)));
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (argc > 1 && strcmp(argv[1], "handler") == 0) {
		signal(SIGILL, in_handler);
		__asm__ volatile("ud2");
		return 1;
	}
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < n; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, thread, NULL) != 0 ||
		    pthread_join(t, NULL) != 0)
			return 4;
		if (strcmp(argv[1], "spawns") == 0)
			spawns(stack);
		raise(SIGUSR1);
		syscall(SYS_getppid);
	}
	puts("done");
	return signalled == n ? 0 : 5;
}
