/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_bpf.c - the bodies as one object for the kernel engine (clang -target
 * bpf).  Its loader links the functions that generated code calls, binds
 * rt_conf to a frozen map and the maps below to its own; their sizes here
 * are placeholders.  Compiled twice: with RT_SMALL and without (rt_areas.h).
 */
#include "rt/rt_mem.h"

#ifdef RT_SMALL
_Static_assert(RT_SIZE(SMALL) == sizeof(struct rt),
	       "rt_areas.c knows what the small areas are");
#endif

const volatile struct rt_conf rt_conf RT_SEC(".rodata") = { 0 };

struct {
	int (*type)[2]; /* BPF_MAP_TYPE_ARRAY */
	int (*max_entries)[1];
	int (*key_size)[4];
	int (*value_size)[8];
} rt_map_agg RT_SEC(".maps");

struct {
	int (*type)[2];
	int (*max_entries)[1];
	uint32_t *key;
	struct rt_ctl *value;
} rt_map_ctl RT_SEC(".maps");

/* For stacks of users (rt_unwind.h); real sizes are the loader's. */
struct {
	int (*type)[2];
	int (*max_entries)[1];
	int (*key_size)[4];
	int (*value_size)[1 << 21];
} rt_map_unwpool RT_SEC(".maps");

struct {
	int (*type)[2];
	int (*max_entries)[1];
	int (*key_size)[4];
	int (*value_size)[RT_UNW_LISTS * sizeof(struct rt_unw_map)];
} rt_map_unwlist RT_SEC(".maps");

struct {
	int (*type)[1]; /* BPF_MAP_TYPE_HASH */
	int (*max_entries)[1];
	uint32_t *key;
	struct rt_unw_proc *value;
} rt_map_unwproc RT_SEC(".maps");

struct {
	int (*type)[1];
	int (*max_entries)[1];
	uint32_t *key;
	struct rt_unw_want *value;
} rt_map_unwwant RT_SEC(".maps");

struct {
	int (*type)[2];
	int (*max_entries)[1];
	uint32_t *key;
	struct rt_unw_debts *value;
} rt_map_unwowed RT_SEC(".maps");

struct {
	int (*type)[2];
	int (*max_entries)[1];
	uint32_t *key;
	struct rt_py_area *value;
} rt_map_unwpy RT_SEC(".maps");

#include "rt/rt_work.c"
#include "rt/rt_str.c"
#include "rt/rt_tok.c"
#include "rt/rt_path.c"
#include "rt/rt_text.c"
#include "rt/rt_json.c"
#include "rt/rt_dpath.c"
#include "rt/rt_absent.c"
#include "rt/rt_scratch.c"
#include "rt/rt_subr.c"
#include "rt/rt_key.c"
#include "rt/rt_agg.c"
#include "rt/rt_spec.c"
#include "rt/rt_execargs.c"
#include "rt/rt_cgroup.c"
#include "rt/rt_chill.c"
#include "rt/rt_var.c"
#include "rt/rt_python.c"
#include "rt/rt_perl.c"
#include "rt/rt_unwind_bare.c"
#include "rt/rt_unwind_quick.c"
#include "rt/rt_unwind.c"
