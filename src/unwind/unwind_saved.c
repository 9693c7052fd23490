/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_saved.c - frames that are found by a register which the function that
 * was called has saved.
 *
 * The dynamic linker is entered by a stub when a function of another object is
 * called for the first time, and saves vector registers to a piece of the stack
 * whose size the processor tells it: the caller's frame is found by rbx.  A
 * walk follows no rbx.  But it comes there behind a call, of a function of the
 * same file, whose table says where that has saved rbx, counted from its
 * caller's rsp; so that word is the rule for this one instruction.
 *
 * Where that function is not the first frame it has saved the register, or it
 * is not taken: no call is in a row that does not say so.  Where it is the
 * first, the word is below rsp if it has not, and the walk ends (rt_unwind.c).
 */
#include "unwind/unwind_impl.h"

#include "code/code.h"

/* A function that is called. */
struct saved_fn {
	struct elf_file *f;
	int64_t at;   /* where the register is, from CFA; 0: not known */
	int64_t deep; /* bytes of the stack, at most, where it is not saved */
	bool bad;
};

/* The first call in [addr, end), which begins with an instruction. */
static bool
saved_call(struct elf_file *f, uint64_t addr, uint64_t end,
	   struct code_insn *in, uint64_t *at)
{
	const uint8_t *p = addr < end ? elf_bytes(f, addr, end - addr) : NULL;

	for (*at = addr; p != NULL && *at < end; *at += in->len) {
		code_insn_decode(p + (*at - addr), end - *at, *at, in);
		if (in->kind == CODE_I_CALL || in->kind == CODE_I_CALL_IND)
			return true;
		if (in->kind == CODE_I_BAD)
			return false;
	}
	return false;
}

static bool
saved_row(void *arg, const struct elf_cfi *c)
{
	struct saved_fn *s = arg;
	struct code_insn in;
	uint64_t at;

	if (c->saved != 0) {
		s->bad |= s->at != 0 && s->at != c->saved;
		s->at = c->saved;
		return !s->bad;
	}
	if (c->cfa != ELF_CFA_RSP ||
	    saved_call(s->f, c->addr, c->end, &in, &at))
		s->bad = true;
	if (c->off > s->deep)
		s->deep = c->off;
	return !s->bad;
}

/* Where the function at addr saves a register, from its CFA; 0: nobody
   knows. */
static int64_t
saved_at(struct elf_file *f, uint64_t addr, uint8_t reg)
{
	struct saved_fn s = { .f = f };

	if (!elf_cfi_saved(f, addr, reg, saved_row, &s) || s.bad ||
	    s.at >= -s.deep)
		return 0;
	return s.at;
}

bool
unwind_saved(struct elf_file *f, const struct elf_cfi *c, uint64_t addr,
	     struct elf_cfi *row)
{
	struct code_insn in;
	uint64_t at;

	while (saved_call(f, addr, c->end, &in, &at)) {
		addr = at + in.len;
		*row = (struct elf_cfi){ .addr = at,
					 .end = addr,
					 .cfa = ELF_CFA_RSP_WORD,
					 .add = c->off,
					 .rbp = c->rbp,
					 .rbp_off = c->rbp_off };
		if (in.kind == CODE_I_CALL)
			row->off = saved_at(f, in.target, c->reg);
		if (row->off != 0)
			return true;
	}
	return false;
}
