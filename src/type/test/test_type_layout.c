/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The same structs twice: declared in C, and made member by member.  The
 * compiler that builds the test says what is right; where a bit-field lies is
 * seen by setting all its bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "type/type.h"

static struct type_space *ts;

static int
setup(void **state)
{
	static struct err e;

	ts = type_space_base(&e);
	return ts != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	type_space_free(ts);
	return 0;
}

/* A member as the tests write it: type text, name, elements or bits. */
struct m {
	const char *type, *name;
	unsigned n, bits;
};

static struct type *
make(enum type_kind kind, const struct m *m, size_t n)
{
	struct type_member v[16] = { 0 };
	struct type *t = type_sou_new(ts, kind, NULL);
	static struct err e;

	for (size_t i = 0; i < n; i++) {
		v[i].name = m[i].name;
		v[i].bits = m[i].bits;
		v[i].type = type_from_text(ts, m[i].type, false);
		assert_non_null(v[i].type);
		if (m[i].n != 0)
			v[i].type = type_array(ts, v[i].type, m[i].n);
	}
	err_clear(&e);
	if (type_sou_finish(ts, t, v, n, &e) != 0)
		fail_msg("%s", e.msg);
	return t;
}
#define MAKE(kind, ...)                                                        \
	make(kind, (struct m[]){ __VA_ARGS__ },                                \
	     sizeof((struct m[]){ __VA_ARGS__ }) / sizeof(struct m))

static uint64_t
off(struct type *t, const char *name)
{
	uint64_t bits = ~0ull;

	assert_non_null(type_member(t, name, &bits));
	return bits;
}

#define SAME_SIZE(t, s)                                                        \
	do {                                                                   \
		assert_int_equal(type_size(t), sizeof(s));                     \
		assert_int_equal(type_align(t), _Alignof(s));                  \
	} while (0)
#define SAME_OFF(t, s, f) assert_int_equal(off(t, #f), 8 * offsetof(s, f))

/* Where the bits of field f are set, and how many. */
#define SAME_BITS(t, s, f)                                                     \
	do {                                                                   \
		s v;                                                           \
		memset(&v, 0, sizeof(v));                                      \
		v.f = -1;                                                      \
		assert_int_equal(off(t, #f), first_bit(&v, sizeof(v)));        \
	} while (0)

static uint64_t
first_bit(const void *p, size_t n)
{
	for (size_t i = 0; i < n * 8; i++)
		if (((const uint8_t *)p)[i / 8] & (1u << (i % 8)))
			return i;
	return ~0ull;
}

static void
test_plain(void **state)
{
	struct plain {
		char a;
		short b;
		char c;
		long d;
		int e;
		_Bool f;
		void *g;
		double h;
		char i[5];
		long double j;
		float k;
	};
	struct type *t = MAKE(TYPE_STRUCT, { "char", "a" }, { "short", "b" },
			      { "char", "c" }, { "long", "d" }, { "int", "e" },
			      { "_Bool", "f" }, { "void *", "g" },
			      { "double", "h" }, { "char", "i", 5 },
			      { "long double", "j" }, { "float", "k" });

	SAME_SIZE(t, struct plain);
	SAME_OFF(t, struct plain, b);
	SAME_OFF(t, struct plain, c);
	SAME_OFF(t, struct plain, d);
	SAME_OFF(t, struct plain, f);
	SAME_OFF(t, struct plain, g);
	SAME_OFF(t, struct plain, h);
	SAME_OFF(t, struct plain, i);
	SAME_OFF(t, struct plain, j);
	SAME_OFF(t, struct plain, k);
}

static void
test_bitfields(void **state)
{
	struct bits {
		unsigned a : 3;
		unsigned b : 30; /* does not fit beside a */
		char c : 2;
		short d : 9;
		long e : 40; /* shares the eight bytes */
		long f : 30; /* does not */
		_Bool g : 1;
		unsigned char h : 7;
		int i;
		int j : 1;
	};
	struct type *t = MAKE(TYPE_STRUCT, { "unsigned", "a", 0, 3 },
			      { "unsigned", "b", 0, 30 }, { "char", "c", 0, 2 },
			      { "short", "d", 0, 9 }, { "long", "e", 0, 40 },
			      { "long", "f", 0, 30 }, { "_Bool", "g", 0, 1 },
			      { "unsigned char", "h", 0, 7 }, { "int", "i" },
			      { "int", "j", 0, 1 });

	SAME_SIZE(t, struct bits);
	SAME_BITS(t, struct bits, a);
	SAME_BITS(t, struct bits, b);
	SAME_BITS(t, struct bits, c);
	SAME_BITS(t, struct bits, d);
	SAME_BITS(t, struct bits, e);
	SAME_BITS(t, struct bits, f);
	SAME_BITS(t, struct bits, g);
	SAME_BITS(t, struct bits, h);
	SAME_OFF(t, struct bits, i);
	SAME_BITS(t, struct bits, j);
}

static void
test_bits_after_bytes(void **state)
{
	struct after {
		char a;
		int b : 20; /* in the rest of the first int */
		int c : 8;  /* and this not */
		char d;
		long e : 48;
	};
	struct type *t = MAKE(TYPE_STRUCT, { "char", "a" },
			      { "int", "b", 0, 20 }, { "int", "c", 0, 8 },
			      { "char", "d" }, { "long", "e", 0, 48 });

	SAME_SIZE(t, struct after);
	SAME_BITS(t, struct after, b);
	SAME_BITS(t, struct after, c);
	SAME_OFF(t, struct after, d);
	SAME_BITS(t, struct after, e);
}

static void
test_unnamed_bits(void **state)
{
	struct unnamed {
		char a : 3;
		int : 0;
		char b : 2;
		int : 5; /* gives the struct no alignment */
		char c;
		long : 0;
		char d;
	};
	struct tail {
		char a;
		int : 7;
	};
	struct type *t =
		MAKE(TYPE_STRUCT, { "char", "a", 0, 3 }, { "int", NULL },
		     { "char", "b", 0, 2 }, { "int", NULL, 0, 5 },
		     { "char", "c" }, { "long", NULL }, { "char", "d" });
	size_t n;

	SAME_SIZE(t, struct unnamed);
	SAME_BITS(t, struct unnamed, b);
	SAME_OFF(t, struct unnamed, c);
	SAME_OFF(t, struct unnamed, d);
	type_members(t, &n);
	assert_int_equal(n, 4); /* padding is no member */
	t = MAKE(TYPE_STRUCT, { "char", "a" }, { "int", NULL, 0, 7 });
	SAME_SIZE(t, struct tail);
}

static void
test_union(void **state)
{
	union u {
		int a : 5;
		char b[7];
		short c;
	};
	struct type *t = MAKE(TYPE_UNION, { "int", "a", 0, 5 },
			      { "char", "b", 7 }, { "short", "c" });

	SAME_SIZE(t, union u);
	assert_int_equal(off(t, "c"), 0);
}

static void
test_anonymous(void **state)
{
	struct outer {
		int a;
		union {
			long b;
			struct {
				char c, d;
			};
		};
		char e[];
	};
	struct type *in = MAKE(TYPE_STRUCT, { "char", "c" }, { "char", "d" });
	struct type *chars = type_from_text(ts, "char", false), *u, *t;
	struct type_member mu[] = { { "b", type_from_text(ts, "long", false) },
				    { NULL, in } };
	struct type_member mo[] = { { "a", type_from_text(ts, "int", false) },
				    { NULL, NULL },
				    { "e", type_array(ts, chars, 0) } };
	static struct err e;
	uint64_t at;

	u = type_sou_new(ts, TYPE_UNION, NULL);
	assert_int_equal(type_sou_finish(ts, u, mu, 2, &e), 0);
	mo[1].type = u;
	t = type_sou_new(ts, TYPE_STRUCT, "outer");
	assert_int_equal(type_sou_finish(ts, t, mo, 3, &e), 0);
	SAME_SIZE(t, struct outer);
	SAME_OFF(t, struct outer, b);
	SAME_OFF(t, struct outer, d);
	SAME_OFF(t, struct outer, e);
	assert_null(type_member(t, "nothing", &at));
}

static void
refused(const struct type_member *m, size_t n, const char *why)
{
	static struct err e;
	struct type *t = type_sou_new(ts, TYPE_STRUCT, NULL);

	err_clear(&e);
	assert_int_equal(type_sou_finish(ts, t, m, n, &e), -1);
	assert_string_equal(e.msg, why);
}

static void
test_refused(void **state)
{
	struct type *i = type_basic(ts, TYPE_B_INT);
	struct type *inc = type_sou_new(ts, TYPE_STRUCT, "incomplete");
	struct type *huge = type_array(ts, i, UINT64_MAX / 4);

	refused((struct type_member[]){ { "x", i, 0, 33 } }, 1,
		"bit-field x is wider than its type");
	refused((struct type_member[]){ { "x", type_ptr(ts, i), 0, 3 } }, 1,
		"bit-field x must have an integer type");
	refused((struct type_member[]){ { "x", i }, { "x", i } }, 2,
		"duplicate member x");
	refused((struct type_member[]){ { "x", inc } }, 1,
		"member x has an incomplete type");
	refused((struct type_member[]){ { "x", type_basic(ts, 0) } }, 1,
		"member x has an incomplete type");
	refused((struct type_member[]){ { "x",
					  type_func(ts, i, NULL, 0, false) } },
		1, "member x may not be a function");
	refused((struct type_member[]){ { "x", huge } }, 1,
		"member x is too large");
}

/* A string has its room in a struct, by whatever name, and in arrays. */
static void
test_strings(void **state)
{
	struct type *t;

	(void)state;
	assert_non_null(type_typedef(ts, "text_t",
				     type_basic(ts, TYPE_B_STRING)));
	assert_non_null(type_typedef(
		ts, "texts_t",
		type_array(ts, type_basic(ts, TYPE_B_STRING), 3)));
	t = MAKE(TYPE_STRUCT, { "string", "a" }, { "text_t", "b" },
		 { "texts_t", "c" }, { "char", "d" });
	assert_int_equal(off(t, "b"), TYPE_STRING_MEMBER * 8);
	assert_int_equal(off(t, "c"), 2 * TYPE_STRING_MEMBER * 8);
	assert_int_equal(off(t, "d"), 5 * TYPE_STRING_MEMBER * 8);
	assert_int_equal(type_size(t), 5 * TYPE_STRING_MEMBER + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bitfields),
		cmocka_unit_test(test_bits_after_bytes),
		cmocka_unit_test(test_unnamed_bits),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_anonymous),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
