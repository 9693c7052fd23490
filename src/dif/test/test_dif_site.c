/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_dif_site.c - sites and recipes, as their rows go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dif/dif.h"

static void
test_keys(void **state)
{
	struct dif_site s = { .kind = DIF_SITE_BEGIN };

	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_TICK;
	assert_false(dif_site_ok(&s));
	s.num = 1000;
	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_TP;
	assert_false(dif_site_ok(&s));
	s.tp = "sched_switch";
	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_KENTRY;
	assert_true(dif_site_ok(&s));
	s.tp = NULL;
	assert_false(dif_site_ok(&s));
	s.kind = DIF_SITE_COUNTER;
	assert_false(dif_site_ok(&s));
	s.counter.user = true;
	assert_true(dif_site_ok(&s));
	s.num = 0;
	assert_false(dif_site_ok(&s));
	s.kind = DIF_SITE_UENTRY;
	assert_false(dif_site_ok(&s));
	s.path = "/bin/true";
	assert_true(dif_site_ok(&s));
	s = (struct dif_site){ .kind = DIF_SITE_SYSENTRY }; /* read() is 0 */
	assert_true(dif_site_ok(&s));
}

/* What a recipe asks for, its site must give. */
static void
test_recipes(void **state)
{
	struct dif_recipes args = { .arg[11] = { DIF_RCP_SYSRET } };
	struct dif_whens when = { .n = 1 };
	struct dif_site s = { .kind = DIF_SITE_SYSRETURN, .args = &args };

	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_SYSENTRY;
	assert_false(dif_site_ok(&s));
	args.arg[11].kind = DIF_RCP_UMEM;
	assert_true(dif_site_ok(&s));
	args.arg[11].kind = DIF_RCP_UVEC;
	assert_false(dif_site_ok(&s));
	s.kind = DIF_SITE_UINSN;
	s.path = "/bin/true";
	assert_true(dif_site_ok(&s));
	s.when = &when;
	when.v[0].what.kind = DIF_RCP_TPARG;
	assert_false(dif_site_ok(&s));
	s.kind = DIF_SITE_KENTRY;
	s.tp = "vfs_read";
	args.arg[11].kind = DIF_RCP_KARG;
	when.v[0].what.kind = DIF_RCP_KARG;
	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_KRETURN;
	assert_false(dif_site_ok(&s));
	args.arg[11].kind = when.v[0].what.kind = DIF_RCP_KRET;
	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_KEXIT;
	assert_true(dif_site_ok(&s));
	args.arg[11].kind = DIF_RCP_KARG;
	assert_true(dif_site_ok(&s));
	s.kind = DIF_SITE_UINSN;
	args.arg[11].kind = DIF_RCP_UMEM;
	when.n = 0;
	assert_true(dif_site_ok(&s));
	when.once.kind = DIF_RCP_SYSERR;
	assert_false(dif_site_ok(&s));
	when.once.kind = DIF_RCP_CONST;
	assert_true(dif_site_ok(&s));
}

static void
test_parts(void **state)
{
	struct dif_recipe r = { DIF_RCP_UREG };
	const uint64_t v = 0x1122334455668899;

	assert_true(dif_recipe_part(&r, v) == v);
	r.size = 1;
	assert_true(dif_recipe_part(&r, v) == 0x99);
	r.is_signed = true;
	assert_true(dif_recipe_part(&r, v) == (uint64_t)-0x67);
	r.shift = 8; /* %ah */
	assert_true(dif_recipe_part(&r, v) == (uint64_t)-0x78);
	r.is_signed = false;
	assert_true(dif_recipe_part(&r, v) == 0x88);
	r = (struct dif_recipe){ DIF_RCP_UREG, .size = 4, .is_signed = true };
	assert_true(dif_recipe_part(&r, v) == 0x55668899);
	assert_true(dif_recipe_part(&r, 0xf0000000) == 0xfffffffff0000000);
	r.size = 8;
	assert_true(dif_recipe_part(&r, v) == v);
}

/* A description names one probe, or all that match. */
static void
test_names(void **state)
{
	struct dif_pdesc pd = { 0, "", "", "main", "entry" };

	assert_true(dif_pdesc_names(&pd));
	pd.func = "ma*";
	assert_false(dif_pdesc_names(&pd));
	pd.func = "";
	assert_false(dif_pdesc_names(&pd));
	pd.func = "main";
	pd.name = "[er]*";
	assert_false(dif_pdesc_names(&pd));
	pd = (struct dif_pdesc){ 5, "", "", "", "" };
	assert_true(dif_pdesc_names(&pd));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_recipes),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
