/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_str.c - the string subroutines of D.
 *
 * Each fetches its strings to the work areas (rt_work.c), finds what is
 * wanted there and copies the result to scratch.  Strings are cut to strsize,
 * NUL included.  A string that is not found is the null pointer, as in C.
 * Edges (negative and too large starts) follow the Dynamic Tracing Guide,
 * which has them from Perl; basename() and dirname() give what the commands
 * of these names print.
 */
#include "rt/rt_impl.h"

/* Arguments of type int, whatever the upper half of the register holds. */
#define INT_ARG(rt, n) ((int64_t)(int32_t)(rt)->tuple[n].val)

RT_GLOBAL uint64_t
rt_subr_strlen(struct rt *rt)
{
	uint64_t n;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	return n ? n - 1 : 0;
}

RT_GLOBAL uint64_t
rt_subr_strjoin(struct rt *rt)
{
	uint64_t off, max, a, b;

	if (!rt)
		return 0;
	off = rt->scratch;
	max = rt_strmax(rt);
	a = rt_scratch_str(rt, rt->tuple[0].val, off, max);
	if (!a)
		return 0;
	a--;
	b = rt_scratch_str(rt, rt->tuple[1].val, off + a, max - a);
	return b ? rt_scratch_keep(rt, off, a + b) : 0;
}

RT_GLOBAL uint64_t
rt_subr_strchr(struct rt *rt)
{
	uint64_t n, i;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	i = rt_work_chr(rt, (uint8_t)rt->tuple[1].val, n);
	return i < n ? rt_work_keep(rt, i, n - 1 - i) : 0;
}

RT_GLOBAL uint64_t
rt_subr_strrchr(struct rt *rt)
{
	uint64_t n, i;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	i = rt_work_rchr(rt, (uint8_t)rt->tuple[1].val, n);
	return i ? rt_work_keep(rt, i - 1, n - i) : 0;
}

/* The first place from <= i <= last where W matches V.  Not a function, for
   the stack of calls is deep enough. */
RT_INLINE uint64_t
find(struct rt *rt, uint64_t from, uint64_t last)
{
	uint64_t i, at, max = rt_strmax(rt);

	RT_FOR(i, max, RT_WINDOW, from + i <= last) {
		at = rt_window_find(rt, from + i, last);
		if (at != RT_NOT_FOUND)
			return at;
	}
	return RT_NOT_FOUND;
}

/* The last place i <= from. */
RT_INLINE uint64_t
rfind(struct rt *rt, uint64_t from)
{
	uint64_t i, at, max = rt_strmax(rt);

	RT_FOR(i, max, RT_WINDOW, i <= from) {
		at = rt_window_rfind(rt, from - i);
		if (at != RT_NOT_FOUND)
			return at;
	}
	return RT_NOT_FOUND;
}

RT_GLOBAL uint64_t
rt_subr_strstr(struct rt *rt)
{
	uint64_t n, i;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n || !rt_work_fetch2(rt, rt->tuple[1].val))
		return 0;
	i = find(rt, 0, n - 1);
	return i < n ? rt_work_keep(rt, i, n - 1 - i) : 0;
}

/* A start beyond the end finds only the empty string, and that at the end. */
RT_GLOBAL uint64_t
rt_subr_index(struct rt *rt)
{
	int64_t start = 0;
	uint64_t n, sub;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	sub = rt_work_fetch2(rt, rt->tuple[1].val);
	if (!sub)
		return 0;
	n--;
	if (rt->ntuple > 2)
		start = INT_ARG(rt, 2);
	if (start < 0)
		start = 0;
	if ((uint64_t)start > n)
		return sub == 1 ? n : RT_NOT_FOUND;
	return find(rt, (uint64_t)start, n);
}

RT_GLOBAL uint64_t
rt_subr_rindex(struct rt *rt)
{
	uint64_t n, sub;
	int64_t start;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	sub = rt_work_fetch2(rt, rt->tuple[1].val);
	if (!sub)
		return 0;
	n--;
	start = (int64_t)n;
	if (rt->ntuple > 2)
		start = INT_ARG(rt, 2);
	if (start < 0)
		return sub == 1 ? 0 : RT_NOT_FOUND;
	if ((uint64_t)start > n)
		start = (int64_t)n;
	return rfind(rt, (uint64_t)start);
}

/*
 * The part of [start, start + len) that lies in the string.  A negative start
 * counts from the end; a negative length leaves that many characters off.
 */
RT_GLOBAL uint64_t
rt_subr_substr(struct rt *rt)
{
	int64_t n, start, len;

	if (!rt)
		return 0;
	n = (int64_t)rt_work_fetch(rt, rt->tuple[0].val);
	if (n <= 0)
		return 0;
	n--;
	start = INT_ARG(rt, 1);
	len = rt->ntuple > 2 ? INT_ARG(rt, 2) : RT_STR_MAX;
	if (start < 0)
		start += n;
	if (start < 0) {
		/* What lies before the string is no part of it. */
		len += start;
		if (len < 0)
			len = 0;
		start = 0;
	}
	if (start > n)
		start = n;
	if (len < 0)
		len += n - start;
	if (len < 0)
		len = 0;
	if (len > n - start)
		len = n - start;
	return rt_work_keep(rt, (uint64_t)start, (uint64_t)len);
}

/* A string of one character. */
RT_INLINE uint64_t
one_char(struct rt *rt, uint8_t c)
{
	*RT_W(rt) = c;
	return rt_work_keep(rt, 0, 1);
}

RT_GLOBAL uint64_t
rt_subr_basename(struct rt *rt)
{
	uint64_t n, end, start;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	end = rt_work_rskip(rt, '/', n - 1);
	if (!end) /* nothing, or slashes only */
		return one_char(rt, n > 1 ? '/' : '.');
	start = rt_work_rchr(rt, '/', end);
	return rt_work_keep(rt, start, end - start);
}

RT_GLOBAL uint64_t
rt_subr_dirname(struct rt *rt)
{
	uint64_t n, end;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, rt->tuple[0].val);
	if (!n)
		return 0;
	end = rt_work_rskip(rt, '/', n - 1);
	if (!end)
		return one_char(rt, n > 1 ? '/' : '.');
	end = rt_work_rchr(rt, '/', end);
	if (!end)
		return one_char(rt, '.');
	end = rt_work_rskip(rt, '/', end);
	return end ? rt_work_keep(rt, 0, end) : one_char(rt, '/');
}

/*
 * Flip the case of the letters first..first+25 of a string, eight bytes at a
 * time: adding to the low seven bits of each byte carries into its top bit
 * where the byte is not below a bound.  Bytes with the top bit set are not
 * ASCII and stay.
 */
#define EACH(c) (0x0101010101010101ull * (c))

RT_PIECE uint64_t rt_window_flip(struct rt *rt, uint64_t off, uint64_t n,
				uint64_t first);
uint64_t rt_str_flip(struct rt *rt, uint64_t addr, uint64_t first);

/* In a span of the n bytes of scratch at off. */
RT_PIECE uint64_t
rt_window_flip(struct rt *rt, uint64_t off, uint64_t n, uint64_t first)
{
	uint64_t i, w, low, letter, span, *p;

	if (!rt)
		return 0;
	span = RT_SPAN(rt);
	RT_FOR(i, span, 8, i < n) {
		p = &RT_WORD(RT_AT(rt, off + i));
		w = *p;
		low = w & EACH(0x7f);
		letter = (low + EACH(0x80 - first)) &
			 ~(low + EACH(0x80 - first - 26)) & ~w & EACH(0x80);
		*p = w ^ (letter >> 2); /* 0x80 becomes 0x20, the case */
	}
	return 0;
}

RT_GLOBAL uint64_t
rt_str_flip(struct rt *rt, uint64_t addr, uint64_t first)
{
	uint64_t off, n, i, max, span;

	if (!rt)
		return 0;
	off = rt->scratch;
	n = rt_scratch_str(rt, addr, off, RT_STR_MAX);
	if (!n)
		return 0;
	max = rt_strmax(rt);
	span = RT_SPAN(rt);
	RT_FOR(i, max, span, i < n)
		rt_window_flip(rt, off + i, n - i, first);
	return rt_scratch_keep(rt, off, n);
}

RT_GLOBAL uint64_t
rt_subr_toupper(struct rt *rt)
{
	return rt ? rt_str_flip(rt, rt->tuple[0].val, 'a') : 0;
}

RT_GLOBAL uint64_t
rt_subr_tolower(struct rt *rt)
{
	return rt ? rt_str_flip(rt, rt->tuple[0].val, 'A') : 0;
}

/* ---- memory that is no string yet ---------------------------------------- */

uint64_t rt_window_fill(struct rt *rt, uint64_t c, uint64_t from, uint64_t n);

/* In a window of W[0..n): c for each NUL. */
RT_GLOBAL uint64_t
rt_window_fill(struct rt *rt, uint64_t c, uint64_t from, uint64_t n)
{
	uint64_t i;
	uint8_t *p;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, from + i < n) {
		p = RT_WORK(RT_W(rt), from + i);
		if (*p == 0)
			*p = (uint8_t)c;
	}
	return 0;
}

/* The n bytes there as a string: c for each NUL but the last byte, which ends
   it whatever it is (as in a list of arguments). */
RT_GLOBAL uint64_t
rt_subr_memstr(struct rt *rt)
{
	uint64_t n, i, max;

	if (!rt)
		return 0;
	n = rt->tuple[2].val;
	if (n == 0)
		return rt_work_keep(rt, 0, 0);
	max = rt_strmax(rt);
	RT_OPAQUE(n);
	if (n > max)
		n = max;
	if (rt_read(rt, RT_W(rt), (uint32_t)n, rt->tuple[0].val) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, rt->tuple[0].val);
	RT_FOR(i, max, RT_WINDOW, i < n)
		rt_window_fill(rt, rt->tuple[1].val, i, n - 1);
	return rt_work_keep(rt, 0, n - 1);
}
