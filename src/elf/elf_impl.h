/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_impl.h - what the files of the ELF room share: an open object file.
 *
 * The file is mapped whole and handed to libelf as memory, so that opening
 * reads only the pages looked at.  Segments and sections are copied into
 * plain tables when the file is opened, clamped to the file's size, and
 * nothing outside these tables is believed afterwards.  Symbols are loaded
 * when first asked for (elf_sym.c), with those of a debug file if the object
 * was stripped (elf_debug.c).
 */
#ifndef ELF_ELF_IMPL_H
#define ELF_ELF_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gelf.h>
#include <elfutils/libdwfl.h>

#include "base/arena.h"
#include "base/hash.h"
#include "elf/elf.h"

struct elf_seg { /* a PT_LOAD */
	uint64_t addr, memsz;
	uint64_t off, filesz; /* filesz is within the file and memsz */
	bool exec;
};

struct elf_sec {
	const char *name; /* "" when the name table is broken */
	uint64_t addr, off, size;
	uint32_t type;
	uint64_t flags;
};

struct elf_slot;

struct elf_file {
	struct arena *arena; /* owns this struct and all tables */
	char *path;
	const uint8_t *map; /* the file, or a copy of the caller's bytes */
	size_t size;
	bool mapped; /* map is from mmap() */
	Elf *elf;
	GElf_Ehdr eh;
	struct elf_seg *segs;
	size_t nsegs;
	struct elf_sec *secs; /* by section number, 0 included */
	size_t nsecs;
	const char *interp;
	const char *soname;

	/* Symbols; valid once syms_loaded. */
	bool syms_loaded;
	struct elf_sym *syms;
	uint64_t *maxend; /* greatest end of syms[0..i] */
	size_t nsyms;
	struct hash *names; /* first symbol of each name; NULL until asked */
	struct elf_file *debug; /* the separate debug file, or NULL */
	Dwfl *dwfl; /* owns the names of .gnu_debugdata's symbols */

	/* Code; each valid once its `loaded` is set. */
	bool fdes_loaded, ptrs_loaded, entries_loaded;
	bool fdes_failed; /* no memory: some are missing */
	struct elf_fde *fdes;
	size_t nfdes;
	uint64_t *ptrs; /* elf_code_ptrs() */
	size_t nptrs;
	struct elf_slot *slots; /* sorted by address: elf_code_ptr() */
	size_t nslots;
	uint64_t *entries;
	size_t nentries;
	bool rseq_loaded;
	const uint8_t *rseq; /* elf_rseq.c */
	size_t nrseq;
};

/* Bytes of the file by offset; NULL when not all there. */
static inline const uint8_t *
elf_at(const struct elf_file *f, uint64_t off, uint64_t n)
{
	if (off > f->size || n > f->size - off)
		return NULL;
	return f->map + off;
}

const struct elf_sec *elf_sec_find(const struct elf_file *f, const char *name);
bool elf_has_symtab(const struct elf_file *f, uint32_t type);

/* A growing list of raw symbols, given to elf_sym.c by its sources. */
struct elf_raw {
	const char *name; /* may end at '@' */
	uint64_t addr, size;
	uint64_t limit; /* end of the section, 0: not known */
	uint8_t type, bind;
};
struct elf_raws {
	struct elf_raw *v;
	size_t n, cap;
};
bool elf_raws_add(struct elf_raws *r, const struct elf_raw *s);

/* The debug file of a stripped object, opened; NULL: there is none. */
struct elf_file *elf_debug_open(struct elf_file *f);
/* Add the symbols of .gnu_debugdata, if any.  False: no memory. */
bool elf_debugdata_syms(struct elf_file *f, struct elf_raws *out);

/* The executable segment's bytes that are in the file: does addr lie there? */
static inline bool
elf_is_code(const struct elf_file *f, uint64_t addr)
{
	return elf_code_left(f, addr) != 0;
}
/* Is addr in a section of stubs that the linker makes (.plt)?  elf_entry.c */
bool elf_is_stubs(const struct elf_file *f, uint64_t addr);
/* A growing list of addresses, made into a table: sorted, unique, in the
   file's arena. */
struct elf_addrs {
	uint64_t *v;
	size_t n, cap;
	bool failed; /* no memory: some are missing */
};
void elf_addrs_add(struct elf_addrs *a, uint64_t addr);
/* Is addr in a function, but not its first instruction?  elf_taken.c */
bool elf_is_inside(struct elf_file *f, uint64_t addr);
/* Add the addresses in the middle of functions that code makes. */
void elf_entries_taken(struct elf_file *f, struct elf_addrs *a);
/* Add what the runtime of Go enters; false: its table is not understood. */
bool elf_entries_go(struct elf_file *f, struct elf_addrs *a);
bool elf_addrs_table(struct elf_file *f, struct elf_addrs *a, uint64_t **v,
		     size_t *n);

#endif
