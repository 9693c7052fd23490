/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_tramp_stack.c - probes of system calls where the thread may have no
 * stack.
 *
 * Who ends a thread may give its stack away before: musl unmaps that of a
 * detached thread and calls exit(2) with no more than registers; Go says that
 * another thread may have it.  So the probe of an exit(2) that can be known by
 * the code runs on one of rtn_shared.last[], and only rcx and r11 are used
 * until it has one.  It is given back before the call.  Its rsp is that stack's
 * in uregs[], and ustack() ends behind the function that makes the call.
 *
 * The return from such an munmap(2) does not fire.  That it was the own stack
 * which has gone is seen by where rsp is: in what was unmapped or so little
 * above that there is no room for us.
 */
#include <assert.h>
#include <stddef.h>

#include "engine/x86/x86_tramp_impl.h"

#define ROOM 8192 /* bytes that a probe may need */

#define LAST(field)                                                            \
	((int32_t)(offsetof(struct rtn_shared, last[0].field) -                \
		   offsetof(struct rtn_shared, last)))

/* lower_borrow() gives where the one is, the others are counted from. */
static_assert(LAST(lent) == 0, "the word comes first");

static bool
stackless(enum x86_stack stack)
{
	return stack == X86_STACK_GONE || stack == X86_STACK_BARE;
}

/* On to `none` under a filter: there the number of a thread that has not fired
   yet is read at %fs (rt_native_thread.c). */
static void
filtered(struct x86_buf *b, const struct rtn_shared *sh, struct x86_label *none)
{
	x86_mov_ri(b, X86_RCX, sh->self + offsetof(struct rtn_shared, seccomp));
	x86_alu_mi(b, X86_CMP, 4, x86_m(X86_RCX, 0), 0);
	x86_jcc_label(b, X86_CC_NE, none);
}

/* rsp = a stack of our own; on to `none` if all are taken. */
static void
last_take(struct x86_buf *b, const struct rtn_shared *sh,
	  struct x86_label *none)
{
	const struct lower_lent lasts = {
		.off = offsetof(struct rtn_shared, last[0].lent),
		.step = RTN_LAST,
		.n = RTN_NLAST,
	};

	lower_borrow(b, sh, &lasts, X86_R11, X86_RCX, none);
	x86_store(b, 8, x86_m(X86_R11, LAST(sp)), X86_RSP);
	x86_lea(b, X86_RSP, x86_m(X86_R11, RTN_LAST - RTN_LAST_TOP));
}

static void
last_give(struct x86_buf *b)
{
	x86_lea(b, X86_R11,
		x86_m(X86_RSP, -(int32_t)(RTN_LAST - RTN_LAST_TOP)));
	x86_load(b, 8, false, X86_RSP, x86_m(X86_R11, LAST(sp)));
	x86_store_imm(b, 4, x86_m(X86_R11, LAST(lent)), 0);
}

/* rax as it was and, unless nobody reads them, the flags: what is kept in r11
   and rax. */
static void
flags_back(struct x86_buf *b, bool flags_dead)
{
	if (flags_dead)
		return;
	x86_alu_ri(b, X86_ADD, 1, X86_RAX, 0x7f); /* OF as it was */
	x86_sahf(b);
	x86_mov_rr(b, 8, X86_RAX, X86_R11);
}

/* After munmap(rdi, rsi): on to `gone` if that was the stack. */
static void
unmapped(struct x86_buf *b, struct x86_label *gone, bool flags_dead)
{
	struct x86_label there = { 0 }, near = { 0 };

	if (!flags_dead) {
		x86_mov_rr(b, 8, X86_R11, X86_RAX);
		x86_lahf(b);
		x86_setcc(b, X86_CC_O, X86_RAX);
	}
	x86_mov_rr(b, 8, X86_RCX, X86_RSP);
	x86_alu_rr(b, X86_SUB, 8, X86_RCX, X86_RDI);
	x86_alu_rr(b, X86_CMP, 8, X86_RCX, X86_RSI);
	x86_jcc_short(b, X86_CC_B, &near);
	x86_alu_rr(b, X86_SUB, 8, X86_RCX, X86_RSI);
	x86_alu_ri(b, X86_CMP, 8, X86_RCX, ROOM);
	x86_jcc_short(b, X86_CC_AE, &there);
	x86_bind(b, &near);
	flags_back(b, flags_dead);
	x86_jmp_label(b, gone);
	x86_bind(b, &there);
	flags_back(b, flags_dead);
}

void
x86_stack_begin(struct x86_buf *b, const struct x86_target *t,
		enum x86_stack stack, bool flags_dead, struct x86_label *over)
{
	if (stack == X86_STACK_BARE)
		filtered(b, t->sh, over);
	if (stackless(stack))
		last_take(b, t->sh, over);
	else if (stack == X86_STACK_UNMAPPED)
		unmapped(b, over, flags_dead);
}

void
x86_stack_end(struct x86_buf *b, enum x86_stack stack, struct x86_label *over)
{
	if (stackless(stack))
		last_give(b);
	x86_bind(b, over);
}
