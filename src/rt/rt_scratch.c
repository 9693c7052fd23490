/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_scratch.c - scratch memory: taking it, and moving bytes into it.
 *
 * Scratch is one stack per slot, rt->scratch its height, always a multiple of
 * 8; it is emptied at the start of each clause.  A D program may write where
 * it has taken scratch, and nowhere else.  Copies run forward, in pieces of
 * RT_STR_MAX: where source and destination overlap, the source should be
 * above.
 */
#include "rt/rt_impl.h"

/* The option scratchsize may leave less than there is. */
RT_INLINE uint64_t
scratch_most(struct rt *rt)
{
	uint32_t n = RT_CONF(scratchsize);

	return n == 0 || n > RT_SCRATCH ? RT_SCRATCH : n;
}

/* Common to both worlds; `read` is rt_read_str or rt_uread_str. */
#define STR_TO_SCRATCH(rt, addr, off, max, read)                               \
	do {                                                                   \
		uint32_t size;                                                 \
		long got;                                                      \
                                                                               \
		if (!rt)                                                       \
			return 0;                                              \
		if (off >= RT_SCRATCH)                                         \
			return rt_fail(rt, RT_FAULT_NOSCRATCH, 0);             \
		size = rt_strmax(rt);                                          \
		if (max < size)                                                \
			size = (uint32_t)max;                                  \
		got = read(rt, RT_AT(rt, off), size, addr);                    \
		if (got <= 0)                                                  \
			return rt_fail(rt, RT_FAULT_BADADDR, addr);            \
		if (off + (uint64_t)got > scratch_most(rt))                    \
			return rt_fail(rt, RT_FAULT_NOSCRATCH, 0);             \
		return (uint64_t)got;                                          \
	} while (0)

RT_GLOBAL uint64_t
rt_scratch_str(struct rt *rt, uint64_t addr, uint64_t off, uint64_t max)
{
	STR_TO_SCRATCH(rt, addr, off, max, rt_read_str);
}

RT_GLOBAL uint64_t
rt_scratch_ustr(struct rt *rt, uint64_t addr, uint64_t off, uint64_t max)
{
	STR_TO_SCRATCH(rt, addr, off, max, rt_uread_str);
}

#define COPY_TO_SCRATCH(rt, src, off, n, read)                                 \
	do {                                                                   \
		uint64_t done = 0, i;                                          \
		uint32_t size;                                                 \
                                                                               \
		if (!rt)                                                       \
			return 0;                                              \
		RT_FOR(i, RT_SCRATCH / RT_STR_MAX, 1, done < n) {              \
			uint64_t left = n - done;                              \
                                                                               \
			RT_OPAQUE(left);                                       \
			size = left > RT_STR_MAX ? RT_STR_MAX                  \
						 : (uint32_t)left;             \
			if (read(rt, RT_AT(rt, off + done), size,              \
				 src + done) < 0)                              \
				return rt_fail(rt, RT_FAULT_BADADDR, src);     \
			done += RT_STR_MAX;                                    \
		}                                                              \
		return 1;                                                      \
	} while (0)

RT_GLOBAL uint64_t
rt_scratch_copy(struct rt *rt, uint64_t src, uint64_t off, uint64_t n)
{
	COPY_TO_SCRATCH(rt, src, off, n, rt_read);
}

RT_GLOBAL uint64_t
rt_scratch_ucopy(struct rt *rt, uint64_t src, uint64_t off, uint64_t n)
{
	COPY_TO_SCRATCH(rt, src, off, n, rt_uread);
}

/* ---- pages that the program has not touched (rt_absent.c) ---------------- */

#ifdef __bpf__

/* Not 0 if the read that has just faulted shall be tried again. */
RT_INLINE int
absent_again(struct rt *rt)
{
	if (!RT_CONF(absent.again) || rt->fault != RT_FAULT_BADADDR)
		return 0;
	rt->fault = RT_FAULT_NONE;
	return 1;
}

RT_INLINE uint64_t
ustr_again(struct rt *rt, uint64_t addr, uint64_t off, uint64_t max)
{
	uint64_t at, n = rt_strmax(rt);

	if (!absent_again(rt))
		return 0;
	at = rt_absent(rt, addr, max < n ? max : n, 1);
	return at ? rt_scratch_str(rt, at, off, max)
		  : rt_fail(rt, RT_FAULT_BADADDR, addr);
}

RT_INLINE uint64_t
ucopy_again(struct rt *rt, uint64_t src, uint64_t off, uint64_t n)
{
	uint64_t done = 0, i, at, part;

	if (!absent_again(rt))
		return 0;
	RT_FOR(i, RT_SCRATCH / RT_STR_MAX, 1, done < n) {
		part = n - done < RT_STR_MAX ? n - done : RT_STR_MAX;
		at = rt_absent(rt, src + done, part, 0);
		if (!at)
			return rt_fail(rt, RT_FAULT_BADADDR, src);
		rt_scratch_copy(rt, at, off + done, part);
		done += RT_STR_MAX;
	}
	return 1;
}

#else

RT_INLINE uint64_t
ustr_again(struct rt *rt, uint64_t addr, uint64_t off, uint64_t max)
{
	return 0;
}

RT_INLINE uint64_t
ucopy_again(struct rt *rt, uint64_t src, uint64_t off, uint64_t n)
{
	return 0;
}

#endif

RT_GLOBAL uint64_t
rt_scratch_own(struct rt *rt, uint64_t addr, uint64_t n)
{
	uint64_t off, used;

	if (!rt)
		return (uint64_t)-1;
	off = addr - rt_scratch_addr(rt, 0);
	used = rt->scratch;
	if (used <= RT_SCRATCH && off <= used && n <= used - off)
		return off;
	rt_fail(rt, RT_FAULT_BADADDR, addr);
	return (uint64_t)-1;
}

/* Take n bytes without zeroing: their offset, or -1 after a fault. */
RT_INLINE uint64_t
take(struct rt *rt, uint64_t n)
{
	uint64_t off = rt->scratch, most = scratch_most(rt);

	if (off > most || n > most - off) {
		rt_fail(rt, RT_FAULT_NOSCRATCH, 0);
		return (uint64_t)-1;
	}
	rt->scratch = (uint32_t)RT_ROUND8(off + n);
	return off;
}

uint64_t rt_window_zero(struct rt *rt, uint64_t off, uint64_t n);

RT_GLOBAL uint64_t
rt_window_zero(struct rt *rt, uint64_t off, uint64_t n)
{
	uint64_t i, *p;
	int w;

	if (!rt)
		return 0;
	RT_FOR_BLOCKS(i, n) {
		p = &RT_WORD(RT_AT(rt, off + i));
		RT_UNROLL
		for (w = 0; w < 8; w++)
			p[w] = 0;
	}
	off += RT_WHOLE_BLOCKS(n);
	RT_FOR_REST(i, n)
		RT_WORD(RT_AT(rt, off + i)) = 0;
	return 0;
}

RT_GLOBAL uint64_t
rt_scratch_zero(struct rt *rt, uint64_t off, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_SCRATCH, RT_WINDOW_OF_BLOCKS, i < n)
		rt_window_zero(rt, off + i, n - i);
	return 0;
}

RT_GLOBAL uint64_t
rt_allocs(struct rt *rt, uint64_t n)
{
	uint64_t off;

	if (!rt)
		return 0;
	off = take(rt, n);
	if (off == (uint64_t)-1)
		return 0;
	rt_scratch_zero(rt, off, n);
	return rt_scratch_addr(rt, off);
}

RT_GLOBAL uint64_t
rt_copys(struct rt *rt, uint64_t src, uint64_t dst, uint64_t n)
{
	uint64_t off;

	if (!rt)
		return 0;
	off = rt_scratch_own(rt, dst, n);
	if (off == (uint64_t)-1)
		return 0;
	return rt_scratch_copy(rt, src, off, n) ? dst : 0;
}

RT_GLOBAL uint64_t
rt_store(struct rt *rt, uint64_t addr, uint64_t val, uint64_t size)
{
	uint64_t off;
	uint8_t *p;

	if (!rt)
		return 0;
	off = rt_scratch_own(rt, addr, size);
	if (off == (uint64_t)-1)
		return 0;
	if (off & (size - 1))
		return rt_fail(rt, RT_FAULT_BADALIGN, addr);
	p = RT_AT(rt, off);
	if (size == 8)
		*(uint64_t *)(void *)p = val;
	else if (size == 4)
		*(uint32_t *)(void *)p = (uint32_t)val;
	else if (size == 2)
		*(uint16_t *)(void *)p = (uint16_t)val;
	else
		*p = (uint8_t)val;
	return 0;
}

/* ---- the subroutines that move bytes ------------------------------------ */

RT_GLOBAL uint64_t
rt_subr_alloca(struct rt *rt)
{
	return rt ? rt_allocs(rt, rt->tuple[0].val) : 0;
}

RT_GLOBAL uint64_t
rt_subr_bcopy(struct rt *rt)
{
	if (rt)
		rt_copys(rt, rt->tuple[0].val, rt->tuple[1].val,
			 rt->tuple[2].val);
	return 0;
}

RT_GLOBAL uint64_t
rt_subr_copyin(struct rt *rt)
{
	uint64_t off, n;

	if (!rt)
		return 0;
	n = rt->tuple[1].val;
	off = take(rt, n);
	if (off == (uint64_t)-1)
		return 0;
	if (!rt_scratch_ucopy(rt, rt->tuple[0].val, off, n) &&
	    !ucopy_again(rt, rt->tuple[0].val, off, n))
		return 0;
	return rt_scratch_addr(rt, off);
}

RT_GLOBAL uint64_t
rt_subr_copyinto(struct rt *rt)
{
	uint64_t off, n;

	if (!rt)
		return 0;
	n = rt->tuple[1].val;
	off = rt_scratch_own(rt, rt->tuple[2].val, n);
	if (off != (uint64_t)-1 &&
	    !rt_scratch_ucopy(rt, rt->tuple[0].val, off, n))
		ucopy_again(rt, rt->tuple[0].val, off, n);
	return 0;
}

/* The second argument counts bytes, the NUL among them. */
RT_GLOBAL uint64_t
rt_subr_copyinstr(struct rt *rt)
{
	uint64_t off, n, max = RT_STR_MAX;

	if (!rt)
		return 0;
	off = rt->scratch;
	if (rt->ntuple > 1 && rt->tuple[1].val < RT_STR_MAX)
		max = rt->tuple[1].val;
	if (max == 0)
		max = 1;
	n = rt_scratch_ustr(rt, rt->tuple[0].val, off, max);
	if (!n)
		n = ustr_again(rt, rt->tuple[0].val, off, max);
	return n ? rt_scratch_keep(rt, off, n) : 0;
}

/* A size of 1 to RT_STR_MAX, so that the verifier sees that it is one: the
   helper that writes takes no 0. */
RT_INLINE uint32_t
some(uint64_t n)
{
	return (uint32_t)rt_bound(n - 1, RT_STR_MAX - 1) + 1;
}

/* By way of W, because what is written must lie in memory of ours. */
RT_GLOBAL uint64_t
rt_subr_copyout(struct rt *rt)
{
	uint64_t src, dst, n, done = 0, left, i;

	if (!rt)
		return 0;
	src = rt->tuple[0].val;
	dst = rt->tuple[1].val;
	n = rt->tuple[2].val;
	if (n > RT_SCRATCH)
		return rt_fail(rt, RT_FAULT_NOSCRATCH, 0);
	RT_FOR(i, RT_SCRATCH / RT_STR_MAX, 1, done < n) {
		left = n - done;
		if (left > RT_STR_MAX)
			left = RT_STR_MAX;
		if (rt_read(rt, RT_W(rt), some(left), src + done) < 0)
			return rt_fail(rt, RT_FAULT_BADADDR, src);
		if (rt_uwrite(rt, dst + done, RT_W(rt), some(left)) < 0)
			return rt_fail(rt, RT_FAULT_BADADDR, dst);
		done += RT_STR_MAX;
	}
	return 0;
}

/* The string with its NUL, or as much of it as the third argument allows. */
RT_GLOBAL uint64_t
rt_subr_copyoutstr(struct rt *rt)
{
	uint64_t n, dst;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	if (n > rt->tuple[2].val)
		n = rt->tuple[2].val;
	dst = rt->tuple[1].val;
	if (n && rt_uwrite(rt, dst, RT_W(rt), some(n)) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, dst);
	return 0;
}
