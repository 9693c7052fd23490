/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * guard_run.c - the guardian: it does what the consumer asks, one request at a
 * time, and when there is nobody left to ask, it tidies up.
 *
 *	serving ──socket ends──▶ silence, stop, undo, let go ──▶ gone
 *	   │                        ▲  │ a debugger holds it
 *	   │                        └──┘ RETRY_MS
 *	   └──the target ends──────────────────────────────────▶ gone
 *
 * It may have many processes, which are given to it and taken away again while
 * the consumer lives.
 *
 * It was forked from a program that we know nothing of, perhaps one with
 * threads: so it holds on to nothing of it (descriptors, session, signals) but
 * the memory it needs, and never returns.
 */
#include "engine/process/inject_impl.h"
#include "engine/process/process_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/rt_native.h"

#define RETRY_MS 200
#define LOOK_MS	 20 /* at threads that are held, or could not be let go */
#define NAME	 "dtrace-guard"

/* A process that it guards. */
struct ward {
	struct patch_journal *j;
	struct inject in; /* its own: it is the tracer */
	int pidfd;
	bool stopped;
	pid_t caught; /* stands still, about to execute a program; 0 */
	struct rtn_shared *sh; /* its common part; NULL */
	uint64_t ino, head;    /* of that file; see struct map */
	bool keep;	       /* caught: not to be let go yet */
	bool joined;	       /* given by GUARD_JOIN: its parts are ours to
				  free */
	bool tidy;	       /* nothing is left to be done there */
};
/* The first one is whom it was forked for.  NULL: one that was parted with. */
struct guarding {
	int sock;
	VEC(struct ward *) wards;
};

/* ---- being nobody's ------------------------------------------------------ */

static void
close_between(unsigned lo, unsigned hi)
{
	if (lo > hi || syscall(SYS_close_range, lo, hi, 0) == 0)
		return;
	/* Before 5.9. */
	for (unsigned fd = lo; fd <= hi && fd < 65536; fd++)
		close((int)fd);
}

/* All but three, of which any may be -1. */
static void
close_but(const int fd[3])
{
	int lo = 0;

	for (;;) {
		int next = INT_MAX;

		for (int i = 0; i < 3; i++)
			if (fd[i] >= lo && fd[i] < next)
				next = fd[i];
		if (next > lo)
			close_between((unsigned)lo,
				      next == INT_MAX ? ~0u
						      : (unsigned)next - 1);
		if (next == INT_MAX)
			return;
		lo = next + 1;
	}
}

/*
 * Keep three descriptors, as 3, 4 and 5; close all others.  It takes no number
 * above 5, however few descriptors there may be: copies get the lowest free
 * ones, which are in order, so that none is above its place, and from the last
 * to the first no place is a copy that is still needed.
 */
static void
keep_fds(int fd[3])
{
	int copy[3], null;

	close_but(fd);
	for (int i = 0; i < 3; i++)
		copy[i] = fd[i] < 0 ? -1 : dup(fd[i]);
	for (int i = 2; i >= 0; i--) {
		if (copy[i] != 3 + i)
			close(3 + i);
		fd[i] = copy[i] < 0 ? -1 : dup2(copy[i], 3 + i);
	}
	close_between(6, ~0u);
	for (int i = 0; i < 3; i++)
		close(i);
	null = open("/dev/null", O_RDWR);
	for (int i = 1; null == 0 && i < 3; i++)
		dup2(null, i);
}

/* struct sched_attr of sched_setattr(2), which the header has that cannot be
   read beside <sched.h>. */
struct turns {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns */
};

/* A thread that asks for short turns gets them sooner, from Linux 6.12 on:
   anybody may. */
static void
take_short_turns(void)
{
	const struct turns a = { .size = sizeof(a),
				 .policy = SCHED_OTHER,
				 .nice = getpriority(PRIO_PROCESS, 0),
				 .runtime = 100000 };

	syscall(SYS_sched_setattr, 0, &a, 0);
}

/*
 * While it holds the target it is all that matters, where that is permitted.
 * Niceness is not enough: of threads let go one by one the first ones take the
 * processor from it until the next tick, and the others stand still meanwhile.
 */
static void
be_first(void)
{
	const struct sched_param first = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO)
	};

	if (sched_setscheduler(0, SCHED_FIFO, &first) == 0)
		return;
	take_short_turns();
	setpriority(PRIO_PROCESS, 0, -20);
}

/* Two for each process. */
static void
many_fds(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static void
become_guardian(struct guarding *g, struct ward *w)
{
	int fd[3] = { g->sock, w->in.mem, w->pidfd };

	setsid();
	signal(SIGCHLD, SIG_DFL);
	inject_stop_hear();
	prctl(PR_SET_NAME, NAME);
	prctl(PR_SET_TIMERSLACK, 1000ul);
	be_first();
	keep_fds(fd);
	many_fds();
	g->sock = fd[0];
	w->in.mem = fd[1];
	w->pidfd = fd[2];
	if (chdir("/") != 0)
		return; /* then it keeps where it was */
}

/* ---- serving ------------------------------------------------------------- */

static int
do_stop(struct ward *w, const struct guard_req *req, struct guard_res *res,
	struct err *e)
{
	w->in.stop_ms = (unsigned)req->n;
	if (inject_stop(&w->in, req->all != 0, e) != 0) {
		w->stopped = false;
		return -1;
	}
	w->stopped = true;
	res->n = w->in.n;
	return 0;
}

static void
do_resume(struct ward *w)
{
	if (w->keep)
		return;
	inject_resume(&w->in);
	w->stopped = false;
}

static int
do_patch(struct ward *w, const struct guard_req *req, int fd, struct err *e)
{
	size_t pn = req->n * sizeof(struct patch);
	size_t mn = req->nmoves * sizeof(struct patch_move);
	struct patch *p =
		mmap(NULL, pn + mn, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int rc;

	if (p == MAP_FAILED)
		return err_nomem(e);
	rc = patch_apply(w->j, &w->in, p, req->n,
			 (struct patch_move *)(void *)((char *)p + pn),
			 req->nmoves, e);
	munmap(p, pn + mn);
	if (req->all)
		do_resume(w);
	return rc;
}

static int
do_back(struct ward *w, const struct guard_req *req, int fd, struct err *e)
{
	size_t n = req->nmoves * sizeof(struct patch_move);
	void *moves = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

	if (moves == MAP_FAILED)
		return err_nomem(e);
	patch_back(w->j, &w->in, moves, req->nmoves);
	munmap(moves, n);
	return 0;
}

static int
do_unused(struct ward *w, const struct guard_req *req,
	  struct guard_res *res, struct err *e)
{
	bool unused = false;
	int rc = inject_unused(&w->in, req->span, req->n, &unused, e);

	res->n = unused;
	return rc;
}

static int
do_ids(struct ward *w, const struct guard_req *req, int fd,
       struct guard_res *res, struct err *e)
{
	struct inject_id *v = calloc(w->in.n + 1, sizeof(*v));
	size_t n, len;
	int rc;

	if (v == NULL)
		return err_nomem(e);
	rc = inject_ids(&w->in, v, &n, e);
	n = rc == 0 && n <= req->n ? n : 0;
	len = n * sizeof(*v);
	if (rc == 0 && pwrite(fd, v, len, 0) != (ssize_t)len)
		rc = err_nomem(e);
	free(v);
	res->n = n;
	return rc;
}

static int
do_shared(struct ward *w, const struct guard_req *req, int fd,
	  struct err *e)
{
	void *p = mmap(NULL, RTN_OWN, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       0);

	if (p == MAP_FAILED)
		return err_set(e, &ERR_GENERIC, errno,
			       "the guardian cannot map the shared memory");
	if (w->sh != NULL)
		munmap(w->sh, RTN_OWN);
	w->sh = p;
	w->head = req->n;
	w->ino = follow_ino(fd, RTN_OWN);
	return 0;
}

static int
do_calls(struct ward *w, struct guard_req *req, struct guard_res *res,
	 struct err *e)
{
	int rc = req->calls.n <= INJECT_CALLS
			 ? inject_calls(&w->in, &req->calls, e)
			 : err_set(e, &ERR_GENERIC, EINVAL, "the guardian");

	res->n = req->calls.done;
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; i < req->calls.n; i++)
		res->calls[i] = req->calls.v[i].res;
	return 0;
}

static int
do_own(struct ward *w, struct guard_res *res, struct err *e)
{
	if (inject_own(&w->in, e) != 0)
		return -1;
	res->n = (uint64_t)w->in.own.tid;
	return 0;
}

static int
do_catch(struct ward *w, const struct guard_req *req, struct err *e)
{
	if (inject_catch(&w->in, (pid_t)req->nr, e) != 0)
		return -1;
	w->caught = (pid_t)req->nr;
	return 0;
}

static void
do_drive(struct ward *w, const struct guard_req *req, struct guard_res *res)
{
	enum inject_caught c = inject_drive(&w->in, (pid_t)req->nr);

	w->caught = 0;
	w->keep = w->stopped = c == INJECT_CAUGHT;
	w->in.all = true;
	res->n = c;
}

static void
do_release(struct ward *w)
{
	w->keep = false;
	do_resume(w);
}

static int
serve(struct ward *w, struct guard_req *req, int fd,
      struct guard_res *res, struct err *e)
{
	switch ((enum guard_op)req->op) {
	case GUARD_STOP:
		return do_stop(w, req, res, e);
	case GUARD_RESUME:
		do_resume(w);
		return 0;
	case GUARD_SYSCALL:
		return inject_syscall(&w->in, req->nr, req->arg, &res->res, e);
	case GUARD_CALLS:
		return do_calls(w, req, res, e);
	case GUARD_OWN:
		return do_own(w, res, e);
	case GUARD_OWN_END:
		inject_own_end(&w->in);
		return 0;
	case GUARD_FILTERS:
		res->n = inject_filters_spare(&w->in);
		return 0;
	case GUARD_PATCH:
		return do_patch(w, req, fd, e);
	case GUARD_UNDO:
		return patch_undo_all(w->j, &w->in, e);
	case GUARD_BACK:
		return do_back(w, req, fd, e);
	case GUARD_UNUSED:
		return do_unused(w, req, res, e);
	case GUARD_IDS:
		return do_ids(w, req, fd, res, e);
	case GUARD_SHARED:
		return do_shared(w, req, fd, e);
	case GUARD_CATCH:
		return do_catch(w, req, e);
	case GUARD_DRIVE:
		do_drive(w, req, res);
		return 0;
	case GUARD_RELEASE:
		do_release(w);
		return 0;
	case GUARD_JOIN:
	case GUARD_PART:
		break; /* of no ward */
	}
	return err_set(e, &ERR_GENERIC, EINVAL, "the guardian");
}

/* ---- wards that come and go ---------------------------------------------- */

static void
ward_free(struct ward *w)
{
	if (w->caught != 0)
		inject_uncatch(w->caught);
	inject_resume(&w->in);
	free(w->in.threads);
	if (w->sh != NULL)
		munmap(w->sh, RTN_OWN);
	patch_journal_free(w->j);
	close(w->in.mem);
	if (w->pidfd >= 0)
		close(w->pidfd);
	free(w);
}

/* A number that is free, with nobody yet. */
static size_t
ward_number(struct guarding *g)
{
	size_t i = 1;

	while (i < g->wards.n && g->wards.v[i] != NULL)
		i++;
	if (i == g->wards.n && !vec_push(&g->wards, NULL))
		return 0;
	return i;
}

/* fd: journal, memory, and perhaps a pidfd; those that are kept become -1. */
static int
ward_join(struct guarding *g, int fd[GUARD_FDS], struct guard_res *res,
	  struct err *e)
{
	size_t i = ward_number(g);
	struct ward *w = i != 0 ? calloc(1, sizeof(*w)) : NULL;

	if (w == NULL)
		return err_nomem(e);
	w->j = patch_journal_map(fd[0]);
	if (w->j == NULL || fd[1] < 0) {
		if (w->j != NULL)
			patch_journal_free(w->j);
		free(w);
		return err_nomem(e);
	}
	w->joined = true;
	w->in.pid = w->j->pid;
	w->in.hears = true;
	w->in.mem = fd[1];
	w->pidfd = fd[2];
	fd[1] = fd[2] = -1;
	g->wards.v[i] = w;
	res->n = i;
	return 0;
}

static int
ward_part(struct guarding *g, size_t i)
{
	ward_free(g->wards.v[i]);
	g->wards.v[i] = NULL;
	return 0;
}

/* And what it is to do with it at once. */
static int
do_join(struct guarding *g, const struct guard_req *req, int fd[GUARD_FDS],
	struct guard_res *res, struct err *e)
{
	int rc = ward_join(g, fd, res, e);

	if (rc != 0)
		return rc;
	if (fd[3] >= 0)
		rc = do_shared(g->wards.v[res->n], req, fd[3], e);
	if (rc == 0 && req->nr != 0)
		rc = do_catch(g->wards.v[res->n], req, e);
	if (rc != 0)
		ward_part(g, res->n);
	return rc;
}

static int
serve_any(struct guarding *g, struct guard_req *req, int fd[GUARD_FDS],
	  struct guard_res *res, struct err *e)
{
	struct ward *w =
		req->ward < g->wards.n ? g->wards.v[req->ward] : NULL;

	if (req->op == GUARD_JOIN)
		return do_join(g, req, fd, res, e);
	if (w == NULL || (req->op == GUARD_PART && !w->joined))
		return err_set(e, &ERR_GENERIC, EINVAL, "the guardian");
	return req->op == GUARD_PART ? ward_part(g, req->ward)
				     : serve(w, req, fd[0], res, e);
}

/* 0: a request; fd[] is -1 or came with it.  -1: there will be no more. */
static int
take_req(const struct guarding *g, struct guard_req *req, int fd[GUARD_FDS])
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(GUARD_FDS * sizeof(int))];
	} c;
	struct iovec iov = { req, sizeof(*req) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &c,
			    .msg_controllen = sizeof(c) };
	struct cmsghdr *h;
	ssize_t r;

	do
		r = recvmsg(g->sock, &m, MSG_CMSG_CLOEXEC);
	while (r < 0 && errno == EINTR);
	for (size_t i = 0; i < GUARD_FDS; i++)
		fd[i] = -1;
	if (r < (ssize_t)offsetof(struct guard_req, span))
		return -1;
	h = CMSG_FIRSTHDR(&m);
	if (h != NULL)
		memcpy(fd, CMSG_DATA(h), h->cmsg_len - CMSG_LEN(0));
	return 0;
}

/* False: nobody asks any more. */
static bool
serve_one(struct guarding *g)
{
	struct guard_req req;
	struct guard_res res = { 0 };
	struct err e = { 0 };
	size_t n = offsetof(struct guard_res, msg);
	int fd[GUARD_FDS];

	if (take_req(g, &req, fd) != 0)
		return false;
	res.rc = serve_any(g, &req, fd, &res, &e);
	if (res.rc != 0) {
		res.sys = e.sys;
		snprintf(res.msg, sizeof(res.msg), "%.*s",
			 (int)sizeof(res.msg) - 1, e.msg);
		n = sizeof(res);
	}
	for (size_t i = 0; i < GUARD_FDS; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	/* If nobody hears it, the next look finds that out. */
	if (!req.quiet)
		(void)!send(g->sock, &res, n, MSG_NOSIGNAL);
	return true;
}

/* ---- tidying up ---------------------------------------------------------- */

static bool
target_ended(const struct ward *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };
	struct inject_status st;

	if (w->pidfd >= 0)
		return poll(&p, 1, 0) > 0;
	return !inject_process_read(w->j->pid, &st) || st.state == 'Z';
}

static bool
anything_set(const struct patch_journal *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		if (j->p[i].state == PATCH_SET)
			return true;
	return false;
}

/* Children of the target are traced too. */
static bool
guard_follows(const struct ward *w)
{
	return w->ino != 0 && w->sh->follow != 0;
}

/*
 * The consumer is gone; or the target is, and then nothing is ours to change:
 * the consumer may live, and its END clauses are still to fire.
 */
static void
ward_silence(struct ward *w)
{
	if (w->sh != NULL && !w->j->done &&
	    (!target_ended(w) || guard_follows(w)))
		__atomic_store_n(&w->sh->ctl.activity, RT_ACT_STOPPED,
				 __ATOMIC_RELEASE);
}

/* False: not yet. */
static bool
ward_undo(struct ward *w)
{
	struct err e = { 0 };
	bool done = w->j->done || !anything_set(w->j) || target_ended(w);
	int lock;

	if (!done) {
		lock = beside_lock(w->j->pid, RETRY_MS);
		done = inject_stop(&w->in, true, &e) == 0 &&
		       patch_undo_all(w->j, &w->in, &e) == 0;
		beside_unlock(lock);
	}
	inject_resume(&w->in);
	return done;
}

/* What was written into the programs whose children are traced too. */
static size_t
wards_images(const struct guarding *g, struct follow_image *v, uint64_t *ino)
{
	size_t n = 0;

	for (size_t i = 0; i < g->wards.n; i++) {
		const struct ward *w = g->wards.v[i];

		if (w == NULL || w->j->done || !guard_follows(w))
			continue;
		*ino = w->ino;
		v[n].head = w->head;
		v[n++].j = patch_journal_copy(w->j);
	}
	return n;
}

/* A thread that is to execute a program may have borrowed the memory of another
   of ours, which cannot be stopped before it has. */
static void
wards_let_go(struct guarding *g)
{
	for (size_t i = 0; i < g->wards.n; i++) {
		struct ward *w = g->wards.v[i];

		if (w != NULL && w->caught != 0)
			inject_uncatch(w->caught);
		if (w != NULL && !anything_set(w->j))
			inject_resume(&w->in);
	}
}

/* One that cannot be undone now is not to keep others waiting. */
static bool
wards_undo(struct guarding *g)
{
	bool all = true;

	for (size_t i = 0; i < g->wards.n; i++) {
		struct ward *w = g->wards.v[i];

		if (w == NULL || w->tidy)
			continue;
		w->tidy = ward_undo(w);
		all &= w->tidy;
	}
	return all;
}

static void
tidy_up(struct guarding *g)
{
	struct follow_image *v = calloc(g->wards.n, sizeof(*v));
	uint64_t ino = 0;
	size_t n = v != NULL ? wards_images(g, v, &ino) : 0;

	wards_let_go(g);
	for (size_t i = 0; i < g->wards.n; i++)
		if (g->wards.v[i] != NULL)
			ward_silence(g->wards.v[i]);
	while (!wards_undo(g))
		nanosleep(&(struct timespec){ 0, RETRY_MS * 1000000l }, NULL);
	if (n != 0)
		follow_clean_tree(v, n, ino);
	for (size_t i = 0; i < n; i++)
		free(v[i].j);
	free(v);
}

/* Threads that are gone, or could not be let go. */
static void
wards_look(struct guarding *g)
{
	for (size_t i = 0; i < g->wards.n; i++) {
		struct ward *w = g->wards.v[i];

		if (w == NULL || w->in.n == 0)
			continue;
		if (w->stopped)
			inject_bury(&w->in);
		else
			inject_reap(&w->in);
	}
}

static bool
wards_hold(const struct guarding *g)
{
	for (size_t i = 0; i < g->wards.n; i++)
		if (g->wards.v[i] != NULL && g->wards.v[i]->in.n != 0)
			return true;
	return false;
}

/* Until the consumer or the target is gone; where children are followed, or
   there are several targets, they may live on, and the consumer is all that
   counts. */
static void
serve_all(struct guarding *g)
{
	struct ward *w = g->wards.v[0];
	struct pollfd p[2] = { { .fd = g->sock, .events = POLLIN },
			       { .fd = w->pidfd, .events = POLLIN } };
	bool holds = false;

	for (;;) {
		if (poll(p, 2, holds ? LOOK_MS : -1) < 0 && errno != EINTR)
			return;
		wards_look(g);
		if (p[1].revents != 0 && !guard_follows(w) && g->wards.n == 1)
			return;
		if (p[1].revents != 0)
			p[1].fd = -1;
		if (p[0].revents != 0 && !serve_one(g))
			return;
		holds = wards_hold(g);
	}
}

void
guard_run(struct patch_journal *j, int mem_fd, int pidfd, int sock)
{
	struct ward w = { .j = j, .pidfd = pidfd };
	struct guarding g = { .sock = sock };

	w.in.pid = j->pid;
	w.in.hears = true;
	w.in.mem = mem_fd;
	become_guardian(&g, &w);
	if (vec_push(&g.wards, &w)) {
		serve_all(&g);
		tidy_up(&g);
	}
	_exit(0);
}
