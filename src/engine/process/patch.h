/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch.h - the journal: every change to the target's text, so that it can be
 * undone by us or, when we are gone, by the guardian.
 *
 * The journal lies in memory shared with the guardian.  A patch is entered
 * before its bytes are written, and is undone only where the text still holds
 * what we wrote (a library may have been unloaded, another may lie there).
 *
 *   NONE ──▶ SET (entered, then written) ──▶ UNDONE
 */
#ifndef ENGINE_PROCESS_PATCH_H
#define ENGINE_PROCESS_PATCH_H

#include "engine/process/inject.h"

#define PATCH_MAX 16 /* bytes of one patch */

struct patch {
	uint64_t addr;
	uint8_t len;
	volatile uint8_t state; /* enum patch_state */
	uint8_t was[PATCH_MAX], now[PATCH_MAX];
};
enum patch_state { PATCH_NONE, PATCH_SET, PATCH_UNDONE };

struct patch_journal {
	pid_t pid;
	volatile uint32_t n;	   /* entries used */
	uint32_t cap;
	volatile uint32_t done;	   /* the consumer has ended in order */
	volatile uint64_t shared;  /* the consumer's mapping of rtn_shared's
				      file is also the guardian's: offset 0 */
	struct patch p[];
};

/* cap patches in MAP_SHARED memory; NULL + *e. */
struct patch_journal *patch_journal_new(pid_t pid, uint32_t cap,
					struct err *e);
void patch_journal_free(struct patch_journal *j);

/* Where PCs must go when windows are overwritten (x86_moved, sorted by from). */
struct patch_move {
	uint64_t from, to;
};

/*
 * The process is stopped.  Enter and write patches p[0..n-1] (neighbouring
 * ones in one write), after checking that the text holds `was`; then move the
 * PCs of stopped threads that stand inside a window.  A patch whose text is
 * not as expected is skipped and its state left NONE.  -1 + *e: nothing was
 * changed.
 */
int patch_apply(struct patch_journal *j, struct inject *in, struct patch *p,
		size_t n, const struct patch_move *moves, size_t nmoves,
		struct err *e);
/* The process is stopped: put back all that still is ours. */
int patch_undo_all(struct patch_journal *j, struct inject *in, struct err *e);

/* ---- the guardian (guard.c) ---------------------------------------------- */

struct guard;
/*
 * Fork the guardian before anything is changed: it holds the journal, the
 * target's memory file, a pidfd, and one end of a pipe.  When the pipe closes
 * and journal->done is not set, it silences the probes (rtn_shared.ctl
 * activity STOPPED through `shared_fd`, -1 until known: guard_shared()), stops
 * the target, undoes, lets it go, and leaves.  While a debugger holds the
 * target it waits; it leaves when the target dies.
 */
struct guard *guard_new(struct patch_journal *j, int mem_fd, int pidfd,
			struct err *e);
/* Tell it of the shared memory file (sent over its socket). */
int guard_shared(struct guard *g, int fd, struct err *e);
/* In order: undone already.  Waits for it to leave. */
void guard_free(struct guard *g);

#endif
