/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_rec.h - room for a record in a principal buffer, under each policy: the
 * rule for the interpreter and for native code.  BPF programs have it
 * generated (engine/bpf/bpf_rec.c), and so has the common case of native code
 * (engine/x86/x86_lower_rec.c).  What buffers look like: rt.h.
 */
#ifndef RT_RT_REC_H
#define RT_RT_REC_H

#include "rt/rt.h"

/* What to write into the skipped bytes, if there are that many. */
struct rt_rec_skip {
	uint64_t off, n;
};

/* switch and fill: the offset of n bytes that do not wrap, or -1. */
static inline int64_t
rt_rec_room_up(struct rt *rt, uint64_t size, uint64_t n,
	       struct rt_rec_skip *s)
{
	uint64_t off = rt->head & (size - 1);

	s->off = off;
	s->n = off + n > size ? size - off : 0;
	if (s->n + n > size - (rt->head - rt->tail))
		return -1;
	rt->rec_end = rt->head + s->n + n;
	return s->n != 0 ? 0 : (int64_t)off;
}

/* ring: there is always room, below the youngest record. */
static inline int64_t
rt_rec_room_down(struct rt *rt, uint64_t size, uint64_t n,
		 struct rt_rec_skip *s)
{
	uint64_t below = (0 - rt->head) & (size - 1);

	if (below == 0)
		below = size;
	s->off = 0;
	s->n = below < n ? below : 0;
	rt->rec_end = rt->head + s->n + n;
	if (rt->reach < rt->rec_end)
		rt->reach = rt->rec_end;
	return (int64_t)((s->n != 0 ? size : below) - n);
}

/*
 * No room.  fill: that is the end of the trace, 1; it was reported.  Else, and
 * for an END clause that finds none, it is a drop, 0.
 */
static inline int
rt_rec_full(struct rt_ctl *ctl, uint32_t policy)
{
	uint32_t was[] = { RT_ACT_INACTIVE, RT_ACT_ACTIVE };

	if (policy != RT_BUF_FILL ||
	    (ctl->activity >= RT_ACT_DRAINING && !ctl->filled))
		return 0;
	__atomic_store_n(&ctl->filled, 1, __ATOMIC_RELEASE);
	ctl->wanted = 1;
	for (int i = 0; i < 2; i++)
		__atomic_compare_exchange_n(&ctl->activity, &was[i],
					    RT_ACT_DRAINING, 0,
					    __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
	return 1;
}

/*
 * Room for a record of n bytes, a multiple of 8, in the buffer of a slot;
 * rt->rec_end is the head once it is published.  NULL: there is none, and that
 * has been counted or reported.
 */
static inline uint8_t *
rt_rec_room(struct rt *rt, struct rt_ctl *ctl, uint8_t *buf, uint64_t size,
	    uint32_t policy, uint64_t n)
{
	struct rt_rec_skip s;
	int64_t at = -1;

	if (buf != 0 && n <= size)
		at = policy == RT_BUF_RING ? rt_rec_room_down(rt, size, n, &s)
					   : rt_rec_room_up(rt, size, n, &s);
	if (at < 0) {
		if (!rt_rec_full(ctl, policy))
			rt->drops[RT_DROP_PRINCIPAL] =
				rt->drops[RT_DROP_PRINCIPAL] + 1;
		return 0;
	}
	if (policy == RT_BUF_RING ? s.n != 0 : s.n >= sizeof(struct rt_rec)) {
		/* A filler: EPID 0, and where records lie youngest first, how
		   much is skipped. */
		uint32_t *f = (uint32_t *)(void *)(buf + s.off);
		f[0] = 0;
		f[1] = (uint32_t)s.n;
	}
	return buf + at;
}

/* ---- the ERROR probe ----------------------------------------------------- */

/* What a firing is, while the ERROR clauses run as a firing within it. */
struct rt_faulted {
	uint32_t probe, probe_id, epid;
	uint64_t arg[RT_NARGS];
};

/* Its arguments are those of dtrace:::ERROR from here to rt_fault_end(). */
static inline void
rt_fault_begin(struct rt *rt, struct rt_faulted *f)
{
	f->probe = rt->probe;
	f->probe_id = rt->probe_id;
	f->epid = rt->epid;
	__builtin_memcpy(f->arg, rt->arg, sizeof(f->arg));
	__builtin_memset(rt->arg, 0, sizeof(rt->arg));
	rt->arg[1] = rt->epid;
	rt->arg[2] = rt->fault_action;
	rt->arg[3] = (uint64_t)(int64_t)rt->fault_off;
	rt->arg[4] = rt->fault;
	rt->arg[5] = rt->fault_val;
	rt->in_error = 1;
}

static inline void
rt_fault_end(struct rt *rt, const struct rt_faulted *f)
{
	rt->in_error = 0;
	__builtin_memcpy(rt->arg, f->arg, sizeof(f->arg));
	rt->probe = f->probe;
	rt->probe_id = f->probe_id;
	rt->epid = f->epid;
}

#endif
