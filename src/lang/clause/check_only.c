/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_only.c - clauses that only one process can fire: `/pid == 123/`, mostly
 * written with $target, or `/self->x/`, where such a clause sets self->x.
 * Placement may run them in that process.
 *
 * So what is evaluated in front of the comparison in all other processes must
 * leave nothing and must not fail: `/x++ && pid == 123/` counts everywhere,
 * `/copyinstr(arg0) == "a" && pid == 123/` has faults everywhere.
 */
#include "lang/clause/clause_impl.h"

/* True if it has no effect and no fault, whatever its values are. */
static bool
is_quiet(const struct node *n)
{
	if (n == NULL || n->is_const || n->kind == NODE_STR)
		return true;
	switch (n->kind) {
	case NODE_IDENT:
		return n->ref == REF_BUILTIN && n->nargs == 0;
	case NODE_SELF:
	case NODE_THIS:
		return n->nargs == 0;
	case NODE_CAST:
		return type_is_integer(n->type) && is_quiet(n->left);
	case NODE_UNARY:
		return (n->op == '!' || n->op == '~' || n->op == TOK_NEG) &&
		       is_quiet(n->left);
	case NODE_BINARY:
		return n->op != '/' && n->op != '%' && is_quiet(n->left) &&
		       is_quiet(n->right);
	default:
		return false;
	}
}

/* Without conversions that keep every number of a process. */
static const struct node *
bare(const struct node *n)
{
	while (n->kind == NODE_CAST && type_is_integer(n->type) &&
	       type_size(n->type) >= sizeof(int32_t))
		n = n->left;
	return n;
}

static bool
is_pid(const struct node *n)
{
	const struct dif_builtin_info *b = n->ident;

	return n->kind == NODE_IDENT && n->ref == REF_BUILTIN &&
	       b->id == DIF_VAR_pid;
}

/* The number that pid is compared with, or -1: that is something else. */
static int32_t
compared(const struct node *n)
{
	const struct node *l, *r;

	if (n->kind != NODE_BINARY || n->op != TOK_EQ)
		return -1;
	l = bare(n->left);
	r = bare(n->right);
	if (is_pid(r)) {
		const struct node *was = l;
		l = r;
		r = was;
	}
	return is_pid(l) && r->is_const && r->ival <= INT32_MAX ?
		       (int32_t)r->ival : -1;
}

/* The self-> variable that is not 0; 0: that is something else. */
static uint32_t
wanted(const struct node *n)
{
	const struct ident *id;

	if (n->kind == NODE_BINARY && n->op == TOK_NE && n->right->is_const &&
	    n->right->ival == 0)
		n = n->left;
	n = bare(n);
	id = n->ident;
	return n->kind == NODE_SELF && n->nargs == 0 && n->ref == REF_VAR ?
		       id->var->id : 0;
}

/* Without alternatives that are never so: $target == 0 || pid == $target. */
static const struct node *
alternative(const struct node *n)
{
	while (n->kind == NODE_BINARY && n->op == TOK_LOR) {
		if (n->left->is_const && n->left->ival == 0)
			n = n->right;
		else if (n->right->is_const && n->right->ival == 0)
			n = n->left;
		else
			break;
	}
	return n;
}

/* Conjuncts from left to right; false: what comes behind this one is no matter,
   as it may be noticed, or as all is known. */
static bool
only_by(const struct node *n, struct dif_clause *c)
{
	int32_t pid;
	uint32_t self;

	n = alternative(n);
	pid = compared(n);
	if (n->kind == NODE_BINARY && n->op == TOK_LAND)
		return only_by(n->left, c) && only_by(n->right, c);
	c->only_zero |= pid == 0;
	c->only_pid = pid > 0 ? pid : 0;
	if (c->only_pid != 0)
		return false;
	self = wanted(n);
	if (c->only_self == 0)
		c->only_self = self;
	return self != 0 || is_quiet(n);
}

void
check_only(const struct node *pred, struct dif_clause *c)
{
	if (pred != NULL)
		only_by(pred, c);
}
