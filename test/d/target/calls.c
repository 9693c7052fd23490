/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * calls.c - functions for the golden D programs of test/d/user.
 *
 * Every call is known: what it is given, what it returns and in which order.
 * No function is inlined, and none is copied for its callers' constants.  With
 * an argument it does something else instead: "wait" lives for some seconds,
 * "threads" calls work() from four threads, "signal" shows that raise() of D
 * reached it, "leaves" ends in the handler of that signal, "status" exits with
 * 7.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FN __attribute__((noipa))

struct point { int x, y; struct point *next; char name[8]; };

struct point points[] = {
	{ 1, -2, &points[1], "one" }, { 3, 4, NULL, "two" },
};

static volatile sig_atomic_t signalled;

FN long eight(long a, long b, long c, long d, long e, long f, long g, long h);
FN int narrow(signed char c, short s, unsigned u);
FN int depth(int n);
FN const char *name(const char *s);
FN void *bytes(const void *p, size_t n);
FN int point(struct point *p);
FN int work(int n);
FN void *bad(void *p);
FN void caught(int sig);
FN void leaves(int sig);
FN void stop_here(void);

long
eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + b + c + d + e + f + g + h;
}

int
narrow(signed char c, short s, unsigned u)
{
	return c + s + (int)u;
}

int
depth(int n)
{
	return n == 0 ? 0 : 1 + depth(n - 1);
}

const char *
name(const char *s)
{
	return s + 1;
}

void *
bytes(const void *p, size_t n)
{
	return (char *)p + n;
}

int
point(struct point *p)
{
	return p->x + p->y;
}

int
work(int n)
{
	return n * 3;
}

void *
bad(void *p)
{
	return p;
}

void
caught(int sig)
{
	signalled = sig;
}

void
leaves(int sig)
{
	_exit(sig == SIGUSR1 ? 5 : 1);
}

void
stop_here(void)
{
}

static void *
thread(void *arg)
{
	for (int i = 0; i < 1000; i++)
		work(*(int *)arg);
	return NULL;
}

static void
threads(void)
{
	pthread_t t[4];
	int n[4];

	for (int i = 0; i < 4; i++) {
		n[i] = i;
		pthread_create(&t[i], NULL, thread, &n[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void
system_calls(void)
{
	char c;

	close(-1);
	if (open("/no/such/file", O_RDONLY) >= 0 || read(99, &c, 1) >= 0)
		abort();
	close(open("/dev/null", O_RDONLY));
}

static void
calls(void)
{
	static const char *const names[] = { "alpha", "beta", "gamma", "beta" };

	eight(1, 2, 3, 4, 5, 6, 7, 8);
	eight(-1, 1L << 40, 0, 0, 0, 0, -7, 9);
	narrow(-3, -300, 4000000000u);
	depth(3);
	for (size_t i = 0; i < 4; i++)
		name(names[i]);
	bytes("\1\2\3hello\377\0tail", 14);
	point(&points[0]);
	bad(NULL);
	bad((void *)(1UL << 63));
	for (int i = 0; i < 20; i++)
		work(i);
	system_calls();
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "wait") == 0) {
		for (int i = 0; i < 100; i++) {
			work(i);
			usleep(10000);
		}
	} else if (strcmp(how, "threads") == 0) {
		threads();
	} else if (strcmp(how, "signal") == 0) {
		signal(SIGUSR1, caught);
		stop_here();
		return signalled == SIGUSR1 ? 0 : 1;
	} else if (strcmp(how, "leaves") == 0) {
		signal(SIGUSR1, leaves);
		stop_here();
	} else if (strcmp(how, "status") == 0) {
		return 7;
	} else {
		calls();
	}
	return 0;
}
