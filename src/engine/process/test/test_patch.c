/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_patch.c - the journal: entered, written, skipped, undone; by ourselves
 * and through a guardian.  The text is a big private mapping of the target.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/patch.h"
#include "engine/process/test/test_target.h"

#define TEXT   0x234560000000ull
#define STRIDE 250 /* spans cross pages at odd places */
#define NTEXT  10000

struct work {
	struct tgt t;
	struct inject in;
	struct patch_journal *j;
	struct guard *g;
	struct err e;
	struct patch *p;
	uint8_t *text; /* as it was */
	size_t bytes;
};

static void
body(struct tgt_page *page, unsigned thread)
{
	tgt_sleep_us(1000);
}

static void
fill(struct work *w, size_t n)
{
	w->p = calloc(n, sizeof(*w->p));
	assert_non_null(w->p);
	for (size_t i = 0; i < n; i++) {
		struct patch *p = &w->p[i];

		p->addr = TEXT + i * STRIDE + 4090 % STRIDE;
		p->len = (uint8_t)(1 + i % PATCH_MAX);
		p->landing = i % 3 == 0;
		if (p->addr % 4096 + p->len > 4096) /* not over a border */
			p->addr = (p->addr | 4095) + 1 - p->len;
		memcpy(p->was, w->text + (p->addr - TEXT), p->len);
		for (int k = 0; k < p->len; k++)
			p->now[k] = (uint8_t)~p->was[k];
	}
}

static void
work_open(struct work *w, size_t n, uint32_t cap, bool guard)
{
	*w = (struct work){ 0 };
	w->bytes = (n + 1) * STRIDE;
	w->text = mmap((void *)TEXT, w->bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	assert_true(w->text == (void *)TEXT);
	for (size_t i = 0; i < w->bytes; i++)
		w->text[i] = (uint8_t)rand();
	mprotect(w->text, w->bytes, PROT_READ | PROT_EXEC);
	fill(w, n);
	tgt_start(&w->t, body, 2);
	assert_int_equal(inject_open(&w->in, w->t.pid, false, &w->e), 0);
	w->j = patch_journal_new(w->t.pid, cap, &w->e);
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
	munmap(w->text, w->bytes);
	free(w->p);
	assert_true(tgt_end(&w->t));
}

/* The target's text is ours with those patches that are SET. */
static void
expect_text(struct work *w, size_t n, bool patched)
{
	uint8_t *want = malloc(w->bytes), *is = malloc(w->bytes);

	assert_non_null(want);
	assert_non_null(is);
	memcpy(want, w->text, w->bytes);
	for (size_t i = 0; patched && i < n; i++)
		if (w->p[i].state == PATCH_SET)
			memcpy(want + (w->p[i].addr - TEXT), w->p[i].now,
			       w->p[i].len);
	assert_int_equal(inject_read(&w->in, TEXT, is, w->bytes), 0);
	assert_memory_equal(is, want, w->bytes);
	free(want);
	free(is);
}

static void
many_by(bool guard)
{
	uint64_t t0, t1, t2;
	struct work w;

	work_open(&w, NTEXT, NTEXT, guard);
	w.p[77].was[0] ^= 1; /* not as expected */
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	t0 = tgt_now_us();
	assert_int_equal(patch_apply(w.j, &w.in, w.p, NTEXT, NULL, 0, &w.e),
			 0);
	t1 = tgt_now_us();
	expect_text(&w, NTEXT, true);
	assert_int_equal(w.p[76].state, PATCH_SET);
	assert_int_equal(w.p[77].state, PATCH_NONE);
	assert_int_equal(w.j->n, NTEXT - 1);
	t1 -= t0;
	t0 = tgt_now_us();
	assert_int_equal(patch_undo_all(w.j, &w.in, &w.e), 0);
	t2 = tgt_now_us() - t0;
	expect_text(&w, NTEXT, false);
	assert_int_equal(w.j->p[0].state, PATCH_UNDONE);
	inject_resume(&w.in);
	print_message("# %d patches%s: %lu us, undone in %lu\n", NTEXT,
		      guard ? " through the guardian" : "", (unsigned long)t1,
		      (unsigned long)t2);
	work_close(&w);
}

static void
test_many(void **state)
{
	many_by(false);
	many_by(true);
}

static void
full_by(bool guard)
{
	struct work w;

	work_open(&w, 10, 8, guard);
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 10, NULL, 0, &w.e), -1);
	assert_non_null(strstr(w.e.msg, "too many"));
	err_clear(&w.e);
	assert_int_equal(w.j->n, 0);
	assert_int_equal(w.p[0].state, PATCH_NONE);
	expect_text(&w, 10, false);
	w.p[3].addr = w.p[5].addr;
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 8, NULL, 0, &w.e), -1);
	assert_non_null(strstr(w.e.msg, "order"));
	inject_resume(&w.in);
	work_close(&w);
}

static void
test_full(void **state)
{
	full_by(false);
	full_by(true);
}

/* What is gone, or another's by now, is left alone. */
static void
lost_by(bool guard)
{
	const uint64_t page[6] = { TEXT + 4096, 4096 };
	uint8_t theirs = 0x5a;
	struct work w;
	int64_t res;

	work_open(&w, 100, 100, guard);
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 100, NULL, 0, &w.e), 0);
	assert_int_equal(inject_write(&w.in, w.p[50].addr, &theirs, 1), 0);
	assert_int_equal(inject_syscall(&w.in, SYS_munmap, page, &res, &w.e),
			 0);
	assert_int_equal(res, 0);
	assert_int_equal(patch_undo_all(w.j, &w.in, &w.e), 0);
	for (int i = 0; i < 100; i++) {
		uint8_t is[PATCH_MAX];
		const struct patch *p = &w.p[i];

		if (inject_read(&w.in, p->addr, is, p->len) != 0)
			continue;
		if (i == 50)
			assert_int_equal(is[0], theirs);
		else
			assert_memory_equal(is, p->was, p->len);
		assert_int_equal(w.j->p[i].state, PATCH_UNDONE);
	}
	inject_resume(&w.in);
	work_close(&w);
}

static void
test_lost(void **state)
{
	lost_by(false);
	lost_by(true);
}

/* A uprobe that is on a patch stays, with what its owner thinks is behind it;
   one on another's bytes is left alone with them. */
static void
uprobe_by(bool guard)
{
	const uint8_t theirs[2] = { 0xcc, 0x5a };
	struct work w;

	work_open(&w, 100, 100, guard);
	for (int i = 50; i < 52; i++) {
		w.p[i].was[0] = 0x90; /* no breakpoint was there */
		w.p[i].now[0] = 0xe9;
		w.p[i].was[1] = 0x91;
		w.p[i].now[1] = 0x92;
		assert_true(w.p[i].len >= 2);
		assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
		assert_int_equal(inject_write(&w.in, w.p[i].addr, w.p[i].was,
					      w.p[i].len), 0);
	}
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 100, NULL, 0, &w.e), 0);
	assert_int_equal(inject_write(&w.in, w.p[50].addr, theirs, 1), 0);
	assert_int_equal(inject_write(&w.in, w.p[51].addr, theirs, 2), 0);
	assert_int_equal(patch_undo_all(w.j, &w.in, &w.e), 0);
	for (int i = 50; i < 52; i++) {
		const struct patch *p = &w.p[i];
		uint8_t is[PATCH_MAX], want[PATCH_MAX];

		memcpy(want, i == 50 ? p->was : p->now, p->len);
		memcpy(want, theirs, i == 50 ? 1 : 2);
		assert_int_equal(inject_read(&w.in, p->addr, is, p->len), 0);
		assert_memory_equal(is, want, p->len);
	}
	inject_resume(&w.in);
	work_close(&w);
}

static void
test_uprobe(void **state)
{
	uprobe_by(false);
	uprobe_by(true);
}

/* Text that was unmapped is no affair of ours, and its entries make room. */
static void
test_forget(void **state)
{
	struct work w;

	work_open(&w, 100, 60, false);
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 50, NULL, 0, &w.e), 0);
	patch_forget(w.j, w.p[10].addr, w.p[50].addr);
	assert_int_equal(w.j->p[9].state, PATCH_SET);
	assert_int_equal(w.j->p[10].state, PATCH_UNDONE);
	assert_int_equal(w.j->p[49].state, PATCH_UNDONE);
	assert_int_equal(
		patch_apply(w.j, &w.in, w.p + 50, 50, NULL, 0, &w.e), 0);
	assert_int_equal(w.j->n, 60);
	assert_int_equal(patch_undo_all(w.j, &w.in, &w.e), 0);
	for (int i = 0; i < 100; i++) {
		const struct patch *p = &w.p[i];
		bool forgotten = i >= 10 && i < 50;
		uint8_t is[PATCH_MAX];

		assert_int_equal(inject_read(&w.in, p->addr, is, p->len), 0);
		assert_memory_equal(is, forgotten ? p->now : p->was, p->len);
	}
	inject_resume(&w.in);
	work_close(&w);
}

static void
test_undo_in(void **state)
{
	struct work w;

	work_open(&w, 100, 100, false);
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	assert_int_equal(patch_apply(w.j, &w.in, w.p, 100, NULL, 0, &w.e), 0);
	assert_int_equal(patch_undo_in(w.j, &w.in), 100);
	expect_text(&w, 100, false);
	assert_int_equal(w.j->p[99].state, PATCH_SET);
	assert_int_equal(patch_undo_in(w.j, &w.in), 0);
	inject_resume(&w.in);
	work_close(&w);
}

/* PCs move with the patch that covers them, and not with one that was left
   out. */
static void
test_moves(void **state)
{
	struct work w;
	struct patch_move m[2];
	struct patch p[2] = { 0 };
	uint64_t pc, was[2];

	work_open(&w, 4, 4, false);
	assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
	assert_int_equal(w.in.n, 2);
	for (int i = 0; i < 2; i++)
		was[i] = w.in.threads[i].regs.rip;
	pc = w.in.threads[0].regs.rip;
	p[0].addr = pc - 2;
	p[0].len = 5;
	assert_int_equal(inject_read(&w.in, pc - 2, p[0].was, 5), 0);
	memcpy(p[0].now, p[0].was, 5);
	m[0] = (struct patch_move){ pc - 1, 1 };
	m[1] = (struct patch_move){ pc, pc + 0x1000 };
	p[0].was[4] ^= 1;
	assert_int_equal(patch_apply(w.j, &w.in, p, 1, m, 2, &w.e), 0);
	assert_int_equal(w.in.threads[0].regs.rip, pc);
	p[0].was[4] ^= 1;
	assert_int_equal(patch_apply(w.j, &w.in, p, 1, m, 2, &w.e), 0);
	assert_int_equal(w.in.threads[0].regs.rip, pc + 0x1000);
	for (int i = 0; i < 2; i++) {
		struct user_regs_struct is;

		assert_int_equal(ptrace(PTRACE_GETREGS, w.in.threads[i].tid, 0,
					&is),
				 0);
		assert_int_equal(is.rip, w.in.threads[i].regs.rip);
		w.in.threads[i].regs.rip = was[i];
		assert_int_equal(inject_regs_set(&w.in.threads[i]), 0);
	}
	inject_resume(&w.in);
	work_close(&w);
}

/* A patch looks at bytes behind it, which another one writes; what that one, or
   somebody else, has not as expected leaves both out, or the first. */
static void
looks_by(bool guard)
{
	for (int other = 0; other < 3; other++) {
		struct work w;
		struct patch p[2] = { 0 };

		work_open(&w, 4, 4, guard);
		for (int i = 0; i < 2; i++) {
			p[i].addr = TEXT + 100 + 3 * (uint64_t)i;
			p[i].len = i == 0 ? 3 : 2;
			p[i].look = i == 0 ? 8 : 0;
			memcpy(p[i].was, w.text + 100 + 3 * i, 8);
			memset(p[i].now, 0x90, sizeof(p[i].now));
		}
		if (other == 1)
			p[1].was[1] ^= 1; /* so that is left out */
		if (other == 2)
			p[0].was[7] ^= 1; /* looked at only */
		assert_int_equal(inject_stop(&w.in, true, &w.e), 0);
		assert_int_equal(patch_apply(w.j, &w.in, p, 2, NULL, 0, &w.e),
				 0);
		assert_int_equal(p[0].state,
				 other == 0 ? PATCH_SET : PATCH_NONE);
		assert_int_equal(p[1].state,
				 other == 1 ? PATCH_NONE : PATCH_SET);
		assert_int_equal(patch_undo_all(w.j, &w.in, &w.e), 0);
		expect_text(&w, 0, false);
		inject_resume(&w.in);
		work_close(&w);
	}
}

static void
test_looks(void **state)
{
	looks_by(false);
	looks_by(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_uprobe),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_undo_in),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_looks),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
