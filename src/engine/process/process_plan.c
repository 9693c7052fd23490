/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_plan.c - from points to windows: which bytes are overwritten.
 *
 * Points are taken in order of their addresses.  One that lies in the window
 * of the point before shares it; a window that overlaps the one before is
 * joined with it, so that in the end no two windows have a byte in common.
 * What has no window may have a punned jump (process_pun.c).  What cannot be
 * placed refuses its whole group (process_site.c), and windows that then serve
 * nobody are dropped.
 *
 * A way out that no window fits over may be had by copying its function
 * (x86_copy.c).  Then one window, over the entry, serves all points of the
 * function, in place of those that it has so far.
 *
 * int3 is not used: it needs a handler of SIGTRAP in the program.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#define JMP32_LEN 5u

static uint64_t
win_end(const struct code_window *w)
{
	return w->start + w->len;
}

/* ---- instructions of a window -------------------------------------------- */

static int
plan_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool
plan_fn_insn(const struct plan_fn *f, uint64_t addr)
{
	return bsearch(&addr, f->fn.insns.v, f->fn.insns.n, sizeof(addr),
		       plan_cmp) != NULL;
}

/* ---- one window after the other ------------------------------------------ */

static int
cmp_point(const void *va, const void *vb)
{
	const struct plan_point *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void
point_refuse(struct plan *p, const struct plan_point *pt, const char *why)
{
	if (pt->group != PLAN_NONE)
		plan_refuse(p, pt->group, why);
	else if (pt->at == X86_AT_ENTRY)
		p->maps_brk = 0;
	else if (!pt->after)
		plan_left(p, why);
}

/* The question of struct world: windows so far are in order of address. */
static bool
plan_taken(void *arg, uint64_t addr, uint64_t n)
{
	const struct plan *p = arg;
	size_t lo = 0, hi = p->windows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (win_end(&p->windows.v[mid].w) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < p->windows.n && p->windows.v[lo].w.start < addr + n)
		return true;
	for (size_t i = 0; i < p->hops.n; i++)
		if (p->hops.v[i] < addr + n && p->hops.v[i] + JMP32_LEN > addr)
			return true;
	return false;
}

/*
 * Join w with the last windows as far as they overlap.  false: it cannot be;
 * nothing has changed.
 */
static bool
win_join(struct plan *p, uint32_t fn, struct code_window *w)
{
	struct code_window u = *w;
	size_t n = p->windows.n;

	for (; n > 0 && win_end(&p->windows.v[n - 1].w) > u.start; n--) {
		const struct plan_window *last = &p->windows.v[n - 1];

		if (last->fn != fn || last->over != 0 ||
		    !code_fn_window_union(&p->fns.v[fn].fn, &last->w, &u, &u))
			return false;
	}
	p->windows.n = n;
	*w = u;
	return true;
}

static int
window_push(struct plan *p, const struct plan_window *pw)
{
	if (!vec_push(&p->windows, *pw))
		return -1;
	return pw->w.kind != CODE_WIN_HOP || vec_push(&p->hops, pw->w.hop) ? 0
									   : -1;
}

static bool
can_be(const struct code_window *w)
{
	return w->kind == CODE_WIN_JMP || w->kind == CODE_WIN_HOP;
}

/* True if all points around points[i] that are before `end` are of its
   function.  Hand- made code has functions that lie in others. */
static bool
fn_alone(const struct plan *p, size_t i, uint64_t end)
{
	const struct plan_point *pt = p->points.v;
	const uint32_t fn = pt[i].fn;

	for (size_t k = i; k-- > 0 && pt[k].addr >= p->fns.v[fn].addr;)
		if (pt[k].fn != fn)
			return false;
	for (size_t k = i; k < p->points.n && pt[k].addr < end; k++)
		if (pt[k].fn != fn)
			return false;
	return true;
}

/*
 * Copy the function of points[i] as a whole; its windows so far are the last
 * ones.  false: it cannot be; nothing has changed.
 */
static bool
fn_copy(struct plan *p, size_t i, struct plan_window *pw)
{
	const uint32_t fn = p->points.v[i].fn;
	const struct plan_fn *f = &p->fns.v[fn];
	size_t nw = p->windows.n, nh = p->hops.n;
	uint64_t end = f->addr + f->fn.part[0].size;

	if (!fn_alone(p, i, end) || !world_obj_copies(f->obj) ||
	    x86_copy_refused(world_x86(f->obj), &f->fn) != NULL)
		return false;
	/* What unused bytes they have taken the new one may take. */
	for (; p->windows.n > 0 && p->windows.v[p->windows.n - 1].fn == fn;
	     p->windows.n--)
		p->hops.n -=
			p->windows.v[p->windows.n - 1].w.kind == CODE_WIN_HOP;
	*pw = (struct plan_window){ .fn = fn, .copy = true };
	code_fn_window(world_x86(f->obj), &f->fn, f->addr, &pw->w);
	if (can_be(&pw->w) && pw->w.start == f->addr &&
	    win_join(p, fn, &pw->w)) {
		pw->end = win_end(&pw->w) > end ? win_end(&pw->w) : end;
		return true;
	}
	p->windows.n = nw;
	p->hops.n = nh;
	return false;
}

/* True if the point has a place in the last window. */
static bool
point_has(const struct plan *p, const struct plan_point *pt)
{
	const struct plan_window *last;

	if (p->windows.n == 0)
		return false;
	last = &p->windows.v[p->windows.n - 1];
	return pt->addr < last->end && last->over == 0 &&
	       plan_fn_insn(&p->fns.v[last->fn], pt->addr);
}

/* No window: plan_puns() will see. */
static int
alone_push(struct plan *p, const struct plan_point *pt, const char *why)
{
	const struct plan_alone a = { pt->addr, pt->fn, why };

	return vec_push(&p->alone, a) ? 0 : -1;
}

/* True if pw is over the same jump as the last window, which then serves it. */
static bool
over_joins(struct plan *p, const struct plan_window *pw)
{
	struct plan_window *last =
		p->windows.n != 0 ? &p->windows.v[p->windows.n - 1] : NULL;

	if (last == NULL || last->over == 0 || last->w.start != pw->w.start)
		return false;
	last->rooms |= pw->rooms;
	last->end = last->end > pw->end ? last->end : pw->end;
	return true;
}

/* A point that another consumer's jump is in the way of. */
static void
over_refuse(struct plan *p, const struct plan_point *pt, const char *why)
{
	if (pt->group == PLAN_NONE && pt->at != X86_AT_ENTRY)
		plan_sys_missed(p, pt, why);
	point_refuse(p, pt, why);
}

/* Over another consumer's jump; windows so far are before it. */
static int
point_over(struct engine *eng, size_t i, const struct beside_jump *o)
{
	struct plan *p = &eng->plan;
	struct plan_window pw;
	const char *why = beside_window(eng, i, o, &pw);

	if (why == NULL && over_joins(p, &pw))
		return 0;
	if (why == NULL && p->windows.n != 0 &&
	    win_end(&p->windows.v[p->windows.n - 1].w) > o->start)
		why = "other probes are too close";
	if (why == NULL) {
		beside_note(eng);
		return window_push(p, &pw);
	}
	over_refuse(p, &p->points.v[i], why);
	return 0;
}

static int
point_place(struct engine *eng, size_t i)
{
	struct plan *p = &eng->plan;
	const struct plan_point *pt = &p->points.v[i];
	const struct plan_fn *f = &p->fns.v[pt->fn];
	struct plan_window pw = { .fn = pt->fn };
	const char *why = beside_denies(eng, pt);
	struct beside_jump o;

	if (why != NULL)
		point_refuse(p, pt, why);
	if (why != NULL ||
	    (pt->group != PLAN_NONE && p->groups.v[pt->group].why != NULL))
		return 0;
	if (point_has(p, pt))
		return 0;
	if (beside_find(eng, pt->addr, &o))
		return point_over(eng, i, &o);
	code_fn_window(world_x86(f->obj), &f->fn, pt->addr, &pw.w);
	if (!can_be(&pw.w))
		why = pw.w.why;
	else if (!win_join(p, pt->fn, &pw.w))
		why = "other probes are too close";
	pw.end = win_end(&pw.w);
	if (why != NULL && (pt->at != X86_AT_RETURN || !fn_copy(p, i, &pw)))
		return alone_push(p, pt, why);
	return window_push(p, &pw);
}

/* ---- hops ---------------------------------------------------------------- */

/* Bytes that a window overwrites. */
struct span {
	uint64_t lo, hi;
	uint32_t window;
	bool hop; /* the unused bytes that its short jump leads to */
};

static int
cmp_span(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* A hop whose landing place another one has taken cannot be. */
static int
plan_hops(struct plan *p)
{
	VEC(struct span) s = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < p->windows.n; i++) {
		const struct code_window *w = &p->windows.v[i].w;
		struct span x = { w->start, win_end(w), (uint32_t)i, false };

		ok = vec_push(&s, x);
		x = (struct span){ w->hop, w->hop + JMP32_LEN, (uint32_t)i,
				   true };
		if (ok && w->kind == CODE_WIN_HOP)
			ok = vec_push(&s, x);
	}
	if (ok && s.n > 1)
		qsort(s.v, s.n, sizeof(*s.v), cmp_span);
	for (size_t i = 0, k = 0; ok && i < s.n; i++) {
		const struct span *a = &s.v[k], *b = &s.v[i];

		if (p->windows.v[b->window].dead || i == k)
			continue;
		if (b->lo < a->hi && !p->windows.v[a->window].dead)
			p->windows.v[a->hop ? a->window : b->window].dead =
				true;
		if (!p->windows.v[b->window].dead)
			k = i;
	}
	vec_fini(&s);
	return ok ? 0 : -1;
}

static const char hop_taken[] =
	"the unused bytes in reach are taken by another probe";

/* Windows without their hop go, and those that cannot be over a jump. */
static int
hops_drop(struct plan *p)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < p->windows.n; i++) {
		const struct plan_window *pw = &p->windows.v[i];

		for (; k < p->points.n && p->points.v[k].addr < pw->end; k++) {
			const struct plan_point *pt = &p->points.v[k];

			if (!pw->dead || pt->addr < pw->w.start)
				continue;
			if (pw->over != 0)
				over_refuse(p, pt, pw->why);
			else if (alone_push(p, pt, hop_taken) != 0)
				return -1;
		}
		if (!pw->dead)
			p->windows.v[n++] = *pw;
	}
	p->windows.n = n;
	return 0;
}

/* ---- who has a place ----------------------------------------------------- */

/* Points in order, and windows in order: which is in which. */
static void
points_assign(struct plan *p)
{
	size_t w = 0;

	for (size_t i = 0; i < p->points.n; i++) {
		struct plan_point *pt = &p->points.v[i];

		while (w < p->windows.n && p->windows.v[w].end <= pt->addr)
			w++;
		pt->window = PLAN_NONE;
		if (w == p->windows.n || pt->addr < p->windows.v[w].w.start)
			continue;
		if (p->windows.v[w].dead)
			point_refuse(p, pt,
				     p->windows.v[w].why != NULL ?
					     p->windows.v[w].why :
					     hop_taken);
		else
			pt->window = (uint32_t)w;
	}
}

/* Forget points without a place, and windows without points. */
static void
plan_compact(struct plan *p)
{
	size_t np = 0, nw = 0, i = 0;

	for (size_t w = 0; w < p->windows.n; w++) {
		struct plan_window pw = p->windows.v[w];

		pw.point0 = (uint32_t)np;
		for (; i < p->points.n && p->points.v[i].addr < pw.end; i++) {
			struct plan_point pt = p->points.v[i];
			bool wanted = pt.window == w &&
				      (pt.group == PLAN_NONE ||
				       p->groups.v[pt.group].why == NULL);
			pt.window = (uint32_t)nw;
			if (wanted)
				p->points.v[np++] = pt;
		}
		pw.npoints = (uint32_t)np - pw.point0;
		if (pw.npoints != 0 || (pw.needed && !pw.dead))
			p->windows.v[nw++] = pw;
	}
	p->points.n = np;
	p->windows.n = nw;
}

/* Points that have no punned jump either are refused: alone falls by address,
   points rise. */
static void
alone_refuse(struct plan *p)
{
	size_t k = p->alone.n;

	for (size_t i = 0; i < p->points.n && k > 0; i++) {
		const struct plan_point *pt = &p->points.v[i];

		while (k > 0 && p->alone.v[k - 1].addr < pt->addr)
			k--;
		if (k > 0 && p->alone.v[k - 1].addr == pt->addr &&
		    p->alone.v[k - 1].why != NULL)
			point_refuse(p, pt, p->alone.v[k - 1].why);
	}
}

static int
plan_windows(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	if (p->points.n > 1)
		qsort(p->points.v, p->points.n, sizeof(*p->points.v),
		      cmp_point);
	for (size_t i = 0; i < p->points.n; i++)
		if (point_place(eng, i) != 0)
			return err_nomem(e);
	if (beside_needs(eng, e) != 0)
		return -1;
	if (plan_hops(p) != 0 || hops_drop(p) != 0)
		return err_nomem(e);
	if (plan_puns(eng, e) != 0)
		return -1;
	alone_refuse(p);
	points_assign(p);
	plan_compact(p);
	plan_sys_none(p);
	return 0;
}

void
plan_again(struct plan *p)
{
	points_assign(p);
	plan_compact(p);
}

/* ---- sites --------------------------------------------------------------- */

static int
site_new(struct engine *eng, const struct plan_group *g, uint64_t cookie,
	 uint64_t pc, uint32_t *idx)
{
	const struct dif_enabling *en = eng->en;
	struct rtn_site s = { .probe_id = en->probes[g->probe].id,
			      .probe = g->probe,
			      .epid0 = en->ecbs[g->ecb0].epid,
			      .cells = eng->plan.cells[g->probe],
			      .cookie = cookie,
			      .pc = pc };

	*idx = (uint32_t)eng->plan.sites.n;
	return vec_push(&eng->plan.sites, s) ? 0 : -1;
}

static int
sys_site(struct engine *eng, unsigned nr, bool ret, uint32_t *idx)
{
	struct plan *p = &eng->plan;
	uint32_t i = p->sys_group[nr][ret];

	if (i == PLAN_NONE)
		return 0;
	for (struct plan_group *g; i != PLAN_NONE; i = g->next) {
		g = &p->groups.v[i];
		if (site_new(eng, g, g->site->cookie, 0, &g->sys_site) != 0)
			return -1;
	}
	*idx = p->groups.v[p->sys_group[nr][ret]].sys_site + 1;
	return 0;
}

static int
number_points(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	for (size_t i = 0; i < p->points.n; i++) {
		struct plan_point *pt = &p->points.v[i];

		if (pt->group != PLAN_NONE &&
		    site_new(eng, &p->groups.v[pt->group], pt->cookie,
			     pt->addr, &pt->site) != 0)
			return err_nomem(e);
	}
	return 0;
}

static int
plan_number(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	if (number_points(eng, e) != 0)
		return -1;
	for (unsigned nr = 0; nr < RTN_NSYS; nr++)
		if (sys_site(eng, nr, false, &p->sys[nr].entry_site) != 0 ||
		    sys_site(eng, nr, true, &p->sys[nr].return_site) != 0)
			return err_nomem(e);
	return 0;
}

/* ---- refusals ------------------------------------------------------------ */

/* It may come back, and is served then. */
static bool
group_waits(const struct engine *eng, const struct plan_group *g)
{
	return g->why == plan_gone && eng->opts.spare_probes != 0;
}

/* What has become of each probe: it has a place if any of its sites has. */
static void
plan_placed(const struct engine *eng, size_t first, uint8_t *placed)
{
	const struct plan *p = &eng->plan;

	for (size_t i = first; i < p->groups.n; i++) {
		const struct plan_group *g = &p->groups.v[i];

		if (g->why == NULL)
			placed[g->probe] = DIF_PLACED;
		else if (placed[g->probe] != DIF_PLACED && !group_waits(eng, g))
			placed[g->probe] = DIF_PLACE_REFUSED;
	}
}

static int
group_fail(const struct engine *eng, const struct plan_group *g, struct err *e)
{
	const struct dif_probe *pr = &eng->en->probes[g->probe];

	return err_set(e, &ERR_GENERIC, 0,
		       "%s:%s:%s:%s: no probe can be put into process %d "
		       "there: %s",
		       pr->prov, pr->mod, pr->func, pr->name, (int)eng->pid,
		       g->why);
}

/* Of the groups from `first` on: an error if a clause is without any place. */
static int
check_from(struct engine *eng, size_t first, struct err *e)
{
	struct plan *p = &eng->plan;
	uint8_t *placed = arena_alloc(eng->arena, eng->en->nprobes + 1);
	uint8_t *served = arena_alloc(eng->arena, eng->en->nclauses + 1);
	const struct plan_group *bad = NULL;
	uint32_t probe;

	if (placed == NULL || served == NULL)
		return err_nomem(e);
	plan_placed(eng, first, placed);
	probe = dif_not_left_out(eng->en, placed, served);
	for (size_t i = p->groups.n; i-- > first;) {
		const struct plan_group *g = &p->groups.v[i];

		if (g->why != NULL && g->probe == probe && !group_waits(eng, g))
			bad = g;
	}
	return bad != NULL ? group_fail(eng, bad, e) : 0;
}

int
plan_check(struct engine *eng, struct err *e)
{
	/* Later, what is left is better than nothing. */
	return eng->plan.again ? 0 : check_from(eng, 0, e);
}

/* Windows, but what we need ourselves, copies, and punned jumps. */
static void
plan_count(const struct plan *p, uint32_t *places, uint32_t *copies,
	   uint32_t *puns)
{
	for (size_t i = 0; i < p->windows.n; i++) {
		const struct plan_window *pw = &p->windows.v[i];
		bool probed = false;

		for (uint32_t k = 0; k < pw->npoints; k++)
			probed |= p->points.v[pw->point0 + k].group !=
				  PLAN_NONE;
		*places += probed && !pw->dead;
		*copies += pw->copy;
		*puns += pw->w.kind == CODE_WIN_PUN;
	}
}

uint32_t
plan_places(const struct engine *eng)
{
	uint32_t places = eng->plan.nplaces, copies = 0, puns = 0;

	plan_count(&eng->plan, &places, &copies, &puns);
	return places;
}

uint32_t
plan_left_out(struct engine *eng)
{
	struct plan *p = &eng->plan;

	/* Behind those of the beginning there are only such. */
	for (; p->nleft_seen < p->groups.n; p->nleft_seen++) {
		const char *why = p->groups.v[p->nleft_seen].why;

		p->nleft_out += why != NULL && why != plan_gone &&
				why != plan_other;
	}
	return p->nleft_out;
}

void
plan_report(const struct engine *eng, struct buf *out)
{
	const struct plan *p = &eng->plan;
	uint32_t places = p->nplaces, copies = p->ncopies, puns = p->npuns;
	size_t probes = p->ngroups;
	struct land_counts lc;

	for (size_t i = 0; i < p->groups.n; i++)
		probes += p->groups.v[i].why == NULL;
	plan_count(p, &places, &copies, &puns);
	land_count(p->land, &lc);
	buf_printf(out, "process %d: %zu probe%s at %u place%s\n",
		   (int)eng->pid, probes, BUF_S(probes), places, BUF_S(places));
	if (copies != 0)
		buf_printf(out, "process %d: %u function%s copied\n",
			   (int)eng->pid, copies, BUF_S(copies));
	if (puns != 0)
		buf_printf(out,
			   "process %d: %u jump%s made of other instructions' "
			   "bytes, with %u page%s in %u mapping%s\n",
			   (int)eng->pid, puns, BUF_S(puns), lc.pages,
			   BUF_S(lc.pages), lc.maps, BUF_S(lc.maps));
	if (beside_count(eng) != 0)
		buf_printf(out,
			   "process %d: %u place%s shared with other "
			   "consumers\n",
			   (int)eng->pid, beside_count(eng),
			   BUF_S(beside_count(eng)));
	if (p->sys_entry || p->sys_return)
		buf_printf(out, "process %d: %u system call instruction%s, %u "
				"left alone\n",
			   (int)eng->pid, p->nsys - p->nsys_refused,
			   BUF_S(p->nsys - p->nsys_refused), p->nsys_refused);
	for (size_t i = 0; (p->sys_entry || p->sys_return) && i < p->left.n;
	     i++)
		buf_printf(out, "process %d: %u left alone: %s\n",
			   (int)eng->pid, p->left.v[i].n, p->left.v[i].why);
	for (size_t i = 0; i < p->groups.n; i++) {
		const struct plan_group *g = &p->groups.v[i];
		const struct dif_probe *pr = &eng->en->probes[g->probe];

		if (g->why != NULL)
			buf_printf(out, "process %d: left out: %s:%s:%s:%s: "
					"%s\n",
				   (int)eng->pid, pr->prov, pr->mod, pr->func,
				   pr->name, g->why);
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Its system calls, or those that we must see ourselves. */
static int
plan_calls(struct engine *eng, struct err *e)
{
	const struct plan *p = &eng->plan;

	if (p->sys_entry || p->sys_return)
		return plan_syscalls(eng, e);
	return p->points.n != 0 || p->tree ? plan_special(eng, e) : 0;
}

int
plan_make(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	p->fn_by_addr = hash_new();
	p->class_by_key = hash_new();
	if (p->fn_by_addr == NULL || p->class_by_key == NULL)
		return err_nomem(e);
	memset(p->sys_group, 0xff, sizeof(p->sys_group));
	eng->world.taken = plan_taken;
	eng->world.taken_arg = p;
	if (plan_sites(eng, e) != 0 ||
	    (later_wanted(eng) && plan_maps(eng, e) != 0))
		return -1;
	if (plan_calls(eng, e) != 0)
		return -1;
	if (plan_windows(eng, e) != 0)
		return -1;
	if (plan_check(eng, e) != 0 || plan_statics(eng, e) != 0)
		return -1;
	if (plan_number(eng, e) != 0)
		return -1;
	plan_direct(p);
	return 0;
}

int
plan_forget(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	for (size_t i = 0; i < p->fns.n; i++)
		code_fn_fini(&p->fns.v[i].fn);
	p->fns.n = p->points.n = p->windows.n = p->hops.n = p->alone.n = 0;
	hash_free(p->fn_by_addr);
	p->fn_by_addr = hash_new();
	p->again = true;
	eng->world.taken = plan_taken;
	eng->world.taken_arg = p;
	return p->fn_by_addr != NULL ? 0 : err_nomem(e);
}

/* The end of a plan in which the groups from `first` on are new: their cells,
   and the numbers of points of those that have found room. */
static int
plan_end(struct engine *eng, uint32_t first, struct err *e)
{
	struct plan *p = &eng->plan;

	if (plan_statics_of(eng, first, e) != 0)
		return -1;
	plan_again(p);
	if (number_points(eng, e) != 0)
		return -1;
	plan_direct(p);
	return 0;
}

/* Of a member: functions that are known of the root's files, and windows. */
static int
plan_again_sites(struct engine *eng, struct err *e)
{
	struct again_list *v = arena_calloc(eng->arena, 1, sizeof(*v));
	const uint32_t first = (uint32_t)eng->plan.groups.n;

	if (v == NULL)
		return err_nomem(e);
	eng->begun = v; /* groups have sites of it */
	if (again_sites(eng, false, v, e) != 0 ||
	    plan_sites_of(eng, v->v, v->n, e) != 0 ||
	    plan_windows(eng, e) != 0)
		return -1;
	return plan_end(eng, first, e);
}

int
plan_follow(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;

	if (plan_forget(eng, e) != 0)
		return -1;
	p->sys_missed = NULL;
	p->nsys = p->nsys_refused = p->nplaces = p->ncopies = p->npuns = 0;
	p->left.n = 0;
	land_free(p->land);
	p->land = NULL;
	for (uint32_t i = 0; i < p->groups.n; i++)
		if (!p->classes.v[p->groups.v[i].cls].sys)
			plan_refuse(p, i, plan_other);
	if ((p->sys_entry || p->sys_return ? plan_syscalls(eng, e) :
					     plan_special(eng, e)) != 0 ||
	    plan_maps(eng, e) != 0)
		return -1;
	if (eng->root != NULL)
		return plan_again_sites(eng, e);
	if (plan_windows(eng, e) != 0)
		return -1;
	plan_direct(p);
	return 0;
}

/* ---- another target ------------------------------------------------------ */

/* The places of probes that are this process's. */
static int
own_sites(const struct engine *eng, struct again_list *v, struct err *e)
{
	const struct dif_enabling *en = eng->en;

	for (uint32_t p = 0; p < en->nprobes; p++)
		for (uint32_t s = 0; s < en->probes[p].nsites; s++) {
			const struct engine_site x = {
				.probe = p, .site = en->probes[p].sites[s]
			};

			if (x.site.pid == eng->pid && !vec_push(v, x))
				return err_nomem(e);
		}
	return 0;
}

int
plan_join(struct engine *eng, struct err *e)
{
	struct again_list *v = arena_calloc(eng->arena, 1, sizeof(*v));
	struct plan *p = &eng->plan;
	const uint32_t first = (uint32_t)p->groups.n;

	if (v == NULL || plan_forget(eng, e) != 0)
		return err_nomem(e);
	eng->begun = v;
	for (uint32_t i = 0; i < first; i++)
		if (!p->classes.v[p->groups.v[i].cls].sys)
			plan_refuse(p, i, plan_gone);
	if (own_sites(eng, v, e) != 0 ||
	    plan_sites_of(eng, v->v, v->n, e) != 0 ||
	    plan_calls(eng, e) != 0 ||
	    (later_wanted(eng) && plan_maps(eng, e) != 0) ||
	    plan_windows(eng, e) != 0 || check_from(eng, first, e) != 0)
		return -1;
	return plan_end(eng, first, e);
}

/* ---- code that is mapped later ------------------------------------------- */

static int
more_points(struct engine *eng, const struct engine_site *v, size_t n,
	    struct err *e)
{
	const struct plan *p = &eng->plan;

	if (plan_sites_of(eng, v, n, e) != 0)
		return -1;
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];
		const struct later_note *note = world_obj_note(o);

		if ((p->sys_entry || p->sys_return || eng->root != NULL) &&
		    note->there &&
		    !note->scanned && plan_calls_of(eng, o, e) != 0)
			return -1;
	}
	return 0;
}

static size_t
points_with_sites(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->points.n; i++)
		n += p->points.v[i].group != PLAN_NONE;
	return n;
}

int
plan_more(struct engine *eng, const struct engine_site *v, size_t n,
	  uint32_t *first, struct err *e)
{
	struct plan *p = &eng->plan;

	*first = (uint32_t)p->groups.n;
	eng->world.fresh = false;
	plan_count(p, &p->nplaces, &p->ncopies, &p->npuns);
	if (plan_forget(eng, e) != 0 || more_points(eng, v, n, e) != 0)
		return -1;
	if (plan_windows(eng, e) != 0)
		return -1;
	if (!shared_has_room(eng, points_with_sites(p)))
		return err_set(e, &ERR_GENERIC, 0,
			       "there is no room for so many probes that come "
			       "later");
	return plan_end(eng, *first, e);
}

/* True if a group of the same probe that came before has been refused. */
static bool
refused_before(const struct plan *p, size_t n, uint32_t probe)
{
	for (size_t i = 0; i < n; i++)
		if (p->groups.v[i].probe == probe &&
		    p->groups.v[i].why != NULL)
			return true;
	return false;
}

void
plan_more_done(struct engine *eng, uint32_t first)
{
	struct plan *p = &eng->plan;
	size_t n = first;

	plan_count(p, &p->nplaces, &p->ncopies, &p->npuns);
	p->points.n = p->windows.n = 0;
	for (size_t i = first; i < p->groups.n; i++) {
		struct plan_group g = p->groups.v[i];

		p->ngroups += g.why == NULL;
		g.site = NULL; /* it was the caller's */
		if (g.why != NULL && !refused_before(p, n, g.probe))
			p->groups.v[n++] = g;
	}
	p->groups.n = n;
}

void
plan_fini(struct plan *p)
{
	for (size_t i = 0; i < p->fns.n; i++)
		code_fn_fini(&p->fns.v[i].fn);
	vec_fini(&p->fns);
	hash_free(p->fn_by_addr);
	vec_fini(&p->classes);
	hash_free(p->class_by_key);
	vec_fini(&p->groups);
	vec_fini(&p->points);
	vec_fini(&p->windows);
	vec_fini(&p->hops);
	vec_fini(&p->alone);
	land_free(p->land);
	vec_fini(&p->left);
	vec_fini(&p->sites);
	vec_fini(&p->statics);
	vec_fini(&p->solos);
}
