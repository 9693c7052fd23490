/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_stab.c - stability: text and back, the abbreviations of our tables,
 * minima, and what they come to for programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_impl.h"

static void
expect_attr(dtrace_attribute_t a, const char *want)
{
	char text[64];

	assert_string_equal(dtrace_attr2str(a, text, sizeof(text)), want);
}

/* Every triplet survives the way to text and back. */
static void
both_ways(void **state)
{
	char text[64];

	for (int n = 0; n <= DTRACE_STABILITY_MAX; n++) {
		for (int c = 0; c <= DTRACE_CLASS_MAX; c++) {
			const dtrace_attribute_t a = {
				(dtrace_stability_t)n,
				(dtrace_stability_t)(DTRACE_STABILITY_MAX - n),
				(dtrace_class_t)c
			};
			dtrace_attribute_t b = { 0 };
			dtrace_attr2str(a, text, sizeof(text));
			assert_int_equal(dtrace_str2attr(text, &b), 0);
			assert_memory_equal(&a, &b, sizeof(a));
		}
	}
	assert_string_equal(dtrace_stability_name(DTRACE_STABILITY_MAX + 1),
			    "Unknown");
	assert_string_equal(dtrace_class_name(DTRACE_CLASS_MAX + 1),
			    "Unknown");
}

static void
refused(void **state)
{
	static const char *const bad[] = {
		"", "/", "//", "Stable", "Stable/Stable", "Stable/Stable/",
		"Sta/Stable/Common", "Stable/Stable/Common/", "/Stable/Common",
		"Stable/Common/Stable", "Stable/Stable/Commons",
	};
	dtrace_attribute_t a = DT_ATTR_STABLE;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (dtrace_str2attr(bad[i], &a) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
	}
	expect_attr(a, "Stable/Stable/Common"); /* untouched */
	assert_int_equal(dtrace_str2attr("stable/EVOLVING/isa", &a), 0);
	expect_attr(a, "Stable/Evolving/ISA");
}

static void
abbreviations(void **state)
{
	expect_attr(dt_attr_parse("E/E/C"), "Evolving/Evolving/Common");
	expect_attr(dt_attr_parse("S/S/C"), "Stable/Stable/Common");
	expect_attr(dt_attr_parse("P/P/I"), "Private/Private/ISA");
	expect_attr(dt_attr_parse("U/U/U"), "Unstable/Unstable/Unknown");
	expect_attr(dt_attr_parse("Std/St/Common"), "Internal/Internal/Unknown");
	expect_attr(dt_attr_parse("Stan/St/Co"), "Standard/Stable/Common");
	expect_attr(dt_attr_parse("Evolving/Private/ISA"),
		    "Evolving/Private/ISA");
	/* What is none is the least. */
	expect_attr(dt_attr_parse("nonsense"), "Internal/Internal/Unknown");
	expect_attr(dt_attr_parse(NULL), "Internal/Internal/Unknown");
}

static void
minima(void **state)
{
	dtrace_attribute_t a = dt_attr_parse("Evolving/Stable/ISA");
	dtrace_attribute_t b = dt_attr_parse("Stable/Private/Common");

	expect_attr(dt_attr_min(a, b), "Evolving/Private/ISA");
	expect_attr(dt_attr_min(b, a), "Evolving/Private/ISA");
	expect_attr(dt_attr_min(a, a), "Evolving/Stable/ISA");
}

/* No provider's and no built-in variable's abbreviation is misread. */
static void
tables(void **state)
{
	dtrace_hdl_t *dtp = *state;
	const struct dif_pdesc all = { 0, "", "", "", "" };

	for (uint32_t id = 0; id < DIF_VAR_USER_MIN; id++) {
		const struct dif_builtin_info *b = dif_builtin_by_id(id);
		if (b == NULL)
			continue;
		dtrace_attribute_t a = dt_attr_parse(b->stability);
		if (a.dtat_class == DTRACE_CLASS_UNKNOWN)
			fail_msg("%s: %s", b->name, b->stability);
	}
	expect_attr(dt_attr_desc(dtp, &all), "Evolving/Evolving/ISA");
}

static void
programs(void **state)
{
	dtrace_hdl_t *dtp = *state;
	dtrace_proginfo_t pi;
	dtrace_prog_t *p = dtrace_program_strcompile(
		dtp, "BEGIN /pid != 0/ { trace(timestamp); }",
		DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	assert_non_null(p);
	dtrace_program_info(dtp, p, &pi);
	expect_attr(pi.dpi_stmtattr, "Stable/Stable/Common");
	expect_attr(pi.dpi_descattr, "Stable/Stable/Common");
	assert_int_equal(dtrace_setopt(dtp, "amin", "Standard/Stable/Common"),
			 0);
	assert_null(dtrace_program_strcompile(dtp, "BEGIN { trace(pid); }",
					      DTRACE_PROBESPEC_NAME, 0, 0,
					      NULL));
	assert_int_equal(dtrace_errno(dtp), EDT_ATTRMIN);
}

/* A handle that does not know the kernel knows no symbol of it. */
static void
symbols(void **state)
{
	dtrace_hdl_t *dtp = *state;

	assert_null(dtrace_program_strcompile(
		dtp, "BEGIN { trace((uint64_t)&vmlinux`schedule); }",
		DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_string_equal(dtrace_errmsg(dtp, dtrace_errno(dtp)),
			    "failed to resolve vmlinux`schedule: unknown symbol "
			    "(column 26)");
}

static int
setup(void **state)
{
	int err;

	*state = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS,
			     &err);
	return *state == NULL;
}

static int
teardown(void **state)
{
	dtrace_close(*state);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(refused),
		cmocka_unit_test(abbreviations),
		cmocka_unit_test(minima),
		cmocka_unit_test_setup_teardown(tables, setup, teardown),
		cmocka_unit_test_setup_teardown(programs, setup, teardown),
		cmocka_unit_test_setup_teardown(symbols, setup, teardown),
	};

	return cmocka_run_group_tests_name("dt_stab", tests, fds_note, fds_check);
}
