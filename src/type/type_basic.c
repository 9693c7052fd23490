/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_basic.c - the types that every D program has: C's basic types, D's own
 * two, the typedefs of typedef.def, and cpuinfo_t, which the built-in variable
 * curcpu points to.  Made once per handle; no file is read for it.
 */
#include <string.h>

#include "type/type_impl.h"

static const struct basic {
	enum type_kind kind;
	const char *name;
	uint32_t size;
	bool is_signed, is_char, is_bool;
} basics[TYPE_NBASIC] = {
	[TYPE_B_VOID] = { TYPE_VOID, "void", 0 },
	[TYPE_B_CHAR] = { TYPE_INT, "char", 1, true, true },
	[TYPE_B_SCHAR] = { TYPE_INT, "signed char", 1, true, true },
	[TYPE_B_UCHAR] = { TYPE_INT, "unsigned char", 1, false, true },
	[TYPE_B_SHORT] = { TYPE_INT, "short", 2, true },
	[TYPE_B_USHORT] = { TYPE_INT, "unsigned short", 2, false },
	[TYPE_B_INT] = { TYPE_INT, "int", 4, true },
	[TYPE_B_UINT] = { TYPE_INT, "unsigned int", 4, false },
	[TYPE_B_LONG] = { TYPE_INT, "long", 8, true },
	[TYPE_B_ULONG] = { TYPE_INT, "unsigned long", 8, false },
	[TYPE_B_LLONG] = { TYPE_INT, "long long", 8, true },
	[TYPE_B_ULLONG] = { TYPE_INT, "unsigned long long", 8, false },
	[TYPE_B_BOOL] = { TYPE_INT, "_Bool", 1, false, false, true },
	[TYPE_B_FLOAT] = { TYPE_FLOAT, "float", 4 },
	[TYPE_B_DOUBLE] = { TYPE_FLOAT, "double", 8 },
	[TYPE_B_LDOUBLE] = { TYPE_FLOAT, "long double", 16 },
	[TYPE_B_STRING] = { TYPE_STRING, "string", 0 },
	[TYPE_B_DYN] = { TYPE_DYN, "<DYN>", 0 },
};

static const struct {
	const char *name, *type;
} typedefs[] = {
#define TYPEDEF(name, type) { #name, type },
#include "type/typedef.def"
#undef TYPEDEF
};

static struct type *
type_basic_make(struct type_space *ts, const struct basic *b)
{
	struct type *t = type_new(ts, b->kind);

	if (t == NULL)
		return NULL;
	t->name = b->name;
	t->size = b->size;
	t->align = b->size;
	t->is_signed = b->is_signed;
	t->is_char = b->is_char;
	t->is_bool = b->is_bool;
	if (b->kind == TYPE_STRING)
		t->align = 1;
	return t;
}

static int
type_basic_cpuinfo(struct type_space *ts)
{
	struct type_member m[] = {
		{ "cpu_id", type_from_text(ts, "processorid_t", false) },
		{ "cpu_pset", type_from_text(ts, "psetid_t", false) },
		{ "cpu_chip", type_from_text(ts, "chipid_t", false) },
		{ "cpu_lgrp", type_from_text(ts, "lgrp_id_t", false) },
	};
	struct type *t = type_sou_new(ts, TYPE_STRUCT, "cpuinfo");
	struct err e = { 0 };

	if (t == NULL || type_sou_finish(ts, t, m, 4, &e) != 0)
		return -1;
	return type_typedef(ts, "cpuinfo_t", t) != NULL ? 0 : -1;
}

int
type_basic_fill(struct type_space *ts)
{
	ts->basic = arena_calloc(ts->arena, TYPE_NBASIC, sizeof(*ts->basic));
	if (ts->basic == NULL)
		return -1;
	for (size_t i = 0; i < TYPE_NBASIC; i++) {
		ts->basic[i] = type_basic_make(ts, &basics[i]);
		if (ts->basic[i] == NULL)
			return -1;
	}
	for (size_t i = 0; i < sizeof(typedefs) / sizeof(*typedefs); i++) {
		struct type *t = type_from_text(ts, typedefs[i].type, false);

		if (t == NULL || type_typedef(ts, typedefs[i].name, t) == NULL)
			return -1;
	}
	return type_basic_cpuinfo(ts);
}

struct type *
type_basic(struct type_space *ts, enum type_basic b)
{
	while (ts->parent != NULL)
		ts = ts->parent;
	return ts->basic[b];
}
