/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_emit.h - an assembler for the instructions that we generate, over
 * struct x86_buf.
 *
 * Operands stand in Intel order, destination first.  `size` is 1, 2, 4 or 8
 * bytes; as the processor does, size 4 zeroes the upper half of a register and
 * sizes 1 and 2 keep it.  Immediates are sign-extended 32-bit ones unless said
 * otherwise; the shortest encoding is chosen.
 *
 * Nothing returns an error: what does not fit, or a place that is out of reach
 * of a 32-bit displacement, sets b->full, after which nothing is written any
 * more.  The caller looks at b->full once, at the end.
 */
#ifndef ENGINE_X86_X86_EMIT_H
#define ENGINE_X86_X86_EMIT_H

#include "engine/x86/x86.h"

enum x86_reg {
	X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI,
	X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13, X86_R14, X86_R15,
	X86_NONE, /* no base, no index */
	X86_RIP	  /* base of x86_mrip() */
};

/* [base + index * scale + disp], or fs:[...]. */
struct x86_mem {
	uint8_t base, index; /* enum x86_reg; index is not rsp */
	uint8_t scale;	     /* 1, 2, 4, 8 */
	bool fs;
	int32_t disp;
	uint64_t addr; /* X86_RIP: the operand's address */
};

static inline struct x86_mem
x86_m(unsigned base, int32_t disp)
{
	return (struct x86_mem){ (uint8_t)base, X86_NONE, 1, false, disp, 0 };
}
static inline struct x86_mem
x86_mi(unsigned base, unsigned index, unsigned scale, int32_t disp)
{
	return (struct x86_mem){ (uint8_t)base, (uint8_t)index, (uint8_t)scale,
				 false, disp, 0 };
}
static inline struct x86_mem
x86_mfs(int32_t disp)
{
	return (struct x86_mem){ X86_NONE, X86_NONE, 1, true, disp, 0 };
}
/* Memory at addr, within 2 GB of the code, addressed by rip. */
static inline struct x86_mem
x86_mrip(uint64_t addr)
{
	return (struct x86_mem){ X86_RIP, X86_NONE, 1, false, 0, addr };
}

/* Condition codes, as the processor numbers them; cc ^ 1 is the contrary. */
enum x86_cc {
	X86_CC_O, X86_CC_NO, X86_CC_B, X86_CC_AE, X86_CC_E, X86_CC_NE,
	X86_CC_BE, X86_CC_A, X86_CC_S, X86_CC_NS, X86_CC_P, X86_CC_NP,
	X86_CC_L, X86_CC_GE, X86_CC_LE, X86_CC_G
};

/* ---- bytes --------------------------------------------------------------- */

void x86_bytes(struct x86_buf *b, const void *p, size_t n);
void x86_u32(struct x86_buf *b, uint32_t v);
void x86_u64(struct x86_buf *b, uint64_t v);
/* Pad with int3 until the address is a multiple of n, a power of two. */
void x86_align(struct x86_buf *b, uint32_t n);
/* Nops of n bytes together, as few instructions as possible. */
void x86_nop(struct x86_buf *b, uint32_t n);

/* ---- moves --------------------------------------------------------------- */

void x86_mov_rr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src);
/* All 64 bits; flags stay as they are. */
void x86_mov_ri(struct x86_buf *b, unsigned dst, uint64_t imm);
/* Load `size` bytes and extend them to 64 bits. */
void x86_load(struct x86_buf *b, unsigned size, bool sign, unsigned dst,
	      struct x86_mem m);
/* Extend the low `size` bytes of src to 64 bits. */
void x86_ext(struct x86_buf *b, unsigned size, bool sign, unsigned dst,
	     unsigned src);
void x86_store(struct x86_buf *b, unsigned size, struct x86_mem m,
	       unsigned src);
void x86_store_imm(struct x86_buf *b, unsigned size, struct x86_mem m,
		   int32_t imm);
void x86_lea(struct x86_buf *b, unsigned dst, struct x86_mem m);
void x86_cmov(struct x86_buf *b, enum x86_cc cc, unsigned size, unsigned dst,
	      unsigned src);
/* Sets the low byte only. */
void x86_setcc(struct x86_buf *b, enum x86_cc cc, unsigned dst);
void x86_push(struct x86_buf *b, unsigned reg);
void x86_push_imm(struct x86_buf *b, int32_t imm);
void x86_push_m(struct x86_buf *b, struct x86_mem m);
void x86_pop(struct x86_buf *b, unsigned reg);
void x86_xchg_rr(struct x86_buf *b, unsigned size, unsigned r1, unsigned r2);
/* Atomic by itself. */
void x86_xchg_mr(struct x86_buf *b, unsigned size, struct x86_mem m,
		 unsigned reg);
/* Put before x86_cmpxchg(), x86_xadd(), x86_alu_mr() ...: makes it atomic. */
void x86_lock(struct x86_buf *b);
void x86_cmpxchg(struct x86_buf *b, unsigned size, struct x86_mem m,
		 unsigned src);
void x86_xadd(struct x86_buf *b, unsigned size, struct x86_mem m,
	      unsigned src);

/* ---- arithmetic ---------------------------------------------------------- */

enum x86_alu {
	X86_ADD, X86_OR, X86_ADC, X86_SBB, X86_AND, X86_SUB, X86_XOR, X86_CMP
};
void x86_alu_rr(struct x86_buf *b, enum x86_alu op, unsigned size,
		unsigned dst, unsigned src);
void x86_alu_ri(struct x86_buf *b, enum x86_alu op, unsigned size,
		unsigned dst, int32_t imm);
void x86_alu_rm(struct x86_buf *b, enum x86_alu op, unsigned size,
		unsigned dst, struct x86_mem m);
void x86_alu_mr(struct x86_buf *b, enum x86_alu op, unsigned size,
		struct x86_mem m, unsigned src);
void x86_alu_mi(struct x86_buf *b, enum x86_alu op, unsigned size,
		struct x86_mem m, int32_t imm);
void x86_test_rr(struct x86_buf *b, unsigned size, unsigned r1, unsigned r2);
void x86_test_ri(struct x86_buf *b, unsigned size, unsigned reg, int32_t imm);
void x86_test_mi(struct x86_buf *b, unsigned size, struct x86_mem m,
		 int32_t imm);

/* One operand; mul ... idiv work on rdx:rax (sizes 4 and 8 are meant). */
enum x86_un { X86_NOT = 2, X86_NEG, X86_MUL, X86_IMUL, X86_DIV, X86_IDIV };
void x86_un_r(struct x86_buf *b, enum x86_un op, unsigned size, unsigned reg);
void x86_un_m(struct x86_buf *b, enum x86_un op, unsigned size,
	      struct x86_mem m);
void x86_inc_r(struct x86_buf *b, unsigned size, unsigned reg);
void x86_dec_r(struct x86_buf *b, unsigned size, unsigned reg);
void x86_inc_m(struct x86_buf *b, unsigned size, struct x86_mem m);
void x86_dec_m(struct x86_buf *b, unsigned size, struct x86_mem m);
/* Sizes 2, 4, 8. */
void x86_imul_rr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src);
void x86_imul_rm(struct x86_buf *b, unsigned size, unsigned dst,
		 struct x86_mem m);
void x86_imul_rri(struct x86_buf *b, unsigned size, unsigned dst, unsigned src,
		  int32_t imm);
void x86_cqo(struct x86_buf *b); /* rdx:rax = rax */
void x86_cdq(struct x86_buf *b); /* edx:eax = eax */
void x86_bsr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src);
void x86_bsf(struct x86_buf *b, unsigned size, unsigned dst, unsigned src);
void x86_bswap(struct x86_buf *b, unsigned size, unsigned reg); /* 4, 8 */

enum x86_sh { X86_ROL, X86_ROR, X86_SHL = 4, X86_SHR, X86_SAR = 7 };
void x86_sh_ri(struct x86_buf *b, enum x86_sh op, unsigned size, unsigned reg,
	       uint8_t n);
void x86_sh_cl(struct x86_buf *b, enum x86_sh op, unsigned size, unsigned reg);
/* shld (left), shrd: bits of src come into dst. */
void x86_shd_ri(struct x86_buf *b, bool left, unsigned size, unsigned dst,
		unsigned src, uint8_t n);
void x86_shd_cl(struct x86_buf *b, bool left, unsigned size, unsigned dst,
		unsigned src);

/* ---- without operands, or nearly ----------------------------------------- */

void x86_pushfq(struct x86_buf *b);
void x86_popfq(struct x86_buf *b);
void x86_lahf(struct x86_buf *b);
void x86_sahf(struct x86_buf *b);
void x86_cld(struct x86_buf *b);
void x86_rep_movsb(struct x86_buf *b);
void x86_rep_stosq(struct x86_buf *b);
void x86_rdtsc(struct x86_buf *b);
void x86_rdtscp(struct x86_buf *b);
void x86_rdpid(struct x86_buf *b, unsigned dst);
void x86_rdfsbase(struct x86_buf *b, unsigned dst);
void x86_syscall(struct x86_buf *b);
void x86_ret(struct x86_buf *b);
void x86_int3(struct x86_buf *b);
void x86_ud2(struct x86_buf *b);

/* ---- control ------------------------------------------------------------- */

/* To an address within 2 GB: jmp and jcc short where they can be. */
void x86_jmp_to(struct x86_buf *b, uint64_t to);
void x86_jcc_to(struct x86_buf *b, enum x86_cc cc, uint64_t to);
void x86_call_to(struct x86_buf *b, uint64_t to);
void x86_jmp_r(struct x86_buf *b, unsigned reg);
void x86_jmp_m(struct x86_buf *b, struct x86_mem m);
void x86_call_r(struct x86_buf *b, unsigned reg);
void x86_call_m(struct x86_buf *b, struct x86_mem m);

/*
 * A place in the same buffer, gone to before or after it is known.  Starts
 * zeroed; the references to come are chained through the code itself, so a
 * label needs no memory, and must be bound (once) before the code is used;
 * until then x86_buf.open counts them.
 */
struct x86_label {
	uint32_t at;	 /* offset + 1; 0: not bound yet */
	uint32_t ref32;	 /* last 4-byte field to fill, offset + 1 */
	uint32_t ref8;	 /* last 1-byte field */
};
/* The label is here. */
void x86_bind(struct x86_buf *b, struct x86_label *l);
void x86_jmp_label(struct x86_buf *b, struct x86_label *l);
void x86_jcc_label(struct x86_buf *b, enum x86_cc cc, struct x86_label *l);
/* Known to be less than 127 bytes away: two bytes, also forward. */
void x86_jmp_short(struct x86_buf *b, struct x86_label *l);
void x86_jcc_short(struct x86_buf *b, enum x86_cc cc, struct x86_label *l);
void x86_call_label(struct x86_buf *b, struct x86_label *l);
/* Push the eight bytes there. */
void x86_push_label(struct x86_buf *b, struct x86_label *l);
/* The label's address. */
void x86_lea_label(struct x86_buf *b, unsigned dst, struct x86_label *l);

#endif
