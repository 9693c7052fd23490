/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_own.c - a thread of our own in a process that has no free descriptor.
 *
 *	first thread ──clone──▶ thread of our own ──close_range──▶ calls ──▶
 *	exit
 *	(in the stub)           traced from its first moment on
 *
 * Descriptors belong to a table, and a thread may have one of its own.  So a
 * thread is made, with the memory of the process and none of its descriptors
 * (CLOSE_RANGE_UNSHARE copies nothing and closes nothing), which opens what has
 * to be mapped, maps it, and ends.  Nothing of the process's is borrowed, and
 * no limit is raised: if its tracer is killed at any step, the thread makes the
 * call that it is in, ends by itself, and its table with it (inject_stub.c).
 *
 * All signals are blocked in it, as in the thread that made it.  It has that
 * thread's stack pointer, and no use for it.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Younger than the headers of some systems. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define RANGE_UNSHARE 2u /* CLOSE_RANGE_UNSHARE */

/* It is not to leave a trace in what the others undo at their end (semop(2)),
   so without CLONE_SYSVSEM. */
#define OWN_FLAGS                                                              \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static int
own_fail(const struct inject *in, int sys, struct err *e)
{
	err_set(e, &ERR_GENERIC, sys,
		"process %d has no free descriptor, and no thread with its own "
		"can be made there", (int)in->pid);
	e->sys = EMFILE; /* whatever the reason: not for want of memory */
	return -1;
}

/* Its first stop, before it has run anything. */
static int
own_take(struct inject *in, pid_t tid, struct err *e)
{
	struct inject_thread own = { .tid = tid, .stopped = true };
	int status = 0;

	while (status >> 16 != PTRACE_EVENT_STOP)
		if ((status != 0 && ptrace(PTRACE_CONT, tid, 0, 0) != 0) ||
		    inject_wait(tid, false, &status) <= 0 ||
		    !WIFSTOPPED(status))
			return inject_ended(in->pid, e);
	if (ptrace(PTRACE_GETREGS, tid, 0, &own.regs) != 0)
		return own_fail(in, errno, e);
	in->own = own;
	return 0;
}

/* What the first thread makes is traced as that is. */
static int
own_make(struct inject *in, struct err *e)
{
	const uint64_t arg[6] = { OWN_FLAGS };
	struct inject_thread *t = inject_first(in);
	int64_t res = -ESRCH;
	int rc;

	if (t == NULL)
		return inject_ended(in->pid, e);
	t->born = 0;
	if (!inject_options(in, t, PTRACE_O_TRACECLONE))
		return own_fail(in, errno, e);
	rc = inject_syscall(in, SYS_clone, arg, &res, e);
	t = inject_first(in);
	if (t == NULL)
		return rc != 0 ? rc : inject_ended(in->pid, e);
	inject_options(in, t, 0);
	if (rc != 0)
		return rc;
	return t->born != 0 ? own_take(in, t->born, e)
			    : own_fail(in, (int)-res, e);
}

/* A table of descriptors with nothing in it. */
static int
own_table(struct inject *in, struct err *e)
{
	const uint64_t arg[6] = { 0, ~0u, RANGE_UNSHARE };
	int64_t res;

	if (inject_own_syscall(in, SYS_close_range, arg, &res, e) != 0)
		return -1;
	return res == 0 ? 0 : own_fail(in, (int)-res, e);
}

int
inject_own_syscall(struct inject *in, long nr, const uint64_t arg[6],
		   int64_t *res, struct err *e)
{
	if (inject_run(&in->own, inject_stub_own(in), true, nr, arg, res) == 0)
		return 0;
	inject_own_end(in);
	return inject_ended(in->pid, e);
}

int
inject_own(struct inject *in, struct err *e)
{
	if (inject_by_guard(in))
		return guard_own(in->guard, &in->own.tid, e);
	/* Nobody has tried whether filters that it shares with us allow
	   this. */
	if (in->suspend_seccomp ? !inject_filters_spare_own(in) :
				  inject_under_seccomp(in->pid))
		return own_fail(in, EMFILE, e);
	if (own_make(in, e) != 0)
		return -1;
	if (own_table(in, e) == 0)
		return 0;
	inject_own_end(in);
	return -1;
}

/* Wait until it has ended: it is in the stub until then. */
static void
own_await(pid_t tid)
{
	int status;

	while (inject_wait(tid, false, &status) > 0 && WIFSTOPPED(status))
		if (ptrace(PTRACE_CONT, tid, 0, 0) != 0)
			return;
}

void
inject_own_end(struct inject *in)
{
	struct user_regs_struct r = in->own.regs;
	const pid_t tid = in->own.tid;

	in->own.tid = 0;
	if (tid == 0)
		return;
	if (inject_by_guard(in)) {
		guard_own_end(in->guard);
		return;
	}
	r.rip = inject_stub_own(in);
	r.orig_rax = ~0ull;
	r.rax = SYS_exit;
	r.rdi = 0;
	if (ptrace(PTRACE_SETREGS, tid, 0, &r) == 0 &&
	    ptrace(PTRACE_CONT, tid, 0, 0) == 0)
		own_await(tid);
}
