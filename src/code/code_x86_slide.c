/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_slide.c - placing an entry probe where it is cheap.
 *
 * The kernel emulates a few instructions under a uprobe (nop, push of a
 * register, jmp, call, jcc: about 0.5 us a firing) and single-steps every
 * other (about 9 us).  Most functions begin with one of the few, or reach one
 * soon; the probe may slide there if nobody can see it: on the way no argument
 * register, stack pointer, frame pointer or memory is written, nothing
 * branches, and nothing can fault.
 *
 *	f:	endbr64			slid over
 *		lea    0x1234(%rip),%r11	slid over
 *		push   %rbp		<- the probe
 *		mov    %rsp,%rbp
 *
 * Nor may control enter between the first byte and the probe, or reach the
 * probe again: no direct branch of the function may lead there, and no other
 * symbol may be there.  Where jumps through tables go is not known.  They
 * cannot go to a push that saves a register (it would be saved twice) or back
 * before it; before any other instruction there might be a loop, so such
 * functions keep the probe at their first byte.
 *
 * A five-byte nop is cheap on kernels that rewrite it into a call, and is
 * safe only where the red zone is dead, which it is here, since nothing was
 * written yet.  It is taken if nothing better follows.
 */
#include "code/code_x86_impl.h"

#define SLIDE_INSNS 16
#define SLIDE_BYTES 64

enum slide_step {
	STEP_PUSH,  /* emulated, and cannot be a loop's head */
	STEP_OTHER, /* emulated */
	STEP_NOP5,
	STEP_OVER, /* may be slid over */
	STEP_STOP
};

/*
 * What the kernel emulates: branch_setup_xol_ops() and push_setup_xol_ops()
 * of arch/x86/kernel/uprobes.c know these opcodes, without a 16-bit prefix.
 */
static enum slide_step
slide_emulated(const ZydisDecodedInstruction *in)
{
	unsigned op = in->opcode;

	if ((in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) != 0)
		return STEP_STOP;
	if (in->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return op >= 0x80 && op <= 0x8f ? STEP_OTHER : STEP_STOP;
	if (in->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return STEP_STOP;
	if (op >= 0x50 && op <= 0x57)
		return in->length == 1 || (in->length == 2 &&
					   (in->attributes &
					    ZYDIS_ATTRIB_HAS_REX) != 0)
			       ? STEP_PUSH
			       : STEP_STOP;
	if ((op >= 0x70 && op <= 0x7f) || op == 0xe8 || op == 0xe9 ||
	    op == 0xeb || (op == 0x90 && in->mnemonic == ZYDIS_MNEMONIC_NOP))
		return STEP_OTHER;
	return STEP_STOP;
}

/* Kinds of instructions that do nothing but compute. */
static bool
slide_computes(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_BINARY:
		return in->mnemonic != ZYDIS_MNEMONIC_DIV &&
		       in->mnemonic != ZYDIS_MNEMONIC_IDIV;
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_BROADCAST:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	case ZYDIS_CATEGORY_MISC:
		return in->mnemonic == ZYDIS_MNEMONIC_LEA;
	case ZYDIS_CATEGORY_CET:
		return in->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	default:
		return false;
	}
}

/* Registers that hold arguments, or that stack walks begin with. */
static bool
slide_reg_kept(ZydisRegister reg)
{
	switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						 reg)) {
	case ZYDIS_REGISTER_RDI:
	case ZYDIS_REGISTER_RSI:
	case ZYDIS_REGISTER_RDX:
	case ZYDIS_REGISTER_RCX:
	case ZYDIS_REGISTER_R8:
	case ZYDIS_REGISTER_R9:
	case ZYDIS_REGISTER_RSP:
	case ZYDIS_REGISTER_RBP:
		return true;
	default:
		return false;
	}
}

/*
 * Memory that can be read without a fault: relative to the code, to the stack
 * pointer, or in the thread's own block.  A function that dies on a bad
 * argument in its first instructions must have fired its entry probe.
 */
static bool
slide_mem_sure(const ZydisDecodedOperand *op)
{
	if ((op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 ||
	    op->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	if (op->mem.base == ZYDIS_REGISTER_NONE)
		return op->mem.segment == ZYDIS_REGISTER_FS;
	return op->mem.base == ZYDIS_REGISTER_RIP ||
	       op->mem.base == ZYDIS_REGISTER_RSP;
}

static bool
slide_harmless(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	if (!slide_computes(in) || in->mnemonic == ZYDIS_MNEMONIC_XCHG)
		return false;
	if (in->meta.category == ZYDIS_CATEGORY_NOP ||
	    in->meta.category == ZYDIS_CATEGORY_WIDENOP)
		return true;
	for (int i = 0; i < in->operand_count; i++) {
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		    !slide_mem_sure(&op[i]))
			return false;
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
		    slide_reg_kept(op[i].reg.value))
			return false;
	}
	return true;
}

static enum slide_step
slide_step(const ZydisDecoder *d, const struct code_body *b, size_t off,
	   size_t *len, bool *allowed)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	enum slide_step s;

	if (off >= b->n || ZYAN_FAILED(ZydisDecoderDecodeFull(
				   d, b->p + off, b->n - off, &in, op)))
		return STEP_STOP;
	*len = in.length;
	*allowed = code_allowed(&in);
	s = *allowed ? slide_emulated(&in) : STEP_STOP;
	if (s != STEP_STOP)
		return s;
	if (code_is_nop5(b->p + off, in.length))
		return STEP_NOP5;
	return slide_harmless(&in, op) ? STEP_OVER : STEP_STOP;
}

/* True if an indirect jump may lead back into the function.  One through a
   pointer in memory, without an index, is a tail call. */
static bool
slide_jump_loops(const ZydisDecoder *d, const struct code_body *b, size_t off)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	return ZYAN_FAILED(ZydisDecoderDecodeFull(d, b->p + off, b->n - off,
						  &in, op)) ||
	       (in.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0 ||
	       op[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
	       op[0].mem.index != ZYDIS_REGISTER_NONE;
}

/* Branches to (from, to]. */
struct slide_near {
	uint64_t from, to;
	bool any;
};

static void
slide_near_note(void *arg, uint64_t to)
{
	struct slide_near *x = arg;

	x->any |= to > x->from && to <= x->to;
}

/* True if neighbours branch there, as functions of a family do that share
   code. */
static bool
slide_shared(const struct code_body *b, size_t to)
{
	const struct code_part part = { b->addr, b->n };
	struct slide_near x = { b->addr, b->addr + to, false };

	if (b->w != NULL)
		code_x86_near_each(b->w, &part, slide_near_note, &x);
	return x.any;
}

/* True if control could come to (0, to] other than from the first byte. */
static bool
slide_entered(const ZydisDecoder *d, const struct code_body *b, size_t to,
	      bool loopable)
{
	struct code_insn in;
	size_t at = 0;

	if (b->next <= to || slide_shared(b, to))
		return true;
	for (; code_insn_at(b, at, &in); at += in.len) {
		if (!in.pc_rel && in.target > b->addr &&
		    in.target <= b->addr + to)
			return true;
		if (loopable && in.kind == CODE_I_JMP_IND &&
		    slide_jump_loops(d, b, at))
			return true;
	}
	return at < b->n; /* not all is code: who knows */
}

size_t
code_x86_slide(const struct code_body *b)
{
	enum slide_step s = STEP_STOP;
	size_t off = 0, nop5 = 0, len = 0, first = CODE_NOWHERE;
	bool allowed = false;
	ZydisDecoder d;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < SLIDE_INSNS && off < SLIDE_BYTES; i++) {
		s = slide_step(&d, b, off, &len, &allowed);
		if (allowed && first == CODE_NOWHERE)
			first = off;
		if (s != STEP_OVER && s != STEP_NOP5)
			break;
		if (s == STEP_NOP5 && nop5 == 0)
			nop5 = off;
		off += len;
	}
	if (s != STEP_PUSH && s != STEP_OTHER) {
		off = nop5;
		s = STEP_NOP5;
	}
	if (off != 0 && !slide_entered(&d, b, off, s == STEP_OTHER))
		return off;
	/* No cheap place: the first one there is. */
	if (first == 0 ||
	    (first != CODE_NOWHERE && !slide_entered(&d, b, first, true)))
		return first;
	return CODE_NOWHERE;
}
