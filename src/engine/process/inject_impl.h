/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_impl.h - what the files behind inject.h and patch.h share.
 *
 *	consumer                          guardian
 *	inject_stop() ──▶ guard_stop() ──▶ inject_stop(), its own, locally
 *	inject_syscall, patch_apply ...    the same
 */
#ifndef ENGINE_PROCESS_INJECT_IMPL_H
#define ENGINE_PROCESS_INJECT_IMPL_H

#include "base/vec.h"
#include "engine/process/inject.h"
#include "engine/process/patch.h"
#include "proc/proc.h"

/* True if somebody else, the guardian, traces for us. */
static inline bool
inject_by_guard(const struct inject *in)
{
	return in->guard != NULL && !in->held;
}

/* ---- inject_check.c ------------------------------------------------------ */

/* The lines of /proc/PID/status that matter here. */
struct inject_status {
	char state;
	pid_t tracer;
	unsigned uid[3]; /* real, effective, saved */
	int seccomp, filters;
	unsigned threads;
	bool has_memory; /* no kernel thread, no zombie */
};
/* False: there is no such process or thread. */
bool inject_status_read(pid_t pid, struct inject_status *st);
/* Of a process: where its main thread has ended before the others, that of one
   that runs.  State 'Z': all have. */
bool inject_process_read(pid_t pid, struct inject_status *st);
/* The kernel has refused us the process or one of its threads: say why. */
int inject_denied(pid_t pid, int sys, struct err *e);
/* kernel.yama.ptrace_scope; 0 where there is no Yama. */
int inject_yama(void);
/* It is under filters that may end it for our calls, as far as inject_check()
   has found out; to be asked while it stands still. */
bool inject_filters_forbid(pid_t pid);

/* ---- inject_filter.c ----------------------------------------------------- */

/* The same of what it takes to have a thread of our own (inject_own()). */
bool inject_filters_spare_own(const struct inject *in);
/* A stopped thread may be let go on by restart_syscall(2). */
bool inject_may_restart(pid_t tid);

/* ---- inject_stop.c ------------------------------------------------------- */

/* In the guardian, once: of threads that end while others are seized it is to
   hear. */
void inject_stop_hear(void);
/* The first thread that stands still; NULL: none. */
struct inject_thread *inject_first(struct inject *in);
/* It is gone: forget it. */
void inject_forget(struct inject *in, struct inject_thread *t);
/*
 * Wait for a thread that we trace to stop or end.  1: *status is as waitpid(2)
 * has it; 0: nothing yet (now: do not wait); -1: there is no such thread.  A
 * signal on its way to the thread stays with the kernel until the thread is let
 * go on with it, so that it is not lost if we are killed before.
 */
int inject_wait(pid_t tid, bool now, int *status);
/* Wait for it until it has: 1 or -1, as inject_wait(). */
int inject_await(const struct inject_thread *t, int *status);
/* A while, or until a thread may have stopped. */
void inject_nap(const struct inject *in, long ns);
/* How a thread that we hold is traced: as ever, and `more`.  False: errno. */
bool inject_options(struct inject *in, struct inject_thread *t, long more);
/* Write its registers back.  0; -1: it is gone. */
int inject_regs_set(struct inject_thread *t);
/* From any ptrace-stop to the stop of PTRACE_INTERRUPT, with no instruction of
   the program in between.  sig: a signal to be delivered on the way. */
int inject_settle(struct inject_thread *t, int sig);
/* Threads that could not be let go when the others were: do it now. */
void inject_reap(struct inject *in);
/* Forget those that have been killed.  Until their tracer has waited for them
   the process has not ended for anybody else. */
void inject_bury(struct inject *in);

/* A thread added to the list; NULL: no memory. */
struct inject_thread *inject_thread_add(struct inject *in, pid_t tid);

/* ---- inject_catch.c ------------------------------------------------------ */

enum inject_caught {
	INJECT_GOES_ON,	   /* not the end yet */
	INJECT_CAUGHT,	   /* stands at the first instruction of a program */
	INJECT_FAILED,	   /* execve(2) has: the thread was let go */
	INJECT_PRIVILEGED, /* let go: traced, it would be another program */
	INJECT_MISSED,	   /* let go: it did not come to execute anything */
	INJECT_LOST	   /* it has ended */
};
/* Stop thread tid, which is about to execute a program.  0 / -1 + *e. */
int inject_catch(struct inject *in, pid_t tid, struct err *e);
/* Let it go on with that, untraced. */
void inject_uncatch(pid_t tid);
/* Let it execute the program.  When it is caught, that thread is the only one
   of the process, stopped, and in->mem is of the new memory. */
enum inject_caught inject_drive(struct inject *in, pid_t tid);

/* ---- inject_call.c ------------------------------------------------------- */

/* Yama: let the guardian trace this process after us. */
void inject_admit(struct inject *in, pid_t tracer);

/* Have it open our descriptor fd through /proc; there is room for the path at
   `at`.  *res: its descriptor, of whatever has our number there, or -errno. */
int inject_fd_by_path(struct inject *in, uint64_t at, int fd, int64_t *res,
		      struct err *e);
/* One call in a thread, from `entry` on; first: of those that are made there.
   0; 1: it faulted; -1: it is gone. */
int inject_run(struct inject_thread *t, uint64_t entry, bool first, long nr,
	       const uint64_t arg[6], int64_t *res);

/* ---- inject_own.c -------------------------------------------------------- */

/* A call in the thread of our own. */
int inject_own_syscall(struct inject *in, long nr, const uint64_t arg[6],
		       int64_t *res, struct err *e);

/* ---- inject_stub.c ------------------------------------------------------- */

/* What a call changes of a thread besides its registers. */
struct inject_kept {
	uint64_t sigmask;
	uint64_t rseq_at, rseq_cs; /* rseq_at 0: none */
	uint64_t rseq_abort; /* it is in that sequence: where it goes on; 0 */
};
/*
 * Write the code in which t makes a call for us and then, if nobody takes it
 * out of there, goes on with its own work.  *entry: its address; the registers
 * of the call are to be set by PTRACE_SETREGS together with that.  in->stub
 * keeps the place.  clones: the call is clone(2), and what it makes is a thread
 * of our own.  -1 + *e: there is no room in the process's text.
 */
int inject_stub_put(struct inject *in, const struct inject_thread *t,
		    const struct inject_kept *k, bool clones, uint64_t *entry,
		    struct err *e);
/* Only the place, and other code there, of 192 bytes at most, which begins with
   two words: nothing but the second is known to those who find it.  */
int inject_stub_place(struct inject *in, struct err *e);
int inject_stub_write(struct inject *in, const void *code, size_t n);
/* Where a thread that such a call has made can make calls itself. */
uint64_t inject_stub_own(const struct inject *in);
/* Room for a string of the calls, 48 bytes. */
uint64_t inject_stub_text(const struct inject *in);
/* No thread is in it: its room is as it was. */
void inject_stub_take(struct inject *in);

/* ---- inject_table.c ------------------------------------------------------ */

/* inject_calls() of c->alone. */
int inject_table(struct inject *in, struct inject_calls *c, struct err *e);

/* ---- inject_frames.c ----------------------------------------------------- */

/* The pc that a thread will go on at when a signal handler returns. */
struct inject_frame {
	uint64_t at; /* where it is kept */
	uint64_t pc;
};
struct inject_frames {
	VEC(struct inject_frame) frame;
	VEC(struct inject_span) stack; /* from the stack pointers up */
	bool partial;		       /* there may be more */
};
/* Those of all threads that we have stopped, added to *f. */
int inject_frames_find(struct inject *in, struct inject_frames *f,
		       struct err *e);
void inject_frames_fini(struct inject_frames *f);

/* ---- guard.c: requests to the guardian ----------------------------------- */

pid_t guard_pid(const struct guard *g);
/* ms: struct inject.stop_ms. */
int guard_stop(struct guard *g, bool all, unsigned ms, size_t *n,
	       struct err *e);
void guard_resume(struct guard *g);
int guard_syscall(struct guard *g, long nr, const uint64_t arg[6],
		  int64_t *res, struct err *e);
int guard_calls(struct guard *g, struct inject_calls *c, struct err *e);
/* patch_sem.c: count up, or down again, those of p[0..n-1] that are semaphores;
   the process is stopped. */
void patch_sems_set(struct inject *in, struct patch *p, size_t n);
void patch_sems_undo(struct inject *in, const struct patch *p, size_t n);
int guard_own(struct guard *g, pid_t *tid, struct err *e);
void guard_own_end(struct guard *g);
bool guard_filters(struct guard *g);
/* lets_go: and guard_resume(), which need not be asked for then. */
int guard_patch(struct guard *g, struct patch *p, size_t n,
		const struct patch_move *moves, size_t nmoves, bool lets_go,
		struct err *e);
int guard_undo(struct guard *g, struct err *e);
/* patch_back() by it; what it cannot do is left. */
void guard_back(struct guard *g, const struct patch_move *moves, size_t nmoves);
int guard_unused(struct guard *g, const struct inject_span *v, size_t n,
		 bool *unused, struct err *e);
/*
 * inject_catch() and inject_drive() by the guardian.  A process that is caught
 * stays stopped, whatever guard_resume() is told, until guard_release().
 */
int guard_catch(struct guard *g, pid_t tid, struct err *e);
/* guard_join(), guard_shared() and guard_catch() at once; fd: journal, memory,
   pidfd, the shared memory file. */
struct guard *guard_join_exec(struct guard *with, struct patch_journal *j,
			      const int fd[], uint64_t head, pid_t tid,
			      struct err *e);
enum inject_caught guard_drive(struct guard *g, pid_t tid);
void guard_release(struct guard *g);
/* Room for cap of them. */
int guard_ids(struct guard *g, struct inject_id *v, size_t cap, size_t *n,
	      struct err *e);

/* ---- guard_run.c: the guardian ------------------------------------------- */

/*
 * What consumer and guardian say to each other, one packet each way.  A PATCH
 * comes with a file: patches, then moves; IDS with one for the answer; SHARED
 * with the shared memory file; JOIN with journal, memory and pidfd, and perhaps
 * that file, and catches thread nr then.  Only what is used of the last part is
 * sent.
 */
enum guard_op {
	GUARD_STOP,
	GUARD_RESUME,
	GUARD_SYSCALL,
	GUARD_CALLS,
	GUARD_OWN,
	GUARD_OWN_END,
	GUARD_FILTERS,
	GUARD_PATCH,
	GUARD_UNDO,
	GUARD_BACK,
	GUARD_UNUSED,
	GUARD_IDS,
	GUARD_SHARED,
	GUARD_CATCH,
	GUARD_DRIVE,
	GUARD_RELEASE,
	GUARD_JOIN,
	GUARD_PART
};
/* Which of its processes; of GUARD_JOIN the answer's n. */
struct guard_req {
	uint32_t op, ward;
	uint32_t all, quiet; /* quiet: nobody waits for an answer */
	int64_t nr;
	uint64_t arg[6];
	uint64_t n, nmoves;
	union {
		struct inject_span span[INJECT_SPANS]; /* GUARD_UNUSED: n */
		struct inject_calls calls;	       /* GUARD_CALLS */
	};
};
#define GUARD_FDS 4 /* at most, with a request */
struct guard_res {
	int32_t rc, sys;
	int64_t res;
	uint64_t n;
	int64_t calls[INJECT_CALLS]; /* n of them */
	char msg[512];
};
void guard_run(struct patch_journal *j, int mem_fd, int pidfd, int sock)
	__attribute__((noreturn));

#endif
