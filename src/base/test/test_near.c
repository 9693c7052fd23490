/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_near.c - names that were misspelt, and those that were not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/near.h"

static const char *
nearest(const char *want, const char *const *names)
{
	struct near n;

	near_init(&n, want);
	for (; *names != NULL; names++)
		near_try(&n, *names);
	return near_best(&n);
}

static const char *const names[] = { "pid",	"ppid",	    "execname",
				     "copyin",	"copyinstr", "strlen", NULL };

static void
test_steps(void **state)
{
	(void)state;
	assert_string_equal(nearest("exename", names), "execname");
	assert_string_equal(nearest("execnamee", names), "execname");
	assert_string_equal(nearest("exacname", names), "execname");
	assert_string_equal(nearest("excename", names), "execname");
	assert_string_equal(nearest("excenme", names), "execname");
	assert_null(nearest("excnm3", names));
}

static void
test_case(void **state)
{
	(void)state;
	assert_string_equal(nearest("EXECNAME", names), "execname");
	assert_string_equal(nearest("Pid", names), "pid");
}

/* The nearest of all, and the first of those. */
static void
test_choice(void **state)
{
	(void)state;
	assert_string_equal(nearest("copyinst", names), "copyinstr");
	assert_string_equal(nearest("copyinn", names), "copyin");
	assert_string_equal(nearest("qpid", names), "pid");
}

/* One step is much for a short name, and all names of a letter are alike. */
static void
test_short(void **state)
{
	(void)state;
	assert_string_equal(nearest("pit", names), "pid");
	assert_null(nearest("tit", names));
	assert_null(nearest("x", names));
	assert_null(nearest("", names));
}

static void
test_long(void **state)
{
	char a[64], b[65];
	const char *const one[] = { a, NULL }, *const two[] = { b, NULL };

	(void)state;
	memset(a, 'a', sizeof(a) - 1);
	a[63] = '\0';
	memset(b, 'a', sizeof(b) - 1);
	b[64] = '\0';
	assert_string_equal(nearest(a + 1, one), a);
	assert_null(nearest(a, two));
	assert_null(nearest(b, one));
}

static void
test_hint(void **state)
{
	char buf[NEAR_HINT_MAX];
	struct near n;

	(void)state;
	near_init(&n, "strlem");
	assert_string_equal(near_hint(&n, buf), "");
	near_try(&n, NULL);
	near_try(&n, "strlen");
	assert_string_equal(near_hint(&n, buf), " (did you mean strlen?)");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps), cmocka_unit_test(test_case),
		cmocka_unit_test(test_choice), cmocka_unit_test(test_short),
		cmocka_unit_test(test_long), cmocka_unit_test(test_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
