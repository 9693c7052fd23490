/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_out.c - the output stream, and what one statement of a record prints.
 *
 * Everything that prints appends to o->text; the functions that the consumer
 * calls (here, in dt_flow.c and dt_aggprint.c) flush it when their piece is
 * whole, so a reader of the stream never sees half a statement.
 */
#include "lib/dt_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
dt_out_init(struct dt_out *o, struct err *e)
{
	memset(o, 0, sizeof(*o));
	o->stackindent = 14;
	o->arena = arena_new();
	o->fmts = hash_new();
	if (o->arena == NULL || o->fmts == NULL) {
		dt_out_fini(o);
		return err_nomem(e);
	}
	return 0;
}

void
dt_out_fini(struct dt_out *o)
{
	buf_fini(&o->text);
	buf_fini(&o->scratch);
	hash_free(o->fmts);
	o->fmts = NULL;
	arena_free(o->arena);
	o->arena = NULL;
	free(o->flow.cpu);
	memset(&o->flow, 0, sizeof(o->flow));
}

int
dt_out_flush(struct dt_out *o, struct err *e)
{
	int rc = 0;

	if (o->text.failed || o->scratch.failed) {
		buf_fini(&o->text);
		buf_fini(&o->scratch);
		o->text = o->scratch = (struct buf)BUF_INIT;
		return err_nomem(e);
	}
	if (o->text.n == 0)
		return 0;
	if (o->write != NULL) {
		rc = o->write(o->write_arg, o->text.p, o->text.n);
		if (rc != 0)
			rc = err_set(e, &ERR_GENERIC, rc < 0 ? -rc : 0,
				     "cannot write the output");
	} else if (o->fp != NULL &&
		   fwrite(o->text.p, 1, o->text.n, o->fp) != o->text.n) {
		rc = err_set(e, &ERR_GENERIC, errno, "cannot write the output");
	}
	buf_reset(&o->text);
	return rc;
}

/* The number that trunc() and normalize() recorded. */
static uint64_t
stmt_number(struct dt_out *o, const struct dif_stmt *st, const uint8_t *rec)
{
	struct dt_val v;

	dt_val_expr(&o->syms, &st->exprs[0], rec, &o->scratch, &v);
	return v.num;
}

static void
stmt_tracemem(struct dt_out *o, const struct dif_stmt *st, const uint8_t *rec)
{
	struct dt_val v, len;
	size_t n;

	if (st->nexprs == 0)
		return;
	dt_val_expr(&o->syms, &st->exprs[0], rec, &o->scratch, &v);
	n = st->exprs[0].size;
	if (st->nexprs > 1) { /* the run-time length, at most nbytes */
		dt_val_expr(&o->syms, &st->exprs[1], rec, &o->scratch, &len);
		if (len.num < n)
			n = (size_t)len.num;
	}
	dt_print_dump(o, rec + st->exprs[0].off, n);
}

static int
stmt_values(struct dt_out *o, const struct dif_stmt *st, const uint8_t *rec)
{
	struct dt_val v;

	for (uint32_t i = 0; i < st->nexprs; i++) {
		dt_val_expr(&o->syms, &st->exprs[i], rec, &o->scratch, &v);
		dt_print_trace(o, &v);
	}
	return 0;
}

/* clear, trunc, normalize, denormalize: on each aggregation named. */
static int
stmt_aggs(struct dt_out *o, struct dt_aggs *as, const struct dif_stmt *st,
	  const uint8_t *rec, struct err *e)
{
	uint64_t n = st->nexprs > 0 ? stmt_number(o, st, rec) : 0;
	int rc = 0;

	for (uint32_t i = 0; i < st->naggs && rc == 0; i++) {
		uint32_t agg = st->aggs[i];

		if (st->kind == DIF_ACT_CLEAR)
			dt_aggs_clear(as, agg);
		else if (st->kind == DIF_ACT_TRUNC)
			rc = dt_aggs_trunc(as, agg, (int64_t)n, e);
		else if (st->kind == DIF_ACT_NORMALIZE)
			rc = dt_aggs_normalize(as, agg, n, e);
		else
			dt_aggs_denormalize(as, agg);
	}
	return rc;
}

/* What the statement puts into o->text; DT_OUT_OTHER if it is not ours. */
static int
stmt_print(struct dt_out *o, struct dt_aggs *as, const struct dif_stmt *st,
	   const uint8_t *rec, struct err *e)
{
	if (dif_act_shows(st->kind))
		return stmt_values(o, st, rec);
	switch (st->kind) {
	case DIF_ACT_TRACEMEM:
		stmt_tracemem(o, st, rec);
		return 0;
	case DIF_ACT_PRINT:
		if (st->nexprs > 0)
			dt_print_value(o, &st->exprs[0], rec);
		return 0;
	case DIF_ACT_PRINTF:
		return dt_fmt_printf(o, st, rec, e);
	case DIF_ACT_PRINTA:
		return dt_aggs_printa(o, as, st->aggs, st->naggs, st->fmt, e);
	case DIF_ACT_CLEAR:
	case DIF_ACT_TRUNC:
	case DIF_ACT_NORMALIZE:
	case DIF_ACT_DENORMALIZE:
		return stmt_aggs(o, as, st, rec, e);
	default:
		return DT_OUT_OTHER;
	}
}

int
dt_out_stmt(struct dt_out *o, struct dt_aggs *aggs, const struct dif_stmt *st,
	    const uint8_t *rec, struct err *e)
{
	int rc = stmt_print(o, aggs, st, rec, e);

	/* What was made before an error is shown: it was traced. */
	if (dt_out_flush(o, e) != 0)
		return -1;
	return rc;
}

int
dt_out_format(struct dt_out *o, const struct dif_stmt *st, const uint8_t *rec,
	      struct buf *out, struct err *e)
{
	struct buf kept = o->text;
	int rc;

	o->text = *out;
	rc = dt_fmt_printf(o, st, rec, e);
	*out = o->text;
	o->text = kept;
	if (rc == 0 && out->failed)
		rc = err_nomem(e);
	return rc;
}
