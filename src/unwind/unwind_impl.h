/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_impl.h - what the files of the unwind room share.
 *
 *   unwind.c        the pool: tables by build-id, rules
 *   unwind_rows.c   the rows of a file, sorted
 *   unwind_code.c   rows of code that no table tells of
 *   unwind_saved.c  rows of calls whose frame is found by a saved register
 *   unwind_maps.c   the mappings of a process
 *   unwind_python.c where a process of Python has its frames
 *   unwind_perl.c   and one of Perl
 */
#ifndef UNWIND_UNWIND_IMPL_H
#define UNWIND_UNWIND_IMPL_H

#include "base/hash.h"
#include "base/vec.h"
#include "unwind/unwind.h"

#define UNWIND_ROWS_MAX (8u << 20) /* of a file; a browser has three millions */
#define UNWIND_SLOTS	(2 * RT_UNW_RULES)

/* The first two rules of every pool. */
enum { UNWIND_RULE_NONE, UNWIND_RULE_UNKNOWN };

struct unwind {
	uint32_t *pool;
	size_t words, used;
	uint32_t ntables, nleft; /* files with a table; without, for want of
				    room */
	uint32_t nrules;
	uint16_t slot[UNWIND_SLOTS]; /* rule by its hash; 0: none */
	struct hash *byid;   /* build-id -> struct unwind_table, owned */
	struct hash *byfile; /* device and inode -> the same, owned */
};

/* A rule holds in [lo, hi) of the file. */
struct unwind_row {
	uint64_t lo, hi;
	uint32_t rule;
};
struct unwind_rows {
	VEC(struct unwind_row) list;
	struct unwind *u;
	struct elf_file *f;
	size_t first; /* rows before it win over those that come now */
	bool guess;   /* those that come now are not from tables */
	bool failed;  /* no memory, or too many */
};

/* The number of a rule in the pool. */
uint32_t unwind_rule(struct unwind *u, const struct rt_unw_rule *r);
/*
 * All rows of a file: ascending, none within another, neighbours with the same
 * rule joined.  False: no memory.  The caller frees r->list.
 */
bool unwind_rows(struct unwind_rows *r);
/* Call fn for rows of functions that no row of r, which is in order, covers. */
void unwind_code(const struct unwind_rows *r, elf_cfi_fn *fn, void *arg);
/* And for the function at [addr, end).  false: fn said so, or no memory. */
bool unwind_code_fn(struct elf_file *f, uint64_t addr, uint64_t end,
		    elf_cfi_fn *fn, void *arg);
/*
 * In row c, whose CFA is by a register (c->reg), the first call at or behind
 * addr that says where that is saved: what holds for it.  False: there is none.
 */
bool unwind_saved(struct elf_file *f, const struct elf_cfi *c, uint64_t addr,
		  struct elf_cfi *row);

/*
 * What a file has to do with frames of Python, by link-time addresses: where
 * the interpreter's are (tss not 0), or where the C library has threads' keys
 * (specific not 0).
 */
void unwind_python_file(struct elf_file *f, struct rt_py *py);
/* Add that of a file that is mapped `bias` bytes above its link-time addresses;
   at last, keep it only if all of it is known. */
void unwind_python_map(struct rt_py *all, const struct rt_py *file,
		       uint64_t bias);
void unwind_python_done(struct rt_py *all);

/* Likewise of Perl: key 0: the file has nothing to do with it.  unwind_python.c
   calls these two for each file and mapping. */
void unwind_perl_file(struct elf_file *f, struct rt_pl *pl);
void unwind_perl_map(struct rt_pl *all, const struct rt_pl *file,
		     uint64_t bias);

/* Where a symbol is, by link-time address; 0: there is none. */
uint64_t unwind_symbol(struct elf_file *f, const char *name);

#endif
