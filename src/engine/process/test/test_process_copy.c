/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_copy.c - functions with ways out that no window fits over: they
 * are copied as a whole, compute what they did, and all of their probes fire.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "engine/process/test/process_world.h"

#define CALLS 1000u

/* What CALLS calls sum to, and how often the loop's head is reached. */
static uint64_t
scan_sum(uint64_t *heads)
{
	uint64_t sum = 0;

	*heads = 0;
	for (uint64_t i = 0; i < CALLS; i++) {
		sum += i % 2 != 0 ? UINT64_MAX : i % 64;
		*heads += i % 64 + 1;
	}
	return sum;
}

static void
expect_copies(struct test_world *w, bool any)
{
	struct buf out = BUF_INIT;

	process_engine_ops.report(w->eng, &out);
	assert_true((strstr(buf_str(&out), "1 function copied") != NULL) ==
		    any);
	buf_fini(&out);
}

/* A clause that counts, for probes of a mask. */
static void
count(struct test_world *w)
{
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
}

/* What the three clauses have counted. */
static uint64_t counted[3];

static int
counted_add(void *arg, uint32_t a, unsigned cpu, const uint8_t *key,
	    const uint64_t *cell)
{
	counted[a] += cell[0];
	return 0;
}

static void
counted_read(struct test_world *w)
{
	memset(counted, 0, sizeof(counted));
	rt_drain_aggs(process_engine_ops.view(w->eng), &w->tab, 0, counted_add,
		      NULL);
}

static void
test_returns(void **state)
{
	struct test_world *w = traced_new();
	uint64_t heads, sum = scan_sum(&heads);
	const struct rt_rec *r = NULL;
	struct dif_clause *c;

	count(w);
	count(w);
	count(w);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg1, %r1\nret %r1", NULL, NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_scan, 1);
	fn_probe(w, DIF_SITE_URETURN, target_scan, 2 | 8);
	fn_probe(w, DIF_SITE_UINSN, target_scan, 4)->addr =
		(uint64_t)(uintptr_t)target_scan_head;
	start(w);
	expect_copies(w, true);
	assert_int_equal(target_do(w->t, T_SCAN, CALLS), sum);
	stop(w);
	assert_int_equal(target_do(w->t, T_SCAN, CALLS), sum);
	counted_read(w);
	assert_int_equal(counted[0], CALLS);
	assert_int_equal(counted[1], CALLS);
	assert_int_equal(counted[2], heads);
	assert_int_equal(records(w, 3, &r), CALLS);
	assert_int_equal(*(const uint64_t *)(const void *)(r + 1), UINT64_MAX);
	traced_free(w);
}

/* For its entry alone nothing is copied. */
static void
test_entry(void **state)
{
	struct test_world *w = traced_new();
	uint64_t heads, sum = scan_sum(&heads);

	count(w);
	fn_probe(w, DIF_SITE_UENTRY, target_scan, 1);
	start(w);
	expect_copies(w, false);
	assert_int_equal(target_do(w->t, T_SCAN, CALLS), sum);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), CALLS);
	traced_free(w);
}

/* Wait until the target has fired, however busy the machine is. */
static void
until_fired(struct test_world *w)
{
	for (int i = 0; i < 5000; i++) {
		if (process_engine_ops.view(w->eng)->nslots > 2 * RT_LEVELS)
			break;
		usleep(1000);
	}
	usleep(5000);
}

/* Come and go while a thread is inside, of the function or of its copy. */
static void
test_inside(void **state)
{
	for (int i = 0; i < 30; i++) {
		struct test_world *w = traced_new();

		count(w);
		count(w);
		fn_probe(w, DIF_SITE_UENTRY, target_scan, 1);
		fn_probe(w, DIF_SITE_URETURN, target_scan, 2);
		target_tell(w->t, T_SCANS, 0);
		start(w);
		until_fired(w);
		stop(w);
		counted_read(w);
		assert_true(counted[0] > 0);
		/* One may have come in before, or not be out yet. */
		assert_in_range(counted[0] - counted[1] + 1, 0, 2);
		usleep(1000);
		assert_int_equal(waitpid(w->t->pid, NULL, WNOHANG), 0);
		traced_free(w);
	}
}

int
main(int argc, char **argv)
{
	target_again(argc, argv);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_inside),
	};

	return cmocka_run_group_tests_name("process_copy", tests, fds_note, fds_check);
}
