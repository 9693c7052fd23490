/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff_prog.c - random traces.
 *
 * Objects are dif_random()'s; here they become predicates, recorded values,
 * keys and values of aggregations.  All clauses are on BEGIN: it fires once,
 * in the test's own process, and so both engines see the same world.  The
 * clauses share variables, so what one leaves the next ones meet; an ERROR
 * clause records what a fault hands to it.
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "engine/interp/interp.h"

#define INT                                                                    \
	{                                                                      \
		.ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 8         \
	}
#define STR                                                                    \
	{                                                                      \
		.kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,               \
		.flags = DIF_TF_BYREF                                          \
	}
#define BYTES                                                                  \
	{                                                                      \
		.ckind = DIF_CK_STRUCT, .flags = DIF_TF_BYREF, .size = 24      \
	}

static const struct dif_site sites[] = {
	{ .kind = DIF_SITE_BEGIN },
	{ .kind = DIF_SITE_ERROR },
};
static const struct dif_probe probes[] = {
	{ 1, "dtrace", "", "", "BEGIN", &sites[0], 1 },
	{ 3, "dtrace", "", "", "ERROR", &sites[1], 1 },
};

static const struct dif_type t_int = INT, t_str = STR, t_bytes = BYTES;

/* ---- chance -------------------------------------------------------------- */

struct chance {
	uint64_t state;
	struct diff_trace *t;
};

static uint64_t
chance(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t
below(struct chance *c, uint32_t n)
{
	return (uint32_t)(chance(c) % n);
}

static void *
make(struct chance *c, size_t n, size_t size)
{
	void *p = arena_calloc(c->t->a, n, size);

	if (p == NULL)
		abort();
	return p;
}

/* ---- variables and aggregations ------------------------------------------ */

static void
add_var(struct chance *c, unsigned scope, const struct dif_type *type,
	const char *keys)
{
	struct dif_tab *tab = &c->t->tab;
	struct dif_uvar *v = make(c, 1, sizeof(*v));
	uint16_t id = DIF_VAR_USER_MIN;

	for (uint32_t i = 0; i < tab->nvars; i++)
		id += tab->vars[i]->scope == scope;
	v->name = "v";
	v->id = id;
	v->scope = (uint8_t)scope;
	v->type = *type;
	v->nkeys = (uint32_t)strlen(keys);
	v->kind = v->nkeys != 0 ? DIF_VK_ARRAY : DIF_VK_SCALAR;
	v->keys = make(c, v->nkeys + 1, sizeof(*v->keys));
	for (uint32_t k = 0; k < v->nkeys; k++)
		v->keys[k] = keys[k] == 's' ? t_str : t_int;
	tab->vars[tab->nvars++] = v;
}

static void
add_vars(struct chance *c)
{
	static const struct {
		uint8_t scope;
		const struct dif_type *type;
		const char *keys;
	} all[] = {
		{ DIF_SCOPE_GLOBAL, &t_int, "" },
		{ DIF_SCOPE_GLOBAL, &t_int, "" },
		{ DIF_SCOPE_GLOBAL, &t_str, "" },
		{ DIF_SCOPE_GLOBAL, &t_bytes, "" },
		{ DIF_SCOPE_THREAD, &t_int, "" },
		{ DIF_SCOPE_THREAD, &t_str, "" },
		{ DIF_SCOPE_THREAD, &t_bytes, "" },
		{ DIF_SCOPE_LOCAL, &t_int, "" },
		{ DIF_SCOPE_LOCAL, &t_str, "" },
		{ DIF_SCOPE_LOCAL, &t_bytes, "" },
		{ DIF_SCOPE_GLOBAL, &t_int, "i" },
		{ DIF_SCOPE_GLOBAL, &t_str, "is" },
		{ DIF_SCOPE_THREAD, &t_int, "ii" },
		{ DIF_SCOPE_THREAD, &t_str, "s" },
	};

	c->t->tab.vars =
		make(c, sizeof(all) / sizeof(*all), sizeof(*c->t->tab.vars));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		add_var(c, all[i].scope, all[i].type, all[i].keys);
}

static uint64_t
agg_bounds(struct chance *c, uint32_t func)
{
	switch (func) {
	case DIF_AGG_lquantize:
		return (uint64_t)(1 + below(c, 300)) << 48 |
		       (uint64_t)(1 + below(c, 40)) << 32 |
		       (below(c, 200) - 100);
	case DIF_AGG_llquantize:
		return below(c, 2) ? 10ull << 48 | 1ull << 32 | 5 << 16 | 20
				   : 12ull << 48 | 0ull << 32 | 3 << 16 | 96;
	default:
		return 0;
	}
}

/* Each function twice, without and with keys (number, string, or both). */
static void
add_aggs(struct chance *c)
{
	struct dif_tab *tab = &c->t->tab;

	tab->naggs = (uint32_t)(2 * dif_naggfuncs);
	tab->aggs = make(c, tab->naggs, sizeof(*tab->aggs));
	for (uint32_t i = 0; i < tab->naggs; i++) {
		struct dif_aggvar *v = make(c, 1, sizeof(*v));
		v->name = "a";
		v->id = i + 1;
		v->func = dif_aggfuncs[i / 2].code;
		v->arg = agg_bounds(c, v->func);
		v->nkeys = i % 2 == 0 ? 0 : 1 + below(c, 2);
		v->keys = make(c, 2, sizeof(*v->keys));
		v->keysrc = make(c, 2, sizeof(*v->keysrc));
		v->keyarg = make(c, 2, sizeof(*v->keyarg));
		for (uint32_t k = 0; k < v->nkeys; k++)
			v->keys[k] = below(c, 2) ? t_str : t_int;
		tab->aggs[i] = v;
	}
}

/* ---- statements ---------------------------------------------------------- */

/* True if it faults where all variables are zero. */
static bool
faults(struct diff_trace *t, const struct dif_obj *o)
{
	struct rt_host host = { .tab = &t->tab, .sizes = t->en.sizes };
	struct rt *rt = interp_rt_new(&host);
	bool bad;

	host.globals = calloc(1, t->tab.globals_size + 8);
	host.thread = calloc(1, t->tab.thread_size + 8);
	if (rt == NULL || host.globals == NULL || host.thread == NULL)
		abort();
	interp_run(rt, o);
	bad = rt->fault != DIF_FAULT_NONE;
	interp_assoc_free(&host);
	interp_rt_free(rt);
	free(host.globals);
	free(host.thread);
	return bad;
}

/*
 * A random object that gives a number, or a string.  A fault ends its clause,
 * so of those that fault at once few are taken.
 */
static struct dif_obj *
object(struct chance *c, bool str)
{
	for (;;) {
		struct dif_obj *o =
			dif_random(c->t->a, chance(c), &c->t->tab,
				   diff_engine.engines);
		struct err e = { 0 };

		if (o == NULL || dif_validate(o, &e) != 0)
			abort();
		if ((o->rtype.kind == DIF_TYPE_STRING) == str &&
		    (!faults(c->t, o) || below(c, 16) == 0))
			return o;
	}
}

/* The bytes of a by-reference variable: a null one faults. */
static struct dif_obj *
object_bytes(struct chance *c)
{
	static const uint8_t ld[] = { DIF_OP_LDGS, DIF_OP_LDTS, DIF_OP_LDLS };
	const struct dif_uvar *v;
	struct dif_obj *o = make(c, 1, sizeof(*o));

	do
		v = c->t->tab.vars[below(c, c->t->tab.nvars)];
	while (v->type.ckind != DIF_CK_STRUCT);
	o->text = make(c, 2, sizeof(*o->text));
	o->text[0] = DIF_INSTR_W(ld[v->scope], v->id, 1);
	o->text[1] = DIF_INSTR_R(DIF_OP_RET, 0, 0, 1);
	o->ntext = 2;
	o->strtab = make(c, 1, 1);
	o->strlen = 1;
	o->vartab = make(c, 1, sizeof(*o->vartab));
	o->vartab[0] = (struct dif_var){ .id = v->id,
					 .scope = v->scope,
					 .kind = v->kind,
					 .type = v->type,
					 .flags = DIF_VF_REF };
	o->nvar = 1;
	o->rtype = t_bytes;
	return o;
}

/* A recorded value; numbers are also recorded as narrower ones. */
static void
value(struct chance *c, struct dif_expr *x)
{
	uint32_t what = below(c, 12);

	x->obj = what == 0 ? object_bytes(c) : object(c, what < 5);
	x->type = x->obj->rtype;
	if (what >= 5 && below(c, 2)) {
		x->type.size = 1u << below(c, 4);
		x->type.flags = below(c, 2) ? DIF_TF_SIGNED : 0;
	}
}

static void
stmt_values(struct chance *c, struct dif_stmt *st)
{
	st->kind = below(c, 4) ? DIF_ACT_PRINTF : DIF_ACT_TRACE;
	st->nexprs = st->kind == DIF_ACT_TRACE ? 1 : 1 + below(c, 3);
	st->exprs = make(c, st->nexprs, sizeof(*st->exprs));
	for (uint32_t i = 0; i < st->nexprs; i++)
		value(c, &st->exprs[i]);
}

static void
stmt_effect(struct chance *c, struct dif_stmt *st)
{
	st->kind = DIF_ACT_NONE;
	st->nexprs = 1;
	st->exprs = make(c, 1, sizeof(*st->exprs));
	st->exprs[0].obj = object(c, below(c, 2));
	st->exprs[0].type = st->exprs[0].obj->rtype;
}

static void
stmt_agg(struct chance *c, struct dif_stmt *st)
{
	const struct dif_aggvar *v;
	const struct dif_agg_info *info;
	uint32_t values;

	st->agg = below(c, c->t->tab.naggs);
	v = c->t->tab.aggs[st->agg];
	info = dif_agg_by_code(v->func);
	st->kind = v->func;
	st->nkeys = v->nkeys;
	values = info->values +
		 (info->hist && below(c, 2));
	st->nexprs = st->nkeys + values;
	st->exprs = make(c, st->nexprs + 1, sizeof(*st->exprs));
	for (uint32_t i = 0; i < st->nexprs; i++) {
		bool str = i < st->nkeys && v->keys[i].kind == DIF_TYPE_STRING;
		st->exprs[i].obj = object(c, str);
		st->exprs[i].type = st->exprs[i].obj->rtype;
	}
}

/* The id is mostly one that there is: speculation() gives them in order. */
static void
stmt_spec(struct chance *c, struct dif_stmt *st, uint32_t kind)
{
	struct dif_obj *o = make(c, 1, sizeof(*o));

	o->text = make(c, 2, sizeof(*o->text));
	o->text[0] = DIF_INSTR_W(DIF_OP_SETX, 0, 1);
	o->text[1] = DIF_INSTR_R(DIF_OP_RET, 0, 0, 1);
	o->ntext = 2;
	o->inttab = make(c, 1, sizeof(*o->inttab));
	o->inttab[0] = below(c, 10) ? below(c, DIFF_NSPEC + 2) : chance(c);
	o->nint = 1;
	o->strtab = make(c, 1, 1);
	o->strlen = 1;
	o->rtype = t_int;
	st->kind = kind;
	st->nexprs = 1;
	st->exprs = make(c, 1, sizeof(*st->exprs));
	st->exprs[0].obj = below(c, 8) ? o : object(c, false);
	st->exprs[0].type = t_int;
}

static void
clause(struct chance *c, struct dif_clause *cl)
{
	uint32_t first = below(c, 5) == 0, last = below(c, 5) == 0;

	cl->nstmts = 1 + below(c, 3) + first + last;
	cl->stmts = make(c, cl->nstmts, sizeof(*cl->stmts));
	if (first)
		stmt_spec(c, &cl->stmts[0], DIF_ACT_SPECULATE);
	if (last)
		stmt_spec(c, &cl->stmts[cl->nstmts - 1],
			  below(c, 2) ? DIF_ACT_COMMIT : DIF_ACT_DISCARD);
	cl->uses_locals = true;
	cl->args_used = 0x3ff;
	if (below(c, 5) == 0)
		cl->pred = object(c, false);
	for (uint32_t i = first; i < cl->nstmts - last; i++) {
		uint32_t what = below(c, 8);

		if (what < 4) {
			stmt_values(c, &cl->stmts[i]);
			cl->records = true;
		} else if (what < 5) {
			stmt_effect(c, &cl->stmts[i]);
		} else {
			stmt_agg(c, &cl->stmts[i]);
		}
	}
}

/* printf() of arg1 .. arg5. */
static void
clause_error(struct chance *c, struct dif_clause *cl)
{
	struct dif_stmt *st = make(c, 1, sizeof(*st));

	st->kind = DIF_ACT_PRINTF;
	st->nexprs = 5;
	st->exprs = make(c, 5, sizeof(*st->exprs));
	for (uint32_t i = 0; i < 5; i++) {
		struct dif_obj *o = make(c, 1, sizeof(*o));
		o->text = make(c, 2, sizeof(*o->text));
		o->text[0] = DIF_INSTR_W(DIF_OP_LDGS, DIF_VAR_arg1 + i, 1);
		o->text[1] = DIF_INSTR_R(DIF_OP_RET, 0, 0, 1);
		o->ntext = 2;
		o->strtab = make(c, 1, 1);
		o->strlen = 1;
		o->rtype = t_int;
		st->exprs[i].obj = o;
		st->exprs[i].type = t_int;
	}
	cl->stmts = st;
	cl->nstmts = 1;
	cl->records = true;
	cl->args_used = 0x3e;
}

/* ---- the trace ----------------------------------------------------------- */

void
diff_trace_init(struct diff_trace *t, uint64_t seed, uint32_t n)
{
	static const uint32_t strsizes[] = { 256, 64, 32, 9, 1000 };
	struct chance c = { .state = seed * 0x2545f4914f6cdd1du, .t = t };
	struct dif_sizes sizes = { .scratchsize = RT_SCRATCH_SMALL,
				   .strsize = strsizes[below(&c, 5)],
				   .stackframes = 4,
				   .ustackframes = 4 };
	struct dif_prog *progs[] = { &t->prog };

	memset(t, 0, sizeof(*t));
	t->seed = seed;
	t->a = arena_new();
	t->en.sizes = sizes;
	add_vars(&c);
	add_aggs(&c);
	dif_layout(NULL, 0, &t->tab, &sizes, t->a); /* dry runs need it */
	t->prog.arena = t->a;
	t->prog.nclauses = n + 1;
	t->prog.clauses = make(&c, n + 1, sizeof(*t->prog.clauses));
	for (uint32_t i = 0; i <= n; i++) {
		if (i < n)
			clause(&c, &t->prog.clauses[i]);
		else
			clause_error(&c, &t->prog.clauses[i]);
		t->clp[i] = &t->prog.clauses[i];
		t->ecbs[i] = (struct dif_ecb){ i + 1, i == n, i };
	}
	dif_layout(progs, 1, &t->tab, &sizes, t->a);
	t->en = (struct dif_enabling){
		.probes = probes,
		.nprobes = 2,
		.clauses = t->clp,
		.nclauses = n + 1,
		.ecbs = t->ecbs,
		.necbs = n + 1,
		.tab = &t->tab,
		.sizes = sizes,
	};
}

void
diff_trace_fini(struct diff_trace *t)
{
	arena_free(t->a);
}
