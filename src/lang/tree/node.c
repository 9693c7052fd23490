/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * node.c - making and copying nodes; operators.
 *
 * Checking changes a tree, and one tree can be checked several times: a clause
 * once for each of its probe descriptions, an inline at each use.  So what
 * will be needed again is copied first.
 */
#include "lang/tree/dtype.h"

struct node *
node_new(struct compile *cx, enum node_kind kind, struct src_loc loc)
{
	struct node *n = arena_alloc(cx->arena, sizeof(*n));

	n->kind = kind;
	n->loc = loc;
	n->height = 1;
	return n;
}

struct node *
node_int(struct compile *cx, struct src_loc loc, uint64_t val,
	 struct type *type)
{
	struct node *n = node_new(cx, NODE_INT, loc);

	n->type = type;
	n->ival = dtype_normal(type, val);
	n->is_const = true;
	return n;
}

struct node **
node_copy_list(struct compile *cx, struct node *const *v, uint32_t n)
{
	struct node **c = arena_calloc(cx->arena, n, sizeof(*c));

	for (uint32_t i = 0; i < n; i++)
		c[i] = node_copy(cx, v[i]);
	return c;
}

struct node *
node_copy(struct compile *cx, const struct node *n)
{
	struct node *c;

	if (n == NULL)
		return NULL;
	c = arena_memdup(cx->arena, n, sizeof(*n));
	c->left = node_copy(cx, n->left);
	c->right = node_copy(cx, n->right);
	c->cond = node_copy(cx, n->cond);
	c->args = node_copy_list(cx, n->args, n->nargs);
	c->body = node_copy_list(cx, n->body, n->nbody);
	c->orelse = node_copy_list(cx, n->orelse, n->norelse);
	return c;
}

static const struct {
	int op;
	const char *name;
} op_names[] = {
	{ TOK_ARROW, "->" },   { TOK_INC, "++" },     { TOK_DEC, "--" },
	{ TOK_LSH, "<<" },     { TOK_RSH, ">>" },     { TOK_LE, "<=" },
	{ TOK_GE, ">=" },      { TOK_EQ, "==" },      { TOK_NE, "!=" },
	{ TOK_LAND, "&&" },    { TOK_LOR, "||" },     { TOK_LXOR, "^^" },
	{ TOK_ADD_EQ, "+=" },  { TOK_SUB_EQ, "-=" },  { TOK_MUL_EQ, "*=" },
	{ TOK_DIV_EQ, "/=" },  { TOK_MOD_EQ, "%=" },  { TOK_AND_EQ, "&=" },
	{ TOK_XOR_EQ, "^=" },  { TOK_OR_EQ, "|=" },   { TOK_LSH_EQ, "<<=" },
	{ TOK_RSH_EQ, ">>=" }, { TOK_POSTINC, "++" }, { TOK_POSTDEC, "--" },
	{ TOK_DEREF, "*" },    { TOK_ADDROF, "&" },   { TOK_NEG, "-" },
	{ TOK_POS, "+" },      { '=', "=" },          { '+', "+" },
	{ '-', "-" },          { '*', "*" },          { '/', "/" },
	{ '%', "%" },          { '&', "&" },          { '|', "|" },
	{ '^', "^" },          { '~', "~" },          { '!', "!" },
	{ '<', "<" },          { '>', ">" },          { ',', "," },
};

const char *
op_name(int op)
{
	for (size_t i = 0; i < sizeof(op_names) / sizeof(*op_names); i++)
		if (op_names[i].op == op)
			return op_names[i].name;
	return "?";
}

int
op_binary_level(int op)
{
	switch (op) {
	case '*':
	case '/':
	case '%':
		return 11;
	case '+':
	case '-':
		return 10;
	case TOK_LSH:
	case TOK_RSH:
		return 9;
	case '<':
	case '>':
	case TOK_LE:
	case TOK_GE:
		return 8;
	case TOK_EQ:
	case TOK_NE:
		return 7;
	case '&':
		return 6;
	case '^':
		return 5;
	case '|':
		return 4;
	case TOK_LAND:
		return 3;
	case TOK_LXOR:
		return 2;
	case TOK_LOR:
		return 1;
	default:
		return 0;
	}
}

struct node *
node_part_of(struct node *n)
{
	if (n->ref == REF_VAR)
		return dtype_by_address(n->type) ? n : NULL;
	if (n->kind == NODE_MEMBER)
		return node_part_of(n->left);
	if (n->kind != NODE_UNARY || n->op != TOK_DEREF)
		return NULL;
	n = n->left; /* an element of an array: *((cast)array + i) */
	while (n->kind == NODE_BINARY && n->op == '+')
		n = n->left;
	if (n->kind != NODE_CAST ||
	    type_resolve(n->left->type)->kind != TYPE_ARRAY)
		return NULL;
	return node_part_of(n->left);
}
