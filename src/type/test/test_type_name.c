/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Types as C writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "type/type.h"

static struct type_space *ts;

static void
is(struct type *t, const char *name)
{
	struct buf b = BUF_INIT;

	assert_non_null(t);
	type_name(t, &b);
	assert_string_equal(buf_str(&b), name);
	buf_fini(&b);
}

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

	is(type_basic(ts, TYPE_B_VOID), "void");
	is(type_ptr(ts, s), "struct foo *");
	is(type_sou_new(ts, TYPE_UNION, NULL), "union (anonymous)");
	is(td, "foo_t");
	is(type_ptr(ts, type_ptr(ts, td)), "foo_t **");
	is(type_array(ts, i, 4), "int [4]");
	is(type_array(ts, type_array(ts, i, 3), 2), "int [2][3]");
	is(type_array(ts, pc, 4), "char *[4]");
	is(type_ptr(ts, type_array(ts, c, 4)), "char (*)[4]");
	is(type_array(ts, i, 0), "int []");
	is(cpc, "const char *");
	is(type_qual(ts, TYPE_CONST, pc), "char *const");
	is(type_qual(ts, TYPE_VOLATILE, type_qual(ts, TYPE_CONST, i)),
	   "const volatile int");
	is(f, "int (int, const char *)");
	is(type_ptr(ts, f), "int (*)(int, const char *)");
	is(type_ptr(ts, v), "void (*)(int, ...)");
	is(type_array(ts, type_ptr(ts, f), 2), "int (*[2])(int, const char *)");
	is(type_func(ts, pc, pf, 1, false),
	   "char *(int (*)(int, const char *))");
	is(type_func(ts, type_ptr(ts, f), NULL, 0, false),
	   "int (*(void))(int, const char *)");
	is(type_qual(ts, TYPE_CONST, type_ptr(ts, f)),
	   "int (*const)(int, const char *)");
	is(type_qual(ts, TYPE_CONST, type_array(ts, c, 4)), "const char [4]");
}

int
main(void)
{
	static struct err e;
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };
	int rc;

	ts = type_space_base(&e);
	rc = ts == NULL ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
	type_space_free(ts);
	return rc;
}
