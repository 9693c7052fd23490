/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_nomem.c - the nth allocation of the process engine fails, n = 1,
 * 2, 3 ..., from loading to stopping.  Each time the engine says that there is
 * no memory, or does without; the target computes what it should, and its text
 * is as it was before.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "engine/process/process_impl.h"
#include "engine/process/test/process_world.h"

#define EACH 30 /* allocations that fail one by one, at the beginning */
/* And at the end of a plan; one takes a second where it is sanitized. */
#ifdef __SANITIZE_ADDRESS__
#define LAST 20
#else
#define LAST 200
#endif

static const char arg0[] = "ldgs arg0, %r1\nret %r1";

/* Aggregations with and without keys, records, a variable, three kinds of
   probes: what needs memory. */
static struct test_world *
enabling(void)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	agg(w, stmt(w, c, DIF_AGG_quantize, arg0, arg0, NULL), 1);
	c = clause(w, "ldgs arg0, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, arg0, NULL, NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 3);
	fn_probe(w, DIF_SITE_URETURN, target_leaf, 1);
	probe(w, DIF_SITE_SYSENTRY, 110, 1, NULL); /* getppid */
	return w;
}

/* Trace with the nth allocation failing; false if the engine refused. */
static bool
traced(struct test_world *w, long n)
{
	bool ok;

	try_load(w); /* lays the enabling out, which is not the engine's */
	process_engine_ops.free(w->eng);
	err_clear(&w->e);
	nomem_arm(n);
	w->eng = process_engine_ops.load(&w->en, &w->opts, &w->e);
	ok = w->eng != NULL && process_engine_ops.attach(w->eng, &w->e) == 0 &&
	     process_engine_ops.begin(w->eng, &w->e) == 0;
	target_do(w->t, T_WORK, 20);
	ok = ok && process_engine_ops.stop(w->eng, &w->e) == 0 &&
	     process_engine_ops.end(w->eng, &w->e) == 0;
	return ok;
}

/*
 * A refusal for want of memory says so; what was read of /proc has the text of
 * ENOMEM, and a table that could not be kept is a function of which too little
 * is known.  On a busy machine a thread may not stop in time: that is no fault.
 */
static bool
names_the_reason(const struct test_world *w, bool failed)
{
	if (strstr(w->e.msg, "cannot stop process") != NULL)
		return true;
	return failed && (w->e.tag == &ERR_NOMEM ||
			  strstr(w->e.msg, "Cannot allocate memory") != NULL ||
			  strstr(w->e.msg, "is not known") != NULL);
}

static bool
follow(struct test_world *w)
{
	return plan_follow(w->eng, &w->e) == 0;
}

static bool
make(struct test_world *w)
{
	plan_fini(&w->eng->plan);
	w->eng->plan = (struct plan){ .fns = { 0 } };
	return plan_make(w->eng, &w->e) == 0;
}

/* Let the last allocations fail one by one: what was found before them is put
   together then. */
static void
last_fail(bool (*work)(struct test_world *w))
{
	struct test_world *w = enabling();
	long all;

	assert_non_null(try_load(w));
	nomem_arm(LONG_MAX);
	assert_true(work(w));
	all = LONG_MAX - nomem_left;
	for (long n = all > LAST ? all - LAST : 1; n <= all; n++) {
		err_clear(&w->e);
		nomem_arm(n);
		bool ok = work(w), failed = nomem_disarm();
		if (!ok && !names_the_reason(w, failed))
			fail_msg("allocation %ld: %s", n, w->e.msg);
		if (ok && err_is_set(&w->e))
			fail_msg("allocation %ld, went on: %s", n, w->e.msg);
	}
	traced_free(w);
}

static void
test_make(void **state)
{
	last_fail(make);
}

/* A plan made again for the program that a process executes. */
static void
test_follow(void **state)
{
	last_fail(follow);
}

static void
test_nomem(void **state)
{
	bool more = true;
	long n;

	(void)state;
	for (n = 1; more; n = nomem_next(n, EACH)) {
		struct test_world *w = enabling();
		uint64_t before = target_do(w->t, T_CHECK, 0);
		uint64_t sum = target_do(w->t, T_WORK, 30);
		bool ok = traced(w, n);

		process_engine_ops.free(w->eng);
		w->eng = NULL;
		more = nomem_disarm();
		if (!ok && !names_the_reason(w, more))
			fail_msg("allocation %ld: %s", n, w->e.msg);
		/* What is said to be traced has nothing left out. */
		if (ok && err_is_set(&w->e))
			fail_msg("allocation %ld, went on: %s", n, w->e.msg);
		assert_int_equal(target_do(w->t, T_WORK, 30), sum);
		assert_int_equal(target_do(w->t, T_CHECK, 0), before);
		traced_free(w);
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 20);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_nomem),
	};

	target_again(argc, argv);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
