/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_comp.c - the components of a trace (dt_place.h): union-find over clauses,
 * joined by the variables that their DIF names and by speculations, and for
 * each component what it asks of an engine.
 *
 * What engines can do is in the rows of var.def, subr.def, act.def and
 * site.def; beyond that only kernel memory counts: an object with the address
 * of a kernel symbol runs in the kernel engine alone.
 */
#include "base/vec.h"
#include "lib/dt_place.h"

#include <stdlib.h>
#include <string.h>

#define NUSER (DIF_VAR_MAX + 1 - DIF_VAR_USER_MIN) /* user ids of a scope */
#define NONE  UINT32_MAX

struct need {
	unsigned engines;
	const char *only_k, *only_p;
	bool locals;
	bool shared; /* something that threads of other processes see too */
};

/* A clause that writes a self-> variable. */
struct writer {
	uint32_t clause, var;
};

struct comp_cx {
	struct arena *a;
	const struct dif_enabling *en;
	uint32_t *parent;   /* [nclauses] */
	uint32_t *owner[2]; /* [NUSER]: 1 + a clause that uses the variable;
			       by enum dif_scope, GLOBAL and THREAD */
	uint32_t speculator; /* 1 + a clause that has to do with speculations */
	struct need *need;  /* [nclauses] */
	VEC(struct writer) writers;
	int32_t *who; /* [nclauses]: comp_who() */
	bool failed;	    /* no memory for a text */
};

/* ---- union-find ---------------------------------------------------------- */

static uint32_t
comp_find(uint32_t *parent, uint32_t c)
{
	while (parent[c] != c)
		c = parent[c] = parent[parent[c]];
	return c;
}

/* The lowest clause stands for its set. */
static void
comp_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = comp_find(parent, a);
	b = comp_find(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

/* ---- what DIF asks for --------------------------------------------------- */

/* form: how the name is written, as in "%s()" */
static void
need_row(struct comp_cx *cx, uint32_t clause, unsigned engines,
	 const char *form, const char *name)
{
	struct need *n = &cx->need[clause];
	const char **only = (engines & DIF_ENG_P) == 0 ? &n->only_k :
			    (engines & DIF_ENG_K) == 0 ? &n->only_p : NULL;

	n->engines &= engines;
	if (only == NULL || *only != NULL)
		return;
	*only = arena_printf(cx->a, form, name);
	cx->failed |= *only == NULL;
}

static void
use_builtin(struct comp_cx *cx, uint32_t clause,
	    const struct dif_builtin_info *b)
{
	const struct dif_clause *c = cx->en->clauses[clause];
	const char *name = b->name;

	if (c->within != NULL && c->within_var == b->id)
		name = arena_printf(cx->a, "%s (which is made of %s)",
				    c->within, b->name);
	if (name != NULL)
		need_row(cx, clause, b->engines, "%s", name);
	cx->failed |= name == NULL;
}

static void
comp_use_var(struct comp_cx *cx, uint32_t clause, unsigned scope, uint32_t id)
{
	const struct dif_builtin_info *b;

	if (scope == DIF_SCOPE_LOCAL) {
		cx->need[clause].locals = true;
		return;
	}
	if (id < DIF_VAR_USER_MIN) {
		b = dif_builtin_by_id(id);
		if (b != NULL)
			use_builtin(cx, clause, b);
		return;
	}
	cx->need[clause].shared |= scope == DIF_SCOPE_GLOBAL;
	uint32_t *owner = &cx->owner[scope][id - DIF_VAR_USER_MIN];
	if (*owner != 0)
		comp_join(cx->parent, *owner - 1, clause);
	*owner = clause + 1;
}

/* Speculations are shared by all who use any. */
static void
use_spec(struct comp_cx *cx, uint32_t clause)
{
	cx->need[clause].shared = true;
	if (cx->speculator != 0)
		comp_join(cx->parent, cx->speculator - 1, clause);
	cx->speculator = clause + 1;
}

static void
use_instr(struct comp_cx *cx, uint32_t clause, dif_instr_t i)
{
	const struct dif_subr_info *s;
	enum dif_scope scope = dif_op_info[DIF_OP(i)].scope;

	if (scope != DIF_SCOPE_NONE)
		comp_use_var(cx, clause, scope, DIF_VARNUM(i));
	if (DIF_OP(i) == DIF_OP_STTS) {
		const struct writer w = { clause, DIF_VARNUM(i) };
		cx->failed |= !vec_push(&cx->writers, w);
	}
	if (DIF_OP(i) != DIF_OP_CALL)
		return;
	s = dif_subr_by_id(DIF_IDX(i));
	if (s == NULL)
		return;
	need_row(cx, clause, s->engines, "%s()", s->name);
	if ((s->needs & DIF_NEED_SPEC) != 0)
		use_spec(cx, clause);
}

static void
use_obj(struct comp_cx *cx, uint32_t clause, const struct dif_obj *o)
{
	if (o == NULL)
		return;
	if (o->kernel)
		need_row(cx, clause, DIF_ENG_IK, "%s", "kernel symbols");
	for (uint32_t i = 0; i < o->ntext; i++)
		use_instr(cx, clause, o->text[i]);
}

/* The actions whose values need no DIF: also as keys of aggregations. */
static void
use_src(struct comp_cx *cx, uint32_t clause, const struct dif_expr *x)
{
	static const uint32_t acts[] = { [DIF_SRC_STACK] = DIF_ACT_STACK,
					 [DIF_SRC_USTACK] = DIF_ACT_USTACK };

	if (x->src != DIF_SRC_STACK && x->src != DIF_SRC_USTACK)
		return;
	const struct dif_act_info *a = dif_act_by_code(acts[x->src]);
	need_row(cx, clause, a->engines, "%s()", a->name);
}

static void
use_clause(struct comp_cx *cx, uint32_t c)
{
	const struct dif_clause *cl = cx->en->clauses[c];

	cx->need[c].engines = DIF_ENG_K | DIF_ENG_P;
	use_obj(cx, c, cl->pred);
	for (uint32_t s = 0; s < cl->nstmts; s++) {
		const struct dif_stmt *st = &cl->stmts[s];
		const struct dif_act_info *a = dif_act_by_code(st->kind);
		if (a != NULL)
			need_row(cx, c, a->engines, "%s()", a->name);
		if (DIF_ACT_IS_SPEC(st->kind))
			use_spec(cx, c);
		for (uint32_t x = 0; x < st->nexprs; x++) {
			use_src(cx, c, &st->exprs[x]);
			use_obj(cx, c, st->exprs[x].obj);
		}
	}
}

/* ---- what probes ask for ------------------------------------------------- */

/* this-> is shared by the clauses of one probe; ERROR is everybody's. */
static void
join_probes(struct comp_cx *cx)
{
	uint32_t probe = NONE, last = NONE;
	bool error = false;

	for (uint32_t i = 0; i < cx->en->necbs; i++) {
		const struct dif_ecb *ecb = &cx->en->ecbs[i];
		const struct dif_probe *p = &cx->en->probes[ecb->probe];
		if (ecb->probe != probe)
			last = NONE;
		probe = ecb->probe;
		for (uint32_t s = 0; s < p->nsites; s++)
			error |= p->sites[s].kind == DIF_SITE_ERROR;
		if (!cx->need[ecb->clause].locals)
			continue;
		if (last != NONE)
			comp_join(cx->parent, last, ecb->clause);
		last = ecb->clause;
	}
	for (uint32_t c = 1; error && c < cx->en->nclauses; c++)
		comp_join(cx->parent, 0, c);
}

/* The engines that have what a row names. */
static void
comp_row(struct dt_comp *comp, unsigned engines, const char *text)
{
	comp->engines &= engines;
	if ((engines & DIF_ENG_P) == 0 && comp->only_k == NULL)
		comp->only_k = text;
	if ((engines & DIF_ENG_K) == 0 && comp->only_p == NULL)
		comp->only_p = text;
}

/* `others`: engines that do not look at the site. */
static void
comp_recipe(struct dt_comp *comp, const struct dif_recipe *r, unsigned others)
{
	const struct dif_recipe_info *info = &dif_recipe_info[r->kind];

	comp_row(comp, info->engines | others, info->text);
}

/* Neighbours mostly have the same. */
static void
comp_args(struct dt_comp *comp, const struct dif_recipes *r, unsigned others)
{
	comp->args = r;
	for (unsigned i = 0; r != NULL && i < DIF_NARGS; i++)
		comp_recipe(comp, &r->arg[i], others);
}

static void
comp_when(struct dt_comp *comp, const struct dif_whens *w, unsigned others)
{
	for (uint32_t i = 0; i < w->n; i++)
		comp_recipe(comp, &w->v[i].what, others);
	if (w->once.kind != DIF_RCP_NONE)
		comp_row(comp, DIF_ENG_IK | others,
			 "conditions that hold once");
}

/* True if it is in every process that maps its file. */
static bool
site_everywhere(const struct dif_site *s)
{
	return dif_sites[s->kind].where == DIF_AT_USER && s->pid == 0;
}

/* What the component's engine must have for a site. */
static void
comp_site(struct dt_comp *comp, const struct dif_site *s)
{
	const struct dif_site_info *info = &dif_sites[s->kind];
	const unsigned others = s->engines != 0 ? ~s->engines : 0;

	comp->where |= 1u << info->where;
	comp->tree |= s->engines == DIF_ENG_P;
	comp_row(comp, info->engines | others, info->text);
	if (s->args != comp->args)
		comp_args(comp, s->args, others);
	if (s->when != NULL)
		comp_when(comp, s->when, others);
	if (site_everywhere(s))
		comp_row(comp, DIF_ENG_IK, "probes of every process");
	if (s->pid != 0 && s->pid != comp->pid)
		comp->pid = comp->pid == 0 ? s->pid : DT_PID_SEVERAL;
}

static void
comp_probe(struct dt_comp *comp, const struct dif_probe *p)
{
	const unsigned real = DT_AT(USER) | DT_AT_WIDE;
	unsigned before = comp->where;

	for (uint32_t s = 0; s < p->nsites; s++)
		comp_site(comp, &p->sites[s]);
	if (comp->probe == NULL || (!(before & real) && (comp->where & real)))
		comp->probe = p;
}

/* Code of a process, even if there is none yet (-Z). */
static void
comp_desc(struct dt_comp *comp, const struct dif_clause *c)
{
	if (c->every)
		comp_row(comp, DIF_ENG_IK, "probes of every process");
	if (c->pid == 0)
		return;
	comp->where |= DT_AT(USER);
	if (c->pid != comp->pid)
		comp->pid = comp->pid == 0 ? c->pid : DT_PID_SEVERAL;
}

/* The processes that fire a clause, seen together with one more: 0 is none that
   is known so far. */
static int32_t
who_both(int32_t a, int32_t b)
{
	return a == 0 || a == b ? b : b == 0 ? a : DT_PID_SEVERAL;
}

/* All that write the variable: to begin with it is 0 everywhere. */
static int32_t
who_writes(const struct comp_cx *cx, uint32_t var)
{
	int32_t who = 0;

	for (size_t i = 0; i < cx->writers.n; i++)
		if (cx->writers.v[i].var == var)
			who = who_both(who,
				       cx->who[cx->writers.v[i].clause]);
	return who;
}

/*
 * Which process alone can let a clause pass its predicate: as that says, as its
 * probes are there, or as nobody else sets a self-> variable that it wants.
 * Such clauses may set variables for each other, so what is known of them grows
 * until it stays; those that nothing is known of then set them for themselves
 * alone, and never run.
 */
static void
comp_who(struct comp_cx *cx)
{
	bool more = true;

	for (uint32_t c = 0; c < cx->en->nclauses; c++) {
		const struct dif_clause *cl = cx->en->clauses[c];
		cx->who[c] = cl->only_pid != 0	? cl->only_pid :
			     cl->pid != 0	? cl->pid :
			     cl->only_self != 0 ? 0 : DT_PID_SEVERAL;
	}
	while (more) {
		more = false;
		for (uint32_t c = 0; c < cx->en->nclauses; c++) {
			const struct dif_clause *cl = cx->en->clauses[c];
			int32_t who = cx->who[c];
			if (cl->only_pid != 0 || cl->pid != 0 ||
			    cl->only_self == 0)
				continue;
			cx->who[c] = who_writes(cx, cl->only_self);
			more |= cx->who[c] != who;
		}
	}
}

/* Whose firings of a probe of the whole system, or of every process, a clause
   lets through. */
static void
comp_bound(struct dt_comp *comp, const struct dif_probe *p,
	   const struct dif_clause *c, int32_t who)
{
	bool wide = false;

	for (uint32_t s = 0; s < p->nsites; s++)
		wide |= (1u << dif_sites[p->sites[s].kind].where &
			 DT_AT_WIDE) != 0 || site_everywhere(&p->sites[s]);
	comp->wide |= wide && c->pid == 0 && !c->maker;
	if (wide)
		comp->bound = who_both(comp->bound,
				       who != 0 ? who : DT_PID_SEVERAL);
}

/* A probe of the component and its clause: they may be what only one engine
   has. */
static void
comp_ecb(struct dt_comp *comp, const struct need *need,
	 const struct dif_probe *p)
{
	const bool had_k = comp->only_k != NULL, had_p = comp->only_p != NULL;

	comp->necbs++;
	comp_probe(comp, p);
	if (comp->probe_k == NULL && comp->only_k != NULL &&
	    (!had_k || need->only_k == comp->only_k))
		comp->probe_k = p;
	if (comp->probe_p == NULL && comp->only_p != NULL &&
	    (!had_p || need->only_p == comp->only_p))
		comp->probe_p = p;
}

/* The probes of all clauses that are a provider's, or are not. */
static void
comps_ecbs(struct comp_cx *cx, struct dt_comps *out, bool maker)
{
	const struct dif_enabling *en = cx->en;

	for (uint32_t i = 0; i < en->necbs; i++) {
		const struct dif_ecb *ecb = &en->ecbs[i];
		const struct dif_probe *p = &en->probes[ecb->probe];
		struct dt_comp *comp = &out->v[out->of[ecb->clause]];

		if (en->clauses[ecb->clause]->maker != maker)
			continue;
		comp_ecb(comp, &cx->need[ecb->clause], p);
		comp_bound(comp, p, en->clauses[ecb->clause],
			   cx->who[ecb->clause]);
	}
}

/* Number the sets, and gather what their clauses and probes need. */
static void
comps_gather(struct comp_cx *cx, struct dt_comps *out)
{
	const struct dif_enabling *en = cx->en;

	for (uint32_t c = 0; c < en->nclauses; c++) {
		uint32_t root = comp_find(cx->parent, c);
		if (root == c)
			out->v[out->n++] = (struct dt_comp){
				.engines = DIF_ENG_K | DIF_ENG_P };
		out->of[c] = root == c ? out->n - 1 : out->of[root];
		struct dt_comp *comp = &out->v[out->of[c]];
		comp->nclauses++;
		comp->shared |= cx->need[c].shared;
		comp->engines &= cx->need[c].engines;
		if (comp->only_k == NULL)
			comp->only_k = cx->need[c].only_k;
		if (comp->only_p == NULL)
			comp->only_p = cx->need[c].only_p;
	}
	for (uint32_t c = 0; c < en->nclauses; c++)
		comp_desc(&out->v[out->of[c]], en->clauses[c]);
	/* The user's own clauses name the probes that messages speak of, where
	   a provider's clauses want the same. */
	comps_ecbs(cx, out, false);
	comps_ecbs(cx, out, true);
}

static void
comps_fini(struct comp_cx *cx)
{
	free(cx->parent);
	free(cx->need);
	free(cx->owner[0]);
	free(cx->who);
	vec_fini(&cx->writers);
}

/* What the clauses use.  -1 without memory; comps_fini() also then. */
static int
comps_init(struct comp_cx *cx, struct arena *a, const struct dif_enabling *en)
{
	size_t n = (size_t)en->nclauses + 1;

	*cx = (struct comp_cx){ .a = a, .en = en };
	cx->parent = calloc(n, sizeof(*cx->parent));
	cx->need = calloc(n, sizeof(*cx->need));
	cx->who = calloc(n, sizeof(*cx->who));
	cx->owner[0] = calloc(2 * (size_t)NUSER, sizeof(*cx->owner[0]));
	if (cx->parent == NULL || cx->need == NULL || cx->who == NULL ||
	    cx->owner[0] == NULL)
		return -1;
	cx->owner[1] = cx->owner[0] + NUSER;
	for (uint32_t c = 0; c < en->nclauses; c++)
		cx->parent[c] = c;
	for (uint32_t c = 0; c < en->nclauses; c++)
		use_clause(cx, c);
	return cx->failed ? -1 : 0;
}

int
dt_comps_make(struct arena *a, const struct dif_enabling *en,
	      struct dt_comps *out, struct err *e)
{
	size_t n = (size_t)en->nclauses + 1;
	struct comp_cx cx;

	*out = (struct dt_comps){ .v = arena_calloc(a, n, sizeof(*out->v)),
				  .of = arena_calloc(a, n, sizeof(*out->of)) };
	bool ok = comps_init(&cx, a, en) == 0 && out->v != NULL &&
		  out->of != NULL;
	if (ok) {
		join_probes(&cx);
		comp_who(&cx);
		comps_gather(&cx, out);
	}
	ok &= !cx.failed;
	comps_fini(&cx);
	return ok ? 0 : err_nomem(e);
}

int
dt_comps_who(struct arena *a, const struct dif_enabling *en, int32_t *who,
	     struct err *e)
{
	struct comp_cx cx;
	const bool ok = comps_init(&cx, a, en) == 0;

	if (ok) {
		comp_who(&cx);
		memcpy(who, cx.who, en->nclauses * sizeof(*who));
	}
	comps_fini(&cx);
	return ok ? 0 : err_nomem(e);
}
