/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_record.c - what a recorded value looks like.
 *
 * Some values are recorded without running DIF: stacks, and the parts of the
 * probe's name, which are recorded as the probe's number because they are the
 * same at every firing.
 */
#include "lang/clause/clause_impl.h"

/* ---- recorded values ---------------------------------------------------- */

static const struct dif_builtin_info *
builtin_of(const struct node *n)
{
	return n->kind == NODE_IDENT && n->ref == REF_BUILTIN ? n->ident : NULL;
}

/* Literals longer than this are cut to strsize like any other string. */
#define LITERAL_BOUND 256u

static void
record_for(struct compile *cx, struct node *n, enum gen_use use,
	   struct dif_expr *out)
{
	const struct dif_builtin_info *b = builtin_of(n);

	out->tname = arena_strdup(cx->out, lang_type_name(cx, n->type));
	out->type = dtype_dif(n->type);
	if (b != NULL && b->id >= DIF_VAR_probeprov &&
	    b->id <= DIF_VAR_probename) {
		out->src = DIF_SRC_NAME;
		out->arg = b->id;
		return;
	}
	if ((out->type.flags & DIF_TF_BYREF) != 0 &&
	    out->type.kind != DIF_TYPE_STRING && out->type.size == 0)
		lang_fail(cx, &D_OP_INCOMPLETE, n->loc,
			  "a value of type %s has no size: it cannot be "
			  "recorded",
			  lang_type_name(cx, n->type));
	n = conv_copyin(cx, n);
	out->src = DIF_SRC_OBJ;
	check_c(cx, n, use == GEN_RECORD ? CHECK_C_KEPT : CHECK_C_ALL);
	out->obj = gen_expr(cx, n, use);
	if (out->type.kind != DIF_TYPE_STRING)
		return;
	if (b != NULL)
		out->type.size = b->bound;
	if (n->kind == NODE_STR && n->len + 1 <= LITERAL_BOUND)
		out->type.size = (uint32_t)n->len + 1;
}

void
check_record(struct compile *cx, struct node *n, struct dif_expr *out)
{
	record_for(cx, n, GEN_RECORD, out);
}

/* Some actions use the value when the probe fires, not what is recorded. */
void
check_record_as(struct compile *cx, struct node *n, struct type *t,
		struct dif_expr *out)
{
	record_for(cx, conv_to(cx, n, t), GEN_VALUE, out);
}

void
check_served(struct compile *cx, const struct dif_act_info *act,
	     struct src_loc loc)
{
	if ((act->engines & cx->lang->host.engines) == 0)
		lang_fail(cx, &D_FUNC_UNDEF, loc,
			  "action %s() is not supported here", act->name);
}

/* ---- stacks and symbols ------------------------------------------------- */

bool
check_act_is_stack(const struct dif_act_info *act)
{
	return act->code == DIF_ACT_STACK || act->code == DIF_ACT_USTACK ||
	       act->code == DIF_ACT_JSTACK;
}

/* Frames of stack(n) and ustack(n). */
static uint32_t
stack_frames(struct compile *cx, struct node *n, const struct err_tag *tag)
{
	int64_t frames;

	if (n->nargs == 0)
		return DIF_FRAMES_DEFAULT;
	frames = check_const(cx, n->args[0], tag, "the number of frames");
	if (frames <= 0 || frames > 1024)
		lang_fail(cx, tag, n->args[0]->loc,
			  "%s(): the number of frames must be from 1 to 1024",
			  n->name);
	if (frames > DIF_FRAMES_MAX)
		compile_warn(cx, n->args[0]->loc,
			     "a stack has the innermost 127 frames at most");
	return (uint32_t)frames;
}

/*
 * Room for what the process's stack helper says of frames.  No process here
 * has one: names of frames need no room in the record.  Scripts give it all the
 * same.
 */
static void
ustack_strsize(struct compile *cx, struct node *n)
{
	int64_t size = check_const(cx, n->args[1], &D_USTACK_STRSIZE,
				   "the size of the string table");

	if (size < 0 || size > INT32_MAX)
		lang_fail(cx, &D_USTACK_STRSIZE, n->args[1]->loc,
			  "%s(): the size of the string table must be from 0 "
			  "to %d",
			  n->name, INT32_MAX);
}

static void
check_stack(struct compile *cx, struct node *n, const struct dif_act_info *act,
	    struct dif_expr *out)
{
	bool user = act->code != DIF_ACT_STACK;
	uint32_t max = user ? 2 : 1;

	if (n->nargs > max)
		lang_fail(cx, user ? &D_USTACK_PROTO : &D_STACK_PROTO, n->loc,
			  "%s() takes at most %u argument%s, not %u", n->name,
			  max, max == 1 ? "" : "s", n->nargs);
	out->src = user ? DIF_SRC_USTACK : DIF_SRC_STACK;
	out->arg = stack_frames(cx, n, user ? &D_USTACK_FRAMES : &D_STACK_SIZE);
	if (n->nargs == 0 && act->code == DIF_ACT_JSTACK)
		out->arg = DIF_FRAMES_JSTACK;
	out->jstack = act->code == DIF_ACT_JSTACK;
	out->type = (struct dif_type){ .ckind = DIF_CK_ARRAY,
				       .flags = DIF_TF_BYREF };
	if (n->nargs > 1)
		ustack_strsize(cx, n);
}

static void
check_sym(struct compile *cx, struct node *n, const struct dif_act_info *act,
	  struct dif_expr *out)
{
	bool user = (act->code >> 8) == 0x01 || act->code == DIF_ACT_UFUNC;
	struct node *a;

	if (n->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "%s() takes one address, not %u arguments", n->name,
			  n->nargs);
	a = check_rvalue(cx, n->args[0]);
	if (!type_is_scalar(a->type))
		lang_fail(cx, &D_PROTO_ARG, a->loc,
			  "%s() needs an address, not %s", n->name,
			  lang_type_name(cx, a->type));
	check_record_as(cx, a, dtype_named(cx, "uintptr_t"), out);
	out->src = user ? DIF_SRC_USYM : DIF_SRC_SYM;
	out->arg = act->code;
	if (user)
		out->type = (struct dif_type){ .ckind = DIF_CK_ARRAY,
					       .flags = DIF_TF_BYREF,
					       .size = 16 };
}

void
check_key_expr(struct compile *cx, struct node *n,
	       const struct dif_act_info *act, struct dif_expr *out)
{
	check_served(cx, act, n->loc);
	if (check_act_is_stack(act))
		check_stack(cx, n, act, out);
	else
		check_sym(cx, n, act, out);
}
