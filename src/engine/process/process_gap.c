/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_gap.c - where there is room in the target's address space, from
 * /proc/PID/maps.
 *
 * Not used: the gap above the program, where the heap grows, as long as there
 * is any other; and the one below the stack.  Some pages around every mapping
 * are left alone.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGE	4096ull
#define GUARD	(1ull << 20)	/* kept free on either side of ours */
#define FAR	(8ull << 30)	/* below the libraries, out of their way */
#define USER_LO (1ull << 16)
#define USER_HI (1ull << 47)
#define LOW_LO	(1ull << 28)	/* what code reaches without a base */
#define LOW_HI	((1ull << 31) - GUARD)

/* ---- what is mapped ------------------------------------------------------ */

static bool
gap_add(struct gaps *gs, uint64_t lo, uint64_t hi, bool heap,
	const char *above)
{
	struct gap g = { lo + GUARD, hi - GUARD, heap,
			 strncmp(above, "[stack", 6) == 0,
			 strcmp(above, "[heap]") == 0 };

	if (lo < 2 * USER_LO)
		g.lo = USER_LO; /* the first: nobody is below */
	return hi < lo + 2 * GUARD || g.lo >= g.hi || vec_push(&gs->g, g);
}

/* True if this mapping is the heap, or one of the program itself. */
static bool
maps_heap(const char *path, const char *exe)
{
	return strcmp(path, "[heap]") == 0 || strcmp(path, exe) == 0;
}

static int
gaps_refused(pid_t pid, int sys, struct err *e)
{
	return sys == ENOENT || err_short(sys) ?
		       err_ended(e, pid, sys) :
		       err_set(e, &ERR_GENERIC, sys,
			       "cannot read what process %d has mapped",
			       (int)pid);
}

int
gaps_read(const struct engine *eng, struct gaps *gs, struct err *e)
{
	char name[32], exe[4096] = "";
	uint64_t end = USER_LO;
	bool ok = true, heap = false;
	struct proc_maps it;
	struct proc_map m;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/exe",
		 (int)proc_face(eng->pid));
	n = readlink(name, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	if (!proc_maps_open(&it, eng->pid))
		return gaps_refused(eng->pid, errno, e);
	while (ok && proc_maps_next(&it, &m)) {
		if (m.hi > USER_HI)
			continue;
		ok = m.lo <= end ||
		     gap_add(gs, end, m.lo, heap, m.path);
		heap = maps_heap(m.path, exe);
		end = m.hi > end ? m.hi : end;
	}
	proc_maps_close(&it);
	if (ok && gs->g.n == 0)
		return inject_ended(eng->pid, e);
	return ok ? 0 : err_nomem(e);
}

static bool
gap_cut(struct gaps *gs, uint64_t lo, uint64_t n, uint64_t guard)
{
	for (size_t i = 0; i < gs->g.n; i++) {
		struct gap g = gs->g.v[i], *p = &gs->g.v[i];

		if (lo < g.lo || lo + n > g.hi)
			continue;
		p->hi = lo > guard && lo - guard > p->lo ? lo - guard : p->lo;
		g.lo = lo + n + guard;
		return g.lo >= g.hi || vec_push(&gs->g, g);
	}
	return true;
}

bool
gaps_take(struct gaps *gs, uint64_t lo, uint64_t n)
{
	return gap_cut(gs, lo, n, GUARD);
}

bool
gaps_cut(struct gaps *gs, uint64_t lo, uint64_t n)
{
	return gap_cut(gs, lo, n, 0);
}

/* ---- where to ------------------------------------------------------------ */

/*
 * The place for n bytes in a gap, as near as can be to text [lo, hi) and
 * within its reach; 0: there is none.
 */
static uint64_t
gap_near(const struct gap *g, uint64_t n, uint64_t lo, uint64_t hi)
{
	uint64_t from = hi > MAP_REACH ? hi - MAP_REACH : 0,
		 to = lo + MAP_REACH;

	from = ((from > g->lo ? from : g->lo) + PAGE - 1) & ~(PAGE - 1);
	to = (to < g->hi ? to : g->hi) & ~(PAGE - 1);
	if (to < from || to - from < n)
		return 0;
	/* The heap comes from below: as far from it as possible. */
	return g->heap || g->hi <= lo ? to - n : from;
}

uint64_t
gaps_near(const struct gaps *gs, uint64_t n, uint64_t lo, uint64_t hi)
{
	uint64_t best = 0, best_far = UINT64_MAX;

	for (size_t i = 0; i < gs->g.n; i++) {
		uint64_t at = gap_near(&gs->g.v[i], n, lo, hi), far;

		if (at == 0)
			continue;
		far = at < lo ? lo - at : at - lo;
		if (gs->g.v[i].heap || gs->g.v[i].stack)
			far += 1ull << 40; /* if nothing else will do */
		if (far < best_far) {
			best_far = far;
			best = at;
		}
	}
	return best;
}

uint64_t
gaps_low(const struct gaps *gs, uint64_t n)
{
	uint64_t best = 0;

	for (size_t i = 0; i < gs->g.n; i++) {
		const struct gap *g = &gs->g.v[i];
		uint64_t hi = g->hi < LOW_HI ? g->hi : LOW_HI;

		if (hi > g->lo + n + PAGE && hi - n > LOW_LO && hi > best)
			best = hi;
	}
	return best != 0 ? (best - n) & ~(PAGE - 1) : 0;
}

uint64_t
gaps_anywhere(const struct gaps *gs, uint64_t n)
{
	const struct gap *w = NULL;
	uint64_t spare;

	for (size_t i = 0; i < gs->g.n; i++)
		if (w == NULL || gs->g.v[i].hi - gs->g.v[i].lo > w->hi - w->lo)
			w = &gs->g.v[i];
	if (w == NULL || w->hi - w->lo < n + PAGE)
		return 0;
	spare = w->hi - w->lo - n - PAGE;
	return (w->hi - n - (spare < 2 * FAR ? spare / 2 : FAR)) & ~(PAGE - 1);
}

bool
gaps_has(const struct gaps *gs, uint64_t lo, uint64_t n)
{
	for (size_t i = 0; i < gs->g.n; i++)
		if (lo >= gs->g.v[i].lo && n <= gs->g.v[i].hi &&
		    lo <= gs->g.v[i].hi - n)
			return true;
	return false;
}
