/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* mounts_target.c - calls of known names, for half a minute:
   test/sys/mounts. */
#include <unistd.h>

int work(int n);
int outer(int n);

__attribute__((noinline)) int
work(int n)
{
	usleep(10000);
	return n + (int)getppid();
}

__attribute__((noinline)) int
outer(int n)
{
	int r = work(n);

	__asm__ volatile("");
	return r + 1;
}

int
main(void)
{
	int s = 0;

	for (int i = 0; i < 3000; i++)
		s += outer(i);
	return s == 1;
}
