/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggwalk.c - aggregations for consumers: bringing them up to date,
 * printing what is left at the end, walking them in order.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

static int
snap_half(dtrace_hdl_t *dtp, const struct rt_view *v, unsigned half)
{
	if (rt_drain_aggs(v, dtp->en.tab, half, dt_aggs_add_cell, dtp->aggs) ==
	    0)
		return 0;
	dtp->err = *dt_aggs_err(dtp->aggs);
	return dt_fail(dtp, EDT_NOMEM);
}

int
dtrace_aggregate_snap(dtrace_hdl_t *dtp)
{
	if (!dtp->active)
		return dt_set_err(dtp, EDT_NOTACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_NOTACTIVE));
	const struct rt_view *v = dtp->eops->view(dtp->engine);
	if (v->agg == NULL)
		return 0;
	unsigned old = v->ctl->agg_half;
	if (!dtp->stopped) {
		__atomic_store_n(&v->ctl->agg_half, 1 - old, __ATOMIC_SEQ_CST);
		dtp->eops->grace(dtp->engine);
		return snap_half(dtp, v, old);
	}
	return snap_half(dtp, v, 1 - old) != 0 ? -1 : snap_half(dtp, v, old);
}

void
dt_agg_sort(dtrace_hdl_t *dtp, struct dt_aggsort *s)
{
	*s = (struct dt_aggsort){
		.bykey = dt_opt_on(dtp, DT_OPT_aggsortkey),
		.rev = dt_opt_on(dtp, DT_OPT_aggsortrev),
		.keypos = (int)dtp->opt[DT_OPT_aggsortkeypos],
		.pos = (int)dtp->opt[DT_OPT_aggsortpos],
	};
}

int
dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, void *func)
{
	if (dtp->aggs == NULL)
		return 0;
	dt_agg_sort(dtp, &dtp->out->sort);
	dtp->out->aggzoom = dt_opt_on(dtp, DT_OPT_aggzoom);
	dtp->out->fp = fp;
	dtp->out->write = NULL;
	err_clear(&dtp->err);
	if (dt_aggs_print_rest(dtp->out, dtp->aggs, &dtp->err) != 0)
		return dt_fail(dtp, EDT_IO);
	return 0;
}

/* ---- walking --------------------------------------------------------------- */

#define WALK_KEYS 32

struct walk {
	dtrace_hdl_t *dtp;
	const struct dif_aggvar *av;
	uint32_t agg;
	dtrace_aggregate_f *func;
	void *arg;
	struct dt_cell *remove; /* the row before asked to go */
};

static void
walk_key(struct walk *w, const struct dt_val *v, dtrace_aggkey_t *k)
{
	if (v->kind == DT_VAL_INT) {
		*k = (dtrace_aggkey_t){ .dtak_int = (int64_t)v->num };
		return;
	}
	struct buf b = BUF_INIT;
	dt_val_text(w->dtp->out, v, &b);
	*k = (dtrace_aggkey_t){ .dtak_is_string = 1,
				.dtak_str = buf_detach(&b) };
}

static int
walk_result(struct walk *w, struct dt_cell *c, const dtrace_aggdata_t *data,
	    int rv)
{
	switch (rv) {
	case DTRACE_AGGWALK_NEXT:
		return 0;
	case DTRACE_AGGWALK_CLEAR:
		dt_cell_clear(c);
		return 0;
	case DTRACE_AGGWALK_NORMALIZE:
		c->normal = data->dtada_normal;
		return 0;
	case DTRACE_AGGWALK_DENORMALIZE:
		c->normal = 1;
		return 0;
	case DTRACE_AGGWALK_REMOVE:
		dt_aggs_remove(w->dtp->aggs, c);
		return 0;
	case DTRACE_AGGWALK_ABORT:
		return dt_set_err(w->dtp, EDT_DIRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DIRABORT));
	default:
		return dt_set_err(w->dtp, EDT_BADRVAL, "%s",
				  dtrace_errmsg(NULL, EDT_BADRVAL));
	}
}

static int
walk_row(void *arg, const struct dt_row *row)
{
	struct walk *w = arg;
	struct dt_cell *c = row->cell[0];
	dtrace_aggkey_t keys[WALK_KEYS] = { 0 };
	uint32_t n = row->nkeys < WALK_KEYS ? row->nkeys : WALK_KEYS;

	if (c == NULL)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		walk_key(w, &row->keys[i], &keys[i]);
	const dtrace_aggdesc_t d = { .dtagd_name = w->av->name,
				     .dtagd_varid = w->av->id,
				     .dtagd_nkeys = (int)n,
				     .dtagd_func = w->av->func,
				     .dtagd_arg = w->av->arg };
	uint64_t normal = dt_aggs_normal(w->dtp->aggs, c);
	const dtrace_aggdata_t data = {
		.dtada_handle = w->dtp, .dtada_desc = &d, .dtada_keys = keys,
		.dtada_cell = (const int64_t *)c->words,
		.dtada_nwords = c->nwords,
		.dtada_value = dt_agg_value(dt_agg_shape(w->av), c->words,
					    c->nwords, normal),
		.dtada_normal = normal,
	};
	int rv = walk_result(w, c, &data, w->func(&data, w->arg));
	for (uint32_t i = 0; i < n; i++)
		free((char *)keys[i].dtak_str);
	return rv;
}

static int
walk_all(dtrace_hdl_t *dtp, const struct dt_aggsort *sort,
	 dtrace_aggregate_f *f, void *arg)
{
	if (dtp->aggs == NULL)
		return 0;
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);
	for (uint32_t i = 0; i < tab->naggs; i++) {
		struct walk w = { .dtp = dtp, .av = tab->aggs[i], .agg = i,
				  .func = f, .arg = arg };
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
