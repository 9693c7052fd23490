/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_check.c - whether we may work in a process.  Every refusal is one line
 * that names the process, the reason and, where there is one, the cure.
 *
 * SECCOMP.  A call that we make in the target's name passes its filters, and a
 * filter may kill.  With CAP_SYS_ADMIN the kernel suspends them for the thread
 * (PTRACE_O_SUSPEND_SECCOMP, ptrace(2)), unless we live under a filter as well.
 * If we do, and under as many as the target, it is most likely the very same
 * sandbox: then a child of ours tries the calls first.  Anything else is
 * refused, and so is strict mode.  (inject_filter.c reads filters.)
 */
#include "engine/process/inject_impl.h"
#include "proc/proc_fs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECCOMP_STRICT 1

bool
inject_status_read(pid_t pid, struct inject_status *st)
{
	struct proc_status ps;
	uint64_t uid[3];
	const char *p;

	*st = (struct inject_status){ .state = 'X' };
	if (!proc_status_read(pid, 0, &ps) ||
	    (p = proc_status_line(&ps, "State")) == NULL)
		return false;
	st->state = *p;
	st->tracer = (pid_t)proc_status_number(&ps, "TracerPid");
	(void)proc_status_numbers(&ps, "Uid", uid, 3, NULL);
	for (int i = 0; i < 3; i++)
		st->uid[i] = (unsigned)uid[i];
	st->seccomp = (int)proc_status_number(&ps, "Seccomp");
	st->filters = (int)proc_status_number(&ps, "Seccomp_filters");
	st->threads = (unsigned)proc_status_number(&ps, "Threads");
	st->has_memory = proc_status_line(&ps, "VmSize") != NULL;
	return st->state != 'X';
}

bool
inject_process_read(pid_t pid, struct inject_status *st)
{
	return inject_status_read(proc_face(pid), st);
}

/* What has no memory any more is about to end. */
static bool
check_ends(const struct inject_status *st)
{
	return st->state == 'Z' || !st->has_memory;
}

int
inject_ended(pid_t pid, struct err *e)
{
	return err_ended(e, pid, 0);
}

int
inject_yama(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (f == NULL)
		return 0;
	if (fscanf(f, "%d", &scope) != 1)
		scope = 0;
	fclose(f);
	return scope;
}

static int
refuse(pid_t pid, const char *why, struct err *e)
{
	return err_set(e, &ERR_GENERIC, 0, "cannot trace process %d: %s",
		       (int)pid, why);
}

/* "NAME (PID)" of a debugger. */
static int
refuse_debugger(pid_t pid, pid_t tracer, struct err *e)
{
	char comm[32], why[128];

	proc_comm_plain(tracer, comm, sizeof(comm));
	snprintf(why, sizeof(why), "%s (pid %d) is tracing it already",
		 comm[0] != '\0' ? comm : "a debugger", (int)tracer);
	return refuse(pid, why, e);
}

int
inject_denied(pid_t pid, int sys, struct err *e)
{
	struct inject_status st;
	char why[160];

	if (sys == ESRCH || sys == ENOENT)
		return inject_ended(pid, e);
	if (!inject_process_read(pid, &st))
		return err_ended(e, pid, errno);
	if (check_ends(&st))
		return inject_ended(pid, e);
	if (sys != EPERM && sys != EACCES)
		return err_set(e, &ERR_GENERIC, sys,
			       "cannot trace process %d", (int)pid);
	if (st.tracer != 0)
		return refuse_debugger(pid, st.tracer, e);
	if (st.uid[0] != geteuid()) {
		snprintf(why, sizeof(why),
			 "it belongs to user %u: be that user, or have "
			 "CAP_SYS_PTRACE",
			 st.uid[0]);
		return refuse(pid, why, e);
	}
	if (inject_yama() > 0) {
		snprintf(why, sizeof(why),
			 "kernel.yama.ptrace_scope is %d: set it to 0, start "
			 "the program with -c, or have CAP_SYS_PTRACE",
			 inject_yama());
		return refuse(pid, why, e);
	}
	return refuse(pid,
		      "it is set-uid, has capabilities, or does not let itself "
		      "be dumped: have CAP_SYS_PTRACE",
		      e);
}

/* ---- seccomp ------------------------------------------------------------- */

/* CAP_SYS_ADMIN among our effective capabilities. */
static bool
may_suspend_seccomp(const struct inject_status *self)
{
	struct proc_status st;
	const char *p;

	if (self->seccomp != 0 || !proc_status_read(getpid(), 0, &st))
		return false;
	p = proc_status_line(&st, "CapEff");
	return p != NULL && (strtoull(p, NULL, 16) >> 21 & 1) != 0;
}

/* Filters are each thread's own.  *worst: the mode and the number of filters of
   the threads, the highest of each; from the first one that has any on it is
   enough if !all. */
static void
seccomp_of_threads(pid_t pid, bool all, struct inject_status *worst)
{
	struct proc_dir it;
	long tid;

	*worst = (struct inject_status){ 0 };
	if (!proc_dir_open(&it, pid, "task"))
		return;
	while ((all || worst->seccomp == 0) &&
	       (tid = proc_dir_next(&it)) >= 0) {
		struct inject_status st;

		if (!inject_status_read((pid_t)tid, &st))
			continue;
		if (st.seccomp == SECCOMP_STRICT || worst->seccomp == 0)
			worst->seccomp = st.seccomp;
		if (st.filters > worst->filters)
			worst->filters = st.filters;
	}
	proc_dir_close(&it);
}

bool
inject_under_seccomp(pid_t pid)
{
	struct inject_status st;

	if (!inject_status_read(pid, &st) || st.threads != 1)
		seccomp_of_threads(pid, false, &st);
	return st.seccomp != 0;
}

bool
inject_may_suspend(void)
{
	struct inject_status self;

	return inject_status_read(getpid(), &self) &&
	       may_suspend_seccomp(&self);
}

/* The number of filters of ours that allow what is needed; 0: none is known. */
static int allowed_filters;

bool
inject_filters_forbid(pid_t pid)
{
	struct inject_status st, self;

	seccomp_of_threads(pid, true, &st);
	return st.seccomp != 0 &&
	       (st.seccomp == SECCOMP_STRICT ||
		!inject_status_read(getpid(), &self) || self.seccomp == 0 ||
		self.filters != st.filters || st.filters != allowed_filters);
}

/* A descriptor handed over, as in inject_fd.c. */
static bool
try_sockets(void)
{
	struct msghdr m = { 0 };
	char byte = 0;
	int s[2];

	m.msg_iov = &(struct iovec){ &byte, 1 };
	m.msg_iovlen = 1;
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, s) == 0 &&
	       write(s[0], &byte, 1) == 1 &&
	       recvmsg(s[1], &m, MSG_DONTWAIT) == 1 && close(s[0]) == 0 &&
	       close(s[1]) == 0;
}

static bool
try_memory(void)
{
	void *p =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED && munlock(p, 4096) == 0 &&
	       mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0 &&
	       madvise(p, 4096, MADV_WIPEONFORK) == 0 &&
	       madvise(p, 4096, MADV_DONTDUMP) == 0 && munmap(p, 4096) == 0;
}

static bool
try_file(void)
{
	long fd = syscall(SYS_memfd_create, "dtrace", 1 /* MFD_CLOEXEC */);
	void *p;

	if (fd < 0 || ftruncate((int)fd, 4096) != 0)
		return false;
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, (int)fd, 0);
	return p != MAP_FAILED && munmap(p, 4096) == 0 && close((int)fd) == 0;
}

/* The calls that will be made in the target, in a child of ours.  That of
   inject_admit() may fail, but must not be deadly; nor must what a thread goes
   on by that was stopped in a call with a timeout. */
static void __attribute__((noreturn))
try_calls(void)
{
	prctl(PR_SET_PTRACER, 0, 0, 0, 0);
	syscall(SYS_restart_syscall);
	_exit(try_memory() && try_file() && try_sockets() ? 0 : 1);
}

static bool
our_filters_allow(void)
{
	pid_t pid = fork();
	int st;

	if (pid == 0)
		try_calls();
	if (pid < 0)
		return false;
	while (waitpid(pid, &st, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

static int
check_seccomp(pid_t pid, struct err *e)
{
	struct inject_status st, self;

	seccomp_of_threads(pid, true, &st);
	if (st.seccomp == 0)
		return 0;
	if (st.seccomp == SECCOMP_STRICT)
		return refuse(pid, "it is in strict seccomp mode", e);
	if (!inject_status_read(getpid(), &self))
		return refuse(pid, "/proc cannot be read", e);
	if (may_suspend_seccomp(&self))
		return 0;
	if (self.seccomp == 0 || self.filters != st.filters)
		return refuse(pid,
			      "it is under a seccomp filter that may kill it "
			      "for our calls: have CAP_SYS_ADMIN",
			      e);
	if (!our_filters_allow())
		return refuse(pid,
			      "the seccomp filter that it shares with us "
			      "forbids what is needed",
			      e);
	allowed_filters = self.filters;
	return 0;
}

/* ---- what it runs -------------------------------------------------------- */

static int
check_program(pid_t pid, struct err *e)
{
	unsigned char h[20];
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)proc_face(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return inject_denied(pid, errno, e);
	n = read(fd, h, sizeof(h));
	close(fd);
	if (n != (ssize_t)sizeof(h) || memcmp(h, ELFMAG, SELFMAG) != 0)
		return refuse(pid, "its program is not an ELF file", e);
	if (h[EI_CLASS] != ELFCLASS64)
		return refuse(pid, "it is a 32-bit process", e);
	if (h[18] != EM_X86_64 || h[19] != 0)
		return refuse(pid, "its program is of another architecture", e);
	return 0;
}

#define GLANCES	  100
#define GLANCE_NS 2000000

int
inject_check(pid_t pid, bool held, struct err *e)
{
	struct inject_status st;
	struct inject in;

	if (!inject_process_read(pid, &st))
		return err_ended(e, pid, errno);
	if (st.state == 'Z')
		return inject_ended(pid, e);
	if (!st.has_memory)
		return refuse(pid, "it has ended, or is a kernel thread", e);
	if (pid == getpid()) /* nobody would be left to let us go on */
		return refuse(pid, "it is the tracing process itself", e);
	/* Another consumer's look passes. */
	for (int i = 0; st.tracer != 0 && !held && i < GLANCES; i++) {
		nanosleep(&(struct timespec){ 0, GLANCE_NS }, NULL);
		if (!inject_process_read(pid, &st))
			return err_ended(e, pid, errno);
	}
	if (st.tracer != 0 && !held)
		return refuse_debugger(pid, st.tracer, e);
	if (inject_open(&in, pid, held, e) != 0)
		return -1;
	inject_close(&in);
	if (check_program(pid, e) != 0)
		return -1;
	return check_seccomp(pid, e);
}
