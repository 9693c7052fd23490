/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Patterns, descriptions, the set, and matching against many probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "probe/probe.h"
#include "probe/test/probe_exact.h"

static void
test_glob(void **state)
{
	static const struct {
		const char *pattern, *s;
		bool match;
	} v[] = {
		{ "", "anything", true },   { "", "", true },
		{ "read", "read", true },   { "read", "reads", false },
		{ "*", "", true },          { "r*d", "read", true },
		{ "r*d", "reads", false },  { "*a*b*", "xxaxxbxx", true },
		{ "*a*b", "xaxbxb", true }, { "a*b*c", "abbb", false },
		{ "r?ad", "read", true },   { "r?ad", "rad", false },
		{ "?", "", false },         { "[abc]", "b", true },
		{ "[a-c]x", "cx", true },   { "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },  { "[!a-c]x", "ax", false },
		{ "[]]", "]", true },       { "[a-]", "-", true },
		{ "x[y", "x[y", true },     { "\\*", "*", true },
		{ "\\*", "x", false },      { "[\\]]", "]", true },
		{ "a\\", "a\\", true },     { "*64", "open64", true },
		{ "[!!]", "!", false },     { "*[0-9]", "tick-10", true },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (probe_glob(v[i].pattern, v[i].s) != v[i].match)
			fail_msg("%s against %s", v[i].pattern, v[i].s);
	assert_false(probe_is_glob("read"));
	assert_true(probe_is_glob("re?d"));
	/* Hostile patterns take no more than the product of the lengths. */
	assert_false(
		probe_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b",
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void
desc_is(const char *text, int spec, const char *want)
{
	struct arena *a = arena_new();
	static struct err e;
	struct dif_pdesc pd;
	char got[256];

	err_clear(&e);
	if (probe_parse_desc(a, text, spec, &pd, &e) != 0)
		snprintf(got, sizeof(got), "error");
	else if (pd.id != 0)
		snprintf(got, sizeof(got), "#%u", pd.id);
	else
		snprintf(got, sizeof(got), "%s:%s:%s:%s", pd.prov, pd.mod,
			 pd.func, pd.name);
	assert_string_equal(got, want);
	arena_free(a);
}

static void
test_desc(void **state)
{
	desc_is("syscall:vmlinux:read:entry", 3, "syscall:vmlinux:read:entry");
	desc_is("read:entry", 3, "::read:entry");
	desc_is(" BEGIN ", 3, ":::BEGIN");
	desc_is("::", 3, ":::");
	desc_is("syscall:::", 3, "syscall:::");
	desc_is("", 3, ":::");
	desc_is("syscall::read", 2, "syscall::read:");
	desc_is("vmlinux", 1, ":vmlinux::");
	desc_is("syscall", 0, "syscall:::");
	desc_is("a:syscall", 0, "error");
	desc_is("a:b:c:d:e", 3, "error");
	desc_is("12", -1, "#12");
	desc_is("12", 3, "#12");
	desc_is("0", 3, "error");
	desc_is("99999999999999999999", 3, "error");
	desc_is("12", 2, "::12:");
}

/* ---- a provider of n functions, made when asked for
 * ------------------------------------ */

static const uint32_t nfuncs = 50000;
static uint32_t made; /* how often they have been */

static int
fake_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	char func[32];

	if (!probe_glob(pd->prov, "fake"))
		return 0;
	if (strcmp(pd->func, "refuse") == 0)
		return err_set(e, &D_PROC_FUNC, 0, "refused");
	if (made != 0)
		return 0;
	made++;
	for (uint32_t i = 0; i < nfuncs; i++) {
		snprintf(func, sizeof(func), "func_%u", i);
		if (!probe_add(pv, "fake", i % 2 ? "odd" : "even", func,
			       "entry") ||
		    !probe_add(pv, "fake", i % 2 ? "odd" : "even", func,
			       "return"))
			return err_nomem(e);
	}
	return 0;
}

static const struct prov_ops fake_ops = { .name = "fake",
					  .provide = fake_provide };

static int
stop(void *arg, struct probe *p)
{
	return 1;
}

/* A probe may have a stability of its own. */
static void
test_attr(void **state)
{
	static const struct prov_attr own = { .name = "S/S/C" };
	struct probe_set *set = probe_set_new(NULL, NULL);
	struct err e = { 0 };
	struct dif_pdesc pd = { 0, "fake", "", "func_0", "entry" };
	struct probe *p;

	assert_int_equal(probe_set_add_prov(set, &fake_ops, NULL, &e), 0);
	assert_int_equal(probe_match(set, &pd, stop, NULL, &e), 1);
	p = probe_by_id(set, 1);
	assert_ptr_equal(probe_attr(p), &fake_ops.attr);
	p->attr = &own;
	assert_ptr_equal(probe_attr(p), &own);
	assert_ptr_equal(probe_attr(probe_by_id(set, 2)), &fake_ops.attr);
	/* It has no hook that would say whose process a description means. */
	assert_int_equal(probe_desc_pid(set, &pd), 0);
	probe_set_free(set);
}

static int
count(void *arg, struct probe *p)
{
	uint32_t *last = arg;

	assert_true(p->id > *last); /* in order of id */
	*last = p->id;
	return 0;
}

static double
ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
matches(struct probe_set *ps, const char *prov, const char *mod,
	const char *func, const char *name)
{
	struct dif_pdesc pd = { 0, prov, mod, func, name };
	static struct err e;
	uint32_t last = 0;
	double t0 = ms();
	int n;

	err_clear(&e);
	n = probe_match(ps, &pd, count, &last, &e);
	print_message("# %s:%s:%s:%s %d in %.2f ms\n", prov, mod, func, name, n,
		      ms() - t0);
	return n;
}

static void
test_set(void **state)
{
	static struct err e;
	struct prov_env env = { 0 };
	struct probe_set *ps = probe_set_new(&env, &e);
	struct dif_pdesc id = { 7, "", "", "", "" },
			 all = { 0, "", "", "", "" };
	struct dif_recipes r = { .arg[1] = { DIF_RCP_CONST, 5 } }, r2 = r;
	struct probe *p;
	uint32_t last = 0;

	made = 0;
	assert_int_equal(probe_set_add_prov(ps, &fake_ops, NULL, &e), 0);
	assert_int_equal(matches(ps, "other", "", "", ""), 0);
	assert_int_equal(made, 0);
	assert_int_equal(matches(ps, "", "", "", ""), 100000);
	assert_int_equal(matches(ps, "f*", "", "", ""), 100000);
	assert_int_equal(matches(ps, "fake", "odd", "", "entry"), 25000);
	assert_int_equal(matches(ps, "fake", "", "func_123", ""), 2);
	assert_int_equal(matches(ps, "", "odd", "func_124", "entry"), 0);
	assert_int_equal(matches(ps, "", "", "*_4999?", "ret*"), 10);
	assert_int_equal(matches(ps, "", "", "nothing", ""), 0);
	assert_int_equal(matches(ps, "", "fake", "", ""), 0);
	assert_int_equal(matches(ps, "fake", "", "refuse", ""), -1);
	assert_int_equal(probe_match(ps, &id, count, &last, &e), 1);
	assert_int_equal(last, 7);
	assert_int_equal(probe_match(ps, &all, stop, NULL, &e), 1);

	p = probe_exact(ps, "fake", "even", "func_4", "entry");
	assert_non_null(p);
	assert_ptr_equal(probe_by_id(ps, p->id), p);
	assert_ptr_equal(p->mod, probe_str(ps, "even"));
	assert_ptr_equal(probe_add(p->owner, "fake", "even", "func_4", "entry"),
			 p);
	assert_null(probe_exact(ps, "fake", "odd", "func_4", "entry"));
	assert_null(probe_by_id(ps, 0));
	assert_null(probe_by_id(ps, 100001));

	assert_ptr_equal(probe_recipes(ps, &r), probe_recipes(ps, &r2));
	r2.arg[1].val = 6;
	assert_ptr_not_equal(probe_recipes(ps, &r), probe_recipes(ps, &r2));
	probe_set_free(ps);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_desc),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
