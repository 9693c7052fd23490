/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tiny.c - functions of one to four bytes, packed without a byte between them,
 * and loops that jump to their heads: jumps of five bytes have no room, and are
 * made of the neighbours' bytes.  THREADS threads call them LOOPS times and
 * print what comes out.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef long fn(long, long);

/* Each: rdi, rsi to rax. */
#define TINY(name, body)                                                    \
	".globl " name "\n.type " name ",@function\n" name                   \
	":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " name ",.-" name \
	"\n"

/* *INDENT-OFF* */
__asm__(".text\n.balign 16\n"
	TINY("t_ret", "xchg %edi,%eax; ret")
	TINY("t_lea", "lea 1(%rdi),%eax; ret")
	TINY("t_mov", "mov %edi,%eax; ret")
	TINY("t_push", "push %rdi; pop %rax; ret")
	TINY("t_sum", "mov %edi,%eax; add %esi,%eax; ret")
	TINY("t_loop", "mov %edi,%eax; and $7,%eax; 1: dec %eax; jns 1b; ret")
	TINY("t_head", "1: dec %edi; test $7,%dil; jne 1b; xchg %edi,%eax; ret")
	TINY("t_two", "mov %edi,%eax; test $1,%al; jne 2f; ret; 2: neg %eax; ret")
	TINY("t_frame", "push %rbp; mov %rsp,%rbp; mov %esi,%eax; 1: dec %edi; test $3,%dil; jne 1b; pop %rbp; ret")
	TINY("t_tail", "jmp t_sum")
	TINY("t_call", "push %rsi; call t_two; pop %rsi; add %esi,%eax; ret")
	TINY("t_last", "mov %edi,%eax; ret"));
/* *INDENT-ON* */
extern fn t_ret, t_lea, t_mov, t_push, t_sum, t_loop, t_head, t_two, t_frame,
	t_tail, t_call, t_last;

static fn *const all[] = { t_ret,  t_lea, t_mov,   t_push, t_sum,  t_loop,
			   t_head, t_two, t_frame, t_tail, t_call, t_last };
#define NALL (sizeof(all) / sizeof(*all))

static long loops;

static void *
run(void *arg)
{
	unsigned long h = (unsigned long)arg;

	for (long i = 0; i < loops; i++)
		h = h * 31 +
		    (unsigned)all[(unsigned long)i % NALL](i, (long)(h & 255));
	return (void *)h;
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 4;
	pthread_t th[64];
	void *h;

	loops = argc > 2 ? atol(argv[2]) : 1000000;
	for (long i = 0; i < n && i < 64; i++)
		if (pthread_create(&th[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < n && i < 64; i++) {
		pthread_join(th[i], &h);
		printf("%lu\n", (unsigned long)h);
	}
	return 0;
}
