/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_fprintf.c - formats for consumers: what printf(), printa(), system() and
 * freopen() do with the records of a statement, by a format of the consumer's.
 *
 * A record alone does not say its type; the clause does.  So these take
 * records of the data that a callback of dtrace_work() or dtrace_consume() was
 * given, and find the expressions behind them.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

/* What dtrace_printf_create() makes; in the handle's arena. */
struct format {
	const char *text;
	bool printa;
};

static void *
format_new(dtrace_hdl_t *dtp, const char *text, bool printa)
{
	struct format *f = arena_alloc(dtp->arena, sizeof(*f));
	const struct dif_fmt *fmt;

	err_clear(&dtp->err);
	fmt = dt_fmt_get(dtp->out, text, &dtp->err);
	if (fmt == NULL) {
		dt_fail(dtp, EDT_COMPILER);
		return NULL;
	}
	for (size_t i = 0; i < fmt->nconv; i++)
		if (fmt->conv[i].agg && !printa) {
			dt_set_err(dtp, EDT_COMPILER,
				   "format \"%s\": %%@ outside printa()", text);
			return NULL;
		}
	if (f == NULL || (f->text = arena_strdup(dtp->arena, text)) == NULL) {
		dt_nomem(dtp);
		return NULL;
	}
	f->printa = printa;
	return f;
}

void *
dtrace_printf_create(dtrace_hdl_t *dtp, const char *format)
{
	return format_new(dtp, format, false);
}

void *
dtrace_printa_create(dtrace_hdl_t *dtp, const char *format)
{
	return format_new(dtp, format, true);
}

size_t
dtrace_printf_format(dtrace_hdl_t *dtp, void *fmtdata, char *buf, size_t len)
{
	const struct format *f = fmtdata;

	return (size_t)snprintf(buf, len, "%s", f->text);
}

/* ---- the statement behind a record ------------------------------------- */

/* The statement of the clause whose records are at hand; *first is the number
   of its first record.  NULL: the record is none of them. */
static const struct dif_stmt *
stmt_of(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	uint32_t *first)
{
	dtrace_hdl_t *dtp = data->dtpda_handle;
	const dtrace_eprobedesc_t *ed = data->dtpda_edesc;
	uint32_t n = 0;

	if (ed == NULL || ed->dtepd_epid == 0 || ed->dtepd_epid > dtp->necbs ||
	    rec < ed->dtepd_rec || rec >= ed->dtepd_rec + ed->dtepd_nrecs)
		return NULL;
	const struct dif_clause *c = dtp->ecbs[ed->dtepd_epid - 1].clause;
	for (uint32_t s = 0; s < c->nstmts; s++) {
		const struct dif_stmt *st = &c->stmts[s];
		uint32_t k = st->nexprs > 0 ? st->nexprs : 1;
		if (!dt_stmt_consumed(st))
			continue;
		if (rec < ed->dtepd_rec + n + k) {
			*first = n;
			return st;
		}
		n += k;
	}
	return NULL;
}

/* The expressions of records from rec on, whatever statements they are of. */
static struct dif_expr *
exprs_of(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	 unsigned nrecs)
{
	struct dif_expr *x = calloc(nrecs + 1u, sizeof(*x));

	for (unsigned i = 0; x != NULL && i < nrecs; i++) {
		uint32_t first;
		const struct dif_stmt *st = stmt_of(data, rec + i, &first);
		size_t k = st != NULL ? (size_t)(rec + i -
						 data->dtpda_edesc->dtepd_rec) -
						first : 0;
		if (st == NULL || k >= st->nexprs) {
			free(x);
			return NULL;
		}
		x[i] = st->exprs[k];
	}
	return x;
}

/* ---- a text made by a format ------------------------------------------- */

/* How many values a format takes. */
static int
format_takes(const struct dif_fmt *fmt)
{
	int n = 0;

	for (size_t i = 0; i < fmt->nconv; i++) {
		const struct dif_conv *c = &fmt->conv[i];
		if (c->cls == DIF_CONV_LITERAL)
			continue;
		n += 1 + (c->width == DIF_FMT_STAR) + (c->prec == DIF_FMT_STAR);
	}
	return n;
}

static int
format_refuse(dtrace_hdl_t *dtp)
{
	return dt_set_err(dtp, EDT_BADRVAL,
			  "the record is none of the data's, or cut short");
}

/* The text into *out; how many records it took, or -1. */
static int
format_text(dtrace_hdl_t *dtp, const struct format *f,
	    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	    unsigned nrecs, const void *buf, size_t len, struct buf *out)
{
	uint32_t first;
	const struct dif_stmt *st = stmt_of(data, rec, &first);
	const char *text = f != NULL	 ? f->text :
			   st != NULL ? st->fmt : NULL;

	if (st == NULL || text == NULL || len < data->dtpda_edesc->dtepd_size)
		return format_refuse(dtp);
	err_clear(&dtp->err);
	const struct dif_fmt *fmt = dt_fmt_get(dtp->out, text, &dtp->err);
	int takes = fmt != NULL ? format_takes(fmt) : 0;
	if (takes > (int)nrecs)
		return dt_set_err(dtp, EDT_BADRVAL,
				  "format \"%s\" has more conversions than "
				  "arguments", text);
	struct dif_expr *x = exprs_of(data, rec, (unsigned)takes);
	if (x == NULL)
		return format_refuse(dtp);
	const struct dif_stmt made = { .kind = DIF_ACT_PRINTF, .fmt = text,
				       .exprs = x, .nexprs = (uint32_t)takes };
	int rv = fmt == NULL ? -1 : dt_out_format(dtp->out, &made, buf, out,
						  &dtp->err);
	free(x);
	return rv != 0 ? dt_fail(dtp, EDT_IO) : takes;
}

/* A format without arguments still stands for its statement's record. */
static int
records_used(int takes)
{
	return takes > 0 ? takes : 1;
}

int
dtrace_fprintf(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
	       const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	       unsigned nrecs, const void *buf, size_t len)
{
	struct buf text = BUF_INIT;
	int n = format_text(dtp, fmtdata, data, rec, nrecs, buf, len, &text);

	if (n >= 0)
		buf_write(&dtp->out->text, text.p, text.n);
	buf_fini(&text);
	if (n < 0)
		return -1;
	dt_out_to(dtp, fp);
	if (dt_out_flush(dtp->out, &dtp->err) != 0)
		return dt_out_failed(dtp);
	return records_used(n);
}

int
dtrace_fprinta(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
	       const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	       unsigned nrecs, const void *buf, size_t len)
{
	const struct format *f = fmtdata;
	uint32_t first;
	const struct dif_stmt *st = stmt_of(data, rec, &first);

	if (st == NULL || st->kind != DIF_ACT_PRINTA)
		return dt_set_err(dtp, EDT_BADAGGVAR,
				  "the record is none of printa()");
	dt_out_to(dtp, fp);
	err_clear(&dtp->err);
	if (dt_aggs_printa(dtp->out, dtp->aggs, st->aggs, st->naggs,
			   f != NULL ? f->text : st->fmt, &dtp->err) != 0)
		return dt_out_failed(dtp);
	return 1;
}

/* The text, then what it is for. */
static int
format_act(dtrace_hdl_t *dtp, FILE *fp, const struct format *f,
	   const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	   unsigned nrecs, const void *buf, size_t len,
	   int (*act)(dtrace_hdl_t *, const char *))
{
	struct buf text = BUF_INIT;
	int n = format_text(dtp, f, data, rec, nrecs, buf, len, &text);
	FILE *was = dtp->fp;

	dtp->fp = fp;
	if (n >= 0 && act(dtp, buf_str(&text)) != 0)
		n = -1;
	dtp->fp = was;
	buf_fini(&text);
	return n < 0 ? -1 : records_used(n);
}

int
dtrace_system(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
	      const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	      unsigned nrecs, const void *buf, size_t len)
{
	return format_act(dtp, fp, fmtdata, data, rec, nrecs, buf, len,
			  dt_act_system);
}

int
dtrace_freopen(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
	       const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	       unsigned nrecs, const void *buf, size_t len)
{
	return format_act(dtp, fp, fmtdata, data, rec, nrecs, buf, len,
			  dt_act_freopen);
}
