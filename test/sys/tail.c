/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* tail.c - wrapper() leaves by a jump to another function, plain() by a ret. */
#include <stdio.h>

static volatile int sum;

__attribute__((noinline, noclone)) int
slowpart(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
	return n;
}

__attribute__((noinline, noclone)) int
wrapper(int n)
{
	return slowpart(n + 1);
}

__attribute__((noinline, noclone)) int
plain(int n)
{
	return slowpart(n) + 1;
}

int
main(void)
{
	int t = 0;

	for (int i = 0; i < 10; i++)
		t += wrapper(i) + plain(i);
	printf("%d\n", t);
	return 0;
}
