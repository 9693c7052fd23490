/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_catch.c - a thread that is about to execute a program, held at the
 * first instruction of that program.
 *
 *	asks (rtn_exec) ──inject_catch()──▶ stopped ──it may go on──▶
 *	    inject_drive(): to the entry of execve ──▶ the program's first
 *	    instruction, stopped; or execve has failed: let go
 *
 * ptrace(2), "execve(2) under ptrace".  One thread is traced, for as long as
 *the call takes; the others end by it.  If the tracer is killed meanwhile, the
 * thread goes on with what it was doing.
 *
 * A program that gets privileges by being executed (set-uid, set-gid,
 * capabilities of its file) would not get them while it is traced.  So the file
 * is looked at when the call begins, and the thread is let go there.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define OPTS     (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC)
#define STOPS    256  /* more is not the way to execve */
#define CATCH_MS 2000 /* a program on a slow disk */
#define CATCH_TRIES 15 /* a thread that gets no processor */

static uint64_t
catch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* 1: *status; 0: not by then; -1: it has ended. */
static int
catch_wait(const struct inject *in, pid_t tid, uint64_t until, int *status)
{
	int r;

	while ((r = inject_wait(tid, true, status)) == 0) {
		if (catch_now() > until)
			return 0;
		inject_nap(in, 20000);
	}
	return r > 0 && WIFSTOPPED(*status) ? 1 : -1;
}

/* True if it stands still in the stop that was asked for. */
static bool
catch_stop(const struct inject *in, pid_t tid)
{
	uint64_t until = catch_now() + CATCH_MS;
	int status;

	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	while (catch_wait(in, tid, until, &status) > 0) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		ptrace(PTRACE_CONT, tid, 0,
		       status >> 16 == 0 ? (long)WSTOPSIG(status) : 0L);
	}
	return false;
}

int
inject_catch(struct inject *in, pid_t tid, struct err *e)
{
	if (ptrace(PTRACE_SEIZE, tid, 0, OPTS) != 0)
		return inject_denied(tid, errno, e);
	/* One that has not stopped yet cannot be let go either, and would stop
	   for ever when nobody waits for that any more. */
	for (int i = 0; i < CATCH_TRIES; i++)
		if (catch_stop(in, tid))
			return 0;
	ptrace(PTRACE_DETACH, tid, 0, 0);
	return inject_ended(in->pid, e);
}

void
inject_uncatch(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, 0, 0);
}

/* ---- files that give privileges ------------------------------------------ */

/* Up to a page at a time: the next one may not be there. */
static bool
read_path(struct inject *in, uint64_t addr, char path[PATH_MAX])
{
	for (size_t n = 0, part; n < PATH_MAX; n += part) {
		part = 4096 - (addr + n) % 4096;
		if (part > PATH_MAX - n)
			part = PATH_MAX - n;
		if (inject_read(in, addr + n, path + n, part) != 0)
			return false;
		if (memchr(path + n, '\0', part) != NULL)
			return true;
	}
	return false;
}

/* The file that execve or execveat is about to execute, open; -1. */
static int
exec_file_open(struct inject *in, const struct __ptrace_syscall_info *si)
{
	bool at = si->entry.nr == SYS_execveat;
	int dir = at ? (int)si->entry.args[0] : AT_FDCWD, dirfd, fd;
	char path[PATH_MAX], from[64];

	if (!read_path(in, si->entry.args[at], path))
		return -1;
	if (path[0] == '/')
		snprintf(from, sizeof(from), "/proc/%d/root", (int)in->pid);
	else if (dir == AT_FDCWD)
		snprintf(from, sizeof(from), "/proc/%d/cwd", (int)in->pid);
	else
		snprintf(from, sizeof(from), "/proc/%d/fd/%d", (int)in->pid,
			 dir);
	if (path[0] == '\0')
		return open(from, O_PATH | O_CLOEXEC);
	dirfd = open(from, O_PATH | O_CLOEXEC);
	if (dirfd < 0)
		return -1;
	fd = openat(dirfd, path + strspn(path, "/"), O_PATH | O_CLOEXEC);
	close(dirfd);
	return fd;
}

static bool
gives_privileges(struct inject *in, const struct __ptrace_syscall_info *si)
{
	int fd = exec_file_open(in, si);
	char name[32];
	struct stat st;
	bool yes;

	if (fd < 0)
		return false; /* execve will fail as well */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	yes = fstat(fd, &st) != 0 || (st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
	      getxattr(name, "security.capability", NULL, 0) > 0;
	close(fd);
	return yes;
}

/* ---- to the first instruction
 * ------------------------------------------------- */

struct drive {
	struct inject *in;
	pid_t tid;
	int sig;     /* to be delivered */
	bool inside; /* execve */
};

/* A stop at a system call: what has become of it. */
static enum inject_caught
drive_call(struct drive *d)
{
	struct __ptrace_syscall_info si;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, d->tid, sizeof(si), &si) <= 0)
		return INJECT_LOST;
	if (si.op == PTRACE_SYSCALL_INFO_ENTRY &&
	    (si.entry.nr == SYS_execve || si.entry.nr == SYS_execveat)) {
		d->inside = true;
		return gives_privileges(d->in, &si) ? INJECT_PRIVILEGED
						    : INJECT_GOES_ON;
	}
	if (si.op == PTRACE_SYSCALL_INFO_EXIT && d->inside)
		return INJECT_FAILED;
	return INJECT_GOES_ON;
}

static enum inject_caught
drive_look(struct drive *d, int status)
{
	d->sig = 0;
	if (status >> 16 == PTRACE_EVENT_EXEC)
		return INJECT_CAUGHT;
	if (status >> 16 != 0)
		return INJECT_GOES_ON;
	if (WSTOPSIG(status) == (SIGTRAP | 0x80))
		return drive_call(d);
	d->sig = WSTOPSIG(status);
	return INJECT_GOES_ON;
}

static enum inject_caught
drive(struct drive *d)
{
	uint64_t until = catch_now() + CATCH_MS;
	enum inject_caught c = INJECT_GOES_ON;
	int status;

	for (unsigned i = 0; i < STOPS && c == INJECT_GOES_ON; i++) {
		int r;

		if (ptrace(PTRACE_SYSCALL, d->tid, 0, (long)d->sig) != 0)
			return INJECT_LOST;
		r = catch_wait(d->in, d->tid, until, &status);
		if (r < 0 && d->tid != d->in->pid) {
			/* The first thread's number is the caller's now. */
			d->tid = d->in->pid;
			r = catch_wait(d->in, d->tid, until, &status);
		}
		if (r < 0)
			return INJECT_LOST;
		/* It waits for something that we do not know. */
		if (r == 0)
			return catch_stop(d->in, d->tid) ? INJECT_MISSED
							 : INJECT_LOST;
		c = drive_look(d, status);
	}
	return c == INJECT_GOES_ON ? INJECT_MISSED : c;
}

/* The new program's memory, by the descriptor that there is. */
static int
mem_anew(struct inject *in)
{
	char path[32];
	int fd, rc;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)in->pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = dup3(fd, in->mem, O_CLOEXEC);
	close(fd);
	return rc < 0 ? -1 : 0;
}

enum inject_caught
inject_drive(struct inject *in, pid_t tid)
{
	struct drive d = { .in = in, .tid = tid };
	enum inject_caught c = drive(&d);
	struct inject_thread *t;

	if (c == INJECT_LOST)
		return c;
	t = c == INJECT_CAUGHT && mem_anew(in) == 0
		    ? inject_thread_add(in, in->pid)
		    : NULL;
	if (t != NULL && inject_settle(t, 0) == 0 &&
	    ptrace(PTRACE_SETOPTIONS, t->tid, 0, PTRACE_O_TRACESYSGOOD) == 0 &&
	    ptrace(PTRACE_GETREGS, t->tid, 0, &t->regs) == 0) {
		in->begun = true;
		return c;
	}
	in->n = 0;
	ptrace(PTRACE_DETACH, d.tid, 0, (long)d.sig);
	return c == INJECT_CAUGHT ? INJECT_MISSED : c;
}
