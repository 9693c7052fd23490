/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggwalk.c - aggregations for consumers: bringing them up to date,
 * printing what is left at the end, walking them in order.
 */
#include "lib/dt_aggrow.h"

static int
snap_half(dtrace_hdl_t *dtp, const struct dt_engine *de, unsigned half)
{
	struct dt_owed o = { de, dtp->en.tab, dtp->aggs };

	if (rt_drain_aggs(dt_view(de), o.tab, half, dt_owed_cell, &o) == 0)
		return 0;
	dtp->err = *dt_aggs_err(dtp->aggs);
	return dt_fail(dtp, EDT_NOMEM);
}

static int
snap_engine(dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	const struct rt_view *v = dt_view(de);

	if (v->agg == NULL)
		return 0;
	unsigned old = rt_view_half(v);
	if (dtp->stopped)
		return snap_half(dtp, de, 1 - old) != 0 ?
			       -1 : snap_half(dtp, de, old);
	__atomic_store_n(&v->ctl->agg_half, 1 - old, __ATOMIC_SEQ_CST);
	de->ops->grace(de->eng);
	/* Threads may have come since. */
	return snap_half(dtp, de, old);
}

int
dtrace_aggregate_snap(dtrace_hdl_t *dtp)
{
	if (!dtp->active)
		return dt_set_err(dtp, EDT_NOTACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_NOTACTIVE));
	for (uint32_t i = 0; i < dtp->nengines; i++)
		if (snap_engine(dtp, &dtp->engines[i]) != 0)
			return -1;
	return 0;
}

/* ---- walking ------------------------------------------------------------- */

struct walk {
	dtrace_hdl_t *dtp;
	dtrace_aggregate_f *func;
	void *arg;
};

static int
walk_row(void *arg, const struct dt_row *row)
{
	struct walk *w = arg;

	if (row->cell[0] == NULL)
		return 0;
	return dt_aggrow_visit(w->dtp, row->cell[0], w->func, w->arg);
}

static int
walk_all(dtrace_hdl_t *dtp, const struct dt_aggsort *sort,
	 dtrace_aggregate_f *f, void *arg)
{
	if (dtp->aggs == NULL)
		return 0;
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);
	for (uint32_t i = 0; i < tab->naggs; i++) {
		struct walk w = { .dtp = dtp, .func = f, .arg = arg };
		err_clear(&dtp->err);
		if (dt_aggs_walk(dtp->aggs, &i, 1, sort, walk_row, &w,
				 &dtp->err) != 0)
			return err_is_set(&dtp->err) ?
				       dt_fail(dtp, EDT_NOMEM) : -1;
	}
	return 0;
}

int
dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *f, void *arg)
{
	return walk_all(dtp, NULL, f, arg);
}

int
dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *f,
			     void *arg)
{
	struct dt_aggsort s;

	dt_agg_sort(dtp, &s);
	return walk_all(dtp, &s, f, arg);
}

#define WALKER(name, key, reverse)                                      \
	int dtrace_aggregate_walk_##name(dtrace_hdl_t *dtp,             \
					 dtrace_aggregate_f *f,         \
					 void *arg)                     \
	{                                                               \
		const struct dt_aggsort s = { .bykey = key,             \
					      .rev = reverse };         \
		return walk_all(dtp, &s, f, arg);                       \
	}

WALKER(keysorted, true, false)
WALKER(valsorted, false, false)
WALKER(keyrevsorted, true, true)
WALKER(valrevsorted, false, true)

/* ---- printing ------------------------------------------------------------ */

/* The order in which a walker walks; false: it is none of ours. */
static bool
print_order(const dtrace_hdl_t *dtp, dtrace_aggregate_walk_f *func,
	    struct dt_aggsort *s)
{
	static const struct {
		dtrace_aggregate_walk_f *func;
		bool bykey, rev;
	} orders[] = {
		{ dtrace_aggregate_walk_keysorted, true, false },
		{ dtrace_aggregate_walk_valsorted, false, false },
		{ dtrace_aggregate_walk_keyrevsorted, true, true },
		{ dtrace_aggregate_walk_valrevsorted, false, true },
	};

	dt_agg_sort(dtp, s);
	if (func == NULL || func == dtrace_aggregate_walk ||
	    func == dtrace_aggregate_walk_sorted)
		return true;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (orders[i].func != func)
			continue;
		*s = (struct dt_aggsort){ .bykey = orders[i].bykey,
					  .rev = orders[i].rev,
					  .nonzero = s->nonzero };
		return true;
	}
	return false;
}

/* The buffered handler gets each row with its data. */
static int
print_flush(void *arg, const struct dt_row *row)
{
	dtrace_hdl_t *dtp = arg;
	struct dt_cell *c = row->cell[0];
	struct dt_aggrow r;

	if (dtp->outbuf.n == 0)
		return 0;
	if (dt_aggrow_init(&r, dtp, c->agg, c, row->keys, row->nkeys) != 0)
		return -1;
	int rv = dt_flush(dtp, &r.data);
	dt_aggrow_fini(&r);
	return rv;
}

int
dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp,
		       dtrace_aggregate_walk_f *func)
{
	dt_sink_options(dtp);
	if (!print_order(dtp, func, &dtp->out->sort))
		return dt_set_err(dtp, EDT_UNSUP,
				  "aggregations are printed in the order of "
				  "one of the library's own walks");
	if (dtp->aggs == NULL)
		return 0;
	dt_out_to(dtp, fp);
	if (dtp->json != NULL)
		return dt_json_aggs(dtp);
	err_clear(&dtp->err);
	if (dt_aggs_print_rest(dtp->out, dtp->aggs, print_flush, dtp,
			       &dtp->err) == 0)
		return 0;
	/* The handler's refusal has been filed already. */
	return err_is_set(&dtp->err) ? dt_out_failed(dtp) : -1;
}

/* The greatest value in bucket i; the others of a histogram follow from it. */
static int64_t
bucket_high(uint32_t func, uint64_t arg, uint32_t i, uint32_t n)
{
	struct dif_bucket b = dif_agg_bucket(func, arg, i);
	int64_t next;

	if (b.is == DIF_BUCKET_BELOW || b.is == DIF_BUCKET_NEARER)
		return b.v - 1;
	if (b.is == DIF_BUCKET_UPTO)
		return b.v;
	if (i + 1 >= n)
		return INT64_MAX;
	/* Negative buckets are named by the end that is nearer to zero, but for
	   those of lquantize. */
	if (func != DIF_AGG_lquantize && i < dif_agg_zero(func, arg))
		return b.v;
	next = dif_agg_bucket(func, arg, i + 1).v;
	return next > b.v ? next - 1 : b.v;
}

int
dtrace_aggregate_bucket(dtrace_hdl_t *dtp, const dtrace_aggdata_t *data,
			uint32_t i, int64_t *low, int64_t *high)
{
	uint32_t func = data->dtada_desc->dtagd_func;
	uint64_t arg = data->dtada_desc->dtagd_arg;
	const struct dif_agg_info *f = dif_agg_by_code(func);
	uint32_t n = data->dtada_nwords;
	int64_t below;

	if (f == NULL || !f->hist || i >= n)
		return dt_set_err(dtp, EDT_BADAGGVAR,
				  "the aggregation has no such bucket");
	*high = bucket_high(func, arg, i, n);
	below = i == 0 ? INT64_MIN : bucket_high(func, arg, i - 1, n);
	*low = i == 0 || below == INT64_MAX ? below : below + 1;
	return 0;
}

int
dtrace_aggregate_clear(dtrace_hdl_t *dtp)
{
	if (dtp->aggs == NULL)
		return 0;
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);
	for (uint32_t i = 0; i < tab->naggs; i++)
		dt_aggs_clear(dtp->aggs, i);
	return 0;
}
