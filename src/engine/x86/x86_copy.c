/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_copy.c - a function copied as a whole, for those with a way out that no
 * window fits over: loops made by hand whose `ret` stands alone between two
 * targets.
 *
 *   entry: jmp copy		copy:  probes, 1st instruction
 *	    ...			       probes, 2nd instruction ...
 *	    ret			       probes, ret
 *
 * Every instruction is written anew with its points before it, and jumps within
 * the function lead to their targets' copies: to where the points begin, so
 * that a loop back to the entry fires there as it would at a window.  The
 * original stays as it is, but for the window over its entry.  A thread that is
 * inside of it when the window is made goes on there and ends there.
 *
 * Only functions that call nobody: then no return address ever lies in a copy,
 * and whoever walks the stack of a called function sees nothing of it.  (Copies
 * that make calls would have to be known to the unwinder of the program.)  And
 * none with system calls, where the C library may look at the PC of a thread
 * that waits, to cancel it.  Nor may anything but a way out lead from the copy
 * to the original: tables of jumps, addresses taken of one's own code.
 *
 * Others may jump to the function's inside, as hand-made code does to share
 * it: they do what they did, in the original, and as they have not come through
 * the entry, their ways out are none of the function's.
 *
 * Heads of loops that were aligned are so in the copy.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/x86/x86_tramp_impl.h"

#define COPY_MAX 65536u /* bytes of a function */

static bool
falls(uint8_t kind)
{
	return kind != CODE_I_RET && kind != CODE_I_JMP &&
	       kind != CODE_I_JMP_IND;
}

static bool
jumps(uint8_t kind)
{
	return kind == CODE_I_JMP || kind == CODE_I_JCC;
}

/* ---- which functions ----------------------------------------------------- */

static int
copy_cmp(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

static bool
is_out(const struct code_fn *f, uint64_t addr)
{
	for (size_t i = 0; i < f->outs.n; i++)
		if (f->outs.v[i].addr == addr)
			return true;
	return false;
}

static bool
runs_on(const struct code_fn *f)
{
	for (size_t i = 0; i < f->outs.n; i++)
		if (f->outs.v[i].kind == CODE_OUT_FALL)
			return true;
	return false;
}

/* What is wrong with one instruction. */
static const char *
insn_refused(const struct code_world *w, const struct code_fn *f, uint64_t addr,
	     const struct code_insn *in)
{
	const char *why = code_fn_fixed(w, addr, in);

	if (why != NULL)
		return why;
	if (in->kind == CODE_I_CALL || in->kind == CODE_I_CALL_IND)
		return "it makes calls";
	if (in->kind == CODE_I_SYSCALL)
		return "it makes system calls";
	if (in->kind == CODE_I_JMP_IND && !is_out(f, addr))
		return "it has a table of jumps";
	if (in->pc_rel && code_fn_has(f, in->target))
		return "it takes an address of its own code";
	if (jumps(in->kind) && code_fn_has(f, in->target) &&
	    !code_fn_in(f->insns.v, f->insns.n, in->target))
		return "it jumps into the middle of an instruction";
	return NULL;
}

/* True if somebody else knows a way into the function other than its entry. */
static bool
entered(const struct code_world *w, const struct code_fn *f)
{
	const struct code_part *p = &f->part[0];
	uint64_t a;

	return w->entered(w->arg, p->addr + 1, p->addr + p->size, 0, &a);
}

/* All targets are its own jumps', whose targets own[0..n-1] are. */
static bool
targets_own(const struct code_fn *f, const uint64_t *own, size_t n)
{
	for (size_t i = 0; i < f->targets.n; i++)
		if (f->targets.v[i] != f->part[0].addr &&
		    !code_fn_in(own, n, f->targets.v[i]))
			return false;
	return true;
}

/* Its instructions, and where its jumps lead. */
static const char *
body_refused(const struct code_world *w, const struct code_fn *f)
{
	const struct code_part *pt = &f->part[0];
	const uint8_t *p = w->bytes(w->arg, pt->addr, pt->size);
	VEC(uint64_t) own = { 0 };
	const char *why = p == NULL ? "its code is not in a file" : NULL;
	bool indirect = false;
	struct code_insn in;

	for (uint64_t at = 0; why == NULL && at < pt->size; at += in.len) {
		code_insn_decode(p + at, pt->size - at, pt->addr + at, &in);
		why = insn_refused(w, f, pt->addr + at, &in);
		indirect |= in.kind == CODE_I_JMP_IND;
		if (jumps(in.kind) && !vec_push(&own, in.target))
			why = "there is no memory";
	}
	if (own.n > 1)
		qsort(own.v, own.n, sizeof(*own.v), copy_cmp);
	if (why == NULL && indirect &&
	    (entered(w, f) || !targets_own(f, own.v, own.n)))
		why = "it jumps through a pointer that may lead to itself";
	vec_fini(&own);
	return why;
}

const char *
x86_copy_refused(const struct code_world *w, const struct code_fn *f)
{
	if (!f->complete)
		return f->why != NULL ? f->why : "it is not understood";
	if (f->nparts != 1)
		return "it is in several parts";
	if (runs_on(f))
		return "it runs on into the code after it";
	if (f->part[0].size > COPY_MAX)
		return "it is too large";
	return body_refused(w, f);
}

/* ---- the copy ------------------------------------------------------------ */

struct copy {
	struct x86_run run;  /* its points: those of one instruction */
	const struct x86_point *next; /* points not written yet */
	size_t nnext;
	uint32_t win;		   /* bytes of the window at the entry */
	struct x86_label *label;   /* [len], of targets */
	bool *is_target;	   /* [len] */
};

static bool
inside(const struct copy *c, const struct code_insn *in)
{
	return jumps(in->kind) && in->target - c->run.addr < c->run.len;
}

static void
find_targets(struct copy *c)
{
	struct code_insn in;

	for (uint32_t at = 0; at < c->run.len; at += in.len) {
		code_insn_decode(c->run.bytes + at, c->run.len - at,
				 c->run.addr + at, &in);
		if (inside(c, &in))
			c->is_target[in.target - c->run.addr] = true;
	}
}

/* The points of the instruction at offset `at`; they come in order. */
static void
take_points(struct copy *c, uint32_t at)
{
	while (c->nnext != 0 && c->next->at < at) {
		c->next++;
		c->nnext--;
	}
	c->run.points = c->next;
	c->run.npoints = 0;
	while (c->run.npoints < c->nnext &&
	       c->next[c->run.npoints].at == at)
		c->run.npoints++;
}

/* A jump to an instruction of the function. */
static void
jump_inside(struct copy *c, struct x86_buf *b, uint32_t at,
	    const struct code_insn *in)
{
	struct x86_label *to = &c->label[in->target - c->run.addr];
	const uint8_t *p = c->run.bytes + at;
	struct x86_label over = { 0 };
	enum x86_cc cc;

	if (in->kind == CODE_I_JMP) {
		x86_jmp_label(b, to);
	} else if (x86_tramp_cc(p, in, &cc)) {
		x86_jcc_label(b, cc, to);
	} else { /* loop, jrcxz */
		x86_bytes(b, p, in->len - 1u);
		x86_bytes(b, "\x02", 1); /* over the short jmp */
		x86_jmp_short(b, &over);
		x86_jmp_label(b, to);
		x86_bind(b, &over);
	}
}

static void
align(struct x86_buf *b)
{
	x86_nop(b, (uint32_t)(-x86_here(b) % X86_COPY_ALIGN));
}

static int
copy_insn(struct copy *c, struct x86_buf *b, const struct x86_target *t,
	  uint32_t at, const struct code_insn *in, struct err *e)
{
	if (c->is_target[at]) {
		if ((c->run.addr + at) % X86_COPY_ALIGN == 0)
			align(b);
		x86_bind(b, &c->label[at]);
	}
	take_points(c, at);
	/* PCs are moved out of the window only. */
	if (at < c->win && x86_tramp_moved(&c->run, c->run.addr + at,
					   x86_here(b), e) != 0)
		return -1;
	if (x86_tramp_points(b, t, &c->run, at, in->kind, X86_BEFORE, at, e))
		return -1;
	if (!inside(c, in))
		return x86_tramp_insn(b, t, &c->run, at, in, e);
	jump_inside(c, b, at, in);
	return 0;
}

static int
copy_all(struct copy *c, struct x86_buf *b, const struct x86_target *t,
	 struct err *e)
{
	bool dead = false;
	struct code_insn in;

	for (uint32_t at = 0; at < c->run.len; at += in.len) {
		const uint8_t *p = c->run.bytes + at;

		code_insn_decode(p, c->run.len - at, c->run.addr + at, &in);
		if (dead && !c->is_target[at])
			continue; /* padding */
		if (copy_insn(c, b, t, at, &in, e) != 0)
			return -1;
		dead = !falls(in.kind);
	}
	if (!dead)
		x86_jmp_to(b, c->run.addr + c->run.len);
	x86_tramp_late(b, t, &c->run);
	for (uint32_t at = 0; at < c->run.len; at++)
		if (c->is_target[at] && c->label[at].at == 0)
			return err_set(e, &ERR_GENERIC, 0,
				       "there is a jump into the middle of "
				       "the instruction around 0x%jx",
				       (uintmax_t)(c->run.addr + at));
	return 0;
}

uint64_t
x86_copy(struct x86_buf *b, const struct x86_target *t, const uint8_t *bytes,
	 uint64_t addr, uint32_t len, uint32_t win,
	 const struct x86_point *points, size_t npoints,
	 struct x86_moved *moved, size_t *nmoved, struct err *e)
{
	struct copy c = { .run = { .bytes = bytes, .addr = addr, .len = len,
				   .moved = moved },
			  .next = points,
			  .nnext = npoints,
			  .win = win,
			  .label = calloc(len, sizeof(*c.label)),
			  .is_target = calloc(len, sizeof(*c.is_target)) };
	uint64_t first;
	int rc = -1;

	align(b);
	first = x86_here(b);
	if (c.label == NULL || c.is_target == NULL) {
		err_nomem(e);
	} else {
		find_targets(&c);
		rc = copy_all(&c, b, t, e);
	}
	free(c.label);
	free(c.is_target);
	if (rc == 0 && b->full)
		rc = err_set(e, &ERR_GENERIC, 0,
			     "no room for the copy of 0x%jx", (uintmax_t)addr);
	*nmoved = c.run.nmoved;
	return rc == 0 ? first : 0;
}

size_t
x86_copy_size(const uint8_t *bytes, uint64_t addr, uint32_t len,
	      const struct x86_point *points, size_t npoints)
{
	size_t n = X86_COPY_ALIGN + x86_tramp_size(0, points, npoints);
	struct code_insn in;

	for (uint32_t at = 0; at < len; at += in.len) {
		code_insn_decode(bytes + at, len - at, addr + at, &in);
		n += in.kind == CODE_I_PLAIN ? in.len : X86_INSN_ROOM;
		if ((addr + at) % X86_COPY_ALIGN == 0)
			n += X86_COPY_ALIGN;
	}
	return n;
}
