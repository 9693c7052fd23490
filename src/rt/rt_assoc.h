/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_assoc.h - associative arrays in shared memory, as native code and the
 * consumer use them.  How they are kept: rt_assoc.c.
 */
#ifndef RT_RT_ASSOC_H
#define RT_RT_ASSOC_H

#include "rt/rt_native.h"

/* An element's place: the variable, and the thread where its scope is that. */
struct rt_assoc_ref {
	struct rt_assoc *store;
	const struct rtn_var *var;
	uint32_t scope, id;
	uint32_t tid; /* scope thread: whose; else 0 */
	/* The store's layout where nobody else can write it; NULL: whoever
	   can write the one in the store may do us harm (native code). */
	const struct rt_assoc_lay *lay;
};

/* The layout of a store of `size` bytes.  0, or -1: they are too few. */
int rt_assoc_lay(struct rt_assoc_lay *lay, uint64_t size);

/*
 * Lay out an empty store in `size` bytes (8-aligned, zeroed) at a.  0, or -1
 * if they are too few to hold anything.
 */
int rt_assoc_init(struct rt_assoc *a, uint64_t size);

/*
 * The element whose key is on rt's tuple stack: its value, or where it is by
 * reference the address of its bytes in the store; 0 when there is none.  Uses
 * rt->key; rt->slot names the holder of locks.  An element that cannot be
 * reached, because this very thread was interrupted in the midst of it or
 * others hold it too long, counts as a RT_DROP_DYNVAR and as absent.
 */
uint64_t rt_assoc_load(struct rt *rt, const struct rt_assoc_ref *ref);
/*
 * Set it; 0 removes it.  What it refers to is copied.  Faults: a bad address
 * (the element is left zero); counts RT_DROP_DYNVAR when there is no room.
 */
void rt_assoc_store(struct rt *rt, const struct rt_assoc_ref *ref,
		    uint64_t val);
/* The firing of rt is over, wherever it was left: it holds no lock of a.  lay:
   as in struct rt_assoc_ref. */
void rt_assoc_abandon(struct rt *rt, struct rt_assoc *a,
		      const struct rt_assoc_lay *lay);

#endif
