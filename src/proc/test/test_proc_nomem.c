/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc_nomem.c - the nth allocation of what reads the kernel's symbols and
 * its text fails, n = 1, 2, 3 ...: an instruction that must not be probed is
 * never said to be fit for one, and what has failed is there when it is asked
 * for again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "proc/proc.h"

static struct proc_set *
set_new(void)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);

	assert_non_null(ps);
	return ps;
}

/* A place that the kernel rewrites: that of its first jump label; 0: it is not
   told to us. */
static uint64_t
rewritten(void)
{
	struct proc_set *ps = set_new();
	struct err e = { 0 };
	uint64_t at, res = 0;
	int32_t far;

	if (ksym_by_name(ps, "vmlinux", "__start___jump_table", &at) == 0 &&
	    ktext_read(ps, at, &far, sizeof(far), &e) == 0)
		res = at + (uint64_t)far;
	proc_set_free(ps);
	return res;
}

static void
test_ktext_bad(void **state)
{
	uint64_t at = rewritten();
	const int want = at != 0; /* nothing is known of where there is no
				     text */
	bool failed = true;
	long n = 0;

	while (failed) {
		struct proc_set *ps = set_new();
		struct err e = { 0 };
		int rc;

		nomem_arm(++n);
		rc = ktext_bad(ps, at, &e);
		failed = nomem_disarm();
		assert_int_equal(rc, failed ? -1 : want);
		assert_int_equal(err_is_set(&e), failed);
		err_clear(&e);
		assert_int_equal(ktext_bad(ps, at, &e), want);
		proc_set_free(ps);
	}
	assert_true(n > 3); /* it has allocated something */
}

static void
test_ksym_load(void **state)
{
	bool failed = true, any = false;
	uint64_t at;

	for (long n = 1; failed; n++) {
		struct proc_set *ps = set_new();
		struct err e = { 0 };
		int rc;

		nomem_arm(n);
		rc = ksym_load(ps, &e);
		failed = nomem_disarm();
		any |= failed;
		assert_int_equal(rc, failed ? -1 : 0);
		assert_int_equal(ksym_load(ps, &e), 0);
		/* Without another allocation. */
		nomem_arm(1);
		(void)ksym_by_name(ps, "vmlinux", "schedule", &at);
		assert_false(nomem_disarm());
		proc_set_free(ps);
	}
	assert_true(any);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ktext_bad),
		cmocka_unit_test(test_ksym_load),
	};

	return cmocka_run_group_tests_name("proc_nomem", tests, fds_note, fds_check);
}
