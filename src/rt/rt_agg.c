/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_agg.c - the cells of aggregations with keys.
 *
 * Entries are put one after the other in the half that probes write at
 * present (layout: rt.h) and chained by hash; they never move and are never
 * freed: the consumer takes the whole half and zeroes it.  So a new entry's
 * memory is zero already.  All positions below are offsets in the slot's
 * agg element, of both halves.  What does not fit is counted as a drop.
 *
 * The slot belongs to the present firing alone: nothing here is atomic.
 */
#include "rt/rt_impl.h"

#define CHAIN_MAX 128 /* entries looked at in a chain */

#ifdef __bpf__
RT_INLINE uint8_t *
agg_elem(struct rt *rt)
{
	uint32_t slot = rt->slot;

	return bpf_map_lookup_elem(&rt_map_agg, &slot);
}

RT_INLINE uint32_t
agg_half(struct rt *rt)
{
	uint32_t zero = 0;
	const struct rt_ctl *ctl = bpf_map_lookup_elem(&rt_map_ctl, &zero);

	return ctl ? ctl->agg_half : 0;
}
#elif defined(RT_NATIVE)
RT_INLINE uint8_t *
agg_elem(struct rt *rt)
{
	return (uint8_t *)rt->agg;
}

RT_INLINE uint32_t
agg_half(struct rt *rt)
{
	return RTN_SHARED(rt)->ctl.agg_half;
}
#else
RT_INLINE uint8_t *
agg_elem(struct rt *rt)
{
	return RT_HOST(rt)->agg ? RT_HOST(rt)->agg[rt->slot] : NULL;
}

RT_INLINE uint32_t
agg_half(struct rt *rt)
{
	return RT_HOST(rt)->ctl ? RT_HOST(rt)->ctl->agg_half : 0;
}
#endif

/* The n bytes at pos of the element, or NULL: here each access is checked,
   because offsets are read from memory. */
RT_INLINE void *
agg_at(struct rt *rt, uint8_t *elem, uint64_t pos, uint32_t n)
{
	uint64_t size = RT_CONF(aggsize);

	RT_OPAQUE(pos);
	if (size < n || pos > size - n)
		return (void *)0;
	return elem + pos;
}

/* The same of one window: n bytes of the key from off on. */
uint64_t rt_window_same(struct rt *rt, uint64_t pos, uint64_t off, uint64_t n);
uint64_t rt_window_put(struct rt *rt, uint64_t pos, uint64_t off, uint64_t n);

RT_GLOBAL uint64_t
rt_window_same(struct rt *rt, uint64_t pos, uint64_t off, uint64_t n)
{
	uint64_t i, diff, *p, *k;
	uint8_t *elem;
	int w;

	if (!rt)
		return 0;
	elem = agg_elem(rt);
	if (!elem)
		return 0;
	RT_FOR_BLOCKS(i, n) {
		p = agg_at(rt, elem, pos + i, RT_BLOCK);
		if (!p)
			return 0;
		k = &RT_WORD(RT_KEY_AT(rt, off + i));
		diff = 0;
		RT_UNROLL
		for (w = 0; w < 8; w++)
			diff |= p[w] ^ k[w];
		if (diff)
			return 0;
	}
	off += RT_WHOLE_BLOCKS(n);
	pos += RT_WHOLE_BLOCKS(n);
	RT_FOR_REST(i, n) {
		p = agg_at(rt, elem, pos + i, 8);
		if (!p || *p != RT_WORD(RT_KEY_AT(rt, off + i)))
			return 0;
	}
	return 1;
}

RT_GLOBAL uint64_t
rt_agg_same(struct rt *rt, uint64_t pos, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_KEY_MAX, RT_WINDOW_OF_BLOCKS, i < n)
		if (!rt_window_same(rt, pos + i, i, n - i))
			return 0;
	return 1;
}

RT_GLOBAL uint64_t
rt_window_put(struct rt *rt, uint64_t pos, uint64_t off, uint64_t n)
{
	uint64_t i, *p, *k;
	uint8_t *elem;
	int w;

	if (!rt)
		return 0;
	elem = agg_elem(rt);
	if (!elem)
		return 0;
	RT_FOR_BLOCKS(i, n) {
		p = agg_at(rt, elem, pos + i, RT_BLOCK);
		if (!p)
			return 0;
		k = &RT_WORD(RT_KEY_AT(rt, off + i));
		RT_UNROLL
		for (w = 0; w < 8; w++)
			p[w] = k[w];
	}
	off += RT_WHOLE_BLOCKS(n);
	pos += RT_WHOLE_BLOCKS(n);
	RT_FOR_REST(i, n) {
		p = agg_at(rt, elem, pos + i, 8);
		if (!p)
			return 0;
		*p = RT_WORD(RT_KEY_AT(rt, off + i));
	}
	return 1;
}

RT_GLOBAL uint64_t
rt_agg_put(struct rt *rt, uint64_t pos, uint64_t n)
{
	uint64_t i;

	if (!rt)
		return 0;
	RT_FOR(i, RT_KEY_MAX, RT_WINDOW_OF_BLOCKS, i < n)
		if (!rt_window_put(rt, pos + i, i, n - i))
			return 0;
	return 1;
}

/* Look at a few entries of the chain; see rt_impl.h. */
RT_GLOBAL uint64_t
rt_agg_links(struct rt *rt, uint64_t base, uint64_t head, uint64_t id_hash,
	     uint64_t keysize)
{
	uint64_t pos = head, i;
	struct rt_agg_entry *en;
	uint8_t *elem;

	if (!rt)
		return 0;
	elem = agg_elem(rt);
	if (!elem)
		return 0;
	RT_FOR(i, RT_AGG_LINKS, 1, pos != 0) {
		en = agg_at(rt, elem, base + pos, sizeof(*en));
		if (!en)
			return 0;
		if (en->hash == (uint32_t)id_hash && en->agg == id_hash >> 32 &&
		    en->keysize == keysize &&
		    rt_agg_same(rt, base + pos + sizeof(*en), keysize))
			return pos | RT_AGG_FOUND;
		pos = en->next;
	}
	return pos;
}

/* Find the entry of the present key in the chain that begins at pos: its
   offset in the half | RT_AGG_FOUND; 0 if there is none; else it is too far
   down the chain. */
RT_INLINE uint64_t
agg_find(struct rt *rt, uint64_t base, uint64_t pos, uint64_t id_hash,
	 uint64_t keysize)
{
	uint64_t i;

	RT_FOR(i, CHAIN_MAX, RT_AGG_LINKS, 1) {
		pos = rt_agg_links(rt, base, pos, id_hash, keysize);
		if (!pos || pos & RT_AGG_FOUND)
			break;
	}
	return pos;
}

RT_INLINE uint64_t
drop(struct rt *rt)
{
	rt->drops[RT_DROP_AGG]++;
	return 0;
}

/* Make the entry at the end of the used part and the head of its chain. */
RT_INLINE uint64_t
agg_new(struct rt *rt, uint8_t *elem, uint64_t base, uint32_t *bucket,
	uint64_t id_hash, uint64_t keysize, uint64_t cellsize)
{
	uint64_t used, size, pos;
	struct rt_agg_entry *en;
	struct rt_agg_half *half;

	half = agg_at(rt, elem, base, sizeof(*half));
	if (!half)
		return drop(rt);
	used = half->used;
	if (used < RT_CONF(agg_entries_off))
		used = RT_CONF(agg_entries_off);
	size = sizeof(*en) + keysize + cellsize;
	pos = base + used;
	en = agg_at(rt, elem, pos, sizeof(*en));
	if (!en || used + size > RT_CONF(agg_halfsize))
		return drop(rt);
	if (!rt_agg_put(rt, pos + sizeof(*en), keysize))
		return drop(rt);
	en->hash = (uint32_t)id_hash;
	en->agg = (uint32_t)(id_hash >> 32);
	en->keysize = (uint32_t)keysize;
	en->next = *bucket;
	/* In this order: the firing may be left at any point (rt_native.h),
	   and then the entry must not be taken for free. */
	half->used = (uint32_t)(used + size);
	half->nentries++;
	__asm__ volatile("" ::: "memory");
	*bucket = (uint32_t)used;
	return (pos + sizeof(*en) + keysize) | RT_AGG_NEW;
}

RT_GLOBAL uint64_t
rt_agg_cell(struct rt *rt, uint64_t agg, uint64_t keysize, uint64_t cellsize)
{
	uint64_t base, hash, pos, nb;
	uint32_t *bucket;
	uint8_t *elem;

	if (!rt)
		return 0;
	elem = agg_elem(rt);
	nb = RT_CONF(agg_nbuckets);
	if (!elem || !nb || keysize > RT_KEY_MAX ||
	    cellsize > RT_CONF(agg_halfsize))
		return drop(rt);
	base = agg_half(rt) ? RT_CONF(agg_halfsize) : 0;
	hash = (uint32_t)(rt_key_hash(rt, keysize) + agg) | agg << 32;
	bucket = agg_at(rt, elem,
			base + RT_CONF(agg_buckets_off) +
				(uint32_t)hash % nb * sizeof(*bucket),
			sizeof(*bucket));
	if (!bucket)
		return drop(rt);
	pos = agg_find(rt, base, *bucket, hash, keysize);
	if (pos & RT_AGG_FOUND)
		return base + (uint32_t)pos + sizeof(struct rt_agg_entry) +
		       keysize;
	if (pos)
		return drop(rt);
	return agg_new(rt, elem, base, bucket, hash, keysize, cellsize);
}
