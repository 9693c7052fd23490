/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * join_target.c - a function and a system call, N times each; then whether the
 * function's text is as it was at first. Each step waits for a line.
 *
 * usage: join N
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) int
f(int n)
{
	__asm__ volatile("");
	return n + 1;
}

int
main(int argc, char **argv)
{
	char was[16];
	int n = 0;

	memcpy(was, (void *)f, sizeof(was));
	puts("ready");
	fflush(stdout);
	getchar();
	while (n < atoi(argv[1])) {
		n = f(n);
		(void)getppid();
	}
	puts("done");
	fflush(stdout);
	getchar();
	puts(memcmp(was, (void *)f, sizeof(was)) == 0 ? "clean" : "patched");
	return 0;
}
