/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_walk.c - profile samples where perf events are refused: at each period
 * every thread that runs is stopped for some microseconds, looked at, and let
 * go.
 *
 * It costs the target far more than an event does, it sees a thread that has
 * just been in the kernel at the call's return, and it takes a thread that
 * waits for a CPU for one that runs.  A thread that somebody else traces is
 * left out.  A signal that stops a thread before we do is given back to it.
 *
 * The stack is walked by tables (host_stack.c), and where there are none by
 * frame pointers, while the thread stands still.
 */
#include "engine/process/host_impl.h"
#include "proc/proc_fs.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_MAX 127u
#define FRAME_SPAN (16u << 20) /* a frame is not larger: the walk is astray */

/* ---- one thread ---------------------------------------------------------- */

static void
moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

/* True if our thread is to end.  That lets go of all that it holds. */
static bool
ending(const struct host *h)
{
	struct pollfd end = { .fd = h->stop_fd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

/*
 * A thread that has died in our hands stays, and its process with it, until we
 * have taken note.  The death of the process itself is its parent's business
 * where that is the consumer.
 */
static void
leader_reap(const struct host *h)
{
	if (host_parent_of((uint64_t)h->in.pid) != (uint64_t)getpid())
		waitpid(h->in.pid, NULL, __WALL | WNOHANG);
}

static void
thread_reap(const struct host *h, uint32_t tid)
{
	if ((pid_t)tid == h->in.pid)
		return; /* later: other threads may live on */
	while (waitpid((pid_t)tid, NULL, __WALL | WNOHANG) == 0 && !ending(h))
		moment();
}

/* True if a thread that has not stopped yet may still do so. */
static bool
thread_lives(const struct host *h, uint32_t tid)
{
	struct proc_stat st;

	return proc_stat_read(h->in.pid, (pid_t)tid, &st) &&
	       !proc_stat_ended(&st);
}

/*
 * Stop it.  *sig is the signal to give back.  False: it has ended, or is not
 * ours to stop, or it does not stop and our thread is to end.
 *
 * That it has stopped is seen by what ptrace() permits then.  waitpid() would
 * be no witness: other threads of the consumer may wait for the process, too,
 * and get the news instead of us.
 */
static bool
thread_stop(const struct host *h, uint32_t tid, int *sig)
{
	siginfo_t si;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return false;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	while (ptrace(PTRACE_GETSIGINFO, tid, NULL, &si) != 0) {
		if (!thread_lives(h, tid)) {
			thread_reap(h, tid);
			return false;
		}
		if (ending(h))
			return false;
		moment();
	}
	*sig = si.si_code >> 8 == PTRACE_EVENT_STOP ? 0 : si.si_signo;
	/* The news of the stop, and no other. */
	waitid(P_PID, tid, &si, WSTOPPED | WNOHANG | __WALL);
	return true;
}

static void
thread_go(const struct host *h, uint32_t tid, int sig)
{
	if (ptrace(PTRACE_DETACH, tid, NULL, (long)sig) != 0)
		thread_reap(h, tid); /* killed meanwhile */
}

static void
registers(const struct user_regs_struct *u, uint64_t *r)
{
	r[DIF_R_R15] = u->r15;
	r[DIF_R_R14] = u->r14;
	r[DIF_R_R13] = u->r13;
	r[DIF_R_R12] = u->r12;
	r[DIF_R_RBP] = u->rbp;
	r[DIF_R_RBX] = u->rbx;
	r[DIF_R_R11] = u->r11;
	r[DIF_R_R10] = u->r10;
	r[DIF_R_R9] = u->r9;
	r[DIF_R_R8] = u->r8;
	r[DIF_R_RAX] = u->rax;
	r[DIF_R_RCX] = u->rcx;
	r[DIF_R_RDX] = u->rdx;
	r[DIF_R_RSI] = u->rsi;
	r[DIF_R_RDI] = u->rdi;
	r[DIF_R_RIP] = u->rip;
	r[DIF_R_CS] = u->cs;
	r[DIF_R_RFL] = u->eflags;
	r[DIF_R_RSP] = u->rsp;
	r[DIF_R_SS] = u->ss;
}

/* The frames from the registers on, at most n; how many there are. */
static uint32_t
frames(struct host_ctx *c, const struct host_sample *s, uint64_t *pcs,
       uint32_t n)
{
	uint64_t fp = s->ureg[DIF_R_RBP], frame[2];
	uint32_t i = 0;

	if (n == 0)
		return 0;
	pcs[i++] = s->ureg[DIF_R_RIP];
	while (i < n && (fp & 7) == 0 &&
	       host_target_read(c, fp, frame, sizeof(frame)) == 0 &&
	       frame[1] != 0) {
		pcs[i++] = frame[1];
		if (frame[0] <= fp || frame[0] - fp > FRAME_SPAN)
			break;
		fp = frame[0];
	}
	return i;
}

/* Fire for a thread that is running on a CPU. */
static void
thread_fire(struct host *h, const struct host_site *site, uint32_t tid,
	    uint32_t cpu)
{
	struct host_ctx *c = &h->ctx[1];
	struct host_sample s = { .tid = tid, .cpu = cpu };
	uint64_t pcs[FRAMES_MAX];
	struct user_regs_struct u;
	int sig;

	if (!thread_stop(h, tid, &sig))
		return;
	bool ok = ptrace(PTRACE_GETREGS, tid, NULL, &u) == 0;
	if (ok) {
		s.time = host_now();
		s.upc = u.rip;
		registers(&u, s.ureg);
		c->line_ok = false;
		s.nustack =
			frames(c, &s, pcs,
			       h->need.uframes < FRAMES_MAX ? h->need.uframes
							    : FRAMES_MAX);
		s.ustack = pcs;
		s.fs = u.fs_base;
		host_stack_walk(h, &s);
	}
	thread_go(h, tid, sig);
	if (ok)
		host_fire(c, site->probe, site->site, &s);
}

/* ---- all of them --------------------------------------------------------- */

/* True if the thread is running; *cpu is where.  Its CPU. */
static bool
thread_runs(const struct host *h, uint32_t tid, uint32_t *cpu)
{
	struct proc_stat st;

	if (!proc_stat_read(h->in.pid, (pid_t)tid, &st) || st.state != 'R')
		return false;
	*cpu = (uint32_t)st.v[PROC_STAT_CPU];
	return true;
}

struct walk {
	struct host *h;
	const struct host_site *site;
};

static void
walk_thread(void *arg, uint32_t tid)
{
	struct walk *w = arg;
	uint32_t cpu;

	if (thread_runs(w->h, tid, &cpu))
		thread_fire(w->h, w->site, tid, cpu);
}

void
host_walk(struct host *h, const struct host_site *site)
{
	struct walk w = { h, site };

	leader_reap(h);
	host_tasks(h, walk_thread, &w);
}
