/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_subr.c - the subroutines on numbers, and the buckets of histograms.
 */
#include "rt/rt_impl.h"

/* 32 random bits as an int, so half of the numbers are negative. */
RT_GLOBAL uint64_t
rt_subr_rand(struct rt *rt)
{
	return rt ? (uint64_t)(int64_t)(int32_t)rt_random(rt) : 0;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NET16(v) __builtin_bswap16((uint16_t)(v))
#define NET32(v) __builtin_bswap32((uint32_t)(v))
#define NET64(v) __builtin_bswap64(v)
#else
#define NET16(v) ((uint16_t)(v))
#define NET32(v) ((uint32_t)(v))
#define NET64(v) (v)
#endif

/* To network order and back is the same act. */
#define NET(name, SWAP)                                                        \
	RT_GLOBAL uint64_t rt_subr_##name(struct rt *rt)                       \
	{                                                                      \
		return rt ? SWAP(rt->tuple[0].val) : 0;                        \
	}
NET(htons, NET16)
NET(htonl, NET32)
NET(htonll, NET64)
NET(ntohs, NET16)
NET(ntohl, NET32)
NET(ntohll, NET64)

/* Device numbers as the kernel keeps them: 20 bits of minor. */
RT_GLOBAL uint64_t
rt_subr_getmajor(struct rt *rt)
{
	return rt ? (uint32_t)rt->tuple[0].val >> 20 : 0;
}

RT_GLOBAL uint64_t
rt_subr_getminor(struct rt *rt)
{
	return rt ? rt->tuple[0].val & 0xfffff : 0;
}

/*
 * Return 1 if the process is one of pid's progeny, or pid itself.  Up the chain
 * of parents to the first process, which is its own.
 */
#ifdef __bpf__
#define PARENTS_MAX 256

/* The number of a task's process in another namespace than the first. */
static __attribute__((noinline)) long
inner_number(struct rt *rt, uint64_t task, uint32_t *nr)
{
	const uint32_t down = RT_CONF(pidns.level);
	uint64_t pid, ns;
	uint32_t level, inum;

	*nr = 0;
	if (rt_read(rt, &pid, sizeof(pid),
		    task + RT_CONF(pidns.task_signal)) < 0 ||
	    rt_read(rt, &pid, sizeof(pid),
		    pid + RT_CONF(pidns.signal_pids) + 8) < 0 ||
	    rt_read(rt, &level, sizeof(level),
		    pid + RT_CONF(pidns.pid_level)) < 0)
		return -1;
	if (level < down)
		return 0;
	pid += RT_CONF(pidns.number);
	if (rt_read(rt, &ns, sizeof(ns), pid + RT_CONF(pidns.upid_ns)) < 0 ||
	    rt_read(rt, &inum, sizeof(inum), ns + RT_CONF(pidns.ns_inum)) < 0)
		return -1;
	if (inum != RT_CONF(pidns.inum))
		return 0;
	return rt_read(rt, nr, sizeof(*nr), pid + RT_CONF(pidns.upid_nr));
}

/* The task's process, as the consumer knows it; 0: it does not. */
RT_INLINE long
parent_number(struct rt *rt, uint64_t task, uint32_t *nr)
{
	if (RT_CONF(pidns.level) == 0)
		return rt_read(rt, nr, sizeof(*nr), task + RT_CONF(task_tgid));
	return inner_number(rt, task, nr);
}

RT_GLOBAL uint64_t
rt_subr_current(struct rt *rt)
{
	uint32_t nr;

	if (!rt)
		return 0;
	if (RT_CONF(pidns.level) == 0)
		return bpf_get_current_pid_tgid() >> 32;
	return inner_number(rt, bpf_get_current_task(), &nr) < 0 ? 0 : nr;
}

RT_GLOBAL uint64_t
rt_subr_progenyof(struct rt *rt)
{
	uint64_t task, up, i;
	uint32_t tgid;

	if (!rt)
		return 0;
	task = rt->task ? rt->task : bpf_get_current_task();
	if (RT_CONF(task_tgid) == ~0u || RT_CONF(task_real_parent) == ~0u)
		return rt_fail(rt, RT_FAULT_ILLOP, 0);
	RT_FOR(i, PARENTS_MAX, 1, 1) {
		if (parent_number(rt, task, &tgid) < 0)
			break;
		if (tgid == (uint32_t)rt->tuple[0].val)
			return 1;
		if (rt_read(rt, &up, sizeof(up),
			    task + RT_CONF(task_real_parent)) < 0 ||
		    up == task)
			break;
		task = up;
	}
	return 0;
}
#elif defined(RT_NATIVE)
/* The process knows who its forebears were when tracing began. */
uint64_t
rt_subr_progenyof(struct rt *rt)
{
	struct rtn_shared *sh = RTN_SHARED(rt);
	uint32_t pid = (uint32_t)rt->tuple[0].val;

	if (pid == sh->pid || pid == rt->pid)
		return 1;
	for (uint32_t i = 0; i < RTN_NANCESTORS && sh->ancestors[i]; i++)
		if (sh->ancestors[i] == pid)
			return 1;
	return 0;
}
#else
uint64_t
rt_subr_progenyof(struct rt *rt)
{
	struct rt_host_mem *h = RT_HOST(rt);

	return h->progeny && h->progeny(h->arg, rt->tuple[0].val);
}
#endif

/*
 * 63 is zero, 63 + k holds 2^(k-1) <= v < 2^k, 63 - k its mirror image.  The
 * one value below all buckets, the most negative number, goes to the first.
 */
RT_GLOBAL uint64_t
rt_agg_quantize(struct rt *rt, uint64_t arg, uint64_t v, uint64_t zero)
{
	uint64_t bits = 0, neg = v >> 63;

	RT_OPAQUE(arg);
	RT_OPAQUE(zero);
	if (!rt)
		return 0;
	if (neg)
		v = -v;
	if (v == 0)
		return 63;
#ifdef __bpf__ /* has no instruction for it */
	for (uint64_t half = 32; half; half >>= 1) {
		if (v >> half) {
			v >>= half;
			bits += half;
		}
	}
	bits++;
#else
	bits = 64 - (uint64_t)__builtin_clzll(v);
#endif
	if (!neg)
		return 63 + bits;
	return bits > 63 ? 0 : 63 - bits;
}

/* As dif_lquantize_bucket(): step, levels and base are packed in arg. */
RT_GLOBAL uint64_t
rt_agg_lquantize(struct rt *rt, uint64_t arg, uint64_t v, uint64_t zero)
{
	uint64_t step = arg >> 48, levels = (arg >> 32) & 0xffff, level;
	int64_t base = (int32_t)(uint32_t)arg;

	RT_OPAQUE(zero);
	if (!rt || (int64_t)v < base)
		return 0;
	level = (v - (uint64_t)base) / (step ? step : 1);
	return level < levels ? level + 1 : levels + 1;
}

/* Small functions, so that the verifier, which learns nothing from what they
   return, follows one way through each step of the loops below. */
uint64_t rt_llq_mul(uint64_t a, uint64_t b);
uint64_t rt_llq_width(uint64_t end, uint64_t steps);
uint64_t rt_llq_power(uint64_t base, uint64_t n);
uint64_t rt_llq_bucket(uint64_t arg, uint64_t v, uint64_t first);

/* a * b, or the greatest number where that is too large. */
RT_GLOBAL uint64_t
rt_llq_mul(uint64_t a, uint64_t b)
{
	uint64_t p = a * b;

	/* else clang makes it a 128-bit product, which BPF has not */
	RT_OPAQUE(p);
	return b != 0 && p / b != a ? ~(uint64_t)0 : p;
}

/* Of a bucket of the magnitude that ends there. */
RT_GLOBAL uint64_t
rt_llq_width(uint64_t end, uint64_t steps)
{
	return end < steps || steps == 0 ? 1 : end / steps;
}

RT_GLOBAL uint64_t
rt_llq_power(uint64_t base, uint64_t n)
{
	uint64_t i, p = 1;

	RT_FOR(i, 64, 1, i < n)
		p = rt_llq_mul(p, base);
	return p;
}

RT_GLOBAL uint64_t
rt_llq_bucket(uint64_t arg, uint64_t v, uint64_t first)
{
	uint64_t factor = arg >> 48, low = (arg >> 32) & 0xffff;
	uint64_t high = (arg >> 16) & 0xffff, steps = arg & 0xffff;
	uint64_t end, width, m, bucket = 1;

	RT_FOR(m, 64, 1, low + m <= high) {
		end = rt_llq_mul(first, factor);
		width = rt_llq_width(end, steps);
		if (width == 0)
			break; /* never, but BPF divides by it */
		if (v < end)
			return bucket + v / width - first / width;
		if (end != first)
			bucket += (end - 1) / width + 1 - first / width;
		first = end;
	}
	return bucket;
}

/*
 * Magnitude m is [factor^m, factor^(m+1)), in buckets as wide as the steps-th
 * part of its end, or 1, which begin at multiples of that; the first begins
 * where the magnitude does.  Bucket `zero` is everything below the first
 * magnitude; the one after the last magnitude everything above.  Those of
 * negative numbers lie on the other side of zero, as in a mirror.
 */
RT_GLOBAL uint64_t
rt_agg_llquantize(struct rt *rt, uint64_t arg, uint64_t v, uint64_t zero)
{
	uint64_t first, side = 0, neg = v >> 63;

	/* A bad factor or no steps: the compiler lets none through, but
	   they would divide by zero. */
	if (!rt || arg >> 48 < 2 || (arg & 0xffff) == 0)
		return zero;
	if (neg)
		v = -v;
	first = rt_llq_power(arg >> 48, (arg >> 32) & 0xffff);
	if (v >= first)
		side = rt_llq_bucket(arg, v, first);
	return neg ? zero - side : zero + side;
}
