/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * chosen.c - names for which a function is chosen when the program begins: some
 * of the C library's, and two of its own.  pick() may be left() or right();
 * nobody can see what far() may be.  Each is called a thousand times.
 */
#include <stdio.h>
#include <string.h>

__attribute__((noinline, noclone)) static int
left(int v)
{
	return v + 1;
}

__attribute__((noinline, noclone)) static int
right(int v)
{
	return v + 2;
}

__attribute__((noinline, noclone)) static int
away(int v)
{
	return v + 3;
}

static int (*(*volatile table)(int))(int);

static int (*choose_pick(void))(int)
{
	return table != NULL ? left : right;
}

static int (*choose_far(void))(int)
{
	return table != NULL ? table(1) : away;
}

int pick(int v) __attribute__((ifunc("choose_pick")));
int far(int v) __attribute__((ifunc("choose_far")));

static size_t (*volatile length)(const char *) = strlen;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static char *(*volatile find)(const char *, int) = strchr;

int
main(void)
{
	char buf[8];
	size_t n = 0;

	for (int i = 0; i < 1000; i++) {
		n += length("hello");
		copy(buf, "abc", 4);
		n += find(buf, 'b') != NULL;
		n += (size_t)(pick(i) + far(i));
	}
	printf("%zu\n", n);
	return 0;
}
