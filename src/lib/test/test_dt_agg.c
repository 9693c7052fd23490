/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The store: merging, joining of keys, clear, trunc, order of walks. */
#include "dt_test.h"

static struct cap c;
static struct agg a, b;
static struct dif_aggvar *vars[] = { &a.v, &b.v };
static struct dif_tab tab = { .aggs = vars, .naggs = 2 };
static struct dt_aggs *as;

static int
setup(void **state)
{
	cap_init(&c);
	as = dt_aggs_new(&tab, &c.o.syms, &c.e);
	assert_non_null(as);
	return 0;
}

static int
teardown(void **state)
{
	dt_aggs_free(as);
	cap_fini(&c);
	return 0;
}

static void
add(uint32_t agg, const void *key, const uint64_t *cell)
{
	assert_int_equal(dt_aggs_add(as, agg, key, cell, &c.e), 0);
}

static void
add1(uint32_t agg, int64_t key, int64_t value)
{
	add(agg, &key, (const uint64_t *)&value);
}

/* "key=value,value key=..." of the rows in order. */
static int
list_row(void *arg, const struct dt_row *row)
{
	struct buf *out = arg;

	if (out->n > 0)
		buf_putc(out, ' ');
	for (uint32_t i = 0; i < row->nkeys; i++) {
		if (i > 0)
			buf_putc(out, ':');
		dt_val_text(&c.o, &row->keys[i], out);
	}
	for (uint32_t i = 0; i < row->ncells; i++) {
		const struct dt_cell *cell = row->cell[i];

		buf_putc(out, i == 0 ? '=' : ',');
		if (cell == NULL)
			buf_putc(out, '-');
		else
			buf_printf(out, "%lld",
				   (long long)dt_agg_value(
					   dt_agg_info(vars[cell->agg]),
					   cell->words, cell->nwords,
					   dt_aggs_normal(as, cell)));
	}
	return 0;
}

static void
expect(const struct dt_aggsort *sort, uint32_t naggs, const char *want)
{
	const uint32_t ids[] = { 0, 1 };
	struct buf out = BUF_INIT;

	assert_int_equal(
		dt_aggs_walk(as, ids, naggs, sort, list_row, &out, &c.e), 0);
	assert_string_equal(buf_str(&out), want);
	buf_fini(&out);
}

static const struct dt_aggsort by_value = { 0 }, by_key = { .bykey = true },
			       rev = { .rev = true };

static void
test_merge(void **state)
{
	const uint64_t avg1[] = { 2, 10 }, avg2[] = { 1, (uint64_t)-1 };
	const uint64_t sd1[] = { 1, 10, 100, 0 }, sd2[] = { 1, 20, 400, 0 };
	const uint64_t big[] = { 1, 0, 0, UINT64_C(1) << 62 };

	agg_init(&a, DIF_AGG_sum, 0);
	agg_init(&b, DIF_AGG_min, 0);
	add1(0, 0, 5);
	add1(0, 0, -7);
	expect(&by_value, 1, "=-2");
	add1(1, 0, 3);
	add1(1, 0, -4);
	add1(1, 0, 8);
	expect(&by_value, 2, "=-2,-4");
	dt_aggs_trunc(as, 0, 0, &c.e);
	dt_aggs_trunc(as, 1, 0, &c.e);
	agg_init(&a, DIF_AGG_avg, 0);
	agg_init(&b, DIF_AGG_max, 0);
	add(0, "", avg1);
	add(0, "", avg2);
	add1(1, 0, -9);
	add1(1, 0, -4);
	expect(&by_value, 2, "=3,-4");
	dt_aggs_trunc(as, 0, 0, &c.e);
	agg_init(&a, DIF_AGG_stddev, 0);
	add(0, "", sd1);
	add(0, "", sd2);
	expect(&by_value, 1, "=5");
	dt_aggs_trunc(as, 0, 0, &c.e);
	add(0, "", big); /* the high word counts */
	expect(&by_value, 1, "=-9223372036854775808");
}

static uint64_t
next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 16 ^ *seed << 20;
}

/* Merging is associative and commutative, whatever is in the cells. */
static void
test_merge_laws(void **state)
{
	uint64_t seed = 1, x[3][4], l[4], r[4];

	for (int n = 0; n < 1000; n++) {
		const struct dif_agg_info *s =
			&dif_aggfuncs[(size_t)n % dif_naggfuncs];
		uint32_t words = s->hist ? 4 : dif_agg_words(s->code, 0);

		for (int i = 0; i < 12; i++)
			x[i / 4][i % 4] = next(&seed);
		memcpy(l, x[0], sizeof(l)); /* (0 + 1) + 2 */
		dt_agg_merge(s, l, x[1], 4);
		dt_agg_merge(s, l, x[2], 4);
		memcpy(r, x[2], sizeof(r)); /* (2 + 1) + 0 */
		dt_agg_merge(s, r, x[1], 4);
		dt_agg_merge(s, r, x[0], 4);
		assert_memory_equal(l, r, words * sizeof(*l));
	}
}

static void
test_order(void **state)
{
	agg_init(&a, DIF_AGG_sum, 0);
	agg_key_int(&a, 4);
	add1(0, 3, 10);
	add1(0, 1, 10);
	add1(0, 2, -5);
	add1(0, -1, 7);
	expect(NULL, 1, "3=10 1=10 2=-5 -1=7");
	expect(&by_value, 1, "2=-5 -1=7 1=10 3=10");
	expect(&rev, 1, "3=10 1=10 -1=7 2=-5");
	expect(&by_key, 1, "1=10 2=-5 3=10 -1=7");
}

static void
test_strings(void **state)
{
	const uint64_t one = 1, two = 2;
	char junk[16] = "ab\0junk";

	agg_init(&a, DIF_AGG_count, 0);
	agg_key_str(&a, 16);
	agg_key_int(&a, 8);
	memset(junk + 8, 0, 8);
	add(0, "b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0", &one);
	add(0, "ab\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0", &two);
	add(0, "b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0", &one);
	add(0, "b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0", &two);
	expect(&by_key, 1, "ab:1=2 b:1=1 b:2=3");
	expect(&(struct dt_aggsort){ .bykey = true, .keypos = 1 }, 1,
	       "ab:1=2 b:1=1 b:2=3");
	expect(&(struct dt_aggsort){ .bykey = true, .keypos = 1, .rev = true },
	       1, "b:2=3 b:1=1 ab:1=2");
	expect(&by_value, 1, "b:1=1 ab:1=2 b:2=3");
}

static void
test_names_merge(void **state)
{
	const uint64_t n = 1;

	agg_init(&a, DIF_AGG_count, 0);
	agg_key(&a, DIF_SRC_NAME, DIF_VAR_probefunc, (struct dif_type){ 0 }, 8);
	add(0, "\1\0\0\0\0\0\0", &n); /* read */
	add(0, "\2\0\0\0\0\0\0", &n); /* read, too */
	add(0, "\3\0\0\0\0\0\0", &n); /* write */
	add(0, "\2\0\0\0\0\0\0", &n);
	expect(&by_key, 1, "read=3 write=1");
	/* and removing a row forgets every way to it */
	assert_int_equal(dt_aggs_trunc(as, 0, -1, &c.e), 0);
	expect(&by_key, 1, "write=1");
	add(0, "\1\0\0\0\0\0\0", &n);
	expect(&by_key, 1, "read=1 write=1");
}

/* Rows and their counts. */
static int
sum_row(void *arg, const struct dt_row *row)
{
	uint64_t *v = arg;

	v[0]++;
	v[1] = v[1] * 10 + row->cell[0]->words[0];
	return 0;
}

/* Beside a name, which may merge rows, a stack with all its frames counts. */
static void
test_stacks_differ(void **state)
{
	const uint64_t n = 1, keys[][4] = { { 1, 7, 0x100, 0x101 },
					    { 2, 7, 0x100, 0x101 },
					    { 1, 7, 0x100, 0x105 },
					    { 1, 8, 0x100, 0x101 } };
	const uint32_t id = 0;
	uint64_t v[2] = { 0 };

	agg_init(&a, DIF_AGG_count, 0);
	agg_key(&a, DIF_SRC_NAME, DIF_VAR_probefunc, (struct dif_type){ 0 }, 8);
	agg_key(&a, DIF_SRC_USTACK, 2, (struct dif_type){ 0 }, 24);
	for (int i = 0; i < 4; i++)
		add(0, keys[i], &n);
	assert_int_equal(
		dt_aggs_walk(as, &id, 1, &by_value, sum_row, v, &c.e), 0);
	assert_int_equal(v[0], 3);
	assert_int_equal(v[1], 112);
}

static int pids;

static void
pid_seen(void *arg, pid_t pid)
{
	assert_int_equal(pid, 7);
	pids++;
}

static void
test_symbols_merge(void **state)
{
	const uint64_t n = 1, x[] = { 7, 0x100 }, y[] = { 7, 0x10f };

	c.o.syms.pid_seen = pid_seen;
	pids = 0;
	agg_init(&a, DIF_AGG_count, 0);
	agg_key(&a, DIF_SRC_USYM, DIF_ACT_USYM, (struct dif_type){ 0 }, 16);
	agg_init(&b, DIF_AGG_count, 0);
	agg_key(&b, DIF_SRC_USYM, DIF_ACT_UADDR, (struct dif_type){ 0 }, 16);
	add(0, x, &n);
	add(0, y, &n);
	add(1, x, &n);
	add(1, y, &n);
	add(1, y, &n);
	expect(&by_key, 1, "a.out`main=2");
	expect(&by_key, 2, "a.out`main=2,1 a.out`main+0xf=-,2");
	assert_int_equal(pids, 3);
}

static void
test_clear(void **state)
{
	agg_init(&a, DIF_AGG_min, 0);
	agg_key_int(&a, 4);
	add1(0, 1, 5);
	add1(0, 2, -5);
	dt_aggs_clear(as, 0);
	expect(&by_value, 1, "1=0 2=0");
	add1(0, 1, 9); /* zero is not the least value */
	expect(&by_value, 1, "2=0 1=9");
}

static void
test_trunc(void **state)
{
	agg_init(&a, DIF_AGG_sum, 0);
	agg_key_int(&a, 4);
	for (int i = 0; i < 6; i++)
		add1(0, i, i * 10);
	assert_int_equal(dt_aggs_trunc(as, 0, 9, &c.e), 0);
	assert_int_equal(dt_aggs_count(as, 0), 6);
	assert_int_equal(dt_aggs_trunc(as, 0, 4, &c.e), 0);
	expect(&by_key, 1, "2=20 3=30 4=40 5=50");
	assert_int_equal(dt_aggs_trunc(as, 0, -3, &c.e), 0);
	expect(&by_key, 1, "2=20 3=30 4=40");
	add1(0, 0, 1);
	expect(&by_key, 1, "0=1 2=20 3=30 4=40");
	assert_int_equal(dt_aggs_trunc(as, 0, 0, &c.e), 0);
	expect(&by_key, 1, "");
	add1(0, 5, 1);
	expect(&by_key, 1, "5=1");
}

static void
test_normalize(void **state)
{
	agg_init(&a, DIF_AGG_sum, 0);
	agg_key_int(&a, 4);
	add1(0, 1, -25);
	assert_int_equal(dt_aggs_normalize(as, 0, 10, &c.e), 0);
	add1(0, 2, 39);
	expect(&by_key, 1, "1=-2 2=3");
	dt_aggs_denormalize(as, 0);
	expect(&by_key, 1, "1=-25 2=39");
	cap_expect_err(&c, dt_aggs_normalize(as, 0, 0, &c.e),
		       "the factor may not be 0");
}

static void
test_join(void **state)
{
	agg_init(&a, DIF_AGG_count, 0);
	agg_key_int(&a, 4);
	agg_init(&b, DIF_AGG_sum, 0);
	agg_key_int(&b, 4);
	add1(0, 1, 5);
	add1(0, 2, 5);
	add1(0, 3, 1);
	add1(1, 2, -8);
	add1(1, 9, 7);
	expect(&by_value, 2, "9=-,7 3=1,- 2=5,-8 1=5,-");
	expect(&(struct dt_aggsort){ .pos = 1 }, 2, "2=5,-8 3=1,- 1=5,- 9=-,7");
	expect(&by_key, 2, "1=5,- 2=5,-8 3=1,- 9=-,7");
}

/* The values of CPUs beside the merged one; clear() forgets them. */
static void
test_percpu(void **state)
{
	const int64_t key = 1;
	const uint64_t n[] = { 5, 7, 100 };
	size_t pos = 0;
	void *p = NULL;
	const struct dt_cell *cell;

	agg_init(&a, DIF_AGG_sum, 0);
	agg_key_int(&a, 4);
	dt_aggs_set_percpu(as);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(dt_aggs_add_cell(as, 0, i == 2 ? 3 : 1,
						  (const uint8_t *)&key, &n[i]),
				 0);
	assert_true(hash_next(dt_aggs_cells(as, 0), &pos, NULL, NULL, &p));
	cell = p;
	assert_int_equal(cell->words[0], 112);
	assert_int_equal(cell->ncpu, 4);
	assert_null(cell->cpu[0]);
	assert_int_equal(cell->cpu[1][0], 12);
	assert_null(cell->cpu[2]);
	assert_int_equal(cell->cpu[3][0], 100);
	dt_aggs_clear(as, 0);
	assert_int_equal(cell->ncpu, 0);
	assert_int_equal(dt_aggs_add_cell(as, 0, 0, (const uint8_t *)&key,
					  &n[0]),
			 0);
	assert_int_equal(cell->cpu[0][0], 5);
	assert_int_equal(cell->words[0], 5);
}

static void
test_histogram_order(void **state)
{
	uint64_t w[127] = { 0 };

	agg_init(&a, DIF_AGG_quantize, 0);
	agg_key_int(&a, 4);
	w[dif_quantize_bucket(16)] = 1;
	add(0, "\1\0\0\0\0\0\0", w);
	w[dif_quantize_bucket(0)] = 9;
	add(0, "\2\0\0\0\0\0\0", w);
	memset(w, 0, sizeof(w));
	w[dif_quantize_bucket(1)] = 10;
	add(0, "\3\0\0\0\0\0\0", w);
	expect(&by_value, 1, "3=10 1=1 2=10");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_merge),   T(test_merge_laws),      T(test_order),
		T(test_strings), T(test_names_merge),     T(test_symbols_merge),
		T(test_clear),   T(test_trunc),           T(test_normalize),
		T(test_join),    T(test_histogram_order),
		T(test_percpu),  T(test_stacks_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
