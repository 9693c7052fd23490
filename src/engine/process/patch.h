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
/* The same in a stopped process that was forked from the patched one; the
   journal stays as it is.  How many were put back. */
int patch_undo_in(const struct patch_journal *j, struct inject *in);

/*
 * What was ever written, for patch_undo_in() in children that outlive the
 * patches of their parent; make it before those are undone, as counts of
 * semaphores are forgotten then.  free() it; NULL: no memory.
 */
struct patch_journal *patch_journal_copy(const struct patch_journal *j);

/* ---- jumps over others' (patch_over.c) ----------------------------------- */

/* In front of a trampoline that a jump of five bytes at `addr` leads to. */
#define PATCH_HEAD_SIZE 24u
struct patch_head {
	uint64_t mark; /* of addr */
	uint64_t own;  /* struct rtn_shared in the process, and
			  patch_head_*() */
	uint64_t next; /* the trampoline it goes on to; 0: it runs the
			  instructions itself */
};
/* The window has len bytes, `written` of which are overwritten; copy: what is
   run there is all of the function. */
struct patch_head patch_head_make(uint64_t addr, uint64_t shared,
				  uint32_t written, uint32_t len, bool copy,
				  uint64_t next);
uint32_t patch_head_written(const struct patch_head *h);
uint32_t patch_head_len(const struct patch_head *h);
bool patch_head_copy(const struct patch_head *h);
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
