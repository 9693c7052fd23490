/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_patch_over.c - jumps over jumps: three consumers at one place of our own
 * memory, who leave in each order; the same of a jump that leads to a landing
 * or to unused bytes, and in a room of a trampoline.  Nothing is run there.
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
			    LEN, 0, p.next);
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
			    LEN, 0, tramp_of(&w, 0));
	memcpy((uint8_t *)(uintptr_t)tramp_of(&w, 0) - sizeof(h), &h,
	       sizeof(h));
	shared_of(&w, 0)->ctl.activity = RT_ACT_STOPPED;
	assert_int_equal(patch_alive(&w.in, addr, tramp_of(&w, 0), false),
			 tramp_of(&w, 0));
	assert_false(patch_leads(&w.in, addr, tramp_of(&w, 0), addr));
	h = patch_head_make(addr, 0, LEN, LEN - 1, 0, 0);
	memcpy((uint8_t *)(uintptr_t)tramp_of(&w, 0) - sizeof(h), &h,
	       sizeof(h));
	assert_false(patch_head_read(&w.in, addr, tramp_of(&w, 0), &h));
	place_close(&w);
}

/* ---- landings ------------------------------------------------------------ */

/* A jump at `at` that leads to a landing, of which two bytes are written and
   three are those behind; its window is the two bytes. */
#define SHORT 2
struct landed {
	uint64_t addr, land;
	uint8_t file[SHORT];
};

static void
landed_open(struct world *w, struct landed *l, uint32_t at)
{
	const uint8_t now[] = { 0xe9, 0x10 + (uint8_t)at };
	uint32_t len;

	l->addr = (uint64_t)(uintptr_t)w->text + at;
	memcpy(l->file, w->text + at, SHORT);
	/* Bytes behind so that it leads to the page of trampolines. */
	memcpy(w->text + at + SHORT, "\x0c\x00\x00", 3);
	memcpy(w->text + at, now, SHORT);
	l->land = patch_landed(w->text + at, l->addr, &len);
	assert_int_equal(len, 5);
	memcpy(w->text + at, l->file, SHORT);
}

static void
tramp_head(struct world *w, uint64_t tramp, uint64_t addr, int i,
	   uint32_t flags, uint64_t next)
{
	struct patch_head h =
		patch_head_make(addr, (uint64_t)(uintptr_t)shared_of(w, i),
				flags != 0 ? SHORT : LEN, LEN, flags, next);

	memcpy((uint8_t *)(uintptr_t)tramp - sizeof(h), &h, sizeof(h));
	shared_of(w, i)->ctl.activity = RT_ACT_ACTIVE;
}

/* The trampoline of consumer i for that jump: 64 bytes are enough. */
static uint64_t
landed_tramp(const struct world *w, const struct landed *l, int i)
{
	return tramp_of(w, i) + (l->addr & 15) * 8;
}

/* The patch with which consumer i comes there. */
static struct patch
landed_patch(struct world *w, const struct landed *l, int i)
{
	uint8_t *text = (uint8_t *)(uintptr_t)l->addr;
	struct patch p = { .addr = l->addr,
			   .len = SHORT,
			   .look = 5,
			   .land = l->land,
			   .land_len = PATCH_LAND,
			   .mine = landed_tramp(w, l, i) };

	memcpy(p.was, text, 5);
	memcpy(p.now, text, SHORT);
	memcpy(p.back, l->file, SHORT);
	if (text[0] != 0xe9) {
		jump_bytes(p.now, p.addr, p.land);
		assert_memory_equal(p.now + SHORT, text + SHORT, 3);
		patch_land_code((uint8_t *)(uintptr_t)l->land, l->land, p.mine);
	} else {
		p.over = true;
		p.next = patch_alive(&w->in, p.addr,
				     patch_landing(&w->in, p.land), false);
		memcpy(p.land_was, (uint8_t *)(uintptr_t)l->land, PATCH_LAND);
		memcpy(p.land_now, p.land_was, PATCH_LAND);
		memcpy(p.land_back, p.land_was, PATCH_LAND);
		patch_land_code(p.land_now, p.land, p.mine);
	}
	tramp_head(w, p.mine, p.addr, i, PATCH_HEAD_LANDED, p.next);
	return p;
}

/* Consumer i comes to some of them. */
static void
landed_come(struct world *w, const struct landed *l, size_t n, int i)
{
	struct patch p[2];
	struct err e = { 0 };

	for (size_t k = 0; k < n; k++)
		p[k] = landed_patch(w, &l[k], i);
	w->j[i] = patch_journal_new(getpid(), 2, &e);
	assert_int_equal(patch_apply(w->j[i], &w->in, p, n, NULL, 0, &e), 0);
	for (size_t k = 0; k < n; k++) {
		assert_int_equal(p[k].state, PATCH_SET);
		assert_int_equal(patch_landing(&w->in, l[k].land), p[k].mine);
	}
}

/* The text leads to landings until all have gone, and each to who is there. */
static void
test_landed_orders(void **state)
{
	static const int order[6][N] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 }
	};

	for (int o = 0; o < 6; o++) {
		bool there[N] = { true, true, true };
		struct world w = { 0 };
		struct landed l;
		uint8_t now[SHORT];
		int was, top;

		place_open(&w);
		landed_open(&w, &l, 0);
		for (int i = 0; i < N; i++)
			landed_come(&w, &l, 1, i);
		memcpy(now, w.text, SHORT);
		assert_int_equal(now[0], 0xe9);
		for (int k = 0; k < N; k++) {
			was = highest(there);
			there[order[o][k]] = false;
			goes(&w, order[o][k]);
			assert_int_equal(w.j[order[o][k]]->under,
					 was != order[o][k]);
			top = was == order[o][k] ? highest(there) : was;
			if (top < 0)
				continue;
			assert_memory_equal(w.text, now, SHORT);
			assert_int_equal(patch_landing(&w.in, l.land),
					 landed_tramp(&w, &l, top));
		}
		assert_memory_equal(w.text, l.file, SHORT);
		place_close(&w);
	}
}

/* In a forked child only those stay that follow; what is far is reached; and a
   landing is put back although its text has gone. */
static void
test_landed_others(void **state)
{
	struct world w = { 0 };
	struct landed l;
	uint8_t far[PATCH_LAND];

	place_open(&w);
	landed_open(&w, &l, 0);
	landed_come(&w, &l, 1, 0);
	landed_come(&w, &l, 1, 1);
	assert_int_equal(patch_undo_in(w.j[0], &w.in), 0);
	assert_int_equal(patch_undo_in(w.j[1], &w.in), 2);
	assert_memory_equal(w.text, l.file, SHORT);
	assert_int_equal(patch_landing(&w.in, l.land), landed_tramp(&w, &l, 0));
	place_close(&w);

	place_open(&w);
	landed_open(&w, &l, 0);
	landed_come(&w, &l, 1, 0);
	landed_come(&w, &l, 1, 1);
	w.j[2] = NULL;
	patch_forget(w.j[1], l.addr, l.addr + 1);
	goes(&w, 1);
	assert_int_equal(patch_landing(&w.in, l.land), landed_tramp(&w, &l, 0));
	place_close(&w);

	assert_int_equal(patch_land_code(far, 0x1000, 0x7f0000001000),
			 PATCH_LAND);
	assert_memory_equal(far, "\xff\x25\0\0\0\0\0\x10\0\0\0\x7f\0\0",
			    PATCH_LAND);
}

/* A landing that is not as it was found is left, with what leads to it. */
static void
test_landed_changed(void **state)
{
	struct world w = { 0 };
	struct err e = { 0 };
	struct landed l;
	struct patch p;

	place_open(&w);
	landed_open(&w, &l, 0);
	landed_come(&w, &l, 1, 0);
	p = landed_patch(&w, &l, 1);
	landed_come(&w, &l, 1, 2);
	w.j[1] = patch_journal_new(getpid(), 1, &e);
	assert_int_equal(patch_apply(w.j[1], &w.in, &p, 1, NULL, 0, &e), 0);
	assert_int_equal(p.state, PATCH_NONE);
	assert_int_equal(patch_landing(&w.in, l.land), landed_tramp(&w, &l, 2));
	place_close(&w);
}

/* A short jump at 64 that leads to unused bytes at 80, of consumer i. */
static struct patch
hop_patch(struct world *w, int i)
{
	const uint64_t addr = (uint64_t)(uintptr_t)w->text + 64;
	uint64_t mine = tramp_of(w, i);
	struct patch p = { .addr = addr,
			   .len = 2,
			   .look = 2,
			   .land = addr + 16,
			   .land_len = 5,
			   .mine = mine,
			   .over = true,
			   .next = patch_alive(&w->in, addr,
					       patch_landing(&w->in, addr + 16),
					       false) };

	memcpy(p.was, w->text + 64, 2);
	memcpy(p.now, w->text + 64, 2);
	memcpy(p.back, "\x5d\xc3", 2);
	memcpy(p.land_was, w->text + 80, 5);
	memcpy(p.land_back, "\x0f\x1f\x44\0\0", 5);
	patch_land_code(p.land_now, p.land, mine);
	tramp_head(w, mine, addr, i, PATCH_HEAD_LANDED, p.next);
	return p;
}

/* The first one's: the jump, and what it leads to. */
static void
hop_first(struct world *w, struct patch p[2])
{
	struct err e = { 0 };

	memcpy(w->text + 64, "\x5d\xc3", 2);
	memcpy(w->text + 80, "\x0f\x1f\x44\0\0", 5);
	p[0] = hop_patch(w, 0);
	p[0].over = false;
	memcpy(p[0].now, "\xeb\x0e", 2);
	p[1] = (struct patch){
		.addr = p[0].land, .len = 5, .look = 5, .landing = true
	};
	memcpy(p[1].was, p[0].land_back, 5);
	memcpy(p[1].now, p[0].land_now, 5);
	w->j[0] = patch_journal_new(getpid(), 2, &e);
	assert_int_equal(patch_apply(w->j[0], &w->in, p, 2, NULL, 0, &e), 0);
	assert_int_equal(p[0].state, PATCH_SET);
	assert_int_equal(p[1].state, PATCH_SET);
}

/* Over unused bytes of the text that a short jump leads to; whoever goes last
   puts back both. */
static void
test_hops(void **state)
{
	for (int first = 0; first < 3; first++) {
		struct world w = { 0 };
		struct err e = { 0 };
		struct patch p[2];
		uint32_t len;

		place_open(&w);
		hop_first(&w, p);
		assert_int_equal(patch_landed(w.text + 64, p[0].addr, &len),
				 p[0].land);
		assert_int_equal(len, 2);
		for (int i = 1; i < N; i++) {
			p[0] = hop_patch(&w, i);
			w.j[i] = patch_journal_new(getpid(), 1, &e);
			assert_int_equal(
				patch_apply(w.j[i], &w.in, p, 1, NULL, 0, &e),
				0);
			assert_int_equal(patch_landing(&w.in, p[0].land),
					 tramp_of(&w, i));
		}
		for (int k = 0; k < N; k++)
			goes(&w, (first + k) % N);
		assert_int_equal(w.j[first]->under != 0, first != 2);
		assert_memory_equal(w.text + 64, "\x5d\xc3", 2);
		assert_memory_equal(w.text + 80, "\x0f\x1f\x44\0\0", 5);
		place_close(&w);
	}
}

/* ---- rooms --------------------------------------------------------------- */

static uint64_t
room_tramp(const struct world *w, int i)
{
	return tramp_of(w, i) + 128;
}

/* The first one's trampoline gets a room. */
static uint64_t
room_open(struct world *w)
{
	uint64_t low = tramp_of(w, 0);
	struct patch_rooms r = { .v = { { 64, 5, 0 } } };

	patch_rooms_mark(&r, (uint64_t)(uintptr_t)w->text);
	memcpy((uint8_t *)(uintptr_t)low - PATCH_HEAD_SIZE - sizeof(r), &r,
	       sizeof(r));
	memcpy((uint8_t *)(uintptr_t)low + 64, patch_room_free,
	       PATCH_ROOM_SIZE);
	w->j[0]->p[0].mine = low;
	w->j[0]->p[0].roomy = true;
	return low + 64;
}

/* What consumer i writes into it. */
static struct patch
room_patch(struct world *w, uint64_t room, int i)
{
	struct patch p = { .addr = room,
			   .len = PATCH_ROOM_SIZE,
			   .look = PATCH_ROOM_SIZE,
			   .over = true,
			   .of = (uint64_t)(uintptr_t)w->text };
	uint64_t top;

	memcpy(p.was, (uint8_t *)(uintptr_t)room, PATCH_ROOM_SIZE);
	memcpy(p.back, patch_room_free, PATCH_ROOM_SIZE);
	top = patch_jump(p.was, room);
	p.next = patch_alive(&w->in, room, top, false);
	tramp_head(w, room_tramp(w, i), room, i, 0, p.next);
	jump_bytes(p.now, room, room_tramp(w, i));
	return p;
}

/* Consumer i comes to the text and to the room. */
static void
room_come(struct world *w, uint64_t room, int i)
{
	struct patch p[2];
	struct err e = { 0 };
	uint64_t next;

	comes(w, i);
	next = w->j[i]->p[0].next;
	/* Once more, with the room. */
	assert_int_equal(patch_undo_all(w->j[i], &w->in, &e), 0);
	patch_journal_free(w->j[i]);
	w->j[i] = patch_journal_new(getpid(), 2, &e);
	p[0] = (struct patch){ .addr = (uint64_t)(uintptr_t)w->text,
			       .len = LEN,
			       .look = LEN,
			       .over = true,
			       .next = next };
	memcpy(p[0].was, w->text, LEN);
	memcpy(p[0].now, w->text, LEN);
	memcpy(p[0].back, w->file, LEN);
	jump_bytes(p[0].now, p[0].addr, tramp_of(w, i));
	p[1] = room_patch(w, room, i);
	assert_int_equal(patch_apply(w->j[i], &w->in, p, 2, NULL, 0, &e), 0);
	assert_int_equal(p[0].state, PATCH_SET);
	assert_int_equal(p[1].state, PATCH_SET);
}

static void
test_rooms(void **state)
{
	for (int first = 0; first < 3; first++) {
		struct world w = { 0 };
		uint64_t room;

		place_open(&w);
		comes(&w, 0);
		room = room_open(&w);
		assert_int_equal(
			patch_lowest(&w.in, w.j[0]->p[0].addr, tramp_of(&w, 0)),
			tramp_of(&w, 0));
		room_come(&w, room, 1);
		room_come(&w, room, 2);
		assert_int_equal(
			patch_lowest(&w.in, w.j[0]->p[0].addr, tramp_of(&w, 2)),
			tramp_of(&w, 0));
		for (int k = 0; k < N; k++)
			goes(&w, (first + k) % N);
		/* Who goes first of the three is led through, but the top. */
		assert_int_equal(w.j[first]->under != 0, first != 2);
		assert_memory_equal(w.text, w.file, LEN);
		assert_memory_equal((void *)(uintptr_t)room, patch_room_free,
				    PATCH_ROOM_SIZE);
		place_close(&w);
	}
}

/* Who is led to is told so, if its version can be. */
static void
test_led(void **state)
{
	struct world w = { 0 };
	uint64_t addr;

	place_open(&w);
	addr = (uint64_t)(uintptr_t)w.text;
	comes(&w, 0);
	patch_rooms_led(&w.in, addr, tramp_of(&w, 0));
	assert_int_equal(shared_of(&w, 0)->led, 0);
	room_open(&w);
	patch_rooms_led(&w.in, addr + 1, tramp_of(&w, 0));
	assert_int_equal(shared_of(&w, 0)->led, 0);
	patch_rooms_led(&w.in, addr, tramp_of(&w, 0));
	assert_int_equal(shared_of(&w, 0)->led, 1);
	place_close(&w);
}

/* Nothing is written into a room without the jump that leads to it; and while
   somebody is in one, whatever the text is, its trampoline stays. */
static void
test_rooms_alone(void **state)
{
	struct world w = { 0 };
	struct err e = { 0 };
	struct patch p[2] = { 0 };
	uint64_t room;

	place_open(&w);
	comes(&w, 0);
	room = room_open(&w);
	p[0] = w.j[0]->p[0];
	p[0].over = true;
	p[0].was[0] = 0x90; /* is not there */
	p[1] = room_patch(&w, room, 1);
	w.j[1] = patch_journal_new(getpid(), 2, &e);
	assert_int_equal(patch_apply(w.j[1], &w.in, p, 2, NULL, 0, &e), 0);
	assert_int_equal(p[1].state, PATCH_NONE);
	assert_memory_equal((void *)(uintptr_t)room, patch_room_free,
			    PATCH_ROOM_SIZE);
	memcpy((void *)(uintptr_t)room, p[1].now, PATCH_ROOM_SIZE);
	goes(&w, 0);
	assert_int_equal(w.j[0]->under, 1);
	assert_memory_equal(w.text, w.file, LEN);
	w.j[2] = NULL;
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
		cmocka_unit_test(test_landed_orders),
		cmocka_unit_test(test_landed_others),
		cmocka_unit_test(test_landed_changed),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_rooms),
		cmocka_unit_test(test_rooms_alone),
		cmocka_unit_test(test_led),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
