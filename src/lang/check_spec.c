/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_spec.c - speculative tracing: speculate(), commit(), discard(), and
 * what may stand with them in a clause.
 *
 * A clause has one record.  So speculate(), which says whose it is, stands
 * before all that record, and a clause that commits records nothing: what
 * would be its own, and what the speculation's?  Aggregations and actions that
 * take effect at once cannot be held back.
 */
#include "lang/check_impl.h"

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

void
check_spec_order(struct compile *cx, uint32_t kind, struct src_loc loc)
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

static void
spec_value(struct compile *cx, struct node *id, struct dif_stmt *st)
{
	check_stmt_exprs(cx, st, 1);
	check_record_as(cx, id, basic(cx, TYPE_B_INT), &st->exprs[0]);
}

void
check_spec(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	struct clause_cx *cl = clause_of(cx);
	struct node *id;

	if (call->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "%s() takes one argument, not %u", call->name,
			  call->nargs);
	if (st->kind == DIF_ACT_SPECULATE) {
		cl->spec_id = node_copy(cx, call->args[0]);
		cl->records = true; /* if nothing else, that it fired */
	}
	id = check_rvalue(cx, call->args[0]);
	if (!type_is_integer(id->type))
		lang_fail(cx, &D_PROTO_ARG, id->loc,
			  "%s() needs the id of a speculation, not %s",
			  call->name, lang_type_name(cx, id->type));
	spec_value(cx, id, st);
}

void
check_spec_again(struct compile *cx, struct src_loc loc)
{
	struct node *id = clause_of(cx)->spec_id;

	if (id == NULL)
		return;
	spec_value(cx, check_rvalue(cx, node_copy(cx, id)),
		   check_stmt_new(cx, DIF_ACT_SPECULATE, loc));
}

void
check_spec_more(struct compile *cx)
{
	struct clause_cx *cl = clause_of(cx);

	if (cl->speculated)
		cl->records = cl->recorded;
}
