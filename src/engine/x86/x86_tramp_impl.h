/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_tramp_impl.h - what trampolines and copies of functions share: a run of
 * instructions that is written elsewhere, with its points.
 */
#ifndef ENGINE_X86_X86_TRAMP_IMPL_H
#define ENGINE_X86_X86_TRAMP_IMPL_H

#include "engine/x86/x86_lower_impl.h"

#define X86_LATE_MAX 16 /* what more there is is written in place */

struct x86_run {
	const uint8_t *bytes;
	uint64_t addr;
	uint32_t len;
	const struct x86_point *points;
	size_t npoints;
	struct x86_moved *moved;
	size_t nmoved;
	struct lower_late late[X86_LATE_MAX];
	size_t nlate;
	struct x86_rooms *rooms; /* NULL: there are to be none */
};

/* When the points of an instruction fire. */
enum x86_when { X86_BEFORE, X86_TAKEN, X86_AFTER };

/* Room for one instruction, however it is written. */
#define X86_INSN_ROOM 32

/* Note where an instruction has gone; -1 + *e: too many. */
int x86_tramp_moved(struct x86_run *w, uint64_t from, uint64_t to,
		    struct err *e);
/* What the points so far have left for later; code does not run into it. */
void x86_tramp_late(struct x86_buf *b, const struct x86_target *t,
		    struct x86_run *w);
/* The points at offset `at`, where an instruction of that kind is, which fire
   then.  `next`: offset of what runs after them; a system call keeps the
   flags. */
int x86_tramp_points(struct x86_buf *b, const struct x86_target *t,
		     struct x86_run *w, uint32_t at, uint8_t kind,
		     enum x86_when when, uint32_t next, struct err *e);
/* The instruction at offset `at` itself, with the points that fire if it jumps
   away. */
int x86_tramp_insn(struct x86_buf *b, const struct x86_target *t,
		   struct x86_run *w, uint32_t at, const struct code_insn *in,
		   struct err *e);
/* Bytes that the next two write at most. */
#define X86_STACK_SIZE 128u
/* What is around the probe of a system call where there may be no stack; on to
   `over` where it does not fire. */
void x86_stack_begin(struct x86_buf *b, const struct x86_target *t,
		     enum x86_stack stack, bool flags_dead,
		     struct x86_label *over);
void x86_stack_end(struct x86_buf *b, enum x86_stack stack,
		   struct x86_label *over);
/* The condition of the direct conditional jump at p; false: it has none of its
   own (loop, jrcxz). */
bool x86_tramp_cc(const uint8_t *p, const struct code_insn *in,
		  enum x86_cc *cc);

#endif
