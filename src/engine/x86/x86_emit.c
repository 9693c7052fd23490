/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_emit.c - the assembler of x86_emit.h.
 *
 * An instruction is an opcode, a register field, and a register or memory
 * operand (Intel manual, volume 2, chapter 2); op_rr() and op_rm() encode any
 * of them into a struct enc, fourteen bytes on the stack, and put() appends it
 * as a whole or not at all.  Ten thousand trampolines are made while a process
 * may be waiting, so this is done here and not by Zydis' general encoder, a
 * hundred times slower; the tests compare each form with that one.
 *
 * Opcodes are written as the manual has them: 0x89, 0x0fb6.  For the many that
 * come in a byte form and a wider one beside it (op, op + 1), the argument is
 * the byte form and wide() chooses.
 */
#include <string.h>

#include "engine/x86/x86_emit.h"

#define BYTE_REG 1u /* the register field names a byte register */
#define BYTE_RM 2u  /* the register operand does */

struct enc {
	uint8_t p[24];
	uint8_t n;
	uint8_t rip_at;	   /* place of a rip-relative displacement; 0: none */
	uint64_t rip_addr; /* where it is to point */
};

/* ---- bytes --------------------------------------------------------------- */

void
x86_bytes(struct x86_buf *b, const void *p, size_t n)
{
	if (b->full || n > b->cap - b->n) {
		b->full = true;
		return;
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void
x86_u32(struct x86_buf *b, uint32_t v)
{
	x86_bytes(b, &v, sizeof(v));
}

void
x86_u64(struct x86_buf *b, uint64_t v)
{
	x86_bytes(b, &v, sizeof(v));
}

void
x86_align(struct x86_buf *b, uint32_t n)
{
	while (!b->full && (x86_here(b) & (n - 1)) != 0)
		x86_int3(b);
}

/* The forms that the processor manuals recommend. */
void
x86_nop(struct x86_buf *b, uint32_t n)
{
	static const uint8_t nops[9][9] = {
		{ 0x90 },
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
	};

	while (n > 0) {
		uint32_t k = n < 9 ? n : 9;
		x86_bytes(b, nops[k - 1], k);
		n -= k;
	}
}

static void
put(struct x86_buf *b, struct enc *c)
{
	if (c->rip_at != 0) {
		int64_t d = (int64_t)(c->rip_addr - (x86_here(b) + c->n));
		int32_t d32 = (int32_t)d;
		if (d32 != d)
			b->full = true;
		memcpy(c->p + c->rip_at, &d32, 4);
	}
	x86_bytes(b, c->p, c->n);
}

static void
add8(struct enc *c, unsigned v)
{
	c->p[c->n++] = (uint8_t)v;
}

static void
add32(struct enc *c, uint32_t v)
{
	memcpy(c->p + c->n, &v, 4);
	c->n += 4;
}

/* An immediate of an operation of this size. */
static void
add_imm(struct enc *c, unsigned size, int32_t imm)
{
	if (size == 1)
		add8(c, (uint8_t)imm);
	else if (size == 2) {
		add8(c, (uint8_t)imm);
		add8(c, (uint8_t)(imm >> 8));
	} else
		add32(c, (uint32_t)imm);
}

static bool
fits8(int32_t v)
{
	return v == (int8_t)v;
}

static unsigned
wide(unsigned op, unsigned size)
{
	return size == 1 ? op : op + 1;
}

/* ---- opcode, register, operand ------------------------------------------- */

/* Prefixes and opcode.  rexb: the bits R, X, B; byte: REX must be there, for
   without it numbers 4 to 7 are ah, ch, dh, bh. */
static void
op_head(struct enc *c, unsigned op, unsigned size, unsigned rexb, bool byte)
{
	unsigned rex = rexb | (size == 8 ? 8u : 0u);

	if (size == 2)
		add8(c, 0x66);
	if (op > 0xffffff) /* a mandatory prefix stands before REX */
		add8(c, op >> 24);
	if (rex != 0 || byte)
		add8(c, 0x40 | rex);
	if ((op & 0xff0000) != 0)
		add8(c, op >> 16);
	if ((op & 0xffff00) != 0)
		add8(c, op >> 8);
	add8(c, op);
}

static void
op_rr(struct enc *c, unsigned op, unsigned size, unsigned reg, unsigned rm,
      unsigned bytes)
{
	bool byte = ((bytes & BYTE_REG) != 0 && reg >= 4 && reg < 8) ||
		    ((bytes & BYTE_RM) != 0 && rm >= 4 && rm < 8);

	op_head(c, op, size, (reg >> 3) << 2 | rm >> 3, byte);
	add8(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static unsigned
scale_bits(unsigned scale)
{
	return scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
}

/* ModRM, SIB and displacement (manual, tables 2-2 and 2-3). */
static void
op_operand(struct enc *c, unsigned reg, const struct x86_mem *m)
{
	unsigned r = (reg & 7) << 3;
	unsigned index = m->index == X86_NONE ? 4 : m->index & 7u;
	unsigned sib = scale_bits(m->scale) << 6 | index << 3;
	unsigned mod;

	if (m->base == X86_RIP) {
		add8(c, r | 5);
		c->rip_at = c->n;
		c->rip_addr = m->addr;
		add32(c, 0);
		return;
	}
	if (m->base == X86_NONE) {
		add8(c, r | 4);
		add8(c, sib | 5);
		add32(c, (uint32_t)m->disp);
		return;
	}
	/* mod 0 with base rbp or r13 would mean another thing */
	mod = m->disp == 0 && (m->base & 7) != 5 ? 0 : fits8(m->disp) ? 1 : 2;
	if (m->index == X86_NONE && (m->base & 7) != 4)
		add8(c, mod << 6 | r | (m->base & 7u));
	else {
		add8(c, mod << 6 | r | 4);
		add8(c, sib | (m->base & 7u));
	}
	if (mod == 1)
		add8(c, (uint8_t)m->disp);
	else if (mod == 2)
		add32(c, (uint32_t)m->disp);
}

static void
op_rm(struct enc *c, unsigned op, unsigned size, unsigned reg,
      struct x86_mem m, unsigned bytes)
{
	unsigned rexb = (reg >> 3) << 2;

	if (m.index < X86_NONE)
		rexb |= (m.index >> 3u) << 1;
	if (m.base < X86_NONE)
		rexb |= m.base >> 3u;
	if (m.fs)
		add8(c, 0x64);
	op_head(c, op, size, rexb,
		(bytes & BYTE_REG) != 0 && reg >= 4 && reg < 8);
	op_operand(c, reg, &m);
}

/* The whole of an instruction that has no immediate. */
static void
rr(struct x86_buf *b, unsigned op, unsigned size, unsigned reg, unsigned rm,
   unsigned bytes)
{
	struct enc c = { 0 };

	op_rr(&c, op, size, reg, rm, bytes);
	put(b, &c);
}

static void
rm(struct x86_buf *b, unsigned op, unsigned size, unsigned reg,
   struct x86_mem m, unsigned bytes)
{
	struct enc c = { 0 };

	op_rm(&c, op, size, reg, m, bytes);
	put(b, &c);
}

static unsigned
byte_both(unsigned size)
{
	return size == 1 ? BYTE_REG | BYTE_RM : 0;
}

/* ---- moves --------------------------------------------------------------- */

void
x86_mov_rr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src)
{
	rr(b, wide(0x88, size), size, src, dst, byte_both(size));
}

void
x86_mov_ri(struct x86_buf *b, unsigned dst, uint64_t imm)
{
	struct enc c = { 0 };

	if (imm <= UINT32_MAX) {
		op_head(&c, 0xb8 | (dst & 7), 4, dst >> 3, false);
		add32(&c, (uint32_t)imm);
	} else if ((int64_t)imm == (int32_t)imm) {
		op_rr(&c, 0xc7, 8, 0, dst, 0);
		add32(&c, (uint32_t)imm);
	} else {
		op_head(&c, 0xb8 | (dst & 7), 8, dst >> 3, false);
		add32(&c, (uint32_t)imm);
		add32(&c, (uint32_t)(imm >> 32));
	}
	put(b, &c);
}

/* The opcode that extends `size` bytes, and its operand size. */
static unsigned
ext_op(unsigned size, bool sign, unsigned *opsize)
{
	*opsize = sign || size == 8 ? 8 : 4;
	switch (size) {
	case 1:
		return sign ? 0x0fbe : 0x0fb6;
	case 2:
		return sign ? 0x0fbf : 0x0fb7;
	case 4:
		return sign ? 0x63 : 0x8b;
	default:
		return 0x8b;
	}
}

void
x86_load(struct x86_buf *b, unsigned size, bool sign, unsigned dst,
	 struct x86_mem m)
{
	unsigned opsize, op = ext_op(size, sign, &opsize);

	rm(b, op, opsize, dst, m, 0);
}

void
x86_ext(struct x86_buf *b, unsigned size, bool sign, unsigned dst,
	unsigned src)
{
	unsigned opsize, op = ext_op(size, sign, &opsize);

	rr(b, op, opsize, dst, src, size == 1 ? BYTE_RM : 0);
}

void
x86_store(struct x86_buf *b, unsigned size, struct x86_mem m, unsigned src)
{
	rm(b, wide(0x88, size), size, src, m, byte_both(size));
}

void
x86_store_imm(struct x86_buf *b, unsigned size, struct x86_mem m, int32_t imm)
{
	struct enc c = { 0 };

	op_rm(&c, wide(0xc6, size), size, 0, m, 0);
	add_imm(&c, size, imm);
	put(b, &c);
}

void
x86_lea(struct x86_buf *b, unsigned dst, struct x86_mem m)
{
	rm(b, 0x8d, 8, dst, m, 0);
}

void
x86_cmov(struct x86_buf *b, enum x86_cc cc, unsigned size, unsigned dst,
	 unsigned src)
{
	rr(b, 0x0f40 | cc, size, dst, src, 0);
}

void
x86_setcc(struct x86_buf *b, enum x86_cc cc, unsigned dst)
{
	rr(b, 0x0f90 | cc, 1, 0, dst, BYTE_RM);
}

void
x86_push(struct x86_buf *b, unsigned reg)
{
	struct enc c = { 0 };

	op_head(&c, 0x50 | (reg & 7), 4, reg >> 3, false);
	put(b, &c);
}

void
x86_pop(struct x86_buf *b, unsigned reg)
{
	struct enc c = { 0 };

	op_head(&c, 0x58 | (reg & 7), 4, reg >> 3, false);
	put(b, &c);
}

void
x86_push_imm(struct x86_buf *b, int32_t imm)
{
	struct enc c = { 0 };

	add8(&c, fits8(imm) ? 0x6a : 0x68);
	add_imm(&c, fits8(imm) ? 1 : 4, imm);
	put(b, &c);
}

void
x86_push_m(struct x86_buf *b, struct x86_mem m)
{
	rm(b, 0xff, 4, 6, m, 0);
}

void
x86_xchg_rr(struct x86_buf *b, unsigned size, unsigned r1, unsigned r2)
{
	rr(b, wide(0x86, size), size, r2, r1, byte_both(size));
}

void
x86_xchg_mr(struct x86_buf *b, unsigned size, struct x86_mem m, unsigned reg)
{
	rm(b, wide(0x86, size), size, reg, m, byte_both(size));
}

void
x86_lock(struct x86_buf *b)
{
	x86_bytes(b, "\xf0", 1);
}

void
x86_cmpxchg(struct x86_buf *b, unsigned size, struct x86_mem m, unsigned src)
{
	rm(b, wide(0x0fb0, size), size, src, m, byte_both(size));
}

void
x86_xadd(struct x86_buf *b, unsigned size, struct x86_mem m, unsigned src)
{
	rm(b, wide(0x0fc0, size), size, src, m, byte_both(size));
}

/* ---- arithmetic ---------------------------------------------------------- */

void
x86_alu_rr(struct x86_buf *b, enum x86_alu op, unsigned size, unsigned dst,
	   unsigned src)
{
	rr(b, wide((unsigned)op << 3, size), size, src, dst, byte_both(size));
}

/* Opcode and immediate of an operation with one: 83 for a small one. */
static unsigned
alu_imm_op(unsigned size, int32_t imm, unsigned *immsize)
{
	*immsize = size == 1 || fits8(imm) ? 1 : size;
	return size == 1 ? 0x80 : fits8(imm) ? 0x83 : 0x81;
}

void
x86_alu_ri(struct x86_buf *b, enum x86_alu op, unsigned size, unsigned dst,
	   int32_t imm)
{
	struct enc c = { 0 };
	unsigned immsize, code = alu_imm_op(size, imm, &immsize);

	if (dst == X86_RAX && (size == 1 || immsize != 1)) /* without ModRM */
		op_head(&c, wide((unsigned)op << 3 | 4, size), size, 0, false);
	else
		op_rr(&c, code, size, op, dst, size == 1 ? BYTE_RM : 0);
	add_imm(&c, immsize, imm);
	put(b, &c);
}

void
x86_alu_rm(struct x86_buf *b, enum x86_alu op, unsigned size, unsigned dst,
	   struct x86_mem m)
{
	rm(b, wide((unsigned)op << 3 | 2, size), size, dst, m,
	   byte_both(size));
}

void
x86_alu_mr(struct x86_buf *b, enum x86_alu op, unsigned size,
	   struct x86_mem m, unsigned src)
{
	rm(b, wide((unsigned)op << 3, size), size, src, m, byte_both(size));
}

void
x86_alu_mi(struct x86_buf *b, enum x86_alu op, unsigned size,
	   struct x86_mem m, int32_t imm)
{
	struct enc c = { 0 };
	unsigned immsize, code = alu_imm_op(size, imm, &immsize);

	op_rm(&c, code, size, op, m, 0);
	add_imm(&c, immsize, imm);
	put(b, &c);
}

void
x86_test_rr(struct x86_buf *b, unsigned size, unsigned r1, unsigned r2)
{
	rr(b, wide(0x84, size), size, r2, r1, byte_both(size));
}

void
x86_test_ri(struct x86_buf *b, unsigned size, unsigned reg, int32_t imm)
{
	struct enc c = { 0 };

	if (reg == X86_RAX)
		op_head(&c, wide(0xa8, size), size, 0, false);
	else
		op_rr(&c, wide(0xf6, size), size, 0, reg,
		      size == 1 ? BYTE_RM : 0);
	add_imm(&c, size, imm);
	put(b, &c);
}

void
x86_test_mi(struct x86_buf *b, unsigned size, struct x86_mem m, int32_t imm)
{
	struct enc c = { 0 };

	op_rm(&c, wide(0xf6, size), size, 0, m, 0);
	add_imm(&c, size, imm);
	put(b, &c);
}

void
x86_un_r(struct x86_buf *b, enum x86_un op, unsigned size, unsigned reg)
{
	rr(b, wide(0xf6, size), size, op, reg, size == 1 ? BYTE_RM : 0);
}

void
x86_un_m(struct x86_buf *b, enum x86_un op, unsigned size, struct x86_mem m)
{
	rm(b, wide(0xf6, size), size, op, m, 0);
}

void
x86_inc_r(struct x86_buf *b, unsigned size, unsigned reg)
{
	rr(b, wide(0xfe, size), size, 0, reg, size == 1 ? BYTE_RM : 0);
}

void
x86_dec_r(struct x86_buf *b, unsigned size, unsigned reg)
{
	rr(b, wide(0xfe, size), size, 1, reg, size == 1 ? BYTE_RM : 0);
}

void
x86_inc_m(struct x86_buf *b, unsigned size, struct x86_mem m)
{
	rm(b, wide(0xfe, size), size, 0, m, 0);
}

void
x86_dec_m(struct x86_buf *b, unsigned size, struct x86_mem m)
{
	rm(b, wide(0xfe, size), size, 1, m, 0);
}

void
x86_imul_rr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src)
{
	rr(b, 0x0faf, size, dst, src, 0);
}

void
x86_imul_rm(struct x86_buf *b, unsigned size, unsigned dst, struct x86_mem m)
{
	rm(b, 0x0faf, size, dst, m, 0);
}

void
x86_imul_rri(struct x86_buf *b, unsigned size, unsigned dst, unsigned src,
	     int32_t imm)
{
	struct enc c = { 0 };

	op_rr(&c, fits8(imm) ? 0x6b : 0x69, size, dst, src, 0);
	add_imm(&c, fits8(imm) ? 1 : size, imm);
	put(b, &c);
}

void
x86_cqo(struct x86_buf *b)
{
	x86_bytes(b, "\x48\x99", 2);
}

void
x86_cdq(struct x86_buf *b)
{
	x86_bytes(b, "\x99", 1);
}

void
x86_bsr(struct x86_buf *b, unsigned size, unsigned dst, unsigned src)
{
	rr(b, 0x0fbd, size, dst, src, 0);
}

void
x86_bsf(struct x86_buf *b, unsigned size, unsigned dst, unsigned src)
{
	rr(b, 0x0fbc, size, dst, src, 0);
}

void
x86_bswap(struct x86_buf *b, unsigned size, unsigned reg)
{
	struct enc c = { 0 };

	op_head(&c, 0x0fc8 | (reg & 7), size, reg >> 3, false);
	put(b, &c);
}

void
x86_sh_ri(struct x86_buf *b, enum x86_sh op, unsigned size, unsigned reg,
	  uint8_t n)
{
	struct enc c = { 0 };

	op_rr(&c, wide(n == 1 ? 0xd0 : 0xc0, size), size, op, reg,
	      size == 1 ? BYTE_RM : 0);
	if (n != 1)
		add8(&c, n);
	put(b, &c);
}

void
x86_sh_cl(struct x86_buf *b, enum x86_sh op, unsigned size, unsigned reg)
{
	rr(b, wide(0xd2, size), size, op, reg, size == 1 ? BYTE_RM : 0);
}

void
x86_shd_ri(struct x86_buf *b, bool left, unsigned size, unsigned dst,
	   unsigned src, uint8_t n)
{
	struct enc c = { 0 };

	op_rr(&c, left ? 0x0fa4 : 0x0fac, size, src, dst, 0);
	add8(&c, n);
	put(b, &c);
}

void
x86_shd_cl(struct x86_buf *b, bool left, unsigned size, unsigned dst,
	   unsigned src)
{
	rr(b, left ? 0x0fa5 : 0x0fad, size, src, dst, 0);
}

/* ---- without operands, or nearly ----------------------------------------- */

#define PLAIN(name, bytes)                             \
	void x86_##name(struct x86_buf *b)             \
	{                                              \
		x86_bytes(b, bytes, sizeof(bytes) - 1); \
	}
PLAIN(pushfq, "\x9c")
PLAIN(popfq, "\x9d")
PLAIN(lahf, "\x9f")
PLAIN(sahf, "\x9e")
PLAIN(cld, "\xfc")
PLAIN(rep_movsb, "\xf3\xa4")
PLAIN(rep_stosq, "\xf3\x48\xab")
PLAIN(rdtsc, "\x0f\x31")
PLAIN(rdtscp, "\x0f\x01\xf9")
PLAIN(syscall, "\x0f\x05")
PLAIN(ret, "\xc3")
PLAIN(int3, "\xcc")
PLAIN(ud2, "\x0f\x0b")

void
x86_rdpid(struct x86_buf *b, unsigned dst)
{
	rr(b, 0xf3000fc7, 4, 7, dst, 0);
}

void
x86_rdfsbase(struct x86_buf *b, unsigned dst)
{
	rr(b, 0xf3000fae, 8, 0, dst, 0);
}

/* ---- control ------------------------------------------------------------- */

/* A branch with a 32-bit displacement. */
static void
branch32(struct x86_buf *b, unsigned op, uint64_t to)
{
	struct enc c = { 0 };

	op_head(&c, op, 4, 0, false);
	c.rip_at = c.n;
	c.rip_addr = to;
	add32(&c, 0);
	put(b, &c);
}

/* The two-byte form, if `to` is near. */
static bool
branch8(struct x86_buf *b, unsigned op, uint64_t to)
{
	int64_t d = (int64_t)(to - (x86_here(b) + 2));
	uint8_t p[2] = { (uint8_t)op, (uint8_t)d };

	if (d != (int8_t)d)
		return false;
	x86_bytes(b, p, 2);
	return true;
}

void
x86_jmp_to(struct x86_buf *b, uint64_t to)
{
	if (!branch8(b, 0xeb, to))
		branch32(b, 0xe9, to);
}

void
x86_jcc_to(struct x86_buf *b, enum x86_cc cc, uint64_t to)
{
	if (!branch8(b, 0x70 | cc, to))
		branch32(b, 0x0f80 | cc, to);
}

void
x86_call_to(struct x86_buf *b, uint64_t to)
{
	branch32(b, 0xe8, to);
}

void
x86_jmp_r(struct x86_buf *b, unsigned reg)
{
	rr(b, 0xff, 4, 4, reg, 0);
}

void
x86_jmp_m(struct x86_buf *b, struct x86_mem m)
{
	rm(b, 0xff, 4, 4, m, 0);
}

void
x86_call_r(struct x86_buf *b, unsigned reg)
{
	rr(b, 0xff, 4, 2, reg, 0);
}

void
x86_call_m(struct x86_buf *b, struct x86_mem m)
{
	rm(b, 0xff, 4, 2, m, 0);
}

/* ---- labels -------------------------------------------------------------- */

/* The four bytes just written are to point at l: they hold the field before
   them in l's chain (offset + 1) until then. */
static void
refer32(struct x86_buf *b, struct x86_label *l)
{
	x86_u32(b, l->ref32);
	if (b->full)
		return;
	l->ref32 = (uint32_t)b->n - 4 + 1;
	b->open++;
}

/* Likewise one byte, which holds the distance to the one before; 0: none. */
static void
refer8(struct x86_buf *b, struct x86_label *l)
{
	uint32_t here = (uint32_t)b->n + 1;
	uint32_t d = l->ref8 == 0 ? 0 : here - l->ref8;
	uint8_t v = (uint8_t)d;

	if (d > 127)
		b->full = true;
	x86_bytes(b, &v, 1);
	if (b->full)
		return;
	l->ref8 = here;
	b->open++;
}

void
x86_bind(struct x86_buf *b, struct x86_label *l)
{
	uint32_t at = (uint32_t)b->n, ref, prev;

	if (b->full)
		return;
	for (ref = l->ref32; ref != 0; ref = prev) {
		uint32_t rel = at - (ref - 1 + 4);
		memcpy(&prev, b->p + ref - 1, 4);
		memcpy(b->p + ref - 1, &rel, 4);
		b->open--;
	}
	for (ref = l->ref8; ref != 0; ref = prev) {
		uint32_t rel = at - ref;
		prev = b->p[ref - 1] == 0 ? 0 : ref - b->p[ref - 1];
		if (rel > 127)
			b->full = true;
		b->p[ref - 1] = (uint8_t)rel;
		b->open--;
	}
	l->at = at + 1;
	l->ref32 = l->ref8 = 0;
}

static uint64_t
label_addr(const struct x86_buf *b, const struct x86_label *l)
{
	return b->base + l->at - 1;
}

void
x86_jmp_label(struct x86_buf *b, struct x86_label *l)
{
	if (l->at != 0) {
		x86_jmp_to(b, label_addr(b, l));
		return;
	}
	x86_bytes(b, "\xe9", 1);
	refer32(b, l);
}

void
x86_jcc_label(struct x86_buf *b, enum x86_cc cc, struct x86_label *l)
{
	uint8_t op[2] = { 0x0f, (uint8_t)(0x80 | cc) };

	if (l->at != 0) {
		x86_jcc_to(b, cc, label_addr(b, l));
		return;
	}
	x86_bytes(b, op, 2);
	refer32(b, l);
}

void
x86_jmp_short(struct x86_buf *b, struct x86_label *l)
{
	if (l->at != 0) {
		x86_jmp_to(b, label_addr(b, l));
		return;
	}
	x86_bytes(b, "\xeb", 1);
	refer8(b, l);
}

void
x86_jcc_short(struct x86_buf *b, enum x86_cc cc, struct x86_label *l)
{
	uint8_t op = (uint8_t)(0x70 | cc);

	if (l->at != 0) {
		x86_jcc_to(b, cc, label_addr(b, l));
		return;
	}
	x86_bytes(b, &op, 1);
	refer8(b, l);
}

void
x86_call_label(struct x86_buf *b, struct x86_label *l)
{
	if (l->at != 0) {
		x86_call_to(b, label_addr(b, l));
		return;
	}
	x86_bytes(b, "\xe8", 1);
	refer32(b, l);
}

void
x86_push_label(struct x86_buf *b, struct x86_label *l)
{
	if (l->at != 0) {
		x86_push_m(b, x86_mrip(label_addr(b, l)));
		return;
	}
	x86_bytes(b, "\xff\x35", 2);
	refer32(b, l);
}

void
x86_lea_label(struct x86_buf *b, unsigned dst, struct x86_label *l)
{
	uint8_t op[3] = { (uint8_t)(0x48 | (dst >> 3) << 2), 0x8d,
			  (uint8_t)((dst & 7) << 3 | 5) };

	if (l->at != 0) {
		x86_lea(b, dst, x86_mrip(label_addr(b, l)));
		return;
	}
	x86_bytes(b, op, 3);
	refer32(b, l);
}
