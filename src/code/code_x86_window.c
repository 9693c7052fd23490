/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_window.c - where a jump can be written so that an instruction is
 * probed.
 *
 * A jump takes 5 bytes, and what it overwrites is run elsewhere; so whole
 * instructions, one after the other, none of which but the first may be
 * arrived at, and only the last of which may be a call or a way out.
 *
 *   forward    [insn......][insn...]	from the instruction on
 *   alpha      [ret][nop nop nop nop]	a way out and the padding after it
 *   beta       [pop][pop][add.][ret]	from some instructions before it
 *   hop        [jmp rel8]  ...  [pad: jmp rel32]	2 bytes, and 5 unused
 *							ones near by
 *
 * The jump is in one page, since the bytes of two pages cannot be written
 * together; what follows of a window in the next page stays as it is, for
 * nobody comes there.  The same is done where the program itself may have put
 * somebody aside who waits at an instruction (Go's goroutines): none such may
 * be within the jump.  Where no window is, the instruction alone may be
 * overwritten by a jump whose last bytes are those of the code behind it, if
 * such a jump can be made to lead to a place of ours (process_pun.c).
 * Some instructions cannot be moved at all, or must be seen where they are: the
 * return from a signal is recognised by its bytes, where no unwind table tells
 * of it.
 */
#include "code/code_x86_impl.h"

#include <string.h>

#define FLAGS_NEAR 8 /* bytes */
#define JMP32 5
#define JMP8  2
#define PAGE  4096 /* bytes of two pages are not written together */
/* How far from a short jump padding can begin that holds its hop. */
#define HOP_REACH 144

struct win_cx {
	const struct code_world *w;
	const struct code_fn *f;
	uint64_t addr; /* the instruction to be probed */
	const char *why;
};

static bool
is_target(const struct code_fn *f, uint64_t addr)
{
	return code_fn_in(f->targets.v, f->targets.n, addr);
}

static bool
is_way_out(uint8_t kind)
{
	return kind == CODE_I_RET || kind == CODE_I_JMP ||
	       kind == CODE_I_JMP_IND;
}

/* The instruction at addr of the function. */
static bool
insn_at(const struct win_cx *cx, uint64_t addr, const uint8_t **p,
	struct code_insn *in)
{
	const struct code_fn *f = cx->f;

	for (uint32_t i = 0; i < f->nparts; i++) {
		uint64_t at = addr - f->part[i].addr;
		size_t n;

		if (at >= f->part[i].size)
			continue;
		n = f->part[i].size - at < 15 ? f->part[i].size - at : 15;
		*p = cx->w->bytes(cx->w->arg, addr, n);
		if (*p == NULL)
			return false;
		code_insn_decode(*p, n, addr, in);
		return in->kind != CODE_I_BAD;
	}
	return false;
}

/* mov $15,%eax (or %rax), then syscall: rt_sigreturn. */
static bool
is_restorer(const struct code_world *w, uint64_t addr)
{
	static const uint8_t rax[] = {
		0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05
	};
	static const uint8_t eax[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	/* addr is at the mov, or at the syscall. */
	const uint64_t at[] = { addr, addr - 7, addr, addr - 5 };

	for (int i = 0; i < 4; i++) {
		const uint8_t *pat = i < 2 ? rax : eax;
		size_t n = i < 2 ? sizeof(rax) : sizeof(eax);
		const uint8_t *p = w->bytes(w->arg, at[i], n);

		if (p != NULL && memcmp(p, pat, n) == 0)
			return true;
	}
	return false;
}

/* A pushf among the next instructions: whoever comes here wants the flags kept
   that he came with, as the code that Go lets a signal call at nearly any
   instruction. */
static bool
pushf_follows(const struct code_world *w, uint64_t addr)
{
	const uint8_t *p = w->bytes(w->arg, addr, FLAGS_NEAR);
	struct code_insn in;

	if (p == NULL || memchr(p, 0x9c, FLAGS_NEAR) == NULL)
		return false;
	for (size_t at = 0; at < FLAGS_NEAR && p[at] != 0x9c; at += in.len) {
		code_insn_decode(p + at, FLAGS_NEAR - at, addr + at, &in);
		if (in.len == 0 || in.kind != CODE_I_PLAIN)
			return false;
		if (at + in.len < FLAGS_NEAR && p[at + in.len] == 0x9c)
			return true;
	}
	return p[0] == 0x9c;
}

/* Behind a popf only registers were restored. */
static bool
popf_before(const struct code_world *w, uint64_t addr)
{
	const uint8_t *p;

	for (int i = 0; i < 16; i++) {
		p = w->bytes(w->arg, --addr, 1);
		if (p == NULL || *p == 0x9d)
			return p != NULL;
		if ((*p & 0xf8) != 0x58 && *p != 0x41)
			return false;
	}
	return false;
}

const char *
code_fn_fixed(const struct code_world *w, uint64_t addr,
	      const struct code_insn *in)
{
	if (in->fixed)
		return "the instruction cannot be run elsewhere";
	if (in->kind == CODE_I_TRAP)
		return "the instruction traps";
	if (in->kind == CODE_I_BAD)
		return "there is no instruction";
	if (w->pinned != NULL && w->pinned(w->arg, addr, in->len))
		return "it is in a restartable sequence";
	if (is_restorer(w, addr) &&
	    (w->signal == NULL || !w->signal(w->arg, addr)))
		return "the return from a signal is known by its bytes";
	if ((in->kind == CODE_I_RET && popf_before(w, addr)) ||
	    (in->kind == CODE_I_PLAIN && pushf_follows(w, addr)))
		return "the flags there are those of who comes by";
	return NULL;
}

/* ---- unused bytes -------------------------------------------------------- */

/* True if somebody may begin at addr, which is outside of the function's
   flow. */
static bool
pad_ends(const struct win_cx *cx, uint64_t addr)
{
	uint64_t a;

	return is_target(cx->f, addr) || cx->w->is_fn(cx->w->arg, addr) ||
	       cx->w->entered(cx->w->arg, addr, addr + 1, 0, &a);
}

/* The number of unused bytes at addr, after a way out or the function's end,
   at most max. */
static uint64_t
pad_len(const struct win_cx *cx, uint64_t addr, uint64_t max)
{
	bool ended = false;
	uint64_t n = 0;

	while (n < max && !ended && !pad_ends(cx, addr + n)) {
		const uint8_t *p = NULL;
		struct code_insn in;
		size_t left = 15;
		unsigned k = 1;

		for (; left > 0 && p == NULL; left -= p == NULL)
			p = cx->w->bytes(cx->w->arg, addr + n, left);
		if (p == NULL)
			break;
		code_insn_decode(p, left, addr + n, &in);
		if (in.len == 0 || !code_insn_is_nop(p, left))
			break;
		while (k < in.len && !pad_ends(cx, addr + n + k))
			k++;
		ended = k < in.len;
		n += k;
	}
	if (n > max)
		n = max;
	if (n != 0 && cx->w->taken != NULL)
		while (n != 0 && cx->w->taken(cx->w->arg, addr, n))
			n--;
	return n;
}

static bool
in_one_page(uint64_t start, uint64_t len)
{
	return start / PAGE == (start + len - 1) / PAGE;
}

/* ---- windows of 5 bytes -------------------------------------------------- */

/*
 * The shortest window of at least `min` bytes from `start` on that holds the
 * instruction at cx->addr; its length, 0: there is none, and *why.
 */
static uint32_t
win_whole(struct win_cx *cx, uint64_t start, uint32_t min)
{
	uint64_t at = start;
	bool has = false;

	for (;;) {
		const uint8_t *p;
		struct code_insn in;
		uint64_t pad;

		if (at != start && is_target(cx->f, at)) {
			cx->why = "control may arrive within the next bytes";
			return 0;
		}
		if (at != start && at - start < min && cx->w->waits != NULL &&
		    cx->w->waits(cx->w->arg, at, false)) {
			cx->why = "a goroutine may wait within the next bytes";
			return 0;
		}
		if (at != start && !cx->f->closed) {
			cx->why = "where its jumps lead is not known";
			return 0;
		}
		if (!insn_at(cx, at, &p, &in)) {
			cx->why = "the function ends within the next bytes";
			return 0;
		}
		cx->why = code_fn_fixed(cx->w, at, &in);
		if (cx->why != NULL)
			return 0;
		has |= at == cx->addr;
		at += in.len;
		if (at - start > CODE_WIN_MAX) {
			cx->why = "the instructions are too long";
			return 0;
		}
		for (uint64_t k = at - in.len + 1; k < at; k++) {
			if (is_target(cx->f, k)) {
				cx->why = "control may arrive within the "
					  "instruction";
				return 0;
			}
		}
		if (has && at - start >= min)
			return (uint32_t)(at - start);
		if (!is_way_out(in.kind))
			continue;
		cx->why = "too few bytes after the way out are unused";
		if (!has)
			return 0;
		pad = pad_len(cx, at, min - (at - start));
		return at - start + pad >= min ? min : 0;
	}
}

/* The same, its jump of `min` bytes in one page. */
static uint32_t
win_grow(struct win_cx *cx, uint64_t start, uint32_t min)
{
	uint32_t len = win_whole(cx, start, min);

	if (len == 0 || in_one_page(start, min))
		return len;
	cx->why = "a page ends within the next bytes";
	return 0;
}

/* From the instruction itself, or else from one before it. */
static bool
win_find(struct win_cx *cx, uint32_t min, uint64_t *start, uint32_t *len)
{
	const struct code_fn *f = cx->f;
	size_t i = code_fn_lower(f->insns.v, f->insns.n, cx->addr);
	const char *why;

	*start = cx->addr;
	*len = win_grow(cx, *start, min);
	if (*len != 0)
		return true;
	why = cx->why;
	while (i > 0 && cx->addr - f->insns.v[i - 1] < CODE_WIN_MAX &&
	       !is_target(f, f->insns.v[i])) {
		*start = f->insns.v[--i];
		*len = win_grow(cx, *start, min);
		if (*len != 0)
			return true;
	}
	cx->why = why;
	return false;
}

/* ---- hops ---------------------------------------------------------------- */

/* Within reach; and nobody is put aside while he stands there, for when probes
   go there are unused bytes again. */
static bool
hop_may_be(const struct win_cx *cx, uint64_t from, uint64_t at)
{
	int64_t rel = (int64_t)(at - (from + JMP8));

	return rel >= INT8_MIN && rel <= INT8_MAX && in_one_page(at, JMP32) &&
	       (cx->w->waits == NULL || !cx->w->waits(cx->w->arg, at, true));
}

/*
 * 5 unused bytes that follow `end`, the end of a way out or, if `part`, of a
 * function or a part of one.  That may be a call that does not return, and to
 * whose return address nothing is done all the same.
 */
static bool
hop_after(const struct win_cx *cx, uint64_t from, uint64_t end, bool part,
	  uint64_t *hop)
{
	uint64_t n = pad_len(cx, end, 15);

	/* They are not the window's own: with so many it would need no hop.
	   The last of them: the first may be wanted for a window of the way
	   out. */
	for (uint64_t k = n; k >= JMP32 + (uint64_t)part; k--) {
		if (!hop_may_be(cx, from, end + k - JMP32))
			continue;
		*hop = end + k - JMP32;
		return true;
	}
	return false;
}

/* Padding between any two functions within reach. */
static bool
hop_between(const struct win_cx *cx, uint64_t from, uint64_t *hop)
{
	uint64_t last = 0;

	if (cx->w->end_before == NULL)
		return false;
	/* No function is shorter than what they are aligned to. */
	for (uint64_t at = from - HOP_REACH; at < from + HOP_REACH; at += 16) {
		uint64_t end = cx->w->end_before(cx->w->arg, at);

		if (end != 0 && end != last &&
		    end - (from - HOP_REACH) < 2 * HOP_REACH &&
		    !code_fn_has(cx->f, end) &&
		    hop_after(cx, from, end, true, hop))
			return true;
		last = end;
	}
	return false;
}

static bool
hop_near(const struct win_cx *cx, uint64_t from, uint64_t *hop)
{
	const struct code_fn *f = cx->f;
	size_t i = code_fn_lower(f->insns.v, f->insns.n, from - HOP_REACH);

	for (; i < f->insns.n && f->insns.v[i] < from + HOP_REACH; i++) {
		const uint8_t *p;
		struct code_insn in;

		if (insn_at(cx, f->insns.v[i], &p, &in) &&
		    is_way_out(in.kind) &&
		    hop_after(cx, from, f->insns.v[i] + in.len, false, hop))
			return true;
	}
	for (uint32_t k = 0; k < f->nparts; k++) {
		const struct code_part *pt = &f->part[k];

		if (pt->addr + pt->size - from < HOP_REACH &&
		    hop_after(cx, from, pt->addr + pt->size, true, hop))
			return true;
	}
	return hop_between(cx, from, hop);
}

/* ---- all ----------------------------------------------------------------- */

void
code_fn_window(const struct code_world *w, const struct code_fn *f,
	       uint64_t addr, struct code_window *out)
{
	struct win_cx cx = { .w = w, .f = f, .addr = addr };
	struct code_insn in;
	const uint8_t *p;
	uint64_t start;
	uint32_t len;

	*out = (struct code_window){ .kind = CODE_WIN_NONE, .start = addr };
	if (!code_fn_in(f->insns.v, f->insns.n, addr) ||
	    !insn_at(&cx, addr, &p, &in)) {
		out->why = "no instruction begins there";
		return;
	}
	out->why = code_fn_fixed(w, addr, &in);
	if (out->why != NULL)
		return;
	if (win_find(&cx, JMP32, &start, &len)) {
		*out = (struct code_window){ CODE_WIN_JMP, start, len, 0,
					     NULL, w->waits != NULL };
		return;
	}
	*out = (struct code_window){ CODE_WIN_INT3, addr, in.len, 0, cx.why,
				     w->waits != NULL };
	if (win_find(&cx, JMP8, &start, &len) &&
	    hop_near(&cx, start, &out->hop)) {
		out->kind = CODE_WIN_HOP;
		out->start = start;
		out->len = len;
	}
}

/* The next instruction of a PUN window, at its end; NULL, or why it may not be
   one. */
static const char *
alone_add(const struct win_cx *cx, struct code_window *out,
	  struct code_insn *in)
{
	uint64_t at = out->start + out->len;
	const struct code_fn *f = cx->f;
	size_t i = code_fn_lower(f->targets.v, f->targets.n, at + 1);
	const char *why;
	const uint8_t *p;

	if (!code_fn_in(f->insns.v, f->insns.n, at) ||
	    !insn_at(cx, at, &p, in))
		return "no instruction begins there";
	why = code_fn_fixed(cx->w, at, in);
	if (why != NULL)
		return why;
	if (i < f->targets.n && f->targets.v[i] < at + in->len)
		return "control may arrive within the instruction";
	out->len += in->len;
	return NULL;
}

/* True if the window may go on behind an instruction. */
static bool
alone_on(const struct win_cx *cx, uint64_t at, uint8_t kind)
{
	return cx->f->closed && !is_target(cx->f, at) && !is_way_out(kind) &&
	       kind != CODE_I_CALL && kind != CODE_I_CALL_IND &&
	       (cx->w->waits == NULL || !cx->w->waits(cx->w->arg, at, false));
}

void
code_fn_alone(const struct code_world *w, const struct code_fn *f,
	      uint64_t addr, uint32_t before, uint32_t after,
	      struct code_window *out)
{
	struct win_cx cx = { .w = w, .f = f, .addr = addr };
	size_t i = code_fn_lower(f->insns.v, f->insns.n, addr);
	struct code_insn in = { 0 };

	*out = (struct code_window){ .kind = CODE_WIN_NONE, .start = addr };
	if (before > i)
		return;
	out->start = i < f->insns.n ? f->insns.v[i - before] : addr;
	for (uint32_t k = 0; k <= before + after; k++) {
		if (k != 0 && !alone_on(&cx, out->start + out->len, in.kind))
			return;
		if (k == before && out->start + out->len != addr)
			return;
		out->why = alone_add(&cx, out, &in);
		if (out->why != NULL || (k != 0 && out->len > JMP32))
			return;
	}
	out->kind = CODE_WIN_PUN;
	if (is_way_out(in.kind) && out->len < JMP32)
		out->len += (uint32_t)pad_len(&cx, out->start + out->len,
					      JMP32 - out->len);
}

/* Of one that is punned, as much as lies in its first page. */
static uint32_t
pun_written(const struct code_window *win)
{
	uint64_t page = PAGE - win->start % PAGE;
	uint32_t n = win->len < JMP32 ? win->len : JMP32;

	return n < page ? n : (uint32_t)page;
}

uint32_t
code_fn_window_written(const struct code_window *win)
{
	if (win->kind == CODE_WIN_PUN)
		return pun_written(win);
	if (in_one_page(win->start, win->len) && !win->least)
		return win->len;
	return win->kind == CODE_WIN_HOP ? JMP8 : JMP32;
}

bool
code_fn_window_union(const struct code_fn *f, const struct code_window *a,
		     const struct code_window *b, struct code_window *out)
{
	uint64_t start = a->start < b->start ? a->start : b->start;
	uint64_t ea = a->start + a->len, eb = b->start + b->len;
	uint64_t end = ea > eb ? ea : eb;
	size_t i = code_fn_lower(f->targets.v, f->targets.n, start + 1);

	if (a->kind != CODE_WIN_JMP || b->kind != CODE_WIN_JMP ||
	    a->start >= eb || b->start >= ea || end - start > CODE_WIN_MAX ||
	    (i < f->targets.n && f->targets.v[i] < end))
		return false;
	*out = (struct code_window){ CODE_WIN_JMP, start,
				     (uint32_t)(end - start), 0, NULL,
				     a->least || b->least };
	return true;
}
