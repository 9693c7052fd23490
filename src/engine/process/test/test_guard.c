/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_guard.c - the consumer is killed, at any time: the target must not
 * notice, and its text must be as it was.
 *
 * The target calls small functions in loops; a consumer puts a jump over the
 * five nops at the head of each, to a copy of them elsewhere, and takes it out
 * again, until it is killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/patch.h"
#include "engine/process/test/test_target.h"
#include "rt/rt_native.h"

#define NFNS   64
#define FN     32 /* bytes from one to the next */
#define WINDOW 5
#define CODE   4096 /* of the mapping: after the shared page */
#define MAPPED 8192
#define CYCLES 200

/* fn(x) = x + 1, NFNS times. */
extern uint8_t guard_fns[];
__asm__(".text\n"
	".balign 64\n"
	"guard_fns:\n"
	".rept 64\n"
	"	nop; nop; nop; nop; nop\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".balign 32\n"
	".endr\n");

static void
call_fns(struct tgt_page *page)
{
	for (uint64_t k = 0; k < 4 * NFNS; k++) {
		uint64_t (*fn)(uint64_t) = (uint64_t(*)(uint64_t))(
			uintptr_t)(guard_fns + k % NFNS * FN);

		if (fn(k) != k + 1)
			TGT_ERROR(page);
	}
}

static void
body(struct tgt_page *page, unsigned thread)
{
	struct timespec t = { 0, 300000 };

	call_fns(page);
	if (thread == 1 && nanosleep(&t, NULL) != 0)
		TGT_ERROR(page);
	if (thread == 2 && poll(NULL, 0, 1) != 0)
		TGT_ERROR(page);
	if (thread == 3 && (getpid() != (pid_t)syscall(SYS_getpid)))
		TGT_ERROR(page);
}

/* ---- the consumer -------------------------------------------------------- */

struct consumer {
	struct inject in;
	struct patch_journal *j;
	struct guard *g;
	struct err e;
	uint64_t at; /* of the mapping in the target */
	struct patch p[NFNS];
	struct patch_move m[NFNS * (WINDOW - 1)];
};

static int
consumer_open(struct consumer *c, pid_t pid)
{
	int pidfd;

	*c = (struct consumer){ 0 };
	if (inject_check(pid, false, &c->e) != 0 ||
	    inject_open(&c->in, pid, false, &c->e) != 0)
		return -1;
	c->j = patch_journal_new(pid, 4096, &c->e);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	c->g = guard_new(c->j, c->in.mem, pidfd, &c->e);
	if (pidfd >= 0)
		close(pidfd); /* the guardian has its own */
	if (c->g == NULL)
		return -1;
	inject_through(&c->in, c->g);
	return 0;
}

static void
consumer_close(struct consumer *c)
{
	inject_close(&c->in);
	guard_free(c->g);
	patch_journal_free(c->j);
}

static void
put_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	int32_t rel = (int32_t)(to - (from + WINDOW));

	at[0] = 0xe9;
	memcpy(at + 1, &rel, sizeof(rel));
}

/* Trampolines into mem, patches and moves. */
static void
make_code(struct consumer *c, uint8_t *mem)
{
	size_t nm = 0;

	for (size_t k = 0; k < NFNS; k++) {
		uint64_t fn = (uint64_t)(uintptr_t)guard_fns + k * FN;
		uint64_t tr = c->at + CODE + k * FN;
		uint8_t *t = mem + CODE + k * FN;
		struct patch *p = &c->p[k];

		memset(t, 0x90, WINDOW);
		put_jump(t + WINDOW, tr + WINDOW, fn + WINDOW);
		*p = (struct patch){ .addr = fn, .len = WINDOW };
		memset(p->was, 0x90, WINDOW);
		put_jump(p->now, fn, tr);
		for (uint64_t b = 1; b < WINDOW; b++)
			c->m[nm++] = (struct patch_move){ fn + b, tr + b };
	}
}

static int
make_mapping(struct consumer *c)
{
	uint64_t arg[6] = { 0 };
	int theirs, ours;
	int64_t res;
	uint8_t *mem;

	if (inject_stop(&c->in, false, &c->e) != 0)
		return -1;
	ours = inject_memfd(&c->in, MAPPED, &theirs, &c->e);
	if (ours < 0 || guard_shared(c->g, ours, RTN_OWN, &c->e) != 0 ||
	    inject_mmap(&c->in, c->at, MAPPED, PROT_READ | PROT_EXEC,
			MAP_SHARED, theirs, 0, &c->e) != 0)
		return -1;
	arg[0] = (uint64_t)theirs;
	if (inject_syscall(&c->in, SYS_close, arg, &res, &c->e) != 0)
		return -1;
	inject_resume(&c->in);
	mem = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, ours, 0);
	((struct rt_ctl *)(void *)mem)->activity = RT_ACT_ACTIVE;
	make_code(c, mem);
	munmap(mem, MAPPED);
	close(ours);
	return 0;
}

static int
consumer_patch(struct consumer *c)
{
	if (make_mapping(c) != 0 || inject_stop(&c->in, true, &c->e) != 0 ||
	    patch_apply(c->j, &c->in, c->p, NFNS, c->m, NFNS * (WINDOW - 1),
			&c->e) != 0)
		return -1;
	inject_resume(&c->in);
	return 0;
}

static int
consumer_undo(struct consumer *c)
{
	if (inject_stop(&c->in, true, &c->e) != 0 ||
	    patch_undo_all(c->j, &c->in, &c->e) != 0)
		return -1;
	inject_resume(&c->in);
	return 0;
}

/* Where the nth mapping goes: within reach, and never used before. */
static uint64_t
near(uint64_t n)
{
	uint64_t fns = (uint64_t)(uintptr_t)guard_fns & ~0xfffull;

	return fns - 0x10000000 - n * 0x10000;
}

/* For ever, but for errors. */
static void __attribute__((noreturn))
consumer_run(const struct tgt *t)
{
	struct consumer *c = calloc(1, sizeof(*c));

	if (c == NULL || consumer_open(c, t->pid) != 0)
		_exit(1);
	for (;;) {
		c->at = near(t->page->user[0]++);
		if (consumer_patch(c) != 0 || consumer_undo(c) != 0) {
			fprintf(stderr, "consumer: %s\n", c->e.msg);
			_exit(1);
		}
	}
}

/* ---- the tests ----------------------------------------------------------- */

static bool
text_clean(struct inject *in)
{
	uint8_t is[NFNS * FN];

	return inject_read(in, (uint64_t)(uintptr_t)guard_fns, is,
			   sizeof(is)) == 0 &&
	       memcmp(is, guard_fns, sizeof(is)) == 0;
}

/* Only one child is left: guardians come to us as orphans. */
static bool
only_child_left(void)
{
	char path[64], line[256] = "";
	FILE *f;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	f = fopen(path, "re");
	if (f == NULL)
		return true;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	return strchr(line, ' ') == strrchr(line, ' ');
}

static bool
wait_only_child(unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		if (only_child_left())
			return true;
		tgt_sleep_us(1000);
	}
	return false;
}

static void
test_killed(void **state)
{
	struct err e = { 0 };
	struct inject in;
	struct tgt t;
	unsigned dirty = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tgt_start(&t, body, 4);
	assert_int_equal(inject_open(&in, t.pid, false, &e), 0);
	for (int i = 0; i < CYCLES; i++) {
		pid_t pid = fork();
		int st;

		if (pid == 0)
			consumer_run(&t);
		tgt_sleep_us((unsigned)rand() % 30000);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &st, 0), pid);
		assert_true(WIFSIGNALED(st));
		dirty += !text_clean(&in);
		if (!wait_only_child(300000))
			fail_msg("cycle %d: the guardian stays", i);
		assert_true(text_clean(&in));
		assert_int_equal(tgt_status(t.pid, "TracerPid", 10), 0);
		assert_true(tgt_runs(&t));
	}
	print_message("# %d kills, %u with the text patched, %lu mappings\n",
		      CYCLES, dirty, (unsigned long)t.page->user[0]);
	inject_close(&in);
	assert_true(tgt_end(&t));
}

/* A consumer that patches, and is killed; *gpid: its guardian, ours now. */
static void
patch_and_die(struct tgt *t, pid_t dbg_gate, pid_t *gpid)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct consumer *c = calloc(1, sizeof(*c));

		if (c == NULL || consumer_open(c, t->pid) != 0)
			_exit(1);
		c->at = near(0);
		if (consumer_patch(c) != 0)
			_exit(1);
		t->page->user[1] = (uint64_t)guard_pid(c->g);
		for (;;)
			pause();
	}
	while (t->page->user[1] == 0 && tgt_state(pid) != 'Z')
		tgt_sleep_us(500);
	*gpid = (pid_t)t->page->user[1];
	kill(dbg_gate, SIGUSR1);
	while (tgt_status(t->pid, "TracerPid", 10) == 0)
		tgt_sleep_us(500);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A debugger that takes the process when told, and holds on to it. */
static pid_t
debugger_start(const struct tgt *t)
{
	sigset_t usr1;
	pid_t pid;
	int sig;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	pid = fork();
	if (pid != 0) {
		sigprocmask(SIG_UNBLOCK, &usr1, NULL);
		return pid;
	}
	sigwait(&usr1, &sig);
	if (ptrace(PTRACE_SEIZE, t->pid, 0, 0) != 0)
		_exit(1);
	for (;;)
		pause();
}

/* The probes are silent at once, the text is put right once that is
   possible. */
static void
test_debugger_first(void **state)
{
	struct err e = { 0 };
	uint32_t activity = 0;
	struct inject in;
	struct tgt t;
	pid_t dbg, gpid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tgt_start(&t, body, 3);
	assert_int_equal(inject_open(&in, t.pid, false, &e), 0);
	dbg = debugger_start(&t);
	patch_and_die(&t, dbg, &gpid);
	assert_true(gpid > 0);
	tgt_sleep_us(700000);
	assert_false(text_clean(&in));
	assert_int_equal(inject_read(&in, near(0), &activity, 4), 0);
	assert_int_equal(activity, RT_ACT_STOPPED);
	assert_true(tgt_runs(&t));
	kill(dbg, SIGKILL);
	waitpid(dbg, NULL, 0);
	assert_int_equal(waitpid(gpid, NULL, 0), gpid);
	assert_true(text_clean(&in));
	inject_close(&in);
	assert_true(tgt_end(&t));
}

static unsigned
count_fds(pid_t pid)
{
	char path[64];
	unsigned n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n - 2; /* . and .. */
}

/* True if our children may run before all others. */
static bool
may_be_first(void)
{
	const struct sched_param first = { .sched_priority = 1 },
				 last = { .sched_priority = 0 };

	return sched_setscheduler(0, SCHED_FIFO, &first) == 0 &&
	       sched_setscheduler(0, SCHED_OTHER, &last) == 0;
}

/* How often a process maps what has that name. */
static int
count_maps(pid_t pid, const char *name)
{
	char path[64], line[512];
	FILE *f;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		n += strstr(line, name) != NULL;
	fclose(f);
	return n;
}

/* The guardian keeps the memory that it was given last. */
static void
shared_once(struct guard *g, struct err *e)
{
	for (int i = 0; i < 3; i++) {
		int fd = memfd_create("guard_test", MFD_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, 2 * RTN_OWN), 0);
		assert_int_equal(guard_shared(g, fd, RTN_OWN, e), 0);
		close(fd);
		assert_int_equal(count_maps(guard_pid(g), "guard_test"), 1);
	}
}

/* All threads are stopped: the guardian, who has them, knows each by its number
   and by its fs base, which the C library has put there. */
static void
ids_once(struct inject *in, pid_t pid, struct err *e)
{
	struct inject_id *v = calloc(in->n + 1, sizeof(*v));
	bool found = false;
	size_t n = 0;

	assert_non_null(v);
	assert_int_equal(inject_ids(in, v, &n, e), 0);
	assert_true(n != 0 && n <= in->n);
	for (size_t i = 0; i < n; i++)
		found |= v[i].tid == pid && v[i].fs_base != 0;
	assert_true(found);
	assert_true(inject_fs_self(in, v, n));
	free(v);
}

static void
test_nobodys(void **state)
{
	struct consumer *c = calloc(1, sizeof(*c));
	char path[64], comm[32] = "";
	struct tgt t;
	FILE *f;

	assert_non_null(c);
	tgt_start(&t, body, 1);
	assert_int_equal(consumer_open(c, t.pid), 0);
	assert_int_equal(inject_stop(&c->in, false, &c->e), 0);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)guard_pid(c->g));
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(comm, sizeof(comm), f));
	fclose(f);
	assert_string_equal(comm, "dtrace-guard\n");
	assert_int_equal(count_fds(guard_pid(c->g)), 6);
	shared_once(c->g, &c->e);
	ids_once(&c->in, t.pid, &c->e);
	assert_int_equal(getsid(guard_pid(c->g)), guard_pid(c->g));
	assert_int_equal(tgt_status(t.pid, "TracerPid", 10), guard_pid(c->g));
	if (may_be_first())
		assert_int_equal(sched_getscheduler(guard_pid(c->g)),
				 SCHED_FIFO);
	consumer_close(c);
	assert_int_equal(tgt_status(t.pid, "TracerPid", 10), 0);
	free(c);
	assert_true(tgt_end(&t));
}

static void
test_target_dies(void **state)
{
	struct consumer *c = calloc(1, sizeof(*c));
	struct tgt t;
	pid_t gpid;

	assert_non_null(c);
	tgt_start(&t, body, 3);
	assert_int_equal(consumer_open(c, t.pid), 0);
	c->at = near(0);
	if (consumer_patch(c) != 0)
		fail_msg("%s", c->e.msg);
	assert_int_equal(inject_stop(&c->in, true, &c->e), 0);
	gpid = guard_pid(c->g);
	tgt_kill(&t);
	assert_int_equal(waitpid(gpid, NULL, 0), gpid);
	assert_int_equal(inject_stop(&c->in, true, &c->e), -1);
	assert_int_equal(c->e.sys, ESRCH);
	assert_non_null(strstr(c->e.msg, "has ended"));
	consumer_close(c);
	free(c);
}

/* ---- one guardian, two processes ----------------------------------------- */

/* What the processes have to say to each other, in user[]. */
enum { LEND = 2, LENT, HELD, GO };

/* When told, lends its memory to a child, which ends when told. */
static void
body_lends(struct tgt_page *page, unsigned thread)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	call_fns(page);
	if (page->user[LEND] != 1)
		return;
	page->user[LEND] = 2;
	if (vfork() == 0) {
		page->user[LENT] = (uint64_t)getpid();
		while (page->user[GO] == 0)
			syscall(SYS_nanosleep, &nap, NULL);
		_exit(0);
	}
	while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A consumer of both, which has the child held as one that is about to execute
   a program. */
static void __attribute__((noreturn))
consumer_holds(const struct tgt *t)
{
	struct consumer *c = calloc(1, sizeof(*c));
	struct patch_journal *j;
	struct guard *g;
	struct inject in;
	pid_t child;
	int fd;

	if (c == NULL || consumer_open(c, t->pid) != 0)
		_exit(1);
	c->at = near(0);
	if (consumer_patch(c) != 0)
		_exit(1);
	t->page->user[LEND] = 1;
	while ((child = (pid_t)t->page->user[LENT]) == 0)
		tgt_sleep_us(500);
	j = patch_journal_file(child, 16, &fd, &c->e);
	if (j == NULL || inject_open(&in, child, false, &c->e) != 0)
		_exit(1);
	g = guard_join(c->g, j, fd, in.mem, -1, &c->e);
	if (g == NULL || guard_catch(g, child, &c->e) != 0)
		_exit(1);
	t->page->user[HELD] = 1;
	for (;;)
		pause();
}

/* The parent cannot be stopped before the child has been let go. */
static void
test_killed_amid_exec(void **state)
{
	struct err e = { 0 };
	struct inject in;
	struct tgt t;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tgt_start(&t, body_lends, 1);
	assert_int_equal(inject_open(&in, t.pid, false, &e), 0);
	pid = fork();
	if (pid == 0)
		consumer_holds(&t);
	while (t.page->user[HELD] == 0 && tgt_state(pid) != 'Z')
		tgt_sleep_us(500);
	assert_int_equal(t.page->user[HELD], 1);
	assert_false(text_clean(&in));
	t.page->user[GO] = 1;
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(wait_only_child(300000));
	assert_true(text_clean(&in));
	assert_true(tgt_runs(&t));
	inject_close(&in);
	assert_true(tgt_end(&t));
}

/* Those that have been parted with are as they were; others go on. */
static void
test_joined(void **state)
{
	struct consumer *c = calloc(1, sizeof(*c)), *d = calloc(1, sizeof(*d));
	struct tgt t, u;
	int fd;

	assert_true(c != NULL && d != NULL);
	tgt_start(&t, body, 2);
	tgt_start(&u, body, 2);
	assert_int_equal(consumer_open(c, t.pid), 0);
	c->at = d->at = near(0);
	assert_int_equal(inject_open(&d->in, u.pid, false, &d->e), 0);
	d->j = patch_journal_file(u.pid, 4096, &fd, &d->e);
	assert_non_null(d->j);
	for (int i = 0; i < 3; i++) {
		d->g = guard_join(c->g, d->j, fd, d->in.mem, -1, &d->e);
		assert_non_null(d->g);
		assert_int_equal(guard_pid(c->g), guard_pid(d->g));
		inject_through(&d->in, d->g);
		d->j->done = 0;
		d->at = near((uint64_t)i);
		if (consumer_patch(d) != 0)
			fail_msg("%s", d->e.msg);
		assert_false(text_clean(&d->in));
		assert_true(text_clean(&c->in));
		assert_int_equal(consumer_undo(d), 0);
		guard_free(d->g);
	}
	assert_true(guard_lives(c->g));
	if (consumer_patch(c) != 0 || consumer_undo(c) != 0)
		fail_msg("%s", c->e.msg);
	close(fd);
	inject_close(&d->in);
	patch_journal_free(d->j);
	free(d);
	consumer_close(c);
	free(c);
	assert_true(tgt_end(&t) && tgt_end(&u));
}

/* The guardian that is to stop it for us has been killed: we do so
   ourselves. */
static void
test_guardian_killed(void **state)
{
	struct consumer *c = calloc(1, sizeof(*c));
	struct tgt t;

	assert_non_null(c);
	tgt_start(&t, body, 2);
	assert_int_equal(consumer_open(c, t.pid), 0);
	kill(guard_pid(c->g), SIGKILL);
	while (guard_lives(c->g))
		tgt_sleep_us(1000);
	assert_int_equal(inject_stop(&c->in, true, &c->e), -1);
	assert_int_equal(c->in.n, 0);
	err_clear(&c->e);
	inject_through(&c->in, NULL);
	if (inject_stop(&c->in, true, &c->e) != 0)
		fail_msg("%s", c->e.msg);
	assert_true(c->in.n >= 2);
	inject_resume(&c->in);
	consumer_close(c);
	free(c);
	assert_true(tgt_end(&t));
}

/* End what a test that failed has left: the next would wait for it. */
static int
end_children(void **state)
{
	char path[64], line[4096];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	for (;;) {
		FILE *f = fopen(path, "re");
		bool some = f != NULL && fgets(line, sizeof(line), f) != NULL;

		if (f != NULL)
			fclose(f);
		if (!some)
			return 0;
		for (char *s = line, *end; *s >= '0'; s = end + 1)
			kill((pid_t)strtol(s, &end, 10), SIGKILL);
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		tgt_sleep_us(1000);
	}
}

#define TEST(fn) cmocka_unit_test_teardown(fn, end_children)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nobodys),
		TEST(test_debugger_first),
		TEST(test_target_dies),
		TEST(test_joined),
		TEST(test_guardian_killed),
		TEST(test_killed_amid_exec),
		TEST(test_killed),
	};

	srand((unsigned)time(NULL));
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
