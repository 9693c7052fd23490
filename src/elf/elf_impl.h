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
 *
 * Whoever makes the file may be the enemy of whoever reads it, so nothing costs
 * more than in proportion to the data in the file, and all has a greatest size,
 * the ELF_*_MAX below.  Holes are not read (elf_hole.c), tables are sorted in
 * place (elf_sort.c), and no name is read further than a name is long.
 */
#ifndef ELF_ELF_IMPL_H
#define ELF_ELF_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gelf.h>

#include "base/arena.h"
#include "base/hash.h"
#include "elf/elf.h"

#define ELF_PHDRS_MAX  1024	/* the kernel runs nothing that has more */
#define ELF_SECS_MAX   (1u << 18) /* objects with a section a function */
#ifndef ELF_SYMS_MAX /* of one test it is less */
#define ELF_SYMS_MAX (1u << 24)
#endif
#define ELF_NAME_MAX   16384	/* of a symbol, with its '\0' */
#define ELF_TABLE_MAX  (1u << 30) /* bytes of data of any table, or of code */
#define ELF_PADS_MAX   (1u << 24) /* entries of tables of exceptions */
#define ELF_UNPACK_MAX (64u << 20) /* bytes that .gnu_debugdata may have */
#define ELF_STRETCHES  64	/* of data between holes */

struct elf_span { /* offsets in the file */
	uint64_t lo, hi;
};

struct elf_seg { /* a PT_LOAD */
	uint64_t addr, memsz;
	uint64_t off, filesz; /* filesz is within the file and memsz */
	bool exec;
};

struct elf_sec {
	const char *name; /* "" when the name table is broken */
	uint64_t addr, off, size;
	uint32_t type, link;
	uint64_t flags;
};

struct elf_slot;

struct elf_probes {
	struct elf_probe *v;
	size_t n, cap;
};
struct elf_probe_decls {
	struct elf_probe_decl *v;
	size_t n, cap;
};

struct elf_file {
	struct arena *arena; /* owns this struct and all tables */
	char *path;
	const uint8_t *map; /* the file, or a copy of the caller's bytes */
	size_t size;
	bool mapped; /* map is from mmap() */
	struct elf_span data[ELF_STRETCHES]; /* what is no hole, in order */
	size_t ndata; /* 0: all is data */
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
	bool syms_failed;     /* too many, or no memory: there are none */
	struct elf_sym *syms; /* malloc'ed, as are the next two */
	uint64_t *maxend;     /* elf_sym.c */
	size_t nsyms;
	struct elf_names *names; /* NULL until asked for */
	struct elf_file *debug;	 /* the separate debug file, or NULL */

	/* Code; each valid once its `loaded` is set. */
	bool fdes_loaded, ptrs_loaded, entries_loaded;
	bool fdes_failed; /* no memory, or too long: some are missing */
	struct elf_fde *fdes; /* malloc'ed, as are the next two */
	size_t nfdes;
	uint64_t *ptrs; /* elf_code_ptrs() */
	size_t nptrs;
	struct elf_slot *slots; /* sorted by address: elf_code_ptr() */
	size_t nslots;
	uint64_t *entries;
	size_t nentries;
	const struct elf_sec *stubs[4]; /* entry_stubs() */
	bool stubs_loaded;
	struct elf_sym *stubsyms; /* elf_stub.c; malloc'ed */
	size_t nstubs;
	bool stubsyms_loaded;
	uint64_t *hits; /* elf_code_find(): of the last bytes, in order */
	size_t nhits;
	uint8_t hit[8]; /* these, nhit of them */
	size_t nhit;	/* 0: nothing has been looked for */
	bool rseq_loaded;
	bool rseq_failed; /* not known: all may be one */
	const uint8_t *rseq; /* elf_rseq.c */
	size_t nrseq;

	/* Static probes (elf_note.c). */
	bool probes_loaded, decls_loaded;
	struct elf_probes probes;
	struct elf_probe_decls decls;
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

/* The debug file of a stripped object, or the object that .gnu_debugdata
   holds, opened; NULL: there is none, or, with *e, no memory to know it. */
struct elf_file *elf_debug_open(struct elf_file *f, struct err *e);
/* Free what elf_note.c has read. */
void elf_notes_free(struct elf_file *f);
/* Free the index of names. */
void elf_names_free(struct elf_names *x);

/* elf_landing_pads(), but no more than *most entries of tables are read, which
   is counted down.  False: there are more.  Any number of functions may claim
   one long table. */
bool elf_pads_upto(struct elf_file *f, const struct elf_fde *d,
		   void (*fn)(void *arg, uint64_t addr), void *arg,
		   size_t *most);

/* ---- elf_hole.c ---------------------------------------------------------- */

/* Note where the file behind fd, of f's size, has data. */
void elf_find_holes(struct elf_file *f, int fd);
/* The first stretch of data in [off, end) of the file; false: there is none. */
bool elf_data_next(const struct elf_file *f, uint64_t off, uint64_t end,
		   struct elf_span *s);
/* The same in whole entries of a table that begins at `start`: those that hold
   a byte of data.  What remains behind the last whole entry is left out. */
bool elf_data_next_of(const struct elf_file *f, uint64_t off, uint64_t end,
		      uint64_t start, size_t size, struct elf_span *s);
/* How many of n bytes at p, which are the file's, are data. */
uint64_t elf_data_bytes(const struct elf_file *f, const uint8_t *p, uint64_t n);
/* Give back the pages of n bytes at off that were read; they stay readable. */
void elf_forget(const struct elf_file *f, uint64_t off, uint64_t n);

/* Sort n elements of `size` bytes (at most 64) by the uint64_t at `key` in
   each; elf_sort.c. */
void elf_sort(void *v, size_t n, size_t size, size_t key);

/* True if addr lies in the executable segment, among the bytes that are in the
   file. */
static inline bool
elf_is_code(const struct elf_file *f, uint64_t addr)
{
	return elf_code_left(f, addr) != 0;
}
/* elf_entry.c: true if addr is in a section of stubs that the linker makes
   (.plt). */
bool elf_is_stubs(struct elf_file *f, uint64_t addr);
/* The ith kind of such sections, NULL where the object has none of it, and how
   far apart its stubs are; false: there are no more kinds. */
bool elf_stub_sec(struct elf_file *f, size_t i, const struct elf_sec **s,
		  uint64_t *step);
/* A growing list of addresses, made into a table: sorted, unique, malloc'ed.
   False: not all are there, and no table. */
struct elf_addrs {
	uint64_t *v;
	size_t n, cap;
	bool failed; /* no memory: some are missing */
};
void elf_addrs_add(struct elf_addrs *a, uint64_t addr);
/* elf_ocaml.c: the tables of return addresses that OCaml makes, sorted. */
struct elf_frames {
	struct {
		uint64_t lo, hi; /* link-time addresses */
	} *v;
	size_t n, cap;
};
/* Add all.  To be ended by vec_fini(). */
void elf_frames_find(struct elf_file *f, struct elf_frames *v);
/* True if the bytes at a link-time address are in one. */
bool elf_frames_has(const struct elf_frames *v, uint64_t at);
/* elf_split.c: what is known of each FDE, by its index; all of them take NULL,
   and then do nothing. */
struct elf_split;
#define ELF_NO_FDE UINT32_MAX
struct elf_split *elf_splits_new(struct elf_file *f);
/* A jump leads to an FDE, or into its middle; from ELF_NO_FDE: from
   elsewhere. */
void elf_split_jump(struct elf_split *v, uint32_t from, uint32_t to, bool mid);
/* Something else leads to its first instruction. */
void elf_split_named(struct elf_split *v, uint32_t to);
/* At the end: those that are parts of others are fragments.  Frees v. */
void elf_splits_take(struct elf_file *f, struct elf_split *v);
/* elf_taken.c: true if addr is in a function, but not its first instruction. */
bool elf_is_inside(struct elf_file *f, uint64_t addr);
/* Add the addresses in the middle of functions that code makes. */
void elf_entries_taken(struct elf_file *f, struct elf_addrs *a);
/* Add what the runtime of Go enters; false: its table is not understood. */
bool elf_entries_go(struct elf_file *f, struct elf_addrs *a);
bool elf_addrs_table(struct elf_addrs *a, uint64_t **v, size_t *n);

#endif
