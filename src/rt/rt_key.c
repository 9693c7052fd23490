/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_key.c - keys: the tuple stack as bytes that can be compared and hashed.
 *
 * A key is a sequence of words.  Equal tuples give equal bytes: strings are
 * zero padded to strsize, data to the next word (the layout of dif_layout()).
 * Keys are checked against RT_KEY_MAX when the program is compiled; here a
 * longer one is a fault, never a write elsewhere.
 */
#include "rt/rt_impl.h"

/* Zero n bytes of the key at off, both multiples of 8. */
uint64_t rt_key_zero(struct rt *rt, uint64_t off, uint64_t n);
uint64_t rt_window_keyzero(struct rt *rt, uint64_t off, uint64_t n);
uint64_t rt_window_hash(struct rt *rt, uint64_t h, uint64_t off, uint64_t n);

RT_GLOBAL uint64_t
rt_window_keyzero(struct rt *rt, uint64_t off, uint64_t n)
{
	uint64_t i, *p;
	int w;

	if (!rt)
		return 0;
	RT_FOR_BLOCKS(i, n) {
		p = &RT_WORD(RT_KEY_AT(rt, off + i));
		RT_UNROLL
		for (w = 0; w < 8; w++)
			p[w] = 0;
	}
	off += RT_WHOLE_BLOCKS(n);
	RT_FOR_REST(i, n)
		RT_WORD(RT_KEY_AT(rt, off + i)) = 0;
	return 0;
}

RT_GLOBAL uint64_t
rt_key_zero(struct rt *rt, uint64_t off, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_KEY_MAX, RT_WINDOW_OF_BLOCKS, i < n)
		rt_window_keyzero(rt, off + i, n - i);
	return 0;
}

/* True if there is room for n bytes at off. */
RT_INLINE int
fits(uint64_t off, uint64_t n)
{
	return off <= RT_KEY_MAX && n <= RT_KEY_MAX - off && !(off & 7);
}

RT_GLOBAL uint64_t
rt_key_val(struct rt *rt, uint64_t off, uint64_t val)
{
	if (!rt)
		return 0;
	if (!fits(off, 8))
		return rt_fail(rt, RT_FAULT_TUPOFLOW, 0);
	RT_WORD(RT_KEY_AT(rt, off)) = val;
	return 8;
}

RT_GLOBAL uint64_t
rt_key_str(struct rt *rt, uint64_t off, uint64_t addr)
{
	uint32_t max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	if (!fits(off, RT_ROUND8(max)))
		return rt_fail(rt, RT_FAULT_TUPOFLOW, 0);
	rt_key_zero(rt, off, RT_ROUND8(max));
	if (rt_read_str(rt, RT_KEY_AT(rt, off), max, addr) <= 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return RT_ROUND8(max);
}

RT_GLOBAL uint64_t
rt_key_bytes(struct rt *rt, uint64_t off, uint64_t addr, uint64_t n)
{
	uint64_t done = 0, i, left;

	if (!rt)
		return 0;
	if (n == 0 || !fits(off, n))
		return rt_fail(rt, RT_FAULT_TUPOFLOW, 0);
	rt_key_zero(rt, off + (n & ~7ull), n & 7 ? 8 : 0);
	RT_FOR(i, RT_KEY_MAX / RT_STR_MAX, 1, done < n) {
		left = n - done;
		RT_OPAQUE(left);
		if (left > RT_STR_MAX)
			left = RT_STR_MAX;
		if (rt_read(rt, RT_KEY_AT(rt, off + done), (uint32_t)left,
			    addr + done) < 0)
			return rt_fail(rt, RT_FAULT_BADADDR, addr);
		done += RT_STR_MAX;
	}
	return RT_ROUND8(n);
}

RT_GLOBAL uint64_t
rt_tuple_key(struct rt *rt, uint64_t prefix)
{
	uint64_t len = prefix, n, i;
	struct rt_tuple *t;

	if (!rt)
		return 0;
	RT_FOR(i, RT_NTUPLE, 1, i < rt->ntuple) {
		t = &rt->tuple[i];
		if (t->isstr)
			n = rt_key_str(rt, len, t->val);
		else if (t->isref)
			n = rt_key_bytes(rt, len, t->val, t->size);
		else
			n = rt_key_val(rt, len, t->val);
		if (!n)
			return 0;
		len += n;
	}
	rt->keylen = (uint32_t)len;
	return len;
}

/* A multiplication and a fold for each word.  Blocks of zeroes, of which the
   keys of short strings have many, are left out. */
#define HASH_STEP(h, word)                                                     \
	do {                                                                   \
		(h) = ((h) ^ (word)) * 0x9e3779b97f4a7c15ull;                  \
		(h) ^= (h) >> 32;                                              \
	} while (0)

RT_GLOBAL uint64_t
rt_window_hash(struct rt *rt, uint64_t h, uint64_t off, uint64_t n)
{
	uint64_t i, any, *p;
	int w;

	if (!rt)
		return 0;
	RT_FOR_BLOCKS(i, n) {
		p = &RT_WORD(RT_KEY_AT(rt, off + i));
		any = 0;
		RT_UNROLL
		for (w = 0; w < 8; w++)
			any |= p[w];
		if (!any)
			continue;
		RT_UNROLL
		for (w = 0; w < 8; w++)
			HASH_STEP(h, p[w]);
	}
	off += RT_WHOLE_BLOCKS(n);
	RT_FOR_REST(i, n)
		HASH_STEP(h, RT_WORD(RT_KEY_AT(rt, off + i)));
	return h;
}

RT_GLOBAL uint64_t
rt_key_hash(struct rt *rt, uint64_t n)
{
	uint64_t h = n, i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_KEY_MAX, RT_WINDOW_OF_BLOCKS, i < n)
		h = rt_window_hash(rt, h, i, n - i);
	return h;
}
