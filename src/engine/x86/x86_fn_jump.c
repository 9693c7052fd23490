/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_fn_jump.c - where jumps through registers and memory go.
 *
 * Compilers make three kinds:
 *
 *   a switch, position-independent: 4-byte offsets from the table's own start
 *	lea    table(%rip),%rB
 *	movslq (%rB,%rI,4),%rX
 *	add    %rB,%rX		(the sum may be in either register)
 *	jmp    *%rX
 *
 *   a switch, or `goto *label[i]`, with 8-byte addresses
 *	jmp    *table(,%rI,8)	or the same as a load, then jmp *%rX
 *
 *   a pointer: a tail call, or a goto
 *	jmp    *%rX, jmp *8(%rX), jmp *foo@GOTPCREL(%rip)
 *
 * What was written to a register is looked for along the straight line before
 * the jump.  The `lea` of a switch in a loop may be elsewhere: then every lea
 * of the function that yields data is tried as the table.  A table made by
 * hand may hold distances from a label of the code instead (printf's does).
 *
 * A table of offsets is read until an entry leads to no instruction of the
 * function: at most it is read too far, and a few targets too many cost
 * nothing but a window.  A number of entries found in the comparison before
 * it is only a lower bound, for tables with holes that lead elsewhere.
 *
 * Whatever pointer is jumped through, it has been made somewhere: by code of
 * this function (lea, immediate) or in data; both are targets already.  So
 * only arithmetic on addresses is unknown.
 */
#include "engine/x86/x86_fn_impl.h"

#include <string.h>
#include <Zydis/Zydis.h>

#define LOOKBACK  48
#define TABLE_MAX 65536

struct jump_cx {
	struct x86_scan *s;
	ZydisDecoder dec;
	size_t i; /* the jump */
};
struct full {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

static bool
step_full(const struct jump_cx *cx, size_t i, struct full *x)
{
	const struct x86_step *t = &cx->s->steps.v[i];

	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&cx->dec, t->p, t->in.len,
						   &x->in, x->op));
}

static ZydisRegister
reg64(ZydisRegister r)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
}

static bool
full_writes(const struct full *x, ZydisRegister reg)
{
	for (int i = 0; i < x->in.operand_count; i++)
		if (x->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (x->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
		    reg64(x->op[i].reg.value) == reg)
			return true;
	return false;
}

static bool
reg_survives_calls(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_RBX || r == ZYDIS_REGISTER_RBP ||
	       r == ZYDIS_REGISTER_RSP ||
	       (r >= ZYDIS_REGISTER_R12 && r <= ZYDIS_REGISTER_R15);
}

enum def {
	DEF_FOUND,
	DEF_CALLER, /* as it was when the function was entered, or its value
		       comes from a call: a pointer made elsewhere */
	DEF_LOST    /* another way leads here, on which it may be written */
};

/* The instruction before i that wrote a register. */
static enum def
reg_def(const struct jump_cx *cx, size_t i, ZydisRegister reg, size_t *at,
	struct full *x)
{
	const struct x86_scan *s = cx->s;

	for (size_t n = 0; n < LOOKBACK; n++) {
		const struct x86_step *t;

		if (i == 0)
			return DEF_CALLER;
		t = &s->steps.v[--i];
		switch (t->in.kind) {
		case X86_I_CALL:
		case X86_I_CALL_IND:
			if (!reg_survives_calls(reg))
				return DEF_CALLER;
			break;
		case X86_I_RET:
		case X86_I_JMP:
		case X86_I_JMP_IND:
		case X86_I_TRAP:
		case X86_I_BAD:
			return DEF_LOST;
		default:
			break;
		}
		if (!step_full(cx, i, x))
			return DEF_LOST;
		if (full_writes(x, reg)) {
			*at = i;
			return DEF_FOUND;
		}
	}
	return DEF_LOST;
}

/* ---- tables -------------------------------------------------------------- */

/* The least number of entries, from the comparison that guards the jump: a
   `cmp $n` that a `ja` follows. */
static size_t
table_least(const struct jump_cx *cx)
{
	struct full x;
	bool above = false;

	for (size_t n = 0, i = cx->i; i-- > 0 && n < 16; n++) {
		const struct x86_step *t = &cx->s->steps.v[i];

		if (t->in.kind == X86_I_JCC) {
			above = t->p[0] == 0x77 ||
				(t->p[0] == 0x0f && t->p[1] == 0x87);
			continue;
		}
		if (t->in.kind != X86_I_PLAIN)
			return 0;
		if (!step_full(cx, i, &x))
			return 0;
		if (x.in.mnemonic != ZYDIS_MNEMONIC_CMP || !above)
			continue;
		if (x.op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		    x.op[1].imm.value.u >= TABLE_MAX)
			return 0;
		return (size_t)x.op[1].imm.value.u + 1;
	}
	return 0;
}

/* Read a table; the number of its entries that lead to instructions here. */
static size_t
table_read(struct jump_cx *cx, uint64_t table, uint64_t base, unsigned size)
{
	struct x86_scan *s = cx->s;
	const struct x86_fn *f = s->fn;
	size_t least = table_least(cx), found = 0;

	for (size_t k = 0; k < TABLE_MAX; k++) {
		const uint8_t *p =
			s->w->bytes(s->w->arg, table + k * size, size);
		uint64_t to = 0;
		int32_t off;

		if (p == NULL)
			break;
		if (size == 4) {
			memcpy(&off, p, 4);
			to = base + (uint64_t)(int64_t)off;
		} else {
			memcpy(&to, p, 8);
		}
		if (x86_fn_in(f->insns.v, f->insns.n, to)) {
			x86_scan_target(s, to);
			found++;
		} else if (k >= least || found == 0) {
			break;
		}
	}
	return found;
}

static bool
step_is_lea(const struct x86_step *t)
{
	return t->in.rip_rel && t->in.len == 7 && (t->p[0] & 0xf8) == 0x48 &&
	       t->p[1] == 0x8d;
}

/*
 * Every lea of the function as the table, or as what its offsets count from;
 * `table` or `base` is 0 where it is not known, or known to be the other.
 */
static size_t
table_any(struct jump_cx *cx, uint64_t table, uint64_t base, int64_t disp)
{
	const struct x86_scan *s = cx->s;
	size_t found = 0;

	for (size_t i = 0; i < s->steps.n; i++) {
		uint64_t at = s->steps.v[i].in.target;

		if (!step_is_lea(&s->steps.v[i]))
			continue;
		if (table != 0)
			found += table_read(cx, table + (uint64_t)disp, at, 4);
		else if (!x86_fn_has(s->fn, at))
			found += table_read(cx, at + (uint64_t)disp,
					    base != 0 ? base : at, 4);
	}
	return found;
}

/* The address a register holds, if an instruction before i put it there. */
static bool
reg_address(const struct jump_cx *cx, size_t i, ZydisRegister reg,
	    uint64_t *addr)
{
	struct full x;
	size_t at;

	for (int hops = 0; hops < 4; hops++) {
		if (reg_def(cx, i, reg, &at, &x) != DEF_FOUND)
			return false;
		if (step_is_lea(&cx->s->steps.v[at])) {
			*addr = cx->s->steps.v[at].in.target;
			return true;
		}
		if (x.in.mnemonic != ZYDIS_MNEMONIC_MOV)
			return false;
		if (x.op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			*addr = x.op[1].imm.value.u;
			return true;
		}
		if (x.op[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
			return false;
		i = at;
		reg = reg64(x.op[1].reg.value);
	}
	return false;
}

/*
 * movslq (%rB,%rI,4), as steps[i], to whose result the register `other` is
 * added at steps[sum]: the table itself, or a label of the function.
 */
static enum x86_goes
table_of_offsets(struct jump_cx *cx, size_t i, const struct full *x, size_t sum,
		 ZydisRegister other)
{
	const ZydisDecodedOperandMem *m = &x->op[1].mem;
	uint64_t table = 0, base = 0;
	size_t n = 0;

	if (x->in.mnemonic != ZYDIS_MNEMONIC_MOVSXD ||
	    x->op[1].type != ZYDIS_OPERAND_TYPE_MEMORY || m->scale != 4)
		return X86_GO_UNKNOWN;
	reg_address(cx, i, m->base, &table);
	if (m->base == other)
		base = table;
	else
		reg_address(cx, sum, other, &base);
	if (table != 0 && base != 0)
		n = table_read(cx, table + (uint64_t)m->disp.value, base, 4);
	if (n == 0)
		n = table_any(cx, m->base == other ? 0 : table, base,
			      m->disp.value);
	return n != 0 ? X86_GO_TABLE : X86_GO_UNKNOWN;
}

/* A sum of two registers, one of which comes from a table of offsets. */
static enum x86_goes
jump_sum(struct jump_cx *cx, size_t i, ZydisRegister a, ZydisRegister b)
{
	struct full x;
	size_t at;
	enum x86_goes g = X86_GO_UNKNOWN;

	if (reg_def(cx, i, a, &at, &x) == DEF_FOUND)
		g = table_of_offsets(cx, at, &x, i, b);
	if (g == X86_GO_UNKNOWN && reg_def(cx, i, b, &at, &x) == DEF_FOUND)
		g = table_of_offsets(cx, at, &x, i, a);
	return g;
}

/* ---- pointers ------------------------------------------------------------ */

/* Does data, or somebody else, hold addresses inside of this function? */
static bool
fn_is_entered(const struct x86_scan *s)
{
	uint64_t a;

	for (uint32_t k = 0; k < s->fn->nparts; k++) {
		const struct x86_part *p = &s->fn->part[k];

		if (s->w->entered(s->w->arg, p->addr + 1, p->addr + p->size, 0,
				  &a))
			return true;
	}
	return false;
}

/* A goto through a pointer leaves the frame as it is, a tail call takes it
   down. */
static enum x86_goes
jump_pointer(const struct jump_cx *cx)
{
	int32_t d = x86_scan_depth(cx->s, cx->i);

	if (d == DEPTH_UNKNOWN)
		return fn_is_entered(cx->s) ? X86_GO_POINTER : X86_GO_AWAY;
	return d == 0 ? X86_GO_AWAY : X86_GO_TABLE;
}

/* ---- all ----------------------------------------------------------------- */

/* Through memory, as operand m of steps[i]: the jump itself, or the load. */
static enum x86_goes
jump_memory(struct jump_cx *cx, size_t i, const ZydisDecodedOperandMem *m)
{
	uint64_t b = 0;
	bool known;

	if (m->index == ZYDIS_REGISTER_NONE || m->scale != 8)
		return jump_pointer(cx);
	known = m->base == ZYDIS_REGISTER_NONE ||
		reg_address(cx, i, m->base, &b);
	if (known && table_read(cx, b + (uint64_t)m->disp.value, 0, 8) != 0)
		return X86_GO_TABLE;
	return jump_pointer(cx);
}

static enum x86_goes
jump_register(struct jump_cx *cx, ZydisRegister reg)
{
	struct full x;
	size_t at;

	if (reg_def(cx, cx->i, reg, &at, &x) != DEF_FOUND)
		return jump_pointer(cx);
	switch (x.in.mnemonic) {
	case ZYDIS_MNEMONIC_XOR: /* glibc keeps pointers scrambled */
		return x.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
				       x.op[1].mem.segment == ZYDIS_REGISTER_FS
			       ? jump_pointer(cx)
			       : X86_GO_UNKNOWN;
	case ZYDIS_MNEMONIC_ADD:
		/* The address of another object's function: after a frame has
		   been taken down, it is none of ours. */
		if (x.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    x86_scan_depth(cx->s, cx->i) == 0)
			return X86_GO_AWAY;
		if (x.op[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
			return X86_GO_UNKNOWN;
		return jump_sum(cx, at, reg64(x.op[0].reg.value),
				reg64(x.op[1].reg.value));
	case ZYDIS_MNEMONIC_LEA:
		if (cx->s->steps.v[at].in.rip_rel)
			return jump_pointer(cx);
		if (x.op[1].mem.index == ZYDIS_REGISTER_NONE ||
		    x.op[1].mem.scale != 1 || x.op[1].mem.disp.value != 0)
			return X86_GO_UNKNOWN;
		return jump_sum(cx, at, x.op[1].mem.base, x.op[1].mem.index);
	case ZYDIS_MNEMONIC_MOV:
		if (x.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return jump_memory(cx, at, &x.op[1].mem);
		return jump_pointer(cx);
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_CMOVZ:
	case ZYDIS_MNEMONIC_CMOVNZ:
		return jump_pointer(cx);
	default:
		return X86_GO_UNKNOWN;
	}
}

enum x86_goes
x86_scan_jump(struct x86_scan *s, size_t i)
{
	struct jump_cx cx = { .s = s, .i = i };
	struct full x;

	ZydisDecoderInit(&cx.dec, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	if (!step_full(&cx, i, &x))
		return X86_GO_UNKNOWN;
	if (x.op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		return jump_memory(&cx, i, &x.op[0].mem);
	return jump_register(&cx, reg64(x.op[0].reg.value));
}
