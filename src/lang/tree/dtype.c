/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtype.c - what D makes of C's types: which are values and which are
 * addresses, what a record says of them, their normal form.
 */
#include "lang/tree/dtype.h"

bool
dtype_is_bool(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT && t->is_bool;
}

bool
dtype_by_address(struct type *t)
{
	t = type_resolve(t);
	return type_is_sou(t) || t->kind == TYPE_ARRAY ||
	       t->kind == TYPE_FUNC || type_is_string(t) ||
	       (t->kind == TYPE_FLOAT && type_size(t) > 8);
}

static enum dif_ckind
ckind_of(const struct type *t)
{
	switch (t->kind) {
	case TYPE_VOID:
		return DIF_CK_VOID;
	case TYPE_FLOAT:
		return DIF_CK_FLOAT;
	case TYPE_ENUM:
		return DIF_CK_ENUM;
	case TYPE_PTR:
		return DIF_CK_PTR;
	case TYPE_ARRAY:
		return DIF_CK_ARRAY;
	case TYPE_FUNC:
		return DIF_CK_FUNC;
	case TYPE_STRUCT:
		return DIF_CK_STRUCT;
	case TYPE_UNION:
		return DIF_CK_UNION;
	default:
		return DIF_CK_INT;
	}
}

struct dif_type
dtype_dif(struct type *t)
{
	struct dif_type d = { .kind = DIF_TYPE_CTF };

	t = type_resolve(t);
	if (type_is_string(t))
		return (struct dif_type){ .kind = DIF_TYPE_STRING,
					  .ckind = DIF_CK_STRING,
					  .flags = DIF_TF_BYREF };
	d.ckind = (uint8_t)ckind_of(t);
	d.size = t->kind == TYPE_PTR ? 8 : (uint32_t)type_size(t);
	if (t->kind == TYPE_FUNC)
		d.size = 8;
	else if (dtype_by_address(t))
		d.flags |= DIF_TF_BYREF;
	if (type_is_integer(t) && type_is_signed(t))
		d.flags |= DIF_TF_SIGNED;
	return d;
}

uint64_t
dtype_normal(struct type *t, uint64_t val)
{
	struct type *r = type_resolve(t);
	uint64_t size = type_size(r);
	unsigned drop;

	if (dtype_is_bool(r))
		return val != 0;
	if (!type_is_integer(r) || size == 0 || size >= 8)
		return val;
	drop = 64 - (unsigned)size * 8;
	if (type_is_signed(r))
		return (uint64_t)((int64_t)(val << drop) >> drop);
	return val << drop >> drop;
}

struct type *
dtype_basic(struct compile *cx, enum type_basic b)
{
	return type_basic(cx->types, b);
}

struct type *
dtype_named(struct compile *cx, const char *name)
{
	struct type *t = type_lookup(cx->types, NULL, name);

	if (t == NULL)
		lang_fail(cx, &D_UNKNOWN, (struct src_loc){ 0 },
			  "the base types lack %s", name);
	return t;
}
