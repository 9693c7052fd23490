/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_stmt.c - the bodies of clauses: expression statements and if/else.
 *
 * Statements are separated by semicolons; the last one may omit it, and empty
 * ones are allowed.  There are no loops and no declarations in a body.
 */
#include "lang/parse/parse_impl.h"

static struct node *parse_stmt(struct compile *cx);

/* The arm of an if: a block, or one statement. */
static void
parse_arm(struct compile *cx, struct node ***body, uint32_t *n)
{
	if (lex_is(cx, '{')) {
		parse_block(cx, body, n);
		return;
	}
	struct node *s = parse_stmt(cx);
	if (s != NULL)
		list_push(cx, *body, *n, s);
}

static struct node *
parse_if(struct compile *cx)
{
	struct token t = lex_next(cx);
	struct node *n = node_new(cx, NODE_IF, t.loc);

	parse_deeper(cx, t.loc);
	lex_expect(cx, '(');
	n->cond = parse_expr(cx);
	lex_expect(cx, ')');
	parse_arm(cx, &n->body, &n->nbody);
	if (lex_accept_kw(cx, KW_else))
		parse_arm(cx, &n->orelse, &n->norelse);
	parse_shallower(cx);
	return parse_seal(cx, n);
}

/* Words that begin no statement, though one might think so. */
static void
refuse_keyword(struct compile *cx)
{
	const struct token *t = lex_peek(cx, 0);

	if (t->tok == TOK_KEYWORD && t->kw == KW_return &&
	    lex_peek(cx, 1)->tok != '(')
		lex_syntax(cx, lex_peek(cx, 0), NULL);
	t = lex_peek(cx, 0);
	if (t->tok == TOK_KEYWORD && t->kw == KW_return)
		lang_fail(cx, &D_FUNC_UNDEF, t->loc,
			  "action return() does not exist on Linux: %s",
			  dif_act_absent("return"));
	if (t->tok == TOK_KEYWORD &&
	    ((kw_flags(t->kw) & KWF_TYPE) || t->kw == KW_typedef ||
	     t->kw == KW_extern || t->kw == KW_inline))
		lex_syntax(cx, t,
			   "a statement; declarations stand outside of "
			   "clauses");
}

/* The text ends within a body. */
static _Noreturn void
not_closed(struct compile *cx)
{
	const struct src_loc *open = &cx->parser->open;

	lang_fail(cx, &D_SYNTAX, lex_peek(cx, 0)->loc,
		  "syntax error near end of input: the \"{\" in line %d, "
		  "column %d is not closed",
		  open->line, open->col);
}

/* One statement and its semicolon; NULL: an empty one. */
static struct node *
parse_stmt(struct compile *cx)
{
	struct token t = *lex_peek(cx, 0);

	if (lex_accept(cx, ';'))
		return NULL;
	if (lex_is_kw(cx, KW_if))
		return parse_if(cx);
	refuse_keyword(cx);
	struct node *n = node_new(cx, NODE_EXPR_STMT, t.loc);
	n->left = parse_expr(cx);
	if (lex_is(cx, TOK_EOF))
		not_closed(cx);
	if (lex_is(cx, '{') && n->left->kind == NODE_CALL)
		lex_syntax(cx, lex_peek(cx, 0),
			   "\";\" or \"}\" (D has no loops: a statement is "
			   "written as often as it is to run)");
	if (!lex_is(cx, '}') && !lex_accept(cx, ';'))
		lex_syntax(cx, lex_peek(cx, 0), "\";\" or \"}\"");
	return parse_seal(cx, n);
}

void
parse_block(struct compile *cx, struct node ***body, uint32_t *n)
{
	struct src_loc outer = cx->parser->open;

	cx->parser->open = lex_expect(cx, '{').loc;
	while (!lex_accept(cx, '}')) {
		if (lex_is(cx, TOK_EOF))
			not_closed(cx);
		struct node *s = parse_stmt(cx);
		if (s != NULL)
			list_push(cx, *body, *n, s);
	}
	cx->parser->open = outer;
}
