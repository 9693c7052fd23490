/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_depth.c - how much a function has on the stack at its instructions.
 *
 * Asked for only where a jump goes through a pointer: a tail call has taken
 * the frame down, a goto has not.  From the entry (depth 0) depths are handed
 * from instruction to instruction, along branches too, until nothing changes,
 * and then, when all of these are known, by tables; the first depth that
 * reaches an instruction stays.  Only what compilers do to
 * the stack pointer is understood; after anything else the depth is unknown.
 */
#include "code/code_x86_impl.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 8 /* loops are nested no deeper, as far as depths go */

/* Instructions that set the stack pointer from the frame pointer. */
static bool
depth_leave(const uint8_t *p, uint8_t rex, uint8_t op, uint8_t modrm,
	    struct code_depth *x)
{
	int32_t disp;

	if (op == 0xc9) { /* leave */
		x->d = x->frame - 8;
	} else if (rex == 0x48 && op == 0x89 && modrm == 0xec) {
		x->d = x->frame; /* mov %rbp,%rsp */
	} else if (rex == 0x48 && op == 0x8d && modrm == 0x65) {
		x->d = x->frame - (int8_t)p[3]; /* lea n(%rbp),%rsp */
	} else if (rex == 0x48 && op == 0x8d && modrm == 0xa5) {
		memcpy(&disp, p + 3, 4);
		x->d = x->frame - disp;
	} else {
		return false;
	}
	if (x->frame == DEPTH_UNKNOWN)
		x->d = DEPTH_UNKNOWN;
	return true;
}

/* add, sub, and, lea of the stack pointer by a constant. */
static void
depth_add(const uint8_t *p, uint8_t op, uint8_t modrm, struct code_depth *x)
{
	int32_t imm;

	if (op == 0x8d && (modrm == 0x64 || modrm == 0xa4) && p[3] == 0x24) {
		imm = (int8_t)p[4];
		if (modrm == 0xa4)
			memcpy(&imm, p + 4, 4);
		x->d -= imm; /* lea n(%rsp),%rsp */
		return;
	}
	if ((op != 0x81 && op != 0x83) || (modrm & 0xc7) != 0xc4)
		return;
	imm = (int8_t)p[3];
	if (op == 0x81)
		memcpy(&imm, p + 3, 4);
	if (modrm == 0xc4)
		x->d -= imm;
	else if (modrm == 0xec)
		x->d += imm;
	else if (modrm == 0xe4)
		x->d = DEPTH_UNKNOWN;
}

/* The depth after an instruction that has it before. */
static void
depth_step(const struct code_step *t, struct code_depth *x)
{
	uint8_t b[15] = { 0 }, rex = 0, op, modrm;
	unsigned n = 0;

	memcpy(b, t->p, t->in.len);
	if ((b[0] & 0xf0) == 0x40)
		rex = b[n++];
	op = b[n];
	modrm = b[n + 1];
	if (op == 0x5c && (rex & 1) == 0)
		x->d = DEPTH_UNKNOWN; /* pop %rsp */
	else if ((op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a ||
		 (op == 0xff && (modrm & 0x38) == 0x30) || op == 0x9c)
		x->d += 8;
	else if ((op >= 0x58 && op <= 0x5f) || op == 0x8f || op == 0x9d)
		x->d -= 8;
	else if (rex == 0x48 && op == 0x89 && modrm == 0xe5)
		x->frame = x->d; /* mov %rsp,%rbp */
	else if (!depth_leave(b, rex, op, modrm, x) && rex == 0x48)
		depth_add(b, op, modrm, x);
	if (x->d < -8 || x->d > 1 << 30)
		x->d = DEPTH_UNKNOWN;
}

/* Hand a depth to the instruction at addr; true: that is news. */
static bool
depth_give(struct code_scan *s, uint64_t addr, struct code_depth x)
{
	const struct code_fn *f = s->fn;
	size_t i = code_fn_lower(f->insns.v, f->insns.n, addr);

	if (i == f->insns.n || f->insns.v[i] != addr || x.d == DEPTH_UNKNOWN ||
	    s->depths[i].d != DEPTH_UNKNOWN)
		return false;
	s->depths[i] = x;
	return true;
}

/*
 * OCaml pushes where a handler of exceptions begins, and then the one before
 * it:
 *
 *	lea handler(%rip), %r11;  push %r11;  push n(%r14)
 *
 * The handler is entered with both taken off again, and no jump through a
 * pointer leads to it.
 */
static bool
depth_is_handler(const struct code_scan *s, size_t i)
{
	static const uint8_t lea[] = { 0x4c, 0x8d, 0x1d };
	static const uint8_t pushes[] = { 0x41, 0x53, 0x41, 0xff, 0x76 };
	const struct code_step *t = &s->steps.v[i];

	/* The three stand one behind the other in the bytes of a part. */
	return i + 2 < s->steps.n && memcmp(t->p, lea, sizeof(lea)) == 0 &&
	       t[2].addr + t[2].in.len - t->addr == 13 &&
	       memcmp(t->p + 7, pushes, sizeof(pushes)) == 0;
}

/* One walk over all instructions; true: something was learnt. */
static bool
depth_round(struct code_scan *s)
{
	bool news = false;

	for (size_t i = 0; i < s->steps.n; i++) {
		const struct code_step *t = &s->steps.v[i];
		struct code_depth x = s->depths[i];

		if (x.d == DEPTH_UNKNOWN)
			continue;
		if (t->in.kind == CODE_I_JCC || t->in.kind == CODE_I_JMP)
			news |= depth_give(s, t->in.target, x);
		if (depth_is_handler(s, i))
			news |= depth_give(s, t->in.target, x);
		if (t->in.kind == CODE_I_PLAIN)
			depth_step(t, &x);
		else if (t->in.kind != CODE_I_JCC &&
			 t->in.kind != CODE_I_CALL &&
			 t->in.kind != CODE_I_CALL_IND &&
			 t->in.kind != CODE_I_SYSCALL)
			continue;
		if (i + 1 < s->steps.n &&
		    s->steps.v[i + 1].addr == t->addr + t->in.len &&
		    s->depths[i + 1].d == DEPTH_UNKNOWN &&
		    x.d != DEPTH_UNKNOWN) {
			s->depths[i + 1] = x;
			news = true;
		}
	}
	return news;
}

static void
depth_rounds(struct code_scan *s)
{
	for (int round = 0; round < ROUNDS && depth_round(s); round++)
		;
}

/* Along the tables; true: something was learnt. */
static bool
depth_tables(struct code_scan *s)
{
	bool news = false;

	for (size_t i = 0; i < s->edges.n; i++)
		news |= depth_give(s, s->edges.v[i].to,
				   s->depths[s->edges.v[i].from]);
	return news;
}

int32_t
code_scan_depth(struct code_scan *s, size_t i)
{
	const struct code_depth unknown = { DEPTH_UNKNOWN, DEPTH_UNKNOWN };
	const struct code_depth entry = { 0, DEPTH_UNKNOWN };

	if (s->depths != NULL)
		return s->depths[i].d;
	s->depths = reallocarray(NULL, s->steps.n, sizeof(*s->depths));
	if (s->depths == NULL) {
		s->nomem = true;
		return DEPTH_UNKNOWN;
	}
	for (size_t k = 0; k < s->steps.n; k++) {
		s->depths[k] = unknown;
		if (depth_is_handler(s, k) &&
		    !vec_push(&s->tabled, s->steps.v[k].in.target))
			s->nomem = true;
	}
	depth_give(s, s->fn->part[0].addr, entry);
	depth_rounds(s);
	for (int round = 0; s->again && round < ROUNDS && depth_tables(s);
	     round++)
		depth_rounds(s);
	return s->depths[i].d;
}

bool
code_x86_bare(struct code_scan *s, size_t i)
{
	struct code_depth x;

	if (code_scan_depth(s, i) != 0)
		return false;
	x = s->depths[i];
	if (s->steps.v[i].in.kind == CODE_I_PLAIN)
		depth_step(&s->steps.v[i], &x);
	return x.d == 0;
}
