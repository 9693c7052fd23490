/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch_over.c - several consumers at one place: jumps written over jumps.
 *
 * A consumer that finds another's jump where its own is to be writes over it,
 * and its trampoline goes on to the other one's.  So the text leads to the one
 * that came last, and from there to those before:
 *
 *	text ──▶ T3 ──▶ T2 ──▶ T1: the instructions themselves ──▶ text
 *
 * Of a jump that leads to a landing (process_pun.c), or is short and leads to
 * unused bytes, the text stays as it is: it can lead nowhere else, and another
 * such jump may be made of its bytes.  There the landing takes the part of the
 * text:
 *
 *	text ──▶ landing ──▶ T3 ──▶ T2 ──▶ T1
 *
 * In front of each trampoline is a head (struct patch_head), by which anybody
 * who reads the process's memory can follow the way.  They leave in any order,
 * and each does what it can alone:
 *
 *	the text leads to me	it gets the jump to the next below me that still
 *				traces, or if there is none what the file has
 *	it does not		nothing is written.  The one above finds out
 *				that I have gone by the activity in my shared
 *				memory, which never comes back from DRAINING.
 *				My code stays mapped: others lead through it
 *
 * A thread may be in the code of one that has left, and go on to mine: so who
 * was gone over once (rtn_shared.led) has his code unmapped only if no thread
 *is in that of anybody.
 *
 * Of a landing whoever finds nobody alive below puts back the text, whoever
 * wrote it, and unused bytes; a landing in the first one's memory leads on to
 * his code, which stays.  A
 * consumer over a jump that is made of another jump's bytes is over that as
 * well (plan_over_needs()), so that those bytes stay as long as it does.
 *
 * Where an instruction behind the first of a window has a probe of a later
 * consumer, the lowest trampoline, which runs it, has a room (struct
 * patch_rooms).  In a room the same holds as in text; whoever is in one is over
 * the window's jump as well, which leads to the trampoline as long as he is
 * there:
 *
 *	T1: push %rbp; [room ──▶ T3' ──▶ T2' ──▶] ret
 *
 * All of that is looked at and done while one tracer holds all threads, and
 * there is one at a time.  The bytes behind the jump are the lowest one's: it
 * has written as many as its window has, and the last to go puts all of them
 * back.
 *
 * Memory of the process may lie.  What is read there decides about nothing but
 * its own text; each way has an end (WAY_MAX).
 */
#include "engine/process/inject_impl.h"

#include <stddef.h>
#include <string.h>

#include "rt/rt_native.h"

#define MARK       0x9d5f7ac31e86b2f5ull
#define MARK_ROOMS 0xc46a01e59b73d82full
#define WAY_MAX    1024
#define JMP32      5u
#define JMP8       2u
#define SHORT      0xeb
#define PAD        0x3e /* before a jump that leads to a landing */
#define BITS       0xfffu

static_assert(sizeof(struct patch_head) == PATCH_HEAD_SIZE, "as code has it");
static_assert(sizeof(struct patch_rooms) == PATCH_ROOMS_SIZE, "as code has it");
static_assert(offsetof(struct rtn_shared, led) < RTN_PAGE, "in its first page");
static_assert(RTN_PAGE > BITS && PATCH_MAX < 32, "so that all fit into a word");

struct patch_head
patch_head_make(uint64_t addr, uint64_t shared, uint32_t written, uint32_t len,
		uint32_t flags, uint64_t next)
{
	return (struct patch_head){ MARK + addr,
				    shared | written | len << 5 | flags << 10,
				    next };
}

uint32_t
patch_head_written(const struct patch_head *h)
{
	return h->own & 31;
}

uint32_t
patch_head_len(const struct patch_head *h)
{
	return h->own >> 5 & 31;
}

uint32_t
patch_head_flags(const struct patch_head *h)
{
	return h->own >> 10 & 3;
}

uint64_t
patch_head_addr(const struct patch_head *h)
{
	return h->mark - MARK;
}

/* As many bytes as such a jump writes. */
static uint32_t
head_least(const struct patch_head *h)
{
	return (patch_head_flags(h) & PATCH_HEAD_LANDED) != 0 ? 1 : JMP32;
}

bool
patch_head_read(struct inject *in, uint64_t addr, uint64_t to,
		struct patch_head *h)
{
	return to > sizeof(*h) &&
	       inject_read(in, to - sizeof(*h), h, sizeof(*h)) == 0 &&
	       h->mark == (MARK + addr) &&
	       patch_head_written(h) >= head_least(h) &&
	       patch_head_written(h) <= PATCH_MAX &&
	       patch_head_len(h) >= patch_head_written(h) &&
	       patch_head_len(h) <= PATCH_MAX;
}

uint64_t
patch_jump(const uint8_t *text, uint64_t addr)
{
	int32_t rel;

	if (text[0] != 0xe9)
		return 0;
	memcpy(&rel, text + 1, sizeof(rel));
	return addr + JMP32 + (uint64_t)(int64_t)rel;
}

/* True if its consumer still traces and, in a forked child, traces this one
   too. */
static bool
head_lives(struct inject *in, const struct patch_head *h, bool child)
{
	uint64_t sh = h->own & ~(uint64_t)BITS;
	uint32_t activity, follow;

	if (inject_read(in, sh + offsetof(struct rtn_shared, ctl.activity),
			&activity, sizeof(activity)) != 0 ||
	    inject_read(in, sh + offsetof(struct rtn_shared, follow), &follow,
			sizeof(follow)) != 0)
		return true; /* at least its code can be run */
	return activity < RT_ACT_DRAINING && (!child || follow != 0);
}

uint64_t
patch_alive(struct inject *in, uint64_t addr, uint64_t to, bool child)
{
	struct patch_head h;

	for (int i = 0; to != 0 && i < WAY_MAX; i++) {
		if (!patch_head_read(in, addr, to, &h) ||
		    head_lives(in, &h, child))
			return to;
		to = h.next;
	}
	return to;
}

bool
patch_leads(struct inject *in, uint64_t addr, uint64_t from, uint64_t to)
{
	struct patch_head h;

	for (int i = 0; from != 0 && from != to && i < WAY_MAX; i++) {
		if (!patch_head_read(in, addr, from, &h))
			return false;
		from = h.next;
	}
	return from != 0 && from == to;
}

/* ---- rooms --------------------------------------------------------------- */

const uint8_t patch_room_free[PATCH_ROOM_SIZE] = { 0x0f, 0x1f, 0x44, 0, 0 };

void
patch_rooms_mark(struct patch_rooms *r, uint64_t addr)
{
	r->mark = MARK_ROOMS + addr;
	r->led = offsetof(struct rtn_shared, led);
}

void
patch_rooms_led(struct inject *in, uint64_t addr, uint64_t to)
{
	const uint32_t yes = 1;
	struct patch_rooms r;
	struct patch_head h;

	if (patch_head_read(in, addr, to, &h) &&
	    patch_rooms_read(in, addr, to, &r) && r.led < RTN_PAGE)
		(void)inject_write(in, (h.own & ~(uint64_t)BITS) + r.led, &yes,
				   sizeof(yes));
}

bool
patch_rooms_read(struct inject *in, uint64_t addr, uint64_t low,
		 struct patch_rooms *r)
{
	const uint64_t front = PATCH_HEAD_SIZE + sizeof(*r);

	return low > front &&
	       inject_read(in, low - front, r, sizeof(*r)) == 0 &&
	       r->mark == (MARK_ROOMS + addr);
}

uint64_t
patch_lowest(struct inject *in, uint64_t addr, uint64_t to)
{
	struct patch_head h;

	for (int i = 0; to != 0 && i < WAY_MAX; i++) {
		if (!patch_head_read(in, addr, to, &h))
			return 0;
		if (h.next == 0)
			return to;
		to = h.next;
	}
	return 0;
}

uint32_t
patch_rooms_used(struct inject *in, uint64_t addr, uint64_t low)
{
	uint8_t is[PATCH_ROOM_SIZE];
	struct patch_rooms r;
	uint32_t n = 0;

	if (!patch_rooms_read(in, addr, low, &r))
		return 0;
	for (uint32_t i = 0; i < PATCH_ROOMS; i++)
		n += r.v[i].off != 0 &&
		     inject_read(in, low + r.v[i].off, is, sizeof(is)) == 0 &&
		     memcmp(is, patch_room_free, sizeof(is)) != 0;
	return n;
}

/* ---- landings ------------------------------------------------------------ */

static const uint8_t far_jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

uint32_t
patch_land_code(uint8_t out[PATCH_LAND], uint64_t at, uint64_t to)
{
	int64_t d = (int64_t)(to - (at + JMP32));
	int32_t rel = (int32_t)d;

	if (d == rel) {
		out[0] = 0xe9;
		memcpy(out + 1, &rel, sizeof(rel));
		return JMP32;
	}
	memcpy(out, far_jump, sizeof(far_jump));
	memcpy(out + sizeof(far_jump), &to, sizeof(to));
	return PATCH_LAND;
}

static uint64_t
land_leads(const uint8_t is[PATCH_LAND], uint64_t land)
{
	uint64_t to;

	if (memcmp(is, far_jump, sizeof(far_jump)) != 0)
		return patch_jump(is, land);
	memcpy(&to, is + sizeof(far_jump), sizeof(to));
	return to;
}

uint64_t
patch_landing(struct inject *in, uint64_t land)
{
	uint8_t is[PATCH_LAND];

	return inject_read(in, land, is, sizeof(is)) == 0 ? land_leads(is, land)
							  : 0;
}

uint64_t
patch_landed(const uint8_t *text, uint64_t addr, uint32_t *len)
{
	uint32_t pad = 0;

	while (pad < PATCH_LEAD - JMP32 && text[pad] == PAD)
		pad++;
	*len = pad + JMP32;
	if (text[0] != SHORT)
		return patch_jump(text + pad, addr + pad);
	*len = JMP8;
	return addr + JMP8 + (uint64_t)(int64_t)(int8_t)text[1];
}

bool
patch_over_landing(const struct patch *p)
{
	return p->over && p->land != 0;
}

bool
patch_land_expected(struct inject *in, const struct patch *p)
{
	uint8_t is[PATCH_LAND];

	/* Ours already, where the text has been mapped again. */
	return inject_read(in, p->land, is, p->land_len) == 0 &&
	       (memcmp(is, p->land_was, p->land_len) == 0 ||
		memcmp(is, p->land_now, p->land_len) == 0);
}

/* From the highest on: at each step whoever is over a jump is over those that
   it is made of, which are behind it.  They are put back from the lowest on. */
int
patch_lands_set(struct inject *in, const struct patch *p, size_t n)
{
	for (size_t i = n; i-- > 0;)
		if (p[i].state == PATCH_SET && patch_over_landing(&p[i]) &&
		    inject_write(in, p[i].land, p[i].land_now, p[i].land_len) !=
			    0)
			return -1;
	return 0;
}

/* True if the text leads there no more. */
static bool
land_is_free(struct inject *in, const struct patch *p)
{
	uint8_t is[PATCH_MAX];

	return inject_read(in, p->addr, is, p->len) == 0 &&
	       memcmp(is, p->now, p->len) != 0;
}

/* 1: put back; 0: it is not ours; -1: errno. */
static int
land_undo(struct inject *in, const struct patch *p, bool child, uint32_t *under)
{
	uint8_t is[PATCH_LAND] = { 0 }, out[PATCH_LAND];
	uint64_t to;

	if (inject_read(in, p->land, is, p->land_len) != 0)
		return 0;
	if (memcmp(is, p->land_now, p->land_len) != 0) {
		*under += patch_leads(in, p->addr, land_leads(is, p->land),
				      p->mine);
		return 0;
	}
	to = patch_alive(in, p->addr, p->next, child);
	memcpy(is, p->land_was, sizeof(is));
	if (to == 0 && land_is_free(in, p))
		memcpy(is, p->land_back, sizeof(is));
	else if (to != 0 && patch_land_code(out, p->land, to) <= p->land_len)
		(void)patch_land_code(is, p->land, to);
	return inject_write(in, p->land, is, p->land_len) == 0 ? 1 : -1;
}

long
patch_lands_undo(struct inject *in, const struct patch *p, size_t n, bool child,
		 uint32_t *under)
{
	long hits = 0;

	for (size_t i = 0; i < n; i++) {
		int rc = p[i].state == PATCH_SET && patch_over_landing(&p[i])
				 ? land_undo(in, &p[i], child, under)
				 : 0;

		if (rc < 0)
			return -1;
		hits += rc;
	}
	return hits;
}

/* ---- undoing ------------------------------------------------------------- */

void
patch_over_undo(struct inject *in, const struct patch *p, bool child,
		uint8_t *text)
{
	uint64_t to = patch_alive(in, p->addr, p->next, child);
	int64_t d = (int64_t)(to - (p->addr + JMP32));
	int32_t rel = (int32_t)d;

	if (to == 0) {
		memcpy(text, p->back, p->len);
		return;
	}
	memcpy(text, p->was, p->len);
	if (d != rel)
		return; /* then as it was found: nothing is far, unless it
			   lies */
	text[0] = 0xe9;
	memcpy(text + 1, &rel, sizeof(rel));
}
