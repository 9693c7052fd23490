/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_impl.h - the pid provider's reading of machine code.
 *
 * A body is the bytes of one function.  pid_insn.c cuts it into instructions
 * and says what each does to control; pid_slide.c finds the cheapest place for
 * an entry probe; pid_return.c finds where a function returns.  All three are
 * pure: they see bytes, and ask about the rest of the object by a callback.
 */
#ifndef PROV_PID_IMPL_H
#define PROV_PID_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

#include "base/vec.h"

struct pid_body {
	const uint8_t *p;
	size_t n;
	uint64_t addr; /* link-time address of p[0] */
	size_t next;   /* offset of the next symbol after the first byte: what
			  others may enter by; SIZE_MAX: none */
};

enum pid_kind {
	PID_I_PLAIN,      /* goes on with the next */
	PID_I_RET,        /* to the caller */
	PID_I_JMP,        /* to target */
	PID_I_JCC,        /* to target, or on */
	PID_I_CALL,       /* to target, and back */
	PID_I_JMP_TABLE,  /* to a case of a switch */
	PID_I_JMP_OUT,    /* to a function, by pointer: a tail call */
	PID_I_JMP_UNKNOWN /* one of these two: see pid_jump_kind() */
};

struct pid_insn {
	uint32_t off;
	uint8_t len;
	enum pid_kind kind;
	bool allowed;    /* a uprobe can be placed here; pid_allow.c */
	uint64_t target; /* JMP, JCC, direct CALL; else 0 */
};

void pid_decoder_init(ZydisDecoder *d);
/* The instruction at an offset. false: none is there. */
bool pid_insn_at(const ZydisDecoder *d, const struct pid_body *b, size_t off,
		 struct pid_insn *out);
/*
 * What a jump through a register (JMP_UNKNOWN) at off is, as far as the
 * instructions before it tell.  `before` is a ring of PID_LOOKBACK offsets, n
 * the number of instructions that have gone through it.
 */
#define PID_LOOKBACK 10
enum pid_kind pid_jump_kind(const ZydisDecoder *d, const struct pid_body *b,
			    size_t off, const uint32_t *before, size_t n);
/* True if an instruction begins at this offset; the code is walked from its
   start. */
bool pid_insn_begins(const struct pid_body *b, size_t off);
/* How many instructions there are before the first that is none. */
size_t pid_insn_count(const struct pid_body *b);

/* True if the kernel accepts a uprobe at this instruction.  pid_allow.c */
bool pid_allowed(const ZydisDecodedInstruction *in);
bool pid_is_nop5(const uint8_t *p, size_t len);

/*
 * The offset an entry probe is best placed at: 0, or that of an instruction
 * the kernel emulates, reached with the arguments still in place; or, if the
 * kernel refuses a probe at the first, one it accepts.  PID_NOWHERE: none.
 */
#define PID_NOWHERE SIZE_MAX
size_t pid_slide(const struct pid_body *b);

/* What is at an address outside the body. */
enum pid_where {
	PID_W_FUNC, /* the start of another function */
	PID_W_PART, /* a split-off part of a function: *part is its body */
	PID_W_ELSE
};
struct pid_world {
	enum pid_where (*where)(void *arg, uint64_t addr,
				struct pid_body *part);
	void *arg;
};

struct pid_returns {
	VEC(uint32_t) rets;  /* offsets of ret instructions */
	VEC(uint32_t) tails; /* offsets of jumps that leave for a function */
	bool exact;          /* there are no other ways out */
};
/* 0, or -1: no memory.  Free with pid_returns_fini(). */
int pid_returns_find(const struct pid_body *b, const struct pid_world *w,
		     struct pid_returns *r);
void pid_returns_fini(struct pid_returns *r);

#endif
