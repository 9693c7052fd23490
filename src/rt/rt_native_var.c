/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_var.c - variables and loads that generated code does not do in
 * place.  The meaning is interp_var.c's.
 *
 * The built-in ones here are those that var.def says RT of for processes only.
 * Where one takes a system call and the process must make none of ours, its
 * value is the constant which the consumer has left in rtn_shared.
 */
#include "rt/rt_assoc.h"
#include "rt/rt_impl.h"
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"

/* ---- built-in ------------------------------------------------------------ */

#define PR_GET_NAME 16
#define COMM_LEN    16u
#define CLOCK_THREAD_CPUTIME_ID 3
#define DEPTH_MAX   127 /* frames that are counted */

/* The thread's name, in scratch. */
uint64_t
rt_var_execname(struct rt *rt)
{
	struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t off = rt->scratch;

	if (sh->seccomp)
		return (uint64_t)sh->comm;
	if (off > RT_SCRATCH - COMM_LEN)
		return rt_fail(rt, RT_FAULT_NOSCRATCH, 0);
	rtn_syscall3(RTN_SYS_prctl, PR_GET_NAME, (uint64_t)RT_AT(rt, off), 0);
	return rt_scratch_keep(rt, off, COMM_LEN);
}

uint64_t
rt_var_vtimestamp(struct rt *rt)
{
	struct rtn_timespec ts = { 0, 0 };

	if (RTN_SHARED(rt)->seccomp)
		return 0;
	rtn_syscall3(RTN_SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID,
		     (uint64_t)&ts, 0);
	return (uint64_t)ts.sec * 1000000000u + (uint64_t)ts.nsec;
}

/* What a system call says, or where there must be none, the constant. */
static uint64_t
var_call(struct rt *rt, enum rtn_sys_nr nr, uint32_t constant)
{
	return RTN_SHARED(rt)->seccomp ? constant : (uint32_t)rtn_syscall0(nr);
}

static uint64_t
native_var_name(struct rt *rt, uint64_t part)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);
	const uint32_t (*names)[4] = (const uint32_t (*)[4])sh->names;

	return sh->strtab + names[rt->probe][part];
}

uint64_t
rt_var_ucaller(struct rt *rt)
{
	uint64_t pc[2];

	return rtn_frames(rt, pc, 2) == 2 ? pc[1] : 0;
}

uint64_t
rt_var_ustackdepth(struct rt *rt)
{
	return rtn_frames(rt, (uint64_t *)RT_V(rt), DEPTH_MAX);
}

uint64_t
rt_var_curcpu(struct rt *rt)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);

	rt->cpu = rtn_cpu(sh);
	rt->cpu_id = (int32_t)rt->cpu;
	if (rt->cpu < RT_NCPUS_MAX) {
		rt->cpu_chip = sh->cpu_place[rt->cpu].chip;
		rt->cpu_lgrp = sh->cpu_place[rt->cpu].lgrp;
	}
	return rt->self + __builtin_offsetof(struct rt, cpu_id);
}

/* In another pid namespace than the consumer's nobody knows who another parent
   is than the first one. */
uint64_t
rt_var_ppid(struct rt *rt)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t now = var_call(rt, RTN_SYS_getppid,
				sh->foreign ? sh->own_ppid : sh->ppid);

	if (!sh->foreign)
		return now;
	return now == sh->own_ppid ? sh->ppid : 0;
}

#define current_place(rt) \
	(&RTN_SHARED(rt)->place[RTN_SHARED(rt)->place_now & 1])

/* The rest are a line each. */
#define BUILTIN(name, value)                  \
	uint64_t rt_var_##name(struct rt *rt) \
	{                                     \
		return value;                 \
	}
BUILTIN(probeprov, native_var_name(rt, 0))
BUILTIN(probemod, native_var_name(rt, 1))
BUILTIN(probefunc, native_var_name(rt, 2))
BUILTIN(probename, native_var_name(rt, 3))
BUILTIN(execargs, rt_execargs(rt, RTN_SHARED(rt)->args_at,
			      RTN_SHARED(rt)->args_len))
BUILTIN(cgroup, (uint64_t)current_place(rt)->cgroup)
BUILTIN(container, (uint64_t)current_place(rt)->container)
BUILTIN(nspid, var_call(rt, RTN_SYS_getpid, RTN_SHARED(rt)->own_pid))
BUILTIN(uid, var_call(rt, RTN_SYS_getuid, RTN_SHARED(rt)->uid))
BUILTIN(gid, var_call(rt, RTN_SYS_getgid, RTN_SHARED(rt)->gid))
#undef BUILTIN

/* A switch, for a table of functions would have to be relocated. */
static uint64_t
native_builtin(struct rt *rt, uint64_t id)
{
	switch (id) {
#define ROW_RT(id, name) \
	case id:         \
		return rt_var_##name(rt);
#define ROW_OWN(id, name)
#define ROW_ZERO(id, name)
#define ROW_NO(id, name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	ROW_##p(id, name)
#include "dif/var.def"
#undef VAR
	}
	return 0; /* made in place */
}

/* ---- the user's scalars -------------------------------------------------- */

static const struct rtn_var *
native_var_find(struct rt *rt, uint64_t scope, uint64_t id, uint32_t kind)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t i = id - RTN_VAR_MIN;

	if (scope <= RT_SCOPE_LOCAL && i < sh->nvars[scope]) {
		const struct rtn_var *v =
			(const struct rtn_var *)sh->vars[scope] + i;

		if (v->flags & kind)
			return v;
	}
	rt_fail(rt, RT_FAULT_ILLOP, 0);
	return NULL;
}

static uint8_t *
var_place(struct rt *rt, uint64_t scope, const struct rtn_var *v)
{
	uint8_t *area = scope == RT_SCOPE_GLOBAL
				? (uint8_t *)RTN_SHARED(rt)->globals
			: scope == RT_SCOPE_THREAD ? (uint8_t *)rt->thread
						   : rt->locals;

	return area + v->off;
}

/* The word in front of a value by reference: not 0 if the value is null. */
#define MARK(p) (((uint64_t *)(void *)(p))[-1])

uint64_t
rtn_var_load(struct rt *rt, uint64_t scope, uint64_t id)
{
	const struct rtn_var *v;
	int null;
	uint8_t *p;

	if (scope == RT_SCOPE_GLOBAL && id < RTN_VAR_MIN)
		return native_builtin(rt, id);
	v = native_var_find(rt, scope, id, RTN_VAR_SCALAR);
	if (v == NULL)
		return 0;
	p = var_place(rt, scope, v);
	if (!(v->flags & RTN_VAR_REF))
		return *(uint64_t *)(void *)p;
	null = scope == RT_SCOPE_THREAD ? MARK(p) == 0 : MARK(p) != 0;
	return null ? 0 : (uint64_t)p;
}

/* What follows a string's end is zeroed. */
static int
var_copy(struct rt *rt, const struct rtn_var *v, uint8_t *dst, uint64_t src)
{
	long n = -1;

	if (!(v->flags & RTN_VAR_STR)) {
		if (rt_read(rt, dst, v->bytes, src) == 0)
			return 0;
	} else {
		if (src == (uint64_t)dst)
			return 0;
		n = rt_read_str(rt, dst, RT_CONF(strsize), src);
		if (n >= 0) {
			memset(dst + n, 0, v->size - (uint64_t)n);
			return 0;
		}
	}
	rt_fail(rt, RT_FAULT_BADADDR, src);
	return -1;
}

uint64_t
rtn_var_store(struct rt *rt, uint64_t scope, uint64_t id, uint64_t val)
{
	const struct rtn_var *v =
		native_var_find(rt, scope, id, RTN_VAR_SCALAR);
	uint8_t *p;

	if (v == NULL)
		return 0;
	p = var_place(rt, scope, v);
	if (!(v->flags & RTN_VAR_REF)) {
		*(uint64_t *)(void *)p = val;
		return 0;
	}
	if (val == 0 || var_copy(rt, v, p, val) == 0)
		MARK(p) = scope == RT_SCOPE_THREAD ? val != 0 : val == 0;
	return 0;
}

/* ---- associative arrays -------------------------------------------------- */

static int
assoc_ref(struct rt *rt, uint64_t scope, uint64_t id,
	  struct rt_assoc_ref *ref)
{
	ref->store = (struct rt_assoc *)RTN_SHARED(rt)->assoc;
	ref->var = native_var_find(rt, scope, id, RTN_VAR_ARRAY);
	ref->scope = (uint32_t)scope;
	ref->id = (uint32_t)id;
	ref->tid = scope == RT_SCOPE_THREAD ? rt->tid : 0;
	ref->lay = 0;
	return ref->var != NULL;
}

uint64_t
rtn_assoc_load(struct rt *rt, uint64_t scope, uint64_t id)
{
	struct rt_assoc_ref ref;

	return assoc_ref(rt, scope, id, &ref) ? rt_assoc_load(rt, &ref) : 0;
}

uint64_t
rtn_assoc_store(struct rt *rt, uint64_t scope, uint64_t id, uint64_t val)
{
	struct rt_assoc_ref ref;

	if (assoc_ref(rt, scope, id, &ref))
		rt_assoc_store(rt, &ref, val);
	return 0;
}

/* ---- chance -------------------------------------------------------------- */

/* There is no state to keep it in: the cycle counter, well stirred. */
uint32_t
rt_random(struct rt *rt)
{
	uint64_t x = rtn_rdtsc() + rt->slot * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)(x >> 32);
}

/* ---- loads --------------------------------------------------------------- */

static uint64_t
load_number(uint64_t v, uint64_t size_flags)
{
	unsigned drop = 64 - 8 * (unsigned)(size_flags & 0xff);

	return size_flags & RTN_LD_SIGNED
		       ? (uint64_t)((int64_t)(v << drop) >> drop)
		       : v;
}

uint64_t
rtn_load(struct rt *rt, uint64_t addr, uint64_t size_flags)
{
	uint64_t v = 0;

	if (rt_read(rt, &v, size_flags & 0xff, addr) != 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	return load_number(v, size_flags);
}

uint64_t
rtn_peek(struct rt *rt, uint64_t addr, uint64_t size_flags)
{
	uint64_t v = 0;

	if (rt_read(rt, &v, size_flags & 0xff, addr) != 0)
		return 0;
	return load_number(v, size_flags);
}
