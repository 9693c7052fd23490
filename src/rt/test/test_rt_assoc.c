/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_assoc.c - associative arrays that processes share. */
#include <pthread.h>

#include "rt/rt_assoc.h"
#include "rt/test/rt_fixture.h"

#define STRSIZE 64u

static const struct rtn_var number = { .size = 8, .flags = RTN_VAR_ARRAY };
static const struct rtn_var string = {
	.size = STRSIZE, .flags = RTN_VAR_ARRAY | RTN_VAR_REF | RTN_VAR_STR
};
static const struct rtn_var data = { .size = 24, .bytes = 20,
				     .flags = RTN_VAR_ARRAY | RTN_VAR_REF };
static const struct rtn_var large = { .size = 8192, .bytes = 8192,
				      .flags = RTN_VAR_ARRAY | RTN_VAR_REF };

static struct rt_assoc *
store_new(uint64_t size)
{
	struct rt_assoc *a = calloc(1, size);

	assert_non_null(a);
	assert_int_equal(rt_assoc_init(a, size), 0);
	return a;
}

static uint64_t
get(struct rt *rt, struct rt_assoc *a, const struct rtn_var *v, uint64_t key)
{
	struct rt_assoc_ref ref = { a, v, 0, 0x500, 0 };

	fixture_reset(rt);
	push_val(rt, key);
	return rt_assoc_load(rt, &ref);
}

static void
set(struct rt *rt, struct rt_assoc *a, const struct rtn_var *v, uint64_t key,
    uint64_t val)
{
	struct rt_assoc_ref ref = { a, v, 0, 0x500, 0 };

	fixture_reset(rt);
	push_val(rt, key);
	rt_assoc_store(rt, &ref, val);
}

/* An address that the machine can read: in this->, out of the keys' way. */
static uint64_t
text(struct rt *rt, const char *s)
{
	strcpy((char *)rt->locals + 10000, s);
	return rt->self + (uint64_t)(rt->locals + 10000 - (uint8_t *)rt);
}

static void
keeps_numbers(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 20);

	for (uint64_t k = 0; k < 5000; k++)
		assert_int_equal(get(&f->rt, a, &number, k), 0);
	for (uint64_t k = 0; k < 5000; k++)
		set(&f->rt, a, &number, k, ~k);
	for (uint64_t k = 0; k < 5000; k += 2)
		set(&f->rt, a, &number, k, 0);
	for (uint64_t k = 1; k < 5000; k += 4)
		set(&f->rt, a, &number, k, k);
	for (uint64_t k = 0; k < 5000; k++)
		assert_int_equal(get(&f->rt, a, &number, k),
				 k % 2 == 0 ? 0 : k % 4 == 1 ? k : ~k);
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 0);
	free(a);
	free(f);
}

/* Scope, id, thread and each part of the tuple make the key. */
static void
tells_keys_apart(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 16);
	struct rt_assoc_ref refs[] = {
		{ a, &number, 0, 0x500, 0 }, { a, &number, 0, 0x501, 0 },
		{ a, &number, 1, 0x500, 1 }, { a, &number, 1, 0x500, 2 },
	};

	for (uint64_t i = 0; i < 32; i++) {
		fixture_reset(&f->rt);
		push_str(&f->rt, i & 4 ? "a" : "ab");
		push_val(&f->rt, i & 8);
		if (i & 16)
			push_val(&f->rt, 0);
		rt_assoc_store(&f->rt, &refs[i & 3], i + 1);
	}
	for (uint64_t i = 0; i < 32; i++) {
		fixture_reset(&f->rt);
		push_str(&f->rt, i & 4 ? "a" : "ab");
		push_val(&f->rt, i & 8);
		if (i & 16)
			push_val(&f->rt, 0);
		assert_int_equal(rt_assoc_load(&f->rt, &refs[i & 3]), i + 1);
	}
	free(a);
	free(f);
}

static void
keeps_what_is_referred_to(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 16);
	struct rt *rt = &f->rt;
	const uint8_t *p;

	set(rt, a, &string, 1, text(rt, "a longer string"));
	p = (void *)(uintptr_t)get(rt, a, &string, 1);
	assert_string_equal((const char *)p, "a longer string");
	set(rt, a, &string, 1, text(rt, "short"));
	assert_ptr_equal((void *)(uintptr_t)get(rt, a, &string, 1), p);
	for (unsigned i = 5; i < STRSIZE; i++)
		assert_int_equal(p[i], 0);
	set(rt, a, &data, 2, text(rt, "0123456789012345678901234567890"));
	p = (void *)(uintptr_t)get(rt, a, &data, 2);
	assert_memory_equal(p, "01234567890123456789\0\0\0\0", 24);
	set(rt, a, &large, 3, text(rt, "more than a string may have"));
	p = (void *)(uintptr_t)get(rt, a, &large, 3);
	assert_memory_equal(p, rt->locals + 10000, 8192);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	free(a);
	free(f);
}

/* As in the interpreter: the element is there, and zero. */
static void
faults_on_bad_addresses(void **state)
{
	static const struct rtn_var *const vars[] = { &string, &data, &large };
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 16);
	const uint8_t *p;

	for (uint64_t k = 0; k < 3; k++) {
		set(&f->rt, a, vars[k], k, 0x1230);
		assert_int_equal(f->rt.fault, RT_FAULT_BADADDR);
		assert_int_equal(f->rt.fault_val, 0x1230);
		p = (void *)(uintptr_t)get(&f->rt, a, vars[k], k);
		assert_non_null(p);
		assert_int_equal(p[0], 0);
	}
	/* a key that cannot be had */
	fixture_reset(&f->rt);
	push_str(&f->rt, "x");
	f->rt.tuple[0].val = 0x1230;
	assert_int_equal(rt_assoc_load(&f->rt,
				       &(struct rt_assoc_ref){ a, &number, 0,
							       0x500, 0 }), 0);
	assert_int_equal(f->rt.fault, RT_FAULT_BADADDR);
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 0);
	free(a);
	free(f);
}

static void
uses_memory_again(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 16);
	uint64_t used;

	for (uint64_t k = 0; k < 100; k++)
		set(&f->rt, a, &number, k, 1);
	used = a->used;
	for (uint64_t k = 0; k < 100000; k++) {
		set(&f->rt, a, &number, k, 0);
		set(&f->rt, a, &number, k + 100, 1);
	}
	assert_int_equal(a->used, used);
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 0);
	free(a);
	free(f);
}

static void
counts_what_does_not_fit(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(8192);
	uint64_t k, had = 0;

	for (k = 1; k <= 500; k++)
		set(&f->rt, a, &number, k, k);
	for (k = 1; k <= 500; k++)
		had += get(&f->rt, a, &number, k) == k;
	assert_true(had > 50 && had < 500);
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 500 - had);
	assert_true(a->used <= a->lay.size);
	set(&f->rt, a, &number, 1, 77); /* those that are there go on */
	assert_int_equal(get(&f->rt, a, &number, 1), 77);
	set(&f->rt, a, &number, 2, 0);
	set(&f->rt, a, &number, 1000, 5);
	assert_int_equal(get(&f->rt, a, &number, 1000), 5);
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 500 - had);
	assert_int_equal(rt_assoc_init(a, 256), -1);
	free(a);
	free(f);
}

/* Held by the other level of this slot, or by one that never lets go. */
static void
gives_up(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 16);
	uint32_t *locks = (uint32_t *)(void *)(a + 1);

	set(&f->rt, a, &number, 1, 5);
	f->rt.slot = 7;
	for (uint32_t holder = 5; holder <= 7; holder++) {
		for (uint32_t b = 0; b < a->lay.nbuckets; b++)
			locks[2 * b] = holder;
		assert_int_equal(get(&f->rt, a, &number, 1), 0);
		set(&f->rt, a, &number, 1, 6);
		set(&f->rt, a, &number, 1, 0);
	}
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 9);
	for (uint32_t b = 0; b < a->lay.nbuckets; b++)
		locks[2 * b] = 0;
	assert_int_equal(get(&f->rt, a, &number, 1), 5);
	free(a);
	free(f);
}

/* A table that has been written over is searched without end or crash. */
static void
survives_nonsense(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 14);
	uint32_t *words = (uint32_t *)(void *)(a + 1);
	uint64_t seed = 1;

	for (int round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < ((1u << 14) - sizeof(*a)) / 4; i++) {
			seed = seed * 6364136223846793005ull + 1;
			words[i] = (uint32_t)(seed >> 40) & ~7u;
			if (round & 1)
				words[i] &= 0x3fff;
		}
		for (uint32_t b = 0; b < a->lay.nbuckets; b++)
			words[2 * b] = 0;
		for (uint64_t k = 0; k < 50; k++) {
			get(&f->rt, a, &number, k);
			set(&f->rt, a, &number, k, k & 1);
		}
	}
	free(a);
	free(f);
}

/* ---- many at once -------------------------------------------------------- */

#define NTHREADS 4
#define ROUNDS	 50000

struct worker {
	pthread_t thread;
	struct rt_assoc *a;
	uint32_t n;
	uint64_t bad, drops;
};

/* Own keys keep their values, whatever others do to shared ones. */
/* The consumer's way: the store says it were larger than it is, and lies. */
static void
believes_its_own_layout(void **state)
{
	struct fixture *f = fixture_new(STRSIZE);
	struct rt_assoc *a = store_new(1 << 14);
	struct rt_assoc_lay lay;
	struct rt_assoc_ref ref = { a, &number, 0, 0x500, 0, &lay };

	assert_int_equal(rt_assoc_lay(&lay, 1 << 14), 0);
	a->lay = (struct rt_assoc_lay){ 1ull << 40, 1u << 30, 8 };
	a->used = 1ull << 30;
	for (uint64_t k = 0; k < 100; k++) {
		fixture_reset(&f->rt);
		push_val(&f->rt, k);
		rt_assoc_store(&f->rt, &ref, 1);
		fixture_reset(&f->rt);
		push_val(&f->rt, k);
		assert_int_equal(rt_assoc_load(&f->rt, &ref), 0);
	}
	assert_int_equal(f->rt.drops[RT_DROP_DYNVAR], 100);
	f->rt.bucket = 1u << 29;
	rt_assoc_abandon(&f->rt, a, &lay);
	assert_int_equal(f->rt.bucket, 0);
	free(a);
	free(f);
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct fixture *f = fixture_new(STRSIZE);
	uint64_t mine[16] = { 0 }, seed = w->n;

	f->rt.slot = w->n * RT_LEVELS;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t k = seed >> 60, drops = f->rt.drops[RT_DROP_DYNVAR];
		uint64_t key = 1000 * (w->n + 1) + k, v;

		v = get(&f->rt, w->a, &number, key);
		if (f->rt.drops[RT_DROP_DYNVAR] == drops)
			w->bad += v != mine[k];
		v = seed & 1ull << 40 ? i + 1 : 0;
		drops = f->rt.drops[RT_DROP_DYNVAR];
		set(&f->rt, w->a, &number, key, v);
		if (f->rt.drops[RT_DROP_DYNVAR] == drops)
			mine[k] = v;
		v = get(&f->rt, w->a, &number, k % 4);
		w->bad += v != 0 && v >> 32 != k % 4 + 1;
		set(&f->rt, w->a, &number, k % 4,
		    seed & 1ull << 41 ? (k % 4 + 1) << 32 | w->n : 0);
	}
	w->drops = f->rt.drops[RT_DROP_DYNVAR];
	free(f);
	return NULL;
}

static void
serves_many_at_once(void **state)
{
	struct rt_assoc *a = store_new(1 << 14);
	struct worker w[NTHREADS];

	for (uint32_t i = 0; i < NTHREADS; i++) {
		w[i] = (struct worker){ .a = a, .n = i };
		pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	for (uint32_t i = 0; i < NTHREADS; i++) {
		pthread_join(w[i].thread, NULL);
		assert_int_equal(w[i].bad, 0);
		assert_true(w[i].drops < ROUNDS / 10);
	}
	assert_true(a->used < a->lay.entries_off + 100 * 64);
	free(a);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_numbers),
		cmocka_unit_test(tells_keys_apart),
		cmocka_unit_test(keeps_what_is_referred_to),
		cmocka_unit_test(faults_on_bad_addresses),
		cmocka_unit_test(uses_memory_again),
		cmocka_unit_test(counts_what_does_not_fit),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(survives_nonsense),
		cmocka_unit_test(believes_its_own_layout),
		cmocka_unit_test(serves_many_at_once),
	};

	return cmocka_run_group_tests_name("rt_assoc", tests, NULL, NULL);
}
