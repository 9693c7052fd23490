/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_tok.c - strtok().
 *
 * The first call copies its string to scratch, and each call cuts one token
 * off there and returns it in place.  rt->tok_off is where the rest begins,
 * in scratch, and is good in the clause that left it only: scratch is emptied
 * at each clause.
 *
 * The delimiters of a call become a table of 256 bytes at the start of V: for
 * each character, is it one?
 */
#include "rt/rt_impl.h"

uint64_t rt_tok_table(struct rt *rt, uint64_t delims);
uint64_t rt_tok_span(struct rt *rt, uint64_t off, uint64_t in);
uint64_t rt_window_span(struct rt *rt, uint64_t off, uint64_t in);

RT_GLOBAL uint64_t
rt_tok_table(struct rt *rt, uint64_t delims)
{
	uint64_t i, n, max;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, delims);
	if (!n)
		return 0;
	RT_FOR(i, 256, 8, 1)
		RT_WORD(RT_WORK(RT_V(rt), i)) = 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, 1, i < n - 1)
		*RT_WORK(RT_V(rt), *RT_WORK(RT_W(rt), i)) = 1;
	return 1;
}

/* How far scratch at off is in the table, or is not; a NUL ends both.  At most
   a window. */
RT_GLOBAL uint64_t
rt_window_span(struct rt *rt, uint64_t off, uint64_t in)
{
	uint64_t i;
	uint8_t c;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, 1) {
		c = *RT_AT(rt, off + i);
		if (c == 0 || *RT_WORK(RT_V(rt), c) != in)
			break;
	}
	return i;
}

RT_GLOBAL uint64_t
rt_tok_span(struct rt *rt, uint64_t off, uint64_t in)
{
	uint64_t i, n, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, 1) {
		n = rt_window_span(rt, off + i, in);
		if (n < RT_WINDOW)
			return i + n;
	}
	return i;
}

/* Begin with a new string: its offset, or -1 after a fault. */
RT_INLINE uint64_t
tok_begin(struct rt *rt, uint64_t addr)
{
	uint64_t off = rt->scratch, n;

	n = rt_scratch_str(rt, addr, off, RT_STR_MAX);
	if (!n)
		return (uint64_t)-1;
	rt_scratch_keep(rt, off, n);
	return off;
}

RT_GLOBAL uint64_t
rt_subr_strtok(struct rt *rt)
{
	uint64_t off, n;

	if (!rt)
		return 0;
	if (rt->tuple[0].val) {
		off = tok_begin(rt, rt->tuple[0].val);
		if (off == (uint64_t)-1)
			return 0;
		rt->tok_firing = rt->firings;
		rt->tok_epid = rt->epid;
	} else {
		if (rt->tok_firing != rt->firings || rt->tok_epid != rt->epid)
			return 0;
		off = rt->tok_off;
	}
	if (!rt_tok_table(rt, rt->tuple[1].val))
		return 0;
	off += rt_tok_span(rt, off, 1);
	n = rt_tok_span(rt, off, 0);
	rt->tok_off = (uint32_t)(off + n);
	if (n == 0)
		return 0; /* delimiters only: the end */
	if (*RT_AT(rt, off + n)) {
		*RT_AT(rt, off + n) = 0;
		rt->tok_off++;
	}
	return rt_scratch_addr(rt, off);
}
