/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_patch_over.c - jumps over jumps: three consumers at one place of our own
 * memory, who leave in each order.  Nothing is run there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/patch.h"
#include "rt/rt_native.h"

#define N     3
#define LEN   8 /* of the window, all of which is written */
#define PAGE  4096u
#define TRAMP 256u

/* A page of text, one with trampolines, then what each shares with its
   process. */
struct world {
	uint8_t *text;
	struct inject in;
	struct patch_journal *j[N];
	uint8_t file[LEN];
};

static struct rtn_shared *
shared_of(const struct world *w, int i)
{
	return (void *)(w->text + 2 * PAGE +
			(size_t)i * ((sizeof(struct rtn_shared) | 4095) + 1));
}

static uint64_t
tramp_of(const struct world *w, int i)
{
	return (uint64_t)(uintptr_t)w->text + PAGE + (unsigned)(i + 1) * TRAMP;
}

static void
place_open(struct world *w)
{
	size_t n = 2 * PAGE + N * ((sizeof(struct rtn_shared) | 4095) + 1);

	w->text = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(w->text, MAP_FAILED);
	w->in = (struct inject){ .pid = getpid(),
				 .mem = open("/proc/self/mem", O_RDWR) };
	assert_true(w->in.mem >= 0);
	memcpy(w->file, "\x55\x48\x89\xe5\x48\x83\xec\x10", LEN);
	memcpy(w->text, w->file, LEN);
}

static void
jump_bytes(uint8_t *out, uint64_t from, uint64_t to)
{
	int32_t rel = (int32_t)(to - (from + 5));

	out[0] = 0xe9;
	memcpy(out + 1, &rel, sizeof(rel));
}

/* Consumer i comes, as process_code.c would do it. */
static void
comes(struct world *w, int i)
{
	const uint64_t addr = (uint64_t)(uintptr_t)w->text;
	uint64_t top = patch_jump(w->text, addr);
	struct patch p = { .addr = addr, .len = LEN, .look = LEN,
			   .over = top != 0 };
	struct patch_head h;
	struct err e = { 0 };

	if (top != 0)
		p.next = patch_alive(&w->in, addr, top, false);
	h = patch_head_make(addr, (uint64_t)(uintptr_t)shared_of(w, i), LEN,
			    LEN, false, p.next);
	memcpy((uint8_t *)(uintptr_t)tramp_of(w, i) - sizeof(h), &h, sizeof(h));
	shared_of(w, i)->ctl.activity = RT_ACT_ACTIVE;
	memcpy(p.was, w->text, LEN);
	memcpy(p.back, w->file, LEN);
	memcpy(p.now, w->text, LEN);
	if (top == 0)
		memset(p.now, 0x90, LEN);
	jump_bytes(p.now, addr, tramp_of(w, i));
	w->j[i] = patch_journal_new(getpid(), 1, &e);
	assert_non_null(w->j[i]);
	assert_int_equal(patch_apply(w->j[i], &w->in, &p, 1, NULL, 0, &e), 0);
	assert_int_equal(p.state, PATCH_SET);
	assert_int_equal(patch_jump(w->text, addr), tramp_of(w, i));
}

static void
goes(struct world *w, int i)
{
	struct err e = { 0 };

	shared_of(w, i)->ctl.activity = RT_ACT_DRAINING;
	assert_int_equal(patch_undo_all(w->j[i], &w->in, &e), 0);
}

static void
place_close(struct world *w)
{
	for (int i = 0; i < N; i++)
		patch_journal_free(w->j[i]);
	close(w->in.mem);
}

/* The last who came of those who are there; -1. */
static int
highest(const bool there[N])
{
	int i = N - 1;

	while (i >= 0 && !there[i])
		i--;
	return i;
}

static void
test_orders(void **state)
{
	static const int order[6][N] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 }
	};

	for (int o = 0; o < 6; o++) {
		bool there[N] = { true, true, true };
		struct world w = { 0 };
		int was, top;

		place_open(&w);
		for (int i = 0; i < N; i++)
			comes(&w, i);
		for (int k = 0; k < N; k++) {
			was = highest(there);
			there[order[o][k]] = false;
			goes(&w, order[o][k]);
			/* A consumer that is not on top is led through as long
			   as that one is there. */
			assert_int_equal(w.j[order[o][k]]->under,
					 was != order[o][k]);
			top = was == order[o][k] ? highest(there) : was;
			if (top >= 0)
				assert_int_equal(
					patch_jump(w.text,
						   (uint64_t)(uintptr_t)w.text),
					tramp_of(&w, top));
		}
		assert_memory_equal(w.text, w.file, LEN);
		place_close(&w);
	}
}

/* A thread that comes is led to those alone that are alive. */
static void
test_skips_dead(void **state)
{
	struct patch_head h;
	struct world w = { 0 };
	uint64_t addr;

	place_open(&w);
	addr = (uint64_t)(uintptr_t)w.text;
	comes(&w, 0);
	comes(&w, 1);
	shared_of(&w, 1)->ctl.activity = RT_ACT_STOPPED;
	comes(&w, 2);
	assert_true(patch_head_read(&w.in, addr, tramp_of(&w, 2), &h));
	assert_int_equal(h.next, tramp_of(&w, 0));
	goes(&w, 1); /* late: nobody leads through it */
	assert_int_equal(w.j[1]->under, 0);
	goes(&w, 0);
	assert_int_equal(w.j[0]->under, 1);
	goes(&w, 2);
	assert_memory_equal(w.text, w.file, LEN);
	place_close(&w);
}

/* In a forked child only those stay that follow. */
static void
test_children(void **state)
{
	for (uint32_t follow = 0; follow < 2; follow++) {
		struct world w = { 0 };

		place_open(&w);
		for (int i = 0; i < N; i++)
			comes(&w, i);
		shared_of(&w, 0)->follow = follow;
		assert_int_equal(patch_undo_in(w.j[2], &w.in), 1);
		if (follow == 0)
			assert_memory_equal(w.text, w.file, LEN);
		else
			assert_int_equal(
				patch_jump(w.text,
					   (uint64_t)(uintptr_t)w.text),
				tramp_of(&w, 0));
		place_close(&w);
	}
}

/* Memory that lies leads nowhere, and has an end. */
static void
test_lies(void **state)
{
	struct patch_head h;
	struct world w = { 0 };
	uint64_t addr;

	place_open(&w);
	addr = (uint64_t)(uintptr_t)w.text;
	comes(&w, 0);
	assert_true(patch_head_read(&w.in, addr, tramp_of(&w, 0), &h));
	assert_false(patch_head_read(&w.in, addr + 1, tramp_of(&w, 0), &h));
	assert_false(patch_head_read(&w.in, addr, 8, &h));
	h = patch_head_make(addr, (uint64_t)(uintptr_t)shared_of(&w, 0), LEN,
			    LEN, false, tramp_of(&w, 0));
	memcpy((uint8_t *)(uintptr_t)tramp_of(&w, 0) - sizeof(h), &h,
	       sizeof(h));
	shared_of(&w, 0)->ctl.activity = RT_ACT_STOPPED;
	assert_int_equal(patch_alive(&w.in, addr, tramp_of(&w, 0), false),
			 tramp_of(&w, 0));
	assert_false(patch_leads(&w.in, addr, tramp_of(&w, 0), addr));
	h = patch_head_make(addr, 0, LEN, LEN - 1, false, 0);
	memcpy((uint8_t *)(uintptr_t)tramp_of(&w, 0) - sizeof(h), &h,
	       sizeof(h));
	assert_false(patch_head_read(&w.in, addr, tramp_of(&w, 0), &h));
	place_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_skips_dead),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_lies),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
