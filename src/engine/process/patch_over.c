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

#define MARK	0x9d5f7ac31e86b2f5ull
#define WAY_MAX 1024
#define JMP32	5u
#define BITS	0xfffu

static_assert(sizeof(struct patch_head) == PATCH_HEAD_SIZE, "as code has it");
static_assert(RTN_PAGE > BITS && PATCH_MAX < 32, "so that all fit into a word");

struct patch_head
patch_head_make(uint64_t addr, uint64_t shared, uint32_t written, uint32_t len,
		bool copy, uint64_t next)
{
	return (struct patch_head){ MARK + addr,
				    shared | written | len << 5 |
					    (uint32_t)copy << 10,
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

bool
patch_head_copy(const struct patch_head *h)
{
	return (h->own >> 10 & 1) != 0;
}

bool
patch_head_read(struct inject *in, uint64_t addr, uint64_t to,
		struct patch_head *h)
{
	return to > sizeof(*h) &&
	       inject_read(in, to - sizeof(*h), h, sizeof(*h)) == 0 &&
	       h->mark == (MARK + addr) &&
	       patch_head_written(h) >= JMP32 &&
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
