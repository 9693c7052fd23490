/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_tree.c - trees as lists for whoever debugs the compiler (-xtree).
 *
 * One node a line, operands indented below it: kind, operator or name, value,
 * type.  Stage 1 is each clause as it was parsed; stage 2 each expression as
 * it is given to the generator, with the conversions that the checker put in.
 * What checking does to a tree is written in check_impl.h.
 */
#include "lang/show/show_impl.h"

#include <inttypes.h>

static const char *const kind_names[] = {
	[NODE_INT] = "int",
	[NODE_STR] = "string",
	[NODE_IDENT] = "ident",
	[NODE_SYM] = "symbol",
	[NODE_AGG] = "aggregation",
	[NODE_SELF] = "self",
	[NODE_THIS] = "this",
	[NODE_SUB] = "subscript",
	[NODE_CALL] = "call",
	[NODE_MEMBER] = "member",
	[NODE_ARROW] = "arrow",
	[NODE_UNARY] = "unary",
	[NODE_BINARY] = "binary",
	[NODE_ASSIGN] = "assign",
	[NODE_COND] = "cond",
	[NODE_COMMA] = "comma",
	[NODE_CAST] = "cast",
	[NODE_SIZEOF_TYPE] = "sizeof",
	[NODE_SIZEOF] = "sizeof",
	[NODE_OFFSETOF] = "offsetof",
	[NODE_HAS_MEMBER] = "has_member",
	[NODE_STRINGOF] = "stringof",
	[NODE_XLATE] = "xlate",
	[NODE_PARAM] = "param",
	[NODE_EXPR_STMT] = "statement",
	[NODE_IF] = "if",
};

static void
tree_label(struct buf *out, const struct node *n)
{
	buf_puts(out, kind_names[n->kind]);
	if (n->kind == NODE_UNARY || n->kind == NODE_BINARY ||
	    n->kind == NODE_ASSIGN)
		buf_printf(out, " %s%s", op_name(n->op),
			   n->op == TOK_POSTINC || n->op == TOK_POSTDEC ?
				   " (after)" : "");
	if (n->mod != NULL)
		buf_printf(out, " %s`", n->mod);
	if (n->name != NULL)
		buf_printf(out, "%s%s", n->mod != NULL ? "" : " ", n->name);
	if (n->kind == NODE_INT || n->is_const)
		buf_printf(out, " %" PRId64, (int64_t)n->ival);
	if (n->kind == NODE_STR)
		buf_printf(out, " of %zu bytes", n->len);
}

static void
tree_types(struct buf *out, const struct node *n)
{
	if (n->ctype != NULL) {
		buf_puts(out, " <");
		type_name(n->ctype, out);
		buf_putc(out, '>');
	}
	if (n->type != NULL) {
		buf_puts(out, " : ");
		type_name(n->type, out);
	}
	if (n->user)
		buf_puts(out, " (user)");
}

static void tree_node(struct buf *out, const struct node *n, int depth,
		      const char *role);

static void
tree_list(struct buf *out, struct node *const *v, uint32_t n, int depth,
	  const char *role)
{
	for (uint32_t i = 0; i < n; i++)
		tree_node(out, v[i], depth, role);
}

static void
tree_node(struct buf *out, const struct node *n, int depth, const char *role)
{
	if (n == NULL)
		return;
	buf_printf(out, "%*s%s", depth * 2, "", role);
	tree_label(out, n);
	tree_types(out, n);
	buf_putc(out, '\n');
	tree_node(out, n->cond, depth + 1, "? ");
	tree_node(out, n->left, depth + 1, "");
	tree_node(out, n->right, depth + 1, "");
	tree_list(out, n->args, n->nargs, depth + 1, "");
	tree_list(out, n->body, n->nbody, depth + 1, "");
	tree_list(out, n->orelse, n->norelse, depth + 1, "else ");
}

static struct buf *
tree_wanted(const struct compile *cx, unsigned stage)
{
	const struct lang_show *want = cx->src->show;

	return want != NULL && (want->stages & stage) != 0 ? want->tree : NULL;
}

void
show_tree_clause(struct compile *cx, const struct clause_node *c)
{
	struct buf *out = tree_wanted(cx, LANG_TREE_PARSED);

	if (out == NULL)
		return;
	buf_printf(out, "line %d: parsed clause\n", c->loc.line);
	for (uint32_t i = 0; i < c->npdescs; i++)
		if (c->pdescs[i].id != 0)
			buf_printf(out, "  probe %u\n", c->pdescs[i].id);
		else
			buf_printf(out, "  probe %s:%s:%s:%s\n",
				   c->pdescs[i].prov, c->pdescs[i].mod,
				   c->pdescs[i].func, c->pdescs[i].name);
	tree_node(out, c->pred, 1, "predicate ");
	tree_list(out, c->body, c->nbody, 1, "");
}

void
show_tree_checked(struct compile *cx, const struct node *n)
{
	struct buf *out = tree_wanted(cx, LANG_TREE_CHECKED);

	if (out == NULL)
		return;
	buf_printf(out, "line %d: checked expression\n", n->loc.line);
	tree_node(out, n, 1, "");
}
