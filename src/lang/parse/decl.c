/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * decl.c - structs, unions and enums; the rules that declared names obey.
 *
 * Tags and typedefs are entered into the compile's space at once, because the
 * text that follows reads by them; a failed compile drops the space.  Variables
 * are only checked here: names.c enters them when the item is checked.
 */
#include "lang/parse/parse_impl.h"

#include <limits.h>
#include <string.h>

bool
decl_incomplete(struct compile *cx, struct type *t)
{
	struct type *r = type_resolve(t);

	while (r->kind == TYPE_ARRAY)
		r = type_resolve(r->ref);
	if (r->kind != TYPE_FWD && !type_is_sou(r))
		return false;
	r = type_resolve(type_complete(cx->types, r));
	return type_is_incomplete(r);
}

/* ---- members ------------------------------------------------------------- */

/* Members as they are read. */
struct members {
	struct type_member *v;
	uint32_t n;
	struct type_attrs *attrs; /* of each */
	uint32_t nattrs;
	const char *open; /* the one that is an array without a dimension */
};

static void
member_add(struct compile *cx, struct members *ms, struct type_member m,
	   struct type_attrs a, struct src_loc loc)
{
	/* Only the last member may be an array without a dimension. */
	if (ms->open != NULL)
		lang_fail(cx, &D_DECL_ARRNULL, loc,
			  "member %s needs an array dimension: it is not the "
			  "last one",
			  ms->open);
	list_push(cx, ms->v, ms->n, m);
	list_push(cx, ms->attrs, ms->nattrs, a);
}

static void
member_name_free(struct compile *cx, const struct members *ms,
		 const struct decl *d)
{
	for (uint32_t i = 0; i < ms->n; i++)
		if (ms->v[i].name == d->name)
			lang_fail(cx, &D_UNKNOWN, d->loc,
				  "member %s is declared twice", d->name);
}

/* After the colon of a bit-field. */
static uint32_t
parse_width(struct compile *cx, struct type *t, const char *name)
{
	struct src_loc loc = lex_peek(cx, 0)->loc;
	bool members = cx->parser->in_members;

	cx->parser->in_members = false;
	int64_t w = parse_const(cx, parse_cond_expr(cx), &D_DECL_BFCONST,
				"bit-field width");
	cx->parser->in_members = members;
	if (!type_is_integer(t))
		lang_fail(cx, &D_DECL_BFTYPE, loc,
			  "a bit-field must have an integer type, not %s",
			  lang_type_name(cx, t));
	if (w < 0 || (w == 0 && name != NULL))
		lang_fail(cx, &D_DECL_BFCONST, loc,
			  "bit-field width must be positive, not %lld",
			  (long long)w);
	if ((uint64_t)w > type_size(t) * 8)
		lang_fail(cx, &D_DECL_BFSIZE, loc,
			  "bit-field width %lld exceeds the %llu bits of %s",
			  (long long)w, (unsigned long long)type_size(t) * 8,
			  lang_type_name(cx, t));
	return (uint32_t)w;
}

static void
decl_member_check(struct compile *cx, const struct decl *d)
{
	if (d->assoc)
		lang_fail(cx, &D_DECL_ARRSUB, d->loc,
			  "member %s may not be an associative array", d->name);
	if (d->is_func)
		lang_fail(cx, &D_DECL_VOIDOBJ, d->loc,
			  "member %s may not be a function", d->name);
	if (type_is_void(d->type))
		lang_fail(cx, &D_DECL_VOIDOBJ, d->loc,
			  "member %s may not be void", d->name);
	if (decl_incomplete(cx, d->type))
		lang_fail(cx, &D_DECL_INCOMPLETE, d->loc,
			  "member %s has incomplete type %s", d->name,
			  lang_type_name(cx, d->type));
}

/* One declarator, or a bit-field without a name. */
static void
parse_member_one(struct compile *cx, const struct declspec *ds,
		 struct members *ms)
{
	struct decl d = { .loc = lex_peek(cx, 0)->loc,
			  .type = ds->type,
			  .attrs = ds->attrs,
			  .user = ds->user };
	struct type_member m = { 0 };

	if (!lex_is(cx, ':')) {
		cx->parser->in_members = true;
		parse_declarator(cx, ds->type, &d, NULL);
		cx->parser->in_members = false;
		if (d.name == NULL)
			lang_fail(cx, &D_DECL_MNAME, d.loc,
				  "a member needs a name");
		member_name_free(cx, ms, &d);
		decl_member_check(cx, &d);
	}
	m.name = d.name;
	m.type = d.type;
	if (lex_accept(cx, ':'))
		m.bits = parse_width(cx, d.type, d.name);
	parse_attrs(cx, &d.attrs); /* behind the width they are, too */
	member_add(cx, ms, m, d.attrs, d.loc);
	if (d.open)
		ms->open = d.name;
}

static void
parse_members(struct compile *cx, struct members *ms)
{
	struct declspec ds;

	parse_declspec(cx, &ds, false);
	if (ds.cls != DECL_NONE)
		lang_fail(cx, &D_DECL_CLASS, ds.loc,
			  "a member may not have a storage class");
	if (lex_is(cx, ';')) {
		struct type_member m = { .type = ds.type };
		if (!ds.anon_sou)
			lang_fail(cx, &D_DECL_MNAME, ds.loc,
				  "a member needs a name");
		member_add(cx, ms, m, ds.attrs, ds.loc);
	} else {
		do {
			parse_member_one(cx, &ds, ms);
		} while (lex_accept(cx, ','));
	}
	lex_expect(cx, ';');
}

/* ---- struct and union ---------------------------------------------------- */

static const char *
tag_name(struct compile *cx, const char *keyword, const char *tag)
{
	return arena_printf(cx->arena, "%s %s", keyword, tag);
}

/* An error if tag may not be defined here.  Tags of structs, unions and enums
   are three name spaces, unlike in C. */
static void
tag_free(struct compile *cx, const char *keyword, const struct token *tag)
{
	struct type *t;

	if (tag->mod != NULL)
		lang_fail(cx, &D_DECL_SCOPE, tag->loc,
			  "cannot declare %s`%s: a declared name has no scope",
			  tag->mod, tag->name);
	t = decl_lookup_own(cx, tag_name(cx, keyword, tag->name));
	if (t != NULL && !decl_incomplete(cx, t))
		lang_fail(cx, &D_DECL_TYPERED, tag->loc,
			  "%s %s is declared already", keyword, tag->name);
}

static struct type *
sou_new(struct compile *cx, enum type_kind kind, const char *tag)
{
	struct type *t = type_sou_new(cx->types, kind, tag);

	if (t == NULL)
		lang_nomem(cx);
	return t;
}

/* attrs: those that stand before the tag. */
static void
sou_define(struct compile *cx, struct type *t, struct type_attrs *attrs,
	   struct src_loc loc)
{
	struct parser *ps = cx->parser;
	bool in_members = ps->in_members;
	struct members ms = { 0 };
	struct err e = { 0 };

	parse_deeper(cx, loc);
	ps->in_members = false;
	lex_expect(cx, '{');
	/* Headers have structs without members, as names for a place. */
	if ((cx->cflags & LANG_C_CPP) == 0 || !lex_is(cx, '}'))
		do {
			parse_members(cx, &ms);
		} while (!lex_is(cx, '}'));
	lex_expect(cx, '}');
	parse_attrs(cx, attrs);
	if (type_sou_finish_attrs(cx->types, t, ms.v, ms.attrs, ms.n, attrs,
				  &e) != 0 &&
	    e.tag == &ERR_NOMEM)
		lang_nomem(cx);
	if (err_is_set(&e))
		lang_fail(cx, &D_TYPE_ERR, loc, "%s", e.msg);
	ps->in_members = in_members;
	parse_shallower(cx);
}

/* A tag that is only mentioned. */
static struct type *
sou_mention(struct compile *cx, enum type_kind kind, const struct token *tag,
	    const char *name, bool strict)
{
	struct type *t;

	/* `struct x;` hides what the kernel calls so. */
	if (lex_is(cx, ';') && !strict && tag->mod == NULL) {
		t = decl_lookup_local(cx, name);
		return t != NULL ? t : sou_new(cx, kind, tag->name);
	}
	if (cx->parser->lazy && tag->mod == NULL) {
		t = type_from_text(cx->types, name, false);
		if (t == NULL)
			lang_nomem(cx);
		return t;
	}
	/* struct x { struct x *next; }: it is ours, complete or not. */
	t = tag->mod == NULL ? decl_lookup_local(cx, name) : NULL;
	if (t == NULL)
		t = type_lookup(cx->types, tag->mod, name);
	if (t != NULL)
		return t;
	if (strict || tag->mod != NULL)
		decl_unknown(cx, tag->loc, name);
	return sou_new(cx, kind, tag->name);
}

struct type *
decl_sou(struct compile *cx, enum type_kind kind, struct src_loc loc,
	 struct declspec *ds, bool strict)
{
	const char *keyword = kind == TYPE_UNION ? "union" : "struct";
	struct type_attrs attrs = { 0 };
	struct token tag = { 0 };
	struct type *t;

	parse_attrs(cx, &attrs);
	if (lex_is(cx, TOK_IDENT) || parse_at_member_name(cx))
		tag = lex_next(cx);
	else if (!lex_is(cx, '{'))
		lex_syntax(cx, lex_peek(cx, 0), "a tag or \"{\"");
	ds->defines = tag.name != NULL;
	ds->anon_sou = tag.name == NULL;
	if (!lex_is(cx, '{'))
		return sou_mention(cx, kind, &tag,
				   tag_name(cx, keyword, tag.name), strict);
	if (tag.name != NULL)
		tag_free(cx, keyword, &tag);
	t = sou_new(cx, kind, tag.name);
	sou_define(cx, t, &attrs, loc);
	return t;
}

/* ---- enum ---------------------------------------------------------------- */

static void
enumerator_free(struct compile *cx, const struct token *t, int64_t v)
{
	const struct pending_enum *e = cx->parser->enums;
	struct type *et;
	int64_t val;

	while (e != NULL && e->name != t->name)
		e = e->next;
	if (e != NULL)
		lang_fail(cx, &D_UNKNOWN, t->loc,
			  "enumerator %s is declared twice", t->name);
	/* <sys/socket.h> declares what the D library has as inlines. */
	if (cx->parser->ask->inline_equals(cx, t->name, t->loc, v))
		return;
	if (names_is_variable(cx, t->name) ||
	    type_lookup_enumerator(cx->types, t->name, false, &val, &et))
		lang_fail(cx, &D_DECL_IDRED, t->loc,
			  "%s is declared already: cannot be an enumerator",
			  t->name);
}

/* One enumerator; *next is its value if it says none. */
static struct type_enumerator
parse_enumerator(struct compile *cx, int64_t *next)
{
	struct token t = lex_expect(cx, TOK_IDENT);
	struct pending_enum *e = arena_alloc(cx->arena, sizeof(*e));
	/* D's are of type int; headers have others, as gcc takes them, and so
	   has who gives a value of 64 bits, as programs written back do. */
	bool wide = (cx->cflags & LANG_C_CPP) != 0;

	if (t.mod != NULL)
		lang_fail(cx, &D_DECL_SCOPE, t.loc,
			  "cannot declare %s`%s: a declared name has no scope",
			  t.mod, t.name);
	if (lex_accept(cx, '=')) {
		struct node *n = parse_cond_expr(cx);
		*next = parse_const(cx, n, &D_DECL_ENCONST, "enumerator");
		wide = wide || (n->type != NULL && type_size(n->type) == 8);
	}
	if ((*next > INT_MAX || *next < INT_MIN) && !wide)
		lang_fail(cx, &D_DECL_ENOFLOW, t.loc,
			  "value of enumerator %s does not fit an int: %lld",
			  t.name, (long long)*next);
	enumerator_free(cx, &t, *next);
	e->name = t.name;
	e->val = *next;
	e->next = cx->parser->enums;
	cx->parser->enums = e;
	return (struct type_enumerator){ .name = t.name, .val = *next };
}

static struct type *
enum_define(struct compile *cx, const char *tag)
{
	struct pending_enum *outer = cx->parser->enums;
	struct type_enumerator *v = NULL;
	uint32_t n = 0;
	struct type_attrs attrs = { 0 };
	int64_t next = 0;

	lex_expect(cx, '{');
	do {
		struct type_enumerator e = parse_enumerator(cx, &next);
		list_push(cx, v, n, e);
		next = (int64_t)((uint64_t)next + 1);
	} while (lex_accept(cx, ',') && !lex_is(cx, '}'));
	lex_expect(cx, '}');
	cx->parser->enums = outer;
	parse_attrs(cx, &attrs);
	if (attrs.packed)
		lang_fail(cx, &D_SYNTAX, lex_peek(cx, 0)->loc,
			  "a packed enum is not known in D");
	struct type *t = type_enum_new(cx->types, tag, v, n);
	if (t == NULL)
		lang_nomem(cx);
	return t;
}

struct type *
decl_enum(struct compile *cx, struct src_loc loc, struct declspec *ds)
{
	struct token tag = { 0 };
	struct type *t;

	if (lex_is(cx, TOK_IDENT) || parse_at_member_name(cx))
		tag = lex_next(cx);
	else if (!lex_is(cx, '{'))
		lex_syntax(cx, lex_peek(cx, 0), "a tag or \"{\"");
	ds->defines = true;
	if (lex_is(cx, '{')) {
		if (tag.name != NULL)
			tag_free(cx, "enum", &tag);
		parse_deeper(cx, loc);
		t = enum_define(cx, tag.name);
		parse_shallower(cx);
		return t;
	}
	const char *name = tag_name(cx, "enum", tag.name);
	t = type_lookup(cx->types, tag.mod, name);
	if (t == NULL)
		decl_unknown(cx, tag.loc, name);
	return t;
}

/* ---- declared names ------------------------------------------------------ */

void
decl_typedef(struct compile *cx, const struct decl *d)
{
	struct type *old = decl_lookup_own(cx, d->name);

	if (d->assoc)
		lang_fail(cx, &D_DECL_ARRSUB, d->loc,
			  "typedef %s may not be an associative array",
			  d->name);
	if (names_is_variable(cx, d->name))
		lang_fail(cx, &D_DECL_IDRED, d->loc,
			  "%s is the name of a variable: cannot be a type",
			  d->name);
	if (old != NULL && !type_compat(old, d->type))
		lang_fail(cx, &D_DECL_IDRED, d->loc,
			  "type %s is declared already, as %s", d->name,
			  lang_type_name(cx, type_resolve(old)));
	if (old != NULL)
		return;
	old = type_typedef(cx->types, d->name, d->type);
	if (old == NULL)
		lang_nomem(cx);
	old->align = d->attrs.align;
}

static void
prototype_check(struct compile *cx, const struct decl *d)
{
	if (d->cls == DECL_SELF || d->cls == DECL_THIS)
		lang_fail(cx, &D_DECL_BADCLASS, d->loc,
			  "function %s may not be thread-local or "
			  "clause-local",
			  d->name);
	if (d->assoc)
		lang_fail(cx, &D_DECL_ARRSUB, d->loc,
			  "%s: elements of an array may not be functions",
			  d->name);
}

void
decl_object(struct compile *cx, const struct decl *d)
{
	struct type *r = type_resolve(d->type);

	if (d->is_func) {
		prototype_check(cx, d);
		return;
	}
	if (d->assoc && d->cls == DECL_THIS)
		lang_fail(cx, &D_DECL_LOCASSC, d->loc,
			  "clause-local %s may not be an associative array",
			  d->name);
	if (d->assoc && d->cls == DECL_EXTERN)
		lang_fail(cx, &D_DECL_ARRSUB, d->loc,
			  "extern %s may not be an associative array: only D "
			  "has these",
			  d->name);
	if (r->kind == TYPE_VOID)
		lang_fail(cx, &D_DECL_VOIDOBJ, d->loc, "%s may not be void",
			  d->name);
	if (r->kind == TYPE_DYN)
		lang_fail(cx, &D_DECL_DYNOBJ, d->loc,
			  "%s may not have a dynamic type", d->name);
	if (d->cls == DECL_EXTERN)
		return;
	if (r->kind == TYPE_ARRAY && r->nelems == 0)
		lang_fail(cx, &D_DECL_ARRNULL, d->loc,
			  "array %s needs a dimension or keys", d->name);
	if (decl_incomplete(cx, d->type))
		lang_fail(cx, &D_DECL_INCOMPLETE, d->loc,
			  "%s has incomplete type %s", d->name,
			  lang_type_name(cx, d->type));
}
