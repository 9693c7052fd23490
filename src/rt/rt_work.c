/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_work.c - looking at strings: fetching them to the work areas, searching,
 * comparing.  Called by the string subroutines (rt_str.c); see rt_impl.h for
 * the areas and for why each loop is a function.
 */
#include "rt/rt_impl.h"

RT_GLOBAL uint64_t
rt_work_fetch(struct rt *rt, uint64_t addr)
{
	long n;

	if (!rt)
		return 0;
	n = rt_read_str(rt, RT_W(rt), rt_strmax(rt), addr);
	if (n <= 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return (uint64_t)n;
}

RT_GLOBAL uint64_t
rt_work_fetch2(struct rt *rt, uint64_t addr)
{
	long n;

	if (!rt)
		return 0;
	n = rt_read_str(rt, RT_V(rt), rt_strmax(rt), addr);
	if (n <= 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return (uint64_t)n;
}

/* The string reader serves as memcpy: it stops at len and puts the NUL. */
RT_GLOBAL uint64_t
rt_work_keep(struct rt *rt, uint64_t start, uint64_t len)
{
	uint64_t off, n;

	if (!rt)
		return 0;
	off = rt->scratch;
	n = rt_scratch_str(rt, rt->self + RT_W_OFF + start, off, len + 1);
	return n ? rt_scratch_keep(rt, off, n) : 0;
}

/*
 * The searches.  Each has a function that looks at one window, RT_WINDOW
 * positions, and one that goes from window to window: together they cost the
 * verifier the square root of what one loop would.
 */
uint64_t rt_window_chr(struct rt *rt, uint64_t c, uint64_t from, uint64_t n);
uint64_t rt_window_rchr(struct rt *rt, uint64_t c, uint64_t n);
uint64_t rt_window_rskip(struct rt *rt, uint64_t c, uint64_t n);
uint64_t rt_window_match(struct rt *rt, uint64_t pos, uint64_t from);

RT_GLOBAL uint64_t
rt_window_chr(struct rt *rt, uint64_t c, uint64_t from, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return RT_NOT_FOUND;
	RT_FOR(i, RT_WINDOW, 1, from + i < n)
		if (*RT_WORK(RT_W(rt), from + i) == c)
			return from + i;
	return RT_NOT_FOUND;
}

RT_GLOBAL uint64_t
rt_work_chr(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i, at, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, i < n) {
		at = rt_window_chr(rt, c, i, n);
		if (at != RT_NOT_FOUND)
			return at;
	}
	return n;
}

RT_GLOBAL uint64_t
rt_window_rchr(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, i < n)
		if (*RT_WORK(RT_W(rt), n - 1 - i) == c)
			return n - i;
	return 0;
}

RT_GLOBAL uint64_t
rt_work_rchr(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i, at, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, i < n) {
		at = rt_window_rchr(rt, c, n - i);
		if (at)
			return at;
	}
	return 0;
}

RT_GLOBAL uint64_t
rt_window_rskip(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, i < n)
		if (*RT_WORK(RT_W(rt), n - 1 - i) != c)
			return n - i;
	return 0;
}

RT_GLOBAL uint64_t
rt_work_rskip(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i, at, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, i < n) {
		at = rt_window_rskip(rt, c, n - i);
		if (at)
			return at;
	}
	return 0;
}

/*
 * 0: they differ; 1: V ended; 2: equal so far.  W's own NUL differs from all
 * of V before its end, so W is never left.
 */
RT_GLOBAL uint64_t
rt_window_match(struct rt *rt, uint64_t pos, uint64_t from)
{
	uint64_t i;
	uint8_t v;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, 1) {
		v = *RT_WORK(RT_V(rt), from + i);
		if (v == 0)
			return 1;
		if (v != *RT_WORK(RT_W(rt), pos + from + i))
			return 0;
	}
	return 2;
}

RT_GLOBAL uint64_t
rt_work_match(struct rt *rt, uint64_t pos)
{
	uint64_t i, max, r;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, 1) {
		r = rt_window_match(rt, pos, i);
		if (r < 2)
			return r;
	}
	return 1;
}

RT_GLOBAL uint64_t
rt_window_find(struct rt *rt, uint64_t from, uint64_t last)
{
	uint8_t first;
	uint64_t i;

	if (!rt)
		return RT_NOT_FOUND;
	first = *RT_V(rt);
	RT_FOR(i, RT_WINDOW, 1, from + i <= last) {
		if (first && first != *RT_WORK(RT_W(rt), from + i))
			continue;
		if (rt_work_match(rt, from + i))
			return from + i;
	}
	return RT_NOT_FOUND;
}

RT_GLOBAL uint64_t
rt_window_rfind(struct rt *rt, uint64_t from)
{
	uint8_t first;
	uint64_t i;

	if (!rt)
		return RT_NOT_FOUND;
	first = *RT_V(rt);
	RT_FOR(i, RT_WINDOW, 1, i <= from) {
		if (first && first != *RT_WORK(RT_W(rt), from - i))
			continue;
		if (rt_work_match(rt, from - i))
			return from - i;
	}
	return RT_NOT_FOUND;
}

/* Bytes lie in a word in the order of the string on little-endian machines;
   on the others the shifts run the other way. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_OF(w, i) ((uint8_t)((w) >> (8 * (i))))
#else
#define BYTE_OF(w, i) ((uint8_t)((w) >> (56 - 8 * (i))))
#endif

RT_GLOBAL uint64_t
rt_work_order(uint64_t w, uint64_t v)
{
	uint8_t a, b;
	uint64_t i;

	RT_FOR(i, 8, 1, 1) {
		a = BYTE_OF(w, i);
		b = BYTE_OF(v, i);
		if (a != b)
			return a < b ? (uint64_t)-1 : 1;
		if (a == 0)
			break;
	}
	return 0;
}

#define ONES       0x0101010101010101ull
#define HAS_NUL(w) (((w)-ONES) & ~(w) & (ONES << 7))

#define SO_FAR_EQUAL 2u

RT_PIECE uint64_t rt_window_order(struct rt *rt, uint64_t from);

/* The order of W and V by a span from there; SO_FAR_EQUAL: both go on. */
RT_PIECE uint64_t
rt_window_order(struct rt *rt, uint64_t from)
{
	uint64_t i, w, v, span;

	if (!rt)
		return 0;
	span = RT_SPAN(rt);
	RT_FOR(i, span, 8, 1) {
		w = RT_WORD(RT_WORK(RT_W(rt), from + i));
		v = RT_WORD(RT_WORK(RT_V(rt), from + i));
		if (w != v || HAS_NUL(w))
			return rt_work_order(w, v);
	}
	return SO_FAR_EQUAL;
}

RT_GLOBAL uint64_t
rt_scmp(struct rt *rt, uint64_t a, uint64_t b)
{
	uint64_t i, order, max, span;

	if (!a || !b)
		return a == b ? 0 : a ? 1 : (uint64_t)-1;
	if (!rt || !rt_work_fetch(rt, a) || !rt_work_fetch2(rt, b))
		return 0;
	max = rt_strmax(rt);
	span = RT_SPAN(rt);
	RT_FOR(i, max, span, 1) {
		order = rt_window_order(rt, i);
		if (order != SO_FAR_EQUAL)
			return order;
	}
	return 0;
}
