/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_arg.h - from the operands of a static probe's note to recipes.
 *
 * Operands are text that an assembler would read, in the syntax of the machine;
 * usdt_arg_<machine>.c reads one.  Whoever wrote them may lie.
 */
#ifndef PROV_USDT_ARG_H
#define PROV_USDT_ARG_H

#include "dif/dif.h"
#include "elf/elf.h"

/* Where the note is: symbols are looked up in the file. */
struct usdt_where {
	struct elf_file *elf;
	uint64_t addr; /* of the probe; link-time */
};

/*
 * The recipes of a note's operands, separated by blanks:
 *
 *	[-] [1|2|4|8] [f] @ operand
 *
 * the size (without @: that of a word), minus: signed, f: the bits of a
 * floating-point number.  Returns how many there are; -1 + *e, which says what
 * is wrong with which, in text that can be shown.
 */
int usdt_args(const struct usdt_where *w, const char *text,
	      struct dif_recipe out[DIF_NARGS], struct err *e);

/* ---- of the machine ------------------------------------------------------ */

/*
 * Fill in a recipe whose size and sign are set from the operand [s, end).
 * Returns NULL, or why it cannot be: a literal.
 */
const char *usdt_operand(const struct usdt_where *w, const char *s,
			 const char *end, struct dif_recipe *r);

/* The number at *s, which is moved behind it: decimal, 0x or octal, with a
   sign.  False: there is none. */
bool usdt_number(const char **s, const char *end, int64_t *v);
/* Whether `name` is what [s, end) says. */
bool usdt_is(const char *name, const char *s, const char *end);
/* Whether it begins so. */
bool usdt_begins(const char *name, const char *s, const char *end);

#endif
