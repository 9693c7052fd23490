/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_fire.c - what a clause does besides computing: time, records,
 * cells of aggregations, actions, faults.  The meaning is interp_fire.c's,
 * line by line; what generated code does in place is done here for the
 * uncommon case.
 */
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"
#include "rt/rt_rec.h"

/* ---- time ---------------------------------------------------------------- */

#define CLOCK_MONOTONIC 1

static uint64_t
vdso_now(uint64_t fn)
{
	int (*get)(int, struct rtn_timespec *) =
		(int (*)(int, struct rtn_timespec *))fn;
	struct rtn_timespec ts = { 0, 0 };

	get(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.sec * 1000000000u + (uint64_t)ts.nsec;
}

uint64_t
rt_clock(struct rt *rt)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);

	return sh->vdso_time ? vdso_now(sh->vdso_time) : rtn_rdtsc();
}

uint64_t
rtn_now(struct rt *rt)
{
	if (rt->now == 0)
		rt->now = rt_clock(rt);
	return rt->now;
}

/* A raw time may lie before the segment of the clock that holds now. */
uint64_t
rtn_timestamp(struct rt *rt)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t now = rtn_now(rt);
	const struct rtn_clock *c;
	__int128 ticks;

	if (sh->vdso_time)
		return now;
	c = &sh->clock[sh->clock_idx % RTN_NCLOCKS];
	ticks = (int64_t)(now - c->tsc0);
	return c->ns0 + (uint64_t)((ticks * c->mult) >> 32);
}

/* ---- records ------------------------------------------------------------- */

static uint8_t *
native_room(struct rt *rt, uint64_t n)
{
	return rt_rec_room(rt, &RTN_SHARED(rt)->ctl, (uint8_t *)rt->buf,
			   RT_CONF(bufsize), RT_CONF(bufpolicy), n);
}

uint64_t
rtn_reserve(struct rt *rt, uint64_t recsize)
{
	struct rt_rec *rec = (struct rt_rec *)native_room(rt, recsize);

	if (rec == NULL)
		return 0;
	memset(rec, 0, recsize);
	rec->epid = rt->epid;
	rec->cpu = (uint16_t)rtn_cpu(RTN_SHARED(rt));
	rec->time = rtn_now(rt);
	return (uint64_t)rec;
}

uint64_t
rtn_put_string(struct rt *rt, uint64_t dst, uint64_t size_flags, uint64_t addr)
{
	uint64_t size = (uint32_t)size_flags;
	uint8_t *p = (uint8_t *)dst;
	long n = rt_read_str(rt, p, size, addr);

	if (n < 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	memset(p + n, 0, size - (uint64_t)n);
	return 0;
}

uint64_t
rtn_put_bytes(struct rt *rt, uint64_t dst, uint64_t size_flags, uint64_t addr)
{
	if (rt_read(rt, (uint8_t *)dst, (uint32_t)size_flags, addr) != 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return 0;
}

uint64_t
rtn_put_ustack(struct rt *rt, uint64_t dst, uint64_t nframes)
{
	uint64_t *p = (uint64_t *)dst;
	uint64_t n;

	p[0] = rt->pid;
	n = rtn_frames(rt, p + 1, nframes);
	memset(p + 1 + n, 0, (nframes - n) * 8);
	return 0;
}

/* ---- cells of aggregations ----------------------------------------------- */

uint64_t
rtn_agg_fixed(struct rt *rt, uint64_t off, uint64_t func)
{
	uint64_t half = RTN_SHARED(rt)->ctl.agg_half ? RT_CONF(agg_halfsize)
						     : 0;
	uint64_t *used = (uint64_t *)(rt->agg + half + off);

	if (rt->agg == 0) {
		RTN_COUNT(rt->drops[RT_DROP_AGG]);
		return 0;
	}
	if (*used == 0) {
		*used = 1;
		rt_agg_start(used + 1, func);
	}
	return (uint64_t)(used + 1);
}

uint64_t
rtn_agg_keyed(struct rt *rt, uint64_t id, uint64_t keysize,
	      uint64_t func_words)
{
	uint64_t at = rt_agg_cell(rt, id, keysize,
				  (uint64_t)(uint32_t)func_words * 8);
	uint64_t *cell = (uint64_t *)(rt->agg + (uint32_t)at);

	if (at == 0)
		return 0;
	if (at & RT_AGG_NEW)
		rt_agg_start(cell, func_words >> 32);
	return (uint64_t)cell;
}

/* ---- actions ------------------------------------------------------------- */

uint64_t
rtn_exit(struct rt *rt, uint64_t status)
{
	struct rt_ctl *ctl = &RTN_SHARED(rt)->ctl;
	uint32_t active = RT_ACT_ACTIVE;

	if (!ctl->exited)
		ctl->exit_status = (int32_t)(uint32_t)status;
	__atomic_store_n(&ctl->exited, 1, __ATOMIC_RELEASE);
	ctl->wanted = 1;
	__atomic_compare_exchange_n(&ctl->activity, &active, RT_ACT_DRAINING,
				    0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return 0;
}

/* Signals wait until the firing is over: rtn_signals(). */
static uint64_t
signal_later(struct rt *rt, uint64_t sig)
{
	if (RTN_SHARED(rt)->seccomp)
		return rt_fail(rt, RT_FAULT_ILLOP, 0);
	if (sig >= 1 && sig <= 64)
		rt->signals |= 1ull << (sig - 1);
	return 0;
}

uint64_t
rtn_raise(struct rt *rt, uint64_t sig)
{
	return signal_later(rt, (uint32_t)sig);
}

#define SIGSTOP 19 /* of a thread it stops them all */

uint64_t
rtn_stop(struct rt *rt)
{
	return signal_later(rt, SIGSTOP);
}

void
rtn_signals(struct rt *rt)
{
	uint64_t left = rt->signals;

	/* From here on the machine may be another firing's. */
	rt->signals = 0;
	rtn_leave(rt);
	for (uint64_t sig = 1; left != 0; sig++, left >>= 1)
		if ((left & 1) != 0)
			rtn_syscall3(RTN_SYS_tgkill,
				     (uint64_t)rtn_syscall0(RTN_SYS_getpid),
				     (uint64_t)rtn_syscall0(RTN_SYS_gettid),
				     sig);
}

/* ---- faults -------------------------------------------------------------- */

static int
fault_has_value(uint32_t fault)
{
	switch (fault) {
#define FAULT(num, NAME, text, value)                                          \
	case num:                                                              \
		return value;
#include "dif/fault.def"
#undef FAULT
	}
	return 0;
}

static void
native_fault_record(struct rt *rt)
{
	struct rt_error_rec *r = (void *)native_room(rt, sizeof(*r));

	if (r == NULL)
		return;
	r->rec.epid = RT_EPID_ERROR;
	r->rec.cpu = (uint16_t)rtn_cpu(RTN_SHARED(rt));
	r->rec.spec = 0;
	r->rec.time = rtn_now(rt);
	r->epid = rt->epid;
	r->action = rt->fault_action;
	r->difoff = rt->fault_off;
	r->fault = rt->fault;
	r->val = rt->fault_val;
	__atomic_store_n(&rt->head, rt->rec_end, __ATOMIC_RELEASE);
}

/* The ERROR clauses run as a firing within the firing. */
static void
fault_clauses(struct rt *rt, uint64_t clauses)
{
	void (*run)(struct rt *) = (void (*)(struct rt *))clauses;
	struct rt_faulted outer;

	rt_fault_begin(rt, &outer);
	run(rt);
	rt_fault_end(rt, &outer);
}

uint64_t
rtn_fault(struct rt *rt)
{
	uint64_t clauses = RTN_SHARED(rt)->error_fire;

	if (rt->in_error) {
		RTN_COUNT(rt->drops[RT_DROP_DBLERROR]);
		rt->fault = RT_FAULT_NONE;
		return 0;
	}
	rt->errors++;
	if (!fault_has_value(rt->fault))
		rt->fault_val = 0;
	native_fault_record(rt);
	if (clauses != 0)
		fault_clauses(rt, clauses);
	rt->fault = RT_FAULT_NONE;
	return 0;
}
