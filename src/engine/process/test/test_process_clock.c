/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_process_clock.c - raw times become ns that keep their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "engine/process/process_impl.h"

static uint64_t
mono(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Near the true time, through many segments, and never backwards. */
static void
test_follows(void **state)
{
	struct rtn_shared *sh = calloc(1, sizeof(*sh));
	struct clock c;
	uint64_t last = 0;

	if (!CAPABLE("tsc")) {
		free(sh);
		return;
	}
	assert_true(clock_tsc_good());
	clock_start(&c, sh);
	for (int i = 0; i < 3 * RTN_NCLOCKS; i++) {
		uint64_t before = mono(), ns = clock_ns(&c, __rdtsc()),
			 after = mono();
		assert_true(ns + 200000 > before && ns < after + 200000);
		assert_true(ns >= last);
		last = ns;
		c.next_ns = 0;
		clock_adjust(&c);
		assert_true(clock_ns(&c, __rdtsc()) >= last);
		usleep(2000);
	}
	free(sh);
}

/* A time from before the present segment is of the one that held then. */
static void
test_segments(void **state)
{
	struct rtn_shared *sh = calloc(1, sizeof(*sh));
	struct clock c = { .sh = sh, .n = 2 };

	sh->clock[0] = (struct rtn_clock){ 0, 1000, 1ull << 32 };
	sh->clock[1] = (struct rtn_clock){ 0, 900, 2ull << 32 };
	c.from[1] = 100; /* both say 1100 there */
	assert_int_equal(clock_ns(&c, 0), 1000);
	assert_int_equal(clock_ns(&c, 99), 1099);
	assert_int_equal(clock_ns(&c, 100), 1100);
	assert_int_equal(clock_ns(&c, 101), 1102);
	free(sh);
}

/* Where the vdso is the clock, times are ns already. */
static void
test_not_raw(void **state)
{
	struct rtn_shared *sh = calloc(1, sizeof(*sh));
	struct clock c = { .sh = sh, .n = 1 };

	sh->vdso_time = 1;
	assert_int_equal(clock_ns(&c, 12345), 12345);
	free(sh);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_not_raw),
	};

	return cmocka_run_group_tests_name("process_clock", tests, fds_note, fds_check);
}
