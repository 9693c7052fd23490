/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_layout.c - where the members of a struct or union lie: the System V
 * ABI for x86-64, section 3.1.2, as gcc applies it.
 *
 * Bit-fields: one of declared type T, w bits wide, goes to the next bit unless
 * it would then cross a boundary of T's size; it starts at such a boundary in
 * that case.  A named one gives the struct T's alignment, an unnamed one does
 * not; `T : 0` only moves on to the next boundary of T.
 *
 * Attributes: a packed member has alignment 1, and its bits go to the next bit
 * whatever they cross; aligned(N) raises what the alignment is otherwise.  A
 * packed struct is one whose members all are.
 */
#include <string.h>

#include "type/type_impl.h"

/* No object is larger; keeps every sum below 2^64 bits. */
#define SOU_SIZE_MAX ((uint64_t)1 << 40)

struct layout {
	uint64_t bits;  /* used so far; of a union: by its largest member */
	uint32_t align; /* bytes */
	bool is_union;
	bool packed; /* all members */
};

static uint64_t
align_up(uint64_t v, uint64_t to)
{
	return to == 0 ? v : (v + to - 1) / to * to;
}

static const char *
member_name(const struct type_member *m)
{
	return m->name != NULL ? m->name : "(unnamed)";
}

/* Check that there can be a member of this type and width. */
static int
member_check(const struct type_member *m, struct err *e)
{
	struct type *t = type_resolve(m->type);
	const char *name = member_name(m);

	if (type_is_func(t))
		return err_set(e, &ERR_GENERIC, 0,
			       "member %s may not be a function", name);
	if (type_is_void(t) || type_is_dyn(t) || type_is_incomplete(t))
		return err_set(e, &ERR_GENERIC, 0,
			       "member %s has an incomplete type", name);
	if (type_size(t) > SOU_SIZE_MAX)
		return err_set(e, &ERR_GENERIC, 0, "member %s is too large",
			       name);
	if (m->bits == 0)
		return 0;
	if (!type_is_integer(t))
		return err_set(e, &ERR_GENERIC, 0,
			       "bit-field %s must have an integer type", name);
	if (m->bits > (t->is_bool ? 1 : type_size(t) * 8))
		return err_set(e, &ERR_GENERIC, 0,
			       "bit-field %s is wider than its type", name);
	return 0;
}

static bool
member_is_bitfield(const struct type_member *m)
{
	return m->bits != 0 || (m->name == NULL && type_is_integer(m->type));
}

/* Place a bit-field; false for one that leaves no member behind. */
static bool
layout_bits(struct layout *lo, struct type_member *m,
	    const struct type_attrs *a)
{
	uint64_t unit = type_size(m->type) * 8, pos = lo->bits;
	uint32_t align = type_align(m->type);
	bool packed = (lo->packed || a->packed) && m->bits != 0;

	if (lo->is_union)
		pos = 0;
	else if (!packed &&
		 (m->bits == 0 || pos / unit != (pos + m->bits - 1) / unit))
		pos = align_up(pos, (uint64_t)align * 8);
	if (packed)
		align = 1;
	if (a->align > align) {
		align = a->align;
		pos = lo->is_union ? 0 : align_up(pos, (uint64_t)align * 8);
	}
	m->bit_off = pos;
	if (pos + m->bits > lo->bits)
		lo->bits = pos + m->bits;
	if (m->name == NULL)
		return false;
	if (align > lo->align)
		lo->align = align;
	return true;
}

uint64_t
type_member_size(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_ARRAY)
		return type_member_size(t->ref) * t->nelems;
	if (t->kind == TYPE_STRING && t->size == 0)
		return TYPE_STRING_MEMBER;
	return type_size(t);
}

static void
layout_plain(struct layout *lo, struct type_member *m,
	     const struct type_attrs *a)
{
	uint64_t size = type_member_size(m->type) * 8;
	uint32_t align = lo->packed || a->packed ? 1 : type_align(m->type);
	uint64_t pos;

	if (a->align > align)
		align = a->align;
	pos = lo->is_union ? 0 : align_up(lo->bits, (uint64_t)align * 8);
	m->bit_off = pos;
	if (pos + size > lo->bits)
		lo->bits = pos + size;
	if (align > lo->align)
		lo->align = align;
}

/* Every name once, those of anonymous members included. */
static int
members_unique(struct hash *seen, const struct type_member *m, size_t n,
	       struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		size_t nin;
		const struct type_member *in;

		if (m[i].name == NULL) {
			in = type_members(m[i].type, &nin);
			if (members_unique(seen, in, nin, e) != 0)
				return -1;
			continue;
		}
		if (hash_find_str(seen, m[i].name) != NULL)
			return err_set(e, &ERR_GENERIC, 0,
				       "duplicate member %s", m[i].name);
		if (hash_set_str(seen, m[i].name, seen) != 0)
			return err_nomem(e);
	}
	return 0;
}

static int
layout_members(struct type_space *ts, struct type_list *l, struct layout *lo,
	       const struct type_member *m, const struct type_attrs *ma,
	       size_t n, struct err *e)
{
	static const struct type_attrs none;

	for (size_t i = 0; i < n; i++) {
		struct type_member *to = &l->m[l->n];
		const struct type_attrs *a = ma != NULL ? &ma[i] : &none;

		if (member_check(&m[i], e) != 0)
			return -1;
		*to = m[i];
		if (m[i].name != NULL) {
			to->name = arena_strdup(ts->arena, m[i].name);
			if (to->name == NULL)
				return err_nomem(e);
		}
		if (!member_is_bitfield(&m[i]))
			layout_plain(lo, to, a);
		else if (!layout_bits(lo, to, a))
			continue;
		l->n++;
		if (lo->bits > SOU_SIZE_MAX * 8)
			return err_set(e, &ERR_GENERIC, 0, "too large");
	}
	return 0;
}

struct type *
type_sou_new(struct type_space *ts, enum type_kind kind, const char *tag)
{
	struct type_id id = { .ns = kind == TYPE_UNION ? TYPE_NS_UNION
						       : TYPE_NS_STRUCT };
	struct type *t;

	if (tag != NULL && strlen(tag) + 2 <= sizeof(id.key)) {
		id.key[0] = (char)id.ns;
		memcpy(id.key + 1, tag, strlen(tag) + 1);
		t = type_space_find(ts, &id);
		if (t != NULL && type_is_incomplete(t))
			return t;
	}
	t = type_new_list(ts, kind);
	if (t == NULL || type_note(ts, t) != 0)
		return NULL;
	if (tag == NULL)
		return t;
	t->name = arena_strdup(ts->arena, tag);
	if (t->name == NULL || type_declare(ts, id.ns, tag, t) != 0)
		return NULL;
	return t;
}

int
type_sou_finish(struct type_space *ts, struct type *t,
		const struct type_member *m, size_t n, struct err *e)
{
	static const struct type_attrs none;

	return type_sou_finish_attrs(ts, t, m, NULL, n, &none, e);
}

int
type_sou_finish_attrs(struct type_space *ts, struct type *t,
		      const struct type_member *m, const struct type_attrs *ma,
		      size_t n, const struct type_attrs *whole, struct err *e)
{
	struct layout lo = { .align = whole->align != 0 ? whole->align : 1,
			     .is_union = t->kind == TYPE_UNION,
			     .packed = whole->packed };
	struct type_list *l = t->detail, fill = { 0 };
	struct hash *seen;
	int rc;

	if (l->done || l->src != NULL || l->die != NULL)
		return err_set(e, &ERR_GENERIC, 0, "%s is declared already",
			       t->name ? t->name : "type");
	fill.m = arena_calloc(ts->arena, n + 1, sizeof(*fill.m));
	seen = hash_new();
	if (fill.m == NULL || seen == NULL) {
		hash_free(seen);
		return err_nomem(e);
	}
	rc = layout_members(ts, &fill, &lo, m, ma, n, e);
	if (rc == 0)
		rc = members_unique(seen, fill.m, fill.n, e);
	hash_free(seen);
	if (rc != 0)
		return -1;
	if (type_note(ts, t) != 0)
		return err_nomem(e);
	fill.done = true;
	*l = fill;
	t->align = lo.align;
	t->size = align_up(lo.bits, (uint64_t)lo.align * 8) / 8;
	return 0;
}

/*
 * BTF does not say how a struct is aligned.  Its strictest member does, unless
 * the struct is packed, which shows: that member, or the size, is then not a
 * multiple of the alignment.
 */
uint32_t
type_layout_infer(struct type *t)
{
	size_t n;
	const struct type_member *m;
	uint32_t align = 1;

	t->align = 1; /* ends the descent into malformed, circular types */
	m = type_members(t, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t a = type_align(m[i].type);

		while (a > 1 && m[i].bits == 0 && m[i].bit_off % (a * 8) != 0)
			a /= 2;
		if (a > align)
			align = a;
	}
	while (align > 1 && t->size % align != 0)
		align /= 2;
	/* Without memory its members were not seen: it is found out again. */
	t->align = type_list_read(t) ? align : 0;
	return align;
}
