/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_agghist.c - a whole aggregation as one picture, a line for each key.
 *
 * With agghist, values that are numbers get bars, in the manner of a
 * histogram whose buckets are the keys:
 *
 *             key  ------------- Distribution ------------- count
 *            bash |@@@@@@@@@@@@@@@@@@@@                     2
 *             cat |@@@@@@@@@@@@@@@@@@@@                     2
 *
 * With aggpack, histograms shrink to a digit a bucket, over the buckets that
 * any key has used; the digit says how much of the key's whole it is, 9 for
 * nearly all, a blank for nothing (with encoding=utf8, a block's height does):
 *
 *             key      min .----. max      | count
 *            bash        1 :54 1: 8        | 10
 *
 * Forty columns, and a 9, stand for the sum, or with aggzoom for the largest.
 * Both are for printing in the default form: a format says by itself what is
 * wanted, and rows of several aggregations have no one picture.
 */
#include "lib/dt_out.h"

#include <inttypes.h>

#include "base/hash.h"

/* Call fn with each cell. */
static void
each_cell(struct dt_aggs *as, uint32_t agg,
	  void (*fn)(struct dt_out *, struct dt_aggs *, struct dt_pict *,
		     const struct dt_cell *),
	  struct dt_out *o, struct dt_pict *p)
{
	struct hash *cells = dt_aggs_cells(as, agg);
	size_t pos = 0;
	void *c;

	while (cells != NULL && hash_next(cells, &pos, NULL, NULL, &c))
		fn(o, as, p, c);
}

static int64_t
hist_value_of(struct dt_aggs *as, const struct dt_pict *p,
	      const struct dt_cell *c)
{
	return dt_agg_value(dt_agg_info(p->av), c->words, c->nwords,
			    dt_aggs_normal(as, c));
}

static void
hist_add(struct dt_out *o, struct dt_aggs *as, struct dt_pict *p,
	 const struct dt_cell *c)
{
	p->bars.colour = o->colour;
	dt_bars_add(&p->bars, hist_value_of(as, p, c), o->aggzoom);
}

static void
pack_add(struct dt_out *o, struct dt_aggs *as, struct dt_pict *p,
	 const struct dt_cell *c)
{
	uint32_t first, last;

	if (!dt_hist_range(c->words, c->nwords, &first, &last))
		return;
	if (first < p->first)
		p->first = first;
	if (last > p->last)
		p->last = last;
}

static void
hist_head(struct dt_out *o, const struct dt_pict *p)
{
	bool count = p->av->func == DIF_AGG_count;

	buf_printf(&o->text, "\n%16s %41s %-9s\n", "key",
		   "------------- Distribution -------------",
		   count ? "count" : "value");
}

static void
pack_head(struct dt_out *o, const struct dt_pict *p)
{
	buf_printf(&o->text, "\n%16s %8s .", "key", "min");
	for (uint32_t i = p->first; i <= p->last; i++)
		buf_putc(&o->text, '-');
	buf_printf(&o->text, ". %-8s | %s\n", "max", "count");
}

void
dt_pict_begin(struct dt_out *o, struct dt_aggs *as, uint32_t agg,
	      struct dt_pict *p)
{
	const struct dif_aggvar *av = dt_aggs_tab(as)->aggs[agg];
	bool hist = dt_agg_info(av)->hist;

	*p = (struct dt_pict){ .av = av, .first = UINT32_MAX };
	if (!(hist ? o->aggpack : o->agghist) || dt_aggs_count(as, agg) == 0)
		return;
	p->on = true;
	if (!hist) {
		each_cell(as, agg, hist_add, o, p);
		hist_head(o, p);
		return;
	}
	each_cell(as, agg, pack_add, o, p);
	if (p->first > p->last) /* all were cleared */
		p->first = p->last = dt_agg_zero_bucket(av);
	pack_head(o, p);
}

/* The keys in one column, several of them with blanks between. */
static void
put_keys(struct dt_out *o, const struct dt_row *row)
{
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < row->nkeys; i++) {
		if (i > 0)
			buf_putc(&b, ' ');
		dt_val_text(o, &row->keys[i], &b);
	}
	o->text.failed |= b.failed;
	buf_printf(&o->text, "%16s ", buf_str(&b));
	buf_fini(&b);
}

/* 1 to 9 for what is not nothing; counts below zero are only marked. */
static char
digit_of(int64_t count, const struct dt_bars *whole)
{
	int n;

	if (count == 0)
		return ' ';
	if (count < 0)
		return '-';
	n = (int)(9 * (long double)count / whole->total + 0.5L);
	return (char)('0' + (n < 1 ? 1 : n > 9 ? 9 : n));
}

/* A digit, or in UTF-8 a block of that height: U+2581 to U+2588. */
static void
pack_put(struct dt_out *o, char digit)
{
	if (!o->utf8 || digit < '1' || digit > '9')
		buf_putc(&o->text, digit);
	else
		buf_printf(&o->text, "\xe2\x96%c",
			   0x80 + ((digit - '0') * 8 + 8) / 9);
}

static void
pack_row(struct dt_out *o, struct dt_aggs *as, const struct dt_pict *p,
	 const struct dt_cell *c)
{
	struct dt_bars whole = { 0 };
	char label[32];

	for (uint32_t i = 0; i < c->nwords; i++)
		dt_bars_add(&whole, (int64_t)c->words[i], o->aggzoom);
	dt_hist_label(p->av, p->first, label, sizeof(label));
	buf_printf(&o->text, "%8s :", label);
	for (uint32_t i = p->first; i <= p->last; i++)
		pack_put(o, digit_of((int64_t)c->words[i], &whole));
	dt_hist_label(p->av, p->last, label, sizeof(label));
	buf_printf(&o->text, ": %-8s | %" PRId64 "\n", label,
		   hist_value_of(as, p, c));
}

void
dt_pict_row(struct dt_out *o, struct dt_aggs *as, const struct dt_pict *p,
	    const struct dt_row *row)
{
	const struct dt_cell *c = row->cell[0];
	int64_t v;

	put_keys(o, row);
	if (dt_agg_info(p->av)->hist) {
		pack_row(o, as, p, c);
		return;
	}
	v = hist_value_of(as, p, c);
	dt_bars_put(&p->bars, v, &o->text);
	buf_printf(&o->text, " %-9" PRId64 "\n", v);
}
