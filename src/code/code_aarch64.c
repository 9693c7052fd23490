/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_aarch64.c - code of aarch64: what instructions do to control, where
 * uprobes can be placed, where indirect jumps go.
 *
 * Every instruction has 4 bytes, so where they begin is no question, and the
 * few kinds that move control are known by masks (Arm Architecture Reference
 * Manual, C4.1).  A switch adds an entry of its table to an address, and jumps
 * there through any register; where the entries lead is not read yet, so
 * functions that have one are not `closed`.  A tail call through a pointer uses
 * x16 or x17, as branch target identification wants it; through another
 * register it might be a goto, and then nobody knows whether it leaves.
 */
#include <string.h>

#include "code/code_impl.h"

#define LOOKBACK 10 /* instructions, for what a jump's register holds */
#define NOP	 0xd503201fu

static uint32_t
a64_word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
	return w;
}

/* Bits [lo, lo + n) of w, with sign. */
static int64_t
field(uint32_t w, unsigned lo, unsigned n)
{
	return (int64_t)((uint64_t)w << (64 - lo - n)) >> (64 - n);
}

/* ---- kinds --------------------------------------------------------------- */

/* An instruction is of the first row whose bits it has under the mask. */
struct row {
	uint32_t mask, bits;
	uint8_t kind;	    /* enum code_kind */
	uint8_t lo, n;	    /* the distance to its target, in instructions */
	bool refused;	    /* by the kernel: no uprobe can be placed at it */
};

static const struct row rows[] = {
	{ 0xfc000000, 0x14000000, CODE_I_JMP, 0, 26 },	/* b */
	{ 0xfc000000, 0x94000000, CODE_I_CALL, 0, 26 }, /* bl */
	{ 0xff000010, 0x54000000, CODE_I_JCC, 5, 19 },	/* b.cond */
	{ 0xff000010, 0x54000010, CODE_I_JCC, 5, 19, true }, /* bc.cond */
	{ 0x7e000000, 0x34000000, CODE_I_JCC, 5, 19 },	/* cbz, cbnz */
	{ 0x7e000000, 0x36000000, CODE_I_JCC, 5, 14 },	/* tbz, tbnz */
	{ 0xfffffc1f, 0xd61f0000, CODE_I_JMP_IND },	/* br */
	{ 0xfefff800, 0xd61f0800, CODE_I_JMP_IND, 0, 0, true }, /* braa ... */
	{ 0xfffffc1f, 0xd63f0000, CODE_I_CALL_IND },	/* blr */
	{ 0xfefff800, 0xd63f0800, CODE_I_CALL_IND, 0, 0, true }, /* blraa ... */
	{ 0xfffffc1f, 0xd65f0000, CODE_I_RET },		/* ret */
	{ 0xfffffbff, 0xd65f0bff, CODE_I_RET, 0, 0, true }, /* retaa, retab */
	{ 0xfe000000, 0xd6000000, CODE_I_TRAP, 0, 0, true }, /* eret, drps */
	{ 0xffe0001f, 0xd4000001, CODE_I_SYSCALL, 0, 0, true }, /* svc */
	{ 0xff000000, 0xd4000000, CODE_I_TRAP, 0, 0, true }, /* brk, hlt ... */
	{ 0xfff00000, 0xd5100000, CODE_I_PLAIN, 0, 0, true }, /* msr */
	{ 0xfff8f01f, 0xd500401f, CODE_I_PLAIN, 0, 0, true }, /* msr #imm */
	{ 0xff000000, 0xd8000000, CODE_I_PLAIN, 0, 0, true }, /* prfm literal */
	{ 0x3f000000, 0x1c000000, CODE_I_PLAIN, 0, 0, true }, /* ldr literal
							  of a vector */
	/* Between the two of a pair nothing may happen. */
	{ 0x3f800000, 0x08000000, CODE_I_PLAIN, 0, 0, true }, /* ldxr ... */
	/* Groups that have no instructions: C4.1, table C4-1. */
	{ 0x9e000000, 0x00000000, CODE_I_BAD },
	{ 0x1e000000, 0x02000000, CODE_I_BAD },
	{ 0x1e000000, 0x06000000, CODE_I_BAD },
};

/* Hints the kernel steps, by number: aarch64_insn_is_steppable_hint(). */
static bool
hint_steps(uint32_t w)
{
	switch (w >> 5 & 0x7f) {
	case 0:		/* nop */
	case 7:		/* xpaclri */
	case 8:		/* pacia1716 */
	case 10:	/* pacib1716 */
	case 24 ... 27: /* paciaz, paciasp, pacibz, pacibsp */
	case 32:	/* bti */
	case 34:
	case 36:
	case 38:
		return true;
	default:
		return false;
	}
}

static bool
is_adr(uint32_t w)
{
	return (w & 0x9f000000) == 0x10000000;
}

static bool
is_adrp(uint32_t w)
{
	return (w & 0x9f000000) == 0x90000000;
}

static uint64_t
adr_target(uint32_t w, uint64_t addr)
{
	int64_t imm = field(w, 5, 19) * 4 | (w >> 29 & 3);

	return is_adr(w) ? addr + (uint64_t)imm
			 : (addr & ~4095ull) + (uint64_t)imm * 4096;
}

static void
aarch64_decode(const uint8_t *p, size_t n, uint64_t addr,
	       struct code_insn *out)
{
	uint32_t w;

	*out = (struct code_insn){ .len = 1, .kind = CODE_I_BAD };
	if (n < 4)
		return;
	w = a64_word(p);
	*out = (struct code_insn){ .len = 4,
				   .kind = CODE_I_PLAIN,
				   .nop = w == NOP,
				   .flags_read = true, /* not looked at */
				   .allowed = true };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		if ((w & r->mask) != r->bits)
			continue;
		out->kind = r->kind;
		out->allowed = !r->refused && r->kind != CODE_I_BAD;
		if (r->n != 0)
			out->target =
				addr + (uint64_t)field(w, r->lo, r->n) * 4;
		return;
	}
	if ((w & 0xfffff01f) == NOP)
		out->allowed = hint_steps(w);
	out->pc_rel = is_adr(w) || is_adrp(w);
	if (out->pc_rel)
		out->target = adr_target(w, addr);
	if ((w & 0x3f000000) == 0x18000000) { /* ldr literal */
		out->pc_rel = true;
		out->target = addr + (uint64_t)field(w, 5, 19) * 4;
	}
}

static bool
aarch64_is_nop(const uint8_t *p, size_t n)
{
	return n >= 4 && a64_word(p) == NOP;
}

static const char *
aarch64_name(const uint8_t *p, size_t n)
{
	static const struct {
		uint32_t mask, bits;
		const char *name;
	} names[] = {
		{ 0xffffffff, NOP, "nop" },
		{ 0xfc000000, 0x14000000, "b" },
		{ 0xfc000000, 0x94000000, "bl" },
		{ 0xff000000, 0x54000000, "bcond" },
		{ 0x7f000000, 0x34000000, "cbz" },
		{ 0x7f000000, 0x35000000, "cbnz" },
		{ 0x7f000000, 0x36000000, "tbz" },
		{ 0x7f000000, 0x37000000, "tbnz" },
		{ 0xff600000, 0xd6000000, "br" },
		{ 0xff600000, 0xd6200000, "blr" },
		{ 0xff600000, 0xd6400000, "ret" },
		{ 0xffe0001f, 0xd4000001, "svc" },
		{ 0x3f800000, 0x08000000, "excl" }, /* ldxr, stxr ... */
		{ 0x3b200c00, 0x38200000, "atomic" }, /* ldadd, swp ... */
	};
	struct code_insn in;

	aarch64_decode(p, n, 0, &in);
	if (in.kind == CODE_I_BAD)
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if ((a64_word(p) & names[i].mask) == names[i].bits)
			return names[i].name;
	return "other";
}

static bool
aarch64_harms_inside(const uint8_t *p, size_t n)
{
	return false;
}

static bool
aarch64_is_plant(const struct code_step *t)
{
	return aarch64_is_nop(t->p, t->in.len);
}

/* The kernel steps what it does not emulate by hardware: no place is much
   cheaper than the first. */
static size_t
aarch64_slide(const struct code_body *b)
{
	struct code_insn in;

	return code_insn_at(b, 0, &in) && in.allowed ? 0 : CODE_NOWHERE;
}

/* ---- addresses ----------------------------------------------------------- */

/* adr; or adrp, and add #low 12 bits right after it to the same register. */
static bool
aarch64_takes(const struct code_step *t, const struct code_step *before,
	      uint64_t *addr)
{
	uint32_t w = a64_word(t->p), page;

	*addr = t->in.target;
	if (t->in.kind != CODE_I_PLAIN || before == NULL ||
	    (w & 0xffc00000) != 0x91000000)
		return t->in.kind == CODE_I_PLAIN && is_adr(w);
	page = a64_word(before->p);
	*addr = before->in.target + (w >> 10 & 0xfff);
	return is_adrp(page) && (page & 31) == (w >> 5 & 31);
}

static void
aarch64_refs(struct code_scan *s, const struct code_step *t)
{
	const struct code_step *before =
		s->steps.n >= 2 ? &s->steps.v[s->steps.n - 2] : NULL;
	uint64_t addr;

	if (!aarch64_takes(t, before, &addr))
		return;
	code_scan_target(s, addr);
	code_scan_label(s, addr);
}

/* ---- jumps --------------------------------------------------------------- */

/* True if the instruction loads a general register, or two. */
static bool
is_load(uint32_t w)
{
	if ((w & 0x3f000000) == 0x18000000)
		return true; /* literal */
	if ((w & 0x3e000000) == 0x28000000)
		return (w & 1u << 22) != 0; /* pair */
	return (w & 0x3e000000) == 0x38000000 && (w >> 22 & 3) != 0;
}

static bool
a64_writes(uint32_t w, unsigned reg)
{
	if ((w & 0x0a000000) == 0x08000000) { /* loads and stores */
		bool pair = (w & 0x3e000000) == 0x28000000;
		bool back = pair ? (w & 1u << 23) != 0
				 : (w & 0x3f200400) == 0x38000400;

		return (is_load(w) && ((w & 31) == reg ||
				       (pair && (w >> 10 & 31) == reg))) ||
		       (back && (w >> 5 & 31) == reg);
	}
	return ((w & 0x1c000000) == 0x10000000 || /* immediates */
		(w & 0x0e000000) == 0x0a000000) && /* registers */
	       (w & 31) == reg;
}

/* By the instruction that wrote the register. */
static enum code_goes
goes_by(uint32_t w, unsigned reg)
{
	bool tail = reg == 16 || reg == 17;

	if ((w & 0x5f000000) == 0x0b000000)
		return CODE_GO_INSIDE; /* add of two registers */
	if ((w & 0x3e200c00) == 0x38200800)
		return CODE_GO_INSIDE; /* ldr by an index */
	if (is_load(w) || (w & 0x7fe0ffe0) == 0x2a0003e0 /* mov */)
		return tail ? CODE_GO_AWAY : CODE_GO_POINTER;
	return CODE_GO_UNKNOWN;
}

static enum code_goes
aarch64_jump(struct code_scan *s, size_t i)
{
	unsigned reg = a64_word(s->steps.v[i].p) >> 5 & 31;

	for (size_t k = i, n = 0; k-- > 0 && n < LOOKBACK; n++) {
		const struct code_step *t = &s->steps.v[k];

		if (t->in.kind != CODE_I_PLAIN && t->in.kind != CODE_I_JCC)
			break;
		if (t->in.kind == CODE_I_PLAIN &&
		    a64_writes(a64_word(t->p), reg))
			return goes_by(a64_word(t->p), reg);
	}
	return reg == 16 || reg == 17 ? CODE_GO_AWAY : CODE_GO_POINTER;
}

const struct code_machine code_machine = {
	.insn = aarch64_decode,
	.is_nop = aarch64_is_nop,
	.name = aarch64_name,
	.slide = aarch64_slide,
	.harms_inside = aarch64_harms_inside,
	.is_plant = aarch64_is_plant,
	.refs = aarch64_refs,
	.takes = aarch64_takes,
	.jump = aarch64_jump,
};
