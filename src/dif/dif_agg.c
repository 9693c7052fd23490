/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_agg.c - the arithmetic of histogram buckets.
 *
 * These functions define which bucket a value falls into; the consumer prints
 * by them and every engine counts as they do.
 *
 *   quantize    127 buckets: 63 is zero, 63+k holds 2^(k-1) <= v < 2^k, and
 *               63-k mirrors it; what lies beyond -2^62 stays in bucket 0
 *   lquantize   0: below the base; 1..levels: steps; levels+1: at or above
 *   llquantize  0: below factor^low; then for each magnitude m in low..high
 *               the range factor^m .. factor^(m+1) in steps of
 *               factor^(m+1)/nsteps (1, where that would be less); the last:
 *               at or above factor^(high+1)
 *
 * Dynamic Tracing Guide, chapter "Aggregations".
 */
#include "dif/dif.h"

uint32_t
dif_quantize_zero(uint64_t arg)
{
	(void)arg;
	return 63;
}

static uint32_t
dif_quantize_words(uint64_t arg)
{
	(void)arg;
	return 127;
}

uint32_t
dif_quantize_bucket(int64_t v)
{
	if (v == 0)
		return 63;
	if (v > 0)
		return 63 + (64 - (uint32_t)__builtin_clzll((uint64_t)v));
	uint32_t k = 64 - (uint32_t)__builtin_clzll(-(uint64_t)v);
	return k > 63 ? 0 : 63 - k;
}

int64_t
dif_quantize_value(uint32_t bucket)
{
	if (bucket == 63)
		return 0;
	if (bucket > 63)
		return (int64_t)1 << (bucket - 64);
	return -((int64_t)1 << (62 - bucket));
}

static struct dif_bucket
dif_quantize_at(uint64_t arg, uint32_t i)
{
	(void)arg;
	return (struct dif_bucket){ DIF_BUCKET_FROM, dif_quantize_value(i) };
}

uint32_t
dif_lquantize_bucket(uint64_t arg, int64_t v)
{
	int64_t base = DIF_LQ_BASE(arg);
	uint32_t step = DIF_LQ_STEP(arg), levels = DIF_LQ_LEVELS(arg);

	if (v < base)
		return 0;
	/* v - base may exceed INT64_MAX, never UINT64_MAX. */
	uint64_t level = ((uint64_t)v - (uint64_t)base) / (step ? step : 1);
	return level < levels ? (uint32_t)level + 1 : levels + 1;
}

int64_t
dif_lquantize_value(uint64_t arg, uint32_t bucket)
{
	if (bucket == 0)
		return INT64_MIN;
	return (int64_t)DIF_LQ_BASE(arg) +
	       (int64_t)(bucket - 1) * (int64_t)DIF_LQ_STEP(arg);
}

uint32_t
dif_lquantize_zero(uint64_t arg)
{
	return dif_lquantize_bucket(arg, 0);
}

static uint32_t
dif_lquantize_words(uint64_t arg)
{
	return DIF_LQ_LEVELS(arg) + 2;
}

static struct dif_bucket
dif_lquantize_at(uint64_t arg, uint32_t i)
{
	struct dif_bucket b = { DIF_BUCKET_FROM, dif_lquantize_value(arg, i) };

	if (i == 0)
		b = (struct dif_bucket){ DIF_BUCKET_BELOW, DIF_LQ_BASE(arg) };
	else if (i == DIF_LQ_LEVELS(arg) + 1)
		b.is = DIF_BUCKET_LAST;
	return b;
}

/* One magnitude of an llquantize. */
struct ll_mag {
	uint64_t lo, hi; /* factor^m, factor^(m+1); hi saturates */
	uint64_t width;	 /* of a bucket */
	uint32_t n;	 /* buckets */
};

static uint64_t
ll_mul(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static void
ll_mag_set(struct ll_mag *m, uint64_t arg, uint64_t lo)
{
	uint32_t steps = DIF_LLQ_STEPS(arg);

	m->lo = lo;
	m->hi = ll_mul(lo, DIF_LLQ_FACTOR(arg));
	m->width = steps == 0 ? m->hi : m->hi / steps;
	if (m->width == 0)
		m->width = 1;
	/* Its buckets begin at multiples of the width; the first one where the
	   magnitude does, and the last one ends there. */
	m->n = m->hi == m->lo ? 0
			      : (uint32_t)((m->hi - 1) / m->width + 1 -
					   m->lo / m->width);
}

static void
ll_mag_first(struct ll_mag *m, uint64_t arg)
{
	uint64_t lo = 1;

	for (uint32_t i = 0; i < DIF_LLQ_LOW(arg) && lo != UINT64_MAX; i++)
		lo = ll_mul(lo, DIF_LLQ_FACTOR(arg));
	ll_mag_set(m, arg, lo);
}

uint32_t
dif_llquantize_zero(uint64_t arg)
{
	struct ll_mag m;
	uint32_t n = 1;

	ll_mag_first(&m, arg);
	for (uint32_t i = DIF_LLQ_LOW(arg); i <= DIF_LLQ_HIGH(arg); i++) {
		n += m.n;
		ll_mag_set(&m, arg, m.hi);
	}
	return n;
}

/* How many buckets away from that of zero. */
static uint32_t
ll_side(uint64_t arg, uint64_t v)
{
	struct ll_mag m;
	uint32_t b = 1;

	ll_mag_first(&m, arg);
	if (v < m.lo)
		return 0;
	for (uint32_t i = DIF_LLQ_LOW(arg); i <= DIF_LLQ_HIGH(arg); i++) {
		if (v < m.hi)
			return b + (uint32_t)(v / m.width - m.lo / m.width);
		b += m.n;
		ll_mag_set(&m, arg, m.hi);
	}
	return b;
}

uint32_t
dif_llquantize_bucket(uint64_t arg, int64_t v)
{
	uint32_t zero = dif_llquantize_zero(arg);

	return v < 0 ? zero - ll_side(arg, -(uint64_t)v)
		     : zero + ll_side(arg, (uint64_t)v);
}

/* The least number so many buckets above that of zero. */
static int64_t
ll_side_value(uint64_t arg, uint32_t side)
{
	struct ll_mag m;
	uint32_t b = 1;

	ll_mag_first(&m, arg);
	for (uint32_t i = DIF_LLQ_LOW(arg); i <= DIF_LLQ_HIGH(arg); i++) {
		if (side == b)
			return (int64_t)m.lo;
		if (side < b + m.n)
			return (int64_t)((m.lo / m.width + side - b) * m.width);
		b += m.n;
		ll_mag_set(&m, arg, m.hi);
	}
	return m.lo > INT64_MAX ? INT64_MAX : (int64_t)m.lo;
}

int64_t
dif_llquantize_value(uint64_t arg, uint32_t bucket)
{
	uint32_t zero = dif_llquantize_zero(arg);

	if (bucket == zero)
		return 0;
	return bucket < zero ? -ll_side_value(arg, zero - bucket)
			     : ll_side_value(arg, bucket - zero);
}

static uint32_t
dif_llquantize_words(uint64_t arg)
{
	return 2 * dif_llquantize_zero(arg) + 1;
}

static struct dif_bucket
dif_llquantize_at(uint64_t arg, uint32_t i)
{
	uint32_t zero = dif_llquantize_zero(arg);
	struct dif_bucket b = { DIF_BUCKET_FROM, dif_llquantize_value(arg, i) };

	if (i == zero && DIF_LLQ_LOW(arg) > 0) {
		b.is = DIF_BUCKET_NEARER;
		b.v = dif_llquantize_value(arg, i + 1);
	} else if (i == 0) {
		b.is = DIF_BUCKET_UPTO;
	} else if (i == 2 * zero) {
		b.is = DIF_BUCKET_LAST;
	}
	return b;
}

/* ---- by the rows of agg.def ---------------------------------------------- */

static const struct hist {
	uint32_t (*words)(uint64_t arg), (*zero)(uint64_t arg);
	struct dif_bucket (*at)(uint64_t arg, uint32_t i);
} hists[] = {
#define SHOWN_FIRST(name) { NULL, NULL, NULL },
#define SHOWN_OWN(name)	  { NULL, NULL, NULL },
#define SHOWN_HIST(name) \
	{ dif_##name##_words, dif_##name##_zero, dif_##name##_at },
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	SHOWN_##shown(name)
#include "dif/agg.def"
#undef AGG
};

uint32_t
dif_agg_words(uint32_t func, uint64_t arg)
{
	const struct dif_agg_info *info = dif_agg_by_code(func);
	uint32_t n = 0;

	if (info == NULL)
		return 0;
	if (info->hist)
		return hists[info - dif_aggfuncs].words(arg);
	for (unsigned i = 0; i < DIF_AGG_NWORDS; i++)
		n += dif_aggwords[info->word[i]].words;
	return n;
}

uint32_t
dif_agg_zero(uint32_t func, uint64_t arg)
{
	const struct dif_agg_info *info = dif_agg_by_code(func);

	return info != NULL && info->hist
		       ? hists[info - dif_aggfuncs].zero(arg)
		       : 0;
}

struct dif_bucket
dif_agg_bucket(uint32_t func, uint64_t arg, uint32_t i)
{
	const struct dif_agg_info *info = dif_agg_by_code(func);

	return info != NULL && info->hist
		       ? hists[info - dif_aggfuncs].at(arg, i)
		       : (struct dif_bucket){ 0 };
}
