/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_json.c - the elements of structured output, and the document.
 *
 * Records are elements with the keys that FreeBSD's structured output has.
 * What is not of a record (aggregations at the end, drops, errors, ends of
 * processes) is an element of a probe that does not exist, dtrace:INTERNAL:
 * INTERNAL:, named after what it is.  Handlers are called all the same.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <yajl/yajl_gen.h>

#include "lib/dt_json.h"

/* ---- the document ------------------------------------------------------ */

static void
json_print(void *arg, const char *s, size_t n)
{
	buf_write(&((struct dt_json *)arg)->out->text, s, n);
}

/* Refuse clauses that redirect the output, which must be whole. */
static int
json_check(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->clauses.n; i++) {
		const struct dif_clause *c = dtp->clauses.v[i];
		for (uint32_t s = 0; s < c->nstmts; s++)
			if (dt_json_tears(&c->stmts[s]))
				return dt_set_err(
					dtp, EDT_UNSUP,
					"%s() would tear the document of "
					"oformat=json in two: lines "
					"(oformat=jsonl) can be redirected",
					dif_act_by_code(c->stmts[s].kind)
						->name);
	}
	return 0;
}

int
dt_json_begin(dtrace_hdl_t *dtp)
{
	enum dt_oformat form = (enum dt_oformat)dtp->opt[DT_OPT_oformat];

	if (form == DT_OFORMAT_TEXT || dtp->json != NULL)
		return 0;
	if (form == DT_OFORMAT_JSON && json_check(dtp) != 0)
		return -1;
	struct dt_json *j = calloc(1, sizeof(*j));
	if (j == NULL || (j->gen = yajl_gen_alloc(NULL)) == NULL) {
		free(j);
		return dt_nomem(dtp);
	}
	j->out = dtp->out;
	j->form = form;
	yajl_gen_config(j->gen, yajl_gen_print_callback, json_print, j);
	dtp->json = j;
	return 0;
}

void
dt_json_free(dtrace_hdl_t *dtp)
{
	if (dtp->json != NULL) {
		yajl_gen_free(dtp->json->gen);
		buf_fini(&dtp->json->held);
	}
	free(dtp->json);
	dtp->json = NULL;
}

/* Write what is made; a closed pipe is the consumer's to find. */
static int
json_flush(dtrace_hdl_t *dtp, const dtrace_probedata_t *data)
{
	struct dt_json *j = dtp->json;
	struct err e;

	if (j->failed) {
		j->failed = false;
		return dt_set_err(dtp, EDT_IO, "cannot be written as JSON: "
					       "nested too deeply, or no "
					       "memory");
	}
	err_clear(&e);
	if (dt_out_flush(dtp->out, &e) != 0 && e.sys != EPIPE) {
		dtp->err = e;
		return dt_out_failed(dtp);
	}
	dtp->cur_data = data;
	int rv = dt_flush(dtp, NULL);
	dtp->cur_data = NULL;
	return rv;
}

static void
json_document(struct dt_json *j)
{
	if (j->form == DT_OFORMAT_JSON && !j->open) {
		dt_json_map(j);
		dt_json_key(j, "dtrace");
		dt_json_map(j);
		dt_json_key(j, "probes");
		dt_json_array(j);
		buf_putc(&j->out->text, '\n');
	}
	j->open = true;
}

/* The element is whole. */
static int
json_close(dtrace_hdl_t *dtp, const dtrace_probedata_t *data)
{
	struct dt_json *j = dtp->json;

	dt_json_map_end(j);
	buf_putc(&j->out->text, '\n');
	if (j->form == DT_OFORMAT_JSONL) /* the next is a text of its own */
		yajl_gen_reset(j->gen, NULL);
	return json_flush(dtp, data);
}

int
dtrace_oformat(dtrace_hdl_t *dtp)
{
	return dtp->opt[DT_OPT_oformat] != DT_OFORMAT_TEXT;
}

int
dtrace_oformat_teardown(dtrace_hdl_t *dtp, FILE *fp)
{
	struct dt_json *j = dtp->json;

	if (j == NULL)
		return 0;
	dt_out_to(dtp, fp);
	/* A consumer may end it in one of its callbacks. */
	int rv = j->in_record ? dt_json_record_end(dtp, NULL) : 0;
	json_document(j);
	if (j->form == DT_OFORMAT_JSON) {
		dt_json_array_end(j);
		dt_json_map_end(j);
		dt_json_map_end(j);
		buf_putc(&j->out->text, '\n');
	}
	if (json_flush(dtp, NULL) != 0)
		rv = -1;
	dt_json_free(dtp);
	return rv;
}

/* ---- elements ---------------------------------------------------------- */

static void
json_probe(struct dt_json *j, const dtrace_probedesc_t *pd)
{
	dt_json_str_member(j, "provider", pd->dtpd_provider);
	dt_json_str_member(j, "module", pd->dtpd_mod);
	dt_json_str_member(j, "function", pd->dtpd_func);
	dt_json_str_member(j, "name", pd->dtpd_name);
}

/* What is known of its arguments, as dtrace -lv has it. */
static void
json_arguments(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd)
{
	const dtrace_probedesc_t one = { .dtpd_id = pd->dtpd_id };
	struct dt_json *j = dtp->json;
	dtrace_probeinfo_t pi;
	char name[64];

	if (dtrace_probe_info(dtp, &one, &pi) != 0)
		return;
	dt_json_key(j, "arguments");
	dt_json_array(j);
	for (int i = 0; i < pi.dtp_argc; i++) {
		dt_json_map(j);
		dt_json_str_member(j, "type", pi.dtp_argv[i]);
		if (dtrace_probe_argname(dtp, &one, (unsigned)i, name,
					 sizeof(name)) != NULL)
			dt_json_str_member(j, "name", name);
		dt_json_map_end(j);
	}
	dt_json_array_end(j);
}

int
dtrace_oformat_probe(dtrace_hdl_t *dtp, FILE *fp, const dtrace_probedesc_t *pd,
		     int args)
{
	if (dt_json_begin(dtp) != 0)
		return -1;
	if (dtp->json == NULL)
		return 0;
	dt_out_to(dtp, fp);
	json_document(dtp->json);
	if (pd == NULL)
		return json_flush(dtp, NULL);
	dt_json_map(dtp->json);
	dt_json_uint_member(dtp->json, "id", pd->dtpd_id);
	json_probe(dtp->json, pd);
	if (args != 0)
		json_arguments(dtp, pd);
	return json_close(dtp, NULL);
}

/* What is of no probe: the name says what it is. */
static void
json_internal(struct dt_json *j, const char *name, int cpu, uint64_t time)
{
	json_document(j);
	dt_json_map(j);
	dt_json_uint_member(j, "timestamp", time);
	dt_json_int_member(j, "cpu", cpu);
	dt_json_int_member(j, "id", -1);
	dt_json_str_member(j, "provider", "dtrace");
	dt_json_str_member(j, "module", "INTERNAL");
	dt_json_str_member(j, "function", "INTERNAL");
	dt_json_str_member(j, "name", name);
}

/* A notice, without the newline that it has for people. */
static void
json_msg(struct dt_json *j, const char *msg)
{
	dt_json_key(j, "msg");
	dt_json_str(j, msg, strcspn(msg, "\n"));
}

void
dt_json_record(dtrace_hdl_t *dtp, const dtrace_probedata_t *data)
{
	static const char *const flows[] = {
		[DTRACEFLOW_ENTRY] = "entry", [DTRACEFLOW_RETURN] = "return",
	};
	struct dt_json *j = dtp->json;

	json_document(j);
	dt_json_map(j);
	dt_json_uint_member(j, "timestamp", data->dtpda_timestamp);
	dt_json_uint_member(j, "cpu", data->dtpda_cpu);
	dt_json_uint_member(j, "id", data->dtpda_pdesc->dtpd_id);
	json_probe(j, data->dtpda_pdesc);
	if (data->dtpda_flow != DTRACEFLOW_NONE)
		dt_json_str_member(j, "flow", flows[data->dtpda_flow]);
	dt_json_key(j, "output");
	dt_json_array(j);
	j->in_record = true;
}

int
dt_json_record_end(dtrace_hdl_t *dtp, const dtrace_probedata_t *data)
{
	struct dt_json *j = dtp->json;
	int rv;

	dt_json_array_end(j);
	j->in_record = false;
	rv = json_close(dtp, data);
	for (size_t at = 0; rv == 0 && data != NULL && at < j->held.n;
	     at += strlen(j->held.p + at) + 1) {
		const dtrace_errdata_t d =
			dt_err_refused(dtp, data, j->held.p + at);

		rv = dt_json_error(dtp, &d, data->dtpda_timestamp);
	}
	buf_reset(&j->held);
	return rv;
}

/* What a record asked for could not be done: its element comes first. */
static int
json_hold(dtrace_hdl_t *dtp, const char *msg)
{
	struct buf *b = &dtp->json->held;

	buf_write(b, msg, strlen(msg) + 1);
	return b->failed ? dt_nomem(dtp) : 0;
}

int
dt_json_error(dtrace_hdl_t *dtp, const dtrace_errdata_t *d, uint64_t time)
{
	struct dt_json *j = dtp->json;

	if (j->in_record)
		return json_hold(dtp, d->dteda_msg);
	json_internal(j, "ERROR", (int)d->dteda_cpu, time);
	dt_json_uint_member(j, "epid", d->dteda_epid);
	dt_json_key(j, "probe");
	dt_json_map(j);
	dt_json_uint_member(j, "id", d->dteda_pdesc->dtpd_id);
	json_probe(j, d->dteda_pdesc);
	dt_json_map_end(j);
	dt_json_str_member(j, "fault", dtrace_faultstr(dtp, d->dteda_fault));
	dt_json_int_member(j, "action", d->dteda_action);
	if (d->dteda_offset >= 0)
		dt_json_int_member(j, "offset", d->dteda_offset);
	dt_json_uint_member(j, "address", d->dteda_addr);
	json_msg(j, d->dteda_msg);
	return json_close(dtp, NULL);
}

int
dt_json_drop(dtrace_hdl_t *dtp, const dtrace_dropdata_t *d, const char *kind,
	     bool per_cpu)
{
	struct dt_json *j = dtp->json;

	json_internal(j, "DROP", per_cpu ? (int)d->dtdda_cpu : -1, dt_now());
	dt_json_uint_member(j, "count", d->dtdda_drops);
	dt_json_uint_member(j, "total", d->dtdda_total);
	dt_json_str_member(j, "kind", kind);
	json_msg(j, d->dtdda_msg);
	return json_close(dtp, NULL);
}

int
dt_json_proc(dtrace_hdl_t *dtp, uint64_t time, pid_t pid, int wstatus)
{
	struct dt_json *j = dtp->json;

	json_internal(j, "PROC", -1, time);
	dt_json_int_member(j, "pid", pid);
	if (wstatus != -1 && WIFEXITED(wstatus))
		dt_json_int_member(j, "status", WEXITSTATUS(wstatus));
	else if (wstatus != -1 && WIFSIGNALED(wstatus))
		dt_json_int_member(j, "signal", WTERMSIG(wstatus));
	return json_close(dtp, NULL);
}

/* True if there is an aggregation that printa() has not printed. */
static bool
aggs_left(const dtrace_hdl_t *dtp, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!dt_aggs_printed(dtp->aggs, i))
			return true;
	return false;
}

int
dt_json_aggs(dtrace_hdl_t *dtp)
{
	struct dt_json *j = dtp->json;
	const struct dif_tab *tab = dt_aggs_tab(dtp->aggs);
	int rv = 0;

	if (!aggs_left(dtp, tab->naggs))
		return 0;
	json_internal(j, "AGGREGATION", -1, dt_now());
	dt_json_key(j, "output");
	dt_json_array(j);
	err_clear(&dtp->err);
	for (uint32_t i = 0; i < tab->naggs && rv == 0; i++)
		if (!dt_aggs_printed(dtp->aggs, i))
			rv = dt_json_agg(j, dtp->aggs, i, &dtp->err);
	dt_json_array_end(j);
	if (rv != 0)
		dt_fail(dtp, EDT_NOMEM);
	return json_close(dtp, NULL) != 0 ? -1 : rv;
}
