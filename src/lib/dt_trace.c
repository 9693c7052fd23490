/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_trace.c - values without a format: what trace() prints, the same values
 * as keys of aggregations, and hex dumps.
 *
 * Integers are right-justified in 16, 8, 5 or 3 columns after a blank, by the
 * size of their type; text is left-justified after two blanks, in 33 columns
 * for trace() and in 50 as a key.  With -q trace() prints the bare value; keys
 * keep their columns.  A structure is a dump in trace(), and as a key text if
 * it is that.
 */
#include "lib/dt_out.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define TRACE_COLUMNS 33
#define KEY_COLUMNS   50
#define DUMP_MARGIN   5

static int
int_columns(uint32_t size)
{
	switch (size) {
	case 1:
		return 3;
	case 2:
		return 5;
	case 4:
		return 8;
	default:
		return 16;
	}
}

static void
print_int(struct dt_out *o, const struct dt_val *v, bool bare)
{
	int width = bare ? 0 : int_columns(v->size);

	if (!bare)
		buf_putc(&o->text, ' ');
	if (v->is_signed)
		buf_printf(&o->text, "%*" PRId64, width, (int64_t)v->num);
	else
		buf_printf(&o->text, "%*" PRIu64, width, v->num);
}

/* Bytes, which may contain anything, left-justified; columns < 0: bare. */
static void
print_text(struct dt_out *o, const uint8_t *p, size_t n, int columns)
{
	if (columns >= 0)
		buf_puts(&o->text, "  ");
	buf_write(&o->text, p, n);
	if (columns >= 0 && n < (size_t)columns)
		buf_printf(&o->text, "%*s", columns - (int)n, "");
}

bool
dt_bytes_are_text(const uint8_t *p, size_t n, size_t *len)
{
	size_t i = 0;

	while (i < n &&
	       (isprint(p[i]) || isspace(p[i]) || p[i] == '\b' || p[i] == '\a'))
		i++;
	*len = i;
	while (i < n && p[i] == '\0')
		i++;
	return i == n;
}

static void
print_float(struct dt_out *o, const struct dt_val *v, bool bare)
{
	long double ld;

	if (!dt_val_float(v->p, v->n, &ld))
		dt_print_dump(o, v->p, v->n);
	else
		buf_printf(&o->text, bare ? "%Lg" : " %16Lg", ld);
}

void
dt_print_dump(struct dt_out *o, const uint8_t *p, size_t n)
{
	struct buf *b = &o->text;

	buf_printf(b, "\n%*s      ", DUMP_MARGIN, "");
	for (int i = 0; i < 16; i++)
		buf_printf(b, "  %x", i);
	buf_puts(b, "  0123456789abcdef\n");
	for (size_t i = 0; i < n; i += 16) {
		buf_printf(b, "%*s%5zx:", DUMP_MARGIN, "", i);
		for (size_t j = i; j < i + 16; j++) {
			if (j < n)
				buf_printf(b, " %02x", p[j]);
			else
				buf_puts(b, "   ");
		}
		buf_puts(b, "  ");
		for (size_t j = i; j < i + 16 && j < n; j++)
			buf_putc(b, isprint(p[j]) ? (char)p[j] : '.');
		buf_putc(b, '\n');
	}
}

/* rawbytes: all that the string has room for, with its NULs. */
static void
dump_string(struct dt_out *o, const struct dt_val *v)
{
	struct buf b = BUF_INIT;

	buf_write(&b, v->p, v->n);
	while (b.n < o->strsize && !b.failed)
		buf_putc(&b, '\0');
	o->text.failed |= b.failed;
	dt_print_dump(o, (const uint8_t *)b.p, b.n);
	buf_fini(&b);
}

static void
print_val(struct dt_out *o, const struct dt_val *v, bool bare, int columns)
{
	size_t len;

	switch (v->kind) {
	case DT_VAL_INT:
		print_int(o, v, bare);
		return;
	case DT_VAL_FLOAT:
		print_float(o, v, bare);
		return;
	case DT_VAL_STR:
		if (o->rawbytes)
			dump_string(o, v);
		else
			print_text(o, v->p, v->n, bare ? -1 : columns);
		return;
	case DT_VAL_BYTES:
		if (!o->rawbytes && dt_bytes_are_text(v->p, v->n, &len))
			print_text(o, v->p, len, bare ? -1 : columns);
		else
			dt_print_dump(o, v->p, v->n);
		return;
	case DT_VAL_KSTACK:
	case DT_VAL_USTACK:
		dt_print_stack(o, v, o->stackindent);
		return;
	case DT_VAL_SYM: /* one form, quiet or not */
		print_text(o, v->p, v->n, KEY_COLUMNS);
		return;
	}
}

void
dt_print_trace(struct dt_out *o, const struct dt_val *v)
{
	if (v->kind == DT_VAL_BYTES && v->is_sou)
		dt_print_dump(o, v->p, v->n);
	else
		print_val(o, v, o->quiet, TRACE_COLUMNS);
}

void
dt_print_key(struct dt_out *o, const struct dt_val *v)
{
	print_val(o, v, false, KEY_COLUMNS);
}
