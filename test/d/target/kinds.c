/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kinds.c - calls a function a hundred times, thirty of them with 0: at its
 * `je`, its call, its locked instruction, its nop and its ret these are 100,
 * 70, 70, 30 and 100.
 */
#include <stdio.h>

long counted;
void mixed(long n);
void leaf(void);

__asm__(".text\n"
	".globl mixed, leaf\n"
	".type mixed,@function\n.type leaf,@function\n"
	"leaf:	mov	$7,%eax\n	ret\n"
	".size leaf,.-leaf\n"
	"	.skip	16, 0xcc\n"
	"mixed:	push	%rbx\n	mov	%rdi,%rbx\n	test	%rbx,%rbx\n"
	"	je	1f\n	call	leaf\n"
	"	lock	incq counted(%rip)\n	jmp	2f\n"
	"1:	nopl	0(%rax)\n	mov	$1,%eax\n"
	"2:	pop	%rbx\n	ret\n"
	".size mixed,.-mixed\n"
	"	.skip	16, 0xcc\n");

int
main(void)
{
	for (long i = 0; i < 100; i++)
		mixed(i < 30 ? 0 : i);
	return counted != 70;
}
