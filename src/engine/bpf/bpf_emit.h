/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_emit.h - writing BPF instructions: one struct em per function.
 *
 * Pure: a buffer of instructions, labels, and references to functions that
 * the linker resolves.  Knows nothing of probes or of D.  A failed allocation
 * sets `failed` and is reported once, by em_finish(), which also resolves the
 * labels and drops what cannot be reached: the kernel refuses dead code, and
 * generators are simpler when they need not avoid it.  It also takes unused
 * words out of the frame: a word is used if an instruction loads or stores it,
 * or em_lea() makes its address; what is longer than a word must be named so
 * word by word.
 */
#ifndef ENGINE_BPF_BPF_EMIT_H
#define ENGINE_BPF_BPF_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>

#include "base/err.h"
#include "base/vec.h"

/* Registers by number, as the kernel's documents call them. */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

struct em_fix {
	uint32_t at, label;
};
struct em_ref {
	uint32_t at;
	const char *fn; /* name of a function; lives as long as the em */
};

struct em {
	VEC(struct bpf_insn) code;
	VEC(int64_t) label; /* instruction, -1: not placed yet */
	VEC(struct em_fix) fix;
	VEC(struct em_ref) ref;
	bool failed; /* an offset did not fit its field, or: */
	bool nomem;  /* there was no memory for an instruction or a name */
	const char *wrong; /* what the generator did wrong; NULL: nothing */
};

void em_fini(struct em *em);
/* Resolve and tidy.  -1 with *e: no memory, a jump that is too far, or a label
   that has not one place. */
int em_finish(struct em *em, const char *name, struct err *e);

/* Put what `from` holds, not finished, at the end of em, and empty it. */
void em_append(struct em *em, struct em *from);

uint32_t em_label(struct em *em);             /* a new one, not 0 */
void em_place(struct em *em, uint32_t label); /* here */

/* One instruction; its index. */
uint32_t em_raw(struct em *em, uint8_t code, unsigned dst, unsigned src,
		int off, int32_t imm);
/* Make an instruction that turned out to be unneeded a no-op, to be dropped. */
void em_kill(struct em *em, uint32_t at);

/* dst = imm, in as few instructions as it takes. */
void em_imm(struct em *em, unsigned dst, uint64_t imm);
void em_map(struct em *em, unsigned dst, int fd);
/* dst = a per-CPU variable of the kernel, by its BTF id, for this_cpu_ptr. */
void em_kvar(struct em *em, unsigned dst, uint32_t btf_id);
/* dst = address of byte off in the one element of an array. */
void em_mapval(struct em *em, unsigned dst, int fd, uint32_t off);
void em_fn(struct em *em, const char *name);

/* if (dst op src) goto label; op: BPF_JEQ ... */
void em_jr(struct em *em, unsigned op, unsigned dst, unsigned src,
	   uint32_t label);
void em_ji(struct em *em, unsigned op, unsigned dst, int32_t imm,
	   uint32_t label);
/* The same on the lower halves. */
void em_ji32(struct em *em, unsigned op, unsigned dst, int32_t imm,
	     uint32_t label);
void em_ja(struct em *em, uint32_t label);

static inline void
em_mov(struct em *em, unsigned dst, unsigned src)
{
	if (dst != src)
		em_raw(em, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* dst op= src; op: BPF_ADD ... */
static inline void
em_alu(struct em *em, unsigned op, unsigned dst, unsigned src)
{
	em_raw(em, (uint8_t)(BPF_ALU64 | op | BPF_X), dst, src, 0, 0);
}

static inline void
em_alui(struct em *em, unsigned op, unsigned dst, int32_t imm)
{
	em_raw(em, (uint8_t)(BPF_ALU64 | op | BPF_K), dst, 0, 0, imm);
}

/* dst = (uint32_t)src */
static inline void
em_mov32(struct em *em, unsigned dst, unsigned src)
{
	em_raw(em, BPF_ALU | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* size: BPF_B, BPF_H, BPF_W, BPF_DW */
static inline void
em_ld(struct em *em, unsigned size, unsigned dst, unsigned src, int off)
{
	em_raw(em, (uint8_t)(BPF_LDX | size | BPF_MEM), dst, src, off, 0);
}

static inline void
em_st(struct em *em, unsigned size, unsigned dst, int off, unsigned src)
{
	em_raw(em, (uint8_t)(BPF_STX | size | BPF_MEM), dst, src, off, 0);
}

static inline void
em_sti(struct em *em, unsigned size, unsigned dst, int off, int32_t imm)
{
	em_raw(em, (uint8_t)(BPF_ST | size | BPF_MEM), dst, 0, off, imm);
}

/* dst = base + off */
static inline void
em_lea(struct em *em, unsigned dst, unsigned base, int32_t off)
{
	em_mov(em, dst, base);
	if (off != 0)
		em_alui(em, BPF_ADD, dst, off);
}

static inline void
em_call(struct em *em, int helper)
{
	em_raw(em, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* *(u64 *)(dst + off) += src, atomically */
static inline void
em_atomic_add(struct em *em, unsigned dst, int off, unsigned src)
{
	em_raw(em, BPF_STX | BPF_DW | BPF_ATOMIC, dst, src, off, BPF_ADD);
}

/* src = xchg(*(u32 *)(dst + off), src) */
static inline void
em_xchg32(struct em *em, unsigned dst, int off, unsigned src)
{
	em_raw(em, BPF_STX | BPF_W | BPF_ATOMIC, dst, src, off, BPF_XCHG);
}

static inline void
em_exit(struct em *em)
{
	em_raw(em, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* True if v survives as a sign-extended 32-bit immediate. */
static inline bool
em_fits(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v == v;
}

#endif
