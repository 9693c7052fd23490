/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch.c - the journal, and text written by it.
 *
 * Order makes it safe: an entry says SET before its bytes are written, and
 * undoing compares before it writes.  So an entry that was not written yet, or
 * whose library is gone, is passed over.  All writing is done while the process
 * stands still, so neighbours may be read, changed and written as one span;
 * there may be ten thousand of them.
 *
 * PCs need to be moved only when windows are made: before a patch a thread may
 * stand at any instruction inside its bytes, afterwards at the first alone.  A
 * thread that a signal handler has interrupted there stands there too.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPAN 4096 /* bytes read and written at once */

static size_t
journal_bytes(uint32_t cap)
{
	return sizeof(struct patch_journal) + cap * sizeof(struct patch);
}

struct patch_journal *
patch_journal_new(pid_t pid, uint32_t cap, struct err *e)
{
	struct patch_journal *j =
		mmap(NULL, journal_bytes(cap), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (j == MAP_FAILED) {
		err_nomem(e);
		return NULL;
	}
	j->pid = pid;
	j->cap = cap;
	return j;
}

void
patch_journal_free(struct patch_journal *j)
{
	if (j != NULL)
		munmap(j, journal_bytes(j->cap));
}

/* ---- order ------------------------------------------------------------------ */

static int
patch_cmp(const void *va, const void *vb)
{
	const struct patch *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void
patch_sort(struct patch *p, size_t n)
{
	if (n > 1)
		qsort(p, n, sizeof(*p), patch_cmp);
}

/* ---- spans ------------------------------------------------------------------ */

/* Patches [i, end) rise and fit in one span. */
static size_t
span_end(const struct patch *p, size_t i, size_t n)
{
	size_t k = i + 1;

	while (k < n && p[k].addr >= p[k - 1].addr + p[k - 1].len &&
	       p[k].addr + p[k].len - p[i].addr <= SPAN)
		k++;
	return k;
}

static size_t
span_bytes(const struct patch *p, size_t i, size_t end)
{
	return (size_t)(p[end - 1].addr + p[end - 1].len - p[i].addr);
}

/* What is done to the patches of a span, on its bytes: true: write it. */
typedef bool span_fn(struct patch *p, uint8_t *text, void *arg);

/*
 * Each patch of p[0, n) is shown with its text.  A span that cannot be read as
 * a whole is done one by one; a patch whose text cannot be read is left out.
 * How many had true; -1: a write failed, errno says why.
 */
static long
each_span(struct inject *in, struct patch *p, size_t n, span_fn *fn, void *arg)
{
	uint8_t text[SPAN];
	long hits = 0;

	for (size_t i = 0, end; i < n; i = end) {
		long was = hits;

		end = span_end(p, i, n);
		if (inject_read(in, p[i].addr, text, span_bytes(p, i, end)) !=
		    0) {
			if (end == i + 1)
				continue;
			end = i + 1;
			if (inject_read(in, p[i].addr, text, p[i].len) != 0)
				continue;
		}
		for (size_t k = i; k < end; k++)
			hits += fn(&p[k], text + (p[k].addr - p[i].addr), arg);
		if (hits != was &&
		    inject_write(in, p[i].addr, text, span_bytes(p, i, end)) !=
			    0)
			return -1;
	}
	return hits;
}

/* ---- writing ---------------------------------------------------------------- */

/* Mark those whose text is as expected; nothing is written. */
static bool
span_expect(struct patch *p, uint8_t *text, void *arg)
{
	if (memcmp(text, p->was, p->len) == 0)
		p->state = PATCH_SET;
	return false;
}

static bool
span_set(struct patch *p, uint8_t *text, void *arg)
{
	if (p->state != PATCH_SET)
		return false;
	memcpy(text, p->now, p->len);
	return true;
}

/* SET to UNDONE, where the text still is ours. */
static bool
span_undo(struct patch *p, uint8_t *text, void *arg)
{
	if (p->state != PATCH_SET || memcmp(text, p->now, p->len) != 0)
		return false;
	memcpy(text, p->was, p->len);
	return true;
}

static int
patch_fail(const struct patch_journal *j, int sys, const char *what,
	   struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys, "process %d: %s", (int)j->pid,
		       what);
}

/* In order and of sane length; all are NONE from here on. */
static int
check_list(const struct patch_journal *j, struct patch *p, size_t n,
	   struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].len == 0 || p[i].len > PATCH_MAX ||
		    (i > 0 && p[i].addr < p[i - 1].addr + p[i - 1].len))
			return patch_fail(j, 0, "patches are out of order", e);
		p[i].state = PATCH_NONE;
	}
	return 0;
}

/* Entries that are undone make room.  Nobody else looks meanwhile. */
static void
compact(struct patch_journal *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n; i++)
		if (j->p[i].state == PATCH_SET)
			j->p[n++] = j->p[i];
	__atomic_store_n(&j->n, n, __ATOMIC_RELEASE);
}

/* Enter those that are to be written, from *first on; none if they do not all
   fit. */
static int
enter(struct patch_journal *j, const struct patch *p, size_t n,
      uint32_t *first, struct err *e)
{
	uint32_t at;

	if (j->n + n > j->cap)
		compact(j);
	at = *first = j->n;
	for (size_t i = 0; i < n; i++) {
		if (p[i].state != PATCH_SET)
			continue;
		if (at == j->cap)
			return patch_fail(j, 0, "too many patches", e);
		j->p[at++] = p[i];
	}
	__atomic_store_n(&j->n, at, __ATOMIC_RELEASE);
	return 0;
}

/* The patch that covers an address; NULL: none does. */
static const struct patch *
patch_at(const struct patch *p, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < p[mid].addr)
			hi = mid;
		else if (addr >= p[mid].addr + p[mid].len)
			lo = mid + 1;
		else
			return &p[mid];
	}
	return NULL;
}

static int
move_cmp(const void *key, const void *elem)
{
	uint64_t pc = *(const uint64_t *)key;
	uint64_t from = ((const struct patch_move *)elem)->from;

	return pc < from ? -1 : pc > from;
}

struct moves {
	const struct patch *p;
	size_t n;
	const struct patch_move *move;
	size_t nmoves;
};

/* False: what was there is there still. */
static bool
move_pc(const struct moves *mv, uint64_t *pc)
{
	const struct patch_move *m = bsearch(pc, mv->move, mv->nmoves,
					     sizeof(*m), move_cmp);
	const struct patch *at;

	if (m == NULL)
		return false;
	at = patch_at(mv->p, mv->n, *pc);
	if (at != NULL && at->state != PATCH_SET)
		return false;
	*pc = m->to;
	return true;
}

/* Where threads stand, and where they will when their handlers return. */
static void
move_pcs(struct inject *in, const struct moves *mv,
	 const struct inject_frames *frames)
{
	for (size_t i = 0; i < in->n; i++) {
		struct inject_thread *t = &in->threads[i];
		uint64_t pc = t->regs.rip;

		if (!t->stopped || !move_pc(mv, &pc))
			continue;
		t->regs.rip = pc;
		t->dirty = true;
	}
	for (size_t i = 0; i < frames->frame.n; i++) {
		const struct inject_frame *f = &frames->frame.v[i];
		uint64_t pc = f->pc;

		if (move_pc(mv, &pc))
			inject_write(in, f->at, &pc, sizeof(pc));
	}
}

/* Entries [from, n) are undone, whatever became of their text. */
static void
mark_undone(struct patch_journal *j, uint32_t from)
{
	for (uint32_t i = from; i < j->n; i++)
		if (j->p[i].state == PATCH_SET)
			j->p[i].state = PATCH_UNDONE;
}

/* Enter and write; -1: nothing was changed. */
static int
write_all(struct patch_journal *j, struct inject *in, struct patch *p,
	  size_t n, struct err *e)
{
	uint32_t first;
	int sys;

	each_span(in, p, n, span_expect, NULL);
	if (enter(j, p, n, &first, e) != 0) {
		check_list(j, p, n, e);
		return -1;
	}
	if (each_span(in, p, n, span_set, NULL) >= 0)
		return 0;
	sys = errno;
	each_span(in, &j->p[first], j->n - first, span_undo, NULL);
	mark_undone(j, first);
	check_list(j, p, n, e);
	return patch_fail(j, sys, "cannot write its text", e);
}

int
patch_apply(struct patch_journal *j, struct inject *in, struct patch *p,
	    size_t n, const struct patch_move *moves, size_t nmoves,
	    struct err *e)
{
	const struct moves mv = { p, n, moves, nmoves };
	struct inject_frames frames = { 0 };
	int rc;

	if (check_list(j, p, n, e) != 0)
		return -1;
	if (inject_by_guard(in))
		return guard_patch(in->guard, p, n, moves, nmoves, e);
	rc = nmoves == 0 ? 0 : inject_frames_find(in, &frames, e);
	if (rc == 0)
		rc = write_all(j, in, p, n, e);
	if (rc == 0 && nmoves != 0)
		move_pcs(in, &mv, &frames);
	inject_frames_fini(&frames);
	return rc;
}

/* ---- undoing ---------------------------------------------------------------- */

int
patch_undo_all(struct patch_journal *j, struct inject *in, struct err *e)
{
	if (inject_by_guard(in))
		return guard_undo(in->guard, e);
	if (each_span(in, j->p, j->n, span_undo, NULL) < 0)
		return patch_fail(j, errno, "cannot put back its text", e);
	mark_undone(j, 0);
	return 0;
}

int
patch_undo_in(const struct patch_journal *j, struct inject *in)
{
	/* span_undo() changes text only. */
	long n = each_span(in, (struct patch *)(uintptr_t)j->p, j->n, span_undo,
			   NULL);

	return n < 0 ? 0 : (int)n;
}

void
patch_forget(struct patch_journal *j, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < j->n; i++)
		if (j->p[i].state == PATCH_SET && j->p[i].addr >= lo &&
		    j->p[i].addr < hi)
			j->p[i].state = PATCH_UNDONE;
}
