/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_await.c - a created process, which stands still under ptrace(2), runs on
 * until it executes a program.
 *
 * Any of its threads may do that.  The kernel tells the tracer of that thread,
 * and nobody else; so all threads that it makes are traced meanwhile, each from
 * its first instruction (PTRACE_O_TRACECLONE).  Afterwards there is one thread,
 * which has the number of the process.
 *
 * Nobody but these is waited for: who has us in his program may have other
 * children.  One thread alone is waited for; of more each is asked, once in a
 * millisecond.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS	1000000
#define OPTIONS (PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)

struct awaited {
	pid_t pid;
	VEC(pid_t) tids;
};

static bool
await_add(struct awaited *w, pid_t tid)
{
	for (size_t i = 0; i < w->tids.n; i++)
		if (w->tids.v[i] == tid)
			return true;
	return vec_push(&w->tids, tid);
}

static void
await_drop(struct awaited *w, pid_t tid)
{
	for (size_t i = 0; i < w->tids.n; i++)
		if (w->tids.v[i] == tid)
			w->tids.v[i--] = w->tids.v[--w->tids.n];
}

/* The next of them that has something to say; -1: errno. */
static pid_t
await_next(struct awaited *w, int *status)
{
	for (;;) {
		const int how = __WALL | (w->tids.n > 1 ? WNOHANG : 0);

		for (size_t i = w->tids.n; i-- > 0;) {
			pid_t tid = w->tids.v[i];
			pid_t got = waitpid(tid, status, how);

			if (got > 0)
				return got;
			if (got < 0 && errno == ECHILD && tid != w->pid)
				await_drop(w, tid); /* an exec took it away */
			else if (got < 0 && errno != EINTR)
				return -1;
		}
		if (how & WNOHANG)
			nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
	}
}

/* clone(2) makes processes, too: those are let go. */
static bool
await_is_thread(pid_t pid, pid_t tid)
{
	struct proc_status st;

	return proc_status_read(tid, 0, &st) &&
	       (pid_t)proc_status_number(&st, "Tgid") == pid;
}

/* Let a thread go on that has stopped: with its signal, or stopped still by job
   control.  False: no memory. */
static bool
await_go_on(struct awaited *w, pid_t tid, int status)
{
	const int event = status >> 16;
	int request = PTRACE_CONT;
	unsigned long made = 0;
	long sig = event == 0 ? WSTOPSIG(status) : 0;

	if (event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
		request = PTRACE_LISTEN;
	if (tid != w->pid && event == PTRACE_EVENT_STOP &&
	    !await_is_thread(w->pid, tid)) {
		await_drop(w, tid);
		request = PTRACE_DETACH;
	}
	if (event == PTRACE_EVENT_CLONE &&
	    ptrace(PTRACE_GETEVENTMSG, tid, 0, &made) == 0 &&
	    !await_add(w, (pid_t)made))
		return false;
	(void)ptrace(request, tid, 0, sig); /* it may be dying */
	return true;
}

/* 0: it stands at an exec; 1: it has ended, *status; -1: errno. */
static int
await_loop(struct awaited *w, int *status)
{
	pid_t tid;

	while ((tid = await_next(w, status)) > 0) {
		if (!WIFSTOPPED(*status)) {
			if (tid == w->pid)
				return 1;
			await_drop(w, tid);
			continue;
		}
		if (*status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		if (!await_go_on(w, tid, *status))
			break;
	}
	return -1;
}

int
proc_await_exec(struct proc *p, int *status)
{
	struct awaited w = { .pid = p->pid };
	int rc = -1;

	if (await_add(&w, p->pid) &&
	    ptrace(PTRACE_SETOPTIONS, p->pid, 0,
		   OPTIONS | PTRACE_O_TRACECLONE) == 0 &&
	    ptrace(PTRACE_CONT, p->pid, 0, 0) == 0)
		rc = await_loop(&w, status);
	vec_fini(&w.tids);
	if (rc == 0 && ptrace(PTRACE_SETOPTIONS, p->pid, 0, OPTIONS) != 0)
		rc = -1;
	return rc;
}
