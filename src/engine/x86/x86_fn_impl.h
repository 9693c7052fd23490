/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_fn_impl.h - what the files of the analysis share: a function, cut into
 * instructions.
 *
 *   x86_fn.c         cuts it, collects targets and ways out
 *   x86_fn_depth.c   what is on the stack where
 *   x86_fn_jump.c    follows jumps through registers and memory: tables
 *   x86_fn_reg.c     finds what registers hold, for these jumps
 *   x86_fn_near.c    short branches from the neighbours
 *   x86_fn_window.c  places windows
 */
#ifndef ENGINE_X86_X86_FN_IMPL_H
#define ENGINE_X86_X86_FN_IMPL_H

#include <Zydis/Zydis.h>

#include "engine/x86/x86.h"

/* An instruction of the function, in order of address within its part. */
struct x86_step {
	uint64_t addr;
	const uint8_t *p;
	struct x86_insn in;
};
struct x86_scan {
	const struct x86_world *w;
	struct x86_fn *fn;
	VEC(struct x86_step) steps; /* sorted by address, as fn->insns */
	struct x86_depth *depths;   /* of each step; x86_fn_depth.c; NULL: not
				       asked for yet */
	struct x86_const *consts;   /* [16], of each register; x86_fn_reg.c;
				       NULL: not asked for yet */
	VEC(uint64_t) labels; /* addresses of this code that the code takes */
	VEC(uint64_t) tabled; /* destinations that tables of jumps hold */
	VEC(size_t)
	bare; /* jumps of which it is not known yet whether
		 they stay in the function */
	bool nomem;
};

/* How much is on the stack before an instruction. */
struct x86_depth {
	int32_t d;     /* bytes above the return address; DEPTH_UNKNOWN */
	int32_t frame; /* d when rbp was set to rsp; DEPTH_UNKNOWN: it was not
			*/
};
#define DEPTH_UNKNOWN INT32_MIN
/* The depth before steps[i], as far as it can be told. */
int32_t x86_scan_depth(struct x86_scan *s, size_t i);

/* True if addr is in one of the function's parts. */
bool x86_fn_has(const struct x86_fn *f, uint64_t addr);
/* The index of the first of v[0..n-1], sorted, that is not below addr. */
size_t x86_fn_lower(const uint64_t *v, size_t n, uint64_t addr);
/* Is addr one of v[0..n-1]? */
bool x86_fn_in(const uint64_t *v, size_t n, uint64_t addr);
/* Sort v[0..*n-1], and keep one of each; most lists are in order already. */
void x86_addrs_sort(uint64_t *v, size_t *n);
void x86_scan_target(struct x86_scan *s, uint64_t addr);
/* Add the targets of short branches from the code around a part. */
void x86_scan_near(struct x86_scan *s, const struct x86_part *part);

/* What forbids to move the instruction at addr; NULL: nothing. */
const char *x86_fn_fixed(const struct x86_world *w, uint64_t addr,
			 const struct x86_insn *in);

/* ---- registers (x86_fn_reg.c) -------------------------------------------- */

/* What all instructions that write a register write to it. */
struct x86_const {
	uint64_t addr;
	uint32_t writes; /* of that address, by lea */
	bool varies;     /* and others */
	bool early;      /* one is before the first branch */
};
/* A jump that is followed. */
struct x86_jump {
	struct x86_scan *s;
	ZydisDecoder dec;
	size_t i; /* steps[i] */
};
/* A whole instruction. */
struct x86_full {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};
/* Decode steps[i]; false: it cannot be. */
bool x86_jump_full(const struct x86_jump *cx, size_t i, struct x86_full *x);
/* The 64-bit register of which r is a part. */
ZydisRegister x86_reg64(ZydisRegister r);
/* lea addr(%rip) to a 64-bit register? */
bool x86_step_is_lea(const struct x86_step *t);

enum x86_def {
	X86_DEF_FOUND,
	X86_DEF_CALLER, /* as it was when the function was entered, or its value
			   comes from a call: a pointer made elsewhere */
	X86_DEF_LOST    /* another way leads here, on which it may be written */
};
/* The instruction before steps[i] that wrote a register: steps[*at], *x. */
enum x86_def x86_reg_def(const struct x86_jump *cx, size_t i, ZydisRegister reg,
			 size_t *at, struct x86_full *x);
/* The address, a constant, that a register holds before steps[i]; false: it is
   none, or that cannot be known. */
bool x86_reg_address(const struct x86_jump *cx, size_t i, ZydisRegister reg,
		     uint64_t *addr);

/* ---- jumps (x86_fn_jump.c) ----------------------------------------------- */

/* Where an indirect jump goes. */
enum x86_goes {
	X86_GO_TABLE,   /* to its function's own instructions */
	X86_GO_AWAY,    /* out of it: a tail call */
	X86_GO_BARE,    /* through a pointer, without a frame: out of it if
			   there is no pointer into the function; for that see
			   x86_scan_loose() when all jumps have been followed */
	X86_GO_POINTER, /* to addresses that data holds, but inside or out is
			   not known */
	X86_GO_UNKNOWN  /* anywhere */
};
/*
 * Follow the indirect jump steps[i]; targets that a table holds are added.
 * fn->insns is complete and sorted.
 */
enum x86_goes x86_scan_jump(struct x86_scan *s, size_t i);
/*
 * Is there a pointer to an instruction of the function, not its first, in data
 * or in its own code, that is in none of the tables that jumps were found to
 * use?  Then any jump may use it.
 */
bool x86_scan_loose(struct x86_scan *s);

#endif
