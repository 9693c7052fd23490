/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_attach.c - programs to their sites, all by file descriptors that die
 * with this process: the functions that the column `attach` of bpf_class.def
 * names.
 *
 *   system calls  one tracepoint of the kernel for all
 *   tracepoints   one each, or many by cookies (bpf_tps.c)
 *   timers        perf events on the CPU clock, one for each CPU and probe
 *   functions     of the kernel: bpf_kfunc.c
 *   counters      perf events, likewise
 *   uprobes       bpf_uprobe.c
 *
 * Perf events carry the index of their site as a cookie.
 */
#include "engine/bpf/bpf_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PERIOD_MIN    10000u /* ns: the kernel samples no faster */
#define NOFILE_WANTED 262144 /* descriptors, where they can be had */

static int
attach_keep(struct engine *eng, int fd, struct err *e)
{
	if (vec_push(&eng->links, fd))
		return 0;
	close(fd);
	return err_nomem(e);
}

static void
undo_all(struct engine *eng)
{
	/* Links before the perf events that they hang on. */
	while (eng->links.n > 0)
		close(eng->links.v[--eng->links.n]);
}

void
bpf_attach_undo(struct engine *eng)
{
	bpf_uprobe_undo(eng);
	undo_all(eng);
	bpf_heir_end(eng);
}

/* ---- descriptors --------------------------------------------------------- */

void
bpf_attach_nofile(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	/* Root may go beyond the hard limit. */
	if (r.rlim_max < NOFILE_WANTED) {
		r.rlim_cur = r.rlim_max = NOFILE_WANTED;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* ---- timers -------------------------------------------------------------- */

const char *
bpf_cpus_next(const char *list, int *lo, int *hi)
{
	char *p;

	if (!isdigit((unsigned char)*list))
		return NULL;
	*lo = *hi = (int)strtol(list, &p, 10);
	if (*p == '-')
		*hi = (int)strtol(p + 1, &p, 10);
	return *p == ',' ? p + 1 : p;
}

/* Call fn for each CPU that is online; -1 when it failed. */
static int
each_online(struct engine *eng, const struct bpf_prog *c, uint32_t site,
	    struct err *e,
	    int (*fn)(struct engine *, const struct bpf_prog *, uint32_t, int,
		      struct err *))
{
	char list[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int cpu, last;

	if (f == NULL || fgets(list, sizeof(list), f) == NULL)
		strcpy(list, "0");
	if (f != NULL)
		fclose(f);
	for (const char *p = list; (p = bpf_cpus_next(p, &cpu, &last)) != NULL;)
		for (; cpu <= last; cpu++)
			if (fn(eng, c, site, cpu, e) != 0)
				return -1;
	return 0;
}

/* A sampler, which is open, to its site. */
static int
attach_sampler(struct engine *eng, const struct bpf_prog *c, uint32_t site,
	       int fd, struct err *e)
{
	int link;

	if (attach_keep(eng, fd, e) != 0)
		return -1;
	link = sys_link_perf(c->fd, fd, site);
	if (link < 0)
		return bpf_feat_error(e, errno,
				      "cannot attach to a perf event");
	if (attach_keep(eng, link, e) != 0)
		return -1;
	return sys_perf_enable(fd) == 0
		       ? 0
		       : bpf_feat_error(e, errno, "cannot start a perf event");
}

static int
clock_cpu(struct engine *eng, const struct bpf_prog *c, uint32_t site, int cpu,
	  struct err *e)
{
	uint64_t period = c->places.v[site]->site->num;
	int only = eng->opts.only_cpu, fd;

	if (only >= 0 && cpu != only)
		return 0;
	fd = sys_perf_clock(cpu, period < PERIOD_MIN ? PERIOD_MIN : period);
	if (fd < 0)
		return errno == ENODEV ? 0 /* gone offline meanwhile */
				       : bpf_feat_error(e, errno,
							"cannot open "
							"a CPU clock event");
	return attach_sampler(eng, c, site, fd, e);
}

/* Tick probes fire on one CPU: the first that is there. */
static int
clock_tick(struct engine *eng, const struct bpf_prog *c, uint32_t site, int cpu,
	   struct err *e)
{
	size_t before = eng->links.n;

	if (clock_cpu(eng, c, site, cpu, e) != 0)
		return -1;
	return eng->links.n != before ? 1 : 0;
}

int
bpf_attach_clock(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	for (uint32_t i = 0; i < c->sites.n; i++) {
		size_t before = eng->links.n;
		bool tick = c->places.v[i]->kind == DIF_SITE_TICK;
		int rc = each_online(eng, c, i, e,
				     tick ? clock_tick : clock_cpu);
		if (err_is_set(e) || (rc != 0 && !tick))
			return -1;
		if (eng->links.n == before)
			return err_set(e, &ERR_GENERIC, 0,
				       "CPU %d is not there",
				       eng->opts.only_cpu);
	}
	return 0;
}

/* ---- counters ------------------------------------------------------------ */

/* What perf_event_open() says of events that a machine does not count. */
static bool
not_counted(int sys)
{
	return sys == ENOENT || sys == EOPNOTSUPP || sys == ENXIO ||
	       sys == ENOSYS;
}

static int
counter_cpu(struct engine *eng, const struct bpf_prog *c, uint32_t site,
	    int cpu, struct err *e)
{
	const struct dif_site *s = c->places.v[site]->site;
	const struct dif_probe *p = &eng->en->probes[c->sites.v[site]->probe];
	int only = eng->opts.only_cpu, fd;

	if (only >= 0 && cpu != only)
		return 0;
	fd = sys_perf_counter(cpu, &s->counter, s->num);
	if (fd >= 0)
		return attach_sampler(eng, c, site, fd, e);
	if (errno == ENODEV)
		return 0; /* gone offline meanwhile */
	return err_set(e, &ERR_GENERIC, not_counted(errno) ? 0 : errno,
		       not_counted(errno)
			       ? "%s:::%s: this machine does not count such "
				 "events (it has no hardware counters, or not "
				 "this one)"
			       : "%s:::%s: cannot open a perf event",
		       p->prov, p->name);
}

int
bpf_attach_counter(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	for (uint32_t i = 0; i < c->sites.n; i++)
		if (each_online(eng, c, i, e, counter_cpu) != 0)
			return -1;
	return 0;
}

/* ---- tracepoints --------------------------------------------------------- */

/* From element `at` on, the first of its sites names the probe where there is
   no such tracepoint; event NULL: the program knows what it is for. */
static int
attach_tp(struct engine *eng, const struct bpf_prog *c, const char *event,
	  uint32_t at, struct err *e)
{
	int fd = sys_raw_tp_open(c->fd, event, at);
	const struct dif_probe *p;

	if (fd >= 0)
		return attach_keep(eng, fd, e);
	for (size_t i = at; errno == ENOENT && i < c->sites.n; i++) {
		if (c->sites.v[i] == NULL)
			continue;
		p = &eng->en->probes[c->sites.v[i]->probe];
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: this kernel has no tracepoint %s",
			       p->prov, p->mod, p->func, p->name,
			       c->places.v[i]->site->tp != NULL
				       ? c->places.v[i]->site->tp
				       : c->event);
	}
	return bpf_feat_error(e, errno,
			      "cannot attach to a tracepoint of the kernel");
}

int
bpf_attach_raw_tp(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	return attach_tp(eng, c, c->event, 0, e);
}

int
bpf_attach_raw_tps(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	for (uint32_t i = 0; i < c->sites.n; i++)
		if (c->sites.v[i]->first &&
		    attach_tp(eng, c, c->places.v[i]->site->tp, i, e) != 0)
			return -1;
	return 0;
}

int
bpf_attach_typed(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	return attach_tp(eng, c, NULL, 0, e);
}

/* ---- all ----------------------------------------------------------------- */

/* BEGIN and END: bpf_engine.c runs them. */
int
bpf_attach_by_test_run(struct engine *eng, const struct bpf_prog *c,
		       struct err *e)
{
	return 0;
}

static int
attach_vtime(struct engine *eng, struct err *e)
{
	int fd = sys_raw_tp_open(eng->vtime_prog, NULL, 0);

	if (fd < 0)
		return bpf_feat_error(e, errno,
				      "cannot attach to a tracepoint of the "
				      "kernel");
	return attach_keep(eng, fd, e);
}

int
bpf_attach_progs(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_prog *c = eng->progs.v[i];
		if (c->fd >= 0 && c->class->attach(eng, c, e) != 0)
			return -1;
	}
	return bpf_kfunc_last(eng, e);
}

int
bpf_attach_all(struct engine *eng, struct err *e)
{
	bpf_heir_make(eng);
	if (eng->vtime_prog >= 0 && attach_vtime(eng, e) != 0)
		return -1;
	if (bpf_attach_progs(eng, e) != 0)
		return -1;
	/* It runs behind the clauses of a thread that leaves. */
	return eng->unw.keeper == NULL
		       ? 0
		       : eng->unw.keeper->class->attach(eng, eng->unw.keeper,
							e);
}
