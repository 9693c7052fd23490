/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf.h - the door of the ELF room: object files in, checked plain tables out.
 * Everything read from a file is foreign: every offset and size is checked
 * here, and what fails is one clear error.  Parsing itself is libelf's.
 */
#ifndef ELF_ELF_H
#define ELF_ELF_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elf_file;

struct elf_sym {
	const char *name; /* owned by the file */
	uint64_t addr;	  /* st_value: link-time address */
	uint32_t size;	  /* 0: not said; elf_syms() fills it from the next
			     symbol or the section's end where it can; more is
			     cut to UINT32_MAX */
	uint16_t sec;	  /* of the file whose table it is in */
	bool is_func : 1, is_global : 1, is_weak : 1, is_ifunc : 1;
	bool in_debug : 1; /* sec is the debug file's */
	bool guessed : 1;  /* its size was not said */
	bool is_old : 1;   /* of a version that new programs do not get */
};
static_assert(sizeof(struct elf_sym) == 24,
	      "no more than the file has for it: there may be millions");

/* Open; NULL with *e: "X: not an ELF file", "X: truncated section table" ... */
struct elf_file *elf_open(const char *path, struct err *e);
struct elf_file *elf_open_mem(const void *p, size_t n, const char *name,
			      struct err *e);
void elf_close(struct elf_file *f);

bool elf_is_x86_64(const struct elf_file *f);
/* True if it is a 64-bit object of the machine that this is built for. */
bool elf_is_native(const struct elf_file *f);
bool elf_is_pie(const struct elf_file *f); /* ET_DYN */
uint64_t elf_entry(const struct elf_file *f);
const char *elf_soname(struct elf_file *f); /* NULL: none */
const char *elf_interp(struct elf_file *f); /* PT_INTERP, NULL: static */

/*
 * Symbols with a name and an address, sorted by address then preference
 * (functions, then global and weak ones, then fewer leading underscores, then
 * the smaller, then by the alphabet): from .symtab, else
 * .dynsym and .gnu_debugdata's, else a separate debug file found by build-id
 * or debuglink.  *n is their number; 0 also if there is no memory for them, or
 * if they are more than 16 million.
 */
const struct elf_sym *elf_syms(struct elf_file *f, size_t *n);
/* After elf_syms(): the index of the first one above an address. */
size_t elf_syms_above(const struct elf_file *f, uint64_t addr);
/* After elf_syms(): true if they are only those that the file exports, as
   neither it nor a debug file has others. */
bool elf_is_stripped(const struct elf_file *f);
/* No fewer than the file itself has, without reading them: what elf_syms()
   would take memory for. */
size_t elf_syms_most(const struct elf_file *f);
/* The symbol that contains a link-time address, best name; NULL: none. */
const struct elf_sym *elf_sym_at(struct elf_file *f, uint64_t addr);
/* The symbol in front of an address that none contains, if it has no size, as
   those of assembler have none.  NULL: there is none. */
const struct elf_sym *elf_sym_before(struct elf_file *f, uint64_t addr);
/* The linker's stub that contains it (.plt), which has no symbol, under the
   name of what it calls: "puts@plt".  NULL: none, or it is not known. */
const struct elf_sym *elf_stub_at(struct elf_file *f, uint64_t addr);
/* True if this is the name of a part that the compiler has split off a
   function, which nobody calls: "f.cold". */
bool elf_name_is_cold(const char *name);
/* By name; the first of elf_syms() order. */
const struct elf_sym *elf_sym_find(struct elf_file *f, const char *name);
/* Behind one that elf_sym_find() or this has found: the next of its name, in
   the same order; NULL: it was the last. */
const struct elf_sym *elf_sym_next(struct elf_file *f,
				   const struct elf_sym *s);

/* Link-time address to file offset through the program headers. false: in no
   file-backed segment. */
bool elf_addr_to_off(const struct elf_file *f, uint64_t addr, uint64_t *off);
/* n bytes at a link-time address, from the file; NULL when not there. */
const uint8_t *elf_bytes(struct elf_file *f, uint64_t addr, size_t n);
/* The same at an offset of the file. */
const uint8_t *elf_bytes_at(const struct elf_file *f, uint64_t off, size_t n);
/* Bytes of code from addr to the end of its executable, file-backed segment;
   0: addr is not in one. */
uint64_t elf_code_left(const struct elf_file *f, uint64_t addr);
/*
 * The first place at or behind addr where executable segments have these n
 * bytes, as a link-time address; 0: there is none.  Holes of the file are
 * passed over unread, so the bytes must not all be zero.
 */
uint64_t elf_code_find(struct elf_file *f, uint64_t addr, const void *what,
		       size_t n);
/* The place that was found last is none: it is not found again, as long as the
   same bytes are looked for. */
void elf_code_drop(struct elf_file *f, uint64_t addr);
/* First executable PT_LOAD: [addr, addr+size). */
bool elf_text(const struct elf_file *f, uint64_t *addr, uint64_t *size);
/* A section's content by name; NULL if absent, compressed or SHT_NOBITS. */
const void *elf_section(struct elf_file *f, const char *name, size_t *size,
			uint64_t *addr);

/* The first symbol of .symtab or .dynsym that is not defined there and whose
   name begins so; owned by the file.  NULL: none. */
const char *elf_undef(struct elf_file *f, const char *prefix);
/* True if it, or its debug file, has a thread-local variable of this name,
   which elf_sym_find() does not know. */
bool elf_is_tls(struct elf_file *f, const char *name);
/*
 * Write an object to be linked: 16 bits of zero in section .probes for each
 * name, under a weak symbol that is hidden outside of what is linked.
 * 0, or -1 with *e.
 */
int elf_write_words(const char *path, const char *const *names, size_t n,
		    struct err *e);

/* ---- static probes (elf_note.c) ------------------------------------------ */

/* A place of a static probe.  Its strings are the file's, foreign text of any
   length; addresses are link-time ones. */
struct elf_probe {
	uint64_t addr; /* of the nop, in code */
	uint64_t sem;  /* of the 16 bits that tracers count up, which are in the
			  file; 0: none */
	const char *prov, *name; /* as written: query__start */
	const char *args;	 /* operands: "8@%rdi -4@$7" */
};
/* All of them, in the order of the file; read when first asked for. */
const struct elf_probe *elf_probes(struct elf_file *f, size_t *n);

/* What D knows of a probe that was declared in it, as text. */
#define ELF_PROBE_ARGS 12
struct elf_probe_decl {
	const char *prov, *name;
	/* Stability of provider, module, function, name, arguments: five of
	   "Evolving/Evolving/Common", each with a blank before the next. */
	const char *attr;
	uint32_t nargs, nxargs;
	const char *arg[ELF_PROBE_ARGS]; /* types of the arguments */
	/* args[n]: its type, and which argument it is made from (< nargs). */
	const char *xarg[ELF_PROBE_ARGS];
	uint32_t map[ELF_PROBE_ARGS];
};
/* That of a probe; NULL: there is none. */
const struct elf_probe_decl *elf_probe_decl(struct elf_file *f,
					    const char *prov,
					    const char *name);

/* ---- code (elf_eh.c, elf_entry.c, elf_rseq.c) ---------------------------- */

/* A piece of code that the unwind table describes: a function, or a part of
   one that the compiler has moved away.  Link-time addresses. */
struct elf_fde {
	uint64_t addr, size;
	uint64_t lsda;	 /* its exception table; 0: none */
	bool fragment;	 /* part of another function, nobody calls it: begins
			    with a frame already built, or, when elf_entries()
			    is known, elf_split.c says so */
	bool signal;	 /* a signal frame: the restorer */
};
/*
 * All FDEs of .eh_frame whose range is in executable segments, sorted by
 * address, without repetitions; read when first asked for, owned by the file.
 * Entries that are damaged are left out.
 */
const struct elf_fde *elf_fdes(struct elf_file *f, size_t *n);
/* The FDE that covers a link-time address; NULL: none. */
const struct elf_fde *elf_fde_at(struct elf_file *f, uint64_t addr);
/*
 * The landing pads of an FDE, in the order of its call-site table: call
 * fn(arg, addr).  What follows damage in the table is left out.
 */
void elf_landing_pads(struct elf_file *f, const struct elf_fde *d,
		      void (*fn)(void *arg, uint64_t addr), void *arg);

/* How the canonical frame address is computed; the caller's rsp is the CFA, and
   the return address lies at CFA - 8. */
enum elf_cfa {
	ELF_CFA_UNKNOWN,  /* in a way that is not followed */
	ELF_CFA_END,	  /* there is no caller */
	ELF_CFA_RSP,	  /* rsp + off */
	ELF_CFA_RBP,	  /* rbp + off */
	ELF_CFA_STUB,	  /* rsp + off, + 8 if (rip & 15) >= add (.plt) */
	ELF_CFA_RSP_WORD, /* the word at rsp + off, + add */
	ELF_CFA_RBP_WORD,
	ELF_CFA_SIGNAL,	  /* the kernel's signal frame is at rsp */
};
enum elf_rbp {
	ELF_RBP_SAME,	/* as here */
	ELF_RBP_AT_CFA, /* at CFA + rbp_off */
	ELF_RBP_AT_RBP, /* at rbp + rbp_off */
	ELF_RBP_LOST,
};
/* What holds in [addr, end), link-time addresses. */
struct elf_cfi {
	uint64_t addr, end;
	enum elf_cfa cfa;
	enum elf_rbp rbp;
	int64_t off, add, rbp_off;
	uint8_t reg;   /* cfa UNKNOWN: not 0: it is this register + off, which
			  functions save that are called (DWARF's number) */
	int64_t saved; /* elf_cfi_saved(): its register is at CFA + saved; 0:
			  nobody says so */
};
/*
 * Call fn for each row of .eh_frame, or of .debug_frame, ascending within a
 * function, functions in the order of the section, until it returns false.
 * What is damaged is left out, or not known from there to the function's end.
 * Return false if fn did, or the table is longer than is read.
 */
typedef bool elf_cfi_fn(void *arg, const struct elf_cfi *row);
bool elf_cfi_rows(struct elf_file *f, bool debug, elf_cfi_fn *fn, void *arg);
/* The same of the function that begins at addr, by .eh_frame alone; rows say
   where a register is, by DWARF's number. */
bool elf_cfi_saved(struct elf_file *f, uint64_t addr, uint8_t reg,
		   elf_cfi_fn *fn, void *arg);
/*
 * The same from the table of Go's compiler (.gopclntab).  Return true also if
 * there is none, or none that is understood.
 */
bool elf_go_rows(struct elf_file *f, elf_cfi_fn *fn, void *arg);
/* The same of the linker's stubs, by their instructions. */
bool elf_stub_rows(struct elf_file *f, elf_cfi_fn *fn, void *arg);

/*
 * Addresses in code that the object's data may hold: relocations that point
 * into code and, where objects are not relocated (ET_EXEC), every aligned word
 * of its data that could be one.  Sorted, unique, owned by the file.
 */
const uint64_t *elf_code_ptrs(struct elf_file *f, size_t *n);
/*
 * The address of code that 8 bytes of data at a link-time address hold once the
 * object is loaded, as a link-time address.  false: they hold none.
 */
bool elf_code_ptr(struct elf_file *f, uint64_t addr, uint64_t *to);
/*
 * Every address at which code may be entered from outside of the instructions
 * around it, as far as tables tell: symbols, FDEs, landing pads, code pointers,
 * the entry point, what the runtime of Go does; jumps from one function into
 * the middle of another, and addresses there that code makes; and where no FDE
 * is, what jumps and calls lead to and instructions name.  Sorted, unique,
 * owned by the file.  NULL: no memory, not an x86-64 object, of a version of Go
 * that is not known, or one whose code or tables are larger than is read;
 * nothing may be concluded then.
 */
const uint64_t *elf_entries(struct elf_file *f, size_t *n);
/*
 * True if a byte of [lo, hi), link-time addresses, lies in a restartable
 * sequence, or in the signature in front of its abort handler.  Such bytes must
 * stay.
 */
bool elf_in_rseq(struct elf_file *f, uint64_t lo, uint64_t hi);
/* True if it was made by the compiler of Go, or has a part that was. */
bool elf_is_go(struct elf_file *f);
/* True if a goroutine of such an object may wait at this instruction, a
   link-time address, because a signal has taken its thread off it. */
bool elf_go_waits(struct elf_file *f, uint64_t addr);
/* True if a function, or a stub of the linker (.plt), begins at addr. */
bool elf_is_fn(struct elf_file *f, uint64_t addr);

#endif
