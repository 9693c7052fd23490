/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggvar.c - walks over the rows of all aggregations in one order, and over
 * rows of several joined by key.
 */
#include <stdlib.h>

#include "lib/dt_aggrow.h"

/* ---- all rows in one order --------------------------------------------- */

struct order {
	bool bykey, rev;
};

struct entry {
	struct dt_cell *cell;
	struct dt_weight w;
};

static int
var_cmp_keys(const struct dt_cell *a, const struct dt_cell *b)
{
	for (uint32_t i = 0; i < a->nkeys && i < b->nkeys; i++) {
		int rc = dt_val_cmp(&a->keys[i], &b->keys[i]);
		if (rc != 0)
			return rc;
	}
	return (a->nkeys > b->nkeys) - (a->nkeys < b->nkeys);
}

static int
var_cmp_weights(const struct dt_weight *a, const struct dt_weight *b)
{
	if (a->w != b->w)
		return a->w < b->w ? -1 : 1;
	return (a->zero > b->zero) - (a->zero < b->zero);
}

static int
cmp_entries(const void *pa, const void *pb, void *arg)
{
	const struct entry *a = pa, *b = pb;
	const struct order *o = arg;
	uint32_t va = a->cell->agg, vb = b->cell->agg;
	int rc = o->bykey ? var_cmp_keys(a->cell, b->cell) :
			    var_cmp_weights(&a->w, &b->w);

	if (rc == 0)
		rc = (va > vb) - (va < vb);
	if (rc == 0)
		rc = var_cmp_keys(a->cell, b->cell);
	return o->rev ? -rc : rc;
}

/* All cells; *n of them.  NULL: no memory. */
static struct entry *
entries_new(dtrace_hdl_t *dtp, size_t *n)
{
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);
	size_t most = 0;

	*n = 0;
	for (uint32_t i = 0; i < tab->naggs; i++)
		most += dt_aggs_count(dtp->aggs, i);
	struct entry *v = calloc(most + 1, sizeof(*v));
	for (uint32_t i = 0; v != NULL && i < tab->naggs; i++) {
		struct hash *cells = dt_aggs_cells(dtp->aggs, i);
		size_t pos = 0;
		void *c;
		while (cells != NULL && hash_next(cells, &pos, NULL, NULL, &c))
			v[(*n)++] = (struct entry){
				c, dt_agg_weight(tab->aggs[i], c)
			};
	}
	return v;
}

static int
walk_vars(dtrace_hdl_t *dtp, struct order order, dtrace_aggregate_f *f,
	  void *arg)
{
	size_t n;
	int rv = 0;

	if (dtp->aggs == NULL)
		return 0;
	struct entry *v = entries_new(dtp, &n);
	if (v == NULL)
		return dt_nomem(dtp);
	qsort_r(v, n, sizeof(*v), cmp_entries, &order);
	for (size_t i = 0; i < n && rv == 0; i++)
		rv = dt_aggrow_visit(dtp, v[i].cell, f, arg);
	free(v);
	return rv;
}

#define WALKER(name, key, reverse)                                           \
	int dtrace_aggregate_walk_##name(dtrace_hdl_t *dtp,                  \
					 dtrace_aggregate_f *f,              \
					 void *arg)                          \
	{                                                                    \
		return walk_vars(dtp, (struct order){ key, reverse }, f,     \
				 arg);                                       \
	}

WALKER(keyvarsorted, true, false)
WALKER(valvarsorted, false, false)
WALKER(keyvarrevsorted, true, true)
WALKER(valvarrevsorted, false, true)

/* ---- joined by key ----------------------------------------------------- */

struct join {
	dtrace_hdl_t *dtp;
	uint32_t *aggs; /* indexes */
	int nvars;
	struct dt_aggrow *rows;		/* [nvars + 1] */
	const dtrace_aggdata_t **datas; /* [nvars + 1] */
	dtrace_aggregate_walk_joined_f *func;
	void *arg;
};

static int
join_answer(dtrace_hdl_t *dtp, int rv)
{
	int edt = rv == DTRACE_AGGWALK_ABORT || rv == DTRACE_AGGWALK_ERROR ?
			  EDT_DIRABORT : EDT_BADRVAL;

	if (rv == DTRACE_AGGWALK_NEXT)
		return 0;
	return dt_set_err(dtp, edt, "%s", dtrace_errmsg(NULL, edt));
}

static int
join_row(void *arg, const struct dt_row *row)
{
	struct join *j = arg;
	int n = 0, rv = 0;

	/* The first has the keys alone. */
	for (; n <= j->nvars && rv == 0; n++) {
		int i = n > 0 ? n - 1 : 0;
		rv = dt_aggrow_init(&j->rows[n], j->dtp, j->aggs[i],
				    n > 0 ? row->cell[i] : NULL, row->keys,
				    row->nkeys);
		j->datas[n] = &j->rows[n].data;
	}
	if (rv == 0)
		rv = join_answer(j->dtp, j->func(j->datas, n, j->arg));
	else
		n--; /* the last could not be made */
	while (n > 0)
		dt_aggrow_fini(&j->rows[--n]);
	return rv;
}

/* Ids to indexes; the aggregations must have as many keys as each other. */
static int
join_aggs(dtrace_hdl_t *dtp, const dtrace_aggvarid_t *vars, struct join *j)
{
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);

	for (int i = 0; i < j->nvars; i++) {
		if (vars[i] == 0 || vars[i] > tab->naggs)
			return dt_set_err(dtp, EDT_BADAGGVAR,
					  "no aggregation has the id %u",
					  vars[i]);
		j->aggs[i] = vars[i] - 1;
		if (tab->aggs[j->aggs[i]]->nkeys !=
		    tab->aggs[j->aggs[0]]->nkeys)
			return dt_set_err(dtp, EDT_BADAGGVAR,
					  "@%s and @%s have not the same keys",
					  tab->aggs[j->aggs[0]]->name,
					  tab->aggs[j->aggs[i]]->name);
	}
	return 0;
}

static int
join_walk(dtrace_hdl_t *dtp, struct join *j)
{
	struct dt_aggsort sort;

	dt_agg_sort(dtp, &sort);
	err_clear(&dtp->err);
	if (dt_aggs_walk(dtp->aggs, j->aggs, (uint32_t)j->nvars, &sort,
			 join_row, j, &dtp->err) == 0)
		return 0;
	return err_is_set(&dtp->err) ? dt_fail(dtp, EDT_NOMEM) : -1;
}

int
dtrace_aggregate_walk_joined(dtrace_hdl_t *dtp, dtrace_aggvarid_t *vars,
			     int nvars, dtrace_aggregate_walk_joined_f *f,
			     void *arg)
{
	struct join j = { .dtp = dtp, .nvars = nvars, .func = f, .arg = arg };
	size_t n = nvars > 0 ? (size_t)nvars : 0;
	int rv;

	if (dtp->aggs == NULL)
		return dt_set_err(dtp, EDT_NOTACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_NOTACTIVE));
	if (n == 0)
		return dt_set_err(dtp, EDT_BADAGGVAR,
				  "no aggregations to join");
	j.aggs = calloc(n, sizeof(*j.aggs));
	j.rows = calloc(n + 1, sizeof(*j.rows));
	j.datas = calloc(n + 1, sizeof(*j.datas));
	if (j.aggs == NULL || j.rows == NULL || j.datas == NULL)
		rv = dt_nomem(dtp);
	else
		rv = join_aggs(dtp, vars, &j);
	if (rv == 0)
		rv = join_walk(dtp, &j);
	free(j.aggs);
	free(j.rows);
	free(j.datas);
	return rv;
}
