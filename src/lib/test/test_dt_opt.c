/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_opt.c - options: every row of opt.def is accepted in its context and
 * refused with the right reason in others; every kind of value is read right
 * and its nonsense refused; limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_impl.h"

enum class { RUN, DYN, COMP, CMD, NONE };

static const struct row {
	const char *name, *kind;
	enum class class;
	int64_t def;
} rows[] = {
#define OPT(name, kind, class, def, arg, what) { #name, #kind, class, def },
#include "lib/opt.def"
#undef OPT
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

/* A value that every option of the kind takes (NUM: all limits allow 1). */
static const char *
sample(const struct row *r)
{
	static const char *const samples[][2] = {
		{ "FLAG", "yes" },	{ "SIZE", "4k" },
		{ "RATE", "5hz" },	{ "NUM", "1" },
		{ "STR", "/dev/null" }, { "POLICY", "switch" },
		{ "RESIZE", "manual" }, { "CFLAG", "on" },
		{ "NOCFLAG", "on" },	{ "CPPARG", "c" },
		{ "ENGINE", "kernel" }, { "EVALTIME", "main" },
		{ "OFORMAT", "jsonl" }, { "LIBDIR", "/tmp" },
		{ "SETENV", "a=b" },	{ "UNSETENV", "a" },
		{ "VERSION", "1.2" },	{ "LOCKMEM", "64k" },
		{ "LATE", "static" },	{ "ENCODING", "utf8" },
		{ "ERRFMT", "full" },
		{ "FOLLOW", "fork" },	{ "COLOR", "always" },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		if (strcmp(samples[i][0], r->kind) == 0)
			return samples[i][1];
	}
	fail_msg("%s: no sample for kind %s", r->name, r->kind);
	return NULL;
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
	dtrace_hdl_t *dtp = *state;

	dtp->active = false;
	dtrace_close(dtp);
	return 0;
}

static void
expect(dtrace_hdl_t *dtp, const char *name, int rv, int edt)
{
	if (edt == 0 && rv != 0)
		fail_msg("%s: %s", name, dtrace_errmsg(dtp, dtp->errnum));
	if (edt != 0 && (rv == 0 || dtp->errnum != edt))
		fail_msg("%s: %d (error %d), not error %d", name, rv,
			 dtp->errnum, edt);
	if (edt != 0 && *dtrace_errmsg(dtp, edt) == '\0')
		fail_msg("%s: no message", name);
}

/* Each row from the command line, from a program, and while tracing. */
static void
every_row(void **state)
{
	dtrace_hdl_t *dtp = *state;

	for (size_t i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];
		const char *val = sample(r);
		int unsup = r->class >= NONE ? EDT_UNSUP : 0;
		int64_t v = 0;

		assert_int_equal(dtrace_getopt(dtp, r->name, &v), 0);
		assert_true(v == r->def);
		expect(dtp, r->name, dtrace_setopt(dtp, r->name, val), unsup);
		expect(dtp, r->name, dt_opt_set(dtp, r->name, val, true),
		       r->class == CMD ? EDT_BADOPTCTX : unsup);
		dtp->active = true;
		expect(dtp, r->name, dtrace_setopt(dtp, r->name, val),
		       unsup != 0 ? unsup : r->class == DYN ? 0 : EDT_ACTIVE);
		dtp->active = false;
	}
}

/* No kind takes what is no word or number of its own. */
static void
nonsense(void **state)
{
	dtrace_hdl_t *dtp = *state;

	for (size_t i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];
		if (r->class >= NONE || strcmp(r->kind, "STR") == 0 ||
		    strcmp(r->kind, "UNSETENV") == 0 ||
		    strcmp(r->kind, "LIBDIR") == 0 ||
		    strcmp(r->kind, "CPPARG") == 0)
			continue;
		expect(dtp, r->name, dtrace_setopt(dtp, r->name, "+-!"),
		       EDT_BADOPTVAL);
		expect(dtp, r->name, dtrace_setopt(dtp, r->name, "-1"),
		       EDT_BADOPTVAL);
		int64_t v;
		dtrace_getopt(dtp, r->name, &v);
		assert_true(v == r->def); /* and changes nothing */
	}
	expect(dtp, "Quiet", dtrace_setopt(dtp, "Quiet", NULL),
	       EDT_BADOPTNAME);
	expect(dtp, "", dtrace_setopt(dtp, "", NULL), EDT_BADOPTNAME);
}

static void
check(dtrace_hdl_t *dtp, const char *name, const char *val, int64_t want)
{
	int64_t v = -1;

	expect(dtp, name, dtrace_setopt(dtp, name, val), 0);
	assert_int_equal(dtrace_getopt(dtp, name, &v), 0);
	if (v != want)
		fail_msg("%s=%s: %lld, not %lld", name, val, (long long)v,
			 (long long)want);
}

static void
refuse(dtrace_hdl_t *dtp, const char *name, const char *val)
{
	expect(dtp, name, dtrace_setopt(dtp, name, val), EDT_BADOPTVAL);
}

static void
values(void **state)
{
	dtrace_hdl_t *dtp = *state;
	static const char *const on[] = { "yes", "TRUE", "on", "1", "set",
					  "enable", "Enabled" };
	static const char *const off[] = { "no", "false", "OFF", "0", "unset",
					   "disable", "disabled" };

	check(dtp, "quiet", NULL, 1);
	for (size_t i = 0; i < 7; i++) {
		check(dtp, "quiet", on[i], 1);
		check(dtp, "quiet", off[i], DTRACEOPT_UNSET);
	}
	check(dtp, "bufsize", "5000", 5000);
	check(dtp, "bufsize", "0x1000", 4096);
	check(dtp, "bufsize", "2k", 2048);
	check(dtp, "bufsize", "3M", 3 << 20);
	check(dtp, "bufsize", "1g", 1ll << 30);
	check(dtp, "bufsize", "1T", 1ll << 40);
	refuse(dtp, "bufsize", "1kb");
	refuse(dtp, "bufsize", "9999999999g");
	refuse(dtp, "bufsize", "99999999999999999999");
	refuse(dtp, "bufsize", "");
	refuse(dtp, "bufsize", NULL);
	check(dtp, "aggsortkeypos", "2", 2);
	refuse(dtp, "aggsortkeypos", "2k");
	refuse(dtp, "aggsortkeypos", "2147483648");
	refuse(dtp, "aggsortkeypos", NULL);
	check(dtp, "bufresize", "AUTO", 0);
	check(dtp, "engine", "kernel", 1);
	check(dtp, "engine", "process", 2);
	check(dtp, "engine", "target", 3);
	check(dtp, "engine", "auto", 0);
	refuse(dtp, "engine", "interp");
	check(dtp, "oformat", "JSON", 1);
	check(dtp, "oformat", "jsonl", 2);
	check(dtp, "oformat", "text", 0);
	check(dtp, "encoding", "utf8", 1);
	check(dtp, "encoding", "ASCII", 0);
	refuse(dtp, "encoding", "latin1");
	refuse(dtp, "encoding", NULL);
	refuse(dtp, "oformat", "yaml");
	refuse(dtp, "oformat", NULL);
	expect(dtp, "oformat", dtrace_setopt(dtp, "oformat", "xml"),
	       EDT_UNSUP);
	expect(dtp, "oformat", dtrace_setopt(dtp, "oformat", "html"),
	       EDT_UNSUP);
	check(dtp, "evaltime", "postinit", 2);
	refuse(dtp, "evaltime", NULL);
}

static void
rates(void **state)
{
	dtrace_hdl_t *dtp = *state;
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "7", 7 },		  { "7ns", 7 },
		{ "7nsec", 7 },		  { "7us", 7000 },
		{ "7usec", 7000 },	  { "7ms", 7000000 },
		{ "7MSEC", 7000000 },	  { "7s", 7000000000 },
		{ "7sec", 7000000000 },	  { "7m", 420000000000 },
		{ "7min", 420000000000 }, { "1h", 3600000000000 },
		{ "1hour", 3600000000000 }, { "1d", 86400000000000 },
		{ "1day", 86400000000000 }, { "4hz", 250000000 },
		{ "0", 0 },		  { "1000000000hz", 1 },
	};
	static const char *const bad[] = { "0hz", "1000000001hz", "1week",
					   "s", "1 s", "1000000d", "" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check(dtp, "switchrate", good[i].text, good[i].ns);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse(dtp, "switchrate", bad[i]);
}

static void
limits(void **state)
{
	dtrace_hdl_t *dtp = *state;
	static const struct {
		const char *name, *least, *most, *below, *above;
	} of[] = {
		{ "strsize", "1", "65536", "0", "65537" },
		{ "stackframes", "1", "127", "0", "128" },
		{ "ustackframes", "1", "127", "0", "128" },
		{ "stackindent", "0", "1024", "-1", "1025" },
		{ "printsize", "0", "4294967295", "-1", "4g" },
		{ "bufsize", "0", "1t", "-1", NULL },
		{ "aggsize", "0", "1t", "-1", NULL },
		{ "dynvarsize", "0", "1t", "-1", NULL },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		expect(dtp, of[i].name,
		       dtrace_setopt(dtp, of[i].name, of[i].least), 0);
		expect(dtp, of[i].name,
		       dtrace_setopt(dtp, of[i].name, of[i].most), 0);
		refuse(dtp, of[i].name, of[i].below);
		assert_non_null(strstr(dtrace_errmsg(dtp, dtp->errnum),
				       "must be"));
		refuse(dtp, of[i].name, of[i].above);
	}
	refuse(dtp, "late", "dynamic");
	refuse(dtp, "version", "1.14");
	refuse(dtp, "scratchsize", "257k");
	check(dtp, "lockmem", "unlimited", INT64_MAX);
	refuse(dtp, "setenv", "a");
	refuse(dtp, "setenv", "=b");
	refuse(dtp, "unsetenv", "a=b");
	check(dtp, "bufpolicy", "ring", RT_BUF_RING);
	check(dtp, "bufpolicy", "fill", RT_BUF_FILL);
	check(dtp, "bufpolicy", "switch", RT_BUF_SWITCH);
	refuse(dtp, "bufpolicy", "full");
	assert_non_null(strstr(dtrace_errmsg(dtp, dtp->errnum),
			       "must be switch, fill or ring"));
	refuse(dtp, "encoding", "latin1");
	assert_non_null(strstr(dtrace_errmsg(dtp, dtp->errnum),
			       "must be ascii or utf8"));
	expect(dtp, "nspec", dtrace_setopt(dtp, "nspec", "0"), 0);
	expect(dtp, "nspec", dtrace_setopt(dtp, "nspec", "64"), 0);
	refuse(dtp, "nspec", "65");
}

static void
compile_flags(void **state)
{
	dtrace_hdl_t *dtp = *state;

	assert_int_equal(dtp->cflags, 0);
	check(dtp, "zdefs", NULL, 1);
	assert_int_equal(dtp->cflags, DTRACE_C_ZDEFS);
	check(dtp, "errtags", "on", 1);
	check(dtp, "zdefs", "off", DTRACEOPT_UNSET);
	assert_int_equal(dtp->cflags, DTRACE_C_ETAGS);
	check(dtp, "errtags", "off", DTRACEOPT_UNSET);
	check(dtp, "knodefs", NULL, 1);
	check(dtp, "kdefs", NULL, 1); /* the opposite */
	assert_int_equal(dtp->cflags, 0);
	check(dtp, "udefs", "no", DTRACEOPT_UNSET);
	assert_int_equal(dtp->cflags, DTRACE_C_UNODEF);
}

static void
preprocessor(void **state)
{
	dtrace_hdl_t *dtp = *state;
	static const char *const want[] = { "-DA=1", "-UB", "-I/inc", "-H",
					    "-traditional-cpp", "-std=c99" };

	check(dtp, "define", "A=1", 1);
	check(dtp, "undef", "B", 1);
	check(dtp, "incdir", "/inc", 1);
	check(dtp, "cpphdrs", NULL, 1);
	check(dtp, "stdc", "s", 1);
	check(dtp, "stdc", "c", 1);
	refuse(dtp, "stdc", "x");
	refuse(dtp, "stdc", "as");
	refuse(dtp, "define", "");
	refuse(dtp, "incdir", NULL);
	assert_int_equal(dtp->cppargs.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(dtp->cppargs.v[i], want[i]);
}

/* What a program asks for by pragma goes the same way. */
static void
pragmas(void **state)
{
	dtrace_hdl_t *dtp = *state;
	int64_t v;

	assert_non_null(dtrace_program_strcompile(
		dtp, "#pragma D option strsize=64\nBEGIN { }",
		DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_int_equal(dtrace_getopt(dtp, "strsize", &v), 0);
	assert_int_equal(v, 64);
	assert_null(dtrace_program_strcompile(
		dtp, "#pragma D option define=X\nBEGIN { }",
		DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_string_equal(dtrace_errtag(dtp), "D_PRAGMA_OPTSET");
}

static void
cpus(void **state)
{
	dtrace_hdl_t *dtp = *state;

	assert_int_equal(dt_limit_cpus(dtp, 1), 0);
	assert_int_equal(dt_limit_cpus(dtp, RT_NCPUS_MAX), 0);
	assert_int_equal(dt_limit_cpus(dtp, RT_NCPUS_MAX + 1), -1);
	assert_string_equal(dtrace_errmsg(dtp, dtrace_errno(dtp)),
			    "this machine has 8193 CPUs: DTrace can serve "
			    "8192");
}

/* Whether this process may leave a core: PR_SET_DUMPABLE is the limit's too. */
static void
core(void **state)
{
	dtrace_hdl_t *dtp = *state;

	assert_int_equal(dtrace_setopt(dtp, "core", "no"), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
	assert_int_equal(dtrace_setopt(dtp, "core", "yes"), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_row), TEST(nonsense),      TEST(values),
		TEST(rates),	 TEST(limits),	      TEST(compile_flags),
		TEST(preprocessor), TEST(pragmas),      TEST(cpus),
		TEST(core),
	};

	return cmocka_run_group_tests_name("dt_opt", tests, fds_note, fds_check);
}
