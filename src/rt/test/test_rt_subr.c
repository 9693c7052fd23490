/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_subr.c - number subroutines, and buckets against dif/'s. */
#include "rt/test/rt_cases.h"

#include "dif/dif.h"

static uint64_t
call(struct rt *rt, const char *name, uint64_t v)
{
	fixture_reset(rt);
	push_val(rt, v);
	return subr_by_name(name)(rt);
}

static void
swaps_bytes(void **state)
{
	struct fixture *f = fixture_new(256);
	struct rt *rt = &f->rt;
	uint64_t v = 0x1122334455667788;

	assert_int_equal(call(rt, "htons", v), 0x8877);
	assert_int_equal(call(rt, "ntohs", v), 0x8877);
	assert_int_equal(call(rt, "htonl", v), 0x88776655);
	assert_int_equal(call(rt, "ntohl", v), 0x88776655);
	assert_int_equal(call(rt, "htonll", v), 0x8877665544332211);
	assert_int_equal(call(rt, "ntohll", v), 0x8877665544332211);
	free(f);
}

/* Each argument has its NUL; those at the end do not count. */
static void
arguments_are_one_string(void **state)
{
	static const char mem[] = "a\0bc\0\0d\0\0\0";
	struct fixture *f = fixture_new(64);
	uint64_t s = rt_execargs(&f->rt, (uintptr_t)mem, sizeof(mem));

	assert_true(s != 0);
	assert_string_equal((const char *)(uintptr_t)s, "a bc  d");
	free(f);
}

/* Of more than a string holds, what it holds. */
static void
arguments_are_cut(void **state)
{
	char mem[100];
	struct fixture *f = fixture_new(64);
	uint64_t s;

	memset(mem, 'x', sizeof(mem));
	mem[10] = '\0';
	s = rt_execargs(&f->rt, (uintptr_t)mem, sizeof(mem));
	assert_true(s != 0);
	assert_int_equal(strlen((const char *)(uintptr_t)s), 63);
	mem[10] = ' ';
	assert_memory_equal((const char *)(uintptr_t)s, mem, 63);
	free(f);
}

static void
random_is_an_int(void **state)
{
	struct fixture *f = fixture_new(256);
	uint32_t all = 0, none = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t v = rt_subr_rand(&f->rt);

		assert_true(v == (uint64_t)(int64_t)(int32_t)v);
		all |= (uint32_t)v;
		none |= ~(uint32_t)v;
	}
	assert_int_equal(all, UINT32_MAX);
	assert_int_equal(none, UINT32_MAX);
	free(f);
}

static void
buckets_of_powers(void **state)
{
	struct fixture *f = fixture_new(256);
	struct rt *rt = &f->rt;

	assert_int_equal(rt_agg_quantize(rt, 0, 0, 0), 63);
	assert_int_equal(rt_agg_quantize(rt, 0, 1, 0), 64);
	assert_int_equal(rt_agg_quantize(rt, 0, 1023, 0), 73);
	assert_int_equal(rt_agg_quantize(rt, 0, 1024, 0), 74);
	assert_int_equal(rt_agg_quantize(rt, 0, INT64_MAX, 0), 126);
	assert_int_equal(rt_agg_quantize(rt, 0, (uint64_t)-1, 0), 62);
	assert_int_equal(rt_agg_quantize(rt, 0, 1ull << 63, 0), 0);
	for (int s = 0; s < 64; s++)
		for (int64_t d = -2; d <= 2; d++) {
			uint64_t v = (1ull << s) + (uint64_t)d;

			assert_int_equal(rt_agg_quantize(rt, 0, v, 0),
					 dif_quantize_bucket((int64_t)v));
			assert_int_equal(rt_agg_quantize(rt, 0, -v, 0),
					 dif_quantize_bucket((int64_t)-v));
		}
	free(f);
}

static void
buckets_log_linear(void **state)
{
	/* factor, low, high, steps: as D would accept them */
	static const uint16_t forms[][4] = {
		{ 10, 0, 6, 20 },
		{ 10, 0, 3, 10 },
		{ 2, 0, 62, 2 },
		{ 2, 3, 20, 8 },
		{ 10, 2, 9, 100 },
		{ 5, 1, 4, 25 },
		{ 16, 0, 14, 16 },
		/* steps that divide no end, or only later ones */
		{ 12, 0, 5, 96 },
		{ 12, 1, 4, 144 },
		{ 6, 0, 8, 12 },
		{ 10, 0, 5, 40 },
		{ 2, 0, 20, 64 }
	};
	struct fixture *f = fixture_new(256);
	unsigned seed = 3;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint64_t arg = (uint64_t)forms[i][0] << 48 |
			       (uint64_t)forms[i][1] << 32 |
			       (uint64_t)forms[i][2] << 16 | forms[i][3];

		for (int k = 0; k < 4000; k++) {
			uint64_t v = (uint64_t)rand_r(&seed) << 33 ^
				     (uint64_t)rand_r(&seed) << 11;

			v >>= rand_r(&seed) % 64;
			v = k % 3 == 0 ? -v : v;
			if (k < 1500)
				v = (uint64_t)k - 5;
			assert_int_equal(
				rt_agg_llquantize(&f->rt, arg, v,
						     dif_llquantize_zero(arg)),
				dif_llquantize_bucket(arg, (int64_t)v));
		}
	}
	free(f);
}

/* Bounds that no D program has, too: both must mean the same by them. */
static void
buckets_of_any_bounds(void **state)
{
	struct fixture *f = fixture_new(256);
	unsigned seed = 11;

	for (int i = 0; i < 3000; i++) {
		uint64_t factor = 2 + (uint64_t)rand_r(&seed) % 40;
		uint64_t low = (uint64_t)rand_r(&seed) % 20;
		uint64_t high = low + (uint64_t)rand_r(&seed) % 70;
		uint64_t steps = 1 + (uint64_t)rand_r(&seed) % 300;
		uint64_t arg = factor << 48 | low << 32 | high << 16 | steps;

		for (int k = 0; k < 100; k++) {
			uint64_t v = (uint64_t)rand_r(&seed) << 33 ^
				     (uint64_t)rand_r(&seed) << 11;

			v >>= rand_r(&seed) % 64;
			v = k % 3 == 0 ? -v : v;
			assert_int_equal(
				rt_agg_llquantize(&f->rt, arg, v,
						     dif_llquantize_zero(arg)),
				dif_llquantize_bucket(arg, (int64_t)v));
		}
	}
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(swaps_bytes),
		cmocka_unit_test(arguments_are_one_string),
		cmocka_unit_test(arguments_are_cut),
		cmocka_unit_test(random_is_an_int),
		cmocka_unit_test(buckets_of_powers),
		cmocka_unit_test(buckets_log_linear),
		cmocka_unit_test(buckets_of_any_bounds),
	};

	return cmocka_run_group_tests_name("rt_subr", tests, NULL, NULL);
}
