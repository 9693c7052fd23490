/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_frames.c - where stopped threads will go on when the signal handlers
 * they are in return.
 *
 * A thread in a handler has, besides its registers, those of the code that was
 * interrupted: in a frame that the kernel has put on a stack of the program
 * and will read again (rt_sigreturn(2); arch/x86/include/asm/sigframe.h,
 * struct rt_sigframe):
 *
 *	frame      return address: the restorer, mov $15,%eax; syscall
 *	frame + 8  struct ucontext: flags, link, stack, struct sigcontext
 *	           siginfo, vector state
 *
 * Nothing says where the frames of a thread are, so they are looked for: from
 * its stack pointer up, as debuggers do it, by the address of a restorer and
 * by registers that make sense.  The kernel aligns a frame to 16 less 8; that
 * and the code segment in the frame leave almost nothing to be looked at more
 * closely.  A handler may have been interrupted itself, and may run on a stack
 * of its own (sigaltstack(2)), so the stack of the code that was interrupted
 * is searched as well.
 *
 * A frame that is no longer in use may lie in a variable that has not been
 * written yet.  It is found too: what becomes of it is nobody's concern.
 *
 * Not found: frames of a thread that has switched stacks inside a handler in a
 * way of its own and left the handler's behind, and frames further up than
 * STACK_MAX.
 */
#include "engine/process/inject_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MAX  (1ull << 20) /* looked at of one stack */
#define STACKS_MAX 8		/* of one thread */
#define CHUNK	   16384
#define USER_CS	   0x33

/* Where things are in a frame. */
#define FRAME_SP   (8 + 40 + 15 * 8)
#define FRAME_PC   (8 + 40 + 16 * 8)
#define FRAME_CS   (8 + 40 + 18 * 8)
#define FRAME_SIZE (FRAME_CS + 8) /* as far as we look */

/* ---- what is mapped ------------------------------------------------- */

struct layout {
	VEC(struct inject_span) code, data; /* executable, writable */
};

/* Neighbours are one. */
static bool
span_add(struct inject_span **v, size_t *n, size_t *cap, uint64_t lo,
	 uint64_t hi)
{
	if (*n != 0 && (*v)[*n - 1].hi == lo) {
		(*v)[*n - 1].hi = hi;
		return true;
	}
	if (!vec_grow((void **)v, cap, *n + 1, sizeof(**v)))
		return false;
	(*v)[(*n)++] = (struct inject_span){ lo, hi };
	return true;
}

static int
layout_read(const struct inject *in, struct layout *l, struct err *e)
{
	struct proc_maps it;
	struct proc_map m;
	bool ok = true;

	if (!proc_maps_open(&it, in->pid))
		return inject_denied(in->pid, errno, e);
	while (ok && proc_maps_next(&it, &m)) {
		if (m.x)
			ok = span_add(&l->code.v, &l->code.n, &l->code.cap,
				      m.lo, m.hi);
		if (ok && m.r && m.w)
			ok = span_add(&l->data.v, &l->data.n, &l->data.cap,
				      m.lo, m.hi);
	}
	proc_maps_close(&it);
	return ok ? 0 : err_nomem(e);
}

static void
layout_fini(struct layout *l)
{
	vec_fini(&l->code);
	vec_fini(&l->data);
}

/* The one that addr lies in; NULL: none. */
static const struct inject_span *
span_at(const struct inject_span *v, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < v[mid].lo)
			hi = mid;
		else if (addr >= v[mid].hi)
			lo = mid + 1;
		else
			return &v[mid];
	}
	return NULL;
}

/* ---- one thread ----------------------------------------------------- */

struct search {
	struct inject *in;
	struct inject_frames *found;
	struct layout map;
	size_t first; /* of found->stack: this thread's */
};

/* Another stack to be searched, unless it has been. */
static bool
stack_add(struct search *s, uint64_t sp)
{
	struct inject_frames *f = s->found;
	/* In the restorer the frame's first word is below the stack pointer. */
	uint64_t at = sp - 8;
	const struct inject_span *m =
		span_at(s->map.data.v, s->map.data.n, at);
	struct inject_span st;

	for (size_t i = s->first; i < f->stack.n; i++)
		if (at >= f->stack.v[i].lo && at < f->stack.v[i].hi)
			return true;
	if (m == NULL || f->stack.n - s->first == STACKS_MAX) {
		f->partial = true;
		return true;
	}
	st.lo = at;
	st.hi = m->hi;
	if (st.hi - st.lo > STACK_MAX) {
		st.hi = st.lo + STACK_MAX;
		f->partial = true;
	}
	return vec_push(&f->stack, st);
}

static uint64_t
word_of(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* mov $15,%eax (or %rax), then syscall. */
static bool
frames_restorer(struct search *s, uint64_t addr)
{
	static const uint8_t rax[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0,
				       0x0f, 0x05 };
	static const uint8_t eax[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	uint8_t is[sizeof(rax)];

	return inject_read(s->in, addr, is, sizeof(is)) == 0 &&
	       (memcmp(is, rax, sizeof(rax)) == 0 ||
		memcmp(is, eax, sizeof(eax)) == 0);
}

/* True if there is a frame at p.  The cheapest questions first. */
static bool
is_frame(struct search *s, const uint8_t *p)
{
	const struct layout *m = &s->map;

	return (word_of(p + FRAME_CS) & 0xffff) == USER_CS &&
	       span_at(m->code.v, m->code.n, word_of(p)) != NULL &&
	       span_at(m->code.v, m->code.n, word_of(p + FRAME_PC)) != NULL &&
	       span_at(m->data.v, m->data.n, word_of(p + FRAME_SP) - 8) !=
		       NULL &&
	       frames_restorer(s, word_of(p));
}

static bool
frame_take(struct search *s, uint64_t addr, const uint8_t *p)
{
	const struct inject_frame f = { addr + FRAME_PC,
					word_of(p + FRAME_PC) };

	return !is_frame(s, p) ||
	       (vec_push(&s->found->frame, f) &&
		stack_add(s, word_of(p + FRAME_SP)));
}

static bool
stack_search(struct search *s, struct inject_span st)
{
	uint8_t buf[CHUNK];
	uint64_t at = ((st.lo + 7) & ~15ull) + 8;
	bool ok = true;

	while (ok && st.hi > at && st.hi - at >= FRAME_SIZE) {
		size_t n = st.hi - at < CHUNK ? (size_t)(st.hi - at) : CHUNK;
		size_t i = 0;

		if (inject_read(s->in, at, buf, n) != 0) {
			s->found->partial = true;
			return true;
		}
		for (; ok && i + FRAME_SIZE <= n; i += 16)
			ok = frame_take(s, at + i, buf + i);
		at += i;
	}
	return ok;
}

static bool
thread_search(struct search *s, const struct inject_thread *t)
{
	s->first = s->found->stack.n;
	if (!stack_add(s, t->regs.rsp))
		return false;
	for (size_t i = s->first; i < s->found->stack.n; i++)
		if (!stack_search(s, s->found->stack.v[i]))
			return false;
	return true;
}

/* ---- who may come back ---------------------------------------------- */

/* The end counts: a thread that returns there comes from the last call. */
static bool
is_in(const struct inject_span *v, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) { /* the first that ends no earlier */
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].hi < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && addr >= v[lo].lo;
}

/*
 * Our code is entered by a jump, and calls nobody but itself and, while its
 * machine is busy, the vdso; a call that is moved returns to the original
 * (x86_reloc.c).  So who can come back to it is in it, or was interrupted
 * there.  Other words of a stack that lead to it are what calls have left that
 * are long over: a function whose frame covers them may keep them for ever.
 */

/* ---- the door ------------------------------------------------------- */

int
inject_frames_find(struct inject *in, struct inject_frames *f, struct err *e)
{
	struct search s = { .in = in, .found = f };
	int rc = layout_read(in, &s.map, e);

	for (size_t i = 0; rc == 0 && i < in->n; i++)
		if (in->threads[i].stopped &&
		    !thread_search(&s, &in->threads[i]))
			rc = err_nomem(e);
	layout_fini(&s.map);
	return rc;
}

int
inject_unused(struct inject *in, const struct inject_span *v, size_t n,
	      bool *unused, struct err *e)
{
	struct inject_frames f = { 0 };
	int rc;

	if (n > INJECT_SPANS)
		return err_set(e, &ERR_GENERIC, E2BIG, "process %d",
			       (int)in->pid);
	if (inject_by_guard(in))
		return guard_unused(in->guard, v, n, unused, e);
	rc = inject_frames_find(in, &f, e);
	*unused = rc == 0 && !f.partial;
	for (size_t i = 0; i < in->n && *unused; i++)
		*unused = in->threads[i].stopped &&
			  !is_in(v, n, in->threads[i].regs.rip);
	for (size_t i = 0; i < f.frame.n && *unused; i++)
		*unused = !is_in(v, n, f.frame.v[i].pc);
	inject_frames_fini(&f);
	return rc;
}

void
inject_frames_fini(struct inject_frames *f)
{
	vec_fini(&f->frame);
	vec_fini(&f->stack);
}
