/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_html_draw.c - aggregations in the report: numbers as a table with bars,
 * histograms one by one, and over time as a heat map.
 */
#include "show/show_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHART_LEFT   120
#define CHART_WIDTH  1000
#define CHART_BOTTOM 24
#define CELL_HEIGHT  14

void
html_bucket_text(struct buf *b, const struct show_bucket *k)
{
	if (k->kind == SHOW_BELOW)
		buf_printf(b, "< %" PRId64, k->value);
	else if (k->kind == SHOW_NEARER)
		buf_printf(b, "0 (nearer than %" PRId64 ")", k->value);
	else
		buf_printf(b, "%" PRId64, k->value);
}

static void
put_bucket(struct show_out *o, const struct show_bucket *k)
{
	struct buf b = BUF_INIT;

	html_bucket_text(&b, k);
	show_xml(o, show_text(&b));
	buf_fini(&b);
}

void
html_time(struct show_out *o, uint64_t time, uint64_t start)
{
	double s = time >= start ? (double)(time - start) / 1e9 :
				   -(double)(start - time) / 1e9;

	show_printf(o, "%+.6f", s);
}

static double
percent(int64_t n, int64_t most)
{
	return most > 0 && n > 0 ? (double)n * 100 / (double)most : 0;
}

/* The largest first; of the same value by key, and numbers as such. */
static int
by_value(const void *a, const void *b)
{
	const struct html_row *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	for (size_t i = 0; i < x->nkeys && i < y->nkeys; i++) {
		int c = strverscmp(x->keys[i].text, y->keys[i].text);
		if (c != 0)
			return c;
	}
	return 0;
}

static void
put_count(struct show_out *o, const struct html_agg *a)
{
	show_printf(o, "<p class=\"soft\">%zu row%s", a->nrows,
		    a->nrows == 1 ? "" : "s");
	if (a->rows.n < a->nrows && (!a->stacks || a->hist))
		show_printf(o, ", of which the %zu with the largest values are "
			       "shown", a->rows.n);
	show_puts(o, "</p>\n");
}

/* ---- numbers ------------------------------------------------------------ */

/* A bar of that many hundredths; none for none. */
static void
put_bar(struct show_out *o, double width)
{
	show_puts(o, "<td class=\"bars\">");
	if (width > 0)
		show_printf(o, "<div class=\"bar\" style=\"width:%.2f%%\">"
			       "</div>", width);
	show_puts(o, "</td>");
}

/* A column for each key, so that each can be sorted by; "key" if there is
   one. */
static void
put_key_heads(struct show_out *o, const struct html_row *r)
{
	for (size_t i = 0; i < r->nkeys; i++) {
		show_printf(o, "<th%s>key", r->keys[i].num ? " class=\"n\"" : "");
		if (r->nkeys > 1)
			show_printf(o, " %zu", i + 1);
		show_puts(o, "</th>");
	}
}

static void
put_key_cells(struct show_out *o, const struct html_row *r)
{
	for (size_t i = 0; i < r->nkeys; i++) {
		if (r->keys[i].num)
			show_printf(o, "<td class=\"n\" data-v=\"%s\">",
				    r->keys[i].text);
		else
			show_puts(o, "<td class=\"key\">");
		show_xml(o, r->keys[i].text);
		show_puts(o, "</td>");
	}
}

static void
put_table(struct show_out *o, const struct html_agg *a)
{
	int64_t most = 0;

	if (a->rows.n == 0)
		return;
	for (size_t i = 0; i < a->rows.n; i++)
		if (a->rows.v[i].value > most)
			most = a->rows.v[i].value;
	show_puts(o, "<table class=\"sortable\"><thead><tr>");
	put_key_heads(o, &a->rows.v[0]);
	show_puts(o, "<th class=\"n\" data-order=\"down\">");
	show_xml(o, a->func);
	show_puts(o, "</th><th></th></tr></thead><tbody>\n");
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct html_row *r = &a->rows.v[i];
		show_puts(o, "<tr>");
		put_key_cells(o, r);
		show_printf(o, "<td class=\"n\" data-v=\"%" PRId64 "\">%"
			       PRId64 "</td>", r->value, r->value);
		put_bar(o, percent(r->value, most));
		show_puts(o, "</tr>\n");
	}
	show_puts(o, "</tbody></table>\n");
}

/* ---- histograms --------------------------------------------------------- */

static void
put_hist(struct show_out *o, const struct html_row *r, bool open)
{
	int64_t most = 0;

	for (size_t i = 0; i < r->nbuckets; i++)
		if (r->buckets[i].count > most)
			most = r->buckets[i].count;
	show_printf(o, "<details%s><summary>", open ? " open" : "");
	for (size_t i = 0; i < r->nkeys; i++) {
		show_puts(o, i > 0 ? ", " : "");
		show_xml(o, r->keys[i].text);
	}
	show_puts(o, r->nkeys == 0 ? "all" : "");
	show_printf(o, " <span class=\"soft\">(%" PRId64 " values)</span>"
		       "</summary>\n<table class=\"hist\"><thead><tr>"
		       "<th class=\"n\">value</th><th></th><th class=\"n\">"
		       "count</th></tr></thead><tbody>\n", r->value);
	for (size_t i = 0; i < r->nbuckets; i++) {
		show_puts(o, "<tr><td class=\"n\">");
		put_bucket(o, &r->buckets[i]);
		show_puts(o, "</td>");
		put_bar(o, percent(r->buckets[i].count, most));
		show_printf(o, "<td class=\"n\">%" PRId64 "</td></tr>\n",
			    r->buckets[i].count);
	}
	show_puts(o, "</tbody></table></details>\n");
}

/* ---- over time ---------------------------------------------------------- */

/* Where buckets stand among others: below all, around zero, by value. */
static int
compare_buckets(const void *a, const void *b)
{
	const struct show_bucket *x = a, *y = b;
	int64_t v = x->kind == SHOW_NEARER ? 0 : x->value;
	int64_t w = y->kind == SHOW_NEARER ? 0 : y->value;

	if (x->kind == SHOW_BELOW || y->kind == SHOW_BELOW)
		return (y->kind == SHOW_BELOW) - (x->kind == SHOW_BELOW);
	return v < w ? -1 : v > w;
}

struct scale {
	struct show_bucket *v; /* every bucket once, the lowest first */
	size_t n, cap;
};

static void
scale_make(struct scale *s, const struct html_agg *a)
{
	struct scale all = { 0 };

	for (size_t i = 0; i < a->moments.n; i++)
		for (size_t k = 0; k < a->moments.v[i].nbuckets; k++)
			show_push(&all, a->moments.v[i].buckets[k]);
	if (all.n > 1)
		qsort(all.v, all.n, sizeof(*all.v), compare_buckets);
	for (size_t i = 0; i < all.n; i++)
		if (s->n == 0 ||
		    compare_buckets(&s->v[s->n - 1], &all.v[i]) != 0)
			show_push(s, all.v[i]);
	free(all.v);
}

static int64_t
count_in(const struct html_moment *m, const struct show_bucket *b)
{
	for (size_t i = 0; m != NULL && i < m->nbuckets; i++)
		if (compare_buckets(&m->buckets[i], b) == 0)
			return m->buckets[i].count;
	return 0;
}

/* What came between two looks; less than there was: it had been cleared. */
static int64_t
since(int64_t now, int64_t before)
{
	return now >= before && before >= 0 ? now - before : now;
}

static int64_t
cell(const struct html_agg *a, size_t i, const struct show_bucket *b)
{
	const struct html_moment *before = i > 0 ? &a->moments.v[i - 1] : NULL;

	return since(count_in(&a->moments.v[i], b), count_in(before, b));
}

static double
x_of(const struct html_agg *a, uint64_t time, uint64_t start)
{
	uint64_t end = a->moments.v[a->moments.n - 1].time;

	if (time <= start || end <= start)
		return 0;
	return (double)(time - start) / (double)(end - start);
}

static void
put_cell(struct show_out *o, const struct html_agg *a, size_t i,
	 const struct show_bucket *b, int y, int64_t most, uint64_t start)
{
	uint64_t from = i > 0 ? a->moments.v[i - 1].time : start;
	double x = x_of(a, from, start);
	double w = x_of(a, a->moments.v[i].time, start) - x;
	int64_t n = cell(a, i, b);

	if (n <= 0)
		return;
	show_printf(o, "<rect class=\"cell\" x=\"%.1f\" y=\"%d\" "
		       "width=\"%.1f\" height=\"%d\" fill-opacity=\"%.3f\">"
		       "<title>", CHART_LEFT + x * CHART_WIDTH, y,
		    w * CHART_WIDTH > 1 ? w * CHART_WIDTH : 1, CELL_HEIGHT,
		    0.12 + 0.88 * percent(n, most) / 100);
	html_time(o, a->moments.v[i].time, start);
	show_puts(o, " s: ");
	put_bucket(o, b);
	show_printf(o, ": %" PRId64 "</title></rect>\n", n);
}

static void
put_axis(struct show_out *o, const struct html_agg *a, int y, uint64_t start)
{
	show_printf(o, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
		       "y2=\"%d\"/><text x=\"%d\" y=\"%d\">0 s</text>"
		       "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
		    CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y, CHART_LEFT,
		    y + 16, CHART_LEFT + CHART_WIDTH, y + 16);
	html_time(o, a->moments.v[a->moments.n - 1].time, start);
	show_puts(o, " s</text>\n");
}

/* Moments are sums over all keys. */
static void
put_over_time(struct show_out *o, const struct html_agg *a)
{
	show_printf(o, "<h3>Over time%s</h3>\n",
		    a->nrows > 1 ? ", all keys" : "");
}

static void
put_heat(struct show_out *o, const struct html_agg *a, uint64_t start)
{
	struct scale s = { 0 };
	int64_t most = 0;

	scale_make(&s, a);
	for (size_t k = 0; k < s.n; k++)
		for (size_t i = 0; i < a->moments.n; i++)
			if (cell(a, i, &s.v[k]) > most)
				most = cell(a, i, &s.v[k]);
	int height = (int)s.n * CELL_HEIGHT;
	put_over_time(o, a);
	show_printf(o, "<svg class=\"chart heat\" viewBox=\"0 0 %d %d\" "
		       "width=\"%d\" height=\"%d\">\n",
		    CHART_LEFT + CHART_WIDTH + 10, height + CHART_BOTTOM,
		    CHART_LEFT + CHART_WIDTH + 10, height + CHART_BOTTOM);
	for (size_t k = 0; k < s.n; k++) {
		int y = height - (int)(k + 1) * CELL_HEIGHT;
		show_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
			    CHART_LEFT - 6, y + 11);
		put_bucket(o, &s.v[k]);
		show_puts(o, "</text>\n");
		for (size_t i = 0; i < a->moments.n; i++)
			put_cell(o, a, i, &s.v[k], y, most, start);
	}
	put_axis(o, a, height, start);
	show_puts(o, "</svg>\n");
	free(s.v);
}

/* Values that add up: how much came between two looks. */
static void
put_rate(struct show_out *o, const struct html_agg *a, uint64_t start)
{
	const int height = 80;
	int64_t most = 0, was = 0;

	for (size_t i = 0; i < a->moments.n; was = a->moments.v[i++].total)
		if (since(a->moments.v[i].total, was) > most)
			most = since(a->moments.v[i].total, was);
	put_over_time(o, a);
	show_printf(o, "<svg class=\"chart rate\" viewBox=\"0 0 %d %d\" "
		       "width=\"%d\" height=\"%d\">\n",
		    CHART_LEFT + CHART_WIDTH + 10, height + CHART_BOTTOM,
		    CHART_LEFT + CHART_WIDTH + 10, height + CHART_BOTTOM);
	show_printf(o, "<text x=\"%d\" y=\"12\" text-anchor=\"end\">%" PRId64
		       "</text>\n", CHART_LEFT - 6, most);
	was = 0;
	for (size_t i = 0; i < a->moments.n; was = a->moments.v[i++].total) {
		int64_t n = since(a->moments.v[i].total, was);
		double x = x_of(a, i > 0 ? a->moments.v[i - 1].time : start,
				start);
		double w = x_of(a, a->moments.v[i].time, start) - x;
		double h = percent(n, most) * height / 100;
		show_printf(o, "<rect class=\"tick\" x=\"%.1f\" y=\"%.1f\" "
			       "width=\"%.1f\" height=\"%.1f\"><title>%" PRId64
			       "</title></rect>\n",
			    CHART_LEFT + x * CHART_WIDTH, height - h,
			    w * CHART_WIDTH > 1.5 ? w * CHART_WIDTH - 0.5 : 1,
			    h, n);
	}
	put_axis(o, a, height, start);
	show_puts(o, "</svg>\n");
}

void
html_flame_draw(struct show_out *o, struct show_stack_agg *sa,
		const char *title)
{
	show_tree_sum(&sa->tree);
	if (sa->tree.cut > 0)
		show_printf(o, "<p class=\"soft\">%zu stacks were cut short: "
			       "there are too many.</p>\n", sa->tree.cut);
	show_flame_svg(o, &sa->tree, title, sa->func, false, NULL);
}

void
html_agg_draw(struct show_out *o, struct html_aggs *as, size_t number,
	      uint64_t start)
{
	struct html_agg *a = as->list.v[number];
	struct show_stack_agg *sa = show_stacks_find(&as->stacks, a->name);
	bool adds = strcmp(a->func, "count") == 0 || strcmp(a->func, "sum") == 0;

	if (a->rows.n > 1)
		qsort(a->rows.v, a->rows.n, sizeof(*a->rows.v), by_value);
	show_printf(o, "<section id=\"agg%zu\">\n<h2>@", number);
	show_xml(o, strcmp(a->name, "_") == 0 ? "" : a->name);
	show_puts(o, " <span class=\"soft\">");
	show_xml(o, a->func);
	show_puts(o, "()</span></h2>\n");
	put_count(o, a);
	if (a->hist) {
		for (size_t i = 0; i < a->rows.n; i++)
			put_hist(o, &a->rows.v[i], i < 6);
		if (a->moments.n > 1)
			put_heat(o, a, start);
	} else if (!a->stacks) {
		put_table(o, a);
		if (adds && a->moments.n > 1)
			put_rate(o, a, start);
	}
	if (sa != NULL)
		html_flame_draw(o, sa, "");
	show_puts(o, "</section>\n");
}
