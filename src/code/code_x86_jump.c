/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_jump.c - where jumps through registers and memory go.
 *
 * Compilers make three kinds:
 *
 *   a switch, position-independent: 4-byte offsets from the table's own start
 *	lea    table(%rip),%rB
 *	movslq (%rB,%rI,4),%rX	or, not optimized:
 *				mov (%rJ,%rB,1),%eax; cltq
 *	add    %rB,%rX		(the sum may be in either register)
 *	jmp    *%rX
 *
 *   a switch, or `goto *label[i]`, with 8-byte addresses
 *	jmp    *table(,%rI,8)	or the same as a load, then jmp *%rX
 *	jmp    *(%rB,%rI,8)	where %rB holds the table's address
 *
 *   a pointer: a tail call, or a goto
 *	jmp    *%rX, jmp *8(%rX), jmp *foo@GOTPCREL(%rip)
 *				an address that the code itself has, or
 *				that data has at one place, is known
 *
 * code_x86_reg.c finds what a register holds.  Where it finds no table for a
 * switch, every lea of the function that yields data is tried as the table.  A
 * table made by hand, or of differences of labels, holds distances from a label
 * of the code instead (printf's does).
 *
 * A table of offsets is read until an entry leads to no instruction of the
 * function: at most it is read too far, and a few targets too many cost
 * nothing but a window.  A number of entries found in the comparison before
 * it is only a lower bound, for tables with holes that lead elsewhere.
 *
 * Whatever pointer is jumped through, it has been made somewhere: by code of
 * this function (lea, immediate) or in data; both are targets already.  So
 * only arithmetic on addresses is unknown.  Whether such a jump leaves the
 * function is another matter.  A tail call has taken the frame down, a goto
 * leaves it as it is; in a function without a frame they look the same, and
 * only if nobody holds an address inside the function is it a tail call.
 */
#include "code/code_x86_impl.h"

#include <string.h>

#define TABLE_MAX 65536

/* ---- tables -------------------------------------------------------------- */

/* The least number of entries, from the comparison that guards the jump: a
   `cmp $n` that a `ja` follows. */
static size_t
table_least(const struct code_jump *cx)
{
	struct code_full x;
	bool above = false;

	for (size_t n = 0, i = cx->i; i-- > 0 && n < 16; n++) {
		const struct code_step *t = &cx->s->steps.v[i];

		if (t->in.kind == CODE_I_JCC) {
			above = t->p[0] == 0x77 ||
				(t->p[0] == 0x0f && t->p[1] == 0x87);
			continue;
		}
		if (t->in.kind != CODE_I_PLAIN)
			return 0;
		if (!code_jump_full(cx, i, &x))
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

/* Where entry k of a table leads; false: there is none. */
static bool
table_entry(const struct code_scan *s, uint64_t table, uint64_t base,
	    unsigned size, size_t k, uint64_t *to)
{
	uint64_t at = table + k * size;
	const uint8_t *p;
	int32_t off;

	if (size == 8 && s->w->pointer != NULL)
		return s->w->pointer(s->w->arg, at, to);
	p = s->w->bytes(s->w->arg, at, size);
	if (p == NULL)
		return false;
	if (size == 8) {
		memcpy(to, p, 8);
		return true;
	}
	memcpy(&off, p, 4);
	*to = base + (uint64_t)(int64_t)off;
	return true;
}

static void
table_note(struct code_scan *s, uint64_t to)
{
	if (!vec_push(&s->tabled, to))
		s->nomem = true;
}

/* Read a table; the number of its entries that lead to instructions here. */
static size_t
table_read(struct code_jump *cx, uint64_t table, uint64_t base, unsigned size)
{
	struct code_scan *s = cx->s;
	const struct code_fn *f = s->fn;
	size_t least = table_least(cx), found = 0;
	uint64_t to;

	for (size_t k = 0; k < TABLE_MAX; k++) {
		if (!table_entry(s, table, base, size, k, &to))
			break;
		if (code_fn_in(f->insns.v, f->insns.n, to)) {
			code_scan_target(s, to);
			table_note(s, to);
			found++;
		} else if (k >= least || found == 0) {
			break;
		}
	}
	/* A label that distances are counted from is taken for that. */
	if (found != 0 && size == 4)
		table_note(s, base);
	return found;
}

/* The same of a table that is known to be this jump's. */
static size_t
table_sure(struct code_jump *cx, uint64_t table, uint64_t base, unsigned size)
{
	struct code_scan *s = cx->s;
	size_t had = s->tabled.n, n = table_read(cx, table, base, size);

	for (size_t i = had; i < s->tabled.n && i < had + n; i++) {
		const struct code_edge e = { cx->i, s->tabled.v[i] };

		if (!vec_push(&s->edges, e))
			s->nomem = true;
	}
	return n;
}

/*
 * Every lea of the function as the table, or as what its offsets count from;
 * `table` or `base` is 0 where it is not known, or known to be the other.
 */
static size_t
table_any(struct code_jump *cx, uint64_t table, uint64_t base, int64_t disp)
{
	const struct code_scan *s = cx->s;
	size_t found = 0;

	for (size_t i = 0; i < s->steps.n; i++) {
		uint64_t at = s->steps.v[i].in.target;

		if (!code_step_is_lea(&s->steps.v[i]))
			continue;
		if (table != 0)
			found += table_read(cx, table + (uint64_t)disp, at, 4);
		else if (!code_fn_has(s->fn, at))
			found += table_read(cx, at + (uint64_t)disp,
					    base != 0 ? base : at, 4);
	}
	return found;
}

/* What is added to an offset: a register at steps[sum], or an address. */
struct addend {
	ZydisRegister reg; /* NONE: addr */
	uint64_t addr;
	size_t sum;
};

/*
 * The load of 4 bytes that a register holds before steps[i], sign-extended by
 * itself or by an instruction after it.
 */
static bool
offset_load(const struct code_jump *cx, size_t i, ZydisRegister reg, size_t *at,
	    struct code_full *x)
{
	if (code_reg_def(cx, i, reg, at, x) != CODE_DEF_FOUND)
		return false;
	if (x->in.mnemonic == ZYDIS_MNEMONIC_CDQE ||
	    (x->in.mnemonic == ZYDIS_MNEMONIC_MOVSXD &&
	     x->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER)) {
		reg = x->in.mnemonic == ZYDIS_MNEMONIC_CDQE
			      ? ZYDIS_REGISTER_RAX
			      : code_reg64(x->op[1].reg.value);
		if (code_reg_def(cx, *at, reg, at, x) != CODE_DEF_FOUND)
			return false;
	}
	return (x->in.mnemonic == ZYDIS_MNEMONIC_MOVSXD ||
		(x->in.mnemonic == ZYDIS_MNEMONIC_MOV &&
		 x->op[0].size == 32)) &&
	       x->op[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
}

/*
 * The address of the table that a load before, or of, steps[i] indexes, without
 * its displacement, and in which register it is.  false: it is not known.  An
 * index that is already in bytes may come first.
 */
static bool
table_of_load(const struct code_jump *cx, size_t i,
	      const ZydisDecodedOperandMem *m, unsigned size, uint64_t *table,
	      ZydisRegister *reg)
{
	*table = 0;
	*reg = m->base;
	if (m->base == ZYDIS_REGISTER_NONE)
		return m->scale == size;
	if (m->scale == size || m->index == ZYDIS_REGISTER_NONE)
		return code_reg_address(cx, i, m->base, table);
	if (m->scale != 1)
		return false;
	if (code_reg_address(cx, i, m->base, table))
		return true;
	*reg = m->index;
	return code_reg_address(cx, i, m->index, table);
}

/* An offset that steps[i] loads, with an index that the compiler knew. */
static enum code_goes
table_of_one(struct code_jump *cx, size_t i, const struct addend *add)
{
	struct code_scan *s = cx->s;
	uint64_t base = add->addr, to;

	if (!s->steps.v[i].in.pc_rel ||
	    (add->reg != ZYDIS_REGISTER_NONE &&
	     !code_reg_address(cx, add->sum, add->reg, &base)) ||
	    !table_entry(s, s->steps.v[i].in.target, base, 4, 0, &to) ||
	    !code_fn_in(s->fn->insns.v, s->fn->insns.n, to))
		return CODE_GO_UNKNOWN;
	code_scan_target(s, to);
	table_note(s, to);
	return CODE_GO_TABLE;
}

/*
 * An offset that is loaded by steps[i], *x, to which something is added: the
 * address of the table itself, or of a label of the function.
 */
static enum code_goes
table_of_offsets(struct code_jump *cx, size_t i, const struct code_full *x,
		 const struct addend *add)
{
	const ZydisDecodedOperandMem *m = &x->op[1].mem;
	uint64_t table, base = add->addr, disp = (uint64_t)m->disp.value;
	bool known, own;
	ZydisRegister reg;
	size_t n = 0;

	if (m->index == ZYDIS_REGISTER_NONE)
		return table_of_one(cx, i, add);
	known = table_of_load(cx, i, m, 4, &table, &reg);
	own = add->reg != ZYDIS_REGISTER_NONE && reg == add->reg;
	if (add->reg != ZYDIS_REGISTER_NONE &&
	    !code_reg_address(cx, add->sum, add->reg, &base))
		base = own ? table : 0;
	if (known && base != 0)
		n = table_sure(cx, table + disp, base, 4);
	if (n == 0)
		n = table_any(cx,
			      own     ? 0
			      : known ? table
				      : 0,
			      base, (int64_t)disp);
	return n != 0 ? CODE_GO_TABLE : CODE_GO_UNKNOWN;
}

/* A sum of two registers, one of which comes from a table of offsets. */
static enum code_goes
jump_sum(struct code_jump *cx, size_t i, ZydisRegister a, ZydisRegister b)
{
	const struct addend to_a = { .reg = b, .sum = i };
	const struct addend to_b = { .reg = a, .sum = i };
	struct code_full x;
	size_t at;
	enum code_goes g = CODE_GO_UNKNOWN;

	if (offset_load(cx, i, a, &at, &x))
		g = table_of_offsets(cx, at, &x, &to_a);
	if (g == CODE_GO_UNKNOWN && offset_load(cx, i, b, &at, &x))
		g = table_of_offsets(cx, at, &x, &to_b);
	return g;
}

/* A register that comes from a table of offsets, plus an address. */
static enum code_goes
jump_from(struct code_jump *cx, size_t i, ZydisRegister reg, uint64_t addr)
{
	const struct addend add = { .reg = ZYDIS_REGISTER_NONE, .addr = addr };
	struct code_full x;
	size_t at;

	return offset_load(cx, i, reg, &at, &x)
		       ? table_of_offsets(cx, at, &x, &add)
		       : CODE_GO_UNKNOWN;
}

/* ---- pointers ------------------------------------------------------------ */

/* A goto through a pointer leaves the frame as it is, a tail call takes it
   down; who has taken off the return address returns by it. */
static enum code_goes
jump_pointer(const struct code_jump *cx)
{
	int32_t d = code_scan_depth(cx->s, cx->i);

	if (d == DEPTH_UNKNOWN)
		return cx->s->entered ? CODE_GO_POINTER : CODE_GO_BARE;
	if (d < 0)
		return CODE_GO_AWAY;
	return d == 0 ? CODE_GO_BARE : CODE_GO_TABLE;
}

/* To an address that is known: a label of the function is no way out of it,
   whatever its frame; the function's own entry may be a tail call. */
static enum code_goes
jump_known(struct code_jump *cx, uint64_t to)
{
	const struct code_fn *f = cx->s->fn;

	if (to == f->part[0].addr || !code_fn_in(f->insns.v, f->insns.n, to))
		return jump_pointer(cx);
	code_scan_target(cx->s, to);
	table_note(cx->s, to);
	return CODE_GO_TABLE;
}

bool
code_x86_recurs(struct code_scan *s, size_t i)
{
	const struct code_step *t = s->steps.v;
	int32_t before;

	if (i == 0 || t[i - 1].addr + t[i - 1].in.len != t[i].addr)
		return false;
	before = code_scan_depth(s, i - 1);
	return before != 0 && before != DEPTH_UNKNOWN &&
	       code_scan_depth(s, i) == 0;
}

/* ---- all ----------------------------------------------------------------- */

/* True if entry 0 of a table leads to another function. */
static bool
table_of_calls(const struct code_scan *s, uint64_t table)
{
	uint64_t to;

	return table_entry(s, table, 0, 8, 0, &to) && !code_fn_has(s->fn, to) &&
	       s->w->is_fn(s->w->arg, to);
}

/*
 * Through memory, as operand m of steps[i]: the jump itself, or the load.  A
 * table on the function's own stack was filled with labels by the function.
 */
static enum code_goes
jump_memory(struct code_jump *cx, size_t i, const ZydisDecodedOperandMem *m)
{
	ZydisRegister reg;
	uint64_t t;

	if (cx->s->steps.v[i].in.pc_rel &&
	    table_entry(cx->s, cx->s->steps.v[i].in.target, 0, 8, 0, &t))
		return jump_known(cx, t);
	if (m->index == ZYDIS_REGISTER_NONE || (m->scale != 8 && m->scale != 1))
		return jump_pointer(cx);
	if (m->base == ZYDIS_REGISTER_RSP && cx->s->labels.n != 0)
		return CODE_GO_TABLE;
	if (table_of_load(cx, i, m, 8, &t, &reg)) {
		t += (uint64_t)m->disp.value;
		if (table_sure(cx, t, 0, 8) != 0)
			return CODE_GO_TABLE;
		if (table_of_calls(cx->s, t))
			return CODE_GO_AWAY;
	}
	return jump_pointer(cx);
}

/* To an address that an addition has made: *x, steps[at]. */
static enum code_goes
jump_add(struct code_jump *cx, size_t at, const struct code_full *x)
{
	ZydisRegister to = code_reg64(x->op[0].reg.value);

	switch (x->op[1].type) {
	case ZYDIS_OPERAND_TYPE_MEMORY:
		/* The address of another object's function: after a frame has
		   been taken down, it is none of ours. */
		return code_scan_depth(cx->s, cx->i) == 0 ? CODE_GO_AWAY
							  : CODE_GO_UNKNOWN;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return jump_sum(cx, at, to, code_reg64(x->op[1].reg.value));
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return jump_from(cx, at, to, x->op[1].imm.value.u);
	default:
		return CODE_GO_UNKNOWN;
	}
}

static enum code_goes
jump_lea(struct code_jump *cx, size_t at, const ZydisDecodedOperandMem *m)
{
	if (cx->s->steps.v[at].in.pc_rel)
		return jump_known(cx, cx->s->steps.v[at].in.target);
	if (m->index == ZYDIS_REGISTER_NONE)
		return jump_from(cx, at, m->base, (uint64_t)m->disp.value);
	if (m->scale != 1 || m->disp.value != 0)
		return CODE_GO_UNKNOWN;
	return jump_sum(cx, at, m->base, m->index);
}

static enum code_goes
jump_register(struct code_jump *cx, ZydisRegister reg)
{
	struct code_full x;
	size_t at;

	if (code_reg_def(cx, cx->i, reg, &at, &x) != CODE_DEF_FOUND)
		return jump_pointer(cx);
	switch (x.in.mnemonic) {
	case ZYDIS_MNEMONIC_XOR: /* glibc keeps pointers scrambled */
		return x.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
				       x.op[1].mem.segment == ZYDIS_REGISTER_FS
			       ? jump_pointer(cx)
			       : CODE_GO_UNKNOWN;
	case ZYDIS_MNEMONIC_ADD:
		return jump_add(cx, at, &x);
	case ZYDIS_MNEMONIC_LEA:
		return jump_lea(cx, at, &x.op[1].mem);
	case ZYDIS_MNEMONIC_MOV:
		if (x.op[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return jump_memory(cx, at, &x.op[1].mem);
		if (x.op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return jump_known(cx, x.op[1].imm.value.u);
		return jump_pointer(cx);
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_CMOVZ:
	case ZYDIS_MNEMONIC_CMOVNZ:
		return jump_pointer(cx);
	default:
		return CODE_GO_UNKNOWN;
	}
}

enum code_goes
code_x86_jump(struct code_scan *s, size_t i)
{
	struct code_jump cx = { .s = s, .i = i };
	struct code_full x;

	ZydisDecoderInit(&cx.dec, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	if (!code_jump_full(&cx, i, &x))
		return CODE_GO_UNKNOWN;
	if (x.op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
		return jump_memory(&cx, i, &x.op[0].mem);
	return jump_register(&cx, code_reg64(x.op[0].reg.value));
}
