/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_cfi.c - where the caller's frame is at each instruction of a
 * function of which no table says so: code written by hand, or by a generator
 * that writes no tables, as V8's builtins.
 *
 * From the first instruction, where the return address is at rsp, what is known
 * of rsp and rbp is handed on along all branches until nothing changes; where
 * two ways meet that disagree, nothing is known.  Besides pushes, pops and
 * constants there is one thing that such code does and compilers do not: it
 * takes the return address into a register, does something to the arguments
 * behind it, and pushes it back; or it pushes a copy of it, and writes over the
 * first.
 *
 * Whatever is known, a ret has the return address at rsp.  Instructions that no
 * way from the start leads to have no rows.
 */
#include "code/code_x86_impl.h"

#include <stdlib.h>
#include <string.h>

#define CFI_BYTES_MAX (1u << 18) /* of a function */
#define CFI_VISITS    16u	 /* for each of its bytes: no more */
#define CFI_UNKNOWN   INT32_MIN
#define CFI_MEMORY    0xff /* the return address is where it should be */
#define CFI_GONE      0xfe /* nobody knows where */
#define CFI_COMING    0xfd /* a loop is about to copy it to where rsp is now */
#define CFI_REGS      16u
#define CFI_RSP	      4u   /* registers, as instructions number them */
#define CFI_RBP	      5u

struct cfi_state {
	int32_t rsp, rbp; /* CFA - register; CFI_UNKNOWN */
	int32_t saved;	  /* CFA - where the caller's rbp is */
	uint8_t is;	  /* enum elf_rbp: SAME, AT_CFA, LOST */
	uint8_t ret;	  /* CFI_MEMORY ..., or the register it is in */
	uint8_t len;	  /* of the instruction; 0: it was not looked at */
	uint8_t given;	  /* something led here */
	uint8_t rets;	  /* the instruction is a ret */
};

struct cfi_scan {
	const struct code_body *b;
	struct cfi_state *at; /* by offset: before the instruction there */
	VEC(uint32_t) todo;
	size_t visits;
	ZydisDecoder dec;
	bool failed;
};

/* ---- what an instruction does -------------------------------------------- */

static void
cfi_move(struct cfi_state *x, int64_t by)
{
	int64_t rsp = x->rsp + by;

	if (x->rsp == CFI_UNKNOWN)
		return;
	x->rsp = rsp < 0 || rsp > CFI_BYTES_MAX ? CFI_UNKNOWN : (int32_t)rsp;
	/* The return address has been given up. */
	if (x->rsp < 8 && x->ret >= CFI_REGS)
		x->ret = CFI_GONE;
}

/* The caller's rbp is back, if it is read from where it was saved. */
static void
cfi_rbp_back(struct cfi_state *x, int32_t from)
{
	bool saved = x->is == ELF_RBP_AT_CFA && from == x->saved &&
		     from != CFI_UNKNOWN;

	x->is = saved ? ELF_RBP_SAME : ELF_RBP_LOST;
	x->rbp = CFI_UNKNOWN;
}

/* As it is when a function has just been called. */
static const struct cfi_state cfi_entry = { .rsp = 8,
					    .rbp = CFI_UNKNOWN,
					    .is = ELF_RBP_SAME,
					    .ret = CFI_MEMORY };

static void
cfi_push(struct cfi_state *x, unsigned reg)
{
	if (reg == x->ret) {
		*x = cfi_entry;
		return;
	}
	cfi_move(x, 8);
	if (reg == CFI_RBP && x->is == ELF_RBP_SAME && x->rsp != CFI_UNKNOWN) {
		x->is = ELF_RBP_AT_CFA;
		x->saved = x->rsp;
	}
}

static void
cfi_pop(struct cfi_state *x, unsigned reg)
{
	if (x->rsp == 8 && x->ret == CFI_MEMORY && reg != CFI_RSP &&
	    reg != CFI_RBP) {
		x->ret = (uint8_t)reg;
		x->rsp = x->rbp = CFI_UNKNOWN;
		return;
	}
	if (reg == CFI_RBP)
		cfi_rbp_back(x, x->rsp);
	cfi_move(x, -8);
	if (reg == CFI_RSP)
		x->rsp = CFI_UNKNOWN;
	if (reg == x->ret)
		x->ret = CFI_GONE;
}

/* rsp = rbp - by */
static void
cfi_from_rbp(struct cfi_state *x, int64_t by)
{
	x->rsp = x->rbp;
	cfi_move(x, by);
}

/* lea to rsp: of rsp or rbp and a constant. */
static void
cfi_lea(struct cfi_state *x, const ZydisDecodedOperand *o)
{
	if (o->mem.index != ZYDIS_REGISTER_NONE)
		x->rsp = CFI_UNKNOWN;
	else if (o->mem.base == ZYDIS_REGISTER_RSP)
		cfi_move(x, -o->mem.disp.value);
	else if (o->mem.base == ZYDIS_REGISTER_RBP)
		cfi_from_rbp(x, -o->mem.disp.value);
	else
		x->rsp = CFI_UNKNOWN;
}

/* True if nothing has been pushed, and no frame built. */
static bool
cfi_is_entry(const struct cfi_state *x)
{
	return x->rsp == 8 && x->ret == CFI_MEMORY && x->rbp == CFI_UNKNOWN &&
	       x->is == ELF_RBP_SAME;
}

static void
cfi_add(struct cfi_state *x, const ZydisDecodedOperand *o, int sign)
{
	if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		cfi_move(x, -sign * o->imm.value.s);
	else if (sign < 0 && cfi_is_entry(x))
		x->ret = CFI_COMING;
	else
		x->rsp = CFI_UNKNOWN;
}

static bool
cfi_is(const ZydisDecodedOperand *o, ZydisRegister r)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == r;
}

/* An instruction that writes rsp. */
static void
cfi_rsp(struct cfi_state *x, const struct code_full *f)
{
	switch (f->in.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		x->rsp = cfi_is(&f->op[1], ZYDIS_REGISTER_RBP) ? x->rbp
							       : CFI_UNKNOWN;
		break;
	case ZYDIS_MNEMONIC_LEA:
		cfi_lea(x, &f->op[1]);
		break;
	case ZYDIS_MNEMONIC_ADD:
		cfi_add(x, &f->op[1], 1);
		break;
	case ZYDIS_MNEMONIC_SUB:
		cfi_add(x, &f->op[1], -1);
		break;
	default:
		x->rsp = CFI_UNKNOWN;
		break;
	}
}

/* An instruction that writes rbp. */
static void
cfi_rbp(struct cfi_state *x, const struct code_full *f)
{
	const ZydisDecodedOperand *o = &f->op[1];

	if (f->in.mnemonic != ZYDIS_MNEMONIC_MOV) {
		x->is = ELF_RBP_LOST;
		x->rbp = CFI_UNKNOWN;
	} else if (cfi_is(o, ZYDIS_REGISTER_RSP)) {
		if (x->is == ELF_RBP_SAME)
			x->is = ELF_RBP_LOST;
		x->rbp = x->ret == CFI_MEMORY ? x->rsp : CFI_UNKNOWN;
	} else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   o->mem.base == ZYDIS_REGISTER_RBP &&
		   o->mem.index == ZYDIS_REGISTER_NONE &&
		   o->mem.disp.value == 0) {
		cfi_rbp_back(x, x->rbp);
	} else {
		cfi_rbp_back(x, CFI_UNKNOWN);
	}
}

/* Any other instruction: the state is lost if it writes what we go by. */
static void
cfi_other(const struct cfi_scan *s, struct cfi_state *x,
	  const struct code_full *f)
{
	for (unsigned i = 0; i < f->in.operand_count; i++) {
		const ZydisDecodedOperand *o = &f->op[i];
		ZydisRegister r;

		if (o->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
			continue;
		r = code_reg64(o->reg.value);
		if (r == ZYDIS_REGISTER_RSP)
			cfi_rsp(x, f);
		else if (r == ZYDIS_REGISTER_RBP)
			cfi_rbp(x, f);
		else if (x->ret < CFI_REGS &&
			 (unsigned)r == (unsigned)ZYDIS_REGISTER_RAX + x->ret)
			x->ret = CFI_GONE;
	}
}

/* True if an instruction without its operands may be passed over: it has no
   part by which it could write rsp, rbp, or the register of the return
   address. */
static bool
cfi_harmless(const struct cfi_state *x, const ZydisDecodedInstruction *in)
{
	unsigned reg = in->raw.modrm.reg | (unsigned)in->raw.rex.R << 3;
	unsigned rm = in->raw.modrm.rm | (unsigned)in->raw.rex.B << 3;

	if (x->ret < CFI_REGS || in->raw.modrm.offset == 0)
		return false;
	if (in->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT &&
	    in->opcode_map != ZYDIS_OPCODE_MAP_0F)
		return false;
	if (reg == CFI_RSP || reg == CFI_RBP)
		return false;
	return in->raw.modrm.mod != 3 || (rm != CFI_RSP && rm != CFI_RBP);
}

static unsigned
cfi_reg(const ZydisDecodedInstruction *in)
{
	return (in->opcode & 7u) | (unsigned)in->raw.rex.B << 3;
}

/* True if it is a push of the return address, from where it is by rsp: with a
   SIB byte of rsp alone, and 8 bits more. */
static bool
cfi_copies(const struct cfi_state *x, const ZydisDecodedInstruction *in)
{
	return in->opcode == 0xff && in->raw.modrm.mod == 1 &&
	       in->raw.modrm.rm == CFI_RSP && in->raw.sib.base == CFI_RSP &&
	       in->raw.sib.index == CFI_RSP && in->raw.rex.B == 0 &&
	       x->ret == CFI_MEMORY && x->rsp != CFI_UNKNOWN &&
	       in->raw.disp.value == x->rsp - 8;
}

/* True if it writes a register to a slot of the stack that another counts:
   mov %reg,(%rsp,%reg,8). */
static bool
cfi_moves_down(const ZydisDecodedInstruction *in)
{
	return in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       in->opcode == 0x89 && in->raw.rex.W != 0 &&
	       in->raw.modrm.mod == 0 && in->raw.modrm.rm == CFI_RSP &&
	       in->raw.sib.base == CFI_RSP && in->raw.rex.B == 0 &&
	       in->raw.sib.scale == 3 &&
	       (in->raw.sib.index != CFI_RSP || in->raw.rex.X != 0);
}

/* A push or pop, by its opcode; false: it is neither. */
static bool
cfi_stack(struct cfi_state *x, const ZydisDecodedInstruction *in)
{
	unsigned reg = 16;

	if (in->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	if (in->mnemonic == ZYDIS_MNEMONIC_PUSH) {
		if (in->opcode >= 0x50 && in->opcode <= 0x57)
			reg = cfi_reg(in);
		if (cfi_copies(x, in))
			*x = cfi_entry;
		else
			cfi_push(x, reg);
	} else if (in->mnemonic == ZYDIS_MNEMONIC_POP) {
		if (in->opcode >= 0x58 && in->opcode <= 0x5f)
			reg = cfi_reg(in);
		cfi_pop(x, reg);
	} else if (in->mnemonic == ZYDIS_MNEMONIC_PUSHFQ) {
		cfi_move(x, 8);
	} else if (in->mnemonic == ZYDIS_MNEMONIC_POPFQ) {
		cfi_move(x, -8);
	} else if (in->mnemonic == ZYDIS_MNEMONIC_LEAVE) {
		cfi_from_rbp(x, 0);
		cfi_pop(x, CFI_RBP);
	} else {
		return false;
	}
	return true;
}

static void
cfi_apply(struct cfi_scan *s, struct cfi_state *x, size_t off,
	  const ZydisDecodedInstruction *in)
{
	struct code_full f;

	if (in->meta.category == ZYDIS_CATEGORY_CALL) {
		/* Callees may take their arguments from the stack. */
		if (x->rbp != CFI_UNKNOWN)
			x->rsp = CFI_UNKNOWN;
		if (x->ret != CFI_MEMORY)
			x->ret = CFI_GONE;
		return;
	}
	if (x->ret == CFI_COMING && x->rsp == 8 && cfi_moves_down(in))
		x->ret = CFI_MEMORY;
	if (cfi_stack(x, in) || cfi_harmless(x, in))
		return;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&s->dec, s->b->p + off,
						 s->b->n - off, &f.in, f.op)))
		x->ret = CFI_GONE;
	else
		cfi_other(s, x, &f);
}

/* ---- along the ways ------------------------------------------------------ */

/* The return address is at rsp, or it will be. */
static bool
cfi_copied(const struct cfi_state *x)
{
	return x->ret == CFI_MEMORY || x->ret == CFI_COMING;
}

/* What is known on both ways. */
static struct cfi_state
cfi_meet(const struct cfi_state *a, const struct cfi_state *b)
{
	struct cfi_state x = *a;

	if (a->rsp != b->rsp)
		x.rsp = CFI_UNKNOWN;
	if (a->rbp != b->rbp)
		x.rbp = CFI_UNKNOWN;
	if (a->is != b->is || a->saved != b->saved)
		x.is = ELF_RBP_LOST;
	if (x.is != ELF_RBP_AT_CFA)
		x.saved = 0;
	if (a->ret != b->ret)
		x.ret = cfi_copied(a) && cfi_copied(b) ? CFI_COMING : CFI_GONE;
	return x;
}

static void
cfi_give(struct cfi_scan *s, uint64_t off, const struct cfi_state *x)
{
	struct cfi_state *to, y = *x;

	if (off >= s->b->n || s->failed)
		return;
	to = &s->at[off];
	if (y.is != ELF_RBP_AT_CFA)
		y.saved = 0;
	y.len = to->len;
	y.rets = to->rets;
	y.given = 1;
	if (to->given) {
		y = cfi_meet(to, &y);
		if (memcmp(&y, to, sizeof(y)) == 0)
			return;
	}
	*to = y;
	if (!vec_push(&s->todo, (uint32_t)off))
		s->failed = true;
}

static bool
cfi_ends(const ZydisDecodedInstruction *in)
{
	return in->meta.category == ZYDIS_CATEGORY_RET ||
	       in->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       in->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       in->mnemonic == ZYDIS_MNEMONIC_UD2 ||
	       in->mnemonic == ZYDIS_MNEMONIC_HLT;
}

/* True if the branch at an offset goes back to a loop of straight code that
   moves words down. */
static bool
cfi_loops(const struct cfi_scan *s, size_t off, uint64_t to)
{
	ZydisDecodedInstruction in;

	for (; to < off; to += in.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &s->dec, NULL, s->b->p + to, off - to, &in)) ||
		    in.raw.imm[0].is_relative)
			return false;
		if (cfi_moves_down(&in))
			return true;
	}
	return false;
}

static void
cfi_visit(struct cfi_scan *s, size_t off)
{
	struct cfi_state x = s->at[off];
	ZydisDecodedInstruction in;
	uint64_t to;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
		    &s->dec, NULL, s->b->p + off, s->b->n - off, &in)))
		return;
	s->at[off].len = in.length;
	s->at[off].rets = in.meta.category == ZYDIS_CATEGORY_RET;
	cfi_apply(s, &x, off, &in);
	if (in.raw.imm[0].is_relative &&
	    in.meta.category != ZYDIS_CATEGORY_CALL) {
		to = off + in.length + in.raw.imm[0].value.u;
		cfi_give(s, to, &x);
		/* There is one word to be moved at least: that one. */
		if (x.ret == CFI_COMING && cfi_loops(s, off, to))
			x.ret = CFI_MEMORY;
	}
	if (!cfi_ends(&in))
		cfi_give(s, off + in.length, &x);
}

/* ---- rows ---------------------------------------------------------------- */

static struct elf_cfi
cfi_row_of(const struct cfi_state *x, uint64_t addr)
{
	struct elf_cfi r = { .addr = addr,
			     .end = addr + x->len,
			     .rbp = (enum elf_rbp)x->is,
			     .rbp_off = -(int64_t)x->saved };

	if (x->rbp != CFI_UNKNOWN && !x->rets) {
		r.cfa = ELF_CFA_RBP;
		r.off = x->rbp;
	} else if (x->rsp != CFI_UNKNOWN && x->ret == CFI_MEMORY) {
		r.cfa = ELF_CFA_RSP;
		r.off = x->rsp;
	} else if (x->rets) {
		r.cfa = ELF_CFA_RSP;
		r.off = 8;
	}
	return r;
}

/* True if row a goes on with row b. */
static bool
cfi_goes_on(const struct elf_cfi *a, const struct elf_cfi *b)
{
	return a->end == b->addr && a->cfa == b->cfa && a->off == b->off &&
	       a->rbp == b->rbp && a->rbp_off == b->rbp_off;
}

static bool
cfi_rows(const struct cfi_scan *s, elf_cfi_fn *fn, void *arg)
{
	struct elf_cfi row = { 0 };

	for (size_t off = 0; off < s->b->n; off++) {
		struct elf_cfi r;

		if (s->at[off].len == 0)
			continue;
		r = cfi_row_of(&s->at[off], s->b->addr + off);
		off += s->at[off].len - 1u;
		if (row.end != 0 && cfi_goes_on(&row, &r)) {
			row.end = r.end;
			continue;
		}
		if (row.end != 0 && !fn(arg, &row))
			return false;
		row = r;
	}
	return row.end == 0 || fn(arg, &row);
}

bool
code_x86_cfi(const struct code_body *b, elf_cfi_fn *fn, void *arg)
{
	struct cfi_scan s = { .b = b };
	bool ok = true;

	if (b->n == 0 || b->n > CFI_BYTES_MAX)
		return true;
	s.at = calloc(b->n, sizeof(*s.at));
	if (s.at == NULL)
		return false;
	ZydisDecoderInit(&s.dec, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	cfi_give(&s, 0, &cfi_entry);
	while (s.todo.n != 0 && !s.failed && ++s.visits < CFI_VISITS * b->n)
		cfi_visit(&s, s.todo.v[--s.todo.n]);
	ok = !s.failed;
	if (ok && s.todo.n == 0)
		ok = cfi_rows(&s, fn, arg);
	vec_fini(&s.todo);
	free(s.at);
	return ok;
}
