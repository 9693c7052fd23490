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
 * It was forked from a program that we know nothing of, perhaps one with
 * threads: so it holds on to nothing of it (descriptors, session, signals) but
 * the memory it needs, and never returns.
 */
#include "engine/process/inject_impl.h"
#include "engine/process/process_impl.h"

#include <errno.h>
#include <fcntl.h>
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

struct guardian {
	struct patch_journal *j;
	struct inject in; /* its own: it is the tracer */
	int sock, pidfd;
	bool stopped;
	struct rtn_shared *sh; /* its common part; NULL */
	uint64_t ino, head;    /* of that file; see struct map */
	bool keep;	       /* caught: not to be let go yet */
};

/* ---- being nobody's ------------------------------------------------------------ */

static void
close_between(unsigned lo, unsigned hi)
{
	if (lo > hi || syscall(SYS_close_range, lo, hi, 0) == 0)
		return;
	/* Before 5.9. */
	for (unsigned fd = lo; fd <= hi && fd < 65536; fd++)
		close((int)fd);
}

/* Keep three descriptors, as 3, 4 and 5; close all others. */
static void
keep_fds(int fd[3])
{
	int high[3], null;

	for (int i = 0; i < 3; i++)
		high[i] = fd[i] < 0 ? -1 : fcntl(fd[i], F_DUPFD, 10);
	for (int i = 0; i < 3; i++) {
		close(3 + i);
		fd[i] = high[i] < 0 ? -1 : dup2(high[i], 3 + i);
	}
	close_between(6, ~0u);
	null = open("/dev/null", O_RDWR);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (null > 2)
		close(null);
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

	if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
		setpriority(PRIO_PROCESS, 0, -20);
}

static void
become_guardian(struct guardian *g)
{
	int fd[3] = { g->sock, g->in.mem, g->pidfd };

	setsid();
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, NAME);
	prctl(PR_SET_TIMERSLACK, 1000ul);
	be_first();
	keep_fds(fd);
	g->sock = fd[0];
	g->in.mem = fd[1];
	g->pidfd = fd[2];
	if (chdir("/") != 0)
		return; /* then it keeps where it was */
}

/* ---- serving -------------------------------------------------------------------- */

static int
do_stop(struct guardian *g, const struct guard_req *req, struct guard_res *res,
	struct err *e)
{
	g->in.stop_ms = (unsigned)req->n;
	if (inject_stop(&g->in, req->all != 0, e) != 0) {
		g->stopped = false;
		return -1;
	}
	g->stopped = true;
	res->n = g->in.n;
	return 0;
}

static void
do_resume(struct guardian *g)
{
	if (g->keep)
		return;
	inject_resume(&g->in);
	g->stopped = false;
}

static int
do_patch(struct guardian *g, const struct guard_req *req, int fd, struct err *e)
{
	size_t pn = req->n * sizeof(struct patch);
	size_t mn = req->nmoves * sizeof(struct patch_move);
	struct patch *p =
		mmap(NULL, pn + mn, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int rc;

	if (p == MAP_FAILED)
		return err_nomem(e);
	rc = patch_apply(g->j, &g->in, p, req->n,
			 (struct patch_move *)(void *)((char *)p + pn),
			 req->nmoves, e);
	munmap(p, pn + mn);
	return rc;
}

static int
do_unused(struct guardian *g, const struct guard_req *req,
	  struct guard_res *res, struct err *e)
{
	bool unused = false;
	int rc = inject_unused(&g->in, req->span, req->n, &unused, e);

	res->n = unused;
	return rc;
}

static int
do_ids(struct guardian *g, const struct guard_req *req, int fd,
       struct guard_res *res, struct err *e)
{
	struct inject_id *v = calloc(g->in.n + 1, sizeof(*v));
	size_t n, len;
	int rc;

	if (v == NULL)
		return err_nomem(e);
	rc = inject_ids(&g->in, v, &n, e);
	n = rc == 0 && n <= req->n ? n : 0;
	len = n * sizeof(*v);
	if (rc == 0 && pwrite(fd, v, len, 0) != (ssize_t)len)
		rc = err_nomem(e);
	free(v);
	res->n = n;
	return rc;
}

static int
do_shared(struct guardian *g, const struct guard_req *req, int fd,
	  struct err *e)
{
	void *p = mmap(NULL, RTN_OWN, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       0);

	if (p == MAP_FAILED)
		return err_set(e, &ERR_GENERIC, errno,
			       "the guardian cannot map the shared memory");
	if (g->sh != NULL)
		munmap(g->sh, RTN_OWN);
	g->sh = p;
	g->head = req->n;
	g->ino = follow_ino(fd, RTN_OWN);
	return 0;
}

static int
do_own(struct guardian *g, struct guard_res *res, struct err *e)
{
	if (inject_own(&g->in, e) != 0)
		return -1;
	res->n = (uint64_t)g->in.own.tid;
	return 0;
}

static void
do_drive(struct guardian *g, const struct guard_req *req, struct guard_res *res)
{
	enum inject_caught c = inject_drive(&g->in, (pid_t)req->nr);

	g->keep = g->stopped = c == INJECT_CAUGHT;
	g->in.all = true;
	res->n = c;
}

static void
do_release(struct guardian *g)
{
	g->keep = false;
	do_resume(g);
}

static int
serve(struct guardian *g, const struct guard_req *req, int fd,
      struct guard_res *res, struct err *e)
{
	switch ((enum guard_op)req->op) {
	case GUARD_STOP:
		return do_stop(g, req, res, e);
	case GUARD_RESUME:
		do_resume(g);
		return 0;
	case GUARD_SYSCALL:
		return inject_syscall(&g->in, req->nr, req->arg, &res->res, e);
	case GUARD_OWN:
		return do_own(g, res, e);
	case GUARD_OWN_END:
		inject_own_end(&g->in);
		return 0;
	case GUARD_FILTERS:
		res->n = inject_filters_spare(&g->in);
		return 0;
	case GUARD_PATCH:
		return do_patch(g, req, fd, e);
	case GUARD_UNDO:
		return patch_undo_all(g->j, &g->in, e);
	case GUARD_UNUSED:
		return do_unused(g, req, res, e);
	case GUARD_IDS:
		return do_ids(g, req, fd, res, e);
	case GUARD_SHARED:
		return do_shared(g, req, fd, e);
	case GUARD_CATCH:
		return inject_catch(&g->in, (pid_t)req->nr, e);
	case GUARD_DRIVE:
		do_drive(g, req, res);
		return 0;
	case GUARD_RELEASE:
		do_release(g);
		return 0;
	}
	return err_set(e, &ERR_GENERIC, EINVAL, "the guardian");
}

/* 0: a request; *fd is -1 or came with it.  -1: there will be no more. */
static int
take_req(const struct guardian *g, struct guard_req *req, int *fd)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c;
	struct iovec iov = { req, sizeof(*req) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &c,
			    .msg_controllen = sizeof(c) };
	ssize_t r;

	do
		r = recvmsg(g->sock, &m, MSG_CMSG_CLOEXEC);
	while (r < 0 && errno == EINTR);
	*fd = -1;
	if (r == (ssize_t)sizeof(*req) && CMSG_FIRSTHDR(&m) != NULL)
		memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(*fd));
	return r == (ssize_t)sizeof(*req) ? 0 : -1;
}

/* False: nobody asks any more. */
static bool
serve_one(struct guardian *g)
{
	struct guard_req req;
	struct guard_res res = { 0 };
	struct err e = { 0 };
	int fd;

	if (take_req(g, &req, &fd) != 0)
		return false;
	res.rc = serve(g, &req, fd, &res, &e);
	if (res.rc != 0) {
		res.sys = e.sys;
		snprintf(res.msg, sizeof(res.msg), "%.*s",
			 (int)sizeof(res.msg) - 1, e.msg);
	}
	if (fd >= 0)
		close(fd);
	/* If nobody hears it, the next look finds that out. */
	(void)!send(g->sock, &res, sizeof(res), MSG_NOSIGNAL);
	return true;
}

/* ---- tidying up ------------------------------------------------------------------ */

static bool
target_ended(const struct guardian *g)
{
	struct pollfd p = { .fd = g->pidfd, .events = POLLIN };
	struct inject_status st;

	if (g->pidfd >= 0)
		return poll(&p, 1, 0) > 0;
	return !inject_process_read(g->j->pid, &st) || st.state == 'Z';
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
guard_follows(const struct guardian *g)
{
	return g->ino != 0 && g->sh->follow != 0;
}

/*
 * The consumer is gone; or the target is, and then nothing is ours to change:
 * the consumer may live, and its END clauses are still to fire.
 */
static void
tidy_up(struct guardian *g)
{
	struct patch_journal *all = !g->j->done && guard_follows(g) ?
					    patch_journal_copy(g->j) : NULL;

	if (g->sh != NULL && !g->j->done &&
	    (!target_ended(g) || guard_follows(g)))
		__atomic_store_n(&g->sh->ctl.activity, RT_ACT_STOPPED,
				 __ATOMIC_RELEASE);
	while (!g->j->done && anything_set(g->j) && !target_ended(g)) {
		struct err e = { 0 };
		int lock = beside_lock(g->j->pid, RETRY_MS);
		bool done = inject_stop(&g->in, true, &e) == 0 &&
			    patch_undo_all(g->j, &g->in, &e) == 0;

		beside_unlock(lock);
		if (done)
			break;
		inject_resume(&g->in);
		nanosleep(&(struct timespec){ 0, RETRY_MS * 1000000l }, NULL);
	}
	inject_resume(&g->in);
	if (all != NULL)
		follow_clean_tree(&(struct follow_image){ g->head, all }, 1,
				  g->ino);
	free(all);
}

/* Until the consumer or the target is gone; where children are followed, they
   may live on, and the consumer is all that counts. */
static void
serve_all(struct guardian *g)
{
	struct pollfd p[2] = { { .fd = g->sock, .events = POLLIN },
			       { .fd = g->pidfd, .events = POLLIN } };

	for (;;) {
		if (poll(p, 2, g->in.n != 0 ? LOOK_MS : -1) < 0 &&
		    errno != EINTR)
			return;
		if (g->stopped)
			inject_bury(&g->in);
		else
			inject_reap(&g->in);
		if (p[1].revents != 0 && !guard_follows(g))
			return;
		if (p[1].revents != 0)
			p[1].fd = -1;
		if (p[0].revents != 0 && !serve_one(g))
			return;
	}
}

void
guard_run(struct patch_journal *j, int mem_fd, int pidfd, int sock)
{
	struct guardian g = { .j = j, .sock = sock, .pidfd = pidfd };

	g.in.pid = j->pid;
	g.in.mem = mem_fd;
	become_guardian(&g);
	serve_all(&g);
	tidy_up(&g);
	_exit(0);
}
