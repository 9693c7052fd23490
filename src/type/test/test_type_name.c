/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Types as C writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "type/test/type_test.h"

static struct type_space *ts;

static void
test_names(void **state)
{
	struct type *i = type_basic(ts, TYPE_B_INT);
	struct type *c = type_basic(ts, TYPE_B_CHAR);
	struct type *pc = type_ptr(ts, c);
	struct type *cpc = type_ptr(ts, type_qual(ts, TYPE_CONST, c));
	struct type_param p[] = { { "n", i }, { NULL, cpc } };
	struct type *f = type_func(ts, i, p, 2, false);
	struct type *v = type_func(ts, type_basic(ts, TYPE_B_VOID), p, 1, true);
	struct type_param pf[] = { { NULL, type_ptr(ts, f) } };
	struct type *s = type_sou_new(ts, TYPE_STRUCT, "foo");
	struct type *td = type_typedef(ts, "foo_t", s);

	type_is(type_basic(ts, TYPE_B_VOID), "void");
	type_is(type_ptr(ts, s), "struct foo *");
	type_is(type_sou_new(ts, TYPE_UNION, NULL), "union (anonymous)");
	type_is(td, "foo_t");
	type_is(type_ptr(ts, type_ptr(ts, td)), "foo_t **");
	type_is(type_array(ts, i, 4), "int [4]");
	type_is(type_array(ts, type_array(ts, i, 3), 2), "int [2][3]");
	type_is(type_array(ts, pc, 4), "char *[4]");
	type_is(type_ptr(ts, type_array(ts, c, 4)), "char (*)[4]");
	type_is(type_array(ts, i, 0), "int []");
	type_is(cpc, "const char *");
	type_is(type_qual(ts, TYPE_CONST, pc), "char *const");
	type_is(type_qual(ts, TYPE_VOLATILE, type_qual(ts, TYPE_CONST, i)),
	   "const volatile int");
	type_is(f, "int (int, const char *)");
	type_is(type_ptr(ts, f), "int (*)(int, const char *)");
	type_is(type_ptr(ts, v), "void (*)(int, ...)");
	type_is(type_array(ts, type_ptr(ts, f), 2),
		"int (*[2])(int, const char *)");
	type_is(type_func(ts, pc, pf, 1, false),
	   "char *(int (*)(int, const char *))");
	type_is(type_func(ts, type_ptr(ts, f), NULL, 0, false),
	   "int (*(void))(int, const char *)");
	type_is(type_qual(ts, TYPE_CONST, type_ptr(ts, f)),
	   "int (*const)(int, const char *)");
	type_is(type_qual(ts, TYPE_CONST, type_array(ts, c, 4)),
		"const char [4]");
}

/* The parameters of a function type that has a name are the type's. */
static void
test_params(void **state)
{
	struct type_param p[] = { { "n", type_basic(ts, TYPE_B_INT) } };
	struct type *f = type_func(ts, type_basic(ts, TYPE_B_VOID), p, 1,
				   false);
	const struct type_param *found;
	size_t n;

	found = type_params(type_typedef(ts, "handler_t", f), &n);
	assert_int_equal(n, 1);
	assert_string_equal(found->name, "n");
	assert_null(type_params(type_basic(ts, TYPE_B_INT), &n));
	assert_int_equal(n, 0);
}

int
main(void)
{
	static struct err e;
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names),
					    cmocka_unit_test(test_params) };
	int rc;

	ts = type_space_base(&e);
	rc = ts == NULL ? 1
			: cmocka_run_group_tests(tests, fds_note, fds_check);
	type_space_free(ts);
	return rc;
}
