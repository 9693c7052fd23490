/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_reloc.c - instructions moved to another address.
 *
 * Most are copied.  Those that know where they are become:
 *
 *   op ..., [rip + x]   the same, the displacement aimed anew
 *   jmp, jcc            the same to the same place, in the form that reaches
 *   loop, jrcxz         loop yes; jmp no; yes: jmp target; no:
 *   call target         push [rip + literal]; jmp target; literal: successor
 *   call [mem]          push [rip + literal]; jmp [mem]; literal: successor
 *
 * A call that is moved returns to the successor of the original, so no return
 * address ever points into a copy and unwinders see nothing.  The return
 * address is pushed from memory: one store of eight bytes, as a call makes it,
 * whatever the address, and neither registers nor flags are needed.
 *
 * Operands of a call that are relative to rsp are read after the push, so they
 * move by 8.
 */
#include <string.h>

#include <Zydis/Zydis.h>

#include "engine/x86/x86_emit.h"

/* 32-bit displacement from `next` reaches `to`. */
static bool
reaches(uint64_t next, uint64_t to)
{
	int64_t d = (int64_t)(to - next);

	return d == (int32_t)d;
}

static int
far_off(uint64_t addr, struct err *e)
{
	return err_set(e, &ERR_GENERIC, 0,
		       "the instruction at 0x%jx refers to a place out of "
		       "reach of its copy",
		       (uintmax_t)addr);
}

static int
copy(struct x86_buf *out, const uint8_t *p, const ZydisDecodedInstruction *d,
     const struct code_insn *in, uint64_t addr, struct err *e)
{
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	uint32_t rel;

	memcpy(bytes, p, in->len);
	if (in->pc_rel) {
		uint64_t next = x86_here(out) + in->len;
		if (!reaches(next, in->target))
			return far_off(addr, e);
		rel = (uint32_t)(in->target - next);
		memcpy(bytes + d->raw.disp.offset, &rel, 4);
	}
	x86_bytes(out, bytes, in->len);
	return 0;
}

static int
branch(struct x86_buf *out, const uint8_t *p, const ZydisDecodedInstruction *d,
       const struct code_insn *in)
{
	if (in->kind == CODE_I_JMP)
		x86_jmp_to(out, in->target);
	else if ((d->opcode & 0xf0) == 0xe0) { /* loop, loope, jrcxz ... */
		x86_bytes(out, p, in->len - 1u); /* an address prefix counts */
		x86_bytes(out, "\x02\xeb\x05\xe9", 4);
		x86_u32(out,
			(uint32_t)(in->target - (x86_here(out) + 4)));
	} else
		x86_jcc_to(out, (enum x86_cc)(d->opcode & 15), in->target);
	return 0;
}

/* The memory operand of an indirect call, as it is after a push. */
static int
reloc_operand(const ZydisDecodedInstruction *d, const struct code_insn *in,
	struct x86_mem *m)
{
	int64_t disp = d->raw.disp.value;
	unsigned base = d->raw.modrm.rm, index = 4;

	*m = x86_m(X86_NONE, 0);
	if (in->pc_rel) {
		*m = x86_mrip(in->target);
		return 0;
	}
	if (base == 4) {
		base = d->raw.sib.base;
		index = d->raw.sib.index | d->raw.rex.X << 3u;
		m->scale = (uint8_t)(1u << d->raw.sib.scale);
	}
	if (base != 5 || d->raw.modrm.mod != 0)
		m->base = (uint8_t)(base | d->raw.rex.B << 3u);
	if (index != 4)
		m->index = (uint8_t)index;
	if (m->base == X86_RSP)
		disp += 8;
	if (disp != (int32_t)disp)
		return -1;
	m->disp = (int32_t)disp;
	m->fs = (d->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) != 0;
	return 0;
}

static int
cannot(uint64_t addr, struct err *e)
{
	return err_set(e, &ERR_GENERIC, 0,
		       "the instruction at 0x%jx cannot be moved",
		       (uintmax_t)addr);
}

static int
reloc_call(struct x86_buf *out, const ZydisDecodedInstruction *d,
     const struct code_insn *in, uint64_t addr, struct err *e)
{
	struct x86_label literal = { 0 };
	unsigned reg = d->raw.modrm.rm | d->raw.rex.B << 3u;
	struct x86_mem m = x86_m(X86_NONE, 0);
	bool direct = in->kind == CODE_I_CALL;
	bool by_reg = !direct && d->raw.modrm.mod == 3;

	if (!direct && !by_reg && reloc_operand(d, in, &m) != 0)
		return cannot(addr, e);
	if ((d->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) != 0 ||
	    d->address_width != 64 || (by_reg && reg == X86_RSP))
		return cannot(addr, e);
	x86_push_label(out, &literal);
	if (direct)
		x86_jmp_to(out, in->target);
	else if (by_reg)
		x86_jmp_r(out, reg);
	else
		x86_jmp_m(out, m);
	x86_bind(out, &literal);
	x86_u64(out, addr + in->len);
	return 0;
}

static bool
refers(const struct code_insn *in)
{
	return in->pc_rel || in->kind == CODE_I_JMP || in->kind == CODE_I_JCC ||
	       in->kind == CODE_I_CALL;
}

/* Longest code that a copy becomes, before the place it refers to. */
#define REACH_SLACK 32

int
x86_reloc_insn(struct x86_buf *out, const uint8_t *p, size_t n, uint64_t addr,
	       struct err *e)
{
	ZydisDecodedInstruction d;
	struct code_insn in;
	ZydisDecoder dec;

	code_insn_decode(p, n, addr, &in);
	if (in.kind == CODE_I_BAD || in.fixed || p[0] == 0xcc)
		return cannot(addr, e);
	if (in.kind == CODE_I_PLAIN && !in.pc_rel) {
		x86_bytes(out, p, in.len);
		return 0;
	}
	ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&dec, NULL, p, n, &d)))
		return cannot(addr, e);
	if (refers(&in) && (!reaches(x86_here(out), in.target) ||
			    !reaches(x86_here(out) + REACH_SLACK, in.target)))
		return far_off(addr, e);
	switch ((enum code_kind)in.kind) {
	case CODE_I_JMP:
	case CODE_I_JCC:
		return branch(out, p, &d, &in);
	case CODE_I_CALL:
	case CODE_I_CALL_IND:
		return reloc_call(out, &d, &in, addr, e);
	default:
		return copy(out, p, &d, &in, addr, e);
	}
}
