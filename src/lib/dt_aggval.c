/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggval.c - what a cell is worth: merging, the value shown, the order.
 *
 * All of it follows from the shape in dif/agg.def.  Merging is associative and
 * commutative and wraps like the machine's integers; the words are
 *
 *   SUM MIN MAX  value           AVG  count, sum
 *   STDDEV       count, sum, sum of squares (low word, high word)
 *   histograms   buckets
 */
#include "lib/dt_out.h"

#include <string.h>

typedef unsigned __int128 u128;

enum dif_agg_shape
dt_agg_shape(const struct dif_aggvar *av)
{
	return dif_agg_by_code(av->func)->shape;
}

static u128
words_u128(const uint64_t *w)
{
	return (u128)w[1] << 64 | w[0];
}

static void
merge_stddev(uint64_t *into, const uint64_t *from)
{
	u128 sq = words_u128(into + 2) + words_u128(from + 2);

	into[0] += from[0];
	into[1] += from[1];
	into[2] = (uint64_t)sq;
	into[3] = (uint64_t)(sq >> 64);
}

void
dt_agg_merge(enum dif_agg_shape shape, uint64_t *into, const uint64_t *from,
	     uint32_t nwords)
{
	switch (shape) {
	case DIF_SHAPE_MIN:
		if ((int64_t)from[0] < (int64_t)into[0])
			into[0] = from[0];
		return;
	case DIF_SHAPE_MAX:
		if ((int64_t)from[0] > (int64_t)into[0])
			into[0] = from[0];
		return;
	case DIF_SHAPE_STDDEV:
		merge_stddev(into, from);
		return;
	case DIF_SHAPE_SUM:
	case DIF_SHAPE_AVG:
	case DIF_SHAPE_QUANTIZE:
	case DIF_SHAPE_LQUANTIZE:
	case DIF_SHAPE_LLQUANTIZE:
		for (uint32_t i = 0; i < nwords; i++)
			into[i] += from[i];
		return;
	}
}

/* Divide by an unsigned number, towards zero. */
static int64_t
sdiv(int64_t v, uint64_t by)
{
	uint64_t q = (v < 0 ? -(uint64_t)v : (uint64_t)v) / by;

	return (int64_t)(v < 0 ? -q : q);
}

/* The largest r with r * r <= v. */
static uint64_t
isqrt(u128 v)
{
	u128 rest = v, root = 0, bit = (u128)1 << 126;

	while (bit > v)
		bit >>= 2;
	for (; bit != 0; bit >>= 2) {
		if (rest >= root + bit) {
			rest -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint64_t)root;
}

/* sqrt(avg(x^2) - avg(x)^2), each average truncated. */
static int64_t
stddev(const uint64_t *w)
{
	int64_t avg;
	u128 sq, avgsq;

	if (w[0] == 0)
		return 0;
	avg = sdiv((int64_t)w[1], w[0]);
	sq = words_u128(w + 2) / w[0];
	avgsq = (u128)((__int128)avg * avg);
	/* Only a sum that overflowed can make this negative. */
	return avgsq > sq ? 0 : (int64_t)isqrt(sq - avgsq);
}

int64_t
dt_agg_value(enum dif_agg_shape shape, const uint64_t *w, uint32_t nwords,
	     uint64_t normal)
{
	uint64_t sum = 0;

	switch (shape) {
	case DIF_SHAPE_SUM:
	case DIF_SHAPE_MIN:
	case DIF_SHAPE_MAX:
		return sdiv((int64_t)w[0], normal);
	case DIF_SHAPE_AVG:
		if (w[0] == 0)
			return 0;
		return sdiv(sdiv((int64_t)w[1], w[0]), normal);
	case DIF_SHAPE_STDDEV:
		return sdiv(stddev(w), normal);
	case DIF_SHAPE_QUANTIZE:
	case DIF_SHAPE_LQUANTIZE:
	case DIF_SHAPE_LLQUANTIZE:
		for (uint32_t i = 0; i < nwords; i++)
			sum += w[i];
		return sdiv((int64_t)sum, normal);
	}
	return 0;
}

/* The value that stands for a bucket in the weighted sum. */
static int64_t
bucket_value(const struct dif_aggvar *av, enum dif_agg_shape shape, uint32_t i)
{
	switch (shape) {
	case DIF_SHAPE_QUANTIZE:
		return dif_quantize_value(i);
	case DIF_SHAPE_LQUANTIZE:
		if (i == 0)
			return (int64_t)DIF_LQ_BASE(av->arg) - 1;
		return dif_lquantize_value(av->arg, i);
	default:
		return dif_llquantize_value(av->arg, i);
	}
}

uint32_t
dt_agg_zero_bucket(const struct dif_aggvar *av)
{
	switch (dt_agg_shape(av)) {
	case DIF_SHAPE_QUANTIZE:
		return dif_quantize_bucket(0);
	case DIF_SHAPE_LQUANTIZE:
		return dif_lquantize_bucket(av->arg, 0);
	default:
		return dif_llquantize_zero(av->arg);
	}
}

struct dt_weight
dt_agg_weight(const struct dif_aggvar *av, const struct dt_cell *c)
{
	enum dif_agg_shape shape = dt_agg_shape(av);
	struct dt_weight w = { 0, 0 };

	if (c == NULL)
		return w;
	if (!dt_shape_is_hist(shape)) {
		w.w = (long double)dt_agg_value(shape, c->words, c->nwords, 1);
		return w;
	}
	for (uint32_t i = 0; i < c->nwords; i++)
		if (c->words[i] != 0)
			w.w += (long double)bucket_value(av, shape, i) *
			       (long double)(int64_t)c->words[i];
	w.zero = (int64_t)c->words[dt_agg_zero_bucket(av)];
	return w;
}
