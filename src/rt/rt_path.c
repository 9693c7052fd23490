/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_path.c - cleanpath(): a path without needless components, by its text
 * alone.
 *
 * The path is in W; the result grows in V, one component a step.  "." and
 * empty components are left out.  ".." takes the last component of the result
 * away, is left out at the root, and stays where a relative path has nothing
 * to take away.  Of a relative path that comes to nothing "." remains, but of
 * "" nothing does.
 */
#include "rt/rt_impl.h"

uint64_t rt_window_end(struct rt *rt, uint64_t from);
uint64_t rt_path_end(struct rt *rt, uint64_t from);
uint64_t rt_window_pop(struct rt *rt, uint64_t out);
uint64_t rt_path_pop(struct rt *rt, uint64_t out);
uint64_t rt_path_push(struct rt *rt, uint64_t out, uint64_t from, uint64_t len);
uint64_t rt_path_step(struct rt *rt, uint64_t from, uint64_t end, uint64_t out);
RT_PIECE uint64_t rt_path_some(struct rt *rt, uint64_t from, uint64_t out);

/* How many bytes of W, a window at most, are no slash and not the end. */
RT_GLOBAL uint64_t
rt_window_end(struct rt *rt, uint64_t from)
{
	uint64_t i;
	uint8_t c;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, 1) {
		c = *RT_WORK(RT_W(rt), from + i);
		if (c == 0 || c == '/')
			break;
	}
	return i;
}

/* The end of the component of W that begins at from. */
RT_GLOBAL uint64_t
rt_path_end(struct rt *rt, uint64_t from)
{
	uint64_t i, n, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, 1) {
		n = rt_window_end(rt, from + i);
		if (n < RT_WINDOW)
			return from + i + n;
	}
	return from + i;
}

/* 1 + the place of the last slash in V[0..out), if it is in the last window;
   else 0. */
RT_GLOBAL uint64_t
rt_window_pop(struct rt *rt, uint64_t out)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, i < out)
		if (*RT_WORK(RT_V(rt), out - 1 - i) == '/')
			return out - i;
	return 0;
}

/* The length of V[0..out) without its last component. */
RT_GLOBAL uint64_t
rt_path_pop(struct rt *rt, uint64_t out)
{
	uint64_t i, at, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, i < out) {
		at = rt_window_pop(rt, out - i);
		if (at)
			return at - 1;
	}
	return 0;
}

/* V[0..out) with a component of W behind it: the new length. */
RT_GLOBAL uint64_t
rt_path_push(struct rt *rt, uint64_t out, uint64_t from, uint64_t len)
{
	uint64_t n = len;

	if (!rt)
		return 0;
	/* Only a relative path begins without a slash. */
	if (out || *RT_W(rt) == '/')
		*RT_WORK(RT_V(rt), out++) = '/';
	RT_OPAQUE(n);
	if (n > RT_STR_MAX)
		n = RT_STR_MAX;
	rt_read(rt, RT_WORK(RT_V(rt), out), (uint32_t)n,
		rt->self + RT_W_OFF + from);
	return out + len;
}

/* Not 0 if the components in V end with "..". */
RT_INLINE int
ends_in_dots(struct rt *rt, uint64_t out)
{
	return out >= 2 && *RT_WORK(RT_V(rt), out - 1) == '.' &&
	       *RT_WORK(RT_V(rt), out - 2) == '.' &&
	       (out == 2 || *RT_WORK(RT_V(rt), out - 3) == '/');
}

/* The component of W from..end, after V[0..out): the new length of V. */
RT_GLOBAL uint64_t
rt_path_step(struct rt *rt, uint64_t from, uint64_t end, uint64_t out)
{
	uint64_t len = end - from, dots;

	if (!rt || len == 0)
		return out;
	dots = *RT_WORK(RT_W(rt), from) == '.';
	if (dots && len == 1)
		return out;
	if (!dots || len != 2 || *RT_WORK(RT_W(rt), from + 1) != '.')
		return rt_path_push(rt, out, from, len);
	if (out == 0 && *RT_W(rt) == '/')
		return 0;
	if (out == 0 || ends_in_dots(rt, out))
		return rt_path_push(rt, out, from, len);
	return rt_path_pop(rt, out);
}

/*
 * A span of components from there, after V[0..out): the new length of V in the
 * lower half of the result, and in the upper where W goes on, or PATH_DONE.
 */
#define PATH_DONE (1ull << 63)

RT_PIECE uint64_t
rt_path_some(struct rt *rt, uint64_t from, uint64_t out)
{
	uint64_t end, i, span;

	if (!rt)
		return PATH_DONE;
	span = RT_SPAN(rt);
	RT_FOR(i, span, 1, 1) {
		end = rt_path_end(rt, from);
		out = rt_path_step(rt, from, end, out);
		if (*RT_WORK(RT_W(rt), end) == 0)
			return PATH_DONE | out;
		from = end + 1;
	}
	return from << 32 | out;
}

RT_GLOBAL uint64_t
rt_subr_cleanpath(struct rt *rt)
{
	uint64_t at = 0, out, off, max, span, i;

	if (!rt || !rt_work_fetch(rt, rt->tuple[0].val))
		return 0;
	max = rt_strmax(rt);
	span = RT_SPAN(rt);
	RT_FOR(i, max, span, !(at & PATH_DONE))
		at = rt_path_some(rt, at >> 32, (uint32_t)at);
	out = (uint32_t)at;
	if (out == 0 && *RT_W(rt))
		*RT_WORK(RT_V(rt), out++) = *RT_W(rt) == '/' ? '/' : '.';
	*RT_WORK(RT_V(rt), out) = 0;
	off = rt->scratch;
	out = rt_scratch_str(rt, rt->self + RT_V_OFF, off, max);
	return out ? rt_scratch_keep(rt, off, out) : 0;
}
