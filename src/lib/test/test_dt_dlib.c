/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_dlib.c - the D library: which files are read, in which order, what
 * is left out, and what is said about those that are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_impl.h"

/* A directory of one test, and a handle that reads it after the system's. */
struct world {
	char dir[32];
	char files[8][16];
	int nfiles;
	dtrace_hdl_t *dtp;
};

static int
setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	int e;

	strcpy(w->dir, "/tmp/dt_dlib.XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &e);
	assert_non_null(w->dtp);
	assert_int_equal(dtrace_setopt(w->dtp, "libdir", w->dir), 0);
	*state = w;
	return 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;
	char path[64];

	for (int i = 0; i < w->nfiles; i++) {
		snprintf(path, sizeof(path), "%s/%s", w->dir, w->files[i]);
		unlink(path);
	}
	rmdir(w->dir);
	dtrace_close(w->dtp);
	free(w);
	return 0;
}

static void
put(struct world *w, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", w->dir, name);
	FILE *fp = fopen(path, "w");
	assert_non_null(fp);
	assert_true(fputs(text, fp) >= 0);
	fclose(fp);
	strcpy(w->files[w->nfiles++], name);
}

static bool
compiles(struct world *w, const char *text, unsigned cflags)
{
	return dtrace_program_strcompile(w->dtp, text, DTRACE_PROBESPEC_NAME,
					 cflags, 0, NULL) != NULL;
}

/* The program is refused, with this in the message. */
static void
refused(struct world *w, const char *text, const char *why)
{
	if (compiles(w, text, 0))
		fail_msg("\"%s\" compiled", text);
	const char *msg = dtrace_errmsg(w->dtp, dtrace_errno(w->dtp));
	if (strstr(msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", msg, why);
}

static void
system_files(void **state)
{
	struct world *w = *state;

	refused(w, "BEGIN { trace(nonsense); }", "nonsense");
	assert_true(compiles(w, "BEGIN { trace(ENOENT + SIGHUP + O_CREAT); }",
			     0));
}

static void
no_files(void **state)
{
	struct world *w = *state;

	assert_int_equal(dtrace_setopt(w->dtp, "nolibs", NULL), 0);
	refused(w, "BEGIN { trace(DTRACEFLT_LIBRARY); }", "DTRACEFLT_LIBRARY");
	assert_int_equal(dtrace_setopt(w->dtp, "nolibs", "no"), 0);
	assert_true(compiles(w, "BEGIN { trace(DTRACEFLT_LIBRARY); }", 0));
	assert_false(compiles(w, "#pragma D depends_on library nosuch.d", 0));
}

/* Each file uses the type of the next: only this order works. */
static void
order(void **state)
{
	struct world *w = *state;

	put(w, "a.d", "#pragma D depends_on library b.d\n"
		      "typedef b_t a_t;\n");
	put(w, "b.d", "#pragma D depends_on library c.d\n"
		      "#pragma D depends_on library errno.d\n"
		      "typedef c_t b_t;\n"
		      "inline int b = ENOENT;\n");
	put(w, "c.d", "typedef short c_t;\n");
	assert_true(compiles(w, "BEGIN { trace((a_t)b); }", 0));
}

static void
cycle(void **state)
{
	struct world *w = *state;

	put(w, "a.d", "#pragma D depends_on library b.d\n");
	put(w, "b.d", "#pragma D depends_on library a.d\n");
	for (int i = 0; i < 2; i++)
		refused(w, "BEGIN { }",
			"b.d: it depends on a.d, which depends on it");
	assert_int_equal(dtrace_errno(w->dtp), EDT_COMPILER);
}

static void
own_cycle(void **state)
{
	struct world *w = *state;

	put(w, "a.d", "#pragma D depends_on library a.d\n");
	refused(w, "BEGIN { }", "a.d: it depends on a.d");
}

/* What is not there is no error, and takes along what builds on it. */
static void
left_out(void **state)
{
	struct world *w = *state;

	put(w, "mod.d", "#pragma D depends_on module nosuch\n"
			"inline int in_mod = 1;\n");
	put(w, "prov.d", "#pragma D depends_on provider nosuch\n"
			 "inline int in_prov = 1;\n");
	put(w, "more.d", "#pragma D depends_on library prov.d\n"
			 "inline int in_more = 1;\n");
	put(w, "there.d", "#pragma D depends_on provider syscall\n"
			  "#pragma D depends_on provider profile\n"
			  "#pragma D depends_on module vmlinux\n"
			  "inline int in_there = 1;\n");
	refused(w, "BEGIN { trace(in_mod); }", "in_mod");
	refused(w, "BEGIN { trace(in_prov); }", "in_prov");
	refused(w, "BEGIN { trace(in_more); }", "in_more");
	assert_true(compiles(w, "BEGIN { trace(in_there); }", 0));
}

/* But a library that is nowhere is one, whatever the program uses. */
static void
missing(void **state)
{
	struct world *w = *state;
	char why[160];

	put(w, "lib.d", "#pragma D depends_on library nosuch.d\n"
			"inline int in_lib = 1;\n");
	snprintf(why, sizeof(why), "D library %s/lib.d: it depends on nosuch.d, "
				   "which is in no directory", w->dir);
	refused(w, "BEGIN { }", why);
}

static void
wrong(void **state)
{
	struct world *w = *state;
	char why[128];

	put(w, "wrong.d", "typedef int fine_t;\ntypedef nosuch_t x_t;\n");
	snprintf(why, sizeof(why), "D library %s/wrong.d: [D_SYNTAX] line "
				   "2: ", w->dir);
	assert_int_equal(dtrace_setopt(w->dtp, "errtags", NULL), 0);
	for (int i = 0; i < 2; i++) /* and nothing of it is kept */
		refused(w, "BEGIN { }", why);
	assert_string_equal(dtrace_errtag(w->dtp), "D_SYNTAX");
}

static void
wrong_pragma(void **state)
{
	struct world *w = *state;

	put(w, "wrong.d", "\n#pragma D depends_on nonsense x\n");
	refused(w, "BEGIN { }", "/wrong.d: line 2: invalid #pragma D");
}

/* A library makes nothing happen. */
static void
clause(void **state)
{
	struct world *w = *state;

	put(w, "wrong.d", "inline int x = 1;\nBEGIN { }\n");
	refused(w, "BEGIN { }", "/wrong.d: line 2: ");
}

static void
replaced(void **state)
{
	struct world *w = *state;

	put(w, "errno.d", "inline int ENOENT = 77;\n");
	put(w, "check.d", "#pragma D depends_on library errno.d\n"
			  "typedef char is_77[ENOENT == 77 ? 1 : -1];\n");
	assert_true(compiles(w, "BEGIN { trace(sizeof(is_77)); }", 0));
	refused(w, "BEGIN { trace(EPERM); }", "EPERM");
}

/* Other files, and those that cannot be read, by whatever name. */
static void
not_libraries(void **state)
{
	struct world *w = *state;

	put(w, "README", "Not D.");
	put(w, ".hidden.d", "Not D.");
	put(w, "other.dd", "Not D.");
	assert_true(compiles(w, "BEGIN { }", 0));
}

static void
no_directory(void **state)
{
	struct world *w = *state;

	assert_int_equal(dtrace_setopt(w->dtp, "libdir", "/nonexistent"), 0);
	refused(w, "BEGIN { }", "D library directory /nonexistent: No such");
	assert_int_equal(dtrace_errno(w->dtp), EDT_IO);
}

/* What is named like a file of D, and cannot be read. */
static void
no_file(void **state)
{
	struct world *w = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/sub.d", w->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	refused(w, "BEGIN { }", "/sub.d: Is a directory");
	rmdir(path);
	assert_true(compiles(w, "BEGIN { }", 0));
}

static void
system_directory(void **state)
{
	struct world *w = *state;

	put(w, "mine.d", "inline int mine = 1;\n");
	assert_int_equal(dtrace_setopt(w->dtp, "syslibdir", w->dir), 0);
	assert_true(compiles(w, "BEGIN { trace(mine); }", 0));
	refused(w, "BEGIN { trace(DTRACEFLT_LIBRARY); }", "DTRACEFLT_LIBRARY");
}

static void
options(void **state)
{
	struct world *w = *state;

	assert_int_equal(dtrace_setopt(w->dtp, "libdir", NULL), -1);
	assert_int_equal(dtrace_setopt(w->dtp, "libdir", ""), -1);
	assert_int_equal(dtrace_errno(w->dtp), EDT_BADOPTVAL);
	refused(w, "#pragma D option libdir=/tmp\nBEGIN { }",
		"D libraries have been loaded");
	assert_int_equal(dtrace_setopt(w->dtp, "syslibdir", "/tmp"), -1);
	assert_int_equal(dtrace_errno(w->dtp), EDT_BADOPTCTX);
}

static void
programs(void **state)
{
	struct world *w = *state;

	assert_true(compiles(w, "#pragma D depends_on provider dtrace\n"
				"#pragma D depends_on module kernel\n"
				"BEGIN { }", 0));
	refused(w, "#pragma D depends_on library errno.d\nBEGIN { }",
		"only a library may depend on library errno.d");
	refused(w, "#pragma D depends_on provider nosuch\nBEGIN { }",
		"provider nosuch, which is not there");
	refused(w, "#pragma D depends_on module ../kernel\nBEGIN { }",
		"module ../kernel, which is not there");
	assert_string_equal(dtrace_errtag(w->dtp), "D_PRAGMA_DEPEND");
}

/* The kernel's types are asked for by programs that use them, by no other. */
static void
lazy(void **state)
{
	struct world *w = *state;

	type_space_use_kernel(w->dtp->types, "/nonexistent");
	assert_true(compiles(w, "BEGIN { trace(curpsinfo->pr_pid + pid); }",
			     0));
	assert_null(type_space_kernel_error(w->dtp->types));
	refused(w, "BEGIN { trace(curpsinfo->pr_sid); }", "/nonexistent");
	assert_non_null(type_space_kernel_error(w->dtp->types));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(system_files), T(no_files),	  T(order),
		T(cycle),	 T(own_cycle),	  T(left_out),
		T(missing),
		T(wrong),	 T(wrong_pragma), T(clause),
		T(replaced),	 T(not_libraries), T(no_directory),
		T(no_file),
		T(system_directory), T(options),  T(programs),
		T(lazy),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
