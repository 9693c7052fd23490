/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_dw.c - what the DWARF of the test's own executable says of a
 * function, of the places of its instructions and of types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <dwarf.h>

#include "base/test/fds.h"
#include "elf/dw.h"
#include "elf/test/elf_self.h"

struct dw_test_struct {
	int a;
	union dw_test_union {
		char c;
		long l;
	} u;
};
enum dw_test_enum { DW_TEST_ONE = 1 };
typedef struct dw_test_struct dw_test_t;

static volatile int dw_test_sink;

/* What is inlined is one instruction with a name: dw_test_in. */
enum { INLINED_LINE = __LINE__ + 4 };
static inline __attribute__((always_inline)) void
dw_test_inlined(int a)
{
	__asm__ volatile("dw_test_in: mov %0, %%eax" : : "r"(a) : "eax");
}

enum { CALL_LINE = __LINE__ + 7 };
int dw_test_fn(dw_test_t *t, enum dw_test_enum e);

__attribute__((noinline)) int
dw_test_fn(dw_test_t *t, enum dw_test_enum e)
{
	dw_test_sink = t->a;
	dw_test_inlined(t->a + (int)e);
	return dw_test_sink;
}

extern const char dw_test_in[];

static struct elf_file *self;
static struct dw *dw;

static int
setup(void **state)
{
	struct err e = { 0 };

	self = open_self();
	dw = dw_open(self, &e);
	if (dw == NULL)
		fail_msg("%s", e.msg);
	return 0;
}

static int
teardown(void **state)
{
	dw_close(dw);
	elf_close(self);
	return 0;
}

/* The link-time address of a place in this program. */
static uint64_t
linked(const void *p)
{
	const struct elf_sym *s = elf_sym_find(self, "dw_test_fn");

	assert_non_null(s);
	return s->addr + ((uint64_t)(uintptr_t)p -
			  (uint64_t)(uintptr_t)dw_test_fn);
}

static void
called(Dwarf_Die *die, const char *name)
{
	const char *s = dwarf_diename(die);

	assert_non_null(s);
	assert_string_equal(s, name);
}

static void
test_func(void **state)
{
	uint64_t at = linked((const void *)dw_test_fn);
	Dwarf_Die die, kid;

	assert_true(dw_func(dw, at, &die));
	called(&die, "dw_test_fn");
	assert_true(dw_child(&die, &kid));
	assert_int_equal(dwarf_tag(&kid), DW_TAG_formal_parameter);
	called(&kid, "t");
	assert_true(dw_next(&kid));
	called(&kid, "e");
	assert_false(dw_func(dw, at + 1, &die));
	assert_false(dw_func(dw, 0, &die));
}

static void
is_here(const struct dw_line *l, const char *func, int line)
{
	assert_string_equal(l->func, func);
	assert_non_null(strstr(l->file, "test_elf_dw.c"));
	assert_int_equal(l->line, line);
}

/* The innermost comes first; there are no more than are wanted. */
static void
test_lines(void **state)
{
	uint64_t at = linked(dw_test_in);
	struct dw_line v[3] = { { .line = -1 }, { .line = -1 },
				{ .line = -1 } };

	assert_int_equal(dw_lines(dw, at, v, 3), 2);
	is_here(&v[0], "dw_test_inlined", INLINED_LINE);
	is_here(&v[1], "", CALL_LINE);
	assert_int_equal(v[2].line, -1);
	v[1].line = -1;
	assert_int_equal(dw_lines(dw, at, v, 1), 1);
	assert_int_equal(v[0].line, INLINED_LINE);
	assert_int_equal(v[1].line, -1);
	assert_int_equal(dw_lines(dw, at, v, 0), 0);
	assert_int_equal(dw_lines(dw, 0, v, 3), 0);
}

static void
test_types(void **state)
{
	static const struct {
		enum dw_ns ns;
		const char *name;
		int tag;
	} v[] = {
		{ DW_NS_STRUCT, "dw_test_struct", DW_TAG_structure_type },
		{ DW_NS_UNION, "dw_test_union", DW_TAG_union_type },
		{ DW_NS_ENUM, "dw_test_enum", DW_TAG_enumeration_type },
		{ DW_NS_PLAIN, "dw_test_t", DW_TAG_typedef },
		{ DW_NS_PLAIN, "int", DW_TAG_base_type },
	};
	Dwarf_Die die;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		assert_true(dw_type(dw, v[i].ns, v[i].name, &die));
		assert_int_equal(dwarf_tag(&die), v[i].tag);
		called(&die, v[i].name);
	}
	assert_true(dw_type(dw, DW_NS_ENUMERATOR, "DW_TEST_ONE", &die));
	called(&die, "dw_test_enum");
	assert_false(dw_type(dw, DW_NS_ENUMERATOR, "dw_test_enum", &die));
	/* C has structs in a name space of their own. */
	assert_false(dw_type(dw, DW_NS_PLAIN, "dw_test_struct", &die));
	assert_false(dw_type(dw, DW_NS_STRUCT, "dw_test_t", &die));
	assert_false(dw_type(dw, DW_NS_STRUCT, "dw_test_nosuch", &die));
}

/* Without debug information: what is missing, and how it is had. */
static void
test_none(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/bin/true", &e);

	if (f == NULL)
		skip();
	assert_null(dw_open(f, &e));
	assert_true(err_is_set(&e));
	assert_non_null(strstr(e.msg, "debug"));
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_func, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_types, setup, teardown),
		cmocka_unit_test(test_none),
	};
	dw_test_t t = { 1, { 0 } };

	return cmocka_run_group_tests(tests, fds_note, fds_check) +
	       (dw_test_fn(&t, DW_TEST_ONE) != 1);
}
