/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_unwind_impl.h - what the walk of rt_unwind.c shares with its parts:
 * rt_unwind_bare.c, where code has no frame, and rt_unwind_quick.c, which takes
 * several frames at once.
 */
#ifndef RT_RT_UNWIND_IMPL_H
#define RT_RT_UNWIND_IMPL_H

#include "rt/rt_impl.h"

#define UNW_PAGE      4096u
#define UNW_WINDOW    2048u	    /* bytes of the stack that are read at
				       once */
#define UNW_FRAME_MAX (16u << 20) /* bytes from one frame pointer to the next */
#define UNW_HASH      0x9e3779b97f4a7c15ull

/*
 * Where the return address of the function at unw.pc is, in bytes above rsp, by
 * the bytes there: of its first and last instructions.  UNW_FRAMED: they are
 * none of these; UNW_HIDDEN: it is in a register.
 */
#define UNW_FRAMED (~0ull)
#define UNW_HIDDEN (~1ull)
uint64_t rt_unwind_bare(struct rt *rt);

/* Put a frame behind those that are there. */
RT_INLINE void
unw_note(struct rt *rt, uint64_t pc)
{
	struct rt_unw *u = &rt->unw;
	uint32_t i = u->have;

	*(uint64_t *)(void *)((uint8_t *)RT_FRAMES(rt) +
			      rt_bound(i * 8, RT_UNWIND_MAX * 8 - 8)) = pc;
	u->have = i + 1;
}

#endif
