/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_insn.c - machine code cut into instructions, by Zydis.
 *
 * Decoding is linear from the function's first byte.  Compilers for x86-64
 * put jump tables in .rodata, not between instructions, so this is exact for
 * their code; hand-written assembly that is not so ends in bytes that do not
 * decode, and whoever asks is told that the rest is unknown.
 */
#include "code/code.h"

void
code_decoder_init(ZydisDecoder *d)
{
	ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

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
enum code_kind
code_jump_kind(const ZydisDecoder *d, const struct code_body *b, size_t off,
	       const uint32_t *before, size_t n)
{
	ZydisRegister reg = jump_reg(d, b, off);
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	if (reg == ZYDIS_REGISTER_NONE)
		return CODE_I_JMP_UNKNOWN;
	for (size_t i = 0; i < CODE_LOOKBACK && i < n; i++) {
		size_t at = before[(n - 1 - i) % CODE_LOOKBACK];

		if (!insn_full(d, b, at, &in, op))
			break;
		if (!insn_writes(&in, op, reg))
			continue;
		if (in.mnemonic == ZYDIS_MNEMONIC_ADD)
			return CODE_I_JMP_TABLE;
		if (in.mnemonic != ZYDIS_MNEMONIC_MOV)
			break;
		return insn_is_indexed(&op[1]) ? CODE_I_JMP_TABLE
					       : CODE_I_JMP_OUT;
	}
	return CODE_I_JMP_UNKNOWN;
}

/* An indirect jump, by itself. */
static enum code_kind
jump_shape(const ZydisDecoder *d, const struct code_body *b, size_t off)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	if (!insn_full(d, b, off, &in, op))
		return CODE_I_JMP_UNKNOWN;
	/* Only switches are exempt from landing on endbr64. */
	if ((in.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0)
		return CODE_I_JMP_TABLE;
	if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		return insn_is_indexed(&op[0]) ? CODE_I_JMP_TABLE
					       : CODE_I_JMP_OUT;
	return CODE_I_JMP_UNKNOWN;
}

bool
code_insn_at(const ZydisDecoder *d, const struct code_body *b, size_t off,
	     struct code_insn *out)
{
	ZydisDecodedInstruction in;
	bool direct;

	if (off >= b->n || ZYAN_FAILED(ZydisDecoderDecodeInstruction(
				   d, NULL, b->p + off, b->n - off, &in)))
		return false;
	*out = (struct code_insn){
		.off = (uint32_t)off,
		.len = in.length,
		.kind = CODE_I_PLAIN,
		.allowed = code_allowed(&in) &&
			   (off == 0 || !code_is_nop5(b->p + off, in.length))
	};
	direct = (in.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0 &&
		 in.raw.imm[0].is_relative;
	if (direct)
		out->target = b->addr + off + in.length +
			      (uint64_t)in.raw.imm[0].value.s;
	switch (in.meta.category) {
	case ZYDIS_CATEGORY_RET:
		out->kind = CODE_I_RET;
		break;
	case ZYDIS_CATEGORY_COND_BR:
		out->kind = CODE_I_JCC;
		break;
	case ZYDIS_CATEGORY_CALL:
		out->kind = CODE_I_CALL;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		out->kind = direct ? CODE_I_JMP : jump_shape(d, b, off);
		break;
	default:
		out->target = 0;
	}
	return true;
}

bool
code_insn_begins(const struct code_body *b, size_t off)
{
	ZydisDecoder d;
	struct code_insn in;
	size_t at = 0;

	code_decoder_init(&d);
	while (at < off && code_insn_at(&d, b, at, &in))
		at += in.len;
	return at == off && code_insn_at(&d, b, at, &in);
}

size_t
code_insn_count(const struct code_body *b)
{
	ZydisDecoder d;
	struct code_insn in;
	size_t n = 0;

	code_decoder_init(&d);
	for (size_t at = 0; code_insn_at(&d, b, at, &in); at += in.len)
		n++;
	return n;
}
