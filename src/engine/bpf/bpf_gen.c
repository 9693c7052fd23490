/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_gen.c - one DIF object as BPF, in line in its clause's function.
 *
 * DIF registers r1 and r2 live in r7 and r8 (r3 in r9 where the clause has no
 * record), the others in the frame.  Values are all scalars to the verifier:
 * memory behind an address is only read by helpers.  What the object's control
 * flow says is found out first (bg_analyse): branches only go forward, so one
 * pass is enough.
 *
 * Condition codes are kept as the two operands of the compare, a and b, such
 * that N is a < b signed, C is a < b unsigned and Z is a == b.  tst x becomes
 * (x != 0, 0) and scmp (order, 0), which gives just the codes that the
 * interpreter defines.  A branch right behind its compare uses the registers.
 *
 * A fault jumps to a stub behind the clause's code, which notes what and where
 * and leaves the function with 1.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
bg_refuse(struct bg *g, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set_loc(g->e, &ERR_GENERIC, g->cl->loc,
			   "the kernel engine cannot run this clause: %s",
			   text);
}

/* ---- registers ---------------------------------------------------------- */

/* The BPF register of a DIF register; 0: it is in the frame. */
static unsigned
reg_home(const struct bg *g, unsigned r)
{
	if (r == 1)
		return R7;
	if (r == 2)
		return R8;
	return r == 3 && !g->rec ? R9 : 0;
}

static int
reg_slot(unsigned r)
{
	return FR_REG - 8 * ((int)r - 3);
}

unsigned
bg_get(struct bg *g, unsigned r, unsigned tmp)
{
	unsigned home = reg_home(g, r);

	if (home != 0)
		return home;
	if (r == 0)
		em_imm(g->em, tmp, 0);
	else
		em_ld(g->em, BPF_DW, tmp, FP, reg_slot(r));
	return tmp;
}

unsigned
bg_dst(struct bg *g, unsigned r, unsigned tmp)
{
	unsigned home = reg_home(g, r);

	return home != 0 ? home : tmp;
}

void
bg_put(struct bg *g, unsigned r, unsigned reg)
{
	unsigned home = reg_home(g, r);

	g->konst[r] = false;
	if (home != 0)
		em_mov(g->em, home, reg);
	else if (r != 0)
		em_st(g->em, BPF_DW, FP, reg_slot(r), reg);
}

/* ---- faults ------------------------------------------------------------- */

static uint32_t
add_stub(struct bg *g, struct bg_stub s)
{
	s.label = em_label(g->em);
	s.action = g->action;
	s.off = g->o == NULL ? -1 : (int32_t)g->at;
	g->can_fault = true;
	if (!vec_push(&g->stubs, s))
		g->em->nomem = true;
	return s.label;
}

uint32_t
bg_fault(struct bg *g, uint32_t fault, int reg)
{
	return add_stub(g, (struct bg_stub){ .fault = fault, .val = reg });
}

void
bg_check_body(struct bg *g)
{
	uint32_t lb = add_stub(g, (struct bg_stub){ .body = true, .val = -1 });

	em_ld(g->em, BPF_W, R1, R6, RT_OFF(fault));
	em_ji(g->em, BPF_JNE, R1, DIF_FAULT_NONE, lb);
}

/* A val of -2: the address is in FR_TMP. */
static void
stub_code(struct bg *g, const struct bg_stub *s)
{
	struct em *em = g->em;

	em_place(em, s->label);
	if (!s->body) {
		unsigned v = R1;
		if (s->val == -2)
			em_ld(em, BPF_DW, R1, FP, FR_TMP);
		else if (s->val >= 0)
			v = bg_get(g, (unsigned)s->val, R1);
		else
			em_imm(em, R1, 0);
		em_st(em, BPF_DW, R6, RT_OFF(fault_val), v);
		em_sti(em, BPF_W, R6, RT_OFF(fault), (int32_t)s->fault);
	}
	em_sti(em, BPF_W, R6, RT_OFF(fault_action), (int32_t)s->action);
	em_sti(em, BPF_W, R6, RT_OFF(fault_off), s->off);
	em_ja(em, g->lb_fault);
}

void
bg_stubs(struct bg *g)
{
	for (size_t i = 0; i < g->stubs.n; i++)
		stub_code(g, &g->stubs.v[i]);
	g->stubs.n = 0;
}

/* ---- pieces ------------------------------------------------------------- */

#define ZERO_INLINE 64u

void
bg_zero(struct bg *g, unsigned base, int32_t off, uint32_t n)
{
	const uint32_t most = g->eng->areas->str;
	struct em *em = g->em;
	uint32_t i = 0;

	if (n <= ZERO_INLINE && off + (int32_t)n < 32000) {
		for (; i + 8 <= n; i += 8)
			em_sti(em, BPF_DW, base, off + (int32_t)i, 0);
		for (; i + 4 <= n; i += 4)
			em_sti(em, BPF_W, base, off + (int32_t)i, 0);
		for (; i < n; i++)
			em_sti(em, BPF_B, base, off + (int32_t)i, 0);
		return;
	}
	for (uint32_t part; i < n; i += part) {
		part = n - i > most ? most : n - i;
		em_lea(em, R1, base, off + (int32_t)i);
		em_imm(em, R2, part);
		em_imm(em, R3, g->eng->zero_addr);
		em_call(em, BPF_FUNC_probe_read_kernel);
	}
}

void
bg_copy(struct bg *g, uint32_t n, bool str, bool user)
{
	int fn = user ? str ? BPF_FUNC_probe_read_user_str :
			      BPF_FUNC_probe_read_user :
		 str  ? BPF_FUNC_probe_read_kernel_str :
			BPF_FUNC_probe_read_kernel;

	em_imm(g->em, R2, n);
	em_call(g->em, fn);
}

void
bg_copy_absent(struct bg *g, uint32_t n, bool str, int reg, unsigned base,
	       int32_t off)
{
	struct em *em = g->em;
	uint32_t have = em_label(em);

	if (!g->eng->rtconf.absent.again)
		return;
	em_ji(em, BPF_JSGE, R0, 0, have);
	if (reg >= 0)
		em_mov(em, R2, bg_get(g, (unsigned)reg, R2));
	else
		em_ld(em, BPF_DW, R2, FP, FR_TMP);
	em_mov(em, R1, R6);
	em_imm(em, R3, n);
	em_imm(em, R4, str);
	em_fn(em, "rt_absent");
	em_mov(em, R3, R0); /* reading at 0 fails */
	em_lea(em, R1, base, off);
	bg_copy(g, n, str, false);
	em_place(em, have);
}

void
bg_now(struct bg *g)
{
	uint32_t have = em_label(g->em);

	em_ld(g->em, BPF_DW, R0, R6, RT_OFF(now));
	em_ji(g->em, BPF_JNE, R0, 0, have);
	em_call(g->em, BPF_FUNC_ktime_get_ns);
	em_st(g->em, BPF_DW, R6, RT_OFF(now), R0);
	em_place(g->em, have);
}

/* The verifier lets a pointer be stored in a map, and a number be read. */
void
bg_number(struct bg *g, unsigned reg)
{
	em_st(g->em, BPF_DW, R6, RT_OFF(tmp), reg);
	em_ld(g->em, BPF_DW, reg, R6, RT_OFF(tmp));
}

/* ---- what an object's flow says ------------------------------------------ */

static bool
gen_is_branch(unsigned op)
{
	return op >= DIF_OP_BA && op <= DIF_OP_BLEU;
}

static bool
gen_is_compare(unsigned op)
{
	return op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP;
}

/* Change of the tuple stack's depth by an instruction. */
static int
depth_after(unsigned op, int depth)
{
	switch (op) {
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		return depth < DIF_NTUPLE ? depth + 1 : depth;
	case DIF_OP_POPTS:
		return depth > 0 ? depth - 1 : 0;
	case DIF_OP_FLUSHTS:
		return 0;
	default:
		return depth;
	}
}

/* Control passes from an instruction to `to` with these facts. */
static int
gen_flow(struct bg *g, uint32_t to, uint8_t defined, int depth)
{
	struct bg_ins *in = &g->ins[to];

	if (!in->reached) {
		in->reached = true;
		in->defined = defined;
		in->depth = (int8_t)depth;
		return 0;
	}
	in->defined &= defined;
	if (in->depth != depth)
		return bg_refuse(g, "the tuple stack differs between two "
				     "paths (DIF offset %u)", to);
	return 0;
}

static int
flow_forward(struct bg *g)
{
	const struct dif_obj *o = g->o;

	g->ins[0].reached = true;
	g->ins[0].defined = 1;
	for (uint32_t i = 0; i < o->ntext; i++) {
		const struct bg_ins *in = &g->ins[i];
		dif_instr_t t = o->text[i];
		unsigned op = DIF_OP(t);

		if (!in->reached || op == DIF_OP_RET)
			continue;
		uint8_t def = in->defined;
		if (dif_op_writes_rd(op))
			def |= (uint8_t)(1u << DIF_RD(t));
		int depth = depth_after(op, in->depth);
		if (gen_is_branch(op)) {
			uint32_t to = DIF_LABEL(t);
			if (gen_flow(g, to, def, depth) != 0)
				return -1;
			if (g->ins[to].label == 0)
				g->ins[to].label = em_label(g->em);
		}
		if (op != DIF_OP_BA && gen_flow(g, i + 1, def, depth) != 0)
			return -1;
	}
	return 0;
}

/*
 * flags_live of a compare or a branch, not 0 if the frame's copy of the
 * operands is read after it.  The branch directly behind a compare does not
 * need it.
 */
static int
flow_flags(struct bg *g)
{
	const struct dif_obj *o = g->o;
	bool *want = calloc(o->ntext + 1, sizeof(*want)); /* before each */

	if (want == NULL)
		return err_nomem(g->e);
	for (uint32_t i = o->ntext; i-- > 0;) {
		unsigned op = DIF_OP(o->text[i]);
		bool after = want[i + 1];

		if (op == DIF_OP_RET)
			after = false;
		else if (op == DIF_OP_BA)
			after = want[DIF_LABEL(o->text[i])];
		else if (gen_is_branch(op))
			after |= want[DIF_LABEL(o->text[i])];
		g->ins[i].flags_live = after;
		if (gen_is_compare(op))
			want[i] = false;
		else
			want[i] =
				after || (gen_is_branch(op) && op != DIF_OP_BA);
	}
	/* A compare whose next instruction is its branch: live if that one's
	   are live after it. */
	for (uint32_t i = 0; i + 1 < o->ntext; i++)
		if (gen_is_compare(DIF_OP(o->text[i])) &&
		    gen_is_branch(DIF_OP(o->text[i + 1])) &&
		    g->ins[i + 1].label == 0)
			g->ins[i].flags_live = g->ins[i + 1].flags_live;
	bool first = want[0];
	free(want);
	if (first) { /* read before any compare: all codes clear */
		em_sti(g->em, BPF_DW, FP, FR_CMP_A, 1);
		em_sti(g->em, BPF_DW, FP, FR_CMP_B, 0);
	}
	return 0;
}

/* Registers that may be read before they are written read as 0. */
static void
flow_undefined(struct bg *g)
{
	uint8_t need = 0;

	for (uint32_t i = 0; i < g->o->ntext; i++) {
		dif_instr_t t = g->o->text[i];
		unsigned f = dif_op_info[DIF_OP(t)].fmt;
		uint8_t use = 0;

		if (!g->ins[i].reached)
			continue;
		if (f == DIF_FMT_R3 || f == DIF_FMT_R2 || f == DIF_FMT_CMP ||
		    f == DIF_FMT_TST || f == DIF_FMT_LD || f == DIF_FMT_ST)
			use |= (uint8_t)(1u << DIF_R1(t));
		if (f == DIF_FMT_R3 || f == DIF_FMT_CMP || f == DIF_FMT_LDA ||
		    f == DIF_FMT_PUSH)
			use |= (uint8_t)(1u << DIF_R2(t));
		if (f == DIF_FMT_ST || f == DIF_FMT_RET || f == DIF_FMT_STV ||
		    f == DIF_FMT_PUSH || DIF_OP(t) == DIF_OP_COPYS)
			use |= (uint8_t)(1u << DIF_RD(t));
		need |= use & (uint8_t)~g->ins[i].defined;
	}
	for (unsigned r = 1; r < DIF_NREGS; r++)
		if (need & (1u << r)) {
			unsigned d = bg_dst(g, r, R0);
			em_imm(g->em, d, 0);
			bg_put(g, r, d);
		}
}

/* ---- arithmetic --------------------------------------------------------- */

/* dst op= the DIF register r, as an immediate where it is a small constant. */
static void
alu_operand(struct bg *g, unsigned op, unsigned dst, unsigned r)
{
	if (r == 0 || (g->konst[r] && em_fits(g->kval[r])))
		em_alui(g->em, op, dst, r == 0 ? 0 : (int32_t)g->kval[r]);
	else
		em_alu(g->em, op, dst, bg_get(g, r, R2));
}

static void
op_alu(struct bg *g, unsigned op, dif_instr_t t)
{
	em_mov(g->em, R1, bg_get(g, DIF_R1(t), R1));
	alu_operand(g, op, R1, DIF_R2(t));
	bg_put(g, DIF_RD(t), R1);
}

static void
op_shift(struct bg *g, unsigned op, dif_instr_t t)
{
	unsigned r2 = DIF_R2(t);

	em_mov(g->em, R1, bg_get(g, DIF_R1(t), R1));
	if (r2 == 0 || g->konst[r2]) {
		int n = r2 == 0 ? 0 : (int)(g->kval[r2] & 63);
		em_alui(g->em, op, R1, n);
	} else {
		em_mov(g->em, R2, bg_get(g, r2, R2));
		em_alui(g->em, BPF_AND, R2, 63);
		em_alu(g->em, op, R1, R2);
	}
	bg_put(g, DIF_RD(t), R1);
}

/* R1 = |R1|; R4 ^= 1 if it was negative. */
static void
div_abs(struct bg *g, unsigned reg, bool sign)
{
	uint32_t pos = em_label(g->em);

	em_ji(g->em, BPF_JSGE, reg, 0, pos);
	em_raw(g->em, BPF_ALU64 | BPF_NEG, reg, 0, 0, 0);
	if (sign)
		em_alui(g->em, BPF_XOR, R4, 1);
	em_place(g->em, pos);
}

/*
 * BPF divides unsigned.  The magnitudes are divided, the quotient has the
 * signs' product, the remainder the dividend's; INT64_MIN is its own magnitude
 * as an unsigned number, so nothing traps.
 */
static void
op_div(struct bg *g, dif_instr_t t)
{
	struct em *em = g->em;
	unsigned op = DIF_OP(t);
	bool sgn = op == DIF_OP_SDIV || op == DIF_OP_SREM;
	bool rem = op == DIF_OP_SREM || op == DIF_OP_UREM;
	uint32_t done = em_label(em);

	em_mov(em, R1, bg_get(g, DIF_R1(t), R1));
	em_mov(em, R2, bg_get(g, DIF_R2(t), R2));
	em_ji(em, BPF_JEQ, R2, 0, bg_fault(g, DIF_FAULT_DIVZERO, -1));
	if (sgn) {
		em_imm(em, R4, 0);
		div_abs(g, R1, true);
		div_abs(g, R2, !rem);
	}
	em_alu(em, rem ? BPF_MOD : BPF_DIV, R1, R2);
	if (sgn) {
		em_ji(em, BPF_JEQ, R4, 0, done);
		em_raw(em, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	}
	em_place(em, done);
	bg_put(g, DIF_RD(t), R1);
}

static void
op_bound(struct bg *g, dif_instr_t t)
{
	struct em *em = g->em;
	unsigned i = DIF_R1(t);

	em_mov(em, R1, bg_get(g, i, R1));
	em_mov(em, R2, bg_get(g, DIF_R2(t), R2));
	em_jr(em, BPF_JGE, R1, R2, bg_fault(g, DIF_FAULT_BADINDEX, (int)i));
}

/* ---- compare and branch ------------------------------------------------- */

static void
save_flags(struct bg *g, unsigned a, unsigned b)
{
	em_st(g->em, BPF_DW, FP, FR_CMP_A, a);
	em_st(g->em, BPF_DW, FP, FR_CMP_B, b);
}

static void
op_cmp(struct bg *g, dif_instr_t t)
{
	if (g->ins[g->at].flags_live)
		save_flags(g, bg_get(g, DIF_R1(t), R1),
			   bg_get(g, DIF_R2(t), R2));
}

/* The operands as the codes need them: R1 = (x != 0), R2 = 0. */
static void
norm_tst(struct bg *g, dif_instr_t t)
{
	uint32_t zero = em_label(g->em);

	em_mov(g->em, R2, bg_get(g, DIF_R1(t), R2));
	em_imm(g->em, R1, 0);
	em_ji(g->em, BPF_JEQ, R2, 0, zero);
	em_imm(g->em, R1, 1);
	em_place(g->em, zero);
	em_imm(g->em, R2, 0);
}

static void
op_tst(struct bg *g, dif_instr_t t)
{
	if (!g->ins[g->at].flags_live)
		return;
	norm_tst(g, t);
	save_flags(g, R1, R2);
}

static void
op_scmp(struct bg *g, dif_instr_t t)
{
	em_mov(g->em, R2, bg_get(g, DIF_R1(t), R2));
	em_mov(g->em, R3, bg_get(g, DIF_R2(t), R3));
	em_mov(g->em, R1, R6);
	em_fn(g->em, "rt_scmp");
	bg_check_body(g);
	em_st(g->em, BPF_DW, FP, FR_CMP_A, R0);
	em_sti(g->em, BPF_DW, FP, FR_CMP_B, 0);
}

static const uint8_t jump_op[] = {
	[DIF_OP_BE - DIF_OP_BA] = BPF_JEQ,
	[DIF_OP_BNE - DIF_OP_BA] = BPF_JNE,
	[DIF_OP_BG - DIF_OP_BA] = BPF_JSGT,
	[DIF_OP_BGU - DIF_OP_BA] = BPF_JGT,
	[DIF_OP_BGE - DIF_OP_BA] = BPF_JSGE,
	[DIF_OP_BGEU - DIF_OP_BA] = BPF_JGE,
	[DIF_OP_BL - DIF_OP_BA] = BPF_JSLT,
	[DIF_OP_BLU - DIF_OP_BA] = BPF_JLT,
	[DIF_OP_BLE - DIF_OP_BA] = BPF_JSLE,
	[DIF_OP_BLEU - DIF_OP_BA] = BPF_JLE,
};

/* The compare whose operands are still in their registers, or NULL. */
static const dif_instr_t *
fresh_compare(const struct bg *g)
{
	if (g->at == 0 || g->ins[g->at].label != 0)
		return NULL;
	unsigned op = DIF_OP(g->o->text[g->at - 1]);
	return op == DIF_OP_CMP || op == DIF_OP_TST ? &g->o->text[g->at - 1] :
						      NULL;
}

static void
op_branch(struct bg *g, dif_instr_t t)
{
	uint32_t to = g->ins[DIF_LABEL(t)].label;
	const dif_instr_t *c = fresh_compare(g);
	unsigned op = jump_op[DIF_OP(t) - DIF_OP_BA];

	if (DIF_OP(t) == DIF_OP_BA) {
		em_ja(g->em, to);
		return;
	}
	if (c == NULL) {
		em_ld(g->em, BPF_DW, R1, FP, FR_CMP_A);
		em_ld(g->em, BPF_DW, R2, FP, FR_CMP_B);
		em_jr(g->em, op, R1, R2, to);
	} else if (DIF_OP(*c) == DIF_OP_TST) {
		if (op == BPF_JEQ || op == BPF_JNE) {
			em_ji(g->em, op, bg_get(g, DIF_R1(*c), R1), 0, to);
			return;
		}
		norm_tst(g, *c);
		em_jr(g->em, op, R1, R2, to);
	} else {
		unsigned r2 = DIF_R2(*c), a = bg_get(g, DIF_R1(*c), R1);
		if (r2 == 0 || (g->konst[r2] && em_fits(g->kval[r2])))
			em_ji(g->em, op, a, r2 == 0 ? 0 : (int32_t)g->kval[r2],
			      to);
		else
			em_jr(g->em, op, a, bg_get(g, r2, R2), to);
	}
}

/* ---- memory ------------------------------------------------------------- */

static void
load_memory(struct bg *g, dif_instr_t t, unsigned size, bool sign, bool user)
{
	struct em *em = g->em;
	unsigned r1 = DIF_R1(t), rd = DIF_RD(t);
	static const uint8_t width[9] = { [1] = BPF_B, [2] = BPF_H,
					  [4] = BPF_W, [8] = BPF_DW };

	em_mov(em, R3, bg_get(g, r1, R3));
	em_lea(em, R1, FP, FR_TMP2);
	bg_copy(g, size, false, user);
	if (user)
		bg_copy_absent(g, size, false, (int)r1, FP, FR_TMP2);
	em_ji(em, BPF_JSLT, R0, 0, bg_fault(g, DIF_FAULT_BADADDR, (int)r1));
	unsigned d = bg_dst(g, rd, R0);
	em_ld(em, width[size], d, FP, FR_TMP2);
	if (sign) {
		em_alui(em, BPF_LSH, d, 64 - (int)size * 8);
		em_alui(em, BPF_ARSH, d, 64 - (int)size * 8);
	}
	bg_put(g, rd, d);
}

/* The seven loads of a family stand in one order: sb sh sw ub uh uw x. */
static void
op_load(struct bg *g, dif_instr_t t, unsigned first, bool user)
{
	static const uint8_t size[7] = { 1, 2, 4, 1, 2, 4, 8 };
	unsigned k = DIF_OP(t) - first;

	load_memory(g, t, size[k], k < 3, user);
}

/* Call a body with up to three DIF registers; the result to rd unless 0. */
static void
call_body(struct bg *g, const char *fn, const unsigned *args, unsigned n,
	  unsigned rd)
{
	for (unsigned i = 0; i < n; i++)
		em_mov(g->em, R2 + i, bg_get(g, args[i], R2 + i));
	em_mov(g->em, R1, R6);
	em_fn(g->em, fn);
	bg_check_body(g);
	if (rd != 0)
		bg_put(g, rd, R0);
}

static void
op_store(struct bg *g, dif_instr_t t, int size)
{
	em_mov(g->em, R2, bg_get(g, DIF_RD(t), R2));
	em_mov(g->em, R3, bg_get(g, DIF_R1(t), R3));
	em_imm(g->em, R4, (uint64_t)size);
	em_mov(g->em, R1, R6);
	em_fn(g->em, "rt_store");
	bg_check_body(g);
}

/* ---- the tuple stack and calls ------------------------------------------ */

static void
op_push(struct bg *g, dif_instr_t t)
{
	struct em *em = g->em;
	bool ref = DIF_OP(t) == DIF_OP_PUSHTR;
	bool str = ref && DIF_R1(t) == DIF_TYPE_STRING;
	int depth = g->ins[g->at].depth;
	int off = RT_OFF(tuple) + depth * (int)sizeof(struct rt_tuple);

	if (depth >= DIF_NTUPLE) {
		em_ja(em, bg_fault(g, DIF_FAULT_TUPOFLOW, -1));
		return;
	}
	em_st(em, BPF_DW, R6, off, bg_get(g, DIF_RD(t), R1));
	off += (int)offsetof(struct rt_tuple, size);
	if (!ref || (DIF_R2(t) == 0 && !str))
		em_sti(em, BPF_DW, R6, off, 0);
	else if (DIF_R2(t) == 0)
		em_sti(em, BPF_DW, R6, off,
		       (int32_t)g->eng->en->sizes.strsize);
	else
		em_st(em, BPF_DW, R6, off, bg_get(g, DIF_R2(t), R1));
	off += (int)(offsetof(struct rt_tuple, isref) -
		     offsetof(struct rt_tuple, size));
	em_sti(em, BPF_W, R6, off, ref);
	em_sti(em, BPF_W, R6, off + 4, str);
}

/* Name of the body of a subroutine that this engine serves, or NULL. */
static const char *
subr_body(uint32_t id)
{
	switch (id) {
#define SUBR(num, name, proto, engines, flags, needs)                          \
	case num:                                                       \
		return (DIF_ENG_##engines & DIF_ENG_K) ? "rt_subr_" #name \
						       : NULL;
#include "dif/subr.def"
#undef SUBR
	}
	return NULL;
}

static int
op_call(struct bg *g, dif_instr_t t)
{
	const char *fn = subr_body(DIF_IDX(t));

	if (fn == NULL) {
		const struct dif_subr_info *s = dif_subr_by_id(DIF_IDX(t));
		return bg_refuse(g, "%s() is not served",
				  s ? s->name : "an unknown subroutine");
	}
	em_sti(g->em, BPF_W, R6, RT_OFF(ntuple), g->ins[g->at].depth);
	call_body(g, fn, NULL, 0, DIF_RD(t));
	if ((dif_subr_by_id(DIF_IDX(t))->flags & DIF_SUBR_F_DESTRUCTIVE) != 0 ||
	    DIF_IDX(t) == DIF_SUBR_speculation)
		bg_effect(g);
	return 0;
}

/* ---- the instructions ---------------------------------------------------- */

static void
op_const(struct bg *g, unsigned rd, uint64_t v)
{
	unsigned d = bg_dst(g, rd, R1);

	em_imm(g->em, d, v);
	bg_put(g, rd, d);
	g->konst[rd] = true;
	g->kval[rd] = v;
}

static void
op_ret(struct bg *g, dif_instr_t t)
{
	em_mov(g->em, R0, bg_get(g, DIF_RD(t), R0));
	if (g->at + 1 < g->o->ntext)
		em_ja(g->em, g->lb_end);
}

/* Instructions that stay in registers; false: another kind. */
static bool
ins_alu(struct bg *g, dif_instr_t t)
{
	unsigned op = DIF_OP(t), rd = DIF_RD(t);

	switch (op) {
	case DIF_OP_OR: op_alu(g, BPF_OR, t); return true;
	case DIF_OP_XOR: op_alu(g, BPF_XOR, t); return true;
	case DIF_OP_AND: op_alu(g, BPF_AND, t); return true;
	case DIF_OP_ADD: op_alu(g, BPF_ADD, t); return true;
	case DIF_OP_SUB: op_alu(g, BPF_SUB, t); return true;
	case DIF_OP_MUL: op_alu(g, BPF_MUL, t); return true;
	case DIF_OP_SLL: op_shift(g, BPF_LSH, t); return true;
	case DIF_OP_SRL: op_shift(g, BPF_RSH, t); return true;
	case DIF_OP_SRA: op_shift(g, BPF_ARSH, t); return true;
	case DIF_OP_SDIV: case DIF_OP_UDIV: case DIF_OP_SREM: case DIF_OP_UREM:
		op_div(g, t);
		return true;
	case DIF_OP_NOT:
		em_mov(g->em, R1, bg_get(g, DIF_R1(t), R1));
		em_alui(g->em, BPF_XOR, R1, -1);
		bg_put(g, rd, R1);
		return true;
	case DIF_OP_MOV:
		bg_put(g, rd, bg_get(g, DIF_R1(t), R1));
		return true;
	case DIF_OP_SETX:
		op_const(g, rd, g->o->inttab[DIF_IDX(t)]);
		return true;
	case DIF_OP_SETS:
		op_const(g, rd, g->eng->str_addr +
				bpf_site_objstr(g->eng, g->o) + DIF_IDX(t));
		return true;
	case DIF_OP_BOUND:
		op_bound(g, t);
		return true;
	case DIF_OP_CMP: op_cmp(g, t); return true;
	case DIF_OP_TST: op_tst(g, t); return true;
	case DIF_OP_SCMP: op_scmp(g, t); return true;
	case DIF_OP_RET: op_ret(g, t); return true;
	case DIF_OP_NOP: case DIF_OP_POPTS: case DIF_OP_FLUSHTS:
		return true; /* the depth of the stack is known */
	}
	if (gen_is_branch(op))
		op_branch(g, t);
	return gen_is_branch(op);
}

static bool
ins_memory(struct bg *g, dif_instr_t t)
{
	unsigned op = DIF_OP(t), rd = DIF_RD(t);

	if (op >= DIF_OP_LDSB && op <= DIF_OP_LDX) {
		op_load(g, t, DIF_OP_LDSB, false);
	} else if (op >= DIF_OP_ULDSB && op <= DIF_OP_ULDX) {
		op_load(g, t, DIF_OP_ULDSB, true);
	} else if (op >= DIF_OP_RLDSB && op <= DIF_OP_RLDX) {
		op_load(g, t, DIF_OP_RLDSB, false);
	} else if (op >= DIF_OP_STB && op <= DIF_OP_STX) {
		op_store(g, t, 1 << (op - DIF_OP_STB));
	} else if (op == DIF_OP_ALLOCS) {
		call_body(g, "rt_allocs", (unsigned[]){ DIF_R1(t) }, 1, rd);
	} else if (op == DIF_OP_COPYS) {
		call_body(g, "rt_copys",
			  (unsigned[]){ DIF_R1(t), rd, DIF_R2(t) }, 3, 0);
	} else if (op == DIF_OP_PUSHTR || op == DIF_OP_PUSHTV) {
		op_push(g, t);
	} else {
		return false;
	}
	return true;
}

static int
ins_var(struct bg *g, dif_instr_t t)
{
	unsigned op = DIF_OP(t), rd = DIF_RD(t);
	uint32_t id = DIF_IDX(t);

	switch (op) {
	case DIF_OP_LDGS: return bg_var_load(g, DIF_SCOPE_GLOBAL, id, rd);
	case DIF_OP_LDTS: return bg_var_load(g, DIF_SCOPE_THREAD, id, rd);
	case DIF_OP_LDLS: return bg_var_load(g, DIF_SCOPE_LOCAL, id, rd);
	case DIF_OP_STGS: return bg_var_store(g, DIF_SCOPE_GLOBAL, id, rd);
	case DIF_OP_STTS: return bg_var_store(g, DIF_SCOPE_THREAD, id, rd);
	case DIF_OP_STLS: return bg_var_store(g, DIF_SCOPE_LOCAL, id, rd);
	case DIF_OP_LDGA: return bg_array(g, DIF_R1(t), DIF_R2(t), rd);
	case DIF_OP_LDGAA: return bg_assoc_load(g, DIF_SCOPE_GLOBAL, id, rd);
	case DIF_OP_LDTAA: return bg_assoc_load(g, DIF_SCOPE_THREAD, id, rd);
	case DIF_OP_STGAA: return bg_assoc_store(g, DIF_SCOPE_GLOBAL, id, rd);
	case DIF_OP_STTAA: return bg_assoc_store(g, DIF_SCOPE_THREAD, id, rd);
	case DIF_OP_CALL: return op_call(g, t);
	}
	return bg_refuse(g, "DIF instruction %s is not served",
			  dif_op_info[op].mnem ? dif_op_info[op].mnem : "?");
}

/* True if the instruction changes what outlives the firing. */
static bool
ins_lasts(unsigned op)
{
	return op == DIF_OP_STGS || op == DIF_OP_STTS || op == DIF_OP_STGAA ||
	       op == DIF_OP_STTAA;
}

static int
bg_ins(struct bg *g)
{
	dif_instr_t t = g->o->text[g->at];

	if (!g->ins[g->at].reached)
		return 0;
	if (g->ins[g->at].label != 0) {
		em_place(g->em, g->ins[g->at].label);
		memset(g->konst, 0, sizeof(g->konst));
	}
	if (ins_alu(g, t) || ins_memory(g, t))
		return 0;
	if (ins_var(g, t) != 0)
		return -1;
	if (ins_lasts(DIF_OP(t)))
		bg_effect(g);
	return 0;
}

/*
 * A constant in a DIF register is known only until a label: a register that
 * was set on one path only must not be taken for a constant behind the merge.
 */
int
bg_obj(struct bg *g, const struct dif_obj *o)
{
	int rc;

	g->o = o;
	g->at = 0;
	g->ins = calloc(o->ntext, sizeof(*g->ins));
	if (g->ins == NULL)
		return err_nomem(g->e);
	memset(g->konst, 0, sizeof(g->konst));
	g->lb_end = em_label(g->em);
	rc = flow_forward(g);
	if (rc == 0)
		rc = flow_flags(g);
	if (rc == 0)
		flow_undefined(g);
	memset(g->konst, 0, sizeof(g->konst));
	for (; rc == 0 && g->at < o->ntext; g->at++)
		rc = bg_ins(g);
	em_place(g->em, g->lb_end);
	free(g->ins);
	g->ins = NULL;
	g->o = NULL;
	return rc;
}
