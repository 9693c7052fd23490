/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_dlib.c - the D library: which files are read, in which order, what
 * is left out, which a program brings in, and what is said about those that are
 * wrong.
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

/* ---- what a program brings in -------------------------------------------- */

/* These files, with a space behind each, are those that have been compiled. */
static void
compiled(const struct world *w, const char *want)
{
	const struct dt_dlib *dl = &w->dtp->dlib;
	char have[256] = "";

	for (size_t i = 0; i < dl->files.n; i++)
		if (dl->files.v[i]->state == DT_DLIB_LOADED) {
			size_t n = strlen(have);
			snprintf(have + n, sizeof(have) - n, "%s ",
				 dl->files.v[i]->name);
		}
	assert_string_equal(have, want);
}

/* A word that a file declares, with what the file depends on; and later ones,
   with what programs have declared meanwhile. */
static void
on_demand(void **state)
{
	struct world *w = *state;

	assert_true(compiles(w, "BEGIN { trace(pid); /* ENOENT */ }", 0));
	assert_true(compiles(w, "BEGIN { trace(\"ENOENT\"); }", 0));
	compiled(w, "");
	assert_true(compiles(w, "BEGIN { trace(ENOENT); x = 1; }", 0));
	compiled(w, "errno.d ");
	assert_true(compiles(w, "BEGIN { trace(curpsinfo->pr_pid + x); }", 0));
	compiled(w, "errno.d procfs.d regs.d sched.d ");
	assert_true(compiles(w, "BEGIN { trace(ENOENT + PR_IDLE + x); }", 0));
	compiled(w, "errno.d procfs.d regs.d sched.d ");
}

static void
on_demand_by_argument(void **state)
{
	struct world *w = *state;
	char name[] = "dtrace", word[] = "ENOENT";
	char *argv[] = { name, word };

	assert_non_null(
		dtrace_program_strcompile(w->dtp, "BEGIN { trace($1); }",
					  DTRACE_PROBESPEC_NAME, 0, 2, argv));
	compiled(w, "errno.d ");
}

/* args[] alone, of probes that are named in one way and another. */
static void
on_demand_by_args(void **state)
{
	static const char *const probes[] = { "tcp:::state-change",
					      "state-change", "tcp:::" };
	struct world *w = *state;
	char text[80];

	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "%s { trace(arg5); }", probes[i]);
		assert_true(compiles(w, text, 0));
	}
	compiled(w, "");
	assert_true(compiles(w, "syscall::read:entry { trace(args[0]); }", 0));
	compiled(w, "");
	for (size_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "%s { trace(args[5]->tcps_state); }", probes[i]);
		assert_true(compiles(w, text, 0));
		compiled(w, "ip.d net.d tcp.d ");
	}
}

/* Nothing in the text says which: all of them, when it has failed without. */
static void
on_demand_by_pattern(void **state)
{
	struct world *w = *state;

	assert_true(compiles(
		w, "t?p:::st*change { trace(args[5]->tcps_state); }", 0));
	compiled(w, "errno.d io.d ip.d lockstat.d net.d procfs.d regs.d "
		    "sched.d siginfo.d signal.d tcp.d udp.d unistd.d ");
}

/* What a message proposes does not depend on what was compiled before. */
static void
on_demand_for_hints(void **state)
{
	struct world *w = *state;

	refused(w, "BEGIN { trace(curpsinf); }", "(did you mean curpsinfo?)");
}

/* A file that was asked for is compiled always, and so is what it names. */
static void
on_demand_by_library(void **state)
{
	struct world *w = *state;

	put(w, "a.d", "inline int in_a = in_b + ENOENT;\n");
	put(w, "b.d", "inline int in_b = 1;\n");
	assert_true(compiles(w, "BEGIN { }", 0));
	compiled(w, "errno.d a.d b.d ");
	assert_true(compiles(w, "BEGIN { trace(in_a); }", 0));
}

/* What programs have declared before does not change a file's meaning. */
static void
on_demand_below(void **state)
{
	struct world *w = *state;

	assert_true(compiles(w,
			     "typedef char uid_t;\n"
			     "int poolid_t;\n"
			     "struct task_struct { char c; };\n"
			     "BEGIN { poolid_t = sizeof(uid_t); }",
			     0));
	compiled(w, "");
	assert_true(compiles(w,
			     "typedef char t[sizeof(((psinfo_t *)0)->pr_uid) "
			     "== 4 && sizeof(uid_t) == 1 ? 1 : -1];\n"
			     "BEGIN { trace(poolid_t); }",
			     0));
	compiled(w, "procfs.d regs.d sched.d ");
	assert_true(compiles(w, "int uint32_t;\nBEGIN { uint32_t = 1; }", 0));
	assert_true(compiles(w, "BEGIN { trace(sizeof(ipinfo_t)); }", 0));
}

/* A program of no text compiles the library. */
static void
on_demand_of_nothing(void **state)
{
	struct world *w = *state;

	assert_true(compiles(w, "", DTRACE_C_EMPTY));
	assert_false(dt_dlib_left(w->dtp));
}

/* Types that are written out are those of all files. */
static void
on_demand_not(void **state)
{
	struct world *w = *state;

	assert_int_equal(dtrace_setopt(w->dtp, "dtypes", "/dev/null"), 0);
	assert_true(compiles(w, "BEGIN { }", 0));
	assert_int_equal(dt_dlib_find(&w->dtp->dlib, "udp.d")->state,
			 DT_DLIB_LOADED);
}

/* ---- the names that are built in ----------------------------------------- */

static bool
in_names(const struct dt_dlib_text *t, const char *word, size_t len)
{
	for (size_t i = 0; i < t->nameslen; i += strlen(t->names + i) + 1)
		if (strlen(t->names + i) == len &&
		    memcmp(t->names + i, word, len) == 0)
			return true;
	return false;
}

/* The last word of a line before any of these characters. */
static const char *
word_before(const char *line, const char *ends, size_t *len)
{
	const char *end = line + strcspn(line, ends);
	const char *p;

	while (end > line && end[-1] == ' ')
		end--;
	for (p = end; p > line && p[-1] != ' ' && p[-1] != '*'; p--)
		;
	*len = (size_t)(end - p);
	return p;
}

/* The name that a line of the library declares, as these texts are laid out;
   NULL: none. */
static const char *
line_name(const char *line, size_t *len)
{
	if (strncmp(line, "inline ", 7) == 0)
		return word_before(line, "=[", len);
	if (strncmp(line, "translator ", 11) == 0)
		return word_before(line, "<", len);
	if (strncmp(line, "} ", 2) == 0 ||
	    (strncmp(line, "typedef ", 8) == 0 && strchr(line, '{') == NULL))
		return word_before(line, ";", len);
	if (strncmp(line, "struct ", 7) == 0 ||
	    strncmp(line, "typedef struct ", 15) == 0)
		return word_before(line, "{;", len);
	return NULL;
}

/* tools/embed-dlib.py has found them by another way. */
static void
names(void **state)
{
	size_t n = 0, len;
	char line[160];

	for (size_t i = 0; i < dt_dlib_ntexts; i++) {
		const struct dt_dlib_text *t = &dt_dlib_texts[i];
		const char *end = t->text + t->len, *nl;

		for (const char *p = t->text; p < end; p = nl + 1) {
			nl = memchr(p, '\n', (size_t)(end - p));
			snprintf(line, sizeof(line), "%.*s", (int)(nl - p), p);
			const char *name = line_name(line, &len);
			if (name == NULL)
				continue;
			if (!in_names(t, name, len))
				fail_msg("%s: %s is not among its names",
					 t->name, line);
			n++;
		}
	}
	assert_true(n > 700);
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
		T(on_demand),
		T(on_demand_by_argument),
		T(on_demand_by_args),
		T(on_demand_by_pattern),
		T(on_demand_for_hints),
		T(on_demand_by_library),
		T(on_demand_below),
		T(on_demand_not), T(on_demand_of_nothing),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
