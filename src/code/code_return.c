/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_return.c - where a function returns.
 *
 * A function is left by ret, by a jump to another function (a tail call), or
 * through a part of it that the compiler has split off as unlikely
 * ("f.cold").  Such a part mostly ends in a call that does not return, or
 * jumps back; then it is no way out.  If every way out is one instruction that
 * always leaves, the list is exact, and probes on these instructions see every
 * return.  A conditional jump to another function, or a jump nobody can
 * follow, makes it inexact, and the return must be caught at the caller's
 * side.
 */
#include "code/code.h"

#include <stdlib.h>

static bool
body_has(const struct code_body *b, uint64_t addr)
{
	return addr - b->addr < b->n;
}

/* True if a split-off part only ends in calls or jumps back to its function. */
static bool
part_comes_back(const struct code_body *part, const struct code_body *home)
{
	ZydisDecoder d;
	struct code_insn in;

	code_decoder_init(&d);
	for (size_t at = 0; code_insn_at(&d, part, at, &in); at += in.len) {
		switch (in.kind) {
		case CODE_I_PLAIN:
		case CODE_I_CALL:
			break;
		case CODE_I_JMP:
		case CODE_I_JCC:
			if (!body_has(part, in.target) &&
			    !body_has(home, in.target))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* A direct jump out of the body. */
static bool
jump_out(const struct code_body *b, const struct code_world *w,
	 const struct code_insn *in, struct code_returns *r)
{
	struct code_body part = { 0 };

	switch (w->where(w->arg, in->target, &part)) {
	case CODE_W_FUNC:
		if (in->kind == CODE_I_JMP)
			return vec_push(&r->tails, in->off);
		break;
	case CODE_W_PART:
		if (part_comes_back(&part, b))
			return true;
		break;
	case CODE_W_ELSE:
		break;
	}
	r->exact = false;
	return true;
}

static bool
returns_step(const struct code_body *b, const struct code_world *w,
	     const struct code_insn *in, struct code_returns *r)
{
	switch (in->kind) {
	case CODE_I_RET:
		return vec_push(&r->rets, in->off);
	case CODE_I_JMP:
	case CODE_I_JCC:
		return body_has(b, in->target) || jump_out(b, w, in, r);
	case CODE_I_JMP_OUT:
		return vec_push(&r->tails, in->off);
	case CODE_I_JMP_UNKNOWN:
		r->exact = false;
		return true;
	default:
		return true;
	}
}

int
code_returns_find(const struct code_body *b, const struct code_world *w,
		  struct code_returns *r)
{
	ZydisDecoder d;
	struct code_insn in;
	uint32_t before[CODE_LOOKBACK];
	size_t at = 0, n = 0;

	*r = (struct code_returns){ .exact = true };
	code_decoder_init(&d);
	for (; code_insn_at(&d, b, at, &in); at += in.len) {
		if (in.kind == CODE_I_JMP_UNKNOWN)
			in.kind = code_jump_kind(&d, b, at, before, n);
		before[n++ % CODE_LOOKBACK] = in.off;
		/* A way out that no probe can be put on: "notrack jmp". */
		if (in.kind == CODE_I_JMP_OUT && !in.allowed)
			in.kind = CODE_I_JMP_UNKNOWN;
		if (returns_step(b, w, &in, r))
			continue;
		code_returns_fini(r);
		return -1;
	}
	if (at < b->n)
		r->exact = false;
	return 0;
}

void
code_returns_fini(struct code_returns *r)
{
	vec_fini(&r->rets);
	vec_fini(&r->tails);
}
