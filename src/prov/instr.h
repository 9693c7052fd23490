/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * instr.h - names of probes at instructions by kind, KIND-OFFSET: "lock-1f" is
 * an instruction with a lock prefix, 0x1f bytes into its function.  Programs'
 * and the kernel's are spelled alike; kinds are code_insn_name()'s.
 */
#ifndef PROV_INSTR_H
#define PROV_INSTR_H

#include "code/code.h"

#define INSTR_NAME_MAX (CODE_NAME_MAX + 18)

/* The name of the instruction at an offset of a function; "" if there is
   none. */
void instr_name(const struct code_body *b, uint64_t off,
		char name[INSTR_NAME_MAX]);
/* False: that name cannot match a pattern; a cheap test. */
bool instr_name_may(const char *pattern, const struct code_body *b,
		    uint64_t off);
/* Whether a name is KIND-OFFSET, written as instr_name() does; *off is set. */
bool instr_name_offset(const char *name, uint64_t *off);

#endif
