/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_btf.c - types imported from one BTF, one at a time.
 *
 * A type is made when it is first reached, and kept by its id.  A struct comes
 * without its members, an enum without its enumerators, a function type
 * without its parameters: type_btf_fill() adds them when they are read.  So
 * one look at `curthread->comm` imports one struct and the types of its
 * members, not half of the kernel.
 *
 * BTF may be wrong, even circular: what cannot be is NULL, and a list with
 * such a type in it is empty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "elf/btf.h"
#include "type/type_impl.h"

struct type_btf {
	struct type_space *ts; /* whose types these become */
	struct btf_index *bi;  /* owned */
	struct btf *btf;       /* of bi */
	struct type_btf *base; /* split BTF: the kernel's; not owned */
	const char *module;
	uint32_t start, end; /* ids [start, end) are this BTF's own */
	struct type **types; /* [end - start] */
	struct hash *enums;  /* enumerator -> ENUM_PACK; NULL until asked */
};

/* Where an enumerator is, as a table's value. */
#define ENUM_PACK(id, i) ((void *)(((uintptr_t)(id) << 16) | (i)))
#define ENUM_ID(p)       ((uint32_t)((uintptr_t)(p) >> 16))
#define ENUM_INDEX(p)    ((uint32_t)((uintptr_t)(p)&0xffff))
/* Several, of different values. */
#define ENUM_AMBIGUOUS ((void *)1)

static struct type *import(struct type_btf *tb, uint32_t id, int depth);

struct type_btf *
type_btf_new(struct type_space *ts, struct btf_index *bi, struct type_btf *base,
	     const char *module)
{
	struct type_btf *tb = calloc(1, sizeof(*tb));

	if (tb == NULL) {
		type_failed(ts);
		return NULL;
	}
	tb->ts = ts;
	tb->btf = btf_index_btf(bi);
	tb->base = base;
	tb->start = base != NULL ? base->end : 1;
	tb->end = btf__type_cnt(tb->btf);
	tb->types = calloc(tb->end - tb->start + 1, sizeof(*tb->types));
	tb->module = arena_strdup(ts->arena, module);
	if (tb->types == NULL || tb->module == NULL) {
		type_failed(ts);
		type_btf_free(tb);
		return NULL;
	}
	tb->bi = bi; /* now it is ours to free */
	return tb;
}

void
type_btf_free(struct type_btf *tb)
{
	if (tb == NULL)
		return;
	btf_index_free(tb->bi);
	hash_free(tb->enums);
	free(tb->types);
	free(tb);
}

const char *
type_btf_module(const struct type_btf *tb)
{
	return tb->module;
}

struct type *
type_btf_imported(const struct type_btf *tb, uint32_t i, bool *end)
{
	*end = i >= tb->end - tb->start;
	return *end ? NULL : tb->types[i];
}

bool
type_btf_owns(const struct type_btf *tb, const struct type *t)
{
	return t->btf_id >= tb->start && t->btf_id < tb->end &&
	       tb->types[t->btf_id - tb->start] == t;
}

struct btf_index *
type_btf_index(struct type_btf *tb)
{
	return tb->bi;
}

/* The text at an offset; NULL for the empty one. Lives as long as the BTF. */
static const char *
btf_text(struct type_btf *tb, uint32_t off)
{
	const char *s = btf__name_by_offset(tb->btf, off);

	return s != NULL && s[0] != '\0' ? s : NULL;
}

/* ---- kinds ------------------------------------ */

/* Our own type of that name if it is the same in all respects. */
static struct type *
import_basic(struct type_btf *tb, const char *name, uint64_t size,
	     bool is_signed)
{
	struct type_id id;
	struct type *t;

	if (name == NULL || !type_id_parse(name, &id) || id.ns != TYPE_NS_BASIC)
		return NULL;
	t = type_basic(tb->ts, id.basic);
	/* The kernel is compiled with unsigned char; to D it is still char. */
	if (id.basic == TYPE_B_CHAR)
		is_signed = t->is_signed;
	if (t->size != size ||
	    (t->kind == TYPE_INT && (t->is_signed != is_signed)))
		return NULL;
	return t;
}

static struct type *
import_int(struct type_btf *tb, const struct btf_type *bt)
{
	const char *name = btf_text(tb, bt->name_off);
	uint8_t enc = btf_int_encoding(bt);
	struct type *t;

	t = import_basic(tb, name, bt->size, enc & BTF_INT_SIGNED);
	if (t != NULL && t->kind == TYPE_INT)
		return t;
	if (bt->size == 0 || bt->size > 16)
		return NULL;
	t = type_new(tb->ts, TYPE_INT);
	if (t == NULL)
		return NULL;
	t->name = name;
	t->size = t->align = bt->size;
	t->is_signed = enc & BTF_INT_SIGNED;
	t->is_char = enc & BTF_INT_CHAR;
	t->is_bool = enc & BTF_INT_BOOL;
	return t;
}

static struct type *
import_float(struct type_btf *tb, const struct btf_type *bt)
{
	const char *name = btf_text(tb, bt->name_off);
	struct type *t = import_basic(tb, name, bt->size, false);

	if (t != NULL && t->kind == TYPE_FLOAT)
		return t;
	t = type_new(tb->ts, TYPE_FLOAT);
	if (t == NULL)
		return NULL;
	t->name = name;
	t->size = t->align = bt->size;
	return t;
}

/* The tag "user" stands between a pointer and what it points to. */
static struct type *
import_ptr(struct type_btf *tb, const struct btf_type *bt, int depth)
{
	uint32_t to = bt->type;
	bool user = false;
	struct type *ref;

	for (int i = 0; i < TYPE_DEPTH_MAX; i++) {
		const struct btf_type *tag = btf__type_by_id(tb->btf, to);
		const char *name;

		if (tag == NULL || !btf_is_type_tag(tag))
			break;
		name = btf_text(tb, tag->name_off);
		user |= name != NULL && strcmp(name, "user") == 0;
		to = tag->type;
	}
	ref = import(tb, to, depth);
	if (ref == NULL)
		return NULL;
	return user ? type_ptr_user(tb->ts, ref) : type_ptr(tb->ts, ref);
}

static struct type *
import_array(struct type_btf *tb, const struct btf_type *bt, int depth)
{
	const struct btf_array *a = btf_array(bt);
	struct type *elem = import(tb, a->type, depth);

	return elem != NULL ? type_array(tb->ts, elem, a->nelems) : NULL;
}

/* A type whose list is read later. */
static struct type *
import_listed(struct type_btf *tb, const struct btf_type *bt,
	      enum type_kind kind)
{
	struct type *t = type_new_list(tb->ts, kind);

	if (t == NULL)
		return NULL;
	t->name = btf_text(tb, bt->name_off);
	((struct type_list *)t->detail)->src = tb;
	if (kind != TYPE_FUNC)
		t->size = bt->size;
	if (kind == TYPE_ENUM) {
		t->align = bt->size;
		t->is_signed = btf_kflag(bt);
	}
	return t;
}

static struct type *
import_func(struct type_btf *tb, const struct btf_type *bt, int depth)
{
	struct type *ret = import(tb, bt->type, depth), *t;
	uint16_t n = btf_vlen(bt);

	t = ret != NULL ? import_listed(tb, bt, TYPE_FUNC) : NULL;
	if (t == NULL)
		return NULL;
	t->ref = ret;
	t->variadic = n != 0 && btf_params(bt)[n - 1].type == 0;
	return t;
}

static struct type *
import_fwd(struct type_btf *tb, const struct btf_type *bt)
{
	struct type *t = type_new(tb->ts, TYPE_FWD);

	if (t == NULL)
		return NULL;
	t->name = btf_text(tb, bt->name_off);
	t->is_union = btf_kflag(bt);
	return t;
}

static struct type *
import_typedef(struct type_btf *tb, const struct btf_type *bt, int depth)
{
	struct type *ref = import(tb, bt->type, depth);
	struct type *t = ref ? type_new(tb->ts, TYPE_TYPEDEF) : NULL;

	if (t == NULL)
		return NULL;
	t->name = btf_text(tb, bt->name_off);
	t->ref = ref;
	t->size = ref->size;
	return t;
}

static struct type *
import_qual(struct type_btf *tb, const struct btf_type *bt, enum type_kind kind,
	    int depth)
{
	struct type *ref = import(tb, bt->type, depth);

	return ref != NULL ? type_qual(tb->ts, kind, ref) : NULL;
}

static struct type *
import_make(struct type_btf *tb, const struct btf_type *bt, int depth)
{
	switch (btf_kind(bt)) {
	case BTF_KIND_INT:
		return import_int(tb, bt);
	case BTF_KIND_FLOAT:
		return import_float(tb, bt);
	case BTF_KIND_PTR:
		return import_ptr(tb, bt, depth);
	case BTF_KIND_ARRAY:
		return import_array(tb, bt, depth);
	case BTF_KIND_STRUCT:
		return import_listed(tb, bt, TYPE_STRUCT);
	case BTF_KIND_UNION:
		return import_listed(tb, bt, TYPE_UNION);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return import_listed(tb, bt, TYPE_ENUM);
	case BTF_KIND_FWD:
		return import_fwd(tb, bt);
	case BTF_KIND_TYPEDEF:
		return import_typedef(tb, bt, depth);
	case BTF_KIND_CONST:
		return import_qual(tb, bt, TYPE_CONST, depth);
	case BTF_KIND_VOLATILE:
		return import_qual(tb, bt, TYPE_VOLATILE, depth);
	case BTF_KIND_RESTRICT:
		return import_qual(tb, bt, TYPE_RESTRICT, depth);
	case BTF_KIND_TYPE_TAG:
		return import(tb, bt->type, depth);
	case BTF_KIND_FUNC_PROTO:
		return import_func(tb, bt, depth);
	default:
		return NULL; /* no type: a function, a variable, a section */
	}
}

static struct type *
import(struct type_btf *tb, uint32_t id, int depth)
{
	const struct btf_type *bt;
	struct type **slot;

	if (id == 0)
		return type_basic(tb->ts, TYPE_B_VOID);
	if (id < tb->start)
		return import(tb->base, id, depth);
	if (id >= tb->end || depth > TYPE_DEPTH_MAX)
		return NULL;
	slot = &tb->types[id - tb->start];
	if (*slot != NULL)
		return *slot;
	bt = btf__type_by_id(tb->btf, id);
	if (bt == NULL)
		return NULL;
	*slot = import_make(tb, bt, depth + 1);
	/* Shared types (basic, derived) keep the id they were first seen by. */
	if (*slot != NULL && (*slot)->btf_id == 0 &&
	    btf_kind(bt) != BTF_KIND_TYPE_TAG)
		(*slot)->btf_id = id;
	return *slot;
}

struct type *
type_btf_import(struct type_btf *tb, uint32_t id)
{
	return import(tb, id, 0);
}

/* ---- lists ------------------------------------ */

static bool
fill_members(struct type_btf *tb, const struct btf_type *bt,
	     struct type_list *l, size_t n)
{
	const struct btf_member *bm = btf_members(bt);

	l->m = arena_calloc(tb->ts->arena, n, sizeof(*l->m));
	for (size_t i = 0; l->m != NULL && i < n; i++) {
		struct type_member *m = &l->m[i];

		m->name = btf_text(tb, bm[i].name_off);
		m->type = type_btf_import(tb, bm[i].type);
		m->bit_off = btf_member_bit_offset(bt, (uint32_t)i);
		m->bits = btf_member_bitfield_size(bt, (uint32_t)i);
		if (m->type == NULL)
			return false;
	}
	return l->m != NULL;
}

static bool
fill_enumerators(struct type_btf *tb, const struct btf_type *bt,
		 struct type_list *l, size_t n)
{
	const struct btf_enum *e32 = btf_enum(bt);
	const struct btf_enum64 *e64 = btf_enum64(bt);
	bool wide = btf_is_enum64(bt), is_signed = btf_kflag(bt);

	l->e = arena_calloc(tb->ts->arena, n, sizeof(*l->e));
	for (size_t i = 0; l->e != NULL && i < n; i++) {
		uint32_t off = wide ? e64[i].name_off : e32[i].name_off;

		l->e[i].name = btf_text(tb, off);
		if (wide)
			l->e[i].val = (int64_t)btf_enum64_value(&e64[i]);
		else if (is_signed)
			l->e[i].val = e32[i].val;
		else
			l->e[i].val = (uint32_t)e32[i].val;
		if (l->e[i].name == NULL)
			return false;
	}
	return l->e != NULL;
}

static bool
fill_params(struct type_btf *tb, const struct btf_type *bt, struct type_list *l,
	    size_t n)
{
	const struct btf_param *bp = btf_params(bt);

	l->p = arena_calloc(tb->ts->arena, n, sizeof(*l->p));
	for (size_t i = 0; l->p != NULL && i < n; i++) {
		l->p[i].name = btf_text(tb, bp[i].name_off);
		l->p[i].type = type_btf_import(tb, bp[i].type);
		if (l->p[i].type == NULL)
			return false;
	}
	return l->p != NULL;
}

void
type_btf_fill(struct type *t)
{
	struct type_list *l = t->detail;
	struct type_btf *tb = l->src;
	const struct btf_type *bt = btf__type_by_id(tb->btf, t->btf_id);
	size_t n = btf_vlen(bt);
	size_t failed = type_space_failures(tb->ts);
	bool ok;

	l->done = true; /* first: a member may lead back here */
	if (t->kind == TYPE_FUNC)
		ok = fill_params(tb, bt, l, n - t->variadic);
	else if (t->kind == TYPE_ENUM)
		ok = fill_enumerators(tb, bt, l, n);
	else
		ok = fill_members(tb, bt, l, n);
	if (t->kind == TYPE_FUNC)
		n -= t->variadic;
	l->n = ok ? n : 0;
	l->done = type_space_failures(tb->ts) == failed; /* else again */
}

/* ---- names ------------------------------------ */

static uint32_t
btf_find(struct type_btf *tb, const char *name, uint32_t kind)
{
	uint32_t id = btf_index_find(tb->bi, name, kind);

	if (id == 0 && errno == ENOMEM)
		type_failed(tb->ts);
	return id;
}

struct type *
type_btf_find(struct type_btf *tb, const struct type_id *id)
{
	static const struct {
		enum type_ns ns;
		uint32_t kind;
	} kinds[] = {
		{ TYPE_NS_STRUCT, BTF_KIND_STRUCT },
		{ TYPE_NS_UNION, BTF_KIND_UNION },
		{ TYPE_NS_ENUM, BTF_KIND_ENUM },
		{ TYPE_NS_ENUM, BTF_KIND_ENUM64 },
		{ TYPE_NS_PLAIN, BTF_KIND_TYPEDEF },
		{ TYPE_NS_PLAIN, BTF_KIND_INT }, /* __int128 */
		{ TYPE_NS_PLAIN, BTF_KIND_FLOAT },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint32_t found;

		if (kinds[i].ns != id->ns)
			continue;
		found = btf_find(tb, type_id_name(id), kinds[i].kind);
		if (found != 0)
			return type_btf_import(tb, found);
	}
	return NULL;
}

struct type *
type_btf_symbol(struct type_btf *tb, const char *name, uint32_t kind)
{
	uint32_t id = btf_find(tb, name, kind);
	const struct btf_type *bt;

	if (id == 0 || (bt = btf__type_by_id(tb->btf, id)) == NULL)
		return NULL;
	return type_btf_import(tb, bt->type);
}

static int64_t
enum_value(const struct btf_type *bt, uint32_t i)
{
	if (btf_is_enum(bt))
		return btf_enum(bt)[i].val;
	return (int64_t)btf_enum64_value(&btf_enum64(bt)[i]);
}

/* True if what is known by a name is another number than this one. */
static bool
enum_differs(struct type_btf *tb, const void *had, int64_t val)
{
	if (had == ENUM_AMBIGUOUS)
		return true;
	return enum_value(btf__type_by_id(tb->btf, ENUM_ID(had)),
			  ENUM_INDEX(had)) != val;
}

static bool
enums_add(struct type_btf *tb, uint32_t id)
{
	const struct btf_type *bt = btf__type_by_id(tb->btf, id);

	if (bt == NULL || !btf_is_any_enum(bt))
		return true;
	for (uint32_t i = 0; i < btf_vlen(bt); i++) {
		const char *name = btf_text(
			tb, btf_is_enum(bt) ? btf_enum(bt)[i].name_off
					    : btf_enum64(bt)[i].name_off);
		void *had, *val = ENUM_PACK(id, i);

		if (name == NULL)
			continue;
		had = hash_find_str(tb->enums, name);
		if (had != NULL && !enum_differs(tb, had, enum_value(bt, i)))
			continue;
		if (type_hash_set(tb->ts, tb->enums, name, strlen(name),
				  had != NULL ? ENUM_AMBIGUOUS : val) != 0)
			return false;
	}
	return true;
}

/* The table of enumerators.  Half of one would call a number that several
   names have the only one: it goes. */
static bool
enums_read(struct type_btf *tb)
{
	if (tb->enums != NULL)
		return true;
	if (type_hash(tb->ts, &tb->enums) == NULL)
		return false;
	for (uint32_t id = tb->start; id < tb->end; id++) {
		if (enums_add(tb, id))
			continue;
		hash_free(tb->enums);
		tb->enums = NULL;
		return false;
	}
	return true;
}

int
type_btf_typedefs(struct type_btf *tb, const char *prefix,
		  int (*fn)(void *arg, const char *module, const char *name),
		  void *arg)
{
	size_t len = strlen(prefix);
	int rc = 0;

	for (uint32_t id = tb->start; rc == 0 && id < tb->end; id++) {
		const struct btf_type *bt = btf__type_by_id(tb->btf, id);
		const char *name;

		if (bt == NULL || btf_kind(bt) != BTF_KIND_TYPEDEF)
			continue;
		name = btf_text(tb, bt->name_off);
		if (name != NULL && strncmp(name, prefix, len) == 0)
			rc = fn(arg, tb->module, name);
	}
	return rc;
}

bool
type_btf_enumerator(struct type_btf *tb, const char *name, int64_t *val,
		    struct type **type)
{
	const struct type_enumerator *v;
	struct type *t;
	size_t n;
	void *p;

	if (!enums_read(tb))
		return false;
	p = hash_find_str(tb->enums, name);
	*type = NULL;
	if (p == ENUM_AMBIGUOUS)
		return true;
	if (p == NULL || (t = type_btf_import(tb, ENUM_ID(p))) == NULL)
		return false;
	v = type_enumerators(t, &n);
	if (ENUM_INDEX(p) >= n)
		return false;
	*val = v[ENUM_INDEX(p)].val;
	*type = t;
	return true;
}
