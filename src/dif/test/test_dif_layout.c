/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Places of fields, keys and variables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "dif/dif.h"

#define NUM(n)	{ .ckind = DIF_CK_INT, .size = (n) }
#define STR(n)                                                  \
	{ .kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,      \
	  .flags = DIF_TF_BYREF, .size = (n) }

static const struct dif_sizes sizes = { .strsize = 250, .stackframes = 20,
					.ustackframes = 30 };

static void
variables(void **state)
{
	struct dif_type keys[] = { NUM(4), STR(0), NUM(1) };
	struct dif_uvar v[] = {
		{ "i", 0x500, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, NUM(4) },
		{ "s", 0x501, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, STR(0) },
		{ "j", 0x502, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, NUM(8) },
		{ "a", 0x503, DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, NUM(2), keys, 3 },
		{ "t", 0x500, DIF_SCOPE_THREAD, DIF_VK_SCALAR, NUM(8) },
	};
	struct dif_uvar *vars[] = { v, v + 1, v + 2, v + 3, v + 4 };
	struct dif_tab tab = { .vars = vars, .nvars = 5 };
	struct arena *a = arena_new();

	dif_layout(NULL, 0, &tab, &sizes, a);
	assert_int_equal(v[0].off, 0);
	assert_int_equal(v[0].size, 8);
	assert_int_equal(v[1].off, 8 + DIF_VAR_MARK);
	assert_int_equal(v[1].size, 256);
	assert_int_equal(v[2].off, 8 + DIF_VAR_MARK + 256);
	assert_int_equal(tab.globals_size, 16 + DIF_VAR_MARK + 256);
	assert_int_equal(v[3].keysize, 8 + 256 + 8);
	assert_int_equal(v[3].size, 8);
	assert_int_equal(tab.thread_size, 8);
	assert_int_equal(tab.locals_size, 0);
	assert_ptr_equal(dif_uvar_find(&tab, DIF_SCOPE_THREAD, 0x500), &v[4]);
	assert_null(dif_uvar_find(&tab, DIF_SCOPE_LOCAL, 0x500));
	arena_free(a);
}

static void
record(void **state)
{
	struct dif_expr e[] = {
		{ .type = NUM(1) }, { .type = NUM(4) }, { .type = STR(0) },
		{ .type = NUM(2) }, { .src = DIF_SRC_NAME },
		{ .src = DIF_SRC_STACK }, { .src = DIF_SRC_USTACK, .arg = 5 },
		{ .type = STR(16) },
	};
	struct dif_expr mem = { .type = NUM(8) };
	struct dif_stmt st[] = {
		{ .kind = DIF_ACT_NONE, .exprs = &(struct dif_expr){
						.type = NUM(8) }, .nexprs = 1 },
		{ .kind = DIF_ACT_PRINTF, .exprs = e, .nexprs = 8 },
		{ .kind = DIF_ACT_TRACEMEM, .arg = 13, .exprs = &mem,
		  .nexprs = 1 },
	};
	struct dif_clause cl = { .stmts = st, .nstmts = 3, .records = true };
	struct dif_prog p = { .clauses = &cl, .nclauses = 1 };
	struct dif_prog *progs[] = { &p };
	struct dif_tab tab = { 0 };
	struct arena *a = arena_new();

	dif_layout(progs, 1, &tab, &sizes, a);
	static const uint32_t want[][2] = {
		{ 16, 1 }, { 20, 4 }, { 24, 250 }, { 274, 2 }, { 276, 4 },
		{ 280, 160 }, { 440, 48 }, { 488, 16 },
	};
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(e[i].off, want[i][0]);
		assert_int_equal(e[i].size, want[i][1]);
	}
	assert_int_equal(e[5].arg, 20);
	assert_int_equal(mem.off, 504);
	assert_int_equal(mem.size, 13);
	assert_true(mem.type.flags & DIF_TF_BYREF);
	assert_int_equal(cl.recsize, 520);
	cl.records = false;
	dif_layout(progs, 1, &tab, &sizes, a);
	assert_int_equal(cl.recsize, 0);
	arena_free(a);
}

/* @[probefunc, x, execname], @[curthread->comm, x, string] */
static void
keys(void **state)
{
	struct dif_type kt[] = { STR(0), NUM(4), STR(16) };
	uint8_t src[] = { DIF_SRC_NAME, DIF_SRC_OBJ, DIF_SRC_OBJ };
	uint32_t arg[] = { DIF_VAR_probefunc, 0, 0 };
	struct dif_aggvar v = { .id = 1, .func = DIF_AGG_count, .keys = kt,
				.keysrc = src, .keyarg = arg, .nkeys = 3 };
	struct dif_aggvar *aggs[] = { &v };
	struct dif_tab tab = { .aggs = aggs, .naggs = 1 };
	struct dif_expr e1[] = {
		{ .src = DIF_SRC_NAME, .arg = DIF_VAR_probefunc,
		  .type = STR(0) },
		{ .type = NUM(4) }, { .type = STR(16) },
	};
	struct dif_expr e2[] = {
		{ .type = STR(0) }, { .type = NUM(4) }, { .type = STR(0) },
	};
	struct dif_stmt st[] = {
		{ .kind = DIF_AGG_count, .exprs = e1, .nexprs = 3, .nkeys = 3 },
		{ .kind = DIF_AGG_count, .exprs = e2, .nexprs = 3, .nkeys = 3 },
	};
	struct dif_clause cl = { .stmts = st, .nstmts = 1 };
	struct dif_prog p = { .clauses = &cl, .nclauses = 1 };
	struct dif_prog *progs[] = { &p };
	struct arena *a = arena_new();
	struct err e = { 0 };

	/* The first statement alone: a probe id, a word, 16 bytes. */
	dif_layout(progs, 1, &tab, &sizes, a);
	assert_int_equal(v.keysize, 8 + 8 + 16);
	assert_int_equal(v.keylen[0], 8);
	assert_int_equal(e1[0].size, 8);
	assert_int_equal(e1[2].off, 16);
	assert_int_equal(v.words, 1);
	/* With the second one the name must become a string. */
	cl.nstmts = 2;
	dif_layout(progs, 1, &tab, &sizes, a);
	assert_int_equal(v.keysrc[0], DIF_SRC_OBJ);
	assert_int_equal(e1[0].src, DIF_SRC_OBJ);
	assert_int_equal(dif_validate(e1[0].obj, &e), 0);
	assert_int_equal(v.keysize, 256 + 8 + 256);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(e1[i].off, e2[i].off);
		assert_int_equal(e1[i].size, e2[i].size);
		assert_int_equal(e1[i].off, v.keyoff[i]);
		assert_int_equal(e1[i].size, v.keylen[i]);
	}
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables),
		cmocka_unit_test(record),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
