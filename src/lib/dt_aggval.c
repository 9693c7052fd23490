/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggval.c - what a cell is worth: merging, the value shown, the order.
 *
 * All of it follows from the rows of dif/agg.def and aggword.def.  Merging is
 * associative and commutative and wraps like the machine's integers.
 */
#include "lib/dt_out.h"

#include <string.h>

typedef unsigned __int128 u128;

const struct dif_agg_info *
dt_agg_info(const struct dif_aggvar *av)
{
	return dif_agg_by_code(av->func);
}

/* ---- merging ------------------------------------------------------------- */

static u128
words_u128(const uint64_t *w)
{
	return (u128)w[1] << 64 | w[0];
}

/* By the rows of aggword.def: words of one cell, n of them if it is a
   histogram, go into another's. */
#define WORD(name)                                                             \
	static void dt_word_##name(uint64_t *into, const uint64_t *from,       \
				   uint32_t n)

WORD(BUCKET)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] += from[i];
}

WORD(ONE)
{
	(void)n;
	*into += *from;
}

WORD(VAL)
{
	(void)n;
	*into += *from;
}

WORD(MIN)
{
	(void)n;
	if ((int64_t)*from < (int64_t)*into)
		*into = *from;
}

WORD(MAX)
{
	(void)n;
	if ((int64_t)*from > (int64_t)*into)
		*into = *from;
}

WORD(SQUARE)
{
	u128 sq = words_u128(into) + words_u128(from);

	(void)n;
	into[0] = (uint64_t)sq;
	into[1] = (uint64_t)(sq >> 64);
}
#undef WORD

void
dt_agg_merge(const struct dif_agg_info *f, uint64_t *into, const uint64_t *from,
	     uint32_t nwords)
{
	static void (*const fn[DIF_NAGGWORDS])(uint64_t *, const uint64_t *,
					       uint32_t) = {
#define AGGWORD(NAME, words, start, what) [DIF_AW_##NAME] = dt_word_##NAME,
#include "dif/aggword.def"
#undef AGGWORD
	};
	uint32_t at = 0;

	for (uint32_t i = 0; i < DIF_AGG_NWORDS && f->word[i]; i++) {
		fn[f->word[i]](into + at, from + at, nwords);
		at += dif_aggwords[f->word[i]].words;
	}
}

/* ---- the value that is shown --------------------------------------------- */

int64_t
dt_agg_normal(int64_t v, uint64_t by)
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
dt_value_stddev(const uint64_t *w)
{
	int64_t avg;
	u128 sq, avgsq;

	if (w[0] == 0)
		return 0;
	avg = dt_agg_normal((int64_t)w[1], w[0]);
	sq = words_u128(w + 2) / w[0];
	avgsq = (u128)((__int128)avg * avg);
	/* Only a sum that overflowed can make this negative. */
	return avgsq > sq ? 0 : (int64_t)isqrt(sq - avgsq);
}

static int64_t
dt_value_avg(const uint64_t *w)
{
	return w[0] == 0 ? 0 : dt_agg_normal((int64_t)w[1], w[0]);
}

/* By the rows of agg.def: of the words of a cell that is no histogram's. */
static int64_t
value_of(const struct dif_agg_info *f, const uint64_t *w)
{
	static int64_t (*const own[])(const uint64_t *) = {
#define SHOWN_FIRST(name) NULL,
#define SHOWN_HIST(name)  NULL,
#define SHOWN_OWN(name)   dt_value_##name,
#define AGG(code, name, words, map, shown, bounds, min, max, proto)            \
	SHOWN_##shown(name)
#include "dif/agg.def"
#undef AGG
	};

	return own[f - dif_aggfuncs] != NULL ? own[f - dif_aggfuncs](w)
					     : (int64_t)w[0];
}

int64_t
dt_agg_value(const struct dif_agg_info *f, const uint64_t *w, uint32_t nwords,
	     uint64_t normal)
{
	uint64_t sum = 0;

	if (!f->hist)
		return dt_agg_normal(value_of(f, w), normal);
	for (uint32_t i = 0; i < nwords; i++)
		sum += w[i];
	return dt_agg_normal((int64_t)sum, normal);
}

/* ---- order --------------------------------------------------------------- */

/* The value that stands for a bucket in the weighted sum. */
static int64_t
bucket_value(const struct dif_aggvar *av, uint32_t i)
{
	struct dif_bucket b = dif_agg_bucket(av->func, av->arg, i);

	return b.is == DIF_BUCKET_BELOW    ? b.v - 1
	       : b.is == DIF_BUCKET_NEARER ? 0
					   : b.v;
}

uint32_t
dt_agg_zero_bucket(const struct dif_aggvar *av)
{
	return dif_agg_zero(av->func, av->arg);
}

struct dt_weight
dt_agg_weight(const struct dif_aggvar *av, const struct dt_cell *c)
{
	const struct dif_agg_info *f = dt_agg_info(av);
	struct dt_weight w = { 0, 0 };

	if (c == NULL)
		return w;
	if (!f->hist) {
		w.w = (long double)dt_agg_value(f, c->words, c->nwords, 1);
		return w;
	}
	for (uint32_t i = 0; i < c->nwords; i++)
		if (c->words[i] != 0)
			w.w += (long double)bucket_value(av, i) *
			       (long double)(int64_t)c->words[i];
	w.zero = (int64_t)c->words[dt_agg_zero_bucket(av)];
	return w;
}
