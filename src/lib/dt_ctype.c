/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_ctype.c - the type of a probe's argument as a C program can write it,
 * which has not seen the D text.
 *
 * Names of types are undone down to what every C and C++ compiler knows, so
 * that a header needs no other: D's uint_t is `unsigned int`, a program's
 * res_t is the struct it stands for.  What only D could name (a struct without
 * a tag, an enum, an array) is void where it is pointed to.
 *
 * A probe reads and does not write: what its argument points to is const, so
 * that constant data can be given too.  That goes one level deep, as far as C
 * converts by itself.  Qualifiers stand behind what they qualify.
 *
 * Called by dt_header.c.
 */
#include "lib/dt_header.h"

#include <string.h>

/* A type below its names and qualifiers, and the qualifiers. */
struct bare {
	struct type *t;
	bool is_const, is_volatile;
};

static struct bare
undo_names(struct type *t)
{
	struct bare b = { .t = t };

	for (;; b.t = b.t->ref) {
		if (b.t->kind == TYPE_CONST)
			b.is_const = true;
		else if (b.t->kind == TYPE_VOLATILE)
			b.is_volatile = true;
		else if (b.t->kind != TYPE_RESTRICT &&
			 b.t->kind != TYPE_TYPEDEF)
			return b;
	}
}

static bool
is_tagged(const struct type *t)
{
	return t->name != NULL &&
	       (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION ||
		t->kind == TYPE_FWD);
}

/* Integers by width, since D's own names for them are not C's. */
static const char *
int_name(const struct type *t)
{
	static const char *const names[][2] = {
		[1] = { "unsigned char", "signed char" },
		[2] = { "unsigned short", "short" },
		[4] = { "unsigned int", "int" },
		[8] = { "unsigned long", "long" },
	};

	if (t->size >= sizeof(names) / sizeof(*names) ||
	    names[t->size][0] == NULL)
		return NULL;
	if (t->name != NULL && strcmp(t->name, "char") == 0)
		return "char";
	if (t->size == 8 && t->name != NULL &&
	    strstr(t->name, "long long") != NULL)
		return t->is_signed ? "long long" : "unsigned long long";
	return names[t->size][t->is_signed];
}

static bool
write_tag(const struct type *t, struct buf *out)
{
	bool is_union =
		t->kind == TYPE_UNION || (t->kind == TYPE_FWD && t->is_union);

	buf_printf(out, "%s %s", is_union ? "union" : "struct", t->name);
	return true;
}

/* What a pointer points to, without its qualifiers; false: code. */
static bool
write_pointee(const struct bare *b, struct buf *out)
{
	const char *name = NULL;

	if (b->t->kind == TYPE_FUNC)
		return false;
	if (b->t->kind == TYPE_PTR) {
		struct bare to = undo_names(b->t->ref);

		if (!write_pointee(&to, out))
			return false;
		buf_printf(out, "%s%s *", to.is_const ? " const" : "",
			   to.is_volatile ? " volatile" : "");
		return true;
	}
	if (is_tagged(b->t))
		return write_tag(b->t, out);
	if (b->t->kind == TYPE_INT && !b->t->is_bool)
		name = int_name(b->t);
	else if (b->t->kind == TYPE_FLOAT && b->t->size <= 8)
		name = b->t->size == 4 ? "float" : "double";
	buf_puts(out, name != NULL ? name : "void");
	return true;
}

static bool
write_ptr(struct type *t, struct dt_carg *out)
{
	struct bare to = undo_names(t->ref);

	if (!write_pointee(&to, &out->type))
		return false;
	buf_printf(&out->type, " const%s *", to.is_volatile ? " volatile" : "");
	return true;
}

bool
dt_carg(struct type *t, struct dt_carg *out)
{
	const char *name = NULL;

	t = undo_names(t).t;
	out->size = (unsigned)t->size;
	out->is_signed = false;
	out->is_float = t->kind == TYPE_FLOAT;
	buf_reset(&out->type);
	switch (t->kind) {
	case TYPE_INT:
	case TYPE_ENUM:
		name = int_name(t);
		out->is_signed = t->is_signed;
		break;
	case TYPE_FLOAT:
		if (t->size == 4 || t->size == 8)
			name = t->size == 4 ? "float" : "double";
		break;
	case TYPE_STRING:
		name = "char const *";
		out->size = 8;
		break;
	case TYPE_PTR:
		out->size = 8;
		return write_ptr(t, out);
	default:
		break;
	}
	if (name != NULL)
		buf_puts(&out->type, name);
	return name != NULL;
}

bool
dt_carg_tag(struct type *t, struct buf *out)
{
	buf_reset(out);
	do
		t = undo_names(t).t;
	while (t->kind == TYPE_PTR && (t = t->ref) != NULL);
	return is_tagged(t) && write_tag(t, out);
}
