/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_conv.c - conversions, the types of operators, arithmetic on constants.
 *
 * D computes in 64 bits.  The type of an expression says how its operators
 * treat it (signed or not), how much of it a variable or a record keeps, and
 * what its name is; it does not cut what an operator gives.  A value is cut to
 * a type where it is kept (in a variable, a key, a record) and by a cast to a
 * narrower type or to one of other signedness.  So (i + i) / 2 is right for
 * every int i, and sum(1 << 40) adds 2^40.
 *
 * The normal form of a value in a type is what such a cut gives: truncated to
 * the type's width, then sign- or zero-extended to 64 bits.
 *
 * Folding constants and running the program must give the same result, so the
 * odd cases (shift counts, the most negative number divided by -1) are decided
 * here as the interpreter decides them.
 */
#include "lang/check/check_impl.h"

struct type *
type_unqual(struct type *t)
{
	while (t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE ||
	       t->kind == TYPE_RESTRICT)
		t = t->ref;
	return t;
}

bool
type_is_user_ptr(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_PTR && t->user;
}

/* ---- which type --------------------------------------------------------- */

/* The integer type that an operand counts as: enums as int, _Bool as a byte. */
struct type *
type_operand(struct compile *cx, const struct node *n)
{
	struct type *t = type_resolve(n->type);

	if (dtype_is_bool(t))
		return dtype_basic(cx, TYPE_B_UCHAR);
	if (t->kind != TYPE_ENUM)
		return type_unqual(n->type);
	if (type_size(t) == 4)
		return dtype_basic(cx, t->is_signed ? TYPE_B_INT : TYPE_B_UINT);
	return dtype_basic(cx, t->is_signed ? TYPE_B_LONG : TYPE_B_ULONG);
}

/* Rank is width, and an unsigned type is above the signed one of its width.
   Nothing is promoted to int: the sum of two chars is a char. */
struct type *
type_usual(struct compile *cx, const struct node *l, const struct node *r)
{
	struct type *lt = type_operand(cx, l), *rt = type_operand(cx, r);
	uint64_t ls = type_size(lt), rs = type_size(rt);

	if (ls != rs)
		return ls > rs ? lt : rt;
	return type_is_signed(lt) ? rt : lt;
}

/* ---- questions about nodes ---------------------------------------------- */

bool
node_is_null(const struct node *n)
{
	return n->is_const && n->ival == 0;
}

bool
node_is_scalar(const struct node *n)
{
	struct type *t = type_resolve(n->type);

	return type_is_scalar(t) || t->kind == TYPE_ARRAY ||
	       t->kind == TYPE_FUNC;
}

bool
node_in_user(const struct node *n)
{
	while (n->kind == NODE_MEMBER)
		n = n->left;
	return n->kind == NODE_UNARY && n->op == TOK_DEREF && n->left->user;
}

/* ---- folding ------------------------------------------------------------ */

static void
set_const(struct node *n, uint64_t val)
{
	n->is_const = true;
	n->ival = val;
}

/* What a cast makes of a value: cut, unless the type only gets wider. */
static uint64_t
fold_cast(struct type *from, struct type *to, uint64_t val)
{
	if (!type_is_integer(from) || !type_is_integer(to) || dtype_is_bool(to))
		return dtype_normal(to, val);
	if (type_size(from) > type_size(to))
		return dtype_normal(to, val);
	if (type_is_signed(from) == type_is_signed(to))
		return val;
	return dtype_normal(to, dtype_normal(from, val));
}

void
fold_unary(struct compile *cx, struct node *n)
{
	uint64_t v = n->left->ival;

	if (!n->left->is_const)
		return;
	switch (n->op) {
	case TOK_NEG:
		set_const(n, 0 - v);
		break;
	case TOK_POS:
		set_const(n, v);
		break;
	case '~':
		set_const(n, ~v);
		break;
	case '!':
		set_const(n, v == 0);
		break;
	}
}

static uint64_t
fold_divide(int op, uint64_t l, uint64_t r, bool sign)
{
	if (!sign)
		return op == '/' ? l / r : l % r;
	if ((int64_t)r == -1) /* INT64_MIN / -1 wraps */
		return op == '/' ? 0 - l : 0;
	return (uint64_t)(op == '/' ? (int64_t)l / (int64_t)r
				    : (int64_t)l % (int64_t)r);
}

static bool
fold_compare(int op, uint64_t l, uint64_t r, bool sign)
{
	bool less = sign ? (int64_t)l < (int64_t)r : l < r;

	switch (op) {
	case TOK_EQ:
		return l == r;
	case TOK_NE:
		return l != r;
	case '<':
		return less;
	case TOK_GE:
		return !less;
	case '>':
		return !less && l != r;
	default:
		return less || l == r;
	}
}

/* Division by 0 has been refused.  Comparisons have their operands' type in
   ctype. */
void
fold_binary(struct compile *cx, struct node *n)
{
	uint64_t l = n->left->ival, r = n->right->ival;
	bool sign = type_is_signed(n->ctype != NULL ? n->ctype : n->type);

	/* One constant side of && and || may decide alone. */
	if (n->op == TOK_LAND && ((n->left->is_const && l == 0)))
		set_const(n, 0);
	if (n->op == TOK_LOR && ((n->left->is_const && l != 0)))
		set_const(n, 1);
	if (!n->left->is_const || !n->right->is_const)
		return;
	switch (n->op) {
	case '+':
		set_const(n, l + r);
		break;
	case '-':
		set_const(n, l - r);
		break;
	case '*':
		set_const(n, l * r);
		break;
	case '/':
	case '%':
		set_const(n, fold_divide(n->op, l, r, sign));
		break;
	case '&':
		set_const(n, l & r);
		break;
	case '|':
		set_const(n, l | r);
		break;
	case '^':
		set_const(n, l ^ r);
		break;
	case TOK_LSH:
		set_const(n, l << (r & 63));
		break;
	case TOK_RSH:
		set_const(n, sign ? (uint64_t)((int64_t)l >> (r & 63))
				  : l >> (r & 63));
		break;
	case TOK_LAND:
		set_const(n, l != 0 && r != 0);
		break;
	case TOK_LOR:
		set_const(n, l != 0 || r != 0);
		break;
	case TOK_LXOR:
		set_const(n, (l != 0) != (r != 0));
		break;
	default:
		set_const(n, fold_compare(n->op, l, r, sign));
		break;
	}
}

/* ---- conversions -------------------------------------------------------- */

struct node *
conv_to(struct compile *cx, struct node *n, struct type *t)
{
	struct type *from = type_resolve(n->type), *to = type_resolve(t);
	struct node *c;

	if (n->is_const && (type_is_scalar(to))) {
		c = node_int(cx, n->loc, 0, t);
		c->ival = fold_cast(from, to, n->ival);
		c->user = type_is_user_ptr(to);
		return c;
	}
	if (from == to)
		return n;
	if (n->kind == NODE_XLATE && type_compat(from, to))
		return n; /* there is no value to convert */
	c = node_new(cx, NODE_CAST, n->loc);
	c->left = n;
	c->type = c->ctype = t;
	c->user = n->user || type_is_user_ptr(to);
	if (!type_is_ptr(to))
		c->user = false;
	return c;
}

struct node *
conv_decay(struct compile *cx, struct node *n)
{
	struct type *t = type_resolve(n->type);

	if (t->kind == TYPE_ARRAY)
		return conv_to(cx, n, type_ptr(cx->types, t->ref));
	if (t->kind == TYPE_FUNC)
		return conv_to(cx, n, type_ptr(cx->types, n->type));
	return n;
}

struct node *
conv_string(struct compile *cx, struct node *n)
{
	struct node *s;

	if (type_is_string(n->type) && !node_in_user(n))
		return n;
	n = conv_decay(cx, n);
	if (n->user)
		return check_subr(cx, n->loc, DIF_SUBR_copyinstr, n, NULL);
	s = node_new(cx, NODE_STRINGOF, n->loc);
	s->left = n;
	s->type = dtype_basic(cx, TYPE_B_STRING);
	return s;
}

struct node *
conv_copyin(struct compile *cx, struct node *n)
{
	struct type *t = type_resolve(n->type);
	struct node *addr, *call;

	if (!node_in_user(n) || (!type_is_sou(t) && t->kind != TYPE_ARRAY))
		return n;
	addr = node_new(cx, NODE_UNARY, n->loc);
	addr->op = TOK_ADDROF;
	addr->left = n;
	addr->type = type_ptr(cx->types, n->type);
	addr->user = true;
	call = check_subr(
		cx, n->loc, DIF_SUBR_copyin, addr,
		node_int(cx, n->loc, type_size(t), dtype_named(cx, "size_t")));
	call->type = n->type;
	call->user = false;
	return call;
}

/* True if a pointer of type from may be kept in one of type to. */
static bool
ptr_assignable(struct type *to, struct type *from)
{
	struct type *a = type_resolve(type_resolve(to)->ref);
	struct type *b = type_resolve(type_resolve(from)->ref);

	return a->kind == TYPE_VOID || b->kind == TYPE_VOID ||
	       type_compat(a, b) ||
	       (type_is_integer(a) && type_is_integer(b) &&
		type_size(a) == type_size(b));
}

static bool
assignable(struct type *to, const struct node *n)
{
	struct type *from = type_resolve(n->type);

	if (type_is_integer(to))
		return type_is_integer(from);
	if (type_is_ptr(to))
		return node_is_null(n) ||
		       (type_is_ptr(from) && ptr_assignable(to, from)) ||
		       (type_is_string(from) &&
			(type_is_strcompat(to) ||
			 type_resolve(to->ref)->kind == TYPE_VOID));
	if (type_is_string(to))
		return type_is_strcompat(from) || node_is_null(n);
	if (to->kind == TYPE_FLOAT)
		return from->kind == TYPE_FLOAT &&
		       type_size(to) == type_size(from);
	return type_is_sou(to) && type_is_sou(from) && type_compat(to, from);
}

const char *
conv_chars_hint(const struct node *n)
{
	return n->chars ? " (a string has double quotes)" : "";
}

struct node *
conv_assign(struct compile *cx, struct type *t, struct node *n,
	    struct src_loc loc, const struct err_tag *tag, const char *what)
{
	struct type *to = type_resolve(t);

	if (!type_is_string(to))
		n = conv_decay(cx, n);
	if (!assignable(to, n))
		lang_fail(cx, tag, loc, "%s: expected %s, found %s%s", what,
			  lang_type_name(cx, t), lang_type_name(cx, n->type),
			  type_is_string(to) ? conv_chars_hint(n) : "");
	if (type_is_sou(to))
		return conv_copyin(cx, n);
	if (type_is_string(to) && !node_is_null(n))
		return conv_string(cx, n);
	return to->kind == TYPE_FLOAT ? n : conv_to(cx, n, t);
}
