/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_impl.h - what the files of the analysis share: a function, cut into
 * instructions.
 *
 *   code_fn.c         cuts it, collects targets and ways out
 *   code_x86_depth.c   what is on the stack where
 *   code_x86_jump.c    follows jumps through registers and memory: tables
 *   code_x86_reg.c     finds what registers hold, for these jumps
 *   code_x86_near.c    short branches from the neighbours
 *   code_x86_window.c  places windows
 */
#ifndef CODE_CODE_IMPL_H
#define CODE_CODE_IMPL_H

#include <Zydis/Zydis.h>

#include "code/code.h"

/* An instruction of the function, in order of address within its part. */
struct code_step {
	uint64_t addr;
	const uint8_t *p;
	struct code_insn in;
};
struct code_scan {
	const struct code_world *w;
	struct code_fn *fn;
	VEC(struct code_step) steps; /* sorted by address, as fn->insns */
	struct code_depth *depths; /* of each step; code_x86_depth.c; NULL: not
				     asked for yet */
	struct code_const *consts; /* [16], of each register; code_x86_reg.c;
				     NULL: not asked for yet */
	VEC(uint64_t) labels; /* addresses of this code that the code takes */
	VEC(uint64_t) tabled; /* destinations that tables of jumps hold */
	VEC(size_t)
	bare; /* jumps of which it is not known yet whether
		 they stay in the function */
	bool nomem;
};

/* How much is on the stack before an instruction. */
struct code_depth {
	int32_t d;     /* bytes above the return address; DEPTH_UNKNOWN */
	int32_t frame; /* d when rbp was set to rsp; DEPTH_UNKNOWN: it was not
			*/
};
#define DEPTH_UNKNOWN INT32_MIN
/* The depth before steps[i], as far as it can be told. */
int32_t code_scan_depth(struct code_scan *s, size_t i);

void code_scan_target(struct code_scan *s, uint64_t addr);
/* Add the targets of short branches from the code around a part. */
void code_scan_near(struct code_scan *s, const struct code_part *part);

/* ---- registers (code_x86_reg.c) --------------------------------------------
 */

/* What all instructions that write a register write to it. */
struct code_const {
	uint64_t addr;
	uint32_t writes; /* of that address, by lea */
	bool varies;     /* and others */
	bool early;      /* one is before the first branch */
};
/* A jump that is followed. */
struct code_jump {
	struct code_scan *s;
	ZydisDecoder dec;
	size_t i; /* steps[i] */
};
/* A whole instruction. */
struct code_full {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};
/* Decode steps[i]; false: it cannot be. */
bool code_jump_full(const struct code_jump *cx, size_t i, struct code_full *x);
/* The 64-bit register of which r is a part. */
ZydisRegister code_reg64(ZydisRegister r);
/* lea addr(%rip) to a 64-bit register? */
bool code_step_is_lea(const struct code_step *t);

enum code_def {
	CODE_DEF_FOUND,
	CODE_DEF_CALLER, /* as it was when the function was entered, or its
			   value comes from a call: a pointer made elsewhere */
	CODE_DEF_LOST /* another way leads here, on which it may be written */
};
/* The instruction before steps[i] that wrote a register: steps[*at], *x. */
enum code_def code_reg_def(const struct code_jump *cx, size_t i,
			   ZydisRegister reg, size_t *at, struct code_full *x);
/* The address, a constant, that a register holds before steps[i]; false: it is
   none, or that cannot be known. */
bool code_reg_address(const struct code_jump *cx, size_t i, ZydisRegister reg,
		      uint64_t *addr);

/* ---- jumps (code_x86_jump.c) -----------------------------------------------
 */

/* Where an indirect jump goes. */
enum code_goes {
	CODE_GO_TABLE,   /* to its function's own instructions */
	CODE_GO_AWAY,    /* out of it: a tail call */
	CODE_GO_BARE,    /* through a pointer, without a frame: out of it if
			   there is no pointer into the function; for that see
			   code_scan_loose() when all jumps have been followed */
	CODE_GO_POINTER, /* to addresses that data holds, but inside or out is
			   not known */
	CODE_GO_UNKNOWN  /* anywhere */
};
/*
 * Follow the indirect jump steps[i]; targets that a table holds are added.
 * fn->insns is complete and sorted.
 */
enum code_goes code_scan_jump(struct code_scan *s, size_t i);
/*
 * Is there a pointer to an instruction of the function, not its first, in data
 * or in its own code, that is in none of the tables that jumps were found to
 * use?  Then any jump may use it.
 */
bool code_scan_loose(struct code_scan *s);

/* ---- uprobes (code_x86_allow.c) ------------------------------------------ */

/* True if the kernel accepts a uprobe at this instruction. */
bool code_allowed(const ZydisDecodedInstruction *in);
bool code_is_nop5(const uint8_t *p, size_t len);

#endif
