/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp.h - the reference interpreter: the definition of DIF.
 *
 * Runs one DIF object, one clause or a whole probe firing on a struct rt in
 * ordinary memory.  What lies outside (memory behind addresses, the process
 * that fires, dynamic variables) comes from a struct rt_host.
 */
#ifndef ENGINE_INTERP_INTERP_H
#define ENGINE_INTERP_INTERP_H

#include "dif/dif.h"
#include "rt/rt.h"
#include "rt/rt_mem.h"

/* The world of a firing.  Hooks may be NULL: loads fault, values are 0. */
struct rt_host {
	/* First: the bodies of rt/ know a host by this part only.  It has
	   arg, read(), conf, ctl, agg and rand_state. */
	struct rt_host_mem mem;
	/* Value of a built-in scalar whose row says HOST (pid, tid, ...).
	   Strings: the address of a NUL-terminated string that read() knows.
	   arg is mem.arg. */
	uint64_t (*builtin)(void *arg, uint32_t id);
	/*
	 * The frames of the stack of what fires, the innermost first, at most
	 * n; how many there are.  NULL: none.
	 */
	uint32_t (*stack)(void *arg, bool user, uint64_t *pcs, uint32_t n);
	/* raise() and stop(): DIF_ACT_RAISE with its signal, DIF_ACT_STOP.
	   false: there is no process that this could be done to. */
	bool (*act)(void *arg, uint32_t kind, uint64_t val);
	/*
	 * Associative arrays that live elsewhere than in `assoc` below: the
	 * element of v whose key is on rt's tuple stack.  Both or neither.
	 */
	uint64_t (*assoc_load)(void *arg, struct rt *rt,
			       const struct dif_uvar *v);
	void (*assoc_store)(void *arg, struct rt *rt, const struct dif_uvar *v,
			    uint64_t val);
	const struct dif_enabling *en; /* probe names, tables, sizes */
	const struct dif_tab *tab;
	struct dif_sizes sizes;
	uint8_t *globals;     /* tab->globals_size bytes */
	uint8_t *thread;      /* tab->thread_size bytes: self-> of this
				 thread */
	struct hash *assoc;   /* associative arrays: {scope,id,tuple} ->
				 bytes */
	uint64_t time;	      /* of the next firing, ns; 0: that of its call */
};

/*
 * A fresh machine on heap memory; NULL if there is none.  Where the host has
 * no mem.conf, one is made from host->sizes; where it has no mem.read,
 * interp_read_self() is put there.  host outlives the machine.
 */
struct rt *interp_rt_new(struct rt_host *host);
void interp_rt_free(struct rt *rt);

/* A read() hook: the memory of this very process, user or not. */
int interp_read_self(void *arg, uint64_t addr, void *dst, uint64_t n,
		     bool user);

/* Forget all elements of host->assoc, which is made when first needed. */
void interp_assoc_free(struct rt_host *host);

/*
 * Run a validated object.  The result (ret's register), or 0 with rt->fault,
 * fault_off and fault_val set.
 */
uint64_t interp_run(struct rt *rt, const struct dif_obj *o);

/*
 * Shared memory of one slot for interp_fire(), in ordinary memory; rt is the
 * slot's machine, and its host learns where aggregations are.  bufsize is a
 * power of two.  0, or -1 with *e.
 */
struct rt_view;
int interp_view_init(struct rt_view *v, struct rt *rt, uint64_t bufsize,
		     uint64_t aggsize, struct err *e);
void interp_view_fini(struct rt_view *v);

/*
 * Fire a probe: run the clauses of its ECBs in order on view's slot 0, which
 * is rt's (a view of several slots is given as views of one each), writing
 * records and aggregation cells as every engine does.  The caller has set
 * rt->arg[].
 */
void interp_fire(struct rt *rt, const struct rt_view *v, uint32_t probe);

#endif
