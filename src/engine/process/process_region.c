/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_region.c - regions of our code: which windows each serves, how large
 * it is, and those that are added while the target is traced.
 *
 * A region that is planned before attaching is mapped with all the others
 * (process_map.c).  One has some room to spare, for objects that are mapped
 * later near by; where that does not do, a new one is made.
 */
#include "engine/process/process_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CLUSTER        (1ull << 30) /* most bytes that one region serves */
#define TRIES          8
#define SPARE_PROBES   (1ull << 20)
#define SPARE_SYSCALLS (1ull << 16)
#define SPARE_MEMBER   (1ull << 19) /* its C library's too: no second region */

/* ---- planned ------------------------------------------------------------- */

static uint64_t
window_end(const struct code_window *w)
{
	uint64_t end = w->start + w->len;

	return w->kind == CODE_WIN_HOP && w->hop + 5 > end ? w->hop + 5 : end;
}

int
regions_plan(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	for (size_t i = 0; i < eng->plan.windows.n; i++) {
		struct plan_window *pw = &eng->plan.windows.v[i];
		uint64_t end = window_end(&pw->w);
		struct map_region *r =
			m->nregions != 0 ? &m->region[m->nregions - 1] : NULL;

		if (r == NULL || end - r->lo > CLUSTER) {
			if (m->nregions == RTN_NREGIONS)
				return err_set(e, &ERR_GENERIC, 0,
					       "process %d: its code is in "
					       "too many places",
					       (int)eng->pid);
			r = &m->region[m->nregions++];
			/* A hop may lead back, not far. */
			r->lo = pw->w.start > 128 ? pw->w.start - 128 : 0;
		}
		if (end > r->hi)
			r->hi = end;
		pw->region = m->nregions - 1;
	}
	return 0;
}

/* Room in each region for code that is mapped later near by. */
static uint64_t
region_spare(const struct engine *eng)
{
	if (eng->root != NULL)
		return SPARE_MEMBER;
	if (eng->opts.spare_probes != 0)
		return SPARE_PROBES;
	return later_wanted(eng) ? SPARE_SYSCALLS : 0;
}

int
regions_measure(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	if (code_measure(eng, e) != 0)
		return -1;
	for (uint32_t i = 0; i < m->nregions; i++) {
		m->region[i].size =
			map_page_up(m->region[i].size) + region_spare(eng);
		m->region[i].handlers =
			arena_calloc(eng->arena, eng->plan.classes.n + 1,
				     sizeof(struct x86_handler));
		m->region[i].made = arena_calloc(
			eng->arena, eng->plan.classes.n + 1, sizeof(bool));
		if (m->region[i].handlers == NULL || m->region[i].made == NULL)
			return err_nomem(e);
	}
	return 0;
}

int
region_grow(struct engine *eng, struct map_region *r, struct err *e)
{
	struct map *m = &eng->map;
	void *p;

	if (map_file_grow(eng, r->size, &r->off, e) != 0)
		return -1;
	p = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
		 (off_t)r->off);
	if (p == MAP_FAILED)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot map shared memory");
	(void)madvise(p, r->size, MADV_DONTFORK);
	r->mem = p;
	return 0;
}

/* ---- code that is mapped later ---------------------------------------------
 */

/* True if code for text [lo, hi) may be in a region at addr. */
static bool
in_reach(uint64_t addr, uint64_t size, uint64_t lo, uint64_t hi)
{
	uint64_t first = addr < lo ? addr : lo;
	uint64_t end = addr + size > hi ? addr + size : hi;

	return end - first <= MAP_REACH;
}

/* A region that is there, with room for n bytes; NULL: there is none. */
static struct map_region *
region_with_room(struct map *m, uint64_t n, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < m->nregions; i++) {
		struct map_region *r = &m->region[i];

		if (in_reach(r->addr, r->size, lo, hi) &&
		    r->size - r->buf.n >= n)
			return r;
	}
	return NULL;
}

/* Handlers of classes that have come since: none are made. */
static int
region_classes(struct engine *eng, struct map_region *r, size_t was,
	       struct err *e)
{
	size_t n = eng->plan.classes.n + 1;
	struct x86_handler *h = arena_calloc(eng->arena, n, sizeof(*h));
	bool *made = arena_calloc(eng->arena, n, sizeof(*made));

	if (h == NULL || made == NULL)
		return err_nomem(e);
	if (was != 0) {
		memcpy(h, r->handlers, was * sizeof(*h));
		memcpy(made, r->made, was * sizeof(*made));
	}
	r->handlers = h;
	r->made = made;
	return 0;
}

/* Map a region there, near its text; one thread is stopped. */
static int
region_map(struct engine *eng, struct map_region *r, int tfd, struct err *e)
{
	int rc = -1;

	for (int i = 0; i < TRIES && rc != 0; i++) {
		struct gaps gs = { 0 };

		err_clear(e);
		r->addr = gaps_read(eng, &gs, e) == 0
				  ? gaps_near(&gs, r->size, r->lo, r->hi)
				  : 0;
		vec_fini(&gs.g);
		if (r->addr == 0)
			return err_is_set(e)
				       ? -1
				       : err_set(e, &ERR_GENERIC, 0,
						 "there are no free addresses "
						 "near");
		rc = map_one(eng, r->addr, r->size, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE, tfd, r->off, e);
		if (rc != 0 && e->sys != EEXIST)
			break;
	}
	return rc;
}

static int
region_enter(struct engine *eng, struct map_region *r, struct err *e)
{
	int tfd, rc;

	if (engine_target_stop(eng, false, e) != 0)
		return -1;
	rc = map_may_call(eng, e);
	if (rc == 0)
		rc = map_file_there(eng, NULL, &tfd, e);
	if (rc == 0) {
		rc = region_map(eng, r, tfd, e);
		rc = map_file_done(eng, tfd, rc, e);
	}
	inject_resume(&eng->in);
	return rc;
}

/* It cannot be.  there: the target has mapped it, so its part of the file
   stays; else the next one may have that.  NULL. */
static struct map_region *
region_fail(struct engine *eng, struct map_region *r, bool there)
{
	if (r->mem == NULL)
		return NULL;
	munmap(r->mem, r->size);
	r->mem = NULL;
	if (!there)
		map_root(eng)->map.file_len = r->off;
	return NULL;
}

/* A new region for text [lo, hi), with room for n bytes; NULL + *e. */
static struct map_region *
region_new(struct engine *eng, uint64_t n, uint64_t lo, uint64_t hi,
	   struct err *e)
{
	struct map *m = &eng->map;
	struct map_region *r = &m->region[m->nregions];
	struct rtn_shared *sh = eng->sh;

	if (m->nregions == RTN_NREGIONS) {
		err_set(e, &ERR_GENERIC, 0, "its code is in too many places");
		return NULL;
	}
	*r = (struct map_region){ .lo = lo,
				  .hi = hi,
				  .size = map_page_up(code_common(eng) + n) +
					  region_spare(eng) };
	if (region_classes(eng, r, 0, e) != 0 || region_grow(eng, r, e) != 0 ||
	    region_enter(eng, r, e) != 0)
		return region_fail(eng, r, false);
	if (code_region(eng, r, e) != 0)
		return region_fail(eng, r, true);
	r->shown = r->buf.n;
	sh->region[m->nregions].lo = r->addr;
	sh->region[m->nregions].hi = r->addr + r->size;
	__atomic_store_n(&sh->nregions, ++m->nregions, __ATOMIC_RELEASE);
	return r;
}

/* The end of the windows from i on that one region can serve; *hi: of their
   text. */
static size_t
cluster_end(const struct plan *p, size_t i, uint64_t *lo, uint64_t *hi)
{
	*lo = p->windows.v[i].w.start - 128;
	*hi = 0;
	for (; i < p->windows.n; i++) {
		uint64_t end = window_end(&p->windows.v[i].w);

		if (end - *lo > CLUSTER)
			break;
		if (end > *hi)
			*hi = end;
	}
	return i;
}

/* Landings for punned jumps that have come. */
static int
land_more(struct engine *eng, struct err *e)
{
	int tfd, rc;

	if (!land_wants(eng->plan.land))
		return 0;
	if (engine_target_stop(eng, false, e) != 0)
		return -1;
	rc = map_may_call(eng, e);
	if (rc == 0)
		rc = map_file_there(eng, NULL, &tfd, e);
	if (rc == 0) {
		land_map(eng->plan.land, eng, tfd);
		rc = map_file_done(eng, tfd, 0, e);
	}
	inject_resume(&eng->in);
	return rc;
}

int
map_more(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;
	size_t was = eng->nclasses;

	if (code_measure_more(eng, e) != 0)
		return -1;
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		if (region_classes(eng, &eng->map.region[i], was, e) != 0)
			return -1;
	for (size_t i = 0, end; i < p->windows.n; i = end) {
		uint64_t lo, hi, need;
		struct map_region *r;

		end = cluster_end(p, i, &lo, &hi);
		need = code_need(eng, i, end, e);
		if (need == 0)
			return -1;
		r = region_with_room(&eng->map, need, lo, hi);
		if (r == NULL)
			r = region_new(eng, need, lo, hi, e);
		if (r == NULL)
			return -1;
		for (size_t k = i; k < end; k++)
			p->windows.v[k].region =
				(uint32_t)(r - eng->map.region);
	}
	return land_more(eng, e);
}
