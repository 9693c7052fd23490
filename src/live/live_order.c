/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_order.c - which rows of an aggregation are wanted, in which order.
 */
#include "live/live_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What qsort_r() is given. */
struct order {
	const struct live_row *rows;
	unsigned sort;
	bool up;
};

static int
order_key(const struct live_key *a, const struct live_key *b)
{
	if (a->is_text != b->is_text)
		return a->is_text ? 1 : -1;
	if (!a->is_text)
		return (a->num > b->num) - (a->num < b->num);
	return strcmp(a->text, b->text);
}

static int
order_rows(const struct live_row *a, const struct live_row *b, unsigned sort)
{
	if (sort == SORT_VALUE)
		return (a->value > b->value) - (a->value < b->value);
	if (sort == SORT_RATE)
		return (a->rate > b->rate) - (a->rate < b->rate);
	uint32_t i = sort - SORT_KEY;
	if (i >= a->nkeys || i >= b->nkeys)
		return (a->nkeys > b->nkeys) - (a->nkeys < b->nkeys);
	return order_key(&a->keys[i], &b->keys[i]);
}

/* Where two are equal their keys tell, so that lines do not change places. */
static int
order_cmp(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	const struct live_row *a = &o->rows[*(const uint32_t *)pa];
	const struct live_row *b = &o->rows[*(const uint32_t *)pb];
	int c = order_rows(a, b, o->sort);

	if (c != 0)
		return o->up ? c : -c;
	for (uint32_t i = 0; c == 0 && i < a->nkeys && i < b->nkeys; i++)
		c = order_key(&a->keys[i], &b->keys[i]);
	return c;
}

static bool
order_wants(const struct live_view *v, const struct live_row *r, struct buf *b)
{
	if (v->filter.n == 0)
		return true;
	buf_reset(b);
	for (uint32_t i = 0; i < r->nkeys; i++) {
		if (i > 0)
			buf_puts(b, "  ");
		clean_key(b, &r->keys[i], v->utf8);
	}
	return strcasestr(buf_str(b), buf_str(&v->filter)) != NULL;
}

const struct live_agg *
view_agg(const struct live_view *v)
{
	if (v->frame == NULL || v->agg >= v->frame->aggs.n)
		return NULL;
	return &v->frame->aggs.v[v->agg];
}

bool
view_order(struct live_view *v)
{
	const struct live_agg *a = view_agg(v);
	struct buf b = BUF_INIT;

	free(v->order);
	v->order = NULL;
	v->norder = 0;
	v->most = 0;
	if (a == NULL || a->rows.n == 0)
		return true;
	v->order = calloc(a->rows.n, sizeof(*v->order));
	if (v->order == NULL)
		return false;
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct live_row *r = &a->rows.v[i];
		int64_t size = r->value == INT64_MIN ? INT64_MAX :
						       llabs(r->value);
		if (!order_wants(v, r, &b))
			continue;
		v->order[v->norder++] = (uint32_t)i;
		if (size > v->most)
			v->most = size;
	}
	buf_fini(&b);
	struct order o = { a->rows.v, v->sort, v->up };
	qsort_r(v->order, v->norder, sizeof(*v->order), order_cmp, &o);
	return true;
}

void
view_next_sort(struct live_view *v)
{
	const struct live_agg *a = view_agg(v);
	unsigned n = SORT_KEY + (a != NULL ? a->nkeys : 0);

	v->sort = (v->sort + 1) % n;
	v->up = v->sort >= SORT_KEY; /* names from a, numbers from the
					largest */
}

/* The aggregation of that name; the first, where it has no rows any more. */
static size_t
view_find(const struct live_frame *f, const struct live_agg *was)
{
	for (size_t i = 0; i < f->aggs.n; i++)
		if (f->aggs.v[i].probes == was->probes &&
		    strcmp(f->aggs.v[i].name, was->name) == 0)
			return i;
	return 0;
}

void
view_frame(struct live_view *v, struct live_frame *f)
{
	const struct live_agg *was = view_agg(v);
	/* Probes alone were all there was: who chose them has said so. */
	bool only = was != NULL && v->frame->aggs.n == 1;

	v->agg = was == NULL || only ? 0 : view_find(f, was);
	frame_free(v->frame);
	v->frame = f;
}

void
view_fini(struct live_view *v)
{
	frame_free(v->frame);
	text_free(v->text);
	free(v->order);
	buf_fini(&v->filter);
	buf_fini(&v->input);
}
