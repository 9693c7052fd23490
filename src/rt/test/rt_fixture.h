/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_fixture.h - a machine in ordinary memory for the tests of rt/.
 *
 * Addresses inside the machine are its own; any other address is one of this
 * process where `user` is asked for, and bad where kernel memory is, but for
 * one window (kmem).
 */
#ifndef RT_TEST_RT_FIXTURE_H
#define RT_TEST_RT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/rt_impl.h"

struct fixture {
	struct rt rt;
	struct rt_conf conf;
	struct rt_ctl ctl;
	struct rt_host_mem host;
	uint8_t *aggs[1];
	uint8_t agg[65536];
};

static inline int
fixture_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	if (!user || addr < 4096)
		return -1;
	memcpy(dst, (const void *)(uintptr_t)addr, n);
	return 0;
}

static inline struct fixture *
fixture_new(uint32_t strsize)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->conf.strsize = strsize;
	f->conf.aggsize = sizeof(f->agg);
	f->conf.agg_halfsize = sizeof(f->agg) / 2;
	f->conf.agg_buckets_off = 64;
	f->conf.agg_nbuckets = 16;
	f->conf.agg_entries_off = 64 + 16 * 4;
	f->aggs[0] = f->agg;
	f->host = (struct rt_host_mem){ .read = fixture_read,
					.conf = &f->conf,
					.ctl = &f->ctl,
					.agg = f->aggs };
	f->rt.host = (uintptr_t)&f->host;
	f->rt.self = (uintptr_t)&f->rt;
	f->rt.fault = RT_FAULT_NONE;
	return f;
}

/* Between two calls: nothing pushed, no scratch used, no fault. */
static inline void
fixture_reset(struct rt *rt)
{
	rt->ntuple = 0;
	rt->scratch = 0;
	rt->fault = RT_FAULT_NONE;
	rt->fault_val = 0;
	memset(rt->tuple, 0, sizeof(rt->tuple));
}

static inline void
push_val(struct rt *rt, uint64_t v)
{
	rt->tuple[rt->ntuple++] = (struct rt_tuple){ .val = v };
}

static inline void
push_ref(struct rt *rt, const void *p, uint64_t n)
{
	uint8_t *q = rt->locals + rt->ntuple * 5000;

	memcpy(q, p, n);
	rt->tuple[rt->ntuple++] = (struct rt_tuple){
		.val = rt->self + (uint64_t)(q - (uint8_t *)rt),
		.size = n,
		.isref = 1
	};
}

/* Strings are put in the this-> area, one place for each argument; they may
   have NULs in them. */
static inline void
push_bytes(struct rt *rt, const char *s, size_t n)
{
	push_ref(rt, s, n);
	rt->tuple[rt->ntuple - 1].isstr = 1;
}

static inline void
push_str(struct rt *rt, const char *s)
{
	push_bytes(rt, s, strlen(s) + 1);
}

#endif
