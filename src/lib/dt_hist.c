/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_hist.c - histograms of quantize(), lquantize() and llquantize().
 *
 *            value  ------------- Distribution ------------- count
 *                0 |                                         0
 *                1 |@@@@@@@@@@@@@@@@@@@@                     1
 *                2 |@@@@@@@@@@@@@@@@@@@@                     1
 *                4 |                                         0
 *
 * Rows go from one bucket before the first that is not zero to one after the
 * last; where all are zero, three rows say so: -1, 0 and 1, or the lowest ones
 * of lquantize().  Forty columns stand for the whole; a negative increment can
 * make counts negative, which grow to the left of the line: with only negative
 * counts the line is at the right, with both kinds it is in the middle.
 */
#include "lib/dt_out.h"

#include <inttypes.h>

#define BAR 40

struct hist {
	struct buf *out;
	const struct dif_aggvar *av;
	const uint64_t *words;
	uint32_t n;
	uint64_t normal;
	struct dt_bars bars;
};

/* ---- bars ---------------------------------------------------------------- */

static void
bar_put(const struct dt_bars *h, struct buf *b, int blanks_before, int ats,
	int blanks_after)
{
	bool colour = h->colour && ats > 0;

	buf_printf(b, "%*s", blanks_before, "");
	if (colour)
		buf_puts(b, "\033[36m");
	for (int i = 0; i < ats; i++)
		buf_putc(b, '@');
	if (colour)
		buf_puts(b, "\033[m");
	buf_printf(b, "%*s", blanks_after, "");
}

/* Columns of a count, rounded half up. */
static int
bar_len(const struct dt_bars *h, int64_t count, int columns)
{
	long double v = count < 0 ? -(long double)count : (long double)count;
	int n = h->total > 0 ? (int)((long double)columns * v / h->total + 0.5L)
			     : 0;

	return n < columns ? n : columns;
}

void
dt_bars_add(struct dt_bars *h, int64_t count, bool zoom)
{
	long double v = count < 0 ? -(long double)count : (long double)count;

	h->positive |= count > 0;
	h->negative |= count < 0;
	if (!zoom)
		h->total += v;
	else if (v > h->total)
		h->total = v;
}

void
dt_bars_put(const struct dt_bars *h, int64_t count, struct buf *b)
{
	int half = BAR / 2, len;

	if (h->positive && h->negative) {
		len = bar_len(h, count, half);
		bar_put(h, b, count < 0 ? half - len : half,
			count < 0 ? len : 0, 0);
		buf_putc(b, '|');
		bar_put(h, b, 0, count > 0 ? len : 0,
			count > 0 ? half - len : half);
	} else if (h->negative) {
		len = bar_len(h, count, BAR);
		bar_put(h, b, BAR - len, len, 0);
		buf_putc(b, '|');
	} else {
		len = bar_len(h, count, BAR);
		buf_putc(b, '|');
		bar_put(h, b, 0, len, BAR - len);
	}
}

/* ---- buckets ------------------------------------------------------------- */

static void
hist_row(const struct hist *h, const char *label, int64_t count)
{
	uint64_t shown = (count < 0 ? -(uint64_t)count : (uint64_t)count) /
			 h->normal;

	buf_printf(h->out, "%16s ", label);
	dt_bars_put(&h->bars, count, h->out);
	buf_printf(h->out, " %-9" PRId64 "\n",
		   (int64_t)(count < 0 ? -shown : shown));
}

void
dt_hist_label(const struct dif_aggvar *av, uint32_t i, char *out, size_t n)
{
	static const char *const form[] = {
		[DIF_BUCKET_FROM] = "%" PRId64,
		[DIF_BUCKET_LAST] = ">= %" PRId64,
		[DIF_BUCKET_BELOW] = "< %" PRId64,
		[DIF_BUCKET_UPTO] = "<= %" PRId64,
		[DIF_BUCKET_NEARER] = "abs() < %" PRId64,
	};
	struct dif_bucket b = dif_agg_bucket(av->func, av->arg, i);

	snprintf(out, n, form[b.is], b.v);
}

void
dt_hist_around_zero(const struct dif_aggvar *av, uint32_t *first,
		    uint32_t *last)
{
	bool limited = dif_agg_bucket(av->func, av->arg, 0).is ==
		       DIF_BUCKET_BELOW;

	*first = limited ? 0 : dt_agg_zero_bucket(av) - 1;
	*last = *first + 2;
	if (*last >= av->words)
		*last = av->words - 1;
}

bool
dt_hist_range(const uint64_t *words, uint32_t n, uint32_t *first,
	      uint32_t *last)
{
	uint32_t lo = 0, hi = n;

	while (lo < n && words[lo] == 0)
		lo++;
	if (lo == n)
		return false;
	while (words[hi - 1] == 0)
		hi--;
	*first = lo;
	*last = hi - 1;
	return true;
}

void
dt_hist_print(struct dt_out *o, const struct dif_aggvar *av,
	      const uint64_t *words, uint64_t normal)
{
	struct hist h = { .out = &o->text,
			  .av = av,
			  .words = words,
			  .n = av->words,
			  .normal = normal,
			  .bars = { .colour = o->colour } };
	uint32_t first, last;
	char label[32];

	buf_printf(&o->text, "\n%16s %41s %-9s\n", "value",
		   "------------- Distribution -------------", "count");
	for (uint32_t i = 0; i < h.n; i++)
		dt_bars_add(&h.bars, (int64_t)words[i], o->aggzoom);
	if (dt_hist_range(words, h.n, &first, &last)) {
		first -= first > 0;
		last += last < h.n - 1;
	} else {
		/* Cleared, or what went in was taken out again. */
		dt_hist_around_zero(av, &first, &last);
	}
	for (uint32_t i = first; i <= last; i++) {
		dt_hist_label(av, i, label, sizeof(label));
		hist_row(&h, label, (int64_t)words[i]);
	}
}
