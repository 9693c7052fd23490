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
 * there still.  Of one that comes back elsewhere, or has been written anew, all
 * is made anew.  When another object takes the place of one that has gone, the
 * patches of that are forgotten.
 *
 * Code of objects that have gone is not reused: nobody can tell that no thread
 * will come back to it.  When regions or tables are full, what comes later is
 * left out, and the report says so.
 */
#include "engine/process/process_impl.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000ull /* where nobody tells */

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool
later_wanted(const struct engine *eng)
{
	return eng->opts.spare_probes != 0 || eng->plan.sys_entry ||
	       eng->plan.sys_return;
}

void
later_start(struct engine *eng)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];

		*world_obj_note(o) = (struct later_note){
			.there = world_obj_mapped(o), .served = true
		};
	}
}

/* ---- patches of an object ------------------------------------------------ */

/* The first patch that is not below an address. */
static size_t
patch_from(const struct engine *eng, uint64_t addr)
{
	size_t lo = 0, hi = eng->patches.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (eng->patches.v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Has its text lost our patches: was it unmapped and mapped again before we
   looked? */
static bool
text_lost(struct engine *eng, const struct world_obj *o)
{
	struct inject_span s = world_obj_span(o);
	size_t i = patch_from(eng, s.lo);
	const struct patch *p = &eng->patches.v[i];
	uint8_t is[PATCH_MAX];

	while (i < eng->patches.n && p->addr < s.hi && p->state != PATCH_SET) {
		i++;
		p++;
	}
	return i < eng->patches.n && p->addr < s.hi &&
	       inject_read(&eng->in, p->addr, is, p->len) == 0 &&
	       memcmp(is, p->was, p->len) == 0;
}

/* Another object lies there: forget what was in [lo, hi). */
static void
patches_drop(struct engine *eng, struct inject_span s)
{
	size_t n = 0;

	for (size_t i = 0; i < eng->patches.n; i++)
		if (eng->patches.v[i].addr < s.lo ||
		    eng->patches.v[i].addr >= s.hi)
			eng->patches.v[n++] = eng->patches.v[i];
	eng->patches.n = n;
	n = 0;
	for (size_t i = 0; i < eng->moves.n; i++)
		if (eng->moves.v[i].from < s.lo || eng->moves.v[i].from >= s.hi)
			eng->moves.v[n++] = eng->moves.v[i];
	eng->moves.n = n;
}

/* ---- what has changed ------------------------------------------------------ */

static void
obj_gone(struct engine *eng, struct world_obj *o)
{
	struct inject_span s = world_obj_span(o);
	struct later_note *note = world_obj_note(o);

	patch_forget(eng->journal, s.lo, s.hi);
	note->there = note->due = false;
}

/* It lies where others lay: theirs is forgotten. */
static void
obj_displaces(struct engine *eng, struct world_obj *o)
{
	struct inject_span s = world_obj_span(o);

	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *x = eng->world.objs.v[i];
		struct inject_span xs = world_obj_span(x);
		struct later_note *note = world_obj_note(x);

		if (x == o || note->there || !note->served || xs.hi <= s.lo ||
		    xs.lo >= s.hi)
			continue;
		patches_drop(eng, xs);
		note->served = false;
	}
}

/* False: no memory. */
static bool
obj_came(struct engine *eng, struct world_obj *o)
{
	struct inject_span s = world_obj_span(o);
	struct later_note *note = world_obj_note(o);

	obj_displaces(eng, o);
	note->there = note->due = true;
	return note->served ||
	       vec_push(&eng->fresh, ((struct engine_span){ s.lo, s.hi }));
}

/* Is there anything to be done?  told: a thread says so. */
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
engine_mapped(struct engine *eng, const struct engine_span **fresh, size_t *n)
{
	uint64_t now = now_ns();
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
	eng->next_maps_ns = now + LOOK_NS;
	eng->maps_asked = asked;
	eng->fresh.n = 0;
	any = objs_look(eng, told);
	if (!any && told)
		answer(eng);
	*fresh = eng->fresh.v;
	/* Probes of functions are the first program's. */
	*n = eng->nfollowed == 0 ? eng->fresh.n : 0;
	return any;
}

/* ---- probes in what is new ------------------------------------------------- */

static int
cmp_patch(const void *va, const void *vb)
{
	const struct patch *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int
cmp_move(const void *va, const void *vb)
{
	const struct patch_move *a = va, *b = vb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* What was made for the new windows, and what was there before, as one. */
static int
patches_join(struct engine *eng, const struct patch *p, size_t np,
	     const struct patch_move *m, size_t nm, struct err *e)
{
	for (size_t i = 0; i < np; i++)
		if (!vec_push(&eng->patches, p[i]))
			return err_nomem(e);
	for (size_t i = 0; i < nm; i++)
		if (!vec_push(&eng->moves, m[i]))
			return err_nomem(e);
	if (eng->patches.n > 1)
		qsort(eng->patches.v, eng->patches.n, sizeof(*eng->patches.v),
		      cmp_patch);
	if (eng->moves.n > 1)
		qsort(eng->moves.v, eng->moves.n, sizeof(*eng->moves.v),
		      cmp_move);
	return 0;
}

/* The code of plan_more()'s windows; *fresh has their patches and moves. */
static int
windows_make(struct engine *eng, size_t nsites, struct err *e)
{
	struct patch *p = eng->patches.v;
	struct patch_move *m = eng->moves.v;
	size_t np = eng->patches.n, nm = eng->moves.n;
	int rc;

	/* The generator's lists are for the new ones alone. */
	memset(&eng->patches, 0, sizeof(eng->patches));
	memset(&eng->moves, 0, sizeof(eng->moves));
	rc = map_more(eng, e);
	if (rc == 0)
		rc = code_more(eng, e);
	if (rc == 0)
		shared_more(eng, nsites);
	else
		eng->patches.n = eng->moves.n = 0;
	if (patches_join(eng, p, np, m, nm, e) != 0)
		rc = -1;
	free(p);
	free(m);
	return rc;
}

static int
make(struct engine *eng, const struct engine_site *v, size_t n, struct err *e)
{
	size_t nsites = eng->plan.sites.n;
	uint32_t first = (uint32_t)eng->plan.groups.n;
	int rc = plan_more(eng, v, n, &first, e);

	if (rc == 0 && eng->plan.windows.n != 0)
		rc = windows_make(eng, nsites, e);
	if (rc != 0)
		eng->plan.sites.n = nsites;
	plan_more_done(eng, first);
	return rc;
}

/* The patches of all objects that are due. */
static struct patch *
patches_due(struct engine *eng, size_t *n)
{
	struct patch *p = calloc(eng->patches.n + 1, sizeof(*p));

	*n = 0;
	for (size_t i = 0; p != NULL && i < eng->world.objs.n; i++) {
		const struct world_obj *o = eng->world.objs.v[i];
		struct inject_span s = world_obj_span(o);

		if (!world_obj_note(eng->world.objs.v[i])->due)
			continue;
		for (size_t k = patch_from(eng, s.lo);
		     k < eng->patches.n && eng->patches.v[k].addr < s.hi; k++)
			p[(*n)++] = eng->patches.v[k];
	}
	if (*n > 1)
		qsort(p, *n, sizeof(*p), cmp_patch);
	return p;
}

/* What became of them. */
static void
patches_note(struct engine *eng, const struct patch *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = patch_from(eng, p[i].addr);

		if (k < eng->patches.n && eng->patches.v[k].addr == p[i].addr)
			eng->patches.v[k].state = p[i].state;
		eng->nlost += p[i].state == PATCH_NONE;
	}
}

static int
apply(struct engine *eng, struct err *e)
{
	size_t n;
	struct patch *p = patches_due(eng, &n);
	int rc = p != NULL ? 0 : err_nomem(e);

	if (rc == 0 && n != 0) {
		rc = engine_target_stop(eng, true, e);
		if (rc == 0) {
			eng->patched = true;
			rc = patch_apply(eng->journal, &eng->in, p, n,
					 eng->moves.v, eng->moves.n, e);
			inject_resume(&eng->in);
		}
	}
	if (rc == 0 && p != NULL)
		patches_note(eng, p, n);
	free(p);
	return rc;
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
		eng->nlater += note->due && !note->served;
		note->served = true;
		note->due &= !written;
	}
}

int
engine_extend(struct engine *eng, const struct engine_site *v, size_t n,
	      struct err *e)
{
	struct err why = { 0 };
	bool written = false;

	if (make(eng, v, n, &why) == 0 || why.tag != &ERR_NOMEM)
		written = apply(eng, err_is_set(&why) ? &(struct err){ 0 } :
							&why) == 0;
	if (err_is_set(&why) && !engine_target_ended(eng))
		eng->later_why = arena_strdup(eng->arena, why.msg);
	objs_done(eng, written);
	answer(eng);
	return 0;
}
