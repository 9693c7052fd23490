/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_table.c - a program that stands at its first instruction makes calls by
 * itself (inject_table.c); guardian and consumer are killed at every single
 * step.
 *
 * The program prints its status: whoever was killed when, it must have done
 * that, with the signals blocked that were, and have ended well.  A step is a
 * call of ptrace(2), waitpid(2), pwrite(2), sendmsg(2) or recv(2), as in
 * test_guard_steps.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/process/inject_impl.h"
#include "engine/process/patch.h"

#define AT    0x7e8000000000ull
#define SIZE  8192ull
#define MAGIC 0x1122334455667788ull

enum who { GUARDIAN, CONSUMER };

/* Of the process that is to die; elsewhere `step` is 0. */
static struct {
	unsigned step, done;
	enum who who;
	pid_t consumer;
} doom;

static void
step_begins(void)
{
	bool guardian = getpid() != doom.consumer;

	if (doom.step != 0 && guardian == (doom.who == GUARDIAN) &&
	    ++doom.done == doom.step)
		raise(SIGKILL);
}

long __real_ptrace(int req, pid_t pid, void *addr, void *data);
pid_t __real_waitpid(pid_t pid, int *status, int how);
ssize_t __real_pwrite64(int fd, const void *p, size_t n, off_t off);
ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __real_recv(int fd, void *p, size_t n, int flags);
long __wrap_ptrace(int req, pid_t pid, void *addr, void *data);
pid_t __wrap_waitpid(pid_t pid, int *status, int how);
ssize_t __wrap_pwrite64(int fd, const void *p, size_t n, off_t off);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags);

long
__wrap_ptrace(int req, pid_t pid, void *addr, void *data)
{
	step_begins();
	return __real_ptrace(req, pid, addr, data);
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int how)
{
	step_begins();
	return __real_waitpid(pid, status, how);
}

ssize_t
__wrap_pwrite64(int fd, const void *p, size_t n, off_t off)
{
	step_begins();
	return __real_pwrite64(fd, p, n, off);
}

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	step_begins();
	return __real_sendmsg(fd, m, flags);
}

ssize_t
__wrap_recv(int fd, void *p, size_t n, int flags)
{
	step_begins();
	return __real_recv(fd, p, n, flags);
}

/* ---- the program ------------------------------------------------------------
 */

struct prog {
	pid_t pid;
	int go, out;
};

static void
prog_child(int go, int out)
{
	sigset_t set;
	char c;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	if (read(go, &c, 1) != 1)
		_exit(2);
	dup2(out, STDOUT_FILENO);
	execl("/bin/cat", "cat", "/proc/self/status", (char *)NULL);
	_exit(3);
}

/* It waits before it executes the program. */
static void
prog_start(struct prog *p)
{
	int go[2], out[2];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	p->pid = fork();
	if (p->pid == 0)
		prog_child(go[0], out[1]);
	close(go[0]);
	close(out[1]);
	p->go = go[1];
	p->out = out[0];
}

static void
prog_ends_well(struct prog *p, unsigned step)
{
	char text[8192];
	size_t n = 0;
	ssize_t r;
	int st;

	(void)!write(p->go, "x", 1); /* nobody may have let it go */
	while ((r = read(p->out, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)r;
	text[n] = '\0';
	assert_int_equal(__real_waitpid(p->pid, &st, 0), p->pid);
	if (st != 0 || strstr(text, "SigBlk:\t0000000000000800\n") == NULL)
		fail_msg("step %u: status %x, it says %s", step, st, text);
	close(p->go);
	close(p->out);
}

/* ---- the consumer
 * ------------------------------------------------------------ */

struct tabler {
	struct inject in;
	struct patch_journal *j;
	struct guard *g;
	struct err e;
};

static int
tabler_catch(struct tabler *u, const struct prog *p)
{
	*u = (struct tabler){ .g = NULL };
	if (inject_open(&u->in, p->pid, false, &u->e) != 0)
		return -1;
	u->j = patch_journal_new(p->pid, 16, &u->e);
	u->g = guard_new(u->j, u->in.mem, -1, &u->e);
	if (u->g == NULL)
		return -1;
	inject_through(&u->in, u->g);
	if (guard_catch(u->g, p->pid, &u->e) != 0)
		return -1;
	(void)!write(p->go, "x", 1);
	return guard_drive(u->g, p->pid) == INJECT_CAUGHT ? 0 : -1;
}

static struct inject_call
call_map(uint64_t addr, int flags)
{
	return (struct inject_call){
		.nr = SYS_mmap,
		.arg = { addr, SIZE, PROT_READ | PROT_WRITE,
			 (uint64_t)(flags | MAP_FIXED_NOREPLACE) }
	};
}

/* n: bytes of the file are mapped at the first address, and none at the second.
 */
static struct inject_calls
tabler_calls(int fd, uint64_t second)
{
	struct inject_calls c = {
		.alone = 1,
		.n = 5,
		.v = { { .nr = SYS_openat,
			 .arg = { (uint64_t)AT_FDCWD, 0, O_RDWR | O_CLOEXEC },
			 .text = 2 },
		       call_map(AT, MAP_SHARED),
		       call_map(second, MAP_PRIVATE | MAP_ANONYMOUS),
		       { .nr = SYS_mprotect, .arg = { AT, SIZE, PROT_READ } },
		       { .nr = SYS_access, .arg = { 1 }, .may_fail = 1 } }
	};

	snprintf(c.text, sizeof(c.text), "/proc/%d/fd/%d", (int)getpid(), fd);
	return c;
}

static int
tabler_file(void)
{
	const uint64_t magic = MAGIC;
	int fd = memfd_create("table", MFD_CLOEXEC);

	assert_true(fd >= 0 && ftruncate(fd, SIZE) == 0);
	assert_int_equal(__real_pwrite64(fd, &magic, sizeof(magic), 0), 8);
	return fd;
}

static bool
tabler_sees_file(struct tabler *u)
{
	uint64_t is = 0;

	return inject_read(&u->in, AT, &is, sizeof(is)) == 0 && is == MAGIC;
}

static int
tabler_end(struct tabler *u)
{
	guard_release(u->g);
	if (!guard_lives(u->g))
		return -1;
	guard_free(u->g);
	inject_close(&u->in);
	return 0;
}

/* Of the memory that the program has now: the file was opened before. */
static void
tabler_anew(struct tabler *u, const struct prog *p)
{
	struct inject now;

	assert_int_equal(inject_open(&now, p->pid, false, &u->e), 0);
	assert_true(dup3(now.mem, u->in.mem, O_CLOEXEC) >= 0);
	inject_close(&now);
}

/* ---- the tests --------------------------------------------------------------
 */

static void
tabler_life(const struct prog *p, int fd)
{
	struct inject_calls c;
	struct tabler *u = calloc(1, sizeof(*u));

	if (u == NULL || tabler_catch(u, p) != 0)
		_exit(1);
	c = tabler_calls(fd, AT + SIZE);
	if (inject_calls(&u->in, &c, &u->e) != 0 || c.done != c.n)
		_exit(1);
	_exit(tabler_end(u) == 0 ? 0 : 1);
}

/* True: there is no such step. */
static bool
one_death(enum who who, unsigned step)
{
	int fd = tabler_file(), st;
	struct prog p;
	pid_t pid;

	prog_start(&p);
	pid = fork();
	if (pid == 0) {
		doom.step = step;
		doom.who = who;
		doom.consumer = getpid();
		tabler_life(&p, fd);
	}
	assert_int_equal(__real_waitpid(pid, &st, 0), pid);
	prog_ends_well(&p, step);
	close(fd);
	return WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

static void
deaths(enum who who)
{
	unsigned step = 1;

	while (!one_death(who, step))
		step++;
	print_message("# %s before each of %u steps\n",
		      who == GUARDIAN ? "guardian" : "consumer", step - 1);
	assert_true(step > (who == GUARDIAN ? 20 : 8));
}

static void
test_guardian_dies(void **state)
{
	deaths(GUARDIAN);
}

static void
test_consumer_dies(void **state)
{
	deaths(CONSUMER);
}

static void
test_makes_calls(void **state)
{
	int fd = tabler_file();
	struct inject_calls c;
	struct prog p;
	struct tabler u;

	prog_start(&p);
	assert_int_equal(tabler_catch(&u, &p), 0);
	tabler_anew(&u, &p);
	c = tabler_calls(fd, AT + SIZE);
	assert_int_equal(inject_calls(&u.in, &c, &u.e), 0);
	assert_int_equal(c.done, c.n);
	assert_true(c.v[0].res > 2);
	assert_int_equal(c.v[2].res, AT + SIZE);
	assert_int_equal(c.v[4].res, -EFAULT);
	assert_true(tabler_sees_file(&u));
	assert_int_equal(tabler_end(&u), 0);
	prog_ends_well(&p, 0);
	close(fd);
}

/* Behind one that fails none is made. */
static void
test_ends_at_failure(void **state)
{
	int fd = tabler_file();
	struct inject_calls c;
	struct prog p;
	struct tabler u;

	prog_start(&p);
	assert_int_equal(tabler_catch(&u, &p), 0);
	tabler_anew(&u, &p);
	c = tabler_calls(fd, AT); /* is taken */
	assert_int_equal(inject_calls(&u.in, &c, &u.e), 0);
	assert_int_equal(c.done, 2);
	assert_int_equal(c.v[2].res, -EEXIST);
	assert_true(tabler_sees_file(&u));
	c = tabler_calls(fd, AT + SIZE);
	strcpy(c.text, "/no/such/file");
	assert_int_equal(inject_calls(&u.in, &c, &u.e), 0);
	assert_int_equal(c.done, 0);
	assert_int_equal(c.v[0].res, -ENOENT);
	assert_int_equal(tabler_end(&u), 0);
	prog_ends_well(&p, 0);
	close(fd);
}

/* Anywhere else it is refused, also when it has been held before. */
static void
test_only_at_the_beginning(void **state)
{
	struct err e = { 0 };
	struct inject_calls c = tabler_calls(0, AT + SIZE);
	struct inject in;
	struct prog p;

	prog_start(&p);
	assert_int_equal(inject_open(&in, p.pid, false, &e), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(inject_stop(&in, true, &e), 0);
		assert_int_equal(inject_calls(&in, &c, &e), -1);
		err_clear(&e);
		inject_resume(&in);
	}
	inject_close(&in);
	prog_ends_well(&p, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_makes_calls),
		cmocka_unit_test(test_ends_at_failure),
		cmocka_unit_test(test_only_at_the_beginning),
		cmocka_unit_test(test_guardian_dies),
		cmocka_unit_test(test_consumer_dies),
	};

	signal(SIGPIPE, SIG_IGN); /* who was let go has closed the pipe */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
