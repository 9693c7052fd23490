/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_call.c - system calls in the name of a stopped thread.
 *
 *	stopped ─▶ registers set ─▶ entry stop ─▶ exit stop ─▶ stopped
 *	           all signals                    result       signal mask and
 *	           blocked                                     registers back
 *
 * We may be killed at any of these arrows, and nobody repairs then what we have
 * left.  So the thread makes the call in code from which it comes back by
 * itself (inject_stub.c): its registers are the first thing that is changed and
 * the last that is put back.
 *
 * Syscall stops (PTRACE_SYSCALL) are used and not single steps: a step ends in
 * a SIGTRAP, and the kernel unblocks that and takes its handler away in a
 * program that blocks it.  With all signals blocked (PTRACE_SETSIGMASK) those
 * that arrive stay with the kernel until the thread goes on.
 *
 * The last step leads back to the stop of PTRACE_INTERRUPT, since only after
 * that one does the kernel look at orig_rax and rax and restart the call that
 * the thread had been in.  From an exit stop it would return to the program
 * with -ERESTARTSYS.
 *
 * A thread inside a restartable sequence (rseq(2)) loses struct rseq.rseq_cs
 * when the kernel sees it elsewhere; it is put back with the registers, so that
 * the sequence is aborted and restarted as after any preemption.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Younger than the headers of some systems; <linux/ptrace.h>,
   <linux/memfd.h>. */
#define REQ_RSEQ       0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */
#define REQ_SUD	       0x4211 /* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG */
#define NOEXEC_SEAL    0x8u   /* MFD_NOEXEC_SEAL: allowed by every sysctl */
#define RSEQ_CS	       8      /* offset of rseq_cs in struct rseq */
#define SCRATCH	       4096

/* ---- what a call must not change ----------------------------------------- */

static void
keep_rseq(struct inject *in, struct inject_thread *t, struct inject_kept *k)
{
	struct {
		uint64_t addr;
		uint32_t size, sig, flags, pad;
	} conf = { 0 };
	struct {
		uint32_t version, flags;
		uint64_t start, len, abort;
	} cs;

	k->rseq_at = k->rseq_cs = k->rseq_abort = 0;
	if (ptrace(REQ_RSEQ, t->tid, sizeof(conf), &conf) <= 0 ||
	    conf.addr == 0 ||
	    inject_read(in, conf.addr + RSEQ_CS, &k->rseq_cs, 8) != 0 ||
	    k->rseq_cs == 0)
		return;
	k->rseq_at = conf.addr + RSEQ_CS;
	if (inject_read(in, k->rseq_cs, &cs, sizeof(cs)) == 0 &&
	    t->regs.rip - cs.start < cs.len)
		k->rseq_abort = cs.abort;
}

/* Its system calls go to a handler of its own (prctl(2),
   PR_SET_SYSCALL_USER_DISPATCH): ours would too. */
static bool
dispatches(struct inject_thread *t)
{
	struct {
		uint64_t mode, selector, offset, len;
	} conf = { 0 };

	return ptrace(REQ_SUD, t->tid, sizeof(conf), &conf) == 0 &&
	       conf.mode != 0;
}

static int
call_keep(struct inject *in, struct inject_thread *t, struct inject_kept *k,
     struct err *e)
{
	if (dispatches(t))
		return err_set(e, &ERR_GENERIC, 0,
			       "cannot trace process %d: it dispatches its "
			       "system calls itself",
			       (int)in->pid);
	keep_rseq(in, t, k);
	if (ptrace(PTRACE_GETSIGMASK, t->tid, 8, &k->sigmask) != 0)
		return inject_ended(in->pid, e);
	return 0;
}

/* Its registers last: until then it is in the stub, which puts back the rest
   as well. */
static int
put_back(struct inject *in, struct inject_thread *t,
	 const struct inject_kept *k)
{
	if (inject_settle(t, 0) != 0)
		return -1;
	if (k->rseq_at != 0)
		inject_write(in, k->rseq_at, &k->rseq_cs, 8);
	if (ptrace(PTRACE_SETSIGMASK, t->tid, 8, &k->sigmask) != 0)
		return -1;
	return inject_regs_set(t);
}

/* ---- the call ------------------------------------------------------------ */

static void
note_born(struct inject_thread *t)
{
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &tid) == 0)
		t->born = (pid_t)tid;
}

/*
 * Run to the next syscall stop.  Of signals only SIGSTOP comes through the
 * mask.  0; 1: it faulted instead, and stands; -1: it is gone.
 */
static int
to_syscall_stop(struct inject_thread *t)
{
	long sig = 0;
	int st;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, t->tid, 0, sig) != 0 ||
		    inject_await(t, &st) <= 0 || !WIFSTOPPED(st))
			return -1;
		if (st >> 8 == (SIGTRAP | 0x80))
			return 0;
		if (st >> 16 == PTRACE_EVENT_CLONE)
			note_born(t);
		sig = st >> 16 == 0 ? WSTOPSIG(st) : 0;
		if (sig != 0 && sig != SIGSTOP)
			return 1;
	}
}

/* From the moment its registers are set it comes back by itself (see
   inject_stub.c), so everything else is done after that. */
int
inject_run(struct inject_thread *t, uint64_t entry, bool first, long nr,
	   const uint64_t arg[6], int64_t *res)
{
	struct user_regs_struct r = t->regs;
	uint64_t all = ~0ull;
	int rc;

	r.rip = entry;
	r.orig_rax = ~0ull; /* no restart of the call it was in */
	r.rax = (uint64_t)nr;
	r.rdi = arg[0];
	r.rsi = arg[1];
	r.rdx = arg[2];
	r.r10 = arg[3];
	r.r8 = arg[4];
	r.r9 = arg[5];
	if (ptrace(PTRACE_SETREGS, t->tid, 0, &r) != 0 ||
	    (first && ptrace(PTRACE_SETSIGMASK, t->tid, 8, &all) != 0))
		return -1;
	rc = to_syscall_stop(t);
	if (rc == 0)
		rc = to_syscall_stop(t);
	if (rc == 0 && ptrace(PTRACE_GETREGS, t->tid, 0, &r) != 0)
		rc = -1;
	*res = (int64_t)r.rax;
	return rc;
}

/* From `entry` on, in the stub.  As inject_run(). */
static int
calls_run(struct inject *in, struct inject_thread *t, uint64_t entry,
	  struct inject_calls *c)
{
	int rc = 0;

	for (c->done = 0; rc == 0 && c->done < c->n; c->done++) {
		struct inject_call *k = &c->v[c->done];

		if (k->text != 0)
			k->arg[k->text - 1] = inject_stub_text(in);
		rc = inject_run(t, entry, c->done == 0, k->nr, k->arg,
				&k->res);
		if (k->res < 0 && !k->may_fail)
			break;
	}
	return rc;
}

/* The string that they need; one call may be any, clone(2) too. */
static int
calls_text(struct inject *in, const struct inject_calls *c, struct err *e)
{
	size_t n = strnlen(c->text, sizeof(c->text) - 1);

	if (n == 0 || inject_write(in, inject_stub_text(in), c->text, n) == 0)
		return 0;
	return err_set(e, &ERR_GENERIC, errno, "process %d: cannot write its "
					       "text", (int)in->pid);
}

int
inject_syscall(struct inject *in, long nr, const uint64_t arg[6],
	       int64_t *res, struct err *e)
{
	struct inject_calls c = { .n = 1, .v[0] = { .nr = nr } };

	if (inject_by_guard(in))
		return guard_syscall(in->guard, nr, arg, res, e);
	if (in->own.tid != 0 && !in->mute)
		return inject_own_syscall(in, nr, arg, res, e);
	memcpy(c.v[0].arg, arg, sizeof(c.v[0].arg));
	if (inject_calls(in, &c, e) != 0)
		return -1;
	*res = c.v[0].res;
	return 0;
}

int
inject_calls(struct inject *in, struct inject_calls *c, struct err *e)
{
	struct inject_thread *t;
	struct inject_kept k;
	uint64_t entry;
	int rc;

	if (inject_by_guard(in))
		return guard_calls(in->guard, c, e);
	if (in->mute)
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d has come under a seccomp filter that "
			       "may end it for calls made for us",
			       (int)in->pid);
	if (c->alone)
		return inject_table(in, c, e);
	t = inject_first(in);
	if (t == NULL)
		return inject_ended(in->pid, e);
	if (call_keep(in, t, &k, e) != 0 ||
	    inject_stub_put(in, t, &k, c->v[0].nr == SYS_clone, &entry, e) !=
		    0 ||
	    calls_text(in, c, e) != 0)
		return -1;
	rc = calls_run(in, t, entry, c);
	if (rc < 0 || put_back(in, t, &k) != 0) {
		inject_forget(in, t);
		return inject_ended(in->pid, e);
	}
	if (rc > 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d faulted in a system call made for "
			       "us",
			       (int)in->pid);
	return 0;
}

void
inject_admit(struct inject *in, pid_t tracer)
{
	const uint64_t arg[6] = { PR_SET_PTRACER, (uint64_t)tracer };
	struct err ignored = { 0 };
	int64_t res;

	if (inject_yama() == 1)
		inject_syscall(in, SYS_prctl, arg, &res, &ignored);
}

/* ---- mappings and files -------------------------------------------------- */

static int
call_fail(struct inject *in, int64_t res, const char *what, struct err *e)
{
	return err_set(e, &ERR_GENERIC, (int)-res, "process %d: %s",
		       (int)in->pid, what);
}

static void
call_quiet(struct inject *in, long nr, uint64_t a, uint64_t b)
{
	const uint64_t arg[6] = { a, b };
	struct err ignored = { 0 };
	int64_t res;

	inject_syscall(in, nr, arg, &res, &ignored);
}

int
inject_mmap(struct inject *in, uint64_t addr, uint64_t n, int prot, int flags,
	    int fd, uint64_t off, struct err *e)
{
	const uint64_t arg[6] = {
		addr,
		n,
		(uint64_t)prot,
		(uint64_t)(flags | MAP_FIXED_NOREPLACE |
			   (fd < 0 ? MAP_ANONYMOUS : 0)),
		(uint64_t)fd,
		off,
	};
	int64_t res;

	if (inject_syscall(in, SYS_mmap, arg, &res, e) != 0)
		return -1;
	/* Before 4.17 the address was a wish only. */
	if (res >= 0 && (uint64_t)res != addr) {
		call_quiet(in, SYS_munmap, (uint64_t)res, n);
		res = -EEXIST;
	}
	if (res < 0)
		return call_fail(in, res, "cannot map memory", e);
	return 0;
}

/* A page for strings that calls need. */
static int
scratch_map(struct inject *in, uint64_t *at, struct err *e)
{
	const uint64_t arg[6] = { 0, SCRATCH, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0 };
	int64_t res;

	if (inject_syscall(in, SYS_mmap, arg, &res, e) != 0)
		return -1;
	if (res < 0)
		return call_fail(in, res, "cannot map memory", e);
	*at = (uint64_t)res;
	return 0;
}

/* A call whose first or second argument is a string. */
static int
call_with_text(struct inject *in, long nr, const char *text, uint64_t at,
	       const uint64_t arg[6], int64_t *res, struct err *e)
{
	if (inject_write(in, at, text, strlen(text) + 1) != 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot write memory of process %d",
			       (int)in->pid);
	return inject_syscall(in, nr, arg, res, e);
}

/* Its descriptor of a memory file that it made itself; *res as of the call. */
static int
memfd_its_own(struct inject *in, uint64_t at, int64_t *res, struct err *e)
{
	const uint64_t sealed[6] = { at, MFD_CLOEXEC | NOEXEC_SEAL };
	const uint64_t plain[6] = { at, MFD_CLOEXEC };
	const long nr = SYS_memfd_create;

	if (call_with_text(in, nr, "dtrace", at, sealed, res, e) != 0)
		return -1;
	if (*res != -EINVAL)
		return 0;
	return call_with_text(in, nr, "dtrace", at, plain, res, e);
}

/* Our descriptor of its file. */
static int
open_its_file(struct inject *in, int fd, struct err *e)
{
	char path[48], is[48] = "";
	int ours;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d",
		 (int)(in->own.tid != 0 ? in->own.tid : proc_face(in->pid)),
		 fd);
	/* Other threads run: the number may be something else by now. */
	if (readlink(path, is, sizeof(is) - 1) < 0 ||
	    strncmp(is, "/memfd:dtrace", 13) != 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "the memory file of process %d is not to be had",
			       (int)in->pid);
	ours = open(path, O_RDWR | O_CLOEXEC);
	if (ours < 0)
		err_set(e, &ERR_GENERIC, errno,
			"the memory file of process %d cannot be opened",
			(int)in->pid);
	return ours;
}

int
inject_fd_by_path(struct inject *in, uint64_t at, int fd, int64_t *res,
		  struct err *e)
{
	const uint64_t arg[6] = { (uint64_t)AT_FDCWD, at, O_RDWR | O_CLOEXEC };
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	return call_with_text(in, SYS_openat, path, at, arg, res, e);
}

/* Where it may not make one: ours, which it opens through /proc. */
static int
memfd_ours(struct inject *in, uint64_t at, int64_t why, int64_t *res,
	   struct err *e)
{
	int ours = (int)syscall(SYS_memfd_create, "dtrace", MFD_CLOEXEC);

	if (ours < 0)
		return call_fail(in, why, "cannot make a memory file", e);
	if (inject_fd_by_path(in, at, ours, res, e) != 0) {
		close(ours);
		return -1;
	}
	if (*res < 0) {
		close(ours);
		return call_fail(in, why, "cannot make a memory file", e);
	}
	return ours;
}

static int
memfd_make(struct inject *in, uint64_t at, int64_t *theirs, struct err *e)
{
	if (memfd_its_own(in, at, theirs, e) != 0)
		return -1;
	if (*theirs < 0)
		return memfd_ours(in, at, *theirs, theirs, e);
	return open_its_file(in, (int)*theirs, e);
}

int
inject_memfd(struct inject *in, uint64_t n, int *target_fd, struct err *e)
{
	int64_t theirs = -1;
	uint64_t at = 0;
	int ours;

	if (scratch_map(in, &at, e) != 0)
		return -1;
	ours = memfd_make(in, at, &theirs, e);
	if (ours >= 0 && ftruncate(ours, (off_t)n) != 0) {
		err_set(e, &ERR_GENERIC, errno,
			"cannot make a memory file of %" PRIu64 " bytes", n);
		close(ours);
		ours = -1;
	}
	if (ours < 0 && theirs >= 0)
		call_quiet(in, SYS_close, (uint64_t)theirs, 0);
	call_quiet(in, SYS_munmap, at, SCRATCH);
	*target_fd = (int)theirs;
	return ours;
}
