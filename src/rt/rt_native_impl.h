/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_impl.h - what the files of the blob share.
 */
#ifndef RT_RT_NATIVE_IMPL_H
#define RT_RT_NATIVE_IMPL_H

#include "rt/rt_mem.h"
#include "rt/rt_native_body.h"

/* Numbers of dif.h, which is not for freestanding code. */
enum rt_var {
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	RT_VAR_##name = id,
#include "dif/var.def"
#undef VAR
	RT_VAR_END
};
enum rt_scope { RT_SCOPE_GLOBAL, RT_SCOPE_THREAD, RT_SCOPE_LOCAL };

#define RTN_INLINE static inline __attribute__((always_inline))

/* In one instruction: a signal handler may count, too. */
#define RTN_COUNT(field) \
	__asm__ volatile("incq %0" : "+m"(field)::"cc")

RTN_INLINE uint64_t
rtn_rdtsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* Some of the n bytes at addr, as many as are there: how many, or <= 0. */
int64_t rtn_mem_some(struct rt *rt, void *dst, uint64_t n, uint64_t addr);

/* The CPU we run on. */
uint32_t rtn_cpu(const struct rtn_shared *sh);
/* The pcs of the user's stack to dst, which need not be zeroed: how many. */
uint64_t rtn_frames(struct rt *rt, uint64_t *dst, uint64_t n);

#endif
