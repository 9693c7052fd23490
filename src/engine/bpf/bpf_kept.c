/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_kept.c - users' stacks of threads that are not running.
 *
 * Where the thread of a probe is not the current one (sched:::on-cpu, the
 * thread that comes), its memory is not mapped yet, and its stack cannot be
 * walked.  But that is as it was when the thread left its CPU.  So, in programs
 * that walk a user's stack at such a probe, another program at the switch
 * tracepoint walks the stack of each thread that leaves, and keeps the frames:
 *
 *   struct { u64 size; u64 pcs[]; }	in task storage; size: bytes of pcs
 *
 * bpf_stack.c copies them from there.  A thread that has none (it is new, or
 * has left its CPU before tracing began) has one frame, where it entered the
 * kernel.  A stack that is kept may be owed (bpf_owed.c).  Decision 110.
 *
 * Walking the stack of whoever leaves would be much work for nothing where a
 * clause is about few threads.  So predicates are evaluated when a thread
 * leaves, as far as they are about what it keeps: its self-> variables, which
 * nobody can change while it does not run, its numbers, its name.  It is kept
 * where one of them may be true when the thread comes back.
 */
#include "engine/bpf/bpf_prog_impl.h"

#include <stdlib.h>

#define EVENT "sched_switch"

/* Of how many frames a clause makes use. */
static uint32_t
kept_frames(const struct dif_clause *c)
{
	uint32_t n = 0;

	if (!dif_clause_walks(c))
		return 0;
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			if (c->stmts[s].exprs[i].src != DIF_SRC_USTACK)
				continue;
			else if (c->stmts[s].exprs[i].arg > n)
				n = c->stmts[s].exprs[i].arg;
	/* ustackdepth wants all; beside a stack that is shorter, it is that. */
	return n == 0 || n > RT_UNWIND_MAX ? RT_UNWIND_MAX : n;
}

uint32_t
bpf_kept_wanted(const struct engine *eng)
{
	uint32_t most = 0, n;

	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_prog *c = eng->progs.v[i];

		if (c->thread.kind == DIF_RCP_NONE)
			continue;
		for (size_t k = 0; k < c->clauses.n; k++) {
			n = kept_frames(eng->en->clauses[c->clauses.v[k]]);
			most = n > most ? n : most;
		}
	}
	return most;
}

/* ---- predicates ---------------------------------------------------------- */

/* True if the instruction has the same outcome while the thread does not
   run. */
static bool
kept_stays(dif_instr_t t)
{
	unsigned op = DIF_OP(t);

	if (op == DIF_OP_LDGS)
		switch (DIF_IDX(t)) {
		case DIF_VAR_pid:
		case DIF_VAR_tid:
		case DIF_VAR_uid:
		case DIF_VAR_gid:
		case DIF_VAR_execname:
		case DIF_VAR_curthread:
			return true;
		default:
			return false;
		}
	return op <= DIF_OP_BLEU || op == DIF_OP_RET || op == DIF_OP_NOP ||
	       op == DIF_OP_SETX || op == DIF_OP_SETS || op == DIF_OP_SCMP ||
	       op == DIF_OP_LDTS;
}

/* A predicate that is true from the first instruction on that has not: in its
   place is a branch to two instructions at the end.  NULL: no memory. */
static const struct dif_obj *
kept_pred(struct engine *eng, const struct dif_obj *o)
{
	struct dif_obj *p = arena_alloc(eng->arena, sizeof(*p));

	if (p == NULL)
		return NULL;
	*p = *o;
	p->text = arena_calloc(eng->arena, o->ntext + 2, sizeof(*p->text));
	p->inttab = arena_calloc(eng->arena, o->nint + 1, sizeof(*p->inttab));
	if (p->text == NULL || p->inttab == NULL)
		return NULL;
	for (uint32_t i = 0; i < o->nint; i++)
		p->inttab[i] = o->inttab[i];
	p->inttab[p->nint++] = 1;
	for (uint32_t i = 0; i < o->ntext; i++)
		p->text[i] = kept_stays(o->text[i])
				     ? o->text[i]
				     : DIF_INSTR_B(DIF_OP_BA, o->ntext);
	p->text[p->ntext++] = DIF_INSTR_W(DIF_OP_SETX, o->nint, 1);
	p->text[p->ntext++] = DIF_INSTR_R(DIF_OP_RET, 0, 0, 1);
	return bpf_site_same_str(eng, p, o) == 0 ? p : NULL;
}

/* On to `keep`, if the clause may walk when the thread comes back. */
static int
kept_clause(struct bg *g, const struct dif_clause *c, uint32_t keep)
{
	const struct dif_obj *o;

	if (!dif_clause_walks(c))
		return 0;
	if (c->pred == NULL) {
		em_ja(g->em, keep);
		return 0;
	}
	o = kept_pred(g->eng, c->pred);
	if (o == NULL)
		return err_nomem(g->e);
	g->cl = c;
	if (bg_obj(g, o) != 0)
		return -1;
	em_ji(g->em, BPF_JNE, R0, 0, keep);
	return 0;
}

/* On, or to lb_release: no clause will walk. */
static int
kept_clauses(struct maker *m, struct bg *g)
{
	const struct engine *eng = m->eng;
	struct em *em = m->em;
	uint32_t keep = em_label(em);
	int rc = 0;

	g->lb_fault = keep;
	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_prog *c = eng->progs.v[i];

		if (c->thread.kind == DIF_RCP_NONE)
			continue;
		for (size_t k = 0; k < c->clauses.n && rc == 0; k++)
			rc = kept_clause(g, eng->en->clauses[c->clauses.v[k]],
					 keep);
	}
	em_ja(em, m->lb_release);
	bg_stubs(g);
	vec_fini(&g->stubs);
	em_place(em, keep);
	return rc;
}

/* ---- the program --------------------------------------------------------- */

/* R0 = what is kept of the thread that leaves; NULL: nothing, or there is no
   room. */
static void
kept_element(struct maker *m, uint64_t flags)
{
	struct em *em = m->em;

	em_call(em, BPF_FUNC_get_current_task_btf);
	em_mov(em, R2, R0);
	em_map(em, R1, m->eng->unw.kept.fd);
	em_imm(em, R3, 0);
	em_imm(em, R4, flags);
	em_call(em, BPF_FUNC_task_storage_get);
}

/* What was kept is no more; a thread without a user's memory goes to
   lb_out. */
static void
kept_begin(struct maker *m)
{
	struct em *em = m->em;
	uint32_t none = em_label(em);

	em_call(em, BPF_FUNC_get_current_task_btf);
	em_ld(em, BPF_DW, R1, R0, (int)m->eng->kt.task_mm);
	em_ji(em, BPF_JEQ, R1, 0, m->lb_out);
	kept_element(m, 0);
	em_ji(em, BPF_JEQ, R0, 0, none);
	em_sti(em, BPF_DW, R0, 0, 0);
	em_place(em, none);
}

static void
kept_walk(struct maker *m, struct bg *g)
{
	struct em *em = m->em;

	kept_element(m, BPF_LOCAL_STORAGE_GET_F_CREATE);
	em_ji(em, BPF_JEQ, R0, 0, m->lb_release);
	em_mov(em, R8, R0);
	em_lea(em, R1, R8, 8);
	bg_stack(g, m->eng->unw.keeps, true, true);
	em_ji(em, BPF_JSLE, R0, 0, m->lb_release);
	em_st(em, BPF_DW, R8, 0, R0);
}

static int
kept_main(struct maker *m, struct bpf_fn *fn)
{
	struct em *em = m->em = &fn->em;
	struct bg g = { .eng = m->eng, .em = em, .e = m->e, .c = m->c,
			.u = m->u, .inlined = true, .depth = 1, .keeps = true };

	m->frame = FR_LAST;
	m->lb_out = m->lb_next = em_label(em);
	m->lb_release = em_label(em);
	em_mov(em, R7, R1);
	em_st(em, BPF_DW, FP, FR_CTX, R1);
	bpf_prog_active(m);
	kept_begin(m);
	bpf_prog_claim(m);
	em_sti(em, BPF_DW, R6, RT_OFF(task), 0); /* it is the current one */
	em_sti(em, BPF_W, R6, RT_OFF(scratch), 0);
	if (kept_clauses(m, &g) != 0)
		return -1;
	kept_walk(m, &g);
	em_place(em, m->lb_release);
	em_sti(em, BPF_W, R6, RT_OFF(busy), 0);
	em_place(em, m->lb_out);
	em_imm(em, R0, 0);
	em_exit(em);
	return em_finish(em, fn->name, m->e);
}

int
bpf_kept_make(struct engine *eng, struct err *e)
{
	struct bpf_prog *c = arena_calloc(eng->arena, 1, sizeof(*c));
	struct bpf_unit u = { 0 };
	struct maker m = { .eng = eng, .c = c, .u = &u, .e = e,
			   .form = IN_OWN };
	struct bpf_fn *fn;
	int rc = -1;

	if (c == NULL)
		return err_nomem(e);
	if (eng->kt.task_mm == ~0u)
		return err_set(e, &ERR_GENERIC, 0,
			       "this kernel's struct task_struct is not "
			       "understood");
	c->class = &bpf_classes[BPF_CLASS_tracepoint];
	c->event = EVENT;
	c->fd = c->map.fd = c->once.fd = -1;
	fn = bpf_link_fn(&u, "kept");
	if (fn == NULL)
		err_nomem(e);
	else if (kept_main(&m, fn) == 0)
		rc = bpf_load_unit(&m);
	bpf_link_fini(&u);
	eng->unw.keeper = c;
	return rc;
}
