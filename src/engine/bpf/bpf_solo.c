/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_solo.c - counts without keys, and programs that do no more than count.
 *
 * A count() without keys has two counters behind each machine.  They only grow,
 * and the consumer remembers what it has seen (rt_view.solos): so they belong
 * to no half of an aggregation buffer.  One is the slot's, whose firing alone
 * writes it.  The other is added to atomically by programs all of whose clauses
 * only count.  These take no level, have no state and no record, and are never
 * lost to a firing that they have come into:
 *
 *   tracing?  the site, if it matters which  ->  this CPU's counters, of level
 *   0
 *
 * Where a clause has other aggregations too, all of them are in the half: what
 * a clause adds to several is then seen by the consumer at once.
 */
#include "engine/bpf/bpf_prog_impl.h"

#define COUNTS_MAX 16u /* statements of a program */
#define FAR	   30000u /* bytes between counters of one program */
#define OWN	   8u /* from the shared counter to the slot's */

/* ---- counters ------------------------------------------------------------ */

static bool
solo_agg(const struct dif_aggvar *a)
{
	return a->func == DIF_AGG_count && a->keysize == 0;
}

static void
solo_rows(struct engine *eng, struct rt_static_cell *rows, uint32_t base)
{
	const struct dif_tab *tab = eng->en->tab;
	uint32_t n = 0;

	for (uint32_t i = 0; i < tab->naggs; i++) {
		if (!solo_agg(tab->aggs[i]))
			continue;
		eng->solo[i] = base + n * 8;
		for (uint32_t at = 0; at <= OWN; at += OWN)
			rows[n++] = (struct rt_static_cell){
				.agg = i,
				.off = eng->solo[i] + at,
				.key = (const uint8_t *)"",
			};
	}
}

int
bpf_solo_plan(struct engine *eng, uint32_t *size, struct err *e)
{
	const struct dif_tab *tab = eng->en->tab;
	uint32_t base = (*size + 63) & ~63u, n = 0;
	struct rt_static_cell *rows;

	eng->solo =
		arena_calloc(eng->arena, tab->naggs + 1, sizeof(*eng->solo));
	if (eng->solo == NULL)
		return err_nomem(e);
	for (uint32_t i = 0; i < tab->naggs; i++)
		n += solo_agg(tab->aggs[i]) ? 2 : 0;
	if (n == 0)
		return 0;
	rows = arena_calloc(eng->arena, n, sizeof(*rows));
	if (rows == NULL)
		return err_nomem(e);
	solo_rows(eng, rows, base);
	eng->view.solos = rows;
	eng->view.nsolos = n;
	eng->view.solo_seen = (n * 8 + 63) & ~63u;
	eng->view.solo_levels = true;
	*size = base + 2 * eng->view.solo_seen;
	return 0;
}

/* ---- in clauses that do something else too ------------------------------- */

/* True if all aggregations of a clause are counts without keys. */
static bool
solo_clause(const struct engine *eng, const struct dif_clause *cl)
{
	for (uint32_t s = 0; s < cl->nstmts; s++)
		if (DIF_ACT_IS_AGG(cl->stmts[s].kind) &&
		    !(cl->stmts[s].nkeys == 0 &&
		      dif_stmt_counts(eng->en->tab, &cl->stmts[s])))
			return false;
	return true;
}

bool
bg_solo(struct bg *g, const struct dif_stmt *st)
{
	struct em *em = g->em;

	if (g->eng->solo[st->agg] == 0 || !solo_clause(g->eng, g->cl))
		return false;
	em_mov(em, R1, R6);
	em_alui(em, BPF_ADD, R1, (int32_t)(g->eng->solo[st->agg] + OWN));
	em_ld(em, BPF_DW, R2, R1, 0);
	em_alui(em, BPF_ADD, R2, 1);
	em_st(em, BPF_DW, R1, 0, R2);
	return true;
}

/* ---- programs that only count -------------------------------------------- */

/* True if it matters which of the program's sites has fired. */
static bool
solo_site(const struct maker *m)
{
	const struct bpf_prog *c = m->c;

	for (size_t i = 0; i < c->whens.n; i++)
		if (c->whens.v[i] != NULL)
			return true;
	return c->gaps || c->any_pid || c->class->check != bpf_check_none ||
	       m->eng->opts.cgroup.id != 0;
}

bool
bpf_solo_only(const struct maker *m)
{
	const struct engine *eng = m->eng;
	const struct bpf_prog *c = m->c;
	uint32_t n = 0;

	if (c->class->runs == BPF_RUNS_CONSUMER || !c->uniform ||
	    c->chain > 1 || !eng->rt.flat)
		return false;
	for (size_t i = 0; i < c->clauses.n; i++) {
		const struct dif_clause *cl = eng->en->clauses[c->clauses.v[i]];
		if (cl->pred != NULL || cl->recsize != 0)
			return false;
		for (uint32_t s = 0; s < cl->nstmts; s++, n++) {
			const struct dif_stmt *st = &cl->stmts[s];
			if (st->nkeys != 0 ||
			    !dif_stmt_counts(eng->en->tab, st) ||
			    eng->solo[st->agg] - eng->areas->size > FAR)
				return false;
		}
	}
	return n != 0 && n <= COUNTS_MAX;
}

/* R1 = this CPU's counters. */
static void
solo_counters(struct maker *m)
{
	const struct bpf_map *rt = &m->eng->rt;
	struct em *em = m->em;

	em_call(em, BPF_FUNC_get_smp_processor_id);
	if (m->eng->opts.only_cpu >= 0)
		em_ji(em, BPF_JNE, R0, m->eng->opts.only_cpu, m->lb_out);
	em_ji(em, BPF_JGE, R0, (int32_t)m->eng->ncpus, m->lb_out);
	em_alui(em, BPF_MUL, R0, (int32_t)(RT_LEVELS * rt->stride));
	em_mapval(em, R1, rt->fd, m->eng->view.solos[0].off);
	em_alu(em, BPF_ADD, R1, R0);
}

static void
solo_clauses(struct maker *m)
{
	const struct engine *eng = m->eng;

	em_imm(m->em, R2, 1);
	for (size_t i = 0; i < m->c->clauses.n; i++) {
		const struct dif_clause *cl =
			eng->en->clauses[m->c->clauses.v[i]];
		for (uint32_t s = 0; s < cl->nstmts; s++)
			em_atomic_add(m->em, R1,
				      (int)(eng->solo[cl->stmts[s].agg] -
					    eng->view.solos[0].off),
				      R2);
	}
}

int
bpf_solo_main(struct maker *m, struct bpf_fn *fn)
{
	struct em *em = m->em = &fn->em;

	m->frame = FR_LAST;
	m->lb_out = m->lb_next = em_label(em);
	if (solo_site(m)) {
		em_mov(em, R7, R1);
		em_st(em, BPF_DW, FP, FR_CTX, R1);
	}
	bpf_prog_active(m);
	if (solo_site(m)) {
		m->c->class->find(m);
		if (bpf_prog_site(m) != 0)
			return -1;
	}
	solo_counters(m);
	solo_clauses(m);
	em_place(em, m->lb_out);
	em_imm(em, R0, 0);
	em_exit(em);
	return em_finish(em, fn->name, m->e);
}
