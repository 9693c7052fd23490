/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Histograms, to the column. */
#include "dt_test.h"

static struct cap c;
static struct agg a;
static uint64_t w[256];

static int
setup(void **state)
{
	cap_init(&c);
	memset(w, 0, sizeof(w));
	return 0;
}

static int
teardown(void **state)
{
	cap_fini(&c);
	return 0;
}

#define HEAD                                                                  \
	"\n           value  ------------- Distribution ------------- count" \
	"    \n"

static void
expect(uint64_t normal, const char *want)
{
	dt_hist_print(&c.o, &a.v, w, normal);
	cap_expect(&c, want);
}

static void
quantize(int64_t v, int64_t n)
{
	w[dif_quantize_bucket(v)] += (uint64_t)n;
}

static void
test_quantize(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(3, 1);
	quantize(5, 2);
	quantize(17, 1);
	expect(1, HEAD
	       "               1 |                                         0        \n"
	       "               2 |@@@@@@@@@@                               1        \n"
	       "               4 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
	       "               8 |                                         0        \n"
	       "              16 |@@@@@@@@@@                               1        \n"
	       "              32 |                                         0        \n");
}

static void
test_quantize_rounds(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(0, 79); /* 39.5 columns: half up */
	quantize(1, 1);	 /* 0.5 */
	expect(1, HEAD
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 79       \n"
	       "               1 |@                                        1        \n"
	       "               2 |                                         0        \n");
}

static void
test_quantize_negative_values(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(-5, 1);
	quantize(1, 1);
	expect(1, HEAD
	       "              -8 |                                         0        \n"
	       "              -4 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              -2 |                                         0        \n"
	       "              -1 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "               2 |                                         0        \n");
}

static void
test_least_count(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(1, INT64_MIN);
	expect(1, HEAD
	       "               0                                         | 0        \n"
	       "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -9223372036854775808\n"
	       "               2                                         | 0        \n");
}

static void
test_negative_counts(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(1, -3);
	quantize(2, -1);
	expect(1, HEAD
	       "               0                                         | 0        \n"
	       "               1           @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       \n"
	       "               2                               @@@@@@@@@@| -1       \n"
	       "               4                                         | 0        \n");
	quantize(2, 5); /* now 4 */
	quantize(4, 1);
	expect(1, HEAD
	       "               0                     |                     0        \n"
	       "               1             @@@@@@@@|                     -3       \n"
	       "               2                     |@@@@@@@@@@           4        \n"
	       "               4                     |@@@                  1        \n"
	       "               8                     |                     0        \n");
}

static void
test_quantize_ends(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(INT64_MAX, 1);
	expect(1, HEAD
	       "2305843009213693952 |                                         0        \n"
	       "4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n");
	memset(w, 0, sizeof(w));
	expect(1, HEAD
	       "              -1 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               1 |                                         0        \n");
}

static void
test_normal_and_zoom(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	quantize(1, 100);
	quantize(2, 50);
	c.o.aggzoom = true;
	expect(10, HEAD
	       "               0 |                                         0        \n"
	       "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 10       \n"
	       "               2 |@@@@@@@@@@@@@@@@@@@@                     5        \n"
	       "               4 |                                         0        \n");
}

/* base -10, 4 levels of 5: up to 10 */
#define LQ ((uint64_t)5 << 48 | (uint64_t)4 << 32 | (uint32_t)-10)

static void
test_lquantize(void **state)
{
	agg_init(&a, DIF_AGG_lquantize, LQ);
	w[dif_lquantize_bucket(LQ, -11)]++;
	w[dif_lquantize_bucket(LQ, -10)]++;
	w[dif_lquantize_bucket(LQ, 9)]++;
	w[dif_lquantize_bucket(LQ, 10)]++;
	expect(1, HEAD
	       "           < -10 |@@@@@@@@@@                               1        \n"
	       "             -10 |@@@@@@@@@@                               1        \n"
	       "              -5 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               5 |@@@@@@@@@@                               1        \n"
	       "           >= 10 |@@@@@@@@@@                               1        \n");
	memset(w, 0, sizeof(w));
	w[dif_lquantize_bucket(LQ, -5)]++;
	expect(1, HEAD
	       "             -10 |                                         0        \n"
	       "              -5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	       "               0 |                                         0        \n");
	memset(w, 0, sizeof(w));
	expect(1, HEAD
	       "           < -10 |                                         0        \n"
	       "             -10 |                                         0        \n"
	       "              -5 |                                         0        \n");
}

/* 1 .. 1000 in magnitudes of 10, ten steps each */
#define LLQ ((uint64_t)10 << 48 | (uint64_t)0 << 32 | (uint64_t)2 << 16 | 10)

static void
test_llquantize(void **state)
{
	agg_init(&a, DIF_AGG_llquantize, LLQ);
	w[dif_llquantize_bucket(LLQ, 9)]++;
	w[dif_llquantize_bucket(LLQ, 10)]++;
	w[dif_llquantize_bucket(LLQ, 29)] += 2;
	expect(1, HEAD
	       "               8 |                                         0        \n"
	       "               9 |@@@@@@@@@@                               1        \n"
	       "              10 |@@@@@@@@@@                               1        \n"
	       "              20 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
	       "              30 |                                         0        \n");
	memset(w, 0, sizeof(w));
	w[dif_llquantize_bucket(LLQ, 0)]++;
	expect(1, HEAD
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	       "               1 |                                         0        \n");
	memset(w, 0, sizeof(w));
	expect(1, HEAD
	       "              -1 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               1 |                                         0        \n");
	w[dif_llquantize_bucket(LLQ, -1000)]++;
	expect(1, HEAD
	       "        <= -1000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	       "            -900 |                                         0        \n");
	memset(w, 0, sizeof(w));
	w[dif_llquantize_bucket(LLQ, 1000)]++;
	expect(1, HEAD
	       "             900 |                                         0        \n"
	       "         >= 1000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_quantize),
		T(test_quantize_rounds),
		T(test_quantize_negative_values),
		T(test_negative_counts),
		T(test_least_count),
		T(test_quantize_ends),
		T(test_normal_and_zoom),
		T(test_lquantize),
		T(test_llquantize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
