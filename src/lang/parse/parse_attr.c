/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_attr.c - what headers of C have and D has not: __attribute__ and the
 * bodies of static functions.
 *
 * Of attributes those matter that change a layout: packed and aligned are
 * obeyed, as gcc does; the others of that kind are refused, for a struct that
 * silently has another layout is worse than none.  What is said of functions,
 * of warnings and of sections means nothing here.
 *
 * See doc/decisions/0054-attributes.md.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

#define ALIGN_MAX     4096
#define ALIGN_LARGEST 16 /* aligned without a number */

/* Attributes that change a layout in ways that D does not know. */
static const char *const strange[] = {
	"address_space", "gcc_struct", "mode", "ms_struct",
	"scalar_storage_order", "vector_size",
};

/* __packed__ is packed. */
static const char *
bare_name(struct compile *cx, const char *s)
{
	size_t n = strlen(s);

	if (n > 4 && strncmp(s, "__", 2) == 0 && strcmp(s + n - 2, "__") == 0)
		return lang_intern(cx, s + 2, n - 4);
	return s;
}

/* From behind an opening token to behind the one that closes it. */
static void
skip_balanced(struct compile *cx, int open, int close)
{
	struct src_loc loc = lex_peek(cx, 0)->loc;

	for (unsigned depth = 1; depth > 0;) {
		struct token t = lex_next(cx);

		if (t.tok == TOK_EOF)
			lang_fail(cx, &D_SYNTAX, loc,
				  "syntax error: expected \"%c\" before the "
				  "end of the text", close);
		depth += (t.tok == open) - (t.tok == close);
	}
}

static void
parse_aligned(struct compile *cx, struct type_attrs *a)
{
	struct src_loc loc = lex_peek(cx, 0)->loc;
	bool members = cx->parser->in_members;
	int64_t n = ALIGN_LARGEST;

	if (lex_accept(cx, '(')) {
		cx->parser->in_members = false;
		n = parse_const(cx, parse_cond_expr(cx), &D_SYNTAX,
				"alignment");
		cx->parser->in_members = members;
		lex_expect(cx, ')');
	}
	if (n < 1 || n > ALIGN_MAX || (n & (n - 1)) != 0)
		lang_fail(cx, &D_SYNTAX, loc,
			  "an alignment must be a power of two up to %d, not "
			  "%lld", ALIGN_MAX, (long long)n);
	if ((uint64_t)n > a->align)
		a->align = (uint32_t)n;
}

/*
 * D cannot compute with vectors, and headers want their place only.  Those of
 * 16 bytes, and of no other size, have one as long double has.
 */
static bool
parse_vector(struct compile *cx, const char *name)
{
	struct token t = *lex_peek(cx, 1);
	bool size = strcmp(name, "vector_size") == 0 && t.tok == TOK_INT &&
		    t.ival == 16;
	bool mode = strcmp(name, "mode") == 0 && t.tok == TOK_IDENT &&
		    strcmp(t.name, "__V4SF__") == 0;

	if (!cx->parser->in_typedef || !lex_is(cx, '(') || (!size && !mode))
		return false;
	lex_next(cx);
	lex_next(cx);
	lex_expect(cx, ')');
	cx->parser->vector = true;
	return true;
}

/* One name of a list, with its arguments. */
static void
parse_attr(struct compile *cx, struct type_attrs *a)
{
	struct token t = lex_next(cx);
	const char *name;

	if (t.tok != TOK_IDENT && t.tok != TOK_KEYWORD)
		lex_syntax(cx, &t, "the name of an attribute");
	name = t.tok == TOK_KEYWORD ? kw_name(t.kw) : bare_name(cx, t.name);
	if (parse_vector(cx, name))
		return;
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		if (strcmp(name, strange[i]) == 0)
			lang_fail(cx, &D_SYNTAX, t.loc,
				  "attribute %s changes a layout in a way that "
				  "D does not know", name);
	if (strcmp(name, "aligned") == 0) {
		parse_aligned(cx, a);
		return;
	}
	if (strcmp(name, "packed") == 0)
		a->packed = true;
	if (lex_accept(cx, '('))
		skip_balanced(cx, '(', ')');
}

bool
parse_attrs(struct compile *cx, struct type_attrs *a)
{
	const struct token *t = lex_peek(cx, 0);

	if (t->tok != TOK_IDENT || t->mod != NULL ||
	    (strcmp(t->name, "__attribute__") != 0 &&
	     strcmp(t->name, "__attribute") != 0))
		return false;
	lex_next(cx);
	lex_expect(cx, '(');
	lex_expect(cx, '(');
	while (!lex_is(cx, ')')) {
		if (lex_accept(cx, ','))
			continue;
		parse_attr(cx, a);
	}
	lex_expect(cx, ')');
	lex_expect(cx, ')');
	parse_attrs(cx, a);
	return true;
}

bool
parse_static_function(struct compile *cx, struct declspec *ds)
{
	struct decl d = { .cls = ds->cls, .loc = lex_peek(cx, 0)->loc };

	parse_declarator(cx, ds->type, &d, NULL);
	if (!d.is_func || d.name == NULL)
		return false;
	if (lex_accept(cx, '{')) {
		skip_balanced(cx, '{', '}');
		return true;
	}
	lex_expect(cx, ';');
	return true;
}
