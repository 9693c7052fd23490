/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * follow.h - what becomes of the target and of what it forks (follow.c).
 */
#ifndef ENGINE_PROCESS_FOLLOW_H
#define ENGINE_PROCESS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "engine/process/patch.h"

/*
 * Processes that the target has forked inherit its patched text, but nothing
 * fires there unless they are followed (rt_native.h).  Those that announce
 * themselves are stopped, their text is put back, and they go on: from then on
 * they are as if never traced.
 */
int follow_clean_child(const struct patch_journal *j, pid_t child,
		       struct err *e);

/* A program of the tree: where its own part of the file is (struct map.head),
   and what was written into it; NULL: not known. */
struct follow_image {
	uint64_t head;
	struct patch_journal *j;
};
/*
 * Of all processes that have the memory file mapped, but our own, put back the
 * text by what is known of n programs.  ino: follow_ino() of the file, its
 * number; 0: it is smaller than least.
 */
void follow_clean_tree(const struct follow_image *v, size_t n, uint64_t ino);
uint64_t follow_ino(int fd, size_t least);
/* Where in that file the own part of the program is that the process runs
   (struct map.head); 0: it is not of the trace. */
uint64_t follow_head(pid_t pid, uint64_t ino);

/*
 * The forked child that has announced itself as `told`, which is its number in
 * its own pid namespace; 0: it is not there, or not to be found.  Only a
 * process that has our memory mapped is taken for it.  far: its numbers are
 * not ours, look at all processes.
 */
pid_t follow_child(uint32_t told, bool far);
/* How many threads the process has. */
uint32_t follow_threads(pid_t pid);
/* The number of a thread in its own pid namespace; 0: it is not there. */
uint32_t follow_thread_number(pid_t pid, pid_t tid);
/* Our number of the thread of a process that has the number `own` in its own
   pid namespace; 0: there is none. */
pid_t follow_find_thread(pid_t pid, uint32_t own);

enum follow_state {
	FOLLOW_SAME,  /* runs what it ran */
	FOLLOW_EXEC,  /* runs another program: nothing of ours is in it */
	FOLLOW_ENDED, /* is no more, or a zombie */
};
/* What has become of the process since /proc/PID/mem was opened as `mem`. */
enum follow_state follow_look(pid_t pid, int mem);

#endif
