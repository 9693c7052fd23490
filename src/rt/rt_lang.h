/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_lang.h - what the walks along frames of languages have in common
 * (rt_python.c, rt_perl.c): reads of the thread's memory, and the table of what
 * was met (struct rt_py_area).
 */
#ifndef RT_RT_LANG_H
#define RT_RT_LANG_H

#include "rt/rt_impl.h"

#define PY_PROBES 8u
#define PY_NONE	  (~0ull)
#define PY_MINE	  (1ull << 32)
#define PY_HASH	  0x9e3779b97f4a7c15ull

RT_INLINE uint64_t
py_word(const struct rt *rt, uint64_t off)
{
	return *(const uint64_t *)(const void *)(rt->unw.buf +
						 rt_bound(off, 0xf8));
}

RT_INLINE uint32_t
py_half(const struct rt *rt, uint64_t off)
{
	return *(const uint32_t *)(const void *)(rt->unw.buf +
						 rt_bound(off, 0xfc));
}

RT_INLINE uint32_t
py_byte(const struct rt *rt, uint64_t off)
{
	return rt->unw.buf[rt_bound(off, 0xff)];
}

/* The word at addr; 0: it cannot be read. */
RT_INLINE uint64_t
py_load(struct rt *rt, uint64_t addr)
{
	return rt_uread(rt, rt->unw.buf, 8, addr) == 0 ? py_word(rt, 0) : 0;
}

/* ---- what differs by where we run ------------------------------------------
 */

#ifdef __bpf__

#define PY_FROM 0

RT_INLINE uint64_t
py_thread(struct rt *rt)
{
	uint64_t val = 0, off = RT_CONF(task_fsbase);

	if (off == 0)
		return 0;
	return bpf_probe_read_kernel(&val, 8,
				     (const void *)(bpf_get_current_task() +
						    off)) == 0
		       ? val
		       : 0;
}

RT_INLINE uint32_t
py_pid(struct rt *rt)
{
	return (uint32_t)rt_subr_current(rt);
}

RT_INLINE struct rt_py_area *
py_area(struct rt *rt)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&rt_map_unwpy, &zero);
}

#else

#define PY_FROM RT_PY_PROCESS

RT_INLINE uint64_t
py_thread(struct rt *rt)
{
#ifndef RT_NATIVE
	return RT_HOST(rt)->thread;
#else
	uint64_t self = 0;

#ifdef __x86_64__
	if (RTN_SHARED(rt)->has_fsgsbase) {
		__asm__ volatile("rdfsbase %0" : "=r"(self));
		return self;
	}
	if (!RTN_SHARED(rt)->fs_asked)
		__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	else if (!RTN_SHARED(rt)->seccomp)
		rtn_syscall3(RTN_SYS_arch_prctl, RTN_ARCH_GET_FS,
			     (uint64_t)&self, 0);
#endif
	return self;
#endif
}

RT_INLINE uint32_t
py_pid(struct rt *rt)
{
	return 0;
}

RT_INLINE struct rt_py_area *
py_area(struct rt *rt)
{
#ifdef RT_NATIVE
	return &((struct rt_unw_area *)RTN_SHARED(rt)->unw)->py;
#else
	return &RT_HOST(rt)->unw->py;
#endif
}

#endif

/* What the thread has for a key of the C library. */
RT_INLINE uint64_t
py_specific(struct rt *rt, uint64_t self, uint64_t key)
{
	uint64_t at = py_load(rt, self + rt->unw.py.specific + key / 32 * 8);

	return at != 0 ? py_load(rt, at + key % 32 * 16 + 8) : 0;
}

/* ---- what was met
 * ------------------------------------------------------------ */

struct py_str {
	uint64_t at;
	uint32_t n, kind;
};

RT_INLINE uint32_t
py_copy(struct rt *rt, struct rt_py_area *a, uint32_t to,
	const struct py_str *s, uint32_t max)
{
	uint8_t *dst = a->text + rt_bound(to, RT_PY_TEXT - 1);
	uint32_t n = (uint32_t)rt_bound(s->n, max);

	return n != 0 && rt_uread(rt, dst, n, s->at) == 0 ? n : 0;
}

/* Room for n bytes of text; RT_PY_TEXT: there is none. */
RT_INLINE uint32_t
py_room(struct rt_py_area *a, uint32_t n)
{
	uint32_t at;

	if (*(volatile uint32_t *)&a->used >= RT_PY_TEXT)
		return RT_PY_TEXT;
	at = __sync_fetch_and_add(&a->used, n);
	return at < RT_PY_TEXT && n <= RT_PY_TEXT - at ? at : RT_PY_TEXT;
}

/*
 * The number of what lies at `code` and has the words that `check` is a hash
 * of. With PY_MINE it is new: the caller copies what names it, and says so
 * (py_claimed()).  RT_PY_UNKNOWN: there is no room.
 */
RT_INLINE uint64_t
py_claim(struct rt_py_area *a, uint64_t code, uint64_t check, uint32_t pid)
{
	uint64_t at = ((code >> 4) + pid) * PY_HASH >> 40, i;

	RT_FOR(i, PY_PROBES, 1, 1)
	{
		uint64_t n = rt_bound(at + i, RT_PY_CODES - 1);
		struct rt_py_code *c = &a->code[n];

		if (n == RT_PY_UNKNOWN)
			continue;
		if (c->state >= RT_PY_DONE) {
			if (c->code == code && c->check == check &&
			    c->pid == pid)
				return c->state == RT_PY_DONE ? n
							      : RT_PY_UNKNOWN;
		} else if (__sync_val_compare_and_swap(&c->state, RT_PY_FREE,
						       RT_PY_BUSY) ==
			   RT_PY_FREE) {
			c->code = code;
			c->check = check;
			c->pid = pid;
			return n | PY_MINE;
		}
	}
	return RT_PY_UNKNOWN;
}

/* What was claimed is in the state; its number. */
RT_INLINE uint64_t
py_claimed(struct rt_py_code *c, uint64_t n, uint32_t state)
{
	__sync_val_compare_and_swap(&c->state, RT_PY_BUSY, state);
	return state == RT_PY_DONE ? n & ~PY_MINE : RT_PY_UNKNOWN;
}

#endif
