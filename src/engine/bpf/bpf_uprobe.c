/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_uprobe.c - uprobes: one link for each file and process (uprobe_multi),
 * else a perf event for each site.  They carry the index of their site as a
 * cookie.
 *
 * Not this process makes and removes them, but children of it.  The kernel
 * writes to the memory of other processes for that, and gives up in the middle
 * if a signal is to end the process that asked for it.  The uprobes that it
 * was about to remove then stay for ever, and every later mmap() of their file
 * looks at each of them ("failed to unregister, leaking uprobe" in its log): a
 * ^C or kill -9 while a library is being probed would slow the machine down
 * until its next boot.  So
 *
 *   making    is done by a child that shares our table of descriptors, has a
 *	       session of its own and takes no signals.  If we are gone when it
 *	       has made them, it is the last to have that table.
 *   removing  is done by a child that has the same links, and ends.  What the
 *	       kernel closes for a process that is ending it closes in full;
 *	       signals do not reach it any more.
 *
 * A consumer that is killed between the two is ending when its links are
 * closed, and needs no child.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MULTI_MAX     (1u << 20) /* places of a link */
#define MANY_LINKS    64

/* A link to be made: places of one file, for one process or all. */
struct up_link {
	const struct dif_site *site; /* the first; for messages */
	struct sys_uprobes u;        /* one place where each has an event */
};
/* What became of it: filled by the child, in memory that we share. */
struct up_made {
	int fd, sys;
};
/* All links of a program. */
struct placing {
	const struct bpf_prog *c;
	bool ret, multi;
	uint32_t pmu;    /* not multi: the kernel's source of uprobe events */
	uint64_t config; /* of it */
	uint64_t *offs, *cookies, *sems; /* of all places, in order */
	bool has_sems;
	struct up_link *links;
	struct up_made *made;
	uint32_t n;
};

/* ---- children ------------------------------------------------------------ */

/*
 * A child as fork() makes it, without what libraries have asked to be done
 * then: only system calls are made in it.  It reports its end to nobody but who
 * waits with __WALL, so the program that we are part of never meets it.  It
 * takes no signals but those that cannot be blocked.
 */
pid_t
bpf_child_new(unsigned long flags)
{
	sigset_t all, had;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &had);
	pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
	if (pid == 0)
		setsid();
	else
		sigprocmask(SIG_SETMASK, &had, NULL);
	return pid;
}

void
bpf_child_wait(pid_t pid)
{
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* ---- removing ------------------------------------------------------------ */

/* In the child: close everything but the links. */
static void
close_others(const struct engine *eng, uint8_t *is_link, int lo, int hi)
{
	if (lo > 0)
		close_range(0, (unsigned)lo - 1, 0);
	close_range((unsigned)hi + 1, ~0u, 0);
	for (size_t i = 0; i < eng->uprobes.n; i++)
		is_link[eng->uprobes.v[i] - lo] = 1;
	for (int fd = lo; fd <= hi; fd++)
		if (!is_link[fd - lo])
			close(fd);
}

/* In the child: when the parent has closed its links, end with these. */
static void
child_undo(const struct engine *eng, int pipe[2], uint8_t *is_link, int lo,
	   int hi)
{
	char c;

	if (eng->slow_links && bpf_child_new(0) != 0)
		_exit(0);
	close(pipe[1]);
	while (read(pipe[0], &c, 1) < 0 && errno == EINTR)
		;
	close_others(eng, is_link, lo, hi);
	_exit(0);
}

static void
close_links(struct engine *eng)
{
	while (eng->uprobes.n > 0)
		close(eng->uprobes.v[--eng->uprobes.n]);
}

/*
 * With uprobe_multi the kernel removes thousands in milliseconds: we wait until
 * it has.  Without, it takes some grace periods, 20 to 100 ms, for each.  They
 * are silent already, so nobody need wait: then the child is orphaned at once.
 */
void
bpf_uprobe_undo(struct engine *eng)
{
	int lo = INT_MAX, hi = 0, fd[2];
	uint8_t *is_link;
	pid_t pid;

	if (eng->uprobes.n == 0)
		return;
	for (size_t i = 0; i < eng->uprobes.n; i++) {
		lo = eng->uprobes.v[i] < lo ? eng->uprobes.v[i] : lo;
		hi = eng->uprobes.v[i] > hi ? eng->uprobes.v[i] : hi;
	}
	is_link = calloc((size_t)(hi - lo) + 1, 1);
	if (is_link == NULL || pipe2(fd, O_CLOEXEC) != 0) {
		free(is_link);
		close_links(eng);
		return;
	}
	pid = bpf_child_new(0);
	if (pid == 0)
		child_undo(eng, fd, is_link, lo, hi);
	close_links(eng);
	close(fd[0]);
	close(fd[1]);
	if (pid > 0)
		bpf_child_wait(pid);
	free(is_link);
}

/* ---- making -------------------------------------------------------------- */

/* A link for a place that has an event.  The link holds the event, whose own
   descriptor need not stay open. */
static int
make_single(const struct placing *p, const struct sys_uprobes *u)
{
	int fd, link, sys;

	fd = sys_perf_uprobe(
		p->pmu, p->config | (u->sems != NULL ? u->sems[0] << 32 : 0),
		u->path, u->offs[0], u->pid);
	if (fd < 0)
		return -1;
	link = sys_link_perf(p->c->fd, fd, u->cookies[0]);
	if (link >= 0 && sys_perf_enable(fd) != 0) {
		sys = errno;
		close(link);
		link = -1;
		errno = sys;
	}
	sys = errno;
	close(fd);
	errno = sys;
	return link;
}

bool
bpf_uprobe_gone(int sys)
{
	return sys == ENOENT || sys == ESRCH;
}

/* Nobody has the file any more: then there is nothing to be missed. */
static bool
link_gone(const struct placing *p, uint32_t i)
{
	return p->links[i].site->pid == 0 && bpf_uprobe_gone(p->made[i].sys);
}

/* Make the links, until one fails; parent: stop when that is not ours any
   more; 0: nobody's. */
static void
make_links(const struct placing *p, pid_t parent)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct sys_uprobes *u = &p->links[i].u;

		if (parent != 0 && getppid() != parent)
			return;
		p->made[i].fd = p->multi ? sys_link_uprobes(p->c->fd, u)
					 : make_single(p, u);
		p->made[i].sys = errno;
		if (p->made[i].fd < 0 && !link_gone(p, i))
			return;
	}
}

static void
make_by_child(const struct placing *p)
{
	pid_t self = getpid(), pid = bpf_child_new(CLONE_FILES);

	if (pid == 0) {
		make_links(p, self);
		_exit(0);
	}
	if (pid > 0)
		bpf_child_wait(pid);
	else
		make_links(p, 0);
}

static int
uprobe_error(struct err *e, int sys, const struct dif_site *s)
{
	char what[512];

	if (sys == ESRCH)
		return err_ended(e, s->pid, 0);
	snprintf(what, sizeof(what), "cannot place probes in %s", s->path);
	return bpf_feat_error(e, sys, what);
}

/* Take over what the child has made; -1 if it could not make all. */
static int
take_links(struct engine *eng, const struct placing *p, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		int fd = p->made[i].fd;

		if (fd < 0 && rc == 0 && !link_gone(p, i))
			rc = uprobe_error(e, p->made[i].sys, p->links[i].site);
		if (fd >= 0 && !vec_push(&eng->uprobes, fd)) {
			close(fd);
			rc = err_nomem(e);
		}
	}
	return rc;
}

/* ---- places -------------------------------------------------------------- */

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
	return x->pid == y->pid &&
	       (x->path == y->path || strcmp(x->path, y->path) == 0);
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
			       kill(s->pid, 0) == 0
		       ? 0
		       : s->pid;
}

/* The link of order[first] to order[first + n - 1]. */
static void
add_link(struct placing *p, const uint32_t *order, uint32_t first, uint32_t n)
{
	const struct dif_site *s = p->c->places.v[order[first]]->site;
	const struct up_link *last = &p->links[p->n > 0 ? p->n - 1 : 0];

	p->links[p->n] = (struct up_link){
		.site = s,
		.u = { .path = s->path,
		       .offs = p->offs + first,
		       .cookies = p->cookies + first,
		       .sems = p->has_sems ? p->sems + first : NULL,
		       .n = n,
		       .pid = p->n > 0 && same_group(last->site, s)
				      ? last->u.pid
				      : attach_pid(s),
		       .ret = p->ret },
	};
	p->made[p->n++].fd = -1;
}

static void
add_links(struct placing *p, const uint32_t *order, uint32_t n)
{
	const struct bpf_prog *c = p->c;
	uint32_t most = p->multi ? MULTI_MAX : 1;

	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && end - i < most; end++)
			if (!same_group(c->places.v[order[i]]->site,
					c->places.v[order[end]]->site))
				break;
		add_link(p, order, i, end - i);
	}
}

/* Its arrays are filled, in the order of places.  -1: no memory. */
static int
placing_init(struct placing *p, uint32_t n)
{
	uint32_t *order = calloc(n, sizeof(*order));

	p->offs = calloc(n, sizeof(*p->offs));
	p->cookies = calloc(n, sizeof(*p->cookies));
	p->sems = calloc(n, sizeof(*p->sems));
	p->links = calloc(n, sizeof(*p->links));
	p->made = mmap(NULL, n * sizeof(*p->made), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (order == NULL || p->offs == NULL || p->cookies == NULL ||
	    p->sems == NULL || p->links == NULL || p->made == MAP_FAILED) {
		free(order);
		return -1;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), cmp_site, (void *)(uintptr_t)p->c);
	for (uint32_t i = 0; i < n; i++) {
		p->offs[i] = p->c->places.v[order[i]]->off;
		p->cookies[i] = order[i];
		p->sems[i] = p->c->places.v[order[i]]->site->sem;
		p->has_sems |= p->sems[i] != 0;
	}
	add_links(p, order, n);
	free(order);
	return 0;
}

static void
placing_fini(struct placing *p, uint32_t n)
{
	free(p->offs);
	free(p->cookies);
	free(p->sems);
	free(p->links);
	if (p->made != NULL && p->made != MAP_FAILED)
		munmap(p->made, n * sizeof(*p->made));
}

static int
attach(struct engine *eng, struct placing *p, struct err *e)
{
	uint32_t n = (uint32_t)p->c->sites.n;
	int rc;

	if (n == 0)
		return 0;
	if (placing_init(p, n) != 0) {
		rc = err_nomem(e);
	} else {
		make_by_child(p);
		rc = take_links(eng, p, e);
	}
	placing_fini(p, n);
	return rc;
}

int
bpf_attach_uprobe_multi(struct engine *eng, const struct bpf_prog *c,
			struct err *e)
{
	return attach(eng, &(struct placing){ .c = c, .multi = true }, e);
}

int
bpf_attach_uretprobe_multi(struct engine *eng, const struct bpf_prog *c,
			   struct err *e)
{
	return attach(eng,
		      &(struct placing){ .c = c, .multi = true, .ret = true },
		      e);
}

/* ---- by perf events ------------------------------------------------------ */

static int
attach_events(struct engine *eng, const struct bpf_prog *c, bool ret,
	      struct err *e)
{
	long num = sys_pmu_number("uprobe", "type"),
	     bit = sys_pmu_number("uprobe", "format/retprobe");
	struct placing p = { .c = c, .ret = ret, .pmu = (uint32_t)num };

	if (num < 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "this kernel has no uprobes "
			       "(CONFIG_UPROBE_EVENTS)");
	p.config = ret ? 1ull << (bit < 0 ? 0 : bit) : 0;
	bpf_attach_nofile();
	if (c->sites.n > MANY_LINKS)
		eng->slow_links = true;
	return attach(eng, &p, e);
}

int
bpf_attach_uprobe_perf(struct engine *eng, const struct bpf_prog *c,
		       struct err *e)
{
	return attach_events(eng, c, false, e);
}

int
bpf_attach_uretprobe_perf(struct engine *eng, const struct bpf_prog *c,
			  struct err *e)
{
	return attach_events(eng, c, true, e);
}
