/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_fn_impl.h - what the files of the analysis share: a function, cut into
 * instructions.
 *
 *   x86_fn.c         cuts it, collects targets and ways out
 *   x86_fn_depth.c   what is on the stack where
 *   x86_fn_jump.c    follows jumps through registers and memory: tables
 *   x86_fn_near.c    short branches from the neighbours
 *   x86_fn_window.c  places windows
 */
#ifndef ENGINE_X86_X86_FN_IMPL_H
#define ENGINE_X86_X86_FN_IMPL_H

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

/* Is addr in one of the parts? */
bool x86_fn_has(const struct x86_fn *f, uint64_t addr);
/* The index of the first of v[0..n-1], sorted, that is not below addr. */
size_t x86_fn_lower(const uint64_t *v, size_t n, uint64_t addr);
/* Is addr one of v[0..n-1]? */
bool x86_fn_in(const uint64_t *v, size_t n, uint64_t addr);
void x86_scan_target(struct x86_scan *s, uint64_t addr);
/* Add the targets of short branches from the code around a part. */
void x86_scan_near(struct x86_scan *s, const struct x86_part *part);

/* What forbids to move the instruction at addr; NULL: nothing. */
const char *x86_fn_fixed(const struct x86_world *w, uint64_t addr,
			 const struct x86_insn *in);

/* Where an indirect jump goes. */
enum x86_goes {
	X86_GO_TABLE,   /* to its function's own instructions */
	X86_GO_AWAY,    /* out of it: a tail call */
	X86_GO_POINTER, /* to addresses that data holds, but inside or out is
			   not known */
	X86_GO_UNKNOWN  /* anywhere */
};
/*
 * Follow the indirect jump steps[i]; targets that a table holds are added.
 * fn->insns is complete and sorted.
 */
enum x86_goes x86_scan_jump(struct x86_scan *s, size_t i);

#endif
