/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_assign.c - assignment of every form, and ++ and --.
 *
 * After checking, a compound assignment `l op= r` has in ctype the type the
 * operation is done in; the generator loads l, operates, cuts the value to the
 * type of l and stores it, evaluating the place l only once.  ++x is x += 1;
 * x++ is a NODE_UNARY with the same ctype and right, whose value is the old
 * one.
 *
 * The target of a compound assignment is loaded before the right side is
 * evaluated.  That can only be seen if the right side assigns, too, and then
 * `l op= r` becomes `l = l op r`, with what the place of l depends on evaluated
 * first, into hidden variables.
 */
#include "lang/check/check_impl.h"

static bool
names_place(const struct node *n)
{
	return n->kind == NODE_IDENT || n->kind == NODE_SELF ||
	       n->kind == NODE_THIS || n->kind == NODE_SUB;
}

/* Refuse targets that are not places D programs may write. */
static void
check_writable(struct compile *cx, struct node *l, int op)
{
	struct node *base = l;

	if (!l->lvalue)
		lang_fail(cx, &D_OP_LVAL, l->loc,
			  "operator %s needs a variable that may be written",
			  op_name(op));
	while (base->kind == NODE_MEMBER)
		base = base->left;
	if (base->kind == NODE_SYM)
		lang_fail(cx, &D_OP_WRITE, l->loc,
			  "operator %s cannot write kernel symbol %s",
			  op_name(op), base->name);
	if (base->ref == REF_BUILTIN)
		lang_fail(cx, &D_OP_WRITE, l->loc,
			  "operator %s cannot write built-in variable %s%s",
			  op_name(op),
			  ((const struct dif_builtin_info *)base->ident)->name,
			  op == '=' ? " (== compares)" : "");
	if (base->kind == NODE_UNARY && node_in_user(l))
		lang_fail(cx, &D_OP_WRITE, l->loc,
			  "operator %s cannot write user memory", op_name(op));
	if (type_resolve(l->type)->kind == TYPE_ARRAY ||
	    type_resolve(l->type)->kind == TYPE_FUNC)
		lang_fail(cx, &D_OP_ARRFUN, l->loc,
			  "operator %s cannot be applied to an array or "
			  "function",
			  op_name(op));
}

/* The type a variable gets from the first value assigned to it. */
static struct type *
implicit_type(struct compile *cx, struct node *r, struct src_loc loc)
{
	struct type *t = type_unqual(r->type);

	if (r->kind == NODE_CALL && r->ref != REF_SUBR && type_is_void(t))
		lang_fail(cx, &D_OP_ACT, loc,
			  "action %s() has no value: it cannot be assigned",
			  r->name);
	if (r->kind == NODE_AGG)
		lang_fail(cx, &D_OP_DYN, loc,
			  "aggregation @%s cannot be assigned", r->name);
	if (type_is_void(t) || type_is_dyn(t) ||
	    (type_is_sou(t) && type_size(t) == 0))
		lang_fail(cx, &D_OP_INCOMPAT, loc,
			  "a value of type %s cannot be assigned",
			  lang_type_name(cx, t));
	return t;
}

static void
check_simple(struct compile *cx, struct node *n)
{
	struct node *l = n->left;

	check_expr(cx, n->right);
	if (!type_is_string(n->right->type))
		n->right = conv_decay(cx, n->right);
	if (!names_place(l) ||
	    !check_implicit(cx, l, implicit_type(cx, n->right, n->loc)))
		check_expr(cx, l);
	check_writable(cx, l, n->op);
	n->type = type_unqual(l->type);
	/* A variable that is a struct gives up its value as others do. */
	if (l->ref == REF_VAR && type_is_sou(l->type) && node_is_null(n->right))
		return;
	/* The place cuts what it is given, but a _Bool: that is 0 or 1. */
	if (!type_is_integer(l->type) || !type_is_integer(n->right->type) ||
	    dtype_is_bool(l->type))
		n->right = conv_assign(cx, l->type, n->right, n->loc,
				       &D_OP_INCOMPAT,
				       "assignment of incompatible type");
	n->user = n->right->user || type_is_user_ptr(n->type);
}

int
op_of_assign(int op)
{
	static const int base[][2] = {
		{ TOK_ADD_EQ, '+' },     { TOK_SUB_EQ, '-' },
		{ TOK_MUL_EQ, '*' },     { TOK_DIV_EQ, '/' },
		{ TOK_MOD_EQ, '%' },     { TOK_AND_EQ, '&' },
		{ TOK_XOR_EQ, '^' },     { TOK_OR_EQ, '|' },
		{ TOK_LSH_EQ, TOK_LSH }, { TOK_RSH_EQ, TOK_RSH },
		{ TOK_INC, '+' },        { TOK_DEC, '-' },
		{ TOK_POSTINC, '+' },    { TOK_POSTDEC, '-' },
	};

	for (size_t i = 0; i < sizeof(base) / sizeof(*base); i++)
		if (base[i][0] == op)
			return base[i][1];
	return 0;
}

/* Have what the place depends on, an index, a key or a pointer, evaluated into
   a hidden variable; *first is what does so. */
static void
hold_place(struct compile *cx, struct node *l, struct node **first)
{
	struct node *p;

	for (uint32_t i = 0; i < l->nargs; i++)
		if (!l->args[i]->is_const)
			*first = check_after(cx, *first,
					     check_held(cx, &l->args[i]));
	if (l->kind == NODE_MEMBER) {
		hold_place(cx, l->left, first);
		return;
	}
	if (l->kind != NODE_UNARY)
		return;
	/* *p, or *(a + i) where a may be an array that is a variable's part. */
	p = l->left;
	while (p->kind == NODE_BINARY) {
		if (!p->right->is_const)
			*first = check_after(cx, *first,
					     check_held(cx, &p->right));
		p = p->left;
	}
	if (p->kind == NODE_CAST &&
	    type_resolve(p->left->type)->kind == TYPE_ARRAY)
		hold_place(cx, p->left, first);
	else if (p == l->left)
		*first = check_after(cx, *first, check_held(cx, &l->left));
}

/* l op= r, where r assigns, as l = l op r. */
static void
load_first(struct compile *cx, struct node *n)
{
	struct node *r = node_new(cx, NODE_BINARY, n->loc), *first = NULL, *a;

	hold_place(cx, n->left, &first);
	r->op = op_of_assign(n->op);
	r->left = node_copy(cx, n->left);
	r->right = n->right;
	r->type = n->ctype;
	r->user = n->user;
	a = node_new(cx, NODE_ASSIGN, n->loc);
	a->op = '=';
	a->left = n->left;
	a->right = dtype_is_bool(n->type) ? conv_to(cx, r, n->type) : r;
	a->type = n->type;
	a->user = n->user;
	*n = *check_after(cx, first, a);
}

static bool
is_incdec(int op)
{
	return op == TOK_INC || op == TOK_DEC || op == TOK_POSTINC ||
	       op == TOK_POSTDEC;
}

/* The arithmetic of l op= r, both checked; used by ++ and -- too. */
static void
check_compound(struct compile *cx, struct node *n)
{
	struct node *l = n->left, *r = n->right;
	int op = op_of_assign(n->op);

	check_writable(cx, l, n->op);
	n->type = type_unqual(l->type);
	n->user = l->user;
	if ((op == '+' || op == '-') &&
	    (type_is_voidptr(l->type) || type_is_voidptr(r->type)))
		lang_fail(cx, &D_OP_VFPTR, n->loc,
			  "operator %s cannot be applied to a pointer to void "
			  "or to a function",
			  op_name(n->op));
	if (is_incdec(n->op) && !type_is_scalar(l->type))
		lang_fail(cx, &D_OP_SCALAR, n->loc,
			  "operator %s needs an integer or a pointer, not %s",
			  op_name(n->op), lang_type_name(cx, l->type));
	if (type_is_string(l->type) || type_is_string(r->type))
		lang_fail(cx, &D_OP_INCOMPAT, n->loc,
			  "operands of %s have incompatible types: %s and %s",
			  op_name(n->op), lang_type_name(cx, l->type),
			  lang_type_name(cx, r->type));
	if (type_is_ptr(l->type) && type_is_integer(r->type) &&
	    (op == '+' || op == '-')) {
		n->right = check_scale(cx, l, r, n->loc, n->op);
		n->ctype = n->type;
		return;
	}
	if (!type_is_integer(l->type) || !type_is_integer(r->type))
		lang_fail(cx,
			  op == '%' || op == '&' || op == '|' || op == '^' ||
					  op == TOK_LSH || op == TOK_RSH
				  ? &D_OP_INT
				  : &D_OP_ARITH,
			  n->loc, "operator %s needs integers, not %s and %s",
			  op_name(n->op), lang_type_name(cx, l->type),
			  lang_type_name(cx, r->type));
	if (op == TOK_LSH || op == TOK_RSH) {
		n->ctype = type_operand(cx, l);
	} else {
		n->ctype = type_usual(cx, l, r);
	}
	if ((op == '/' || op == '%') && node_is_null(n->right))
		lang_fail(cx, &D_DIV_ZERO, n->loc, "division by constant zero");
}

static void
check_place(struct compile *cx, struct node *l, const struct node *r)
{
	bool value =
		r == NULL || !(type_is_void(r->type) || type_is_dyn(r->type));

	if (!value && l->kind == NODE_IDENT && !names_is_variable(cx, l->name))
		lang_fail(cx, &D_VAR_UNDEF, l->loc,
			  "%s has not yet been declared or assigned", l->name);
	/* An undeclared variable counts from 0 in 64 bits. */
	if (!names_place(l) || !value ||
	    !check_implicit(cx, l, dtype_named(cx, "int64_t")))
		check_expr(cx, l);
}

void
check_assign(struct compile *cx, struct node *n)
{
	if (n->left->kind == NODE_AGG)
		lang_fail(cx, &D_OP_DYN, n->loc,
			  "assignment to aggregation @%s must be a statement",
			  n->left->name);
	if (n->left->kind == NODE_SUB && n->left->left->kind == NODE_AGG)
		lang_fail(cx, &D_AGG_MDIM, n->loc,
			  "aggregation @%s has one list of keys: separate them "
			  "by commas",
			  n->left->left->name);
	if (n->op == '=') {
		check_simple(cx, n);
		return;
	}
	n->right = check_rvalue(cx, n->right);
	check_place(cx, n->left, n->right);
	check_compound(cx, n);
	if (check_has_effect(n->right, false))
		load_first(cx, n);
}

void
check_incdec(struct compile *cx, struct node *n)
{
	if (n->left->kind == NODE_AGG)
		lang_fail(cx, &D_OP_DYN, n->loc,
			  "operator %s cannot be applied to an aggregation "
			  "(an aggregating function adds: = count(), = "
			  "sum(...))",
			  op_name(n->op));
	check_place(cx, n->left, NULL);
	n->right = node_int(cx, n->loc, 1, dtype_basic(cx, TYPE_B_INT));
	check_compound(cx, n);
	if (n->op == TOK_INC || n->op == TOK_DEC) {
		n->kind = NODE_ASSIGN;
		n->op = n->op == TOK_INC ? TOK_ADD_EQ : TOK_SUB_EQ;
	}
}
