/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_chill.c - chill(): the processor does nothing else for a while.
 *
 * A bug that shows only when something is slow can be provoked by this; so
 * can a system that hangs.  Hence the rule of the Dynamic Tracing Guide
 * ("Destructive Actions"): no more than 500 ms in each second, of each
 * machine; what would be more is an illegal operation and does not wait at
 * all.  Machines are CPUs in the kernel engine and threads in the process
 * engine.
 *
 * The wait is a loop that reads the clock, in three functions because of the
 * verifier (rt_impl.h): each is bounded, and the product of the bounds is
 * some seconds.
 */
#include "rt/rt_impl.h"

#define CHILL_MAX      500000000u
#define CHILL_INTERVAL 1000000000u

/* ns in the units of rt_clock(). */
RT_INLINE uint64_t
chill_units(struct rt *rt, uint64_t ns)
{
#ifdef RT_NATIVE
	const struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t mult = sh->clock[sh->clock_idx % RTN_NCLOCKS].mult;

	if (!sh->vdso_time && mult != 0)
		return (ns << 32) / mult;
#endif
	return ns;
}

uint64_t rt_chill_some(struct rt *rt, uint64_t end);
uint64_t rt_chill_more(struct rt *rt, uint64_t end);

/* 1: it is time. */
RT_GLOBAL uint64_t
rt_chill_some(struct rt *rt, uint64_t end)
{
	uint64_t i;

	if (!rt)
		return 1;
	RT_FOR(i, 1024, 1, 1)
		if ((int64_t)(rt_clock(rt) - end) >= 0)
			return 1;
	return 0;
}

RT_GLOBAL uint64_t
rt_chill_more(struct rt *rt, uint64_t end)
{
	uint64_t i;

	if (!rt)
		return 1;
	RT_FOR(i, 1024, 1, 1)
		if (rt_chill_some(rt, end) != 0)
			return 1;
	return 0;
}

RT_GLOBAL uint64_t
rt_chill(struct rt *rt, uint64_t ns)
{
	uint64_t now, i;

	if (!rt)
		return 0;
	now = rt_clock(rt);
	if (rt->chill_from == 0 ||
	    now - rt->chill_from > chill_units(rt, CHILL_INTERVAL)) {
		rt->chill_from = now;
		rt->chill_used = 0;
	}
	if (ns > CHILL_MAX - rt->chill_used)
		return rt_fail(rt, RT_FAULT_ILLOP, 0);
	rt->chill_used += ns;
	now += chill_units(rt, ns);
	RT_FOR(i, 256, 1, 1)
		if (rt_chill_more(rt, now) != 0)
			break;
	return 0;
}
