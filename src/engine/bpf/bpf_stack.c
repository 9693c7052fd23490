/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_stack.c - stacks in the kernel, and the built-in variables that are read
 * from them.
 *
 * Whose stack it is decides who walks it.  That of the kernel and of another
 * thread: the kernel's helpers.  A user's: rt_unwind() by tables of the
 * process; where nothing is known of it yet, the kernel's helper by frame
 * pointers, as far as these are behind calls.
 */
#include "engine/bpf/bpf_builtin.h"

#define STACK_MAX 127 /* frames that the kernel walks */

/*
 * Frames of the kernel's stack that are not the traced kernel's but ours: the
 * clause and its program, and what leads from the probe to that.
 */
static unsigned
own_frames(const struct bg *g)
{
	return bpf_class_walks_regs(g->c->class)
		       ? 0
		       : g->depth + g->c->class->frames;
}

/*
 * The frames that bpf_kept.c has kept of the thread, to where FR_TMP2 leads; R0
 * is how many bytes.  Or on: it has kept none.  Whoever may not be owed a stack
 * gets the first frame of one that is.
 */
static void
stack_kept(struct bg *g, uint32_t frames, bool owed, uint32_t done)
{
	const uint32_t keeps = g->eng->unw.keeps;
	const uint32_t most = 8 * (frames < keeps ? frames : keeps);
	struct em *em = g->em;
	uint32_t none = em_label(em), few = em_label(em);

	bg_task(g);
	em_mov(em, R2, R0);
	em_map(em, R1, g->eng->unw.kept.fd);
	em_imm(em, R3, 0);
	em_imm(em, R4, 0);
	em_call(em, BPF_FUNC_task_storage_get);
	em_ji(em, BPF_JEQ, R0, 0, none);
	em_ld(em, BPF_DW, R2, R0, 0);
	em_ji(em, BPF_JEQ, R2, 0, none);
	if (!owed && keeps > 1) {
		uint32_t whole = em_label(em);

		em_ld(em, BPF_DW, R1, R0, 16);
		em_alui(em, BPF_RSH, R1, 48);
		em_ji(em, BPF_JNE, R1, RT_UNW_OWED >> 48, whole);
		em_imm(em, R2, 8);
		em_place(em, whole);
	}
	em_ji(em, BPF_JLE, R2, (int32_t)most, few);
	em_imm(em, R2, (int32_t)most);
	em_place(em, few);
	em_st(em, BPF_DW, FP, FR_TMP, R2);
	em_lea(em, R3, R0, 8);
	em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R0, FP, FR_TMP);
	em_ja(em, done);
	em_place(em, none);
}

/*
 * Of a thread that is not running: its kernel's stack as it is; of the user's
 * what has been kept, since its memory is not there, or else the place where it
 * entered the kernel.  A thread of the kernel has no such place.
 */
static void
stack_of_other(struct bg *g, uint32_t frames, bool user, bool owed)
{
	struct em *em = g->em;
	uint32_t none = em_label(em), done = em_label(em);

	em_st(em, BPF_DW, FP, FR_TMP2, R1);
	if (!user) {
		bg_task(g);
		em_mov(em, R1, R0);
		em_ld(em, BPF_DW, R2, FP, FR_TMP2);
		em_imm(em, R3, 8 * frames);
		em_imm(em, R4, 0);
		em_call(em, BPF_FUNC_get_task_stack);
		return;
	}
	if (g->eng->unw.keeps != 0)
		stack_kept(g, frames, owed, done);
	g->use_ctx = true;
	bpf_builtin_uregs(g->c, em, FR_CTX);
	em_ld(em, BPF_DW, R2, R0, 8 * DIF_R_THE_PC);
	em_ji(em, BPF_JEQ, R2, 0, none);
	em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	em_st(em, BPF_DW, R1, 0, R2);
	em_imm(em, R0, 8);
	em_ja(em, done);
	em_place(em, none);
	em_imm(em, R0, 0);
	em_place(em, done);
}

/* True if a return probe of the kernel fires.  The function has gone then. */
static bool
returned(const struct bg *g)
{
	return (g->c->class->sites >> BPF_AT_URETPROBE & 1) != 0;
}

/* What rt_unwind() is to know of where we are. */
static uint32_t
stack_flags(const struct bg *g)
{
	if (returned(g))
		return RT_UNWIND_CALLER;
	return g->c->class->sites >> BPF_AT_UPROBE & 1 ? RT_UNWIND_PLACED : 0;
}

/*
 * R2, the program counter of the first frame, is that of the instruction that
 * is meant, where the probe has slid on from there: to whoever reads the stack
 * it fires at the entry, as in the process engine.  Nothing on the way moves
 * the stack pointer.  R5 is lost.
 */
static void
stack_unslid(struct bg *g)
{
	struct em *em = g->em;

	if (!g->c->any_slid)
		return;
	g->use_site = true;
	em_ld(em, BPF_DW, R5, FP, FR_SITE);
	em_ld(em, BPF_W, R5, R5, offsetof(struct bpf_site, slid));
	em_alu(em, BPF_SUB, R2, R5);
}

/* The same of the frame at reg + off, which the kernel's walk has found.  R2
   and R5 are lost. */
static void
stack_unslid_at(struct bg *g, unsigned reg, int off)
{
	if (!g->c->any_slid)
		return;
	em_ld(g->em, BPF_DW, R2, reg, off);
	stack_unslid(g);
	em_st(g->em, BPF_DW, reg, off, R2);
}

/* What the kernel's own walk finds is at R1, R0 bytes or < 0: by frame pointers
   where it is a user's stack. */
static void
stack_of_kernel(struct bg *g, uint32_t frames, bool user)
{
	em_mov(g->em, R2, R1);
	bg_ctx(g);
	em_imm(g->em, R3, 8 * frames);
	em_imm(g->em, R4, user ? BPF_F_USER_STACK : own_frames(g));
	em_call(g->em, BPF_FUNC_get_stack);
}

/* The same, with the first frame where it is meant; FR_TMP2 is as R1. */
static void
stack_by_kernel(struct bg *g, uint32_t frames, bool user)
{
	struct em *em = g->em;
	uint32_t none;

	stack_of_kernel(g, frames, user);
	if (!user || !g->c->any_slid)
		return;
	none = em_label(em);
	em_ji(em, BPF_JSLE, R0, 0, none);
	em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	stack_unslid_at(g, R1, 0);
	em_place(em, none);
}

/* R2, R3, R4 = program counter, stack and frame pointer of the user from struct
   pt_regs at reg, which is none of them. */
static void
stack_regs(struct bg *g, unsigned reg)
{
	em_ld(g->em, BPF_DW, R2, reg, 8 * DIF_R_THE_PC);
	em_ld(g->em, BPF_DW, R3, reg, 8 * DIF_R_THE_SP);
	em_ld(g->em, BPF_DW, R4, reg, 8 * DIF_R_THE_FP);
}

/*
 * The same, from wherever this class has them.  What a timer has interrupted
 * may be the user or the kernel.
 */
static void
stack_uregs(struct bg *g)
{
	const struct bpf_class *k = g->c->class;
	struct em *em = g->em;
	uint32_t done = em_label(em), task = em_label(em);

	if (k->regs == BPF_REGS_KERNEL) {
		bg_ctx(g);
		em_ji(em, BPF_JNE, R2, bpf_user_mode(em, R1), task);
		stack_regs(g, R1);
		em_ja(em, done);
		em_place(em, task);
	} else if (bpf_uregs_in_ctx(k)) {
		g->use_ctx = true;
	}
	bpf_builtin_uregs(g->c, em, FR_CTX);
	stack_regs(g, R0);
	em_place(em, done);
}

/*
 * rt_unwind(): FR_TMP is how many frames are in the area.  Or on at `none`:
 * nothing is known of this process.
 */
static void
stack_by_table(struct bg *g, uint32_t frames, bool owed, uint32_t none)
{
	const struct bpf_ktypes *k = &g->eng->kt;
	struct em *em = g->em;
	uint32_t known = em_label(em);

	em_call(em, BPF_FUNC_get_current_task_btf);
	em_ld(em, BPF_DW, R1, R0, (int)k->task_mm);
	em_ji(em, BPF_JEQ, R1, 0, none);
	em_ld(em, BPF_DW, R2, R1, (int)k->mm_exec_vm);
	em_st(em, BPF_DW, R6, RT_OFF(unw_mm), R1);
	em_st(em, BPF_DW, R6, RT_OFF(unw_exec_vm), R2);
	stack_uregs(g);
	stack_unslid(g);
	em_mov(em, R1, R6);
	em_imm(em, R5, frames | stack_flags(g) | (owed ? RT_UNWIND_OWED : 0) |
			       (g->keeps ? RT_UNWIND_KEPT : 0));
	em_fn(em, "rt_unwind");
	em_st(em, BPF_DW, FP, FR_TMP, R0);
	em_alui(em, BPF_RSH, R0, 32);
	em_ji(em, BPF_JEQ, R0, 0, known);
	bpf_rec_wake_once(g->eng, g->u, em);
	em_place(em, known);
	em_ld(em, BPF_W, R2, FP, FR_TMP);
	em_ji(em, BPF_JEQ, R2, 0, none);
	em_st(em, BPF_DW, FP, FR_TMP, R2);
}

/* The kernel's walk, as far as its frames are behind calls: FR_TMP is how many
   are in the area.  On at `done` where there is none, with R0. */
static void
stack_by_calls(struct bg *g, uint32_t frames, uint32_t done)
{
	struct em *em = g->em;

	em_lea(em, R1, R6, RT_AREA(g));
	stack_of_kernel(g, frames, true);
	em_ji(em, BPF_JSLE, R0, 0, done);
	stack_unslid_at(g, R6, RT_AREA(g));
	em_mov(em, R2, R0);
	em_alui(em, BPF_RSH, R2, 3);
	em_mov(em, R1, R6);
	em_fn(em, "rt_unwind_calls");
	em_st(em, BPF_DW, FP, FR_TMP, R0);
}

/* The frames in the area, FR_TMP, are copied to where FR_TMP2 leads; R0 is how
   many bytes. */
static void
stack_copy(struct bg *g, uint32_t frames)
{
	struct em *em = g->em;
	uint32_t few = em_label(em);

	em_ld(em, BPF_W, R2, FP, FR_TMP);
	em_ji(em, BPF_JLE, R2, (int32_t)frames, few);
	em_imm(em, R2, frames);
	em_place(em, few);
	em_alui(em, BPF_LSH, R2, 3);
	em_st(em, BPF_DW, FP, FR_TMP, R2);
	em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	em_ld(em, BPF_DW, R3, R6, RT_OFF(self));
	em_alui(em, BPF_ADD, R3, RT_AREA(g));
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R0, FP, FR_TMP);
}

/* FR_TMP2 leads to the frames as well as R1. */
static void
stack_walk(struct bg *g, uint32_t frames, bool user, bool owed)
{
	struct em *em = g->em;
	uint32_t none, some, done;

	em_st(em, BPF_DW, FP, FR_TMP2, R1);
	if (!user || !g->eng->unw.on) {
		stack_by_kernel(g, frames, user);
		return;
	}
	none = em_label(em);
	some = em_label(em);
	done = em_label(em);
	/* An owed one takes two words. */
	stack_by_table(g, frames, owed && frames > 1, none);
	em_ja(em, some);
	em_place(em, none);
	stack_by_calls(g, frames, done);
	em_place(em, some);
	stack_copy(g, frames);
	em_place(em, done);
}

/* In front of the frames that are left stands the one that has returned. */
static void
stack_returned(struct bg *g, uint32_t frames, bool owed)
{
	struct em *em = g->em;
	uint32_t some;

	em_alui(em, BPF_ADD, R1, 8);
	if (frames > 1) {
		some = em_label(em);
		stack_walk(g, frames - 1, true, owed);
		em_ji(em, BPF_JSGT, R0, 0, some);
		em_imm(em, R0, 0);
		em_place(em, some);
		em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	} else {
		em_imm(em, R0, 0);
	}
	g->use_site = true;
	em_ld(em, BPF_DW, R2, FP, FR_SITE);
	em_ld(em, BPF_DW, R2, R2, offsetof(struct bpf_site, left));
	em_st(em, BPF_DW, R1, -8, R2);
	em_alui(em, BPF_ADD, R0, 8);
}

void
bg_stack(struct bg *g, uint32_t frames, bool user, bool owed)
{
	/* BEGIN and END: the consumer's own stack means nothing to a user. */
	if (g->c->class->runs == BPF_RUNS_CONSUMER)
		em_imm(g->em, R0, 0);
	else if (bg_of_other_thread(g))
		stack_of_other(g, frames, user, owed);
	else if (user && returned(g))
		stack_returned(g, frames, owed);
	else
		stack_walk(g, frames, user, owed);
}

/* R0 = program counter of the second frame. */
static int
stack_caller(struct bg *g, bool user)
{
	bg_zero(g, R6, RT_AREA(g), 16);
	em_lea(g->em, R1, R6, RT_AREA(g));
	bg_stack(g, 2, user, false);
	em_ld(g->em, BPF_DW, R0, R6, RT_AREA(g) + 8);
	return 0;
}

int
bg_builtin_caller(struct bg *g)
{
	return stack_caller(g, false);
}

int
bg_builtin_ucaller(struct bg *g)
{
	return stack_caller(g, true);
}

/* R0 = how many frames there are. */
static int
stack_depth(struct bg *g, bool user)
{
	uint32_t ok = em_label(g->em);

	em_lea(g->em, R1, R6, RT_AREA(g));
	bg_stack(g, STACK_MAX, user, false);
	em_ji(g->em, BPF_JSGT, R0, 0, ok);
	em_imm(g->em, R0, 0);
	em_place(g->em, ok);
	em_alui(g->em, BPF_RSH, R0, 3);
	return 0;
}

int
bg_builtin_stackdepth(struct bg *g)
{
	return stack_depth(g, false);
}

int
bg_builtin_ustackdepth(struct bg *g)
{
	return stack_depth(g, true);
}
