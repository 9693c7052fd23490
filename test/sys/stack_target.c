/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stack_target.c - stacks through this program and the C library, both without
 * frame pointers, for ever; or, with a number, so many rounds.
 *
 * stack_target first: for each byte of standard input a stack that ends in
 * getppid(), which nothing else here calls.
 *
 * stack_target stray: getppid() with a frame pointer that leads to what is no
 * frame: a word that goes up, and one that is no address behind a call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile int sum;
int leaf(int n, const char *s);
int first(int n);
int deep(int n, const char *s);

__attribute__((noinline)) int
leaf(int n, const char *s)
{
	return (int)strlen(s) + atoi(s) + n;
}

__attribute__((noinline)) int
deep(int n, const char *s)
{
	char b[64];

	snprintf(b, sizeof(b), "%d %.3s %g", n, s, n * 1.5);
	return n > 0 ? deep(n - 1, b) + b[0] : leaf(n, b);
}

static int
order(const void *a, const void *b)
{
	const int *x = a, *y = b;

	sum += deep(3, "x");
	return *x < *y ? -1 : *x > *y;
}

__attribute__((noinline)) int
first(int n)
{
	return n > 0 ? first(n - 1) + 1 : (int)getppid();
}

static int
stray(void)
{
#ifdef __x86_64__
	/* Above what may lie below the stack pointer. */
	volatile unsigned long v[64] = { [40] = (unsigned long)&v[42],
					 [41] = 0x41424344, [43] = 0x41424345 };
	long rc;

	__asm__ volatile("xchg %%rbp, %1\n\tsyscall\n\txchg %%rbp, %1"
			 : "=a"(rc)
			 : "b"(&v[40]), "a"(110L)
			 : "rcx", "r11", "memory");
#endif
	return 0;
}

int
main(int argc, char **argv)
{
	char byte;

	if (argc > 1 && strcmp(argv[1], "stray") == 0)
		return stray();

	while (argc > 1 && strcmp(argv[1], "first") == 0) {
		if (read(0, &byte, 1) != 1)
			return 0;
		sum += first(3);
	}

	int v[100], rounds = argc > 1 ? atoi(argv[1]) : -1;

	while (rounds-- != 0) {
		for (int i = 0; i < 100; i++)
			v[i] = i * 7919 % 100;
		qsort(v, 100, sizeof(*v), order);
		sum += v[0];
	}
	return 0;
}
