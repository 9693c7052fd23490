/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_ends.c - which call a `syscall` makes, as far as its code tells, and
 * where a thread ends that may have no stack any more.
 *
 * What ends threads gives the stack away first, where it can: musl, Zig and
 * others unmap that of a detached thread, and the thread's own block with it,
 * by two calls in a row that use registers only; Go sets a word by which
 * another thread may have it.  From there to exit(2) no probe may use it
 * (x86_tramp_stack.c), and instructions there can have none.
 */
#include "engine/process/process_impl.h"

#include <string.h>
#include <sys/syscall.h>

#define ENDS_NEAR 6 /* instructions from the one call to the other */

/* How a register is set to a constant. */
struct setter {
	uint8_t len, n, bytes[3];
};

/* The argument: the status that a thread ends with. */
static const struct setter rdi_sets[] = {
	{ 2, 2, { 0x31, 0xff } },       /* xor %edi,%edi */
	{ 3, 3, { 0x48, 0x31, 0xff } }, /* xor %rdi,%rdi */
	{ 5, 1, { 0xbf } },             /* mov $imm32,%edi */
	{ 7, 3, { 0x48, 0xc7, 0xc7 } }, /* mov $imm32,%rdi */
	{ 0 }
};
/* The number, which is behind these bytes. */
static const struct setter rax_sets[] = {
	{ 5, 1, { 0xb8 } },             /* mov $imm32,%eax */
	{ 7, 3, { 0x48, 0xc7, 0xc0 } }, /* mov $imm32,%rax */
	{ 0 }
};

/* The one that ends at `end`; NULL: the instruction there is none. */
static const struct setter *
set_before(const struct plan_fn *f, const struct setter *s, uint64_t end)
{
	const struct code_world *w = world_x86(f->obj);

	for (; s->len != 0; s++) {
		const uint8_t *b = w->bytes(w->arg, end - s->len, s->len);
		if (b != NULL && memcmp(b, s->bytes, s->n) == 0 &&
		    plan_fn_insn(f, end - s->len))
			return s;
	}
	return NULL;
}

/* Where the instruction before `at` begins if it sets rdi; else `at`. */
static uint64_t
before_status(const struct plan_fn *f, uint64_t at)
{
	const struct setter *s = set_before(f, rdi_sets, at);

	return s != NULL ? at - s->len : at;
}

/* The number of the call at addr, and from where on it is made ready; RTN_NSYS:
   not known. */
static uint32_t
made_ready(const struct plan_fn *f, uint64_t addr, uint64_t *from)
{
	const struct code_world *w = world_x86(f->obj);
	uint64_t end = before_status(f, addr);
	const struct setter *s = set_before(f, rax_sets, end);
	uint32_t nr;

	if (s == NULL)
		return RTN_NSYS;
	for (size_t i = 0; i < f->fn.targets.n; i++)
		if (f->fn.targets.v[i] > end - s->len &&
		    f->fn.targets.v[i] <= addr)
			return RTN_NSYS;
	memcpy(&nr, w->bytes(w->arg, end - 4, 4), sizeof(nr));
	*from = before_status(f, end - s->len);
	return nr;
}

uint32_t
plan_sys_number(const struct plan_fn *f, uint64_t addr)
{
	uint64_t from;

	return made_ready(f, addr, &from);
}

/* Instruction i of a function. */
static void
insn_of(const struct plan_fn *f, size_t i, struct code_insn *in)
{
	const struct code_world *w = world_x86(f->obj);
	const uint8_t *b = NULL;
	size_t n = 15;

	while (n > 0 && (b = w->bytes(w->arg, f->fn.insns.v[i], n)) == NULL)
		n--;
	*in = (struct code_insn){ .kind = CODE_I_BAD };
	if (b != NULL)
		code_insn_decode(b, n, f->fn.insns.v[i], in);
}

static bool
ends_syscall(const struct plan_fn *f, size_t i)
{
	const struct code_world *w = world_x86(f->obj);
	const uint8_t *b = w->bytes(w->arg, f->fn.insns.v[i], 2);

	return b != NULL && b[0] == 0x0f && b[1] == 0x05;
}

/* The nearest `syscall` before the one at addr, or behind it, with nothing
   between that leaves the straight line; 0: none.  Hardly any function has one,
   so the others' instructions are not decoded. */
static uint64_t
call_near(const struct plan_fn *f, uint64_t addr, int step)
{
	const size_t i = code_fn_lower(f->fn.insns.v, f->fn.insns.n, addr);
	size_t at = i + (size_t)step; /* wraps before the first */
	struct code_insn in;

	for (int k = 1; at < f->fn.insns.n && !ends_syscall(f, at); k++) {
		if (k == ENDS_NEAR)
			return 0;
		at += (size_t)step;
	}
	if (at >= f->fn.insns.n)
		return 0;
	for (size_t j = i + (size_t)step; j != at; j += (size_t)step) {
		insn_of(f, j, &in);
		if (in.kind != CODE_I_PLAIN)
			return 0;
	}
	return f->fn.insns.v[at];
}

/* From where on a thread has nothing but registers that ends at addr, by the
   call of munmap(2) before, or one that may be it; 0: that is not so. */
static uint64_t
gone_from(const struct plan_fn *f, uint64_t addr)
{
	uint64_t at = call_near(f, addr, -1);
	uint32_t nr = at != 0 ? plan_sys_number(f, at) : 0;

	return nr == SYS_munmap || nr >= RTN_NSYS ? at + 2 : 0;
}

/* True if a word is set to a constant right before `from`: that somebody may
   have the stack, as Go says it. */
static bool
given_away(const struct plan_fn *f, uint64_t from)
{
	const struct code_world *w = world_x86(f->obj);
	const uint8_t *b = w->bytes(w->arg, from - 6, 2);

	/* movl $imm32,(%reg), not (%rsp) */
	return b != NULL && b[0] == 0xc7 && b[1] < 8 && b[1] != 4 &&
	       b[1] != 5 && plan_fn_insn(f, from - 6);
}

/* From where on a thread may have no stack that ends at addr; 0: it has one, or
   that is no exit(2). */
static uint64_t
ends_from(const struct plan_fn *f, uint64_t addr, enum x86_stack *stack)
{
	uint64_t from, gone;

	if (made_ready(f, addr, &from) != SYS_exit)
		return 0;
	gone = gone_from(f, addr);
	*stack = gone != 0 ? X86_STACK_BARE : X86_STACK_GONE;
	return gone != 0 ? gone : given_away(f, from) ? from : 0;
}

enum x86_stack
plan_sys_stack(const struct plan_fn *f, uint64_t addr, uint32_t nr, bool ret)
{
	enum x86_stack stack = X86_STACK_THERE;
	uint64_t next;

	if (!ret)
		return ends_from(f, addr, &stack) != 0 ? stack
						       : X86_STACK_THERE;
	if (nr == SYS_munmap)
		return X86_STACK_UNMAPPED;
	next = nr >= RTN_NSYS ? call_near(f, addr, 1) : 0;
	return next != 0 && plan_sys_number(f, next) == SYS_exit
		       ? X86_STACK_UNMAPPED
		       : X86_STACK_THERE;
}

bool
plan_no_stack(const struct plan_fn *f, uint64_t addr)
{
	enum x86_stack stack;
	uint64_t next = addr, from;

	if (!ends_syscall(f, code_fn_lower(f->fn.insns.v, f->fn.insns.n, addr)))
		next = call_near(f, addr, 1);
	from = next != 0 ? ends_from(f, next, &stack) : 0;
	return from != 0 && addr >= from;
}
