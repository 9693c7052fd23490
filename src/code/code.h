/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code.h - the door of the room that reads machine code.
 *
 * Everything here is pure: it sees bytes, and asks about the rest of the object
 * by callbacks.  Nothing knows of processes, or of engines.
 *
 *   code_insn.c    decode: what an instruction does to control and flags
 *   code_fn.c      analysis of a function: targets, ways out
 *   code_return.c  where a function returns
 *   code_chosen.c  what a function chooses among whose name is that choice
 *   code_x86_*.c   what x86-64 has of its own: windows for jumps, the cheapest
 *                  place for a uprobe, jumps through tables
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "elf/elf.h"

/* ---- decoding ------------------------------------------------------------ */

enum code_kind {
	CODE_I_PLAIN,
	CODE_I_RET,
	CODE_I_JMP,     /* direct: target */
	CODE_I_JCC,     /* direct: target (also loop, jrcxz) */
	CODE_I_CALL,    /* direct: target */
	CODE_I_JMP_IND, /* through register or memory */
	CODE_I_CALL_IND,
	CODE_I_SYSCALL, /* syscall, sysenter, int 0x80 */
	CODE_I_TRAP,    /* int3, ud2, hlt ...: control does not simply go on */
	CODE_I_BAD      /* no instruction */
};
struct code_insn {
	uint8_t len;
	uint8_t kind;      /* enum code_kind */
	bool pc_rel;       /* has a memory operand relative to the pc */
	bool nop;          /* does nothing; int3 is none */
	bool fixed;        /* cannot be moved (xbegin ...) */
	bool flags_read;   /* reads an arithmetic flag */
	bool flags_killed; /* writes all of them before reading any */
	bool allowed;      /* a uprobe can be placed here; code_x86_allow.c */
	uint64_t target;   /* direct ones; pc_rel: address of the operand */
};
/* The instruction at p (n bytes left), which is at addr. kind BAD: len 1. */
void code_insn_decode(const uint8_t *p, size_t n, uint64_t addr,
		      struct code_insn *out);
/*
 * What people call the kind of the instruction at p: its mnemonic as assemblers
 * write it, or its prefix where that says more: lock, rep, repz, repnz.  (Of
 * aarch64 it is the branches, nop, svc, excl and atomic; all else is "other".)
 * A literal without '-'; NULL: no instruction.
 */
#define CODE_NAME_MAX 24 /* bytes, with the NUL */
const char *code_insn_name(const uint8_t *p, size_t n);
/* A nop of any length, or int3 padding: bytes nobody runs between functions. */
bool code_insn_is_nop(const uint8_t *p, size_t n);
/*
 * True if the arithmetic flags are dead before p (n readable bytes).  Looks
 * along the straight line only, a few instructions far; a call or ret counts as
 * dead.
 */
bool code_flags_dead(const uint8_t *p, size_t n, uint64_t addr);

/* ---- bodies -------------------------------------------------------------- */

struct code_world;
/* The bytes of one function. */
struct code_body {
	const uint8_t *p;
	size_t n;
	uint64_t addr; /* link-time address of p[0] */
	size_t next;   /* offset of the next symbol after the first byte: what
			  others may enter by; SIZE_MAX: none */
	const struct code_world *w; /* whose bytes may branch into it; NULL:
				       not known */
};

/*
 * The instruction at an offset; `allowed` is false, too, where a uprobe would
 * do harm in the middle of a function.  false: none is there.
 */
bool code_insn_at(const struct code_body *b, size_t off, struct code_insn *out);
/* True if an instruction begins at this offset; the code is walked from its
   start. */
bool code_insn_begins(const struct code_body *b, size_t off);
/* How many instructions there are before the first that is none. */
size_t code_insn_count(const struct code_body *b);

/*
 * The offset an entry probe is best placed at: 0, or that of an instruction
 * the kernel emulates, reached with the arguments still in place; or, if the
 * kernel refuses a probe at the first, one it accepts.  CODE_NOWHERE: none.
 */
#define CODE_NOWHERE SIZE_MAX
size_t code_slide(const struct code_body *b);

/*
 * How the caller's frame is found at each instruction that the function's first
 * leads to, ascending, as a table of unwinding would say it; ELF_CFA_UNKNOWN
 * where the instructions do not tell.  That it is entered by a call, with the
 * return address at rsp, is taken for granted.  Return false if fn did, or
 * there is no memory.
 */
bool code_cfi(const struct code_body *b, elf_cfi_fn *fn, void *arg);

/* ---- analysis of functions ----------------------------------------------- */

#define CODE_PARTS_MAX 8 /* of a function */
struct code_part {
	uint64_t addr, size;
};

/* What is known of the world around one function; all addresses are run-time
   ones. */
struct code_world {
	void *arg;
	/* n bytes at addr, or NULL: not in the object's file-backed segments.*/
	const uint8_t *(*bytes)(void *arg, uint64_t addr, size_t n);
	/* True if a function begins exactly at addr. */
	bool (*is_fn)(void *arg, uint64_t addr);
	/* The n-th address of [lo, hi) that something outside the function's
	   own instructions may go to (landing pads, other symbols, relocated
	   code pointers); false: no more. */
	bool (*entered)(void *arg, uint64_t lo, uint64_t hi, size_t i,
			uint64_t *addr);
	/* `entered` knows the jumps of other functions, too. */
	bool knows_jumps;
	/* May be NULL.  The end of the code that lies last before addr; 0: not
	   known.  What is between may be padding, for hops. */
	uint64_t (*end_before)(void *arg, uint64_t addr);
	/* May be NULL.  Is one of these unused bytes part of another window
	   already?  (Functions share the padding between them.) */
	bool (*taken)(void *arg, uint64_t addr, uint64_t n);
	/* May be NULL.  Is there among these bytes one that must stay as it is
	   (restartable sequences)? */
	bool (*pinned)(void *arg, uint64_t addr, uint64_t n);
	/* May be NULL.  Does a table say that this is the return from a signal,
	   so that unwinders need not know it by its bytes? */
	bool (*signal)(void *arg, uint64_t addr);
	/* May be NULL: what the bytes say.  The address of code that the 8
	   bytes of data at addr hold in the process, where its file may have
	   something else there; false: they hold none. */
	bool (*pointer)(void *arg, uint64_t addr, uint64_t *to);
	/* May be NULL: there are none.  As `entered`, but only addresses that
	   data holds. */
	bool (*held)(void *arg, uint64_t lo, uint64_t hi, size_t i,
		     uint64_t *addr);
	/* May be NULL.  The part that the compiler has split off a function and
	   that has addr in it; false: there is none. */
	bool (*part)(void *arg, uint64_t addr, struct code_part *part);
	/* May be NULL: nowhere.  May the program itself have put somebody aside
	   who goes on at this instruction, so that we do not find him; or,
	   `later`, do so while there is a probe? */
	bool (*waits)(void *arg, uint64_t addr, bool later);
};
/* The world of an object's file, at link-time addresses; enough for
   code_returns_find().  The file must outlive it. */
void code_elf_world(struct elf_file *f, struct code_world *w);

/* FALL: behind its last instruction another function begins. */
enum code_out_kind { CODE_OUT_RET, CODE_OUT_TAIL, CODE_OUT_FALL };
struct code_out {      /* a way out of a function */
	uint64_t addr; /* of the ret, jmp or jcc; of that last instruction */
	uint8_t len;
	uint8_t kind; /* enum code_out_kind */
};

struct code_fn {
	struct code_part
		part[CODE_PARTS_MAX]; /* hot first; .cold and others after */
	uint32_t nparts;
	VEC(struct code_out) outs;
	VEC(uint64_t)
	targets;                /* sorted: where control may arrive, other than
				   from the instruction before */
	VEC(uint64_t) insns;    /* sorted: starts of instructions */
	VEC(uint64_t) syscalls; /* sorted: syscall instructions */
	bool complete;          /* every indirect jump is resolved: targets and
				   outs are all: the next two */
	bool closed;            /* targets are all: windows may be trusted */
	bool outs_all;          /* outs are all: no return would be missed */
	const char *why;        /* if not complete */
};
int code_fn_analyse(const struct code_world *w, const struct code_part *parts,
		    uint32_t nparts, struct code_fn *out, struct err *e);
void code_fn_fini(struct code_fn *f);
/* True if addr is in one of the function's parts. */
bool code_fn_has(const struct code_fn *f, uint64_t addr);
/* The index of the first of v[0..n-1], sorted, that is not below addr. */
size_t code_fn_lower(const uint64_t *v, size_t n, uint64_t addr);
/* True if addr is one of v[0..n-1]. */
bool code_fn_in(const uint64_t *v, size_t n, uint64_t addr);
/* Sort v[0..*n-1], and keep one of each; most lists are in order already. */
void code_addrs_sort(uint64_t *v, size_t *n);

/* ---- windows ------------------------------------------------------------- */

/* Where 5 (or 2) bytes can be replaced so that an instruction is probed. */
enum code_win_kind {
	CODE_WIN_JMP,  /* jmp rel32 at start, over len bytes of whole insns */
	CODE_WIN_HOP,  /* jmp rel8 at start (len >= 2) to `hop`, where 5 unused
			 bytes hold a jmp rel32 */
	CODE_WIN_INT3, /* one byte at start; costs a signal */
	CODE_WIN_PUN,  /* jmp rel32 at start, over one instruction: what it has
			  no bytes for are those of the code behind it */
	CODE_WIN_NONE
};
#define CODE_WIN_MAX 16 /* bytes of a window, at most */
struct code_window {
	enum code_win_kind kind;
	uint64_t start; /* first byte that is overwritten */
	uint32_t len;   /* whole instructions, incl. padding after a ret */
	uint64_t hop;
	const char *why; /* NONE, INT3: what stands in the way */
	bool least;      /* no more than the jump may be written: somebody may
			    wait behind it (code_world.waits) */
};
/*
 * The best window that contains the instruction at addr at one of its
 * boundaries.  No target of *f may lie inside it but at its start; calls may
 * only be its last instruction; padding after the last ret may be used.
 */
void code_fn_window(const struct code_world *w, const struct code_fn *f,
		    uint64_t addr, struct code_window *out);
/* How many of its bytes are to be written, from the first on: all of them, or
   where they lie in two pages or somebody may wait in them, the jump alone. */
uint32_t code_fn_window_written(const struct code_window *win);
/*
 * Find out whether the instruction at addr may be overwritten, itself and
 * nothing else, or with some instructions before and after it.  Of itself that
 * asks nothing of where control may arrive but that it be no middle of an
 * instruction; the others must not be arrived at but through the first.  *out:
 * a PUN window, with unused bytes after a way out, up to 5 in all; or why it
 * may not.
 */
void code_fn_alone(const struct code_world *w, const struct code_fn *f,
		   uint64_t addr, uint32_t before, uint32_t after,
		   struct code_window *out);
/* Two JMP windows of *f that overlap, as one; false: they do not overlap, or
   cannot be one. */
bool code_fn_window_union(const struct code_fn *f, const struct code_window *a,
			  const struct code_window *b, struct code_window *out);
/* What forbids to move the instruction at addr; NULL: nothing. */
const char *code_fn_fixed(const struct code_world *w, uint64_t addr,
			  const struct code_insn *in);

/* ---- returns ------------------------------------------------------------- */

struct code_returns {
	VEC(uint32_t) rets;  /* offsets of ret instructions */
	VEC(uint32_t) tails; /* offsets of jumps that leave for a function */
	bool exact;          /* there are no other ways out */
};
/*
 * The world's addresses are those of the body.  If its bytes cannot all be
 * analysed, the list is empty and not exact.  0, or -1: no memory.  Free with
 * code_returns_fini().
 */
int code_returns_find(const struct code_body *b, const struct code_world *w,
		      struct code_returns *r);
void code_returns_fini(struct code_returns *r);

/* ---- functions that choose ----------------------------------------------- */

struct code_chosen {
	VEC(uint64_t) fns; /* sorted: what it chooses among */
	bool all;	   /* as far as can be seen it returns no other */
};
/*
 * The functions whose addresses the code of an IFUNC's symbol takes; is_fn says
 * where functions begin.  0, or -1: no memory.  Free with code_chosen_fini().
 */
int code_chosen_find(const struct code_body *b,
		     bool (*is_fn)(void *arg, uint64_t addr), void *arg,
		     struct code_chosen *c);
void code_chosen_fini(struct code_chosen *c);

#endif
