/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse.c - the parser's frame: one top-level item at a time.
 *
 * lang_compile() calls parse_item() and checks each item before the next is
 * read, since declarations and pragmas decide how later text reads.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

void
parse_init(struct compile *cx, const struct parse_ask *ask)
{
	cx->parser = arena_alloc(cx->arena, sizeof(*cx->parser));
	cx->parser->lazy = cx->src->library;
	cx->parser->ask = ask;
	lex_begin(cx);
}

bool
parse_resume(struct compile *cx, const char *start)
{
	const struct parser *was = cx->parser;
	struct parser *ps = arena_calloc(cx->arena, 1, sizeof(*ps));

	ps->nclauses = was->nclauses;
	ps->lazy = cx->src->library;
	ps->ask = was->ask;
	cx->parser = ps;
	return lex_resume(cx, start);
}

int64_t
parse_const(struct compile *cx, struct node *n, const struct err_tag *tag,
	    const char *what)
{
	return cx->parser->ask->constant(cx, n, tag, what);
}

/* ---- clauses ------------------------------------------------------------- */

/* An assignment is an expression as any other, so it may be a predicate; but
   mostly that was to be a comparison. */
static void
warn_assign(struct compile *cx, const struct node *n)
{
	compile_warn(cx, n->loc,
		     "the predicate assigns, and what is assigned decides: == "
		     "compares (in parentheses it is taken as meant)");
}

static void
parse_predicate(struct compile *cx, struct clause_node *c)
{
	struct lex *lx = cx->lex;
	bool meant;

	lx->p++;
	lx->in_pred = true;
	meant = lex_is(cx, '(');
	c->pred = parse_expr(cx);
	if (!meant && c->pred->kind == NODE_ASSIGN && c->pred->op == '=')
		warn_assign(cx, c->pred);
	if (!lex_is(cx, TOK_PRED_END))
		lex_syntax(cx, lex_peek(cx, 0),
			   "\"/\" at the end of the predicate");
	lex_next(cx);
}

static void
parse_specified(struct compile *cx, struct clause_node *c)
{
	struct lex *lx = cx->lex;

	if (lx->p < lx->end && *lx->p == '/')
		parse_predicate(cx, c);
	lex_skip(cx);
	cx->parser->nclauses++;
	if (lx->p < lx->end && *lx->p == '{') {
		parse_block(cx, &c->body, &c->nbody);
		c->has_body = true;
		return;
	}
	struct token t = *lex_peek(cx, 0);
	if (c->pred != NULL)
		lex_syntax(cx, &t, "\"{\" after the predicate");
	if (cx->src->file != NULL)
		lex_syntax(cx, &t, "a predicate or a clause body");
	/* From the command line a description alone will do. */
	if (t.tok == ';')
		lex_next(cx);
}

static void
parse_clause(struct compile *cx, struct item *it)
{
	it->kind = ITEM_CLAUSE;
	parse_specs(cx, &it->clause);
	cx->about = it->clause.pdescs;
	cx->nabout = it->clause.npdescs;
	parse_specified(cx, &it->clause);
	cx->about = NULL;
	cx->nabout = 0;
	if (cx->type_why != NULL)
		lang_fail(cx, &D_TYPE_ERR, it->loc, "%s", cx->type_why);
}

/* ---- items --------------------------------------------------------------- */

static void
parse_decl_item(struct compile *cx, struct item *it)
{
	const struct token *t = lex_peek(cx, 0);

	if (t->tok == TOK_KEYWORD) {
		switch (t->kw) {
		case KW_inline:
			parse_inline(cx, it);
			return;
		case KW_translator:
			parse_translator(cx, it);
			return;
		case KW_provider:
			parse_provider(cx, it);
			return;
		default:
			break;
		}
	}
	parse_declaration(cx, it);
}

struct item *
parse_item(struct compile *cx)
{
	struct parser *ps = cx->parser;
	struct lex *lx = cx->lex;

	if (cx->cflags & LANG_C_CTL) {
		pragma_scan(cx);
		return NULL;
	}
	lx->outer = true;
	for (;;) {
		lex_skip(cx);
		if (lx->p == lx->end || *lx->p != ';')
			break;
		lx->p++;
		lx->bol = false;
	}
	enum outer_kind kind = parse_outer_kind(cx);
	if (kind == OUTER_END)
		return NULL;
	lx->outer = false;
	ps->depth = 0;
	struct item *it = arena_alloc(cx->arena, sizeof(*it));
	it->loc = lex_loc(lx);
	if (kind == OUTER_DECL)
		parse_decl_item(cx, it);
	else
		parse_clause(cx, it);
	return it;
}

struct type *
parse_type_text(struct compile *cx, const char *text)
{
	struct src_loc loc = { 0 };
	struct lex *outer = lex_enter(cx, text, strlen(text), loc);
	struct declspec ds;
	struct decl d = { 0 };

	/* A struct that nobody knows is one without members: what a table
	   says of the kernel need not hold for every kernel. */
	parse_declspec(cx, &ds, false);
	parse_declarator(cx, ds.type, &d, NULL);
	if (d.name != NULL || d.assoc)
		lang_fail(cx, &D_SYNTAX, loc, "not a type: %s", text);
	if (!lex_is(cx, TOK_EOF))
		lex_syntax(cx, lex_peek(cx, 0), "the end of a type");
	lex_leave(cx, outer);
	return d.type;
}

struct node *
parse_expr_text(struct compile *cx, const char *text, struct src_loc loc)
{
	struct lex *outer = lex_enter(cx, text, strlen(text), loc);
	struct node *n = parse_expr(cx);

	lex_leave(cx, outer);
	return n;
}
