/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86.h - the door of the x86-64 room: machine code moved and made.
 * Everything here is pure, buffer to buffer; nothing knows of processes.  It is
 * read by the room code.
 *
 *   x86_emit.c    encode: a buffer and the instructions we need (Zydis)
 *   x86_reloc.c   move instructions to another address
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
#include "code/code.h"
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
	uint32_t open; /* references to labels that have no place yet */
};
static inline uint64_t
x86_here(const struct x86_buf *b)
{
	return b->base + b->n;
}

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
	const struct dif_whens *when; /* NULL: it always fires */
};

/*
 * A handler as trampolines use it.  Convention: the trampoline has pushed the
 * registers of `saves` (lowest number first, so highest is at [rsp]), after
 * stepping over the red zone and saving flags where needed
 * (x86_frame_extra()); eax is the index of the rtn_site, so `saves` has rax
 * where it is called.  `code` != 0: call it.  inl: short enough to be written
 * in place, per site, with x86_handler_inline(), which may change the flags.
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
 * system call also its place, a spare word and the dispatcher's
 * return address.
 */
#define X86_SYS_PLACE 144 /* bytes below the thread's stack where that place
			     is */
static inline uint32_t
x86_frame_extra(enum x86_at at)
{
	switch (at) {
	case X86_AT_INSN:
		return 128 + 8;
	case X86_AT_SYSENTRY:
	case X86_AT_SYSRETURN:
		return 128 + 32;
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
	   which takes 4 ns more, or where the kernel does not permit that, ask
	   it, which takes a system call. */
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
#define X86_SOLO_STUB_SIZE 384u
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
#define X86_SYS_STUBS_SIZE 2560u
void x86_sys_stubs(struct x86_buf *b, struct x86_target *t);
/* A probe of a thunk; the thunk ends behind its last.  Needs no more than
   h->inl_size + 128 bytes. */
void x86_sys_thunk(struct x86_buf *b, const struct x86_target *t,
		   const struct x86_handler *h, uint32_t site, bool last);

/* Whether there is a stack where a probe of a system call fires. */
enum x86_stack {
	X86_STACK_THERE,
	X86_STACK_GONE,	   /* the end of a thread, which may have none any more:
			      its probe runs on one that is borrowed */
	X86_STACK_BARE,	   /* as GONE, and %fs has no memory any more */
	X86_STACK_UNMAPPED /* the return from munmap: it does not fire if it was
			      the stack that has gone */
};

/* A probe at an instruction of a window. */
struct x86_point {
	uint32_t at;   /* offset in the window of the instruction */
	bool after;    /* fires after it (return of a system call; the end of a
			  function that runs on into another) */
	bool insn;     /* an arbitrary place: red zone and flags are live (not
			  with kind ENTRY, RETURN; SYS* are so anyway) */
	const struct x86_handler *h; /* NULL: dispatch by call number through
					rtn_shared.sys (SYSENTRY/SYSRETURN) */
	uint32_t site;
	enum x86_stack stack;
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
/*
 * The same, with rooms: places where another trampoline may be put between,
 * which nothing of ours is in but a no-operation of X86_ROOM_SIZE bytes, in one
 * page.  There is one before a `syscall`, or the window's last instruction if
 * that jumps or returns, unless it is the first; and one behind a `syscall`.
 * The flags, the red zone and all registers are the program's there.
 */
#define X86_ROOMS     3u
#define X86_ROOM_SIZE 5u
struct x86_room {
	uint64_t addr;
	uint32_t at; /* of its instruction in the window */
	bool after;
};
struct x86_rooms {
	size_t n;
	struct x86_room v[X86_ROOMS];
};
uint64_t x86_tramp_rooms(struct x86_buf *b, const struct x86_target *t,
			 const uint8_t *bytes, uint64_t addr, uint32_t len,
			 const struct x86_point *points, size_t npoints,
			 struct x86_moved *moved, size_t *nmoved,
			 struct x86_rooms *rooms, struct err *e);
/* Upper bound of its size. */
size_t x86_tramp_size(uint32_t len, const struct x86_point *points,
		      size_t npoints);

/* ---- copies of functions ------------------------------------------------- */

/*
 * What forbids to copy a function as a whole, so that all that is done in it is
 * done in the copy; NULL: nothing, if a window fits over its entry.
 */
const char *x86_copy_refused(const struct code_world *w,
			     const struct code_fn *f);
/*
 * Write the copy of a function that is not refused (len bytes at addr) with
 * the points of all of its instructions, which are in order of `at`: an offset
 * in the function.  Else as x86_tramp(): `win` bytes of the entry's window are
 * those whose places *moved tells.  It begins at the next multiple of
 * X86_COPY_ALIGN.
 */
#define X86_COPY_ALIGN 16u
uint64_t x86_copy(struct x86_buf *b, const struct x86_target *t,
		  const uint8_t *bytes, uint64_t addr, uint32_t len,
		  uint32_t win, const struct x86_point *points, size_t npoints,
		  struct x86_moved *moved, size_t *nmoved, struct err *e);
/* Upper bound of its size. */
size_t x86_copy_size(const uint8_t *bytes, uint64_t addr, uint32_t len,
		     const struct x86_point *points, size_t npoints);

/* ---- the dynamic linker -------------------------------------------------- */

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
