/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_make.c - types made from other types, and the declaration of typedefs
 * and enumerations.  Structs and unions get their members in type_layout.c.
 */
#include <string.h>

#include "type/type_impl.h"

/* What makes two derived types the same. Compared byte for byte: no padding. */
struct derived_key {
	uint64_t kind; /* enum type_kind, or'ed with DERIVED_* */
	uint64_t ref;
	uint64_t n;
};
#define DERIVED_USER 0x100u
#define DERIVED_BITS 0x200u

/*
 * The derived type of that key; *fresh is set if it was made just now and
 * waits to be filled in.
 */
static struct type *
type_derive(struct type_space *ts, enum type_kind kind, unsigned flags,
	    struct type *ref, uint64_t n, bool *fresh)
{
	struct derived_key key = { kind | flags, (uintptr_t)ref, n };
	struct type *t;

	*fresh = false;
	if (ref == NULL || type_hash(ts, &ts->derived) == NULL)
		return NULL;
	t = hash_find(ts->derived, &key, sizeof(key));
	if (t != NULL)
		return t;
	t = type_new(ts, kind);
	if (t == NULL ||
	    type_hash_set(ts, ts->derived, &key, sizeof(key), t) != 0)
		return NULL;
	t->ref = ref;
	*fresh = true;
	return t;
}

static struct type *
type_ptr_make(struct type_space *ts, struct type *to, bool user)
{
	bool fresh;
	struct type *t = type_derive(ts, TYPE_PTR, user ? DERIVED_USER : 0, to,
				     0, &fresh);

	if (fresh) {
		t->size = t->align = 8;
		t->user = user;
	}
	return t;
}

struct type *
type_ptr(struct type_space *ts, struct type *to)
{
	return type_ptr_make(ts, to, to != NULL && type_is_prog(to));
}

struct type *
type_ptr_user(struct type_space *ts, struct type *to)
{
	return type_ptr_make(ts, to, true);
}

struct type *
type_array(struct type_space *ts, struct type *elem, uint64_t n)
{
	bool fresh;
	struct type *t = type_derive(ts, TYPE_ARRAY, 0, elem, n, &fresh);

	if (fresh) {
		t->nelems = n;
		/* A product that does not fit is no object's size either;
		   type_sou_finish() and the compiler refuse UINT64_MAX. */
		if (__builtin_mul_overflow(type_size(elem), n, &t->size))
			t->size = UINT64_MAX;
	}
	return t;
}

struct type *
type_qual(struct type_space *ts, enum type_kind q, struct type *t)
{
	bool fresh;
	struct type *qt;

	if (t != NULL && t->kind == q)
		return t;
	qt = type_derive(ts, q, 0, t, 0, &fresh);
	if (fresh) {
		qt->size = t->size;
		qt->align = t->align;
	}
	return qt;
}

struct type *
type_bits(struct type_space *ts, struct type *base, uint32_t bits)
{
	struct type *b = type_resolve(base), *t;
	bool fresh;

	/* The declared type's size stays: trace() and print() of a field show
	   it as that type; only the range is smaller. */
	t = type_derive(ts, TYPE_INT, DERIVED_BITS, b, bits, &fresh);
	if (t == NULL || t->detail != NULL)
		return t;
	t->ref = NULL;
	t->name = b->kind == TYPE_INT ? b->name
		  : b->is_signed      ? "int"
				      : "unsigned int";
	t->size = b->size;
	t->align = b->align;
	t->is_signed = b->is_signed;
	t->is_bool = b->is_bool;
	t->is_char = b->is_char;
	t->detail = arena_alloc(ts->arena, sizeof(struct type_list));
	if (t->detail == NULL)
		return NULL;
	((struct type_list *)t->detail)->width = bits;
	return t;
}

struct type *
type_func(struct type_space *ts, struct type *ret,
	  const struct type_param *params, size_t n, bool variadic)
{
	struct type *t = type_new_list(ts, TYPE_FUNC);
	struct type_list *l;

	if (t == NULL || ret == NULL)
		return NULL;
	t->ref = ret;
	t->variadic = variadic;
	l = t->detail;
	l->p = arena_calloc(ts->arena, n, sizeof(*l->p));
	if (l->p == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		l->p[i].type = params[i].type;
		if (params[i].name == NULL)
			continue;
		l->p[i].name = arena_strdup(ts->arena, params[i].name);
		if (l->p[i].name == NULL)
			return NULL;
	}
	l->n = n;
	l->done = true;
	return t;
}

struct type *
type_typedef(struct type_space *ts, const char *name, struct type *to)
{
	struct type *t;

	if (to == NULL || (t = type_new(ts, TYPE_TYPEDEF)) == NULL)
		return NULL;
	t->name = arena_strdup(ts->arena, name);
	t->ref = to;
	t->size = to->size;
	if (t->name == NULL || type_declare(ts, TYPE_NS_PLAIN, name, t) != 0 ||
	    type_note(ts, t) != 0)
		return NULL;
	return t;
}

struct type *
type_fwd(struct type_space *ts, bool is_union, const char *tag)
{
	/* Beside the names, so that a lookup goes on to a real definition. */
	struct type *t;
	size_t len = strlen(tag) + 2;
	char *key = arena_alloc(ts->arena, len);

	if (key == NULL || type_hash(ts, &ts->derived) == NULL)
		return NULL;
	key[0] = is_union ? TYPE_NS_UNION : TYPE_NS_STRUCT;
	memcpy(key + 1, tag, len - 1);
	/* The letter keeps these keys apart from the structs derived_key, whose
	   first byte is an enum type_kind. */
	t = hash_find(ts->derived, key, len);
	if (t != NULL)
		return t;
	t = type_new(ts, TYPE_FWD);
	if (t == NULL || type_hash_set(ts, ts->derived, key, len, t) != 0)
		return NULL;
	t->is_union = is_union;
	t->name = key + 1;
	return t;
}

/* ---- enumerations ------------------------------------ */

static int
type_enum_declare(struct type_space *ts, struct type *t,
		  const struct type_enumerator *v)
{
	struct enum_ref *ref = arena_alloc(ts->arena, sizeof(*ref));

	if (ref == NULL || type_hash(ts, &ts->enums) == NULL)
		return -1;
	ref->type = t;
	ref->val = v->val;
	return type_hash_set(ts, ts->enums, v->name, strlen(v->name), ref);
}

/* int if it holds every value, else unsigned int, else long. */
static void
type_enum_size(struct type *t, const struct type_enumerator *v, size_t n)
{
	bool fits_int = true, fits_uint = true;

	for (size_t i = 0; i < n; i++) {
		fits_int &= v[i].val >= INT32_MIN && v[i].val <= INT32_MAX;
		fits_uint &= v[i].val >= 0 && v[i].val <= UINT32_MAX;
	}
	t->is_signed = fits_int || !fits_uint;
	t->size = t->align = fits_int || fits_uint ? 4 : 8;
}

struct type *
type_enum_new(struct type_space *ts, const char *tag,
	      const struct type_enumerator *v, size_t n)
{
	struct type *t = type_new_list(ts, TYPE_ENUM);
	struct type_list *l;

	if (t == NULL)
		return NULL;
	l = t->detail;
	l->e = arena_memdup(ts->arena, v, n * sizeof(*v));
	if (l->e == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		l->e[i].name = arena_strdup(ts->arena, v[i].name);
		if (l->e[i].name == NULL ||
		    type_enum_declare(ts, t, &l->e[i]) != 0)
			return NULL;
	}
	l->n = n;
	l->done = true;
	type_enum_size(t, v, n);
	if (type_note(ts, t) != 0)
		return NULL;
	if (tag == NULL)
		return t;
	t->name = arena_strdup(ts->arena, tag);
	if (t->name == NULL || type_declare(ts, TYPE_NS_ENUM, tag, t) != 0)
		return NULL;
	return t;
}
