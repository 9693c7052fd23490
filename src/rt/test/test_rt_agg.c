/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_agg.c - cells of aggregations with keys. */
#include "rt/engine.h"
#include "rt/test/rt_cases.h"

static uint64_t
cell(struct fixture *f, uint64_t agg, uint64_t key, uint64_t cellsize)
{
	RT_WORD(f->rt.key) = key;
	return rt_agg_cell(&f->rt, agg, 8, cellsize);
}

static void
finds_what_it_made(void **state)
{
	struct fixture *f = fixture_new(256);
	uint64_t pos[200];

	for (uint64_t k = 0; k < 200; k++) {
		pos[k] = cell(f, 1 + k % 3, k / 3, 16);
		assert_true(pos[k] & RT_AGG_NEW);
		pos[k] = (uint32_t)pos[k];
		assert_int_equal(RT_WORD(f->agg + pos[k]), 0);
		RT_WORD(f->agg + pos[k]) = RT_WORD(f->agg + pos[k] + 8) = ~0ull;
	}
	for (uint64_t k = 0; k < 200; k++)
		assert_int_equal(cell(f, 1 + k % 3, k / 3, 16), pos[k]);
	assert_int_equal(((struct rt_agg_half *)(void *)f->agg)->nentries, 200);
	assert_int_equal(f->rt.drops[RT_DROP_AGG], 0);
	free(f);
}

static void
keeps_the_halves_apart(void **state)
{
	struct fixture *f = fixture_new(256);
	uint64_t a, b;

	a = cell(f, 1, 5, 8);
	f->ctl.agg_half = 1;
	b = cell(f, 1, 5, 8);
	assert_true(b & RT_AGG_NEW);
	assert_int_equal((uint32_t)b, (uint32_t)a + f->conf.agg_halfsize);
	f->ctl.agg_half = 0;
	assert_int_equal(cell(f, 1, 5, 8), (uint32_t)a);
	free(f);
}

/* Every word of a long key counts, whether it lies in a whole block, in the
   rest, in the first window or in a later one. */
static void
tells_long_keys_apart(void **state)
{
	static const unsigned sizes[] = { 8, 64, 72, 264, 512, 520, 1088 };
	struct fixture *f = fixture_new(256);
	uint64_t at, other;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(f->agg, 0, sizeof(f->agg));
		memset(f->rt.key, 0, RT_KEY_MAX);
		at = rt_agg_cell(&f->rt, 1, sizes[i], 8);
		assert_true(at & RT_AGG_NEW);
		/* not so many that the half is full */
		for (unsigned w = 0; w < sizes[i] && w < 160; w += 8) {
			unsigned k = w < 80 ? w : sizes[i] - 8 - (w - 80);

			f->rt.key[k + 7] = 1;
			other = rt_agg_cell(&f->rt, 1, sizes[i], 8);
			assert_true(other & RT_AGG_NEW || w >= 80);
			assert_memory_equal(f->agg + (uint32_t)other - sizes[i],
					    f->rt.key, sizes[i]);
			assert_int_equal(rt_agg_cell(&f->rt, 1, sizes[i], 8),
					 (uint32_t)other);
			f->rt.key[k + 7] = 0;
		}
		assert_int_equal(rt_agg_cell(&f->rt, 1, sizes[i], 8),
				 (uint32_t)at);
	}
	free(f);
}

static void
counts_drops(void **state)
{
	struct fixture *f = fixture_new(256);
	uint64_t k, made = 0, room, size = 16 + 8 + 127 * 8;

	for (k = 0; k < 100; k++)
		made += cell(f, 1, k, 127 * 8) != 0;
	room = (f->conf.agg_halfsize - f->conf.agg_entries_off) / size;
	assert_int_equal(made, room);
	assert_int_equal(f->rt.drops[RT_DROP_AGG], 100 - room);
	/* nothing was written in the other half */
	for (k = f->conf.agg_halfsize; k < f->conf.aggsize; k++)
		assert_int_equal(f->agg[k], 0);
	assert_int_equal(rt_agg_cell(&f->rt, 1, RT_KEY_MAX + 8, 8), 0);
	assert_int_equal(rt_agg_cell(&f->rt, 1, 8, (uint64_t)-8), 0);
	assert_int_equal(f->rt.drops[RT_DROP_AGG], 102 - room);
	f->host.agg = NULL;
	assert_int_equal(cell(f, 1, 1, 8), 0);
	free(f);
}

/* A bucket for each entry of a short key that a half has room for, rounded down
   to a power of two. */
static void
has_buckets_for_its_size(void **state)
{
	static const struct {
		uint64_t half;
		uint32_t nbuckets;
	} want[] = {
		{ 4096, 64 },       { 16383, 64 },         { 16384, 128 },
		{ 32767, 128 },     { 32768, 256 },        { 8388607, 32768 },
		{ 8388608, 65536 }, { 1ull << 30, 65536 },
	};
	const struct dif_tab tab = { 0 };
	struct rt_agg_layout lay;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		rt_agg_layout(&tab, want[i].half, NULL, &lay);
		assert_int_equal(lay.nbuckets, want[i].nbuckets);
		assert_int_equal(lay.entries_off,
				 lay.buckets_off + 4 * lay.nbuckets);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_it_made),
		cmocka_unit_test(keeps_the_halves_apart),
		cmocka_unit_test(tells_long_keys_apart),
		cmocka_unit_test(counts_drops),
		cmocka_unit_test(has_buckets_for_its_size),
	};

	return cmocka_run_group_tests_name("rt_agg", tests, NULL, NULL);
}
