/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_reg.c - where the value of a register comes from.
 *
 * What was written to a register is looked for along the straight line before
 * the instruction that uses it.  That line ends where another way may lead to
 * it: at a jump, a return.  A compiler that has the address of a table in a
 * register all through a loop has put it there on another line; but then every
 * instruction of the function that writes the register puts the same address
 * there, and that can be seen without knowing the ways through the function.
 * A register in which the caller may have passed something must have been
 * written before the first branch, else the caller's value might be meant.
 */
#include "code/code_x86_impl.h"

#include <stdlib.h>

#define LOOKBACK 48

bool
code_jump_full(const struct code_jump *cx, size_t i, struct code_full *x)
{
	const struct code_step *t = &cx->s->steps.v[i];

	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&cx->dec, t->p, t->in.len,
						   &x->in, x->op));
}

ZydisRegister
code_reg64(ZydisRegister r)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
}

/* True if operand i of the instruction writes the register. */
static bool
op_writes(const struct code_full *x, int i, ZydisRegister reg)
{
	return x->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       (x->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
	       code_reg64(x->op[i].reg.value) == reg;
}

static bool
full_writes(const struct code_full *x, ZydisRegister reg)
{
	for (int i = 0; i < x->in.operand_count; i++)
		if (op_writes(x, i, reg))
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

enum code_def
code_reg_def(const struct code_jump *cx, size_t i, ZydisRegister reg,
	     size_t *at, struct code_full *x)
{
	const struct code_scan *s = cx->s;

	for (size_t n = 0; n < LOOKBACK; n++) {
		const struct code_step *t;

		if (i == 0)
			return CODE_DEF_CALLER;
		t = &s->steps.v[--i];
		switch (t->in.kind) {
		case CODE_I_CALL:
		case CODE_I_CALL_IND:
			if (!reg_survives_calls(reg))
				return CODE_DEF_CALLER;
			break;
		case CODE_I_RET:
		case CODE_I_JMP:
		case CODE_I_JMP_IND:
		case CODE_I_TRAP:
		case CODE_I_BAD:
			return CODE_DEF_LOST;
		default:
			break;
		}
		if (!code_jump_full(cx, i, x))
			return CODE_DEF_LOST;
		if (full_writes(x, reg)) {
			*at = i;
			return CODE_DEF_FOUND;
		}
	}
	return CODE_DEF_LOST;
}

bool
code_step_is_lea(const struct code_step *t)
{
	return t->in.pc_rel && t->in.len == 7 && (t->p[0] & 0xf8) == 0x48 &&
	       t->p[1] == 0x8d;
}

/* ---- registers that hold one address ------------------------------------- */

/* Where the first branch is, or somebody arrives. */
static size_t
first_line(const struct code_scan *s)
{
	size_t i = 0;

	while (i < s->steps.n && (s->steps.v[i].in.kind == CODE_I_PLAIN))
		i++;
	return i;
}

static bool
reg_is_argument(int r)
{
	/* rax rcx rdx rsi rdi r8 .. r10: also the number of vector arguments,
	   and the frame of the function around. */
	return r <= 2 || (r >= 6 && r <= 10);
}

/* Note what steps[i], decoded as *x, does to register number r. */
static void
const_note(struct code_scan *s, size_t i, size_t line, int r,
	   const struct code_full *x)
{
	struct code_const *c = &s->consts[r];
	uint64_t addr = s->steps.v[i].in.target;

	if (!full_writes(x, (ZydisRegister)(ZYDIS_REGISTER_RAX + r)))
		return;
	if (x->in.mnemonic == ZYDIS_MNEMONIC_POP)
		return; /* the caller's, at the end */
	if (!code_step_is_lea(&s->steps.v[i]) ||
	    (c->writes != 0 && c->addr != addr)) {
		c->varies = true;
		return;
	}
	c->writes++;
	c->addr = addr;
	c->early |= i < line;
}

static void
consts_fill(const struct code_jump *cx)
{
	struct code_scan *s = cx->s;
	size_t line = first_line(s);
	struct code_full x;

	s->consts = calloc(16, sizeof(*s->consts));
	if (s->consts == NULL) {
		s->nomem = true;
		return;
	}
	for (size_t i = 0; i < s->steps.n; i++) {
		if (!code_jump_full(cx, i, &x))
			continue;
		for (int r = 0; r < 16; r++)
			const_note(s, i, line, r, &x);
	}
}

/* The address that a register holds wherever it is used. */
static bool
reg_const(const struct code_jump *cx, ZydisRegister reg, uint64_t *addr)
{
	const struct code_const *c;
	int r = (int)reg - ZYDIS_REGISTER_RAX;

	if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15)
		return false;
	if (cx->s->consts == NULL)
		consts_fill(cx);
	if (cx->s->consts == NULL)
		return false;
	c = &cx->s->consts[r];
	*addr = c->addr;
	return c->writes != 0 && !c->varies &&
	       (c->early || !reg_is_argument(r));
}

bool
code_reg_address(const struct code_jump *cx, size_t i, ZydisRegister reg,
		 uint64_t *addr)
{
	struct code_full x;
	size_t at;

	for (int hops = 0; hops < 4; hops++) {
		enum code_def d = code_reg_def(cx, i, reg, &at, &x);

		if (d != CODE_DEF_FOUND)
			return d == CODE_DEF_LOST && reg_const(cx, reg, addr);
		if (code_step_is_lea(&cx->s->steps.v[at])) {
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
		reg = code_reg64(x.op[1].reg.value);
	}
	return false;
}
