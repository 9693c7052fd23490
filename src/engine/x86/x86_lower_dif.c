/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_dif.c - DIF objects to native code.
 *
 * One pass over the instructions in order; branches go forward only.  What is
 * known beforehand: which instructions are branched to, and which registers
 * may be read before they are written (those start as 0).
 *
 * CONDITION CODES are the processor's own where branches follow their compare
 * at once, as compilers write them.  An object that does it otherwise keeps
 * them as two numbers in the frame, whose comparison gives the codes anew: cmp
 * the operands, tst (0 or 1, 0), scmp (-1, 0 or 1, 0).
 *
 * The meaning of every instruction is engine/interp/interp.c's.
 */
#include "engine/x86/x86_lower_impl.h"

#include <string.h>

/* ---- registers ----------------------------------------------------------- */

#define FIRST_SPILLED 5u /* of DIF's registers; callee-saved ones before it */

unsigned
lower_reg(unsigned n)
{
	static const uint8_t regs[DIF_NREGS] = {
		X86_NONE, X86_R12, X86_R13, X86_R14,
		X86_R15,  X86_R9,  X86_R10, X86_R11
	};

	return regs[n];
}

unsigned
lower_src(struct lower *l, unsigned n, unsigned tmp)
{
	if (n != 0)
		return lower_reg(n);
	x86_mov_ri(l->b, tmp, 0);
	return tmp;
}

/* reg = DIF register n. */
static void
src_to(struct lower *l, unsigned reg, unsigned n)
{
	if (n == 0)
		x86_mov_ri(l->b, reg, 0);
	else
		x86_mov_rr(l->b, 8, reg, lower_reg(n));
}

static void
result(struct lower *l, unsigned rd)
{
	x86_mov_rr(l->b, 8, lower_reg(rd), X86_RAX);
}

/* ---- faults -------------------------------------------------------------- */

static void
emit_fault(struct lower *l, struct lower_cold *c)
{
	if (c->fault >= 0) {
		x86_store_imm(l->b, 4, RT_M(fault), c->fault);
		x86_store_imm(l->b, 8, RT_M(fault_val), 0);
	}
	x86_store_imm(l->b, 4, RT_M(fault_off), (int32_t)c->off);
	x86_store_imm(l->b, 4, RT_M(fault_action), (int32_t)c->action);
	x86_jmp_label(l->b, c->to);
}

struct x86_label *
lower_fault_label(struct lower *l, int32_t fault, uint32_t off)
{
	struct lower_cold *c = lower_cold(l, emit_fault);

	c->fault = fault;
	c->off = off;
	c->to = &l->clause->at;
	l->clause->fault = 1;
	l->f.faults = l->f.calls = l->f.epid = true;
	return &c->at;
}

void
lower_check_fault(struct lower *l, uint32_t off)
{
	x86_alu_mi(l->b, X86_CMP, 4, RT_M(fault), DIF_FAULT_NONE);
	x86_jcc_label(l->b, X86_CC_NE, lower_fault_label(l, -1, off));
}

/* ---- calls --------------------------------------------------------------- */

static void
spill(struct lower *l, struct lower_dif *lo, bool back)
{
	for (unsigned n = FIRST_SPILLED; n < DIF_NREGS; n++) {
		if ((lo->spill & (1u << n)) == 0)
			continue;
		struct x86_mem m =
			lower_slot_m(l, lo->spill_slot[n - FIRST_SPILLED]);
		if (back)
			x86_load(l->b, 8, false, lower_reg(n), m);
		else
			x86_store(l->b, 8, m, lower_reg(n));
	}
}

void
lower_obj_call_at(struct lower *l, struct lower_dif *lo, uint64_t addr)
{
	spill(l, lo, false);
	lower_call_at(l, addr);
	spill(l, lo, true);
}

void
lower_obj_call(struct lower *l, struct lower_dif *lo, enum rtn_fn fn)
{
	lower_obj_call_at(l, lo, l->t->blob + rtn_image.off[fn]);
}

/* ---- what is known beforehand -------------------------------------------- */

static bool
lower_is_branch(unsigned op)
{
	return dif_op_info[op].fmt == DIF_FMT_BR;
}

static bool
lower_is_compare(unsigned op)
{
	return op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP;
}

/* Registers that i reads, as a mask; r0 is none. */
static uint32_t
reads(dif_instr_t i)
{
	uint32_t r1 = 1u << (DIF_R1(i) & 7), r2 = 1u << (DIF_R2(i) & 7);
	uint32_t rd = 1u << (DIF_RD(i) & 7), m = 0;

	switch (dif_op_info[DIF_OP(i)].fmt) {
	case DIF_FMT_R3: /* copys reads its destination */
		m = DIF_OP(i) == DIF_OP_COPYS ? r1 | r2 | rd : r1 | r2;
		break;
	case DIF_FMT_CMP: m = r1 | r2; break;
	case DIF_FMT_R2:
	case DIF_FMT_TST:
	case DIF_FMT_LD: m = r1; break;
	case DIF_FMT_ST: m = r1 | rd; break;
	case DIF_FMT_RET:
	case DIF_FMT_STV: m = rd; break;
	case DIF_FMT_LDA: m = r2; break;
	case DIF_FMT_PUSH: m = DIF_OP(i) == DIF_OP_PUSHTR ? r2 | rd : rd; break;
	default: break;
	}
	return m & ~1u;
}

/* The register that i writes, as a mask. */
static uint32_t
lower_writes(dif_instr_t i)
{
	return dif_op_writes_rd(DIF_OP(i)) ? 1u << (DIF_RD(i) & 7) : 0;
}

#define UNREACHED 0xffu

/* Merge what is known on a way that leads to pc. */
static void
flow_to(struct lower_dif *lo, uint32_t pc, uint8_t known)
{
	lo->known[pc] = lo->known[pc] == UNREACHED ? known
						   : lo->known[pc] & known;
}

/* Ways through the object; the registers that must start as 0. */
static uint32_t
lower_flow(struct lower_dif *lo)
{
	const struct dif_obj *o = lo->o;
	uint32_t early = 0, used = 0;

	memset(lo->known, UNREACHED, o->ntext);
	lo->known[0] = 1;
	for (uint32_t pc = 0; pc < o->ntext; pc++) {
		dif_instr_t i = o->text[pc];
		if (lo->known[pc] == UNREACHED)
			continue;
		early |= reads(i) & ~(uint32_t)lo->known[pc];
		used |= reads(i) | lower_writes(i);
		uint8_t after = lo->known[pc] | (uint8_t)lower_writes(i);
		/* 0xff is taken: r0 is always known, and so says nothing */
		after &= 0xfe;
		if (lower_is_branch(DIF_OP(i))) {
			lo->target[DIF_LABEL(i)] = 1;
			flow_to(lo, DIF_LABEL(i), after);
		}
		if (DIF_OP(i) != DIF_OP_BA && DIF_OP(i) != DIF_OP_RET)
			flow_to(lo, pc + 1, after);
	}
	lo->spill = used >> FIRST_SPILLED << FIRST_SPILLED;
	return early;
}

/* True if all conditional branches follow a compare at once, or its
   branches. */
static bool
flags_at_once(const struct lower_dif *lo)
{
	bool live = false;

	for (uint32_t pc = 0; pc < lo->o->ntext; pc++) {
		unsigned op = DIF_OP(lo->o->text[pc]);
		if (lo->known[pc] == UNREACHED)
			continue;
		if (lo->target[pc])
			live = false;
		if (lower_is_compare(op))
			live = true;
		else if (!lower_is_branch(op))
			live = false;
		else if (op != DIF_OP_BA && !live)
			return false;
	}
	return true;
}

/* ---- compare and branch -------------------------------------------------- */

static void
keep_flags(struct lower *l, struct lower_dif *lo, unsigned a, unsigned b)
{
	x86_store(l->b, 8, lower_slot_m(l, lo->fa), a);
	x86_store(l->b, 8, lower_slot_m(l, lo->fb), b);
}

static void
lower_cmp(struct lower *l, struct lower_dif *lo, unsigned r1, unsigned r2)
{
	unsigned a = lower_src(l, r1, X86_RAX);

	if (lo->lazy)
		keep_flags(l, lo, a, lower_src(l, r2, X86_RCX));
	else if (r2 == 0)
		x86_alu_ri(l->b, X86_CMP, 8, a, 0);
	else
		x86_alu_rr(l->b, X86_CMP, 8, a, lower_reg(r2));
}

static void
lower_tst(struct lower *l, struct lower_dif *lo, unsigned r1)
{
	unsigned a = lower_src(l, r1, X86_RAX);

	x86_test_rr(l->b, 8, a, a);
	if (!lo->lazy)
		return;
	x86_mov_ri(l->b, X86_RAX, 0);
	x86_setcc(l->b, X86_CC_NE, X86_RAX);
	x86_mov_ri(l->b, X86_RCX, 0);
	keep_flags(l, lo, X86_RAX, X86_RCX);
}

static void
lower_scmp(struct lower *l, struct lower_dif *lo, unsigned r1, unsigned r2)
{
	src_to(l, X86_RSI, r1);
	src_to(l, X86_RDX, r2);
	lower_obj_call(l, lo, RTN_FN_scmp);
	lower_check_fault(l, lo->pc);
	if (lo->lazy) {
		x86_mov_ri(l->b, X86_RCX, 0);
		keep_flags(l, lo, X86_RAX, X86_RCX);
	} else {
		x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	}
}

static enum x86_cc
condition(unsigned op)
{
	switch (op) {
	case DIF_OP_BE: return X86_CC_E;
	case DIF_OP_BNE: return X86_CC_NE;
	case DIF_OP_BG: return X86_CC_G;
	case DIF_OP_BGE: return X86_CC_GE;
	case DIF_OP_BL: return X86_CC_L;
	case DIF_OP_BLE: return X86_CC_LE;
	case DIF_OP_BGU: return X86_CC_A;
	case DIF_OP_BGEU: return X86_CC_AE;
	case DIF_OP_BLU: return X86_CC_B;
	default: return X86_CC_BE;
	}
}

/* The compare that the branch at pc follows at once. */
static unsigned
compare_of(const struct lower_dif *lo, uint32_t pc)
{
	while (lower_is_branch(DIF_OP(lo->o->text[pc])))
		pc--;
	return DIF_OP(lo->o->text[pc]);
}

/* After tst nothing is negative, though the processor says so. */
static void
branch_tst(struct lower *l, struct lower_dif *lo, unsigned op,
	   struct x86_label *to)
{
	(void)lo;
	switch (op) {
	case DIF_OP_BG: x86_jcc_label(l->b, X86_CC_NE, to); break;
	case DIF_OP_BGE: x86_jmp_label(l->b, to); break;
	case DIF_OP_BL: break;
	case DIF_OP_BLE: x86_jcc_label(l->b, X86_CC_E, to); break;
	default: x86_jcc_label(l->b, condition(op), to); break;
	}
}

static void
lower_branch(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	struct x86_label *to = &lo->label[DIF_LABEL(i)];

	if (DIF_OP(i) == DIF_OP_BA) {
		x86_jmp_label(l->b, to);
		return;
	}
	if (lo->lazy) {
		x86_load(l->b, 8, false, X86_RAX, lower_slot_m(l, lo->fa));
		x86_alu_rm(l->b, X86_CMP, 8, X86_RAX, lower_slot_m(l, lo->fb));
	} else if (compare_of(lo, lo->pc) == DIF_OP_TST) {
		branch_tst(l, lo, DIF_OP(i), to);
		return;
	}
	x86_jcc_label(l->b, condition(DIF_OP(i)), to);
}

/* ---- arithmetic ---------------------------------------------------------- */

static void
alu_op(struct lower *l, unsigned op, unsigned dst, unsigned src)
{
	switch (op) {
	case DIF_OP_OR: x86_alu_rr(l->b, X86_OR, 8, dst, src); break;
	case DIF_OP_XOR: x86_alu_rr(l->b, X86_XOR, 8, dst, src); break;
	case DIF_OP_AND: x86_alu_rr(l->b, X86_AND, 8, dst, src); break;
	case DIF_OP_ADD: x86_alu_rr(l->b, X86_ADD, 8, dst, src); break;
	case DIF_OP_SUB: x86_alu_rr(l->b, X86_SUB, 8, dst, src); break;
	default: x86_imul_rr(l->b, 8, dst, src); break;
	}
}

static void
lower_alu(struct lower *l, unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	unsigned dst = lower_reg(rd);

	if (r2 == rd && r1 != rd) { /* would be overwritten */
		src_to(l, X86_RAX, r1);
		alu_op(l, op, X86_RAX, dst);
		result(l, rd);
		return;
	}
	if (r1 != rd)
		src_to(l, dst, r1);
	alu_op(l, op, dst, lower_src(l, r2, X86_RCX));
}

static void
lower_shift(struct lower *l, unsigned op, unsigned r1, unsigned r2,
	    unsigned rd)
{
	src_to(l, X86_RCX, r2);
	src_to(l, X86_RAX, r1);
	x86_sh_cl(l->b,
		  op == DIF_OP_SLL   ? X86_SHL
		  : op == DIF_OP_SRL ? X86_SHR
				     : X86_SAR,
		  8, X86_RAX);
	result(l, rd);
}

/* By -1 the processor would trap where the quotient is too large. */
static void
divide_signed(struct lower *l, bool rem)
{
	struct x86_label minus = { 0 }, done = { 0 };

	x86_alu_ri(l->b, X86_CMP, 8, X86_RCX, -1);
	x86_jcc_short(l->b, X86_CC_E, &minus);
	x86_cqo(l->b);
	x86_un_r(l->b, X86_IDIV, 8, X86_RCX);
	x86_jmp_short(l->b, &done);
	x86_bind(l->b, &minus);
	if (rem)
		x86_mov_ri(l->b, X86_RDX, 0);
	else
		x86_un_r(l->b, X86_NEG, 8, X86_RAX);
	x86_bind(l->b, &done);
}

static void
lower_divide(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	unsigned op = DIF_OP(i);
	bool rem = op == DIF_OP_SREM || op == DIF_OP_UREM;

	src_to(l, X86_RCX, DIF_R2(i));
	src_to(l, X86_RAX, DIF_R1(i));
	x86_test_rr(l->b, 8, X86_RCX, X86_RCX);
	x86_jcc_label(l->b, X86_CC_E,
		      lower_fault_label(l, DIF_FAULT_DIVZERO, lo->pc));
	if (op == DIF_OP_SDIV || op == DIF_OP_SREM) {
		divide_signed(l, rem);
	} else {
		x86_mov_ri(l->b, X86_RDX, 0);
		x86_un_r(l->b, X86_DIV, 8, X86_RCX);
	}
	x86_mov_rr(l->b, 8, lower_reg(DIF_RD(i)), rem ? X86_RDX : X86_RAX);
}

static void
lower_bound(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	struct x86_label fine = { 0 };

	src_to(l, X86_RCX, DIF_R2(i));
	src_to(l, X86_RAX, DIF_R1(i));
	x86_alu_rr(l->b, X86_CMP, 8, X86_RAX, X86_RCX);
	x86_jcc_label(l->b, X86_CC_B, &fine);
	x86_store(l->b, 8, RT_M(fault_val), X86_RAX);
	x86_store_imm(l->b, 4, RT_M(fault), DIF_FAULT_BADINDEX);
	x86_jmp_label(l->b, lower_fault_label(l, -1, lo->pc));
	x86_bind(l->b, &fine);
}

/* ---- memory -------------------------------------------------------------- */

static const uint16_t loads[256] = {
#define LOAD(NAME, size_flags)                            \
	[DIF_OP_##NAME] = (size_flags),                   \
	[DIF_OP_R##NAME] = (size_flags),                  \
	[DIF_OP_U##NAME] = (size_flags) | RTN_LD_USER
	LOAD(LDSB, 1 | RTN_LD_SIGNED), LOAD(LDSH, 2 | RTN_LD_SIGNED),
	LOAD(LDSW, 4 | RTN_LD_SIGNED), LOAD(LDUB, 1), LOAD(LDUH, 2),
	LOAD(LDUW, 4), LOAD(LDX, 8),
#undef LOAD
};

static void
lower_load(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	src_to(l, X86_RSI, DIF_R1(i));
	x86_mov_ri(l->b, X86_RDX, loads[DIF_OP(i)]);
	lower_obj_call(l, lo, RTN_FN_load);
	lower_check_fault(l, lo->pc);
	result(l, DIF_RD(i));
}

static void
lower_store(struct lower *l, struct lower_dif *lo, dif_instr_t i,
	    uint32_t size)
{
	src_to(l, X86_RSI, DIF_RD(i));
	src_to(l, X86_RDX, DIF_R1(i));
	x86_mov_ri(l->b, X86_RCX, size);
	lower_obj_call(l, lo, RTN_FN_store);
	lower_check_fault(l, lo->pc);
}

static void
lower_scratch(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	src_to(l, X86_RSI, DIF_R1(i));
	if (DIF_OP(i) == DIF_OP_ALLOCS) {
		lower_obj_call(l, lo, RTN_FN_allocs);
		lower_check_fault(l, lo->pc);
		result(l, DIF_RD(i));
		return;
	}
	src_to(l, X86_RDX, DIF_RD(i));
	src_to(l, X86_RCX, DIF_R2(i));
	lower_obj_call(l, lo, RTN_FN_copys);
	lower_check_fault(l, lo->pc);
}

/* ---- the tuple stack ----------------------------------------------------- */

static struct x86_mem
tuple_m(size_t off)
{
	return x86_mi(LOWER_RT, X86_RCX, 8,
		      RT_DISP(tuple) + (int32_t)off);
}

/* rcx = 3 * index of the new entry, which times 8 is its offset. */
static void
push_entry(struct lower *l, struct lower_dif *lo)
{
	_Static_assert(sizeof(struct rt_tuple) == 24, "index * 3 * 8");
	x86_load(l->b, 4, false, X86_RCX, RT_M(ntuple));
	x86_alu_ri(l->b, X86_CMP, 4, X86_RCX, DIF_NTUPLE);
	x86_jcc_label(l->b, X86_CC_E,
		      lower_fault_label(l, DIF_FAULT_TUPOFLOW, lo->pc));
	x86_alu_mi(l->b, X86_ADD, 4, RT_M(ntuple), 1);
	x86_lea(l->b, X86_RCX, x86_mi(X86_RCX, X86_RCX, 2, 0));
}

static void
lower_pushtv(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	unsigned v = lower_src(l, DIF_RD(i), X86_RAX);

	push_entry(l, lo);
	x86_store(l->b, 8, tuple_m(offsetof(struct rt_tuple, val)), v);
	x86_store_imm(l->b, 8, tuple_m(offsetof(struct rt_tuple, size)), 0);
	x86_store_imm(l->b, 8, tuple_m(offsetof(struct rt_tuple, isref)), 0);
}

/* A string of size 0 has the default size. */
static void
lower_pushtr(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	bool str = DIF_R1(i) == DIF_TYPE_STRING;
	struct x86_label sized = { 0 };

	push_entry(l, lo);
	src_to(l, X86_RAX, DIF_R2(i));
	if (str) {
		x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
		x86_jcc_short(l->b, X86_CC_NE, &sized);
		x86_mov_ri(l->b, X86_RAX, l->t->sh->conf.strsize);
		x86_bind(l->b, &sized);
	}
	x86_store(l->b, 8, tuple_m(offsetof(struct rt_tuple, size)), X86_RAX);
	x86_store(l->b, 8, tuple_m(offsetof(struct rt_tuple, val)),
		  lower_src(l, DIF_RD(i), X86_RAX));
	x86_store_imm(l->b, 4, tuple_m(offsetof(struct rt_tuple, isref)), 1);
	x86_store_imm(l->b, 4, tuple_m(offsetof(struct rt_tuple, isstr)), str);
}

static void
lower_popts(struct lower *l)
{
	x86_load(l->b, 4, false, X86_RAX, RT_M(ntuple));
	x86_alu_ri(l->b, X86_SUB, 4, X86_RAX, 1);
	x86_alu_ri(l->b, X86_ADC, 4, X86_RAX, 0); /* not below 0 */
	x86_store(l->b, 4, RT_M(ntuple), X86_RAX);
}

static void
lower_subr(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	uint32_t id = DIF_IDX(i);

	if (id >= DIF_SUBR_MAX || rtn_image.subr[id] == ~0u) {
		x86_jmp_label(l->b, lower_fault_label(l, DIF_FAULT_ILLOP,
						      lo->pc));
		return;
	}
	lower_obj_call_at(l, lo, l->t->blob + rtn_image.subr[id]);
	lower_check_fault(l, lo->pc);
	result(l, DIF_RD(i));
}

/* ---- the loop ------------------------------------------------------------ */

static void
lower_ret(struct lower *l, struct lower_dif *lo, unsigned rd)
{
	src_to(l, X86_RAX, rd);
	if (lo->pc == lo->o->ntext - 1)
		return;
	x86_jmp_label(l->b, &lo->end);
	lo->early_ret = true;
}

static void
lower_instr(struct lower *l, struct lower_dif *lo, dif_instr_t i)
{
	unsigned op = DIF_OP(i), r1 = DIF_R1(i), r2 = DIF_R2(i);
	unsigned rd = DIF_RD(i);
	uint32_t idx = DIF_IDX(i);

	switch (op) {
	case DIF_OP_OR: case DIF_OP_XOR: case DIF_OP_AND: case DIF_OP_SUB:
	case DIF_OP_ADD: case DIF_OP_MUL:
		lower_alu(l, op, r1, r2, rd);
		break;
	case DIF_OP_SLL: case DIF_OP_SRL: case DIF_OP_SRA:
		lower_shift(l, op, r1, r2, rd);
		break;
	case DIF_OP_SDIV: case DIF_OP_UDIV: case DIF_OP_SREM: case DIF_OP_UREM:
		lower_divide(l, lo, i);
		break;
	case DIF_OP_NOT:
		src_to(l, lower_reg(rd), r1);
		x86_un_r(l->b, X86_NOT, 8, lower_reg(rd));
		break;
	case DIF_OP_MOV: src_to(l, lower_reg(rd), r1); break;
	case DIF_OP_BOUND:
		lower_bound(l, lo, i);
		break;
	case DIF_OP_CMP: lower_cmp(l, lo, r1, r2); break;
	case DIF_OP_TST: lower_tst(l, lo, r1); break;
	case DIF_OP_SCMP: lower_scmp(l, lo, r1, r2); break;
	case DIF_OP_BA: case DIF_OP_BE: case DIF_OP_BNE: case DIF_OP_BG:
	case DIF_OP_BGU: case DIF_OP_BGE: case DIF_OP_BGEU: case DIF_OP_BL:
	case DIF_OP_BLU: case DIF_OP_BLE: case DIF_OP_BLEU:
		lower_branch(l, lo, i);
		break;
	case DIF_OP_RET: lower_ret(l, lo, rd); break;
	case DIF_OP_NOP: break;
	case DIF_OP_STB: lower_store(l, lo, i, 1); break;
	case DIF_OP_STH: lower_store(l, lo, i, 2); break;
	case DIF_OP_STW: lower_store(l, lo, i, 4); break;
	case DIF_OP_STX: lower_store(l, lo, i, 8); break;
	case DIF_OP_ALLOCS: case DIF_OP_COPYS: lower_scratch(l, lo, i); break;
	case DIF_OP_SETX:
		x86_mov_ri(l->b, lower_reg(rd), lo->o->inttab[idx]);
		break;
	case DIF_OP_SETS:
		x86_mov_ri(l->b, lower_reg(rd), lower_strtab(l, lo->o) + idx);
		break;
	case DIF_OP_LDGS: lower_ldv(l, lo, DIF_SCOPE_GLOBAL, idx, rd); break;
	case DIF_OP_LDTS: lower_ldv(l, lo, DIF_SCOPE_THREAD, idx, rd); break;
	case DIF_OP_LDLS: lower_ldv(l, lo, DIF_SCOPE_LOCAL, idx, rd); break;
	case DIF_OP_STGS: lower_stv(l, lo, DIF_SCOPE_GLOBAL, idx, rd); break;
	case DIF_OP_STTS: lower_stv(l, lo, DIF_SCOPE_THREAD, idx, rd); break;
	case DIF_OP_STLS: lower_stv(l, lo, DIF_SCOPE_LOCAL, idx, rd); break;
	case DIF_OP_LDGA: lower_lda(l, lo, r1, r2, rd); break;
	case DIF_OP_LDGAA:
		lower_assoc(l, lo, DIF_SCOPE_GLOBAL, idx, rd, false);
		break;
	case DIF_OP_LDTAA:
		lower_assoc(l, lo, DIF_SCOPE_THREAD, idx, rd, false);
		break;
	case DIF_OP_STGAA:
		lower_assoc(l, lo, DIF_SCOPE_GLOBAL, idx, rd, true);
		break;
	case DIF_OP_STTAA:
		lower_assoc(l, lo, DIF_SCOPE_THREAD, idx, rd, true);
		break;
	case DIF_OP_PUSHTR: lower_pushtr(l, lo, i); break;
	case DIF_OP_PUSHTV: lower_pushtv(l, lo, i); break;
	case DIF_OP_POPTS: lower_popts(l); break;
	case DIF_OP_FLUSHTS: x86_store_imm(l->b, 4, RT_M(ntuple), 0); break;
	case DIF_OP_CALL: lower_subr(l, lo, i); break;
	default: lower_load(l, lo, i); break; /* validated */
	}
}

static bool
lower_uses_tuple(const struct dif_obj *o)
{
	for (uint32_t pc = 0; pc < o->ntext; pc++)
		switch (DIF_OP(o->text[pc])) {
		case DIF_OP_PUSHTR: case DIF_OP_PUSHTV: case DIF_OP_POPTS:
		case DIF_OP_CALL: case DIF_OP_LDGAA: case DIF_OP_LDTAA:
		case DIF_OP_STGAA: case DIF_OP_STTAA:
			return true;
		default: break;
		}
	return false;
}

/* The machine as every object finds it. */
static void
obj_start(struct lower *l, struct lower_dif *lo, uint32_t early)
{
	if (lower_uses_tuple(lo->o))
		x86_store_imm(l->b, 4, RT_M(ntuple), 0);
	for (unsigned n = 1; n < DIF_NREGS; n++)
		if ((early & (1u << n)) != 0)
			x86_mov_ri(l->b, lower_reg(n), 0);
	for (unsigned n = FIRST_SPILLED; n < DIF_NREGS; n++)
		if ((lo->spill & (1u << n)) != 0)
			lo->spill_slot[n - FIRST_SPILLED] = lower_slot(l);
	if (!lo->lazy)
		return;
	lo->fa = lower_slot(l);
	lo->fb = lower_slot(l);
	x86_store_imm(l->b, 8, lower_slot_m(l, lo->fa), 1);
	x86_store_imm(l->b, 8, lower_slot_m(l, lo->fb), 0);
}

void
lower_obj(struct lower *l, const struct dif_obj *o)
{
	struct lower_dif lo = { .o = o, .now = l->now };
	uint32_t top = l->top;

	lo.label = arena_calloc(l->a, o->ntext, sizeof(*lo.label));
	lo.target = arena_calloc(l->a, o->ntext, 1);
	lo.known = arena_calloc(l->a, o->ntext, 1);
	if (lo.label == NULL || lo.target == NULL || lo.known == NULL) {
		lower_nomem(l);
		return;
	}
	uint32_t early = lower_flow(&lo);
	lo.lazy = !flags_at_once(&lo);
	obj_start(l, &lo, early);
	for (lo.pc = 0; lo.pc < o->ntext; lo.pc++) {
		if (lo.known[lo.pc] == UNREACHED)
			continue;
		if (lo.target[lo.pc]) {
			x86_bind(l->b, &lo.label[lo.pc]);
			l->now = lo.now == NOW_YES ? NOW_YES : NOW_MAYBE;
		}
		lower_instr(l, &lo, o->text[lo.pc]);
	}
	x86_bind(l->b, &lo.end);
	if (lo.early_ret && l->now != lo.now)
		l->now = NOW_MAYBE;
	l->top = top;
}
