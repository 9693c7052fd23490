/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code.h - the door of the room that reads machine code.
 *
 * A body is the bytes of one function.  code_insn.c cuts it into instructions
 * and says what each does to control; code_slide.c finds the cheapest place for
 * an entry probe; code_return.c finds where a function returns.  All three are
 * pure: they see bytes, and ask about the rest of the object by a callback.
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

#include "base/vec.h"

struct code_body {
	const uint8_t *p;
	size_t n;
	uint64_t addr; /* link-time address of p[0] */
	size_t next;   /* offset of the next symbol after the first byte: what
			  others may enter by; SIZE_MAX: none */
};

enum code_kind {
	CODE_I_PLAIN,      /* goes on with the next */
	CODE_I_RET,        /* to the caller */
	CODE_I_JMP,        /* to target */
	CODE_I_JCC,        /* to target, or on */
	CODE_I_CALL,       /* to target, and back */
	CODE_I_JMP_TABLE,  /* to a case of a switch */
	CODE_I_JMP_OUT,    /* to a function, by pointer: a tail call */
	CODE_I_JMP_UNKNOWN /* one of these two: see code_jump_kind() */
};

struct code_insn {
	uint32_t off;
	uint8_t len;
	enum code_kind kind;
	bool allowed;    /* a uprobe can be placed here; code_allow.c */
	uint64_t target; /* JMP, JCC, direct CALL; else 0 */
};

void code_decoder_init(ZydisDecoder *d);
/* The instruction at an offset. false: none is there. */
bool code_insn_at(const ZydisDecoder *d, const struct code_body *b, size_t off,
		  struct code_insn *out);
/*
 * What a jump through a register (JMP_UNKNOWN) at off is, as far as the
 * instructions before it tell.  `before` is a ring of CODE_LOOKBACK offsets, n
 * the number of instructions that have gone through it.
 */
#define CODE_LOOKBACK 10
enum code_kind code_jump_kind(const ZydisDecoder *d, const struct code_body *b,
			      size_t off, const uint32_t *before, size_t n);
/* True if an instruction begins at this offset; the code is walked from its
   start. */
bool code_insn_begins(const struct code_body *b, size_t off);
/* How many instructions there are before the first that is none. */
size_t code_insn_count(const struct code_body *b);

/* True if the kernel accepts a uprobe at this instruction.  code_allow.c */
bool code_allowed(const ZydisDecodedInstruction *in);
bool code_is_nop5(const uint8_t *p, size_t len);

/*
 * The offset an entry probe is best placed at: 0, or that of an instruction
 * the kernel emulates, reached with the arguments still in place; or, if the
 * kernel refuses a probe at the first, one it accepts.  CODE_NOWHERE: none.
 */
#define CODE_NOWHERE SIZE_MAX
size_t code_slide(const struct code_body *b);

/* What is at an address outside the body. */
enum code_where {
	CODE_W_FUNC, /* the start of another function */
	CODE_W_PART, /* a split-off part of a function: *part is its body */
	CODE_W_ELSE
};
struct code_world {
	enum code_where (*where)(void *arg, uint64_t addr,
				 struct code_body *part);
	void *arg;
};

struct code_returns {
	VEC(uint32_t) rets;  /* offsets of ret instructions */
	VEC(uint32_t) tails; /* offsets of jumps that leave for a function */
	bool exact;          /* there are no other ways out */
};
/* 0, or -1: no memory.  Free with code_returns_fini(). */
int code_returns_find(const struct code_body *b, const struct code_world *w,
		      struct code_returns *r);
void code_returns_fini(struct code_returns *r);

#endif
