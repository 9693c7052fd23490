/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_tok.c - strtok().
 *
 * The first call of a firing copies its string to tok_mem, where it stays for
 * all clauses of the firing, as a clause-local variable would; rt->tok_off is
 * where the rest of it begins.  A token goes to scratch, as what other
 * subroutines return does.  The delimiter that ended a token is where the next
 * call begins: it is passed over only if it is still one.
 *
 * A call needs two areas: the delimiters become a table of 256 bytes at the
 * start of V (for each character, is it one?), then the rest is fetched to W.
 */
#include "rt/rt_impl.h"

RT_PIECE uint64_t rt_window_table(struct rt *rt, uint64_t from, uint64_t n);
uint64_t rt_tok_table(struct rt *rt, uint64_t delims);
uint64_t rt_tok_span(struct rt *rt, uint64_t off, uint64_t in);
uint64_t rt_window_span(struct rt *rt, uint64_t off, uint64_t in);

/* In the table the characters of a span of W[0..n) from there. */
RT_PIECE uint64_t
rt_window_table(struct rt *rt, uint64_t from, uint64_t n)
{
	uint64_t i, span;

	if (!rt)
		return 0;
	span = RT_SPAN(rt);
	RT_FOR(i, span, 1, from + i < n)
		*RT_WORK(RT_V(rt), *RT_WORK(RT_W(rt), from + i)) = 1;
	return 0;
}

RT_GLOBAL uint64_t
rt_tok_table(struct rt *rt, uint64_t delims)
{
	uint64_t i, n, max, span;

	if (!rt)
		return 0;
	n = rt_work_fetch(rt, delims);
	if (!n)
		return 0;
	RT_FOR(i, 256, 8, 1)
		RT_WORD(RT_WORK(RT_V(rt), i)) = 0;
	max = rt_strmax(rt);
	span = RT_SPAN(rt);
	RT_FOR(i, max, span, i < n - 1)
		rt_window_table(rt, i, n - 1);
	return 1;
}

/* How many bytes of W from off on are in the table, or are not; a NUL ends
   both.  At most a window. */
RT_GLOBAL uint64_t
rt_window_span(struct rt *rt, uint64_t off, uint64_t in)
{
	uint64_t i;
	uint8_t c;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, 1) {
		c = *RT_WORK(RT_W(rt), off + i);
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

/* Begin with a new string, or go on with the last one; 0 after a fault. */
RT_INLINE uint64_t
tok_begin(struct rt *rt, uint64_t addr)
{
	if (!addr && rt->tok_firing == rt->firings)
		return 1;
	if (!addr || rt_read_str(rt, rt->tok_mem, rt_strmax(rt), addr) <= 0) {
		rt_fail(rt, RT_FAULT_BADADDR, addr);
		return 0;
	}
	rt->tok_firing = rt->firings;
	rt->tok_off = 0;
	return 1;
}

RT_GLOBAL uint64_t
rt_subr_strtok(struct rt *rt)
{
	uint64_t rest, at, n;

	if (!rt || !tok_begin(rt, rt->tuple[0].val) ||
	    !rt_tok_table(rt, rt->tuple[1].val))
		return 0;
	rest = rt->self + __builtin_offsetof(struct rt, tok_mem) + rt->tok_off;
	if (!rt_work_fetch(rt, rest))
		return 0;
	at = rt_tok_span(rt, 0, 1);
	n = rt_tok_span(rt, at, 0);
	rt->tok_off += at + n;
	return n == 0 ? 0 : rt_work_keep(rt, at, n); /* 0: no token is left */
}
