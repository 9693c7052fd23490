/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_probes.bpf.c - a raw tracepoint program for each body of rt/, so that
 * test_rt_verify can load them one by one and run them by hand.
 *
 * The machine state is the one element of rt_map_rt.  The arguments after it
 * are the context's first three words; the result goes to tmp[0].
 */
#include "rt/rt_bpf.c"

struct {
	int (*type)[2];
	int (*max_entries)[1];
	uint32_t *key;
	struct rt *value;
} rt_map_rt RT_SEC(".maps");

char rt_license[] RT_SEC("license") = "Dual BSD/GPL";

RT_INLINE struct rt *
machine(void)
{
	uint32_t zero = 0;
	struct rt *rt = bpf_map_lookup_elem(&rt_map_rt, &zero);

	if (rt)
		rt->self = (uint64_t)rt;
	return rt;
}

#define PROBE(name, ...)                                                       \
	int probe_##name(uint64_t *c);                                         \
                                                                               \
	RT_SEC("raw_tp") int probe_##name(uint64_t *c)                         \
	{                                                                      \
		struct rt *rt = machine();                                     \
                                                                               \
		if (rt)                                                        \
			rt->tmp[0] = name(__VA_ARGS__);                        \
		return 0;                                                      \
	}

/* A program of one subroutine that has a body. */
#define SUBR_IK(name) PROBE(rt_subr_##name, rt)
#define SUBR_IKP(name) SUBR_IK(name)
#define SUBR_I(name) SUBR_IK(name)
#define SUBR_NONE(name)
#define SUBR(id, name, proto, eng, flags, needs) SUBR_##eng(name)
#include "dif/subr.def"
#undef SUBR

/* Of one aggregating function that has a body, and one variable that engines
   share. */
#define AGG_NO(name)
#define AGG_RT(name)  PROBE(rt_agg_##name, rt, c[0], c[1], c[2])
#define AGG_OWN(name) AGG_RT(name)
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	AGG_##map(name)
#include "dif/agg.def"
#undef AGG
#define VAR_RT(name) PROBE(rt_var_##name, rt)
#define VAR_OWN(name)
#define VAR_HOST(name)
#define VAR_ZERO(name)
#define VAR_NO(name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	VAR_##i(name)
#include "dif/var.def"
#undef VAR

PROBE(rt_scmp, rt, c[0], c[1])
PROBE(rt_absent, rt, c[0], c[1], c[2])
PROBE(rt_allocs, rt, c[0])
PROBE(rt_copys, rt, c[0], c[1], c[2])
PROBE(rt_store, rt, c[0], c[1], c[2])
PROBE(rt_agg_cell, rt, c[0], c[1], c[2])
PROBE(rt_tuple_key, rt, c[0])
PROBE(rt_spec_active, rt, c[0])
PROBE(rt_spec_end, rt, c[0], c[1])
