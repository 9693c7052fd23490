/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_fmt.c - printf(): a parsed format meets the fields of a record.
 *
 * The compiler has checked arguments against the format, so what is found
 * wrong here is a program that did not come from it; it is reported, never
 * guessed at.  Formats are parsed once and kept by their text.
 */
#include "lib/dt_out.h"

#include <string.h>

const struct dif_fmt *
dt_fmt_get(struct dt_out *o, const char *fmt, struct err *e)
{
	struct dif_fmt *f = hash_find_str(o->fmts, fmt);

	if (f != NULL)
		return f;
	f = dif_fmt_parse(o->arena, fmt, e);
	if (f != NULL && hash_set_str(o->fmts, fmt, f) != 0) {
		err_nomem(e);
		return NULL;
	}
	return f;
}

/* The fields of a record, taken one after the other. */
struct fields {
	const struct dif_stmt *st;
	const uint8_t *rec;
	uint32_t next;
};

static int
field_next(struct dt_out *o, struct fields *f, struct dt_val *v, struct err *e)
{
	if (f->next >= f->st->nexprs)
		return err_set(e, &ERR_GENERIC, 0,
			       "format \"%s\" has more conversions than "
			       "arguments",
			       f->st->fmt);
	dt_val_expr(&o->syms, &f->st->exprs[f->next++], f->rec, &o->scratch, v);
	return 0;
}

/* A width or precision: as written, or the next field for `*`. */
static int
field_number(struct dt_out *o, struct fields *f, int given, int *out,
	     struct err *e)
{
	struct dt_val v;

	*out = given;
	if (given != DIF_FMT_STAR)
		return 0;
	return field_next(o, f, &v, e) == 0
		       ? dt_fmt_star(&v, f->st->fmt, out, e)
		       : -1;
}

int
dt_fmt_star(const struct dt_val *v, const char *fmt, int *out, struct err *e)
{
	if (v->kind != DT_VAL_INT)
		return err_set(e, &ERR_GENERIC, 0,
			       "format \"%s\": the argument of '*' is not an "
			       "integer",
			       fmt);
	*out = (int)(int64_t)v->num;
	if (*out != (int64_t)v->num)
		return err_set(e, &ERR_GENERIC, 0,
			       "format \"%s\": the argument of '*' is too "
			       "large",
			       fmt);
	return 0;
}

int
dt_fmt_conv(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	    const struct dt_val *v, struct err *e)
{
	struct dif_conv left;

	if (c->width == DIF_FMT_STAR && width < 0) { /* as in C */
		left = *c;
		left.f_left = true;
		c = &left;
		width = width == INT32_MIN ? INT32_MAX : -width;
	}
	if (prec < 0)
		prec = DIF_FMT_NONE_GIVEN;
	return dt_conv_print(o, c, width, prec, v, e);
}

static int
field_conv(struct dt_out *o, const struct dif_conv *c, struct fields *f,
	   struct err *e)
{
	struct dt_val v;
	int width, prec;

	if (field_number(o, f, c->width, &width, e) != 0 ||
	    field_number(o, f, c->prec, &prec, e) != 0 ||
	    field_next(o, f, &v, e) != 0)
		return -1;
	return dt_fmt_conv(o, c, width, prec, &v, e);
}

int
dt_fmt_printf(struct dt_out *o, const struct dif_stmt *st, const uint8_t *rec,
	      struct err *e)
{
	const struct dif_fmt *fmt;
	struct fields f = { st, rec, 0 };

	if (st->fmt == NULL)
		return err_set(e, &ERR_GENERIC, 0, "printf() without a format");
	fmt = dt_fmt_get(o, st->fmt, e);
	if (fmt == NULL)
		return -1;
	for (size_t i = 0; i < fmt->nconv; i++) {
		const struct dif_conv *c = &fmt->conv[i];

		buf_write(&o->text, c->text, c->text_len);
		if (c->cls == DIF_CONV_LITERAL)
			continue;
		if (c->agg)
			return err_set(e, &ERR_GENERIC, 0,
				       "format \"%s\": %%@ outside printa()",
				       st->fmt);
		if (field_conv(o, c, &f, e) != 0)
			return -1;
	}
	return 0;
}
