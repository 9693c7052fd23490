/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * consumer.c [unit] - a consumer of libdtrace, which sees nothing of it but
 * <dtrace/dtrace.h> and the shared library: every public function is called,
 * rightly and wrongly, in every state of a handle.
 *
 * With "unit", what needs no privilege: compiling, names, options, errors.
 * Without, also tracing, which is skipped (77) where BPF is not permitted.
 * Each test is a function; CHECK tells what did not hold and goes on.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "consumer.h"

static dtrace_prog_t *
compile(dtrace_hdl_t *dtp, const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	if (prog == NULL) {
		printf("# %s: %s\n", text,
		       dtrace_errmsg(dtp, dtrace_errno(dtp)));
		failures++;
	}
	return prog;
}

static bool
enable(dtrace_hdl_t *dtp, const char *text)
{
	dtrace_prog_t *prog = compile(dtp, text);

	if (prog == NULL)
		return false;
	if (dtrace_program_exec(dtp, prog, NULL) == 0)
		return true;
	printf("# %s: %s\n", text, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	failures++;
	return false;
}

/* ---- without privilege ------------------------------------------------- */

static void
test_open(void)
{
	int err = 0;

	CHECK(dtrace_open(DTRACE_VERSION + 1, 0, &err) == NULL);
	CHECK(err == EDT_VERSION);
	CHECK(dtrace_open(0, 0, &err) == NULL && err == EDT_VERSINVAL);
	CHECK(dtrace_open(DTRACE_VERSION, DTRACE_O_ILP32, &err) == NULL);
	CHECK(err == EDT_BADMODEL);
	CHECK(dtrace_open(DTRACE_VERSION, 0x4000, &err) == NULL);
	CHECK(err == EDT_UNSUP);
	CHECK(dtrace_open(0, 0, NULL) == NULL);
	CHECK(strncmp(_dtrace_version, "DTrace for Linux", 16) == 0);
	CHECK(strcmp(dtrace_errmsg(NULL, ENOENT), strerror(ENOENT)) == 0);
	dtrace_close(NULL);
	dtrace_hdl_t *dtp = handle(0);
	CHECK(dtrace_errno(dtp) == 0);
	CHECK(*dtrace_errtag(dtp) == '\0');
	dtrace_close(dtp);
}

static void
test_options(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	int64_t v = 0;

	CHECK(dtrace_setopt(dtp, "bufsize", "64k") == 0);
	CHECK(dtrace_getopt(dtp, "bufsize", &v) == 0 && v == 65536);
	CHECK(dtrace_setopt(dtp, "quiet", NULL) == 0);
	CHECK(dtrace_getopt(dtp, "quiet", &v) == 0 && v == 1);
	CHECK(dtrace_getopt(dtp, "flowindent", &v) == 0);
	CHECK(v == DTRACEOPT_UNSET);
	REFUSED(dtp, dtrace_setopt(dtp, "nonsense", "1"), BADOPTNAME);
	REFUSED(dtp, dtrace_getopt(dtp, "nonsense", &v), BADOPTNAME);
	REFUSED(dtp, dtrace_setopt(dtp, "bufsize", "much"), BADOPTVAL);
	REFUSED(dtp, dtrace_setopt(dtp, "zone", "global"), UNSUP);
	dtrace_close(dtp);
}

static int
count_clause(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
	     const dtrace_probedesc_t *pdp, void *arg)
{
	int *n = arg;

	CHECK(strcmp(pdp->dtpd_name, *n == 0 ? "BEGIN" : "END") == 0);
	return ++*n == 2 ? 42 : 0;
}

/* Every error of a program, in the order of the text, and its line. */
static void
test_errplaces(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	const dtrace_errplace_t *e;

	CHECK(dtrace_errplaces(dtp, &e) == 0);
	CHECK(dtrace_program_strcompile(dtp, "BEGIN {\n\ttrace(foo()); "
					"bar(); x = 1;\n}\nBEGIN { baz() }",
					DTRACE_PROBESPEC_NAME, 0, 0,
					NULL) == NULL);
	CHECK(dtrace_errplaces(dtp, &e) == 3);
	CHECK(e[0].dtep_line == 2 && e[0].dtep_column == 8);
	CHECK(e[1].dtep_line == 2 && e[1].dtep_column == 16);
	CHECK(e[2].dtep_line == 4 && e[2].dtep_file == NULL);
	CHECK(strcmp(e[0].dtep_text, "\ttrace(foo()); bar(); x = 1;") == 0);
	CHECK(strcmp(e[2].dtep_text, "BEGIN { baz() }") == 0);
	CHECK(strcmp(e[2].dtep_msg, "undefined function name: baz") == 0);
	CHECK(strcmp(e[1].dtep_tag, "D_FUNC_UNDEF") == 0);
	CHECK(strcmp(dtrace_errtag(dtp), e[0].dtep_tag) == 0);
	CHECK(dtrace_program_strcompile(dtp, "BEGIN { }",
					DTRACE_PROBESPEC_NAME, 0, 0,
					NULL) != NULL);
	CHECK(dtrace_errplaces(dtp, &e) == 0);
	dtrace_close(dtp);
}

static void
test_programs(void)
{
	static char *const args[] = { (char *)(uintptr_t)"me",
				      (char *)(uintptr_t)"7" };
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	dtrace_proginfo_t pi;
	int n = 0;

	CHECK(dtrace_program_strcompile(dtp, "BEGIN { x = ; }",
					DTRACE_PROBESPEC_NAME, 0, 0,
					NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_COMPILER);
	CHECK(strcmp(dtrace_errtag(dtp), "D_SYNTAX") == 0);
	CHECK(dtrace_errmsg(dtp, EDT_COMPILER)[0] != '[');
	CHECK(dtrace_program_strcompile(dtp, "# 3 \"x.h\"\nBEGIN { x = ; }",
					DTRACE_PROBESPEC_NAME, DTRACE_C_ETAGS,
					0, NULL) == NULL);
	CHECK(strncmp(dtrace_errmsg(dtp, EDT_COMPILER),
		      "[D_SYNTAX] \"x.h\", line 3: ", 26) == 0);
	CHECK(dtrace_program_strcompile(dtp, "nobody:::here { }",
					DTRACE_PROBESPEC_NAME, 0, 0,
					NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_COMPILER);
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, "BEGIN { trace($1); } END { @ = count(); } BEGIN { }",
		DTRACE_PROBESPEC_NAME, 0, 2, args);
	CHECK(prog != NULL);
	if (prog != NULL) {
		CHECK(dtrace_stmt_iter(dtp, prog, count_clause, &n) == 42);
		CHECK(dtrace_program_notes(dtp, prog)[0] == '\0');
		CHECK(dtrace_program_warnings(dtp, prog)[0] == '\0');
		dtrace_program_info(dtp, prog, &pi);
		CHECK(pi.dpi_aggregates == 1 && pi.dpi_recgens == 2);
		CHECK(dtrace_program_exec(dtp, prog, &pi) == 0);
		CHECK(pi.dpi_matches == 3);
	}
	/* Not allowed: none of its clauses is enabled. */
	prog = compile(dtp, "BEGIN { trace(1); } BEGIN { system(\"true\"); }");
	if (prog != NULL)
		REFUSED(dtp, dtrace_program_exec(dtp, prog, NULL),
			DESTRUCTIVE);
	REFUSED(dtp, dtrace_go(dtp), UNSUP);
	CHECK(dtrace_proc_create(dtp, NULL, args, NULL, NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_UNSUP);
	dtrace_close(dtp);
}

static void
test_file(void)
{
	static char *const args[] = { (char *)(uintptr_t)"prog.d", NULL };
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	FILE *fp = tmpfile();

	CHECK(fp != NULL);
	if (fp == NULL)
		return;
	fputs("BEGIN\n{\n\ttrace(nothing);\n}\n", fp);
	rewind(fp);
	CHECK(dtrace_program_fcompile(dtp, fp, 0, 1, args) == NULL);
	CHECK(strstr(dtrace_errmsg(dtp, dtrace_errno(dtp)), "line 3") != NULL);
	fclose(fp);
	dtrace_close(dtp);
}

static int
first_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, void *arg)
{
	*(dtrace_probedesc_t *)arg = *pdp;
	return 7;
}

static void
test_probes(void)
{
	dtrace_hdl_t *dtp = handle(0);
	dtrace_probedesc_t pd, found, again;
	dtrace_probeinfo_t pi;

	CHECK(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "dtrace:::BEGIN",
			      &pd) == 0);
	CHECK(dtrace_probe_iter(dtp, &pd, first_probe, &found) == 7);
	CHECK(strcmp(found.dtpd_provider, "dtrace") == 0);
	CHECK(dtrace_id2desc(dtp, found.dtpd_id, &again) == 0);
	CHECK(memcmp(&found, &again, sizeof(found)) == 0);
	CHECK(dtrace_probe_info(dtp, &found, &pi) == 0);
	CHECK(pi.dtp_attr.dtat_name >= DTRACE_STABILITY_EVOLVING);
	REFUSED(dtp, dtrace_id2desc(dtp, 0x7fffffff, &again), BADID);
	CHECK(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "nobody:::x",
			      &pd) == 0);
	REFUSED(dtp, dtrace_probe_iter(dtp, &pd, first_probe, &found),
		NOPROBE);
	REFUSED(dtp, dtrace_probe_info(dtp, &pd, &pi), NOPROBE);
	CHECK(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME,
			      "syscall::read:entry", &pd) == 0);
	char name[8];
	const char *s = dtrace_probe_argname(dtp, &pd, 0, name, sizeof(name));
	CHECK(s != NULL && strcmp(s, "fd") == 0);
	CHECK(dtrace_probe_argname(dtp, &pd, 9, name, sizeof(name)) == NULL);
	CHECK(dtrace_probe_iter(dtp, NULL, first_probe, &found) == 7);
	dtrace_close(dtp);
}

static void
test_descs(void)
{
	static char *const args[] = { (char *)(uintptr_t)"me",
				      (char *)(uintptr_t)"read" };
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	dtrace_probedesc_t pd;
	char text[400], want[64], longname[300];

	CHECK(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME, "p$pid::$1:entry",
			       2, args, &pd) == 0);
	snprintf(want, sizeof(want), "p%d::read:entry", (int)getpid());
	CHECK(strcmp(dtrace_desc2str(&pd, text, sizeof(text)), want) == 0);
	CHECK(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME, "u$uid:::", 0,
			       NULL, &pd) == 0);
	snprintf(want, sizeof(want), "u%d", (int)getuid());
	CHECK(strcmp(pd.dtpd_provider, want) == 0);
	CHECK(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME, ":::$2", 2, args,
			       &pd) != 0);
	CHECK(dtrace_errno(dtp) == EDT_UNDERVAR);
	CHECK(dtrace_xstr2desc(dtp, DTRACE_PROBESPEC_NAME, "$target:::", 2,
			       args, &pd) != 0);
	CHECK(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "a:b:c:d:e", &pd) !=
	      0);
	CHECK(dtrace_errno(dtp) == EDT_OVERSPEC);
	CHECK(dtrace_str2desc(dtp, DTRACE_PROBESPEC_FUNC, "m:f", &pd) == 0);
	CHECK(strcmp(pd.dtpd_mod, "m") == 0 && strcmp(pd.dtpd_func, "f") == 0);
	REFUSED(dtp,
		dtrace_str2desc(dtp, DTRACE_PROBESPEC_NONE, "x", &pd),
		BADSPEC);
	memset(longname, 'x', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	REFUSED(dtp,
		dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, longname, &pd),
		BADSPEC);
	pd = (dtrace_probedesc_t){ .dtpd_id = 12 };
	CHECK(strcmp(dtrace_desc2str(&pd, text, sizeof(text)), "12") == 0);
	dtrace_close(dtp);
}

static void
test_names(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV | DTRACE_O_NOSYS);
	dtrace_attribute_t a = { 0 };
	char text[100];

	CHECK(dtrace_str2attr("Stable/Evolving/Common", &a) == 0);
	CHECK(a.dtat_class == DTRACE_CLASS_COMMON);
	CHECK(strcmp(dtrace_attr2str(a, text, sizeof(text)),
		     "Stable/Evolving/Common") == 0);
	CHECK(dtrace_str2attr("Stable/Evolving", &a) != 0);
	CHECK(strcmp(dtrace_stability_name(a.dtat_data), "Evolving") == 0);
	CHECK(strcmp(dtrace_class_name(a.dtat_class), "Common") == 0);
	CHECK(strcmp(dtrace_subrstr(dtp, 12), "strlen") == 0);
	CHECK(strcmp(dtrace_subrstr(dtp, -1), "unknown") == 0);
	CHECK(*dtrace_faultstr(dtp, 1) != '\0');
	CHECK(dtrace_addr2str(dtp, 0x1234, text, sizeof(text)) == 6);
	CHECK(strcmp(text, "0x1234") == 0);
	REFUSED(dtp, dtrace_lookup_by_name(dtp, NULL, "schedule", NULL, NULL),
		NOSYM);
	CHECK(dtrace_uaddr2str(dtp, getpid(), (uint64_t)(uintptr_t)&test_names,
			       text, sizeof(text)) > 0);
	CHECK(strstr(text, "test_names") != NULL);
	dtrace_close(dtp);
}

static int
on_err(const dtrace_errdata_t *data, void *arg)
{
	++*(int *)arg;
	CHECK(strcmp(data->dteda_pdesc->dtpd_name, "BEGIN") == 0);
	CHECK(strstr(data->dteda_msg, "divide-by-zero") != NULL ||
	      strstr(data->dteda_msg, "invalid address") != NULL);
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	*(uint64_t *)arg += data->dtdda_drops;
	CHECK(data->dtdda_kind == DTRACEDROP_PRINCIPAL);
	CHECK(strstr(data->dtdda_msg, "drop") != NULL);
	return DTRACE_HANDLE_OK;
}

static int
on_proc(struct ps_prochandle *p, const char *msg, void *arg)
{
	*(int *)arg = dtrace_proc_wstatus(p);
	return DTRACE_HANDLE_OK;
}

static int
on_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	return DTRACE_HANDLE_OK;
}

struct text {
	char s[4096];
	int pieces, with_rec, with_agg;
};

static int
on_text(const dtrace_bufdata_t *data, void *arg)
{
	struct text *t = arg;
	size_t n = strlen(t->s);

	snprintf(t->s + n, sizeof(t->s) - n, "%s", data->dtbda_buffered);
	t->pieces++;
	t->with_rec += data->dtbda_recdesc != NULL;
	t->with_agg += data->dtbda_aggdata != NULL;
	return DTRACE_HANDLE_OK;
}

static void
test_idle(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	int64_t n = 0;

	CHECK(dtrace_handle_err(dtp, on_err, &n) == 0);
	REFUSED(dtp, dtrace_handle_err(dtp, on_err, &n), ACTIVE);
	CHECK(dtrace_handle_drop(dtp, on_drop, &n) == 0);
	REFUSED(dtp, dtrace_handle_drop(dtp, on_drop, &n), ACTIVE);
	CHECK(dtrace_handle_proc(dtp, on_proc, &n) == 0);
	REFUSED(dtp, dtrace_handle_proc(dtp, on_proc, &n), ACTIVE);
	CHECK(dtrace_handle_buffered(dtp, on_text, &n) == 0);
	REFUSED(dtp, dtrace_handle_buffered(dtp, on_text, &n), ACTIVE);
	CHECK(dtrace_handle_setopt(dtp, on_setopt, NULL) == 0);
	REFUSED(dtp, dtrace_handle_setopt(dtp, on_setopt, NULL), ACTIVE);
	CHECK(dtrace_status(dtp) == DTRACE_STATUS_NONE);
	CHECK(dtrace_exit_status(dtp) == 0);
	CHECK(dtrace_engines(dtp)[0] == '\0');
	CHECK(dtrace_left_out(dtp) == 0);
	CHECK(dtrace_not_seen(dtp)[0] == '\0');
	CHECK(dtrace_guarded(dtp) == 1);
	CHECK(dtrace_stop(dtp) == 0);
	dtrace_sleep(dtp);
	REFUSED(dtp, dtrace_work(dtp, stdout, NULL, NULL, NULL) !=
			     DTRACE_WORKSTATUS_OKAY, NOTACTIVE);
	REFUSED(dtp, dtrace_consume(dtp, stdout, NULL, NULL, NULL),
		NOTACTIVE);
	REFUSED(dtp, dtrace_hold(dtp), NOTACTIVE);
	REFUSED(dtp, dtrace_aggregate_snap(dtp), NOTACTIVE);
	CHECK(dtrace_aggregate_print(dtp, stdout, NULL) == 0);
	CHECK(dtrace_aggregate_walk(dtp, NULL, NULL) == 0);
	CHECK(dtrace_aggregate_clear(dtp) == 0);
	dtrace_close(dtp);
}

/* ---- tracing ------------------------------------------------------------- */

/* Start; false if it may not be had here. */
static bool
go(dtrace_hdl_t *dtp)
{
	if (dtrace_go(dtp) == 0)
		return true;
	printf("# go: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	failures++;
	return false;
}

/* Until exit(): what a consumer's loop is. */
static bool
run(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	dtrace_workstatus_t st;

	do {
		dtrace_sleep(dtp);
		st = dtrace_work(dtp, fp, pf, rf, arg);
	} while (st == DTRACE_WORKSTATUS_OKAY);
	if (st == DTRACE_WORKSTATUS_DONE)
		return true;
	printf("# work: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	failures++;
	return false;
}

struct seen {
	int probes, recs, ends;
	int64_t sum;
};

static int
see_probe(const dtrace_probedata_t *data, void *arg)
{
	struct seen *s = arg;

	s->probes++;
	CHECK(strcmp(data->dtpda_pdesc->dtpd_provider, "dtrace") == 0);
	CHECK(data->dtpda_edesc->dtepd_nrecs >= 1);
	/* A failed call in a callback is no failure of consuming. */
	CHECK(dtrace_program_strcompile(data->dtpda_handle, "{",
					DTRACE_PROBESPEC_NAME, 0, 0,
					NULL) == NULL);
	return DTRACE_CONSUME_THIS;
}

static int
see_rec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	struct seen *s = arg;
	uint64_t v = 0;

	if (rec == NULL) {
		s->ends++;
		return DTRACE_CONSUME_NEXT;
	}
	s->recs++;
	if (rec->dtrd_action == DTRACEACT_DIFEXPR &&
	    rec->dtrd_size <= sizeof(v)) {
		memcpy(&v, data->dtpda_data + rec->dtrd_offset,
		       rec->dtrd_size);
		s->sum += (int64_t)v;
	}
	return rec->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_THIS :
						    DTRACE_CONSUME_NEXT;
}

static void
test_callbacks(void)
{
	dtrace_hdl_t *dtp = handle(0);
	struct seen s = { 0 };

	if (enable(dtp, "BEGIN { trace(30); trace(5); } BEGIN { exit(3); }"
			"END { trace(7); }") &&
	    go(dtp) && run(dtp, NULL, see_probe, see_rec, &s)) {
		CHECK(s.probes == 3 && s.recs == 4 && s.ends == 3);
		CHECK(s.sum == 42);
		CHECK(dtrace_exit_status(dtp) == 3);
		CHECK(dtrace_status(dtp) == DTRACE_STATUS_STOPPED);
		/* More of the same changes nothing. */
		CHECK(dtrace_stop(dtp) == 0 && dtrace_stop(dtp) == 0);
		dtrace_sleep(dtp);
		CHECK(dtrace_work(dtp, NULL, see_probe, see_rec, &s) ==
		      DTRACE_WORKSTATUS_DONE);
		CHECK(s.probes == 3);
		REFUSED(dtp, dtrace_go(dtp), ACTIVE);
	}
	dtrace_close(dtp);
}

static int
abort_second(const dtrace_probedata_t *data, void *arg)
{
	return ++*(int *)arg == 2 ? DTRACE_CONSUME_ABORT : DTRACE_CONSUME_NEXT;
}

/* A callback's end of it is an error; what it has seen does not come again. */
static void
test_abort(void)
{
	dtrace_hdl_t *dtp = handle(0);
	int n = 0;

	if (enable(dtp, "BEGIN { trace(1); } BEGIN { trace(2); }"
			"BEGIN { trace(3); exit(0); }") &&
	    go(dtp)) {
		CHECK(dtrace_work(dtp, NULL, abort_second, NULL, &n) ==
		      DTRACE_WORKSTATUS_ERROR);
		CHECK(dtrace_errno(dtp) == EDT_DIRABORT);
		CHECK(n == 2);
		CHECK(dtrace_work(dtp, NULL, abort_second, NULL, &n) ==
		      DTRACE_WORKSTATUS_DONE);
		CHECK(n == 3);
	}
	dtrace_close(dtp);
}

static const char agg_text[] =
	"BEGIN { @n[\"b\", 2] = count(); @n[\"a\", 1] = count();"
	"@n[\"a\", 1] = count(); @q = quantize(9); @s[1] = sum(-5);"
	"printf(\"hello %d\\n\", 42); printa(@s); exit(0); }";

static void
test_buffered(void)
{
	dtrace_hdl_t *dtp = handle(0);
	struct text t = { 0 };

	CHECK(dtrace_setopt(dtp, "quiet", NULL) == 0);
	CHECK(dtrace_handle_buffered(dtp, on_text, &t) == 0);
	if (enable(dtp, agg_text) && go(dtp) &&
	    run(dtp, NULL, NULL, NULL, NULL)) {
		CHECK(strncmp(t.s, "hello 42\n", 9) == 0);
		CHECK(t.with_rec == t.pieces && t.with_agg == 0);
		CHECK(strstr(t.s, "-5") != NULL);
		t = (struct text){ 0 };
		CHECK(dtrace_aggregate_print(
			      dtp, NULL,
			      dtrace_aggregate_walk_keyrevsorted) == 0);
		CHECK(t.with_agg == t.pieces && t.pieces == 3);
		CHECK(strstr(t.s, "b ") < strstr(t.s, "a "));
		CHECK(strstr(t.s, "@@@@") != NULL);
	}
	dtrace_close(dtp);
}

static void
test_nowhere(void)
{
	dtrace_hdl_t *dtp = handle(0);

	if (enable(dtp, "BEGIN { printf(\"lost\"); exit(0); }") && go(dtp)) {
		CHECK(dtrace_work(dtp, NULL, NULL, NULL, NULL) ==
		      DTRACE_WORKSTATUS_ERROR);
		CHECK(dtrace_errno(dtp) == EDT_IO);
	}
	dtrace_close(dtp);
}

struct rows {
	int n, answer;
	int64_t value[8];
	char key[8][16];
};

static int
see_row(const dtrace_aggdata_t *a, void *arg)
{
	struct rows *r = arg;

	if (strcmp(a->dtada_desc->dtagd_name, "n") != 0)
		return DTRACE_AGGWALK_NEXT;
	CHECK(a->dtada_desc->dtagd_nkeys == 2);
	CHECK(a->dtada_desc->dtagd_func == DTRACEAGG_COUNT);
	CHECK(a->dtada_keys[0].dtak_is_string);
	CHECK(!a->dtada_keys[1].dtak_is_string);
	r->value[r->n] = a->dtada_value;
	snprintf(r->key[r->n], sizeof(r->key[0]), "%s",
		 a->dtada_keys[0].dtak_str);
	r->n++;
	if (r->answer == DTRACE_AGGWALK_NORMALIZE)
		((dtrace_aggdata_t *)(uintptr_t)a)->dtada_normal = 2;
	return r->answer;
}

static void
check_walk(dtrace_hdl_t *dtp, dtrace_aggregate_walk_f *walk, const char *first)
{
	struct rows r = { 0 };

	CHECK(walk(dtp, see_row, &r) == 0);
	CHECK(r.n == 2);
	CHECK(first == NULL || strcmp(r.key[0], first) == 0);
}

static void
check_answers(dtrace_hdl_t *dtp)
{
	struct rows r = { .answer = DTRACE_AGGWALK_NORMALIZE };

	CHECK(dtrace_aggregate_walk_keysorted(dtp, see_row, &r) == 0);
	r = (struct rows){ .answer = DTRACE_AGGWALK_DENORMALIZE };
	CHECK(dtrace_aggregate_walk_keysorted(dtp, see_row, &r) == 0);
	CHECK(r.value[0] == 1 && r.value[1] == 0);
	r = (struct rows){ .answer = DTRACE_AGGWALK_CLEAR };
	CHECK(dtrace_aggregate_walk_keysorted(dtp, see_row, &r) == 0);
	CHECK(r.value[0] == 2 && r.value[1] == 1);
	r = (struct rows){ .answer = DTRACE_AGGWALK_ABORT };
	REFUSED(dtp, dtrace_aggregate_walk(dtp, see_row, &r), DIRABORT);
	CHECK(r.n == 1 && r.value[0] == 0);
	r = (struct rows){ .answer = 99 };
	REFUSED(dtp, dtrace_aggregate_walk(dtp, see_row, &r), BADRVAL);
	r = (struct rows){ .answer = DTRACE_AGGWALK_REMOVE };
	CHECK(dtrace_aggregate_walk_sorted(dtp, see_row, &r) == 0 && r.n == 2);
	r = (struct rows){ 0 };
	CHECK(dtrace_aggregate_walk_sorted(dtp, see_row, &r) == 0 && r.n == 0);
	CHECK(dtrace_aggregate_clear(dtp) == 0);
}

static void
test_aggregations(void)
{
	dtrace_hdl_t *dtp = handle(0);
	FILE *fp = tmpfile();
	char line[64] = "";

	if (fp != NULL && enable(dtp, agg_text) && go(dtp)) {
		CHECK(dtrace_aggregate_snap(dtp) == 0);
		check_walk(dtp, dtrace_aggregate_walk, NULL);
		if (run(dtp, fp, NULL, NULL, NULL)) {
			CHECK(dtrace_aggregate_snap(dtp) == 0);
			check_walk(dtp, dtrace_aggregate_walk_sorted, "b");
			check_walk(dtp, dtrace_aggregate_walk_keysorted, "a");
			check_walk(dtp, dtrace_aggregate_walk_valsorted, "b");
			check_walk(dtp, dtrace_aggregate_walk_keyrevsorted,
				   "b");
			check_walk(dtp, dtrace_aggregate_walk_valrevsorted,
				   "a");
			CHECK(dtrace_aggregate_print(dtp, fp, NULL) == 0);
			check_answers(dtp);
		}
		rewind(fp);
		CHECK(fgets(line, sizeof(line), fp) != NULL);
		CHECK(strstr(line, "hello 42") != NULL);
	}
	if (fp != NULL)
		fclose(fp);
	dtrace_close(dtp);
}

static void
test_errors(void)
{
	dtrace_hdl_t *dtp = handle(0);
	int n = 0;

	CHECK(dtrace_handle_err(dtp, on_err, &n) == 0);
	if (enable(dtp, "BEGIN { x = 0; trace(1 / x); }"
			"BEGIN { trace(*(int *)8); } BEGIN { exit(0); }") &&
	    go(dtp) && run(dtp, stdout, NULL, NULL, NULL))
		CHECK(n == 2);
	dtrace_close(dtp);
	dtp = handle(0); /* without a handler it ends the work */
	if (enable(dtp, "BEGIN { trace(*(int *)8); }") && go(dtp)) {
		CHECK(dtrace_stop(dtp) == 0);
		CHECK(dtrace_work(dtp, stdout, NULL, NULL, NULL) ==
		      DTRACE_WORKSTATUS_ERROR);
		CHECK(dtrace_errno(dtp) == EDT_ERRABORT);
	}
	dtrace_close(dtp);
}

/* More in one BEGIN than the buffer takes. */
static const char drop_text[] = "BEGIN { trace(strjoin(\"a\", \"b\")); }";

static void
test_drops(void)
{
	dtrace_hdl_t *dtp = handle(0);
	uint64_t n = 0;

	CHECK(dtrace_setopt(dtp, "bufsize", "4k") == 0);
	CHECK(dtrace_setopt(dtp, "quiet", NULL) == 0);
	CHECK(dtrace_handle_drop(dtp, on_drop, &n) == 0);
	bool ok = true;
	for (int i = 0; i < 60 && ok; i++)
		ok = enable(dtp, drop_text);
	if (ok && go(dtp)) {
		struct seen s = { 0 };
		dtrace_stop(dtp);
		CHECK(dtrace_work(dtp, NULL, NULL, see_rec, &s) ==
		      DTRACE_WORKSTATUS_DONE);
		CHECK(n > 0);
		CHECK((uint64_t)s.ends + n == 60);
	}
	dtrace_close(dtp);
}

static void
test_process(void)
{
	static char *const argv[] = { (char *)(uintptr_t)"/bin/echo", NULL };
	static char *const bad[] = { (char *)(uintptr_t)"/no/such/file",
				     NULL };
	dtrace_hdl_t *dtp = handle(0);
	struct rows r = { 0 };
	int status = -1;

	CHECK(dtrace_proc_create(dtp, bad[0], bad, NULL, NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_PROC);
	CHECK(dtrace_proc_create(dtp, bad[0], argv, NULL, NULL) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_UNSUP);
	CHECK(dtrace_proc_grab(dtp, getpid(), 1) == NULL);
	CHECK(dtrace_proc_grab(dtp, 0x7ffffff, 0) == NULL);
	CHECK(dtrace_errno(dtp) == EDT_PROC);
	CHECK(dtrace_handle_proc(dtp, on_proc, &status) == 0);
	struct ps_prochandle *p = dtrace_proc_create(dtp, argv[0], argv, NULL,
						     NULL);
	CHECK(p != NULL);
	if (p == NULL)
		goto out;
	CHECK(dtrace_proc_pid(p) > 0);
	if (enable(dtp, "syscall::write:entry /pid == $target/"
			"{ @n[\"write\", 1] = count(); }") &&
	    go(dtp)) {
		dtrace_proc_continue(dtp, p);
		for (int i = 0; i < 100 && status == -1; i++) {
			dtrace_sleep(dtp);
			CHECK(dtrace_work(dtp, stdout, NULL, NULL, NULL) ==
			      DTRACE_WORKSTATUS_OKAY);
		}
		CHECK(status == 0);
		CHECK(dtrace_stop(dtp) == 0);
		CHECK(dtrace_work(dtp, stdout, NULL, NULL, NULL) ==
		      DTRACE_WORKSTATUS_DONE);
		CHECK(dtrace_aggregate_walk(dtp, see_row, &r) == 0);
		CHECK(r.n == 1 && r.value[0] == 1);
	}
	dtrace_proc_release(dtp, p);
out:
	dtrace_close(dtp);
}

/* Let go without having run, and taken while it runs: ourselves. */
static void
test_held(void)
{
	char text[40], c = 0;
	char *const argv[] = { (char *)(uintptr_t)"/bin/sh",
			       (char *)(uintptr_t)"-c", text, NULL };
	int fds[2] = { -1, -1 };

	CHECK(pipe(fds) == 0);
	snprintf(text, sizeof(text), "echo x >&%d", fds[1]);
	dtrace_hdl_t *dtp = handle(0);
	struct ps_prochandle *p = dtrace_proc_create(dtp, NULL, argv, NULL,
						     NULL);

	CHECK(p != NULL);
	CHECK(dtrace_proc_create(dtp, NULL, argv, NULL, NULL) != NULL);
	if (p != NULL)
		dtrace_proc_release(dtp, p);
	struct pollfd runs = { fds[0], POLLIN, 0 };
	CHECK(poll(&runs, 1, 60000) == 1 && read(fds[0], &c, 1) == 1 &&
	      c == 'x');
	close(fds[0]);
	close(fds[1]);
	p = dtrace_proc_grab(dtp, getpid(), 0);
	CHECK(p != NULL && dtrace_proc_pid(p) == getpid());
	dtrace_close(dtp); /* the other is killed: it never began */
}

static void
test_states(void)
{
	dtrace_hdl_t *dtp = handle(0);
	dtrace_prog_t *prog = compile(dtp, "BEGIN { @ = count(); }");

	/* Nothing enabled: tracing of nothing. */
	if (go(dtp)) {
		REFUSED(dtp, dtrace_setopt(dtp, "bufsize", "1m"), ACTIVE);
		CHECK(dtrace_setopt(dtp, "switchrate", "10hz") == 0);
		REFUSED(dtp, dtrace_go(dtp), ACTIVE);
		if (prog != NULL)
			REFUSED(dtp, dtrace_program_exec(dtp, prog, NULL),
				ACTIVE);
		CHECK(dtrace_status(dtp) == DTRACE_STATUS_OKAY);
	}
	dtrace_close(dtp); /* while active */

	/* Closed with programs, and with enablings, that never ran. */
	dtp = handle(0);
	compile(dtp, "BEGIN { }");
	enable(dtp, "syscall:::entry { @[probefunc] = count(); }");
	dtrace_close(dtp);

	/* A go that fails leaves a handle that can go. */
	dtp = handle(0);
	CHECK(dtrace_setopt(dtp, "bufsize", "1k") == 0);
	CHECK(dtrace_setopt(dtp, "strsize", "2k") == 0);
	enable(dtp, "BEGIN { trace(strjoin(\"a\", \"b\")); exit(0); }");
	REFUSED(dtp, dtrace_go(dtp), BUFSIZE);
	CHECK(dtrace_status(dtp) == DTRACE_STATUS_NONE);
	CHECK(dtrace_setopt(dtp, "bufsize", "64k") == 0);
	CHECK(go(dtp));
	dtrace_close(dtp);

	dtp = handle(0);
	CHECK(dtrace_setopt(dtp, "cpu", "60000") == 0);
	enable(dtp, "tick-1s { }");
	CHECK(dtrace_go(dtp) != 0);
	dtrace_close(dtp);
}

/* Two at once keep their data apart. */
static void
test_two(void)
{
	dtrace_hdl_t *a = handle(0), *b = handle(0);
	struct seen s = { 0 }, t = { 0 };

	if (enable(a, "BEGIN { x = 1; trace(x + 1); exit(1); }") &&
	    enable(b, "BEGIN { x = 2; trace(x + 2); exit(2); }") && go(a) &&
	    go(b) && run(b, NULL, NULL, see_rec, &t) &&
	    run(a, NULL, NULL, see_rec, &s)) {
		CHECK(s.sum == 2 && t.sum == 4);
		CHECK(dtrace_exit_status(a) == 1);
		CHECK(dtrace_exit_status(b) == 2);
	}
	dtrace_close(a);
	dtrace_close(b);
}

static void
test_kernel_names(void)
{
	dtrace_hdl_t *dtp = handle(0);
	Elf64_Sym sym = { 0 };
	char text[200];

	CHECK(dtrace_lookup_by_name(dtp, NULL, "schedule", &sym, NULL) == 0);
	uint64_t addr = sym.st_value;
	CHECK(dtrace_addr2str(dtp, addr + 1, text, sizeof(text)) ==
	      (int)strlen(text));
	CHECK(strcmp(text, "vmlinux`schedule+0x1") == 0);
	CHECK(dtrace_addr2str(dtp, addr + 1, text, 4) > 4);
	CHECK(strlen(text) == 3);
	REFUSED(dtp, dtrace_lookup_by_name(dtp, NULL, "no such", &sym, NULL),
		NOSYM);
	dtrace_close(dtp);
}

/* ---- all of it ----------------------------------------------------------- */

static const struct test tests[] = {
	{ "open", test_open, false },
	{ "options", test_options, false },
	{ "errplaces", test_errplaces, false },
	{ "programs", test_programs, false },
	{ "file", test_file, false },
	{ "probes", test_probes, false },
	{ "descriptions", test_descs, false },
	{ "names", test_names, false },
	{ "idle", test_idle, false },
	{ "callbacks", test_callbacks, true },
	{ "abort", test_abort, true },
	{ "buffered", test_buffered, true },
	{ "nowhere", test_nowhere, true },
	{ "aggregations", test_aggregations, true },
	{ "errors", test_errors, true },
	{ "drops", test_drops, true },
	{ "process", test_process, true },
	{ "held", test_held, true },
	{ "states", test_states, true },
	{ "two", test_two, true },
	{ "kernel names", test_kernel_names, true },
};

int
main(int argc, char **argv)
{
	bool unit = argc > 1 && strcmp(argv[1], "unit") == 0;

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]), unit, "bpf");
}
