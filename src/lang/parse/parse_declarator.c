/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_declarator.c - pointers, arrays, functions and tuples around a name.
 *
 * A declarator is read from the inside out but its type is made from the
 * outside in, so the derivations are first put into a list, nearest to the name
 * first, and then applied from the end:
 *
 *	int *(*f[3])(char)	f: array 3 of pointer to function of pointer
 *
 * D's tuples (int a[string, int]) are no derivation of C: they may stand only
 * right after the name, and make an associative array of what remains.
 */
#include "lang/parse/parse_impl.h"

#include <limits.h>
#include <string.h>

#define DERIV_MAX 64 /* as deep as the room of types follows */

struct deriv {
	enum type_kind kind; /* PTR, ARRAY, FUNC */
	struct src_loc loc;
	bool is_const, is_volatile; /* PTR */
	uint64_t nelems;            /* ARRAY; 0: not said */
	struct type_param *params;  /* FUNC */
	uint32_t nparams;
	bool variadic;
};

struct declr {
	struct decl *d;
	struct deriv *v; /* nearest to the name first */
	uint32_t n;
	const char **keynames; /* one for each of d->keys, or NULL */
};

static void
deriv_add(struct compile *cx, struct declr *dr, struct deriv dv)
{
	if (dr->n >= DERIV_MAX)
		lang_fail(cx, &D_SYNTAX, dv.loc,
			  "declaration is nested too deeply");
	list_push(cx, dr->v, dr->n, dv);
}

/* ---- parameters ---------------------------------------------------------- */

struct type_param
parse_param(struct compile *cx, struct src_loc *loc)
{
	struct declspec ds;
	struct decl d = { 0 };
	struct parser *ps = cx->parser;
	bool members = ps->in_members;

	ps->in_members = false;
	parse_declspec(cx, &ds, false);
	d.user = ds.user;
	if (ds.cls != DECL_NONE)
		lang_fail(cx, &D_DECL_PARMCLASS, ds.loc,
			  "a parameter may not have a storage class");
	*loc = ds.loc;
	parse_declarator(cx, ds.type, &d, NULL);
	ps->in_members = members;
	if (d.assoc)
		lang_fail(cx, &D_DECL_PROTO_TYPE, ds.loc,
			  "a parameter may not be an associative array");
	return (struct type_param){ .name = d.name, .type = d.type };
}

/* Arrays and functions are passed as pointers. */
static struct type *
adjust(struct compile *cx, struct type *t)
{
	struct type *r = type_resolve(t);

	if (r->kind == TYPE_ARRAY)
		t = type_ptr(cx->types, r->ref);
	else if (r->kind == TYPE_FUNC)
		t = type_ptr(cx->types, t);
	if (t == NULL)
		lang_nomem(cx);
	return t;
}

/* `f(a, b)` of old C: names where types belong. */
static void
refuse_names(struct compile *cx)
{
	int next = lex_peek(cx, 1)->tok;
	struct token t = *lex_peek(cx, 0);

	if (t.tok == TOK_IDENT && (next == ',' || next == ')') &&
	    !parse_type_at(cx, 0))
		lang_fail(cx, &D_DECL_PROTO_FORM, t.loc,
			  "a prototype needs the types of its parameters: %s "
			  "is none",
			  t.name);
}

static void
param_check(struct compile *cx, const struct type_param *v, uint32_t n,
	    bool unique, struct src_loc loc)
{
	const struct type_param *p = &v[n - 1];

	if (type_is_void(p->type) && p->name != NULL && n == 1)
		lang_fail(cx, &D_DECL_PROTO_NAME, loc,
			  "void as the only parameter may not have a name");
	if (type_is_void(p->type))
		lang_fail(cx, &D_DECL_PROTO_VOID, loc,
			  "void must be the only parameter, without a name");
	for (uint32_t i = 0; unique && p->name != NULL && i + 1 < n; i++)
		if (v[i].name == p->name)
			lang_fail(cx, &D_DECL_PROTO_NAME, loc,
				  "two parameters have the name %s", p->name);
}

static bool
parse_ellipsis(struct compile *cx)
{
	if (!lex_is(cx, TOK_ELLIPSIS))
		return false;
	struct src_loc loc = lex_next(cx).loc;
	if (!lex_is(cx, ')'))
		lang_fail(cx, &D_DECL_PROTO_VARARGS, loc, "... must come last");
	return true;
}

void
parse_params(struct compile *cx, struct type_param **v, uint32_t *n,
	     bool *variadic)
{
	*v = NULL;
	*n = 0;
	if (variadic != NULL)
		*variadic = false;
	if (lex_accept(cx, ')'))
		return;
	do {
		struct src_loc loc;
		if (variadic != NULL && parse_ellipsis(cx)) {
			*variadic = true;
			break;
		}
		refuse_names(cx);
		struct type_param p = parse_param(cx, &loc);
		p.type = adjust(cx, p.type);
		if (*n == 0 && p.name == NULL &&
		    type_resolve(p.type)->kind == TYPE_VOID && lex_is(cx, ')'))
			break;
		list_push(cx, *v, *n, p);
		param_check(cx, *v, *n, variadic != NULL, loc);
	} while (lex_accept(cx, ','));
	lex_expect(cx, ')');
}

/* ---- after the name ------------------------------------------------------ */

static void
parse_tuple(struct compile *cx, struct declr *dr, struct src_loc loc)
{
	struct decl *d = dr->d;
	uint32_t nnames = 0;

	if (d->assoc || dr->n != 0 || d->name == NULL)
		lang_fail(cx, &D_DECL_ARRSUB, loc,
			  "the keys of an associative array may stand only "
			  "once, right after its name");
	d->assoc = true;
	do {
		struct src_loc at;
		struct type_param p = parse_param(cx, &at);
		if (type_is_void(p.type))
			lang_fail(cx, &D_DECL_PROTO_TYPE, at,
				  "key #%u of %s may not be void", d->nkeys + 1,
				  d->name);
		list_push(cx, d->keys, d->nkeys, p.type);
		list_push(cx, dr->keynames, nnames, p.name);
	} while (lex_accept(cx, ','));
	lex_expect(cx, ']');
}

static void
parse_subscript(struct compile *cx, struct declr *dr)
{
	struct deriv dv = { .kind = TYPE_ARRAY, .loc = lex_next(cx).loc };

	if (dr->d->assoc && dr->n == 0)
		lang_fail(cx, &D_DECL_ARRSUB, dv.loc,
			  "an associative array has one list of keys");
	lex_accept_kw(cx, KW_restrict); /* an array that is a parameter */
	if (lex_accept(cx, ']')) {
		dr->d->open |= dr->n == 0;
		deriv_add(cx, dr, dv);
		return;
	}
	if (lex_is(cx, TOK_ELLIPSIS))
		lang_fail(cx, &D_DECL_PROTO_VARARGS, dv.loc,
			  "... may not be an array dimension");
	if (parse_type_at(cx, 0)) {
		parse_tuple(cx, dr, dv.loc);
		return;
	}
	bool member = cx->parser->in_members;
	cx->parser->in_members = false;
	struct node *n = parse_cond_expr(cx);
	int64_t val = parse_const(cx, n, &D_DECL_ARRSUB, "array dimension");
	cx->parser->in_members = member;
	/* Kernel-like structs end in data[0], and headers pad by types of such
	   arrays; elsewhere it makes no sense. */
	if (val < 0 || (val == 0 && !member && dr->d->cls != DECL_TYPEDEF))
		lang_fail(cx, &D_DECL_ARRSUB, n->loc,
			  "array dimension must be positive, not %lld",
			  (long long)val);
	if (val > INT_MAX)
		lang_fail(cx, &D_DECL_ARRBIG, n->loc,
			  "array dimension is too big: %lld", (long long)val);
	dv.nelems = (uint64_t)val;
	lex_expect(cx, ']');
	deriv_add(cx, dr, dv);
}

static void
parse_suffixes(struct compile *cx, struct declr *dr)
{
	for (;;) {
		if (lex_is(cx, '[')) {
			parse_subscript(cx, dr);
		} else if (lex_is(cx, '(')) {
			struct deriv dv = { .kind = TYPE_FUNC };
			dv.loc = lex_next(cx).loc;
			parse_params(cx, &dv.params, &dv.nparams, &dv.variadic);
			deriv_add(cx, dr, dv);
		} else {
			return;
		}
	}
}

/* ---- before it ----------------------------------------------------------- */

static void
parse_pointers(struct compile *cx, struct deriv **ptrs, uint32_t *n)
{
	struct type_attrs none = { 0 }; /* of pointers to types they mean
					   nothing to a layout */

	while (lex_is(cx, '*')) {
		struct deriv dv = { .kind = TYPE_PTR };
		dv.loc = lex_next(cx).loc;
		for (;;) {
			if (lex_accept_kw(cx, KW_const))
				dv.is_const = true;
			else if (lex_accept_kw(cx, KW_volatile))
				dv.is_volatile = true;
			else if (!lex_accept_kw(cx, KW_restrict) &&
				 !parse_attrs(cx, &none))
				break;
		}
		list_push(cx, *ptrs, *n, dv);
	}
}

/* At a (: true if it holds a declarator, false if it holds parameters. */
static bool
at_nested(struct compile *cx)
{
	const struct token *t = lex_peek(cx, 1);

	if (t->tok == '*' || t->tok == '(')
		return true;
	return t->tok == TOK_IDENT && !parse_type_at(cx, 1);
}

static bool
at_name(struct compile *cx)
{
	const struct token *t = lex_peek(cx, 0);

	return t->tok == TOK_IDENT ||
	       (cx->parser->in_members && parse_at_member_name(cx));
}

static void
parse_nested(struct compile *cx, struct declr *dr)
{
	struct deriv *ptrs = NULL;
	uint32_t nptrs = 0;
	struct token t = *lex_peek(cx, 0);

	parse_deeper(cx, t.loc);
	parse_pointers(cx, &ptrs, &nptrs);
	if (lex_is(cx, '(') && at_nested(cx)) {
		lex_next(cx);
		parse_nested(cx, dr);
		lex_expect(cx, ')');
	} else if (at_name(cx)) {
		t = lex_next(cx);
		if (t.mod != NULL)
			lang_fail(cx, &D_DECL_SCOPE, t.loc,
				  "cannot declare %s`%s: a declared name has "
				  "no scope",
				  t.mod, t.name);
		dr->d->name = t.name;
		dr->d->loc = t.loc;
	}
	parse_suffixes(cx, dr);
	while (nptrs > 0)
		deriv_add(cx, dr, ptrs[--nptrs]);
	parse_shallower(cx);
}

/* ---- the type ------------------------------------------------------------ */

static struct type *
make_ptr(struct compile *cx, struct type *t, const struct deriv *dv, bool user)
{
	t = user ? type_ptr_user(cx->types, t) : type_ptr(cx->types, t);
	if (t != NULL && dv->is_const)
		t = type_qual(cx->types, TYPE_CONST, t);
	if (t != NULL && dv->is_volatile)
		t = type_qual(cx->types, TYPE_VOLATILE, t);
	return t;
}

static struct type *
make_array(struct compile *cx, struct type *t, const struct deriv *dv)
{
	struct type *r = type_resolve(t);
	uint64_t bytes;

	if (r->kind == TYPE_VOID)
		lang_fail(cx, &D_DECL_VOIDOBJ, dv->loc, "array of void");
	if (r->kind == TYPE_FUNC)
		lang_fail(cx, &D_DECL_COMBO, dv->loc, "array of functions");
	if (r->kind == TYPE_ARRAY && r->nelems == 0)
		lang_fail(cx, &D_DECL_ARRNULL, dv->loc,
			  "array of arrays without a dimension");
	if (decl_incomplete(cx, t))
		lang_fail(cx, &D_DECL_INCOMPLETE, dv->loc,
			  "array of incomplete type %s", lang_type_name(cx, t));
	if (r->kind == TYPE_STRING || r->kind == TYPE_DYN)
		lang_fail(cx, &D_DECL_DYNOBJ, dv->loc,
			  "array of %s: its elements have no fixed size",
			  lang_type_name(cx, t));
	if (__builtin_mul_overflow(dv->nelems, type_size(t), &bytes) ||
	    bytes > INT_MAX)
		lang_fail(cx, &D_DECL_ARRBIG, dv->loc, "array is too big");
	return type_array(cx->types, t, dv->nelems);
}

static struct type *
make_func(struct compile *cx, struct type *t, const struct deriv *dv)
{
	enum type_kind k = type_resolve(t)->kind;

	if (k == TYPE_ARRAY || k == TYPE_FUNC)
		lang_fail(cx, &D_DECL_COMBO, dv->loc,
			  "a function may not return %s",
			  k == TYPE_ARRAY ? "an array" : "a function");
	return type_func(cx->types, t, dv->params, dv->nparams, dv->variadic);
}

/* userland says of pointers where they point to. */
static void
user_check(struct compile *cx, const struct declr *dr)
{
	for (uint32_t i = 0; i < dr->n; i++)
		if (dr->v[i].kind == TYPE_PTR)
			return;
	if (dr->d->user)
		lang_fail(cx, &D_DECL_COMBO, dr->d->loc,
			  "userland is for pointers: there is no * here");
}

void
parse_declarator(struct compile *cx, struct type *base, struct decl *d,
		 const char ***params)
{
	struct declr dr = { .d = d };
	struct type *t = base;

	if (d->loc.line == 0)
		d->loc = lex_peek(cx, 0)->loc;
	parse_nested(cx, &dr);
	parse_attrs(cx, &d->attrs);
	user_check(cx, &dr);
	for (uint32_t i = dr.n; i > 0; i--) {
		const struct deriv *dv = &dr.v[i - 1];
		t = dv->kind == TYPE_PTR     ? make_ptr(cx, t, dv, d->user)
		    : dv->kind == TYPE_ARRAY ? make_array(cx, t, dv)
					     : make_func(cx, t, dv);
		if (t == NULL)
			lang_nomem(cx);
	}
	d->type = t;
	d->is_func = type_resolve(t)->kind == TYPE_FUNC;
	if (params != NULL)
		*params = dr.keynames;
}
