/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_key.c - keys of tuples. */
#include "rt/test/rt_cases.h"

static void
lays_out(void **state)
{
	struct fixture *f = fixture_new(20);
	struct rt *rt = &f->rt;

	memset(rt->key, 0xee, sizeof(rt->key));
	push_val(rt, 7);
	push_str(rt, "key");
	push_ref(rt, "0123456789", 10);
	assert_int_equal(rt_tuple_key(rt, 16), 16 + 8 + 24 + 16);
	assert_int_equal(rt->keylen, 64);
	assert_int_equal(rt->key[15], 0xee); /* the caller's */
	assert_int_equal(RT_WORD(rt->key + 16), 7);
	assert_memory_equal(rt->key + 24,
			    "key\0\0\0\0\0\0\0\0\0\0\0\0\0"
			    "\0\0\0\0\0\0\0\0",
			    24);
	assert_memory_equal(rt->key + 48, "0123456789\0\0\0\0\0\0", 16);
	assert_int_equal(rt->key[64], 0xee);
	/* a string of all bytes loses its last for the NUL */
	fixture_reset(rt);
	push_str(rt, "abcdefghijklmnopqrstuvwxyz");
	assert_int_equal(rt_tuple_key(rt, 0), 24);
	assert_memory_equal(rt->key, "abcdefghijklmnopqrs\0\0\0\0\0", 24);
	free(f);
}

static void
refuses_what_does_not_fit(void **state)
{
	struct fixture *f = fixture_new(RT_STR_MAX);
	struct rt *rt = &f->rt;

	push_str(rt, "a");
	push_str(rt, "b");
	assert_int_equal(rt_tuple_key(rt, 0), RT_KEY_MAX);
	assert_int_equal(rt_tuple_key(rt, 8), 0);
	assert_int_equal(rt->fault, RT_FAULT_TUPOFLOW);
	fixture_reset(rt);
	push_ref(rt, "x", 1);
	rt->tuple[0].size = RT_KEY_MAX + 1;
	assert_int_equal(rt_tuple_key(rt, 0), 0);
	assert_int_equal(rt->fault, RT_FAULT_TUPOFLOW);
	fixture_reset(rt);
	push_str(rt, "x");
	rt->tuple[0].val = 88;
	assert_int_equal(rt_tuple_key(rt, 0), 0);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 88);
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lays_out),
		cmocka_unit_test(refuses_what_does_not_fit),
	};

	return cmocka_run_group_tests_name("rt_key", tests, NULL, NULL);
}
