/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * family.c - functions made by hand that share their code, as memcpy's family
 * does: one jumps to the inside of another, one runs on into it, one does so
 * past a condition.
 *
 * family N    call each N times, print what came of it
 */
#include <stdio.h>
#include <stdlib.h>

#define FN(name)                                                               \
	"	.p2align 4\n	.globl " #name "\n	.type " #name                    \
	", @function\n" #name ":\n"
#define END(name) "	.size " #name ", . - " #name "\n"

__asm__("	.text\n"
	FN(fam_front)
	"	lea 1(%rdi), %rax\n"
	"	jmp .Lstart\n"
	END(fam_front)
	FN(fam_cond)
	"	test %rdi, %rdi\n"
	"	js .Lneg\n"
	"	xor %eax, %eax\n"
	"	cmp $5, %rdi\n"
	"	ja .Lstart\n"
	"	ret\n"
	END(fam_cond)
	FN(fam_check)
	"	cmp %rdi, %rsi\n"
	"	jb .Lneg\n"
	END(fam_check)
	"	.globl fam_body\n	.type fam_body, @function\n"
	"fam_body:\n"
	"	mov %rdi, %rax\n"
	".Lstart:\n"
	"	add %rsi, %rax\n"
	"	test $1, %al\n"
	"	jz 1f\n"
	"	add $1, %rax\n"
	"1:	ret\n"
	".Lneg:	mov $-1, %rax\n"
	"	ret\n"
	END(fam_body));

long fam_front(long a, long b), fam_cond(long a, long b);
long fam_check(long a, long b), fam_body(long a, long b);

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100, h = 0;

	for (long i = 0; i < n; i++) {
		h = h * 31 + fam_front(i, 2);
		h = h * 31 + fam_check(i % 10, 5);
		h = h * 31 + fam_body(i, 1);
		h = h * 31 + fam_cond(i % 10 - 2, i);
	}
	printf("sum %ld\n", h);
	return 0;
}
