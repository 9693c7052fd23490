/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind.h - the door of the unwind room: tables by which a probe walks users'
 * stacks, made from files of code, and where processes have them mapped.  What
 * the tables look like is in rt/rt_unwind.h; who walks is rt_unwind.c.
 *
 * Memory: a row is 4 bytes; the tables of a PostgreSQL backend with all its
 * libraries are below 2 MB.  A pool never grows; what does not fit is walked by
 * frame pointers.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "elf/elf.h"
#include "rt/rt_unwind.h"

#define UNWIND_POOL_WORDS (1u << 21) /* 8 MB, of which what is used counts */

struct unwind;

/*
 * A writer of tables into `words` (a power of two, at least 64 Ki) zeroed words
 * at pool, which stay the caller's and must outlive it.  NULL: no memory.
 */
struct unwind *unwind_new(uint32_t *pool, size_t words);
void unwind_free(struct unwind *u);

/* Where a file's table is; npages 0: it has none. */
struct unwind_table {
	uint32_t tab, npages;
	uint32_t first; /* page of the file */
	struct rt_py py; /* its part in frames of Python, by link-time
			    addresses */
	uint64_t code_at, code_off; /* of its first code: link-time address and
				       offset in the file */
};
/*
 * The table of a file, which is made if the pool has none of the same build-id.
 * A file without unwind tables, or too large for what is left, has none.
 * false: no memory.
 */
bool unwind_file(struct unwind *u, struct elf_file *f, struct unwind_table *t);
/* A line: what the tables take, and how many files found no room. */
void unwind_report(const struct unwind *u, struct buf *out);

/* What a process has mapped to be executed. */
struct unwind_maps {
	struct rt_unw_map *v; /* malloc'ed, sorted */
	size_t n;
	bool known; /* some file has a table; else there are no mappings */
	uint64_t exec_vm; /* pages of code, as the kernel counts them */
	uint64_t stack_lo, stack_hi; /* of the main thread; 0: not known */
	struct rt_py py; /* its frames of Python; tss 0: it has none */
};
/*
 * Read the mappings of a process and make the tables that they need.  Beyond
 * RT_UNW_MAPS_MAX mappings the rest is left out.  0; -1: the process cannot be
 * read, or there is no memory.  To be freed by unwind_maps_fini().
 */
int unwind_maps(struct unwind *u, pid_t pid, struct unwind_maps *m);
/* The same of one that has ended, by what it had mapped to be executed: lines
   of maps, not empty. */
int unwind_maps_had(struct unwind *u, struct buf *text, struct unwind_maps *m);
void unwind_maps_fini(struct unwind_maps *m);

#endif
