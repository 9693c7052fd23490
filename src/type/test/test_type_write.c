/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_type_write.c - names in C text: two types of one name are written by
 * two; and bodies, with the padding and the attributes that keep each member
 * where it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* ---- bodies -------------------------------------------------------------- */

/* A struct or union as it lies in memory, and how it is written for C. */
struct body {
	enum type_kind kind;
	uint64_t size;
	struct body_member {
		const char *name;
		enum type_basic type;
		uint64_t bit_off;
		uint32_t bits;
	} m[6];
	const char *want;
};

static const struct body bodies[] = {
	/* As the compiler lays it out; nothing; one that is larger. */
	{ TYPE_STRUCT,
	  16,
	  { { "c", TYPE_B_CHAR, 0 },
	    { "i", TYPE_B_INT, 32 },
	    { "l", TYPE_B_LONG, 64 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tint i;\n"
	  "\tlong l;\n"
	  "}" },
	{ TYPE_STRUCT,
	  0,
	  { { NULL } },
	  "struct x {\n"
	  "}" },
	{ TYPE_STRUCT,
	  3,
	  { { NULL } },
	  "struct x {\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "}" },
	{ TYPE_UNION,
	  8,
	  { { "c", TYPE_B_CHAR, 0 }, { "l", TYPE_B_LONG, 0 } },
	  "union x {\n"
	  "\tchar c;\n"
	  "\tlong l;\n"
	  "}" },
	/* Gaps: in front, of 7, of 8 and of 9 bytes, at the end. */
	{ TYPE_STRUCT,
	  4,
	  { { "i", TYPE_B_SHORT, 16 } },
	  "struct x {\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tshort i;\n"
	  "}" },
	{ TYPE_STRUCT,
	  9,
	  { { "c", TYPE_B_CHAR, 0 }, { "d", TYPE_B_CHAR, 64 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tchar d;\n"
	  "}" },
	{ TYPE_STRUCT,
	  10,
	  { { "c", TYPE_B_CHAR, 0 }, { "d", TYPE_B_CHAR, 72 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tunsigned char __pad_1[8];\n"
	  "\tchar d;\n"
	  "}" },
	{ TYPE_STRUCT,
	  11,
	  { { "c", TYPE_B_CHAR, 0 }, { "d", TYPE_B_CHAR, 80 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tunsigned char __pad_1[9];\n"
	  "\tchar d;\n"
	  "}" },
	{ TYPE_STRUCT,
	  12,
	  { { "i", TYPE_B_INT, 0 } },
	  "struct x {\n"
	  "\tint i;\n"
	  "\tunsigned char __pad_4[8];\n"
	  "}" },
	{ TYPE_STRUCT,
	  16,
	  { { "l", TYPE_B_LONG, 0 }, { "c", TYPE_B_CHAR, 64 } },
	  "struct x {\n"
	  "\tlong l;\n"
	  "\tchar c;\n"
	  "}" },
	{ TYPE_UNION,
	  12,
	  { { "i", TYPE_B_INT, 0 } },
	  "union x {\n"
	  "\tint i;\n"
	  "\tunsigned char __pad_0[12];\n"
	  "}" },
	/* Packed: a member lies lower, or the end. */
	{ TYPE_STRUCT,
	  5,
	  { { "c", TYPE_B_CHAR, 0 }, { "i", TYPE_B_INT, 8 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tint i;\n"
	  "} __attribute__((packed))" },
	{ TYPE_STRUCT,
	  5,
	  { { "i", TYPE_B_INT, 0 }, { "c", TYPE_B_CHAR, 32 } },
	  "struct x {\n"
	  "\tint i;\n"
	  "\tchar c;\n"
	  "} __attribute__((packed))" },
	{ TYPE_STRUCT,
	  10,
	  { { "c", TYPE_B_CHAR, 0 },
	    { "i", TYPE_B_INT, 8 },
	    { "s", TYPE_B_SHORT, 64 } },
	  "struct x {\n"
	  "\tchar c;\n"
	  "\tint i;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tshort s;\n"
	  "} __attribute__((packed))" },
	/* Bit-fields: in a row; up to the last bit of a unit; over its end,
	   which is packed; with a hole; that begin anew. */
	{ TYPE_STRUCT,
	  4,
	  { { "a", TYPE_B_UINT, 0, 3 }, { "b", TYPE_B_UINT, 3, 5 } },
	  "struct x {\n"
	  "\tunsigned int a : 3;\n"
	  "\tunsigned int b : 5;\n"
	  "}" },
	{ TYPE_STRUCT,
	  4,
	  { { "a", TYPE_B_UINT, 0, 31 }, { "b", TYPE_B_UINT, 31, 1 } },
	  "struct x {\n"
	  "\tunsigned int a : 31;\n"
	  "\tunsigned int b : 1;\n"
	  "}" },
	{ TYPE_STRUCT,
	  8,
	  { { "a", TYPE_B_UINT, 0, 31 }, { "b", TYPE_B_UINT, 32, 2 } },
	  "struct x {\n"
	  "\tunsigned int a : 31;\n"
	  "\tunsigned int b : 2;\n"
	  "}" },
	{ TYPE_STRUCT,
	  8,
	  { { "a", TYPE_B_UINT, 0, 31 }, { "b", TYPE_B_UINT, 31, 2 } },
	  "struct x {\n"
	  "\tunsigned int a : 31;\n"
	  "\tunsigned int b : 2;\n"
	  "\tunsigned char : 7;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 8;\n"
	  "} __attribute__((packed))" },
	{ TYPE_STRUCT,
	  4,
	  { { "a", TYPE_B_UINT, 0, 3 },
	    { "b", TYPE_B_UINT, 5, 2 },
	    { "c", TYPE_B_UINT, 21, 11 } },
	  "struct x {\n"
	  "\tunsigned int a : 3;\n"
	  "\tunsigned char : 2;\n"
	  "\tunsigned int b : 2;\n"
	  "\tunsigned char : 1;\n"
	  "\tunsigned char : 8;\n"
	  "\tunsigned char : 5;\n"
	  "\tunsigned int c : 11;\n"
	  "}" },
	{ TYPE_STRUCT,
	  4,
	  { { "a", TYPE_B_UCHAR, 0, 3 },
	    { "b", TYPE_B_UCHAR, 8, 3 },
	    { "s", TYPE_B_SHORT, 16 } },
	  "struct x {\n"
	  "\tunsigned char a : 3;\n"
	  "\tunsigned char : 5;\n"
	  "\tunsigned char b : 3;\n"
	  "\tshort s;\n"
	  "}" },
	{ TYPE_STRUCT,
	  4,
	  { { "a", TYPE_B_UINT, 4, 3 } },
	  "struct x {\n"
	  "\tunsigned char : 4;\n"
	  "\tunsigned int a : 3;\n"
	  "}" },
};

/* The type, of members that are basic. */
static struct type *
body_type(struct type_space *ts, const struct body *b)
{
	static struct err e;
	struct type *t = type_sou_new(ts, b->kind, "x");
	struct type_member m[6] = { { NULL } };
	size_t n = 0;

	for (; n < 6 && b->m[n].name != NULL; n++) {
		m[n].name = b->m[n].name;
		m[n].type = type_basic(ts, b->m[n].type);
		m[n].bits = b->m[n].bits;
	}
	assert_int_equal(type_sou_finish(ts, t, m, n, &e), 0);
	for (size_t i = 0; i < n; i++)
		type_list(t)->m[i].bit_off = b->m[i].bit_off;
	t->size = b->size;
	return t;
}

static void
test_bodies(void **state)
{
	static struct err e;
	bool good = true;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct type_space *ts = type_space_base(&e);
		struct type_writer *w = type_writer_new(ts, true);
		struct buf b = BUF_INIT;

		type_write_body(w, body_type(ts, &bodies[i]), &b);
		if (strcmp(buf_str(&b), bodies[i].want) != 0) {
			print_error("%zu: %s\n", i, buf_str(&b));
			good = false;
		}
		buf_fini(&b);
		type_writer_free(w);
		type_space_free(ts);
	}
	assert_true(good);
}

/* C says the size of an enum that is none of an int, D the values alone. */
static void
test_enums(void **state)
{
	static const struct {
		uint64_t size;
		bool is_signed;
		const char *c, *d;
	} enums[] = {
#define ENUM_BODY "enum e {\n\tA = -1,\n\tB = 2147483647\n}"
#define ENUM_WIDE                                                              \
	"enum e {\n\tA = 18446744073709551615ULL,\n\tB = 2147483647\n}"
		{ 1, true, ENUM_BODY " __attribute__((mode(QI)))", ENUM_BODY },
		{ 2, true, ENUM_BODY " __attribute__((mode(HI)))", ENUM_BODY },
		{ 4, true, ENUM_BODY, ENUM_BODY },
		{ 8, true, ENUM_BODY " __attribute__((mode(DI)))", ENUM_BODY },
		{ 8, false, ENUM_WIDE " __attribute__((mode(DI)))", ENUM_WIDE },
	};
	static const struct type_enumerator values[] = { { "A", -1 },
							 { "B", INT32_MAX } };
	static struct err e;

	for (size_t i = 0; i < 2 * sizeof(enums) / sizeof(*enums); i++) {
		struct type_space *ts = type_space_base(&e);
		struct type_writer *w = type_writer_new(ts, i % 2 == 0);
		struct type *t = type_enum_new(ts, "e", values, 2);
		struct buf b = BUF_INIT;

		t->size = enums[i / 2].size;
		t->is_signed = enums[i / 2].is_signed;
		type_write_body(w, t, &b);
		assert_string_equal(buf_str(&b), i % 2 == 0 ? enums[i / 2].c
							    : enums[i / 2].d);
		buf_fini(&b);
		type_writer_free(w);
		type_space_free(ts);
	}
}

/* What does not fit into an int says so; one that is declared only has a value
   all the same. */
static void
test_values(void **state)
{
	static const struct type_enumerator values[] = {
		{ "A", INT32_MIN }, { "B", INT32_MIN - 1ll },
		{ "C", INT32_MAX }, { "D", INT32_MAX + 1ll },
		{ "E", 0 },
	};
	static struct err e;
	struct type_space *ts = type_space_base(&e);
	struct type_writer *w = type_writer_new(ts, true);
	struct type *t = type_enum_new(ts, NULL, values, 5);
	struct buf b = BUF_INIT;

	t->size = 4;
	t->is_signed = true;
	type_write_body(w, t, &b);
	buf_putc(&b, ' ');
	type_write_body(w, type_enum_new(ts, "f", NULL, 0), &b);
	assert_string_equal(buf_str(&b),
			    "enum {\n\tA = -2147483648,\n"
			    "\tB = -2147483649LL,\n\tC = 2147483647,\n"
			    "\tD = 2147483648LL,\n\tE = 0\n} "
			    "enum f {\n\t__none\n}");
	buf_fini(&b);
	type_writer_free(w);
	type_space_free(ts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unique), cmocka_unit_test(test_tag),
		cmocka_unit_test(test_need),   cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_enums),  cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
