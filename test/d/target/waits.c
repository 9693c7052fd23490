/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits ten times for a twentieth of a second, so that it sleeps also where all
 * is slow: main, outer, middle, inner, and a system call of its own; without
 * frame pointers.
 */
#include <sys/syscall.h>
#include <time.h>

__attribute__((noinline, optimize("omit-frame-pointer"))) int inner(int n);
__attribute__((noinline, optimize("omit-frame-pointer"))) int middle(int n);
__attribute__((noinline, optimize("omit-frame-pointer"))) int outer(int n);

int
inner(int n)
{
	struct timespec t = { .tv_nsec = 50000000 };
	long rc;

#ifdef __x86_64__
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(SYS_nanosleep), "D"(&t), "S"(0)
			 : "rcx", "r11", "memory");
#else
	rc = nanosleep(&t, 0);
#endif
	return n + (int)rc;
}

int
middle(int n)
{
	return inner(n) + 1;
}

int
outer(int n)
{
	return middle(n) + 1;
}

int
main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += outer(i);
	return sum != 10 * 9 / 2 + 20;
}
