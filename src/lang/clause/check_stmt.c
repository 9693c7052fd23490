/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_stmt.c - a clause's statements, and in what order they may stand.
 *
 * A clause has one record.  So speculate(), which says whose it is, stands
 * before all that record, and a clause that commits records nothing: what
 * would be its own, and what the speculation's?  Aggregations and actions that
 * take effect at once cannot be held back.
 */
#include "lang/clause/clause_impl.h"

#include <string.h>

/* ---- order --------------------------------------------------------------- */

static const struct err_tag *
order_of_spec(const struct clause_cx *cl, uint32_t kind, const char **why)
{
	if (kind == DIF_ACT_SPECULATE) {
		*why = cl->committed ? "may not follow commit()" :
		       cl->speculated ? "may only be called once in a clause" :
					"may not follow actions that record "
					"data";
		return cl->committed  ? &D_SPEC_COMM :
		       cl->speculated ? &D_SPEC_SPEC :
		       cl->recorded   ? &D_SPEC_DREC : NULL;
	}
	if (kind != DIF_ACT_COMMIT)
		return NULL;
	*why = cl->committed ? "may only be called once in a clause" :
			       "may not follow actions that record data";
	return cl->committed ? &D_COMM_COMM :
	       cl->recorded  ? &D_COMM_DREC : NULL;
}

/* Aggregations, and actions whose effect is not the consumer's affair. */
static const struct err_tag *
order_of_effect(const struct clause_cx *cl, uint32_t kind,
		const struct dif_act_info *act, const char **why)
{
	*why = cl->committed ? "may not follow commit()" :
			       "may not follow speculate()";
	if (DIF_ACT_IS_AGG(kind))
		return cl->committed  ? &D_AGG_COMM :
		       cl->speculated ? &D_AGG_SPEC : NULL;
	if (act->cls == DIF_AC_CONTROL && cl->committed)
		return &D_DREC_COMM;
	if (cl->speculated && act->cls == DIF_AC_CONTROL)
		return &D_EXIT_SPEC;
	if (cl->speculated && act->cls == DIF_AC_DESTRUCTIVE) {
		*why = "may not follow speculate()";
		return &D_ACT_SPEC;
	}
	return NULL;
}

/* True if the action leaves something in the record that is to be printed. */
static bool
is_data(uint32_t kind, const struct dif_act_info *act)
{
	return act != NULL && dif_act_records(kind) &&
	       act->cls != DIF_AC_CONTROL && !dif_act_at_probe(kind);
}

static void
check_order(struct compile *cx, uint32_t kind, struct src_loc loc)
{
	struct clause_cx *cl = clause_of(cx);
	const struct dif_act_info *act = dif_act_by_code(kind);
	const struct err_tag *tag = NULL;
	const char *why = "may not follow commit()";

	if (kind == DIF_ACT_NONE)
		return;
	if (DIF_ACT_IS_SPEC(kind))
		tag = order_of_spec(cl, kind, &why);
	else if (is_data(kind, act) && cl->committed)
		tag = &D_DREC_COMM;
	else
		tag = order_of_effect(cl, kind, act, &why);
	if (tag != NULL)
		lang_fail(cx, tag, loc, "%s%s %s",
			  act != NULL ? act->name : "an aggregating action",
			  act != NULL ? "()" : "", why);
	cl->speculated |= kind == DIF_ACT_SPECULATE;
	cl->committed |= kind == DIF_ACT_COMMIT;
	cl->recorded |= is_data(kind, act);
}

/* ---- statements ---------------------------------------------------------- */

struct dif_stmt *
check_stmt_new(struct compile *cx, uint32_t kind, struct src_loc loc)
{
	struct clause_cx *cl = clause_of(cx);
	struct dif_stmt *st;

	check_order(cx, kind, loc);
	if (cl->nstmts == cl->cap) {
		uint32_t cap = cl->cap == 0 ? 8 : cl->cap * 2;
		struct dif_stmt *v = arena_calloc(cx->arena, cap, sizeof(*v));

		if (cl->nstmts != 0)
			memcpy(v, cl->stmts, cl->nstmts * sizeof(*v));
		cl->stmts = v;
		cl->cap = cap;
	}
	st = &cl->stmts[cl->nstmts++];
	st->kind = kind;
	st->line = loc.line;
	if (dif_act_records(kind) && !dif_act_at_probe(kind))
		cl->records = true;
	return st;
}

void
check_stmt_exprs(struct compile *cx, struct dif_stmt *st, uint32_t n)
{
	st->exprs = arena_calloc(cx->out, n, sizeof(*st->exprs));
	st->nexprs = n;
}
