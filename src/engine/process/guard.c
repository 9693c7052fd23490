/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * guard.c - the guardian, as the consumer sees it: a child that it asks to
 * trace, over a socket of packets, and that outlives it if need be.
 *
 *	consumer ──socket── guardian ──ptrace── target
 *	    └───── journal (shared memory) ┘
 *
 * The consumer may be killed at any instant.  Whatever has begun then is
 * finished by the guardian, which next reads the end of the socket and puts the
 * target right (guard_run.c).  Of a guardian that was killed itself the
 * consumer takes the place, where it may trace.
 *
 * One guardian may guard many processes, which come and go (guard_join()): the
 * programs that a tree executes.
 *
 * One request at a time: the calls are from the consumer's thread.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A guardian; owned by all that it guards. */
struct guardian {
	pid_t pid; /* <= 0: there is none */
	int sock;  /* -1: the same */
	unsigned users;
	bool stays; /* for one that it has not undone yet */
};
struct guard {
	struct guardian *by;
	uint32_t ward;		 /* its number for what it guards here */
	struct patch_journal *j; /* the caller's */
	bool kept; /* guard_drive() has caught it: it stands still */
	bool resumed; /* guard_patch() has let it go */
};

pid_t
guard_pid(const struct guard *g)
{
	return g->by->pid;
}

/* What has ended has closed its end of the socket. */
bool
guard_lives(const struct guard *g)
{
	struct pollfd p = { .fd = g->by->sock };

	return p.fd >= 0 && poll(&p, 1, 0) <= 0;
}

/* ---- asking -------------------------------------------------------------- */

/* Bytes of a request that are of use. */
static size_t
req_len(const struct guard_req *req)
{
	size_t n = offsetof(struct guard_req, span);

	if (req->op == GUARD_UNUSED)
		n += req->n * sizeof(req->span[0]);
	else if (req->op == GUARD_CALLS)
		n += offsetof(struct inject_calls, v) +
		     req->calls.n * sizeof(req->calls.v[0]);
	return n;
}

static int
send_req(const struct guard *g, struct guard_req *req, const int *fd,
	 size_t nfds)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(GUARD_FDS * sizeof(int))];
	} c = { 0 };
	struct iovec iov = { req, req_len(req) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t r;

	req->ward = g->ward;
	if (nfds != 0) {
		m.msg_control = &c;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c.h.cmsg_level = SOL_SOCKET;
		c.h.cmsg_type = SCM_RIGHTS;
		c.h.cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(&c.h), fd, nfds * sizeof(int));
	}
	do
		r = sendmsg(g->by->sock, &m, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	return r == (ssize_t)iov.iov_len ? 0 : -1;
}

/* The guardian is gone: because the target is, or by some accident. */
static int
guard_lost(const struct guard *g, struct err *e)
{
	struct inject_status st;

	if (!inject_process_read(g->j->pid, &st))
		return err_ended(e, g->j->pid, errno);
	if (st.state == 'Z')
		return inject_ended(g->j->pid, e);
	return err_set(e, &ERR_GENERIC, 0,
		       "the guardian of process %d was killed",
		       (int)g->j->pid);
}

static int
guard_ask_with(const struct guard *g, struct guard_req *req, const int *fd,
	       size_t nfds, struct guard_res *res, struct err *e)
{
	ssize_t r;

	if (send_req(g, req, fd, nfds) != 0)
		return guard_lost(g, e);
	do
		r = recv(g->by->sock, res, sizeof(*res), 0);
	while (r < 0 && errno == EINTR);
	if (r < (ssize_t)offsetof(struct guard_res, msg))
		return guard_lost(g, e);
	if (res->rc == 0)
		return 0;
	err_set(e, &ERR_GENERIC, 0, "%s", res->msg);
	e->sys = res->sys;
	return -1;
}

/* Without an answer; what is asked for next comes behind it. */
static void
guard_tell(const struct guard *g, struct guard_req *req)
{
	req->quiet = 1;
	(void)send_req(g, req, NULL, 0);
}

/* fd -1: none goes along. */
static int
guard_ask(const struct guard *g, struct guard_req *req, int fd,
	  struct guard_res *res, struct err *e)
{
	return guard_ask_with(g, req, &fd, fd >= 0 ? 1 : 0, res, e);
}

int
guard_stop(struct guard *g, bool all, unsigned ms, size_t *n, struct err *e)
{
	struct guard_req req = { .op = GUARD_STOP, .all = all, .n = ms };
	struct guard_res res;

	if (g->kept) {
		*n = 1;
		return 0;
	}
	if (guard_ask(g, &req, -1, &res, e) != 0)
		return -1;
	*n = res.n;
	return 0;
}

void
guard_resume(struct guard *g)
{
	struct guard_req req = { .op = GUARD_RESUME };
	struct err ignored = { 0 };
	struct guard_res res;

	if (!g->kept && !g->resumed)
		guard_ask(g, &req, -1, &res, &ignored);
	g->resumed = false;
}

int
guard_syscall(struct guard *g, long nr, const uint64_t arg[6], int64_t *res,
	      struct err *e)
{
	struct guard_req req = { .op = GUARD_SYSCALL, .nr = nr };
	struct guard_res r;

	memcpy(req.arg, arg, sizeof(req.arg));
	if (guard_ask(g, &req, -1, &r, e) != 0)
		return -1;
	*res = r.res;
	return 0;
}

int
guard_calls(struct guard *g, struct inject_calls *c, struct err *e)
{
	struct guard_req req = { .op = GUARD_CALLS };
	struct guard_res r;

	req.calls = *c;
	if (guard_ask(g, &req, -1, &r, e) != 0)
		return -1;
	c->done = (uint32_t)r.n;
	for (uint32_t i = 0; i < c->n; i++)
		c->v[i].res = r.calls[i];
	return 0;
}

int
guard_own(struct guard *g, pid_t *tid, struct err *e)
{
	struct guard_req req = { .op = GUARD_OWN };
	struct guard_res res;

	if (guard_ask(g, &req, -1, &res, e) != 0)
		return -1;
	*tid = (pid_t)res.n;
	return 0;
}

void
guard_own_end(struct guard *g)
{
	struct guard_req req = { .op = GUARD_OWN_END };
	struct err ignored = { 0 };
	struct guard_res res;

	guard_ask(g, &req, -1, &res, &ignored);
}

bool
guard_filters(struct guard *g)
{
	struct guard_req req = { .op = GUARD_FILTERS };
	struct err ignored = { 0 };
	struct guard_res res;

	return guard_ask(g, &req, -1, &res, &ignored) == 0 && res.n != 0;
}

/* A file of n patches and nmoves moves, mapped too: their number of bytes. */
static int
patch_file(const struct patch *p, size_t n, const struct patch_move *moves,
	   size_t nmoves, struct patch **map, struct err *e)
{
	size_t pn = n * sizeof(*p), mn = nmoves * sizeof(*moves);
	int fd = (int)syscall(SYS_memfd_create, "dtrace-patches", MFD_CLOEXEC);
	void *mem = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)(pn + mn)) == 0)
		mem = mmap(NULL, pn + mn, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0);
	if (mem == MAP_FAILED) {
		err_set(e, &ERR_GENERIC, errno, "cannot list the patches");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (pn != 0)
		memcpy(mem, p, pn);
	if (mn != 0)
		memcpy((char *)mem + pn, moves, mn);
	*map = mem;
	return fd;
}

int
guard_patch(struct guard *g, struct patch *p, size_t n,
	    const struct patch_move *moves, size_t nmoves, bool lets_go,
	    struct err *e)
{
	struct guard_req req = { .op = GUARD_PATCH,
				 .all = lets_go,
				 .n = n,
				 .nmoves = nmoves };
	struct patch *map = NULL;
	struct guard_res res;
	int fd, rc;

	if (n == 0)
		return 0;
	fd = patch_file(p, n, moves, nmoves, &map, e);
	if (fd < 0)
		return -1;
	rc = guard_ask(g, &req, fd, &res, e);
	g->resumed = lets_go;
	for (size_t i = 0; i < n; i++)
		p[i].state = map[i].state;
	munmap(map, n * sizeof(*p) + nmoves * sizeof(*moves));
	close(fd);
	return rc;
}

int
guard_undo(struct guard *g, struct err *e)
{
	struct guard_req req = { .op = GUARD_UNDO };
	struct guard_res res;

	return guard_ask(g, &req, -1, &res, e);
}

void
guard_back(struct guard *g, const struct patch_move *moves, size_t nmoves)
{
	struct guard_req req = { .op = GUARD_BACK, .nmoves = nmoves };
	struct err ignored = { 0 };
	struct patch *map = NULL;
	struct guard_res res;
	int fd = patch_file(NULL, 0, moves, nmoves, &map, &ignored);

	if (fd < 0)
		return;
	guard_ask(g, &req, fd, &res, &ignored);
	munmap(map, nmoves * sizeof(*moves));
	close(fd);
}

int
guard_catch(struct guard *g, pid_t tid, struct err *e)
{
	struct guard_req req = { .op = GUARD_CATCH, .nr = tid };
	struct guard_res res;

	return guard_ask(g, &req, -1, &res, e);
}

enum inject_caught
guard_drive(struct guard *g, pid_t tid)
{
	struct guard_req req = { .op = GUARD_DRIVE, .nr = tid };
	struct err ignored = { 0 };
	struct guard_res res;

	if (guard_ask(g, &req, -1, &res, &ignored) != 0)
		return INJECT_LOST;
	g->kept = res.n == INJECT_CAUGHT;
	return (enum inject_caught)res.n;
}

void
guard_release(struct guard *g)
{
	struct guard_req req = { .op = GUARD_RELEASE };

	g->kept = false;
	guard_tell(g, &req);
}

int
guard_unused(struct guard *g, const struct inject_span *v, size_t n,
	     bool *unused, struct err *e)
{
	struct guard_req req = { .op = GUARD_UNUSED, .n = n };
	struct guard_res res;

	memcpy(req.span, v, n * sizeof(*v));
	if (guard_ask(g, &req, -1, &res, e) != 0)
		return -1;
	*unused = res.n != 0;
	return 0;
}

int
guard_ids(struct guard *g, struct inject_id *v, size_t cap, size_t *n,
	  struct err *e)
{
	struct guard_req req = { .op = GUARD_IDS, .n = cap };
	size_t len = cap * sizeof(*v);
	struct guard_res res;
	int fd, rc;

	fd = (int)syscall(SYS_memfd_create, "dtrace-threads", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot list the threads");
	rc = guard_ask(g, &req, fd, &res, e);
	*n = rc == 0 && res.n <= cap ? res.n : 0;
	if (rc == 0 && pread(fd, v, len, 0) < (ssize_t)(*n * sizeof(*v)))
		rc = err_set(e, &ERR_GENERIC, errno, "cannot list the threads");
	close(fd);
	return rc;
}

int
guard_shared(struct guard *g, int fd, uint64_t head, struct err *e)
{
	struct guard_req req = { .op = GUARD_SHARED, .n = head };
	struct guard_res res;

	return guard_ask(g, &req, fd, &res, e);
}

/* ---- its life ------------------------------------------------------------ */

/* Fork with all signals blocked: no handler of the consumer's program is to run
   in the guardian. */
static pid_t
fork_quiet(void)
{
	sigset_t all, was;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &was);
	pid = fork();
	if (pid != 0)
		sigprocmask(SIG_SETMASK, &was, NULL);
	return pid;
}

/* A child of ours that serves the other end of the socket. */
static int
guard_start(struct guard *g, int mem_fd, int pidfd, struct err *e)
{
	struct guardian *by = calloc(1, sizeof(*by));
	int sock[2];

	if (by == NULL)
		return err_nomem(e);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) != 0) {
		free(by);
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot start the guardian");
	}
	by->pid = fork_quiet();
	if (by->pid == 0)
		guard_run(g->j, mem_fd, pidfd, sock[1]);
	close(sock[1]);
	if (by->pid < 0) {
		close(sock[0]);
		free(by);
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot start the guardian");
	}
	by->sock = sock[0];
	by->users = 1;
	g->by = by;
	g->ward = 0;
	return 0;
}

static struct guard *
guard_of(struct patch_journal *j, struct err *e)
{
	struct guard *g = calloc(1, sizeof(*g));

	if (g == NULL)
		err_nomem(e);
	else
		g->j = j;
	return g;
}

struct guard *
guard_new(struct patch_journal *j, int mem_fd, int pidfd, struct err *e)
{
	struct guard *g = guard_of(j, e);

	if (g != NULL && guard_start(g, mem_fd, pidfd, e) == 0)
		return g;
	free(g);
	return NULL;
}

/* fd[n]: as GUARD_JOIN has them. */
static struct guard *
guard_join_with(struct guard *with, struct patch_journal *j,
		struct guard_req *req, const int *fd, size_t n, struct err *e)
{
	struct guard *g = guard_of(j, e);
	struct guard_res res;

	if (g == NULL)
		return NULL;
	g->by = with->by;
	if (guard_ask_with(g, req, fd, n, &res, e) != 0) {
		free(g);
		return NULL;
	}
	g->ward = (uint32_t)res.n;
	g->by->users++;
	return g;
}

struct guard *
guard_join(struct guard *with, struct patch_journal *j, int journal,
	   int mem_fd, int pidfd, struct err *e)
{
	const int fd[] = { journal, mem_fd, pidfd };
	struct guard_req req = { .op = GUARD_JOIN };

	return guard_join_with(with, j, &req, fd, pidfd >= 0 ? 3 : 2, e);
}

struct guard *
guard_join_exec(struct guard *with, struct patch_journal *j,
		const int fd[], uint64_t head, pid_t tid, struct err *e)
{
	struct guard_req req = { .op = GUARD_JOIN, .nr = tid, .n = head };

	return guard_join_with(with, j, &req, fd, GUARD_FDS, e);
}

/* One user less; the last one closes the socket and waits for it to go, unless
   it is to stay. */
static void
guard_let(struct guard *g)
{
	struct guardian *by = g->by;

	g->by = NULL;
	if (--by->users != 0)
		return;
	close(by->sock);
	while (!by->stays && waitpid(by->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(by);
}

int
guard_renew(struct guard *g, int mem_fd, int pidfd, struct err *e)
{
	struct guardian *was = g->by;
	struct guard old = *g;

	if (guard_start(g, mem_fd, pidfd, e) != 0) {
		g->by = was;
		return -1;
	}
	guard_let(&old);
	return 0;
}

void
guard_free(struct guard *g)
{
	struct guard_req req = { .op = GUARD_PART };

	if (g == NULL)
		return;
	g->j->done = 1;
	if (g->by->users > 1)
		guard_tell(g, &req);
	guard_let(g);
	free(g);
}

void
guard_leave(struct guard *g)
{
	g->by->stays = true;
	guard_let(g);
	free(g);
}
