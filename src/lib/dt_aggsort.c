/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggsort.c - walking aggregations: rows joined by key, in order.
 *
 * The order is by value, then by key; or by key alone (aggsortkey).  With
 * several aggregations the one at aggsortpos decides, then those after it,
 * round to the first; aggsortkeypos does the same for keys.  aggsortrev turns
 * the whole order round.  Values compare signed; keys compare as unsigned
 * integers and as bytes, so a negative key stands after the others.
 */
#include "lib/dt_out.h"

#include <stdlib.h>
#include <string.h>

struct row {
	struct dt_cell **cell;     /* [naggs] */
	struct dt_weight *w;       /* [naggs] */
	const struct dt_cell *key; /* any of its cells */
	size_t seq;                /* order of appearance */
};

struct rows {
	struct row *row;
	struct dt_cell **cell; /* of all rows */
	struct dt_weight *weight;
	size_t n;
	uint32_t naggs, nkeys;
	struct dt_aggsort sort;
};

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int
dt_val_cmp(const struct dt_val *a, const struct dt_val *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int rc;

	if (a->kind == DT_VAL_INT && b->kind == DT_VAL_INT)
		return cmp_u64(a->num, b->num);
	rc = memcmp(a->p, b->p, n);
	return rc != 0 ? rc : cmp_u64(a->n, b->n);
}

static int
cmp_keys(const struct rows *rs, const struct row *a, const struct row *b)
{
	uint32_t n = rs->nkeys, first = 0;

	if (rs->sort.keypos > 0 && (uint32_t)rs->sort.keypos < n)
		first = (uint32_t)rs->sort.keypos;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (first + i) % n;
		int rc = dt_val_cmp(&a->key->keys[k], &b->key->keys[k]);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
cmp_weights(const struct rows *rs, const struct row *a, const struct row *b)
{
	uint32_t n = rs->naggs, first = 0;

	if (rs->sort.pos > 0 && (uint32_t)rs->sort.pos < n)
		first = (uint32_t)rs->sort.pos;
	for (uint32_t i = 0; i < n; i++) {
		const struct dt_weight *x = &a->w[(first + i) % n];
		const struct dt_weight *y = &b->w[(first + i) % n];

		if (x->w != y->w)
			return x->w < y->w ? -1 : 1;
		if (x->zero != y->zero)
			return x->zero < y->zero ? -1 : 1;
	}
	return 0;
}

static int
cmp_rows(const void *pa, const void *pb, void *arg)
{
	const struct row *a = pa, *b = pb;
	const struct rows *rs = arg;
	int rc = rs->sort.bykey ? 0 : cmp_weights(rs, a, b);

	if (rc == 0)
		rc = cmp_keys(rs, a, b);
	if (rc == 0)
		rc = cmp_u64(a->seq, b->seq);
	return rs->sort.rev ? -rc : rc;
}

/* ---- joining ----------------------------------------------------------- */

/* A row for a key not met so far; its cells are filled in by the caller. */
static struct row *
row_add(struct rows *rs, const struct dt_cell *c, struct hash *by_key)
{
	struct row *r = &rs->row[rs->n];

	r->cell = &rs->cell[rs->n * rs->naggs];
	r->w = &rs->weight[rs->n * rs->naggs];
	r->key = c;
	r->seq = rs->n;
	if (by_key != NULL &&
	    hash_set(by_key, c->id, c->idlen, (void *)(rs->n + 1)) != 0)
		return NULL;
	rs->n++;
	return r;
}

/* Put every cell of every aggregation into the row of its key. */
static int
rows_join(struct dt_aggs *as, const uint32_t *aggs, struct rows *rs,
	  struct hash *by_key)
{
	for (uint32_t i = 0; i < rs->naggs; i++) {
		struct hash *cells = dt_aggs_cells(as, aggs[i]);
		size_t pos = 0;
		void *p;

		while (cells != NULL &&
		       hash_next(cells, &pos, NULL, NULL, &p)) {
			struct dt_cell *c = p;
			struct row *r = NULL;
			size_t at = 0;

			if (by_key != NULL)
				at = (size_t)hash_find(by_key, c->id, c->idlen);
			r = at != 0 ? &rs->row[at - 1] : row_add(rs, c, by_key);
			if (r == NULL)
				return -1;
			r->cell[i] = c;
		}
	}
	return 0;
}

static void
rows_sort(struct dt_aggs *as, const uint32_t *aggs, struct rows *rs)
{
	const struct dif_tab *tab = dt_aggs_tab(as);

	if (!rs->sort.bykey)
		for (size_t i = 0; i < rs->n; i++)
			for (uint32_t j = 0; j < rs->naggs; j++)
				rs->row[i].w[j] = dt_agg_weight(
					tab->aggs[aggs[j]], rs->row[i].cell[j]);
	qsort_r(rs->row, rs->n, sizeof(*rs->row), cmp_rows, rs);
}

/* True if every value of the row is 0. */
static bool
row_is_zero(const struct dif_tab *tab, const uint32_t *aggs,
	    const struct row *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct dt_cell *c = r->cell[i];

		if (c != NULL &&
		    dt_agg_value(dt_agg_info(tab->aggs[aggs[i]]), c->words,
				 c->nwords, 1) != 0)
			return false;
	}
	return true;
}

static int
rows_visit(struct dt_aggs *as, const uint32_t *aggs, struct rows *rs,
	   dt_row_fn *fn, void *arg)
{
	const struct dif_tab *tab = dt_aggs_tab(as);

	for (size_t i = 0; i < rs->n; i++) {
		const struct row *r = &rs->row[i];
		struct dt_row out = { r->key->keys, r->key->nkeys, rs->naggs,
				      r->cell };
		int rc;

		if (rs->sort.nonzero && row_is_zero(tab, aggs, r, rs->naggs))
			continue;
		rc = fn(arg, &out);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
dt_aggs_walk(struct dt_aggs *as, const uint32_t *aggs, uint32_t naggs,
	     const struct dt_aggsort *sort, dt_row_fn *fn, void *arg,
	     struct err *e)
{
	struct rows rs = { .naggs = naggs };
	struct hash *by_key = NULL;
	size_t most = 0;
	int rc = 0;

	for (uint32_t i = 0; i < naggs; i++)
		most += dt_aggs_count(as, aggs[i]);
	if (most == 0)
		return 0;
	rs.nkeys = dt_aggs_tab(as)->aggs[aggs[0]]->nkeys;
	rs.row = calloc(most, sizeof(*rs.row));
	rs.cell = calloc(most, naggs * sizeof(*rs.cell));
	rs.weight = calloc(most, naggs * sizeof(*rs.weight));
	if (naggs > 1)
		by_key = hash_new();
	if (rs.row == NULL || rs.cell == NULL || rs.weight == NULL ||
	    (naggs > 1 && by_key == NULL) ||
	    rows_join(as, aggs, &rs, by_key) != 0) {
		rc = err_nomem(e);
		goto out;
	}
	if (sort != NULL) {
		rs.sort = *sort;
		rows_sort(as, aggs, &rs);
	}
	rc = rows_visit(as, aggs, &rs, fn, arg);
out:
	hash_free(by_key);
	free(rs.weight);
	free(rs.cell);
	free(rs.row);
	return rc;
}
