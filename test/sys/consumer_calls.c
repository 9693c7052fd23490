/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * consumer_calls.c [unit] - the calls of libdtrace that consumers of other
 * systems know and dtrace(1) itself does not need: a world of one's own,
 * symbols, types and modules, formats in callbacks, rows as bytes, walks over
 * all aggregations, structured output.  As consumer.c, it sees nothing but
 * <dtrace/dtrace.h> and the shared library.
 *
 * Tracing is done in a process of our own, which needs no privilege; where that
 * cannot be had, it is skipped (77).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <unistd.h>

#include "consumer.h"

/* ---- without tracing --------------------------------------------------- */

static int
one_symbol(void *arg, uint64_t addr, Elf64_Sym *symp, dtrace_syminfo_t *sip)
{
	++*(int *)arg;
	if (addr < 0x1000 || addr >= 0x2000)
		return -1;
	if (symp != NULL)
		*symp = (Elf64_Sym){ .st_value = 0x1000, .st_size = 0x1000 };
	if (sip != NULL)
		*sip = (dtrace_syminfo_t){ .dts_object = "image",
					   .dts_name = "start" };
	return 0;
}

static int
no_ioctl(void *arg, int cmd, void *data)
{
	return -1;
}

static void
test_vector(void)
{
	dtrace_vector_t v = { .dtv_lookup_by_addr = one_symbol };
	dtrace_syminfo_t si;
	Elf64_Sym sym;
	int asked = 0, err = 0;
	char text[64];
	dtrace_hdl_t *dtp = dtrace_vopen(DTRACE_VERSION, 0, &err, &v, &asked);

	CHECK(dtp != NULL);
	CHECK(dtrace_addr2str(dtp, 0x1004, text, sizeof(text)) == 15);
	CHECK(strcmp(text, "image`start+0x4") == 0 && asked > 0);
	CHECK(dtrace_lookup_by_addr(dtp, 0x1fff, &sym, &si) == 0);
	CHECK(sym.st_value == 0x1000 && strcmp(si.dts_name, "start") == 0);
	REFUSED(dtp, dtrace_lookup_by_addr(dtp, 0x2000, &sym, &si), NOSYMADDR);
	REFUSED(dtp, dtrace_go(dtp), UNSUP);
	dtrace_close(dtp);
	v.dtv_ioctl = no_ioctl;
	CHECK(dtrace_vopen(DTRACE_VERSION, 0, &err, &v, NULL) == NULL);
	CHECK(err == EDT_UNSUP);
	dtp = dtrace_vopen(DTRACE_VERSION, DTRACE_O_NODEV, &err, NULL, NULL);
	CHECK(dtp != NULL);
	CHECK(dtrace_ctlfd(dtp) == -1);
	dtrace_close(dtp);
}

static void
test_types(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV | DTRACE_O_NOSYS);
	dtrace_typeinfo_t ti;
	char text[64];

	CHECK(dtrace_lookup_by_type(dtp, NULL, "unsigned long", &ti) == 0);
	CHECK(dtrace_type_size(dtp, &ti) == 8);
	CHECK(dtrace_type_strcompile(dtp, "const char **", &ti) == 0);
	CHECK(dtrace_type_name(dtp, &ti, text, sizeof(text)) ==
	      (int)strlen(text));
	CHECK(strstr(text, "char **") != NULL);
	CHECK(dtrace_type_size(dtp, &ti) == 8);
	REFUSED(dtp, dtrace_lookup_by_type(dtp, DTRACE_OBJ_EVERY,
					   "struct nobody", &ti), NOTYPE);
	REFUSED(dtp, dtrace_type_strcompile(dtp, "struct nobody", &ti),
		NOTYPE);
	REFUSED(dtp, dtrace_type_strcompile(dtp, "no type", &ti), NOTYPE);
	dtrace_close(dtp);
}

static int
count_object(dtrace_hdl_t *dtp, const dtrace_objinfo_t *dto, void *arg)
{
	if (++*(int *)arg == 1)
		CHECK(dto->dto_flags ==
		      (DTRACE_OBJ_F_KERNEL | DTRACE_OBJ_F_PRIMARY));
	CHECK(dto->dto_flags & DTRACE_OBJ_F_KERNEL);
	CHECK(strstr(dto->dto_file, dto->dto_name) != NULL);
	return 0;
}

static int
stop_at_once(dtrace_hdl_t *dtp, const dtrace_objinfo_t *dto, void *arg)
{
	return 5;
}

static void
test_objects(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	dtrace_objinfo_t oi;
	int n = 0;

	CHECK(dtrace_object_iter(dtp, count_object, &n) == 0 && n >= 1);
	CHECK(dtrace_object_iter(dtp, stop_at_once, NULL) == 5);
	CHECK(dtrace_object_info(dtp, "vmlinux", &oi) == 0);
	CHECK(strcmp(oi.dto_name, "vmlinux") == 0);
	REFUSED(dtp, dtrace_object_info(dtp, "no such module", &oi), NOMOD);
	REFUSED(dtp, dtrace_object_info(dtp, DTRACE_OBJ_KMODS, &oi), NOMOD);
	dtrace_close(dtp);
}

/* Where the kernel hides its symbols, they are unknown. */
static void
test_symbols(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	dtrace_syminfo_t si;
	dtrace_typeinfo_t ti;
	Elf64_Sym sym;
	char text[200];

	if (dtrace_lookup_by_name(dtp, NULL, "schedule", &sym, &si) != 0) {
		CHECK(dtrace_errno(dtp) == EDT_NOSYM);
		dtrace_close(dtp);
		return;
	}
	CHECK(sym.st_size > 0 && ELF64_ST_TYPE(sym.st_info) == STT_FUNC);
	CHECK(strcmp(si.dts_object, "vmlinux") == 0);
	CHECK(strcmp(si.dts_name, "schedule") == 0);
	uint64_t addr = sym.st_value;
	CHECK(dtrace_lookup_by_addr(dtp, addr + 1, &sym, &si) == 0);
	CHECK(sym.st_value == addr && strcmp(si.dts_name, "schedule") == 0);
	if (dtrace_symbol_type(dtp, &sym, &si, &ti) == 0) {
		dtrace_type_name(dtp, &ti, text, sizeof(text));
		CHECK(strncmp(text, "void", 4) == 0);
	} else {
		CHECK(dtrace_errno(dtp) == EDT_NOTYPE); /* no BTF */
	}
	const char *kept = si.dts_name;
	dtrace_update(dtp);
	CHECK(dtrace_lookup_by_name(dtp, "vmlinux", "schedule", &sym, NULL) ==
	      0);
	CHECK(sym.st_value == addr && strcmp(kept, "schedule") == 0);
	REFUSED(dtp, dtrace_lookup_by_name(dtp, "nomod", "schedule", NULL,
					   NULL), NOSYM);
	REFUSED(dtp, dtrace_lookup_by_addr(dtp, 0, &sym, &si), NOSYMADDR);
	dtrace_close(dtp);
}

static void
test_formats(void)
{
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	char text[64];

	CHECK(dtrace_printf_create(dtp, "%d %") == NULL);
	CHECK(dtrace_errno(dtp) == EDT_COMPILER);
	CHECK(dtrace_printf_create(dtp, "%@d") == NULL);
	void *f = dtrace_printf_create(dtp, "%5d|%s\n");
	CHECK(f != NULL);
	CHECK(dtrace_printf_format(dtp, f, text, sizeof(text)) == 7);
	CHECK(strcmp(text, "%5d|%s\n") == 0);
	CHECK(dtrace_printa_create(dtp, "%s %@d") != NULL);
	CHECK(dtrace_oformat(dtp) == 0);
	CHECK(dtrace_setopt(dtp, "oformat", "json") == 0);
	CHECK(dtrace_oformat(dtp) != 0);
	CHECK(dtrace_oformat_probe(dtp, stdout, NULL, 0) == 0);
	CHECK(dtrace_oformat_teardown(dtp, stdout) == 0);
	dtrace_close(dtp);
}

/* ---- tracing ------------------------------------------------------------- */

/* A handle that traces a process of its own: no privilege is needed. */
static dtrace_hdl_t *
tracer(void)
{
	static char *const argv[] = { (char *)(uintptr_t)"/bin/true", NULL };
	dtrace_hdl_t *dtp = handle(0);

	CHECK(dtrace_setopt(dtp, "engine", "process") == 0);
	CHECK(dtrace_setopt(dtp, "destructive", NULL) == 0);
	if (dtrace_proc_create(dtp, argv[0], argv, NULL, NULL) == NULL) {
		printf("# no process: %s\n",
		       dtrace_errmsg(dtp, dtrace_errno(dtp)));
		failures++;
	}
	return dtp;
}

/* Run a program that exits, to its end. */
static bool
trace(dtrace_hdl_t *dtp, const char *text, FILE *fp, dtrace_consume_rec_f *rf,
      void *arg)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	dtrace_workstatus_t st = DTRACE_WORKSTATUS_ERROR;

	if (prog != NULL && dtrace_program_exec(dtp, prog, NULL) == 0 &&
	    dtrace_go(dtp) == 0) {
		do {
			dtrace_sleep(dtp);
			st = dtrace_work(dtp, fp, NULL, rf, arg);
		} while (st == DTRACE_WORKSTATUS_OKAY);
	}
	if (st == DTRACE_WORKSTATUS_DONE)
		return true;
	printf("# %s: %s\n", text, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	failures++;
	return false;
}

/* All that was written to a stream. */
static const char *
written(FILE *fp)
{
	static char text[65536];

	fflush(fp);
	rewind(fp);
	text[fread(text, 1, sizeof(text) - 1, fp)] = '\0';
	return text;
}

struct formats {
	FILE *fp;
	void *pf, *pa, *cmd, *name;
};

static int
by_format(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	  void *arg)
{
	struct formats *f = arg;
	dtrace_hdl_t *dtp = data->dtpda_handle;
	size_t len = data->dtpda_edesc->dtepd_size;
	const char *buf = data->dtpda_data;
	const dtrace_recdesc_t other = { 0 };

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	switch (rec->dtrd_action) {
	case DTRACEACT_PRINTF:
		CHECK(dtrace_fprintf(dtp, f->fp, f->pf, data, rec, 2, buf,
				     len) == 2);
		CHECK(dtrace_fprintf(dtp, f->fp, NULL, data, rec, 2, buf,
				     len) == 2);
		REFUSED(dtp, dtrace_fprintf(dtp, f->fp, f->pf, data, rec, 1,
					    buf, len) >= 0 ? 0 : -1, BADRVAL);
		REFUSED(dtp, dtrace_fprintf(dtp, f->fp, f->pf, data, &other, 2,
					    buf, len) >= 0 ? 0 : -1, BADRVAL);
		REFUSED(dtp, dtrace_fprintf(dtp, f->fp, f->pf, data, rec, 2,
					    buf, 4) >= 0 ? 0 : -1, BADRVAL);
		REFUSED(dtp, dtrace_fprinta(dtp, f->fp, f->pa, data, rec, 2,
					    buf, len) >= 0 ? 0 : -1, BADAGGVAR);
		return DTRACE_CONSUME_NEXT;
	case DTRACEACT_PRINTA:
		CHECK(dtrace_fprinta(dtp, f->fp, f->pa, data, rec, 1, buf,
				     len) == 1);
		return DTRACE_CONSUME_NEXT;
	case DTRACEACT_DIFEXPR: /* a file's name */
		CHECK(dtrace_system(dtp, f->fp, f->cmd, data, rec, 1, buf,
				    len) == 1);
		CHECK(dtrace_freopen(dtp, f->fp, f->name, data, rec, 1, buf,
				     len) == 1);
		fputs("to the file\n", f->fp);
		fflush(f->fp);
		CHECK(dtrace_freopen(dtp, f->fp,
				     dtrace_printf_create(dtp, ""), data, rec,
				     1, buf, len) == 1);
		return DTRACE_CONSUME_NEXT;
	default:
		return DTRACE_CONSUME_THIS;
	}
}

static void
test_by_format(void)
{
	char name[] = "/tmp/dt-calls-XXXXXX", text[300], line[64] = "";
	int fd = mkstemp(name);
	dtrace_hdl_t *dtp = tracer();
	struct formats f = {
		.fp = tmpfile(), .pf = dtrace_printf_create(dtp, "<%d %s>\n"),
		.pa = dtrace_printa_create(dtp, "%s=%@d;\n"),
		.cmd = dtrace_printf_create(dtp, "echo command >%s"),
		.name = dtrace_printf_create(dtp, "%s"),
	};

	CHECK(fd >= 0 && f.fp != NULL);
	snprintf(text, sizeof(text),
		 "BEGIN { printf(\"%%d and %%s\\n\", 42, \"x\"); @[\"k\"] = "
		 "count(); printa(@); trace(\"%s\"); exit(0); }", name);
	if (trace(dtp, text, f.fp, by_format, &f)) {
		CHECK(strcmp(written(f.fp), "<42 x>\n42 and x\nk=1;\n") == 0);
		FILE *fp = fdopen(fd, "r");
		CHECK(fgets(line, sizeof(line), fp) != NULL);
		CHECK(strcmp(line, "command\n") == 0);
		CHECK(fgets(line, sizeof(line), fp) != NULL);
		CHECK(strcmp(line, "to the file\n") == 0);
		fclose(fp);
	}
	unlink(name);
	fclose(f.fp);
	dtrace_close(dtp);
}

static const char rows_text[] =
	"BEGIN { @a[1, \"x\"] = sum(-5); @a[3, \"z\"] = sum(30);"
	"@b[2, \"y\"] = sum(20); @b[1, \"x\"] = sum(7);"
	"@q = lquantize(4, 0, 10, 2); @c[(char)1] = avg(4); exit(0); }";

struct order {
	char text[256];
	dtrace_aggvarid_t a, b, q;
};

static uint64_t
word(const dtrace_aggdata_t *d, const dtrace_recdesc_t *rec, int i)
{
	uint64_t v;

	memcpy(&v, d->dtada_data + rec->dtrd_offset + 8 * i, sizeof(v));
	return v;
}

/* What the bytes of a row say must be what its keys and value say. */
static void
check_bytes(const dtrace_aggdata_t *d)
{
	const dtrace_aggdesc_t *ad = d->dtada_desc;
	const dtrace_recdesc_t *rec = ad->dtagd_rec;
	uint32_t id;

	CHECK(ad->dtagd_nrecs == ad->dtagd_nkeys + 2);
	CHECK(ad->dtagd_size == d->dtada_size);
	memcpy(&id, d->dtada_data + rec->dtrd_offset, sizeof(id));
	CHECK(id == ad->dtagd_varid && id == ad->dtagd_id);
	for (int i = 0; i < ad->dtagd_nkeys; i++) {
		const dtrace_recdesc_t *k = &rec[i + 1];
		CHECK(k->dtrd_offset + k->dtrd_size <= d->dtada_size);
		CHECK(k->dtrd_offset % 8 == 0);
		if (d->dtada_keys[i].dtak_is_string)
			CHECK(strcmp(d->dtada_data + k->dtrd_offset,
				     d->dtada_keys[i].dtak_str) == 0);
		else
			CHECK(memcmp(d->dtada_data + k->dtrd_offset,
				     &d->dtada_keys[i].dtak_int,
				     k->dtrd_size) == 0);
	}
	rec += ad->dtagd_nrecs - 1;
	CHECK(rec->dtrd_action == ad->dtagd_func);
	CHECK(rec->dtrd_offset + rec->dtrd_size == d->dtada_size);
	if (ad->dtagd_func == DTRACEAGG_SUM)
		CHECK((int64_t)word(d, rec, 0) == d->dtada_value);
	if (ad->dtagd_func == DTRACEAGG_AVG)
		CHECK(word(d, rec, 0) == 1 && word(d, rec, 1) == 4);
	if (ad->dtagd_func == DTRACEAGG_LQUANTIZE)
		CHECK(word(d, rec, 0) == ad->dtagd_arg &&
		      word(d, rec, 4) == 1);
}

static int
see_order(const dtrace_aggdata_t *d, void *arg)
{
	struct order *o = arg;
	size_t n = strlen(o->text);
	const char *name = d->dtada_desc->dtagd_name;

	check_bytes(d);
	if (*name == 'a')
		o->a = d->dtada_desc->dtagd_varid;
	if (*name == 'b')
		o->b = d->dtada_desc->dtagd_varid;
	if (*name == 'q')
		o->q = d->dtada_desc->dtagd_varid;
	if (*name == 'a' || *name == 'b')
		snprintf(o->text + n, sizeof(o->text) - n, "%s%" PRId64 " ",
			 name, d->dtada_value);
	return DTRACE_AGGWALK_NEXT;
}

static int
refuse_row(const dtrace_aggdata_t *d, void *arg)
{
	return *(int *)arg;
}

static void
check_order(dtrace_hdl_t *dtp, dtrace_aggregate_walk_f *walk, const char *want,
	    struct order *o)
{
	int answer = DTRACE_AGGWALK_ABORT;

	o->text[0] = '\0';
	CHECK(walk(dtp, see_order, o) == 0);
	if (strcmp(o->text, want) != 0) {
		printf("# %s, not %s\n", o->text, want);
		failures++;
	}
	REFUSED(dtp, walk(dtp, refuse_row, &answer), DIRABORT);
	answer = 77;
	REFUSED(dtp, walk(dtp, refuse_row, &answer), BADRVAL);
}

static int
see_joined(const dtrace_aggdata_t **d, const int n, void *arg)
{
	char *text = arg;
	size_t len = strlen(text);

	CHECK(n == 3);
	check_bytes(d[0]);
	CHECK(d[0]->dtada_value == 0);
	snprintf(text + len, 256 - len, "%s %" PRId64 " %" PRId64 ";",
		 d[0]->dtada_keys[1].dtak_str, d[1]->dtada_value,
		 d[2]->dtada_value);
	return DTRACE_AGGWALK_NEXT;
}

static int
clear_joined(const dtrace_aggdata_t **d, const int n, void *arg)
{
	return *(int *)arg;
}

static void
check_joined(dtrace_hdl_t *dtp, const struct order *o)
{
	dtrace_aggvarid_t vars[] = { o->b, o->a };
	char text[256] = "";
	int answer = DTRACE_AGGWALK_CLEAR;

	CHECK(dtrace_aggregate_walk_joined(dtp, vars, 2, see_joined, text) ==
	      0);
	CHECK(strcmp(text, "z 0 30;x 7 -5;y 20 0;") == 0);
	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 2, clear_joined,
						  &answer), BADRVAL);
	answer = DTRACE_AGGWALK_ABORT;
	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 2, clear_joined,
						  &answer), DIRABORT);
	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 0, see_joined,
						  text), BADAGGVAR);
	vars[0] = o->q;
	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 2, see_joined,
						  text), BADAGGVAR);
	vars[0] = 99;
	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 2, see_joined,
						  text), BADAGGVAR);
}

static void
test_rows(void)
{
	dtrace_hdl_t *dtp = tracer();
	dtrace_aggvarid_t vars[] = { 1 };
	struct order o = { 0 };

	REFUSED(dtp, dtrace_aggregate_walk_joined(dtp, vars, 1, see_joined,
						  NULL), NOTACTIVE);
	CHECK(dtrace_aggregate_walk_keyvarsorted(dtp, see_order, &o) == 0);
	if (trace(dtp, rows_text, stdout, NULL, NULL)) {
		check_order(dtp, dtrace_aggregate_walk_keyvarsorted,
			    "a-5 b7 b20 a30 ", &o);
		check_order(dtp, dtrace_aggregate_walk_keyvarrevsorted,
			    "a30 b20 b7 a-5 ", &o);
		check_order(dtp, dtrace_aggregate_walk_valvarsorted,
			    "a-5 b7 b20 a30 ", &o);
		check_order(dtp, dtrace_aggregate_walk_valvarrevsorted,
			    "a30 b20 b7 a-5 ", &o);
		check_joined(dtp, &o);
	}
	dtrace_close(dtp);
}

/* Each row's key is the value that it has counted. */
static const char buckets_text[] =
	"BEGIN { @q[(long)-5] = quantize(-5); @q[0] = quantize(0);"
	"@q[9223372036854775807] = quantize(9223372036854775807);"
	"@q[-9223372036854775807] = quantize(-9223372036854775807);"
	"@l[-7] = lquantize(-7, -10, 10, 3); @l[99] = lquantize(99, -10, 10, 3);"
	"@l[-11] = lquantize(-11, -10, 10, 3);"
	"@e[123] = llquantize(123, 10, 1, 3, 10);"
	"@e[-123] = llquantize(-123, 10, 1, 3, 10);"
	"@e[9] = llquantize(9, 10, 1, 3, 10); @c[1] = count(); exit(0); }";

static int
see_buckets(const dtrace_aggdata_t *d, void *arg)
{
	dtrace_hdl_t *dtp = d->dtada_handle;
	int64_t low = 0, high = 0, before = 0, key = d->dtada_keys[0].dtak_int;

	++*(int *)arg;
	if (*d->dtada_desc->dtagd_name == 'c') {
		REFUSED(dtp, dtrace_aggregate_bucket(dtp, d, 0, &low, &high),
			BADAGGVAR);
		return DTRACE_AGGWALK_NEXT;
	}
	for (uint32_t i = 0; i < d->dtada_nwords; i++) {
		CHECK(dtrace_aggregate_bucket(dtp, d, i, &low, &high) == 0);
		CHECK(i == 0 ? low == INT64_MIN : low == before + 1);
		CHECK(low <= high);
		CHECK((d->dtada_cell[i] != 0) == (low <= key && key <= high));
		before = high;
	}
	CHECK(before == INT64_MAX);
	REFUSED(dtp, dtrace_aggregate_bucket(dtp, d, d->dtada_nwords, &low,
					     &high), BADAGGVAR);
	return DTRACE_AGGWALK_NEXT;
}

static void
test_buckets(void)
{
	dtrace_hdl_t *dtp = tracer();
	int rows = 0;

	if (trace(dtp, buckets_text, stdout, NULL, NULL)) {
		CHECK(dtrace_aggregate_walk(dtp, see_buckets, &rows) == 0);
		CHECK(rows == 11);
	}
	dtrace_close(dtp);
}

/* ---- structured output --------------------------------------------------- */

static int
on_json(const dtrace_bufdata_t *data, void *arg)
{
	strncat(arg, data->dtbda_buffered, 4000 - strlen(arg));
	return DTRACE_HANDLE_OK;
}

static void
test_json(void)
{
	dtrace_hdl_t *dtp = tracer();
	FILE *fp = tmpfile();
	char text[4096] = "";

	CHECK(dtrace_setopt(dtp, "oformat", "json") == 0);
	if (trace(dtp, "BEGIN { trace(7); @ = count(); exit(3); }", fp, NULL,
		  NULL)) {
		CHECK(dtrace_aggregate_print(dtp, fp, NULL) == 0);
		CHECK(dtrace_oformat_teardown(dtp, fp) == 0);
		CHECK(dtrace_oformat_teardown(dtp, fp) == 0); /* no more */
		const char *s = written(fp);
		CHECK(strncmp(s, "{\"dtrace\":{\"probes\":[\n{", 22) == 0);
		CHECK(strstr(s, "\"output\":[{\"value\":7},"
				"{\"exit-status\":3}]}") != NULL);
		CHECK(strcmp(s + strlen(s) - 4, "]}}\n") == 0);
	}
	fclose(fp);
	dtrace_close(dtp);

	dtp = tracer(); /* through the buffered handler */
	CHECK(dtrace_setopt(dtp, "oformat", "jsonl") == 0);
	CHECK(dtrace_handle_buffered(dtp, on_json, text) == 0);
	if (trace(dtp, "BEGIN { printf(\"%d\", 7); exit(0); }", NULL, NULL,
		  NULL)) {
		CHECK(dtrace_oformat_teardown(dtp, NULL) == 0);
		CHECK(strncmp(text, "{\"timestamp\":", 13) == 0);
		CHECK(strstr(text, "\"arguments\":[7]") != NULL);
	}
	dtrace_close(dtp);

	dtp = tracer();
	CHECK(dtrace_setopt(dtp, "oformat", "json") == 0);
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, "BEGIN { freopen(\"x\"); }", DTRACE_PROBESPEC_NAME, 0, 0,
		NULL);
	CHECK(prog != NULL && dtrace_program_exec(dtp, prog, NULL) == 0);
	REFUSED(dtp, dtrace_go(dtp), UNSUP);
	dtrace_close(dtp);
}

/* ---- all of it ----------------------------------------------------------- */

/* What `dtrace -h` and `dtrace -G` do. */
static void
test_static_probes(void)
{
	static const char provider[] = "provider app { probe go__on(int); };";
	dtrace_hdl_t *dtp = handle(DTRACE_O_NODEV);
	char object[] = "/tmp/consumer_calls.XXXXXX", *text = NULL;
	int fd = mkstemp(object);
	char *none[] = { (char *)"/proc/nonexistent" };
	size_t n = 0;
	FILE *fp = open_memstream(&text, &n);

	CHECK(fd >= 0 && fp != NULL);
	REFUSED(dtp, dtrace_program_header(dtp, fp, "app.h"), NOPROV);
	REFUSED(dtp, dtrace_program_link(dtp, NULL, 0, object, 0, NULL),
		NOPROV);
	CHECK(dtrace_program_strcompile(dtp, provider, DTRACE_PROBESPEC_NAME,
					DTRACE_C_EMPTY, 0, NULL) != NULL);
	CHECK(dtrace_program_header(dtp, fp, "dir/app.h") == 0);
	CHECK(fclose(fp) == 0);
	CHECK(strstr(text, "#ifndef _APP_H\n") != NULL);
	CHECK(strstr(text, "#define APP_GO_ON(arg0)") != NULL);
	free(text);
	CHECK(dtrace_program_link(dtp, NULL, 0, object, 0, NULL) == 0);
	CHECK(read(fd, object, 4) == 4 && memcmp(object, ELFMAG, 4) == 0);
	memcpy(object, "/tmp", 4);
	CHECK(dtrace_program_link(dtp, NULL, 0, object, 1, none) != 0);
	CHECK(dtrace_errno(dtp) == EDT_IO);
	close(fd);
	unlink(object);
	dtrace_close(dtp);
}

static const struct test tests[] = {
	{ "vector", test_vector, false },
	{ "types", test_types, false },
	{ "objects", test_objects, false },
	{ "symbols", test_symbols, false },
	{ "formats", test_formats, false },
	{ "static probes", test_static_probes, false },
	{ "by format", test_by_format, true },
	{ "rows", test_rows, true },
	{ "buckets", test_buckets, true },
	{ "json", test_json, true },
};

int
main(int argc, char **argv)
{
	bool unit = argc > 1 && strcmp(argv[1], "unit") == 0;

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]), unit,
			 "ptrace");
}
