/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_drain.c - the consumer's side of the shared memory that rt.h describes.
 *
 * Records: the probe alone writes head, the consumer alone writes tail; a
 * record is complete before head moves past it, so everything between tail and
 * head may be read without a lock.
 *
 * Aggregations: the half that is drained has no writer (the caller has flipped
 * the halves and waited), so it is read and zeroed like ordinary memory.
 * Counts that only grow have no halves, and may grow while they are read.
 *
 * Where rt.raw_time is set the time of a record is what a clock's register
 * said; it is turned into ns in place when the record is first handed out, and
 * rt_seen.conv remembers how far that has been done: a record may be looked at
 * again before it is given back.
 *
 * A traced process can write what it shares with us, at any time: what decides
 * where we read or write is read once and checked before it is used, counts and
 * the sizes that fillers give as well.
 */
#include "rt/engine.h"

#include <stdlib.h>
#include <string.h>

/* ---- records ------------------------------------------------------------ */

static uint64_t
drain_head(const struct rt_view *v, unsigned slot)
{
	return __atomic_load_n(&v->rt[slot]->head, __ATOMIC_ACQUIRE);
}

uint64_t
rt_drain_pending(const struct rt_view *v, unsigned slot)
{
	return drain_head(v, slot) - v->rt[slot]->tail;
}

/* A word that may change the moment after. */
static uint32_t
drain_once(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static uint32_t
drain_size(uint32_t epid, rt_recsize_fn *size, void *arg, struct err *e)
{
	if (epid == RT_EPID_ERROR)
		return sizeof(struct rt_error_rec);
	uint32_t n = size(arg, epid);
	if (n < sizeof(struct rt_rec)) {
		err_set(e, &ERR_GENERIC, 0,
			"trace buffer: record of unknown clause %u", epid);
		return 0;
	}
	return n;
}

/* A record that ends at `end` is handed out. */
static void
drain_time(const struct rt_view *v, unsigned slot, struct rt_rec *r,
	   uint64_t end)
{
	if (v->ns == NULL || v->rt[slot]->raw_time == 0 ||
	    end <= v->seen[slot].conv)
		return;
	r->time = v->ns(v->ns_arg, r->time);
	v->seen[slot].conv = end;
}

/* How far there are records, looked up only when those known are read. */
static uint64_t
drain_end(const struct rt_view *v, unsigned slot, uint64_t pos)
{
	if (v->seen == NULL)
		return drain_head(v, slot);
	if (pos >= v->seen[slot].head)
		v->seen[slot].head = drain_head(v, slot);
	return v->seen[slot].head;
}

/* More than a buffer holds is not there, records do not begin anywhere, and
   nobody has come far enough for counts to wrap. */
static bool
drain_count_ok(const struct rt_view *v, uint64_t pos, uint64_t head,
	       struct err *e)
{
	if (head - pos <= v->bufsize && (pos & 7) == 0 && head <= INT64_MAX)
		return true;
	err_set(e, &ERR_GENERIC, 0,
		"trace buffer: someone else has changed its counts");
	return false;
}

const struct rt_rec *
rt_drain_next(const struct rt_view *v, unsigned slot, uint64_t *pos,
	      rt_recsize_fn *size, void *arg, struct err *e)
{
	uint64_t head = drain_end(v, slot, *pos);

	if (*pos != head && !drain_count_ok(v, *pos, head, e))
		return NULL;
	while (*pos < head) {
		uint64_t off = *pos & (v->bufsize - 1);
		uint64_t rest = v->bufsize - off;
		struct rt_rec *r = (void *)(v->buf[slot] + off);
		uint32_t epid = rest < sizeof(*r) ? 0 : drain_once(&r->epid);

		if (epid == 0) {
			*pos += rest;
			continue;
		}
		uint32_t n = drain_size(epid, size, arg, e);
		if (n == 0)
			return NULL;
		if (n > rest || n > head - *pos) {
			err_set(e, &ERR_GENERIC, 0,
				"trace buffer: record of clause %u is cut off",
				epid);
			return NULL;
		}
		*pos += n;
		drain_time(v, slot, r, *pos);
		return r;
	}
	return NULL;
}

void
rt_drain_done(const struct rt_view *v, unsigned slot, uint64_t pos)
{
	__atomic_store_n(&v->rt[slot]->tail, pos, __ATOMIC_RELEASE);
}

/* ---- rings -------------------------------------------------------------- */

/* What is whole, from the youngest record on: bytes, and in *at where. */
static uint64_t
ring_whole(const struct rt_view *v, unsigned slot, uint64_t *at)
{
	const struct rt *rt = v->rt[slot];
	uint64_t size = v->bufsize, head = drain_head(v, slot);
	uint64_t reach = __atomic_load_n(&rt->reach, __ATOMIC_RELAXED);
	uint64_t lost = reach > head ? reach - head : 0;

	*at = (0 - head) & (size - 1);
	if (lost >= size || (head & 7) != 0)
		return 0;
	return head < size - lost ? head : size - lost;
}

/* Copy the records of n bytes from `at` on to before `end`, so that they come
   out oldest first.  Where they begin, or NULL. */
static uint8_t *
ring_copy(const struct rt_view *v, unsigned slot, uint64_t at, uint64_t n,
	  uint8_t *end, rt_recsize_fn *size, void *arg, struct err *e)
{
	const uint8_t *buf = v->buf[slot];
	uint64_t mask = v->bufsize - 1;

	for (uint64_t pos = 0; n - pos >= 8;) {
		uint64_t off = (at + pos) & mask;
		const uint32_t *r = (const void *)(buf + off);
		uint32_t epid = drain_once(&r[0]);
		uint64_t len = epid == 0 ? drain_once(&r[1]) :
					   drain_size(epid, size, arg, e);

		if (len == 0)
			return epid == 0 ? end : NULL;
		/* The oldest may have lost its end. */
		if (len > n - pos || len > v->bufsize - off || (len & 7) != 0)
			break;
		pos += len;
		if (epid == 0)
			continue;
		end -= len;
		memcpy(end, r, len);
	}
	return end;
}

int
rt_drain_turn(const struct rt_view *v, unsigned slot, rt_recsize_fn *size,
	      void *arg, struct err *e)
{
	uint64_t at, n = ring_whole(v, slot, &at);
	uint8_t *copy, *first;

	rt_drain_reset(v, slot);
	if (n == 0)
		return 0;
	copy = malloc(n);
	if (copy == NULL)
		return err_nomem(e);
	first = ring_copy(v, slot, at, n, copy + n, size, arg, e);
	if (first != NULL) {
		n = (uint64_t)(copy + n - first);
		memcpy(v->buf[slot], first, n);
		__atomic_store_n(&v->rt[slot]->head, n, __ATOMIC_RELEASE);
	}
	free(copy);
	return first != NULL ? 0 : -1;
}

void
rt_drain_reset(const struct rt_view *v, unsigned slot)
{
	struct rt *rt = v->rt[slot];

	rt->tail = 0;
	rt->reach = 0;
	__atomic_store_n(&rt->head, 0, __ATOMIC_RELEASE);
	if (v->seen != NULL)
		v->seen[slot] = (struct rt_seen){ 0 };
}

/* ---- aggregations ------------------------------------------------------- */

/* One walk over the halves of all slots. */
struct agg_drain {
	const struct rt_view *v;
	const struct dif_tab *tab;
	rt_cell_fn *fn;
	void *arg;
	unsigned cpu;
	int rc; /* of fn: the first that is not 0, then fn is left alone */
};

static void
drain_cell(struct agg_drain *d, uint32_t agg, const uint8_t *key,
	   const uint64_t *cell)
{
	if (d->rc == 0)
		d->rc = d->fn(d->arg, agg, d->cpu, key, cell);
}

/* A count() is of what was counted since the last look. */
static bool
drain_sane(const struct agg_drain *d, const struct dif_aggvar *a,
	   const uint64_t *cell)
{
	uint64_t n = *(const volatile uint64_t *)cell;

	return a->func != DIF_AGG_count || n == 0 ||
	       rt_view_grown(d->v, 0, n) != 0;
}

static void
drain_fixed(struct agg_drain *d, uint8_t *half)
{
	for (uint32_t i = 0; i < d->tab->naggs; i++) {
		if (d->v->agg_fixed[i] == 0)
			continue;
		uint64_t *used = (uint64_t *)(half + d->v->agg_fixed[i]);
		if (*used == 0)
			continue;
		if (drain_sane(d, d->tab->aggs[i], used + 1))
			drain_cell(d, i, (const uint8_t *)"", used + 1);
		memset(used, 0, 8 + d->tab->aggs[i]->words * 8);
	}
}

/* The cells of constant keys; count() leaves the used word alone. */
static void
drain_statics(struct agg_drain *d, uint8_t *half)
{
	for (uint32_t i = 0; i < d->v->nstatics; i++) {
		const struct rt_static_cell *s = &d->v->statics[i];
		const struct dif_aggvar *a = d->tab->aggs[s->agg];
		uint64_t *used = (uint64_t *)(half + s->off);
		bool any = a->func == DIF_AGG_count ? used[1] != 0 : *used != 0;

		if (!any)
			continue;
		if (drain_sane(d, a, used + 1))
			drain_cell(d, s->agg, s->key, used + 1);
		memset(used, 0, 8 + (size_t)a->words * 8);
	}
}

/* Entries lie one behind the other from entries_off to used. */
static void
drain_entries(struct agg_drain *d, const uint8_t *half, uint32_t used)
{
	uint32_t off = d->v->agg_entries_off;

	while (off + sizeof(struct rt_agg_entry) <= used) {
		const struct rt_agg_entry *en = (const void *)(half + off);
		uint32_t agg = drain_once(&en->agg);
		/* 0: reserved, but its probe never came to fill it. */
		if (agg == 0 || agg > d->tab->naggs)
			break;
		const struct dif_aggvar *a = d->tab->aggs[agg - 1];
		const uint8_t *key = (const uint8_t *)(en + 1);
		uint64_t size = sizeof(*en) + (uint64_t)a->keysize +
				(uint64_t)a->words * 8;

		if (size > used - off)
			break;
		const uint64_t *cell = (const void *)(key + a->keysize);

		if (drain_sane(d, a, cell))
			drain_cell(d, agg - 1, key, cell);
		off += (uint32_t)size;
	}
}

static void
drain_half(struct agg_drain *d, uint8_t *half, uint64_t halfsize)
{
	struct rt_agg_half *h = (struct rt_agg_half *)half;
	uint32_t used = drain_once(&h->used);

	if (used > halfsize)
		used = (uint32_t)halfsize;
	drain_fixed(d, half);
	drain_statics(d, half);
	if (used > d->v->agg_entries_off) {
		drain_entries(d, half, used);
		memset(half + d->v->agg_entries_off, 0,
		       used - d->v->agg_entries_off);
		memset(half + d->v->agg_buckets_off, 0,
		       (size_t)d->v->agg_nbuckets * 4);
	}
	memset(h, 0, sizeof(*h));
}

static void
drain_solos(struct agg_drain *d, unsigned slot)
{
	uint8_t *rt = (uint8_t *)d->v->rt[slot];

	for (uint32_t i = 0; i < d->v->nsolos; i++) {
		const struct rt_static_cell *s = &d->v->solos[i];
		uint64_t *at = (uint64_t *)(rt + s->off);
		uint64_t *seen = (uint64_t *)(rt + s->off + d->v->solo_seen);
		uint64_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
		uint64_t more = rt_view_grown(d->v, *seen, now);

		*seen = now;
		if (more != 0)
			drain_cell(d, s->agg, s->key, &more);
	}
}

int
rt_drain_aggs(const struct rt_view *v, const struct dif_tab *tab,
	      unsigned half, rt_cell_fn *fn, void *arg)
{
	struct agg_drain d = { .v = v, .tab = tab, .fn = fn, .arg = arg };
	uint64_t halfsize = v->aggsize / 2;

	if (v->agg == NULL)
		return 0;
	for (unsigned s = 0; s < v->nslots; s++) {
		d.cpu = rt_view_cpu(v, s);
		if (v->agg[s] != NULL && (v->stuck == NULL || !v->stuck[s]))
			drain_half(&d, v->agg[s] + half * halfsize, halfsize);
		if (s >= v->solo0 && (v->solo_levels || s % RT_LEVELS == 0))
			drain_solos(&d, s);
	}
	return d.rc;
}
