/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_unwind_bare.c - functions that have no frame yet, or no longer, in code
 * that no table describes: made at run time, or assembler.
 *
 * Frame pointers lead from such a place to the caller's caller, so the bytes at
 * the pc are looked at: push %rbp; mov %rsp,%rbp in front of it or behind, ret,
 * and what V8 does otherwise.  Generated code of V8 looks at a flag before it
 * builds a frame, and takes a number of arguments from the stack that it finds
 * in a register when it returns.  Its baseline code has its frame built by what
 * it calls first, and has none in that call.
 */
#include "rt/rt_unwind_impl.h"

#define UNW_BEFORE 24u /* bytes of code that are looked at, before pc */
#define UNW_BYTES  48u

/* Four bytes anywhere; for BPF, clang would read one that says so byte by
   byte. */
#ifdef __bpf__
typedef uint32_t unw_bytes4;
#else
typedef uint32_t unw_bytes4 __attribute__((aligned(1), may_alias));
#endif

RT_INLINE uint32_t
unw_code4(const struct rt *rt, uint64_t off)
{
	return *(const unw_bytes4 *)(const void *)(rt->unw.buf +
						   rt_bound(off, 0xff));
}

/* Not 0 if push %rbp; mov %rsp,%rbp stands at so many bytes behind the pc. */
RT_INLINE int
unw_builds(const struct rt *rt, uint64_t off)
{
	uint32_t b = unw_code4(rt, UNW_BEFORE + off);

	return b == 0xe5894855 || b == 0xec8b4855;
}

/* Not 0 if the pc is in the midst of what V8's baseline code begins with: bb
   imm32 / 49 bc imm64 / e8: mov to ebx, mov to r12, call. */
RT_INLINE int
unw_baseline(const struct rt *rt, uint64_t off)
{
	uint64_t at = UNW_BEFORE + off;

	return (unw_code4(rt, at) & 0xff) == 0xbb &&
	       (unw_code4(rt, at + 5) & 0xffff) == 0xbc49 &&
	       (unw_code4(rt, at + 15) & 0xff) == 0xe8;
}

/* Not 0 if a jump stands at the pc, to where a frame is built: so V8's regular
   expressions begin. */
RT_INLINE int
unw_jumps(struct rt *rt)
{
	uint64_t to = (uint64_t)(int64_t)(int32_t)unw_code4(rt, UNW_BEFORE + 1);

	if ((unw_code4(rt, UNW_BEFORE) & 0xff) != 0xe9 ||
	    rt_uread(rt, rt->unw.buf, 4, rt->unw.pc + 5 + to) != 0)
		return 0;
	return unw_builds(rt, (uint64_t)-(int64_t)UNW_BEFORE);
}

RT_GLOBAL uint64_t
rt_unwind_bare(struct rt *rt)
{
	uint32_t here, next, last;
	uint64_t i;

	if (!rt || rt->unw.pc < UNW_PAGE ||
	    rt_uread(rt, rt->unw.buf, UNW_BYTES, rt->unw.pc - UNW_BEFORE) != 0)
		return UNW_FRAMED;
	if (!rt->unw.exact)
		return unw_baseline(rt, (uint64_t)-20) ? 0 : UNW_FRAMED;
	here = unw_code4(rt, UNW_BEFORE);
	next = unw_code4(rt, UNW_BEFORE + 4);
	last = unw_code4(rt, UNW_BEFORE - 4);
	/* lea (%rsp,%rcx,8),%rsp; push %r10; ret, behind pop %r10 */
	if ((here == 0xcc248d48 && (next & 0xffff) == 0x5241) ||
	    (here & 0xffffff) == 0xc35241)
		return UNW_HIDDEN;
	/* ret, pop %r10 before these */
	if ((here & 0xff) == 0xc3 || (here & 0xff) == 0xc2 ||
	    ((here & 0xffff) == 0x5a41 &&
	     (here >> 16 | next << 16) == 0xcc248d48))
		return 0;
	/* Behind mov %rbp,%rsp; pop %rbp */
	if (last == 0x5de58b48 || last == 0x5dec8948)
		return 0;
	/* jg, behind pop %rbp; cmp $n,%rcx */
	if ((here & 0xff) == 0x7f && (last & 0xffffff) == 0xf98348 &&
	    (unw_code4(rt, UNW_BEFORE - 5) & 0xff) == 0x5d)
		return 0;
	if (last >> 24 == 0x55 && ((here & 0xffffff) == 0xe58948 ||
				   (here & 0xffffff) == 0xec8b48))
		return 8;
	if (unw_baseline(rt, 0) || unw_baseline(rt, (uint64_t)-5) ||
	    unw_baseline(rt, (uint64_t)-15))
		return 0;
	RT_FOR(i, 19, 1, 1)
	{
		if (unw_builds(rt, i))
			return 0;
	}
	return unw_jumps(rt) ? 0 : UNW_FRAMED;
}
