/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_agg_add.c - a value goes into the cell of an aggregation: what the words
 * of aggword.def do with it.
 *
 * This defines it.  The interpreter calls it, and native code where it has no
 * shorter way; what code makers do in place must come to the same.
 */
#include "rt/rt_impl.h"

/* ---- the words ----------------------------------------------------------- */

RT_INLINE void
rt_word_ONE(uint64_t *c, uint64_t v, uint64_t inc)
{
	c[0]++;
}

RT_INLINE void
rt_word_VAL(uint64_t *c, uint64_t v, uint64_t inc)
{
	c[0] += v;
}

RT_INLINE void
rt_word_MIN(uint64_t *c, uint64_t v, uint64_t inc)
{
	if ((int64_t)v < (int64_t)c[0])
		c[0] = v;
}

RT_INLINE void
rt_word_MAX(uint64_t *c, uint64_t v, uint64_t inc)
{
	if ((int64_t)v > (int64_t)c[0])
		c[0] = v;
}

RT_INLINE void
rt_word_SQUARE(uint64_t *c, uint64_t v, uint64_t inc)
{
	__int128 square = (__int128)(int64_t)v * (int64_t)v;
	unsigned __int128 sum = ((unsigned __int128)c[1] << 64 | c[0]) +
				(unsigned __int128)square;

	c[0] = (uint64_t)sum;
	c[1] = (uint64_t)(sum >> 64);
}

RT_INLINE void
rt_word_BUCKET(uint64_t *c, uint64_t v, uint64_t inc)
{
	c[v] += inc;
}

/* ---- cells --------------------------------------------------------------- */

/* Switches, for in a traced process a table of functions would have to be
   relocated. */
enum {
#define AGGWORD(NAME, words, start, what) RT_WORDS_##NAME = words,
#include "dif/aggword.def"
#undef AGGWORD
};
#define AGGWORD(NAME, words, start, what)                                      \
	static const uint64_t rt_start_##NAME = (uint64_t)(start);
#include "dif/aggword.def"
#undef AGGWORD

#define W2(a, b)    W1(a) W1(b)
#define W3(a, b, c) W1(a) W1(b) W1(c)

uint64_t
rt_agg_start(uint64_t *cell, uint64_t func)
{
	switch (func) {
#define W1(a)                                                                  \
	*cell = rt_start_##a;                                                  \
	cell += RT_WORDS_##a;
#define AGG(code, name, words, map, shown, bounds, min, max, proto)            \
	case code:                                                             \
		words break;
#include "dif/agg.def"
#undef AGG
#undef W1
	}
	return 0;
}

uint64_t
rt_agg_add(struct rt *rt, uint64_t cell, uint64_t val,
	   const struct rt_aggop *op)
{
	uint64_t *c = (uint64_t *)cell;

	switch (op->func) {
#define MAP_NO(name)
#define MAP_RT(name)  val = rt_agg_##name(rt, op->arg, val, op->zero);
#define MAP_OWN(name) MAP_RT(name)
#define W1(a)                                                                  \
	rt_word_##a(c, val, op->inc);                                          \
	c += RT_WORDS_##a;
#define AGG(code, name, words, map, shown, bounds, min, max, proto)            \
	case code:                                                             \
		MAP_##map(name) words break;
#include "dif/agg.def"
#undef AGG
#undef W1
	}
	return 0;
}
