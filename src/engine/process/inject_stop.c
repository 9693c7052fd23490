/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_stop.c - stopping all threads of a process, and letting them go.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT (ptrace(2)) disturb nothing: no signal is
 * sent, and a system call that was interrupted goes on by itself, since its
 * restart is decided after the stop.  /proc/PID/task is read again until it
 * shows nobody new: a thread that stands still makes no more threads.  All are
 * seized before the first is interrupted, for a seized thread runs on: reading
 * /proc takes longer than all else that is done here.
 *
 *	running ──seize──▶ seized ──interrupt──▶ stopped ──detach──▶ running
 *	                     │ signal arrives          ▲
 *	                     └──▶ delivered, and then ─┘
 *
 * A SIGNAL that arrives meanwhile is not held back: it is delivered at once,
 * with all that the kernel knows of it, and the thread stops at the first
 * instruction of its handler.  It is not lost either if we are killed while the
 * thread stands before it (inject_wait()).  A process stopped by job control
 * stays so: the kernel sees to it when we detach.
 *
 * One trace is left: to a process of which any thread is traced the kernel also
 * queues signals that it ignores (SIGCHLD), and one that comes in the moment
 * between the first and the last seize, or detach, may interrupt a call of a
 * thread that is not traced then, such as epoll_wait(2), as a stop would.
 *
 * A thread that waits in the kernel where nothing reaches it (after vfork(2),
 * until its child has executed or ended; in a device) cannot be stopped.  A
 * vfork child runs in the same memory, so nothing may be patched then anyway.
 * Such waits are short as a rule: they are waited for, for STOP_MS, before the
 * thread is seized, because a thread that does not stop cannot be let go; the
 * others run meanwhile.  One that gets into such a wait in between is left to
 * inject_reap().
 *
 * A thread that EXECUTES A PROGRAM ends the others, and waits for those that we
 * have seized already until we have waited for them; meanwhile it keeps a lock
 * that the next PTRACE_SEIZE needs, and each would wait for the other for ever.
 * So a timer runs while threads are seized behind the first, whose handler
 * waits for those that have ended (inject_stop_hear(): in the guardian, whose
 * signals are its own).
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/vec.h"
#include "proc/proc_fs.h"

#define STOP_MS	   1000
#define NAP_NS	   40000
#define HEAR_NS	   1000000 /* where a stop is heard of */
#define RETRY_MS   200 /* another tracer may be about to leave */
#define LET_GO_MS  50
#define OPTS_OURS  PTRACE_O_TRACESYSGOOD
/* The kernel's own, <linux/errno.h>. */
#define ERESTARTNOHAND	      514
#define ERESTART_RESTARTBLOCK 516
/* What proc_ctl.c has set for a process it holds. */
#define OPTS_HELD  (PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)

static uint64_t
stop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void
inject_nap(const struct inject *in, long ns)
{
	sigset_t child;

	if (!in->hears) {
		nanosleep(&(struct timespec){ 0, ns }, NULL);
		return;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &(struct timespec){ 0, HEAR_NS });
}

/* ---- the list ------------------------------------------------------------ */

static struct inject_thread *
thread_find(struct inject *in, pid_t tid)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->threads[i].tid == tid)
			return &in->threads[i];
	return NULL;
}

struct inject_thread *
inject_thread_add(struct inject *in, pid_t tid)
{
	if (!vec_grow((void **)&in->threads, &in->cap, in->n + 1,
		      sizeof(*in->threads)))
		return NULL;
	in->threads[in->n] = (struct inject_thread){
		.tid = tid, .apart = in->all || in->held ? NULL : in
	};
	return &in->threads[in->n++];
}

void
inject_forget(struct inject *in, struct inject_thread *t)
{
	size_t i = (size_t)(t - in->threads);

	memmove(t, t + 1, (in->n - i - 1) * sizeof(*t));
	in->n--;
}

struct inject_thread *
inject_first(struct inject *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->threads[i].stopped)
			return &in->threads[i];
	return NULL;
}

/* ---- one thread ---------------------------------------------------------- */

/* What a thread that we wait for has come to. */
enum came { CAME_NOT, CAME_STOPPED, CAME_GONE };

/*
 * A stop that waitpid() has returned.  Signals are passed on; the interrupt is
 * asked for again since any stop takes it back.
 */
static enum came
stop_seen(struct inject_thread *t, int status)
{
	if (!WIFSTOPPED(status))
		return CAME_GONE;
	if (status >> 16 == PTRACE_EVENT_STOP) {
		t->stopped = true;
		return CAME_STOPPED;
	}
	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) != 0 ||
	    ptrace(PTRACE_CONT, t->tid, 0,
		   status >> 16 == 0 ? (long)WSTOPSIG(status) : 0L) != 0)
		return errno == ESRCH ? CAME_NOT : CAME_GONE;
	return CAME_NOT;
}

int
inject_wait(pid_t tid, bool now, int *status)
{
	siginfo_t si = { 0 };

	while (waitid(P_PID, (id_t)tid, &si,
		      WEXITED | WSTOPPED | WNOWAIT | __WALL |
			      (now ? WNOHANG : 0)) != 0)
		if (errno != EINTR)
			return -1;
	if (si.si_pid == 0)
		return 0;
	*status = si.si_status << 8 | 0x7f;
	/* The stop of a signal is not taken note of: the kernel would forget
	   the signal, which is in PTRACE_CONT's hands from then on. */
	if (si.si_code == CLD_TRAPPED && si.si_status >> 8 == 0 &&
	    si.si_status != (SIGTRAP | 0x80))
		return 1;
	while (waitpid(tid, status, __WALL) < 0)
		if (errno != EINTR)
			return -1;
	return 1;
}

/*
 * Where another thread executes a program, that takes the first one's number,
 * and the kernel wakes who waits for that number too late to find it: nobody.
 */
int
inject_await(const struct inject_thread *t, int *status)
{
	int r;

	if (t->apart == NULL)
		return inject_wait(t->tid, false, status);
	while ((r = inject_wait(t->tid, true, status)) == 0)
		inject_nap(t->apart, NAP_NS);
	return r;
}

static enum came
thread_look(struct inject_thread *t)
{
	int status, r = inject_wait(t->tid, true, &status);

	if (r == 0)
		return CAME_NOT;
	return r < 0 ? CAME_GONE : stop_seen(t, status);
}

int
inject_settle(struct inject_thread *t, int sig)
{
	enum came came = CAME_NOT;
	int status;

	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) != 0 ||
	    ptrace(PTRACE_CONT, t->tid, 0, (long)sig) != 0)
		return -1;
	t->stopped = false;
	while (came == CAME_NOT)
		came = inject_await(t, &status) > 0 ? stop_seen(t, status) :
						      CAME_GONE;
	return came == CAME_STOPPED ? 0 : -1;
}

int
inject_regs_set(struct inject_thread *t)
{
	return ptrace(PTRACE_SETREGS, t->tid, 0, &t->regs) == 0 ? 0 : -1;
}

/* The state letter of a thread: D waits where nothing reaches it. */
static char
thread_state(struct inject *in, pid_t tid)
{
	struct proc_stat st;

	return proc_stat_read(in->pid, tid, &st) ? st.state : 'X';
}

/* ---- seizing amid an execve ---------------------------------------------- */

#define REAP_NS 20000000

/* PTRACE_SEIZE is begun again by itself when the handler has returned.  Of whom
   it has waited for thread_look() will find nothing. */
static void
reap_ended(int sig, siginfo_t *si, void *ucontext)
{
	const struct inject *in = si->si_value.sival_ptr;
	int was = errno;

	if (si->si_code != SI_TIMER || in == NULL || !in->seizing)
		return;
	for (size_t i = 0; i < in->n; i++)
		waitid(P_PID, (id_t)in->threads[i].tid, NULL,
		       WEXITED | WNOHANG | __WALL);
	errno = was;
}

void
inject_stop_hear(void)
{
	struct sigaction sa = { .sa_sigaction = reap_ended,
				.sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	if (sigaction(SIGALRM, &sa, NULL) == 0)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* From the second thread on. */
static void
reap_timer(struct inject *in)
{
	const struct itimerspec often = { { 0, REAP_NS }, { 0, REAP_NS } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGALRM,
			       .sigev_value.sival_ptr = in };

	if (in->timed || !in->hears || in->n == 0 ||
	    timer_create(CLOCK_MONOTONIC, &ev, &in->timer) != 0)
		return;
	in->timed = true;
	timer_settime(in->timer, 0, &often, NULL);
}

static void
reap_timer_end(struct inject *in)
{
	if (in->timed)
		timer_delete(in->timer);
	in->timed = false;
}

/* ---- seizing ------------------------------------------------------------- */

static long
seize_opts(const struct inject *in)
{
	return OPTS_OURS |
	       (in->suspend_seccomp ? PTRACE_O_SUSPEND_SECCOMP : 0);
}

/* One request of ptrace that takes options.  Filters are suspended where that
   may be, also those that are not there yet: one may come before all stand
   still.  Not every kernel and not every container lets us: then without. */
static bool
trace_with(struct inject *in, int request, pid_t tid, long opts)
{
	if (ptrace(request, tid, 0, opts | seize_opts(in)) == 0)
		return true;
	if (!in->suspend_seccomp || (errno != EINVAL && errno != EPERM) ||
	    ptrace(request, tid, 0, opts | OPTS_OURS) != 0)
		return false;
	in->suspend_seccomp = false;
	return true;
}

bool
inject_options(struct inject *in, struct inject_thread *t, long more)
{
	return trace_with(in, PTRACE_SETOPTIONS, t->tid,
			  (t->held ? OPTS_HELD : 0) | more);
}

static bool
seize_once(struct inject *in, pid_t tid)
{
	bool ok;

	in->seizing = true;
	ok = trace_with(in, PTRACE_SEIZE, tid, 0);
	in->seizing = false;
	return ok;
}

/*
 * 0: seized, or it is gone (then *came is CAME_GONE).  Somebody else's tracing
 * may be a glance that passes: it is tried again for a while.
 */
static int
seize(struct inject *in, pid_t tid, enum came *came, struct err *e)
{
	uint64_t until = stop_now() + RETRY_MS;
	struct inject_status st;
	int sys;

	*came = CAME_NOT;
	while (!seize_once(in, tid)) {
		sys = errno;
		st.state = 'X';
		if (sys != ESRCH && !inject_status_read(tid, &st) &&
		    err_short(errno))
			return err_ended(e, tid, errno);
		if (sys == ESRCH || st.state == 'Z' || st.state == 'X') {
			*came = CAME_GONE;
			return 0;
		}
		if (st.tracer == 0 || stop_now() > until)
			return inject_denied(tid, sys, e);
		inject_nap(in, NAP_NS);
	}
	if (inject_thread_add(in, tid) == NULL) {
		err_nomem(e);
		return -1;
	}
	return 0;
}

/* What one look at the list of threads has found. */
struct scan {
	size_t fresh;	/* seized now */
	pid_t deaf;	/* a thread that waits where nothing reaches it; 0 */
};

static int
scan_tid(struct inject *in, pid_t tid, struct scan *s, struct err *e)
{
	enum came came;
	char state;

	if (thread_find(in, tid) != NULL)
		return 0;
	state = thread_state(in, tid);
	if (state == 'D')
		s->deaf = tid;
	if (state == 'D' || state == 'Z' || state == 'X')
		return 0;
	reap_timer(in);
	if (seize(in, tid, &came, e) != 0)
		return -1;
	if (came != CAME_GONE)
		s->fresh++;
	return 0;
}

/* Seize threads that are not yet: all of them, or up to one that is. */
static int
scan_threads(struct inject *in, bool all, struct scan *s, struct err *e)
{
	struct proc_dir it;
	int rc = 0;
	long tid;

	*s = (struct scan){ 0 };
	if (!proc_dir_open(&it, in->pid, "task"))
		return err_ended(e, in->pid, errno);
	while (rc == 0 && (all || s->fresh == 0) &&
	       (tid = proc_dir_next(&it)) >= 0)
		rc = scan_tid(in, (pid_t)tid, s, e);
	proc_dir_close(&it);
	return rc;
}

/* ---- waiting ------------------------------------------------------------- */

/* How many have not stopped yet; those that ended are forgotten. */
static size_t
look_round(struct inject *in, bool slow)
{
	size_t left = 0;

	for (size_t i = 0; i < in->n;) {
		struct inject_thread *t = &in->threads[i];
		enum came came = t->stopped ? CAME_STOPPED : thread_look(t);

		if (came == CAME_GONE) {
			inject_forget(in, t);
			continue;
		}
		/* A main thread that has ended before the others stays. */
		if (came == CAME_NOT &&
		    !(slow && thread_state(in, t->tid) == 'Z'))
			left++;
		i++;
	}
	return left;
}

/* How long threads may take to stop. */
static unsigned
stop_ms(const struct inject *in)
{
	return in->stop_ms != 0 ? in->stop_ms : STOP_MS;
}

/* A thread has not stopped: it waits in the kernel, or it would run, and so
   stop, if it had a CPU for that. */
static int
deaf_fail(struct inject *in, pid_t tid, struct err *e)
{
	if (thread_state(in, tid) == 'R')
		return err_set(e, &ERR_GENERIC, 0,
			       "cannot stop process %d: its thread %d could "
			       "run, but has had no CPU for it in %u ms (a busy "
			       "machine: try again), or is at work in the "
			       "kernel for so long",
			       (int)in->pid, (int)tid, stop_ms(in));
	return err_set(e, &ERR_GENERIC, 0,
		       "cannot stop process %d: its thread %d waits in the "
		       "kernel (for a child of vfork that has not executed "
		       "yet, or for a device)",
		       (int)in->pid, (int)tid);
}

static int
await_stops(struct inject *in, uint64_t until, struct err *e)
{
	for (unsigned round = 0; look_round(in, round > 50) != 0; round++) {
		if (stop_now() > until) {
			for (size_t i = 0; i < in->n; i++)
				if (!in->threads[i].stopped)
					return deaf_fail(
						in, in->threads[i].tid, e);
		}
		inject_nap(in, NAP_NS);
	}
	return 0;
}

static void
interrupt_all(struct inject *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (!in->threads[i].stopped)
			ptrace(PTRACE_INTERRUPT, in->threads[i].tid, 0, 0);
}

/* Seize and wait until a look finds nobody who runs. */
static int
stop_each(struct inject *in, bool all, struct err *e)
{
	uint64_t until = stop_now() + stop_ms(in);
	struct scan s;

	for (;;) {
		if (!all && inject_first(in) != NULL)
			return 0;
		if (scan_threads(in, all, &s, e) != 0)
			return -1;
		if (s.deaf == 0 || !all) {
			interrupt_all(in);
			if (await_stops(in, until, e) != 0)
				return -1;
		} else {
			look_round(in, false); /* signals are to go on */
		}
		if (s.fresh != 0)
			continue;
		if (s.deaf == 0)
			return inject_first(in) != NULL ?
				       0 : inject_ended(in->pid, e);
		if (stop_now() > until)
			return deaf_fail(in, s.deaf, e);
		inject_nap(in, NAP_NS);
	}
}

static int
stop_threads(struct inject *in, bool all, struct err *e)
{
	int rc = stop_each(in, all, e);

	reap_timer_end(in);
	return rc;
}

/* ---- the door ------------------------------------------------------------ */

/* The thread that stands still already, at a breakpoint or in execve. */
static int
take_held(struct inject *in, struct err *e)
{
	struct inject_thread *t;

	if (thread_find(in, in->pid) != NULL)
		return 0;
	t = inject_thread_add(in, in->pid);
	if (t == NULL)
		return err_nomem(e);
	t->held = true;
	if (!inject_options(in, t, 0) ||
	    inject_settle(t, 0) != 0) {
		in->n = 0;
		return inject_ended(in->pid, e);
	}
	return 0;
}

/* Calls that say EINTR after any stop, and have done nothing then: signal(7),
   "Interruption of system calls and library functions by stop signals". */
static const uint16_t calls_eintr[] = {
	SYS_read, SYS_write, SYS_recvfrom, SYS_recvmsg, SYS_sendto,
	SYS_sendmsg, SYS_accept, SYS_accept4, SYS_semop, SYS_semtimedop,
	SYS_rt_sigtimedwait, SYS_epoll_wait, SYS_epoll_pwait,
	SYS_io_getevents, 333 /* io_pgetevents */,
	426 /* io_uring_enter */, 441 /* epoll_pwait2 */,
};

/*
 * A call that our stop has interrupted for good is made one that the kernel
 * restarts unless a handler runs, so that the program does not see us; and so
 * is one that its filters forbid to go on (inject_filter.c).  At once: if we
 * are killed before, it sees what it would see of any stop.
 */
static void
make_restart(const struct inject *in, struct inject_thread *t)
{
	if ((int64_t)t->regs.rax == -ERESTART_RESTARTBLOCK &&
	    in->suspend_seccomp && !inject_may_restart(t->tid)) {
		t->regs.rax = (uint64_t)-ERESTARTNOHAND;
		inject_regs_set(t);
	}
	if ((int64_t)t->regs.rax != -EINTR)
		return;
	for (size_t i = 0; i < sizeof(calls_eintr) / sizeof(*calls_eintr); i++)
		if (t->regs.orig_rax == calls_eintr[i]) {
			t->regs.rax = (uint64_t)-ERESTARTNOHAND;
			inject_regs_set(t);
		}
}

static int
read_regs(struct inject *in, struct err *e)
{
	for (size_t i = 0; i < in->n; i++) {
		struct inject_thread *t = &in->threads[i];

		if (!t->stopped)
			continue;
		if (ptrace(PTRACE_GETREGS, t->tid, 0, &t->regs) != 0)
			return errno == ESRCH ? inject_ended(in->pid, e) :
						inject_denied(t->tid, errno, e);
		make_restart(in, t);
	}
	return 0;
}

int
inject_stop(struct inject *in, bool all, struct err *e)
{
	in->own.tid = 0; /* of a guardian that was killed */
	if (inject_by_guard(in))
		return guard_stop(in->guard, all, in->stop_ms, &in->n, e);
	in->suspend_seccomp = inject_may_suspend();
	in->all = all;
	if ((in->held && take_held(in, e) != 0) ||
	    stop_threads(in, all, e) != 0 || read_regs(in, e) != 0) {
		inject_resume(in);
		return -1;
	}
	in->mute = !in->suspend_seccomp && inject_filters_forbid(in->pid);
	if (in->held && in->guard != NULL)
		inject_admit(in, guard_pid(in->guard));
	return 0;
}

/* False: it did not stand still, so it cannot be let go. */
static bool
let_go(struct inject_thread *t)
{
	if (!t->stopped)
		return false;
	if (t->held)
		return ptrace(PTRACE_SETOPTIONS, t->tid, 0, OPTS_HELD) == 0;
	t->stopped = false;
	return ptrace(PTRACE_DETACH, t->tid, 0, 0) == 0;
}

void
inject_reap(struct inject *in)
{
	for (size_t i = 0; i < in->n;) {
		struct inject_thread *t = &in->threads[i];
		enum came came = t->stopped ? CAME_STOPPED : thread_look(t);

		if (came == CAME_GONE ||
		    (came == CAME_STOPPED && let_go(t)))
			inject_forget(in, t);
		else
			i++;
	}
}

void
inject_bury(struct inject *in)
{
	for (size_t i = 0; i < in->n;) {
		if (thread_look(&in->threads[i]) == CAME_GONE)
			inject_forget(in, &in->threads[i]);
		else
			i++;
	}
}

void
inject_resume(struct inject *in)
{
	uint64_t until = stop_now() + LET_GO_MS;

	if (inject_by_guard(in)) {
		guard_resume(in->guard);
		in->n = 0;
		in->own.tid = 0;
		return;
	}
	inject_own_end(in);
	inject_stub_take(in);
	in->begun = false;
	interrupt_all(in); /* who is seized only can be let go when it stands */
	for (size_t i = 0; i < in->n;) {
		struct inject_thread *t = &in->threads[i];

		if (let_go(t))
			inject_forget(in, t);
		else
			i++;
	}
	for (inject_reap(in); in->n != 0 && stop_now() < until; inject_reap(in))
		inject_nap(in, NAP_NS);
}
