/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_attach.c - programs to their sites, all by file descriptors that die
 * with this process: the functions that the column `attach` of bpf_class.def
 * names.
 *
 *   system calls  one tracepoint of the kernel for all
 *   tracepoints   one each
 *   timers        perf events on the CPU clock, one for each CPU and probe
 *   uprobes       one link for each file and process (uprobe_multi), else a
 *                 perf event for each site
 *
 * Perf events and uprobes carry the index of their site as a cookie.
 */
#include "engine/bpf/bpf_impl.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD_MIN    10000u /* ns: the kernel samples no faster */
#define MULTI_MAX     (1u << 20)
#define MANY_LINKS    64
#define NOFILE_WANTED 262144 /* descriptors, where they can be had */

static int
keep(struct engine *eng, int fd, struct err *e)
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

/* In the child: close everything but the links. */
static void
close_others(const struct engine *eng, uint8_t *is_link, int lo, int hi)
{
	if (lo > 0)
		close_range(0, (unsigned)lo - 1, 0);
	close_range((unsigned)hi + 1, ~0u, 0);
	for (size_t i = 0; i < eng->links.n; i++)
		is_link[eng->links.v[i] - lo] = 1;
	for (int fd = lo; fd <= hi; fd++)
		if (!is_link[fd - lo])
			close(fd);
}

/* In the child: when the parent has closed its links, close these. */
static void
child_undo(struct engine *eng, int pipe[2], uint8_t *is_link, int lo, int hi)
{
	char c;

	if (fork() != 0)
		_exit(0);
	close(pipe[1]);
	while (read(pipe[0], &c, 1) < 0 && errno == EINTR)
		;
	close_others(eng, is_link, lo, hi);
	undo_all(eng);
	_exit(0);
}

/*
 * The kernel takes some grace periods, 20 to 100 ms, to remove one uprobe, and
 * without uprobe_multi there may be thousands.  They are silent already, so
 * nobody need wait: a child holds the same links, and it is the last to close
 * them.  It is orphaned at once, so that the consumer gets no child to wait
 * for, and keeps nothing else open.
 */
static void
undo_by_child(struct engine *eng)
{
	int lo = INT_MAX, hi = 0, fd[2];
	uint8_t *is_link;
	pid_t pid;

	for (size_t i = 0; i < eng->links.n; i++) {
		lo = eng->links.v[i] < lo ? eng->links.v[i] : lo;
		hi = eng->links.v[i] > hi ? eng->links.v[i] : hi;
	}
	is_link = calloc((size_t)(hi - lo) + 1, 1);
	if (is_link != NULL && pipe2(fd, O_CLOEXEC) == 0) {
		pid = fork();
		if (pid == 0)
			child_undo(eng, fd, is_link, lo, hi);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		undo_all(eng);
		close(fd[0]);
		close(fd[1]);
	}
	free(is_link);
}

void
bpf_attach_undo(struct engine *eng)
{
	if (eng->slow_links && eng->links.n > MANY_LINKS)
		undo_by_child(eng);
	undo_all(eng);
}

/* ---- timers -------------------------------------------------------------- */

/* Call fn for each CPU of a list like 0-3,8; -1 when it failed. */
static int
each_online(struct engine *eng, const struct bpf_prog *c, uint32_t site,
	    struct err *e,
	    int (*fn)(struct engine *, const struct bpf_prog *, uint32_t, int,
		      struct err *))
{
	char list[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	if (f == NULL || fgets(list, sizeof(list), f) == NULL)
		strcpy(list, "0");
	if (f != NULL)
		fclose(f);
	for (char *p = list; isdigit((unsigned char)*p);) {
		long a = strtol(p, &p, 10), b = a;
		if (*p == '-')
			b = strtol(p + 1, &p, 10);
		for (; a <= b; a++)
			if (fn(eng, c, site, (int)a, e) != 0)
				return -1;
		if (*p == ',')
			p++;
	}
	return 0;
}

static int
clock_cpu(struct engine *eng, const struct bpf_prog *c, uint32_t site, int cpu,
	  struct err *e)
{
	uint64_t period = c->places.v[site]->site->num;
	int only = eng->opts.only_cpu, fd, link;

	if (only >= 0 && cpu != only)
		return 0;
	fd = sys_perf_clock(cpu, period < PERIOD_MIN ? PERIOD_MIN : period);
	if (fd < 0)
		return errno == ENODEV ? 0 /* gone offline meanwhile */
				       : bpf_feat_error(e, errno,
							"cannot open "
							"a CPU clock event");
	if (keep(eng, fd, e) != 0)
		return -1;
	link = sys_link_perf(c->fd, fd, site);
	if (link < 0)
		return bpf_feat_error(e, errno,
				      "cannot attach to a CPU clock "
				      "event");
	if (keep(eng, link, e) != 0)
		return -1;
	return sys_perf_enable(fd) == 0
		       ? 0
		       : bpf_feat_error(e, errno,
					"cannot start a CPU clock "
					"event");
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

/* ---- uprobes ------------------------------------------------------------- */

/* Sites of one class in order of file, process, offset. */
static int
cmp_site(const void *a, const void *b, void *arg)
{
	const struct bpf_prog *c = arg;
	const struct bpf_place *x = c->places.v[*(const uint32_t *)a];
	const struct bpf_place *y = c->places.v[*(const uint32_t *)b];
	int d = x->site->path == y->site->path
			? 0
			: strcmp(x->site->path, y->site->path);

	if (d != 0)
		return d;
	if (x->site->pid != y->site->pid)
		return x->site->pid < y->site->pid ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	/* The kernel runs the probes of one place newest first. */
	return *(const uint32_t *)a > *(const uint32_t *)b ? -1 : 1;
}

static bool
same_group(const struct dif_site *x, const struct dif_site *y)
{
	return x->pid == y->pid && strcmp(x->path, y->path) == 0;
}

static int
uprobe_error(struct err *e, int sys, const struct dif_site *s)
{
	char what[512];

	if (sys == ESRCH)
		return err_set(e, &ERR_GENERIC, 0, "process %d is gone",
			       s->pid);
	snprintf(what, sizeof(what), "cannot place probes in %s", s->path);
	return bpf_feat_error(e, sys, what);
}

/*
 * Whom to attach for.  The kernel knows a process's memory by its main thread,
 * and finds none if that has ended before the others: then it is for all
 * processes (0), and the program itself compares pids.
 */
static int
attach_pid(const struct dif_site *s)
{
	char path[32], link[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)s->pid);
	return s->pid > 0 && readlink(path, link, sizeof(link)) < 0 &&
			       kill(s->pid, 0) == 0 ?
		       0 :
		       s->pid;
}

/* Where sites of one program are, and how they fire. */
struct placing {
	struct engine *eng;
	const struct bpf_prog *c;
	const uint32_t *order; /* of its sites, by cmp_site() */
	bool ret;
};

/* Those from order[first] to order[first + n - 1], of one file and process. */
static int
place_multi(const struct placing *p, uint32_t first, uint32_t n, struct err *e)
{
	const struct bpf_prog *c = p->c;
	const uint32_t *order = p->order + first;
	const struct dif_site *s = c->places.v[order[0]]->site;
	uint64_t *offs = calloc(n, sizeof(*offs));
	uint64_t *cookies = calloc(n, sizeof(*cookies));
	int fd = -1, sys = ENOMEM;

	if (offs != NULL && cookies != NULL) {
		for (uint32_t i = 0; i < n; i++) {
			offs[i] = c->places.v[order[i]]->off;
			cookies[i] = order[i];
		}
		const struct sys_uprobes u = {
			.path = s->path,
			.offs = offs,
			.cookies = cookies,
			.n = n,
			.pid = attach_pid(s),
			.ret = p->ret,
		};
		fd = sys_link_uprobes(c->fd, &u);
		sys = errno;
	}
	free(offs);
	free(cookies);
	return fd < 0 ? uprobe_error(e, sys, s) : keep(p->eng, fd, e);
}

/* Numbers that the uprobe PMU has in sysfs; -1: not there. */
static long
pmu_number(const char *file)
{
	char path[128], text[64] = "";
	const char *p = text;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/uprobe/%s",
		 file);
	f = fopen(path, "re");
	if (f == NULL)
		return -1;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	if (strncmp(p, "config:", 7) == 0)
		p += 7;
	return isdigit((unsigned char)*p) ? strtol(p, NULL, 10) : -1;
}

/* A descriptor for each site: as many as we may have. */
static void
raise_nofile(void)
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

/* The kernel's source of uprobe events, and its flag for returns. */
static int
uprobe_pmu(bool ret, uint32_t *type, uint64_t *config, struct err *e)
{
	long num = pmu_number("type"), bit = pmu_number("format/retprobe");

	if (num < 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "this kernel has no uprobes "
			       "(CONFIG_UPROBE_EVENTS)");
	*type = (uint32_t)num;
	*config = ret ? 1ull << (bit < 0 ? 0 : bit) : 0;
	return 0;
}

/* The link holds the event, whose own descriptor need not stay open. */
static int
place_single(const struct placing *p, uint32_t type, uint64_t config,
	     uint32_t site, struct err *e)
{
	const struct bpf_place *pl = p->c->places.v[site];
	const struct dif_site *s = pl->site;
	int fd, link, rc;

	fd = sys_perf_uprobe(type, config, s->path, pl->off, attach_pid(s));
	if (fd < 0)
		return uprobe_error(e, errno, s);
	link = sys_link_perf(p->c->fd, fd, site);
	if (link < 0 || sys_perf_enable(fd) != 0)
		rc = uprobe_error(e, errno, s);
	else
		rc = 0;
	close(fd);
	if (link >= 0 && keep(p->eng, link, e) != 0)
		rc = -1;
	return rc;
}

static int
place_singles(const struct placing *p, struct err *e)
{
	uint64_t config = 0;
	uint32_t type = 0;

	raise_nofile();
	p->eng->slow_links = true;
	if (uprobe_pmu(p->ret, &type, &config, e) != 0)
		return -1;
	for (uint32_t i = 0; i < p->c->sites.n; i++)
		if (place_single(p, type, config, p->order[i], e) != 0)
			return -1;
	return 0;
}

static int
place_groups(const struct placing *p, struct err *e)
{
	uint32_t n = (uint32_t)p->c->sites.n;

	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && end - i < MULTI_MAX; end++)
			if (!same_group(p->c->places.v[p->order[i]]->site,
					p->c->places.v[p->order[end]]->site))
				break;
		if (place_multi(p, i, end - i, e) != 0)
			return -1;
	}
	return 0;
}

static int
attach_uprobes(struct engine *eng, const struct bpf_prog *c, bool ret,
	       int (*place)(const struct placing *, struct err *),
	       struct err *e)
{
	uint32_t n = (uint32_t)c->sites.n;
	uint32_t *order = calloc(n, sizeof(*order));
	int rc;

	if (order == NULL)
		return err_nomem(e);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), cmp_site, (void *)(uintptr_t)c);
	rc = place(&(struct placing){ eng, c, order, ret }, e);
	free(order);
	return rc;
}

int
bpf_attach_uprobe_multi(struct engine *eng, const struct bpf_prog *c,
			struct err *e)
{
	return attach_uprobes(eng, c, false, place_groups, e);
}

int
bpf_attach_uretprobe_multi(struct engine *eng, const struct bpf_prog *c,
			   struct err *e)
{
	return attach_uprobes(eng, c, true, place_groups, e);
}

int
bpf_attach_uprobe_perf(struct engine *eng, const struct bpf_prog *c,
		       struct err *e)
{
	return attach_uprobes(eng, c, false, place_singles, e);
}

int
bpf_attach_uretprobe_perf(struct engine *eng, const struct bpf_prog *c,
			  struct err *e)
{
	return attach_uprobes(eng, c, true, place_singles, e);
}

/* ---- tracepoints --------------------------------------------------------- */

/* The first of its sites names the probe where there is no such tracepoint;
   event NULL: the program knows what it is for. */
static int
attach_tp(struct engine *eng, const struct bpf_prog *c, const char *event,
	  struct err *e)
{
	int fd = sys_raw_tp_open(c->fd, event);
	const struct dif_probe *p;

	if (fd >= 0)
		return keep(eng, fd, e);
	for (size_t i = 0; errno == ENOENT && i < c->sites.n; i++) {
		if (c->sites.v[i] == NULL)
			continue;
		p = &eng->en->probes[c->sites.v[i]->probe];
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: this kernel has no tracepoint %s",
			       p->prov, p->mod, p->func, p->name, c->event);
	}
	return bpf_feat_error(e, errno,
			      "cannot attach to a tracepoint of the kernel");
}

int
bpf_attach_raw_tp(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	return attach_tp(eng, c, c->event, e);
}

int
bpf_attach_typed(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	return attach_tp(eng, c, NULL, e);
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
	int fd = sys_raw_tp_open(eng->vtime_prog, NULL);

	if (fd < 0)
		return bpf_feat_error(e, errno,
				      "cannot attach to a tracepoint of the "
				      "kernel");
	return keep(eng, fd, e);
}

int
bpf_attach_all(struct engine *eng, struct err *e)
{
	if (eng->vtime_prog >= 0 && attach_vtime(eng, e) != 0)
		return -1;
	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_prog *c = eng->progs.v[i];
		if (c->fd >= 0 && c->class->attach(eng, c, e) != 0)
			return -1;
	}
	return 0;
}
