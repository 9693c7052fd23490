/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_stack.c - the user's stack: by tables (rt_unwind.c), or, of code
 * that has none, by frame pointers.
 *
 *   pc, [the word at rsp], then the chain: rbp -> | next rbp | return address |
 *
 * At the entry of a function and at its ret, rbp is the caller's: the chain
 * gives the caller's caller, and the caller itself is at rsp.  The kernel
 * looks for `push %rbp` or `endbr64` at the pc to learn that; generated code
 * knows what kind of place it is and says so in ureg[RTN_UREG_RET].  Then the
 * frames are those of the kernel engine at an entry.
 *
 * rbp may hold anything where code has no frame pointers, and stacks end
 * anywhere: words are read by checked copies, a piece of the stack at a time,
 * to the work area W; and the chain ends where it does not go up, goes up too
 * far, or is not aligned.
 */
#include "rt/rt_native_impl.h"
#include "rt/rt_impl.h"

#define PIECE_MAX 4096u /* bytes of the stack that are read at once */
#define FRAME_MAX (16u << 20) /* bytes from one frame to the next */

/* The piece of the stack that lies in W. */
struct piece {
	uint64_t addr, n;
	uint64_t want; /* bytes to read at once */
};

static int
stack_word(struct rt *rt, struct piece *p, uint64_t addr, uint64_t *val)
{
	int64_t got;

	if (addr < p->addr || addr - p->addr > p->n ||
	    p->n - (addr - p->addr) < 8) {
		p->addr = addr;
		p->n = 0;
		got = rtn_mem_some(rt, RT_W(rt), p->want, addr);
		if (got < 8)
			return 0;
		p->n = (uint64_t)got;
	}
	memcpy(val, RT_W(rt) + (addr - p->addr), 8);
	return 1;
}

uint64_t
rtn_frames(struct rt *rt, uint64_t *dst, uint64_t n)
{
	uint64_t low = rt->ureg[RT_R_RSP], fp = rt->ureg[RT_R_RBP];
	struct piece p = { 0, 0, n < 8 ? 256 : PIECE_MAX };
	uint64_t have = 0, ret;

	if (RTN_SHARED(rt)->unw != 0) {
		have = (uint32_t)rt_unwind(
			rt, rt->ureg[RT_R_RIP], low, fp,
			RT_UNWIND_PLACED |
				(rt->ureg[RTN_UREG_RET] ? n | RT_UNWIND_BELOW
							: n));
		/* "rep movsb" would take as long as some frames. */
		for (uint64_t i = 0; i < have; i++)
			dst[i] = RT_FRAMES(rt)[i];
		if (have != 0)
			return have;
	}
	if (have < n)
		dst[have++] = rt->ureg[RT_R_RIP];
	if (have < n && rt->ureg[RTN_UREG_RET] && stack_word(rt, &p, low, &ret))
		dst[have++] = ret;
	while (have < n && fp >= low && fp - low <= FRAME_MAX && fp % 8 == 0) {
		uint64_t next;

		if (!stack_word(rt, &p, fp, &next) ||
		    !stack_word(rt, &p, fp + 8, &ret) || ret == 0)
			break;
		dst[have++] = ret;
		low = fp + 16;
		fp = next;
	}
	return have;
}
