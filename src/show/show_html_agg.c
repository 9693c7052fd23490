/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_html_agg.c - what the report keeps of aggregations: of each time it was
 * looked at the sum over all keys, and of the last time the largest rows.
 */
#include "show/show_html.h"

#include <stdlib.h>
#include <string.h>

static struct show_bucket *
copy_buckets(const struct show_bucket *v, size_t n)
{
	struct show_bucket *p = show_alloc(n, sizeof(*p));

	if (n != 0)
		memcpy(p, v, n * sizeof(*p));
	return p;
}

char *
html_short(const char *s)
{
	char *p = show_copy(s);

	if (strlen(p) > HTML_TEXT_MAX)
		strcpy(p + HTML_TEXT_MAX - 3, "...");
	return p;
}

static void
row_free(struct html_row *r)
{
	for (size_t i = 0; i < r->nkeys; i++)
		free(r->keys[i].text);
	free(r->keys);
	free(r->buckets);
}

static void
rows_clear(struct html_agg *a)
{
	for (size_t i = 0; i < a->rows.n; i++)
		row_free(&a->rows.v[i]);
	a->rows.n = 0;
	a->nrows = 0;
	a->total = 0;
}

/* ---- moments ------------------------------------------------------------ */

/* Forget every second one but the last. */
static void
moments_thin(struct html_agg *a)
{
	size_t k = 0;

	for (size_t i = 0; i < a->moments.n; i++) {
		if (i % 2 == 0 && i != a->moments.n - 1)
			free(a->moments.v[i].buckets);
		else
			a->moments.v[k++] = a->moments.v[i];
	}
	a->moments.n = k;
}

static void
moment_begin(struct html_agg *a, uint64_t time)
{
	struct html_moment m = { .time = time };

	if (a->moments.n >= HTML_MOMENTS_MAX)
		moments_thin(a);
	show_push(&a->moments, m);
}

static bool
same_bucket(const struct show_bucket *a, const struct show_bucket *b)
{
	return a->kind == b->kind && a->value == b->value;
}

/* Add a row's buckets; there are some hundreds of them at the most. */
static void
moment_add(struct html_moment *m, const struct show_row *r)
{
	m->total = show_add(m->total, r->value);
	for (size_t i = 0; i < r->nbuckets; i++) {
		size_t k = 0;
		if (r->buckets[i].count == 0)
			continue;
		while (k < m->nbuckets &&
		       !same_bucket(&m->buckets[k], &r->buckets[i]))
			k++;
		if (k == m->nbuckets) {
			m->buckets = realloc(m->buckets,
					     ++m->nbuckets *
						     sizeof(*m->buckets));
			if (m->buckets == NULL)
				show_die("memory allocation failure");
			m->buckets[k] = r->buckets[i];
			m->buckets[k].count = 0;
		}
		m->buckets[k].count = show_add(m->buckets[k].count,
					       r->buckets[i].count);
	}
}

/* ---- rows --------------------------------------------------------------- */

static void
swap(struct html_row *a, struct html_row *b)
{
	struct html_row t = *a;

	*a = *b;
	*b = t;
}

static void
heap_up(struct html_row *v, size_t i)
{
	for (; i > 0 && v[i].value < v[(i - 1) / 2].value; i = (i - 1) / 2)
		swap(&v[i], &v[(i - 1) / 2]);
}

static void
html_heap_down(struct html_row *v, size_t n)
{
	for (size_t i = 0;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (v[k].value < v[least].value)
				least = k;
		if (least == i)
			return;
		swap(&v[i], &v[least]);
		i = least;
	}
}

static void
row_make(struct html_row *to, const struct show_row *r)
{
	struct buf b = BUF_INIT;

	to->keys = show_alloc(r->nkeys, sizeof(*to->keys));
	to->nkeys = r->nkeys;
	for (size_t i = 0; i < r->nkeys; i++) {
		show_value_text(&b, &r->keys[i]);
		to->keys[i].text = html_short(show_text(&b));
		to->keys[i].num = r->keys[i].kind == SHOW_INT;
		buf_reset(&b);
	}
	to->value = r->value;
	to->nbuckets = r->nbuckets;
	to->buckets = copy_buckets(r->buckets, r->nbuckets);
	buf_fini(&b);
}

static void
row_keep(struct html_agg *a, const struct show_row *r)
{
	size_t most = r->hist ? HTML_HISTS_MAX : HTML_ROWS_MAX;
	struct html_row row;

	if (a->rows.n >= most && r->value <= a->rows.v[0].value)
		return;
	row_make(&row, r);
	if (a->rows.n < most) {
		show_push(&a->rows, row);
		heap_up(a->rows.v, a->rows.n - 1);
		return;
	}
	row_free(&a->rows.v[0]);
	a->rows.v[0] = row;
	html_heap_down(a->rows.v, a->rows.n);
}

/* ---- the list ----------------------------------------------------------- */

void
html_aggs_agg(struct html_aggs *as, const struct show_agg *a)
{
	struct html_agg *h = NULL;

	for (size_t i = 0; i < as->list.n; i++)
		if (strcmp(as->list.v[i]->name, a->name) == 0)
			h = as->list.v[i];
	if (h == NULL) {
		h = show_alloc(1, sizeof(*h));
		h->name = show_copy(a->name);
		h->func = show_copy(a->func);
		show_push(&as->list, h);
	}
	rows_clear(h);
	moment_begin(h, a->time);
	as->at = h;
}

void
html_aggs_row(struct html_aggs *as, const struct show_agg *a,
	      const struct show_row *r)
{
	struct html_agg *h = as->at;

	h->hist = r->hist;
	h->nrows++;
	h->total = show_add(h->total, r->value);
	moment_add(&h->moments.v[h->moments.n - 1], r);
	if (show_has_stack(r->keys, r->nkeys)) {
		h->stacks = true;
		show_stacks_row(&as->stacks, a, r);
	}
	if (!h->stacks || r->hist)
		row_keep(h, r);
}

void
html_aggs_fini(struct html_aggs *as)
{
	for (size_t i = 0; i < as->list.n; i++) {
		struct html_agg *h = as->list.v[i];
		rows_clear(h);
		for (size_t k = 0; k < h->moments.n; k++)
			free(h->moments.v[k].buckets);
		free(h->moments.v);
		free(h->rows.v);
		free(h->name);
		free(h->func);
		free(h);
	}
	free(as->list.v);
	show_stacks_fini(&as->stacks);
}
