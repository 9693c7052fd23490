/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* do_nothing.c - a target whose code is known to the byte. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long do_nothing2(long a, long b);
long throws(long a);

/* Offsets: 0 push, 1 mov, 4 mov, 7 add, a pop, b ret. */
__asm__(".text\n.globl do_nothing2\n.type do_nothing2,@function\n"
	"do_nothing2: .cfi_startproc\n push %rbp\n mov %rsp,%rbp\n mov %rdi,%rax\n"
	" add %rsi,%rax\n pop %rbp\n ret\n .cfi_endproc\n"
	".size do_nothing2,.-do_nothing2\n");

/* Two returns: 0 test, 3 je; offsets 5..: 1; 2. */
__asm__(".globl throws\n.type throws,@function\n"
	"throws: .cfi_startproc\n test %rdi,%rdi\n je 1f\n mov $1,%eax\n ret\n"
	"1: mov $2,%eax\n ret\n .cfi_endproc\n.size throws,.-throws\n");

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, sum = 0;

	if (n < 0) { /* for ever */
		for (;;) {
			sum += do_nothing2(1, 2) + throws(sum & 1);
			usleep(1000);
		}
	}
	for (long i = 0; i < n; i++)
		sum += do_nothing2(i, 40) + throws(i & 1);
	printf("sum %ld\n", sum);
	return 0;
}
