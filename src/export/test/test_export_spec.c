/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Comments that say what is exported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "export/export.h"

static char err[512];

static int
spec_of(struct export_spec *s, const char *text)
{
	int rv;

	export_spec_init(s);
	*err = '\0';
	rv = export_spec_read(s, "x.d", text, err, sizeof(err));
	return rv == 0 ? export_spec_check(s, err, sizeof(err)) : rv;
}

static void
full_line(void **state)
{
	struct export_spec s;
	const struct export_metric *m;

	assert_int_equal(spec_of(&s,
		"/* Reads.\n"
		" * export @q read_seconds_total{execname, fd} divide=1e9"
		" sum=@s le=0..4096 type=gauge help=\"How long, in \\s\"\n"
		" */\n"
		"BEGIN { @q[1] = quantize(1); @s[1] = sum(1); }"), 0);
	m = export_spec_find(&s, "q");
	assert_string_equal(m->name, "read_seconds");
	assert_int_equal(m->labels.n, 2);
	assert_string_equal(m->labels.v[1], "fd");
	assert_true(m->divide == 1e9);
	assert_string_equal(m->sum, "s");
	assert_string_equal(m->help, "How long, in \\s");
	assert_int_equal(m->type, EXPORT_GAUGE);
	assert_true(m->has_range && m->from == 0 && m->to == 4096);
	assert_true(export_spec_find(&s, "s")->is_sum);
	assert_false(export_spec_find(&s, "s")->declared);
	export_spec_fini(&s);
}

/* One comment a line, the one without a name, no comment at all. */
static void
forms(void **state)
{
	struct export_spec s;

	assert_int_equal(spec_of(&s,
		"// export @ all{x}\n"
		"/* export @a */ /*export @b bees*/\n"
		"/* export is a word, export @ another */\n"
		"BEGIN { @ = count(); @a = count(); @b = count();"
		" printf(\"/* export @nothing zero */\"); }"), 0);
	assert_string_equal(export_spec_find(&s, "_")->name, "all");
	assert_string_equal(export_spec_find(&s, "a")->name, "dtrace_a");
	assert_string_equal(export_spec_find(&s, "b")->name, "bees");
	assert_int_equal(s.v.n, 3);
	assert_string_equal(export_spec_find(&s, "c")->name, "dtrace_c");
	assert_string_equal(export_spec_find(&s, "export_x")->name,
			    "dtrace_agg_export_x");
	export_spec_fini(&s);
	assert_int_equal(spec_of(&s, "BEGIN { @x = count(); }"), 0);
	assert_int_equal(s.v.n, 0);
	assert_string_equal(export_spec_find(&s, "_")->name,
			    "dtrace_aggregation");
	export_spec_fini(&s);
}

/* A comment and what is said of it. */
static const char *const refusals[][2] = {
	{ "@c", "the program has no aggregation @c" },
	{ "@", "the program has no aggregation @" },
	{ "@a 1x", "1x is no name of a metric" },
	{ "@a a-b", "name=value is expected, not" },
	{ "@a x{", "a label's name is expected" },
	{ "@a x{a b}", "} is missing" },
	{ "@a x{a,a}", "the label a stands twice" },
	{ "@a x{__a}", "reserved" },
	{ "@a x{le}", "reserved" },
	{ "@a x{1}", "1 is no name of a label (letters" },
	{ "@a x{}", "a label's name is expected" },
	{ "@a x{exec-name}", "exec-name is no name of a label (letters" },
	{ "@a x{ b,caf\xc3\xa9 }", "caf\xc3\xa9 is no name of a label" },
	{ "@a dtrace_export_x", "the exporter's own" },
	{ "@a type=summary", "type=summary is none of" },
	{ "@a divide=0", "divide=0 is no number above zero" },
	{ "@a divide=nan", "no number above zero" },
	{ "@a divide=inf", "no number above zero" },
	{ "@a divide=", "no number above zero" },
	{ "@a le=5..5", "le=5..5 is no range" },
	{ "@a le=..5", "is no range" },
	{ "@a le=1xx9", "is no range" },
	{ "@a le=1..5x", "is no range" },
	{ "@a le=1..99999999999999999999", "is no range" },
	{ "@a sum=@a", "sum=@a is no other aggregation" },
	{ "@a sum=b", "an aggregation is expected" },
	{ "@a sum=@no", "no aggregation @no" },
	{ "@a help=\"x", "\" is missing" },
	{ "@a colour=red", "colour is none of" },
	{ "@a x y", "name=value is expected, not" },
	{ "@a x\n * export @a y", "x.d:2: export: @a stands twice" },
	{ "@a x\n * export @b x", "cannot be the metrics x and x" },
	{ "@a x\n * export @b x_sum", "x and x_sum" },
};

static void
refused(void **state)
{
	struct export_spec s;
	char text[256];

	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		snprintf(text, sizeof(text), "/* export %s */\n"
			 "BEGIN { @a = count(); @b = count(); }",
			 refusals[i][0]);
		assert_int_equal(spec_of(&s, text), -1);
		if (strstr(err, refusals[i][1]) == NULL ||
		    strchr(err, '\n') != NULL)
			fail_msg("%s: %s", refusals[i][0], err);
		export_spec_fini(&s);
	}
}

/* Whatever the bytes are, it ends. */
static void
random_bytes(void **state)
{
	static const char piece[][12] = { "/*", "*/", "//", "\n", "export ",
		"@", "a", "{", "}", ",", "=", "\"", "\\", "'", " ", "sum=",
		"le=", "..", "9", "\xff", "*", "help=", "divide=" };
	struct export_spec s;
	char text[400];

	srandom(7);
	for (int i = 0; i < 20000; i++) {
		size_t n = 0;

		while (n < 300 && random() % 40 != 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s",
				piece[random() % (long)(sizeof(piece) / 12)]);
		text[n] = '\0';
		if (spec_of(&s, text) != 0)
			assert_true(*err != '\0');
		export_spec_fini(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_line),
		cmocka_unit_test(forms),
		cmocka_unit_test(refused),
		cmocka_unit_test(random_bytes),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
