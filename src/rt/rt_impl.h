/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_impl.h - what the bodies of rt/ share among themselves.
 *
 * Two rules shape the code, both from the verifier of the kernel.  It checks
 * every global function once, with any arguments; so a function with one
 * bounded loop costs as much as the loop, while a loop in a loop costs the
 * product, and 8192 branches left open are its end.  Hence one loop a
 * function; what has another loop to run in its own, or would go over a whole
 * string, calls a global function for each step or each window.  And it must
 * see a bound at each access with a computed offset; hence RT_WORK(), RT_AT(),
 * RT_KEY_AT(), which mask.  The masks never change a value: the callers have
 * checked, the verifier only cannot know it.
 *
 * WORK AREAS.  The tails of scratch_mem and locals hold nothing that lives
 * longer than one body: there two strings are held while they are looked
 * at, W the one and V the other, each RT_STR_MAX bytes.  So strlen(), string
 * compare, index() use no scratch, and the others only for their result.
 */
#ifndef RT_RT_IMPL_H
#define RT_RT_IMPL_H

#include "rt/rt_mem.h"

/* Bytes that one innermost loop goes over; and where it takes words, eight at
   a time (a block), the bytes of 8 blocks. */
#define RT_WINDOW           64u
#define RT_BLOCK            64u
#define RT_WINDOW_OF_BLOCKS (8 * RT_BLOCK)
/* A loop over the words of a block, without the loop. */
#ifdef __clang__
#define RT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RT_UNROLL _Pragma("GCC unroll 16")
#endif

/*
 * for (i = 0; i < end && more; i += step), where the compiler may not count
 * with something else than i, so that the verifier sees the end.
 */
#define RT_SEEN(i) __extension__({ RT_OPAQUE(i); (i); })
#define RT_FOR(i, end, step, more)                                             \
	for ((i) = 0; RT_SEEN(i) < (end) && (more); (i) += (step))

/*
 * Over the n bytes (a multiple of 8) from the start of a window: first over
 * its whole blocks, then over the words behind the last of them, if that lies
 * in this window.
 */
#define RT_FOR_BLOCKS(i, n)                                                    \
	RT_FOR(i, RT_WINDOW_OF_BLOCKS, RT_BLOCK, (i) + RT_BLOCK <= (n))
#define RT_WHOLE_BLOCKS(n) ((n) & ~(uint64_t)(RT_BLOCK - 1))
#define RT_FOR_REST(i, n)                                                      \
	if (RT_WHOLE_BLOCKS(n) < RT_WINDOW_OF_BLOCKS)                          \
		RT_FOR(i, RT_BLOCK, 8, RT_WHOLE_BLOCKS(n) + (i) < (n))

/*
 * A loop over a whole string, step by step, is too long for the verifier where
 * strings are large, and as one loop fastest where they are small: its body is
 * a piece, which goes over RT_SPAN(rt) steps, and is the whole where strings
 * are small.
 */
#ifdef RT_SMALL
#define RT_PIECE    RT_INLINE
#define RT_SPAN(rt) ((uint64_t)rt_strmax(rt))
#else
#define RT_PIECE    RT_GLOBAL
#define RT_SPAN(rt) 512u
#endif

/* A body or a part of one that the verifier checks on its own. */
#ifdef __bpf__
#define RT_GLOBAL __attribute__((noinline))
#else
#define RT_GLOBAL
#endif

#define RT_SCRATCH_OFF __builtin_offsetof(struct rt, scratch_mem)
#define RT_W_OFF       (RT_SCRATCH_OFF + RT_SCRATCH)
#define RT_V_OFF       (__builtin_offsetof(struct rt, locals) + RT_LOCALS)
#define RT_W(rt)       ((rt)->scratch_mem + RT_SCRATCH)
#define RT_V(rt)       ((rt)->locals + RT_LOCALS)

/* The byte at a computed index of an area; see above. */
RT_INLINE uint64_t
rt_bound(uint64_t i, uint64_t mask)
{
	RT_OPAQUE(i);
	return i & mask;
}
#define RT_WORK(area, i)   ((area) + rt_bound(i, RT_STR_MAX - 1))
#define RT_AT(rt, off)     ((rt)->scratch_mem + rt_bound(off, RT_SCRATCH - 1))
#define RT_KEY_AT(rt, off) ((rt)->key + rt_bound(off, RT_KEY_MAX - 1))
/* Eight bytes at a multiple of 8. */
#define RT_WORD(p) (*(uint64_t *)(void *)(p))

/* Bytes of a string at most, NUL included, in a form with a visible bound. */
RT_INLINE uint32_t
rt_strmax(struct rt *rt)
{
	uint32_t n = RT_CONF(strsize);

	RT_OPAQUE(n);
	return n > RT_STR_MAX ? RT_STR_MAX : n;
}

/* Address, as DIF sees it, of an offset in scratch. */
RT_INLINE uint64_t
rt_scratch_addr(struct rt *rt, uint64_t off)
{
	return rt->self + RT_SCRATCH_OFF + off;
}

/* Take n bytes at off, the end of the used scratch, where they fit. */
RT_INLINE uint64_t
rt_scratch_keep(struct rt *rt, uint64_t off, uint64_t n)
{
	rt->scratch = (uint32_t)RT_ROUND8(off + n);
	return rt_scratch_addr(rt, off);
}

/* ---- rt_work.c: strings in the work areas ------------------------------ */

/* Fetch the string at addr to W or V: bytes with the NUL, 0 after a fault. */
uint64_t rt_work_fetch(struct rt *rt, uint64_t addr);
uint64_t rt_work_fetch2(struct rt *rt, uint64_t addr);
/* A new string of scratch from W[start..start+len): its address. */
uint64_t rt_work_keep(struct rt *rt, uint64_t start, uint64_t len);
/* The first i < n with W[i] == c; n if there is none. */
uint64_t rt_work_chr(struct rt *rt, uint64_t c, uint64_t n);
/* 1 + the last i < n with W[i] == c, or != c; 0 if there is none.  (Two
   functions, because the verifier would follow both ways at each step.) */
uint64_t rt_work_rchr(struct rt *rt, uint64_t c, uint64_t n);
uint64_t rt_work_rskip(struct rt *rt, uint64_t c, uint64_t n);
/* Return 1 if W at pos begins with V, else 0. */
uint64_t rt_work_match(struct rt *rt, uint64_t pos);
/* The first i, from <= i <= last, where W matches V; the last i <= from:
   both look at one window only. */
#define RT_NOT_FOUND ((uint64_t)-1)
uint64_t rt_window_find(struct rt *rt, uint64_t from, uint64_t last);
uint64_t rt_window_rfind(struct rt *rt, uint64_t from);
/* The order of two strings by the words in which they first differ or end. */
uint64_t rt_work_order(uint64_t w, uint64_t v);

/* ---- rt_text.c --------------------------------------------------------- */

/* Value of a digit in any base to 36; 99 for what is none. */
uint64_t rt_text_digit(uint64_t c);

/* ---- rt_subr.c --------------------------------------------------------- */

/* BPF: the current process's number as the consumer knows it; 0: it does
   not. */
uint64_t rt_subr_current(struct rt *rt);

/* ---- rt_scratch.c ------------------------------------------------------ */

/* A string of at most max bytes, NUL included, to scratch at off, which is
   not taken by that: bytes with the NUL, 0 after a fault. */
uint64_t rt_scratch_str(struct rt *rt, uint64_t addr, uint64_t off,
			uint64_t max);
uint64_t rt_scratch_ustr(struct rt *rt, uint64_t addr, uint64_t off,
			 uint64_t max);
/* n bytes to scratch at off; the place must have been checked. */
uint64_t rt_scratch_copy(struct rt *rt, uint64_t src, uint64_t off, uint64_t n);
uint64_t rt_scratch_ucopy(struct rt *rt, uint64_t src, uint64_t off,
			  uint64_t n);
/* Zero the words of scratch that hold n bytes from off, a multiple of 8. */
uint64_t rt_scratch_zero(struct rt *rt, uint64_t off, uint64_t n);
/* The offset in scratch of n allocated bytes at addr, or -1 after a fault. */
uint64_t rt_scratch_own(struct rt *rt, uint64_t addr, uint64_t n);

/* ---- rt_key.c ---------------------------------------------------------- */

/* Put one thing in the key at off: its length there, 0 after a fault. */
uint64_t rt_key_val(struct rt *rt, uint64_t off, uint64_t val);
uint64_t rt_key_str(struct rt *rt, uint64_t off, uint64_t addr);
uint64_t rt_key_bytes(struct rt *rt, uint64_t off, uint64_t addr, uint64_t n);
/* Hash of the first n bytes, a multiple of 8. */
uint64_t rt_key_hash(struct rt *rt, uint64_t n);

/* ---- rt_agg.c ---------------------------------------------------------- */

/* Return 1 if the key of n bytes at pos of the agg element is the present one,
   else 0.  Put it there. */
uint64_t rt_agg_same(struct rt *rt, uint64_t pos, uint64_t n);
uint64_t rt_agg_put(struct rt *rt, uint64_t pos, uint64_t n);
/* Look for the entry of the present key from the entry at head on, in the half
   at base.  id_hash: the aggregation's id in the upper half, the hash in the
   lower.  The entry's offset in the half | RT_AGG_FOUND; or where to go on
   after RT_AGG_LINKS entries; or 0 at the end of the chain. */
#define RT_AGG_LINKS 8
#define RT_AGG_FOUND (1ull << 32)
uint64_t rt_agg_links(struct rt *rt, uint64_t base, uint64_t head,
		      uint64_t id_hash, uint64_t keysize);

#endif
