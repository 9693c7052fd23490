/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_jsonagg.c - aggregations as JSON: name, and a row for each key with the
 * function's name as key of its value, or with the buckets from the first
 * that is not empty to the last.
 */
#include "lib/dt_json.h"

#include <inttypes.h>

/*
 * A bucket's value is the least that goes there, in llquantize() the one
 * nearest to zero; what is under the least of lquantize(), and what is nearer
 * to zero than the lowest magnitude of llquantize(), has a limit instead.
 */
static void
bucket_member(struct dt_json *j, const struct dif_aggvar *av, uint32_t i)
{
	struct dif_bucket b = dif_agg_bucket(av->func, av->arg, i);

	dt_json_int_member(j,
			   b.is == DIF_BUCKET_BELOW    ? "below"
			   : b.is == DIF_BUCKET_NEARER ? "nearer"
						       : "value",
			   b.v);
}

/* Of the last one that is written, what all its values are below: of others the
   next tells. */
static void
bucket_limit(struct dt_json *j, const struct dif_aggvar *av, uint32_t i)
{
	struct dif_bucket b = dif_agg_bucket(av->func, av->arg, i), next;

	if (i + 1 >= av->words || b.is == DIF_BUCKET_LAST ||
	    b.is == DIF_BUCKET_BELOW || b.is == DIF_BUCKET_NEARER)
		return;
	next = dif_agg_bucket(av->func, av->arg, i + 1);
	dt_json_int_member(j, "limit",
			   next.is == DIF_BUCKET_NEARER ? b.v + 1 : next.v);
}

static void
json_buckets(struct dt_json *j, const struct dif_aggvar *av,
	     const uint64_t *words, uint64_t normal)
{
	uint32_t first = 0, end = av->words;

	while (first < end && words[first] == 0)
		first++;
	while (end > first && words[end - 1] == 0)
		end--;
	dt_json_key(j, "buckets");
	dt_json_array(j);
	for (uint32_t i = first; i < end; i++) {
		dt_json_map(j);
		bucket_member(j, av, i);
		dt_json_int_member(j, "count",
				   dt_agg_normal((int64_t)words[i], normal));
		if (i + 1 == end)
			bucket_limit(j, av, i);
		dt_json_map_end(j);
	}
	dt_json_array_end(j);
}

/* The value that the words are, with the function's name or the buckets. */
static void
json_words(struct dt_json *j, const struct dif_aggvar *av,
	   const uint64_t *words, uint64_t normal)
{
	const struct dif_agg_info *f = dt_agg_info(av);

	if (f->hist)
		json_buckets(j, av, words, normal);
	else
		dt_json_int_member(j, f->name,
				   dt_agg_value(f, words, av->words, normal));
}

/* The option aggpercpu: the same of each CPU that has given something. */
static void
json_cpus(struct dt_json *j, const struct dif_aggvar *av,
	  const struct dt_cell *c, uint64_t normal)
{
	if (c->ncpu == 0)
		return;
	dt_json_key(j, "cpus");
	dt_json_array(j);
	for (size_t i = 0; i < c->ncpu; i++) {
		if (c->cpu[i] == NULL)
			continue;
		dt_json_map(j);
		dt_json_uint_member(j, "cpu", i);
		json_words(j, av, c->cpu[i], normal);
		dt_json_map_end(j);
	}
	dt_json_array_end(j);
}

struct rows {
	struct dt_json *j;
	struct dt_aggs *as;
	const struct dif_aggvar *av;
};

static int
json_row(void *arg, const struct dt_row *row)
{
	struct rows *r = arg;
	struct dt_json *j = r->j;
	const struct dt_cell *c = row->cell[0];
	uint64_t normal = dt_aggs_normal(r->as, c);

	dt_json_map(j);
	dt_json_key(j, "keys");
	dt_json_array(j);
	for (uint32_t i = 0; i < row->nkeys; i++)
		dt_json_value(j, &row->keys[i]);
	dt_json_array_end(j);
	json_words(j, r->av, c->words, normal);
	json_cpus(j, r->av, c, normal);
	dt_json_map_end(j);
	return 0;
}

int
dt_json_agg(struct dt_json *j, struct dt_aggs *as, uint32_t agg, struct err *e)
{
	const struct dif_aggvar *av = dt_aggs_tab(as)->aggs[agg];
	struct rows r = { .j = j, .as = as, .av = av };

	dt_json_map(j);
	dt_json_str_member(j, "aggregation-name", av->name);
	dt_json_str_member(j, "function", dt_agg_info(av)->name);
	dt_json_key(j, "aggregation-data");
	dt_json_array(j);
	int rv = dt_aggs_walk(as, &agg, 1, &j->out->sort, json_row, &r, e);
	dt_json_array_end(j);
	dt_json_map_end(j);
	return rv;
}
