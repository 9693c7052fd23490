/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The nth allocation of the library fails, n = 1, 2, 3 ...: opening, compiling,
 * enabling, listing and printing each say that there is no memory, or do
 * without; nothing crashes, nothing leaks (the sanitized build), and a handle
 * that has said so can be closed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <dtrace/dtrace.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "base/test/nomem.h"
#include "rt/engine.h"

#define EACH       400 /* allocations that fail one by one */
#define EACH_TRACE 12  /* the same, of a trace, which takes longer */

/* What a try came to: 0, or the error and its message. */
struct result {
	int err;
	char msg[400];
};

static bool
failed(struct result *r, dtrace_hdl_t *dtp)
{
	r->err = dtrace_errno(dtp);
	snprintf(r->msg, sizeof(r->msg), "%s", dtrace_errmsg(dtp, r->err));
	return false;
}

static int
count_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	(void)dtp;
	(void)pd;
	++*(int *)arg;
	return 0;
}

static bool
list(dtrace_hdl_t *dtp, struct result *r)
{
	int n = 0;

	if (dtrace_probe_iter(dtp, NULL, count_probe, &n) != 0)
		return failed(r, dtp);
	assert_true(n > 0);
	return true;
}

static const char text[] =
	"int k[int, string]; self int t;\n"
	"syscall::openat:entry /pid == $1/ { self->t = timestamp;\n"
	"  k[1, execname] = pid; @a[probefunc, pid] = quantize(arg1);\n"
	"  printf(\"%d %s\\n\", pid, copyinstr(arg1)); }\n"
	"syscall:::return /self->t/ { @b = llquantize(arg0, 10, 0, 3, 10);\n"
	"  stack(); ustack(3); }\n"
	"tick-1s { printa(\"%@d\\n\", @a); trace(curpsinfo->pr_psargs); }\n"
	"END { trunc(@a, 5); }\n";

static bool
enable(dtrace_hdl_t *dtp, struct result *r)
{
	static char *const argv[] = { (char *)(uintptr_t) "x",
				      (char *)(uintptr_t) "12", NULL };
	dtrace_proginfo_t info;
	dtrace_prog_t *prog;

	if (dtrace_setopt(dtp, "strsize", "64") != 0 ||
	    dtrace_setopt(dtp, "define", "A=1") != 0)
		return failed(r, dtp);
	prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, 0, 2,
					 argv);
	if (prog == NULL || dtrace_program_exec(dtp, prog, &info) != 0)
		return failed(r, dtp);
	return true;
}

/* A handle, and what is done with it; the last failure. */
static bool
with_handle(bool (*use)(dtrace_hdl_t *, struct result *), struct result *r)
{
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &r->err);
	bool ok;

	if (dtp == NULL) {
		snprintf(r->msg, sizeof(r->msg), "%s",
			 dtrace_errmsg(NULL, r->err));
		return false;
	}
	ok = use(dtp, r);
	dtrace_close(dtp);
	return ok;
}

/* Every try but the last fails for want of memory, or does without it. */
static void
tries(bool (*use)(dtrace_hdl_t *, struct result *))
{
	bool more = true;
	long n;

	for (n = 1; more; n = nomem_next(n, EACH)) {
		struct result r = { 0 };
		bool ok;

		nomem_arm(n);
		ok = with_handle(use, &r);
		more = nomem_disarm();
		if (!ok && !more)
			fail_msg("after %ld allocations: %s", n, r.msg);
		if (!ok && r.err != EDT_NOMEM)
			fail_msg("allocation %ld: error %d: %s", n, r.err,
				 r.msg);
		assert_true(n < 10000000);
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 20);
}

static void
test_list(void **state)
{
	(void)state;
	tries(list);
}

static void
test_enable(void **state)
{
	(void)state;
	tries(enable);
}

/* ---- tracing ---------------------------------------------------------------
 */

static const char traced[] =
	"BEGIN { @a[probename, 1] = count(); printf(\"%d\", 1); @q = "
	"quantize(3); self->x = 1; n[1] = 2; }\n"
	"pid$target::write:entry { @w[execname] = count(); trace(arg2); "
	"ustack(2); }\n"
	"pid$target::write:return { exit(0); }\n"
	"END { printa(@w); }\n";

/*
 * Trace echo(1), with the nth allocation from dtrace_go() on failing.  What is
 * traced ends the trace, so that one which misses it does not end in time.
 */
static bool
trace_echo(dtrace_hdl_t *dtp, long n, FILE *null, struct result *r)
{
	static char *const argv[] = { (char *)(uintptr_t) "/bin/echo", NULL };
	struct ps_prochandle *p;
	dtrace_workstatus_t st = DTRACE_WORKSTATUS_OKAY;
	dtrace_prog_t *prog;

	assert_int_equal(dtrace_setopt(dtp, "engine", "process"), 0);
	assert_int_equal(dtrace_setopt(dtp, "bufsize", "64k"), 0);
	p = dtrace_proc_create(dtp, argv[0], argv, NULL, NULL);
	assert_non_null(p);
	prog = dtrace_program_strcompile(dtp, traced, DTRACE_PROBESPEC_NAME, 0,
					 0, NULL);
	assert_non_null(prog);
	assert_int_equal(dtrace_program_exec(dtp, prog, NULL), 0);
	nomem_arm(n);
	if (dtrace_go(dtp) != 0)
		return failed(r, dtp);
	dtrace_proc_continue(dtp, p);
	for (int i = 0; i < 100 && st == DTRACE_WORKSTATUS_OKAY; i++) {
		dtrace_sleep(dtp);
		st = dtrace_work(dtp, null, NULL, NULL, NULL);
	}
	if (st != DTRACE_WORKSTATUS_DONE ||
	    dtrace_aggregate_print(dtp, null, NULL) != 0)
		return failed(r, dtp);
	return true;
}

/*
 * A refusal for want of memory says so.  Some say it in other words: an engine
 * that was looked for gives its reason in the middle of a sentence, what was
 * read of /proc has the text of ENOMEM, and a table that could not be kept is a
 * function of which too little is known.
 */
static bool
names_the_reason(const struct result *r)
{
	return r->err == EDT_NOMEM ||
	       strstr(r->msg, "memory allocation failure") != NULL ||
	       strstr(r->msg, "Cannot allocate memory") != NULL ||
	       strstr(r->msg, "is not known") != NULL;
}

static void
test_trace(void **state)
{
	FILE *null = fopen("/dev/null", "w");
	bool more = true;
	long n;

	(void)state;
	if (!CAPABLE("ptrace"))
		return;
	assert_non_null(null);
	for (n = 1; more; n = nomem_next(n, EACH_TRACE)) {
		struct result r = { 0 };
		dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &r.err);
		bool ok;

		assert_non_null(dtp);
		ok = trace_echo(dtp, n, null, &r);
		dtrace_close(dtp);
		more = nomem_disarm();
		if (!ok && (!more || !names_the_reason(&r)))
			fail_msg("allocation %ld: error %d: %s", n, r.err,
				 r.msg);
	}
	fclose(null);
	print_message("# about %ld allocations\n", n);
}

/* With "trace": what traces a process; without: what needs none. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_enable),
	};
	const struct CMUnitTest traces[] = {
		cmocka_unit_test(test_trace),
	};

	if (argc > 1 && strcmp(argv[1], "trace") == 0)
		return cmocka_run_group_tests(traces, fds_note, fds_check);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
