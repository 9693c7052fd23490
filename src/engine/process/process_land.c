/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_land.c - where punned jumps land (process_pun.c).
 *
 * Such a jump cannot choose freely where it leads, so places all around the
 * code must be had.  Each is a landing: a jump to the trampoline, which lies in
 * a region like all others.
 *
 *	text   [jmp .. pun]      landing [jmp]      region [trampoline]
 *	            └──────────────▲   └──────────────────▲
 *
 * Landings lie in pages, and pages in few mappings: a mapping for each page
 * would cost the target 3 us each, and a fork() of it as much again.  So what
 * lies near is one mapping with holes, of the same memory file, whose pages are
 * there only once a landing was written.  How many pages and mappings there may
 * be is limited; what does not fit any more has no place.
 *
 * Addresses are chosen before the target is touched, and asked for with
 * MAP_FIXED_NOREPLACE.  Landings in a mapping that cannot be had are not used,
 * and nor are the jumps that lead there.
 *
 * They are mapped privately, so that another consumer of the process can write
 * over the jump in a landing (patch_over.c).
 *
 * Kept free: what the program's heap may grow by, and room below stacks.
 */
#include "engine/process/process_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	   4096ull
#define HEAP_FREE  (256ull << 20)
#define STACK_FREE (256ull << 20)
#define MAPS_GOAL  128u
#define JOIN_MAX   (16ull << 20) /* holes in a mapping */
#define PAGES_MAX  8192u
#define TIGHT_MAX  256u /* pages, and mappings, where those are not joined */
#define JMP32	   5u
#define TRIES	   64 /* pages that are looked into for room */

/* A page with landings. */
struct land_page {
	uint64_t addr;
	uint8_t used[PAGE / 8]; /* a bit for each byte */
};
/* [lo, hi) is mapped, or to be, from that offset of the file on. */
struct land_map {
	uint64_t lo, hi, off;
	bool made, failed;
};
struct land {
	struct gaps gaps;	      /* as they were last read */
	VEC(struct land_page *) page; /* by address; owned */
	VEC(struct land_map) map;     /* by address */
	bool any_failed; /* some of map are */
	bool tight; /* its address space is limited: nothing is joined */
};

/* ---- pages --------------------------------------------------------------- */

struct land *
land_new(struct engine *eng, struct err *e)
{
	struct land *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		err_nomem(e);
		return NULL;
	}
	l->tight = room_of_addresses(eng->pid) != ROOM_ENDLESS;
	if (land_look(l, eng, e) == 0)
		return l;
	land_free(l);
	return NULL;
}

void
land_free(struct land *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->page.n; i++)
		free(l->page.v[i]);
	vec_fini(&l->page);
	vec_fini(&l->map);
	vec_fini(&l->gaps.g);
	free(l);
}

int
land_look(struct land *l, const struct engine *eng, struct err *e)
{
	l->gaps.g.n = 0;
	if (gaps_read(eng, &l->gaps, e) != 0)
		return -1;
	for (size_t i = 0; i < l->gaps.g.n; i++) {
		struct gap *g = &l->gaps.g.v[i];

		g->lo += g->heap && !g->under ? HEAP_FREE : 0;
		if (g->stack)
			g->hi -= g->hi > STACK_FREE ? STACK_FREE : g->hi;
		if (g->hi < g->lo)
			g->hi = g->lo;
	}
	return 0;
}

/* The index of the first page that is not below an address. */
static size_t
page_from(const struct land *l, uint64_t addr)
{
	size_t lo = 0, hi = l->page.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->page.v[mid]->addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct land_page *
page_at(const struct land *l, uint64_t addr)
{
	size_t i = page_from(l, addr & ~(PAGE - 1));

	return i < l->page.n && l->page.v[i]->addr == (addr & ~(PAGE - 1)) ?
		       l->page.v[i] :
		       NULL;
}

/* The mapping that has an address; NULL: none. */
static struct land_map *
map_of(const struct land *l, uint64_t addr)
{
	for (size_t i = 0; i < l->map.n; i++)
		if (addr >= l->map.v[i].lo && addr < l->map.v[i].hi)
			return &l->map.v[i];
	return NULL;
}

/* True if there may be a page at an address. */
static bool
page_may(const struct land *l, uint64_t addr)
{
	const struct land_map *m = map_of(l, addr);

	if (m != NULL)
		return !m->failed;
	addr &= ~(PAGE - 1);
	for (size_t i = 0; i < l->gaps.g.n; i++)
		if (addr >= l->gaps.g.v[i].lo &&
		    addr + PAGE <= l->gaps.g.v[i].hi)
			return true;
	return false;
}

/* True if [addr, addr + n), of one page, is free. */
static bool
bits_free(const struct land *l, uint64_t addr, uint64_t n)
{
	const struct land_page *p = page_at(l, addr);

	if (p != NULL && l->any_failed && !page_may(l, addr))
		return false;
	if (p == NULL)
		return l->page.n + 2 <= (l->tight ? TIGHT_MAX : PAGES_MAX) &&
		       page_may(l, addr);
	for (uint64_t i = addr % PAGE; i < addr % PAGE + n; i++)
		if ((p->used[i / 8] >> i % 8 & 1) != 0)
			return false;
	return true;
}

/* How much of LAND_LEN bytes lies in the first page. */
static uint64_t
in_first(uint64_t addr)
{
	uint64_t rest = PAGE - addr % PAGE;

	return rest < LAND_LEN ? rest : LAND_LEN;
}

bool
land_fits(const struct land *l, uint64_t addr)
{
	uint64_t n = in_first(addr);

	return bits_free(l, addr, n) &&
	       (n == LAND_LEN || bits_free(l, addr + n, LAND_LEN - n));
}

static bool
bits_take(struct land *l, uint64_t addr, uint64_t n)
{
	struct land_page *p = page_at(l, addr);
	uint64_t page = addr & ~(PAGE - 1);
	size_t at = page_from(l, page);

	if (p == NULL) {
		p = calloc(1, sizeof(*p));
		if (p == NULL || !vec_push(&l->page, p)) {
			free(p);
			return false;
		}
		p->addr = page;
		memmove(l->page.v + at + 1, l->page.v + at,
			(l->page.n - 1 - at) * sizeof(*l->page.v));
		l->page.v[at] = p;
	}
	for (uint64_t i = addr % PAGE; i < addr % PAGE + n; i++)
		p->used[i / 8] |= (uint8_t)(1u << i % 8);
	return true;
}

bool
land_take(struct land *l, uint64_t addr)
{
	uint64_t n = in_first(addr);

	return bits_take(l, addr, n) &&
	       (n == LAND_LEN || bits_take(l, addr + n, LAND_LEN - n));
}

bool
land_spare(const struct land *l)
{
	return l->page.n < (l->tight ? TIGHT_MAX : PAGES_MAX) / 4;
}

/* ---- choosing ------------------------------------------------------------ */

bool
land_whole(uint64_t addr)
{
	return in_first(addr) == LAND_LEN;
}

/* The first place in [lo, hi] in a page that is there; whole: not in two. */
static bool
place_shared(const struct land *l, uint64_t lo, uint64_t hi, bool whole,
	     uint64_t *at)
{
	size_t i = page_from(l, lo & ~(PAGE - 1));

	for (int k = 0; k < TRIES && i < l->page.n; i++, k++) {
		uint64_t t = l->page.v[i]->addr, end = t + PAGE;

		if (t > hi)
			break;
		t = t < lo ? lo : t;
		end = end > hi ? hi + 1 : end;
		for (; t < end; t++) {
			if (!land_fits(l, t) || (whole && !land_whole(t)))
				continue;
			*at = t;
			return true;
		}
	}
	return false;
}

/* The first place in [lo, hi] in a new page, at its beginning if it may be. */
static bool
place_new(const struct land *l, uint64_t lo, uint64_t hi, bool whole,
	  uint64_t *at)
{
	for (size_t i = 0; i < l->gaps.g.n; i++) {
		const struct gap *g = &l->gaps.g.v[i];
		uint64_t t = (g->lo + PAGE - 1) & ~(PAGE - 1);

		t = t > lo ? t : lo;
		if (((t + PAGE - 1) & ~(PAGE - 1)) <= hi)
			t = (t + PAGE - 1) & ~(PAGE - 1);
		if (t > hi || t >= g->hi || !land_fits(l, t) ||
		    (whole && !land_whole(t)))
			continue;
		*at = t;
		return true;
	}
	return false;
}

bool
land_find(const struct land *l, uint64_t lo, uint64_t hi, uint64_t *at)
{
	return place_shared(l, lo, hi, true, at) ||
	       place_new(l, lo, hi, true, at) ||
	       place_shared(l, lo, hi, false, at) ||
	       place_new(l, lo, hi, false, at);
}

/* ---- mappings ------------------------------------------------------------ */

/* True if a mapping of [lo, hi) may be: all of it is in one gap. */
static bool
map_may(const struct land *l, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < l->gaps.g.n; i++)
		if (lo >= l->gaps.g.v[i].lo && hi <= l->gaps.g.v[i].hi)
			return true;
	return false;
}

/* Mappings for pages that have none; pages no further apart than `join` are in
   one.  *n: how many; into l->map, if `make`. */
static int
maps_join(struct land *l, uint64_t join, bool make, size_t *n, struct err *e)
{
	struct land_map m = { 0 };

	*n = 0;
	for (size_t i = 0; i < l->page.n; i++) {
		uint64_t at = l->page.v[i]->addr;

		if (map_of(l, at) != NULL && (!make || at >= m.hi))
			continue;
		if (m.hi != 0 && at - m.hi <= join &&
		    map_may(l, m.lo, at + PAGE)) {
			m.hi = at + PAGE;
			if (make)
				l->map.v[l->map.n - 1].hi = m.hi;
			continue;
		}
		m = (struct land_map){ .lo = at, .hi = at + PAGE };
		++*n;
		if (make && !vec_push(&l->map, m))
			return err_nomem(e);
	}
	return 0;
}

/* Few mappings, with no larger holes than that takes: should the target lock
   its memory (mlockall(2)), the kernel fills them. */
int
land_plan(struct land *l, struct err *e)
{
	uint64_t join = 0;
	size_t n;

	maps_join(l, join, false, &n, e);
	while (!l->tight && n > MAPS_GOAL && join < JOIN_MAX) {
		join = join == 0 ? 16 * PAGE : 4 * join;
		maps_join(l, join, false, &n, e);
	}
	return maps_join(l, join, true, &n, e);
}

/* True if the memory file can be so long.  Beyond the limit we would be
   killed. */
static bool
file_may(uint64_t len)
{
	struct rlimit lim;

	return getrlimit(RLIMIT_FSIZE, &lim) == 0 && len <= lim.rlim_cur;
}

static int
map_make_one(struct engine *eng, struct land_map *m, int tfd, struct err *e)
{
	struct map *file = &map_root(eng)->map;
	uint64_t off, n = m->hi - m->lo;

	if (!file_may(file->file_len + n))
		return err_set(e, &ERR_GENERIC, EFBIG,
			       "shared memory cannot grow");
	if (map_file_grow(eng, n, &off, e) != 0)
		return -1;
	if (map_code(eng, m->lo, n, tfd, off, e) != 0) {
		file->file_len = off;
		return -1;
	}
	m->off = off;
	m->made = true;
	return 0;
}

bool
land_wants(const struct land *l)
{
	for (size_t i = 0; l != NULL && i < l->map.n; i++)
		if (!l->map.v[i].made && !l->map.v[i].failed)
			return true;
	return false;
}

bool
land_reserve(const struct land *l, struct gaps *gs)
{
	for (size_t i = 0; l != NULL && i < l->map.n; i++) {
		const struct land_map *m = &l->map.v[i];

		if (!m->made && !m->failed &&
		    !gaps_cut(gs, m->lo, m->hi - m->lo))
			return false;
	}
	return true;
}

void
land_map(struct land *l, struct engine *eng, int tfd)
{
	struct err why = { 0 };

	for (size_t i = 0; l != NULL && i < l->map.n; i++) {
		struct land_map *m = &l->map.v[i];

		if (!m->made && !m->failed)
			m->failed = map_make_one(eng, m, tfd, &why) != 0;
		l->any_failed |= m->failed;
		err_clear(&why);
	}
}

void
land_unmap(struct land *l, struct engine *eng)
{
	struct err why = { 0 };
	int64_t res;

	for (size_t i = 0; l != NULL && i < l->map.n; i++) {
		struct land_map *m = &l->map.v[i];
		const uint64_t arg[6] = { m->lo, m->hi - m->lo };

		if (m->made)
			inject_syscall(&eng->in, SYS_munmap, arg, &res, &why);
		m->made = false;
	}
}

void
land_punch(const struct land *l, int fd)
{
	for (size_t i = 0; l != NULL && i < l->map.n; i++)
		if (l->map.v[i].made)
			map_punch(fd, l->map.v[i].off,
				  l->map.v[i].hi - l->map.v[i].lo);
}

size_t
land_spans(const struct land *l, bool made, struct inject_span *v, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; l != NULL && i < l->map.n; i++) {
		if (made && !l->map.v[i].made)
			continue;
		if (n < max)
			v[n] = (struct inject_span){ l->map.v[i].lo,
						     l->map.v[i].hi };
		n++;
	}
	return n;
}

/* ---- code ---------------------------------------------------------------- */

/*
 * A page that another consumer has written into is the target's own, and what
 * comes into the file does not come into it.
 */
static bool
land_show(struct engine *eng, uint64_t at, const uint8_t *code, uint32_t n)
{
	uint8_t is[LAND_LEN];

	return inject_read(&eng->in, at, is, n) == 0 &&
	       (memcmp(is, code, n) == 0 ||
		inject_write(&eng->in, at, code, n) == 0);
}

int
land_write(const struct land *l, struct engine *eng, uint64_t at, uint64_t to,
	   struct err *e)
{
	uint8_t code[LAND_LEN];
	uint32_t n = patch_land_code(code, at, to);

	for (uint32_t i = 0, k; i < n; i += k) {
		const struct land_map *m = map_of(l, at + i);

		k = (uint32_t)in_first(at + i);
		k = k < n - i ? k : n - i;
		if (m == NULL || !m->made)
			return err_set(e, &ERR_GENERIC, 0,
				       "the place that its jump could lead to "
				       "is taken");
		if (pwrite(eng->map.fd, code + i, k,
			   (off_t)(m->off + (at + i - m->lo))) != (ssize_t)k)
			return err_set(e, &ERR_GENERIC, errno,
				       "shared memory cannot be written");
	}
	return land_show(eng, at, code, n)
		       ? 0
		       : err_set(e, &ERR_GENERIC, errno,
				 "its landing cannot be written");
}

void
land_count(const struct land *l, struct land_counts *c)
{
	*c = (struct land_counts){ 0 };
	if (l == NULL)
		return;
	c->pages = (uint32_t)l->page.n;
	for (size_t i = 0; i < l->map.n; i++)
		c->maps += !l->map.v[i].failed;
}
