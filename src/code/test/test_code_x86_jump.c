/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_jump.c - where jumps through registers and memory go: functions
 * as compilers make them, with their tables, and all that is found of each.
 *
 * The functions are assembled into this program and looked at as if each were
 * at AT, so that tables may have addresses of 8 bytes and code such of 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/test/fds.h"
#include "code/code.h"

#define AT    0x400000ull
#define OTHER 0x500000ull /* where another function is */

/* A function, and its data behind it. */
#define JUMP(name, code, data)                                                 \
	__asm__(".pushsection .rodata\n.balign 16\njump_" #name ":\n"          \
		".set JC, jump_" #name "\n" code "jump_" #name "_end:\n" data  \
		"jump_" #name "_all:\n.popsection\n");                         \
	extern const uint8_t jump_##name[], jump_##name##_end[],               \
		jump_##name##_all[];

/* clang-format off */
/* As with optimization. */
JUMP(switch,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 2b - 5b, 3b - 5b, 0x7fffffff, 1b - 5b\n")
/* The sum in the other register. */
JUMP(switch_other,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rax, %rdx\n"
     "jmp *%rdx\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 2b - 5b, 3b - 5b, 0x7fffffff, 1b - 5b\n")
/* The sum by lea. */
JUMP(switch_lea,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "lea (%rdx,%rax), %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 2b - 5b, 3b - 5b, 0x7fffffff, 1b - 5b\n")
/* What is compared says how many entries there are, at least. */
JUMP(hole,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* The same jump, longer. */
JUMP(hole_near,
     "cmp $2, %edi\n"
     ".byte 0x0f, 0x87\n"
     ".long 9f - . - 4\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* The last of them is a hole. */
JUMP(hole_last,
     "cmp $3, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* A hole behind them ends it. */
JUMP(hole_less,
     "cmp $0, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* Another comparison says nothing. */
JUMP(hole_jae,
     "cmp $2, %edi\n"
     "jae 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* Nor does one with a register. */
JUMP(hole_reg,
     "cmp %ecx, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* Nor one before a call. */
JUMP(hole_call,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "call . + 64\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* One before another comparison does. */
JUMP(hole_two,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "cmp $0, %esi\n"
     "je 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* Nor one with more than a table has. */
JUMP(hole_huge,
     "cmp $0x10000, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 1b - 5b, 0x7fffffff, 2b - 5b, 0x7fffffff, 3b - 5b\n")
/* A table does not begin with one. */
JUMP(first_hole,
     "cmp $2, %edi\n"
     "ja 9f\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n"
     "3: inc %eax\n"
     "ret\n"
     "9: ret\n",
     "5: .long 0x7fffffff, 1b - 5b\n")
/* Without optimization. */
JUMP(plain,
     "lea 0(,%rdi,4), %rdx\n"
     "lea 5f(%rip), %rax\n"
     "mov (%rdx,%rax,1), %eax\n"
     "cltq\n"
     "lea 5f(%rip), %rdx\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n",
     "5: .long 1b - 5b, 2b - 5b, 0x7fffffff\n")
/* Extended by another instruction, and the registers the other way round. */
JUMP(plain_movslq,
     "lea 0(,%rdi,4), %rdx\n"
     "lea 5f(%rip), %rax\n"
     "mov (%rax,%rdx,1), %ecx\n"
     "movslq %ecx, %rax\n"
     "lea 5f(%rip), %rdx\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n",
     "5: .long 1b - 5b, 2b - 5b, 0x7fffffff\n")
/* A load of 8 bytes is none of an offset. */
JUMP(wide,
     "lea 5f(%rip), %rdx\n"
     "mov (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: ret\n",
     "5: .long 1b - 5b, 0, 0\n")
/* Offsets from a label of the code. */
JUMP(label,
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "lea 1f(%rip), %rcx\n"
     "add %rcx, %rax\n"
     "jmp *%rax\n"
     "nop\n"
     "1: nop\n"
     "2: ret\n"
     "3: nop\n"
     "ret\n",
     "5: .long 0, 2b - 1b, 3b - 1b, 0x7fffffff\n")
/* The table begins behind what its offsets count from. */
JUMP(disp,
     "lea 5f(%rip), %rdx\n"
     "movslq 8(%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: ret\n",
     "5: .long 0x7fffffff, 0x7fffffff, 1b - 5b, 2b - 5b, 0x7fffffff\n")
/* The compiler knew which entry. */
JUMP(known_index,
     "lea 5f(%rip), %rdx\n"
     "movslq 5f + 4(%rip), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: ret\n"
     "2: nop\n"
     "ret\n",
     "5: .long 1b - 5b, 2b - 5b, 1b - 5b\n")
/* One of two tables. */
JUMP(any,
     "test %esi, %esi\n"
     "je 1f\n"
     "lea 5f(%rip), %rcx\n"
     "jmp 2f\n"
     "1: lea 6f(%rip), %rcx\n"
     "2: movslq (%rcx,%rdi,4), %rax\n"
     "add %rcx, %rax\n"
     "jmp *%rax\n"
     "3: nop\n"
     "ret\n"
     "4: ret\n"
     "7: nop\n"
     "nop\n"
     "ret\n",
     "5: .long 3b - 5b, 0x7fffffff\n"
     "6: .long 4b - 6b, 7b - 6b, 0x7fffffff\n")
/* To an address that the code has. */
JUMP(add_imm,
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add $(1f - JC + 0x400000), %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "2: ret\n",
     "5: .long 0, 2b - 1b, 0x7fffffff\n")
/* The same by lea. */
JUMP(lea_imm,
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "lea 1f - JC + 0x400000(%rax), %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "2: ret\n",
     "5: .long 0, 2b - 1b, 0x7fffffff\n")
/* Addresses of 8 bytes, at an address. */
JUMP(abs,
     "cmp $1, %edi\n"
     "ja 9f\n"
     ".byte 0xff, 0x24, 0xfd\n"
     ".long 5f - JC + 0x400000\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "9: ret\n",
     "5: .quad 1b - JC + 0x400000, 2b - JC + 0x400000, 1\n")
/* The same, loaded first. */
JUMP(abs_load,
     ".byte 0x48, 0x8b, 0x04, 0xfd\n"
     ".long 5f - JC + 0x400000\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "ret\n",
     "5: .quad 1b - JC + 0x400000, 2b - JC + 0x400000, 1\n")
/* The same by a register. */
JUMP(abs_base,
     "lea 5f(%rip), %rdx\n"
     "jmp *8(%rdx,%rdi,8)\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "ret\n",
     "5: .quad 1, 1b - JC + 0x400000, 2b - JC + 0x400000, 1\n")
/* No table has addresses that overlap. */
JUMP(abs_four,
     "lea 5f(%rip), %rdx\n"
     "jmp *(%rdx,%rdi,4)\n"
     "1: nop\n"
     "ret\n",
     "5: .quad 1b - JC + 0x400000, 1\n")
/* A table of other functions. */
JUMP(calls,
     "lea 5f(%rip), %rdx\n"
     "jmp *(%rdx,%rdi,8)\n",
     "5: .quad 0x500000, 0x500000\n")
/* A table of what is none. */
JUMP(calls_none,
     "lea 5f(%rip), %rdx\n"
     "jmp *(%rdx,%rdi,8)\n",
     "5: .quad 0x500001\n")
/* A label. */
JUMP(goto,
     "lea 1f(%rip), %rax\n"
     "test %edi, %edi\n"
     "je 2f\n"
     "jmp *%rax\n"
     "nop\n"
     "2: ret\n"
     "1: nop\n"
     "ret\n",
     "")
/* A label by a number. */
JUMP(goto_imm,
     "mov $(1f - JC + 0x400000), %eax\n"
     "jmp *%rax\n"
     "nop\n"
     "1: nop\n"
     "ret\n",
     "")
/* What is behind the function. */
JUMP(goto_far,
     "lea 5f(%rip), %rax\n"
     "jmp *%rax\n",
     "5: ret\n")
/* The function itself. */
JUMP(goto_self,
     "lea JC(%rip), %rax\n"
     "jmp *%rax\n",
     "")
/* A label that data has. */
JUMP(goto_data,
     "jmp *5f(%rip)\n"
     "nop\n"
     "1: ret\n",
     "5: .quad 1b - JC + 0x400000\n")
/* A pointer, without a frame. */
JUMP(tail,
     "push %rbx\n"
     "mov %rdi, %rax\n"
     "pop %rbx\n"
     "jmp *%rax\n",
     "")
/* One that memory has. */
JUMP(tail_mem,
     "jmp *16(%rdi)\n",
     "")
/* A pointer, with a frame: nobody leaves so. */
JUMP(framed,
     "push %rbx\n"
     "mov %rdi, %rax\n"
     "jmp *%rax\n",
     "")
/* A pointer that glibc has kept. */
JUMP(scrambled,
     "mov 8(%rdi), %rax\n"
     "xor %fs:0x30, %rax\n"
     "jmp *%rax\n",
     "")
/* Of which nothing is known. */
JUMP(scrambled_else,
     "mov 8(%rdi), %rax\n"
     "xor 0x30(%rsi), %rax\n"
     "jmp *%rax\n",
     "")
/* A return address. */
JUMP(popped,
     "pop %rax\n"
     "jmp *%rax\n",
     "")
/* One of two pointers. */
JUMP(moved,
     "cmovz %rsi, %rdi\n"
     "jmp *%rdi\n",
     "")
/* An address that is computed. */
JUMP(counted,
     "shl $4, %rdi\n"
     "jmp *%rdi\n",
     "")
/* Of another object, without a frame. */
JUMP(add_mem,
     "mov %rdi, %rax\n"
     "add 8(%rsi), %rax\n"
     "jmp *%rax\n",
     "")
/* And with one. */
JUMP(add_mem_framed,
     "push %rbx\n"
     "mov %rdi, %rax\n"
     "add 8(%rsi), %rax\n"
     "jmp *%rax\n",
     "")
/* No sum of a table. */
JUMP(lea_scaled,
     "lea (%rdi,%rsi,4), %rax\n"
     "jmp *%rax\n",
     "")
/* Nor this. */
JUMP(lea_disp,
     "lea 4(%rdi,%rsi), %rax\n"
     "jmp *%rax\n",
     "")
/* A known table, whose offsets count from one of two labels. */
JUMP(base_any,
     "test %esi, %esi\n"
     "je 4f\n"
     "lea 1f(%rip), %rcx\n"
     "jmp 2f\n"
     "4: lea 3f(%rip), %rcx\n"
     "2: lea 5f(%rip), %rdx\n"
     "movslq 8(%rdx,%rdi,4), %rax\n"
     "add %rcx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "3: nop\n"
     "nop\n"
     "ret\n",
     "5: .long 0x7fffffff, 0x7fffffff, 0, 1, 0x7fffffff\n")
/* An offset that nobody has loaded. */
JUMP(extended,
     "cltq\n"
     "lea 5f(%rip), %rdx\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: ret\n",
     "5: .long 1b - 5b, 0x7fffffff\n")
/* The table is known: no other is one. */
JUMP(sure,
     "lea 6f(%rip), %r8\n"
     "mov %r8, (%rsi)\n"
     "lea 5f(%rip), %rdx\n"
     "movslq (%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "nop\n"
     "ret\n",
     "5: .long 1b - 5b, 0x7fffffff\n"
     "6: .long 2b - 6b, 0x7fffffff\n")
/* The same without optimization. */
JUMP(sure_plain,
     "lea 6f(%rip), %r8\n"
     "mov %r8, (%rsi)\n"
     "lea 0(,%rdi,4), %rdx\n"
     "lea 5f(%rip), %rax\n"
     "mov (%rax,%rdx,1), %eax\n"
     "cltq\n"
     "lea 5f(%rip), %rdx\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "nop\n"
     "ret\n",
     "5: .long 1b - 5b, 0x7fffffff\n"
     "6: .long 2b - 6b, 0x7fffffff\n")
/* And behind what its offsets count from. */
JUMP(sure_disp,
     "lea 6f(%rip), %r8\n"
     "mov %r8, (%rsi)\n"
     "lea 5f(%rip), %rdx\n"
     "movslq 4(%rdx,%rdi,4), %rax\n"
     "add %rdx, %rax\n"
     "jmp *%rax\n"
     "1: nop\n"
     "ret\n"
     "2: nop\n"
     "nop\n"
     "ret\n",
     "5: .long 0x7fffffff, 1b - 5b, 0x7fffffff\n"
     "6: .long 0x7fffffff, 2b - 6b, 0x7fffffff\n")
/* The function calls itself, last of all. */
JUMP(again,
     "push %rbx\n"
     "nop\n"
     "pop %rbx\n"
     "jmp JC\n",
     "")
/* It begins again. */
JUMP(loop,
     "inc %eax\n"
     "jmp JC\n",
     "")
/* The same with a frame that nobody has taken down. */
JUMP(loop_framed,
     "push %rbx\n"
     "nop\n"
     "jmp JC\n",
     "")
/* Other functions, while data has an address in this one. */
JUMP(calls_held,
     "lea 5f(%rip), %rdx\n"
     "jmp *(%rdx,%rdi,8)\n"
     "nop\n"
     "ret\n",
     "5: .quad 0x500000\n")
/* What is none, the same. */
JUMP(none_held,
     "lea 5f(%rip), %rdx\n"
     "jmp *(%rdx,%rdi,8)\n"
     "nop\n"
     "ret\n",
     "5: .quad 0x500001\n")
/* A pointer, the same. */
JUMP(tail_held,
     "mov %rdi, %rax\n"
     "jmp *%rax\n"
     "nop\n"
     "ret\n",
     "")
/* clang-format on */

/* ---- the world ----------------------------------------------------------- */

struct jump {
	const char *name;
	const uint8_t *code, *end, *all;
	const char *want;
	uint64_t held; /* data has the address at this offset; 0: none */
};

static const uint8_t *
jump_bytes(void *arg, uint64_t addr, size_t n)
{
	const struct jump *j = arg;
	size_t size = (size_t)(j->all - j->code);
	uint64_t at = addr - AT;

	return at > size || n > size - at ? NULL : j->code + at;
}

static bool
jump_is_fn(void *arg, uint64_t addr)
{
	return addr == AT || addr == OTHER;
}

static bool
jump_entered(void *arg, uint64_t lo, uint64_t hi, size_t n, uint64_t *addr)
{
	return false;
}

static bool
jump_held(void *arg, uint64_t lo, uint64_t hi, size_t n, uint64_t *addr)
{
	const struct jump *j = arg;

	*addr = AT + j->held;
	return j->held != 0 && n == 0 && *addr >= lo && *addr < hi;
}

/* What is known of a function, as text: whether all is, the ways out, and where
   control may arrive; offsets from its start. */
static void
describe(const struct code_fn *f, struct buf *b)
{
	static const char *const kinds[] = { "ret", "tail", "fall" };

	buf_puts(b, f->complete ? "all" : f->closed ? "closed" : "open");
	for (size_t i = 0; i < f->outs.n; i++)
		buf_printf(b, " %s:%x", kinds[f->outs.v[i].kind],
			   (unsigned)(f->outs.v[i].addr - AT));
	for (size_t i = 0; i < f->targets.n; i++)
		buf_printf(b, " %x", (unsigned)(f->targets.v[i] - AT));
}

#define CASE(name, want)                                                       \
	{                                                                      \
#name, jump_##name, jump_##name##_end, jump_##name##_all, want \
	}

#define HELD(name, want, held)                                                 \
	{                                                                      \
#name, jump_##name, jump_##name##_end, jump_##name##_all,      \
			want, held                                             \
	}

static struct jump jumps[] = {
	CASE(switch, "all ret:16 ret:17 ret:1a ret:1b 0 15 17 18 1b"),
	CASE(switch_other, "all ret:16 ret:17 ret:1a ret:1b 0 15 17 18 1b"),
	CASE(switch_lea, "all ret:17 ret:18 ret:1b ret:1c 0 16 18 19 1c"),
	CASE(hole, "all ret:16 ret:17 ret:1a ret:1b 0 15 17 1b"),
	CASE(hole_near, "all ret:1a ret:1b ret:1e ret:1f 0 19 1b 1f"),
	CASE(hole_last, "all ret:16 ret:17 ret:1a ret:1b 0 15 17 18 1b"),
	CASE(hole_less, "all ret:16 ret:17 ret:1a ret:1b 0 15 1b"),
	CASE(hole_jae, "all ret:16 ret:17 ret:1a ret:1b 0 15 1b"),
	CASE(hole_reg, "all ret:15 ret:16 ret:19 ret:1a 0 14 1a"),
	CASE(hole_call, "all ret:1b ret:1c ret:1f ret:20 0 a 1a 20"),
	CASE(hole_two, "all ret:1b ret:1c ret:1f ret:20 0 1a 1c 20"),
	CASE(hole_huge, "all ret:19 ret:1a ret:1d ret:1e 0 18 1e"),
	CASE(first_hole, "open ret:16 ret:17 ret:1a ret:1b 0 1b"),
	CASE(plain, "all ret:21 ret:22 0 20 22"),
	CASE(plain_movslq, "all ret:22 ret:23 0 21 23"),
	CASE(wide, "open ret:10 0"),
	CASE(label, "all ret:19 ret:1b 0 18 19 1a"),
	CASE(disp, "all ret:12 ret:13 0 11 13"),
	CASE(known_index, "all ret:13 ret:15 0 14"),
	CASE(any, "all ret:1e ret:1f ret:22 0 d 14 1f 20"),
	CASE(add_imm, "all ret:14 0 13 14"),
	CASE(lea_imm, "all ret:15 0 14 15"),
	CASE(abs, "all ret:d ret:f 0 c e f"),
	CASE(abs_load, "all ret:b ret:d 0 a c"),
	CASE(abs_base, "all ret:c ret:e 0 b d"),
	CASE(abs_four, "all tail:7 ret:b 0"),
	CASE(calls, "all tail:7 0"),
	CASE(calls_none, "all tail:7 0"),
	CASE(goto, "all ret:e ret:10 0 e f"),
	CASE(goto_imm, "all ret:9 0 8"),
	CASE(goto_far, "all tail:7 0"),
	CASE(goto_self, "all tail:7 0"),
	CASE(goto_data, "all ret:7 0 7"),
	CASE(tail, "all tail:5 0"),
	CASE(tail_mem, "all tail:0 0"),
	CASE(framed, "all 0"),
	CASE(scrambled, "all tail:d 0"),
	CASE(scrambled_else, "open 0"),
	CASE(popped, "all tail:1 0"),
	CASE(moved, "all tail:4 0"),
	CASE(counted, "open 0"),
	CASE(add_mem, "all tail:7 0"),
	CASE(add_mem_framed, "open 0"),
	CASE(lea_scaled, "open 0"),
	CASE(lea_disp, "open 0"),
	CASE(base_any, "all ret:26 ret:29 0 d 14 25 27 28"),
	CASE(extended, "open ret:e 0"),
	CASE(sure, "all ret:1b ret:1e 0 1a"),
	CASE(sure_plain, "all ret:2b ret:2e 0 2a"),
	CASE(sure_disp, "all ret:1c ret:1f 0 1b"),
	CASE(again, "all tail:3 0"),
	CASE(loop, "all 0"),
	CASE(loop_framed, "all 0"),
	HELD(calls_held, "all tail:7 ret:b 0", 10),
	HELD(none_held, "closed ret:b 0", 10),
	HELD(tail_held, "closed ret:6 0", 6),
};

static void
test_jumps(void **state)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++) {
		struct code_world w = { .arg = &jumps[i],
					.bytes = jump_bytes,
					.is_fn = jump_is_fn,
					.entered = jump_entered,
					.held = jump_held,
					.knows_jumps = true };
		struct code_part p = { AT, (uint64_t)(jumps[i].end -
						      jumps[i].code) };
		struct code_fn f;
		struct err e = { 0 };
		struct buf b = BUF_INIT;

		assert_int_equal(code_fn_analyse(&w, &p, 1, &f, &e), 0);
		describe(&f, &b);
		if (strcmp(buf_str(&b), jumps[i].want) != 0) {
			print_error("%s: \"%s\"\n", jumps[i].name, buf_str(&b));
			good = false;
		}
		buf_fini(&b);
		code_fn_fini(&f);
	}
	assert_true(good);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_jumps) };

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
