/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_frame.c - a message (live_wire.h) as aggregations, rows and rates.
 *
 * A rate is what came since the frame before, by the time between them.  Where
 * a row was not there, or has less than it had (clear(), trunc()), all that it
 * has is new.
 */
#include "live/live_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "live/live_wire.h"

struct taker {
	struct live_frame *f;
	struct wire w;
};

static void *
taker_room(struct taker *t, size_t n, size_t size, size_t least)
{
	/* No array is longer than what is left of the message has place for. */
	void *p = n > (size_t)(t->w.end - t->w.p) / least ?
			  NULL : arena_calloc(t->f->a, n, size);

	t->w.bad |= p == NULL;
	return p;
}

static void
take_bounds(struct taker *t, struct live_agg *a)
{
	uint32_t n = wire_u32(&t->w);

	a->buckets = taker_room(t, n, sizeof(*a->buckets), 9);
	for (uint32_t i = 0; i < n && !t->w.bad; i++) {
		a->buckets[i].bound = wire_u8(&t->w);
		a->buckets[i].value = (int64_t)wire_u64(&t->w);
		a->nbuckets = i + 1;
	}
}

static void
taker_agg(struct taker *t)
{
	struct live_agg a = { .hist = false };
	size_t n;

	a.name = wire_text(&t->w, &n);
	a.func = wire_text(&t->w, &n);
	a.hist = wire_u8(&t->w) != 0;
	if (a.hist)
		take_bounds(t, &a);
	if (!vec_push(&t->f->aggs, a))
		t->w.bad = true;
}

static void
take_keys(struct taker *t, struct live_row *r)
{
	uint32_t n = wire_u32(&t->w);

	r->raw = t->w.p;
	r->keys = taker_room(t, n, sizeof(*r->keys), 6);
	for (uint32_t i = 0; i < n && !t->w.bad; i++) {
		struct live_key *k = &r->keys[i];
		k->is_text = wire_u8(&t->w) != 0;
		if (k->is_text)
			k->text = wire_text(&t->w, &k->n);
		else
			k->num = (int64_t)wire_u64(&t->w);
		r->nkeys = i + 1;
	}
	r->nraw = (size_t)(t->w.p - r->raw);
}

static void
take_counts(struct taker *t, const struct live_agg *a, struct live_row *r)
{
	uint32_t n = wire_u32(&t->w);

	r->counts = taker_room(t, n, sizeof(*r->counts), 12);
	for (uint32_t i = 0; i < n && !t->w.bad; i++) {
		r->counts[i].bucket = wire_u32(&t->w);
		r->counts[i].count = (int64_t)wire_u64(&t->w);
		t->w.bad |= r->counts[i].bucket >= a->nbuckets;
		r->ncounts = i + 1;
	}
}

static void
taker_row(struct taker *t)
{
	struct live_row r = { .rate = -1 };

	if (t->f->aggs.n == 0) {
		t->w.bad = true;
		return;
	}
	struct live_agg *a = &t->f->aggs.v[t->f->aggs.n - 1];
	take_keys(t, &r);
	r.value = (int64_t)wire_u64(&t->w);
	r.events = (int64_t)wire_u64(&t->w);
	if (a->hist)
		take_counts(t, a, &r);
	if (r.nkeys > a->nkeys)
		a->nkeys = r.nkeys;
	if (!vec_push(&a->rows, r))
		t->w.bad = true;
}

/* A probe is a row whose key is its name. */
static void
take_probe(struct taker *t, struct live_agg *probes)
{
	struct live_row r = { .rate = -1, .nkeys = 1 };
	struct live_key k = { .is_text = true };

	r.raw = t->w.p;
	k.text = wire_text(&t->w, &k.n);
	r.nraw = (size_t)(t->w.p - r.raw);
	r.value = r.events = (int64_t)wire_u64(&t->w);
	r.keys = arena_memdup(t->f->a, &k, sizeof(k));
	if (r.keys == NULL || !vec_push(&probes->rows, r))
		t->w.bad = true;
}

static bool
take_message(struct taker *t)
{
	struct live_agg probes = { .name = "probes", .func = "records",
				   .probes = true, .nkeys = 1 };
	uint8_t what;

	t->f->time = wire_u64(&t->w);
	t->f->since = wire_u64(&t->w);
	t->f->records = wire_u64(&t->w);
	t->f->drops = wire_u64(&t->w);
	do {
		what = wire_u8(&t->w);
		if (what == 'A')
			taker_agg(t);
		else if (what == 'R')
			taker_row(t);
		else if (what == 'P')
			take_probe(t, &probes);
		else if (what != '.')
			t->w.bad = true;
	} while (what != '.' && !t->w.bad);
	if (!vec_push(&t->f->aggs, probes)) {
		free(probes.rows.v);
		return false;
	}
	return !t->w.bad;
}

/* ---- rates --------------------------------------------------------------- */

static const struct live_agg *
frame_agg(const struct live_frame *f, const struct live_agg *like)
{
	for (size_t i = 0; i < f->aggs.n; i++)
		if (f->aggs.v[i].probes == like->probes &&
		    strcmp(f->aggs.v[i].name, like->name) == 0)
			return &f->aggs.v[i];
	return NULL;
}

static struct hash *
rows_by_key(const struct live_agg *a)
{
	struct hash *h = hash_new();

	for (size_t i = 0; h != NULL && i < a->rows.n; i++)
		(void)hash_set(h, a->rows.v[i].raw, a->rows.v[i].nraw,
			       &a->rows.v[i]);
	return h;
}

static bool
same_row(const struct live_row *a, const struct live_row *b)
{
	return a->nraw == b->nraw && memcmp(a->raw, b->raw, a->nraw) == 0;
}

/* Rows mostly come in the order in which they came before, new ones at the end:
   only where they do not they are looked for. */
static void
agg_rates(struct live_agg *a, const struct live_agg *was, double seconds)
{
	struct hash *h = NULL;

	for (size_t i = 0; i < a->rows.n; i++) {
		struct live_row *r = &a->rows.v[i];
		const struct live_row *old = NULL;
		if (was != NULL && i < was->rows.n &&
		    same_row(r, &was->rows.v[i]))
			old = &was->rows.v[i];
		else if (was != NULL && was->rows.n > 0) {
			if (h == NULL)
				h = rows_by_key(was);
			if (h != NULL)
				old = hash_find(h, r->raw, r->nraw);
		}
		if (r->events == -1)
			continue;
		int64_t had = old != NULL ? old->events : 0;
		r->rate = (double)(r->events >= had ? r->events - had :
						      r->events) / seconds;
	}
	hash_free(h);
}

static void
frame_rates(struct live_frame *f, const struct live_frame *before)
{
	double seconds = (double)(f->time - before->time) / 1e9;

	if (seconds <= 0)
		return;
	f->record_rate = (double)(f->records - before->records) / seconds;
	for (size_t i = 0; i < f->aggs.n; i++)
		agg_rates(&f->aggs.v[i], frame_agg(before, &f->aggs.v[i]),
			  seconds);
}

/* ---- frames -------------------------------------------------------------- */

struct live_frame *
frame_new(const char *msg, size_t n, const struct live_frame *before)
{
	struct live_frame *f = calloc(1, sizeof(*f));
	struct taker t = { .f = f };

	if (f == NULL)
		return NULL;
	f->record_rate = -1;
	f->a = arena_new();
	t.w.p = f->a != NULL ? arena_memdup(f->a, msg, n) : NULL;
	if (t.w.p == NULL) {
		frame_free(f);
		return NULL;
	}
	t.w.end = t.w.p + n;
	if (!take_message(&t)) {
		frame_free(f);
		return NULL;
	}
	if (before != NULL)
		frame_rates(f, before);
	return f;
}

void
frame_free(struct live_frame *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->aggs.n; i++)
		vec_fini(&f->aggs.v[i].rows);
	vec_fini(&f->aggs);
	arena_free(f->a);
	free(f);
}
