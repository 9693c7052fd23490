/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_pun.c - jumps made of other instructions' bytes ("instruction
 * punning"), for places where no window is.
 *
 * A window needs five bytes of instructions that control enters at the first
 * alone.  A punned jump overwrites one instruction and nothing else; the bytes
 * that it lacks are those of the code behind it, read as the upper bytes of its
 * displacement:
 *
 *	c3           ret             e9                 jmp
 *	55           push %rbp         55                 \
 *	48 89 e5     mov %rsp,%rbp        48 89 e5        / -0x1a76b7ab
 *
 * So of where it leads only the lower bytes may be chosen, as many as the
 * instruction has beyond the first (no one, 256, 64 K or 16 M places), and a
 * landing is put there (process_land.c).  Nothing need be known of where
 * control may arrive, but that it be the beginning of instructions.
 *
 * Tried in this order:
 *
 *	pun	as above
 *	pad	a prefix, which does nothing, or some, before the jump: then
 *		other bytes are the upper ones
 *	join	with neighbours that control enters through the first alone, so
 *		that there are more bytes to choose
 *	evict	something behind it is overwritten too, by a jump of its own: an
 *		instruction by a pun, or a window, whose jump is then aimed at a
 *		landing as well, so that its bytes suit both
 *
 * A punned jump must find the bytes behind it as they were planned as long as
 * it is there.  Instructions are taken from the highest address down, so that
 * what will be behind one is known, and nobody has read what is overwritten
 * yet, but for what is evicted; windows come first of all.  A window whose
 * bytes are known only when its code is made is evicted or not read at all.
 * When the text is written all patches of a page are written at once (patch.c),
 * so a pun reads no patch in another page.
 *
 * A breakpoint that somebody else puts on the instruction behind a punned one,
 * a debugger or the kernel, changes the jump: one of its bytes becomes that of
 * int3.  Where that leads another landing is put, to the same trampoline, if
 * there can be one.  Where a breakpoint is already the text is not what the
 * file says, and nothing is done.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#define PAGE	  4096ull
#define JMP32	  5u
#define PAD	  0x3e /* ds: */
#define INT3	  0xcc
#define TRIES	  512 /* of an eviction */
#define AIMS	  32 /* of a window behind the evicted one */
#define UNKNOWN	  (-1)

struct pun_cx {
	struct engine *eng;
	struct plan *p;
	VEC(struct plan_window) done; /* by falling address */
	uint32_t seed;
};

/* What is overwritten for another's sake, and has its own jump. */
struct evict {
	struct plan_window w;
	struct plan_window *is; /* it is there already; NULL: new */
	uint8_t nfree;	/* bytes of its displacement that may be chosen */
	uint8_t pick[4]; /* those */
};

/* ---- bytes --------------------------------------------------------------- */

static uint64_t
pun_end(const struct plan_window *pw)
{
	return pw->w.start + code_fn_window_written(&pw->w);
}

uint32_t
plan_pun_bytes(const struct plan_window *pw, uint8_t *out)
{
	uint32_t n = code_fn_window_written(&pw->w), pad = pw->pad;
	uint8_t jmp[CODE_WIN_MAX] = { 0 };

	if (pw->land == 0 || n > sizeof(jmp))
		return 0;
	memset(jmp, PAD, pad);
	if (!x86_jmp(jmp + pad, pad + JMP32 > n ? JMP32 : n - pad,
		     pw->w.start + pad, pw->land))
		return 0;
	memcpy(out, jmp, n);
	return n;
}

uint32_t
plan_pun_reads(const struct plan_window *pw)
{
	uint32_t n = code_fn_window_written(&pw->w);

	return pw->w.kind == CODE_WIN_PUN && pw->pad + JMP32 > n ?
		       pw->pad + JMP32 - n :
		       0;
}

/* The byte of a window at an address in it, as it will be; UNKNOWN. */
static int
window_byte(const struct plan_window *pw, uint64_t addr)
{
	uint8_t now[CODE_WIN_MAX];

	return plan_pun_bytes(pw, now) != 0 ? now[addr - pw->w.start] :
					      UNKNOWN;
}

/* True if an address is among the bytes that a window writes. */
static bool
writes(const struct plan_window *pw, uint64_t addr)
{
	return addr >= pw->w.start && addr < pun_end(pw);
}

/* The window of the plan that writes there; NULL: none. */
static struct plan_window *
window_at(struct plan *p, uint64_t addr)
{
	size_t lo = 0, hi = p->windows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pun_end(&p->windows.v[mid]) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->windows.n && writes(&p->windows.v[lo], addr) ?
		       &p->windows.v[lo] :
		       NULL;
}

/* Of those that are done, which fall by address. */
static struct plan_window *
done_at(struct pun_cx *cx, uint64_t addr)
{
	size_t lo = 0, hi = cx->done.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cx->done.v[mid].w.start > addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cx->done.n && writes(&cx->done.v[lo], addr) ?
		       &cx->done.v[lo] :
		       NULL;
}

/* True if a short jump of a window leads to the address. */
static bool
hop_at(const struct plan *p, uint64_t addr)
{
	for (size_t i = 0; i < p->hops.n; i++)
		if (addr - p->hops.v[i] < JMP32)
			return true;
	return false;
}

static struct plan_window *
either_at(struct pun_cx *cx, uint64_t addr)
{
	struct plan_window *pw = done_at(cx, addr);

	return pw != NULL ? pw : window_at(cx->p, addr);
}

static int
file_byte(const struct code_world *w, uint64_t addr)
{
	const uint8_t *p = w->bytes(w->arg, addr, 1);

	return p != NULL ? *p : UNKNOWN;
}

/* The byte behind a pun at `from`, as it will be. */
static int
behind(struct pun_cx *cx, const struct code_world *w, uint64_t from,
       uint64_t addr)
{
	const struct plan_window *pw = either_at(cx, addr);

	if (pw != NULL)
		return pw->w.start / PAGE == from / PAGE ?
			       window_byte(pw, addr) :
			       UNKNOWN;
	return hop_at(cx->p, addr) ? UNKNOWN : file_byte(w, addr);
}

bool
plan_pun_holds(const struct plan *p, const struct plan_window *pw)
{
	const struct code_world *w = world_x86(p->fns.v[pw->fn].obj);
	uint64_t end = pun_end(pw), rel = pw->land - (pw->w.start + pw->pad +
						     JMP32);
	uint64_t disp = pw->w.start + pw->pad + 1;

	for (uint64_t at = end; at < end + plan_pun_reads(pw); at++) {
		const struct plan_window *by =
			window_at((struct plan *)(uintptr_t)p, at);
		int is = by == NULL ? file_byte(w, at) :
			 by->dead   ? UNKNOWN :
				      window_byte(by, at);

		if (is != (int)(rel >> 8 * (at - disp) & 0xff))
			return false;
	}
	return true;
}

/* ---- one jump ------------------------------------------------------------ */

/* The byte of the evicted one's jump at an address; UNKNOWN: it has none
   there. */
static int
evict_byte(const struct evict *ev, uint64_t addr)
{
	uint64_t at = ev == NULL ? UINT64_MAX : addr - ev->w.w.start;

	if (at > ev->nfree)
		return UNKNOWN;
	return at == 0 ? 0xe9 : ev->pick[at - 1];
}

/*
 * Where a jump at `from` with n bytes of its own, `pad` of them prefixes, may
 * lead to: [*lo, *hi].  false: the bytes behind it are not known.
 */
static bool
reach(struct pun_cx *cx, const struct code_world *w, uint64_t from, uint32_t n,
      uint32_t pad, const struct evict *ev, uint64_t *lo, uint64_t *hi)
{
	uint32_t nfree = n - pad - 1, disp = 0;

	for (uint32_t i = nfree; i < 4; i++) {
		uint64_t at = from + pad + 1 + i;
		int b = ev != NULL ? evict_byte(ev, at) : UNKNOWN;

		if (b == UNKNOWN)
			b = behind(cx, w, from, at);
		if (b == UNKNOWN)
			return false;
		disp |= (uint32_t)b << 8 * i;
	}
	*lo = from + pad + JMP32 + (uint64_t)(int64_t)(int32_t)disp;
	*hi = *lo + (nfree == 4 ? 0 : (1ull << 8 * nfree) - 1);
	return true;
}

/* A landing for pw, which has everything else but its prefixes. */
static bool
pun_alone(struct pun_cx *cx, struct plan_window *pw, const struct evict *ev)
{
	const struct code_world *w = world_x86(cx->p->fns.v[pw->fn].obj);
	uint32_t n = code_fn_window_written(&pw->w);
	uint64_t lo, hi;

	for (uint32_t pad = 0; pad < n && pad < 4; pad++) {
		if (!reach(cx, w, pw->w.start, n, pad, ev, &lo, &hi) ||
		    !land_find(cx->p->land, lo, hi, &pw->land))
			continue;
		pw->pad = (uint8_t)pad;
		return true;
	}
	return false;
}

/* The window that serves an address already, as a later point has made it;
   NULL: none does. */
static const struct plan_window *
served_by(const struct plan *p, uint64_t addr)
{
	size_t lo = 0, hi = p->windows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->windows.v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->windows.n && p->windows.v[lo].w.start <= addr ?
		       &p->windows.v[lo] :
		       NULL;
}

/* True if its bytes are free, and no other window's. */
static bool
pun_free(struct pun_cx *cx, const struct plan_window *pw)
{
	for (uint64_t at = pw->w.start; at < pw->w.start + pw->w.len; at++)
		if (either_at(cx, at) != NULL || hop_at(cx->p, at))
			return false;
	return true;
}

/* Put it among those that are done, most of which are higher. */
static bool
done_push(struct pun_cx *cx, const struct plan_window *pw)
{
	size_t i;

	if (!vec_push(&cx->done, *pw))
		return false;
	for (i = cx->done.n - 1;
	     i > 0 && cx->done.v[i - 1].w.start < pw->w.start; i--)
		cx->done.v[i] = cx->done.v[i - 1];
	cx->done.v[i] = *pw;
	return true;
}

/* True if a byte of [at, at + n) is part of a punned jump that is placed. */
static bool
is_read(const struct pun_cx *cx, uint64_t at, uint32_t n)
{
	for (size_t i = cx->done.n; i-- > 0;) {
		const struct plan_window *pw = &cx->done.v[i];

		if (pw->w.start >= at + n)
			return false;
		if (pun_end(pw) + plan_pun_reads(pw) > at)
			return true;
	}
	return false;
}

/* The landing of pw, and the other one. */
static bool
pun_take(struct pun_cx *cx, struct plan_window *pw)
{
	uint64_t jmp = pw->w.start + pw->pad, at = pw->w.start + pw->w.len;
	uint32_t rel = (uint32_t)(pw->land - (jmp + JMP32));
	uint64_t i = at - (jmp + 1);

	if (!land_take(cx->p->land, pw->land))
		return false;
	if (pw->w.kind != CODE_WIN_PUN || i >= 4 || !land_spare(cx->p->land))
		return true;
	rel = (rel & ~(0xffu << 8 * i)) | (uint32_t)INT3 << 8 * i;
	at = jmp + JMP32 + (uint64_t)(int64_t)(int32_t)rel;
	if (!land_fits(cx->p->land, at))
		return true;
	pw->trap = at;
	return land_take(cx->p->land, at);
}

/* ---- two of them --------------------------------------------------------- */

/* The first window behind pw; NULL: none is that near, or its bytes are known
   or cannot be chosen. */
static struct plan_window *
unknown_behind(struct pun_cx *cx, const struct plan_window *pw)
{
	uint64_t end = pun_end(pw);

	for (uint64_t at = end; at < end + JMP32; at++) {
		struct plan_window *is = window_at(cx->p, at);

		if (is == NULL || is->w.start < end)
			continue;
		if (is->w.kind != CODE_WIN_JMP || is->land != 0 ||
		    is->over != 0 || is->w.start / PAGE != pw->w.start / PAGE)
			return NULL;
		return is;
	}
	return NULL;
}

/* A window that is there, and whose bytes nobody knows yet. */
static bool
evict_window(struct pun_cx *cx, const struct plan_window *pw,
	     struct evict *ev)
{
	struct plan_window *is = unknown_behind(cx, pw);

	if (is != NULL)
		*ev = (struct evict){ .w = *is, .is = is, .nfree = 4 };
	return is != NULL;
}

/* The function that has code at `at`, behind pw; *fn PLAN_NONE: none has. */
static int
evict_fn(struct pun_cx *cx, const struct plan_window *pw, uint64_t at,
	 uint32_t *fn, struct err *e)
{
	struct world_obj *o = cx->p->fns.v[pw->fn].obj;
	uint64_t addr;

	*fn = pw->fn;
	if (!plan_fn_insn(&cx->p->fns.v[*fn], at)) {
		addr = world_fn_of(o, at);
		*fn = PLAN_NONE;
		if (addr != 0 && plan_fn_get(cx->eng, o, addr, 0, fn, e) != 0)
			return -1;
	}
	if (*fn != PLAN_NONE && cx->p->fns.v[*fn].why != NULL)
		*fn = PLAN_NONE;
	return 0;
}

/* True if all of it may be overwritten still. */
static bool
evict_free(struct pun_cx *cx, const struct plan_window *pw)
{
	return pun_free(cx, pw) && served_by(cx->p, pw->w.start) == NULL &&
	       !is_read(cx, pw->w.start, pw->w.len);
}

/* A window that could be at `at`, or the instruction there. */
static bool
evict_at(struct pun_cx *cx, uint64_t at, uint32_t fn, bool window,
	 struct evict *ev)
{
	const struct plan_fn *f = &cx->p->fns.v[fn];
	struct plan_window *x = &ev->w;

	*ev = (struct evict){ .w = { .fn = fn } };
	if (window)
		code_fn_window(world_x86(f->obj), &f->fn, at, &x->w);
	else
		code_fn_alone(world_x86(f->obj), &f->fn, at, 0, 0, &x->w);
	if (x->w.start != at ||
	    x->w.kind != (window ? CODE_WIN_JMP : CODE_WIN_PUN) ||
	    !evict_free(cx, x))
		return false;
	x->end = at + x->w.len;
	ev->nfree = window ? 4 : (uint8_t)(code_fn_window_written(&x->w) - 1);
	return true;
}

static uint32_t
random_bits(struct pun_cx *cx)
{
	cx->seed ^= cx->seed << 13;
	cx->seed ^= cx->seed >> 17;
	cx->seed ^= cx->seed << 5;
	return cx->seed;
}

static bool
lands_apart(uint64_t a, uint64_t b)
{
	return a - b + LAND_LEN >= 2 * LAND_LEN;
}

/* Landings for both, which are tried at random: each of the two is a question
   of luck that is the better the more addresses are free. */
static bool
pun_both(struct pun_cx *cx, struct plan_window *pw, struct evict *ev)
{
	const struct code_world *w = world_x86(cx->p->fns.v[ev->w.fn].obj);
	uint64_t at = ev->w.w.start, lo, hi;

	for (int i = 0; i < TRIES; i++) {
		uint32_t r = random_bits(cx);

		if (!reach(cx, w, at, ev->nfree + 1u, 0, NULL, &lo, &hi))
			return false;
		lo += ev->nfree == 4 ? (uint64_t)(int64_t)(int32_t)r :
				       r & (hi - lo);
		ev->w.land = lo;
		r = (uint32_t)(lo - (at + JMP32));
		memcpy(ev->pick, &r, sizeof(ev->pick));
		if (!land_fits(cx->p->land, lo) || !pun_alone(cx, pw, ev) ||
		    !lands_apart(pw->land, lo))
			continue;
		/* Another consumer cannot write over one in two pages. */
		if (i < TRIES / 2 && (!land_whole(lo) || !land_whole(pw->land)))
			continue;
		return true;
	}
	return false;
}

/* The same where the bytes behind the evicted one are those of a window that
   nobody knows yet: it is aimed at a landing too. */
static bool
pun_three(struct pun_cx *cx, struct plan_window *pw, struct evict *ev)
{
	struct plan_window *is =
		ev->w.w.kind == CODE_WIN_PUN ? unknown_behind(cx, &ev->w) :
					       NULL;

	if (is == NULL)
		return pun_both(cx, pw, ev);
	for (int i = 0; i < AIMS; i++) {
		is->land = is->w.start + JMP32 +
			   (uint64_t)(int64_t)(int32_t)random_bits(cx);
		if (land_fits(cx->p->land, is->land) && land_whole(is->land) &&
		    pun_both(cx, pw, ev) && lands_apart(is->land, pw->land) &&
		    lands_apart(is->land, ev->w.land)) {
			is->needed = true;
			return land_take(cx->p->land, is->land);
		}
		is->land = 0;
	}
	return false;
}

/* Something behind pw that may be evicted, with landings for both. */
static int
evict_find(struct pun_cx *cx, struct plan_window *pw, struct evict *ev,
	   bool *ok, struct err *e)
{
	uint64_t first = pw->w.start + pw->w.len, end = pun_end(pw) + JMP32;
	uint32_t fn;

	*ok = evict_window(cx, pw, ev) && pun_both(cx, pw, ev);
	for (uint64_t at = first; at < end && !*ok; at++) {
		if (at / PAGE != pw->w.start / PAGE)
			return 0;
		if (evict_fn(cx, pw, at, &fn, e) != 0)
			return -1;
		for (int k = 0; k < 2 && fn != PLAN_NONE && !*ok; k++)
			*ok = evict_at(cx, at, fn, k == 0, ev) &&
			      pun_three(cx, pw, ev);
	}
	return 0;
}

static int
pun_evict(struct pun_cx *cx, struct plan_window *pw, bool *ok, struct err *e)
{
	struct evict ev;

	if (evict_find(cx, pw, &ev, ok, e) != 0)
		return -1;
	if (!*ok)
		return 0;
	if (!pun_take(cx, &ev.w))
		return err_nomem(e);
	ev.w.needed = true;
	if (ev.is != NULL)
		*ev.is = ev.w;
	return ev.is != NULL || done_push(cx, &ev.w) ? 0 : err_nomem(e);
}

/* ---- all ----------------------------------------------------------------- */

/* What a pun reads must stay. */
static void
note_needed(struct pun_cx *cx, const struct plan_window *pw)
{
	uint64_t end = pun_end(pw);

	for (uint64_t at = end; at < end + plan_pun_reads(pw); at++) {
		struct plan_window *by = either_at(cx, at);

		if (by != NULL)
			by->needed = true;
	}
}

/* A PUN window with so many instructions before and after; false: there is
   none. */
static bool
pun_shape(struct pun_cx *cx, const struct plan_alone *a, uint32_t before,
	  uint32_t after, struct plan_window *pw)
{
	const struct plan_fn *f = &cx->p->fns.v[a->fn];

	*pw = (struct plan_window){ .fn = a->fn };
	code_fn_alone(world_x86(f->obj), &f->fn, a->addr, before, after,
		      &pw->w);
	pw->end = pw->w.start + pw->w.len;
	return pw->w.kind == CODE_WIN_PUN && pun_free(cx, pw);
}

/* Itself alone if it can be; then with as few others as may be; by eviction
   only if all of that fails. */
static int
pun_find(struct pun_cx *cx, const struct plan_alone *a, struct plan_window *pw,
	 bool *ok, struct err *e)
{
	*ok = false;
	for (int evict = 0; evict < 2; evict++)
		for (uint32_t n = 0; n < JMP32 - 1; n++)
			for (uint32_t k = 0; k <= n; k++) {
				if (!pun_shape(cx, a, k, n - k, pw))
					continue;
				if (evict && pun_evict(cx, pw, ok, e) != 0)
					return -1;
				*ok = *ok || pun_alone(cx, pw, NULL);
				if (*ok)
					return 0;
			}
	return 0;
}

/* True if a window that is there serves it too. */
static bool
pun_served(struct pun_cx *cx, uint64_t addr)
{
	const struct plan_window *by = served_by(cx->p, addr);

	if (by == NULL)
		by = done_at(cx, addr);
	return by != NULL && plan_fn_insn(&cx->p->fns.v[by->fn], addr);
}

/* *why: NULL, or why it cannot be. */
static int
pun_place(struct pun_cx *cx, const struct plan_alone *a, const char **why,
	  struct err *e)
{
	struct plan_window pw;
	bool ok;

	*why = pun_served(cx, a->addr) ? NULL : a->why;
	if (*why == NULL)
		return 0;
	if (pun_find(cx, a, &pw, &ok, e) != 0)
		return -1;
	if (!ok)
		return 0;
	if (!pun_take(cx, &pw))
		return err_nomem(e);
	note_needed(cx, &pw);
	*why = NULL;
	return done_push(cx, &pw) ? 0 : err_nomem(e);
}

static int
cmp_alone(const void *va, const void *vb)
{
	const struct plan_alone *a = va, *b = vb;

	return a->addr < b->addr ? 1 : a->addr == b->addr ? 0 : -1;
}

static int
cmp_window(const void *va, const void *vb)
{
	const struct plan_window *a = va, *b = vb;

	return a->w.start < b->w.start ? -1 : a->w.start > b->w.start;
}

static int
pun_merge(struct pun_cx *cx, struct err *e)
{
	struct plan *p = cx->p;

	for (size_t i = 0; i < cx->done.n; i++)
		if (!vec_push(&p->windows, cx->done.v[i]))
			return err_nomem(e);
	if (cx->done.n != 0)
		qsort(p->windows.v, p->windows.n, sizeof(*p->windows.v),
		      cmp_window);
	return 0;
}

int
plan_puns(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;
	struct pun_cx cx = { .eng = eng, .p = p, .seed = 2463534242u };
	int rc = 0;

	if (p->alone.n == 0)
		return 0;
	qsort(p->alone.v, p->alone.n, sizeof(*p->alone.v), cmp_alone);
	if (p->windows_only)
		return 0;
	if (p->land == NULL)
		p->land = land_new(eng, e);
	else if (land_look(p->land, eng, e) != 0)
		return -1;
	if (p->land == NULL)
		return -1;
	for (size_t i = 0; i < p->alone.n && rc == 0; i++) {
		struct plan_alone *a = &p->alone.v[i];

		if (i == 0 || a->addr != a[-1].addr)
			rc = pun_place(&cx, a, &a->why, e);
		else
			a->why = a[-1].why;
	}
	if (rc == 0)
		rc = pun_merge(&cx, e);
	if (rc == 0)
		rc = land_plan(p->land, e);
	vec_fini(&cx.done);
	return rc;
}
