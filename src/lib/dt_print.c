/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_print.c - print(): a value by its type.
 *
 *   rec_t {
 *       char [8] name = [ "hi" ]
 *       int n = 0x5
 *       unsigned int flag :3 = 0x1
 *       struct pair p = {
 *           ...
 *       }
 *   }
 *
 * Integers are in hex, as the machine holds them, with what that means where
 * they are negative; characters as characters, enumerations by name (flags as
 * in "A | B"), pointers as addresses.  What lies beyond the bytes that
 * were recorded (the printsize option) is "...".  The type is the program's
 * (struct dif_print, made by lang/check_print.c); see the Dynamic Tracing
 * Guide, "print() Action".
 */
#include "lib/dt_out.h"

#include <inttypes.h>
#include <string.h>

#define STEP 4 /* columns of one level */

struct show {
	struct buf *b;
	const uint8_t *p; /* recorded bytes */
	uint64_t n;
};

static void show_value(const struct show *s, const struct dif_print *t,
		       uint64_t bit_off, uint32_t bits, int indent);

static uint64_t
width_of(const struct dif_print *t, uint32_t bits)
{
	return bits != 0 ? bits : t->size * 8;
}

/* True if the value's first bits are there. */
static bool
is_there(const struct show *s, uint64_t bit_off, uint64_t bits)
{
	return (bit_off + bits + 7) / 8 <= s->n;
}

uint64_t
dt_print_bits(const uint8_t *p, uint64_t bit_off, uint64_t bits)
{
	uint64_t v = 0, n = bits < 64 ? bits : 64;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = bit_off + i;

		v |= (uint64_t)(p[at / 8] >> (at % 8) & 1) << i;
	}
	return v;
}

static void
show_hex(const struct show *s, uint64_t v)
{
	buf_printf(s->b, v == 0 ? "0" : "0x%" PRIx64, v);
}

static void
show_char(const struct show *s, uint8_t c)
{
	char text[8];

	buf_putc(s->b, '\'');
	buf_write(s->b, text, dt_escape(c, text));
	buf_putc(s->b, '\'');
}

static void
show_text(const struct show *s, const uint8_t *p, size_t n)
{
	char text[8];

	buf_putc(s->b, '"');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"' || p[i] == '\\')
			buf_putc(s->b, '\\');
		buf_write(s->b, text, dt_escape(p[i], text));
	}
	buf_putc(s->b, '"');
}

const char *
dt_print_enumerator(const struct dif_print *t, uint64_t v, uint64_t bits)
{
	uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;

	for (size_t i = 0; i < t->n; i++)
		if (((uint64_t)t->values[i].val & mask) == v)
			return t->values[i].name;
	return NULL;
}

/* True if each enumerator has bits that no other has.  Then they may be
   flags. */
static bool
enum_is_flags(const struct dif_print *t)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t bit = (uint64_t)t->values[i].val;

		if ((seen & bit) != 0)
			return false;
		seen |= bit;
	}
	return true;
}

/* "A | B", "A | 0x8"; false: no enumerator is in it. */
static bool
show_flags(const struct show *s, const struct dif_print *t, uint64_t v)
{
	const char *sep = "";

	if (!enum_is_flags(t))
		return false;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t bit = (uint64_t)t->values[i].val;

		if (bit == 0 || (v & bit) != bit)
			continue;
		buf_printf(s->b, "%s%s", sep, t->values[i].name);
		v &= ~bit;
		sep = " | ";
	}
	if (*sep != '\0' && v != 0)
		buf_printf(s->b, " | 0x%" PRIx64, v);
	return *sep != '\0';
}

/* An enumerator's name, several, or the number that is none of them. */
static void
show_enum(const struct show *s, const struct dif_print *t, uint64_t v,
	  uint64_t bits)
{
	const char *name = dt_print_enumerator(t, v, bits);

	if (name != NULL)
		buf_puts(s->b, name);
	else if (!show_flags(s, t, v))
		show_hex(s, v);
}

/* "0xfffb (-5)": the sign is seen by who knows the width. */
static void
show_number(const struct show *s, const struct dif_print *t, uint64_t v,
	 uint64_t bits)
{
	uint64_t sign;

	show_hex(s, v);
	if (bits > 64)
		return;
	sign = UINT64_C(1) << (bits - 1);
	if (t->kind == DIF_CK_INT && t->is_signed && (v & sign) != 0)
		buf_printf(s->b, " (%" PRId64 ")", (int64_t)((v ^ sign) - sign));
}

static void
show_scalar(const struct show *s, const struct dif_print *t, uint64_t bit_off,
	    uint64_t bits)
{
	long double ld;
	uint64_t v;

	if (!is_there(s, bit_off, bits)) {
		buf_puts(s->b, "...");
		return;
	}
	if (t->kind == DIF_CK_FLOAT &&
	    dt_val_float(s->p + bit_off / 8, t->size, &ld)) {
		buf_printf(s->b, "%Lg", ld);
		return;
	}
	v = dt_print_bits(s->p, bit_off, bits);
	if (bits == 128 && dt_print_bits(s->p, bit_off + 64, 64) != 0)
		buf_printf(s->b, "0x%" PRIx64 "%016" PRIx64,
			   dt_print_bits(s->p, bit_off + 64, 64), v);
	else if (t->kind == DIF_CK_ENUM)
		show_enum(s, t, v, bits);
	else if (t->is_char && bits == 8)
		show_char(s, (uint8_t)v);
	else
		show_number(s, t, v, bits);
}

/* ---- structures ---------------------------------------------------------- */

/* "type name :bits = value", a line of its own; "char *name" as in C. */
static void
show_member(const struct show *s, const struct dif_print_member *m,
	    uint64_t bit_off, int indent)
{
	const char *type = m->type->name;
	size_t n = strlen(type);

	buf_printf(s->b, "%*s%s", indent, "", type);
	if (m->name[0] != '\0')
		buf_printf(s->b, "%s%s", n > 0 && type[n - 1] == '*' ? "" : " ",
			   m->name);
	if (m->bits != 0)
		buf_printf(s->b, " :%" PRIu32, m->bits);
	buf_puts(s->b, m->name[0] != '\0' ? " = " : " ");
	show_value(s, m->type, bit_off, m->bits, indent);
	buf_putc(s->b, '\n');
}

static void
show_members(const struct show *s, const struct dif_print *t, uint64_t bit_off,
	     int indent)
{
	buf_puts(s->b, "{\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct dif_print_member *m = &t->members[i];
		uint64_t at = bit_off + m->bit_off;

		/* Unnamed bit-fields are padding. */
		if (m->name[0] == '\0' && m->bits != 0)
			continue;
		if (at >= s->n * 8 && m->type->size != 0) {
			buf_printf(s->b, "%*s...\n", indent + STEP, "");
			break;
		}
		show_member(s, m, at, indent + STEP);
	}
	buf_printf(s->b, "%*s}", indent, "");
}

/* ---- arrays -------------------------------------------------------------- */

static bool
is_aggregate(const struct dif_print *t)
{
	return t->kind == DIF_CK_STRUCT || t->kind == DIF_CK_UNION ||
	       t->kind == DIF_CK_ARRAY;
}

/* Elements that are structures or arrays take lines of their own. */
static void
show_elements(const struct show *s, const struct dif_print *t, uint64_t bit_off,
	      int indent)
{
	const struct dif_print *e = t->elem;
	bool lines = is_aggregate(e);

	if (t->nelems == 0) {
		buf_puts(s->b, "[]");
		return;
	}
	buf_puts(s->b, lines ? "[\n" : "[ ");
	for (uint64_t i = 0; i < t->nelems; i++) {
		uint64_t at = bit_off + i * e->size * 8;
		bool cut = at >= s->n * 8;

		if (lines)
			buf_printf(s->b, "%*s", indent + STEP, "");
		else if (i > 0)
			buf_puts(s->b, ", ");
		if (cut)
			buf_puts(s->b, "...");
		else if (lines && e->kind != DIF_CK_ARRAY)
			buf_printf(s->b, "%s ", e->name);
		if (!cut)
			show_value(s, e, at, 0, indent + STEP);
		if (lines)
			buf_putc(s->b, '\n');
		if (cut)
			break;
	}
	if (lines)
		buf_printf(s->b, "%*s]", indent, "");
	else
		buf_puts(s->b, " ]");
}

static void
show_array(const struct show *s, const struct dif_print *t, uint64_t bit_off,
	   int indent)
{
	size_t len;

	if (t->elem->is_char && t->nelems > 0 &&
	    is_there(s, bit_off, t->nelems * 8) &&
	    dt_bytes_are_text(s->p + bit_off / 8, (size_t)t->nelems, &len)) {
		buf_puts(s->b, "[ ");
		show_text(s, s->p + bit_off / 8, len);
		buf_puts(s->b, " ]");
		return;
	}
	show_elements(s, t, bit_off, indent);
}

/* A string member: up to its NUL, or to what was recorded of it. */
static void
show_string(const struct show *s, const struct dif_print *t, uint64_t bit_off)
{
	uint64_t at = bit_off / 8, n = s->n - at;

	if (n > t->size)
		n = t->size;
	show_text(s, s->p + at, strnlen((const char *)s->p + at, n));
}

/* ---- any value ----------------------------------------------------------- */

static void
show_value(const struct show *s, const struct dif_print *t, uint64_t bit_off,
	   uint32_t bits, int indent)
{
	switch (t->kind) {
	case DIF_CK_STRUCT:
	case DIF_CK_UNION:
		show_members(s, t, bit_off, indent);
		return;
	case DIF_CK_ARRAY:
		show_array(s, t, bit_off, indent);
		return;
	case DIF_CK_STRING:
		show_string(s, t, bit_off);
		return;
	default:
		show_scalar(s, t, bit_off, width_of(t, bits));
		return;
	}
}

void
dt_print_value(struct dt_out *o, const struct dif_expr *x, const uint8_t *rec)
{
	struct show s = { &o->text, rec + x->off, x->size };
	struct dt_val v;

	if (x->print == NULL)
		return;
	if (o->printsize != 0 && is_aggregate(x->print) && s.n > o->printsize)
		s.n = o->printsize;
	buf_printf(s.b, "%s ", x->print->name);
	dt_val_expr(&o->syms, x, rec, &o->scratch, &v);
	if (v.kind == DT_VAL_STR)
		show_text(&s, v.p, v.n);
	else
		show_value(&s, x->print, 0, 0, 0);
	buf_putc(s.b, '\n');
}
