/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* dw_impl.h - what the readers of DWARF share: dw.c. */
#ifndef ELF_DW_IMPL_H
#define ELF_DW_IMPL_H

#include "elf/dw.h"

/* A text attribute; NULL: there is none. */
const char *dw_text(Dwarf_Die *die, unsigned int attr);
/* The unit that has an address: its DIE in the object, which the table of lines
   belongs to, and that under which its functions are.  false: none says so. */
bool dw_unit(struct dw *d, uint64_t addr, Dwarf_Die *unit, Dwarf_Die *top);

#endif
