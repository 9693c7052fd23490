/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_inject_frames.c - threads that stand in signal handlers while text is
 * patched under the code that was interrupted.
 *
 * The code of the target is a row of windows, five instructions of one byte
 * each.  A patch makes a window a jump whose other bytes are no instruction
 * (0x06), so that whoever returns into its middle dies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/test/test_target.h"

#define TEXT   0x234560000000ull
#define AWAY   0x06060606u /* from a window to where it has gone */
#define WINDOW 5
#define NWIN   100
#define CYCLES 200
#define MOVES  (NWIN * WINDOW)

static const uint8_t window[WINDOW] = { 0x50, 0x58, 0x50, 0x58, 0x90 };

enum how { PLAIN, ALTERNATE, NESTED };

/* ---- the target ----------------------------------------------------- */

static void
spin_us(unsigned us)
{
	uint64_t until = tgt_now_us() + us;

	while (tgt_now_us() < until)
		;
}

/* The next alarm comes some instructions after the handler: it takes nearly all
   the time, but not all. */
static void
alarm_soon(void)
{
	const struct itimerval soon = { .it_value = { 0, 20 } };

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void
on_alarm(int sig)
{
	spin_us(200);
	alarm_soon();
}

static void
on_alarm_raise(int sig)
{
	raise(SIGUSR1);
}

static void
handle(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

static void
handlers(enum how how)
{
	static uint8_t stack[65536];
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };

	signal(SIGILL, SIG_DFL); /* cmocka's would go on with the test */
	signal(SIGSEGV, SIG_DFL);
	if (how != PLAIN)
		sigaltstack(&alt, NULL);
	handle(SIGUSR1, on_alarm, SA_ONSTACK);
	handle(SIGALRM, how == NESTED ? on_alarm_raise : on_alarm,
	       (how == ALTERNATE ? SA_ONSTACK : 0) | SA_RESTART);
	alarm_soon();
}

static void
run_windows(struct tgt_page *page, enum how how)
{
	void (*code)(void) = (void (*)(void))TEXT;

	if (page->rounds == 0)
		handlers(how);
	for (int i = 0; i < 1000; i++)
		code();
}

static void
body_plain(struct tgt_page *page, unsigned thread)
{
	run_windows(page, PLAIN);
}

static void
body_alternate(struct tgt_page *page, unsigned thread)
{
	run_windows(page, ALTERNATE);
}

static void
body_nested(struct tgt_page *page, unsigned thread)
{
	run_windows(page, NESTED);
}

/* ---- the tracer ----------------------------------------------------- */

struct work {
	struct tgt t;
	struct inject in;
	struct patch_journal *j;
	struct guard *g;
	struct err e;
	struct patch p[NWIN];
	struct patch_move m[MOVES];
};

static uint8_t *
code_map(uint64_t at)
{
	uint8_t *p = mmap((void *)at, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			  -1, 0);

	assert_true(p == (void *)at);
	return p;
}

/* Windows, then ret; the same again for those that have been moved: all go the
   same way, so each runs on into the next. */
static void
code_make(struct work *w)
{
	uint8_t *text = code_map(TEXT);
	uint64_t moved = TEXT + AWAY - AWAY % 4096;
	uint8_t *there = code_map(moved);

	for (unsigned i = 0; i < NWIN; i++) {
		uint64_t at = TEXT + i * WINDOW;
		uint64_t to = at + WINDOW + AWAY;
		uint8_t *q = there + (to - moved);

		memcpy(text + i * WINDOW, window, WINDOW);
		memcpy(q, window, WINDOW);
		w->p[i] = (struct patch){ .addr = at, .len = WINDOW };
		memcpy(w->p[i].was, window, WINDOW);
		w->p[i].now[0] = 0xe9;
		memset(w->p[i].now + 1, 0x06, 4);
		for (unsigned k = 0; k < WINDOW; k++)
			w->m[i * WINDOW + k] =
				(struct patch_move){ at + k, to + k };
	}
	text[NWIN * WINDOW] = 0xc3;
	there[NWIN * WINDOW + WINDOW + (TEXT + AWAY - moved)] = 0xc3;
	mprotect(text, 4096, PROT_READ | PROT_EXEC);
	mprotect(there, 4096, PROT_READ | PROT_EXEC);
}

static void
code_free(void)
{
	munmap((void *)TEXT, 4096);
	munmap((void *)(TEXT + AWAY - AWAY % 4096), 4096);
}

static void
work_open(struct work *w, tgt_body *body, bool guard)
{
	*w = (struct work){ 0 };
	code_make(w);
	tgt_start(&w->t, body, 1);
	assert_int_equal(inject_open(&w->in, w->t.pid, false, &w->e), 0);
	w->j = patch_journal_new(w->t.pid, NWIN, &w->e);
	assert_non_null(w->j);
	if (!guard)
		return;
	w->g = guard_new(w->j, w->in.mem, -1, &w->e);
	assert_non_null(w->g);
	inject_through(&w->in, w->g);
}

static void
work_close(struct work *w)
{
	inject_close(&w->in);
	guard_free(w->g);
	patch_journal_free(w->j);
	assert_true(tgt_end(&w->t));
	code_free();
}

static void
attach(struct work *w)
{
	assert_int_equal(inject_stop(&w->in, true, &w->e), 0);
	assert_int_equal(patch_apply(w->j, &w->in, w->p, NWIN, w->m, MOVES,
				     &w->e),
			 0);
	inject_resume(&w->in);
}

static void
detach(struct work *w)
{
	assert_int_equal(inject_stop(&w->in, true, &w->e), 0);
	assert_int_equal(patch_undo_all(w->j, &w->in, &w->e), 0);
	inject_resume(&w->in);
	w->j->n = 0;
}

static void
cycles(tgt_body *body, bool guard)
{
	uint64_t t0, us = 0;
	struct work w;

	work_open(&w, body, guard);
	for (int i = 0; i < CYCLES; i++) {
		t0 = tgt_now_us();
		attach(&w);
		us += tgt_now_us() - t0;
		tgt_sleep_us(300 + (unsigned)i);
		detach(&w);
		tgt_sleep_us(300);
	}
	print_message("# stopped for %lu us\n", (unsigned long)(us / CYCLES));
	work_close(&w);
}

static void
test_plain(void **state)
{
	cycles(body_plain, false);
}

static void
test_alternate(void **state)
{
	cycles(body_alternate, false);
}

static void
test_nested(void **state)
{
	cycles(body_nested, false);
}

static void
test_guard(void **state)
{
	cycles(body_nested, true);
}

/* ---- what is found -------------------------------------------------- */

/* Stop it when it stands in a handler; how many frames there are. */
static size_t
frames_of(struct work *w, struct inject_frames *f)
{
	assert_int_equal(inject_stop(&w->in, true, &w->e), 0);
	assert_int_equal(inject_frames_find(&w->in, f, &w->e), 0);
	inject_resume(&w->in);
	return f->frame.n;
}

static bool
frames_lead(const struct inject_frames *f, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < f->frame.n; i++)
		if (f->frame.v[i].pc >= lo && f->frame.v[i].pc < hi)
			return true;
	return false;
}

/* Mostly all handlers run; then there are as many frames, on as many stacks,
   and perhaps some that are no longer in use.  The outermost has mostly
   interrupted the windows. */
static void
finds(tgt_body *body, size_t frames, size_t stacks)
{
	int in_windows = 0;
	struct work w;

	work_open(&w, body, false);
	for (int i = 0; i < 5000 && in_windows < 20; i++) {
		struct inject_frames f = { 0 };
		size_t n = frames_of(&w, &f);

		assert_false(f.partial);
		in_windows += n >= frames && f.stack.n >= stacks &&
			      frames_lead(&f, TEXT, TEXT + MOVES);
		inject_frames_fini(&f);
		tgt_sleep_us(300);
	}
	assert_int_equal(in_windows, 20);
	work_close(&w);
}

/* Code that nobody runs is unused; the windows are used by the interrupted. */
static void
unused_by(bool guard)
{
	/* not on the stack, of which the target has a copy */
	static const struct inject_span far = { TEXT + 8192, TEXT + 12288 };
	static const struct inject_span code = { TEXT, TEXT + 4096 };
	struct work w;
	int used = 0;
	bool is;

	work_open(&w, body_nested, guard);
	for (int i = 0; i < 5000 && used < 20; i++) {
		assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
		assert_int_equal(inject_unused(&w.in, &far, 1, &is, &w.e), 0);
		assert_true(is);
		assert_int_equal(inject_unused(&w.in, &code, 1, &is, &w.e), 0);
		used += !is;
		inject_resume(&w.in);
		tgt_sleep_us(300);
	}
	assert_int_equal(used, 20);
	work_close(&w);
}

static void
test_unused(void **state)
{
	unused_by(false);
	unused_by(true);
}

static void
test_finds(void **state)
{
	finds(body_plain, 1, 1);
	finds(body_alternate, 1, 2);
	finds(body_nested, 2, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_alternate),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_finds),
		cmocka_unit_test(test_unused),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
