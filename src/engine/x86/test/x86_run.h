/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_run.h - for tests: machine code called with all registers and flags as
 * the test wants them, and looked at afterwards.
 */
#ifndef ENGINE_X86_TEST_X86_RUN_H
#define ENGINE_X86_TEST_X86_RUN_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/x86/x86_emit.h"

#define RUN_FLAGS 0x8d5u /* OF SF ZF AF PF CF */

struct run_regs {
	uint64_t r[16]; /* by hardware number; r[4], rsp, is not used */
	uint64_t flags;
};
/* Call code; *io goes in and comes out. */
void run_code(const void *code, struct run_regs *io);

/* *INDENT-OFF* */
__asm__(".text\n.globl run_code\n.type run_code,@function\nrun_code:\n"
	"push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"push %rsi\npush %rdi\n"
	"pushq 128(%rsi)\npopfq\n"
	"mov 0(%rsi),%rax\nmov 8(%rsi),%rcx\nmov 16(%rsi),%rdx\n"
	"mov 24(%rsi),%rbx\nmov 40(%rsi),%rbp\nmov 56(%rsi),%rdi\n"
	"mov 64(%rsi),%r8\nmov 72(%rsi),%r9\nmov 80(%rsi),%r10\n"
	"mov 88(%rsi),%r11\nmov 96(%rsi),%r12\nmov 104(%rsi),%r13\n"
	"mov 112(%rsi),%r14\nmov 120(%rsi),%r15\nmov 48(%rsi),%rsi\n"
	"call *(%rsp)\n"
	"pushfq\npush %rax\nmov 24(%rsp),%rax\n"
	"mov %rcx,8(%rax)\nmov %rdx,16(%rax)\nmov %rbx,24(%rax)\n"
	"mov %rbp,40(%rax)\nmov %rsi,48(%rax)\nmov %rdi,56(%rax)\n"
	"mov %r8,64(%rax)\nmov %r9,72(%rax)\nmov %r10,80(%rax)\n"
	"mov %r11,88(%rax)\nmov %r12,96(%rax)\nmov %r13,104(%rax)\n"
	"mov %r14,112(%rax)\nmov %r15,120(%rax)\n"
	"pop %rcx\nmov %rcx,0(%rax)\npop %rcx\nmov %rcx,128(%rax)\n"
	"pop %rdi\npop %rsi\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
	".size run_code,.-run_code\n");
/* *INDENT-ON* */

static inline uint64_t
run_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 32 | *seed << 32;
}

static inline void
run_fill(struct run_regs *r, uint64_t *seed)
{
	for (unsigned i = 0; i < 16; i++)
		r->r[i] = run_random(seed);
	r->flags = (run_random(seed) & RUN_FLAGS) | 0x202;
}

/* n bytes to write and run, at `at` if it is free, else anywhere; NULL. */
static inline uint8_t *
run_map(uint64_t at, size_t n)
{
	void *p = mmap((void *)(uintptr_t)at, n,
		       PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);

	return p == MAP_FAILED ? NULL : p;
}

/* A handler that is called: it counts the site in eax, in count[], then spoils
   all registers and flags.  Where it begins. */
static inline uint64_t
run_spoiler(struct x86_buf *b, const uint64_t *count)
{
	uint64_t at = x86_here(b);

	x86_mov_ri(b, X86_RCX, (uint64_t)(uintptr_t)count);
	x86_inc_m(b, 8, x86_mi(X86_RCX, X86_RAX, 8, 0));
	for (unsigned r = 0; r < 16; r++)
		if (r != X86_RSP)
			x86_mov_ri(b, r, 0x5a5a5a5a00ull + r);
	x86_alu_rr(b, X86_ADD, 8, X86_RAX, X86_RAX);
	x86_ret(b);
	return at;
}

#endif
