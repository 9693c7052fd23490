/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Functions whose first instruction the kernel would step: a probe in the
   kernel stands behind it. */
__attribute__((naked, noinline)) static int
marked(void)
{
	__asm__("endbr64\n\tpush %rbp\n\tmov $3,%eax\n\tpop %rbp\n\tret");
}

__attribute__((naked, noinline)) static int
computes(void)
{
	__asm__("lea 8(%rsp),%rax\n\tmov $4,%eax\n\tpush %rbx\n\tpop %rbx\n\t"
		"ret");
}

int
main(void)
{
	return marked() + computes() != 7;
}
