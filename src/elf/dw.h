/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dw.h - DWARF through libdw's reader: which DIE describes a function, which a
 * type.  Compressed sections, split units (.dwo) and what several files share
 * (.gnu_debugaltlink) are libdw's; the file may be the object itself or its
 * separate debug file.
 *
 * DWARF is foreign, and may be circular: whoever follows it walks siblings with
 * dw_child() and dw_next() and bounds the depth of what else is followed.
 */
#ifndef ELF_DW_H
#define ELF_DW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "base/err.h"

struct dw;
struct elf_file;

/* The debug information of an object.  NULL + *e: it has none, what is missing
   and the cure; or no memory (ERR_NOMEM). */
struct dw *dw_open(struct elf_file *f, struct err *e);
void dw_close(struct dw *d);

/* The children of a DIE, in the order of the file; false: there are no more. */
bool dw_child(Dwarf_Die *of, Dwarf_Die *out);
bool dw_next(Dwarf_Die *at);

/* The definition of the function that begins at a link-time address. */
bool dw_func(struct dw *d, uint64_t addr, Dwarf_Die *out);

/* A place in a source. */
struct dw_line {
	char func[256]; /* the function that was put in here; "": none was */
	char file[256];
	int line;
};
/*
 * The places of a link-time address, the innermost first: those in functions
 * that were inlined there, then that in the function itself.  How many, at most
 * max; 0: none is known.
 */
size_t dw_lines(struct dw *d, uint64_t addr, struct dw_line *v, size_t max);

/* The first definition of a type, or of a variable that is in memory, of that
   name.  All units are read once, by the first call.  false: there is none, or,
   with errno ENOMEM, no memory to know. */
enum dw_ns {
	DW_NS_STRUCT = 's',
	DW_NS_UNION = 'u',
	DW_NS_ENUM = 'e',
	DW_NS_PLAIN = 't',
	DW_NS_ENUMERATOR = 'c', /* of an enum, which is what is found */
	DW_NS_VAR = 'v'
};
bool dw_type(struct dw *d, enum dw_ns ns, const char *name, Dwarf_Die *out);

#endif
