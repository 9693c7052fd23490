/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kinsn_over.h - what kprobes have written over the text of the kernel: one
 * byte, a breakpoint, or the five of a jump.  Whoever disassembles it wants
 * what stood there, or takes the rest of an instruction for others.
 *
 * The kernel keeps that in its table of kprobes, whoever has made them.  ftrace
 * writes as well, at the entries of functions.
 */
#ifndef PROV_KINSN_OVER_H
#define PROV_KINSN_OVER_H

#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"

#define KOVER_MAX 5 /* bytes */

struct kover {
	uint64_t addr;
	uint8_t was[KOVER_MAX];
	uint8_t n;
};
struct kovers {
	struct kover *v;
	size_t n, cap;
};

/* Offsets within struct kprobe and struct optimized_kprobe, of which the former
   is the beginning. */
struct kover_layout {
	uint64_t next, addr, opcode, flags, copied;
};

/*
 * What is written over now, sorted, in place of what v had: a kernel whose
 * table is not to be found has nothing.  Kprobes that come and go meanwhile may
 * be missed.  0, or -1 + *e without memory.
 */
int kovers_read(const struct prov *pv, struct kovers *v, struct err *e);
/* The same of a table at an address. */
int kovers_walk(struct proc_set *ps, uint64_t table,
		const struct kover_layout *l, struct kovers *v, struct err *e);
/*
 * The n bytes of a function that ftrace can trace, which were read at addr,
 * become what stood there: also its call at the entry, which is a nop while
 * nobody traces it.
 */
void kovers_undo(const struct kovers *v, uint64_t addr, uint8_t *p, size_t n);

#endif
