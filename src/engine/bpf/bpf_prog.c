/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_prog.c - a program: who fired, and which clauses.
 *
 *   silent?  which site?  a free level of this CPU   -> else out
 *   the firing's state and arguments
 *   each clause that the site enables; after a fault, the report
 *   give the level back
 *
 * A firing that is not wanted must cost as little as possible, so the checks
 * come in this order.  A level is claimed by a plain load and store where
 * nothing else can run in between (raw tracepoints and perf events run with
 * preemption off, and interrupts give back what they take before they end), by
 * an atomic exchange in uprobes, which may be preempted.  Programs that do no
 * more than count need none of this (bpf_solo.c).
 *
 * Where the kernel lets a program of uprobes wait, it waits for pages that a
 * clause wants to read: with no level claimed, as waiting may take long and
 * others want to fire.  The firing is then begun anew, which nobody can see if
 * nothing was recorded, stored or counted before.  If something was, a page
 * that is not there is a fault, as where no program can wait.
 *
 * Where a program has few clauses they stand in line; calls and returns are
 * dear on machines with mitigations.  Else each is a function of its own, or,
 * as the kernel takes only 256 functions in a program, one function has
 * several.
 *
 * Registers: r6 rt, r7 ctx, r8 the site, r9 the EPID of the next clause.
 */
#include "engine/bpf/bpf_prog_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define INLINE_CLAUSES 4
#define INLINE_INSNS   6000
#define OWN_CLAUSES    150   /* more are put into groups */
#define GROUP_INSNS    12000 /* jumps reach 32767 */

/* ---- which site ---------------------------------------------------------- */

/* BEGIN and END run at other times than all others do. */
static bool
by_consumer(const struct maker *m)
{
	return m->c->class->runs == BPF_RUNS_CONSUMER;
}

void
bpf_prog_active(struct maker *m)
{
	struct em *em = m->em;

	em_mapval(em, R1, m->eng->ctl.fd, offsetof(struct rt_ctl, activity));
	em_ld(em, BPF_W, R1, R1, 0);
	if (by_consumer(m))
		em_st(em, BPF_DW, FP, FM(m, STATE), R1);
	else
		em_ji(em, BPF_JNE, R1, RT_ACT_ACTIVE, m->lb_out);
}

/* R0 = the word at R0 + off of the kernel's memory; 0 where none can be
   read. */
static void
kernel_word(struct maker *m, uint32_t off)
{
	struct em *em = m->em;

	em_mov(em, R3, R0);
	em_alui(em, BPF_ADD, R3, (int32_t)off);
	em_lea(em, R1, FP, FM(m, ONCE));
	em_imm(em, R2, 8);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R0, FP, FM(m, ONCE));
}

/*
 * Where the site's thread is not the current one, whose cgroups no helper
 * knows: its own, and that one's list of those above it, the first one first
 * and itself last.
 */
static int
check_cgroup_of(struct maker *m, uint32_t in)
{
	const struct engine_cgroup *c = &m->eng->opts.cgroup;
	const struct bpf_ktypes *k = &m->eng->kt;
	struct em *em = m->em;

	if (bpf_feat_ktypes(m->eng, m->e) != 0)
		return -1;
	if (!k->cgroup.known || k->cgroup_level == ~0u ||
	    k->cgroup_ancestors == ~0u)
		return err_set(m->e, &ERR_GENERIC, 0,
			       "-x cgroup: of a thread that is not the current "
			       "one this kernel does not say which cgroups it "
			       "is in");
	bpf_builtin_task(m->c, em, FR_CTX);
	kernel_word(m, k->cgroup.task_cgroups);
	kernel_word(m, k->cgroup.set_cgroup);
	em_st(em, BPF_DW, FP, FM(m, ONCE) + 8, R0);
	kernel_word(m, k->cgroup_level);
	em_mov32(em, R9, R0);
	for (uint32_t level = c->level; level <= c->last; level++) {
		em_ji(em, BPF_JLT, R9, (int32_t)level, m->lb_next);
		em_ld(em, BPF_DW, R0, FP, FM(m, ONCE) + 8);
		kernel_word(m, k->cgroup_ancestors + 8 * level);
		kernel_word(m, k->cgroup.cgroup_node);
		kernel_word(m, k->cgroup.node_id);
		em_imm(em, R2, (int64_t)c->id);
		em_jr(em, BPF_JEQ, R0, R2, in);
	}
	return 0;
}

static void
check_cgroup_current(struct maker *m, uint32_t in)
{
	const struct engine_cgroup *c = &m->eng->opts.cgroup;
	struct em *em = m->em;

	for (uint32_t level = c->level; level <= c->last; level++) {
		em_imm(em, R1, (int32_t)level);
		em_call(em, BPF_FUNC_get_current_ancestor_cgroup_id);
		em_imm(em, R2, (int64_t)c->id);
		em_jr(em, BPF_JEQ, R0, R2, in);
	}
}

/* -x cgroup: only if the site's process is in it, or in one below it. */
static int
check_cgroup(struct maker *m)
{
	struct em *em = m->em;
	uint32_t in = em_label(em);

	if (m->eng->opts.cgroup.id == 0 || by_consumer(m))
		return 0;
	em_ld(em, BPF_W, R1, R8, offsetof(struct bpf_site, anyone));
	em_ji(em, BPF_JNE, R1, 0, in);
	if (m->c->thread.kind == DIF_RCP_NONE)
		check_cgroup_current(m, in);
	else if (check_cgroup_of(m, in) != 0)
		return -1;
	em_ja(em, m->lb_next);
	em_place(em, in);
	return 0;
}

int
bpf_prog_site(struct maker *m)
{
	struct em *em = m->em;
	uint32_t any = em_label(em);

	bpf_maps_elem(em, &m->c->map, FM(m, KEY), m->lb_out);
	em_mov(em, R8, R0);
	if (m->c->gaps) {
		em_ld(em, BPF_W, R1, R8, offsetof(struct bpf_site, probe_id));
		em_ji(em, BPF_JEQ, R1, 0, m->lb_out);
	}
	if (m->c->class->check(m) != 0)
		return -1;
	if (m->c->any_pid) {
		em_ld(em, BPF_W, R1, R8, offsetof(struct bpf_site, pid));
		em_ji(em, BPF_JEQ, R1, 0, any);
		bpf_pidns_current(m->eng, em, true, FM(m, ONCE),
				  FM(m, ONCE) + 8);
		em_ld(em, BPF_W, R1, R8, offsetof(struct bpf_site, pid));
		em_jr(em, BPF_JNE, R0, R1, m->lb_next);
	}
	em_place(em, any);
	if (check_cgroup(m) != 0)
		return -1;
	bpf_arg_when(m);
	return 0;
}

/* ---- pages that have to be brought in ------------------------------------ */

#define WAITS_MAX 6 /* the verifier follows a firing once more for each */

/* Clauses in groups have no way back to the beginning, and several sites have
   had their turn. */
static bool
may_wait(const struct maker *m)
{
	return m->c->class->runs == BPF_RUNS_SLEEPS && m->form != IN_GROUPS &&
	       m->c->chain <= 1;
}

/* A clause has faulted.  If that was for want of a page, before anything was
   done that lasts, give the level back and wait for the page. */
static void
wait_wanted(struct maker *m)
{
	struct em *em = m->em;
	uint32_t no = em_label(em);

	if (!may_wait(m))
		return;
	em_ld(em, BPF_DW, R1, FP, FM(m, WAITS));
	em_ji(em, BPF_JEQ, R1, 0, no);
	em_ld(em, BPF_W, R1, R6, RT_OFF(effects));
	em_ji(em, BPF_JNE, R1, 0, no);
	em_ld(em, BPF_DW, R1, R6, RT_OFF(absent_at));
	em_ji(em, BPF_JEQ, R1, 0, no);
	em_st(em, BPF_DW, FP, FM(m, PAGE), R1);
	em_ja(em, m->lb_release);
	em_place(em, no);
	em_sti(em, BPF_W, R6, RT_OFF(effects), 1); /* the report */
}

/*
 * The level is given back: if a page is wanted, bring it in and begin anew; one
 * that cannot be brought in is a fault the next time.  While we wait others run
 * this program on this CPU, and newer kernels let all have one frame
 * ("private stack", Linux 6.13): so what is needed behind the wait is in
 * registers, and the byte that is read goes where nobody looks.
 */
static void
wait_for_page(struct maker *m, uint32_t again)
{
	struct em *em = m->em;
	uint32_t there = em_label(em);

	em_ld(em, BPF_DW, R3, FP, FM(m, PAGE));
	em_ji(em, BPF_JEQ, R3, 0, m->lb_next);
	em_ld(em, BPF_DW, R8, FP, FR_SITE);
	em_ld(em, BPF_DW, R9, FP, FM(m, WAITS));
	em_alui(em, BPF_SUB, R9, 1);
	em_mapval(em, R1, m->eng->ctl.fd, offsetof(struct rt_ctl, sink));
	em_imm(em, R2, 1);
	em_call(em, BPF_FUNC_copy_from_user);
	em_ji(em, BPF_JEQ, R0, 0, there);
	em_imm(em, R9, 0);
	em_place(em, there);
	em_ja(em, again);
}

/* ---- a level ------------------------------------------------------------- */

/* R6 = the machine of a level, R1 to R5 used up.  Level 0 comes first, and R0
   is the CPU then. */
static void
level_machine(struct maker *m, unsigned level)
{
	struct em *em = m->em;
	const struct bpf_map *rt = &m->eng->rt;

	if (level == 0) {
		em_mov(em, R2, R0);
		em_alui(em, BPF_MUL, R2, RT_LEVELS);
	} else if (rt->flat) {
		em_ld(em, BPF_DW, R6, FP, FM(m, RT0));
		em_alui(em, BPF_ADD, R6, (int32_t)(level * rt->stride));
		return;
	} else {
		em_ld(em, BPF_DW, R1, FP, FM(m, RT0));
		em_ld(em, BPF_W, R2, R1, RT_OFF(slot));
		em_alui(em, BPF_ADD, R2, (int32_t)level);
	}
	bpf_maps_elem(em, rt, FM(m, KEY), m->lb_next);
	em_mov(em, R6, R0);
}

/* Claim the level of the machine R6: on to `got`, if it was free. */
static void
try_level(struct maker *m, uint32_t got)
{
	struct em *em = m->em;
	bool preempt = bpf_class_preempted(m->c->class);

	if (preempt) {
		em_imm(em, R1, 1);
		em_xchg32(em, R6, RT_OFF(busy), R1);
	} else {
		em_ld(em, BPF_W, R1, R6, RT_OFF(busy));
	}
	em_ji(em, BPF_JEQ, R1, 0, got);
}

/*
 * Functions that maps are made of (bpf_kfunc_alone()): if a program of ours was
 * interrupted here, it may hold the very lock that a clause would wait for.  So
 * no other level may be taken.  The drop is counted at level 1, as level 0 of
 * CPU 0 has what the kernel counts.  R6 is the machine of level 0.
 */
static void
claim_alone(struct maker *m, uint32_t got)
{
	struct em *em = m->em;
	uint32_t any = em_label(em), missed = em_label(em);

	if (!m->c->alone)
		return;
	em_ld(em, BPF_W, R1, R8, offsetof(struct bpf_site, alone));
	em_ji(em, BPF_JEQ, R1, 0, any);
	em_st(em, BPF_DW, FP, FM(m, RT0), R6);
	level_machine(m, 1);
	em_ld(em, BPF_W, R1, R6, RT_OFF(busy));
	em_ji(em, BPF_JNE, R1, 0, missed);
	em_mov(em, R2, R6);
	em_ld(em, BPF_DW, R6, FP, FM(m, RT0));
	em_st(em, BPF_DW, FP, FM(m, RT0), R2);
	try_level(m, got);
	em_ld(em, BPF_DW, R6, FP, FM(m, RT0));
	em_place(em, missed);
	em_imm(em, R2, 1);
	em_atomic_add(em, R6, RT_OFF(drops) + 8 * RT_DROP_MISSED, R2);
	em_ja(em, m->lb_next);
	em_place(em, any);
}

void
bpf_prog_claim(struct maker *m)
{
	struct em *em = m->em;
	uint32_t got = em_label(em);
	bool preempt = bpf_class_preempted(m->c->class);

	em_call(em, BPF_FUNC_get_smp_processor_id);
	if (m->eng->opts.only_cpu >= 0 && !by_consumer(m))
		em_ji(em, BPF_JNE, R0, m->eng->opts.only_cpu, m->lb_next);
	level_machine(m, 0);
	claim_alone(m, got);
	try_level(m, got);
	em_st(em, BPF_DW, FP, FM(m, RT0), R6);
	for (unsigned i = 1; i < RT_LEVELS; i++) {
		level_machine(m, i);
		try_level(m, got);
	}
	em_ld(em, BPF_DW, R1, FP, FM(m, RT0));
	em_imm(em, R2, 1);
	em_atomic_add(em, R1, RT_OFF(drops) + 8 * RT_DROP_NESTED, R2);
	em_ja(em, m->lb_next);
	em_place(em, got);
	if (!preempt)
		em_sti(em, BPF_W, R6, RT_OFF(busy), 1);
}

/* ---- the firing ---------------------------------------------------------- */

static void
clear_locals(struct maker *m)
{
	struct bg g = { .eng = m->eng, .em = m->em };

	if (m->locals)
		bg_zero(&g, R6, (int32_t)m->eng->areas->off_locals,
			m->eng->en->tab->locals_size);
}

static void
start_firing(struct maker *m)
{
	struct em *em = m->em;

	em_ld(em, BPF_DW, R1, R6, RT_OFF(firings));
	em_alui(em, BPF_ADD, R1, 1);
	em_st(em, BPF_DW, R6, RT_OFF(firings), R1);
	em_sti(em, BPF_DW, R6, RT_OFF(now), 0);
	em_sti(em, BPF_W, R6, RT_OFF(fault), DIF_FAULT_NONE);
	if (may_wait(m)) {
		em_sti(em, BPF_DW, R6, RT_OFF(absent_at), 0);
		em_sti(em, BPF_W, R6, RT_OFF(effects), 0);
	}
	/* probe_id and probe, which are neighbours in both. */
	em_ld(em, BPF_DW, R1, R8, offsetof(struct bpf_site, probe_id));
	em_st(em, BPF_DW, R6, RT_OFF(probe_id), R1);
	em_ld(em, BPF_W, R9, R8, offsetof(struct bpf_site, epid0));
	if (m->c->thread.kind != DIF_RCP_NONE) {
		bpf_builtin_task(m->c, em, FR_CTX);
		em_st(em, BPF_DW, R6, RT_OFF(task), R0);
	} else if (m->eng->threads) {
		em_sti(em, BPF_DW, R6, RT_OFF(task), 0);
	}
	clear_locals(m);
	bpf_arg_fill(m);
}

/* ---- clauses ------------------------------------------------------------- */

/* True if an ERROR clause may end the trace. */
static bool
errors_exit(const struct engine *eng)
{
	for (size_t i = 0; i < eng->errors.n; i++) {
		const struct dif_clause *cl =
			eng->en->clauses[eng->errors.v[i].clause];

		for (uint32_t s = 0; s < cl->nstmts; s++)
			if (cl->stmts[s].kind == DIF_ACT_EXIT)
				return true;
	}
	return false;
}

/* After exit() the clauses behind it do not run, but in END. */
static void
check_exit(struct maker *m)
{
	struct em *em = m->em;

	em_mapval(em, R1, m->eng->ctl.fd, offsetof(struct rt_ctl, activity));
	em_ld(em, BPF_W, R1, R1, 0);
	if (by_consumer(m)) {
		em_ld(em, BPF_DW, R2, FP, FM(m, STATE));
		em_jr(em, BPF_JNE, R1, R2, m->lb_release);
	} else {
		em_ji(em, BPF_JNE, R1, RT_ACT_ACTIVE, m->lb_release);
	}
}

/* Run a clause; R0 is its result. */
static void
run_clause(struct maker *m, struct clause_code *cc, bool last)
{
	struct em *em = m->em;

	if (m->form != IN_OWN) {
		if (!last)
			em_st(em, BPF_DW, FP, FM(m, EPID), R9);
		em_append(em, &cc->em);
		em_ld(em, BPF_DW, R7, FP, FR_CTX);
		if (!last) {
			em_ld(em, BPF_DW, R8, FP, FR_SITE);
			em_ld(em, BPF_DW, R9, FP, FM(m, EPID));
		}
		return;
	}
	em_mov(em, R1, R7);
	em_mov(em, R2, R6);
	em_mov(em, R3, R8);
	em_fn(em, cc->fn->name);
}

static void
call_clause(struct maker *m, uint32_t i)
{
	struct em *em = m->em;
	struct clause_code *cc = &m->cc[i];
	bool last = i + 1 == m->c->clauses.n && m->c->chain <= 1 &&
		    m->form == IN_MAIN;
	uint32_t skip = em_label(em), run = em_label(em), fine = em_label(em);

	if (!m->c->uniform) {
		em_ld(em, BPF_W, R1, R8,
		      (int)(offsetof(struct bpf_site, mask) + i / 32 * 4));
		em_ji32(em, BPF_JSET, R1, (int32_t)(1u << (i % 32)), run);
		em_ja(em, skip);
	}
	em_place(em, run);
	em_st(em, BPF_W, R6, RT_OFF(epid), R9);
	/* On the lower half: the verifier need not know how far it went. */
	em_raw(em, BPF_ALU | BPF_ADD | BPF_K, R9, 0, 0, 1);
	run_clause(m, cc, last);
	if (cc->g.can_fault) {
		em_ji(em, BPF_JEQ, R0, 0, fine);
		wait_wanted(m);
		em_mov(em, R1, R7);
		em_mov(em, R2, R6);
		em_fn(em, "fault");
	}
	em_place(em, fine);
	/* So did an ERROR clause if this one has faulted. */
	if ((cc->g.can_exit || (cc->g.can_fault && errors_exit(m->eng))) &&
	    i + 1 < m->c->clauses.n)
		check_exit(m);
	em_place(em, skip);
}

static int
make_clause(struct maker *m, uint32_t i)
{
	struct clause_code *cc = &m->cc[i];
	char name[24];

	cc->g = (struct bg){
		.eng = m->eng,
		.e = m->e,
		.c = m->c,
		.u = m->u,
		.em = &cc->em,
		.inlined = m->form != IN_OWN,
		.depth = m->form == IN_MAIN ? 1 : 2,
		.cl = m->eng->en->clauses[m->c->clauses.v[i]],
	};
	if (m->form == IN_OWN) {
		snprintf(name, sizeof(name), "clause_%u", i);
		cc->fn = bpf_link_fn(m->u, name);
		if (cc->fn == NULL)
			return err_nomem(m->e);
		cc->fn->loc = cc->g.cl->loc;
		cc->g.em = &cc->fn->em;
	}
	if (bpf_clause_make(&cc->g) != 0)
		return -1;
	m->faults |= cc->g.can_fault;
	return m->form == IN_OWN ? em_finish(&cc->fn->em, name, m->e) : 0;
}

/* All clauses of the program: in line if they are few and small. */
static int
make_clauses(struct maker *m)
{
	size_t n = m->c->clauses.n, insns = 0, before = m->u->fns.n;

	m->cc = calloc(n + 1, sizeof(*m->cc));
	if (m->cc == NULL)
		return err_nomem(m->e);
	m->form = n <= INLINE_CLAUSES ? IN_MAIN :
		  n <= OWN_CLAUSES    ? IN_OWN :
					IN_GROUPS;
	for (uint32_t i = 0; i < n; i++) {
		if (make_clause(m, i) != 0)
			return -1;
		insns += m->cc[i].em.code.n;
	}
	if (m->form != IN_MAIN || insns <= INLINE_INSNS)
		return 0;
	m->form = IN_OWN;
	bpf_link_keep(m->u, before);
	for (uint32_t i = 0; i < n; i++) {
		em_fini(&m->cc[i].em);
		m->cc[i].em = (struct em){ 0 };
		if (make_clause(m, i) != 0)
			return -1;
	}
	return 0;
}

/* The number of clauses, from the first on, that stand in one function. */
static uint32_t
group_size(const struct maker *m, uint32_t first)
{
	size_t n = m->c->clauses.n, insns = m->cc[first].em.code.n;
	size_t most = (n + OWN_CLAUSES - 1) / OWN_CLAUSES;
	uint32_t i = first + 1;

	for (; i < n && i - first < most; i++) {
		insns += m->cc[i].em.code.n;
		if (insns > GROUP_INSNS)
			break;
	}
	return i - first;
}

/*
 * group(ctx, rt, site, EPID, activity when it fired): some clauses; the next
 * one's EPID, or 0 when one of them has ended the firing.
 */
static int
make_group(struct maker *m, struct bpf_fn *fn, uint32_t first, uint32_t n)
{
	struct em *em = m->em = &fn->em;

	m->frame = FR_LAST;
	m->lb_release = em_label(em);
	em_mov(em, R7, R1);
	em_mov(em, R6, R2);
	em_mov(em, R8, R3);
	em_mov(em, R9, R4);
	em_st(em, BPF_DW, FP, FR_CTX, R1);
	em_st(em, BPF_DW, FP, FR_SITE, R3);
	if (by_consumer(m))
		em_st(em, BPF_DW, FP, FM(m, STATE), R5);
	for (uint32_t i = first; i < first + n; i++)
		call_clause(m, i);
	em_mov(em, R0, R9);
	em_exit(em);
	em_place(em, m->lb_release);
	em_imm(em, R0, 0);
	em_exit(em);
	return em_finish(em, fn->name, m->e);
}

/* Before the program's own function, which shares the maker's state. */
static int
make_groups(struct maker *m)
{
	uint32_t n;

	if (m->form != IN_GROUPS)
		return 0;
	for (uint32_t i = 0; i < m->c->clauses.n; i += n) {
		char name[24];
		n = group_size(m, i);
		snprintf(name, sizeof(name), "clauses_%u", i);
		m->cc[i].fn = bpf_link_fn(m->u, name);
		if (m->cc[i].fn == NULL)
			return err_nomem(m->e);
		m->cc[i].fn->loc = m->cc[i].g.cl->loc;
		if (make_group(m, m->cc[i].fn, i, n) != 0)
			return -1;
	}
	return 0;
}

static void
call_group(struct maker *m, const struct clause_code *cc)
{
	struct em *em = m->em;

	em_mov(em, R1, R7);
	em_mov(em, R2, R6);
	em_mov(em, R3, R8);
	em_mov(em, R4, R9);
	if (by_consumer(m))
		em_ld(em, BPF_DW, R5, FP, FM(m, STATE));
	em_fn(em, cc->fn->name);
	em_ji(em, BPF_JEQ, R0, 0, m->lb_release);
	em_mov(em, R9, R0);
}

static void
free_clauses(struct maker *m)
{
	for (size_t i = 0; m->cc != NULL && i < m->c->clauses.n; i++)
		em_fini(&m->cc[i].em);
	free(m->cc);
}

/* ---- the program --------------------------------------------------------- */

/* What happens at the site in r8, up to the label next, with r7 the context. */
static void
make_firing(struct maker *m)
{
	struct em *em = m->em;

	m->lb_release = em_label(em);
	bpf_prog_claim(m);
	start_firing(m);
	if (m->form == IN_MAIN)
		em_st(em, BPF_DW, FP, FR_SITE, R8);
	for (uint32_t i = 0; i < m->c->clauses.n; i++) {
		if (m->form != IN_GROUPS)
			call_clause(m, i);
		else if (m->cc[i].fn != NULL)
			call_group(m, &m->cc[i]);
	}
	em_place(em, m->lb_release);
	em_sti(em, BPF_W, R6, RT_OFF(busy), 0);
}

static int
main_single(struct maker *m)
{
	struct em *em = m->em;
	uint32_t again = em_label(em);

	if (bpf_prog_site(m) != 0)
		return -1;
	if (!may_wait(m)) {
		make_firing(m);
		return 0;
	}
	em_imm(em, R9, WAITS_MAX);
	em_place(em, again);
	em_st(em, BPF_DW, FP, FR_CTX, R7);
	em_st(em, BPF_DW, FP, FR_SITE, R8);
	em_st(em, BPF_DW, FP, FM(m, WAITS), R9);
	em_sti(em, BPF_DW, FP, FM(m, PAGE), 0);
	make_firing(m);
	wait_for_page(m, again);
	return 0;
}

/*
 * Several sites of an event, one after the other.  It is a loop and no function
 * that is called for each: the kernel lets eight functions call each other, of
 * which walks of stacks have use for all but two.
 */
static int
main_chain(struct maker *m)
{
	struct em *em = m->em;
	uint32_t again = em_label(em);

	m->lb_next = em_label(em);
	em_sti(em, BPF_DW, FP, FM(m, LEFT), (int32_t)m->c->chain);
	em_place(em, again);
	if (bpf_prog_site(m) != 0)
		return -1;
	make_firing(m);
	em_place(em, m->lb_next);
	em_ld(em, BPF_W, R2, R8, offsetof(struct bpf_site, next));
	em_ji(em, BPF_JEQ, R2, 0, m->lb_out);
	em_ld(em, BPF_DW, R1, FP, FM(m, LEFT));
	em_alui(em, BPF_SUB, R1, 1);
	em_ji(em, BPF_JEQ, R1, 0, m->lb_out);
	em_st(em, BPF_DW, FP, FM(m, LEFT), R1);
	em_ld(em, BPF_DW, R7, FP, FR_CTX);
	em_ja(em, again);
	return 0;
}

static int
make_main(struct maker *m, struct bpf_fn *fn)
{
	struct em *em = m->em = &fn->em;

	m->frame = m->form == IN_MAIN ? FR_LAST : FR_SITE;
	m->lb_out = m->lb_next = em_label(em);
	em_mov(em, R7, R1);
	em_st(em, BPF_DW, FP, FR_CTX, R1);
	bpf_prog_active(m);
	m->c->class->find(m);
	if ((m->c->chain > 1 ? main_chain(m) : main_single(m)) != 0)
		return -1;
	em_place(em, m->lb_out);
	em_imm(em, R0, 0);
	em_exit(em);
	if (em_finish(em, fn->name, m->e) != 0)
		return -1;
	return m->faults ? bpf_fault_make(m) : 0;
}

/* ---- what clauses use ---------------------------------------------------- */

static void
prog_scan(struct maker *m, const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->ntext; i++) {
		dif_instr_t t = o->text[i];
		uint32_t id = DIF_IDX(t);
		if (DIF_OP(t) == DIF_OP_LDGS && id >= DIF_VAR_arg0 &&
		    id <= DIF_VAR_arg9)
			m->args |= 1u << (id - DIF_VAR_arg0);
		if (DIF_OP(t) == DIF_OP_LDGA && DIF_R1(t) == DIF_VAR_args)
			m->args |= (1u << DIF_NARGS) - 1;
		m->locals |=
			DIF_OP(t) == DIF_OP_LDLS || DIF_OP(t) == DIF_OP_STLS;
	}
}

static void
scan_clause(struct maker *m, const struct dif_clause *c)
{
	prog_scan(m, c->pred);
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			prog_scan(m, c->stmts[s].exprs[i].obj);
}

static void
scan_clauses(struct maker *m)
{
	const struct dif_enabling *en = m->eng->en;

	for (size_t i = 0; i < m->c->clauses.n; i++)
		scan_clause(m, en->clauses[m->c->clauses.v[i]]);
	for (size_t i = 0; i < m->eng->errors.n; i++) {
		uint32_t args = m->args; /* ERROR has its own */
		scan_clause(m, en->clauses[m->eng->errors.v[i].clause]);
		m->args = args;
	}
	m->locals &= en->tab->locals_size != 0;
}

static int
prog_code(struct maker *m, struct bpf_fn *fn)
{
	scan_clauses(m);
	return make_clauses(m) != 0 || make_groups(m) != 0 ? -1
							   : make_main(m, fn);
}

static int
prog_build(struct engine *eng, struct bpf_prog *c, struct err *e)
{
	struct bpf_unit u = { 0 };
	struct maker m = { .eng = eng, .c = c, .u = &u, .e = e };
	struct bpf_fn *fn;
	int rc;

	if (m.c->sites.n == 0)
		return 0;
	fn = bpf_link_fn(&u, c->class->name);
	if (fn == NULL)
		rc = err_nomem(e);
	else if (bpf_solo_only(&m))
		rc = bpf_solo_main(&m, fn);
	else
		rc = prog_code(&m, fn);
	if (rc == 0)
		rc = bpf_load_unit(&m);
	free_clauses(&m);
	bpf_link_fini(&u);
	return rc;
}

/* What makes a program too large for the kernel if it may wait does not matter
   if it may not. */
int
bpf_prog_make(struct engine *eng, struct bpf_prog *c, struct err *e)
{
	if (c->class->runs != BPF_RUNS_SLEEPS)
		return prog_build(eng, c, e);
	if (prog_build(eng, c, e) == 0)
		return 0;
	if (e->tag == &ERR_NOMEM)
		return -1;
	c->class = bpf_class_awake(c->class);
	err_clear(e);
	return prog_build(eng, c, e);
}
