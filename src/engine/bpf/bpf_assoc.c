/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_assoc.c - associative arrays: a hash map each.  The key is made in
 * rt->key; arrays of self-> have the thread's identity in front.
 *
 * Where an enabling uses arrays often, a program has one function for all loads
 * of an array and one for all stores; else they stand in line, as calls cost
 * more than they save.  The verifier rewrites each look-up, and moves all that
 * is behind it: thousands of them would take it minutes.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define SHARE_USES 32 /* loads and stores in line, at most */

/* ---- keys ---------------------------------------------------------------- */

/*
 * R0 = a number for the present thread that no other thread has, also not a
 * later one with the same id: its id and the time it was made.
 */
static int
thread_identity(struct bg *g)
{
	struct em *em = g->em;
	uint32_t off;

	if (bpf_feat_ktypes(g->eng, g->e) != 0)
		return -1;
	off = g->eng->kt.task_start_time;
	if (off != ~0u) {
		bg_task(g);
		em_ld(em, BPF_DW, R0, R0, (int)off);
		em_alui(em, BPF_LSH, R0, 22); /* the id has at most 22 bits */
		em_st(em, BPF_DW, FP, FR_TMP, R0);
	}
	if (g->c->thread.kind != DIF_RCP_NONE) {
		bg_task(g);
		em_ld(em, BPF_W, R0, R0, (int)g->eng->kt.task_pid);
	} else {
		em_call(em, BPF_FUNC_get_current_pid_tgid);
		em_mov32(em, R0, R0);
	}
	if (off != ~0u) {
		em_ld(em, BPF_DW, R1, FP, FR_TMP);
		em_alu(em, BPF_XOR, R0, R1);
	}
	return 0;
}

static bool
keys_are_values(const struct dif_uvar *v)
{
	for (uint32_t i = 0; i < v->nkeys; i++)
		if (is_byref(&v->keys[i]))
			return false;
	return true;
}

/* Build the key behind what is being made there. */
static int
assoc_key(struct bg *g, const struct dif_uvar *v)
{
	struct em *em = g->em;
	uint32_t at = g->keybase, pre = 0;
	int depth = g->ins[g->at].depth;

	if (depth != (int)v->nkeys)
		return bg_refuse(g, "array %s is used with %d keys, it has %u",
				 v->name, depth, v->nkeys);
	if (at + 8 + v->keysize > g->eng->areas->key)
		return bg_refuse(g,
				 "array %s: keys are too large (lower "
				 "strsize)",
				 v->name);
	if (v->scope == DIF_SCOPE_THREAD) {
		if (thread_identity(g) != 0)
			return -1;
		em_st(em, BPF_DW, R6, RT_OFF(key) + (int)at, R0);
		pre = 8;
	}
	if (keys_are_values(v)) {
		for (int i = 0; i < depth; i++) {
			em_ld(em, BPF_DW, R1, R6,
			      RT_OFF(tuple) + i * (int)sizeof(struct rt_tuple));
			em_st(em, BPF_DW, R6,
			      RT_OFF(key) + (int)(at + pre) + 8 * i, R1);
		}
		return 0;
	}
	em_sti(em, BPF_W, R6, RT_OFF(ntuple), depth);
	em_mov(em, R1, R6);
	em_imm(em, R2, at + pre);
	em_fn(em, "rt_tuple_key");
	bg_check_body(g);
	return 0;
}

static const struct bpf_assoc *
assoc_find(struct bg *g, unsigned scope, uint32_t id)
{
	const struct dif_uvar *v = bg_var_find(g, scope, id, DIF_VK_ARRAY);

	return v == NULL || assoc_key(g, v) != 0 ? NULL
						 : bpf_maps_assoc(g->eng, v);
}

/* ---- loads and stores ---------------------------------------------------- */

/* R1 = map, R2 = key. */
static void
assoc_args(struct bg *g, const struct bpf_assoc *a)
{
	em_map(g->em, R1, a->map.fd);
	em_lea(g->em, R2, R6, RT_OFF(key) + (int32_t)g->keybase);
}

/* R0 = the element, 0 if there is none. */
static void
assoc_get(struct bg *g, const struct bpf_assoc *a)
{
	uint32_t null = em_label(g->em);

	assoc_args(g, a);
	em_call(g->em, BPF_FUNC_map_lookup_elem);
	em_ji(g->em, BPF_JEQ, R0, 0, null);
	if (is_byref(&a->var->type))
		bg_number(g, R0);
	else
		em_ld(g->em, BPF_DW, R0, R0, 0);
	em_place(g->em, null);
}

/* The element is not there: make it from a value that is put together. */
static void
assoc_insert(struct bg *g, const struct bpf_assoc *a, unsigned rs)
{
	struct em *em = g->em;
	uint32_t ok = em_label(em);

	if (is_byref(&a->var->type)) {
		em_lea(em, R1, R6, RT_AREA(g));
		bg_var_copy(g, a->var, rs);
		em_lea(em, R3, R6, RT_AREA(g));
	} else {
		em_st(em, BPF_DW, FP, FR_TMP2, bg_get(g, rs, R1));
		em_lea(em, R3, FP, FR_TMP2);
	}
	assoc_args(g, a);
	em_imm(em, R4, BPF_ANY);
	em_call(em, BPF_FUNC_map_update_elem);
	em_ji(em, BPF_JEQ, R0, 0, ok);
	bg_var_dropped(g);
	em_place(em, ok);
}

/* The element = DIF register rs; 0 removes it. */
static void
assoc_put(struct bg *g, const struct bpf_assoc *a, unsigned rs)
{
	struct em *em = g->em;
	uint32_t set = em_label(em), make = em_label(em), done = em_label(em);

	em_ji(em, BPF_JNE, bg_get(g, rs, R1), 0, set);
	assoc_args(g, a);
	em_call(em, BPF_FUNC_map_delete_elem);
	em_ja(em, done);
	em_place(em, set);
	assoc_args(g, a);
	em_call(em, BPF_FUNC_map_lookup_elem);
	em_ji(em, BPF_JEQ, R0, 0, make);
	if (is_byref(&a->var->type)) {
		em_mov(em, R1, R0);
		bg_var_copy(g, a->var, rs);
	} else {
		em_st(em, BPF_DW, R0, 0, bg_get(g, rs, R1));
	}
	em_ja(em, done);
	em_place(em, make);
	assoc_insert(g, a, rs);
	em_place(em, done);
}

/* ---- shared functions ---------------------------------------------------- */

/*
 * get(slot): the element; put(slot, value): 1 if the value cannot be read,
 * else 0.  The key is in rt->key.  The value is DIF register 1, which is R7.
 */
static void
shared_code(struct bg *g, const struct bpf_assoc *a, bool put)
{
	struct em *em = g->em;
	uint32_t none = em_label(em);

	if (put)
		em_mov(em, R7, R2);
	bpf_rec_slot(g->eng, em, false, none);
	if (put)
		assoc_put(g, a, 1);
	else
		assoc_get(g, a);
	if (!put) {
		em_exit(em);
	}
	em_place(em, none);
	em_imm(em, R0, 0);
	em_exit(em);
	for (size_t i = 0; i < g->stubs.n; i++)
		em_place(em, g->stubs.v[i].label);
	em_imm(em, R0, 1);
	em_exit(em);
}

/* R0 = what the function of this array does; R2 is the value to put. */
static void
call_shared(struct bg *g, const struct bpf_assoc *a, bool put)
{
	struct bg s = { .eng = g->eng,
			.e = g->e,
			.c = g->c,
			.u = g->u,
			.cl = g->cl,
			.keybase = g->keybase };
	struct bpf_fn *fn;
	char name[32];

	snprintf(name, sizeof(name), "%s_%td_%u", put ? "put" : "get",
		 a - g->eng->assoc, g->keybase);
	em_ld(g->em, BPF_W, R1, R6, RT_OFF(slot));
	fn = bpf_link_shared(g->u, g->em, name, put ? 2 : 1);
	if (fn == NULL)
		return;
	s.em = &fn->em;
	shared_code(&s, a, put);
	vec_fini(&s.stubs);
	bpf_link_done(fn, g->em);
}

static bool
shares_code(const struct bg *g)
{
	return g->eng->assoc_uses > SHARE_USES;
}

int
bg_assoc_load(struct bg *g, unsigned scope, uint32_t id, unsigned rd)
{
	const struct bpf_assoc *a = assoc_find(g, scope, id);

	if (a == NULL)
		return -1;
	if (shares_code(g))
		call_shared(g, a, false);
	else
		assoc_get(g, a);
	bg_put(g, rd, R0);
	return 0;
}

int
bg_assoc_store(struct bg *g, unsigned scope, uint32_t id, unsigned rs)
{
	const struct bpf_assoc *a = assoc_find(g, scope, id);
	struct em *em = g->em;

	if (a == NULL)
		return -1;
	if (!shares_code(g)) {
		assoc_put(g, a, rs);
		return 0;
	}
	em_mov(em, R2, bg_get(g, rs, R2));
	call_shared(g, a, true);
	if (is_byref(&a->var->type))
		em_ji(em, BPF_JNE, R0, 0,
		      bg_fault(g, DIF_FAULT_BADADDR, (int)rs));
	return 0;
}
