/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_impl.h - what the files of the analysis share: a function, cut into
 * instructions, and what a machine's files offer to those that know no machine.
 *
 *   code_fn.c        cuts it, collects targets and ways out
 *   code_away.c      whether a jump into other code comes back
 *   code_return.c    the ways out that a uprobe can be placed at
 *   code_chosen.c    addresses of functions that it takes
 *   code_x86_*.c     x86-64; see code_x86_impl.h
 *   code_aarch64.c   aarch64
 */
#ifndef CODE_CODE_IMPL_H
#define CODE_CODE_IMPL_H

#include "code/code.h"

/* An instruction of the function, in order of address within its part. */
struct code_step {
	uint64_t addr;
	const uint8_t *p;
	struct code_insn in;
};
/* Jump steps[from] leads to `to`, by a table. */
struct code_edge {
	size_t from;
	uint64_t to;
};
struct code_scan {
	const struct code_world *w;
	struct code_fn *fn;
	VEC(struct code_step) steps; /* sorted by address, as fn->insns */
	/* The machine's own, made when asked for, freed by code_fn_analyse() */
	struct code_depth *depths; /* of each step; code_x86_depth.c */
	struct code_const *consts; /* of each register; code_x86_reg.c */
	VEC(uint64_t) labels; /* addresses of this code that the code takes */
	VEC(uint64_t) tabled; /* destinations that tables of jumps hold */
	VEC(size_t)
	bare; /* jumps of which it is not known yet whether they
		 stay in the function */
	VEC(struct code_edge) edges; /* of tables that are known for sure */
	VEC(size_t) late; /* jumps through pointers, of which more may be known
			     when all tables are */
	bool again;	  /* those are looked at */
	VEC(size_t) ends; /* last instructions of parts that run on */
	bool entered; /* the code around it, or data, leads to its inside */
	bool nomem;
};

/* Control may arrive at addr, if that is in the function. */
void code_scan_target(struct code_scan *s, uint64_t addr);
/* The code takes the address of an instruction: to go there some time. */
void code_scan_label(struct code_scan *s, uint64_t addr);

/* True if nothing that control can reach from addr, outside of the function, is
   in it again, and all of that is known. */
bool code_stays_away(const struct code_scan *s, uint64_t addr);

/* Where an indirect jump goes. */
enum code_goes {
	CODE_GO_TABLE,   /* to its function's own instructions */
	CODE_GO_INSIDE,  /* the same, but to which ones is not known */
	CODE_GO_AWAY,    /* out of it: a tail call */
	CODE_GO_BARE,    /* through a pointer, without a frame: out of it if
			    there is no pointer into the function, which is
			    looked at when all jumps have been followed */
	CODE_GO_POINTER, /* to addresses that data holds, but inside or out is
			    not known */
	CODE_GO_UNKNOWN  /* anywhere */
};

/*
 * A machine.  There is one `code_machine` in a program, of the machine that it
 * was built for (meson.build chooses the files): what it traces is code of its
 * own kind.
 */
struct code_machine {
	/* As code_insn_decode(), code_insn_is_nop(), code_slide(). */
	void (*insn)(const uint8_t *p, size_t n, uint64_t addr,
		     struct code_insn *out);
	bool (*is_nop)(const uint8_t *p, size_t n);
	const char *(*name)(const uint8_t *p, size_t n); /* code_insn_name() */
	size_t (*slide)(const struct code_body *b);
	/* True if a uprobe at this instruction, which it may be placed at, does
	   harm anywhere but at a function's start. */
	bool (*harms_inside)(const uint8_t *p, size_t n);
	/* True if an instruction like this one at the start of a function is
	   there for what follows it: see scan_planted(). */
	bool (*is_plant)(const struct code_step *t);
	/* True if steps[i], a system call, ends the thread: control does not go
	   on behind it.  NULL: that is not known. */
	bool (*exits)(const struct code_scan *s, size_t i);
	/* Call code_scan_target() and code_scan_label() for the addresses that
	   an instruction holds. */
	void (*refs)(struct code_scan *s, const struct code_step *t);
	/* True if the instruction t, perhaps with the one before it (NULL:
	   none is), makes an address of code: *addr.  NULL: never. */
	bool (*takes)(const struct code_step *t, const struct code_step *before,
		      uint64_t *addr);
	/* Follow the indirect jump steps[i]; the targets that a table holds are
	   added.  fn->insns is complete and sorted. */
	enum code_goes (*jump)(struct code_scan *s, size_t i);
	/* True if the direct jump steps[i], to the function's own start, is a
	   call of itself and no loop: what it had on the stack has just been
	   taken down.  NULL: that is not known. */
	bool (*recurs)(struct code_scan *s, size_t i);
	/* True if nothing is on the stack before and after steps[i]; NULL: that
	   is not known. */
	bool (*bare)(struct code_scan *s, size_t i);
	/* Add the targets of branches from the code around a part that only
	   decoding it finds; NULL: there are none. */
	void (*near)(struct code_scan *s, const struct code_part *part);
	/* As code_cfi().  NULL: there are no rows. */
	bool (*cfi)(const struct code_body *b, elf_cfi_fn *fn, void *arg);
};
extern const struct code_machine code_machine;

#endif
