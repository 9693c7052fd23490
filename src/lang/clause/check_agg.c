/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_agg.c - aggregating statements: @name[keys] = func(args).
 *
 * The first statement that names an aggregation fixes its function, its bounds
 * and the number and types of its keys; later ones, also of other programs of
 * the trace, must agree, but that numbers are converted.  The bounds of
 * lquantize() and llquantize() are constants and travel packed in one word
 * (dif.h).
 */
#include "lang/clause/clause_impl.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of a structure that is a key; all keys together are bounded
   by what engines have room for (RT_KEY_MAX). */
#define KEY_BYTES_MAX 1024u

#define WHAT_CONST "must be an integer constant"

/* ---- the arguments ------------------------------------------------------ */

static int64_t
const_arg(struct compile *cx, struct node *call, uint32_t i, const char *what,
	  const struct err_tag *type_tag)
{
	struct node *a = call->args[i];

	check_expr(cx, a);
	if (!a->is_const || !type_is_integer(a->type))
		lang_fail(cx, type_tag, a->loc, "%s(): %s " WHAT_CONST,
			  call->name, what);
	return (int64_t)a->ival;
}

/* lquantize(x, lower, upper [, step [, increment]]) */
static uint64_t
check_bounds_lquantize(struct compile *cx, struct node *call)
{
	int64_t base =
		const_arg(cx, call, 1, "the lower bound", &D_LQUANT_BASETYPE);
	int64_t limit =
		const_arg(cx, call, 2, "the upper bound", &D_LQUANT_LIMTYPE);
	int64_t step = 1, levels;

	if (call->nargs > 3)
		step = const_arg(cx, call, 3, "the step", &D_LQUANT_STEPTYPE);
	if (base < INT32_MIN || base > INT32_MAX)
		lang_fail(cx, &D_LQUANT_BASEVAL, call->args[1]->loc,
			  "lquantize(): the lower bound does not fit 32 bits");
	if (limit < INT32_MIN || limit > INT32_MAX)
		lang_fail(cx, &D_LQUANT_LIMVAL, call->args[2]->loc,
			  "lquantize(): the upper bound does not fit 32 bits");
	if (step < 1)
		lang_fail(cx, &D_LQUANT_STEPTYPE, call->args[3]->loc,
			  "lquantize(): the step must be positive");
	if (limit <= base)
		lang_fail(cx, &D_LQUANT_MISMATCH, call->args[2]->loc,
			  "lquantize(): the upper bound must be above the "
			  "lower bound");
	if (step > UINT16_MAX)
		lang_fail(cx, &D_LQUANT_STEPVAL, call->args[3]->loc,
			  "lquantize(): the step must be from 1 to %d",
			  UINT16_MAX);
	levels = (limit - base) / step;
	if (levels == 0)
		lang_fail(cx, &D_LQUANT_STEPLARGE, call->args[3]->loc,
			  "lquantize(): the step is too large: no level is "
			  "left");
	if (levels > UINT16_MAX)
		lang_fail(cx, &D_LQUANT_STEPSMALL, call->loc,
			  "lquantize(): the step is too small: more than %d "
			  "levels",
			  UINT16_MAX);
	return (uint64_t)step << 48 | (uint64_t)levels << 32 | (uint32_t)base;
}

static uint16_t
llq_arg(struct compile *cx, struct node *call, uint32_t i, const char *what,
	const struct err_tag *type_tag, const struct err_tag *val_tag,
	int64_t min)
{
	int64_t v = const_arg(cx, call, i, what, type_tag);

	if (v < min || v > UINT16_MAX)
		lang_fail(cx, val_tag, call->args[i]->loc,
			  "llquantize(): %s must be from %lld to %d", what,
			  (long long)min, UINT16_MAX);
	return (uint16_t)v;
}

/* True if factor^(high + 1) fits a signed 64-bit value. */
static bool
power_fits(uint64_t factor, uint64_t exponent)
{
	uint64_t p = 1;

	while (exponent-- > 0)
		if (__builtin_mul_overflow(p, factor, &p) ||
		    p > (uint64_t)INT64_MAX)
			return false;
	return true;
}

/* power_fits() has said that it does. */
static uint64_t
power(uint64_t factor, uint64_t exponent)
{
	uint64_t p = 1;

	while (exponent-- > 0)
		p *= factor;
	return p;
}

/* True if the steps divide a power of the factor. */
static bool
divides_power(uint64_t steps, uint64_t factor)
{
	uint64_t rest = steps;

	while (rest % factor == 0)
		rest /= factor;
	/* What is left must consist of primes of the factor. */
	for (uint64_t f = factor; rest > 1;) {
		uint64_t a = rest, b = f;
		while (b != 0) {
			uint64_t r = a % b;
			a = b;
			b = r;
		}
		if (a == 1)
			return false;
		rest /= a;
	}
	return true;
}

/* llquantize(x, factor, low, high, steps [, increment]) */
static uint64_t
check_bounds_llquantize(struct compile *cx, struct node *call)
{
	uint64_t factor =
		llq_arg(cx, call, 1, "the factor", &D_LLQUANT_FACTORTYPE,
			&D_LLQUANT_FACTORVAL, 2);
	uint64_t low = llq_arg(cx, call, 2, "the low magnitude",
			       &D_LLQUANT_LMAGTYPE, &D_LLQUANT_LMAGVAL, 0);
	uint64_t high = llq_arg(cx, call, 3, "the high magnitude",
				&D_LLQUANT_HMAGTYPE, &D_LLQUANT_HMAGVAL, 0);
	uint64_t steps = llq_arg(cx, call, 4, "the number of steps",
				 &D_LLQUANT_STEPTYPE, &D_LLQUANT_STEPVAL, 1);

	if (high <= low)
		lang_fail(cx, &D_LLQUANT_HMAGVAL, call->args[3]->loc,
			  "llquantize(): the high magnitude must be above the "
			  "low one");
	if (!power_fits(factor, high + 1))
		lang_fail(cx, &D_LLQUANT_HMAGVAL, call->args[3]->loc,
			  "llquantize(): the high magnitude is too large");
	if (steps < factor ? factor % steps != 0 : steps % factor != 0)
		lang_fail(cx, &D_LLQUANT_STEPVAL, call->args[4]->loc,
			  "llquantize(): the number of steps must be a "
			  "multiple of the factor, or divide it");
	if (!divides_power(steps, factor))
		lang_fail(cx, &D_LLQUANT_STEPVAL, call->args[4]->loc,
			  "llquantize(): the number of steps must divide a "
			  "power of the factor");
	if (low > 0 && power(factor, low + 1) % steps != 0)
		lang_fail(cx, &D_LLQUANT_STEPVAL, call->args[4]->loc,
			  "llquantize(): the number of steps must divide the "
			  "factor to the power of %llu, where the lowest "
			  "magnitude ends",
			  (unsigned long long)low + 1);
	return factor << 48 | low << 32 | high << 16 | steps;
}

/* ---- agreement with earlier statements ---------------------------------- */

static void
check_match_lquantize(struct compile *cx, struct node *call, uint64_t had,
		      uint64_t now)
{
	if (DIF_LQ_BASE(had) != DIF_LQ_BASE(now))
		lang_fail(cx, &D_LQUANT_MATCHBASE, call->loc,
			  "lquantize(): the lower bound differs from that of "
			  "an earlier use: %d, was %d",
			  DIF_LQ_BASE(now), DIF_LQ_BASE(had));
	if (DIF_LQ_STEP(had) != DIF_LQ_STEP(now))
		lang_fail(cx, &D_LQUANT_MATCHSTEP, call->loc,
			  "lquantize(): the step differs from that of an "
			  "earlier use: %u, was %u",
			  DIF_LQ_STEP(now), DIF_LQ_STEP(had));
	if (DIF_LQ_LEVELS(had) != DIF_LQ_LEVELS(now))
		lang_fail(cx, &D_LQUANT_MATCHLIM, call->loc,
			  "lquantize(): the upper bound differs from that of "
			  "an earlier use");
}

static void
check_match_llquantize(struct compile *cx, struct node *call, uint64_t had,
		       uint64_t now)
{
	const struct {
		const struct err_tag *tag;
		const char *what;
		uint32_t had, now;
	} part[] = {
		{ &D_LLQUANT_MATCHFACTOR, "factor", DIF_LLQ_FACTOR(had),
		  DIF_LLQ_FACTOR(now) },
		{ &D_LLQUANT_MATCHLMAG, "low magnitude", DIF_LLQ_LOW(had),
		  DIF_LLQ_LOW(now) },
		{ &D_LLQUANT_MATCHHMAG, "high magnitude", DIF_LLQ_HIGH(had),
		  DIF_LLQ_HIGH(now) },
		{ &D_LLQUANT_MATCHSTEPS, "number of steps", DIF_LLQ_STEPS(had),
		  DIF_LLQ_STEPS(now) },
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		if (part[i].had != part[i].now)
			lang_fail(cx, part[i].tag, call->loc,
				  "llquantize(): the %s differs from that of "
				  "an earlier use: %u, was %u",
				  part[i].what, part[i].now, part[i].had);
}

/* By the rows of agg.def. */
static const struct bounds {
	/* Pack the constants of a call, or fail. */
	uint64_t (*of)(struct compile *, struct node *call);
	/* Fail unless two are the same. */
	void (*match)(struct compile *, struct node *call, uint64_t had,
		      uint64_t now);
} bounds_of[] = {
#define BOUNDS_NO(name)	 { NULL, NULL },
#define BOUNDS_OWN(name) { check_bounds_##name, check_match_##name },
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	BOUNDS_##bounds(name)
#include "dif/agg.def"
#undef AGG
};

static void
match_function(struct compile *cx, struct node *call, struct agg_ident *ai,
	       const struct dif_agg_info *f, uint64_t arg)
{
	struct dif_aggvar *v = ai->agg;

	if (v->func != f->code)
		lang_fail(cx, &D_AGG_REDEF, call->loc,
			  "aggregation @%s redefined: %s(), was %s() on line "
			  "%d",
			  v->name, f->name, dif_agg_by_code(v->func)->name,
			  ai->loc.line);
	if (f->bounds)
		bounds_of[f - dif_aggfuncs].match(cx, call, v->arg, arg);
}

/* ---- keys --------------------------------------------------------------- */

/* A structure or an array: a key by its bytes. */
static bool
is_bytes_expr(uint32_t src, const struct dif_type *t)
{
	return src == DIF_SRC_OBJ && t->kind != DIF_TYPE_STRING &&
	       (t->flags & DIF_TF_BYREF) != 0;
}

static bool
is_string_expr(uint32_t src, const struct dif_type *t)
{
	return src == DIF_SRC_NAME ||
	       (src == DIF_SRC_OBJ && t->kind == DIF_TYPE_STRING);
}

/* Keys by their bytes must have as many of them. */
static bool
same_bytes(const struct dif_type *had, const struct dif_type *now, uint32_t src)
{
	bool bytes = is_bytes_expr(src, had);

	return bytes == is_bytes_expr(src, now) &&
	       (!bytes || had->size == now->size);
}

static void
match_key(struct compile *cx, struct agg_ident *ai, uint32_t i,
	  struct dif_expr *e, struct node *key)
{
	struct dif_aggvar *v = ai->agg;
	bool had = is_string_expr(v->keysrc[i], &v->keys[i]);
	bool now = is_string_expr(e->src, &e->type);

	if (had && now)
		return;
	/* Stacks must agree in depth, symbols in what they name. */
	if (had != now || v->keysrc[i] != e->src || v->keyarg[i] != e->arg ||
	    !same_bytes(&v->keys[i], &e->type, e->src))
		lang_fail(cx, &D_PROTO_ARG, key->loc,
			  "key #%u of @%s is incompatible with an earlier use "
			  "on line %d",
			  i + 1, v->name, ai->loc.line);
	/* The first use has said how wide the key is. */
	if (e->src == DIF_SRC_OBJ)
		e->type = v->keys[i];
}

/* True if values of this type may be keys by their bytes. */
static bool
is_key_bytes(struct type *t)
{
	t = type_resolve(t);
	return (type_is_sou(t) || t->kind == TYPE_ARRAY) && type_size(t) > 0 &&
	       type_size(t) <= KEY_BYTES_MAX;
}

/* Strings and arrays of char are keys up to their NUL, structures and other
   arrays by all their bytes, pointers by value. */
static void
record_key(struct compile *cx, struct node *k, struct dif_expr *out)
{
	struct type *t = type_resolve(k->type);
	uint64_t chars = t->kind == TYPE_ARRAY ? t->nelems : 0;

	if (is_key_bytes(t) && !type_is_strcompat(t)) {
		check_record(cx, k, out);
		return;
	}
	if (!type_is_strcompat(t) || type_is_ptr(t)) {
		/* All of it: it may be kept in a wider type. */
		k = conv_decay(cx, k);
		check_record_as(cx, k, k->type, out);
		return;
	}
	if (type_is_string(t)) {
		check_record(cx, k, out);
		return;
	}
	check_record(cx, conv_string(cx, k), out);
	if (chars != 0 && chars < 256)
		out->type.size = (uint32_t)chars + 1;
}

static void
check_agg_keys(struct compile *cx, struct node *agg, struct dif_stmt *st)
{
	for (uint32_t i = 0; i < agg->nargs; i++) {
		struct node *k = agg->args[i];
		const struct dif_act_info *act = check_key_action(cx, k);

		if (act != NULL) {
			check_key_expr(cx, k, act, &st->exprs[i]);
			continue;
		}
		if (k->kind == NODE_AGG)
			lang_fail(cx, &D_KEY_TYPE, k->loc,
				  "an aggregation may not be a key");
		check_expr(cx, k);
		check_key_xlate(cx, k, i);
		if (!node_is_scalar(k) && !type_is_strcompat(k->type) &&
		    !is_key_bytes(k->type))
			lang_fail(cx, &D_KEY_TYPE, k->loc,
				  "key #%u has type %s, which may not be a key",
				  i + 1, lang_type_name(cx, k->type));
		record_key(cx, k, &st->exprs[i]);
	}
}

/* ---- the statement ------------------------------------------------------ */

static struct agg_ident *
new_agg(struct compile *cx, struct node *agg, struct dif_stmt *st,
	const struct dif_agg_info *f, uint64_t arg)
{
	struct agg_ident *ai =
		names_add_agg(cx, agg->name, agg->nargs, agg->loc);
	struct dif_aggvar *v = ai->agg;

	v->func = f->code;
	v->arg = arg;
	for (uint32_t i = 0; i < agg->nargs; i++) {
		v->keys[i] = st->exprs[i].type;
		v->keysrc[i] = (uint8_t)st->exprs[i].src;
		v->keyarg[i] = st->exprs[i].arg;
		ai->keys[i] = agg->args[i]->type;
	}
	return ai;
}

static void
check_agg_proto(struct compile *cx, struct node *call,
		const struct dif_agg_info *f)
{
	if (call->nargs < f->min || call->nargs > f->max)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "wrong number of arguments: %s", f->proto);
}

/* The increment, last argument of histograms, or NULL. */
static struct node *
increment_of(struct node *call, const struct dif_agg_info *f)
{
	return f->hist && call->nargs == f->max ? call->args[f->max - 1] : NULL;
}

/* Aggregations take all 64 bits, whatever the value's type. */
static void
agg_value(struct compile *cx, struct node *call, struct node *v,
	  const struct err_tag *tag, struct dif_expr *out)
{
	v = check_rvalue(cx, v);
	if (!type_is_scalar(v->type))
		lang_fail(cx, tag, v->loc, "%s() needs an integer, not %s",
			  call->name, lang_type_name(cx, v->type));
	out->src = DIF_SRC_OBJ;
	out->tname = arena_strdup(cx->out, lang_type_name(cx, v->type));
	out->type = dtype_dif(dtype_named(cx, "int64_t"));
	check_c(cx, v, CHECK_C_ALL);
	out->obj = gen_expr(cx, v, GEN_VALUE);
}

static const struct dif_agg_info *
agg_function(struct compile *cx, struct node *assign)
{
	struct node *call = assign->right;
	const struct dif_agg_info *f = NULL;

	if (assign->op != '=')
		lang_fail(cx, &D_OP_DYN, assign->loc,
			  "operator %s cannot be applied to an aggregation "
			  "(an aggregating function adds: = count(), = "
			  "sum(...))",
			  op_name(assign->op));
	if (call->kind == NODE_CALL && call->name != NULL)
		f = names_aggfunc(cx, call->name);
	if (f == NULL && call->kind == NODE_CALL && call->name != NULL &&
	    names_subr(cx, call->name) == NULL &&
	    names_act(cx, call->name) == NULL)
		lang_fail(cx, &D_FUNC_UNDEF, call->loc,
			  "undefined function name: %s%s", call->name,
			  check_near_func(cx, call->name));
	if (f == NULL)
		lang_fail(cx, &D_AGG_FUNC, call->loc,
			  "aggregation @%s must be assigned an aggregating "
			  "function (a variable or an array of values "
			  "has no @)",
			  assign->left->name);
	return f;
}

void
check_aggregate(struct compile *cx, struct node *assign)
{
	const struct dif_agg_info *f = agg_function(cx, assign);
	struct node *agg = assign->left, *call = assign->right, *inc;
	struct dif_stmt *st = check_stmt_new(cx, f->code, assign->loc);
	struct agg_ident *ai;
	uint64_t arg = 0;

	check_agg_proto(cx, call, f);
	if (f->bounds)
		arg = bounds_of[f - dif_aggfuncs].of(cx, call);
	inc = increment_of(call, f);
	st->nkeys = agg->nargs;
	check_stmt_exprs(cx, st,
			 agg->nargs + f->values + (inc != NULL ? 1 : 0));
	check_agg_keys(cx, agg, st);
	if (f->values > 0)
		agg_value(cx, call, call->args[0], &D_AGG_SCALAR,
			  &st->exprs[st->nkeys]);
	if (inc != NULL)
		agg_value(cx, call, inc, &D_PROTO_ARG,
			  &st->exprs[st->nkeys + 1]);

	ai = names_find_agg(cx, agg->name);
	if (ai == NULL) {
		ai = new_agg(cx, agg, st, f, arg);
	} else {
		match_function(cx, call, ai, f, arg);
		if (agg->nargs != ai->agg->nkeys)
			lang_fail(cx, &D_PROTO_LEN, agg->loc,
				  "aggregation @%s takes %u key%s, not %u",
				  agg->name, ai->agg->nkeys,
				  ai->agg->nkeys == 1 ? "" : "s", agg->nargs);
		for (uint32_t i = 0; i < agg->nargs; i++)
			match_key(cx, ai, i, &st->exprs[i], agg->args[i]);
	}
	st->agg = ai->agg->id - 1;
}

struct agg_ident *
check_agg_arg(struct compile *cx, struct node *n, const char *func,
	      const struct err_tag *arg, const struct err_tag *bad)
{
	struct agg_ident *ai;

	if (n->kind != NODE_AGG)
		lang_fail(cx, arg, n->loc, "%s() needs an aggregation here",
			  func);
	if (n->nargs != 0)
		lang_fail(cx, arg, n->loc,
			  "%s() takes aggregation @%s without keys", func,
			  n->name);
	ai = names_find_agg(cx, n->name);
	if (ai == NULL)
		lang_fail(cx, bad, n->loc, "undefined aggregation: @%s",
			  n->name);
	return ai;
}
