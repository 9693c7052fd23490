/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_rec.c - principal buffers under each policy: random records, some
 * given up after room was taken for them, against a model that keeps all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/engine.h"
#include "rt/rt_rec.h"

#define SIZE 1024u
#define NREC 3000u

struct world {
	struct rt_view v;
	struct rt *rt;
	struct rt_ctl ctl;
	uint8_t *buf;
};

/* A record of EPID n takes 8 n bytes. */
static uint32_t
rec_size(void *arg, uint32_t epid)
{
	return epid >= 2 && epid <= SIZE / 8 ? epid * 8 : 0;
}

static void
world_init(struct world *w, enum rt_policy policy)
{
	memset(w, 0, sizeof(*w));
	w->rt = calloc(1, sizeof(*w->rt));
	w->buf = malloc(SIZE);
	assert_non_null(w->rt);
	assert_non_null(w->buf);
	memset(w->buf, 0xff, SIZE);
	w->ctl.activity = RT_ACT_ACTIVE;
	w->v = (struct rt_view){ .nslots = 1, .ncpus = 1, .maxslots = 1,
				 .rt = &w->rt, .buf = &w->buf,
				 .bufsize = SIZE, .bufpolicy = policy,
				 .ctl = &w->ctl };
}

static void
world_fini(struct world *w)
{
	free(w->rt);
	free(w->buf);
}

/* Write a record with that time; keep: publish it.  Was there room? */
static bool
put(struct world *w, uint32_t epid, uint64_t time, bool keep)
{
	uint8_t *p = rt_rec_room(w->rt, &w->ctl, w->buf, SIZE, w->v.bufpolicy,
				 epid * 8);

	if (p == NULL)
		return false;
	assert_in_range(p - w->buf, 0, SIZE - epid * 8);
	memset(p, 0xee, epid * 8);
	*(struct rt_rec *)(void *)p = (struct rt_rec){ .epid = epid,
						       .time = time };
	if (keep)
		w->rt->head = w->rt->rec_end;
	return true;
}

/* The records that are there are those of time [from, to). */
static uint64_t
take(struct world *w, uint64_t to)
{
	const struct rt_rec *r;
	uint64_t pos = w->rt->tail, from = 0, n = 0;
	struct err e = { 0 };

	while ((r = rt_drain_next(&w->v, 0, &pos, rec_size, NULL, &e)) !=
	       NULL) {
		if (n++ == 0)
			from = r->time;
		assert_int_equal(r->time, from + n - 1);
		for (uint32_t i = sizeof(*r); i < r->epid * 8; i++)
			assert_int_equal(((const uint8_t *)r)[i], 0xee);
	}
	assert_false(err_is_set(&e));
	assert_int_equal(from + n, n == 0 ? 0 : to);
	rt_drain_done(&w->v, 0, pos);
	return n;
}

/*
 * The bytes of the youngest records that n stands for must fit: the ring may
 * lose one record and the unused ends of two rounds.
 */
static void
check_kept(const uint32_t *epid, uint64_t total, uint64_t n, uint64_t given_up)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < n; i++)
		bytes += epid[total - 1 - i] * 8;
	assert_true(bytes <= SIZE);
	if (n < total) /* nothing more could have been kept */
		assert_true(bytes + epid[total - 1 - n] * 8 + 3 * 200 +
				    given_up > SIZE);
}

static void
ring_run(unsigned seed, unsigned most)
{
	static uint32_t epid[NREC];
	struct world w;
	struct err e = { 0 };
	unsigned n = (unsigned)rand_r(&seed) % NREC;
	uint64_t given_up = 0, total = 0;

	world_init(&w, RT_BUF_RING);
	for (unsigned i = 0; i < n; i++) {
		uint32_t id = 2 + (uint32_t)rand_r(&seed) % most;
		bool keep = rand_r(&seed) % 8 != 0;
		assert_true(put(&w, id, total, keep));
		given_up = keep ? given_up : id * 8;
		if (keep)
			epid[total++] = id;
	}
	assert_int_equal(rt_drain_turn(&w.v, 0, rec_size, NULL, &e), 0);
	check_kept(epid, total, take(&w, total), given_up);
	/* It is a ring again, an empty one. */
	rt_drain_reset(&w.v, 0);
	assert_true(put(&w, 3, 0, true));
	assert_int_equal(rt_drain_turn(&w.v, 0, rec_size, NULL, &e), 0);
	assert_int_equal(take(&w, 1), 1);
	assert_int_equal(w.rt->drops[RT_DROP_PRINCIPAL], 0);
	world_fini(&w);
}

static void
test_ring(void **state)
{
	for (unsigned seed = 1; seed < 400; seed++) {
		ring_run(seed, 1); /* all alike: 64 fit, without a gap */
		ring_run(seed, 24);
	}
}

static void
test_ring_exact(void **state)
{
	struct err e = { 0 };
	struct world w;

	for (uint64_t n = 0; n < 200; n++) {
		world_init(&w, RT_BUF_RING);
		for (uint64_t i = 0; i < n; i++)
			assert_true(put(&w, 4, i, true));
		assert_int_equal(rt_drain_turn(&w.v, 0, rec_size, NULL, &e), 0);
		assert_int_equal(take(&w, n), n < 32 ? n : 32);
		world_fini(&w);
	}
}

/* What another process may have written there is not believed. */
static void
test_ring_hostile(void **state)
{
	struct err e = { 0 };
	struct world w;

	for (unsigned seed = 1; seed < 2000; seed++) {
		unsigned s = seed;
		world_init(&w, RT_BUF_RING);
		for (unsigned i = 0; i < SIZE; i++)
			w.buf[i] = rand_r(&s) % 4 != 0 ?
					   0 : (uint8_t)(rand_r(&s) % 8);
		w.rt->head = (uint64_t)rand_r(&s) * (seed % 3);
		w.rt->reach = w.rt->head + (uint64_t)rand_r(&s) % 2000;
		err_clear(&e);
		(void)rt_drain_turn(&w.v, 0, rec_size, NULL, &e);
		assert_in_range(w.rt->head, 0, SIZE);
		world_fini(&w);
	}
}

/* Nor counts: they would have us read for ever, or from between records. */
static void
test_hostile_counts(void **state)
{
	static const uint64_t counts[][2] = { /* tail, head */
		{ 0, 1ull << 62 }, { 0, SIZE + 8 }, { 4, 64 },
		{ UINT64_MAX - 7, UINT64_MAX }, { 64, 128 }
	};
	struct world w;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint64_t pos = counts[i][0];
		struct err e = { 0 };
		world_init(&w, RT_BUF_SWITCH);
		memset(w.buf, 0, SIZE);
		w.rt->head = counts[i][1];
		assert_null(rt_drain_next(&w.v, 0, &pos, rec_size, NULL, &e));
		/* The last one is good: nothing but fillers. */
		assert_int_equal(err_is_set(&e), i < 4);
		world_fini(&w);
	}
}

static void
test_fill(void **state)
{
	struct world w;
	uint64_t n = 0;

	world_init(&w, RT_BUF_FILL);
	while (put(&w, 3, n, true))
		n++;
	assert_int_equal(n, SIZE / 24);
	assert_int_equal(w.ctl.filled, 1);
	assert_int_equal(w.ctl.wanted, 1);
	assert_int_equal(w.ctl.activity, RT_ACT_DRAINING);
	assert_int_equal(w.rt->drops[RT_DROP_PRINCIPAL], 0);
	assert_int_equal(take(&w, n), n);
	world_fini(&w);
	/* In END it is a drop like others. */
	world_init(&w, RT_BUF_FILL);
	w.ctl.activity = RT_ACT_DRAINING;
	for (n = 0; put(&w, 3, n, true);)
		n++;
	assert_int_equal(w.ctl.filled, 0);
	assert_int_equal(w.rt->drops[RT_DROP_PRINCIPAL], 1);
	world_fini(&w);
}

static void
test_switch(void **state)
{
	unsigned seed = 7;
	uint64_t n = 0, seen = 0, lost = 0;
	struct world w;

	world_init(&w, RT_BUF_SWITCH);
	for (unsigned i = 0; i < 5000; i++) {
		if (put(&w, 2 + (uint32_t)rand_r(&seed) % 24, n, true))
			n++;
		else
			lost++;
		if (rand_r(&seed) % 9 == 0)
			seen += take(&w, n);
	}
	seen += take(&w, n);
	assert_int_equal(seen, n);
	assert_true(lost > 0);
	assert_int_equal(w.rt->drops[RT_DROP_PRINCIPAL], lost);
	assert_int_equal(w.ctl.activity, RT_ACT_ACTIVE);
	world_fini(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_exact),
		cmocka_unit_test(test_ring_hostile),
		cmocka_unit_test(test_hostile_counts),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
