/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_unwind_quick.c - several frames at once, in registers, for the walk of the
 * kernel engine (rt_unwind.c).
 *
 * Nearly all frames are behind calls whose rule was found before and asks for
 * words of a piece of the stack that was read.  A step of bpf_loop() for each
 * of these, with all that the other cases need, costs more than the frame; so
 * each step first takes as many of these as there are, UNW_QUICK at most.
 */
#include "rt/rt_unwind_impl.h"

#define UNW_QUICK 4 /* frames that are tried at once */

/* The present frame, in registers. */
struct unw_now {
	uint64_t pc, sp, fp;
};

/* The word at addr, if the piece of the stack that was read has it: 1. */
RT_INLINE int
unw_had(const struct rt *rt, const struct rt_unw *u, uint64_t addr,
	uint64_t *val)
{
	uint64_t off = addr - u->win;

	if (addr < u->win || off + 8 > u->nwin)
		return 0;
	*val = *(const uint64_t *)(const void *)(RT_W(rt) +
						 rt_bound(off, UNW_WINDOW - 1));
	return 1;
}

/* The rule for a return address, if it was found before; else 0. */
RT_INLINE uint64_t
unw_cached(const struct rt_unw *u, uint64_t pc)
{
	uint64_t at = (pc - 1) | (uint64_t)u->id << 48;
	uint64_t i = rt_bound((at * UNW_HASH) >> 56, RT_UNW_CACHE - 1);

	return u->cache[i].at == at ? u->cache[i].rule : 0;
}

/* The CFA by a rule that asks for no more than a register, if it is within
   reach and no frame of Python lies below; else 0. */
RT_INLINE uint64_t
unw_plain_cfa(const struct rt_unw *u, const struct unw_now *n, uint64_t rule)
{
	uint64_t cfa = (uint64_t)(int64_t)(int32_t)rule;
	uint64_t kind = rule >> 48 & (RT_UNW_KIND | RT_UNW_GUESS);

	if (kind == RT_UNW_RSP)
		cfa += n->sp;
	else if (kind == RT_UNW_RBP)
		cfa += n->fp;
	else
		return 0;
	if (cfa <= n->sp || cfa - n->sp > UNW_FRAME_MAX ||
	    u->py_cframe - n->sp < cfa - n->sp)
		return 0;
	return cfa;
}

/*
 * What unw_frame() does, for the most frequent case by far: a return address
 * whose rule was found before and asks for nothing but words that were read.
 * 0: it is another case, and nothing has been done.
 */
RT_INLINE int
unw_quick(struct rt *rt, struct rt_unw *u, struct unw_now *n)
{
	uint64_t rule = unw_cached(u, n->pc);
	uint64_t cfa = unw_plain_cfa(u, n, rule), fp = n->fp, at, pc;

	if (cfa == 0 || (n->pc - 1) >> 47 != 0 || !unw_had(rt, u, cfa - 8, &pc))
		return 0;
	at = (uint64_t)(int64_t)(int16_t)(rule >> 32);
	if (at == RT_UNW_LOST) {
		fp = 0;
	} else if (at != 0 || (rule >> 48 & RT_UNW_BY_RBP) != 0) {
		at += (rule >> 48 & RT_UNW_BY_RBP) != 0 ? fp : cfa;
		if (!unw_had(rt, u, at, &fp))
			return 0;
	}
	unw_note(rt, n->pc);
	n->pc = pc;
	n->sp = cfa;
	n->fp = fp;
	return 1;
}

/* As many quick steps as there can be, UNW_QUICK at most; 1: all of them. */
RT_INLINE int
unw_quick_some(struct rt *rt, struct rt_unw *u)
{
	struct unw_now n = { u->pc, u->sp, u->fp };
	int k;

	RT_UNROLL
	for (k = 0; k < UNW_QUICK; k++)
		if (u->have + 1 >= u->max || !unw_quick(rt, u, &n))
			break;
	u->pc = n.pc;
	u->sp = n.sp;
	u->fp = n.fp;
	return k == UNW_QUICK;
}
