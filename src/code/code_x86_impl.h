/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_impl.h - what the files that read x86-64 code share.
 *
 *   code_x86_insn.c    decodes; the machine's table
 *   code_x86_jump.c    follows jumps through registers and memory: tables
 *   code_x86_reg.c     finds what registers hold, for these jumps
 *   code_x86_depth.c   what is on the stack where
 *   code_x86_cfi.c     where the caller's frame is
 *   code_x86_near.c    short branches from the neighbours
 *   code_x86_window.c  places windows
 *   code_x86_slide.c   the cheapest place for an entry uprobe
 *   code_x86_allow.c   instructions that uprobes cannot be placed at
 */
#ifndef CODE_CODE_X86_IMPL_H
#define CODE_CODE_X86_IMPL_H

#include <Zydis/Zydis.h>

#include "code/code_impl.h"

/* How much is on the stack before an instruction. */
struct code_depth {
	int32_t d;     /* bytes above the return address; DEPTH_UNKNOWN */
	int32_t frame; /* d when rbp was set to rsp; DEPTH_UNKNOWN: it was not
			*/
};
#define DEPTH_UNKNOWN INT32_MIN
/* The depth before steps[i], as far as it is known. */
int32_t code_scan_depth(struct code_scan *s, size_t i);

/* struct code_machine's hooks. */
enum code_goes code_x86_jump(struct code_scan *s, size_t i);
bool code_x86_recurs(struct code_scan *s, size_t i);
bool code_x86_bare(struct code_scan *s, size_t i);
void code_x86_near(struct code_scan *s, const struct code_part *part);
typedef void code_near_f(void *arg, uint64_t to);
/* Call fn for each target in the part of such a branch. */
void code_x86_near_each(const struct code_world *w,
			const struct code_part *part, code_near_f *fn,
			void *arg);
size_t code_x86_slide(const struct code_body *b);
bool code_x86_cfi(const struct code_body *b, elf_cfi_fn *fn, void *arg);

/* ---- registers (code_x86_reg.c) ----------------------------------------- */

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
/* True if it is `lea addr(%rip)` to a 64-bit register. */
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

/* ---- uprobes (code_x86_allow.c) ------------------------------------------ */

/* True if the kernel accepts a uprobe at this instruction. */
bool code_allowed(const ZydisDecodedInstruction *in);
bool code_is_nop5(const uint8_t *p, size_t len);

#endif
