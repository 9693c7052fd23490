/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_clock.c - what rdtsc says, in ns of CLOCK_MONOTONIC.
 *
 * A time is ns0 + (tsc - tsc0) * mult.  The first mult comes from a measurement
 * of a few milliseconds; poll() measures over longer and longer times and then
 * begins a new segment of the line, which starts where the old one is at that
 * moment and is inclined so that the error found is gone by the next look.  So
 * times never jump, and records of one thread keep their order.  tsc0 is the
 * same in all segments: native code that read the counter before it saw a new
 * segment still computes with a positive difference.
 *
 * Intel SDM vol. 3, 18.17.1 "Invariant TSC"; AMD APM vol. 2, 13.2.4.
 */
#include "engine/process/process_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cpuid.h>
#include <x86intrin.h>

#define NS_SEC 1000000000ull
#define NS_MS  1000000ull
#define LOOK_FIRST (200 * NS_MS)
#define LOOK_MOST (20 * NS_SEC)
#define START_NS (3 * NS_MS) /* length of the first measurement */

bool
clock_tsc_good(void)
{
	unsigned a, b, c, d = 0;
	char source[64] = "";
	FILE *f;

	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || (d & (1u << 8)) == 0)
		return false;
	f = fopen("/sys/devices/system/clocksource/clocksource0/"
		  "current_clocksource",
		  "re");
	if (f == NULL)
		return true; /* invariant, and nothing speaks against it */
	if (fgets(source, sizeof(source), f) == NULL)
		source[0] = '\0';
	fclose(f);
	source[strcspn(source, "\n")] = '\0';
	/* Those of hypervisors are the counter, scaled. */
	return strcmp(source, "tsc") == 0 || strcmp(source, "kvm-clock") == 0 ||
	       strcmp(source, "hyperv_clocksource_tsc_page") == 0;
}

uint64_t
clock_mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_SEC + (uint64_t)t.tv_nsec;
}

/* Both clocks at one moment: the closest of some readings. */
static void
clock_pair(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		uint64_t a = __rdtsc(), n = clock_mono_ns(), b = __rdtsc();

		if (b - a < best) {
			best = b - a;
			*tsc = a + (b - a) / 2;
			*ns = n;
		}
	}
}

static uint64_t
clock_mult(uint64_t ns, uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ns << 32) /
			  (ticks != 0 ? ticks : 1));
}

static uint64_t
clock_line(const struct rtn_clock *k, uint64_t raw)
{
	return k->ns0 + (uint64_t)(((unsigned __int128)(raw - k->tsc0) *
				    k->mult) >> 32);
}

/* Write a segment where native code finds it, then make it the present one. */
static void
clock_publish(struct clock *c, const struct rtn_clock *k, uint64_t from)
{
	unsigned i = c->n % RTN_NCLOCKS;

	c->from[i] = from;
	c->sh->clock[i] = *k;
	c->n++;
	__atomic_store_n(&c->sh->nclock, c->n < RTN_NCLOCKS ? c->n :
			 RTN_NCLOCKS, __ATOMIC_RELEASE);
	__atomic_store_n(&c->sh->clock_idx, i, __ATOMIC_RELEASE);
}

void
clock_start(struct clock *c, struct rtn_shared *sh)
{
	struct rtn_clock k;
	uint64_t tsc, ns;

	*c = (struct clock){ .sh = sh };
	clock_pair(&k.tsc0, &k.ns0);
	do
		clock_pair(&tsc, &ns);
	while (ns - k.ns0 < START_NS);
	k.mult = clock_mult(ns - k.ns0, tsc - k.tsc0);
	clock_publish(c, &k, 0);
	c->first_tsc = k.tsc0;
	c->first_ns = k.ns0;
	c->span_ns = LOOK_FIRST;
	c->next_ns = ns + c->span_ns;
}

/*
 * The line from where the present one is now to where the true clock will be
 * when we look next.
 */
void
clock_adjust(struct clock *c)
{
	struct rtn_clock k;
	uint64_t tsc, ns, now;
	unsigned __int128 ahead;

	if (c->sh == NULL || c->sh->vdso_time != 0 ||
	    clock_mono_ns() < c->next_ns)
		return;
	clock_pair(&tsc, &ns);
	k = c->sh->clock[(c->n - 1) % RTN_NCLOCKS];
	now = clock_line(&k, tsc);
	if (c->span_ns < LOOK_MOST)
		c->span_ns *= 2;
	/* Ticks of the next span at the rate measured since the start. */
	ahead = (unsigned __int128)c->span_ns * (tsc - c->first_tsc) /
		(ns - c->first_ns);
	if (ns + c->span_ns > now) {
		k.mult = clock_mult(ns + c->span_ns - now, (uint64_t)ahead);
		k.ns0 = 0;
		k.ns0 = now - clock_line(&k, tsc);
		clock_publish(c, &k, tsc);
	}
	c->next_ns = ns + c->span_ns;
}

uint64_t
clock_ns(void *arg, uint64_t raw)
{
	const struct clock *c = arg;
	unsigned n = c->n < RTN_NCLOCKS ? c->n : RTN_NCLOCKS;

	if (c->sh->vdso_time != 0 || n == 0)
		return raw;
	/* The youngest segment that had begun. */
	for (unsigned i = 1; i < n; i++) {
		unsigned at = (c->n - i) % RTN_NCLOCKS;
		if (raw >= c->from[at])
			return clock_line(&c->sh->clock[at], raw);
	}
	return clock_line(&c->sh->clock[(c->n - n) % RTN_NCLOCKS], raw);
}
