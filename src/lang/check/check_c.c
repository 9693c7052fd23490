/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_c.c - notes for people who come from C: where an expression has another
 * value than C would give it (doc/decisions/0044-arithmetic.md).
 *
 * A checked tree is walked, with the values that each part of it can have in D
 * (a span) and the type that C would give it.  C cuts what every operator makes
 * to that type; D keeps 64 bits until the value is stored.  The two differ
 * where
 *
 *   - a result may lie outside C's type, and more than its low bits are looked
 *     at: it is divided, compared, shifted right, added up, made wider;
 *   - a type narrower than int is kept as it is, which C would have promoted;
 *   - a value that may be negative is compared or divided as an unsigned one,
 *     of 32 bits in C, of 64 in D; or an unsigned one only in D;
 *   - a pointer to characters is compared as a string.
 *
 * Overflow of a signed sum with a constant is no reason: C does not define it,
 * and every i + 1 would be one.  Spans are wider than the truth in doubt, so a
 * note says what can happen.  Text of others than the clause's own file (the D
 * library, headers) is left out.
 */
#include "lang/check/check_impl.h"

#include <string.h>

typedef __int128 wide;
struct span {
	wide lo, hi;
};
struct ctype {
	uint64_t size;
	bool sign;
};
/* Which bits of a value its user looks at: the low ones that C's type has, or
   all 64 of them. */
enum use { USE_LOW, USE_ALL };

static struct span span_of(struct compile *cx, struct node *n, enum use use);

/* ---- notes --------------------------------------------------------------- */

static bool
in_file(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void
note(struct compile *cx, const struct node *n, const char *text)
{
	struct lang_note *new, **at = &cx->notes;

	if (!in_file(n->loc.file, clause_of(cx)->loc.file))
		return;
	for (; *at != NULL; at = &(*at)->next)
		if ((*at)->loc.line == n->loc.line &&
		    (*at)->loc.col == n->loc.col)
			return; /* a place has one */
	new = arena_alloc(cx->arena, sizeof(*new));
	*new = (struct lang_note){ .loc = n->loc, .text = text };
	*at = new;
}

/* ---- types --------------------------------------------------------------- */

static bool
is_int(const struct node *n)
{
	return n->type != NULL && type_is_integer(n->type);
}

static struct span
span_type(struct type *t)
{
	unsigned bits = (unsigned)type_size(t) * 8;

	if (type_is_signed(t))
		return (struct span){ -((wide)1 << (bits - 1)),
				      ((wide)1 << (bits - 1)) - 1 };
	return (struct span){ 0, ((wide)1 << bits) - 1 };
}

static struct span
span_ctype(struct ctype c)
{
	unsigned bits = (unsigned)c.size * 8 - c.sign;

	return (struct span){ c.sign ? -((wide)1 << bits) : 0,
			      ((wide)1 << bits) - 1 };
}

static bool
within(struct span a, struct span b)
{
	return a.lo >= b.lo && a.hi <= b.hi;
}

static const char *
ctype_name(struct compile *cx, struct ctype c)
{
	return lang_type_name(
		cx, dtype_basic(cx, c.size > 4 ? c.sign ? TYPE_B_LONG
							: TYPE_B_ULONG
					       : c.sign ? TYPE_B_INT
							: TYPE_B_UINT));
}

static struct ctype
promoted(struct ctype c)
{
	return c.size < 4 ? (struct ctype){ 4, true } : c;
}

static struct ctype
usual(struct ctype l, struct ctype r)
{
	l = promoted(l);
	r = promoted(r);
	if (l.size != r.size)
		return l.size > r.size ? l : r;
	return l.sign ? r : l;
}

/* The type that C gives an integer expression. */
static struct ctype
ctype_of(const struct node *n)
{
	if (n->kind == NODE_UNARY && n->left != NULL && is_int(n->left) &&
	    (n->op == TOK_NEG || n->op == TOK_POS || n->op == '~'))
		return promoted(ctype_of(n->left));
	if (n->kind == NODE_COND && is_int(n->left) && is_int(n->right))
		return usual(ctype_of(n->left), ctype_of(n->right));
	if (n->kind == NODE_BINARY && n->ctype == NULL && is_int(n->left) &&
	    is_int(n->right)) {
		if (n->op == TOK_LSH || n->op == TOK_RSH)
			return promoted(ctype_of(n->left));
		if (n->op < TOK_LAND || n->op > TOK_LXOR)
			return usual(ctype_of(n->left), ctype_of(n->right));
	}
	return (struct ctype){ type_size(n->type), type_is_signed(n->type) };
}

/* ---- spans of operators -------------------------------------------------- */

static wide
lesser(wide a, wide b)
{
	return a < b ? a : b;
}

static wide
larger(wide a, wide b)
{
	return a > b ? a : b;
}

static struct span
around(wide a, wide b, wide c, wide d)
{
	return (struct span){ lesser(lesser(a, b), lesser(c, d)),
			      larger(larger(a, b), larger(c, d)) };
}

/* All ones up to the highest bit of a value. */
static wide
ones(wide v)
{
	wide m = 0;

	while (m < v)
		m = m << 1 | 1;
	return m;
}

static struct span
span_bits(int op, struct span l, struct span r)
{
	wide hi =
		ones(larger(larger(l.hi, r.hi), larger(-l.lo - 1, -r.lo - 1)));

	if (op == '&' && (l.lo >= 0 || r.lo >= 0))
		return (struct span){ 0, l.lo < 0   ? r.hi
					 : r.lo < 0 ? l.hi
						    : lesser(l.hi, r.hi) };
	return (struct span){ l.lo < 0 || r.lo < 0 ? -hi - 1 : 0, hi };
}

static struct span
span_shift(int op, struct span l, struct span r)
{
	int from = r.lo == r.hi && r.lo >= 0 && r.lo < 64 ? (int)r.lo : 0;
	int to = r.lo == r.hi && r.lo >= 0 && r.lo < 64 ? (int)r.lo : 63;

	if (op == TOK_RSH)
		return around(l.lo >> from, l.hi >> from, l.lo >> to,
			      l.hi >> to);
	/* Not more than 64 bits, so that it can be multiplied again. */
	if (to == 63)
		return (struct span){ l.lo < 0 ? -((wide)1 << 63) : 0,
				      (wide)1 << 63 };
	return around(l.lo * ((wide)1 << to), l.hi * ((wide)1 << to), 0, 0);
}

/* What does not fit 128 bits is cut to 64 anyhow. */
static wide
product(wide a, wide b)
{
	const wide most = (wide)(~(unsigned __int128)0 >> 1);
	wide v;

	if (!__builtin_mul_overflow(a, b, &v))
		return v;
	return (a < 0) == (b < 0) ? most : -most;
}

static struct span
span_binary(int op, struct span l, struct span r)
{
	wide m = larger(larger(l.hi, -l.lo), 0);

	switch (op) {
	case '+':
		return (struct span){ l.lo + r.lo, l.hi + r.hi };
	case '-':
		return (struct span){ l.lo - r.hi, l.hi - r.lo };
	case '*':
		return around(product(l.lo, r.lo), product(l.lo, r.hi),
			      product(l.hi, r.lo), product(l.hi, r.hi));
	case '/':
		return (struct span){ l.lo < 0 || r.lo < 0 ? -m : 0, m };
	case '%':
		m = larger(larger(r.hi, -r.lo) - 1, 0);
		return (struct span){ l.lo < 0 ? -m : 0, m };
	case TOK_LSH:
	case TOK_RSH:
		return span_shift(op, l, r);
	}
	return span_bits(op, l, r);
}

/* No more than 64 bits: that is where D, too, cuts. */
static struct span
in_64(struct span s)
{
	const struct span all = { -((wide)1 << 63), ((wide)1 << 64) - 1 };

	return within(s, all) ? s : all;
}

/* ---- operators ----------------------------------------------------------- */

/* The low bits of its result depend on the low bits of its operands only. */
static bool
is_modular(int op)
{
	return op == '+' || op == '-' || op == '*' || op == '&' || op == '|' ||
	       op == '^' || op == TOK_LSH;
}

static bool
compares(int op)
{
	return op == '<' || op == '>' || op == TOK_LE || op == TOK_GE ||
	       op == TOK_EQ || op == TOK_NE;
}

/* An operator that treats its operands as unsigned numbers of its type in D,
   and as what they are in C, or as unsigned ones of fewer bits. */
static void
mixed_signs(struct compile *cx, const struct node *n, int op, struct type *in,
	    struct span l, struct span r)
{
	struct ctype c = usual(ctype_of(n->left), ctype_of(n->right));
	const char *verb = compares(op) ? "compares" : "divides";

	if (type_is_signed(in) || type_size(in) > 4 ||
	    (l.lo >= 0 && r.lo >= 0))
		return;
	if (!c.sign)
		note(cx, n,
		     arena_printf(cx->arena,
				  "%s %s 64 bits, and a negative operand is a "
				  "large number; C makes both %s first",
				  op_name(op), verb, ctype_name(cx, c)));
	else if (op != TOK_EQ && op != TOK_NE)
		note(cx, n,
		     arena_printf(cx->arena,
				  "%s %s as unsigned, as %s is; C makes both "
				  "%s first",
				  op_name(op), verb, lang_type_name(cx, in),
				  ctype_name(cx, c)));
}

/* An implicit conversion of characters somewhere to a string. */
static bool
from_chars(const struct node *n)
{
	const struct node *from = n->kind == NODE_STRINGOF ? n->left
				  : n->kind == NODE_CALL && n->nargs == 1
					  ? n->args[0]
					  : NULL;

	return from != NULL && !type_is_string(from->type) &&
	       from->loc.line == n->loc.line && from->loc.col == n->loc.col;
}

static struct span
span_compare(struct compile *cx, struct node *n)
{
	struct span l = span_of(cx, n->left, USE_ALL);
	struct span r = span_of(cx, n->right, USE_ALL);

	if (type_is_string(n->ctype)) {
		if (from_chars(n->left) || from_chars(n->right))
			note(cx, n,
			     arena_printf(cx->arena,
					  "%s compares characters, as one "
					  "side is a string; C compares "
					  "addresses",
					  op_name(n->op)));
	} else if (is_int(n->left) && is_int(n->right)) {
		mixed_signs(cx, n, n->op, n->ctype, l, r);
	}
	return (struct span){ 0, 1 };
}

/* Say so if C would cut what the operator makes, and that would be seen. */
static struct span
cut_by_c(struct compile *cx, const struct node *n, int op, struct span s,
	 struct ctype c, enum use use)
{
	bool sum = (op == '+' || op == '-') && c.sign && n->right != NULL &&
		   (n->left->is_const || n->right->is_const);

	if (use == USE_LOW || c.size > 4 || within(s, span_ctype(c)))
		return s;
	if (!sum)
		note(cx, n,
		     arena_printf(cx->arena,
				  "the result of %s keeps 64 bits here; C cuts "
				  "it to %s",
				  op_name(op), ctype_name(cx, c)));
	return span_ctype(c);
}

/* Operand of an operator whose result has C's type c. */
static struct span
operand(struct compile *cx, struct node *n, struct ctype c, bool modular)
{
	bool low = modular && promoted(ctype_of(n)).size >= c.size;

	return span_of(cx, n, low ? USE_LOW : USE_ALL);
}

/* l op r, where op may be that of an assignment. */
static struct span
span_operator(struct compile *cx, struct node *n, int op, struct type *in,
	      enum use use)
{
	bool shift = op == TOK_LSH || op == TOK_RSH;
	struct ctype c = shift ? promoted(ctype_of(n->left))
			       : usual(ctype_of(n->left), ctype_of(n->right));
	struct span l = operand(cx, n->left, c, is_modular(op));
	struct span r = operand(cx, n->right, c, is_modular(op) && !shift);

	if (op == '/' || op == '%')
		mixed_signs(cx, n, op, in, l, r);
	return cut_by_c(cx, n, op, in_64(span_binary(op, l, r)), c, use);
}

static struct span
span_assign(struct compile *cx, struct node *n)
{
	struct ctype c = { type_size(n->left->type),
			   type_is_signed(n->left->type) };

	if (n->op == '=')
		operand(cx, n->right, c, true);
	else
		span_operator(cx, n, op_of_assign(n->op), n->left->type,
			      USE_LOW);
	return span_type(n->left->type);
}

static struct span
span_unary(struct compile *cx, struct node *n, enum use use)
{
	struct ctype c = ctype_of(n);
	struct span s;

	if (n->op != TOK_NEG && n->op != TOK_POS && n->op != '~') {
		span_of(cx, n->left, USE_ALL);
		return n->op == '!' ? (struct span){ 0, 1 }
				    : span_type(n->type);
	}
	s = operand(cx, n->left, c, true);
	if (n->op == TOK_NEG)
		s = (struct span){ -s.hi, -s.lo };
	else if (n->op == '~')
		s = (struct span){ -s.hi - 1, -s.lo - 1 };
	return cut_by_c(cx, n, n->op, s, c, use);
}

/* What is kept of a value of a type narrower than int is that type: C would
   have made it an int. */
static void
kept_narrow(struct compile *cx, struct node *n, struct span s)
{
	struct ctype c = ctype_of(n);

	if (n->kind != NODE_BINARY && n->kind != NODE_UNARY &&
	    n->kind != NODE_COND)
		return;
	if (type_size(n->type) < 4 && c.size >= 4 &&
	    !within(s, span_type(n->type)))
		note(cx, n,
		     arena_printf(cx->arena,
				  "the result of %s is kept as %s; in C it is "
				  "%s",
				  n->kind == NODE_COND ? "?:" : op_name(n->op),
				  lang_type_name(cx, n->type),
				  ctype_name(cx, c)));
}

static struct span
span_cast(struct compile *cx, struct node *n, enum use use)
{
	struct ctype c = { type_size(n->type), type_is_signed(n->type) };
	struct type *from = n->left->type;
	struct span s;

	if (!is_int(n->left)) {
		span_of(cx, n->left, USE_ALL);
		return span_type(n->type);
	}
	if (type_size(from) >= c.size) {
		s = span_of(cx, n->left, USE_LOW);
	} else if (type_is_signed(from) == c.sign) { /* only gets wider */
		s = span_of(cx, n->left,
			    promoted(ctype_of(n->left)).size < c.size ? USE_ALL
								      : use);
	} else {
		s = span_of(cx, n->left, USE_LOW);
		kept_narrow(cx, n->left, s);
	}
	return within(s, span_type(n->type)) ? s : span_type(n->type);
}

/* ---- the walk ------------------------------------------------------------ */

/* Parts of what is no operator on integers. */
static void
parts(struct compile *cx, struct node *n)
{
	struct node *const of[] = { n->left, n->right, n->cond };

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i] != NULL)
			span_of(cx, of[i], USE_ALL);
	for (uint32_t i = 0; i < n->nargs; i++)
		span_of(cx, n->args[i], USE_ALL);
}

static struct span
span_cond(struct compile *cx, struct node *n, enum use use)
{
	struct ctype c = ctype_of(n);
	struct span l, r;

	span_of(cx, n->cond, USE_ALL);
	l = operand(cx, n->left, c, use == USE_LOW);
	r = operand(cx, n->right, c, use == USE_LOW);
	return (struct span){ lesser(l.lo, r.lo), larger(l.hi, r.hi) };
}

static struct span
span_const(const struct node *n)
{
	wide v = type_is_signed(n->type) ? (wide)(int64_t)n->ival
					 : (wide)n->ival;

	return (struct span){ v, v };
}

static struct span
span_any(struct compile *cx, struct node *n, enum use use)
{
	switch (n->kind) {
	case NODE_BINARY:
		if (compares(n->op) && n->ctype != NULL)
			return span_compare(cx, n);
		if (n->op >= TOK_LAND && n->op <= TOK_LXOR)
			break;
		if (is_int(n->left) && is_int(n->right))
			return span_operator(cx, n, n->op, n->type, use);
		break;
	case NODE_UNARY:
		if (is_int(n->left))
			return span_unary(cx, n, use);
		break;
	case NODE_ASSIGN:
		if (is_int(n->left) && is_int(n->right))
			return span_assign(cx, n);
		break;
	case NODE_COND:
		if (is_int(n->left) && is_int(n->right))
			return span_cond(cx, n, use);
		break;
	case NODE_CAST:
		return span_cast(cx, n, use);
	case NODE_COMMA:
		span_of(cx, n->left, USE_LOW);
		return span_of(cx, n->right, use);
	default:
		break;
	}
	parts(cx, n);
	return span_type(n->type);
}

static struct span
span_of(struct compile *cx, struct node *n, enum use use)
{
	struct span s;

	if (!is_int(n) && n->kind != NODE_BINARY) {
		parts(cx, n);
		return (struct span){ 0, 0 };
	}
	if (n->kind == NODE_SIZEOF)
		return span_const(n);
	s = span_any(cx, n, use);
	return n->is_const && within(span_const(n), s) ? span_const(n) : s;
}

void
check_c(struct compile *cx, struct node *n, enum check_c_use use)
{
	struct span s;

	if (cx->src->library || clause_of(cx) == NULL)
		return;
	s = span_of(cx, n, use == CHECK_C_ALL ? USE_ALL : USE_LOW);
	if (use == CHECK_C_KEPT && is_int(n))
		kept_narrow(cx, n, s);
}
