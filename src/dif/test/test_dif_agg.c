/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Buckets: known values, and the properties that printing relies on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "dif/dif.h"

#define LQ(base, levels, step)                                     \
	((uint64_t)(step) << 48 | (uint64_t)(levels) << 32 |       \
	 (uint32_t)(int32_t)(base))
#define LLQ(factor, low, high, steps)                              \
	((uint64_t)(factor) << 48 | (uint64_t)(low) << 32 |        \
	 (uint64_t)(high) << 16 | (uint64_t)(steps))

static const int64_t samples[] = {
	INT64_MIN, INT64_MIN + 1, -((int64_t)1 << 62) - 1, -1000000, -1025,
	-1024, -1023, -11, -10, -9, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 9,
	10, 11, 19, 20, 99, 100, 101, 999, 1000, 1023, 1024, 1025, 99999,
	123456789, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX,
};
#define NSAMPLES (sizeof(samples) / sizeof(*samples))

static void
quantize_known(void **state)
{
	assert_int_equal(dif_quantize_bucket(0), 63);
	assert_int_equal(dif_quantize_bucket(1), 64);
	assert_int_equal(dif_quantize_bucket(2), 65);
	assert_int_equal(dif_quantize_bucket(3), 65);
	assert_int_equal(dif_quantize_bucket(4), 66);
	assert_int_equal(dif_quantize_bucket(-1), 62);
	assert_int_equal(dif_quantize_bucket(-2), 61);
	assert_int_equal(dif_quantize_bucket(-3), 61);
	assert_int_equal(dif_quantize_bucket(INT64_MAX), 126);
	assert_int_equal(dif_quantize_bucket(INT64_MIN), 0);
	assert_int_equal(dif_quantize_value(66), 4);
	assert_int_equal(dif_quantize_value(60), -4);
	assert_true(dif_quantize_value(126) == (int64_t)1 << 62);
}

static void
lquantize_known(void **state)
{
	uint64_t a = LQ(-10, 4, 5); /* -10 .. 10 */

	assert_int_equal(dif_agg_words(DIF_AGG_lquantize, a), 6);
	assert_int_equal(dif_lquantize_bucket(a, -11), 0);
	assert_int_equal(dif_lquantize_bucket(a, -10), 1);
	assert_int_equal(dif_lquantize_bucket(a, 9), 4);
	assert_int_equal(dif_lquantize_bucket(a, 10), 5);
	assert_int_equal(dif_lquantize_bucket(a, INT64_MAX), 5);
	assert_int_equal(dif_lquantize_value(a, 1), -10);
	assert_int_equal(dif_lquantize_value(a, 5), 10);
}

static void
llquantize_known(void **state)
{
	uint64_t a = LLQ(10, 0, 2, 20);

	/* 0; 1..9 by 1, 10..95 by 5, 100..950 by 50; from 1000; and below 0 */
	uint32_t zero = dif_llquantize_zero(a);
	static const struct {
		int64_t v;
		uint32_t side;
	} known[] = { { 0, 0 },     { 1, 1 },         { 9, 9 },    { 10, 10 },
		      { 14, 10 },   { 99, 27 },       { 100, 28 }, { 999, 45 },
		      { 1000, 46 }, { INT64_MAX, 46 } };

	assert_int_equal(zero, 46);
	assert_int_equal(dif_agg_words(DIF_AGG_llquantize, a), 2 * 46 + 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_int_equal(dif_llquantize_bucket(a, known[i].v),
				 zero + known[i].side);
		assert_int_equal(dif_llquantize_bucket(a, -known[i].v),
				 zero - known[i].side);
	}
	assert_int_equal(dif_llquantize_bucket(a, INT64_MIN), 0);
	assert_int_equal(dif_llquantize_value(a, zero + 11), 15);
	assert_int_equal(dif_llquantize_value(a, zero - 11), -15);
	assert_int_equal(dif_llquantize_value(a, zero + 46), 1000);
	assert_int_equal(dif_llquantize_value(a, 0), -1000);
}

/* Fewer steps than the factor: five buckets in each magnitude. */
static void
llquantize_wide(void **state)
{
	static const int64_t least[] = { 0,   1,   2,   4,   6,   8,
					 10,  20,  40,  60,  80,  100,
					 200, 400, 600, 800, 1000 };
	uint64_t a = LLQ(10, 0, 2, 5);
	uint32_t zero = dif_llquantize_zero(a);

	assert_int_equal(zero, 16);
	for (uint32_t i = 0; i <= zero; i++) {
		assert_int_equal(dif_llquantize_value(a, zero + i), least[i]);
		assert_int_equal(dif_llquantize_bucket(a, least[i]), zero + i);
		assert_int_equal(dif_llquantize_bucket(a, 1 - least[i]),
				 zero + 1 - i);
	}
}

/*
 * For every function: buckets grow with values and stay in the cell, and a
 * value is not below the least value of its bucket.
 */
static void
monotonic(uint32_t func, uint64_t arg, uint32_t (*bucket)(uint64_t, int64_t),
	  int64_t (*value)(uint64_t, uint32_t), uint32_t first)
{
	uint32_t words = dif_agg_words(func, arg), last = 0;

	for (size_t i = 0; i < NSAMPLES; i++) {
		uint32_t b = bucket(arg, samples[i]);
		assert_true(b < words);
		assert_true(b >= last);
		if (b >= first)
			assert_true(value(arg, b) <= samples[i]);
		if (b + 1 < words)
			assert_true(value(arg, b + 1) > samples[i]);
		last = b;
	}
	for (uint32_t b = first; b + 1 < words; b++)
		assert_true(value(arg, b) < value(arg, b + 1));
	for (uint32_t b = first; b < words; b++)
		assert_int_equal(bucket(arg, value(arg, b)), b);
}

static void
lquantize_monotonic(void **state)
{
	static const uint64_t args[] = {
		LQ(0, 10, 1), LQ(-10, 4, 5), LQ(INT32_MIN, 65535, 65535),
		LQ(INT32_MAX, 1, 1), LQ(100, 9, 100),
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++)
		monotonic(DIF_AGG_lquantize, args[i], dif_lquantize_bucket,
			  dif_lquantize_value, 0);
}

/* The least number of a bucket is one more than what is nearest to zero in the
   one below. */
static int64_t
least_of_llquantize(uint64_t arg, uint32_t bucket)
{
	if (bucket == 0)
		return INT64_MIN;
	if (bucket > dif_llquantize_zero(arg))
		return dif_llquantize_value(arg, bucket);
	return dif_llquantize_value(arg, bucket - 1) + 1;
}

static void
llquantize_monotonic(void **state)
{
	static const uint64_t args[] = {
		LLQ(10, 0, 6, 10), LLQ(10, 0, 2, 20),  LLQ(10, 3, 9, 100),
		LLQ(2, 0, 61, 2),  LLQ(2, 0, 10, 8),   LLQ(12, 0, 4, 96),
		LLQ(6, 1, 3, 12),  LLQ(10, 0, 17, 10), LLQ(10, 0, 3, 5),
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++)
		monotonic(DIF_AGG_llquantize, args[i], dif_llquantize_bucket,
			  least_of_llquantize, 0);
}

static void
quantize_monotonic(void **state)
{
	uint32_t last = 0;

	for (size_t i = 0; i < NSAMPLES; i++) {
		uint32_t b = dif_quantize_bucket(samples[i]);
		assert_true(b < 127);
		assert_true(b >= last);
		last = b;
	}
	for (uint32_t b = 0; b < 127; b++)
		assert_int_equal(dif_quantize_bucket(dif_quantize_value(b)), b);
}

static void
tells_what_is_in_a_bucket(void **state)
{
	const uint64_t lq = LQ(-10, 4, 5), llq = LLQ(10, 1, 2, 10);
	const uint32_t zero = dif_llquantize_zero(llq);
	const struct {
		uint32_t func;
		uint64_t arg;
		uint32_t i;
		struct dif_bucket b;
	} known[] = {
		{ DIF_AGG_quantize, 0, 0, { DIF_BUCKET_FROM, INT64_MIN / 2 } },
		{ DIF_AGG_quantize, 0, 64, { DIF_BUCKET_FROM, 1 } },
		{ DIF_AGG_lquantize, lq, 0, { DIF_BUCKET_BELOW, -10 } },
		{ DIF_AGG_lquantize, lq, 2, { DIF_BUCKET_FROM, -5 } },
		{ DIF_AGG_lquantize, lq, 5, { DIF_BUCKET_LAST, 10 } },
		{ DIF_AGG_llquantize, llq, 0, { DIF_BUCKET_UPTO, -1000 } },
		{ DIF_AGG_llquantize, llq, zero, { DIF_BUCKET_NEARER, 10 } },
		{ DIF_AGG_llquantize, llq, 2 * zero,
		  { DIF_BUCKET_LAST, 1000 } },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct dif_bucket b = dif_agg_bucket(
			known[i].func, known[i].arg, known[i].i);
		assert_int_equal(b.is, known[i].b.is);
		assert_int_equal(b.v, known[i].b.v);
	}
}

/* Look-ups and engines rely on it. */
static void
rows_are_in_order(void **state)
{
	for (size_t i = 0; i < dif_naggfuncs; i++) {
		const struct dif_agg_info *f = &dif_aggfuncs[i];
		assert_ptr_equal(dif_agg_by_code(f->code), f);
		assert_int_equal(f->code, dif_aggfuncs[0].code + i);
		assert_int_not_equal(f->word[0], DIF_AW_END);
		for (unsigned k = 0; k < DIF_AGG_NWORDS; k++)
			if (f->word[k] == DIF_AW_BUCKET)
				assert_true(f->hist && k == 0 &&
					    f->word[1] == DIF_AW_END);
		if (!f->hist)
			assert_in_range(dif_agg_words(f->code, 0), 1,
					DIF_AGG_NWORDS);
	}
	assert_null(dif_agg_by_code(dif_aggfuncs[0].code - 1));
	assert_null(dif_agg_by_code(dif_aggfuncs[0].code + dif_naggfuncs));
	assert_true(dif_agg_starts(DIF_AGG_min));
	assert_false(dif_agg_starts(DIF_AGG_stddev));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantize_known),
		cmocka_unit_test(quantize_monotonic),
		cmocka_unit_test(lquantize_known),
		cmocka_unit_test(lquantize_monotonic),
		cmocka_unit_test(llquantize_known),
		cmocka_unit_test(llquantize_wide),
		cmocka_unit_test(llquantize_monotonic),
		cmocka_unit_test(tells_what_is_in_a_bucket),
		cmocka_unit_test(rows_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
