/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_insn.c - what an instruction of x86-64 does, as far as moving and
 * probing need.
 *
 * Zydis decodes; operands are not asked for (the raw fields of an instruction
 * tell what we need), since whole libraries come through here.
 */
#include "code/code_x86_impl.h"

#include <string.h>

#define ARITH                                                                  \
	(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF |              \
	 ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF)

static bool
decode(const uint8_t *p, size_t n, ZydisDecodedInstruction *d)
{
	ZydisDecoder dec;

	return ZYAN_SUCCESS(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&dec, NULL, p, n, d));
}

/* Control does not go on after it, or not by the program's own doing. */
static bool
traps(const ZydisDecodedInstruction *d)
{
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		return true;
	default:
		return false;
	}
}

static bool
calls_kernel(const ZydisDecodedInstruction *d)
{
	return d->mnemonic == ZYDIS_MNEMONIC_SYSCALL ||
	       d->mnemonic == ZYDIS_MNEMONIC_SYSENTER ||
	       (d->mnemonic == ZYDIS_MNEMONIC_INT &&
		d->raw.imm[0].value.u == 0x80);
}

static enum code_kind
kind_of(const ZydisDecodedInstruction *d)
{
	bool direct = d->raw.imm[0].is_relative;

	switch (d->meta.category) {
	case ZYDIS_CATEGORY_RET:
		if (traps(d)) /* iret, sysret */
			return CODE_I_TRAP;
		return CODE_I_RET;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? CODE_I_JMP : CODE_I_JMP_IND;
	case ZYDIS_CATEGORY_COND_BR:
		return direct ? CODE_I_JCC : CODE_I_PLAIN;
	case ZYDIS_CATEGORY_CALL:
		return direct ? CODE_I_CALL : CODE_I_CALL_IND;
	default:
		if (calls_kernel(d))
			return CODE_I_SYSCALL;
		return traps(d) ? CODE_I_TRAP : CODE_I_PLAIN;
	}
}

static bool
moves_control(enum code_kind kind)
{
	return kind == CODE_I_RET || kind == CODE_I_JMP || kind == CODE_I_JCC ||
	       kind == CODE_I_CALL || kind == CODE_I_JMP_IND ||
	       kind == CODE_I_CALL_IND;
}

/*
 * What we do not know how to move: transactions, whose abort goes to a place
 * of its own; far transfers; 16-bit ones (processors disagree about 66h);
 * eip-relative operands.
 */
static bool
is_fixed(const ZydisDecodedInstruction *d, enum code_kind kind)
{
	if (d->mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
	    d->mnemonic == ZYDIS_MNEMONIC_XABORT ||
	    d->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return true;
	if (moves_control(kind) &&
	    (d->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) != 0 &&
	    d->raw.rex.W == 0)
		return true;
	return d->address_width != 64 &&
	       (d->attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
	       d->raw.modrm.mod == 0 && d->raw.modrm.rm == 5;
}

/*
 * Shifts by nothing and repeated string operations over nothing leave the
 * flags as they were, whatever the table says.
 */
static bool
may_leave_flags(const ZydisDecodedInstruction *d)
{
	return d->meta.category == ZYDIS_CATEGORY_SHIFT ||
	       d->meta.category == ZYDIS_CATEGORY_ROTATE ||
	       d->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static void
flags_of(const ZydisDecodedInstruction *d, struct code_insn *out)
{
	const ZydisAccessedFlags *f = d->cpu_flags;
	uint32_t written;

	if (f == NULL)
		return;
	written = f->modified | f->set_0 | f->set_1 | f->undefined;
	out->flags_read = (f->tested & ARITH) != 0;
	out->flags_killed = !out->flags_read && !may_leave_flags(d) &&
			    (written & ARITH) == ARITH;
}

static void
x86_decode(const uint8_t *p, size_t n, uint64_t addr, struct code_insn *out)
{
	ZydisDecodedInstruction d;

	*out = (struct code_insn){ .len = 1, .kind = CODE_I_BAD };
	if (n == 0 || !decode(p, n, &d))
		return;
	out->len = d.length;
	out->kind = (uint8_t)kind_of(&d);
	out->fixed = is_fixed(&d, out->kind);
	out->nop = d.mnemonic == ZYDIS_MNEMONIC_NOP;
	if (d.raw.imm[0].is_relative)
		out->target = addr + d.length + d.raw.imm[0].value.u;
	else if ((d.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
		 d.raw.modrm.mod == 0 && d.raw.modrm.rm == 5 &&
		 d.raw.disp.size == 32) {
		out->pc_rel = true;
		out->target = addr + d.length + (uint64_t)d.raw.disp.value;
	}
	out->allowed = code_allowed(&d);
	flags_of(&d, out);
}

static bool
x86_is_nop(const uint8_t *p, size_t n)
{
	ZydisDecodedInstruction d;

	if (n == 0)
		return false;
	if (p[0] == 0xcc || p[0] == 0x90)
		return true;
	return decode(p, n, &d) && d.mnemonic == ZYDIS_MNEMONIC_NOP;
}

/* Mnemonics that assemblers write otherwise. */
static const char *
x86_usual(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_JZ: return "je";
	case ZYDIS_MNEMONIC_JNZ: return "jne";
	case ZYDIS_MNEMONIC_JNB: return "jae";
	case ZYDIS_MNEMONIC_JNBE: return "ja";
	case ZYDIS_MNEMONIC_JNL: return "jge";
	case ZYDIS_MNEMONIC_JNLE: return "jg";
	default: return ZydisMnemonicGetString(m);
	}
}

static const char *
x86_name(const uint8_t *p, size_t n)
{
	static const struct {
		ZydisInstructionAttributes has;
		const char *name;
	} prefixes[] = {
		{ ZYDIS_ATTRIB_HAS_LOCK, "lock" },
		{ ZYDIS_ATTRIB_HAS_REP, "rep" },
		{ ZYDIS_ATTRIB_HAS_REPZ, "repz" },
		{ ZYDIS_ATTRIB_HAS_REPNZ, "repnz" },
	};
	ZydisDecodedInstruction d;

	if (n == 0 || !decode(p, n, &d))
		return NULL;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if ((d.attributes & prefixes[i].has) != 0)
			return prefixes[i].name;
	return x86_usual(d.mnemonic);
}

static bool
x86_is_plant(const struct code_step *t)
{
	return t->in.len == 1 && t->p[0] == 0x90;
}

/* mov $60 or $231,%eax; syscall: exit, exit_group. */
static bool
x86_exits(const struct code_scan *s, size_t i)
{
	const struct code_step *t = s->steps.v;
	static const uint8_t mov[] = { 0xb8, 0, 0, 0, 0 };

	return i > 0 && t[i - 1].addr + t[i - 1].in.len == t[i].addr &&
	       t[i - 1].in.len == sizeof(mov) && t[i - 1].p[0] == mov[0] &&
	       (t[i - 1].p[1] == 60 || t[i - 1].p[1] == 231) &&
	       memcmp(t[i - 1].p + 2, mov + 2, 3) == 0;
}

/* Relative to the pc; as an immediate, where addresses are small or large. */
static void
x86_refs(struct code_scan *s, const struct code_step *t)
{
	uint32_t v32;
	uint64_t v64;

	if (t->in.pc_rel) {
		code_scan_target(s, t->in.target);
		if (code_step_is_lea(t))
			code_scan_label(s, t->in.target);
	}
	if (t->in.len >= 5 && t->addr < UINT32_MAX) {
		memcpy(&v32, t->p + t->in.len - 4, 4);
		code_scan_target(s, v32);
		code_scan_label(s, v32);
	}
	if (t->in.len >= 10) {
		memcpy(&v64, t->p + t->in.len - 8, 8);
		code_scan_target(s, v64);
	}
}

static bool
x86_takes(const struct code_step *t, const struct code_step *before,
	  uint64_t *addr)
{
	uint32_t v;

	*addr = t->in.target;
	if (t->in.pc_rel || t->in.kind != CODE_I_PLAIN || t->in.len < 5 ||
	    t->addr >= UINT32_MAX)
		return code_step_is_lea(t);
	memcpy(&v, t->p + t->in.len - 4, 4);
	*addr = v;
	return true;
}

const struct code_machine code_machine = {
	.insn = x86_decode,
	.is_nop = x86_is_nop,
	.name = x86_name,
	.slide = code_x86_slide,
	.harms_inside = code_is_nop5,
	.is_plant = x86_is_plant,
	.exits = x86_exits,
	.refs = x86_refs,
	.takes = x86_takes,
	.jump = code_x86_jump,
	.recurs = code_x86_recurs,
	.bare = code_x86_bare,
	.near = code_x86_near,
	.cfi = code_x86_cfi,
};
