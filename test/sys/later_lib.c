/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * later_lib.c - a library that later.c loads.  Its constructor calls a function
 * of its own, and it makes a system call with an instruction of its own.
 * FACTOR tells versions apart.
 */
#ifndef FACTOR
#define FACTOR 3
#endif

__attribute__((visibility("default"))) int later_fn(int x);

__attribute__((noinline)) static int
later_inner(int x)
{
	long r;

	/* getppid */
	__asm__ volatile("syscall" : "=a"(r) : "0"(110L)
			 : "rcx", "r11", "memory");
	return r >= 0 ? x * FACTOR + 1 : x;
}

int
later_fn(int x)
{
	int s = 0;

	for (int i = 0; i < 3; i++)
		s += later_inner(x + i);
	return s;
}

__attribute__((constructor)) static void
later_ctor(void)
{
	later_inner(0);
}
