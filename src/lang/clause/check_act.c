/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_act.c - actions.
 *
 * An action is a call that stands as a statement.  Its row in dif/act.def says
 * its class and who can serve it; here is what its arguments must be.  Formats
 * are in check_fmt.c, recorded values in check_record.c.
 */
#include "lang/clause/clause_impl.h"

#include <string.h>

/* ---- data --------------------------------------------------------------- */

static void
check_trace(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	struct node *a;

	if (call->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "trace() takes one argument, not %u", call->nargs);
	a = call->args[0];
	if (a->kind == NODE_AGG)
		lang_fail(cx, &D_TRACE_AGG, a->loc,
			  "trace() may not be applied to an aggregation: use "
			  "printa(@%s)",
			  a->name);
	if (check_key_action(cx, a) != NULL)
		lang_fail(cx, &D_TRACE_DYN, a->loc,
			  "trace() may not be applied to %s(): write %s() "
			  "alone",
			  a->name, a->name);
	check_expr(cx, a);
	if (type_is_void(a->type))
		lang_fail(cx, &D_TRACE_VOID, a->loc,
			  "trace() may not be applied to a void expression");
	if (type_is_dyn(a->type))
		lang_fail(cx, &D_TRACE_DYN, a->loc,
			  "trace() may not be applied to a dynamic expression");
	if (type_is_func(a->type))
		a = conv_decay(cx, a);
	check_stmt_exprs(cx, st, 1);
	check_record(cx, a, &st->exprs[0]);
}

/* The user's bytes are first copied in: engines record kernel addresses. */
static struct node *
tracemem_addr(struct compile *cx, struct node *a, uint64_t n)
{
	if (!a->user)
		return conv_to(cx, a, dtype_named(cx, "uintptr_t"));
	return check_subr(cx, a->loc, DIF_SUBR_copyin, a,
			  node_int(cx, a->loc, n, dtype_named(cx, "size_t")));
}

static void
check_tracemem(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	struct node *a;
	int64_t n;

	if (call->nargs < 2 || call->nargs > 3)
		lang_fail(cx, &D_TRACEMEM_ARGS, call->loc,
			  "tracemem() takes two or three arguments, not %u",
			  call->nargs);
	a = check_rvalue(cx, call->args[0]);
	if (!type_is_scalar(a->type))
		lang_fail(cx, &D_TRACEMEM_ADDR, a->loc,
			  "tracemem() needs an address, not %s",
			  lang_type_name(cx, a->type));
	n = check_const(cx, call->args[1], &D_TRACEMEM_SIZE,
			"the size for tracemem()");
	if (n <= 0 || n > 65536)
		lang_fail(cx, &D_TRACEMEM_SIZE, call->args[1]->loc,
			  "tracemem(): the size must be from 1 to 65536");
	st->arg = (uint64_t)n;
	check_stmt_exprs(cx, st, call->nargs - 1);
	check_record(cx, tracemem_addr(cx, a, st->arg), &st->exprs[0]);
	st->exprs[0].type = (struct dif_type){ .ckind = DIF_CK_ARRAY,
					       .flags = DIF_TF_BYREF,
					       .size = (uint32_t)n };
	if (call->nargs < 3)
		return;
	a = check_rvalue(cx, call->args[2]);
	if (!type_is_integer(a->type))
		lang_fail(cx, &D_TRACEMEM_DYNSIZE, a->loc,
			  "tracemem(): the run-time size must be an integer");
	check_record_as(cx, a, dtype_named(cx, "uint64_t"), &st->exprs[1]);
}

/* exit(), raise() and chill() */
static void
check_one_int(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	struct type *t = st->kind == DIF_ACT_CHILL ?
				 dtype_named(cx, "uint64_t") :
				 dtype_basic(cx, TYPE_B_INT);
	struct node *a;

	if (call->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "%s() takes one argument, not %u", call->name,
			  call->nargs);
	a = check_rvalue(cx, call->args[0]);
	if (!type_is_integer(a->type))
		lang_fail(cx, &D_PROTO_ARG, a->loc,
			  "%s() needs an integer, not %s", call->name,
			  lang_type_name(cx, a->type));
	check_stmt_exprs(cx, st, 1);
	check_record_as(cx, a, t, &st->exprs[0]);
}

/* stop() and ftruncate() */
static void
check_no_args(struct compile *cx, struct node *call)
{
	if (call->nargs != 0)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "%s() takes no arguments, not %u", call->name,
			  call->nargs);
}

/* The names and values of options are the consumer's affair. */
static void
check_setopt(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	if (call->nargs < 1 || call->nargs > 2)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "setopt() takes one or two arguments, not %u",
			  call->nargs);
	check_stmt_exprs(cx, st, call->nargs);
	for (uint32_t i = 0; i < call->nargs; i++) {
		struct node *a = call->args[i];

		check_expr(cx, a);
		if (!type_is_strcompat(a->type))
			lang_fail(cx, &D_PROTO_ARG, a->loc,
				  "setopt(): argument #%u must be a string, "
				  "not %s",
				  i + 1, lang_type_name(cx, a->type));
		check_record(cx, conv_string(cx, a), &st->exprs[i]);
	}
}

/* ---- aggregations as a whole -------------------------------------------- */

struct agg_action {
	uint32_t code;
	const struct err_tag *proto, *arg, *bad, *scalar;
	uint32_t min, max;
};
static const struct agg_action agg_actions[] = {
	{ DIF_ACT_CLEAR, &D_CLEAR_PROTO, &D_CLEAR_AGGARG, &D_CLEAR_AGGBAD, NULL,
	  1, 1 },
	{ DIF_ACT_TRUNC, &D_TRUNC_PROTO, &D_TRUNC_AGGARG, &D_TRUNC_AGGBAD,
	  &D_TRUNC_SCALAR, 1, 2 },
	{ DIF_ACT_NORMALIZE, &D_NORMALIZE_PROTO, &D_NORMALIZE_AGGARG,
	  &D_NORMALIZE_AGGBAD, &D_NORMALIZE_SCALAR, 2, 2 },
	{ DIF_ACT_DENORMALIZE, &D_NORMALIZE_PROTO, &D_NORMALIZE_AGGARG,
	  &D_NORMALIZE_AGGBAD, NULL, 1, 1 },
};

static const struct agg_action *
agg_action_of(uint32_t code)
{
	for (size_t i = 0; i < sizeof(agg_actions) / sizeof(*agg_actions); i++)
		if (agg_actions[i].code == code)
			return &agg_actions[i];
	return NULL;
}

static void
check_agg_action(struct compile *cx, const struct agg_action *aa,
		 struct node *call, struct dif_stmt *st)
{
	struct node *a;

	if (call->nargs < aa->min || call->nargs > aa->max)
		lang_fail(cx, aa->proto, call->loc,
			  "%s() takes %u argument%s, not %u", call->name,
			  aa->max, aa->max == 1 ? "" : "s", call->nargs);
	st->aggs = arena_alloc(cx->out, sizeof(*st->aggs));
	st->aggs[0] =
		check_agg_arg(cx, call->args[0], call->name, aa->arg, aa->bad)
			->agg->id -
		1;
	st->naggs = 1;
	if (call->nargs < 2)
		return;
	a = check_rvalue(cx, call->args[1]);
	if (!type_is_integer(a->type))
		lang_fail(cx, aa->scalar, a->loc,
			  "%s(): argument #2 must be an integer, not %s",
			  call->name, lang_type_name(cx, a->type));
	check_stmt_exprs(cx, st, 1);
	check_record_as(cx, a, dtype_named(cx, "int64_t"), &st->exprs[0]);
}

/* ---- the door ----------------------------------------------------------- */

static void
check_other(struct compile *cx, const struct dif_act_info *act,
	    struct node *call)
{
	struct dif_stmt *st = check_stmt_new(cx, act->code, call->loc);
	const struct agg_action *aa = agg_action_of(act->code);

	if (aa != NULL) {
		check_agg_action(cx, aa, call, st);
	} else if (act->cls == DIF_AC_KEY) {
		check_stmt_exprs(cx, st, 1);
		check_key_expr(cx, call, act, &st->exprs[0]);
	} else if (act->code == DIF_ACT_TRACE) {
		check_trace(cx, call, st);
	} else if (act->code == DIF_ACT_TRACEMEM) {
		check_tracemem(cx, call, st);
	} else if (act->code == DIF_ACT_PRINT) {
		check_print(cx, call, st);
	} else if (act->code == DIF_ACT_EXIT || act->code == DIF_ACT_RAISE ||
		   act->code == DIF_ACT_CHILL) {
		check_one_int(cx, call, st);
	} else if (act->code == DIF_ACT_STOP ||
		   act->code == DIF_ACT_FTRUNCATE) {
		check_no_args(cx, call);
	} else if (act->code == DIF_ACT_SETOPT) {
		check_setopt(cx, call, st);
	} else if (act->cls == DIF_AC_SPEC) {
		check_spec(cx, call, st);
	} else {
		lang_fail(cx, &D_FUNC_UNDEF, call->loc,
			  "action %s() is not supported here", act->name);
	}
}

bool
check_action(struct compile *cx, struct node *call)
{
	const struct dif_act_info *act;
	const char *absent;

	if (call->kind != NODE_CALL || call->name == NULL)
		return false;
	act = names_act(cx, call->name);
	absent = dif_act_absent(call->name);
	if (absent != NULL && names_find(cx, DIF_SCOPE_GLOBAL, call->name) ==
				      NULL)
		lang_fail(cx, &D_FUNC_UNDEF, call->loc,
			  "action %s() does not exist on Linux: %s",
			  call->name, absent);
	if (act == NULL)
		return false;
	check_served(cx, act, call->loc);
	switch (act->code) {
	case DIF_ACT_PRINTF:
	case DIF_ACT_SYSTEM:
	case DIF_ACT_FREOPEN:
		check_printf(cx, act, call);
		break;
	case DIF_ACT_PRINTA:
		check_printa(cx, act, call);
		break;
	default:
		check_other(cx, act, call);
		break;
	}
	return true;
}
