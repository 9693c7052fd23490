/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names: basic types in any order of words, typedefs, tags, type text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "type/test/type_test.h"

static struct type_space *base, *ts;

static int
setup(void **state)
{
	static struct err e;

	base = type_space_base(&e);
	ts = base != NULL ? type_space_new(base, &e) : NULL;
	return ts != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	type_space_free(ts);
	type_space_free(base);
	return 0;
}

static void
test_basic(void **state)
{
	type_is(type_lookup(ts, NULL, "int"), "int");
	type_is(type_lookup(ts, "", "long unsigned int"), "unsigned long");
	type_is(type_lookup(ts, NULL, "  int  long unsigned long "),
	   "unsigned long long");
	type_is(type_lookup(ts, NULL, "signed"), "int");
	type_is(type_lookup(ts, NULL, "signed char"), "signed char");
	type_is(type_lookup(ts, NULL, "short signed int"), "short");
	type_is(type_lookup(ts, NULL, "long double"), "long double");
	type_is(type_lookup(ts, NULL, "string"), "string");
	assert_ptr_equal(type_lookup(ts, NULL, "unsigned"),
			 type_basic(base, TYPE_B_UINT));
	assert_null(type_lookup(ts, NULL, "long char"));
	assert_null(type_lookup(ts, NULL, "int int"));
	assert_null(type_lookup(ts, NULL, "signed unsigned"));
	assert_null(type_lookup(ts, NULL, "long long long"));
	assert_null(type_lookup(ts, NULL, "signed _Bool"));
	assert_null(type_lookup(ts, NULL, ""));
	assert_null(type_lookup(ts, NULL, "int x"));
	assert_null(type_lookup(ts, NULL, "struct int"));
}

static void
test_typedefs(void **state)
{
	static const struct {
		const char *name;
		size_t size;
		bool is_signed;
	} v[] = {
		{ "int8_t", 1, true },        { "uint16_t", 2, false },
		{ "int32_t", 4, true },       { "uint64_t", 8, false },
		{ "size_t", 8, false },       { "ssize_t", 8, true },
		{ "pid_t", 4, true },         { "uid_t", 4, false },
		{ "u_longlong_t", 8, false }, { "ipaddr_t", 4, false },
		{ "processorid_t", 4, true }, { "hrtime_t", 8, true },
	};
	struct type *t;
	uint64_t off;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		t = type_lookup(ts, NULL, v[i].name);
		type_is(t, v[i].name);
		assert_true(type_is_integer(t));
		assert_int_equal(type_size(t), v[i].size);
		assert_int_equal(type_is_signed(t), v[i].is_signed);
	}
	type_is(type_resolve(type_lookup(ts, NULL, "caddr_t")), "char *");
	t = type_lookup(ts, NULL, "cpuinfo_t");
	assert_int_equal(type_size(t), 16);
	type_is(type_member(t, "cpu_chip", &off)->type, "chipid_t");
	assert_int_equal(off, 64);
	type_is(type_lookup(ts, NULL, "struct cpuinfo"), "struct cpuinfo");
	assert_null(type_lookup(ts, NULL, "struct nowhere"));
	assert_null(type_space_kernel_error(ts));
}

static void
test_spaces(void **state)
{
	struct type *t = type_typedef(ts, "pid_t", type_basic(ts, TYPE_B_LONG));

	assert_int_equal(type_size(type_lookup(ts, NULL, "pid_t")), 8);
	assert_int_equal(type_size(type_lookup(base, NULL, "pid_t")), 4);
	assert_ptr_equal(type_lookup_local(ts, "pid_t"), t);
	assert_null(type_lookup_local(ts, "uid_t"));
	assert_null(type_lookup_local(ts, "int"));
	/* A declaration is completed by a definition in a space below. */
	t = type_sou_new(ts, TYPE_STRUCT, "cpuinfo");
	assert_int_equal(type_size(type_complete(ts, t)), 16);
	assert_ptr_equal(type_sou_new(ts, TYPE_STRUCT, "cpuinfo"), t);
	assert_int_equal(type_size(type_lookup(ts, NULL, "struct cpuinfo")),
			 16);
	t = type_fwd(ts, false, "unheard_of");
	assert_ptr_equal(type_complete(ts, t), t);
}

static void
test_enumerators(void **state)
{
	struct type_enumerator v[] = { { "RED", 0 },
				       { "BLUE", -2 },
				       { "BIG", 7 } };
	struct type *t = type_enum_new(ts, "colour", v, 3), *et;
	int64_t val;
	size_t n;

	assert_int_equal(type_size(t), 4);
	assert_true(type_is_signed(t));
	assert_true(type_lookup_enumerator(ts, "BLUE", true, &val, &et));
	assert_int_equal(val, -2);
	assert_ptr_equal(et, t);
	assert_false(type_lookup_enumerator(base, "BLUE", true, &val, &et));
	type_is(type_lookup(ts, NULL, "enum colour"), "enum colour");
	assert_string_equal(type_enumerators(t, &n)[2].name, "BIG");
	assert_int_equal(n, 3);
	v[0].val = 1ll << 40;
	assert_int_equal(type_size(type_enum_new(ts, NULL, v, 3)), 8);
}

static void
test_text(void **state)
{
	struct type *t = type_from_text(ts, "struct stat *", true);

	type_is(t, "struct stat *");
	assert_true(t->user);
	assert_ptr_equal(t, type_from_text(ts, "struct stat*", true));
	assert_ptr_not_equal(t, type_from_text(ts, "struct stat *", false));
	type_is(type_from_text(ts, "const char *const *", false),
	   "const char *const *");
	type_is(type_from_text(ts, "char const * volatile", false),
	   "const char *volatile");
	type_is(type_from_text(ts, "unsigned long", false), "unsigned long");
	assert_null(type_from_text(ts, "no_such_t *", false));
	assert_null(type_from_text(ts, "int &", false));
	assert_null(type_from_text(ts, "* int", false));
}

static void
test_compat(void **state)
{
	struct type *i = type_basic(ts, TYPE_B_INT);
	struct type *pi = type_ptr(ts, i);

	assert_true(type_compat(type_lookup(ts, NULL, "id_t"), i));
	assert_true(type_compat(type_qual(ts, TYPE_CONST, i), i));
	assert_false(type_compat(type_basic(ts, TYPE_B_UINT), i));
	assert_true(type_compat(type_ptr_user(ts, i), pi));
	assert_false(type_compat(pi, i));
	assert_true(type_compat(type_from_text(ts, "struct cpuinfo *", false),
				type_ptr(ts, type_fwd(ts, false, "cpuinfo"))));
	assert_true(type_is_strcompat(type_from_text(ts, "caddr_t", false)));
	assert_false(type_is_strcompat(pi));
	assert_int_equal(type_bit_width(type_bits(ts, i, 3)), 3);
	assert_int_equal(type_bit_width(i), 0);
	assert_false(type_compat(type_bits(ts, i, 3), i));
}

/* struct node { T1 n1; struct node *next; struct { T3 n3; }; }; of one
   program. */
static struct type *
node_of(struct type_space *in, const char *t1, const char *n1, const char *t3)
{
	struct type *t = type_sou_new(in, TYPE_STRUCT, "node"), *inner;
	struct type_member m[3] = {
		{ .name = n1, .type = type_from_text(in, t1, false) },
		{ .name = "next", .type = type_ptr(in, t) },
	}, m3 = { .name = "n3", .type = type_from_text(in, t3, false) };
	static struct err e;

	inner = type_sou_new(in, TYPE_STRUCT, NULL);
	assert_int_equal(type_sou_finish(in, inner, &m3, 1, &e), 0);
	m[2].type = inner;
	assert_int_equal(type_sou_finish(in, t, m, 3, &e), 0);
	return t;
}

/* Programs are told apart by what their types are made of, not by names. */
static void
test_same(void **state)
{
	static const struct {
		const char *t1, *n1, *t3;
		bool same;
	} v[] = {
		{ "int", "n", "long", true },
		{ "int32_t", "n", "long", true },
		{ "int", "m", "long", false },
		{ "unsigned int", "n", "long", false },
		{ "long", "n", "long", false },
		{ "int", "n", "unsigned long", false },
		{ "int", "n", "char *", false },
	};
	struct type *t = node_of(ts, "int", "n", "long"), *u, *fwd;
	static struct err e;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct type_space *other = type_space_new(base, &e);

		assert_non_null(other);
		u = node_of(other, v[i].t1, v[i].n1, v[i].t3);
		assert_int_equal(type_same(t, u), v[i].same);
		assert_int_equal(type_same(type_ptr(ts, t),
					   type_ptr(other, u)), v[i].same);
		assert_int_equal(type_same(type_array(ts, t, 2),
					   type_array(other, u, 2)), v[i].same);
		assert_false(type_same(type_array(ts, t, 2),
				       type_array(other, u, 3)));
		assert_false(type_same(t, type_ptr(other, u)));
		type_space_free(other);
	}
	/* What is declared only may be anything of that name. */
	fwd = type_fwd(ts, false, "elsewhere");
	assert_true(type_same(fwd, type_fwd(ts, false, "elsewhere")));
	assert_false(type_same(fwd, t));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_basic, setup, teardown),
		cmocka_unit_test_setup_teardown(test_typedefs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_enumerators, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_compat, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same, setup, teardown),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
