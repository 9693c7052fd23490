/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_execargs.c - execargs: the arguments of the current process, as one
 * string.
 *
 * They stand one behind the other in the memory of the process, each with its
 * NUL.  Programs that write something else there, to be seen by ps(1), may
 * leave many NULs behind it: none of those at the end count.
 */
#include "rt/rt_impl.h"

uint64_t rt_window_blank(struct rt *rt, uint64_t from, uint64_t n);

/* NULs of W among [from, n) become blanks, in one window. */
RT_GLOBAL uint64_t
rt_window_blank(struct rt *rt, uint64_t from, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, from + i < n)
		if (*RT_WORK(RT_W(rt), from + i) == 0)
			*RT_WORK(RT_W(rt), from + i) = ' ';
	return 0;
}

RT_GLOBAL uint64_t
rt_execargs(struct rt *rt, uint64_t from, uint64_t n)
{
	uint64_t i, len, max;
	uint32_t size;

	if (!rt)
		return 0;
	max = rt_strmax(rt) - 1;
	len = n < max ? n : max;
	RT_OPAQUE(len);
	size = len < RT_STR_MAX ? (uint32_t)len : RT_STR_MAX - 1;
	*RT_W(rt) = 0;
	if (size != 0 && rt_uread(rt, RT_W(rt), size, from) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, from);
	len = rt_work_rskip(rt, 0, size);
	RT_FOR(i, RT_STR_MAX, RT_WINDOW, i < len)
		rt_window_blank(rt, i, len);
	return rt_work_keep(rt, 0, len);
}
