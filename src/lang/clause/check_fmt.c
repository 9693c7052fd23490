/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_fmt.c - printf() and its like: arguments against the format.
 *
 * The format is parsed by dif/dif_fmt.h, which the consumer prints with too.
 * Arguments are recorded one by one, in the order of the conversions, those
 * for `*` before the value they belong to.  Strings are recorded as strings
 * whatever their C type was; integers keep size and sign, which is all that
 * %d needs to print any of them.
 */
#include "lang/clause/clause_impl.h"

#include <string.h>

#include "dif/dif_fmt.h"

struct fmt_args {
	struct node *call;
	uint32_t next; /* argument to use next, from 1 */
	struct dif_stmt *st;
};

/* The constant text of the checked format argument. */
static const char *
check_format_text(struct compile *cx, struct node *call)
{
	struct node *f = call->args[0];

	if (f->kind != NODE_STR)
		lang_fail(cx, &D_PRINTF_ARG_FMT, f->loc,
			  "%s(): the format must be a string constant",
			  call->name);
	return f->str;
}

static struct dif_fmt *
parse_format(struct compile *cx, struct node *call, const char *text)
{
	struct err e = { 0 };
	struct dif_fmt *f;

	if (*text == '\0')
		lang_fail(cx, &D_PRINTF_FMT_EMPTY, call->args[0]->loc,
			  "%s(): the format is empty", call->name);
	f = dif_fmt_parse(cx->arena, text, &e);
	if (f == NULL && e.loc.col > 0)
		lang_fail(cx, &D_SYNTAX,
			  parse_str_loc(call->args[0], e.loc.col - 1u),
			  "%s(): %s", call->name, e.msg);
	if (f == NULL)
		lang_fail(cx, &D_SYNTAX, call->args[0]->loc, "%s(): %s",
			  call->name, e.msg);
	return f;
}

/* The next argument, or an error that it is missing. */
static struct node *
next_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	 const struct err_tag *tag, const char *what)
{
	if (fa->next >= fa->call->nargs)
		lang_fail(cx, tag, parse_str_loc(fa->call->args[0], c->at),
			  "%s(): an argument is missing for %s%s",
			  fa->call->name, what, c->conv);
	return fa->call->args[fa->next++];
}

static struct dif_expr *
next_expr(struct fmt_args *fa)
{
	return &fa->st->exprs[fa->st->nexprs++];
}

/* An address is no string, but there may be one there. */
static const char *
string_hint(const struct dif_conv *c, const struct node *a)
{
	if (c->cls != DIF_CONV_STR)
		return "";
	if (a->chars)
		return conv_chars_hint(a);
	if (a->is_const ||
	    (!type_is_ptr(a->type) &&
	     !(type_is_integer(a->type) && type_size(a->type) == 8)))
		return "";
	return " (of an address, copyinstr() makes the process's string and "
	       "stringof() the kernel's)";
}

static _Noreturn void
bad_type(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	 struct node *a, const char *want)
{
	lang_fail(cx, &D_PRINTF_ARG_TYPE, a->loc,
		  "%s(): argument #%u is incompatible with %%%s: expected %s, "
		  "found %s%s",
		  fa->call->name, fa->next - 1, c->conv, want,
		  lang_type_name(cx, a->type), string_hint(c, a));
}

/* A width or precision given as `*`. */
static void
star_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	 const char *what)
{
	struct node *a = next_arg(cx, fa, c, &D_PRINTF_DYN_PROTO, what);
	const struct dif_act_info *act = check_key_action(cx, a);

	if (act != NULL)
		lang_fail(cx, &D_PRINTF_DYN_TYPE, a->loc,
			  "%s(): the %s%s must be an integer, not %s()",
			  fa->call->name, what, c->conv, act->name);
	a = conv_decay(cx, a);
	if (!type_is_integer(a->type))
		lang_fail(cx, &D_PRINTF_DYN_TYPE, a->loc,
			  "%s(): the %s%s must be an integer, not %s",
			  fa->call->name, what, c->conv,
			  lang_type_name(cx, a->type));
	check_record_as(cx, a, dtype_basic(cx, TYPE_B_INT), next_expr(fa));
}

static void
string_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	   struct node *a)
{
	struct type *t = type_resolve(a->type);
	struct dif_expr *out = next_expr(fa);

	if (!type_is_strcompat(t))
		bad_type(cx, fa, c, a, "a string");
	check_record(cx, conv_string(cx, a), out);
	/* An array may lack the final NUL: never read past it. */
	if (t->kind == TYPE_ARRAY && t->nelems > 0 && t->nelems < 256)
		out->type.size = (uint32_t)t->nelems + 1;
}

/* stack(), usym(x) and so on: recorded as such, printed by the consumer. */
static void
tracing_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	    struct node *a, const struct dif_act_info *act)
{
	bool stack = check_act_is_stack(act);

	if (stack != (c->cls == DIF_CONV_STACK) ||
	    (!stack && c->cls != DIF_CONV_STR && c->cls != DIF_CONV_KADDR &&
	     c->cls != DIF_CONV_UADDR))
		lang_fail(cx, &D_PRINTF_ARG_TYPE, a->loc,
			  "%s(): argument #%u, %s(), is incompatible with "
			  "%%%s",
			  fa->call->name, fa->next - 1, act->name, c->conv);
	check_key_expr(cx, a, act, next_expr(fa));
}

static void
scalar_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	   struct node *a, bool pointers)
{
	struct dif_expr *out = next_expr(fa);

	a = conv_decay(cx, a);
	if (!type_is_integer(a->type) && !(pointers && type_is_ptr(a->type)))
		bad_type(cx, fa, c, a,
			 pointers ? "a pointer or an integer" : "an integer");
	if (c->cls != DIF_CONV_UADDR) {
		check_record(cx, a, out);
		return;
	}
	/* With the process it belongs to. */
	check_record_as(cx, a, dtype_named(cx, "uintptr_t"), out);
	out->src = DIF_SRC_USYM;
	out->arg = DIF_ACT_UADDR;
	out->type = (struct dif_type){ .ckind = DIF_CK_ARRAY,
				       .flags = DIF_TF_BYREF,
				       .size = 16 };
}

/* A float, a wide string, an address of the network: bytes as they are. */
static void
bytes_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	  struct node *a, bool ok, const char *want)
{
	if (!ok)
		bad_type(cx, fa, c, a, want);
	check_record(cx, a, next_expr(fa));
}

static void
inet_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c,
	 struct node *a)
{
	struct type *t = type_resolve(a->type);
	bool whole = t->kind == TYPE_ARRAY || type_is_sou(t);

	if (c->conv[0] == 'P')
		scalar_arg(cx, fa, c, a, false);
	else
		bytes_arg(cx, fa, c, a,
			  (type_is_integer(t) && type_size(t) == 4) ||
				  (whole && type_size(t) == 16),
			  "an internet address of 4 or 16 bytes");
}

static void
conv_arg(struct compile *cx, struct fmt_args *fa, const struct dif_conv *c)
{
	struct node *a = next_arg(cx, fa, c, &D_PRINTF_ARG_PROTO, "%");
	const struct dif_act_info *act = check_key_action(cx, a);
	enum type_kind kind;

	if (act != NULL) {
		tracing_arg(cx, fa, c, a, act);
		return;
	}
	kind = type_resolve(a->type)->kind;
	switch (c->cls) {
	case DIF_CONV_STR:
		if (c->conv[0] == 'w' && !type_is_strcompat(a->type))
			bytes_arg(cx, fa, c, a, kind == TYPE_ARRAY,
				  "a string or an array of wide characters");
		else
			string_arg(cx, fa, c, a);
		break;
	case DIF_CONV_PTR:
	case DIF_CONV_KADDR:
	case DIF_CONV_UADDR:
		scalar_arg(cx, fa, c, a, true);
		break;
	case DIF_CONV_FLOAT:
		bytes_arg(cx, fa, c, a, kind == TYPE_FLOAT,
			  "a floating-point number");
		break;
	case DIF_CONV_INT:
	case DIF_CONV_TIME:
		scalar_arg(cx, fa, c, a, false);
		break;
	case DIF_CONV_INET:
		inet_arg(cx, fa, c, a);
		break;
	default:
		bad_type(cx, fa, c, a, "stack() or ustack()");
	}
}

/* printf(), system() and freopen(). */
void
check_printf(struct compile *cx, const struct dif_act_info *act,
	     struct node *call)
{
	struct dif_stmt *st = check_stmt_new(cx, act->code, call->loc);
	struct fmt_args fa = { .call = call, .next = 1, .st = st };
	struct dif_fmt *f;
	const char *text;

	if (call->nargs == 0)
		lang_fail(cx, &D_PROTO_LEN, call->loc, "%s() needs a format",
			  call->name);
	/* The arguments come before the format: what is wrong in themselves is
	   the better message. */
	for (uint32_t i = 0; i < call->nargs; i++)
		if (check_key_action(cx, call->args[i]) == NULL)
			check_expr(cx, call->args[i]);
	text = check_format_text(cx, call);
	st->fmt = arena_strdup(cx->out, text);
	check_stmt_exprs(cx, st, call->nargs - 1);
	st->nexprs = 0;
	if (act->code == DIF_ACT_FREOPEN && *text == '\0' && call->nargs == 1)
		return; /* back to the first stream */
	if (act->code == DIF_ACT_FREOPEN && strcmp(text, ".") == 0)
		lang_fail(cx, &D_FREOPEN_INVALID, call->args[0]->loc,
			  "freopen(): \".\" is not a file; \"\" is the first "
			  "stream");
	f = parse_format(cx, call, text);
	for (size_t i = 0; i < f->nconv; i++) {
		const struct dif_conv *c = &f->conv[i];

		if (c->agg)
			lang_fail(cx, &D_PRINTF_AGG_CONV,
				  parse_str_loc(call->args[0], c->at),
				  "%s(): %%@ may be used with printa() only",
				  call->name);
		if (c->cls == DIF_CONV_LITERAL)
			continue;
		if (c->width == DIF_FMT_STAR)
			star_arg(cx, &fa, c, "width of %");
		if (c->prec == DIF_FMT_STAR)
			star_arg(cx, &fa, c, "precision of %");
		conv_arg(cx, &fa, c);
	}
	if (fa.next < call->nargs)
		lang_fail(
			cx, &D_PRINTF_ARG_EXTRA, call->args[fa.next]->loc,
			"%s(): only %u of %u arguments are used by the format",
			call->name, fa.next - 1, call->nargs - 1);
}

/* ---- printa ------------------------------------------------------------- */

static bool
key_fits(const struct dif_aggvar *v, uint32_t k, enum dif_conv_class cls)
{
	bool string = v->keysrc[k] == DIF_SRC_NAME ||
		      v->keys[k].kind == DIF_TYPE_STRING;

	switch (v->keysrc[k]) {
	case DIF_SRC_STACK:
	case DIF_SRC_USTACK:
		return cls == DIF_CONV_STACK;
	case DIF_SRC_SYM:
	case DIF_SRC_USYM:
		return cls == DIF_CONV_STR || cls == DIF_CONV_KADDR ||
		       cls == DIF_CONV_UADDR || cls == DIF_CONV_PTR;
	default:
		break;
	}
	if (cls == DIF_CONV_STR || string)
		return cls == DIF_CONV_STR && string;
	return cls == DIF_CONV_INT || cls == DIF_CONV_PTR ||
	       cls == DIF_CONV_KADDR || cls == DIF_CONV_UADDR ||
	       cls == DIF_CONV_TIME;
}

static void
key_conv(struct compile *cx, struct node *call, const struct dif_aggvar *v,
	 uint32_t k, const struct dif_conv *c)
{
	if (k >= v->nkeys)
		lang_fail(cx, &D_PRINTF_ARG_PROTO,
			  parse_str_loc(call->args[0], c->at),
			  "printa(): %%%s has no key left: @%s has %u", c->conv,
			  v->name, v->nkeys);
	if (!key_fits(v, k, c->cls))
		lang_fail(cx, &D_PRINTF_ARG_TYPE,
			  parse_str_loc(call->args[0], c->at),
			  "printa(): key #%u of @%s is incompatible with %%%s",
			  k + 1, v->name, c->conv);
}

/* A key that gives a width or precision. */
static void
star_key(struct compile *cx, struct node *call, const struct dif_aggvar *v,
	 uint32_t k, const struct dif_conv *c, const char *what)
{
	if (k >= v->nkeys)
		lang_fail(cx, &D_PRINTF_DYN_PROTO,
			  parse_str_loc(call->args[0], c->at),
			  "printa(): the %s of %%%s has no key left: @%s has "
			  "%u",
			  what, c->conv, v->name, v->nkeys);
	if (!key_fits(v, k, DIF_CONV_INT))
		lang_fail(cx, &D_PRINTF_DYN_TYPE,
			  parse_str_loc(call->args[0], c->at),
			  "printa(): key #%u of @%s is the %s of %%%s, so it "
			  "must be an integer",
			  k + 1, v->name, what, c->conv);
}

/* Conversions with @ print values, the others the keys in their order, as do
   their widths and precisions. */
static void
check_printa_format(struct compile *cx, struct node *call, const char *text,
		    const struct dif_stmt *st)
{
	struct dif_fmt *f = parse_format(cx, call, text);
	const struct dif_aggvar *v = cx->lang->tab.aggs[st->aggs[0]];
	uint32_t keys = 0, values = 0;

	for (size_t i = 0; i < f->nconv; i++) {
		const struct dif_conv *c = &f->conv[i];

		if (c->cls == DIF_CONV_LITERAL)
			continue;
		if (c->width == DIF_FMT_STAR)
			star_key(cx, call, v, keys++, c, "width");
		if (c->prec == DIF_FMT_STAR)
			star_key(cx, call, v, keys++, c, "precision");
		if (!c->agg) {
			key_conv(cx, call, v, keys++, c);
			continue;
		}
		values++;
		if (c->cls != DIF_CONV_INT && c->cls != DIF_CONV_PTR &&
		    c->cls != DIF_CONV_TIME)
			lang_fail(cx, &D_PRINTF_ARG_TYPE,
				  parse_str_loc(call->args[0], c->at),
				  "printa(): %%@%s cannot print the value of "
				  "an aggregation",
				  c->conv);
		if (st->naggs > 1 && values > st->naggs)
			lang_fail(cx, &D_PRINTF_ARG_PROTO,
				  parse_str_loc(call->args[0], c->at),
				  "printa(): more %%@ conversions than "
				  "aggregations");
	}
}

/* Aggregations printed side by side have the same keys. */
static void
check_same_keys(struct compile *cx, struct node *n, const struct dif_aggvar *a,
		const struct dif_aggvar *b)
{
	bool same = true;

	if (a->nkeys != b->nkeys)
		lang_fail(cx, &D_PRINTA_AGGKEY, n->loc,
			  "printa(): @%s has %u key%s, @%s has %u", a->name,
			  a->nkeys, a->nkeys == 1 ? "" : "s", b->name,
			  b->nkeys);
	for (uint32_t i = 0; same && i < a->nkeys; i++) {
		bool as = a->keysrc[i] == DIF_SRC_NAME ||
			  a->keys[i].kind == DIF_TYPE_STRING;
		bool bs = b->keysrc[i] == DIF_SRC_NAME ||
			  b->keys[i].kind == DIF_TYPE_STRING;

		if (as || bs)
			same = as && bs;
		else
			same = a->keysrc[i] == b->keysrc[i] &&
			       a->keyarg[i] == b->keyarg[i];
	}
	if (!same)
		lang_fail(cx, &D_PRINTA_AGGPROTO, n->loc,
			  "printa(): @%s and @%s have different keys", a->name,
			  b->name);
}

static void
printa_aggs(struct compile *cx, struct node *call, uint32_t first,
	    struct dif_stmt *st)
{
	struct dif_aggvar *const *aggs;

	st->aggs = arena_calloc(cx->out, call->nargs, sizeof(*st->aggs));
	for (uint32_t i = first; i < call->nargs; i++) {
		struct node *n = call->args[i];
		struct agg_ident *ai;

		if (n->kind == NODE_AGG && n->nargs != 0)
			lang_fail(cx, &D_PRINTA_AGGPROTO, n->loc,
				  "printa() takes aggregation @%s without keys",
				  n->name);
		ai = check_agg_arg(cx, n, "printa", &D_PRINTA_AGGARG,
				   &D_PRINTA_AGGBAD);
		st->aggs[st->naggs++] = ai->agg->id - 1;
		aggs = cx->lang->tab.aggs;
		check_same_keys(cx, n, aggs[st->aggs[0]],
				aggs[st->aggs[st->naggs - 1]]);
	}
}

void
check_printa(struct compile *cx, const struct dif_act_info *act,
	     struct node *call)
{
	struct dif_stmt *st = check_stmt_new(cx, act->code, call->loc);
	const char *text = NULL;
	uint32_t first = 0;

	if (call->nargs == 0)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "printa() needs an aggregation");
	if (call->args[0]->kind != NODE_AGG) {
		check_expr(cx, call->args[0]);
		if (!type_is_string(call->args[0]->type))
			lang_fail(cx, &D_PRINTA_AGGARG, call->args[0]->loc,
				  "printa(): argument #1 must be a format or "
				  "an aggregation");
		text = check_format_text(cx, call);
		first = 1;
	}
	if (call->nargs == first)
		lang_fail(cx, &D_PRINTA_PROTO, call->loc,
			  "printa() needs an aggregation");
	printa_aggs(cx, call, first, st);
	if (text != NULL) {
		check_printa_format(cx, call, text, st);
		st->fmt = arena_strdup(cx->out, text);
	}
}
