/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * clause.c - clauses and their statements.
 *
 * A clause is compiled once for each of its probe descriptions, because the
 * types of args[] differ between them, each time from a fresh copy of its
 * tree.  The body comes before the predicate, though it runs after it: so the
 * predicate may use variables that the body is the first to assign, as in
 *
 *   tick-1s /n < 10/ { n++; }
 *
 * Only a predicate that itself assigns comes first, for the body may use what
 * it makes.
 *
 * A clause with if statements becomes several clauses for the same probe,
 * which run one after the other.  With hidden clause-local variables %1, %2,
 * one per if statement:
 *
 *   p /P/ { A; if (C) { B } else { D } E }
 *
 *   p      { this->%1 = 0 }
 *   p /P/  { A; this->%1 = C ? 2 : 1 }
 *   p /this->%1 == 2/ { B }
 *   p /this->%1 == 1/ { D }
 *   p /this->%1 != 0/ { E }
 *
 * P is evaluated once, and nothing runs after a fault in A or C.  Where A has
 * speculate(), the other parts begin with it, too.
 */
#include "lang/clause/clause_impl.h"

#include <string.h>

/* ---- statements --------------------------------------------------------- */

/* An expression for its effect: x = 1; */
static void
check_effect(struct compile *cx, struct node *e)
{
	struct dif_stmt *st;

	if (e->kind == NODE_UNARY && e->op == TOK_POSTINC)
		e->op = TOK_INC; /* nobody needs the old value */
	if (e->kind == NODE_UNARY && e->op == TOK_POSTDEC)
		e->op = TOK_DEC;
	check_expr(cx, e);
	st = check_stmt_new(cx, DIF_ACT_NONE, e->loc);
	check_stmt_exprs(cx, st, 1);
	st->exprs[0].src = DIF_SRC_OBJ;
	check_c(cx, e, CHECK_C_NONE);
	st->exprs[0].obj = gen_expr(cx, e, GEN_EFFECT);
	st->exprs[0].type = dtype_dif(e->type);
}

/* `OPT ? action : 1` with a constant condition is one arm or the other. */
static struct node *
constant_arm(struct compile *cx, struct node *e)
{
	while (e->kind == NODE_COND) {
		struct node *c = node_copy(cx, e->cond);

		c = check_scalar(cx, c, &D_OP_SCALAR, "operator ?:");
		if (!c->is_const)
			return e;
		e = c->ival != 0 ? e->left : e->right;
	}
	return e;
}

static void
check_stmt(struct compile *cx, struct node *s)
{
	struct node *e = constant_arm(cx, s->left);

	if (e->kind == NODE_ASSIGN && e->left->kind == NODE_AGG)
		check_aggregate(cx, e);
	else if (e->kind == NODE_AGG)
		lang_fail(cx, &D_AGG_NULL, e->loc,
			  "aggregation @%s alone has no effect", e->name);
	else if (e->kind == NODE_CALL && e->name != NULL &&
		 names_aggfunc(cx, e->name) != NULL)
		lang_fail(cx, &D_CG_EXPR, e->loc,
			  "aggregating function %s() alone has no effect: "
			  "assign it to an aggregation",
			  e->name);
	else if (!check_action(cx, e))
		check_effect(cx, e);
}

static void
try_stmt(struct compile *cx, void *stmt)
{
	check_stmt(cx, stmt);
}

/* Check a statement; if it fails, those after it shall be checked too. */
static void
check_each(struct compile *cx, struct node *s)
{
	compile_try(cx, check_has_effect(s->left, false), try_stmt, s);
}

/* ---- clauses ------------------------------------------------------------ */

static const char *
own_str(struct compile *cx, const char *s)
{
	return arena_strdup(cx->out, s != NULL ? s : "");
}

static const char *
pdesc_name(struct compile *cx, const struct dif_pdesc *pd)
{
	if (pd->id != 0)
		return arena_printf(cx->out, "%u", pd->id);
	return arena_printf(cx->out, "%s:%s:%s:%s", pd->prov, pd->mod, pd->func,
			    pd->name);
}

/* Start a clause for the probe of the present one. */
static void
clause_begin(struct compile *cx)
{
	struct clause_cx *cl = clause_of(cx);

	cl->stmts = NULL;
	cl->nstmts = cl->cap = 0;
	cl->records = cl->uses_locals = false;
	cl->speculated = cl->committed = cl->recorded = false;
	cl->args_used = 0;
}

/* Add what has been compiled to the program. */
static void
clause_end(struct compile *cx, struct dif_obj *pred)
{
	struct clause_cx *cl = clause_of(cx);
	const struct dif_pdesc *pd = cl->pdesc;
	struct dif_clause c = { 0 };

	check_who(cx);
	c.pdesc.id = pd->id;
	c.pdesc.prov = own_str(cx, pd->prov);
	c.pdesc.mod = own_str(cx, pd->mod);
	c.pdesc.func = own_str(cx, pd->func);
	c.pdesc.name = own_str(cx, pd->name);
	c.pred = pred;
	c.nstmts = cl->nstmts;
	c.stmts = arena_calloc(cx->out, cl->nstmts, sizeof(*c.stmts));
	if (cl->nstmts != 0)
		memcpy(c.stmts, cl->stmts, cl->nstmts * sizeof(*c.stmts));
	c.loc = cl->loc;
	c.src = cx->src->file != NULL ? own_str(cx, cx->src->file)
				      : pdesc_name(cx, pd);
	c.records = cl->records && !cx->src->maker;
	c.maker = cx->src->maker;
	c.uses_locals = cl->uses_locals;
	c.args_used = cl->args_used;
	c.within = cl->within;
	c.within_var = cl->within_var;
	c.before = (uint32_t)(cx->clauses.n - cx->first);
	if (!vec_push(&cx->clauses, c))
		lang_nomem(cx);
}

static struct dif_obj *
gen_predicate(struct compile *cx, struct node *pred)
{
	if (pred == NULL)
		return NULL;
	check_expr(cx, pred);
	if (!type_is_scalar(pred->type))
		lang_fail(cx, &D_PRED_SCALAR, pred->loc,
			  "a predicate needs an integer or a pointer, not %s",
			  lang_type_name(cx, pred->type));
	check_c(cx, pred, CHECK_C_ALL);
	return gen_expr(cx, pred, GEN_VALUE);
}

/* ---- if ----------------------------------------------------------------- */

/* For who writes the program back: a part begins, as the present clause. */
static void
shown_part(struct compile *cx, const struct node *pred)
{
	const struct clause_cx *cl = clause_of(cx);
	struct part p = { .pdesc = cl->pdesc };

	if (!shown_text_wanted(cx))
		return;
	p.pred = node_copy(cx, pred);
	p.spec = node_copy(cx, cl->spec_id);
	list_push(cx, cx->shown.parts, cx->shown.nparts, p);
}

/* A statement of that part. */
static void
shown_stmt(struct compile *cx, const struct node *e)
{
	struct part *p;

	if (!shown_text_wanted(cx))
		return;
	p = &cx->shown.parts[cx->shown.nparts - 1];
	list_push(cx, p->stmts, p->nstmts, node_copy(cx, e));
}

static bool
has_if(struct node *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i]->kind == NODE_IF)
			return true;
	return false;
}

static uint32_t
count_ifs(struct node *const *v, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (v[i]->kind == NODE_IF)
			k += 1 + count_ifs(v[i]->body, v[i]->nbody) +
			     count_ifs(v[i]->orelse, v[i]->norelse);
	return k;
}

/* this->%k, declared on first use. */
static struct node *
hidden_var(struct compile *cx, struct src_loc loc, uint32_t k)
{
	struct node *n = node_new(cx, NODE_THIS, loc);
	struct ident *id;

	n->name = arena_printf(cx->arena, "%%%u", k);
	id = names_find(cx, DIF_SCOPE_LOCAL, n->name);
	if (id == NULL) {
		id = names_add(cx, DIF_SCOPE_LOCAL, ID_VAR, n->name,
			       dtype_basic(cx, TYPE_B_INT), loc);
		names_make_var(cx, id, DIF_SCOPE_LOCAL, NULL, 0);
	}
	return n;
}

static struct node *
hidden_test(struct compile *cx, struct src_loc loc, uint32_t k, int op,
	    uint64_t val)
{
	struct node *n = node_new(cx, NODE_BINARY, loc);

	n->op = op;
	n->left = hidden_var(cx, loc, k);
	n->right = node_int(cx, loc, val, dtype_basic(cx, TYPE_B_INT));
	return n;
}

static void
hidden_set(struct compile *cx, struct src_loc loc, uint32_t k, struct node *val)
{
	struct node *n = node_new(cx, NODE_ASSIGN, loc);

	n->op = '=';
	n->left = hidden_var(cx, loc, k);
	n->right = val;
	shown_stmt(cx, n);
	check_effect(cx, n);
}

static void
clear_hidden(struct compile *cx, struct src_loc loc, uint32_t n)
{
	clause_begin(cx);
	shown_part(cx, NULL);
	for (uint32_t k = 1; k <= n; k++)
		hidden_set(cx, loc, k,
			   node_int(cx, loc, 0, dtype_basic(cx, TYPE_B_INT)));
	clause_end(cx, NULL);
}

/* `this->%k = C ? 2 : 1` */
static void
set_condition(struct compile *cx, struct node *s, uint32_t k)
{
	struct node *c = node_new(cx, NODE_COND, s->loc);

	c->cond = s->cond;
	c->left = node_int(cx, s->loc, 2, dtype_basic(cx, TYPE_B_INT));
	c->right = node_int(cx, s->loc, 1, dtype_basic(cx, TYPE_B_INT));
	hidden_set(cx, s->loc, k, c);
}

/* Statements up to and including if statements, under a predicate; later: the
   caller sees to that of the first part. */
static void
check_parts(struct compile *cx, struct node *pred, bool later, struct node **v,
	    uint32_t n)
{
	struct dif_obj *p;
	uint32_t i = 0;

	while (i < n) {
		struct node *s, *spec;
		uint32_t k;

		clause_begin(cx);
		shown_part(cx, pred);
		p = later ? NULL : gen_predicate(cx, pred);
		later = false;
		check_spec_again(cx, v[i]->loc);
		for (; i < n && v[i]->kind != NODE_IF; i++) {
			shown_stmt(cx, v[i]->left);
			check_each(cx, v[i]);
		}
		if (i == n) {
			clause_end(cx, p);
			return;
		}
		s = v[i++];
		k = ++clause_of(cx)->nifs;
		set_condition(cx, s, k);
		check_spec_more(cx);
		clause_end(cx, p);
		spec = clause_of(cx)->spec_id;
		if (s->nbody != 0)
			check_parts(cx, hidden_test(cx, s->loc, k, TOK_EQ, 2),
				    false, s->body, s->nbody);
		clause_of(cx)->spec_id = spec;
		if (s->norelse != 0)
			check_parts(cx, hidden_test(cx, s->loc, k, TOK_EQ, 1),
				    false, s->orelse, s->norelse);
		clause_of(cx)->spec_id = spec;
		pred = hidden_test(cx, s->loc, k, TOK_NE, 0);
	}
}

/* A body with if statements: the predicate is that of its first part. */
static void
check_branches(struct compile *cx, struct node *pred, struct node **body,
	       const struct clause_node *cn)
{
	bool late = !check_has_effect(pred, false);
	struct clause_cx *cl = clause_of(cx);
	struct dif_clause *c;
	size_t first;

	clear_hidden(cx, cn->loc, count_ifs(body, cn->nbody));
	first = cx->clauses.n;
	check_parts(cx, pred, late, body, cn->nbody);
	if (!late)
		return;
	clause_begin(cx);
	c = &cx->clauses.v[first];
	c->pred = gen_predicate(cx, pred);
	c->uses_locals |= cl->uses_locals;
	c->args_used |= cl->args_used;
}

/* The predicate, and where probes are made of others, whether this one
   fires. */
static struct node *
whole_predicate(struct compile *cx, const struct clause_node *cn)
{
	struct node *pred = node_copy(cx, cn->pred), *n, *fires;

	if (!clause_of(cx)->info->made)
		return pred;
	fires = check_made_fires(cx, cn->loc);
	if (pred == NULL)
		return fires;
	n = node_new(cx, NODE_BINARY, pred->loc);
	n->op = TOK_LAND;
	n->left = fires;
	n->right = pred;
	return n;
}

static void
check_whole(struct compile *cx, struct node *pred, const struct clause_node *cn)
{
	struct node **body = node_copy_list(cx, cn->body, cn->nbody);
	struct clause_cx *cl = clause_of(cx);
	struct dif_obj *p = NULL;
	bool late;

	if (has_if(body, cn->nbody)) {
		check_branches(cx, pred, body, cn);
		return;
	}
	late = !check_has_effect(pred, false);
	clause_begin(cx);
	if (!late)
		p = gen_predicate(cx, pred);
	for (uint32_t i = 0; i < cn->nbody; i++)
		check_each(cx, body[i]);
	if (cn->nbody == 0)
		cl->records = true; /* the default action */
	if (late)
		p = gen_predicate(cx, pred);
	clause_end(cx, p);
}

/* What a predicate demands holds for all parts of its clause. */
static void
check_body(struct compile *cx, const struct clause_node *cn)
{
	struct node *pred = whole_predicate(cx, cn);
	size_t first = cx->clauses.n;

	check_whole(cx, pred, cn);
	for (size_t i = first; i < cx->clauses.n; i++)
		check_only(pred, &cx->clauses.v[i]);
}

_Noreturn static void
no_probes(struct compile *cx, const struct dif_pdesc *pd, struct src_loc loc,
	  const char *hint)
{
	if (pd->id != 0)
		lang_fail(cx, &D_PDESC_ZERO, loc,
			  "probe description %u does not match any probes",
			  pd->id);
	lang_fail(cx, &D_PDESC_ZERO, loc,
		  "probe description %s:%s:%s:%s does not match any probes%s",
		  pd->prov, pd->mod, pd->func, pd->name,
		  hint != NULL ? hint : "");
}

/* Ask the world which probes there are, and of what types. */
static void
find_probes(struct compile *cx, const struct dif_pdesc *pd, struct src_loc loc,
	    struct lang_probe_info *pi)
{
	const struct lang_host *h = &cx->lang->host;
	struct err e = { 0 };

	for (unsigned i = 0; i < DIF_NARGS; i++)
		pi->map[i] = (uint8_t)i;
	if (h->probe_info == NULL)
		return;
	if (h->probe_info(h->arg, pd, pi, &e) != 0)
		lang_fail(cx, e.tag != NULL ? e.tag : &D_PDESC_INVAL, loc, "%s",
			  e.msg);
	check_prov_types(cx, pd, pi);
	if (pi->made_some)
		lang_fail(cx, &D_ARGS_MULTI, loc,
			  "%s:%s:%s:%s matches probes that are made of others "
			  "and probes that are not: name their provider",
			  pd->prov, pd->mod, pd->func, pd->name);
	pi->made &= !cx->src->maker;
	if (pi->nmatch == 0 && (cx->cflags & LANG_C_ZDEFS) == 0)
		no_probes(cx, pd, loc, pi->hint);
}

void
clause_compile(struct compile *cx, const struct clause_node *cn)
{
	if (cx->src->library)
		lang_fail(cx, &D_SYNTAX, cn->loc,
			  "a D library may have declarations only, no clauses");
	cx->first = cx->clauses.n;
	for (uint32_t i = 0; i < cn->npdescs; i++) {
		struct lang_probe_info *pi =
			arena_alloc(cx->arena, sizeof(*pi));
		struct clause_cx cl = { .pdesc = &cn->pdescs[i],
					.info = pi,
					.loc = cn->loc };

		find_probes(cx, &cn->pdescs[i],
			    cn->plocs != NULL ? cn->plocs[i] : cn->loc, pi);
		cx->clause = &cl;
		check_body(cx, cn);
		cx->clause = NULL;
	}
}
