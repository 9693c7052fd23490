/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_val.c - a recorded field, or a key of an aggregation, as a value.
 *
 * A field's form follows from where its value came from (enum dif_src) and
 * from its type; the places are those of dif_layout().  In a key every scalar
 * takes eight bytes, already extended; in a record it has its own size.
 * Nothing here assumes alignment.
 */
#include "lib/dt_out.h"

#include <inttypes.h>
#include <string.h>

uint64_t
dt_val_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool
dt_val_float(const uint8_t *p, size_t n, long double *out)
{
	double d;
	float f;

	if (n == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		*out = (long double)f;
	} else if (n == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
		*out = (long double)d;
	} else if (n == sizeof(*out)) {
		memcpy(out, p, sizeof(*out));
	} else {
		return false;
	}
	return true;
}

/* An integer of 1, 2, 4 or 8 bytes, extended. */
static uint64_t
val_load(const uint8_t *p, uint32_t size, bool is_signed)
{
	uint16_t h;
	uint32_t w;

	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&h, p, sizeof(h));
		return is_signed ? (uint64_t)(int64_t)(int16_t)h : h;
	case 4:
		memcpy(&w, p, sizeof(w));
		return is_signed ? (uint64_t)(int64_t)(int32_t)w : w;
	default:
		return dt_val_u64(p);
	}
}

static bool
size_is_scalar(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void
val_text(struct dt_val *v, enum dt_val_kind kind, const char *s, size_t n)
{
	v->kind = kind;
	v->p = (const uint8_t *)s;
	v->n = n;
}

/* A value of OBJ: p points to `size` recorded bytes. */
static void
val_obj(const struct dif_type *t, const uint8_t *p, uint32_t size, bool widened,
	struct dt_val *v)
{
	v->size = t->size;
	v->is_signed = (t->flags & DIF_TF_SIGNED) != 0;
	v->p = p;
	v->n = size;
	if (t->kind == DIF_TYPE_STRING) {
		v->kind = DT_VAL_STR;
		v->n = strnlen((const char *)p, size);
		v->size = size;
	} else if ((t->flags & DIF_TF_BYREF) != 0) {
		v->kind =
			t->ckind == DIF_CK_FLOAT ? DT_VAL_FLOAT : DT_VAL_BYTES;
		v->is_sou =
			t->ckind == DIF_CK_STRUCT || t->ckind == DIF_CK_UNION;
	} else if (t->ckind == DIF_CK_FLOAT) {
		v->kind = DT_VAL_FLOAT;
	} else if (size_is_scalar(size)) {
		v->kind = DT_VAL_INT;
		if (widened || !size_is_scalar(v->size))
			v->size = size_is_scalar(t->size) ? t->size : size;
		v->num = val_load(p, size, v->is_signed);
	} else {
		v->kind = DT_VAL_BYTES;
	}
}

static void
val_sym(const struct dt_syms *syms, uint32_t act, pid_t pid, uint64_t addr,
	struct buf *scratch, struct dt_val *v)
{
	buf_reset(scratch);
	dt_sym_action(syms, act, pid, addr, scratch);
	val_text(v, DT_VAL_SYM, buf_str(scratch), scratch->n);
	v->num = addr;
	v->size = 8;
}

static void
val_name(const struct dt_syms *syms, uint32_t part, const uint8_t *p,
	 struct dt_val *v)
{
	uint32_t id = (uint32_t)val_load(p, 4, false);
	const char *s = NULL;

	if (syms->probe_name != NULL)
		s = syms->probe_name(syms->arg, id, part);
	if (s == NULL)
		s = "";
	val_text(v, DT_VAL_STR, s, strlen(s));
}

/* src, arg, type: of the expression; p: its `size` bytes. */
static void
val_make(const struct dt_syms *syms, enum dif_src src, uint32_t arg,
	 const struct dif_type *t, const uint8_t *p, uint32_t size,
	 bool widened, struct buf *scratch, struct dt_val *v)
{
	memset(v, 0, sizeof(*v));
	switch (src) {
	case DIF_SRC_OBJ:
		val_obj(t, p, size, widened, v);
		return;
	case DIF_SRC_NAME:
		val_name(syms, arg, p, v);
		return;
	case DIF_SRC_STACK:
	case DIF_SRC_USTACK:
		v->kind = src == DIF_SRC_STACK ? DT_VAL_KSTACK : DT_VAL_USTACK;
		v->size = size;
		v->p = p;
		v->n = size;
		return;
	case DIF_SRC_SYM:
		val_sym(syms, arg, 0, dt_val_u64(p), scratch, v);
		return;
	case DIF_SRC_USYM:
		val_sym(syms, arg, (pid_t)dt_val_u64(p), dt_val_u64(p + 8),
			scratch, v);
		return;
	}
}

void
dt_val_expr(const struct dt_syms *syms, const struct dif_expr *x,
	    const uint8_t *rec, struct buf *scratch, struct dt_val *v)
{
	val_make(syms, x->src, x->arg, &x->type, rec + x->off, x->size, false,
		 scratch, v);
}

void
dt_val_key(const struct dt_syms *syms, const struct dif_aggvar *av, uint32_t i,
	   const uint8_t *key, struct buf *scratch, struct dt_val *v)
{
	val_make(syms, (enum dif_src)av->keysrc[i], av->keyarg[i], &av->keys[i],
		 key + av->keyoff[i], av->keylen[i], true, scratch, v);
	/* Scalars were widened; structures of 8 bytes and less were not, and
	   their padding is not part of them. */
	if (v->kind == DT_VAL_BYTES && av->keys[i].size != 0 &&
	    av->keys[i].size < v->n)
		v->n = av->keys[i].size;
}

void
dt_val_text(struct dt_out *o, const struct dt_val *v, struct buf *out)
{
	struct buf kept;
	size_t len;

	switch (v->kind) {
	case DT_VAL_INT:
		buf_printf(out, v->is_signed ? "%" PRId64 : "%" PRIu64, v->num);
		return;
	case DT_VAL_STR:
	case DT_VAL_SYM:
		buf_write(out, v->p, v->n);
		return;
	case DT_VAL_BYTES:
		if (dt_bytes_are_text(v->p, v->n, &len))
			buf_write(out, v->p, len);
		else
			for (size_t i = 0; i < v->n; i++)
				buf_printf(out, "%02x", v->p[i]);
		return;
	case DT_VAL_FLOAT:
	case DT_VAL_KSTACK:
	case DT_VAL_USTACK:
		kept = o->text;
		o->text = *out;
		if (v->kind == DT_VAL_FLOAT)
			dt_print_trace(o, v);
		else
			dt_print_stack(o, v, 0);
		*out = o->text;
		o->text = kept;
		return;
	}
}
