/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_dif_prog.c - what engines ask of a compiled program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dif/dif.h"

#define LOAD(var) DIF_INSTR_W(DIF_OP_LDGS, DIF_VAR_##var, 1)

static dif_instr_t plain[] = { LOAD(pid), DIF_INSTR_R(DIF_OP_RET, 0, 0, 1),
			       LOAD(ucaller) /* beyond the end */ };
static dif_instr_t walking[] = { LOAD(pid), LOAD(ucaller) };
static dif_instr_t depth[] = { LOAD(pid), LOAD(ustackdepth) };
static dif_instr_t in_cgroup[] = { LOAD(pid), LOAD(cgroup) };
static struct dif_obj o_plain = { .text = plain, .ntext = 2 };
static struct dif_obj o_walking = { .text = walking, .ntext = 2 };
static struct dif_obj o_depth = { .text = depth, .ntext = 2 };
static struct dif_obj o_cgroup = { .text = in_cgroup, .ntext = 2 };

/* A clause with a predicate and one statement of two values; NULL: none. */
static struct dif_expr values[2];
static struct dif_stmt stmt = { .exprs = values, .nexprs = 2 };
static struct dif_clause clause = { .stmts = &stmt, .nstmts = 1 };

static struct dif_clause *
made_of(struct dif_obj *pred, struct dif_obj *a, struct dif_obj *b)
{
	clause.pred = pred;
	values[0] = (struct dif_expr){ .obj = a };
	values[1] = (struct dif_expr){ .obj = b };
	return &clause;
}

static void
clauses_that_walk(void **state)
{
	(void)state;
	assert_false(dif_clause_walks(made_of(NULL, NULL, NULL)));
	assert_false(dif_clause_walks(made_of(&o_plain, &o_plain, NULL)));
	assert_true(dif_clause_walks(made_of(&o_walking, &o_plain, NULL)));
	assert_true(dif_clause_walks(made_of(NULL, &o_plain, &o_walking)));
	assert_true(dif_clause_walks(made_of(NULL, &o_depth, &o_plain)));
	made_of(NULL, &o_plain, NULL);
	values[1].src = DIF_SRC_USTACK;
	assert_true(dif_clause_walks(&clause));
}

static unsigned
needs(struct dif_obj *pred, struct dif_obj *a, struct dif_obj *b)
{
	struct dif_clause *const c[] = { made_of(pred, a, b) };
	const struct dif_enabling en = { .clauses = c, .nclauses = 1 };

	return dif_enabling_needs(&en);
}

static void
needs_of_all_values(void **state)
{
	const unsigned cgroup = dif_builtin_by_name("cgroup")->needs;

	(void)state;
	assert_int_not_equal(cgroup, 0);
	assert_int_equal(needs(NULL, NULL, NULL), 0);
	assert_int_equal(needs(&o_plain, &o_plain, NULL), 0);
	assert_int_equal(needs(&o_cgroup, NULL, NULL), cgroup);
	assert_int_equal(needs(NULL, &o_plain, &o_cgroup), cgroup);
	assert_int_equal(needs(NULL, &o_cgroup, &o_plain), cgroup);
}

static void
clauses_of_a_probe(void **state)
{
	static const struct dif_ecb ecbs[] = {
		{ 1, 0, 0 }, { 2, 2, 0 }, { 3, 2, 1 }, { 4, 5, 0 }
	};
	const struct dif_enabling en = { .ecbs = ecbs, .necbs = 4 };
	uint32_t end;

	(void)state;
	assert_int_equal(dif_probe_ecbs(&en, 0, &end), 0);
	assert_int_equal(end, 1);
	assert_int_equal(dif_probe_ecbs(&en, 2, &end), 1);
	assert_int_equal(end, 3);
	assert_int_equal(dif_probe_ecbs(&en, 3, &end), 3);
	assert_int_equal(end, 3);
	assert_int_equal(dif_probe_ecbs(&en, 5, &end), 3);
	assert_int_equal(end, 4);
	assert_int_equal(dif_probe_ecbs(&en, 6, &end), 4);
	assert_int_equal(end, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clauses_that_walk),
		cmocka_unit_test(needs_of_all_values),
		cmocka_unit_test(clauses_of_a_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
