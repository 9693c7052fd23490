/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86.h - the door of the x86-64 room: machine code read, moved and made.
 * Everything here is pure, buffer to buffer; nothing knows of processes.
 *
 *   x86_emit.c    encode: a buffer and the instructions we need (Zydis)
 *   x86_insn.c    decode: what an instruction does to control, flags, rip
 *   x86_reloc.c   move instructions to another address
 *   x86_fn.c      analysis of a function: targets, ways out, windows
 *   x86_lower*.c  DIF and clauses to native code: handlers
 *   x86_solo.c    handlers that only count
 *   x86_tramp.c   trampolines: displaced instructions with probe points
 *   x86_copy.c    whole functions, where windows do not do
 */
#ifndef ENGINE_X86_X86_H
#define ENGINE_X86_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "dif/dif.h"
#include "rt/rt_native.h"

/* ---- buffers ------------------------------------------------------------- */

/* Code that will run at address base.  Fixed capacity; what does not fit sets
   `full`, and is not written. */
struct x86_buf {
	uint8_t *p;
	size_t n, cap;
	uint64_t base;
	bool full;
};
static inline uint64_t
x86_here(const struct x86_buf *b)
{
	return b->base + b->n;
}

/* ---- decoding ------------------------------------------------------------ */

enum x86_kind {
	X86_I_PLAIN,
	X86_I_RET,
	X86_I_JMP,     /* direct: target */
	X86_I_JCC,     /* direct: target (also loop, jrcxz) */
	X86_I_CALL,    /* direct: target */
	X86_I_JMP_IND, /* through register or memory */
	X86_I_CALL_IND,
	X86_I_SYSCALL, /* syscall, sysenter, int 0x80 */
	X86_I_TRAP,    /* int3, ud2, hlt ...: control does not simply go on */
	X86_I_BAD      /* no instruction */
};
struct x86_insn {
	uint8_t len;
	uint8_t kind;	   /* enum x86_kind */
	bool rip_rel;	   /* has a rip-relative memory operand */
	bool fixed;	   /* cannot be moved (xbegin ...) */
	bool flags_read;   /* reads an arithmetic flag */
	bool flags_killed; /* writes all of them before reading any */
	uint64_t target;   /* direct ones; rip_rel: address of the operand */
};
/* The instruction at p (n bytes left), which is at addr. kind BAD: len 1. */
void x86_insn_decode(const uint8_t *p, size_t n, uint64_t addr,
		     struct x86_insn *out);
/* A nop of any length, or int3 padding: bytes nobody runs between functions. */
bool x86_insn_is_nop(const uint8_t *p, size_t n);
/*
 * True if the arithmetic flags are dead before p (n readable bytes).  Looks
 * along the straight line only, a few instructions far; a call or ret counts as
 * dead.
 */
bool x86_flags_dead(const uint8_t *p, size_t n, uint64_t addr);

/* ---- moving -------------------------------------------------------------- */

/*
 * Append the instruction at p (address addr) so that it does there what it did
 * here: rip-relative operands and direct jumps are re-aimed, short jumps made
 * long, a call is made to return to the original's successor (push + jmp, so
 * unwinders never see a copy).  Jumps into [lo, hi) are not expected.  -1 + *e
 * if it cannot be moved: out of reach, a kind that cannot.
 */
int x86_reloc_insn(struct x86_buf *out, const uint8_t *p, size_t n,
		   uint64_t addr, struct err *e);

/* ---- analysis of functions ----------------------------------------------- */

/* What is known of the world around one function; all addresses are run-time
   ones. */
struct x86_world {
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
};
struct x86_part {
	uint64_t addr, size;
};

enum x86_out_kind { X86_OUT_RET, X86_OUT_TAIL };
struct x86_out { /* a way out of a function */
	uint64_t addr; /* of the ret, jmp or jcc */
	uint8_t len;
	uint8_t kind; /* enum x86_out_kind */
};

struct x86_fn {
	struct x86_part part[8]; /* hot first; .cold and others after */
	uint32_t nparts;
	VEC(struct x86_out) outs;
	VEC(uint64_t) targets; /* sorted: where control may arrive, other than
				  from the instruction before */
	VEC(uint64_t) insns;   /* sorted: starts of instructions */
	VEC(uint64_t) syscalls;/* sorted: syscall instructions */
	bool complete;	       /* every indirect jump is resolved: targets and
				  outs are all: the next two */
	bool closed;	       /* targets are all: windows may be trusted */
	bool outs_all;	       /* outs are all: no return would be missed */
	const char *why;       /* if not complete */
};
int x86_fn_analyse(const struct x86_world *w, const struct x86_part *parts,
		   uint32_t nparts, struct x86_fn *out, struct err *e);
void x86_fn_fini(struct x86_fn *f);

/* Where 5 (or 2) bytes can be replaced so that an instruction is probed. */
enum x86_win_kind {
	X86_WIN_JMP,  /* jmp rel32 at start, over len bytes of whole insns */
	X86_WIN_HOP,  /* jmp rel8 at start (len >= 2) to `hop`, where 5 unused
			 bytes hold a jmp rel32 */
	X86_WIN_INT3, /* one byte at start; costs a signal */
	X86_WIN_NONE
};
#define X86_WIN_MAX 16 /* bytes of a window, at most */
struct x86_window {
	enum x86_win_kind kind;
	uint64_t start; /* first byte that is overwritten */
	uint32_t len;	/* whole instructions, incl. padding after a ret */
	uint64_t hop;
	const char *why; /* NONE, INT3: what stands in the way */
};
/*
 * The best window that contains the instruction at addr at one of its
 * boundaries.  No target of *f may lie inside it but at its start; calls may
 * only be its last instruction; padding after the last ret may be used.
 */
void x86_fn_window(const struct x86_world *w, const struct x86_fn *f,
		   uint64_t addr, struct x86_window *out);
/* How many of its bytes are to be written, from the first on: all of them, or
   where they lie in two pages, the jump alone. */
uint32_t x86_fn_window_written(const struct x86_window *win);
/* Two JMP windows of *f that overlap, as one; false: they do not overlap, or
   cannot be one. */
bool x86_fn_window_union(const struct x86_fn *f, const struct x86_window *a,
			 const struct x86_window *b, struct x86_window *out);

/* ---- handlers ------------------------------------------------------------ */

enum x86_at { X86_AT_ENTRY, X86_AT_RETURN, X86_AT_INSN, X86_AT_SYSENTRY,
	      X86_AT_SYSRETURN, X86_AT_ERROR };

/* General registers by hardware number (rax 0, rcx 1, rdx 2, rbx 3, rsp 4,
   rbp 5, rsi 6, rdi 7, r8 .. r15). */
#define X86_R(n) (1u << (n))

/*
 * Code for one set of sites: the clauses of ecbs [ecb0, ecb0 + necbs) of any
 * of its probes (all its probes have the same clauses and recipes).
 */
struct x86_handler_in {
	const struct dif_enabling *en;
	uint32_t ecb0, necbs;
	const struct dif_recipes *args;
	enum x86_at at;
};

/*
 * A handler as trampolines use it.  Convention: the trampoline has pushed the
 * registers of `saves` (lowest number first, so highest is at [rsp]), after
 * stepping over the red zone and saving flags where needed
 * (x86_frame_extra()); eax is the index of the rtn_site, so `saves` has rax
 * where it is called.  `code` != 0: call it.  inl: short enough to be written in place, per site, with
 * x86_handler_inline(), which may change the flags.
 */
struct x86_handler {
	uint64_t code;	/* address of the out-of-line version */
	uint32_t saves; /* mask of general registers */
	bool inl;
	uint32_t inl_size; /* upper bound of its bytes */
	struct x86_handler_in in;
	bool solo; /* only counts: x86_solo() */
	/* x86_lower's own, for the version in place */
	uint32_t nslots;
	bool now_zero;
};

/*
 * Bytes that a trampoline has put between the thread's stack and the saved
 * registers: none at the ways into and out of a function, where flags and red
 * zone are dead by the calling convention; elsewhere always the red zone and
 * one word of flags, so that handlers know where the thread's stack is; at a
 * system call also a spare word and the dispatcher's return address.
 */
static inline uint32_t
x86_frame_extra(enum x86_at at)
{
	switch (at) {
	case X86_AT_INSN:
		return 128 + 8;
	case X86_AT_SYSENTRY:
	case X86_AT_SYSRETURN:
		return 128 + 24;
	default:
		return 0;
	}
}

/* What code generation must know of a process and a region. */
struct x86_target {
	const struct rtn_shared *sh; /* the consumer's mapping; its fields
					`self`, `slots` ... are filled */
	uint64_t blob;		     /* address of the blob's copy here */
	const struct rt_agg_layout *agg;
	const uint32_t *agg_fixed;   /* [naggs], offsets in a half */
	const struct rtn_site *sites;/* the consumer's array */
	uint64_t sys_enter, sys_return; /* x86_sys_stubs(); 0: there are none */
	/* x86_solo_stub(); 0: none, and handlers that only count are made like
	   all others.  The counter of each aggregation without keys there
	   [naggs], in bytes from the machine. */
	uint64_t solo_miss;
	const uint32_t *solo_fixed;
	/* The word at fs:0 of every thread is the thread's fs base, as in all
	   programs that the C library has started.  This was looked up for all
	   threads when the code was made.  The code then finds out by a load
	   of that word which thread runs; otherwise it must use rdfsbase,
	   which takes 4 ns more. */
	bool fs_self;
	bool no_returns; /* no system call has a return probe */
	bool debug;
};

/* Generate a handler at the end of `b`. 0, or -1 + *e. */
int x86_lower(struct x86_buf *b, const struct x86_target *t,
	      const struct x86_handler_in *in, struct x86_handler *out,
	      struct err *e);
/* The handler's body in place for one site; needs h->inl. */
void x86_handler_inline(struct x86_buf *b, const struct x86_target *t,
			const struct x86_handler *h, uint32_t site);
/* The code that rtn_shared.error_fire points to: the ERROR clauses on the
   machine in rdi.  Its address; 0: there are none. */
uint64_t x86_lower_error(struct x86_buf *b, const struct x86_target *t,
			 const struct dif_enabling *en, struct err *e);
/*
 * True if these clauses only count(), without keys or under keys that are all
 * DIF_SRC_NAME.  Then there is one counter for each such statement with keys,
 * in order, from rtn_site.cells on (8 bytes each, in bytes from the machine).
 */
bool x86_solo(const struct dif_enabling *en, uint32_t ecb0, uint32_t necbs);
/* Write what such handlers share, and fill t->solo_miss; b->full if it does
   not fit (X86_SOLO_STUB_SIZE bytes do). */
#define X86_SOLO_STUB_SIZE 256u
void x86_solo_stub(struct x86_buf *b, struct x86_target *t);

/* ---- trampolines --------------------------------------------------------- */

/*
 * System calls.  A point without a handler calls a dispatcher, one of a pair in
 * each region, which looks the number up in rtn_shared.sys and goes to that
 * number's thunk, if it has one: x86_sys_thunk() writes it, and entry or ret of
 * struct rtn_sys is its address - t->blob.  Numbers not below RTN_NSYS do not
 * fire.  What else the dispatcher does for a number, RTN_SYS_* in
 * rtn_sys.special tells.
 */
/* Write the pair and fill t->sys_enter, t->sys_return; b->full if they do not
   fit (X86_SYS_STUBS_SIZE bytes do). */
#define X86_SYS_STUBS_SIZE 1536u
void x86_sys_stubs(struct x86_buf *b, struct x86_target *t);
/* Its address. Needs no more than h->inl_size + 128 bytes. */
uint64_t x86_sys_thunk(struct x86_buf *b, const struct x86_target *t,
		       const struct x86_handler *h, uint32_t site);

/* A probe at an instruction of a window. */
struct x86_point {
	uint32_t at;   /* offset in the window of the instruction */
	bool after;    /* fires after it (return of a system call) */
	bool insn;     /* an arbitrary place: red zone and flags are live (not
			  with kind ENTRY, RETURN; SYS* are so anyway) */
	const struct x86_handler *h; /* NULL: dispatch by call number through
					rtn_shared.sys (SYSENTRY/SYSRETURN) */
	uint32_t site;
	enum x86_at kind; /* RETURN at a conditional jump: if it is taken */
};

/*
 * Where an instruction of a window has gone: to move a PC.
 *
 * The PC of a thread in a system call stands after the `syscall`, and the
 * kernel may step it back by two to start the call anew: so the place after a
 * `syscall` becomes the place after its copy, even where that is the end of the
 * window (then it counts before what another window has to say of that place).
 */
struct x86_moved {
	uint64_t from, to; /* to: where its probes begin */
};
#define X86_MOVED_MAX 17

/*
 * Write the trampoline of one window: for every instruction its points, in
 * order, then the instruction itself, moved; at the end a jump to the first
 * byte after the window.  Returns its address (jump there), 0 + *e.
 * A ret or jmp ends the window: what follows is padding, and is not copied.
 * moved[X86_MOVED_MAX]: one for each instruction; *nmoved is their number.
 */
uint64_t x86_tramp(struct x86_buf *b, const struct x86_target *t,
		   const uint8_t *bytes, uint64_t addr, uint32_t len,
		   const struct x86_point *points, size_t npoints,
		   struct x86_moved *moved, size_t *nmoved, struct err *e);
/* Upper bound of its size. */
size_t x86_tramp_size(uint32_t len, const struct x86_point *points,
		      size_t npoints);

/* ---- copies of functions ------------------------------------------------- */

/*
 * What forbids to copy a function as a whole, so that all that is done in it is
 * done in the copy; NULL: nothing, if a window fits over its entry.
 */
const char *x86_copy_refused(const struct x86_world *w, const struct x86_fn *f);
/*
 * Write the copy of a function that is not refused (len bytes at addr) with
 * the points of all of its instructions, which are in order of `at`: an offset
 * in the function.  Else as x86_tramp(): `win` bytes of the entry's window are
 * those whose places *moved tells.
 */
uint64_t x86_copy(struct x86_buf *b, const struct x86_target *t,
		  const uint8_t *bytes, uint64_t addr, uint32_t len,
		  uint32_t win, const struct x86_point *points, size_t npoints,
		  struct x86_moved *moved, size_t *nmoved, struct err *e);
/* Upper bound of its size. */
size_t x86_copy_size(const uint8_t *bytes, uint64_t addr, uint32_t len,
		     const struct x86_point *points, size_t npoints);

/* ---- the dynamic linker ---------------------------------------------------- */

/*
 * A handler for the entry of the function that the dynamic linker calls when
 * its list of objects changes: rtn_maps().  b->full if it does not fit
 * (X86_MAPS_STUB_SIZE bytes do).
 */
#define X86_MAPS_STUB_SIZE 64u
void x86_maps_stub(struct x86_buf *b, const struct x86_target *t,
		   struct x86_handler *h);

/* ---- patches ------------------------------------------------------------- */

/* The bytes of a patch: jmp rel32 padded with nop (int3 after a way out is
   the caller's affair) to len; false: out of reach. */
bool x86_jmp(uint8_t *out, uint32_t len, uint64_t from, uint64_t to);

#endif
