/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_type_write.c - names in C text: two types of one name are written by
 * two.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "type/type_write.h"

static void
test_unique(void **state)
{
	static const struct type a = { .kind = TYPE_STRUCT },
				 b = { .kind = TYPE_STRUCT },
				 c = { .kind = TYPE_STRUCT },
				 fwd = { .kind = TYPE_FWD };
	struct type_writer *w = type_writer_new(NULL, true);

	assert_non_null(w);
	for (int i = 0; i < 2; i++) { /* asked again, the same */
		assert_string_equal(type_write_unique(w, 's', "x", &a), "x");
		assert_string_equal(type_write_unique(w, 's', "x", &b),
				    "x___2");
		assert_string_equal(type_write_unique(w, 's', "x", &c),
				    "x___3");
	}
	/* What is declared, never defined, is what has that tag; a typedef is
	   none. */
	assert_string_equal(type_write_unique(w, 's', "x", &fwd), "x");
	assert_string_equal(type_write_unique(w, 't', "x", &a), "x");
	assert_string_equal(type_write_unique(w, 't', "x", &fwd), "x___2");
	assert_string_equal(type_write_unique(w, 's', "y", &fwd), "y");
	assert_string_equal(type_write_unique(w, 's', "y", &a), "y");
	assert_string_equal(type_write_unique(w, 's', "y", &b), "y___2");
	assert_string_equal(type_write_unique(w, 's', "a::b<c>", &a),
			    "a__b_c_");
	type_writer_free(w);
}

/* In C a tag is the same each time that its type is written, and no other type
   has it; D has its own words for types of one name. */
static void
test_tag(void **state)
{
	struct type a = { .kind = TYPE_STRUCT, .name = "x" },
		    b = { .kind = TYPE_STRUCT, .name = "x" },
		    nameless = { .kind = TYPE_STRUCT };
	struct type_writer *c = type_writer_new(NULL, true),
			   *d = type_writer_new(NULL, false);

	for (int i = 0; i < 2; i++) {
		assert_string_equal(type_write_tag(c, &a), "x");
		assert_string_equal(type_write_tag(c, &b), "x___2");
		assert_null(type_write_tag(c, &nameless));
		assert_string_equal(type_write_tag(d, &a), "x");
		assert_string_equal(type_write_tag(d, &b), "x");
	}
	type_writer_free(c);
	type_writer_free(d);
}

/* What a member is stands before it, whole; what it points to is declared only,
   and so is what nobody has given members. */
static void
test_need(void **state)
{
	static struct err e;
	struct type_space *ts = type_space_base(&e);
	struct type *in = type_sou_new(ts, TYPE_STRUCT, "in"),
		    *seen = type_sou_new(ts, TYPE_STRUCT, "seen"),
		    *open = type_sou_new(ts, TYPE_STRUCT, "open"),
		    *out = type_sou_new(ts, TYPE_STRUCT, "out");
	struct type_member mi = { "i", type_basic(ts, TYPE_B_INT) };
	struct type_member mo[] = { { "in", in }, { "p", type_ptr(ts, seen) } };
	struct type_writer *w = type_writer_new(ts, false);
	struct buf b = BUF_INIT;

	assert_int_equal(type_sou_finish(ts, in, &mi, 1, &e), 0);
	assert_int_equal(type_sou_finish(ts, seen, &mi, 1, &e), 0);
	assert_int_equal(type_sou_finish(ts, out, mo, 2, &e), 0);
	type_write_need(w, out, true, &b);
	type_write_need(w, open, true, &b);
	assert_string_equal(buf_str(&b), "struct in {\n\tint i;\n};\n"
					 "struct seen;\n"
					 "struct out {\n\tstruct in in;\n"
					 "\tstruct seen *p;\n};\n"
					 "struct open;\n");
	buf_fini(&b);
	type_writer_free(w);
	type_space_free(ts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unique),
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_need),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
