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
#include "code/code_impl.h"

#include <stdlib.h>

enum jump_kind {
	JUMP_TABLE,  /* to a case of a switch */
	JUMP_OUT,    /* to a function, by pointer: a tail call */
	JUMP_UNKNOWN /* one of these two */
};
#define CODE_LOOKBACK 10

/* ---- jumps --------------------------------------------------------------- */

static bool
insn_full(const ZydisDecoder *d, const struct code_body *b, size_t off,
	  ZydisDecodedInstruction *in, ZydisDecodedOperand *op)
{
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(d, b->p + off, b->n - off, in, op));
}

/* Where the jumps of a switch come from: base + index * scale. */
static bool
insn_is_indexed(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       op->mem.index != ZYDIS_REGISTER_NONE;
}

static bool
insn_writes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
	    ZydisRegister reg)
{
	for (int i = 0; i < in->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
		    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						     op[i].reg.value) == reg)
			return true;
	return false;
}

/* The register a jump goes through; NONE if it is not such a jump. */
static ZydisRegister
jump_reg(const ZydisDecoder *d, const struct code_body *b, size_t off)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	if (!insn_full(d, b, off, &in, op) ||
	    op[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return ZYDIS_REGISTER_NONE;
	return op[0].reg.value;
}

/*
 * By the last instruction before it that wrote the register: a switch adds
 * the table's base to an entry, or loads an entry by index; a tail call loads
 * or moves a pointer.
 */
static enum jump_kind
jump_kind(const ZydisDecoder *d, const struct code_body *b, size_t off,
	  const uint32_t *before, size_t n)
{
	ZydisRegister reg = jump_reg(d, b, off);
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	if (reg == ZYDIS_REGISTER_NONE)
		return JUMP_UNKNOWN;
	for (size_t i = 0; i < CODE_LOOKBACK && i < n; i++) {
		size_t at = before[(n - 1 - i) % CODE_LOOKBACK];

		if (!insn_full(d, b, at, &in, op))
			break;
		if (!insn_writes(&in, op, reg))
			continue;
		if (in.mnemonic == ZYDIS_MNEMONIC_ADD)
			return JUMP_TABLE;
		if (in.mnemonic != ZYDIS_MNEMONIC_MOV)
			break;
		return insn_is_indexed(&op[1]) ? JUMP_TABLE : JUMP_OUT;
	}
	return JUMP_UNKNOWN;
}

/* An indirect jump, by itself. */
static enum jump_kind
jump_shape(const ZydisDecoder *d, const struct code_body *b, size_t off)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	if (!insn_full(d, b, off, &in, op))
		return JUMP_UNKNOWN;
	/* Only switches are exempt from landing on endbr64. */
	if ((in.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0)
		return JUMP_TABLE;
	if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		return insn_is_indexed(&op[0]) ? JUMP_TABLE : JUMP_OUT;
	return JUMP_UNKNOWN;
}

/* ---- ways out ------------------------------------------------------------ */

static bool
body_has(const struct code_body *b, uint64_t addr)
{
	return addr - b->addr < b->n;
}

/* True if a split-off part only ends in calls or jumps back to its function. */
static bool
part_comes_back(const struct code_body *part, const struct code_body *home)
{
	struct code_insn in;

	for (size_t at = 0; code_insn_at(part, at, &in); at += in.len) {
		switch (in.kind) {
		case CODE_I_PLAIN:
		case CODE_I_CALL:
		case CODE_I_CALL_IND:
		case CODE_I_SYSCALL:
		case CODE_I_TRAP:
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
jump_out(const struct code_body *b, const struct code_around *w, uint32_t off,
	 const struct code_insn *in, struct code_returns *r)
{
	struct code_body part = { 0 };

	switch (w->where(w->arg, in->target, &part)) {
	case CODE_W_FUNC:
		if (in->kind == CODE_I_JMP)
			return vec_push(&r->tails, off);
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
returns_step(const struct code_body *b, const struct code_around *w,
	     uint32_t off, const struct code_insn *in, enum jump_kind jump,
	     struct code_returns *r)
{
	switch (in->kind) {
	case CODE_I_RET:
		return vec_push(&r->rets, off);
	case CODE_I_JMP:
	case CODE_I_JCC:
		return body_has(b, in->target) || jump_out(b, w, off, in, r);
	case CODE_I_JMP_IND:
		/* A way out that no probe can be put on: "notrack jmp". */
		if (jump == JUMP_OUT && in->allowed)
			return vec_push(&r->tails, off);
		if (jump != JUMP_TABLE)
			r->exact = false;
		return true;
	default:
		return true;
	}
}

int
code_returns_find(const struct code_body *b, const struct code_around *w,
		  struct code_returns *r)
{
	ZydisDecoder d;
	struct code_insn in;
	uint32_t before[CODE_LOOKBACK];
	size_t at = 0, n = 0;

	*r = (struct code_returns){ .exact = true };
	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (; code_insn_at(b, at, &in); at += in.len) {
		enum jump_kind jump = JUMP_UNKNOWN;

		if (in.kind == CODE_I_JMP_IND)
			jump = jump_shape(&d, b, at);
		if (in.kind == CODE_I_JMP_IND && jump == JUMP_UNKNOWN)
			jump = jump_kind(&d, b, at, before, n);
		before[n++ % CODE_LOOKBACK] = (uint32_t)at;
		if (returns_step(b, w, (uint32_t)at, &in, jump, r))
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
