/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_guard_steps.c - guardian and consumer are killed at every single step,
 * with threads of the target at every instruction of the window; the target
 * must compute what it computes untraced.
 *
 * A step is a call of ptrace(2), waitpid(2) or pwrite(2), the means by which a
 * process is changed; or of sendmsg(2) or recv(2), by which the consumer asks
 * the guardian.  The linker gives us these calls (--wrap): who is to die in
 * step n ends itself with SIGKILL just before it; or, of the writes that cross
 * a border of pages, in the middle of the nth, as the kernel might leave it:
 * there must be none.  n grows until the work is done without dying.
 *
 * The target's threads call functions whose results they check.  In the second
 * half of the tests the process is stopped by SIGSTOP, with thread i at the ith
 * instruction of the window, and goes on only when all is over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
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
#include <time.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/patch.h"
#include "engine/process/test/test_target.h"

/* ---- dying ------------------------------------------------------------------
 */

enum when { BEFORE, AMID };
enum who { GUARDIAN, CONSUMER };
/* What the consumer does: all, or only what begins with a thread of our own. */
enum work { ATTACH, OWN };

/* Of the process that is to die; elsewhere `step` is 0. */
static struct {
	unsigned step; /* which one it dies in; 0: none */
	unsigned done;
	enum when when;
	enum who who;
	pid_t consumer; /* who it is; others that trace are guardians */
} doom;

/* True if a step of that kind, which comes, is the one that ends us. */
static bool
is_doomed(enum when when)
{
	bool guardian = getpid() != doom.consumer;

	if (doom.step == 0 || doom.when != when ||
	    guardian != (doom.who == GUARDIAN))
		return false;
	return ++doom.done == doom.step;
}

static void
step_begins(void)
{
	if (is_doomed(BEFORE))
		raise(SIGKILL);
}

long __real_ptrace(int req, pid_t pid, void *addr, void *data);
pid_t __real_waitpid(pid_t pid, int *status, int how);
ssize_t __real_pwrite64(int fd, const void *p, size_t n, off_t off);

long __wrap_ptrace(int req, pid_t pid, void *addr, void *data);
pid_t __wrap_waitpid(pid_t pid, int *status, int how);
ssize_t __wrap_pwrite64(int fd, const void *p, size_t n, off_t off);

ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __real_recv(int fd, void *p, size_t n, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags);

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
	size_t first = 4096 - (size_t)off % 4096;

	step_begins();
	if (first < n && is_doomed(AMID)) {
		__real_pwrite64(fd, p, first, off);
		raise(SIGKILL);
	}
	return __real_pwrite64(fd, p, n, off);
}

/* ---- the target
 * --------------------------------------------------------------- */

/*
 * step_edge has a window of five instructions: each adds another power of two
 * to %edi, so that one that is run twice, or not at all, is seen.  It ends with
 * a page, and the next function is on the next page: one pwrite(2) of both
 * could be torn between them.  That one, step_hop, has a short jump to a
 * landing.
 */
extern uint8_t step_fns[], step_edge[], step_hop[], step_pad[];
__asm__(".text\n"
	".balign 4096\n"
	"step_fns:\n"
	".fill 4096 - 14, 1, 0x90\n"
	"step_edge:\n"
	"	inc %edi\n"
	"	add $2, %edi\n"
	"	add $4, %edi\n"
	"	add $8, %edi\n"
	"	add $16, %edi\n" /* ends with the page */
	"	mov %edi, %eax\n"
	"	ret\n"
	".balign 16\n"
	"step_hop:\n"
	"	inc %edi\n"
	"	lea 30(%rdi), %eax\n"
	"	ret\n"
	"step_pad:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0, 0\n" /* the landing: nops, unused */
	"	ud2\n"
	".balign 4096\n");

#define EDGE_LEN 14 /* bytes of the five instructions */
#define NTHREADS 6
#define ADDS     31

static const uint8_t edge_insn[] = { 0, 2, 5, 8, 11 };

typedef uint32_t step_fn(uint32_t);

static void
body_adds(struct tgt_page *page, unsigned thread)
{
	step_fn *edge = (step_fn *)(uintptr_t)step_edge;
	step_fn *hop = (step_fn *)(uintptr_t)step_hop;

	for (uint32_t k = 0; k < 64; k++)
		if (edge(k) != k + ADDS || hop(k) != k + ADDS)
			TGT_ERROR(page);
	/* Most wait in calls now and then, to be borrowed there. */
	if (thread != 0) {
		struct timespec t = { 0, 300000 };

		if (nanosleep(&t, NULL) != 0)
			TGT_ERROR(page);
	}
}

/* ---- the consumer
 * ---------------------------------------------------------------- */

#define CODE_SIZE 4096

struct consumer {
	struct inject in;
	struct patch_journal *j;
	struct guard *g;
	struct err e;
	uint64_t at; /* of the mapping in the target */
	struct patch p[3];
	size_t np;
	struct patch_move m[8];
	size_t nm;
};

static void
put_jmp(uint8_t *out, uint64_t from, uint64_t to)
{
	int32_t rel = (int32_t)(to - (from + 5));

	out[0] = 0xe9;
	memcpy(out + 1, &rel, sizeof(rel));
}

/* A window over n bytes of text: its code at *to, and a jump back behind. */
static void
make_window(struct consumer *c, const uint8_t *text, uint8_t n, uint8_t *mem,
	    uint64_t to)
{
	memcpy(mem, text, n);
	put_jmp(mem + n, to + n, (uint64_t)(uintptr_t)text + n);
}

static void
add_patch(struct consumer *c, const uint8_t *text, uint8_t n,
	  const uint8_t *now, bool landing)
{
	struct patch *p = &c->p[c->np++];

	*p = (struct patch){ .addr = (uint64_t)(uintptr_t)text,
			     .len = n,
			     .landing = landing };
	memcpy(p->was, text, n);
	memcpy(p->now, now, n);
}

static void
make_code(struct consumer *c, uint8_t *mem)
{
	uint64_t edge = (uint64_t)(uintptr_t)step_edge;
	uint8_t now[PATCH_MAX];

	make_window(c, step_edge, EDGE_LEN, mem, c->at);
	memset(now, 0x90, sizeof(now));
	put_jmp(now, edge, c->at);
	add_patch(c, step_edge, EDGE_LEN, now, false);
	for (size_t i = 1; i < sizeof(edge_insn); i++)
		c->m[c->nm++] = (struct patch_move){ edge + edge_insn[i],
						     c->at + edge_insn[i] };
	make_window(c, step_hop, 2, mem + 64, c->at + 64);
	now[0] = 0xeb;
	now[1] = (uint8_t)(step_pad - step_hop - 2);
	add_patch(c, step_hop, 2, now, false);
	put_jmp(now, (uint64_t)(uintptr_t)step_pad, c->at + 64);
	add_patch(c, step_pad, 5, now, true);
	patch_sort(c->p, c->np);
}

/* With a call before it that fails, in one go. */
static int
close_there(struct consumer *c, int fd)
{
	struct inject_calls k = {
		.text = "/no/such/file",
		.n = 2,
		.v = { { .nr = SYS_access, .text = 1, .may_fail = 1 },
		       { .nr = SYS_close, .arg = { (uint64_t)fd } } }
	};

	return inject_calls(&c->in, &k, &c->e) == 0 && k.done == 2 &&
			       k.v[0].res == -ENOENT && k.v[1].res == 0
		       ? 0
		       : -1;
}

static int
consumer_map(struct consumer *c, enum work work)
{
	uint64_t arg[6] = { 0 };
	int theirs, ours;
	int64_t res;
	uint8_t *mem;

	if (inject_stop(&c->in, true, &c->e) != 0 ||
	    (work == OWN && inject_own(&c->in, &c->e) != 0))
		return -1;
	ours = inject_memfd(&c->in, CODE_SIZE, &theirs, &c->e);
	if (ours < 0 ||
	    inject_mmap(&c->in, c->at, CODE_SIZE, PROT_READ | PROT_EXEC,
			MAP_SHARED, theirs, 0, &c->e) != 0)
		return -1;
	arg[0] = (uint64_t)theirs;
	if (work == OWN ? inject_syscall(&c->in, SYS_close, arg, &res, &c->e)
			: close_there(c, theirs))
		return -1;
	if (work == OWN)
		inject_own_end(&c->in);
	inject_resume(&c->in);
	mem = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ours,
		   0);
	if (mem == MAP_FAILED)
		return -1;
	make_code(c, mem);
	munmap(mem, CODE_SIZE);
	close(ours);
	return 0;
}

/* Attach. */
static int
consumer_patch(struct consumer *c, pid_t pid, uint64_t at, enum work work)
{
	*c = (struct consumer){ .at = at };
	if (inject_open(&c->in, pid, false, &c->e) != 0)
		return -1;
	c->j = patch_journal_new(pid, 16, &c->e);
	c->g = guard_new(c->j, c->in.mem, -1, &c->e);
	if (c->g == NULL)
		return -1;
	inject_through(&c->in, c->g);
	if (consumer_map(c, work) != 0)
		return -1;
	if (work == OWN)
		return 0;
	if (inject_stop(&c->in, true, &c->e) != 0 ||
	    patch_apply(c->j, &c->in, c->p, c->np, c->m, c->nm, &c->e) != 0)
		return -1;
	inject_resume(&c->in);
	return 0;
}

/* Detach. */
static int
consumer_undo(struct consumer *c)
{
	if (inject_stop(&c->in, true, &c->e) != 0 ||
	    patch_undo_all(c->j, &c->in, &c->e) != 0)
		return -1;
	inject_resume(&c->in);
	guard_free(c->g);
	inject_close(&c->in);
	return 0;
}

/* Does the guardian's work itself when that was killed, as the engine does. */
static void
consumer_mend(struct consumer *c)
{
	inject_resume(&c->in);
	inject_through(&c->in, NULL);
	err_clear(&c->e);
	if (c->j == NULL || inject_stop(&c->in, true, &c->e) != 0)
		return;
	patch_undo_all(c->j, &c->in, &c->e);
	inject_resume(&c->in);
}

/* ---- one death
 * ------------------------------------------------------------------- */

/* Where the nth mapping goes: within reach, and never used before. */
static uint64_t
near(void)
{
	static uint64_t n;
	uint64_t fns = (uint64_t)(uintptr_t)step_fns & ~0xfffull;

	return fns - 0x10000000 - n++ * 0x10000;
}

static bool
text_clean(pid_t pid)
{
	struct err e = { 0 };
	uint8_t is[8192];
	struct inject in;
	bool clean;

	assert_int_equal(inject_open(&in, pid, false, &e), 0);
	clean = inject_read(&in, (uint64_t)(uintptr_t)step_fns, is,
			    sizeof(is)) == 0 &&
		memcmp(is, step_fns, sizeof(is)) == 0;
	inject_close(&in);
	return clean;
}

/* True: the work was done, so there is no such step. */
static bool
one_death(const struct tgt *t, enum work work, enum who who, enum when when,
	  unsigned step)
{
	uint64_t at = near();
	pid_t pid = fork();
	int st;

	if (pid == 0) {
		struct consumer *c = calloc(1, sizeof(*c));

		signal(SIGSEGV, SIG_DFL); /* not the test's to catch */
		doom.step = step;
		doom.when = when;
		doom.who = who;
		doom.consumer = getpid();
		if (c == NULL)
			_exit(2);
		if (consumer_patch(c, t->pid, at, work) == 0 &&
		    consumer_undo(c) == 0)
			_exit(0);
		doom.step = 0;
		consumer_mend(c);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(!WIFEXITED(st) || WEXITSTATUS(st) < 2);
	return WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

/* Nobody traces it any more: the guardian has come to its end.  On a busy
   machine it waits for a processor. */
static void
await_peace(const struct tgt *t)
{
	for (int i = 0; i < 60000; i++) {
		if (tgt_status(t->pid, "TracerPid", 10) == 0 &&
		    text_clean(t->pid))
			return;
		tgt_sleep_us(1000);
	}
	fail_msg("the text is not as it was");
}

/* A thread of ours that nobody holds any more ends by itself. */
static void
await_threads(const struct tgt *t)
{
	for (int i = 0; i < 5000; i++) {
		if (tgt_status(t->pid, "Threads", 10) == NTHREADS)
			return;
		tgt_sleep_us(1000);
	}
	fail_msg("a thread of ours is left");
}

static void
running_at(enum work work, enum who who, enum when when)
{
	struct tgt t;
	unsigned step = 0;
	bool done = false;

	tgt_start(&t, body_adds, NTHREADS);
	while (!done) {
		done = one_death(&t, work, who, when, ++step);
		await_peace(&t);
		await_threads(&t);
		if (!tgt_runs(&t) || t.page->errors != 0)
			fail_msg("killed in step %u: line %u", step,
				 t.page->what);
	}
	/* What is written over two pages may be torn: nothing is. */
	if (when == AMID)
		assert_int_equal(step, 1);
	else
		assert_true(step > 20);
	print_message("# %s, %s each of %u steps\n",
		      who == GUARDIAN ? "guardian" : "consumer",
		      when == BEFORE ? "before" : "amid", step - 1);
	assert_true(tgt_end(&t));
}

static void
running(enum who who, enum when when)
{
	running_at(ATTACH, who, when);
}

/* With a thread of our own in the target. */
static void
helped(enum who who, enum when when)
{
	running_at(OWN, who, when);
}

/* ---- at every instruction
 * ----------------------------------------------------------- */

static struct user_regs_struct
regs_of(pid_t tid)
{
	struct user_regs_struct r;

	assert_int_equal(__real_ptrace(PTRACE_GETREGS, tid, NULL, &r), 0);
	return r;
}

static int
await(pid_t tid)
{
	int st;

	assert_int_equal(waitpid(tid, &st, __WALL), tid);
	assert_true(WIFSTOPPED(st));
	return st;
}

/* Step a stopped thread until it stands at pc. */
static void
step_to(pid_t tid, uint64_t pc)
{
	for (int i = 0; i < 3000 && regs_of(tid).rip != pc; i++) {
		assert_int_equal(
			__real_ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL), 0);
		await(tid);
	}
	assert_int_equal(regs_of(tid).rip, pc);
}

/* Thread i at pc[i]; then the whole process stopped by a signal, and held by
   nobody. */
static void
place(const struct tgt *t, const uint64_t pc[NTHREADS - 1])
{
	pid_t tid[NTHREADS - 1];

	for (unsigned i = 0; i < NTHREADS - 1; i++) {
		tid[i] = (pid_t)t->page->user[i];
		/* The last guardian may not have let go all of them yet. */
		for (int k = 0; __real_ptrace(PTRACE_SEIZE, tid[i], NULL,
					      NULL) != 0; k++) {
			assert_true(k < 5000);
			tgt_sleep_us(1000);
		}
		__real_ptrace(PTRACE_INTERRUPT, tid[i], NULL, NULL);
		await(tid[i]);
		step_to(tid[i], pc[i]);
	}
	kill(t->pid, SIGSTOP);
	while (tgt_state((pid_t)t->page->user[NTHREADS - 1]) != 'T')
		tgt_sleep_us(500);
	for (unsigned i = 0; i < NTHREADS - 1; i++)
		__real_ptrace(PTRACE_DETACH, tid[i], NULL, NULL);
	for (unsigned i = 0; i < NTHREADS - 1; i++)
		while (tgt_state(tid[i]) != 'T')
			tgt_sleep_us(200);
}

/* As body_adds(), and says which thread it is. */
static void
body_placed(struct tgt_page *page, unsigned thread)
{
	if (page->user[thread] == 0)
		page->user[thread] = (uint64_t)syscall(SYS_gettid);
	body_adds(page, thread);
}

static void
placed(enum who who, enum when when)
{
	uint64_t pc[NTHREADS - 1];
	struct tgt t;
	unsigned step = 0;
	bool done = false;

	for (unsigned i = 0; i < NTHREADS - 1; i++)
		pc[i] = (uint64_t)(uintptr_t)step_edge + edge_insn[i];
	tgt_start(&t, body_placed, NTHREADS);
	assert_true(tgt_runs(&t));
	while (!done) {
		place(&t, pc);
		done = one_death(&t, ATTACH, who, when, ++step);
		await_peace(&t);
		kill(t.pid, SIGCONT);
		if (!tgt_runs(&t) || t.page->errors != 0)
			fail_msg("killed in step %u: line %u", step,
				 t.page->what);
	}
	assert_true(step > 20);
	assert_true(tgt_end(&t));
}

/* Between the short jump and the trampoline when the text is put back. */
static void
test_leaves_landing(void **state)
{
	struct consumer *c = calloc(1, sizeof(*c));
	uint64_t pc[NTHREADS - 1];
	struct tgt t;

	assert_non_null(c);
	for (unsigned i = 0; i < NTHREADS - 1; i++)
		pc[i] = (uint64_t)(uintptr_t)(i == 0 ? step_pad : step_hop);
	tgt_start(&t, body_placed, NTHREADS);
	assert_true(tgt_runs(&t));
	assert_int_equal(consumer_patch(c, t.pid, near(), ATTACH), 0);
	place(&t, pc);
	assert_int_equal(consumer_undo(c), 0);
	await_peace(&t);
	kill(t.pid, SIGCONT);
	assert_true(tgt_runs(&t));
	assert_true(tgt_end(&t));
	free(c);
}

#define DEATHS(how, who, when)                                                 \
	static void test_##how##_##who##_##when(void **state)                  \
	{                                                                      \
		how(who, when);                                                \
	}

DEATHS(running, GUARDIAN, BEFORE)
DEATHS(running, GUARDIAN, AMID)
DEATHS(running, CONSUMER, BEFORE)
DEATHS(helped, GUARDIAN, BEFORE)
DEATHS(helped, CONSUMER, BEFORE)
DEATHS(placed, GUARDIAN, BEFORE)
DEATHS(placed, CONSUMER, BEFORE)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves_landing),
		cmocka_unit_test(test_running_GUARDIAN_BEFORE),
		cmocka_unit_test(test_running_GUARDIAN_AMID),
		cmocka_unit_test(test_running_CONSUMER_BEFORE),
		cmocka_unit_test(test_helped_GUARDIAN_BEFORE),
		cmocka_unit_test(test_helped_CONSUMER_BEFORE),
		cmocka_unit_test(test_placed_GUARDIAN_BEFORE),
		cmocka_unit_test(test_placed_CONSUMER_BEFORE),
	};

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
