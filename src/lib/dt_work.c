/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_work.c - the loop of a consumer: wait, look at status and processes,
 * report drops, read aggregations, consume.
 *
 * Waiting is on the engines' descriptors (a buffer is half full, exit() was
 * called), on the pidfds of processes, and on the next period of switchrate,
 * statusrate and aggrate.  Nothing wakes for a single event.  An engine
 * without a descriptor is looked at fifty times a second instead; one that
 * wants to look at the world gets its chance ten times a second.  Where there
 * is speculation, cleanrate is how often it is seen whether one has ended.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
period(const dtrace_hdl_t *dtp, enum dt_opt o)
{
	/* 0 means "on demand": look once a second all the same. */
	return dtp->opt[o] > 0 ? (uint64_t)dtp->opt[o] : 1000000000u;
}

#define LOOK_RATE 100000000u /* ns between looks at processes */
#define WANT_RATE 20000000u  /* ns between looks at rt_ctl.wanted */

static bool
engine_polls(const struct dt_engine *de)
{
	return de->modules_wanted || de->users != NULL || de->watch != NULL ||
	       (de->ops->poll != NULL &&
		(de->ops->polls == NULL || de->ops->polls(de->eng)));
}

/* What the engines ask for: the longest time without a look. */
static uint64_t
engines_wait(const dtrace_hdl_t *dtp)
{
	uint64_t wait = UINT64_MAX;

	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct dt_engine *de = &dtp->engines[i];
		if (engine_polls(de) && wait > LOOK_RATE)
			wait = LOOK_RATE;
		if (de->ops->wait_fd(de->eng) < 0)
			wait = WANT_RATE;
	}
	return wait;
}

static uint64_t
least_wait(const dtrace_hdl_t *dtp, uint64_t now)
{
	uint64_t most = engines_wait(dtp);
	uint64_t sw = dtp->last_switch + period(dtp, DT_OPT_switchrate);
	uint64_t st = dtp->last_status + period(dtp, DT_OPT_statusrate);
	uint64_t next = sw < st ? sw : st;
	uint64_t clean = dtp->last_clean + period(dtp, DT_OPT_cleanrate);

	if (dtp->speculates && clean < next)
		next = clean;

	/* Libraries a living target loads are looked for ten times a second,
	   so that their symbols outlive it. */
	if (dtp->procs != NULL && !dt_procs_all_ended(dtp) && most > LOOK_RATE)
		most = LOOK_RATE;
	uint64_t wait = next > now ? next - now : 0;
	return wait < most ? wait : most;
}

/* Descriptors to wait for: first the engines' (-1 where they have none, so
   that they keep their places), then those of processes. */
static struct pollfd *
sleep_fds(const dtrace_hdl_t *dtp, size_t *n)
{
	size_t max = dtp->nengines;

	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		max++;
	struct pollfd *fds = calloc(max + 1, sizeof(*fds));
	if (fds == NULL)
		return NULL;
	for (*n = 0; *n < dtp->nengines; ++*n) {
		const struct dt_engine *de = &dtp->engines[*n];
		fds[*n] = (struct pollfd){ .fd = de->ops->wait_fd(de->eng),
					   .events = POLLIN };
	}
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next) {
		if (!p->target.ended && proc_fd(p->target.proc) >= 0)
			fds[(*n)++] = (struct pollfd){
				.fd = proc_fd(p->target.proc),
				.events = POLLIN
			};
	}
	return fds;
}

/* True if an engine wants the consumer.  Then it is quiet again. */
static bool
engine_wants(const struct dt_engine *de, const struct pollfd *fd)
{
	if (fd->fd < 0 ? __atomic_load_n(&dt_view(de)->ctl->wanted,
					 __ATOMIC_ACQUIRE) == 0 :
			 fd->revents == 0)
		return false;
	de->ops->wait_clear(de->eng);
	return true;
}

void
dtrace_sleep(dtrace_hdl_t *dtp)
{
	if (dtp->nengines == 0 || dtp->stopped)
		return;
	size_t n = 0;
	struct pollfd *fds = sleep_fds(dtp, &n);
	uint64_t wait = least_wait(dtp, dt_now());
	struct timespec ts = { .tv_sec = (time_t)(wait / 1000000000u),
			       .tv_nsec = (long)(wait % 1000000000u) };

	if (fds == NULL) {
		nanosleep(&ts, NULL);
		return;
	}
	if (ppoll(fds, n, &ts, NULL) < 0)
		n = 0;
	for (uint32_t i = 0; i < dtp->nengines && i < n; i++) {
		if (!engine_wants(&dtp->engines[i], &fds[i]))
			continue;
		dtp->last_switch = 0; /* consume now */
		dtp->last_agg = 0;
		dtp->last_poll = 0; /* a thread may wait (engine_ops.mapped) */
	}
	free(fds);
}

int
dtrace_status(dtrace_hdl_t *dtp)
{
	if (!dtp->active)
		return DTRACE_STATUS_NONE;
	if (dtp->stopped)
		return DTRACE_STATUS_STOPPED;
	if (dt_exited(dtp))
		return DTRACE_STATUS_EXITED;
	return dt_filled(dtp) ? DTRACE_STATUS_FILLED : DTRACE_STATUS_OKAY;
}

/* ---- drops --------------------------------------------------------------- */

static const struct {
	dtrace_dropkind_t kind;
	const char *tag, *what;
	bool per_cpu;
	const char *where; /* how the notice goes on */
} drops[RT_NDROP] = {
	[RT_DROP_PRINCIPAL] = { DTRACEDROP_PRINCIPAL, "PRINCIPAL", "drop",
				true },
	[RT_DROP_AGG] = { DTRACEDROP_AGGREGATION, "AGGREGATION",
			  "aggregation drop", true },
	[RT_DROP_DYNVAR] = { DTRACEDROP_DYNAMIC, "DYNAMIC",
			     "dynamic variable drop", false },
	[RT_DROP_SPEC] = { DTRACEDROP_SPEC, "SPEC", "speculative drop",
			   false },
	[RT_DROP_SPECBUSY] = { DTRACEDROP_SPECBUSY, "SPECBUSY",
			       "failed speculation", false,
			       " (available buffer(s) still busy)" },
	[RT_DROP_SPECUNAVAIL] = { DTRACEDROP_SPECUNAVAIL, "SPECUNAVAIL",
				  "failed speculation", false,
				  " (no speculative buffer available)" },
	[RT_DROP_NESTED] = { DTRACEDROP_NESTED, "NESTED",
			     "drop of nested probes", true },
	[RT_DROP_MISSED] = { DTRACEDROP_MISSED, "MISSED", "missed firing",
			     false, " (of functions or tracepoints of the "
				    "kernel, within another firing)" },
	[RT_DROP_DBLERROR] = { DTRACEDROP_DBLERROR, "DBLERROR", "error",
			       false, " in ERROR probe enabling" },
};

/* Tell of n drops; 0: of counts of them that cannot be given. */
static int
drop_tell(dtrace_hdl_t *dtp, unsigned kind, unsigned cpu, uint64_t n,
	  uint64_t total, const char *msg)
{
	const dtrace_dropdata_t d = {
		.dtdda_handle = dtp, .dtdda_cpu = cpu,
		.dtdda_kind = drops[kind].kind, .dtdda_drops = n,
		.dtdda_total = total, .dtdda_msg = msg,
	};

	if (dtp->droph != NULL && dtp->json != NULL &&
	    dt_json_drop(dtp, &d, drops[kind].tag, drops[kind].per_cpu) != 0)
		return -1;
	if (dtp->droph == NULL)
		return dt_set_err(dtp, EDT_DROPABORT, "%s: %.*s",
				  dtrace_errmsg(NULL, EDT_DROPABORT),
				  (int)strcspn(msg, "\n"), msg);
	if (dtp->droph(&d, dtp->droph_arg) == DTRACE_HANDLE_ABORT)
		return dt_set_err(dtp, EDT_DROPABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DROPABORT));
	return 0;
}

static int
drop_report(dtrace_hdl_t *dtp, unsigned kind, unsigned cpu, uint64_t n,
	    uint64_t total)
{
	char msg[200];
	int len = 0;

	if (dt_opt_on(dtp, DT_OPT_droptags))
		len = snprintf(msg, sizeof(msg), "[DTRACEDROP_%s] ",
			       drops[kind].tag);
	len += snprintf(msg + len, sizeof(msg) - (size_t)len, "%llu %s%s%s",
			(unsigned long long)n, drops[kind].what,
			n == 1 || kind == RT_DROP_NESTED ? "" : "s",
			drops[kind].where != NULL ? drops[kind].where : "");
	if (drops[kind].per_cpu)
		snprintf(msg + len, sizeof(msg) - (size_t)len, " on CPU %u\n",
			 cpu);
	else
		snprintf(msg + len, sizeof(msg) - (size_t)len, "\n");
	return drop_tell(dtp, kind, cpu, n, total, msg);
}

/*
 * Once for an engine: counters that its target shares with us have gone
 * backwards, or leapt.  What they counted in between nobody knows.
 */
static int
damage_report(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	const struct rt_view *v = dt_view(de);
	char msg[200];

	if (de->damage_told || v->damaged == NULL || !*v->damaged)
		return 0;
	de->damage_told = true;
	snprintf(msg, sizeof(msg),
		 "%sprocess %d has written into the memory that it shares with "
		 "dtrace: some counts are lost\n",
		 dt_opt_on(dtp, DT_OPT_droptags) ? "[DTRACEDROP_PRINCIPAL] " :
						   "",
		 (int)de->target.pid);
	return drop_tell(dtp, RT_DROP_PRINCIPAL, 0, 0, 0, msg);
}

static int
notice_tell(dtrace_hdl_t *dtp, const char *say)
{
	char msg[500];

	snprintf(msg, sizeof(msg), "%s%s\n",
		 dt_opt_on(dtp, DT_OPT_droptags) ? "[DTRACEDROP_MISSED] " : "",
		 say);
	return drop_tell(dtp, RT_DROP_MISSED, 0, 0, 0, msg);
}

/* Commands that have executed another program. */
static int
execs_report(dtrace_hdl_t *dtp)
{
	int rv = 0;

	if (dtp->droph == NULL)
		return 0;
	for (struct ps_prochandle *p = dtp->procs; rv == 0 && p != NULL;
	     p = p->next) {
		struct buf say = BUF_INIT;

		if (dt_follow_executed(dtp, &p->target, &say))
			rv = notice_tell(dtp, buf_str(&say));
		buf_fini(&say);
	}
	return rv;
}

/* What an engine has to say.  A consumer that has no handler is not to fail for
   that. */
static int
notice_report(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	const char *say;
	int rv = 0;

	if (dtp->droph == NULL)
		return 0;
	if (de->turn_missed && !de->turn_told) {
		de->turn_told = true;
		rv = notice_tell(dtp, proc_turn_missed);
	}
	if (de->ops->notice == NULL)
		return rv;
	while (rv == 0 && (say = de->ops->notice(de->eng)) != NULL)
		rv = notice_tell(dtp, say);
	return rv;
}

/* What is new of one kind, and all there was, by CPU. */
struct drop_sum {
	uint64_t n, total;
};
struct drop_sums {
	struct drop_sum *v;
	size_t n, cap;
};

static int
drops_add(dtrace_hdl_t *dtp, struct drop_sums *sums, const struct dt_engine *de,
	  unsigned kind)
{
	const struct rt_view *v = dt_view(de);

	for (unsigned s = 0; s < v->nslots; s++) {
		uint64_t now = v->rt[s]->drops[kind];
		uint64_t *seen = &de->seen[s].drops[kind];
		uint64_t *sum = &de->seen[s].sum[kind];
		unsigned cpu = drops[kind].per_cpu ? rt_view_cpu(v, s) : 0;
		uint64_t more = rt_view_grown(v, *seen, now);

		*seen = now;
		*sum += more;
		if (*sum == 0)
			continue;
		while (sums->n <= cpu)
			if (!vec_push(sums, (struct drop_sum){ 0 }))
				return dt_nomem(dtp);
		sums->v[cpu].n += more;
		sums->v[cpu].total += *sum;
	}
	return 0;
}

/* Counters of all levels of a CPU (of all CPUs) make one notice. */
static int
drops_poll(dtrace_hdl_t *dtp)
{
	struct drop_sums sums = { 0 };
	int rv = 0;

	for (unsigned k = 0; k < RT_NDROP && rv == 0; k++) {
		sums.n = 0;
		for (uint32_t i = 0; i < dtp->nengines && rv == 0; i++)
			rv = drops_add(dtp, &sums, &dtp->engines[i], k);
		for (size_t c = 0; c < sums.n && rv == 0; c++)
			if (sums.v[c].n != 0)
				rv = drop_report(dtp, k, (unsigned)c,
						 sums.v[c].n, sums.v[c].total);
	}
	vec_fini(&sums);
	for (uint32_t i = 0; i < dtp->nengines && rv == 0; i++)
		rv = damage_report(dtp, &dtp->engines[i]);
	for (uint32_t i = 0; i < dtp->nengines && rv == 0; i++)
		rv = notice_report(dtp, &dtp->engines[i]);
	return rv == 0 ? execs_report(dtp) : rv;
}

/* ---- the body of the loop ------------------------------------------------ */

/* True if an aggregation half of an engine is more than a quarter full. */
static bool
engine_filling(const struct dt_engine *de)
{
	const struct rt_view *v = dt_view(de);

	if (v->agg == NULL)
		return false;
	uint64_t half = v->aggsize / 2, off = rt_view_half(v) * half;
	for (unsigned s = 0; s < v->nslots; s++) {
		const struct rt_agg_half *h = (const void *)(v->agg[s] + off);
		if (h->used > half / 4)
			return true;
	}
	return false;
}

static bool
aggs_filling(const dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++)
		if (engine_filling(&dtp->engines[i]))
			return true;
	return false;
}

/*
 * All probes are silent.  Take out what they have left, so that END finds room
 * for its records, and let END fire.
 */
static int
work_end(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pf,
	 dtrace_consume_rec_f *rf, void *arg)
{
	if (!dtp->end_due)
		return 0;
	dtp->end_due = false;
	if (dtrace_aggregate_snap(dtp) != 0 ||
	    dt_consume_all(dtp, true, fp, pf, rf, arg) != 0)
		return -1;
	dtp->aggs_fresh = false;
	return dt_run_end(dtp);
}

/* Look for speculations that have ended: they could be used again. */
static int
work_clean(dtrace_hdl_t *dtp, uint64_t now)
{
	if (now - dtp->last_clean < period(dtp, DT_OPT_cleanrate))
		return 0;
	dtp->last_clean = now;
	if (dtp->opt[DT_OPT_bufpolicy] != RT_BUF_SWITCH)
		return dt_spec_note(dtp);
	if (dt_spec_ended(dtp))
		dtp->last_switch = 0; /* consume now */
	return 0;
}

dtrace_workstatus_t
dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pf,
	    dtrace_consume_rec_f *rf, void *arg)
{
	if (!dtp->active) {
		dt_set_err(dtp, EDT_NOTACTIVE, "%s",
			   dtrace_errmsg(NULL, EDT_NOTACTIVE));
		return DTRACE_WORKSTATUS_ERROR;
	}
	uint64_t now = dt_now();
	int status = dtrace_status(dtp);

	dtp->last_status = now;
	dt_out_to(dtp, fp);
	if (dt_procs_poll(dtp) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (!dtp->stopped && now - dtp->last_poll >= LOOK_RATE) {
		dtp->last_poll = now;
		if (dt_run_poll(dtp) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	if (status == DTRACE_STATUS_EXITED || status == DTRACE_STATUS_FILLED) {
		if (dtrace_stop(dtp) != 0)
			return DTRACE_WORKSTATUS_ERROR;
		status = DTRACE_STATUS_STOPPED;
	}
	bool final = status == DTRACE_STATUS_STOPPED;
	dtp->aggs_fresh = false;
	if (final && work_end(dtp, fp, pf, rf, arg) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (now - dtp->last_agg >= period(dtp, DT_OPT_aggrate) || final) {
		dtp->last_agg = now;
		if ((final || aggs_filling(dtp)) &&
		    dtrace_aggregate_snap(dtp) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	if (dtp->speculates && !final && work_clean(dtp, now) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (final || now - dtp->last_switch >= period(dtp, DT_OPT_switchrate)) {
		dtp->last_switch = now;
		if (dt_consume_all(dtp, final, fp, pf, rf, arg) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	/* Buffers that overflow all the time are read all the time, but
	   that they do is not reported each time. */
	if (final || now - dtp->last_drops >= period(dtp, DT_OPT_switchrate)) {
		dtp->last_drops = now;
		if (drops_poll(dtp) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	return final ? DTRACE_WORKSTATUS_DONE : DTRACE_WORKSTATUS_OKAY;
}

int
dtrace_hold(dtrace_hdl_t *dtp)
{
	uint64_t now = dt_now();

	if (!dtp->active)
		return dt_set_err(dtp, EDT_NOTACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_NOTACTIVE));
	/* What has ended by itself stays as it is. */
	if (dtrace_status(dtp) != DTRACE_STATUS_OKAY)
		return 0;
	if (now - dtp->last_poll >= LOOK_RATE) {
		dtp->last_poll = now;
		if (dt_procs_poll(dtp) != 0 || dt_run_poll(dtp) != 0)
			return -1;
	}
	return aggs_filling(dtp) ? dtrace_aggregate_snap(dtp) : 0;
}

/* ---- handlers ------------------------------------------------------------ */

#define HANDLER(name, type, field)                                      \
	int dtrace_handle_##name(dtrace_hdl_t *dtp, type *f, void *arg) \
	{                                                               \
		if (dtp->field != NULL)                                 \
			return dt_set_err(dtp, EDT_ACTIVE,              \
					  "a handler is set already");  \
		dtp->field = f;                                         \
		dtp->field##_arg = arg;                                 \
		return 0;                                               \
	}

HANDLER(err, dtrace_handle_err_f, errh)
HANDLER(drop, dtrace_handle_drop_f, droph)
HANDLER(proc, dtrace_handle_proc_f, proch)
HANDLER(buffered, dtrace_handle_buffered_f, bufh)
HANDLER(setopt, dtrace_handle_setopt_f, setopth)
