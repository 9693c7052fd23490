/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_query.c - what the compiler asks about a type.  Typedefs and qualifiers
 * are looked through everywhere; lists are imported when they are first read.
 */
#include <string.h>

#include "type/type_impl.h"

struct type *
type_resolve(struct type *t)
{
	while (t->kind == TYPE_TYPEDEF || t->kind == TYPE_CONST ||
	       t->kind == TYPE_VOLATILE || t->kind == TYPE_RESTRICT)
		t = t->ref;
	return t;
}

struct type_list *
type_list(struct type *t)
{
	struct type_list *l = t->detail;

	if (l != NULL && !l->done && l->src != NULL)
		type_btf_fill(t);
	else if (l != NULL && !l->done && l->die != NULL)
		type_prog_fill(t);
	return l;
}

bool
type_is_incomplete(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_ARRAY)
		return type_is_incomplete(t->ref);
	if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) {
		struct type_list *l = t->detail;

		return !l->done && l->src == NULL && l->die == NULL;
	}
	return t->kind == TYPE_FWD;
}

bool
type_list_read(struct type *t)
{
	const struct type_list *l = t->detail;

	return l != NULL && l->done &&
	       (type_is_sou(t) || t->kind == TYPE_ENUM);
}

bool
type_is_integer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT || t->kind == TYPE_ENUM;
}

bool
type_is_arith(struct type *t)
{
	return type_is_integer(t) || type_resolve(t)->kind == TYPE_FLOAT;
}

bool
type_is_scalar(struct type *t)
{
	return type_is_integer(t) || type_is_ptr(t);
}

bool
type_is_ptr(struct type *t)
{
	return type_resolve(t)->kind == TYPE_PTR;
}

bool
type_is_sou(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION ||
	       t->kind == TYPE_FWD;
}

bool
type_is_string(struct type *t)
{
	return type_resolve(t)->kind == TYPE_STRING;
}

bool
type_is_strcompat(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_STRING)
		return true;
	if (t->kind != TYPE_PTR && t->kind != TYPE_ARRAY)
		return false;
	t = type_resolve(t->ref);
	return t->kind == TYPE_INT && t->is_char;
}

bool
type_is_void(struct type *t)
{
	return type_resolve(t)->kind == TYPE_VOID;
}

bool
type_is_func(struct type *t)
{
	return type_resolve(t)->kind == TYPE_FUNC;
}

bool
type_is_dyn(struct type *t)
{
	return type_resolve(t)->kind == TYPE_DYN;
}

bool
type_is_signed(struct type *t)
{
	return type_is_integer(t) && type_resolve(t)->is_signed;
}

uint64_t
type_size(struct type *t)
{
	uint64_t size;

	t = type_resolve(t);
	if (t->kind != TYPE_ARRAY || t->size != 0)
		return t->size;
	/* The element may have been completed after the array was made. */
	if (__builtin_mul_overflow(type_size(t->ref), t->nelems, &size))
		return UINT64_MAX;
	return size;
}

uint32_t
type_align(struct type *t)
{
	for (; t->kind == TYPE_TYPEDEF || t->kind == TYPE_CONST ||
	       t->kind == TYPE_VOLATILE || t->kind == TYPE_RESTRICT;
	     t = t->ref)
		if (t->kind == TYPE_TYPEDEF && t->align != 0)
			return t->align; /* of its own */
	if (t->kind == TYPE_ARRAY)
		return type_align(t->ref);
	if (t->align == 0 &&
	    (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) &&
	    !type_is_incomplete(t))
		return type_layout_infer(t);
	return t->align != 0 ? t->align : 1;
}

uint32_t
type_bit_width(struct type *t)
{
	const struct type_list *l;

	t = type_resolve(t);
	l = t->detail;
	return t->kind == TYPE_INT && l != NULL ? l->width : 0;
}

/* ---- lists ------------------------------------ */

const struct type_member *
type_members(struct type *t, size_t *n)
{
	struct type_list *l;

	*n = 0;
	t = type_resolve(t);
	if (type_is_sou(t))
		t = type_resolve(type_complete(t->space, t));
	if (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION)
		return NULL;
	l = type_list(t);
	*n = l->n;
	return l->n != 0 ? l->m : NULL;
}

const struct type_enumerator *
type_enumerators(struct type *t, size_t *n)
{
	struct type_list *l;

	*n = 0;
	t = type_resolve(t);
	if (t->kind != TYPE_ENUM)
		return NULL;
	l = type_list(t);
	*n = l->n;
	return l->n != 0 ? l->e : NULL;
}

const struct type_param *
type_params(struct type *t, size_t *n)
{
	struct type_list *l;

	*n = 0;
	t = type_resolve(t);
	if (t->kind != TYPE_FUNC)
		return NULL;
	l = type_list(t);
	*n = l->n;
	return l->n != 0 ? l->p : NULL;
}

static const struct type_member *
member_find(struct type *t, const char *name, uint64_t *bit_off, int depth)
{
	size_t n;
	const struct type_member *m = type_members(t, &n), *in;

	for (size_t i = 0; i < n && depth < TYPE_DEPTH_MAX; i++) {
		uint64_t off = 0;

		if (m[i].name != NULL) {
			if (strcmp(m[i].name, name) != 0)
				continue;
			*bit_off = m[i].bit_off;
			return &m[i];
		}
		in = member_find(m[i].type, name, &off, depth + 1);
		if (in != NULL) {
			*bit_off = m[i].bit_off + off;
			return in;
		}
	}
	return NULL;
}

const struct type_member *
type_member(struct type *t, const char *name, uint64_t *bit_off)
{
	return member_find(t, name, bit_off, 0);
}

/* ---- compatibility ------------------------------------ */

static bool
same_name(const struct type *a, const struct type *b)
{
	return a->name != NULL && b->name != NULL &&
	       strcmp(a->name, b->name) == 0;
}

static bool
sou_compat(struct type *a, struct type *b)
{
	bool ua = a->kind == TYPE_UNION || a->is_union;
	bool ub = b->kind == TYPE_UNION || b->is_union;

	if (ua != ub || !same_name(a, b))
		return false;
	return type_is_incomplete(a) || type_is_incomplete(b) ||
	       a->size == b->size;
}

static bool compat(struct type *a, struct type *b, int depth);

static bool
func_compat(struct type *a, struct type *b, int depth)
{
	size_t na, nb;
	const struct type_param *pa = type_params(a, &na);
	const struct type_param *pb = type_params(b, &nb);

	if (na != nb || a->variadic != b->variadic ||
	    !compat(a->ref, b->ref, depth))
		return false;
	for (size_t i = 0; i < na; i++)
		if (!compat(pa[i].type, pb[i].type, depth))
			return false;
	return true;
}

static bool
compat(struct type *a, struct type *b, int depth)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b)
		return true;
	if (depth++ > TYPE_DEPTH_MAX)
		return false;
	if (type_is_sou(a) && type_is_sou(b))
		return sou_compat(a, b);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TYPE_INT:
		return a->size == b->size && a->is_signed == b->is_signed &&
		       a->is_bool == b->is_bool &&
		       type_bit_width(a) == type_bit_width(b);
	case TYPE_FLOAT:
		return a->size == b->size;
	case TYPE_ENUM:
		return a->size == b->size && same_name(a, b);
	case TYPE_PTR:
		return compat(a->ref, b->ref, depth);
	case TYPE_ARRAY:
		return (a->nelems == b->nelems || a->nelems == 0 ||
			b->nelems == 0) &&
		       compat(a->ref, b->ref, depth);
	case TYPE_FUNC:
		return func_compat(a, b, depth);
	default:
		return true; /* void, string, dyn */
	}
}

bool
type_compat(struct type *a, struct type *b)
{
	return compat(a, b, 0);
}

/* ---- sameness ------------------------------------------ */

#define SAME_DEPTH 4 /* structs may lead to themselves */

static bool same_step(struct type *a, struct type *b, int depth);

static bool
same_members(struct type *a, struct type *b, int depth)
{
	size_t na, nb;
	const struct type_member *ma = type_members(a, &na);
	const struct type_member *mb = type_members(b, &nb);

	if (na != nb)
		return false;
	for (size_t i = 0; i < na; i++) {
		bool named = ma[i].name != NULL;

		if (named != (mb[i].name != NULL) ||
		    (named && strcmp(ma[i].name, mb[i].name) != 0) ||
		    ma[i].bit_off != mb[i].bit_off ||
		    ma[i].bits != mb[i].bits ||
		    !same_step(ma[i].type, mb[i].type, depth))
			return false;
	}
	return true;
}

static bool
same_params(struct type *a, struct type *b, int depth)
{
	size_t na, nb;
	const struct type_param *pa = type_params(a, &na);
	const struct type_param *pb = type_params(b, &nb);

	for (size_t i = 0; i < na; i++)
		if (!same_step(pa[i].type, pb[i].type, depth))
			return false;
	return same_step(a->ref, b->ref, depth);
}

/* Members without a name may be structs without one, which are not compatible
   by theirs. */
static bool
same_step(struct type *a, struct type *b, int depth)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b || depth++ == SAME_DEPTH)
		return true;
	if (type_is_sou(a) && type_is_sou(b)) {
		if ((a->name != NULL || b->name != NULL) && !same_name(a, b))
			return false;
		if (type_is_incomplete(a) || type_is_incomplete(b))
			return true;
		return a->size == b->size && same_members(a, b, depth);
	}
	if (a->kind == TYPE_ENUM && b->kind == TYPE_ENUM && a->name == NULL &&
	    b->name == NULL)
		return a->size == b->size;
	if (a->kind != b->kind)
		return false;
	if (a->kind == TYPE_PTR || a->kind == TYPE_ARRAY)
		return same_step(a->ref, b->ref, depth) &&
		       (a->kind == TYPE_PTR || a->nelems == b->nelems);
	return type_compat(a, b) &&
	       (a->kind != TYPE_FUNC || same_params(a, b, depth));
}

bool
type_same(struct type *a, struct type *b)
{
	return same_step(a, b, 0);
}
