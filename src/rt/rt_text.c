/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_text.c - numbers and addresses as text, and back.
 *
 * Text is made in the work area W, in part by functions that return where the
 * next character goes, and then kept as a string (rt_impl.h).
 */
#include "rt/rt_impl.h"

#define PUT(rt, at, c) (*RT_WORK(RT_W(rt), at) = (uint8_t)(c))

uint64_t rt_text_digits(struct rt *rt, uint64_t v, uint64_t base);
uint64_t rt_window_skip(struct rt *rt, uint64_t from, uint64_t zeroes);
uint64_t rt_text_skip(struct rt *rt, uint64_t from, uint64_t zeroes);
uint64_t rt_text_value(struct rt *rt, uint64_t pos, uint64_t base,
		       uint64_t limit);
uint64_t rt_text_dotted(struct rt *rt, uint64_t at, uint64_t addr);
uint64_t rt_text_group(struct rt *rt, uint64_t at, uint64_t group);
uint64_t rt_text_zeroes(struct rt *rt);
uint64_t rt_text_inet6(struct rt *rt, uint64_t run);
uint64_t rt_text_byte(struct rt *rt, uint64_t at, uint64_t b, uint64_t sep);
uint64_t rt_text_bytes(struct rt *rt, uint64_t n, uint64_t where, uint64_t sep);

/* ---- integers ------------------------------------------------------------ */

#define DIGITS_END 80u /* where the digits of rt_text_digits() end in W */

/* Bases run from 2 to 36. */
RT_INLINE int
bad_base(int64_t base)
{
	return base < 2 || base > 36;
}

/* From the last digit to the first; how many they are. */
RT_GLOBAL uint64_t
rt_text_digits(struct rt *rt, uint64_t v, uint64_t base)
{
	uint64_t i, d;

	if (!rt || base == 0)
		return 0;
	RT_FOR(i, 64, 1, i == 0 || v != 0) {
		d = v % base;
		v /= base;
		PUT(rt, DIGITS_END - 1 - i, d < 10 ? '0' + d : 'a' - 10 + d);
	}
	return i;
}

/* Octal and hexadecimal get their C prefix; only decimal has a sign. */
RT_GLOBAL uint64_t
rt_subr_lltostr(struct rt *rt)
{
	uint64_t v, at, neg;
	int64_t base = 10;

	if (!rt)
		return 0;
	v = rt->tuple[0].val;
	if (rt->ntuple > 1)
		base = (int32_t)rt->tuple[1].val;
	if (bad_base(base))
		return rt_fail(rt, RT_FAULT_ILLOP, 0);
	neg = base == 10 && v >> 63;
	at = DIGITS_END - rt_text_digits(rt, neg ? -v : v, (uint64_t)base);
	if (base == 16)
		PUT(rt, --at, 'x');
	if (base == 16 || (base == 8 && v != 0))
		PUT(rt, --at, '0');
	if (neg)
		PUT(rt, --at, '-');
	return rt_work_keep(rt, at, DIGITS_END - at);
}

#define EVERY_ROOM (DIGITS_END - 16u) /* for the name: no provider's has more */

RT_GLOBAL uint64_t
rt_every_prov(struct rt *rt, uint64_t prov, uint64_t pid)
{
	uint64_t i, n, at;
	long got;

	if (!rt)
		return 0;
	got = rt_read_str(rt, RT_W(rt), EVERY_ROOM, prov);
	if (got < 2)
		return rt_fail(rt, RT_FAULT_BADADDR, prov);
	n = (uint64_t)got - 2; /* without the star and the end */
	at = DIGITS_END - rt_text_digits(rt, pid, 10);
	RT_FOR(i, 16, 1, at + i < DIGITS_END)
		PUT(rt, n + i, *RT_WORK(RT_W(rt), at + i));
	return rt_work_keep(rt, 0, n + i);
}

/* How many bytes of W, a window at most, are blanks, or are zeroes. */
RT_GLOBAL uint64_t
rt_window_skip(struct rt *rt, uint64_t from, uint64_t zeroes)
{
	uint64_t i;
	uint8_t c;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, 1) {
		c = *RT_WORK(RT_W(rt), from + i);
		if (zeroes ? c != '0'
			   : c != ' ' && (uint8_t)(c - '\t') > '\r' - '\t')
			break;
	}
	return i;
}

/* Where W goes on behind the blanks, or the zeroes. */
RT_GLOBAL uint64_t
rt_text_skip(struct rt *rt, uint64_t from, uint64_t zeroes)
{
	uint64_t i, n, max;

	if (!rt)
		return 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, 1) {
		n = rt_window_skip(rt, from + i, zeroes);
		if (n < RT_WINDOW)
			return from + i + n;
	}
	return from + i;
}

RT_GLOBAL uint64_t
rt_text_digit(uint64_t c)
{
	if (c - '0' <= 9)
		return c - '0';
	c |= 0x20;
	return c - 'a' < 26 ? c - 'a' + 10 : 99;
}

/* The number whose digits begin at pos, no zeroes first, or limit where that
   is less: after the 65th digit in whatever base it is. */
RT_GLOBAL uint64_t
rt_text_value(struct rt *rt, uint64_t pos, uint64_t base, uint64_t limit)
{
	uint64_t i, d, most, v = 0;

	if (!rt || base == 0)
		return 0;
	most = limit / base;
	RT_FOR(i, 65, 1, 1) {
		d = rt_text_digit(*RT_WORK(RT_W(rt), pos + i));
		if (d >= base)
			break;
		if (v > most || v * base > limit - d)
			return limit;
		v = v * base + d;
	}
	return v;
}

/* As strtoll() of C: blanks, a sign, 0x where the base is 16; what does not
   fit in 64 bits gives the number nearest to it. */
RT_GLOBAL uint64_t
rt_subr_strtoll(struct rt *rt)
{
	uint64_t at, v, limit = ~0ull >> 1; /* the largest int64_t */
	int64_t base = 10;
	uint8_t c;

	if (!rt)
		return 0;
	if (rt->ntuple > 1)
		base = (int32_t)rt->tuple[1].val;
	if (bad_base(base))
		return rt_fail(rt, RT_FAULT_ILLOP, 0);
	if (!rt_work_fetch(rt, rt->tuple[0].val))
		return 0;
	at = rt_text_skip(rt, 0, 0);
	c = *RT_WORK(RT_W(rt), at);
	if (c == '-')
		limit++;
	if (c == '-' || c == '+')
		at++;
	if (base == 16 && *RT_WORK(RT_W(rt), at) == '0' &&
	    (*RT_WORK(RT_W(rt), at + 1) | 0x20) == 'x')
		at += 2;
	at = rt_text_skip(rt, at, 1);
	v = rt_text_value(rt, at, (uint64_t)base, limit);
	return c == '-' ? -v : v;
}

/* ---- internet addresses -------------------------------------------------- */

/* Four numbers with dots; the first is the lowest byte of addr. */
RT_GLOBAL uint64_t
rt_text_dotted(struct rt *rt, uint64_t at, uint64_t addr)
{
	uint64_t i, b;

	if (!rt)
		return 0;
	RT_FOR(i, 4, 1, 1) {
		b = addr & 0xff;
		addr >>= 8;
		if (i)
			PUT(rt, at++, '.');
		if (b >= 100)
			PUT(rt, at++, '0' + b / 100);
		if (b >= 10)
			PUT(rt, at++, '0' + b / 10 % 10);
		PUT(rt, at++, '0' + b % 10);
	}
	return at;
}

/* The bytes at p as a number whose lowest byte is the first. */
RT_INLINE uint64_t
bytes4(const uint8_t *p)
{
	return p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
	       (uint64_t)p[3] << 24;
}

RT_INLINE uint64_t
inet_v4(struct rt *rt, uint64_t addr)
{
	uint64_t n;

	if (rt_read(rt, RT_V(rt), 4, addr) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	n = rt_text_dotted(rt, 0, bytes4(RT_V(rt)));
	return rt_work_keep(rt, 0, n);
}

/* A group of an IPv6 address: up to four hexadecimal digits. */
RT_GLOBAL uint64_t
rt_text_group(struct rt *rt, uint64_t at, uint64_t group)
{
	uint64_t i, d, started = 0;

	if (!rt)
		return 0;
	RT_FOR(i, 4, 1, 1) {
		d = (group >> (12 - 4 * i)) & 15;
		started |= d | (i == 3);
		if (started)
			PUT(rt, at++, d < 10 ? '0' + d : 'a' - 10 + d);
	}
	return at;
}

/* The group g of the address in V. */
RT_INLINE uint64_t
group_of(struct rt *rt, uint64_t g)
{
	return (uint64_t)*RT_WORK(RT_V(rt), 2 * g) << 8 |
	       *RT_WORK(RT_V(rt), 2 * g + 1);
}

/* A bit for each group that is zero: bit 0 for the first. */
RT_GLOBAL uint64_t
rt_text_zeroes(struct rt *rt)
{
	uint64_t g, mask = 0;

	if (!rt)
		return 0;
	RT_FOR(g, 8, 1, 1)
		if (group_of(rt, g) == 0)
			mask |= 1ull << g;
	return mask;
}

/* True if the address in V, whose longest run of zeroes this is, only wraps one
   of IPv4. */
RT_INLINE int
wraps_v4(struct rt *rt, uint64_t run)
{
	return run == 0x3f || (run == 0x1f && group_of(rt, 5) == 0xffff);
}

/* The address in V with the groups whose bits are in run as "::".  An address
   that only wraps an IPv4 one ends in dots. */
RT_GLOBAL uint64_t
rt_text_inet6(struct rt *rt, uint64_t run)
{
	uint64_t at = 0, g, in, before = 0;

	if (!rt)
		return 0;
	RT_FOR(g, 8, 1, 1) {
		in = (run >> g) & 1;
		if (in && !before)
			PUT(rt, at++, ':');
		before = in;
		if (in)
			continue;
		if (g)
			PUT(rt, at++, ':');
		if (g == 6 && wraps_v4(rt, run))
			return rt_text_dotted(rt, at, bytes4(RT_V(rt) + 12));
		at = rt_text_group(rt, at, group_of(rt, g));
	}
	if (before)
		PUT(rt, at++, ':');
	return at;
}

/* The first of the longest runs of ones in a mask of 8 bits, runs of one left
   out: each step keeps the starts of the runs that are one longer. */
RT_INLINE uint64_t
longest_run(uint64_t mask)
{
	uint64_t starts = mask, last = 0, len = 0, i;

	RT_FOR(i, 8, 1, starts != 0) {
		last = starts;
		starts &= mask >> (i + 1);
		len++;
	}
	if (len < 2)
		return 0;
	last &= -last;
	return last * ((1ull << len) - 1);
}

RT_INLINE uint64_t
inet_v6(struct rt *rt, uint64_t addr)
{
	uint64_t n;

	if (rt_read(rt, RT_V(rt), 16, addr) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	n = rt_text_inet6(rt, longest_run(rt_text_zeroes(rt)));
	return rt_work_keep(rt, 0, n);
}

RT_GLOBAL uint64_t
rt_subr_inet_ntoa(struct rt *rt)
{
	return rt ? inet_v4(rt, rt->tuple[0].val) : 0;
}

/*
 * The second argument says how an address that wraps an IPv4 one is written:
 * 0 as the IPv4 address alone, otherwise as inet_ntop() does.
 */
RT_GLOBAL uint64_t
rt_subr_inet_ntoa6(struct rt *rt)
{
	uint64_t n;

	if (!rt)
		return 0;
	if (rt->ntuple < 2 || (uint32_t)rt->tuple[1].val != 0)
		return inet_v6(rt, rt->tuple[0].val);
	if (rt_read(rt, RT_V(rt), 16, rt->tuple[0].val) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, rt->tuple[0].val);
	n = rt_text_zeroes(rt);
	if (wraps_v4(rt, longest_run(n)))
		n = rt_text_dotted(rt, 0, bytes4(RT_V(rt) + 12));
	else
		n = rt_text_inet6(rt, longest_run(n));
	return rt_work_keep(rt, 0, n);
}

RT_GLOBAL uint64_t
rt_subr_inet_ntop(struct rt *rt)
{
	if (!rt)
		return 0;
	switch ((int32_t)rt->tuple[0].val) {
	case 2: /* AF_INET */
		return inet_v4(rt, rt->tuple[1].val);
	case 10: /* AF_INET6 */
		return inet_v6(rt, rt->tuple[1].val);
	}
	return rt_fail(rt, RT_FAULT_ILLOP, 0);
}

/* ---- other bytes --------------------------------------------------------- */

/* The byte b as two hexadecimal digits, behind sep if it is not 0. */
RT_GLOBAL uint64_t
rt_text_byte(struct rt *rt, uint64_t at, uint64_t b, uint64_t sep)
{
	uint64_t hi = b >> 4 & 15, lo = b & 15;

	if (!rt)
		return 0;
	if (sep)
		PUT(rt, at++, sep);
	PUT(rt, at++, hi < 10 ? '0' + hi : 'a' - 10 + hi);
	PUT(rt, at++, lo < 10 ? '0' + lo : 'a' - 10 + lo);
	return at;
}

/* The first n bytes of V in hexadecimal, with sep before those whose bits are
   set in `where`. */
RT_GLOBAL uint64_t
rt_text_bytes(struct rt *rt, uint64_t n, uint64_t where, uint64_t sep)
{
	uint64_t i, at = 0;

	if (!rt)
		return 0;
	RT_FOR(i, 32, 1, i < n)
		at = rt_text_byte(rt, at, *RT_WORK(RT_V(rt), i),
				  sep & -((where >> i) & 1));
	return at;
}

RT_INLINE uint64_t
hex_bytes(struct rt *rt, uint64_t addr, uint32_t n, uint64_t where,
	  uint64_t sep)
{
	if (rt_read(rt, RT_V(rt), n, addr) < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return rt_work_keep(rt, 0, rt_text_bytes(rt, n, where, sep));
}

/* The address of a device of a kind of <linux/if_arp.h>. */
RT_GLOBAL uint64_t
rt_subr_link_ntop(struct rt *rt)
{
	if (!rt)
		return 0;
	switch ((int32_t)rt->tuple[0].val) {
	case 1: /* ARPHRD_ETHER */
		return hex_bytes(rt, rt->tuple[1].val, 6, ~1ull, ':');
	case 32: /* ARPHRD_INFINIBAND */
		return hex_bytes(rt, rt->tuple[1].val, 20, ~1ull, ':');
	}
	return rt_fail(rt, RT_FAULT_ILLOP, 0);
}

/* A uuid_t of the kernel, whose bytes are in the order of the text. */
RT_GLOBAL uint64_t
rt_subr_uuidtostr(struct rt *rt)
{
	return rt ? hex_bytes(rt, rt->tuple[0].val, 16,
			      1 << 4 | 1 << 6 | 1 << 8 | 1 << 10, '-')
		  : 0;
}
