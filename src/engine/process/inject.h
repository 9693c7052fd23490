/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject.h - a process held still: all its threads stopped by ptrace, its
 * registers and memory in reach, system calls made in its name.
 *
 * Holding is short (milliseconds) and leaves no ptrace relation.  Threads that
 * appear while we stop are found by looking until no new one is there.  A
 * thread in a system call is interrupted and the call is restarted by the
 * kernel as after any stop; registers are put back exactly, orig_rax included.
 */
#ifndef ENGINE_PROCESS_INJECT_H
#define ENGINE_PROCESS_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"

struct inject_thread {
	pid_t tid;
	struct user_regs_struct regs;
	bool dirty;	/* regs are to be written back */
	bool held;	/* stopped by somebody before us (engine_target.held) */
	int sig;	/* a signal that arrived while we held it: given back */
	bool group_stop;
};

struct inject {
	pid_t pid;
	int mem;     /* /proc/PID/mem, O_RDWR */
	bool held;   /* the first thread is under our ptrace already: keep it */
	struct inject_thread *threads;
	size_t n, cap;
	uint64_t syscall_insn; /* address of a `syscall` in its text */
	bool seccomp_suspended;
};

/* Look, without touching: may we work in this process?  One clear line if it
   is gone, of another user, 32-bit, held by a debugger (its pid and name),
   set-uid, under a seccomp filter that could kill it. */
int inject_check(pid_t pid, bool held, struct err *e);

/* Open /proc/PID/mem; nothing is stopped. */
int inject_open(struct inject *in, pid_t pid, bool held, struct err *e);
/* Stop one thread, for system calls only, or all. */
int inject_stop(struct inject *in, bool all, struct err *e);
/* Let them go (write back dirty registers, give back signals, detach unless
   held).  After it the process runs as before. */
void inject_resume(struct inject *in);
void inject_close(struct inject *in);

/* One system call in the first stopped thread; its result (-errno). */
int inject_syscall(struct inject *in, long nr, const uint64_t arg[6],
		   int64_t *res, struct err *e);
int inject_read(struct inject *in, uint64_t addr, void *dst, size_t n);
int inject_write(struct inject *in, uint64_t addr, const void *src, size_t n);

/*
 * Map n bytes at exactly addr in the target, which is stopped: from file
 * descriptor fd OF THE TARGET (-1: anonymous).  -1 + *e.
 */
int inject_mmap(struct inject *in, uint64_t addr, uint64_t n, int prot,
		int flags, int fd, uint64_t off, struct err *e);
/*
 * A memfd of n bytes open in target and consumer: *target_fd (close it there
 * with inject_syscall), and the consumer's own descriptor as result; -1 + *e.
 */
int inject_memfd(struct inject *in, uint64_t n, int *target_fd,
		 struct err *e);

#endif
