/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_jsonprint.c - print() as JSON: structures are objects, members of
 * anonymous ones stand among those around them, arrays are arrays, text is a
 * string.  Integers are numbers, enumerators their names.  What lies beyond
 * the bytes recorded (the printsize option) is left out.
 */
#include <string.h>

#include "lib/dt_json.h"

struct show {
	struct dt_json *j;
	const uint8_t *p; /* recorded bytes */
	uint64_t n;
};

static void json_of_value(const struct show *s, const struct dif_print *t,
			  uint64_t bit_off, uint32_t bits);

/* True if all bits of the value are there. */
static bool
json_has(const struct show *s, uint64_t bit_off, uint64_t bits)
{
	return (bit_off + bits + 7) / 8 <= s->n;
}

static bool
is_sou(const struct dif_print *t)
{
	return t->kind == DIF_CK_STRUCT || t->kind == DIF_CK_UNION;
}

static void
json_of_scalar(const struct show *s, const struct dif_print *t,
	       uint64_t bit_off, uint64_t bits)
{
	if (t->kind == DIF_CK_FLOAT && bit_off % 8 == 0) {
		dt_json_float(s->j, s->p + bit_off / 8, (size_t)t->size);
		return;
	}
	if (bits == 0 || bits > 64) {
		dt_json_bytes(s->j, s->p + bit_off / 8, (size_t)(bits / 8));
		return;
	}
	uint64_t v = dt_print_bits(s->p, bit_off, bits);
	uint64_t sign = UINT64_C(1) << (bits - 1);
	const char *name = t->kind == DIF_CK_ENUM ?
				   dt_print_enumerator(t, v, bits) : NULL;
	uint8_t c = (uint8_t)v;
	if (name != NULL)
		dt_json_str(s->j, name, strlen(name));
	else if (t->is_char && bits == 8)
		dt_json_str(s->j, &c, 1);
	else if (t->is_signed)
		dt_json_int(s->j, (int64_t)((v ^ sign) - sign));
	else
		dt_json_uint(s->j, v);
}

static void
json_of_members(const struct show *s, const struct dif_print *t,
		uint64_t bit_off)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct dif_print_member *m = &t->members[i];
		uint64_t at = bit_off + m->bit_off;
		uint64_t bits = m->bits != 0 ? m->bits : m->type->size * 8;

		if (m->name[0] == '\0' && is_sou(m->type)) {
			json_of_members(s, m->type, at);
			continue;
		}
		/* Scalars are whole, or are not there; and unnamed bit-fields
		   are padding. */
		bool part = is_sou(m->type) || m->type->kind == DIF_CK_ARRAY;
		if (m->name[0] == '\0' || !json_has(s, at, part ? 0 : bits))
			continue;
		dt_json_key(s->j, m->name);
		json_of_value(s, m->type, at, m->bits);
	}
}

static void
json_of_array(const struct show *s, const struct dif_print *t,
	      uint64_t bit_off)
{
	const struct dif_print *e = t->elem;
	uint64_t step = e->size * 8;
	size_t len;

	if (e->is_char && json_has(s, bit_off, t->nelems * 8) &&
	    dt_bytes_are_text(s->p + bit_off / 8, (size_t)t->nelems, &len)) {
		dt_json_str(s->j, s->p + bit_off / 8, len);
		return;
	}
	dt_json_array(s->j);
	for (uint64_t i = 0;
	     i < t->nelems && json_has(s, bit_off + i * step, step); i++)
		json_of_value(s, e, bit_off + i * step, 0);
	dt_json_array_end(s->j);
}

/* Up to its NUL, its own end, or that of what was recorded. */
static void
json_of_string(const struct show *s, const struct dif_print *t, uint64_t at)
{
	uint64_t n = s->n - at;

	if (n > t->size)
		n = t->size;
	dt_json_str(s->j, s->p + at,
		    strnlen((const char *)s->p + at, (size_t)n));
}

static void
json_of_value(const struct show *s, const struct dif_print *t,
	      uint64_t bit_off, uint32_t bits)
{
	switch (t->kind) {
	case DIF_CK_STRUCT:
	case DIF_CK_UNION:
		dt_json_map(s->j);
		json_of_members(s, t, bit_off);
		dt_json_map_end(s->j);
		return;
	case DIF_CK_ARRAY:
		json_of_array(s, t, bit_off);
		return;
	case DIF_CK_STRING:
		json_of_string(s, t, bit_off / 8);
		return;
	default:
		json_of_scalar(s, t, bit_off, bits != 0 ? bits : t->size * 8);
		return;
	}
}

void
dt_json_print(struct dt_json *j, const struct dif_expr *x, const uint8_t *rec)
{
	struct show s = { j, rec + x->off, x->size };
	struct dt_val v;

	if (x->print == NULL)
		return;
	bool part = is_sou(x->print) || x->print->kind == DIF_CK_ARRAY;
	if (part && j->out->printsize != 0 && s.n > j->out->printsize)
		s.n = j->out->printsize;
	dt_json_map(j);
	dt_json_str_member(j, "type", x->print->name);
	dt_json_key(j, "value");
	/* Of a string that is all, records may have a number only. */
	dt_val_expr(&j->out->syms, x, rec, &j->out->scratch, &v);
	if (v.kind == DT_VAL_STR)
		dt_json_str(j, v.p, v.n);
	else
		json_of_value(&s, x->print, 0, 0);
	dt_json_map_end(j);
}
