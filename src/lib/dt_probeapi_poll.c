/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_probeapi_poll.c - <dtrace/probe.h>: probes at work.
 *
 * dtrace_work() gives records in order of time to event_record(), which takes
 * them apart in the order in which dt_probeapi.c had them written.  A handler
 * that wants to end the poll makes it abort consuming; what was not consumed
 * comes with the next.
 */
#include "lib/dt_probeapi.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- records to events --------------------------------------------------- */

/* A value of eight bytes or less. */
static uint64_t
rec_value(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec)
{
	uint64_t v = 0;

	memcpy(&v, data->dtpda_data + rec->dtrd_offset,
	       rec->dtrd_size < sizeof(v) ? rec->dtrd_size : sizeof(v));
	return v;
}

/* A stack: the process, then addresses up to the first 0. */
static void
rec_stack(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	  dtprobe_event_t *ev)
{
	const char *at = data->dtpda_data + rec->dtrd_offset;
	size_t n = rec->dtrd_size / sizeof(uint64_t);

	for (size_t i = 1; i < n && ev->nframes < DTPROBE_NFRAMES; i++) {
		uint64_t pc;
		memcpy(&pc, at + i * sizeof(pc), sizeof(pc));
		if (pc == 0)
			return;
		ev->frames[ev->nframes++] = pc;
	}
}

static void
event_fill(struct dtprobe *p, const dtrace_probedata_t *data)
{
	const dtrace_recdesc_t *rec = data->dtpda_edesc->dtepd_rec;
	dtprobe_event_t *ev = &p->ev;

	*ev = (dtprobe_event_t){
		.cpu = (int)data->dtpda_cpu,
		.time_ns = data->dtpda_timestamp,
		.object = data->dtpda_pdesc->dtpd_mod,
		.function = data->dtpda_pdesc->dtpd_func,
	};
	ev->pid = (pid_t)rec_value(data, rec++);
	ev->tid = (pid_t)rec_value(data, rec++);
	for (unsigned i = 0; i < p->nargs; i++)
		ev->args[i] = rec_value(data, rec++);
	for (unsigned i = 0; (p->want & DTPROBE_REGS) && i < DTPROBE_NREGS; i++)
		ev->regs[i] = rec_value(data, rec++);
	if (p->want & DTPROBE_STACK)
		rec_stack(data, rec, ev);
}

static int
event_record(const dtrace_probedata_t *data, void *arg)
{
	struct dtprobe *p = arg;

	event_fill(p, data);
	p->nseen++;
	p->answer = p->handler(&p->ev, p->arg);
	return p->answer == 0 ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_ABORT;
}

/* ---- what the library says ----------------------------------------------- */

/* A clause is the caller's, and so is what goes wrong in it. */
static int
told_error(const dtrace_errdata_t *data, void *arg)
{
	struct dtprobe *p = arg;

	if (p->has_clause)
		fprintf(stderr, "dtrace: %s", data->dteda_msg);
	else
		p->drops++; /* a firing that made no event */
	return DTRACE_HANDLE_OK;
}

static int
told_drop(const dtrace_dropdata_t *data, void *arg)
{
	struct dtprobe *p = arg;

	p->drops += data->dtdda_drops;
	if (p->has_clause)
		fprintf(stderr, "dtrace: %s", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
told_end(struct ps_prochandle *proc, const char *msg, void *arg)
{
	struct dtprobe *p = arg;

	p->ended = true;
	p->status = dtrace_proc_wstatus(proc);
	return DTRACE_HANDLE_OK;
}

int
probeapi_listen(struct dtprobe *p)
{
	if (dtrace_handle_err(p->dtp, told_error, p) != 0 ||
	    dtrace_handle_drop(p->dtp, told_drop, p) != 0 ||
	    dtrace_handle_proc(p->dtp, told_end, p) != 0)
		return probeapi_fail_dtp(p);
	return 0;
}

/* ---- counts -------------------------------------------------------------- */

static int
count_row(const dtrace_aggdata_t *data, void *arg)
{
	struct dtprobe *p = arg;

	if (strcmp(data->dtada_desc->dtagd_name, PROBEAPI_AGG) != 0)
		return DTRACE_AGGWALK_NEXT;
	p->count = (uint64_t)data->dtada_value;
	return p->state == PROBEAPI_DONE ? DTRACE_AGGWALK_REMOVE :
					   DTRACE_AGGWALK_NEXT;
}

uint64_t
dtprobe_count(dtprobe_t *p)
{
	if (p->state != PROBEAPI_DONE && (dtrace_aggregate_snap(p->dtp) != 0 ||
	    dtrace_aggregate_walk(p->dtp, count_row, p) != 0))
		probeapi_fail_dtp(p);
	return p->count;
}

/* ---- the end ------------------------------------------------------------- */

/*
 * All has been consumed.  Our own aggregation is taken out of the way of what a
 * clause has to print.
 */
static int
end_done(struct dtprobe *p)
{
	p->state = PROBEAPI_DONE;
	if (dtrace_aggregate_walk(p->dtp, count_row, p) != 0 ||
	    (p->has_clause &&
	     dtrace_aggregate_print(p->dtp, stdout, NULL) != 0))
		return probeapi_fail_dtp(p);
	return p->has_clause && fflush(stdout) != 0 ?
		       probeapi_fail(p, "cannot write to standard output") : 0;
}

/* Nobody wants this event any more. */
static int
end_record(const dtrace_probedata_t *data, void *arg)
{
	return DTRACE_CONSUME_NEXT;
}

void
probeapi_finish(struct dtprobe *p)
{
	if (p->state != PROBEAPI_DONE &&
	    dtrace_work(p->dtp, stdout, p->has_clause ? NULL : end_record, NULL,
			p) == DTRACE_WORKSTATUS_DONE)
		(void)end_done(p);
}

/* ---- polling ------------------------------------------------------------- */

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Once: 0, or what the poll is to return. */
static int
poll_work(struct dtprobe *p)
{
	dtrace_workstatus_t st;

	p->answer = 0;
	st = dtrace_work(p->dtp, stdout,
			 p->handler != NULL ? event_record : NULL, NULL, p);
	if (p->answer != 0)
		return p->answer;
	if (st == DTRACE_WORKSTATUS_ERROR)
		return probeapi_fail_dtp(p);
	if (p->has_clause)
		fflush(stdout);
	if (st == DTRACE_WORKSTATUS_DONE)
		return end_done(p) == 0 ? 1 : -1;
	if (!p->ended || p->state != PROBEAPI_LIVE)
		return 0;
	p->state = PROBEAPI_STOPPED;
	return dtrace_stop(p->dtp) == 0 ? 0 : probeapi_fail_dtp(p);
}

int
dtprobe_poll(dtprobe_t *p, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;
	int rv;

	if (p->state == PROBEAPI_DONE)
		return 1;
	if (!p->let_go)
		dtrace_proc_continue(p->dtp, p->proc);
	p->let_go = true;
	p->nseen = 0;
	for (;;) {
		rv = poll_work(p);
		if (rv != 0)
			return rv;
		if (p->state == PROBEAPI_STOPPED)
			continue; /* the rest is there to be had */
		if (p->nseen != 0 || (timeout_ms >= 0 && now_ms() >= end))
			return 0;
		dtrace_sleep(p->dtp);
	}
}

/* ---- questions ----------------------------------------------------------- */

pid_t
dtprobe_pid(const dtprobe_t *p)
{
	return p->pid;
}

uint64_t
dtprobe_drops(const dtprobe_t *p)
{
	return p->drops;
}

unsigned
dtprobe_places(const dtprobe_t *p)
{
	return p->places;
}

const char *
dtprobe_error(const dtprobe_t *p)
{
	return p->err;
}

int
dtprobe_status(const dtprobe_t *p)
{
	return p->status;
}
