/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject.h - a process held still: all its threads stopped by ptrace, its
 * registers and memory in reach, system calls made in its name.
 *
 * Holding is short (milliseconds) and leaves no ptrace relation.  Threads that
 * appear while we stop are found by looking until no new one is there.  A
 * thread in a system call is interrupted and the call is restarted by the
 * kernel as after any stop; registers are put back exactly, orig_rax included.
 *
 * WHO HOLDS.  A tracer that dies lets go of its threads wherever they stand.
 * Whatever is done to them is done in such an order that they go on rightly
 * from there (inject_stub.c, patch.c), but what is left in the process then has
 * to be taken out by somebody.  So the consumer, which anybody may kill at any
 * time, does not trace: the guardian does it on request (inject_through(),
 * guard.c), and puts things right when the consumer is gone.  Only a process
 * that the consumer holds already (`held`) is worked on by itself: it dies with
 * its tracer anyway.  Without inject_through() the calling thread is the
 * tracer.
 */
#ifndef ENGINE_PROCESS_INJECT_H
#define ENGINE_PROCESS_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <time.h>

#include "base/err.h"

struct guard; /* patch.h */

struct inject;

struct inject_thread {
	pid_t tid;
	struct user_regs_struct regs;
	pid_t born;   /* the last thread that it has made while we looked */
	bool stopped; /* in a ptrace-stop; else seized and still running */
	bool held;    /* stopped before us (engine_target.held): kept so */
	const struct inject *apart; /* of whom no other thread is stopped; NULL:
				       all are */
};

struct inject_span {
	uint64_t lo, hi;
};
#define INJECT_SPANS 512

struct inject {
	pid_t pid;
	int mem;     /* /proc/PID/mem, O_RDWR */
	bool held;   /* the first thread is under our ptrace already: keep it */
	struct guard *guard; /* who traces for us; NULL: we ourselves */
	struct inject_thread *threads; /* NULL where the guardian traces */
	size_t n, cap;		       /* n: threads stopped */
	/* Of our own, not among `threads`; tid 0: there is none. */
	struct inject_thread own;
	bool all;      /* all threads are stopped, or one for calls only */
	uint64_t stub; /* where its calls for us are made; 0: not known yet */
	unsigned stop_ms; /* how long to wait for threads that the kernel keeps;
			     0: as long as is usual */
	bool suspend_seccomp;  /* its filters do not see our calls */
	bool hears;    /* SIGCHLD is blocked in us, and ours */
	bool near; /* it knows us by the number that we have, in /proc */
	timer_t timer; /* where `timed`: inject_stop.c */
	bool timed;
	volatile bool seizing; /* within PTRACE_SEIZE: `threads` stays as it
				  is */
	bool lets_go; /* patch_apply() is the last thing before
			 inject_resume() */
	bool begun; /* stands at a program's first instruction:
		       inject_drive() */
	bool mute; /* no calls: a filter has come that may end it for them */
};

/* Look, without touching it, whether we may work in this process: 0, or -1 with
   why not.  One clear line if it is gone, of another user, 32-bit, held by a
   debugger (its pid and name), set-uid, under a seccomp filter that could kill
   it. */
int inject_check(pid_t pid, bool held, struct err *e);
/* "process N has ended", sys ESRCH; always -1. */
int inject_ended(pid_t pid, struct err *e);

/* True if any of its threads is under a seccomp filter.  Code there must make
   no system calls then. */
bool inject_under_seccomp(pid_t pid);
/* We may suspend a thread's seccomp filters while we trace it. */
bool inject_may_suspend(void);

/* Threads are stopped whose filters we may suspend: whether those would spare
   the process if it made our calls all the same, since we were killed.  False
   too where that cannot be found out. */
bool inject_filters_spare(struct inject *in);

/* Open /proc/PID/mem; nothing is stopped. */
int inject_open(struct inject *in, pid_t pid, bool held, struct err *e);
/* From now on the guardian traces for us (not where it is held by us).  g must
   be of the same process and live until inject_close(). */
void inject_through(struct inject *in, struct guard *g);
/* Stop one thread, for system calls only, or all.  -1 + *e: nothing is stopped;
   e->sys is ESRCH if the process has ended. */
int inject_stop(struct inject *in, bool all, struct err *e);
/* Let them go: detach, unless held.  After it the process runs as before. */
void inject_resume(struct inject *in);
void inject_close(struct inject *in);

/* One system call in the first stopped thread; its result (-errno).  No signal
   is delivered meanwhile. */
int inject_syscall(struct inject *in, long nr, const uint64_t arg[6],
		   int64_t *res, struct err *e);
/*
 * Several, one after the other, in one go: up to the first whose result is
 * negative, unless that may be.  Where the thread is let go in between, all of
 * its state is put back as after one.
 */
#define INJECT_CALLS 16
struct inject_call {
	int64_t nr, res;
	uint64_t arg[6];
	uint8_t text;	 /* not 0: this argument, counted from 1, is `text` */
	uint8_t may_fail;
};
/*
 * `alone`: by the thread itself, with one stop behind them all.  The program
 * stands at its first instruction, and is under no seccomp filter.  The first
 * call is openat(2) of `text`; its result is the fifth argument of the others,
 * of which the next one fails without, and is closed again behind them.  What
 * they have is to be 0, or what mmap(2) was asked for, and only the last one
 * may fail.
 */
struct inject_calls {
	char text[48];
	uint32_t n, done; /* how many were made */
	uint32_t alone, pad;
	struct inject_call v[INJECT_CALLS];
};
/* 0, also where one has failed (done < n, its res); -1 + *e: none can be
   made. */
int inject_calls(struct inject *in, struct inject_calls *c, struct err *e);
/*
 * Of a process that has no free descriptor: from now on calls are made in a
 * thread of our own there, which has none but those that it opens, until that
 * is ended (in->own.tid: which it is).  0, or -1 + *e.  No address of its stack
 * may be needed, and no second one may be made.
 */
int inject_own(struct inject *in, struct err *e);
void inject_own_end(struct inject *in);
/* All n bytes: 0, else -1 with errno set (EIO: not mapped).  Writes reach text
   and other read-only pages as well.  Need no stop. */
int inject_read(struct inject *in, uint64_t addr, void *dst, size_t n);
int inject_write(struct inject *in, uint64_t addr, const void *src, size_t n);

/*
 * All threads are stopped, no machine is busy.  *unused: none of them stands in
 * the code at v[0..n), in order of address, n <= INJECT_SPANS, nor comes back
 * to it from a signal handler; where that is not known it is used.
 */
int inject_unused(struct inject *in, const struct inject_span *v, size_t n,
		  bool *unused, struct err *e);
/* A thread, by the number that we know it by, and its fs base. */
struct inject_id {
	uint64_t fs_base;
	pid_t tid;
};
/* All threads are stopped: v[0..*n), of which there are n of struct inject at
   most. */
int inject_ids(struct inject *in, struct inject_id *v, size_t *n,
	       struct err *e);
/* True if each of these has an fs base that is not 0, and the word there is
   equal to it, as the C library arranges (x86_target.fs_self). */
bool inject_fs_self(struct inject *in, const struct inject_id *v, size_t n);

/*
 * Map n bytes at exactly addr in the target, which is stopped: from file
 * descriptor fd OF THE TARGET (-1: anonymous).  What is mapped there already
 * stays: -1 + *e, e->sys EEXIST.  addr 0 is not "anywhere".
 */
int inject_mmap(struct inject *in, uint64_t addr, uint64_t n, int prot,
		int flags, int fd, uint64_t off, struct err *e);
/*
 * A memfd of n bytes open in target, which is stopped, and consumer: *target_fd
 * (close it there with inject_syscall), and the consumer's own descriptor
 * (close-on-exec) as result; -1 + *e.
 */
int inject_memfd(struct inject *in, uint64_t n, int *target_fd,
		 struct err *e);
/* Our descriptor, open in the target too, which is stopped: *target_fd, which
   is close-on-exec (close it there with inject_syscall). 0, or -1 + *e. */
int inject_fd(struct inject *in, int fd, int *target_fd, struct err *e);
/* True if that number there is another file than ours by now: a thread that
   runs has closed it and opened something. */
bool inject_fd_other(const struct inject *in, int theirs, int ours);

#endif
