/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_builtin.c - the built-in variables in the kernel: each from the helper
 * or the field that has it.
 *
 * In clauses of the ERROR probe, arguments, epid and names are those of ERROR,
 * which are known when the clause is made; the firing's own stay untouched.
 */
#include "engine/bpf/bpf_builtin.h"

#define PF_KTHREAD 0x00200000 /* task_struct.flags */
/* preempt_count: serving a soft interrupt, a hard one, an NMI */
#define IN_INTERRUPT 0x00ff0100

/* ---- the rows ------------------------------------------------------------ */

/*
 * A variable that this engine serves, by its row in var.def, has a function in
 * bpf_builtin.h.  One that is missing does not link.  Or the row says RT: then
 * code calls rt_var_<name>().
 */
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

bool
bg_of_other_thread(const struct bg *g)
{
	return g->c->thread.kind != DIF_RCP_NONE;
}

void
bg_task(struct bg *g)
{
	g->use_ctx |= bg_of_other_thread(g);
	bpf_builtin_task(g->c, g->em, FR_CTX);
}

void
bg_comm(struct bg *g, unsigned base, int32_t off)
{
	struct em *em = g->em;

	if (!bg_of_other_thread(g)) {
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

	if (!bg_of_other_thread(g)) {
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

	if (!bg_of_other_thread(g)) {
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

bool
bpf_uregs_in_ctx(const struct bpf_class *k)
{
	return k->regs == BPF_REGS_USER || k->regs == BPF_REGS_WORD0;
}

void
bpf_builtin_uregs(const struct bpf_prog *c, struct em *em, int ctx_slot)
{
	if (bpf_uregs_in_ctx(c->class)) {
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

	if (bpf_uregs_in_ctx(g->c->class))
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

	if (bg_of_other_thread(g)) /* whose memory is not there */
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
	if (bg_of_other_thread(g))
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
