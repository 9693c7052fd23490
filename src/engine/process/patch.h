/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch.h - the journal: every change to the target's text, so that it can be
 * undone by us or, when we are gone, by the guardian.
 *
 * The journal lies in memory shared with the guardian.  A patch is entered
 * before its bytes are written, and is undone only where the text still holds
 * what we wrote (a library may have been unloaded, another may lie there).  No
 * patch that is run crosses a border of pages: see patch.c.
 *
 *   NONE ──▶ SET (entered, then written) ──▶ UNDONE
 */
#ifndef ENGINE_PROCESS_PATCH_H
#define ENGINE_PROCESS_PATCH_H

#include "engine/process/inject.h"

#define PATCH_MAX  16 /* bytes of one patch */
#define PATCH_LEAD 8  /* a jump that begins so far before may read its bytes */
#define PATCH_LAND 14 /* bytes of a landing that a punned jump leads to */

struct patch {
	uint64_t addr;
	uint8_t len;
	uint8_t look; /* as many bytes must be as in `was`; at least len */
	volatile uint8_t state; /* enum patch_state */
	bool landing; /* unused bytes that another patch's jump leads to */
	bool sem;     /* not text: a counter of listeners; patch_sem.c */
	uint8_t by_len;		/* sem: of `now`, which is at `by` */
	volatile bool counted; /* sem: it has been counted up */
	uint8_t was[PATCH_MAX], now[PATCH_MAX];
	uint64_t by; /* sem: the text that goes with it */
	/* Written over another consumer's jump (patch_over.c), which is in
	   `was`: the trampoline that ours goes on to, and what the file has. */
	bool over;
	uint8_t nlead; /* so many bytes before it must be as they were, too */
	uint8_t back[PATCH_MAX], lead[PATCH_LEAD];
	uint64_t next;
	/* Not 0: the jump leads to a landing there, or is short and leads to
	   unused bytes of the text; and from there to our trampoline, `mine`.
	   If over, text and landing are another's; only the landing is written,
	   land_len bytes, and `now` is as `was`.  land_back: what is put back
	   there with the text. */
	uint64_t land, mine;
	uint8_t land_len;
	uint8_t land_was[PATCH_LAND], land_now[PATCH_LAND];
	uint8_t land_back[PATCH_LAND];
	bool gone; /* the text has been unmapped, the landing has not */
	bool roomy; /* `mine` has rooms */
	/* Not 0: it is written into a room of the trampoline below ours at that
	   address of text, and nothing without that. */
	uint64_t of;
};
enum patch_state { PATCH_NONE, PATCH_SET, PATCH_UNDONE };

struct patch_journal {
	pid_t pid;
	volatile uint32_t n;	   /* entries used */
	uint32_t cap;
	volatile uint32_t done;	   /* the consumer has ended in order */
	volatile uint32_t under;   /* places where, when it was undone, somebody
				      else's jump led through our code */
	struct patch p[];
};

/* cap patches in MAP_SHARED memory; NULL + *e. */
struct patch_journal *patch_journal_new(pid_t pid, uint32_t cap,
					struct err *e);
/* The same in a file, for a guardian that is there already; *fd, the
   caller's. */
struct patch_journal *patch_journal_file(pid_t pid, uint32_t cap, int *fd,
					 struct err *e);
/* That file as the guardian maps it; NULL: it is none, or no memory. */
struct patch_journal *patch_journal_map(int fd);
void patch_journal_free(struct patch_journal *j);

/* Make *p the entry of the semaphore at an address of the process, which goes
   with a patch in the text of the same object. */
void patch_sem(struct patch *p, uint64_t sem, const struct patch *by);

/* By address, as patch_apply() wants them. */
void patch_sort(struct patch *p, size_t n);

/* Where PCs must go when windows are overwritten (x86_moved, sorted by
   from). */
struct patch_move {
	uint64_t from, to;
};

/*
 * The process is stopped.  Enter and write patches p[0..n-1], and count up
 * semaphores.  Patches are in order of address and do not overlap (neighbouring
 * ones are written at once), after checking that the text holds `was`; before
 * that, move the PCs of stopped threads that stand inside a window, or will
 * when a signal handler returns. p[i].state becomes SET; a patch whose
 * text is not as expected, or that looks at bytes of one that is skipped, is
 * skipped, its state is NONE, and so are the moves out of its bytes.  -1 + *e:
 * the text is as it was; PCs may have been moved.
 */
int patch_apply(struct patch_journal *j, struct inject *in, struct patch *p,
		size_t n, const struct patch_move *moves, size_t nmoves,
		struct err *e);
/* The process is stopped: put back all that still is ours. */
int patch_undo_all(struct patch_journal *j, struct inject *in, struct err *e);
/*
 * It has been put back.  Threads that stand where a move leads to, as those do
 * that wait in a system call there, are put where it is from, where the text is
 * the file's: nothing of theirs is saved at such a place.
 */
void patch_back(const struct patch_journal *j, struct inject *in,
		const struct patch_move *moves, size_t nmoves);
/* patch_undo_all() in a stopped process forked from the patched one; the
   journal stays as it is.  How many were put back. */
int patch_undo_in(const struct patch_journal *j, struct inject *in);

/*
 * What was ever written, for patch_undo_in() in children that outlive the
 * patches of their parent; make it before those are undone, as counts of
 * semaphores are forgotten then.  free() it; NULL: no memory.
 */
struct patch_journal *patch_journal_copy(const struct patch_journal *j);

/* ---- jumps over others' (patch_over.c) ----------------------------------- */

/* In front of a trampoline that a jump at `addr` leads to, straight or by way
   of a landing.  The unused bytes that a short jump leads to are one, too. */
#define PATCH_HEAD_SIZE 24u
struct patch_head {
	uint64_t mark; /* of addr */
	uint64_t own;  /* struct rtn_shared in the process, and
			  patch_head_*() */
	uint64_t next; /* the trampoline it goes on to; 0: it runs the
			  instructions itself */
};
#define PATCH_HEAD_COPY	  1u /* what is run there is all of the function */
#define PATCH_HEAD_LANDED 2u /* the jump leads to a landing */
/* The window has len bytes, `written` of which are overwritten. */
struct patch_head patch_head_make(uint64_t addr, uint64_t shared,
				  uint32_t written, uint32_t len,
				  uint32_t flags, uint64_t next);
uint32_t patch_head_written(const struct patch_head *h);
uint32_t patch_head_len(const struct patch_head *h);
uint32_t patch_head_flags(const struct patch_head *h);
/* The jump that it says it belongs to. */
uint64_t patch_head_addr(const struct patch_head *h);
/*
 * In front of the head: where in a trampoline that runs the instructions itself
 * others may put theirs between (x86_tramp_rooms()).  A room is a place
 * like any other: a jump there leads to a trampoline that has a head with its
 * address, and the last one goes on behind the room.
 */
#define PATCH_ROOMS	 3u
#define PATCH_ROOM_SIZE	 5u
#define PATCH_ROOMS_SIZE 24u
struct patch_room {
	uint16_t off;  /* from the trampoline's beginning; 0: there is none */
	uint8_t insn;  /* of the instruction in the window */
	uint8_t after; /* it is behind the instruction */
};
struct patch_rooms {
	uint64_t mark; /* of the window's address */
	struct patch_room v[PATCH_ROOMS];
	uint32_t led; /* where a word is, from head's `own` on, which is to be 1
			 if other code goes on to the trampoline */
};
extern const uint8_t patch_room_free[PATCH_ROOM_SIZE]; /* what is in one */
void patch_rooms_mark(struct patch_rooms *r, uint64_t addr);
/* Tell who has the trampoline at `to`, of addr, that our code goes on to it.
   One of an older version cannot be told. */
void patch_rooms_led(struct inject *in, uint64_t addr, uint64_t to);
/* Those of the trampoline at `low`; false: it has none. */
bool patch_rooms_read(struct inject *in, uint64_t addr, uint64_t low,
		      struct patch_rooms *r);
/* The trampoline that runs the instructions at addr, from `to` on; 0: none. */
uint64_t patch_lowest(struct inject *in, uint64_t addr, uint64_t to);
/* In how many rooms of the trampoline at `low` somebody is. */
uint32_t patch_rooms_used(struct inject *in, uint64_t addr, uint64_t low);
/* That of the trampoline at `to`; false: there is none for a jump at addr. */
bool patch_head_read(struct inject *in, uint64_t addr, uint64_t to,
		     struct patch_head *h);
/* Where a jump of five bytes leads to; 0: text is none. */
uint64_t patch_jump(const uint8_t *text, uint64_t addr);
/* The first trampoline, from `to` on, whose consumer still traces (child: in
   children that are forked, too); 0: there is none. */
uint64_t patch_alive(struct inject *in, uint64_t addr, uint64_t to, bool child);
/* True if the way from one trampoline comes to another. */
bool patch_leads(struct inject *in, uint64_t addr, uint64_t from, uint64_t to);
/* The code of a landing at `at` that leads to `to`: how many bytes.  Where that
   is far, it is a jump through the address behind it. */
uint32_t patch_land_code(uint8_t out[PATCH_LAND], uint64_t at, uint64_t to);
/* Where a landing leads to; 0: there is none. */
uint64_t patch_landing(struct inject *in, uint64_t land);
/* The landing that the jump at addr leads to, and how many bytes the jump is
   made of, 2 if it is a short one; 0: text[PATCH_LEAD] is none. */
uint64_t patch_landed(const uint8_t *text, uint64_t addr, uint32_t *len);
/* True if p is written over another's landing. */
bool patch_over_landing(const struct patch *p);
/* True if that is as it was found. */
bool patch_land_expected(struct inject *in, const struct patch *p);
/* Write over others' landings, of all that are SET: 0; -1: errno says why. */
int patch_lands_set(struct inject *in, const struct patch *p, size_t n);
/* Put them back, after the text.  How many; -1: errno.  *under grows by those
   that others lead to us from. */
long patch_lands_undo(struct inject *in, const struct patch *p, size_t n,
		      bool child, uint32_t *under);
/* What is to be in the place of p, which is over another's; text[p->len]. */
void patch_over_undo(struct inject *in, const struct patch *p, bool child,
		     uint8_t *text);

/* The text in [lo, hi) has been unmapped: there is nothing to undo. */
void patch_forget(struct patch_journal *j, uint64_t lo, uint64_t hi);

/* ---- the guardian (guard.c) ---------------------------------------------- */

struct guard;
/*
 * Fork the guardian, before anything is changed.  It holds the journal, the
 * target's memory file (mem_fd: struct inject.mem), a pidfd of the target (-1:
 * none), and one end of a socket; the descriptors stay the caller's too.  It
 * traces for the consumer (inject_through()).  When the socket closes and
 * journal->done is not set, it silences the probes (activity STOPPED in struct
 * rtn_shared, once guard_shared() has told of it), stops the target unless it
 * has it stopped, undoes, lets it go, and leaves.  While a debugger holds the
 * target it waits; it leaves when the target dies.
 */
struct guard *guard_new(struct patch_journal *j, int mem_fd, int pidfd,
			struct err *e);
/*
 * The same by the guardian that `with` has, if that lives: one guards many
 * processes, and goes when `with` does.  journal is the file of j.
 * guard_free() before that of `with`.  NULL + *e: it cannot.
 */
struct guard *guard_join(struct guard *with, struct patch_journal *j,
			 int journal, int mem_fd, int pidfd, struct err *e);
/* Tell it of the shared memory file, which begins with struct rtn_shared; of
   which the program's own part is at `head`.  The descriptor stays the
   caller's. */
int guard_shared(struct guard *g, int fd, uint64_t head, struct err *e);
/* False: it has left, with the target, or was killed. */
bool guard_lives(const struct guard *g);
/* Another in the place of one that was killed; 0, or -1 + *e: there is none. */
int guard_renew(struct guard *g, int mem_fd, int pidfd, struct err *e);
/* In order: undone already.  Waits for it to leave. */
void guard_free(struct guard *g);
/* Not all could be undone: it goes on trying, as if we were gone. */
void guard_leave(struct guard *g);

#endif
