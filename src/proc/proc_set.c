/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_set.c - the processes a handle knows: finding, grabbing, their ends.
 *
 * Ends are seen by pidfd (pidfd_open(2)) for processes that are traced, and
 * by the start time in /proc/PID/stat for those that are only looked up for
 * their symbols: a system-wide ustack() may meet thousands, and a file
 * descriptor for each would be too many.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXEC_MS 2000 /* that execve(2) may take until there is a program */

struct proc_set *
proc_set_new(struct err *e)
{
	struct arena *a = arena_new();
	struct proc_set *ps = a != NULL ? arena_alloc(a, sizeof(*ps)) : NULL;

	if (ps != NULL) {
		ps->arena = a;
		ps->procs = hash_new();
		ps->files = hash_new();
		if (ps->procs != NULL && ps->files != NULL)
			return ps;
		hash_free(ps->procs);
		hash_free(ps->files);
	}
	arena_free(a);
	err_nomem(e);
	return NULL;
}

struct proc_set *
proc_set_beside(struct proc_set *other, struct err *e)
{
	struct proc_set *ps = proc_set_new(e);

	if (ps != NULL)
		ps->beside = other->beside != NULL ? other->beside : other;
	return ps;
}

void
proc_set_free(struct proc_set *ps)
{
	if (ps == NULL)
		return;
	for (struct proc *p = ps->list; p != NULL; p = p->next) {
		if (p->state == PROC_CREATED)
			proc_abandon(p);
		if (p->pidfd >= 0)
			close(p->pidfd);
		proc_execs_end(p);
		proc_maps_fini(p);
		proc_jit_fini(p);
	}
	for (struct mfile *f = ps->files_list; f != NULL; f = f->next)
		elf_close(f->elf);
	kfuncs_free(ps->kfuncs);
	ktext_free(ps->ktext);
	ksyms_free(ps->ksyms != NULL ? ps->ksyms : ps->ksyms_old);
	hash_free(ps->procs);
	hash_free(ps->files);
	arena_free(ps->arena);
}

uint64_t
proc_set_files(const struct proc_set *ps)
{
	return (ps->beside != NULL ? ps->beside : ps)->nfiles;
}

/* Make a process known.  A dead one of the same pid leaves the table but not
   the set: its objects' names may still be in use. */
struct proc *
proc_new(struct proc_set *ps, pid_t pid, struct err *e)
{
	struct proc *p = arena_alloc(ps->arena, sizeof(*p));

	if (p == NULL || hash_set(ps->procs, &pid, sizeof(pid), p) != 0) {
		err_nomem(e);
		return NULL;
	}
	p->set = ps;
	p->pid = pid;
	p->pidfd = -1;
	p->state = PROC_RUNNING;
	p->next = ps->list;
	ps->list = p;
	return p;
}

/* A thread of a process that runs; 0: there is none. */
static pid_t
other_thread(pid_t pid)
{
	struct proc_stat st;
	struct proc_dir it;
	pid_t found = 0;
	long tid;

	if (!proc_dir_open(&it, pid, "task"))
		return 0;
	while (found == 0 && (tid = proc_dir_next(&it)) >= 0)
		if (proc_stat_read(pid, (pid_t)tid, &st) &&
		    !proc_stat_ended(&st))
			found = (pid_t)tid;
	proc_dir_close(&it);
	return found;
}

pid_t
proc_face(pid_t pid)
{
	struct proc_stat st;
	char exe[32], first;
	pid_t other;

	/* Whoever has memory has that, and it is soon asked. */
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	if (readlink(exe, &first, 1) > 0)
		return pid;
	if (!proc_stat_read(pid, 0, &st) || !proc_stat_ended(&st))
		return pid;
	other = other_thread(pid);
	return other != 0 ? other : pid;
}

/* Its line of stat; false: it is not there, has ended, or cannot be looked at
   (errno is that of err_ended() then). */
static bool
stat_living(pid_t pid, struct proc_stat *st)
{
	errno = ESRCH;
	return proc_stat_read(pid, 0, st) &&
	       (!proc_stat_ended(st) || other_thread(pid) != 0);
}

bool
proc_started(pid_t pid, uint64_t *starttime)
{
	struct proc_stat st;

	if (!stat_living(pid, &st))
		return false;
	*starttime = st.v[PROC_STAT_STARTTIME];
	return true;
}

struct proc *
proc_find(struct proc_set *ps, pid_t pid)
{
	return hash_find(ps->procs, &pid, sizeof(pid));
}

/* True if the process that p stands for is still there. */
static bool
proc_alive(struct proc *p)
{
	uint64_t start;

	if (p->state == PROC_ENDED)
		return false;
	return proc_started(p->pid, &start) && start == p->starttime;
}

/* A living process that the set does not know yet; NULL with the error. */
static struct proc *
proc_open_new(struct proc_set *ps, pid_t pid, struct err *e)
{
	struct proc *fresh;
	struct proc_stat st;

	if (pid <= 0 || !stat_living(pid, &st) || proc_stat_kernel(&st)) {
		err_ended(e, pid, errno);
		return NULL;
	}
	fresh = proc_new(ps, pid, e);
	if (fresh == NULL)
		return NULL;
	fresh->starttime = st.v[PROC_STAT_STARTTIME];
	if (proc_load_maps(fresh, e) == 0 && fresh->now.n != 0)
		return fresh;
	/* Gone meanwhile: it stays on the list, unused. */
	hash_set(ps->procs, &pid, sizeof(pid), NULL);
	err_ended(e, pid, 0);
	return NULL;
}

bool
proc_had_maps(struct proc_set *ps, pid_t pid, struct buf *out)
{
	return ps->watch != NULL && proc_watch_maps(ps->watch, pid, out);
}

/* A process that had ended before it was asked for. */
static struct proc *
proc_of_watch(struct proc_set *ps, pid_t pid)
{
	struct buf text = BUF_INIT;
	struct proc *p = NULL;

	if (proc_had_maps(ps, pid, &text))
		p = proc_of_maps(ps, pid, text.p);
	buf_fini(&text);
	if (p != NULL)
		hash_set(ps->procs, &pid, sizeof(pid), p);
	return p;
}

struct proc *
proc_lookup(struct proc_set *ps, pid_t pid)
{
	struct proc *p = proc_find(ps, pid), *fresh;
	struct err ignored = { 0 };

	if (p != NULL && p->pid == pid && proc_alive(p))
		return p;
	fresh = proc_open_new(ps, pid, &ignored);
	/* What was known of a process that has ended stays known. */
	if (fresh == NULL && p != NULL)
		hash_set(ps->procs, &pid, sizeof(pid), p);
	if (fresh == NULL && p == NULL)
		return proc_of_watch(ps, pid);
	return fresh != NULL ? fresh : p;
}

int
proc_each(struct proc_set *ps, int (*fn)(void *arg, struct proc *p), void *arg)
{
	struct proc_dir it;
	struct proc *p;
	int rc = 0;
	long pid;

	if (!proc_dir_open(&it, 0, ""))
		return 0;
	while (rc == 0 && (pid = proc_dir_next(&it)) >= 0) {
		p = proc_lookup(ps, (pid_t)pid);
		if (p != NULL)
			rc = fn(arg, p);
	}
	proc_dir_close(&it);
	return rc;
}

void
proc_note(struct proc_set *ps, pid_t pid, pid_t like)
{
	struct proc *p = proc_find(ps, pid), *from;
	struct err ignored = { 0 };

	if (p != NULL && p->pid == pid && proc_alive(p)) {
		proc_refresh(p);
		return;
	}
	if (proc_open_new(ps, pid, &ignored) != NULL)
		return;
	from = like != pid ? proc_find(ps, like) : NULL;
	if (from == NULL)
		from = p;
	if (from != NULL)
		hash_set(ps->procs, &pid, sizeof(pid), from);
}

struct proc *
proc_next_known(struct proc_set *ps, const struct proc *p)
{
	struct proc *q = p == NULL ? ps->list : p->next;

	while (q != NULL &&
	       (q->state == PROC_ENDED || proc_find(ps, q->pid) != q))
		q = q->next;
	return q;
}

struct proc *
proc_next_held(struct proc_set *ps, const struct proc *p)
{
	struct proc *q = proc_next_known(ps, p);

	while (q != NULL && q->pidfd < 0)
		q = proc_next_known(ps, q);
	return q;
}

static int
grab_fail(pid_t pid, int sys, const char *why, struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys, "failed to grab process %d%s%s",
		       (int)pid, why[0] != '\0' ? ": " : "", why);
}

int
proc_check_fs(struct err *e)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n > 0) {
		self[n] = '\0';
		if (strtol(self, NULL, 10) == (long)getpid())
			return 0;
	}
	return err_set(e, &ERR_GENERIC, 0,
		       "/proc does not show the processes of this PID "
		       "namespace: mount it anew (unshare --mount-proc)");
}

/* Open the pidfd of a process that is known or new. */
static int
grab_pidfd(struct proc *p, struct err *e)
{
	if (p->pidfd >= 0)
		return 0;
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd >= 0)
		return 0;
	if (errno == EINVAL || errno == ENOENT)
		return grab_fail(p->pid, 0, "it is a thread, not a process", e);
	return grab_fail(p->pid, errno, "", e);
}

/*
 * Its objects.  In the middle of execve(2) a process has memory, and no program
 * in it: that passes.  What has no memory, or never gets a program, has none.
 */
static int
grab_maps(struct proc *p, struct err *e)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	if (p->state == PROC_CREATED && p->now.n != 0)
		return 0; /* we hold it: nothing is mapped meanwhile */
	for (int i = 0;; i++) {
		if (proc_load_maps(p, e) != 0)
			return -1;
		if (p->now.n != 0 || p->maps_hash == 0 || i == EXEC_MS)
			return 0;
		nanosleep(&nap, NULL);
	}
}

struct proc *
proc_grab(struct proc_set *ps, pid_t pid, struct err *e)
{
	struct proc *p = proc_find(ps, pid), *old = p;
	uint64_t start;

	if (!ps->fs_checked && proc_check_fs(e) != 0)
		return NULL;
	ps->fs_checked = true;
	if (pid <= 0 || !proc_started(pid, &start)) {
		grab_fail(pid, err_short(errno) ? errno : ESRCH, "", e);
		return NULL;
	}
	if (p == NULL || p->state == PROC_ENDED || p->starttime != start)
		p = proc_new(ps, pid, e);
	if (p == NULL)
		return NULL;
	p->starttime = start;
	if (grab_pidfd(p, e) != 0 || grab_maps(p, e) != 0)
		goto forget;
	if (p->now.n == 0) {
		grab_fail(pid, 0, "it has ended, or is a kernel thread", e);
		goto forget;
	}
	return p;
forget:
	if (p != old)
		hash_set(ps->procs, &pid, sizeof(pid), old);
	return NULL;
}

pid_t
proc_pid(const struct proc *p)
{
	return p->pid;
}

const char *
proc_script(const struct proc *p)
{
	return p->script;
}

const char *
proc_may_exec(struct proc *p)
{
	for (size_t i = 0; p->child && i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);
		struct err e = { 0 };
		struct elf_file *f = o->is_exec ? proc_obj_elf(o, &e) : NULL;

		if (f != NULL && elf_undef(f, "exec") != NULL)
			return "; -x program=NAME begins in a program that it "
			       "executes";
		err_clear(&e);
	}
	return "";
}

bool
proc_is_child(const struct proc *p)
{
	return p->child;
}

int
proc_fd(const struct proc *p)
{
	return p->pidfd;
}

uint64_t
proc_generation(const struct proc *p)
{
	return p->generation;
}

/* A child that was let go has no lasting ptrace relation; another thread may
   stop it for a moment to look at it, which is not its end. */
static void
ended_child(struct proc *p)
{
	int status = -1; /* stays so if someone else reaped it */
	pid_t got;

	proc_execs_last(p);
	got = waitpid(p->pid, &status, WNOHANG);

	if (got == 0 || (got < 0 && errno == EINTR) ||
	    (got == p->pid && WIFSTOPPED(status)))
		return;
	p->reaped = got == p->pid;
	p->status = status;
	p->state = PROC_ENDED;
}

static void
ended_other(struct proc *p)
{
	struct pollfd pfd = { .fd = p->pidfd, .events = POLLIN };

	p->status = -1;
	if (p->pidfd >= 0 ? poll(&pfd, 1, 0) == 1 : !proc_alive(p)) {
		p->status = proc_end_status(p->pidfd, p->pid);
		p->state = PROC_ENDED;
	}
}

bool
proc_ended(struct proc *p, int *status)
{
	if (p->state == PROC_RUNNING) {
		if (p->child)
			ended_child(p);
		else
			ended_other(p);
	}
	if (status != NULL)
		*status = p->status;
	return p->state == PROC_ENDED;
}
