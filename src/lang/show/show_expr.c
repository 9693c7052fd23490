/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_expr.c - an expression, as the parser left it, as D text.
 *
 * The tree has no parentheses: they come where an operand binds less than its
 * place asks for.  Levels are those of the grammar in parse_expr.c, and what
 * is written is read back as the same tree.
 */
#include "lang/show/show_impl.h"

#include <inttypes.h>
#include <string.h>

/* ---- literals ------------------------------------------------------------ */

/* Bytes between quotes.  Three octal digits end an escape whatever follows. */
static void
show_bytes(struct buf *out, const char *s, size_t n, char quote)
{
	buf_putc(out, quote);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '\t')
			buf_puts(out, "\\t");
		else if (c == (unsigned char)quote || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < ' ' || c >= 0x7f)
			buf_printf(out, "\\%03o", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, quote);
}

/* Its value and type; what has no such literal was a character constant. */
static void
show_int(struct buf *out, const struct node *n)
{
	struct type *t = type_resolve(n->type);
	const char *sized = t->name != NULL && strstr(t->name, "long long") ?
				    "ll" :
			    t->name != NULL && strstr(t->name, "long") ? "l" :
									 "";
	int64_t v = (int64_t)n->ival;

	if (t->is_signed && v < 0) {
		char bytes[8];
		size_t len = sized[0] == '\0' ? (v >= -128 ? 1 : 4) : 8;
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(n->ival >> (8 * (len - 1 - i)));
		show_bytes(out, bytes, len, '\'');
		return;
	}
	buf_printf(out, "%" PRIu64 "%s%s", n->ival, t->is_signed ? "" : "u",
		   sized);
}

/* ---- names --------------------------------------------------------------- */

static void
show_args(struct show *sh, const struct node *n, const char *open,
	  const char *close)
{
	buf_puts(sh->out, open);
	for (uint32_t i = 0; i < n->nargs; i++) {
		if (i != 0)
			buf_puts(sh->out, ", ");
		show_expr(sh, n->args[i], SHOW_ASSIGN);
	}
	buf_puts(sh->out, close);
}

static void
show_subscript(struct show *sh, const struct node *n)
{
	if (n->subscripted)
		show_args(sh, n, "[", "]");
}

static void
show_local(struct show *sh, const struct node *n)
{
	if (n->name[0] == '%')
		buf_printf(sh->out, "this->%s%s", sh->hidden, n->name + 1);
	else
		buf_printf(sh->out, "this->%s", n->name);
}

/* ---- operators ----------------------------------------------------------- */

static unsigned
binary_level(const struct node *n)
{
	return SHOW_BINARY + (unsigned)op_binary_level(n->op);
}

/* -(-x) is not --x, nor &(&x) a && x. */
static bool
clashes(const struct node *n)
{
	const struct node *l = n->left;

	return strchr("+-&", op_name(n->op)[0]) != NULL &&
	       l->kind == NODE_UNARY &&
	       op_name(l->op)[0] == op_name(n->op)[0] &&
	       l->op != TOK_POSTINC && l->op != TOK_POSTDEC;
}

static void
show_unary(struct show *sh, const struct node *n)
{
	if (n->op == TOK_POSTINC || n->op == TOK_POSTDEC) {
		show_expr(sh, n->left, SHOW_POSTFIX);
		buf_puts(sh->out, op_name(n->op));
		return;
	}
	buf_puts(sh->out, op_name(n->op));
	show_expr(sh, n->left, clashes(n) ? SHOW_POSTFIX : SHOW_UNARY);
}

static void
show_binary(struct show *sh, const struct node *n, unsigned left,
	    unsigned right)
{
	show_expr(sh, n->left, left);
	buf_printf(sh->out, n->kind == NODE_COMMA ? "%s " : " %s ",
		   op_name(n->op));
	show_expr(sh, n->right, right);
}

static void
show_cond(struct show *sh, const struct node *n)
{
	show_expr(sh, n->cond, SHOW_BINARY);
	buf_puts(sh->out, " ? ");
	show_expr(sh, n->left, SHOW_ASSIGN);
	buf_puts(sh->out, " : ");
	show_expr(sh, n->right, SHOW_COND);
}

/* ---- types in expressions ------------------------------------------------ */

static void
show_typed(struct show *sh, const struct node *n)
{
	bool xlate = n->kind == NODE_XLATE;

	buf_puts(sh->out, n->kind == NODE_OFFSETOF	 ? "offsetof(" :
			  n->kind == NODE_HAS_MEMBER	 ? "__has_member(" :
			  n->kind == NODE_SIZEOF_TYPE	 ? "sizeof (" :
			  xlate				 ? "xlate <" :
							   "(");
	show_type(sh, n->ctype, NULL);
	if (n->name != NULL)
		buf_printf(sh->out, ", %s", n->name);
	buf_putc(sh->out, xlate ? '>' : ')');
	if (xlate) {
		buf_puts(sh->out, " (");
		show_expr(sh, n->left, SHOW_COMMA);
		buf_putc(sh->out, ')');
	} else if (n->kind == NODE_CAST) {
		show_expr(sh, n->left, SHOW_UNARY);
	}
}

/* ---- any ----------------------------------------------------------------- */

static unsigned
level_of(const struct node *n)
{
	switch (n->kind) {
	case NODE_COMMA:
		return SHOW_COMMA;
	case NODE_ASSIGN:
		return SHOW_ASSIGN;
	case NODE_COND:
		return SHOW_COND;
	case NODE_BINARY:
		return binary_level(n);
	case NODE_UNARY:
		return n->op == TOK_POSTINC || n->op == TOK_POSTDEC ?
			       SHOW_POSTFIX : SHOW_UNARY;
	case NODE_CAST:
	case NODE_SIZEOF:
	case NODE_SIZEOF_TYPE:
	case NODE_STRINGOF:
		return SHOW_UNARY;
	default:
		return SHOW_POSTFIX;
	}
}

static void
show_node(struct show *sh, const struct node *n)
{
	struct buf *out = sh->out;

	switch (n->kind) {
	case NODE_INT:
		show_int(out, n);
		break;
	case NODE_STR:
		show_bytes(out, n->str, n->len, '"');
		break;
	case NODE_IDENT:
	case NODE_PARAM:
		buf_puts(out, n->name);
		break;
	case NODE_SYM:
		buf_printf(out, "%s`%s", n->mod, n->name);
		break;
	case NODE_AGG:
		buf_printf(out, "@%s", strcmp(n->name, "_") ? n->name : "");
		show_subscript(sh, n);
		break;
	case NODE_SELF:
		buf_printf(out, "self->%s", n->name);
		show_subscript(sh, n);
		break;
	case NODE_THIS:
		show_local(sh, n);
		break;
	case NODE_SUB:
		show_expr(sh, n->left, SHOW_POSTFIX);
		show_args(sh, n, "[", "]");
		break;
	case NODE_CALL:
		buf_puts(out, n->name);
		show_args(sh, n, "(", ")");
		break;
	case NODE_MEMBER:
	case NODE_ARROW:
		show_expr(sh, n->left, SHOW_POSTFIX);
		buf_printf(out, "%s%s", n->kind == NODE_ARROW ? "->" : ".",
			   n->name);
		break;
	case NODE_UNARY:
		show_unary(sh, n);
		break;
	case NODE_BINARY:
		show_binary(sh, n, binary_level(n), binary_level(n) + 1);
		break;
	case NODE_ASSIGN:
		show_binary(sh, n, SHOW_BINARY, SHOW_ASSIGN);
		break;
	case NODE_COND:
		show_cond(sh, n);
		break;
	case NODE_COMMA:
		show_binary(sh, n, SHOW_COMMA, SHOW_ASSIGN);
		break;
	case NODE_CAST:
	case NODE_SIZEOF_TYPE:
	case NODE_OFFSETOF:
	case NODE_HAS_MEMBER:
	case NODE_XLATE:
		show_typed(sh, n);
		break;
	case NODE_SIZEOF:
	case NODE_STRINGOF:
		buf_puts(out, n->kind == NODE_SIZEOF ? "sizeof " : "stringof ");
		show_expr(sh, n->left, SHOW_UNARY);
		break;
	case NODE_EXPR_STMT:
	case NODE_IF: /* no expressions */
		break;
	}
}

void
show_expr(struct show *sh, const struct node *n, unsigned level)
{
	bool paren = level_of(n) < level;

	if (paren)
		buf_putc(sh->out, '(');
	show_node(sh, n);
	if (paren)
		buf_putc(sh->out, ')');
}
