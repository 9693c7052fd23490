/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_spec.c - speculations: their states in struct rt_ctl (rt.h).
 *
 * All machines of a trace share them, so a state changes by compare and swap.
 * To find a speculation active is to promise nothing: it may end while the
 * clause runs.  The record is of an earlier time than that end all the same,
 * because it has the time at which its firing began.
 */
#include "rt/rt_impl.h"

RT_INLINE struct rt_ctl *
spec_ctl(struct rt *rt)
{
#ifdef __bpf__
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&rt_map_ctl, &zero);
#elif defined(RT_NATIVE)
	return &RTN_SHARED(rt)->ctl;
#else
	return RT_HOST(rt)->ctl;
#endif
}

RT_INLINE uint32_t
spec_swap(struct rt_spec *s, uint32_t from, uint32_t to)
{
	return __sync_val_compare_and_swap(&s->state, from, to);
}

/* The speculation of that number; NULL if there is none: 0 is what
   speculation() returns in want of one, any other number is a fault. */
RT_INLINE struct rt_spec *
spec_of(struct rt *rt, uint64_t id)
{
	struct rt_ctl *ctl = spec_ctl(rt);

	if (!ctl || id == 0)
		return (void *)0;
	if (id - 1 >= ctl->nspec || id - 1 >= RT_NSPEC_MAX) {
		rt_fail(rt, RT_FAULT_ILLOP, 0);
		return (void *)0;
	}
	return &ctl->spec[rt_bound(id - 1, RT_NSPEC_MAX - 1)];
}

RT_GLOBAL uint64_t
rt_subr_speculation(struct rt *rt)
{
	uint64_t i, n, busy = 0;
	struct rt_ctl *ctl;
	uint32_t state;

	if (!rt)
		return 0;
	ctl = spec_ctl(rt);
	if (!ctl)
		return 0;
	n = ctl->nspec;
	RT_FOR(i, RT_NSPEC_MAX, 1, i < n) {
		state = spec_swap(&ctl->spec[i], RT_SPEC_INACTIVE,
				  RT_SPEC_ACTIVE);
		if (state == RT_SPEC_INACTIVE)
			return i + 1;
		busy |= state != RT_SPEC_ACTIVE;
	}
	if (busy)
		rt->drops[RT_DROP_SPECBUSY]++;
	else
		rt->drops[RT_DROP_SPECUNAVAIL]++;
	return 0;
}

RT_GLOBAL uint64_t
rt_spec_active(struct rt *rt, uint64_t id)
{
	struct rt_spec *s;

	if (!rt)
		return 0;
	s = spec_of(rt, id);
	return s && s->state == RT_SPEC_ACTIVE ? id : 0;
}

/* Between the two changes of state the clock is read: see rt.h. */
RT_GLOBAL uint64_t
rt_spec_end(struct rt *rt, uint64_t id, uint64_t to)
{
	struct rt_spec *s;

	if (!rt)
		return 0;
	s = spec_of(rt, id);
	if (!s || spec_swap(s, RT_SPEC_ACTIVE, RT_SPEC_ENDING) !=
			  RT_SPEC_ACTIVE)
		return 0;
	s->raw = rt->raw_time;
	s->time = rt_clock(rt);
	spec_swap(s, RT_SPEC_ENDING, (uint32_t)to);
	return id;
}
