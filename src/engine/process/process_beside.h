/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_beside.h - what the process engine knows and writes of other
 * consumers of the same process: process_beside.c finds their jumps,
 * process_over.c makes the code that goes over them.  A part of process_impl.h.
 */
#ifndef ENGINE_PROCESS_PROCESS_BESIDE_H
#define ENGINE_PROCESS_PROCESS_BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct code_world;
struct engine;
struct err;
struct patch;
struct patch_room;
struct inject_span;
struct plan_point;
struct plan_window;
struct x86_point;

/* ---- where they are (process_beside.c) ----------------------------------- */

/* A window of another consumer, or of ours. */
struct beside_jump {
	uint64_t start;
	uint32_t written, len; /* bytes: overwritten; of all instructions */
	bool copy;	       /* all of the function runs elsewhere */
	uint32_t jump; /* bytes that it is made of, with those behind it */
	uint64_t land; /* it leads there by way of a landing; 0: straight */
	uint32_t room; /* bytes of that */
	uint64_t top;	       /* where the jump leads to */
	uint64_t next;	       /* the first trampoline from there on whose
				  consumer traces; if none does, `top` */
	uint64_t low;	       /* and the one that runs the instructions; 0: it
				  cannot be found */
};
/* Have the lock of a process, for which it waits some time; what
   beside_unlock() gives back. */
int beside_lock(pid_t pid, unsigned ms);
void beside_unlock(int fd);
/* From here to beside_end() we have the lock, and the others are known. */
int beside_begin(struct engine *eng, unsigned ms, struct err *e);
void beside_end(struct engine *eng);
/* The window that the instruction at addr is under; false: none. */
bool beside_find(struct engine *eng, uint64_t addr, struct beside_jump *o);
/* A window of ours over that one, for all points at the instruction that
   points[i] is at; NULL, or why not. */
const char *beside_window(struct engine *eng, size_t i,
			  const struct beside_jump *o, struct plan_window *pw);
/* That is in the plan: for beside_count(). */
void beside_note(struct engine *eng);
/* All points are placed: windows over those jumps that the jumps below ours are
   made of, so that they stay as long. */
int beside_needs(struct engine *eng, struct err *e);
/* True if pw and all that its jump is made of are ours. */
bool beside_holds(struct engine *eng, const struct plan_window *pw);
/* Why there can be no point, wherever it is in its function; NULL. */
const char *beside_denies(struct engine *eng, const struct plan_point *pt);
/* Note what is before p; -1 + *e: somebody's jump may be made of its bytes. */
int beside_lead(struct engine *eng, const struct code_world *w, struct patch *p,
		struct err *e);
/* The code that they have in the process, or have left there: how many spans,
   of which v[max] has the first. */
size_t beside_code(const struct engine *eng, struct inject_span *v, size_t max);
/* True if any of them are there, as far as is known. */
bool beside_any(const struct engine *eng);
/* Windows that we share with others. */
uint32_t beside_count(const struct engine *eng);

/* ---- code over theirs (process_over.c) ----------------------------------- */

/* The patch of a window over another consumer's jump, whose trampoline is at
   `to`; 0, or -1 + *e. */
int over_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
	       struct err *e);
/* Trampolines and patches for the rooms that it uses. */
int over_rooms(struct engine *eng, const struct plan_window *pw,
	       struct err *e);
/* Of all points of it keep those at its first instruction, before that; or with
   a room, those at that, which its trampoline has at its first. */
void over_points(struct x86_point *pts, size_t *n,
		 const struct patch_room *room);

#endif
