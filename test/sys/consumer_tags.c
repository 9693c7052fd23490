/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * consumer_tags.c [unit] - the errors of libdtrace that need a situation of
 * their own: no preprocessor, no privilege, keys that are too large, records
 * that were dropped.  tools/check-tags sees to it that every tag of the library
 * is raised by some test.
 *
 * With "unit", what needs nothing; without, what traces a process of its own.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "consumer.h"

/* Compile and enable a program; false, with the error set, if it is refused. */
static bool
enabled(dtrace_hdl_t *dtp, const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	CHECK(prog != NULL);
	return prog != NULL && dtrace_program_exec(dtp, prog, NULL) == 0;
}

/* Compile a file of this text with the preprocessor; it must fail. */
static void
preprocess(dtrace_hdl_t *dtp, const char *text)
{
	FILE *fp = tmpfile();

	CHECK(fp != NULL);
	if (fp == NULL)
		return;
	fputs(text, fp);
	rewind(fp);
	CHECK(dtrace_program_fcompile(dtp, fp, DTRACE_C_CPP, 0, NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_CPP);
	fclose(fp);
}

static void
test_preprocessor(void)
{
	dtrace_hdl_t *dtp = handle(0);

	CHECK(dtrace_setopt(dtp, "cpppath", "/no/such/cpp") == 0);
	preprocess(dtp, "BEGIN { }\n");
	CHECK(strstr(dtrace_errmsg(dtp, EDT_CPP), "/no/such/cpp") != NULL);
	dtrace_close(dtp);
	dtp = handle(0);
	CHECK(dtrace_setopt(dtp, "cpppath", "/bin/false") == 0);
	preprocess(dtp, "BEGIN { }\n");
	dtrace_close(dtp);
}

static void
test_destructive(void)
{
	dtrace_hdl_t *dtp = handle(0);

	REFUSED(dtp,
		!enabled(dtp, "BEGIN { system(\"false\"); }") || dtrace_go(dtp),
		DESTRUCTIVE);
	dtrace_close(dtp);
}

/* As many strings as fit into no key, however large it may get. */
static void
test_large_keys(void)
{
	dtrace_hdl_t *dtp = handle(0);
	char text[2000] = "BEGIN { @[1";

	for (int i = 0; i < 60; i++)
		strcat(text, ", strjoin(\"a\", \"b\")");
	strcat(text, "] = count(); }");
	CHECK(dtrace_setopt(dtp, "strsize", "4000") == 0);
	CHECK(!enabled(dtp, text) || dtrace_go(dtp) != 0);
	CHECK(dtrace_errno(dtp) == EDT_NOREG);
	dtrace_close(dtp);
}

/* By a process of a user who may not load BPF programs. */
static void
test_privilege(void)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		dtrace_hdl_t *dtp = handle(0);
		CHECK(dtrace_setopt(dtp, "engine", "kernel") == 0);
		CHECK(!enabled(dtp, "BEGIN { }") || dtrace_go(dtp) != 0);
		CHECK(dtrace_errno(dtp) == EDT_PRIV);
		dtrace_close(dtp);
		fflush(stdout);
		_exit(failures != 0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- with a process ------------------------------------------------------ */

static dtrace_hdl_t *
tracer(void)
{
	static char *const argv[] = { (char *)(uintptr_t) "/bin/true", NULL };
	dtrace_hdl_t *dtp = handle(0);

	CHECK(dtrace_setopt(dtp, "engine", "process") == 0);
	CHECK(dtrace_setopt(dtp, "bufsize", "4k") == 0);
	CHECK(dtrace_proc_create(dtp, argv[0], argv, NULL, NULL) != NULL);
	return dtp;
}

static void
test_no_engine(void)
{
	dtrace_hdl_t *dtp = tracer();

	CHECK(!enabled(dtp, "BEGIN { trace(curthread->pid); }") ||
	      dtrace_go(dtp) != 0);
	CHECK(dtrace_errno(dtp) == EDT_ENABLE);
	CHECK(strstr(dtrace_errmsg(dtp, EDT_ENABLE), "curthread") != NULL);
	dtrace_close(dtp);
}

static int
any_rec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data;
	(void)rec;
	(void)arg;
	return DTRACE_CONSUME_THIS;
}

static int
give_up(const dtrace_dropdata_t *data, void *arg)
{
	(void)data;
	++*(int *)arg;
	return DTRACE_HANDLE_ABORT;
}

/* More in one BEGIN than the buffer takes, and who hears of it. */
static void
dropped(int *asked)
{
	dtrace_hdl_t *dtp = tracer();
	FILE *null = fopen("/dev/null", "w");
	bool ok = null != NULL;

	if (asked != NULL)
		CHECK(dtrace_handle_drop(dtp, give_up, asked) == 0);
	for (int i = 0; i < 60 && ok; i++)
		ok = enabled(dtp, "BEGIN { trace(strjoin(\"a\", \"b\")); }");
	CHECK(ok && dtrace_go(dtp) == 0);
	CHECK(dtrace_stop(dtp) == 0);
	CHECK(dtrace_work(dtp, null, NULL, any_rec, NULL) ==
	      DTRACE_WORKSTATUS_ERROR);
	CHECK(dtrace_errno(dtp) == EDT_DROPABORT);
	dtrace_close(dtp);
	if (null != NULL)
		fclose(null);
}

static void
test_drops(void)
{
	int asked = 0;

	dropped(NULL);
	dropped(&asked);
	CHECK(asked == 1);
}

static const struct test tests[] = {
	{ "preprocessor", test_preprocessor, false },
	{ "destructive", test_destructive, false },
	{ "large keys", test_large_keys, false },
	{ "privilege", test_privilege, false },
	{ "no engine", test_no_engine, true },
	{ "drops", test_drops, true },
};

int
main(int argc, char **argv)
{
	bool unit = argc > 1 && strcmp(argv[1], "unit") == 0;

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]), unit,
			 "ptrace");
}
