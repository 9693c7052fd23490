/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_agg_layout.c - where things are in a half of an aggregation buffer, from
 * the table of aggregations alone, so that every engine and the consumer find
 * the same:
 *
 *   0            struct rt_agg_half
 *   16           fixed cells: u64 used, u64 words[]     (aggregations
 *   fixed_end    ...                                     without keys)
 *                cells of constant keys: u64 used, u64 words[]
 *   buckets_off  u32 bucket[nbuckets]
 *   entries_off  struct rt_agg_entry, key, words; one behind the other
 *
 * All offsets are multiples of 8.  The caller checks that entries_off (or
 * fixed_end, where no aggregation has keys) lies within the half.
 */
#include "rt/engine.h"

#define BUCKETS_MIN 64u
#define BUCKETS_MAX 65536u
#define BYTES_PER_BUCKET 128u /* about one entry of a short key */

static uint32_t
agg_nbuckets(uint64_t halfsize)
{
	uint32_t n = BUCKETS_MIN;

	while (n < BUCKETS_MAX && n * 2ull * BYTES_PER_BUCKET <= halfsize)
		n *= 2;
	return n;
}

void
rt_agg_layout_static(const struct dif_tab *tab, uint64_t halfsize,
		     uint32_t statics, uint32_t *fixed,
		     struct rt_agg_layout *out)
{
	uint32_t off = sizeof(struct rt_agg_half);

	for (uint32_t i = 0; i < tab->naggs; i++) {
		fixed[i] = 0;
		if (tab->aggs[i]->keysize != 0)
			continue;
		fixed[i] = off;
		off += 8 + tab->aggs[i]->words * 8;
	}
	out->fixed_end = off;
	out->buckets_off = off + statics;
	out->nbuckets = agg_nbuckets(halfsize);
	out->entries_off = out->buckets_off + out->nbuckets * 4;
}

void
rt_agg_layout(const struct dif_tab *tab, uint64_t halfsize, uint32_t *fixed,
	      struct rt_agg_layout *out)
{
	rt_agg_layout_static(tab, halfsize, 0, fixed, out);
}
