/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_chill.c - chill(): it waits at least as long as it was told, and
 * refuses what is too much for its second.
 */
#include "rt/test/rt_fixture.h"

static void
waits(void **state)
{
	struct fixture *f = fixture_new(256);
	uint64_t before = rt_clock(&f->rt);

	rt_chill(&f->rt, 2000000);
	assert_true(rt_clock(&f->rt) - before >= 2000000);
	assert_int_equal(f->rt.fault, RT_FAULT_NONE);
	assert_int_equal(f->rt.chill_used, 2000000);
	free(f);
}

static void
refuses(void **state)
{
	struct fixture *f = fixture_new(256);

	rt_chill(&f->rt, 0);
	assert_int_equal(f->rt.fault, RT_FAULT_NONE);
	rt_chill(&f->rt, 500000001);
	assert_int_equal(f->rt.fault, RT_FAULT_ILLOP);
	f->rt.fault = RT_FAULT_NONE;
	rt_chill(&f->rt, (uint64_t)-1);
	assert_int_equal(f->rt.fault, RT_FAULT_ILLOP);
	assert_int_equal(f->rt.chill_used, 0);

	/* What has been used is gone... */
	f->rt.fault = RT_FAULT_NONE;
	f->rt.chill_used = 500000000;
	rt_chill(&f->rt, 1);
	assert_int_equal(f->rt.fault, RT_FAULT_ILLOP);
	/* ... until the next second begins. */
	f->rt.fault = RT_FAULT_NONE;
	f->rt.chill_from -= 1000000001;
	rt_chill(&f->rt, 1);
	assert_int_equal(f->rt.fault, RT_FAULT_NONE);
	assert_int_equal(f->rt.chill_used, 1);
	free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
