/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_print.c - print(expr): the value, and what its type looks like.
 *
 * Records hold bytes alone, and the types of a program are gone when they are
 * read.  So the part of the type that a reader needs is copied into the
 * program (struct dif_print).  Pointers are shown as addresses and not
 * followed; that makes the copy finite, and a type of which only pointers are
 * met is never asked for.
 */
#include "lang/clause/clause_impl.h"

/* The types copied so far: a table in the compile's arena, since whatever
   fails here does not come back. */
#define NBUCKETS 64u
struct made {
	struct made *next;
	const struct type *type;
	struct dif_print *print;
};
struct printing {
	struct compile *cx;
	struct made *bucket[NBUCKETS];
};

static const struct dif_print *print_type(struct printing *p, struct type *t);

static void
print_members(struct printing *p, struct type *t, struct dif_print *d)
{
	struct arena *a = p->cx->out;
	const struct type_member *m = type_members(t, &d->n);
	struct dif_print_member *out = arena_calloc(a, d->n + 1, sizeof(*out));

	for (size_t i = 0; i < d->n; i++)
		out[i] = (struct dif_print_member){
			.name = arena_strdup(a, m[i].name != NULL ? m[i].name
								  : ""),
			.type = print_type(p, m[i].type),
			.bit_off = m[i].bit_off,
			.bits = m[i].bits,
		};
	d->members = out;
}

static void
print_values(struct printing *p, struct type *t, struct dif_print *d)
{
	struct arena *a = p->cx->out;
	const struct type_enumerator *v = type_enumerators(t, &d->n);
	struct dif_print_value *out = arena_calloc(a, d->n + 1, sizeof(*out));

	for (size_t i = 0; i < d->n; i++)
		out[i] = (struct dif_print_value){
			.name = arena_strdup(a, v[i].name), .val = v[i].val
		};
	d->values = out;
}

/* The entry of a type, a new one without its print if need be. */
static struct made *
made_of(struct printing *p, const struct type *t)
{
	struct made **head = &p->bucket[(uintptr_t)t / 64 % NBUCKETS], *m;

	for (m = *head; m != NULL; m = m->next)
		if (m->type == t)
			return m;
	m = arena_alloc(p->cx->arena, sizeof(*m));
	*m = (struct made){ .next = *head, .type = t };
	*head = m;
	return m;
}

/* What has no name of its own is called by its kind alone. */
static const char *
print_name(struct printing *p, struct type *t)
{
	if (t->name == NULL && t->kind == TYPE_STRUCT)
		return "struct";
	if (t->name == NULL && t->kind == TYPE_UNION)
		return "union";
	if (t->name == NULL && t->kind == TYPE_ENUM)
		return "enum";
	return arena_strdup(p->cx->out, lang_type_name(p->cx, t));
}

static const struct dif_print *
print_type(struct printing *p, struct type *t)
{
	struct type *r = type_complete(p->cx->types, type_resolve(t));
	struct made *m = made_of(p, t);
	struct dif_print *d = m->print;

	if (d != NULL)
		return d;
	m->print = d = arena_alloc(p->cx->out, sizeof(*d));
	*d = (struct dif_print){
		.kind = (enum dif_ckind)dtype_dif(r).ckind,
		.name = print_name(p, t),
		.size = r->kind == TYPE_PTR ? 8
			: type_is_string(r) ? TYPE_STRING_MEMBER
					    : type_size(r),
		.is_char = r->kind == TYPE_INT && r->is_char && r->is_signed,
		.is_signed = type_is_signed(r),
	};
	if (type_is_sou(r)) {
		print_members(p, r, d);
	} else if (r->kind == TYPE_ENUM) {
		print_values(p, r, d);
	} else if (r->kind == TYPE_ARRAY) {
		d->elem = print_type(p, r->ref);
		d->nelems = r->nelems;
	}
	return d;
}

/* The argument of print(), checked: what may be shown. */
static struct node *
print_arg(struct compile *cx, struct node *a)
{
	if (a->kind == NODE_AGG)
		lang_fail(cx, &D_PRINT_AGG, a->loc,
			  "print() may not be applied to an aggregation: use "
			  "printa(@%s)",
			  a->name);
	if (check_key_action(cx, a) != NULL)
		lang_fail(cx, &D_PRINT_DYN, a->loc,
			  "print() may not be applied to %s(): write %s() "
			  "alone",
			  a->name, a->name);
	check_expr(cx, a);
	if (type_is_void(a->type))
		lang_fail(cx, &D_PRINT_VOID, a->loc,
			  "print() may not be applied to a void expression");
	if (type_is_dyn(a->type))
		lang_fail(cx, &D_PRINT_DYN, a->loc,
			  "print() may not be applied to a dynamic expression");
	if (type_is_func(a->type))
		return conv_decay(cx, a);
	if (!type_is_string(a->type) && type_size(type_resolve(a->type)) == 0)
		lang_fail(cx, &D_PRINT_SIZE, a->loc,
			  "print() may not be applied to %s, which has no size",
			  lang_type_name(cx, a->type));
	return a;
}

void
check_print(struct compile *cx, struct node *call, struct dif_stmt *st)
{
	struct printing p = { .cx = cx };
	struct node *a;

	if (call->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, call->loc,
			  "print() takes one argument, not %u", call->nargs);
	a = print_arg(cx, call->args[0]);
	check_stmt_exprs(cx, st, 1);
	check_record(cx, a, &st->exprs[0]);
	st->exprs[0].print = print_type(&p, a->type);
}
