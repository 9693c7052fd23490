/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_code.c - regions filled with code.
 *
 *   blob | stub of handlers that count | stub of the dynamic linker's point
 *   | system calls: dispatchers, handlers, thunks | ERROR
 *   | handlers and trampolines, as windows need them
 *
 * struct rtn_shared has one table of system calls for all regions, by distance
 * from the region's blob.  So what it leads to lies at the same distance in
 * every region, in places wide enough for what addresses may do to the length
 * of code.  Other handlers are written in the regions that use them.
 *
 * Sizes are known only when code has been generated; so it is generated twice,
 * the first time (code_measure()) for addresses like those it will have.
 */
#include "engine/process/process_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dif/dif.h"

#define ALIGN	 64u
#define SLACK	 64u
#define SCRATCH	 (1u << 20)
#define SCRATCH_MAX (1u << 28)
#define SHOW        4096u
#define NOWHERE     0x7f0000000000ull /* where shared libraries would be */

static uint64_t
code_align(uint64_t n)
{
	return (n + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

/* The room for n measured bytes, wherever they will be. */
static uint64_t
code_room(uint64_t n)
{
	return code_align(n + n / 4 + SLACK);
}

static bool
uses_sys(const struct engine *eng)
{
	return eng->plan.nsys != 0;
}

static struct x86_target
code_target(const struct engine *eng, const struct rtn_shared *sh,
	    uint64_t blob)
{
	return (struct x86_target){ .sh = sh,
				    .blob = blob,
				    .agg = &eng->agg,
				    .agg_fixed = eng->agg_fixed,
				    .sites = eng->plan.sites.v,
				    .solo_fixed = eng->plan.solo_fixed,
				    .fs_self = eng->fs_self,
				    .no_returns = !eng->plan.sys_return,
				    .debug = eng->opts.debug };
}

/* ---- points as the trampoline wants them --------------------------------- */

static struct x86_point
point_make(const struct engine *eng, const struct plan_window *pw,
	   const struct plan_point *pt, const struct x86_handler *handlers,
	   const struct x86_handler *maps)
{
	const struct plan *p = &eng->plan;
	struct x86_point out = {
		.at = (uint32_t)(pt->addr - pw->w.start),
		.after = pt->after,
		.insn = pt->at == X86_AT_INSN,
		.site = pt->site,
		.stack = pt->stack,
		.kind = pt->at,
	};

	if (pt->group != PLAN_NONE)
		out.h = &handlers[p->groups.v[pt->group].cls];
	else if (pt->direct != PLAN_NONE)
		out.h = &handlers[p->groups.v[pt->direct].cls];
	else if (pt->at == X86_AT_ENTRY)
		out.h = maps;
	return out;
}

struct x86_point *
code_points(const struct engine *eng, const struct plan_window *pw,
	    const struct x86_handler *handlers, const struct x86_handler *maps,
	    size_t *n)
{
	const struct plan_point *pt = eng->plan.points.v + pw->point0;
	struct x86_point *out = calloc(pw->npoints + 1, sizeof(*out));

	*n = out != NULL ? pw->npoints : 0;
	for (size_t i = 0; i < *n; i++)
		out[i] = point_make(eng, pw, &pt[i], handlers, maps);
	return out;
}

/* The code that a window stands for: its own, all of a function, or the jump to
   another consumer's. */
static const uint8_t *
window_bytes(const struct engine *eng, const struct plan_window *pw,
	     uint32_t *len)
{
	const struct plan_fn *f = &eng->plan.fns.v[pw->fn];
	const struct code_world *w = world_x86(f->obj);

	*len = sizeof(pw->jmp);
	if (pw->over != 0)
		return pw->jmp;
	*len = pw->copy ? (uint32_t)f->fn.part[0].size : pw->w.len;
	return w->bytes(w->arg, pw->w.start, *len);
}

/* ---- measuring ----------------------------------------------------------- */

/* Shared memory that is not there: only its addresses matter. */
static struct rtn_shared *
fake_shared(struct engine *eng)
{
	struct rtn_shared *sh = calloc(1, sizeof(*sh));

	if (sh != NULL)
		shared_constants(eng, sh, NOWHERE - (1ull << 36),
				 NOWHERE - (1ull << 35), 0);
	return sh;
}

/* Generate one handler into *b, which grows until it fits. */
static int
measure_class(struct engine *eng, const struct x86_target *t, uint32_t cls,
	      struct x86_buf *b, struct err *e)
{
	for (;;) {
		b->n = 0;
		b->full = false;
		if (x86_lower(b, t, &eng->plan.classes.v[cls].in,
			      &eng->class_proto[cls], e) == 0 &&
		    !b->full)
			break;
		if (!b->full)
			return -1;
		uint8_t *p = b->cap < SCRATCH_MAX ? realloc(b->p, b->cap * 4) :
						    NULL;
		if (p == NULL)
			return err_nomem(e);
		b->p = p;
		b->cap *= 4;
		err_clear(e);
	}
	eng->class_size[cls] = (uint32_t)b->n;
	return 0;
}

static int
measure_error(struct engine *eng, const struct x86_target *t,
	      struct x86_buf *b, struct err *e)
{
	b->n = 0;
	b->full = false;
	x86_lower_error(b, t, eng->en, e);
	if (err_is_set(e))
		return -1;
	if (b->full)
		return err_set(e, &ERR_GENERIC, 0, "ERROR clauses: too much "
						   "code");
	eng->error_size = (uint32_t)b->n;
	return 0;
}

/* Classes from `first` on. */
static int
measure_handlers(struct engine *eng, uint32_t first, struct err *e)
{
	struct rtn_shared *sh = fake_shared(eng);
	struct x86_target t = code_target(eng, sh, NOWHERE);
	struct x86_buf b = { .p = malloc(SCRATCH), .cap = SCRATCH };
	int rc = 0;

	b.base = code_align(NOWHERE + rtn_image.n);
	t.solo_miss = NOWHERE;
	if (sh == NULL || b.p == NULL)
		rc = err_nomem(e);
	for (uint32_t c = first; rc == 0 && c < eng->plan.classes.n; c++)
		rc = measure_class(eng, &t, c, &b, e);
	if (rc == 0)
		rc = measure_error(eng, &t, &b, e);
	free(b.p);
	free(sh);
	return rc;
}

/* The room of the thunk that begins with group i. */
static uint64_t
thunk_room(const struct engine *eng, uint32_t i)
{
	const struct plan_group *g;
	uint64_t n = 0;

	for (; i != PLAN_NONE; i = g->next) {
		g = &eng->plan.groups.v[i];
		n += eng->class_proto[g->cls].inl_size + 128;
	}
	return code_align(n);
}

/* The room of a number's thunks. */
static uint64_t
thunks_room(const struct engine *eng, unsigned nr)
{
	uint64_t n = 0;

	for (int ret = 0; ret < 2; ret++)
		n += thunk_room(eng, eng->plan.sys_group[nr][ret]);
	return n;
}

/* What lies at the same distance from the blob in every region. */
static uint64_t
common_room(const struct engine *eng)
{
	uint64_t n = code_align(rtn_image.n) + X86_SOLO_STUB_SIZE +
		     X86_MAPS_STUB_SIZE;

	if (uses_sys(eng)) {
		n += X86_SYS_STUBS_SIZE;
		for (uint32_t c = 0; c < eng->plan.classes.n; c++)
			if (eng->plan.classes.v[c].sys)
				n += code_room(eng->class_size[c]);
		for (unsigned nr = 0; nr < RTN_NSYS; nr++)
			n += thunks_room(eng, nr);
	}
	return n + code_room(eng->error_size);
}

/* What a window adds to the size of its region.  seen[classes]: the class's
   handler has its room there. */
static int
measure_window(struct engine *eng, const struct plan_window *pw, uint8_t *seen,
	       uint64_t *size, struct err *e)
{
	const struct x86_handler maps = { 0 }; /* not in place */
	struct plan *p = &eng->plan;
	size_t npts;
	struct x86_point *pts =
		code_points(eng, pw, eng->class_proto, &maps, &npts);
	uint32_t len;
	const uint8_t *bytes = window_bytes(eng, pw, &len);

	if (pts == NULL)
		return err_nomem(e);
	*size += PATCH_ROOMS_SIZE + PATCH_HEAD_SIZE;
	if (pw->rooms != 0)
		*size += PATCH_ROOMS * (PATCH_ROOMS_SIZE + PATCH_HEAD_SIZE +
					x86_tramp_size(len, NULL, 0));
	if (!pw->copy)
		*size += x86_tramp_size(len, pts, npts);
	else if (bytes != NULL)
		*size += x86_copy_size(bytes, pw->w.start, len, pts, npts);
	free(pts);
	for (uint32_t k = 0; k < pw->npoints; k++) {
		uint32_t g = p->points.v[pw->point0 + k].group, c;

		if (g == PLAN_NONE)
			continue;
		c = p->groups.v[g].cls;
		if (!seen[c])
			*size += code_room(eng->class_size[c]);
		seen[c] = 1;
	}
	return 0;
}

int
code_measure(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;
	const size_t nc = p->classes.n + 1;
	uint8_t *seen = arena_calloc(eng->arena, nc, RTN_NREGIONS);

	eng->nclasses = p->classes.n;
	eng->class_size = arena_calloc(eng->arena, nc,
				       sizeof(*eng->class_size));
	eng->class_proto = arena_calloc(eng->arena, nc,
					sizeof(*eng->class_proto));
	if (seen == NULL || eng->class_size == NULL || eng->class_proto == NULL)
		return err_nomem(e);
	if (eng->map.nregions == 0)
		return 0;
	if (measure_handlers(eng, 0, e) != 0)
		return -1;
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		eng->map.region[i].size = code_common(eng);
	for (size_t i = 0; i < p->windows.n; i++) {
		const struct plan_window *pw = &p->windows.v[i];

		if (measure_window(eng, pw, seen + pw->region * nc,
				   &eng->map.region[pw->region].size, e) != 0)
			return -1;
	}
	return 0;
}

uint64_t
code_common(const struct engine *eng)
{
	return common_room(eng) + SLACK;
}

int
code_measure_more(struct engine *eng, struct err *e)
{
	const size_t was = eng->nclasses, n = eng->plan.classes.n;
	uint32_t *size;
	struct x86_handler *proto;

	if (n == was)
		return 0;
	size = arena_calloc(eng->arena, n + 1, sizeof(*size));
	proto = arena_calloc(eng->arena, n + 1, sizeof(*proto));
	if (size == NULL || proto == NULL)
		return err_nomem(e);
	memcpy(size, eng->class_size, was * sizeof(*size));
	memcpy(proto, eng->class_proto, was * sizeof(*proto));
	eng->class_size = size;
	eng->class_proto = proto;
	eng->nclasses = n;
	return measure_handlers(eng, (uint32_t)was, e);
}

uint64_t
code_need(struct engine *eng, size_t i, size_t end, struct err *e)
{
	uint8_t *seen = calloc(eng->plan.classes.n + 1, 1);
	uint64_t size = SLACK;
	int rc = seen != NULL ? 0 : err_nomem(e);

	for (; rc == 0 && i < end; i++)
		rc = measure_window(eng, &eng->plan.windows.v[i], seen, &size,
				    e);
	free(seen);
	return rc == 0 ? size : 0;
}

/* ---- handlers ------------------------------------------------------------ */

static int
region_full(const struct map_region *r, struct err *e)
{
	return r->buf.full ? err_set(e, &ERR_GENERIC, 0,
				     "generated code is larger than was "
				     "measured") :
			     0;
}

static void
region_pad(struct map_region *r, uint64_t to)
{
	while (r->buf.n < to && r->buf.n < r->buf.cap)
		r->buf.p[r->buf.n++] = 0xcc;
}

/* Go on at a place that earlier code has not reached. */
static int
region_at(struct map_region *r, uint64_t at, struct err *e)
{
	if (region_full(r, e) != 0)
		return -1;
	if (r->buf.n > at)
		return err_set(e, &ERR_GENERIC, 0,
			       "generated code differs from region to region");
	region_pad(r, at);
	return 0;
}

static int
region_handler(struct engine *eng, struct map_region *r,
	       const struct x86_target *t, uint32_t cls, struct err *e)
{
	if (r->made[cls])
		return 0;
	region_pad(r, code_align(r->buf.n));
	if (x86_lower(&r->buf, t, &eng->plan.classes.v[cls].in,
		      &r->handlers[cls], e) != 0)
		return -1;
	r->made[cls] = true;
	return region_full(r, e);
}

static int
region_thunks(struct engine *eng, struct map_region *r,
	      const struct x86_target *t, unsigned nr, struct err *e)
{
	struct plan *p = &eng->plan;
	struct rtn_sys *sys = &p->sys[nr];

	for (int ret = 0; ret < 2; ret++) {
		uint32_t first = p->sys_group[nr][ret];
		uint64_t at = r->buf.n, to = x86_here(&r->buf);
		const struct plan_group *g;

		if (first == PLAN_NONE)
			continue;
		for (uint32_t i = first; i != PLAN_NONE; i = g->next) {
			g = &p->groups.v[i];
			x86_sys_thunk(&r->buf, t, &r->handlers[g->cls],
				      g->sys_site, g->next == PLAN_NONE);
		}
		*(ret ? &sys->ret : &sys->entry) = to - t->blob;
		if (region_at(r, at + thunk_room(eng, first), e) != 0)
			return -1;
	}
	return 0;
}

static int
region_sys(struct engine *eng, struct map_region *r, struct x86_target *t,
	   struct err *e)
{
	uint64_t at = r->buf.n + X86_SYS_STUBS_SIZE;

	if (!uses_sys(eng))
		return 0;
	x86_sys_stubs(&r->buf, t);
	if (region_at(r, at, e) != 0)
		return -1;
	for (uint32_t c = 0; c < eng->plan.classes.n; c++) {
		if (!eng->plan.classes.v[c].sys)
			continue;
		at = r->buf.n + code_room(eng->class_size[c]);
		if (region_handler(eng, r, t, c, e) != 0 ||
		    region_at(r, at, e) != 0)
			return -1;
	}
	for (unsigned nr = 0; nr < RTN_NSYS; nr++)
		if (region_thunks(eng, r, t, nr, e) != 0)
			return -1;
	return 0;
}

/* The ERROR clauses are written once, but every region has their room. */
static int
region_error(struct engine *eng, struct map_region *r,
	     const struct x86_target *t, struct err *e)
{
	uint64_t at = r->buf.n + code_room(eng->error_size);

	if (r == &eng->map.region[0])
		eng->sh->error_fire = x86_lower_error(&r->buf, t, eng->en, e);
	return err_is_set(e) ? -1 : region_at(r, at, e);
}

static int
region_begin(struct engine *eng, struct map_region *r, struct err *e)
{
	struct x86_target *t = &r->target;

	r->buf = (struct x86_buf){ .p = r->mem,
				   .cap = r->size,
				   .base = r->addr };
	*t = code_target(eng, eng->sh, r->addr);
	memset(r->handlers, 0, (eng->plan.classes.n + 1) *
				       sizeof(*r->handlers));
	memset(r->made, 0, eng->plan.classes.n + 1);
	memcpy(r->buf.p, rtn_image.code, rtn_image.n);
	r->buf.n = rtn_image.n;
	if (region_at(r, code_align(rtn_image.n), e) != 0)
		return -1;
	x86_solo_stub(&r->buf, t);
	if (region_at(r, code_align(rtn_image.n) + X86_SOLO_STUB_SIZE, e) != 0)
		return -1;
	x86_maps_stub(&r->buf, t, &r->maps);
	if (region_at(r,
		      code_align(rtn_image.n) + X86_SOLO_STUB_SIZE +
			      X86_MAPS_STUB_SIZE,
		      e) != 0 ||
	    region_sys(eng, r, t, e) != 0)
		return -1;
	return region_error(eng, r, t, e);
}

static void
addr_moved(uint64_t *addr, uint64_t by)
{
	if (*addr != 0)
		*addr += by;
}

void
code_region_moved(struct engine *eng, struct map_region *r,
		  const struct map_region *from, uint64_t by)
{
	struct x86_target *t = &r->target;

	r->buf = (struct x86_buf){ .p = r->mem,
				   .n = from->buf.n,
				   .cap = r->size,
				   .base = r->addr };
	*t = code_target(eng, eng->sh, r->addr);
	t->sys_enter = from->target.sys_enter;
	t->sys_return = from->target.sys_return;
	t->solo_miss = from->target.solo_miss;
	addr_moved(&t->sys_enter, by);
	addr_moved(&t->sys_return, by);
	addr_moved(&t->solo_miss, by);
	r->maps = from->maps;
	addr_moved(&r->maps.code, by);
	for (size_t i = 0; i < eng->nclasses; i++)
		addr_moved(&r->handlers[i].code, by);
}

/* ---- windows ------------------------------------------------------------- */

static int
window_moves(struct engine *eng, const struct x86_moved *moved, size_t n,
	     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct patch_move m = { moved[i].from, moved[i].to };
		size_t last = eng->moves.n;

		/* Behind a syscall the window before has spoken already. */
		if (last != 0 && eng->moves.v[last - 1].from >= m.from)
			continue;
		if (!vec_push(&eng->moves, m))
			return err_nomem(e);
	}
	return 0;
}

void
code_front(struct x86_buf *b, const void *front, size_t n)
{
	b->full |= b->cap - b->n < n;
	if (b->full)
		return;
	memcpy(b->p + b->n, front, n);
	b->n += n;
}

/* In front of a trampoline: for other consumers, and for when we leave. */
static void
window_head(const struct engine *eng, const struct plan_window *pw,
	    struct x86_buf *b)
{
	const bool over = pw->over != 0;
	const bool copy = over ? pw->over_copy : pw->copy;
	const bool landed = over ? pw->over_land != 0
				 : pw->land != 0 || pw->w.kind == CODE_WIN_HOP;
	const struct patch_head h = patch_head_make(
		pw->w.start, eng->map.shared, code_fn_window_written(&pw->w),
		over ? pw->over_len : pw->w.len,
		(copy ? PATCH_HEAD_COPY : 0) | (landed ? PATCH_HEAD_LANDED : 0),
		pw->next);
	struct patch_rooms none = { .mark = 0 };

	/* Right in front of it. */
	while (pw->copy && !b->full &&
	       (x86_here(b) + sizeof(none) + sizeof(h)) % X86_COPY_ALIGN != 0)
		code_front(b, "\xcc", 1);
	patch_rooms_mark(&none, pw->w.start);
	code_front(b, &none, sizeof(none));
	code_front(b, &h, sizeof(h));
}

/* Say there where the rooms of the trampoline at `to` are. */
static void
window_rooms(struct map_region *r, const struct plan_window *pw, uint64_t to,
	     const struct x86_rooms *rooms)
{
	struct patch_rooms is = { .mark = 0 };
	uint64_t front = PATCH_HEAD_SIZE + sizeof(is);

	if (rooms->n == 0)
		return;
	patch_rooms_mark(&is, pw->w.start);
	for (size_t i = 0; i < rooms->n; i++) {
		const struct x86_room *x = &rooms->v[i];

		if (x->addr - to > UINT16_MAX)
			continue;
		is.v[i] = (struct patch_room){ (uint16_t)(x->addr - to),
					       (uint8_t)x->at, x->after };
	}
	memcpy(r->buf.p + (to - front - r->buf.base), &is, sizeof(is));
}

/*
 * The window's code; its address, 0 + *e.  Of a function that is copied all
 * must be what the file has: others may have put something there, which a copy
 * would not do.
 */
static uint64_t
window_write(struct engine *eng, const struct plan_window *pw,
	     const struct x86_target *t, struct x86_moved *moved,
	     size_t *nmoved, struct x86_rooms *rooms, struct err *e)
{
	struct map_region *r = &eng->map.region[pw->region];
	uint32_t len;
	const uint8_t *bytes = window_bytes(eng, pw, &len);
	struct x86_point *pts;
	uint64_t to = 0;
	size_t n;

	rooms->n = 0;
	if (bytes == NULL) {
		err_set(e, &ERR_GENERIC, 0, "its code is not in a file");
		return 0;
	}
	pts = code_points(eng, pw, r->handlers, &r->maps, &n);
	window_head(eng, pw, &r->buf);
	if (pw->over != 0)
		over_points(pts, &n, NULL);
	if (pts == NULL)
		err_nomem(e);
	else if (!pw->copy)
		to = x86_tramp_rooms(&r->buf, t, bytes, pw->w.start, len, pts,
				     n, moved, nmoved,
				     pw->over == 0 ? rooms : NULL, e);
	else if (text_check(eng, bytes, pw->w.start, len, e) == 0)
		to = x86_copy(&r->buf, t, bytes, pw->w.start, len, pw->w.len,
			      pts, n, moved, nmoved, e);
	free(pts);
	if (to != 0)
		window_rooms(r, pw, to, rooms);
	return to;
}

static int
window_make(struct engine *eng, struct plan_window *pw, struct err *e)
{
	struct map_region *r = &eng->map.region[pw->region];
	const struct x86_target *t = &r->target;
	struct plan *p = &eng->plan;
	struct x86_moved moved[X86_MOVED_MAX];
	struct x86_rooms rooms;
	size_t nmoved = 0, first;
	uint64_t to;

	for (uint32_t i = 0; i < pw->npoints; i++) {
		uint32_t g = p->points.v[pw->point0 + i].group;
		if (g != PLAN_NONE &&
		    region_handler(eng, r, t, p->groups.v[g].cls, e) != 0)
			return -1;
	}
	to = window_write(eng, pw, t, moved, &nmoved, &rooms, e);
	if (to == 0 || over_rooms(eng, pw, e) != 0 || region_full(r, e) != 0)
		return -1;
	first = eng->patches.n;
	if (text_patch(eng, pw, to, e) != 0)
		return -1;
	if (rooms.n != 0) {
		eng->patches.v[first].mine = to;
		eng->patches.v[first].roomy = true;
	}
	return window_moves(eng, moved, nmoved, e);
}

/* ---- semaphores ---------------------------------------------------------- */

/* The patch that begins at an address; NULL: there is none. */
static const struct patch *
patch_of(const struct engine *eng, uint64_t addr)
{
	for (size_t i = 0; i < eng->patches.n; i++)
		if (eng->patches.v[i].addr == addr && !eng->patches.v[i].sem)
			return &eng->patches.v[i];
	return NULL;
}

/* Those of the probes in a window, each once for the whole process. */
static int
window_sems(struct engine *eng, const struct plan_window *pw,
	    struct hash *seen, struct err *e)
{
	const struct plan *p = &eng->plan;

	for (uint32_t i = 0; i < pw->npoints; i++) {
		uint32_t g = p->points.v[pw->point0 + i].group;
		uint64_t sem = g != PLAN_NONE && p->groups.v[g].site != NULL
				       ? p->groups.v[g].site->sem_addr
				       : 0;
		const struct patch *by;
		struct patch x;

		if (sem == 0 || hash_find(seen, &sem, sizeof(sem)) != NULL)
			continue;
		by = patch_of(eng, pw->w.start);
		if (by == NULL)
			continue;
		patch_sem(&x, sem, by);
		if (!vec_push(&eng->patches, x) ||
		    hash_set(seen, &sem, sizeof(sem), eng) != 0)
			return err_nomem(e);
	}
	return 0;
}

/* When all windows are made: their semaphores, and the order of all. */
static int
patches_finish(struct engine *eng, struct err *e)
{
	struct hash *seen = hash_new();
	int rc = seen == NULL ? err_nomem(e) : 0;

	for (size_t i = 0; i < eng->plan.windows.n && rc == 0; i++)
		if (!eng->plan.windows.v[i].dead)
			rc = window_sems(eng, &eng->plan.windows.v[i], seen,
					 e);
	hash_free(seen);
	patch_sort(eng->patches.v, eng->patches.n);
	return rc;
}

/* ---- all ----------------------------------------------------------------- */

/* A window that cannot be made refuses all that has a point in it. */
static int
window_refuse(struct engine *eng, struct plan_window *pw,
	      const struct err *why, struct err *e)
{
	const char *text = arena_strdup(eng->arena, why->msg);

	if (text == NULL)
		return err_nomem(e);
	if (world_refresh(&eng->world, e) != 0)
		return -1;
	/* It was there when we looked, and is no more; or is again. */
	if (strcmp(text, text_unreadable) == 0 ||
	    !world_obj_mapped(eng->plan.fns.v[pw->fn].obj))
		text = plan_gone;
	pw->why = text;
	for (uint32_t i = 0; i < pw->npoints; i++) {
		const struct plan_point *pt =
			&eng->plan.points.v[pw->point0 + i];
		if (pt->group != PLAN_NONE)
			plan_refuse(&eng->plan, pt->group, text);
	}
	return 0;
}

/* Of a member: what it stands for, for those that are like it. */
static int
window_note(struct engine *eng, const struct plan_window *pw)
{
	uint64_t len = pw->copy ? eng->plan.fns.v[pw->fn].fn.part[0].size
				: pw->w.len;
	const struct inject_span s = { pw->w.start, pw->w.start + len };

	return eng->root == NULL || vec_push(&eng->texts, s) ? 0 : -1;
}

static int
windows_make(struct engine *eng, bool *refused, struct err *e)
{
	eng->patches.n = 0;
	eng->moves.n = 0;
	eng->texts.n = 0;
	*refused = false;
	for (size_t i = 0; i < eng->plan.windows.n; i++) {
		struct plan_window *pw = &eng->plan.windows.v[i];
		struct err why = { 0 };

		if (window_make(eng, pw, &why) == 0) {
			if (window_note(eng, pw) != 0)
				return err_nomem(e);
			continue;
		}
		eng->odd = true;
		if (why.tag == &ERR_NOMEM ||
		    eng->map.region[pw->region].buf.full) {
			*e = why;
			return -1;
		}
		*refused = true;
		pw->dead = true;
		if (window_refuse(eng, pw, &why, e) != 0)
			return -1;
	}
	return 0;
}

/* *refused: some window could not be made, and the plan is another now. */
static int
code_windows(struct engine *eng, bool *refused, struct err *e)
{
	struct text_seen seen;
	int rc;

	text_begin(eng, &seen);
	rc = windows_make(eng, refused, e);
	text_end(eng);
	return rc;
}

static int
code_pass(struct engine *eng, bool *refused, struct err *e)
{
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		if (region_begin(eng, &eng->map.region[i], e) != 0)
			return -1;
	return code_windows(eng, refused, e);
}

int
code_make(struct engine *eng, struct err *e)
{
	bool refused;

	do {
		if (code_pass(eng, &refused, e) != 0)
			return -1;
		if (refused) {
			plan_again(&eng->plan);
			if (plan_check(eng, e) != 0)
				return -1;
		}
	} while (refused);
	return patches_finish(eng, e);
}

/* ---- code that is mapped later ------------------------------------------- */

int
code_region(struct engine *eng, struct map_region *r, struct err *e)
{
	return region_begin(eng, r, e);
}

/* The handlers of all windows, where there are none yet: they stay, also if a
   window cannot be made. */
static int
more_handlers(struct engine *eng, struct err *e)
{
	const struct plan *p = &eng->plan;

	for (size_t i = 0; i < p->windows.n; i++) {
		const struct plan_window *pw = &p->windows.v[i];
		struct map_region *r = &eng->map.region[pw->region];

		r->target.sites = p->sites.v;
		for (uint32_t k = 0; k < pw->npoints; k++) {
			uint32_t g = p->points.v[pw->point0 + k].group;

			if (g != PLAN_NONE &&
			    region_handler(eng, r, &r->target,
					   p->groups.v[g].cls, e) != 0)
				return -1;
		}
	}
	return 0;
}

/*
 * A page that another consumer has written into, in a room, is the target's
 * own, and what comes into the file does not come into it.
 */
static int
region_show(struct engine *eng, struct map_region *r, struct err *e)
{
	uint8_t is[SHOW], want[SHOW];

	for (size_t n; r->shown < r->buf.n; r->shown += n) {
		uint64_t at = r->addr + r->shown;

		n = r->buf.n - r->shown < SHOW ? r->buf.n - r->shown : SHOW;
		if (pread(eng->map.fd, want, n, (off_t)(r->off + r->shown)) !=
		    (ssize_t)n)
			return err_set(e, &ERR_GENERIC, errno,
				       "shared memory cannot be read");
		if ((inject_read(&eng->in, at, is, n) != 0 ||
		     memcmp(is, want, n) != 0) &&
		    inject_write(&eng->in, at, want, n) != 0)
			return err_set(e, &ERR_GENERIC, errno,
				       "process %d: cannot write its memory",
				       (int)eng->pid);
	}
	return 0;
}

int
code_show(struct engine *eng, struct err *e)
{
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		if (region_show(eng, &eng->map.region[i], e) != 0)
			return -1;
	return 0;
}

void
code_shown(struct engine *eng)
{
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		eng->map.region[i].shown = eng->map.region[i].buf.n;
}

int
code_more(struct engine *eng, struct err *e)
{
	uint64_t at[RTN_NREGIONS];
	bool refused;

	if (more_handlers(eng, e) != 0)
		return -1;
	for (uint32_t i = 0; i < eng->map.nregions; i++)
		at[i] = eng->map.region[i].buf.n;
	do {
		for (uint32_t i = 0; i < eng->map.nregions; i++)
			eng->map.region[i].buf.n = at[i];
		if (code_windows(eng, &refused, e) != 0)
			return -1;
		if (refused)
			plan_again(&eng->plan);
	} while (refused);
	return patches_finish(eng, e);
}
