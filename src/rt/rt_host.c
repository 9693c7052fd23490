/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_host.c - the memory of rt_mem.h where the bodies run in an ordinary
 * process: the interpreter and the tests.
 *
 * Behaves as the kernel's helpers do, so that both engines agree byte for
 * byte: copies run forward, and a copy that fails leaves zeroes.
 */
#include "rt/rt_mem.h"

#include <time.h>

static int
read_some(struct rt *rt, void *dst, uint64_t n, uint64_t addr, bool user)
{
	struct rt_host_mem *h = RT_HOST(rt);
	uint64_t off = addr - rt->self;
	const uint8_t *src;
	uint64_t i;

	if (user || off >= sizeof(*rt) || n > sizeof(*rt) - off)
		return h->read ? h->read(h->arg, addr, dst, n, user) : -1;
	src = (const uint8_t *)rt + off;
	for (i = 0; i < n; i++)
		((uint8_t *)dst)[i] = src[i];
	return 0;
}

long
rt_host_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr, bool user)
{
	if (n == 0 || read_some(rt, dst, n, addr, user) == 0)
		return 0;
	memset(dst, 0, n);
	return -1;
}

/* Byte by byte: what follows the NUL need not be readable. */
long
rt_host_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr, bool user)
{
	uint8_t *p = dst;
	uint64_t i;

	for (i = 0; i < n; i++) {
		if (read_some(rt, p + i, 1, addr + i, user)) {
			memset(dst, 0, n);
			return -1;
		}
		if (p[i] == 0)
			return (long)i + 1;
	}
	if (n)
		p[n - 1] = 0;
	return (long)n;
}

long
rt_uwrite(struct rt *rt, uint64_t addr, const void *src, uint64_t n)
{
	struct rt_host_mem *h = RT_HOST(rt);

	return h->write ? h->write(h->arg, addr, src, n) : -1;
}

/* xorshift64*; the seed is the host's, 0 is as good as any. */
uint32_t
rt_random(struct rt *rt)
{
	uint64_t x = RT_HOST(rt)->rand_state + 0x9e3779b97f4a7c15ull;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	RT_HOST(rt)->rand_state = x;
	return (uint32_t)((x * 0x2545f4914f6cdd1dull) >> 32);
}

uint64_t
rt_clock(struct rt *rt)
{
	struct timespec ts;

	(void)rt;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
