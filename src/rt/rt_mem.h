/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_mem.h - memory as the bodies of rt/ see it, in their three compilations.
 *
 * A D program's addresses are plain numbers.  Three kinds are met here:
 *
 *   inside struct rt   scratch, this-> variables, the key.  Bodies reach
 *                      them directly by offset, always bounded in a way the
 *                      verifier of the kernel can follow.
 *   kernel             rt_read(), rt_read_str(): checked, -1 for a bad one
 *   user               rt_uread(), rt_uread_str(), rt_uwrite(): likewise
 *
 * For BPF these are the bpf_probe_read_*() helpers, for the host the read()
 * hook of struct rt_host_mem, in the traced process (RT_NATIVE) checked reads
 * of its own memory, whatever the kind; struct rt itself is readable by its
 * address (rt->self) in all.  The string readers behave as the helpers do: at
 * most n bytes, the last one always NUL, and the count with the NUL is
 * returned.
 *
 * RT_CONF(field) is a constant of struct rt_conf; it needs `rt` in scope.
 * rt_clock() is the time of the call, in the unit of the times in the records
 * that this machine writes; rt_timestamp() that of the firing in ns, read when
 * it is first wanted.
 */
#ifndef RT_RT_MEM_H
#define RT_RT_MEM_H

#if !defined(__bpf__) && !defined(RT_NATIVE)
#include <stdbool.h>
#include <string.h>
#endif

#include "rt/rt_body.h"

/* Faults by number; dif.h, which has them too, is not for BPF. */
enum rt_fault {
#define FAULT(num, NAME, text, addr) RT_FAULT_##NAME = num,
#include "dif/fault.def"
#undef FAULT
	RT_FAULT_NONE = 0xffff
};

#define RT_INLINE    static inline __attribute__((always_inline))
#define RT_ROUND8(n) (((n) + 7) & ~(uint64_t)7)

/*
 * Make the compiler forget what it knows of x, so that a check that the
 * verifier must see is not optimised away, nor moved behind its use.
 */
#define RT_OPAQUE(x) __asm__ volatile("" : "+r"(x))

#ifdef __bpf__

#define RT_SEC(name) __attribute__((section(name), used))

/* The few helpers that are used, by their numbers in the kernel's ABI. */
static void *(*const bpf_map_lookup_elem)(void *, const void *) = (void *)1;
static uint64_t (*const bpf_ktime_get_ns)(void) = (void *)5;
static uint32_t (*const bpf_get_prandom_u32)(void) = (void *)7;
static long (*const bpf_map_update_elem)(void *, const void *, const void *,
					 uint64_t) = (void *)2;
static uint64_t (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_loop)(uint32_t, void *, void *,
			      uint64_t) = (void *)181;
static uint64_t (*const bpf_get_current_task)(void) = (void *)35;
static void *(*const bpf_get_current_task_btf)(void) = (void *)158;
static long (*const bpf_find_vma)(void *, uint64_t, void *, void *,
				  uint64_t) = (void *)180;
static long (*const bpf_probe_write_user)(void *, const void *,
					  uint32_t) = (void *)36;
static long (*const bpf_probe_read_user)(void *, uint32_t,
					 const void *) = (void *)112;
static long (*const bpf_probe_read_kernel)(void *, uint32_t,
					   const void *) = (void *)113;
static long (*const bpf_probe_read_user_str)(void *, uint32_t,
					     const void *) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(void *, uint32_t,
					       const void *) = (void *)115;

extern const volatile struct rt_conf rt_conf;
#define RT_CONF(field) (rt_conf.field)

RT_INLINE long
rt_read(struct rt *rt, void *dst, uint32_t n, uint64_t addr)
{
	return bpf_probe_read_kernel(dst, n, (const void *)addr);
}

RT_INLINE long
rt_uread(struct rt *rt, void *dst, uint32_t n, uint64_t addr)
{
	return bpf_probe_read_user(dst, n, (const void *)addr);
}

RT_INLINE long
rt_read_str(struct rt *rt, void *dst, uint32_t n, uint64_t addr)
{
	return bpf_probe_read_kernel_str(dst, n, (const void *)addr);
}

RT_INLINE long
rt_uread_str(struct rt *rt, void *dst, uint32_t n, uint64_t addr)
{
	return bpf_probe_read_user_str(dst, n, (const void *)addr);
}

RT_INLINE long
rt_uwrite(struct rt *rt, uint64_t addr, const void *src, uint32_t n)
{
	return bpf_probe_write_user((void *)addr, src, n);
}

RT_INLINE uint32_t
rt_random(struct rt *rt)
{
	return bpf_get_prandom_u32();
}

RT_INLINE uint64_t
rt_clock(struct rt *rt)
{
	return bpf_ktime_get_ns();
}

#elif defined(RT_NATIVE)

#include "rt/rt_native.h"

#define RTN_SHARED(rt) ((struct rtn_shared *)(rt)->host)
#define RT_CONF(field) (RTN_SHARED(rt)->conf.field)

/* rt_native_mem.c */
void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
long rtn_mem_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr);
long rtn_mem_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr);
long rt_uwrite(struct rt *rt, uint64_t addr, const void *src, uint64_t n);
uint32_t rt_random(struct rt *rt);
/* rt_native_fire.c */
uint64_t rt_clock(struct rt *rt);
uint64_t rtn_timestamp(struct rt *rt);

RT_INLINE long
rt_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rtn_mem_read(rt, dst, n, addr);
}

RT_INLINE long
rt_uread(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rtn_mem_read(rt, dst, n, addr);
}

RT_INLINE long
rt_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rtn_mem_read_str(rt, dst, n, addr);
}

RT_INLINE long
rt_uread_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rtn_mem_read_str(rt, dst, n, addr);
}

#else /* the host */

/*
 * What the bodies need of the world when they run in an ordinary process.
 * rt->host points to one (in the interpreter it begins struct rt_host).
 */
struct rt_host_mem {
	void *arg;
	/* Copy n bytes; 0, or -1 for a bad address.  user: from the user
	   address space of the current process.  NULL: all are bad. */
	int (*read)(void *arg, uint64_t addr, void *dst, uint64_t n, bool user);
	/* Copy n bytes to the user address space; 0 or -1.  NULL: -1. */
	int (*write)(void *arg, uint64_t addr, const void *src, uint64_t n);
	/* progenyof(); NULL: nobody's. */
	bool (*progeny)(void *arg, uint64_t pid);
	const struct rt_conf *conf;
	struct rt_ctl *ctl; /* NULL: aggregation half 0, no speculations */
	uint8_t **agg;            /* [nslots]; NULL: no aggregations */
	struct rt_unw_area *unw; /* NULL: no tables of stacks */
	const uint32_t *pool;	 /* with unw: its own, or another */
	uint64_t thread; /* thread pointer of whose stack is walked; 0: it has
			    no frames of Python */
	uint64_t rand_state;
};

#define RT_HOST(rt)    ((struct rt_host_mem *)(uintptr_t)(rt)->host)
#define RT_CONF(field) (RT_HOST(rt)->conf->field)

/* rt_host.c */
long rt_host_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr,
		  bool user);
long rt_host_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr,
		      bool user);
long rt_uwrite(struct rt *rt, uint64_t addr, const void *src, uint64_t n);
uint32_t rt_random(struct rt *rt);
uint64_t rt_clock(struct rt *rt);

RT_INLINE long
rt_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rt_host_read(rt, dst, n, addr, false);
}

RT_INLINE long
rt_uread(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rt_host_read(rt, dst, n, addr, true);
}

RT_INLINE long
rt_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rt_host_read_str(rt, dst, n, addr, false);
}

RT_INLINE long
rt_uread_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	return rt_host_read_str(rt, dst, n, addr, true);
}

#endif

RT_INLINE uint64_t
rt_timestamp(struct rt *rt)
{
#ifdef RT_NATIVE
	return rtn_timestamp(rt); /* raw times are converted */
#else
	if (rt->now == 0)
		rt->now = rt_clock(rt);
	return rt->now;
#endif
}

RT_INLINE uint64_t
rt_fail(struct rt *rt, uint32_t fault, uint64_t val)
{
	rt->fault = fault;
	rt->fault_val = val;
	return 0;
}

#endif
