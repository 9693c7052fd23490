/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_inject.c - stopping, calling, refusing; what the program sees of it:
 * nothing.  Each by ourselves and through a guardian.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject.h"
#include "engine/process/test/test_hold.h"

/* ---- bodies -------------------------------------------------------------- */

/* user[0]: when any of them ran last; user[1]: the longest time in which none
   did. */
static void
body_spin(struct tgt_page *page, unsigned thread)
{
	uint64_t last = page->user[0], now = tgt_now_us();

	if (now > last &&
	    __atomic_compare_exchange_n(&page->user[0], &last, now, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
	    last != 0 && now - last > page->user[1])
		page->user[1] = now - last;
}

static void
wait_pipe(struct tgt_page *page)
{
	int fd[2], st;
	char c;
	pid_t pid;

	if (pipe(fd) != 0)
		TGT_ERROR(page);
	pid = fork();
	if (pid == 0) {
		tgt_sleep_us(3000);
		_exit(write(fd[1], "x", 1) != 1);
	}
	if (read(fd[0], &c, 1) != 1 || c != 'x')
		TGT_ERROR(page);
	if (waitpid(pid, &st, 0) != pid || st != 0)
		TGT_ERROR(page);
	close(fd[0]);
	close(fd[1]);
}

static void
wait_socket(struct tgt_page *page)
{
	struct timeval tv = { 0, 8000 };
	int fd[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 ||
	    setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) != 0)
		TGT_ERROR(page);
	if (recv(fd[0], &c, 1, 0) != -1 || errno != EAGAIN)
		TGT_ERROR(page);
	close(fd[0]);
	close(fd[1]);
}

/* Each thread waits in its own kind of call.  SIGCHLD of wait_pipe() is blocked
   since it may wake others (see inject_stop.c, ignored signals). */
static void
body_wait(struct tgt_page *page, unsigned thread)
{
	struct timespec t = { 0, 4000000 };
	struct epoll_event ev;
	uint32_t word = 0;
	sigset_t usr2, chld;
	int fd;

	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	switch (thread % 8) {
	case 0:
		tgt_body_sleep(page, thread);
		break;
	case 1:
		wait_pipe(page);
		break;
	case 2:
		if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0) !=
			    -1 || errno != ETIMEDOUT)
			TGT_ERROR(page);
		break;
	case 3:
		if (poll(NULL, 0, 6) != 0)
			TGT_ERROR(page);
		break;
	case 4:
		fd = epoll_create1(0);
		if (epoll_wait(fd, &ev, 1, 7) != 0)
			TGT_ERROR(page);
		close(fd);
		break;
	case 5:
		if (sigtimedwait(&usr2, NULL, &t) != -1 || errno != EAGAIN)
			TGT_ERROR(page);
		break;
	case 6:
		wait_socket(page);
		break;
	default:
		sigaddset(&chld, SIGUSR2);
		if (ppoll(NULL, 0, &t, &chld) != 0)
			TGT_ERROR(page);
	}
}

/* ---- stopping ------------------------------------------------------------ */

static int64_t
call0(struct hold *h, long nr)
{
	const uint64_t arg[6] = { 0 };
	int64_t res = -1;

	if (inject_syscall(&h->in, nr, arg, &res, &h->e) != 0)
		fail_msg("%s", h->e.msg);
	return res;
}

static void
restart_by(bool guard)
{
	struct tgt t;
	struct hold h;

	tgt_start(&t, body_wait, 9);
	hold_open(&h, t.pid, guard);
	for (int i = 0; i < 150; i++) {
		hold_stop(&h, (i & 1) != 0);
		if (i & 1)
			assert_true(h.in.n >= 9);
		assert_int_equal(call0(&h, SYS_getpid), t.pid);
		inject_resume(&h.in);
		assert_int_equal(tgt_status(t.pid, "TracerPid", 10), 0);
		tgt_sleep_us((unsigned)rand() % 3000);
	}
	assert_true(tgt_runs(&t));
	hold_close(&h);
	assert_true(tgt_end(&t));
}

static void
test_calls_restart(void **state)
{
	restart_by(false);
	restart_by(true);
}

/* user[0]: signals taken, user[1]: sum of their values. */
static struct tgt_page *sig_page;

static void
on_signal(int sig, siginfo_t *si, void *ctx)
{
	__atomic_add_fetch(&sig_page->user[0], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&sig_page->user[1], (uint64_t)si->si_value.sival_int,
			   __ATOMIC_RELAXED);
	if (si->si_pid != (pid_t)sig_page->user[2])
		TGT_ERROR(sig_page);
}

static void
body_signals(struct tgt_page *page, unsigned thread)
{
	struct sigaction sa = { .sa_sigaction = on_signal,
				.sa_flags = SA_SIGINFO | SA_RESTART };

	if (sig_page == NULL) {
		page->user[2] = (uint64_t)getppid();
		sig_page = page;
		sigaction(SIGRTMIN, &sa, NULL);
		page->user[3] = 1;
	}
	if (thread == 0)
		for (volatile int i = 0; i < 20000; i++)
			;
	else
		poll(NULL, 0, 3);
}

static void
test_signals_arrive(void **state)
{
	union sigval v;
	uint64_t sum = 0;
	struct tgt t;
	struct hold h;

	tgt_start(&t, body_signals, 3);
	while (t.page->user[3] == 0)
		tgt_sleep_us(100);
	hold_open(&h, t.pid, true);
	for (int i = 1; i <= 1000; i++) {
		v.sival_int = i;
		sum += (uint64_t)i;
		assert_int_equal(sigqueue(t.pid, SIGRTMIN, v), 0);
		if (i % 4 != 0)
			continue;
		hold_stop(&h, (i & 4) != 0);
		v.sival_int = 0;
		assert_int_equal(sigqueue(t.pid, SIGRTMIN, v), 0);
		assert_int_equal(call0(&h, SYS_getpid), t.pid);
		inject_resume(&h.in);
	}
	assert_true(tgt_runs(&t));
	assert_int_equal(t.page->user[0], 1250);
	assert_int_equal(t.page->user[1], sum);
	hold_close(&h);
	assert_true(tgt_end(&t));
}

static void
test_stays_stopped(void **state)
{
	struct tgt t;
	struct hold h;

	tgt_start(&t, tgt_body_sleep, 3);
	hold_open(&h, t.pid, true);
	kill(t.pid, SIGSTOP);
	for (int i = 0; i < 1000 && tgt_state(t.pid) != 'T'; i++)
		tgt_sleep_us(1000);
	for (int i = 0; i < 5; i++) {
		hold_stop(&h, true);
		assert_int_equal(call0(&h, SYS_getpid), t.pid);
		inject_resume(&h.in);
	}
	tgt_sleep_us(20000);
	assert_int_equal(tgt_state(t.pid), 'T');
	assert_int_equal(tgt_status(t.pid, "TracerPid", 10), 0);
	kill(t.pid, SIGCONT);
	assert_true(tgt_runs(&t));
	/* And one that comes while we call. */
	hold_stop(&h, true);
	kill(t.pid, SIGSTOP);
	assert_int_equal(call0(&h, SYS_getpid), t.pid);
	inject_resume(&h.in);
	tgt_sleep_us(20000);
	assert_int_equal(tgt_state(t.pid), 'T');
	kill(t.pid, SIGCONT);
	assert_true(tgt_runs(&t));
	hold_close(&h);
	assert_true(tgt_end(&t));
}

/* user[0]: how long the child of vfork takes, in us. */
static void
body_vfork(struct tgt_page *page, unsigned thread)
{
	pid_t pid;
	int st;

	if (thread == 0) {
		poll(NULL, 0, 2);
		return;
	}
	pid = vfork();
	if (pid == 0) {
		tgt_sleep_us((unsigned)page->user[0]);
		_exit(3);
	}
	if (pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st) != 3)
		TGT_ERROR(page);
}

static void
test_vfork(void **state)
{
	struct tgt t;
	struct hold h;

	tgt_start(&t, body_vfork, 3);
	hold_open(&h, t.pid, true);
	for (int i = 0; i < 20; i++) {
		t.page->user[0] = (uint64_t)rand() % 8000;
		hold_stop(&h, true);
		assert_true(h.in.n >= 3);
		inject_resume(&h.in);
		tgt_sleep_us((unsigned)rand() % 4000);
	}
	t.page->user[0] = 1700000;
	tgt_sleep_us(30000);
	assert_int_equal(inject_stop(&h.in, true, &h.e), -1);
	assert_non_null(strstr(h.e.msg, "vfork"));
	assert_true(tgt_runs(&t));
	t.page->user[0] = 0;
	tgt_sleep_us(1800000);
	assert_int_equal(tgt_status(t.pid, "TracerPid", 10), 0);
	err_clear(&h.e);
	hold_stop(&h, true);
	inject_resume(&h.in);
	hold_close(&h);
	assert_true(tgt_end(&t));
}

/* Of threads that run all the time the program's own view is printed: how long
   none of them did.  What we wait for the processor is no harm to it. */
static void
stop_time(tgt_body *body, unsigned n, const char *what)
{
	uint64_t best = ~0ull, sum = 0;
	struct tgt t;
	struct hold h;

	tgt_start(&t, body, n);
	hold_open(&h, t.pid, true);
	for (int i = 0; i < 10; i++) {
		uint64_t t0 = tgt_now_us(), us;

		t.page->user[1] = 0;
		hold_stop(&h, true);
		assert_int_equal(h.in.n, n);
		inject_resume(&h.in);
		us = tgt_now_us() - t0;
		assert_true(tgt_runs(&t));
		if (body == body_spin)
			us = t.page->user[1];
		sum += us;
		best = us < best ? us : best;
	}
	print_message("# stopped: %2u %s threads: %lu us, mean %lu\n", n, what,
		      (unsigned long)best, (unsigned long)sum / 10);
	hold_close(&h);
	assert_true(tgt_end(&t));
}

static void
test_stop_time(void **state)
{
	static const unsigned n[] = { 1, 16, 64 };

	for (int i = 0; i < 3; i++) {
		stop_time(tgt_body_sleep, n[i], "sleeping");
		stop_time(body_spin, n[i], "spinning");
	}
}

/* ---- calling ------------------------------------------------------------- */

static void
memory_by(bool guard)
{
	const uint64_t at = 0x123450000000;
	char back[6] = "";
	int theirs, ours;
	struct tgt t;
	struct hold h;
	uint64_t mask;
	char *p;

	tgt_start(&t, tgt_body_sleep, 2);
	mask = tgt_status(t.pid, "SigBlk", 16);
	hold_open(&h, t.pid, guard);
	hold_stop(&h, false);
	ours = inject_memfd(&h.in, 8192, &theirs, &h.e);
	if (ours < 0)
		fail_msg("%s", h.e.msg);
	if (inject_mmap(&h.in, at, 8192, PROT_READ | PROT_EXEC, MAP_SHARED,
			theirs, 0, &h.e) != 0)
		fail_msg("%s", h.e.msg);
	assert_int_equal(inject_mmap(&h.in, at + 4096, 4096, PROT_READ,
				     MAP_PRIVATE, -1, 0, &h.e), -1);
	assert_int_equal(h.e.sys, EEXIST);
	inject_resume(&h.in);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, ours, 0);
	assert_true(p != MAP_FAILED);
	strcpy(p + 5000, "hello");
	assert_int_equal(inject_read(&h.in, at + 5000, back, 6), 0);
	assert_string_equal(back, "hello");
	assert_int_equal(inject_read(&h.in, at + 8192, back, 1), -1);
	assert_int_equal(tgt_status(t.pid, "SigBlk", 16), mask);
	munmap(p, 8192);
	close(ours);
	hold_close(&h);
	assert_true(tgt_end(&t));
}

/* A file of ours becomes one of the target's too, and nothing else does. */
static void
file_by(bool guard)
{
	int ours = memfd_create("handed", MFD_CLOEXEC), theirs = -1;
	char path[64], is[64] = "";
	const uint64_t gone[6] = { 0 };
	uint64_t arg[6] = { 0 };
	struct hold h;
	struct tgt t;
	int64_t res;

	assert_true(ours >= 0);
	tgt_start(&t, tgt_body_sleep, 2);
	hold_open(&h, t.pid, guard);
	hold_stop(&h, false);
	if (inject_fd(&h.in, ours, &theirs, &h.e) != 0)
		fail_msg("%s", h.e.msg);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t.pid, theirs);
	assert_true(readlink(path, is, sizeof(is) - 1) > 0);
	assert_non_null(strstr(is, "memfd:handed"));
	assert_false(inject_fd_other(&h.in, theirs, ours));
	arg[0] = (uint64_t)theirs;
	assert_int_equal(inject_syscall(&h.in, SYS_close, arg, &res, &h.e), 0);
	assert_int_equal(res, 0);
	assert_false(inject_fd_other(&h.in, theirs, ours));
	/* The sockets are gone: the next descriptor is the lowest again. */
	assert_int_equal(inject_syscall(&h.in, SYS_dup, gone, &res, &h.e), 0);
	assert_true(res <= theirs);
	assert_true(inject_fd_other(&h.in, (int)res, ours));
	arg[0] = (uint64_t)res;
	assert_int_equal(inject_syscall(&h.in, SYS_close, arg, &res, &h.e), 0);
	assert_int_equal(inject_fd(&h.in, -1, &theirs, &h.e), -1);
	inject_resume(&h.in);
	close(ours);
	hold_close(&h);
	assert_true(tgt_runs(&t));
	assert_true(tgt_end(&t));
}

static void
test_file(void **state)
{
	file_by(false);
	file_by(true);
}

/* No descriptor is free, and one of them keeps a lock. */
static void
body_full(struct tgt_page *page, unsigned thread)
{
	const struct rlimit most = { 16, 16 };
	struct flock l = { .l_type = F_WRLCK, .l_len = 1 };
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("locked", MFD_CLOEXEC);
		if (setrlimit(RLIMIT_NOFILE, &most) != 0 ||
		    fcntl(fd, F_SETLK, &l) != 0)
			TGT_ERROR(page);
		while (dup(fd) >= 0)
			;
		page->user[0] = (uint64_t)fd;
	}
	if (dup(fd) >= 0 || errno != EMFILE)
		TGT_ERROR(page);
	tgt_sleep_us(1000);
}

/* A file there, mapped there and here. */
static void
share(struct hold *h, int ours, int theirs, uint64_t at)
{
	char back[4] = "";

	if (ours < 0 || inject_mmap(&h->in, at, 4096, PROT_READ, MAP_SHARED,
				    theirs, 0, &h->e) != 0)
		fail_msg("%s", h->e.msg);
	assert_int_equal(pwrite(ours, "abc", 4, 0), 4);
	assert_int_equal(inject_read(&h->in, at, back, 4), 0);
	assert_string_equal(back, "abc");
}

/* True if byte 0 of the target's file is locked for others. */
static bool
lock_stands(const struct tgt *t)
{
	struct flock l = { .l_type = F_WRLCK, .l_len = 1 };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t->pid,
		 (int)t->page->user[0]);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETLK, &l), 0);
	close(fd);
	return l.l_type == F_WRLCK;
}

/* A process without a free descriptor, by a thread of our own: a new file, and
   one that we have. */
static void
full_by(bool guard, bool all)
{
	const uint64_t at = 0x123460000000;
	int ours, theirs;
	struct hold h;
	struct tgt t;

	tgt_start(&t, body_full, 1);
	assert_true(tgt_runs(&t));
	hold_open(&h, t.pid, guard);
	hold_stop(&h, all);
	assert_int_equal(inject_memfd(&h.in, 4096, &theirs, &h.e), -1);
	assert_int_equal(h.e.sys, EMFILE);
	err_clear(&h.e);
	if (inject_own(&h.in, &h.e) != 0)
		fail_msg("%s", h.e.msg);
	ours = inject_memfd(&h.in, 4096, &theirs, &h.e);
	share(&h, ours, theirs, at);
	if (inject_fd(&h.in, ours, &theirs, &h.e) != 0)
		fail_msg("%s", h.e.msg);
	share(&h, ours, theirs, at + 8192);
	inject_own_end(&h.in);
	assert_int_equal(tgt_status(t.pid, "Threads", 10), 1);
	/* And once more, left to inject_resume(). */
	assert_int_equal(inject_own(&h.in, &h.e), 0);
	inject_resume(&h.in);
	assert_int_equal(tgt_status(t.pid, "Threads", 10), 1);
	close(ours);
	hold_close(&h);
	assert_true(lock_stands(&t));
	assert_true(tgt_runs(&t));
	assert_true(tgt_end(&t));
}

static void
test_full(void **state)
{
	full_by(false, false);
	full_by(true, false);
	full_by(true, true);
}

static void
test_memory(void **state)
{
	memory_by(false);
	memory_by(true);
}

/* As proc_ctl.c holds a child: seized, EXITKILL, at a SIGTRAP or in execve. */
static void __attribute__((noreturn))
held_child(bool exec)
{
	while (tgt_status(getpid(), "TracerPid", 10) == 0)
		tgt_sleep_us(100);
	if (exec)
		execl("/bin/sh", "sh", "-c", "exit 7", NULL);
	__asm__ volatile("int3");
	_exit(7);
}

static void
held_by(bool exec)
{
	const uint64_t arg[6] = { 0 };
	struct err e = { 0 };
	struct inject in;
	int64_t res = 0;
	pid_t pid = fork();
	int st;

	if (pid == 0)
		held_child(exec);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0,
				PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC), 0);
	assert_int_equal(waitpid(pid, &st, __WALL), pid);
	assert_int_equal(st >> 16, exec ? PTRACE_EVENT_EXEC : 0);
	assert_int_equal(inject_check(pid, true, &e), 0);
	assert_int_equal(inject_open(&in, pid, true, &e), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(inject_stop(&in, (i & 1) != 0, &e), 0);
		assert_int_equal(inject_syscall(&in, SYS_getpid, arg, &res, &e),
				 0);
		assert_int_equal(res, pid);
		inject_resume(&in);
		assert_int_equal(tgt_state(pid), 't');
	}
	inject_close(&in);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(WEXITSTATUS(st), 7);
}

static void
test_held(void **state)
{
	held_by(false);
	held_by(true);
}

/* ---- refusing ------------------------------------------------------------ */

static void
test_refuse_debugged(void **state)
{
	struct tgt t;
	pid_t dbg;

	tgt_start(&t, tgt_body_sleep, 1);
	dbg = fork();
	if (dbg == 0) {
		prctl(PR_SET_NAME, "somegdb");
		if (ptrace(PTRACE_SEIZE, t.pid, 0, 0) != 0)
			_exit(1);
		for (;;)
			pause();
	}
	while (tgt_status(t.pid, "TracerPid", 10) == 0)
		tgt_sleep_us(500);
	hold_refused(t.pid, "somegdb (pid ");
	hold_refused(t.pid, "is tracing it already");
	kill(dbg, SIGKILL);
	waitpid(dbg, NULL, 0);
	assert_true(tgt_end(&t));
}

static void
only_cpu0(int policy)
{
	struct sched_param p = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0 ||
	    sched_setscheduler(0, policy, &p) != 0)
		fail_msg("%s", strerror(errno));
}

static void
body_spin_cpu0(struct tgt_page *page, unsigned thread)
{
	if (page->user[0] == 0)
		only_cpu0(SCHED_OTHER);
	page->user[0] = 1;
}

/* Runs when nobody else wants the CPU. */
static void
body_idle(struct tgt_page *page, unsigned thread)
{
	if (page->user[0] == 0)
		only_cpu0(SCHED_IDLE);
	page->user[0] = 1;
}

/* A thread that only lacks a CPU is not said to wait in the kernel. */
static void
test_starved(void **state)
{
	struct tgt t, other;
	struct hold h;
	int rc = 0;

	tgt_start(&t, body_idle, 1);
	while (t.page->user[0] == 0)
		tgt_sleep_us(500);
	tgt_start(&other, body_spin_cpu0, 1);
	hold_open(&h, t.pid, false);
	h.in.stop_ms = 1;
	for (int i = 0; i < 1000 && rc == 0; i++) {
		rc = inject_stop(&h.in, true, &h.e);
		if (rc == 0)
			inject_resume(&h.in);
	}
	assert_int_equal(rc, -1);
	assert_non_null(strstr(h.e.msg, "has had no CPU for it in 1 ms"));
	tgt_kill(&other);
	err_clear(&h.e);
	hold_stop(&h, true);
	inject_resume(&h.in);
	assert_true(tgt_runs(&t));
	hold_close(&h);
	assert_true(tgt_end(&t));
}

static void
test_refuse_gone(void **state)
{
	struct inject in;
	struct err e = { 0 };
	struct tgt t;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	while (tgt_state(pid) != 'Z')
		tgt_sleep_us(500);
	hold_refused(pid, "has ended");
	waitpid(pid, NULL, 0);
	hold_refused(pid, "has ended");
	hold_refused(getpid(), "the tracing process itself");
	if (tgt_status(2, "Kthread", 10) == 1)
		hold_refused(2, "kernel thread");

	tgt_start(&t, tgt_body_sleep, 2);
	assert_int_equal(inject_open(&in, t.pid, false, &e), 0);
	tgt_kill(&t);
	assert_int_equal(inject_stop(&in, true, &e), -1);
	assert_int_equal(e.sys, ESRCH);
	inject_close(&in);
}

/* Every thread counts; the word is spoilt only while nothing runs. */
static void
test_fs_self(void **state)
{
	const uint64_t other = 1;
	struct inject_id v[2];
	uint64_t base;
	size_t n;
	struct tgt t;
	struct hold h;

	tgt_start(&t, tgt_body_sleep, 2);
	hold_open(&h, t.pid, false);
	hold_stop(&h, true);
	assert_int_equal(inject_ids(&h.in, v, &n, &h.e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(v[0].tid, t.pid);
	assert_true(inject_fs_self(&h.in, v, n));
	base = h.in.threads[h.in.n - 1].regs.fs_base;
	assert_int_equal(inject_write(&h.in, base, &other, sizeof(other)), 0);
	assert_false(inject_fs_self(&h.in, v, n));
	assert_false(inject_fs_self(&h.in, v, 0));
	assert_int_equal(inject_write(&h.in, base, &base, sizeof(base)), 0);
	inject_resume(&h.in);
	hold_close(&h);
	assert_true(tgt_end(&t));
}

static void
body_undumpable(struct tgt_page *page, unsigned thread)
{
	prctl(PR_SET_DUMPABLE, 0);
	page->user[0] = 1;
	tgt_body_sleep(page, thread);
}

static void
test_refuse_denied(void **state)
{
	struct tgt t;

	tgt_start(&t, body_undumpable, 1);
	while (t.page->user[0] == 0)
		tgt_sleep_us(500);
	if (geteuid() != 0) {
		hold_refused(t.pid, "CAP_SYS_PTRACE");
		hold_refused(1, "belongs to user 0");
	} else {
		pid_t pid = fork();
		struct err e = { 0 };
		int st;

		if (pid == 0)
			_exit(setuid(65534) != 0 ||
			      inject_check(t.pid, false, &e) != -1 ||
			      strstr(e.msg, "belongs to user 0") == NULL);
		waitpid(pid, &st, 0);
		assert_int_equal(st, 0);
	}
	tgt_kill(&t);
}

/* A whole 32-bit program: for (;;) pause(). */
static const uint8_t elf32[] = {
	0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 3, 0, 1, 0, 0, 0, 0x54, 0x80, 0x04, 0x08, 52, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 52, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x04, 0x08, 0, 0x80, 0x04, 0x08,
	0x5d, 0, 0, 0, 0x5d, 0, 0, 0, 5, 0, 0, 0, 0, 16, 0, 0,
	0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7,
};

static void
test_refuse_32bit(void **state)
{
	int fd = memfd_create("elf32", MFD_CLOEXEC);
	char *argv[] = { NULL }, path[64], exe[128] = "";
	pid_t pid;

	assert_int_equal(write(fd, elf32, sizeof(elf32)), sizeof(elf32));
	pid = fork();
	if (pid == 0) {
		fexecve(fd, argv, argv);
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	while (strstr(exe, "elf32") == NULL && tgt_state(pid) != 'Z') {
		(void)!readlink(path, exe, sizeof(exe) - 1);
		tgt_sleep_us(500);
	}
	if (tgt_state(pid) == 'Z')
		print_message("# this kernel runs no 32-bit programs\n");
	else
		hold_refused(pid, "32-bit");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_restart),
		cmocka_unit_test(test_fs_self),
		cmocka_unit_test(test_signals_arrive),
		cmocka_unit_test(test_stays_stopped),
		cmocka_unit_test(test_vfork),
		cmocka_unit_test(test_stop_time),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_refuse_debugged),
		cmocka_unit_test(test_refuse_gone),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_refuse_denied),
		cmocka_unit_test(test_refuse_32bit),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
