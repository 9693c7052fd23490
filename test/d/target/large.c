/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * large.c - calls a function of nine thousand bytes, which adds to a number
 * fifteen hundred times.
 */
#include <stdio.h>

unsigned counted;
void large(void);

__asm__(".text\n"
	".globl large\n"
	".type large,@function\n"
	"large:	push	%rbx\n"
	"	.rept	1500\n"
	"	incl	counted(%rip)\n"
	"	.endr\n"
	"	pop	%rbx\n	ret\n"
	".size large,.-large\n"
	"	.skip	16, 0xcc\n");

int
main(void)
{
	large();
	printf("%u\n", counted);
	return counted != 1500;
}
