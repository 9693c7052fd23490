/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_builtin.c - the built-in variables in the kernel: each from the helper
 * or the field that has it.
 *
 * In clauses of the ERROR probe, arguments, epid and names are those of ERROR,
 * which are known when the clause is made; the firing's own stay untouched.
 */
#include "engine/bpf/bpf_impl.h"

#define PF_KTHREAD 0x00200000 /* task_struct.flags */
/* preempt_count: serving a soft interrupt, a hard one, an NMI */
#define IN_INTERRUPT 0x00ff0100
#define STACK_MAX    127 /* frames that the kernel walks */

/* ---- the rows ------------------------------------------------------------ */

/*
 * A variable that this engine serves, by its row in var.def, has a function:
 * bg_builtin_<name>(), or bg_array_<name>(), which is given the DIF register of
 * the index; R0 becomes the value.  One that is missing does not link.  Or the
 * row says RT: then code calls rt_var_<name>().
 */
#define FN_OWN_SCALAR(name) int bg_builtin_##name(struct bg *);
#define FN_OWN_ARRAY(name)  int bg_array_##name(struct bg *, unsigned ri);
#define FN_OWN_ARGS(name)   FN_OWN_ARRAY(name)
#define FN_RT_SCALAR(name)
#define FN_NO_SCALAR(name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	FN_##k##_##kind(name)
#include "dif/var.def"
#undef VAR

static const struct {
	int (*scalar)(struct bg *);
	int (*array)(struct bg *, unsigned ri);
	const char *body;
} rows[DIF_VAR_USER_MIN] = {
#define AT_OWN_SCALAR(id, name) [id].scalar = bg_builtin_##name,
#define AT_OWN_ARRAY(id, name)	[id].array = bg_array_##name,
#define AT_OWN_ARGS(id, name)	AT_OWN_ARRAY(id, name)
#define AT_RT_SCALAR(id, name)	[id].body = "rt_var_" #name,
#define AT_NO_SCALAR(id, name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	AT_##k##_##kind(id, name)
#include "dif/var.def"
#undef VAR
};

static int
not_served(struct bg *g, uint32_t id)
{
	const struct dif_builtin_info *b = dif_builtin_by_id(id);

	return bg_refuse(g, "%s is not served",
			 b != NULL ? b->name : "a built-in variable");
}

int
bg_builtin(struct bg *g, uint32_t id)
{
	if (id < DIF_VAR_USER_MIN && rows[id].scalar != NULL)
		return rows[id].scalar(g);
	if (id >= DIF_VAR_USER_MIN || rows[id].body == NULL)
		return not_served(g, id);
	em_mov(g->em, R1, R6);
	em_fn(g->em, rows[id].body);
	if (dif_builtin_by_id(id)->needs & (DIF_NEED_SCRATCH | DIF_NEED_ARGS))
		bg_check_body(g);
	return 0;
}

int
bg_array(struct bg *g, uint32_t id, unsigned ri, unsigned rd)
{
	if (id >= DIF_VAR_USER_MIN || rows[id].array == NULL)
		return not_served(g, id);
	if (rows[id].array(g, ri) != 0)
		return -1;
	bg_put(g, rd, R0);
	return 0;
}

/* ---- the context --------------------------------------------------------- */

void
bg_ctx(struct bg *g)
{
	g->use_ctx = true;
	em_ld(g->em, BPF_DW, R1, FP, FR_CTX);
}

/* ---- the thread ---------------------------------------------------------- */

/* A typed tracepoint's arguments are the words of its context. */
void
bpf_builtin_task(const struct bpf_prog *c, struct em *em, int ctx_slot)
{
	if (c->thread.kind == DIF_RCP_NONE) {
		em_call(em, BPF_FUNC_get_current_task_btf);
		return;
	}
	em_ld(em, BPF_DW, R0, FP, ctx_slot);
	em_ld(em, BPF_DW, R0, R0, 8 * (int)c->thread.val);
}

/* True if it is another thread than the current one. */
static bool
of_other_thread(const struct bg *g)
{
	return g->c->thread.kind != DIF_RCP_NONE;
}

void
bg_task(struct bg *g)
{
	g->use_ctx |= of_other_thread(g);
	bpf_builtin_task(g->c, g->em, FR_CTX);
}

void
bg_comm(struct bg *g, unsigned base, int32_t off)
{
	struct em *em = g->em;

	if (!of_other_thread(g)) {
		em_lea(em, R1, base, off);
		em_imm(em, R2, 16);
		em_call(em, BPF_FUNC_get_current_comm);
		return;
	}
	em_lea(em, R1, base, off);
	bg_task(g); /* which leaves R1 alone: no call is made for it */
	em_lea(em, R3, R0, (int32_t)g->eng->kt.task_comm);
	em_imm(em, R2, 16);
	em_call(em, BPF_FUNC_probe_read_kernel);
}

void
bg_number_of(struct bg *g, bool process)
{
	const struct bpf_ktypes *k = &g->eng->kt;
	const struct rt_pidns *ns = &g->eng->rtconf.pidns;

	if (!of_other_thread(g)) {
		bpf_pidns_current(g->eng, g->em, process, FR_TMP, FR_TMP2);
		return;
	}
	bg_task(g);
	if (ns->level == 0) {
		em_ld(g->em, BPF_W, R0, R0,
		      (int)(process ? k->task_tgid : k->task_pid));
		return;
	}
	em_mov(g->em, R1, R0);
	bpf_pidns_number(g->em, ns, process, FR_TMP, FR_TMP2);
}

/* R0 = its user, or its group. */
static int
var_cred(struct bg *g, bool group)
{
	const struct bpf_ktypes *k = &g->eng->kt;

	if (!of_other_thread(g)) {
		em_call(g->em, BPF_FUNC_get_current_uid_gid);
		if (group)
			em_alui(g->em, BPF_RSH, R0, 32);
		else
			em_mov32(g->em, R0, R0);
		return 0;
	}
	bg_task(g);
	em_ld(g->em, BPF_DW, R0, R0, (int)k->task_cred);
	em_ld(g->em, BPF_W, R0, R0, (int)(group ? k->cred_gid : k->cred_uid));
	return 0;
}

/* ---- user registers ------------------------------------------------------ */

/* True if the context leads to the user's registers. */
static bool
uregs_in_ctx(const struct bpf_class *k)
{
	return k->regs == BPF_REGS_USER || k->regs == BPF_REGS_WORD0;
}

void
bpf_builtin_uregs(const struct bpf_prog *c, struct em *em, int ctx_slot)
{
	if (uregs_in_ctx(c->class)) {
		em_ld(em, BPF_DW, R0, FP, ctx_slot);
		if (c->class->regs == BPF_REGS_WORD0)
			em_ld(em, BPF_DW, R0, R0, 0);
		return;
	}
	bpf_builtin_task(c, em, ctx_slot);
	em_mov(em, R1, R0);
	em_call(em, BPF_FUNC_task_pt_regs);
}

bool
bpf_ureg_untyped(unsigned reg)
{
#define UNTYPED(REG, LAST)                              \
	if ((int)reg >= DIF_R_##REG && (int)reg <= DIF_R_##LAST) \
		return true;
#include "dif/conv.def"
	return false;
}

/* enum dif_reg is the order of struct pt_regs. */
void
bpf_builtin_ureg(const struct bpf_class *k, struct em *em, unsigned dst,
		 unsigned reg, int tmp)
{
	if (k->regs == BPF_REGS_USER || !bpf_ureg_untyped(reg)) {
		em_ld(em, BPF_DW, dst, R0, 8 * (int)reg);
		return;
	}
	em_lea(em, R3, R0, 8 * (int)reg);
	em_lea(em, R1, FP, tmp);
	em_imm(em, R2, 8);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, dst, FP, tmp);
}

/* ---- arrays -------------------------------------------------------------- */

/* R0 = the element of DIF register ri in n words at off of rt; else 0. */
static void
builtin_element(struct bg *g, unsigned ri, int off, unsigned n)
{
	struct em *em = g->em;
	uint32_t none = em_label(em);

	em_mov(em, R1, bg_get(g, ri, R1));
	em_imm(em, R0, 0);
	em_ji(em, BPF_JGE, R1, (int32_t)n, none);
	em_alui(em, BPF_LSH, R1, 3);
	em_mov(em, R2, R6);
	em_alu(em, BPF_ADD, R2, R1);
	em_ld(em, BPF_DW, R0, R2, off);
	em_place(em, none);
}

/* On, unless the thread is the kernel's own. */
static int
check_user(struct bg *g)
{
	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	if (g->eng->kt.task_flags == ~0u)
		return bg_refuse(g, "uregs[]: this kernel's struct task_struct "
				    "is not understood");
	bg_task(g);
	em_ld(g->em, BPF_W, R1, R0, (int)g->eng->kt.task_flags);
	em_ji(g->em, BPF_JSET, R1, PF_KTHREAD,
	      bg_fault(g, DIF_FAULT_BADADDR, -1));
	return 0;
}

int
bg_array_uregs(struct bg *g, unsigned ri)
{
	struct em *em = g->em;

	if (uregs_in_ctx(g->c->class))
		g->use_ctx = true;
	else if (check_user(g) != 0)
		return -1;
	bpf_builtin_uregs(g->c, em, FR_CTX);
	if (ri == 0 || (g->konst[ri] && g->kval[ri] < DIF_NUREGS)) {
		bpf_builtin_ureg(g->c->class, em, R0,
				 ri == 0 ? 0 : (unsigned)g->kval[ri], FR_TMP);
		return 0;
	}
	em_mov(em, R3, R0);
	em_lea(em, R1, R6, RT_OFF(ureg));
	bg_copy(g, 8 * DIF_NUREGS, false, false);
	builtin_element(g, ri, RT_OFF(ureg), DIF_NUREGS);
	return 0;
}

int32_t
bpf_user_mode(struct em *em, unsigned ctx)
{
#define USERMODE(REG, mask, value)                    \
	em_ld(em, BPF_DW, R2, ctx, 8 * DIF_R_##REG); \
	em_alui(em, BPF_AND, R2, mask);               \
	return value;
#include "dif/conv.def"
}

/* The kernel's registers are known where a timer has interrupted it. */
int
bg_array_regs(struct bg *g, unsigned ri)
{
	struct em *em = g->em;
	bool known = ri == 0 || g->konst[ri];
	uint64_t n = ri == 0 ? 0 : g->kval[ri];

	if (g->c->class->regs != BPF_REGS_KERNEL)
		return bg_refuse(g, "regs[]: only profile and tick probes have "
				    "the kernel's registers here");
	bg_ctx(g);
	em_ji(em, BPF_JEQ, R2, bpf_user_mode(em, R1),
	      bg_fault(g, DIF_FAULT_BADADDR, -1));
	if (known) {
		em_imm(em, R0, 0);
		if (n < DIF_NUREGS)
			em_ld(em, BPF_DW, R0, R1, 8 * (int)n);
		return 0;
	}
	for (int i = 0; i < DIF_NUREGS; i++) {
		em_ld(em, BPF_DW, R2, R1, 8 * i);
		em_st(em, BPF_DW, R6, RT_OFF(ureg) + 8 * i, R2);
	}
	builtin_element(g, ri, RT_OFF(ureg), DIF_NUREGS);
	return 0;
}

int
bg_array_args(struct bg *g, unsigned ri)
{
	builtin_element(g, ri, g->error ? RT_ERR_ARG(0) : RT_OFF(arg),
		      g->error ? 6 : RT_NARGS);
	return 0;
}

/* ---- stacks -------------------------------------------------------------- */

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

/* The kernel's own walk: by frame pointers where it is a user's stack. */
static void
stack_by_kernel(struct bg *g, uint32_t frames, bool user)
{
	em_mov(g->em, R2, R1);
	bg_ctx(g);
	em_imm(g->em, R3, 8 * frames);
	em_imm(g->em, R4, user ? BPF_F_USER_STACK : own_frames(g));
	em_call(g->em, BPF_FUNC_get_stack);
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

/* The same of the frames at FR_TMP2, R0 bytes of them, or of none. */
static void
stack_unslid_first(struct bg *g)
{
	struct em *em = g->em;
	uint32_t none = em_label(em);

	if (!g->c->any_slid)
		return;
	em_ji(em, BPF_JSLE, R0, 0, none);
	em_ld(em, BPF_DW, R1, FP, FR_TMP2);
	em_ld(em, BPF_DW, R2, R1, 0);
	stack_unslid(g);
	em_st(em, BPF_DW, R1, 0, R2);
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
	} else if (uregs_in_ctx(k)) {
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
	stack_by_kernel(g, frames, true);
	em_ji(em, BPF_JSLE, R0, 0, done);
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
		if (user)
			stack_unslid_first(g);
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
	stack_copy(g, frames);
	stack_unslid_first(g);
	em_ja(em, done);
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
	else if (of_other_thread(g))
		stack_of_other(g, frames, user, owed);
	else if (user && returned(g))
		stack_returned(g, frames, owed);
	else
		stack_walk(g, frames, user, owed);
}

/* R0 = program counter of the second frame. */
static int
var_caller(struct bg *g, bool user)
{
	bg_zero(g, R6, RT_AREA(g), 16);
	em_lea(g->em, R1, R6, RT_AREA(g));
	bg_stack(g, 2, user, false);
	em_ld(g->em, BPF_DW, R0, R6, RT_AREA(g) + 8);
	return 0;
}

static int
var_depth(struct bg *g, bool user)
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

/* ---- scalars ------------------------------------------------------------- */

/* The name goes to 16 bytes of scratch. */
int
bg_builtin_execname(struct bg *g)
{
	struct em *em = g->em;

	em_ld(em, BPF_W, R1, R6, RT_OFF(scratch));
	em_ji(em, BPF_JGT, R1, (int32_t)g->eng->areas->scratch - 16,
	      bg_fault(g, DIF_FAULT_NOSCRATCH, -1));
	em_st(em, BPF_DW, FP, FR_TMP, R1);
	em_lea(em, R2, R1, 16);
	em_st(em, BPF_W, R6, RT_OFF(scratch), R2);
	em_alu(em, BPF_ADD, R1, R6);
	bg_comm(g, R1, (int32_t)g->eng->areas->off_scratch);
	em_ld(em, BPF_DW, R0, R6, RT_OFF(self));
	em_ld(em, BPF_DW, R1, FP, FR_TMP);
	em_alu(em, BPF_ADD, R0, R1);
	em_alui(em, BPF_ADD, R0, (int32_t)g->eng->areas->off_scratch);
	return 0;
}

/* Without memory of its own (a kernel thread; one that ends) it is the name. */
int
bg_builtin_execargs(struct bg *g)
{
	const struct bpf_ktypes *k = &g->eng->kt;
	struct em *em = g->em;
	uint32_t none = em_label(em), done = em_label(em);

	if (of_other_thread(g)) /* whose memory is not there */
		return bg_builtin_execname(g);
	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	if (k->task_mm == ~0u || k->mm_arg_start == ~0u || k->mm_arg_end == ~0u)
		return bg_refuse(g, "execargs: this kernel's struct mm_struct "
				    "is not understood");
	em_call(em, BPF_FUNC_get_current_task_btf);
	em_ld(em, BPF_DW, R4, R0, (int)k->task_mm);
	em_ji(em, BPF_JEQ, R4, 0, none);
	em_ld(em, BPF_DW, R2, R4, (int)k->mm_arg_start);
	em_ld(em, BPF_DW, R3, R4, (int)k->mm_arg_end);
	em_alu(em, BPF_SUB, R3, R2);
	em_mov(em, R1, R6);
	em_fn(em, "rt_execargs");
	bg_check_body(g);
	em_ja(em, done);
	em_place(em, none);
	bg_builtin_execname(g);
	em_place(em, done);
	return 0;
}

/* By a body that finds the task's address in rt->tmp: as an argument it would
   be a pointer to the verifier, which wants a number there. */
static int
builtin_cgroup(struct bg *g, const char *body)
{
	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	if (!g->eng->kt.cgroup.known)
		return bg_refuse(g, "%s: this kernel's cgroups are not "
				    "understood", body + 3);
	bg_task(g);
	em_st(g->em, BPF_DW, R6, RT_OFF(tmp), R0);
	em_mov(g->em, R1, R6);
	em_fn(g->em, body);
	bg_check_body(g);
	return 0;
}

int
bg_builtin_cgroup(struct bg *g)
{
	return builtin_cgroup(g, "rt_cgroup");
}

int
bg_builtin_container(struct bg *g)
{
	return builtin_cgroup(g, "rt_container");
}

int
bg_builtin_nspid(struct bg *g)
{
	struct rt_pidns *ns = &g->eng->kt.pids;

	if (ns->upid_size == 0 && bpf_feat_pidns(ns, g->e) != 0)
		return -1;
	bg_task(g);
	em_mov(g->em, R1, R0);
	bpf_pidns_innermost(g->em, ns, FR_TMP, FR_TMP2);
	return 0;
}

int
bg_builtin_ipl(struct bg *g)
{
	const struct bpf_ktypes *k = &g->eng->kt;
	struct em *em = g->em;
	uint32_t out = em_label(em);

	if (g->c->class->ipl != BPF_IPL_LOOK) {
		em_imm(em, R0, g->c->class->ipl == BPF_IPL_1);
		return 0;
	}
	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	if (!bpf_feat_kvar(k->preempt_var))
		return bg_refuse(g, "ipl: this kernel does not show its "
				    "preempt_count at tracepoints "
				    "(CONFIG_KALLSYMS_ALL)");
	em_kvar(em, R1, k->preempt_var);
	em_call(em, BPF_FUNC_this_cpu_ptr);
	em_ld(em, BPF_W, R1, R0, (int)k->preempt_off);
	em_imm(em, R0, 0);
	em_alui(em, BPF_AND, R1, IN_INTERRUPT);
	em_ji(em, BPF_JEQ, R1, 0, out);
	em_imm(em, R0, 1);
	em_place(em, out);
	return 0;
}

static int
builtin_name(struct bg *g, unsigned part)
{
	struct em *em = g->em;

	if (g->error) {
		em_imm(em, R0, g->eng->str_addr + g->eng->error_name[part]);
		return 0;
	}
	g->use_site = true;
	em_ld(em, BPF_DW, R1, FP, FR_SITE);
	em_ld(em, BPF_W, R1, R1,
	      (int)(offsetof(struct bpf_site, name) + 4 * part));
	em_imm(em, R0, g->eng->str_addr);
	em_alu(em, BPF_ADD, R0, R1);
	return 0;
}

/* That of a probe of every process is called after the process that it fires
   in. */
int
bg_builtin_probeprov(struct bg *g)
{
	struct em *em = g->em;
	uint32_t done = em_label(em);

	builtin_name(g, 0);
	if (!g->eng->every || g->error)
		return 0;
	em_ld(em, BPF_DW, R1, FP, FR_SITE);
	em_ld(em, BPF_W, R1, R1, offsetof(struct bpf_site, every));
	em_ji(em, BPF_JEQ, R1, 0, done);
	bpf_pidns_current(g->eng, em, true, FR_TMP, FR_TMP2);
	em_st(em, BPF_DW, FP, FR_TMP, R0);
	builtin_name(g, 0);
	em_mov(em, R2, R0);
	em_ld(em, BPF_DW, R3, FP, FR_TMP);
	em_mov(em, R1, R6);
	em_fn(em, "rt_every_prov");
	bg_check_body(g);
	em_place(em, done);
	return 0;
}

int
bg_builtin_ppid(struct bg *g)
{
	const struct bpf_ktypes *k = &g->eng->kt;
	const struct rt_pidns *ns = &g->eng->rtconf.pidns;

	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	if (k->task_real_parent == ~0u || k->task_tgid == ~0u)
		return bg_refuse(g, "ppid: this kernel's struct task_struct "
				    "is not understood");
	bg_task(g);
	em_ld(g->em, BPF_DW, R0, R0, (int)k->task_real_parent);
	if (ns->level == 0) {
		em_ld(g->em, BPF_W, R0, R0, (int)k->task_tgid);
		return 0;
	}
	em_mov(g->em, R1, R0);
	bpf_pidns_number(g->em, ns, true, FR_TMP, FR_TMP2);
	return 0;
}

/* The failed system call's error, in its return probe. */
int
bg_builtin_errno(struct bg *g)
{
	const struct dif_recipe error = { .kind = DIF_RCP_SYSERR };

	bg_ctx(g);
	g->c->class->args(g->em, R1, &error, FR_TMP);
	em_mov(g->em, R0, R1);
	return 0;
}

/*
 * What was run before the thread was last put on a CPU, kept by the program
 * of bpf_vtime.c, and what has passed since.  A thread that has not been
 * switched since tracing began starts with what the scheduler says.
 */
int
bg_builtin_vtimestamp(struct bg *g)
{
	struct em *em = g->em;
	uint32_t none = em_label(em), known = em_label(em);

	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	bg_now(g);
	em_st(em, BPF_DW, FP, FR_TMP, R0);
	bg_task(g);
	em_ld(em, BPF_DW, R1, R0, (int)g->eng->kt.task_sum_exec);
	em_st(em, BPF_DW, FP, FR_TMP2, R1);
	em_mov(em, R2, R0);
	em_map(em, R1, g->eng->vtime.fd);
	em_imm(em, R3, 0);
	em_imm(em, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	em_call(em, BPF_FUNC_task_storage_get);
	em_ji(em, BPF_JEQ, R0, 0, none);
	em_ld(em, BPF_DW, R2, FP, FR_TMP);
	em_ld(em, BPF_DW, R1, R0, 8);
	em_ji(em, BPF_JNE, R1, 0, known);
	em_ld(em, BPF_DW, R3, FP, FR_TMP2);
	em_st(em, BPF_DW, R0, 0, R3);
	em_st(em, BPF_DW, R0, 8, R2);
	em_mov(em, R1, R2);
	em_place(em, known);
	em_ld(em, BPF_DW, R0, R0, 0);
	em_alu(em, BPF_ADD, R0, R2);
	em_alu(em, BPF_SUB, R0, R1);
	em_place(em, none);
	return 0;
}

/* Argument n, as a number; of ERROR there are six. */
static int
var_arg(struct bg *g, unsigned n)
{
	struct em *em = g->em;

	if (!g->error)
		em_ld(em, BPF_DW, R0, R6, RT_OFF(arg) + 8 * (int)n);
	else if (n < 6)
		em_ld(em, BPF_DW, R0, R6, RT_ERR_ARG(n));
	else
		em_imm(em, R0, 0);
	return 0;
}

/* R0 = a word of the machine's state. */
static int
var_state(struct bg *g, int off)
{
	em_ld(g->em, BPF_W, R0, R6, off);
	return 0;
}

/* Of the process or the thread, as dtrace's PID namespace has it. */
static int
var_number(struct bg *g, bool process)
{
	bg_number_of(g, process);
	return 0;
}

int
bg_builtin_timestamp(struct bg *g)
{
	bg_now(g);
	return 0;
}

int
bg_builtin_walltimestamp(struct bg *g)
{
	bg_now(g);
	em_imm(g->em, R1, g->eng->rtconf.wall_offset);
	em_alu(g->em, BPF_ADD, R0, R1);
	return 0;
}

int
bg_builtin_curcpu(struct bg *g)
{
	em_ld(g->em, BPF_DW, R0, R6, RT_OFF(self));
	em_alui(g->em, BPF_ADD, R0, RT_OFF(cpu_id));
	return 0;
}

int
bg_builtin_curthread(struct bg *g)
{
	/* A number: the verifier lets no pointer be used as one. */
	if (of_other_thread(g))
		em_ld(g->em, BPF_DW, R0, R6, RT_OFF(task));
	else
		em_call(g->em, BPF_FUNC_get_current_task);
	return 0;
}

/* The rest are a line each. */
#define BUILTIN(name, value)                      \
	int bg_builtin_##name(struct bg *g)       \
	{                                         \
		return value;                     \
	}
BUILTIN(arg0, var_arg(g, 0))
BUILTIN(arg1, var_arg(g, 1))
BUILTIN(arg2, var_arg(g, 2))
BUILTIN(arg3, var_arg(g, 3))
BUILTIN(arg4, var_arg(g, 4))
BUILTIN(arg5, var_arg(g, 5))
BUILTIN(arg6, var_arg(g, 6))
BUILTIN(arg7, var_arg(g, 7))
BUILTIN(arg8, var_arg(g, 8))
BUILTIN(arg9, var_arg(g, 9))
BUILTIN(caller, var_caller(g, false))
BUILTIN(ucaller, var_caller(g, true))
BUILTIN(stackdepth, var_depth(g, false))
BUILTIN(ustackdepth, var_depth(g, true))
BUILTIN(probemod, builtin_name(g, 1))
BUILTIN(probefunc, builtin_name(g, 2))
BUILTIN(probename, builtin_name(g, 3))
BUILTIN(epid, var_state(g, RT_OFF(epid)))
BUILTIN(id, var_state(g, RT_OFF(probe_id)))
BUILTIN(cpu, var_state(g, RT_OFF(cpu)))
BUILTIN(pid, var_number(g, true))
BUILTIN(tid, var_number(g, false))
BUILTIN(uid, var_cred(g, false))
BUILTIN(gid, var_cred(g, true))
#undef BUILTIN
