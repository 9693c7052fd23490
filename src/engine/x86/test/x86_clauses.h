/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_clauses.h - a small trace written by hand, for tests of lowered code:
 * two probes (a function's entry, and ERROR), clauses whose expressions are
 * DIF in text (dif_asm.c), a world to run them in.
 */
#ifndef ENGINE_X86_TEST_X86_CLAUSES_H
#define ENGINE_X86_TEST_X86_CLAUSES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/x86/test/x86_world.h"

#define TRACE_CLAUSES 4
#define TRACE_STMTS 4
#define TRACE_EXPRS 12

#define ARG(n) "ldgs arg" #n ", %r1\nret %r1\n"
#define NUM(n) "setx " #n ", %r1\nret %r1\n"

struct trace {
	struct arena *a;
	struct dif_tab tab;
	struct dif_clause cl[TRACE_CLAUSES], *clp[TRACE_CLAUSES];
	struct dif_ecb ecbs[TRACE_CLAUSES];
	uint32_t n, nerror; /* clauses; the last nerror are on ERROR */
	struct dif_prog prog;
	struct dif_enabling en;
	struct dif_recipes args;
	const struct dif_whens *when;
	struct world *w;
	struct x86_handler h;
};

static inline struct trace *
trace_new(void)
{
	struct trace *t = calloc(1, sizeof(*t));

	t->a = arena_new();
	t->tab.vars = arena_calloc(t->a, 16, sizeof(*t->tab.vars));
	t->tab.aggs = arena_calloc(t->a, 16, sizeof(*t->tab.aggs));
	for (int i = 0; i < TRACE_CLAUSES; i++)
		t->cl[i].stmts = arena_calloc(t->a, TRACE_STMTS,
					      sizeof(struct dif_stmt));
	return t;
}

static inline void
trace_free(struct trace *t)
{
	if (t->w != NULL)
		world_free(t->w);
	arena_free(t->a);
	free(t);
}

static inline struct dif_obj *
trace_obj(struct trace *t, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(t->a, text, &e);

	if (o == NULL || dif_validate(o, &e) != 0)
		fail_msg("%s", e.msg);
	return o;
}

static inline struct dif_clause *
trace_clause(struct trace *t)
{
	return &t->cl[t->n++];
}

static inline struct dif_stmt *
trace_stmt(struct trace *t, struct dif_clause *cl, uint32_t kind)
{
	struct dif_stmt *st = &cl->stmts[cl->nstmts++];

	st->kind = kind;
	st->exprs = arena_calloc(t->a, TRACE_EXPRS, sizeof(*st->exprs));
	cl->records |= kind != DIF_ACT_NONE && !DIF_ACT_IS_AGG(kind);
	return st;
}

static inline struct dif_expr *
trace_expr(struct trace *t, struct dif_stmt *st, const char *text)
{
	struct dif_expr *e = &st->exprs[st->nexprs++];

	e->obj = trace_obj(t, text);
	e->type = e->obj->rtype;
	return e;
}

/* printf() of one expression. */
static inline struct dif_clause *
trace_print(struct trace *t, const char *text)
{
	struct dif_clause *cl = trace_clause(t);

	trace_expr(t, trace_stmt(t, cl, DIF_ACT_PRINTF), text);
	return cl;
}

/* @[key] = func(val); key and val may be NULL. */
static inline struct dif_aggvar *
trace_agg(struct trace *t, struct dif_clause *cl, uint32_t func, uint64_t arg,
	  const char *key, const char *val)
{
	struct dif_aggvar *v = arena_calloc(t->a, 1, sizeof(*v));
	struct dif_stmt *st = trace_stmt(t, cl, func);

	t->tab.aggs[t->tab.naggs] = v;
	st->agg = t->tab.naggs++;
	*v = (struct dif_aggvar){ .name = "_", .id = t->tab.naggs,
				  .func = func, .arg = arg };
	v->keys = arena_calloc(t->a, 1, sizeof(*v->keys));
	v->keysrc = arena_calloc(t->a, 1, 1);
	v->keyarg = arena_calloc(t->a, 1, sizeof(*v->keyarg));
	if (key != NULL) {
		v->keys[0] = trace_expr(t, st, key)->type;
		v->nkeys = st->nkeys = 1;
	}
	if (val != NULL)
		trace_expr(t, st, val);
	return v;
}

/* Names of the probe as the key. */
static inline void
trace_key_name(struct trace *t, struct dif_aggvar *v)
{
	struct dif_stmt *st =
		&t->cl[t->n - 1].stmts[t->cl[t->n - 1].nstmts - 1];

	memmove(&st->exprs[1], &st->exprs[0],
		st->nexprs * sizeof(*st->exprs));
	st->exprs[0] = (struct dif_expr){ .src = DIF_SRC_NAME,
					  .arg = DIF_VAR_probefunc };
	st->nexprs++;
	v->keysrc[0] = DIF_SRC_NAME;
	v->keyarg[0] = DIF_VAR_probefunc;
	v->nkeys = st->nkeys = 1;
}

static const struct dif_site trace_sites[] = { { .kind = DIF_SITE_UENTRY },
					       { .kind = DIF_SITE_ERROR } };
static const struct dif_probe trace_probes[] = {
	{ 7, "pid1", "a.out", "f", "entry", &trace_sites[0], 1 },
	{ 3, "dtrace", "", "", "ERROR", &trace_sites[1], 1 },
};

#define TRACE_BUF 4096u

/* Lay out, make a world, lower the clauses for such a place. */
static inline void
trace_lower(struct trace *t, enum x86_at at)
{
	static const struct dif_sizes sizes = { .strsize = 64,
						.stackframes = 4,
						.ustackframes = 4 };
	struct dif_prog *progs[] = { &t->prog };
	struct err e = { 0 };

	t->prog.clauses = t->cl;
	t->prog.nclauses = t->n;
	dif_layout(progs, 1, &t->tab, &sizes, t->a);
	for (uint32_t i = 0; i < t->n; i++) {
		t->clp[i] = &t->cl[i];
		t->ecbs[i] = (struct dif_ecb){ i + 1, i + t->nerror >= t->n,
					       i };
	}
	t->en = (struct dif_enabling){
		.probes = trace_probes, .nprobes = 2, .clauses = t->clp,
		.nclauses = t->n, .ecbs = t->ecbs, .necbs = t->n,
		.tab = &t->tab, .sizes = sizes
	};
	t->w = world_new(&t->en, TRACE_BUF, 1u << 16, &e);
	world_sites(t->w);
	t->w->sites[0].cells = t->w->lay.fixed_end;
	struct x86_handler_in in = { &t->en, 0, t->n - t->nerror, &t->args,
				     at, t->when };
	if (err_is_set(&e) || x86_lower(&t->w->b, &t->w->t, &in, &t->h, &e))
		fail_msg("%s", e.msg);
}

static inline world_fn *
trace_fn(struct trace *t)
{
	return world_function(t->w, &t->h, 0, false);
}

static inline uint32_t
trace_recsize(void *arg, uint32_t epid)
{
	struct trace *t = arg;

	return epid == RT_EPID_ERROR ? sizeof(struct rt_error_rec)
				     : t->cl[epid - 1].recsize;
}

/* The n-th record of the first slot that is still there, or NULL. */
static inline const struct rt_rec *
trace_rec(struct trace *t, uint32_t n)
{
	const struct rt_rec *r;
	struct err e = { 0 };
	uint64_t pos = t->w->rt[0]->tail;

	do
		r = rt_drain_next(&t->w->v, 0, &pos, trace_recsize, t, &e);
	while (r != NULL && n-- > 0);
	return r;
}

/* Its i-th word behind the head. */
static inline uint64_t
trace_word(struct trace *t, uint32_t n, uint32_t i)
{
	const struct rt_rec *r = trace_rec(t, n);

	assert_non_null(r);
	return ((const uint64_t *)(const void *)(r + 1))[i];
}

/* Words of the only aggregation's fixed cell in the half in use. */
static inline const uint64_t *
trace_cell(struct trace *t)
{
	return (const uint64_t *)(const void *)(t->w->agg[0] +
						t->w->fixed[0]) + 1;
}

/* For cmocka: a trace in *state. */
static inline int
trace_setup(void **state)
{
	*state = trace_new();
	return 0;
}

static inline int
trace_teardown(void **state)
{
	trace_free(*state);
	return 0;
}

#endif
