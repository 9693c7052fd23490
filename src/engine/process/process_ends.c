/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_ends.c - which call a `syscall` makes, as far as its code tells, and
 * where a thread ends that may have no stack any more.
 *
 * What ends threads gives the stack away first, where it can: musl unmaps that
 * of a detached thread, and the thread's own block with it, by two calls in a
 * row that use registers only; Go sets a word by which another thread may have
 * it.  From there to exit(2) no probe may use it (x86_tramp_stack.c), and
 * instructions there can have none.
 */
#include "engine/process/process_impl.h"

#include <string.h>
#include <sys/syscall.h>

#define ENDS_NEAR 6 /* instructions from the one call to the other */

/* Where the instruction before `at` begins if it sets rdi, the first argument,
   to a constant; else `at`. */
static uint64_t
before_status(const struct plan_fn *f, const struct code_world *w, uint64_t at)
{
	static const struct {
		uint8_t len, n, bytes[3];
	} sets[] = {
		{ 2, 2, { 0x31, 0xff } },       /* xor %edi,%edi */
		{ 3, 3, { 0x48, 0x31, 0xff } }, /* xor %rdi,%rdi */
		{ 5, 1, { 0xbf } },             /* mov $imm32,%edi */
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		uint64_t from = at - sets[i].len;
		const uint8_t *b = w->bytes(w->arg, from, sets[i].len);
		if (b != NULL && memcmp(b, sets[i].bytes, sets[i].n) == 0 &&
		    plan_fn_insn(f, from))
			return from;
	}
	return at;
}

uint32_t
plan_sys_number(const struct plan_fn *f, uint64_t addr)
{
	const struct code_world *w = world_x86(f->obj);
	uint64_t at = before_status(f, w, addr) - 5;
	const uint8_t *mov = w->bytes(w->arg, at, 5);
	uint32_t nr;

	if (mov == NULL || mov[0] != 0xb8) /* mov $imm32,%eax */
		return RTN_NSYS;
	for (size_t i = 0; i < f->fn.targets.n; i++)
		if (f->fn.targets.v[i] > at && f->fn.targets.v[i] <= addr)
			return RTN_NSYS;
	if (!plan_fn_insn(f, at))
		return RTN_NSYS;
	memcpy(&nr, mov + 1, sizeof(nr));
	return nr;
}

/* The nearest `syscall` before instruction i of a function that stands in one
   line with it; 0: none. */
static uint64_t
call_before(const struct plan_fn *f, size_t i)
{
	const struct code_world *w = world_x86(f->obj);

	for (int k = 0; k < ENDS_NEAR && i > 0; k++) {
		uint64_t at = f->fn.insns.v[--i];
		const uint8_t *b = w->bytes(w->arg, at, 2);
		if (b == NULL)
			return 0;
		if (b[0] == 0x0f && b[1] == 0x05)
			return at;
	}
	return 0;
}

/* From where on a thread has nothing but registers that ends at addr, by the
   call of munmap(2) before; 0: that is not so. */
static uint64_t
gone_from(const struct plan_fn *f, uint64_t addr)
{
	uint64_t at = call_before(
		f, code_fn_lower(f->fn.insns.v, f->fn.insns.n, addr));

	return at != 0 && plan_sys_number(f, at) == SYS_munmap ? at + 2 : 0;
}

/* True if a word was set to a constant right before the number of that call:
   that somebody may have the stack, as Go says it. */
static bool
given_away(const struct plan_fn *f, uint64_t addr)
{
	const struct code_world *w = world_x86(f->obj);
	uint64_t from = before_status(f, w, addr) - 5;
	uint64_t at = before_status(f, w, from) - 6;
	const uint8_t *b = w->bytes(w->arg, at, 2);

	/* movl $imm32,(%reg), not (%rsp) */
	return b != NULL && b[0] == 0xc7 && b[1] < 8 && b[1] != 4 &&
	       b[1] != 5 && plan_fn_insn(f, at);
}

/* From where on a thread that ends at addr may have no stack; 0: it has one. */
static uint64_t
no_stack_from(const struct plan_fn *f, uint64_t addr)
{
	const struct code_world *w = world_x86(f->obj);
	uint64_t from = gone_from(f, addr);

	if (from == 0 && given_away(f, addr))
		from = before_status(f, w, before_status(f, w, addr) - 5);
	return from;
}

enum x86_stack
plan_sys_stack(const struct plan_fn *f, uint64_t addr, uint32_t nr, bool ret)
{
	if (ret)
		return nr == SYS_munmap ? X86_STACK_UNMAPPED : X86_STACK_THERE;
	if (nr != SYS_exit)
		return X86_STACK_THERE;
	if (gone_from(f, addr) != 0)
		return X86_STACK_BARE;
	return given_away(f, addr) ? X86_STACK_GONE : X86_STACK_THERE;
}

bool
plan_no_stack(const struct plan_fn *f, uint64_t addr)
{
	const struct code_world *w = world_x86(f->obj);
	size_t i = code_fn_lower(f->fn.insns.v, f->fn.insns.n, addr);

	for (size_t end = i + ENDS_NEAR; i < f->fn.insns.n && i < end; i++) {
		uint64_t at = f->fn.insns.v[i], from;
		const uint8_t *b = w->bytes(w->arg, at, 2);
		if (b == NULL || b[0] != 0x0f || b[1] != 0x05)
			continue;
		if (plan_sys_number(f, at) != SYS_exit)
			return false;
		from = no_stack_from(f, at);
		return from != 0 && addr >= from;
	}
	return false;
}
