/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_spec.c - speculative tracing: speculate(), commit() and discard().
 * What may stand with them in a clause: check_stmt.c.
 */
#include "lang/clause/clause_impl.h"

static void
spec_value(struct compile *cx, struct node *id, struct dif_stmt *st)
{
	check_stmt_exprs(cx, st, 1);
	check_record_as(cx, id, dtype_basic(cx, TYPE_B_INT), &st->exprs[0]);
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
