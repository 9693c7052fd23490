/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tree_target.c - processes that make processes.
 *
 *   calls N          each way of making a child, N times; children call
 *                    getppid(2) and end
 *   again N          work() N hundred times, and executes itself with N - 1
 *   threads N        24 threads that sleep for short, while one, the first in
 *                    turn with another, executes it with N - 1
 *   family SECONDS   four forked children, one with a second thread, that call
 *                    work() and getppid(2) all the time, until SIGUSR1; prints
 *                    their pids, and at the end "ok" if all have computed what
 *                    they should
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NCHILDREN 4

extern char **environ;

__attribute__((noinline)) unsigned
work(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

/* Too short for a jump, and what is behind it is another function. */
unsigned tiny(unsigned x), tiny_end(void);
__asm__(".text\n"
	".globl tiny, tiny_end\n"
	".type tiny, @function\n"
	".type tiny_end, @function\n"
	"tiny:	.cfi_startproc\n"
	"	lea 1(%rdi), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size tiny, . - tiny\n"
	"tiny_end:	.cfi_startproc\n"
	"	mov $7, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size tiny_end, . - tiny_end\n");

static void
wait_one(pid_t pid)
{
	int st;

	if (pid < 0 || waitpid(pid, &st, 0) != pid || st != 0)
		exit(1);
}

/* ---- calls --------------------------------------------------------------- */

static void
by_fork(void)
{
	pid_t pid = fork(), of_it;

	if (pid == 0) {
		getppid();
		of_it = fork();
		if (of_it == 0) {
			getppid();
			_exit(0);
		}
		wait_one(of_it);
		_exit(0);
	}
	wait_one(pid);
	getppid();
}

static void
by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		getppid();
		_exit(0);
	}
	wait_one(pid);
	getppid();
}

static void
by_spawn(void)
{
	char *argv[] = { "true", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
		exit(1);
	wait_one(pid);
	getppid();
}

/* ---- again --------------------------------------------------------------- */

static int
again(const char *self, int n)
{
	char left[16];

	for (int i = 0; i < n * 100; i++)
		if (work((unsigned)i) != (unsigned)i * 3 + 1 ||
		    tiny((unsigned)i) != (unsigned)i + 1 || tiny_end() != 7)
			return 3;
	if (n == 1)
		return 0;
	snprintf(left, sizeof(left), "%d", n - 1);
	if (fork() == 0)
		execl(self, self, "again", left, (char *)NULL);
	return wait(NULL) > 0 ? 0 : 1;
}

/* ---- family -------------------------------------------------------------- */

static volatile int over;
static volatile sig_atomic_t told;

static void
on_usr1(int sig)
{
	told = sig;
}

static void *
loop(void *arg)
{
	unsigned x = 1, want = 1;

	for (unsigned i = 0; !over; i++) {
		x = work(x);
		want = want * 3 + 1;
		if (i % 64 == 0)
			getppid();
		if (x != want)
			_exit(3);
	}
	return NULL;
}

static void
child(int i, int seconds)
{
	pthread_t t;

	if (i == 0 && pthread_create(&t, NULL, loop, NULL) != 0)
		_exit(4);
	for (time_t end = time(NULL) + seconds;
	     time(NULL) < end && !told;) {
		unsigned x = work(7);

		if (x != 22)
			_exit(3);
		getppid();
	}
	over = 1;
	if (i == 0)
		pthread_join(t, NULL);
	_exit(0);
}

static void
family(int seconds)
{
	pid_t pid[NCHILDREN];

	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < NCHILDREN; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			child(i, seconds);
		printf("%d ", (int)pid[i]);
	}
	printf("\n");
	fflush(stdout);
	for (int i = 0; i < NCHILDREN; i++)
		wait_one(pid[i]);
	printf("ok\n");
}

static void *
sleeper(void *arg)
{
	for (;;)
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	return arg;
}

static void *
replacer(void *arg)
{
	char **argv = arg, left[16];
	int n = atoi(argv[2]);

	nanosleep(&(struct timespec){ 0, 500000 + n % 7 * 400000 }, NULL);
	snprintf(left, sizeof(left), "%d", n - 1);
	execl("/proc/self/exe", argv[0], "threads", left, (char *)NULL);
	_exit(1);
}

static int
threads(char **argv, int n)
{
	pthread_t t;

	if (n == 0)
		return 0;
	for (int i = 0; i < 24; i++)
		pthread_create(&t, NULL, sleeper, NULL);
	if (n % 2 == 0)
		replacer(argv);
	pthread_create(&t, NULL, replacer, argv);
	pause();
	return 1;
}

int
main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (argc > 1 && strcmp(argv[1], "family") == 0) {
		family(n);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "again") == 0)
		return again(argv[0], n);
	if (argc > 2 && strcmp(argv[1], "threads") == 0)
		return threads(argv, n);
	for (int i = 0; i < n; i++) {
		by_fork();
		by_vfork();
		by_spawn();
	}
	return 0;
}
