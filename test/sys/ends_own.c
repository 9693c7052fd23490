/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* ends_own.c - fifty threads of its own making, which unmap their stacks as
   Zig's do; with -DUNKNOWN the number of that call is set somewhere else. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define N    50
#define SIZE 65536

#ifdef UNKNOWN
#define LEAVE "syscall\n\txor %%edi,%%edi\n\tmov $60,%%eax\n\tsyscall\n\tud2"
#else
#define LEAVE                                                                  \
	"movq $11,%%rax\n\tsyscall\n\tmovq $60,%%rax\n\t"                      \
	"movq $1,%%rdi\n\tsyscall\n\tud2"
#endif

static volatile int ended;

__attribute__((noreturn, noinline)) static void
leave(void *stack)
{
	__asm__ volatile(LEAVE ::"a"(11L), "D"(stack), "S"(SIZE));
	__builtin_unreachable();
}

static int
thread(void *arg)
{
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	leave(arg);
}

int
main(void)
{
	for (int i = 0; i < N; i++) {
		char *s = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (s == MAP_FAILED ||
		    clone(thread, s + SIZE,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				  CLONE_THREAD | CLONE_SYSVSEM,
			  s) < 0)
			return 1;
		while (ended != i + 1)
			usleep(100);
	}
	usleep(200000);
	printf("ended %d\n", ended);
	return 0;
}
