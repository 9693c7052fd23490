/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_xlate.c - translators and xlate.
 *
 * xlate <T *>(e) has no value of its own: it is a promise to give the members
 * of a T when they are named.  `xlate <T *>(e)->m` becomes the translator's
 * expression for m with e in place of its parameter, checked here and now; so
 * a program pays for the members it uses, and asks for the kernel's types only
 * if one of these does.  xlate <T>(e) and *xlate <T *>(e) are the same promise
 * of a struct; where such a struct is stored or printed, gen_xlate.c makes it
 * from all members.
 *
 * See "Translators" in the Dynamic Tracing Guide, and
 * doc/decisions/0021-translators.md.
 */
#include "lang/check/check_impl.h"

#include <string.h>

/* ---- which translator --------------------------------------------------- */

/* How well a value fits a translator's input; the higher the better. */
enum fit { FIT_NONE, FIT_INTEGER, FIT_COMPAT, FIT_RESOLVED, FIT_EXACT };

/* The same type under the same names. */
static bool
same_words(struct type *a, struct type *b)
{
	while (a != b && a->kind == b->kind &&
	       (a->kind == TYPE_PTR || a->kind == TYPE_CONST ||
		a->kind == TYPE_VOLATILE || a->kind == TYPE_ARRAY)) {
		a = a->ref;
		b = b->ref;
	}
	if (a == b)
		return true;
	return a->kind == b->kind && a->name != NULL && b->name != NULL &&
	       strcmp(a->name, b->name) == 0 && type_compat(a, b);
}

/* The same type but for typedefs. */
static bool
same_resolved(struct type *a, struct type *b)
{
	while (a->kind == TYPE_TYPEDEF)
		a = a->ref;
	while (b->kind == TYPE_TYPEDEF)
		b = b->ref;
	if (a->kind == b->kind &&
	    (a->kind == TYPE_PTR || a->kind == TYPE_CONST ||
	     a->kind == TYPE_VOLATILE))
		return same_resolved(a->ref, b->ref);
	return same_words(a, b);
}

static enum fit
input_fit(struct type *want, struct type *have)
{
	want = type_unqual(want);
	have = type_unqual(have);
	if (same_words(want, have))
		return FIT_EXACT;
	if (same_resolved(want, have))
		return FIT_RESOLVED;
	if (type_compat(want, have))
		return FIT_COMPAT;
	return type_is_integer(want) && type_is_integer(have) ? FIT_INTEGER
							      : FIT_NONE;
}

/* The struct that xlate <t> makes, or NULL. */
static struct type *
output_of(struct compile *cx, struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_PTR)
		t = type_resolve(t->ref);
	if (!type_is_sou(t))
		return NULL;
	return type_resolve(type_complete(cx->types, t));
}

const struct xlator *
check_xlator_find(struct compile *cx, struct type *out, struct type *in)
{
	const struct xlator *best = NULL;
	enum fit best_fit = FIT_NONE;

	for (const struct xlator *x = cx->lang->xlators; x != NULL;
	     x = x->next) {
		enum fit f;

		if (x->version > cx->version || !type_compat(x->out, out))
			continue;
		f = input_fit(x->in, in);
		if (f < best_fit || f == FIT_NONE ||
		    (f == best_fit && x->version < best->version))
			continue;
		best = x;
		best_fit = f;
	}
	return best;
}

/* ---- the value of a member ---------------------------------------------- */

static bool
array_takes(struct type *to, const struct node *e)
{
	struct type *from = type_resolve(e->type);

	if (type_is_strcompat(to) && type_is_strcompat(from))
		return true;
	return (from->kind == TYPE_ARRAY || from->kind == TYPE_PTR) &&
	       type_compat(to->ref, from->ref);
}

/* The expression as the member that m describes. */
static struct node *
member_value(struct compile *cx, const struct type_member *m, struct node *e,
	     struct src_loc loc)
{
	struct type *to = type_resolve(m->type);

	if (to->kind == TYPE_ARRAY && array_takes(to, e)) {
		/* An array of characters may come as a string. */
		if (type_is_strcompat(to) &&
		    (type_is_ptr(e->type) || node_in_user(e)))
			e = conv_string(cx, e);
	} else {
		e = conv_assign(cx, m->type, e, loc, &D_XLATE_INCOMPAT,
				arena_printf(cx->arena,
					     "translator gives member %s a "
					     "value of incompatible type",
					     m->name));
	}
	if (e->is_const || type_is_scalar(to))
		return e;
	e = arena_memdup(cx->arena, e, sizeof(*e));
	e->declared = m->type;
	return e;
}

static const struct xlator_member *
find_member(const struct xlator *x, const char *name)
{
	for (uint32_t i = 0; i < x->nmembers; i++)
		if (strcmp(x->members[i].name, name) == 0)
			return &x->members[i];
	return NULL;
}

struct node *
check_xlated(struct compile *cx, const struct node *xl,
	     const struct xlator_member *xm, const struct type_member *m,
	     struct src_loc loc)
{
	struct node *in = xl->left, *first, *e;
	struct expansion x = {
		.what = xm, .name = xm->name, .use = loc, .args = &in
	};

	first = check_once(cx, &in, xm->expr, 0);
	e = member_value(cx, m, check_expand(cx, &x, xm->expr), xm->loc);
	check_expanded(cx, &x);
	e = check_after(cx, first, e);
	e->lvalue = false;
	return e;
}

/* The xlate whose member is named, or NULL; comes after a first, perhaps. */
static struct node *
translated(struct node *n, bool arrow)
{
	while (n->kind == NODE_COMMA)
		n = n->right;
	return n->kind == NODE_XLATE && type_is_ptr(n->type) == arrow ? n
								      : NULL;
}

/* Why the D library's translators do not give a member, behind a colon; "". */
static const char *
no_member_why(struct compile *cx, const struct xlator *x, const char *member)
{
	static const struct {
		const char *type, *member, *why;
	} known[] = {
#define NOMEMBER(type, member, why) { #type, #member, why },
#include "lang/nomember.def"
#undef NOMEMBER
	};
	const char *type = lang_type_name(cx, x->out);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].member, member) == 0 &&
		    strcmp(known[i].type, type) == 0)
			return arena_printf(cx->arena, ": %s", known[i].why);
	return "";
}

bool
check_xlate_member(struct compile *cx, struct node *n)
{
	struct node *left = n->left, *xl, *e;
	const struct xlator_member *xm;
	const struct type_member *m;
	const struct xlator *x;
	struct src_loc loc = n->loc;
	uint64_t off;

	xl = translated(left, n->kind == NODE_ARROW);
	if (xl == NULL)
		return false;
	x = xl->ident;
	m = type_member(x->out, n->name, &off);
	if (m == NULL)
		lang_fail(cx, &D_TYPE_MEMBER, n->loc,
			  "%s is not a member of %s%s", n->name,
			  lang_type_name(cx, x->out),
			  check_near_member(cx, x->out, n->name));
	xm = find_member(x, n->name);
	if (xm == NULL)
		lang_fail(cx, &D_XLATE_NOCONV, n->loc,
			  "the translator from %s to %s gives no member %s%s",
			  lang_type_name(cx, x->in), lang_type_name(cx, x->out),
			  n->name, no_member_why(cx, x, n->name));
	e = check_xlated(cx, xl, xm, m, n->loc);
	for (; left->kind == NODE_COMMA; left = left->right)
		e = check_after(cx, left->left, e);
	*n = *e;
	n->loc = loc;
	return true;
}

/* ---- xlate -------------------------------------------------------------- */

void
check_xlate_value(struct compile *cx, struct node *n, const struct err_tag *tag,
		  const char *what)
{
	struct type *out = output_of(cx, n->ctype);
	const struct xlator *x;

	n->left = conv_decay(cx, n->left);
	if (out == NULL)
		lang_fail(cx, &D_XLATE_SOU, n->loc,
			  "xlate makes structs and unions, not %s",
			  lang_type_name(cx, n->ctype));
	x = check_xlator_find(cx, out, n->left->type);
	if (x == NULL)
		lang_fail(cx, tag, n->loc,
			  "%sno translator is declared from %s to %s", what,
			  lang_type_name(cx, n->left->type),
			  lang_type_name(cx, out));
	n->left = conv_assign(cx, x->in, n->left, n->loc, tag,
			      "input of the translator");
	n->ident = x;
	n->type = n->ctype;
}

void
check_xlate(struct compile *cx, struct node *n)
{
	check_expr(cx, n->left);
	check_xlate_value(cx, n, &D_XLATE_NONE, "");
}

/* The type of an argument of a provider: the D library's, not one by which the
   program hides that. */
static struct type *
xlate_args_type(struct compile *cx, const char *text)
{
	const struct lang *l = cx->lang;
	struct type *t =
		type_from_text(l->spaces.v[l->nlibspaces - 1], text, false);

	return t != NULL ? t : type_from_text(cx->types, text, false);
}

void
check_xlate_args(struct compile *cx, struct node *n, uint64_t arg,
		 const char *text)
{
	struct node *native = arena_memdup(cx->arena, n, sizeof(*n));
	struct type *t = xlate_args_type(cx, text);
	struct type *out = t != NULL ? output_of(cx, t) : NULL;
	const char *what = arena_printf(
		cx->arena, "args[%llu]: ", (unsigned long long)arg);

	if (out == NULL || is_incomplete(out))
		lang_fail(cx, &D_ARGS_XLATOR, n->loc,
			  "%sits type, %s, is not declared: the D library "
			  "that does so is missing",
			  what, text);
	*n = *node_new(cx, NODE_XLATE, native->loc);
	n->ctype = t;
	n->left = native;
	check_xlate_value(cx, n, &D_ARGS_XLATOR, what);
}

/* ---- declarations ------------------------------------------------------- */

static void
check_output(struct compile *cx, const struct item *it)
{
	struct type *out = type_resolve(it->outtype);

	if (type_is_sou(out))
		out = type_resolve(type_complete(cx->types, out));
	if (!type_is_sou(out) || is_incomplete(out))
		lang_fail(cx, &D_XLATE_SOU, it->loc,
			  "a translator makes a struct or union that is "
			  "defined, not %s",
			  lang_type_name(cx, it->outtype));
}

static void
check_redeclared(struct compile *cx, const struct item *it, uint32_t version)
{
	for (const struct xlator *x = cx->lang->xlators; x != NULL; x = x->next)
		if (x->version == version && type_compat(x->out, it->outtype) &&
		    same_resolved(type_unqual(x->in), type_unqual(it->intype)))
			lang_fail(cx, &D_XLATE_REDECL, it->loc,
				  "a translator from %s to %s is declared "
				  "already%s%s",
				  lang_type_name(cx, it->intype),
				  lang_type_name(cx, it->outtype),
				  x->loc.file != NULL ? " in " : "",
				  x->loc.file != NULL ? x->loc.file : "");
}

static void
check_xlator_member(struct compile *cx, const struct item *it,
		    const struct xlator_member *xm)
{
	struct type *in = it->intype;
	struct expansion x = { .what = xm, .name = xm->name, .types = &in };
	const struct type_member *m;
	uint64_t off;

	m = type_member(it->outtype, xm->name, &off);
	if (m == NULL)
		lang_fail(cx, &D_XLATE_MEMB, xm->loc,
			  "%s is not a member of %s", xm->name,
			  lang_type_name(cx, it->outtype));
	if (cx->src->library)
		return;
	member_value(cx, m, check_expand(cx, &x, xm->expr), xm->loc);
	check_expanded(cx, &x);
}

void
check_xlator(struct compile *cx, const struct item *it)
{
	uint32_t version = cx->xlator_version;
	struct xlator *x;

	cx->xlator_version = 0; /* it was for this one alone */
	check_output(cx, it);
	check_redeclared(cx, it, version);
	x = names_add_xlator(cx);
	x->out = it->outtype;
	x->in = it->intype;
	x->members = it->members;
	x->nmembers = it->nmembers;
	x->version = version;
	x->loc = it->loc;
	/* Members may be translated by this very translator: a parent. */
	for (uint32_t i = 0; i < it->nmembers; i++)
		check_xlator_member(cx, it, &it->members[i]);
}
