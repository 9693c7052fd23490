/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loop.c - the traced program of the benchmarks: N times the same thing, then
 * the nanoseconds one took, on standard output.
 *
 * usage: loop getppid|switch|push|lea|leaf N
 *   getppid  the cheapest system call
 *   switch   two processes that wake each other: one switch from one to the
 *            other
 *   push     a function that begins with push (a uprobe the kernel emulates)
 *   lea      a function whose first instruction must be single-stepped, with
 *            an emulable one after it
 *   leaf     one that has nothing to emulate but its ret
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long work_push(long x);
long work_lea(long x);
long work_leaf(long x);

__asm__(".text\n"
	".globl work_push\n.type work_push,@function\n"
	"work_push: push %rbp\n mov %rsp,%rbp\n lea 1(%rdi),%rax\n"
	" pop %rbp\n ret\n.size work_push,.-work_push\n"
	".globl work_lea\n.type work_lea,@function\n"
	"work_lea: endbr64\n lea 1(%rdi),%rax\n push %rbp\n"
	" mov %rsp,%rbp\n pop %rbp\n ret\n.size work_lea,.-work_lea\n"
	".globl work_leaf\n.type work_leaf,@function\n"
	"work_leaf: lea 1(%rdi),%rax\n ret\n.size work_leaf,.-work_leaf\n");

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Until the other end is closed. */
static void
answer(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

/* n switches there and back, through two pipes. */
static long
switches(long n)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) != 0 || pipe(back) != 0)
		return -1;
	if (fork() == 0) {
		close(there[1]);
		close(back[0]);
		answer(there[0], back[1]);
	}
	for (long i = 0; i < n; i += 2)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			return -1;
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	long n = atol(argv[2]), x = 0;
	long (*fn)(long) = strcmp(argv[1], "push") == 0 ? work_push :
			   strcmp(argv[1], "lea") == 0	? work_lea :
			   strcmp(argv[1], "leaf") == 0 ? work_leaf : NULL;
	double t = now();
	if (strcmp(argv[1], "switch") == 0) {
		if (switches(n) != 0)
			return 1;
	} else if (fn == NULL) {
		for (long i = 0; i < n; i++)
			x += syscall(SYS_getppid);
	} else {
		for (long i = 0; i < n; i++)
			x = fn(x);
	}
	t = now() - t;
	printf("%.1f\n", t / (double)n);
	return x == 42;
}
