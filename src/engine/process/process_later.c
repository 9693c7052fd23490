/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_later.c - objects that come and go while a process is traced.
 *
 *	the dynamic linker ──rtn_maps()──▶ it waits ─────────────┐
 *	                                     │                   │
 *	    engine_mapped(): what is new ◀───┘ (or a look         │
 *	           │                            now and then)     │
 *	    providers are asked                                  │
 *	           │                                             │
 *	    engine_extend(): code, patches, "it may go on" ──────┘
 *
 * HOW IT IS NOTICED.  Dynamic linkers call an empty function, for debuggers,
 * when the list of objects is whole again: new ones are mapped, and nothing of
 * them has run.  A point of ours there lets the thread wait until the consumer
 * has put its probes in, so that constructors and first calls are seen
 * (plan_maps(), rtn_maps()).  What is mapped by other means, in a program
 * without such a linker or under a seccomp filter is noticed by looking at the
 * mappings now and then.
 *
 * WHAT IS KEPT.  An object has its patches for good: one that has gone and
 * comes back to where it was gets them again, and the code that they lead to is
 * there still.  Of one that comes elsewhere, or has been written anew, all is
 * made anew; libraries that are opened again and again have few places.
 *
 * Code of objects that have gone is not reused: nobody can know that no thread
 * will come back to it.  When regions or tables are full, what comes later is
 * left out, and the report says so.
 */
#include "engine/process/process_impl.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BESIDE_MS      500u /* a thread waits for us */
#define LOOK_NS	       100000000ull /* where nobody says so */
#define LOOK_MEMBER_NS 1000000000ull /* there may be many */

bool
later_wanted(const struct engine *eng)
{
	return eng->opts.spare_probes != 0 || eng->plan.sys_entry ||
	       eng->plan.sys_return || eng->root != NULL;
}

/* ---- patches of an object ------------------------------------------------ */

/* The first of n patches or moves, which begin with their address and rise,
   that is not below an address. */
static size_t
first_from(const void *v, size_t size, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	static_assert(offsetof(struct patch, addr) == 0 &&
			      offsetof(struct patch_move, from) == 0,
		      "their first word");
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const uint64_t *at =
			(const void *)((const char *)v + mid * size);

		if (*at < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t
patch_from(const struct patch *p, size_t n, uint64_t addr)
{
	return first_from(p, sizeof(*p), n, addr);
}

static size_t
move_from(const struct patch_move *m, size_t n, uint64_t addr)
{
	return first_from(m, sizeof(*m), n, addr);
}

/* The same for what goes with its text and lies elsewhere. */
static int
obj_take_rooms(struct engine *eng, const struct inject_span *s,
	       struct later_note *note, struct err *e)
{
	const struct patch *p = eng->patches.v;
	size_t n = 0;

	for (size_t i = 0; i < eng->patches.n; i++)
		n += p[i].of >= s->lo && p[i].of < s->hi;
	note->nrooms = 0;
	note->rooms = n != 0 ? arena_calloc(eng->arena, n, sizeof(*p)) : NULL;
	if (n != 0 && note->rooms == NULL)
		return err_nomem(e);
	for (size_t i = 0; n != 0 && i < eng->patches.n; i++)
		if (p[i].of >= s->lo && p[i].of < s->hi)
			note->rooms[note->nrooms++] = p[i];
	return 0;
}

/* Give an object its own of what has been made. */
static int
obj_take(struct engine *eng, struct world_obj *o, struct err *e)
{
	struct inject_span s = world_obj_span(o);
	struct later_note *note = world_obj_note(o);
	const struct patch *p = eng->patches.v;
	const struct patch_move *m = eng->moves.v;
	size_t p0 = patch_from(p, eng->patches.n, s.lo);
	size_t m0 = move_from(m, eng->moves.n, s.lo);

	note->np = patch_from(p, eng->patches.n, s.hi) - p0;
	note->nm = move_from(m, eng->moves.n, s.hi) - m0;
	note->p = arena_calloc(eng->arena, note->np + 1, sizeof(*p));
	note->m = arena_calloc(eng->arena, note->nm + 1, sizeof(*m));
	if (note->p == NULL || note->m == NULL) {
		note->np = note->nm = 0;
		return err_nomem(e);
	}
	if (note->np != 0)
		memcpy(note->p, p + p0, note->np * sizeof(*p));
	if (note->nm != 0)
		memcpy(note->m, m + m0, note->nm * sizeof(*m));
	return beside_any(eng) ? obj_take_rooms(eng, &s, note, e) : 0;
}

/* What has been made for the objects that the world knows at first. */
static int
objs_take(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];
		struct later_note *note = world_obj_note(o);
		bool planned = note->planned;

		*note = (struct later_note){ .scanned = note->scanned };
		if (planned && obj_take(eng, o, e) != 0)
			return -1;
		note->served = note->due = note->np != 0;
	}
	return 0;
}

/* True if the object's text has lost our patches: it was unmapped and mapped
   again before we looked. */
static bool
text_lost(struct engine *eng, struct world_obj *o)
{
	const struct later_note *note = world_obj_note(o);
	const struct patch *p = note->p;
	uint8_t is[PATCH_MAX];
	size_t i = 0;

	while (i < note->np && (p[i].state != PATCH_SET || p[i].sem))
		i++;
	return i < note->np &&
	       inject_read(&eng->in, p[i].addr, is, p[i].len) == 0 &&
	       memcmp(is, p[i].over ? p[i].back : p[i].was, p[i].len) == 0;
}

/* ---- what has changed ---------------------------------------------------- */

static void
obj_gone(struct engine *eng, struct world_obj *o)
{
	struct inject_span s = world_obj_span(o);
	struct later_note *note = world_obj_note(o);

	patch_forget(eng->journal, s.lo, s.hi);
	note->there = note->due = false;
}

/* False: no memory. */
static bool
obj_came(struct engine *eng, struct world_obj *o)
{
	struct later_note *note = world_obj_note(o);

	note->there = note->due = true;
	return note->served || vec_push(&eng->fresh, world_obj_fresh(o));
}

/* True if there is anything to be done.  told: a thread has said so. */
static bool
objs_look(struct engine *eng, bool told)
{
	struct err why = { 0 };
	bool any = false;

	if (world_refresh(&eng->world, &why) != 0)
		return false;
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];

		if (world_obj_note(o)->there &&
		    (!world_obj_mapped(o) || (told && text_lost(eng, o))))
			obj_gone(eng, o);
	}
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];

		if (world_obj_mapped(o) && !world_obj_note(o)->there &&
		    !obj_came(eng, o))
			return false;
		any |= world_obj_note(o)->due;
	}
	return any;
}

/* Threads that wait may go on. */
static void
answer(struct engine *eng)
{
	__atomic_store_n(&eng->sh->maps_answered, eng->maps_asked,
			 __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &eng->sh->maps_answered, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

bool
engine_mapped(struct engine *eng, struct engine_fresh **fresh, size_t *n)
{
	uint64_t now = clock_mono_ns();
	uint32_t asked;
	bool told, any;

	if (eng->sh == NULL || eng->gone || eng->journal == NULL ||
	    !later_wanted(eng) || engine_target_held(eng))
		return false;
	asked = __atomic_load_n(&eng->sh->maps_asked, __ATOMIC_SEQ_CST);
	told = asked != eng->maps_asked;
	if ((!told && now < eng->next_maps_ns) ||
	    follow_look(eng->pid, eng->in.mem) != FOLLOW_SAME)
		return false;
	eng->next_maps_ns =
		now + (eng->root != NULL ? LOOK_MEMBER_NS : LOOK_NS);
	eng->maps_asked = asked;
	__atomic_store_n(&eng->sh->maps_taken, asked, __ATOMIC_SEQ_CST);
	eng->fresh.n = 0;
	any = objs_look(eng, told);
	if (told)
		process_unwind_look(eng, true);
	if (!any && told)
		answer(eng);
	*fresh = eng->fresh.v;
	/* Probes of functions are the first program's. */
	*n = eng->nfollowed == 0 ? eng->fresh.n : 0;
	return any;
}

/* ---- probes in what is new ----------------------------------------------- */

static int
cmp_move(const void *va, const void *vb)
{
	const struct patch_move *a = va, *b = vb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* What has been made now is shared out. */
static int
later_take(struct engine *eng, size_t nsites, struct err *e)
{
	int rc = code_show(eng, e);

	for (size_t i = 0; rc == 0 && i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];
		const struct later_note *note = world_obj_note(o);

		if (note->planned && note->there && !note->served)
			rc = obj_take(eng, o, e);
	}
	if (rc == 0)
		shared_more(eng, nsites);
	return rc;
}

/* The code of plan_more()'s windows. */
static int
later_windows(struct engine *eng, size_t nsites, struct err *e)
{
	if (map_more(eng, e) != 0 || code_more(eng, e) != 0)
		return -1;
	return later_take(eng, nsites, e);
}

/* All of it is as in another program. */
static int
make_alike(struct engine *eng, struct err *e)
{
	size_t nsites = eng->plan.sites.n;

	eng->world.fresh = false;
	if (image_plan(eng, e) != 0 || image_code(eng, e) != 0 ||
	    later_take(eng, nsites, e) != 0)
		return -1;
	image_adopted(eng);
	return 0;
}

static int
make(struct engine *eng, const struct engine_site *v, size_t n, struct err *e)
{
	size_t nsites = eng->plan.sites.n;
	uint32_t first = (uint32_t)eng->plan.groups.n;
	int rc;

	image_look(eng);
	if (eng->adopts != NULL)
		return make_alike(eng, e);
	rc = plan_more(eng, v, n, &first, e);
	if (rc == 0 && eng->plan.windows.n != 0)
		rc = later_windows(eng, nsites, e);
	if (rc != 0) {
		/* Nothing is left out of a process that has ended. */
		const char *why = e->sys == ESRCH
					  ? plan_gone
					  : arena_strdup(eng->arena, e->msg);

		eng->plan.sites.n = nsites;
		for (uint32_t i = first; i < eng->plan.groups.n; i++)
			plan_refuse(&eng->plan, i, why);
	} else if (eng->opts.follow == RTN_FOLLOW_ALL && eng->root == NULL) {
		rc = again_note(eng, first, e);
	}
	if (rc == 0 && eng->plan.windows.n == 0)
		eng->patches.n = eng->moves.n = eng->texts.n = 0;
	plan_more_done(eng, first);
	if (rc == 0)
		image_learn(eng);
	else
		eng->off_images = true;
	return rc;
}

/* The patches and moves of all objects that are due, as one. */
struct due {
	VEC(struct patch) p;
	VEC(struct patch_move) m;
};

static bool
due_add(struct due *d, const struct later_note *note)
{
	for (size_t i = 0; i < note->np; i++)
		if (!vec_push(&d->p, note->p[i]))
			return false;
	for (size_t i = 0; i < note->nrooms; i++)
		if (!vec_push(&d->p, note->rooms[i]))
			return false;
	for (size_t i = 0; i < note->nm; i++)
		if (!vec_push(&d->m, note->m[i]))
			return false;
	return true;
}

static int
due_find(struct engine *eng, struct due *d, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		const struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);

		if (note->due && world_obj_mapped(eng->world.objs.v[i]) &&
		    !due_add(d, note))
			return err_nomem(e);
	}
	patch_sort(d->p.v, d->p.n);
	if (d->m.n > 1)
		qsort(d->m.v, d->m.n, sizeof(*d->m.v), cmp_move);
	return 0;
}

/* What became of them. */
static void
due_note(struct engine *eng, const struct due *d)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);
		bool was = note->due &&
			   world_obj_mapped(eng->world.objs.v[i]);
		size_t k = !was || note->np == 0 ? 0 :
			   patch_from(d->p.v, d->p.n, note->p[0].addr);

		for (size_t j = 0; was && j < note->np; j++)
			note->p[j].state = d->p.v[k + j].state;
	}
	for (size_t i = 0; i < d->p.n; i++)
		eng->nlost += d->p.v[i].state == PATCH_NONE;
}

static bool
any_due(struct engine *eng)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		const struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);

		if (note->due && note->np != 0)
			return true;
	}
	return false;
}

/* Once all stand still the mappings are what they are: an object that was there
   when we looked may have left its place to one with the same code. */
static int
look_stopped(struct engine *eng, struct err *e)
{
	return map_filters_came(eng, e) == 0 ? world_refresh(&eng->world, e)
					     : -1;
}

static int
apply_in_turn(struct engine *eng, bool still, struct err *e)
{
	struct due d = { 0 };
	int rc;

	if (engine_target_stop(eng, true, e) != 0)
		return -1;
	rc = still ? 0 : look_stopped(eng, e);
	if (rc == 0)
		rc = due_find(eng, &d, e);
	if (rc == 0 && d.p.n != 0) {
		eng->patched = eng->in.lets_go = true;
		rc = patch_apply(eng->journal, &eng->in, d.p.v, d.p.n, d.m.v,
				 d.m.n, e);
		eng->in.lets_go = false;
	}
	inject_resume(&eng->in);
	if (rc == 0)
		due_note(eng, &d);
	vec_fini(&d.p);
	vec_fini(&d.m);
	return rc;
}

/* still: it has stood still since it was looked at. */
static int
apply(struct engine *eng, bool still, struct err *e)
{
	struct proc_turn turn;
	int rc;

	if (!any_due(eng))
		return 0;
	if (!proc_turn_take(&turn, false))
		(eng->root != NULL ? eng->root : eng)->turn_missed = true;
	rc = apply_in_turn(eng, still, e);
	proc_turn_give(&turn);
	return rc;
}

static int
window_cmp(const void *addr, const void *window)
{
	const uint64_t a = *(const uint64_t *)addr;
	const struct plan_window *pw = window;

	return a < pw->w.start ? -1 : a > pw->w.start;
}

/* The points of a window whose jump was not written.  True: a probe had one. */
static bool
lost_refuse(struct plan *p, uint64_t addr)
{
	static const char why[] =
		"its code has changed while it was looked at (another "
		"consumer has come, or has left)";
	struct plan_window *pw = bsearch(&addr, p->windows.v, p->windows.n,
					 sizeof(*pw), window_cmp);
	bool any = false;

	for (uint32_t i = 0; pw != NULL && i < pw->npoints; i++) {
		const uint32_t g = p->points.v[pw->point0 + i].group;

		if (g != PLAN_NONE)
			plan_refuse(p, g, why);
		any |= g != PLAN_NONE;
	}
	if (pw != NULL)
		pw->dead = true;
	return any;
}

/* What another tracer was quicker at, between our look and our write, has no
   place: an error where that leaves a clause without any. */
int
later_lost(struct engine *eng, struct err *e)
{
	if (eng->nlost == 0)
		return 0; /* then the plan is as it was checked */
	for (size_t i = 0; i < eng->world.objs.n && eng->nlost != 0; i++) {
		const struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);

		for (size_t k = 0; k < note->np; k++)
			eng->nlost -= note->p[k].state == PATCH_NONE &&
				      lost_refuse(&eng->plan, note->p[k].addr);
	}
	return plan_check(eng, e);
}

/*
 * Those without patches may be some that the providers had not seen yet: they
 * are asked about.  Of a program that has only begun all has been looked at,
 * and no provider is asked.
 */
int
later_attach(struct engine *eng, struct err *e)
{
	const bool begun = eng->root != NULL && !eng->joined;

	if (objs_take(eng, e) != 0 || apply(eng, engine_begun(eng), e) != 0)
		return -1;
	if (begun)
		eng->next_maps_ns = clock_mono_ns() + LOOK_MEMBER_NS;
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];
		struct later_note *note = world_obj_note(o);

		note->served |= begun;
		note->there = note->served && world_obj_mapped(o);
		note->due = false;
	}
	return 0;
}

/* Those that are new have got what they can; those that are due, if written,
   their patches. */
static void
objs_done(struct engine *eng, bool written)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);

		if (!note->there)
			continue;
		eng->nlater += note->due && !note->served && note->np != 0;
		note->served = true;
		note->due &= !written;
	}
}

/* An object that others did not find is none: the next look will see. */
static void
objs_agree(struct engine *eng)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];
		struct later_note *note = world_obj_note(o);
		uint64_t lo = world_obj_span(o).lo;

		for (size_t k = 0; k < eng->fresh.n; k++)
			if (note->there && !note->served &&
			    eng->fresh.v[k].lo == lo &&
			    !eng->fresh.v[k].agreed)
				note->there = note->due = false;
	}
}

int
engine_extend(struct engine *eng, const struct engine_site *v, size_t n,
	      struct err *e)
{
	struct err why = { 0 };
	bool written = false;

	if (eng->opts.spare_probes != 0 && eng->nfollowed == 0)
		objs_agree(eng);
	(void)beside_begin(eng, BESIDE_MS, &why);
	if (make(eng, v, n, &why) == 0 || why.tag != &ERR_NOMEM)
		written = apply(eng, false, err_is_set(&why) ?
							  &(struct err){ 0 } :
							  &why) == 0;
	beside_end(eng);
	if (err_is_set(&why) && !engine_target_ended(eng))
		eng->later_why = arena_strdup(eng->arena, why.msg);
	objs_done(eng, written);
	answer(eng);
	return 0;
}

/* ---- leaving ------------------------------------------------------------- */

void
later_back(struct engine *eng)
{
	VEC(struct patch_move) m = { 0 };
	bool all = eng->journal != NULL;

	for (size_t i = 0; all && i < eng->world.objs.n; i++) {
		const struct later_note *note =
			world_obj_note(eng->world.objs.v[i]);

		for (size_t k = 0; all && k < note->nm; k++)
			all = vec_push(&m, note->m[k]);
	}
	if (all && m.n != 0)
		patch_back(eng->journal, &eng->in, m.v, m.n);
	vec_fini(&m);
}
