/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_item.c - inlines, translators and provider declarations.
 *
 * Their parameters are names that no table knows: they are given to the parser
 * for the time their expressions are read, so that (name) there is no cast.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

/* ---- inline -------------------------------------------------------------- */

static void
inline_params(struct compile *cx, const struct decl *d, const char **names)
{
	for (uint32_t i = 0; i < d->nkeys; i++) {
		if (names[i] == NULL)
			lang_fail(cx, &D_DECL_PROTO_NAME, d->loc,
				  "parameter %u of inline %s needs a name",
				  i + 1, d->name);
		for (uint32_t k = 0; k < i; k++)
			if (names[k] == names[i])
				lang_fail(cx, &D_DECL_PROTO_NAME, d->loc,
					  "two parameters of inline %s have "
					  "the name %s",
					  d->name, names[i]);
	}
}

void
parse_inline(struct compile *cx, struct item *it)
{
	struct parser *ps = cx->parser;
	struct declspec ds;
	struct decl d = { 0 };

	it->kind = ITEM_INLINE;
	lex_next(cx);
	parse_declspec(cx, &ds, false);
	if (ds.cls != DECL_NONE)
		lang_fail(cx, &D_DECL_CLASS, ds.loc,
			  "an inline may not have a storage class");
	d.user = ds.user;
	parse_declarator(cx, ds.type, &d, &it->params);
	if (d.name == NULL)
		lex_syntax(cx, lex_peek(cx, 0), "a name");
	if (d.is_func)
		lang_fail(cx, &D_SYNTAX, d.loc,
			  "syntax error: parameters of inline %s belong in [ ]",
			  d.name);
	decl_object(cx, &d);
	inline_params(cx, &d, it->params);
	lex_expect(cx, '=');
	ps->params = it->params;
	ps->nparams = d.nkeys;
	it->expr = parse_expr(cx);
	ps->params = NULL;
	ps->nparams = 0;
	lex_expect(cx, ';');
	list_push(cx, it->decls, it->ndecls, d);
}

/* ---- translator ---------------------------------------------------------- */

static void
translator_member(struct compile *cx, struct item *it)
{
	struct token t = parse_member_name(cx);
	struct xlator_member m = { .name = t.name, .loc = t.loc };

	lex_expect(cx, '=');
	m.expr = parse_expr(cx);
	lex_expect(cx, ';');
	/* Of two for the same member the last counts. */
	for (uint32_t i = 0; i < it->nmembers; i++)
		if (it->members[i].name == m.name) {
			it->members[i] = m;
			return;
		}
	list_push(cx, it->members, it->nmembers, m);
}

void
parse_translator(struct compile *cx, struct item *it)
{
	struct parser *ps = cx->parser;
	struct type_param in;
	struct src_loc loc;

	it->kind = ITEM_XLATOR;
	lex_next(cx);
	it->outtype = parse_type_mention(cx);
	lex_expect(cx, '<');
	in = parse_param(cx, &loc);
	it->intype = in.type;
	if (in.name == NULL)
		lex_syntax(cx, lex_peek(cx, 0),
			   "the name of the translator's input");
	lex_expect(cx, '>');
	it->params = arena_memdup(cx->arena, &in.name, sizeof(in.name));
	ps->params = it->params;
	ps->nparams = 1;
	lex_expect(cx, '{');
	while (!lex_accept(cx, '}'))
		translator_member(cx, it);
	ps->params = NULL;
	ps->nparams = 0;
	lex_expect(cx, ';');
}

/* ---- provider ------------------------------------------------------------ */

static void
provider_args(struct compile *cx, struct provider_probe *p,
	      struct type_param **v, uint32_t *n)
{
	bool variadic = false;

	lex_expect(cx, '(');
	/* One native argument may be translated to several. */
	parse_params(cx, v, n, v == &p->xargs ? NULL : &variadic);
	if (variadic)
		lang_fail(cx, &D_DECL_PROTO_VARARGS, p->loc,
			  "probe %s may not have a variable number of "
			  "arguments",
			  p->name);
	if (*n > DIF_NARGS)
		lang_fail(cx, &D_PROV_PRARGLEN, p->loc,
			  "probe %s has %u arguments: no more than %u are "
			  "possible",
			  p->name, *n, DIF_NARGS);
}

static void
provider_probe(struct compile *cx, struct item *it)
{
	struct provider_probe p = { 0 };

	if (!lex_accept_kw(cx, KW_probe))
		lex_syntax(cx, lex_peek(cx, 0), "\"probe\" or \"}\"");
	struct token t = parse_member_name(cx);
	p.name = t.name;
	p.loc = t.loc;
	for (uint32_t i = 0; i < it->nprobes; i++)
		if (it->probes[i].name == p.name)
			lang_fail(cx, &D_PROV_PRDUP, p.loc,
				  "probe %s is declared twice", p.name);
	provider_args(cx, &p, &p.args, &p.nargs);
	if (lex_accept(cx, ':')) {
		p.has_xargs = true;
		provider_args(cx, &p, &p.xargs, &p.nxargs);
	}
	lex_expect(cx, ';');
	list_push(cx, it->probes, it->nprobes, p);
}

/* Pragmas about providers ask whether they exist. */
static void
provider_note(struct compile *cx, const struct token *t)
{
	if (cx->providers == NULL)
		cx->providers = hash_new();
	if (cx->providers == NULL ||
	    hash_set_str(cx->providers, t->name, cx) != 0)
		lang_nomem(cx);
}

void
parse_provider(struct compile *cx, struct item *it)
{
	struct parser *ps = cx->parser;
	bool lazy = ps->lazy;

	it->kind = ITEM_PROVIDER;
	lex_next(cx);
	struct token t = lex_expect(cx, TOK_IDENT);
	size_t len = strlen(t.name);

	if (t.mod != NULL || lex_isdigit(t.name[len - 1]) || len > 63)
		lang_fail(cx, &D_PROV_BADNAME, t.loc,
			  "invalid provider name \"%s\": it may not end in a "
			  "digit, nor be longer than 63",
			  t.name);
	it->provider = t.name;
	lex_expect(cx, '{');
	ps->lazy = true; /* the program's structs, not the kernel's */
	while (!lex_accept(cx, '}'))
		provider_probe(cx, it);
	ps->lazy = lazy;
	provider_note(cx, &t);
}
