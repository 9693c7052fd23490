/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_probe.c - descriptions as text, iteration over probes, types of
 * arguments over several matches, addresses.  Without privilege: providers
 * are asked for facts, nothing is attached.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_impl.h"
#include "lib/dt_lang.h"
#include "rt/rt_python.h"

static int
setup(void **state)
{
	int err;

	*state = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	return *state == NULL;
}

static int
teardown(void **state)
{
	dtrace_close(*state);
	return 0;
}

static void
split(void **state)
{
	static const struct {
		dtrace_probespec_t spec;
		const char *text, *want;
	} good[] = {
		{ DTRACE_PROBESPEC_NAME, "", ":::" },
		{ DTRACE_PROBESPEC_NAME, "n", ":::n" },
		{ DTRACE_PROBESPEC_NAME, "f:n", "::f:n" },
		{ DTRACE_PROBESPEC_NAME, "p:m:f:n", "p:m:f:n" },
		{ DTRACE_PROBESPEC_NAME, "p:::", "p:::" },
		{ DTRACE_PROBESPEC_FUNC, "m:f", ":m:f:" },
		{ DTRACE_PROBESPEC_MOD, "p:m", "p:m::" },
		{ DTRACE_PROBESPEC_PROVIDER, "p", "p:::" },
	};
	dtrace_hdl_t *dtp = *state;
	dtrace_probedesc_t pd;
	char text[400];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(dtrace_str2desc(dtp, good[i].spec,
						 good[i].text, &pd), 0);
		assert_string_equal(dtrace_desc2str(&pd, text, sizeof(text)),
				    good[i].want);
	}
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_MOD, "a:b:c",
					 &pd), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_OVERSPEC);
}

/* A field that does not fit is refused, one that just does is kept. */
static void
long_fields(void **state)
{
	dtrace_hdl_t *dtp = *state;
	dtrace_probedesc_t pd;
	char text[DTRACE_FUNCNAMELEN + 1];

	memset(text, 'f', sizeof(text));
	text[DTRACE_FUNCNAMELEN - 1] = '\0';
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_FUNC, text,
					 &pd), 0);
	assert_string_equal(pd.dtpd_func, text);
	text[DTRACE_FUNCNAMELEN - 1] = 'f';
	text[DTRACE_FUNCNAMELEN] = '\0';
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_FUNC, text,
					 &pd), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADSPEC);
}

static void
macros(void **state)
{
	dtrace_hdl_t *dtp = *state;
	char a0[] = "prog", a1[] = "read", want[64], text[400];
	char *const argv[] = { a0, a1, NULL };
	dtrace_probedesc_t pd;
	static const char *const bad[] = { "$2", "$", "$nothing", "$target",
					   "$$", "a:$9:b" };

	assert_int_equal(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME,
					  "$0$ppid:$$1:x$1y:$egid", 2, argv,
					  &pd), 0);
	snprintf(want, sizeof(want), "prog%d:read:xready:%u", (int)getppid(),
		 (unsigned)getegid());
	/* An argument's number ends where letters begin. */
	assert_string_equal(dtrace_desc2str(&pd, text, sizeof(text)), want);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME,
						  bad[i], 2, argv, &pd), -1);
		assert_int_equal(dtrace_errno(dtp), EDT_UNDERVAR);
	}
	assert_int_equal(dtrace_setopt(dtp, "defaultargs", NULL), 0);
	assert_int_equal(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME,
					  "a$9:b", 2, argv, &pd), 0);
	assert_string_equal(pd.dtpd_func, "a");
}

struct walk {
	int n, stop_at;
	uint32_t last;
	dtrace_probedesc_t desc;
};

static int
visit(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, void *arg)
{
	struct walk *w = arg;
	dtrace_probeinfo_t pi;

	assert_true(pdp->dtpd_id > w->last);
	w->last = pdp->dtpd_id;
	w->desc = *pdp;
	/* Asking within the walk does not disturb it. */
	assert_int_equal(dtrace_probe_info(dtp, pdp, &pi), 0);
	return ++w->n == w->stop_at ? 99 : 0;
}

static void
iterate(void **state)
{
	dtrace_hdl_t *dtp = *state;
	struct walk w = { 0 };
	dtrace_probedesc_t pd;

	dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "dtrace:::", &pd);
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), 0);
	assert_int_equal(w.n, 3); /* BEGIN, END, ERROR */
	w = (struct walk){ .stop_at = 2 };
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), 99);
	assert_int_equal(w.n, 2);
	w = (struct walk){ 0 };
	assert_int_equal(dtrace_probe_iter(dtp, NULL, visit, &w), 0);
	assert_true(w.n > 3);
	/* By id; the id wins over the names. */
	pd.dtpd_id = w.last;
	w.n = 0;
	w.last = 0;
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), 0);
	assert_int_equal(w.n, 1);
	/* Probes that are made when they are named. */
	dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "tick-123ms", &pd);
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), 0);
	assert_string_equal(w.desc.dtpd_provider, "profile");
	assert_int_equal(dtrace_id2desc(dtp, w.desc.dtpd_id, &pd), 0);
	assert_memory_equal(&pd, &w.desc, sizeof(pd));
}

/* What they are called, where somebody has written it. */
static void
names_of_arguments(void **state)
{
	static const struct {
		const char *probe;
		unsigned n;
		const char *name;
	} v[] = {
		{ "syscall::openat:entry", 0, "dfd" },
		{ "syscall::openat:entry", 1, "filename" },
		{ "syscall::openat:entry", 3, "mode" },
		{ "syscall::openat:entry", 4, NULL },
		{ "syscall::openat:entry", 12, NULL },
		{ "syscall::openat:return", 0, NULL },
		{ "syscall::sched_yield:entry", 0, NULL },
		{ "dtrace:::BEGIN", 0, NULL },
		{ "nobody:::x", 0, NULL },
	};
	dtrace_hdl_t *dtp = *state;
	dtrace_probedesc_t pd;
	dtrace_probeinfo_t pi;
	char buf[5];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char want[sizeof(buf)];
		const char *got;
		dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, v[i].probe, &pd);
		got = dtrace_probe_argname(dtp, &pd, v[i].n, buf, sizeof(buf));
		if (v[i].name == NULL) {
			assert_null(got);
			continue;
		}
		snprintf(want, sizeof(want), "%s", v[i].name);
		assert_string_equal(got, want); /* cut to what has room */
		assert_ptr_equal(got, buf);
	}
	/* They are no part of the types. */
	dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "syscall::openat:entry",
			&pd);
	assert_int_equal(dtrace_probe_info(dtp, &pd, &pi), 0);
	assert_string_equal(pi.dtp_argv[1], "const char *");
	assert_string_equal(pi.dtp_argv[0], "int");
}

static void
nothing_there(void **state)
{
	dtrace_hdl_t *dtp = *state;
	struct walk w = { 0 };
	dtrace_probedesc_t pd;
	dtrace_probeinfo_t pi;

	dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "tick-never", &pd);
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_NOPROBE);
	assert_int_equal(dtrace_probe_info(dtp, &pd, &pi), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_NOPROBE);
	assert_int_equal(dtrace_id2desc(dtp, 0, &pd), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADID);
	/* A process that cannot be: its provider says why. */
	dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "pid999999999::main:entry",
			&pd);
	assert_int_equal(dtrace_probe_iter(dtp, &pd, visit, &w), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADSPEC);
	assert_int_equal(w.n, 0);
}

/* What the compiler is told when a description matches several probes. */
static void
types(void **state)
{
	dtrace_hdl_t *dtp = *state;
	struct lang_probe_info pi;
	struct err e;
	struct dif_pdesc pd = { 0, "dtrace", "", "", "BEGIN" };

	err_clear(&e);
	assert_int_equal(dt_probe_types(dtp, &pd, &pi, &e), 0);
	assert_int_equal(pi.nmatch, 1);
	assert_false(pi.mixed);
	pd.name = "nothing";
	assert_int_equal(dt_probe_types(dtp, &pd, &pi, &e), 0);
	assert_int_equal(pi.nmatch, 0);
	pd = (struct dif_pdesc){ 0, "profile", "", "", "tick-*" };
	assert_int_equal(dt_probe_types(dtp, &pd, &pi, &e), 0);
	assert_true(pi.nmatch > 1);
	assert_false(pi.mixed); /* all alike */
	/* Absent functions are forgiven only under -Z. */
	pd = (struct dif_pdesc){ 0, "pid999999999", "", "f", "entry" };
	assert_int_equal(dt_probe_types(dtp, &pd, &pi, &e), -1);
	assert_true(err_is_set(&e));
	e.tag = &D_PROC_FUNC;
	assert_false(dt_probe_absent(dtp, &e));
	dtp->zdefs = true;
	assert_true(dt_probe_absent(dtp, &e));
	assert_false(err_is_set(&e));
}

static void
addresses(void **state)
{
	dtrace_hdl_t *dtp = *state;
	char text[256], few[4];
	uint64_t here = (uint64_t)(uintptr_t)&addresses;
	int n = dtrace_uaddr2str(dtp, getpid(), here, text, sizeof(text));

	assert_int_equal(n, strlen(text));
	assert_non_null(strstr(text, "`addresses"));
	assert_int_equal(dtrace_uaddr2str(dtp, getpid(), here, few,
					  sizeof(few)), n);
	assert_int_equal(strlen(few), 3);
	assert_int_equal(dtrace_uaddr2str(dtp, getpid(), here, NULL, 0), n);
	assert_int_equal(dtrace_uaddr2str(dtp, getpid(), 16, text,
					  sizeof(text)), 4);
	assert_string_equal(text, "0x10");
	assert_int_equal(dtrace_lookup_by_name(dtp, NULL, "no such symbol",
					       NULL, NULL), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_NOSYM);
}

static void
numbers(void **state)
{
	assert_string_equal(dtrace_subrstr(*state, 12), "strlen");
	assert_string_equal(dtrace_subrstr(*state, DIF_SUBR_MAX + 1),
			    "unknown");
	assert_non_null(dtrace_faultstr(*state, 1));
	assert_non_null(dtrace_faultstr(*state, -1));
}

/* A frame of Python that no engine knows is one still, without a place. */
static void
unknown_python(void **state)
{
	static const enum dt_lang_what all[] = { DT_LANG_MOD, DT_LANG_NAME,
						 DT_LANG_LINE };
	const uint64_t pc = RT_PY_TAG | 7ull << RT_PY_AT_BITS | 1;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < 3; i++) {
		assert_true(dt_lang_text(*state, getpid(), pc, all[i], &b));
		assert_string_equal(buf_str(&b), "[python]");
		buf_reset(&b);
	}
	assert_true(dt_lang_text(*state, getpid(), pc, DT_LANG_SOURCE, &b));
	assert_int_equal(b.n, 0);
	assert_int_equal(dt_lang_key(*state, getpid(), pc), pc);
	assert_false(dt_lang_text(*state, getpid(), 0x1234, DT_LANG_LINE, &b));
	buf_fini(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(split),	 TEST(long_fields), TEST(macros),
		TEST(iterate),	 TEST(nothing_there), TEST(types),
		TEST(unknown_python),
		TEST(names_of_arguments),
		TEST(addresses), TEST(numbers),
	};

	return cmocka_run_group_tests_name("dt_probe", tests, fds_note, fds_check);
}
