/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp_impl.h - what the files of the interpreter share.
 *
 *   interp.c       the instructions
 *   interp_var.c   variables, built-in and user's
 *   interp_fire.c  clauses, records, aggregations, faults
 */
#ifndef ENGINE_INTERP_INTERP_IMPL_H
#define ENGINE_INTERP_INTERP_IMPL_H

#include "engine/interp/interp.h"

/* A machine and what belongs to it; rt comes first. */
struct interp {
	struct rt rt;
	struct rt_conf conf;	   /* where the host brought none */
	uint8_t stage[RT_KEY_MAX]; /* a key while its parts are evaluated */
};

static inline struct rt_host *
interp_host(struct rt *rt)
{
	return (struct rt_host *)(uintptr_t)rt->host;
}

/* Variables by id; a failure is a fault in rt. */
uint64_t interp_var_load(struct rt *rt, unsigned scope, uint32_t id);
void interp_var_store(struct rt *rt, unsigned scope, uint32_t id, uint64_t val);
/* The element of the array whose key is on the tuple stack. */
uint64_t interp_assoc_load(struct rt *rt, unsigned scope, uint32_t id);
void interp_assoc_store(struct rt *rt, unsigned scope, uint32_t id,
			uint64_t val);
/* args[idx], uregs[idx]. */
uint64_t interp_array_load(struct rt *rt, uint32_t id, uint64_t idx);

#endif
