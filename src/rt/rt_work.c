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

RT_GLOBAL uint64_t
rt_work_chr(struct rt *rt, uint64_t c, uint64_t n)
{
	uint64_t i, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	for (i = 0; i < max && i < n; i++)
		if (*RT_WORK(RT_W(rt), i) == c)
			return i;
	return n;
}

RT_GLOBAL uint64_t
rt_work_rchr(struct rt *rt, uint64_t c, uint64_t n, uint64_t same)
{
	uint64_t k, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	for (k = 0; k < max && k < n; k++)
		if ((*RT_WORK(RT_W(rt), n - 1 - k) == c) == same)
			return n - k;
	return 0;
}

/* W's own NUL ends the comparison at the latest. */
RT_GLOBAL uint64_t
rt_work_match(struct rt *rt, uint64_t pos)
{
	uint64_t k, max;
	uint8_t v;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	for (k = 0; k < max; k++) {
		v = *RT_WORK(RT_V(rt), k);
		if (v == 0)
			return 1;
		if (v != *RT_WORK(RT_W(rt), pos + k))
			return 0;
	}
	return 1;
}

RT_GLOBAL uint64_t
rt_work_find(struct rt *rt, uint64_t from, uint64_t last)
{
	uint64_t k, max;
	uint8_t first;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	first = *RT_V(rt);
	for (k = 0; k < max && from + k <= last; k++) {
		if (first && first != *RT_WORK(RT_W(rt), from + k))
			continue;
		if (rt_work_match(rt, from + k))
			return from + k;
	}
	return (uint64_t)-1;
}

RT_GLOBAL uint64_t
rt_work_rfind(struct rt *rt, uint64_t from)
{
	uint64_t k, max;
	uint8_t first;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	first = *RT_V(rt);
	for (k = 0; k < max && k <= from; k++) {
		if (first && first != *RT_WORK(RT_W(rt), from - k))
			continue;
		if (rt_work_match(rt, from - k))
			return from - k;
	}
	return (uint64_t)-1;
}

/* Bytes lie in a word in the order of the string on little-endian machines;
   on the others the shifts run the other way. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_OF(w, i) ((uint8_t)((w) >> (8 * (i))))
#else
#define BYTE_OF(w, i) ((uint8_t)((w) >> (56 - 8 * (i))))
#endif

RT_GLOBAL uint64_t
rt_work_order(struct rt *rt, uint64_t w, uint64_t v)
{
	uint8_t a, b;
	uint64_t i;

	for (i = 0; i < 8; i++) {
		a = BYTE_OF(w, i);
		b = BYTE_OF(v, i);
		if (a != b)
			return a < b ? (uint64_t)-1 : 1;
		if (a == 0)
			break;
	}
	return 0;
}

#define ONES 0x0101010101010101ull
#define HAS_NUL(w) (((w)-ONES) & ~(w) & (ONES << 7))

RT_GLOBAL uint64_t
rt_scmp(struct rt *rt, uint64_t a, uint64_t b)
{
	uint64_t i, w, v, max;

	if (!rt || !rt_work_fetch(rt, a) || !rt_work_fetch2(rt, b))
		return 0;
	max = rt_strmax(rt);
	for (i = 0; i < max; i += 8) {
		w = RT_WORD(RT_WORK(RT_W(rt), i));
		v = RT_WORD(RT_WORK(RT_V(rt), i));
		if (w != v || HAS_NUL(w))
			return rt_work_order(rt, w, v);
	}
	return 0;
}
