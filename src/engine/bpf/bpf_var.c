/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_var.c - variables of the user: where they are and how they are read and
 * written.
 *
 *   global scalars   behind struct rt_ctl, in the ctl map
 *   this->           rt->locals
 *   self->           task storage: one element per thread with all of them,
 *                    made at the first store of something other than 0; the
 *                    kernel frees it with the thread; a clause with several
 *                    uses looks it up once and keeps it in the frame
 *
 * Associative arrays: bpf_assoc.c.
 *
 * By-reference variables have a mark in front (dif_layout.c); loads give the
 * address of the bytes.  Meaning and order of effects: interp_var.c.
 */
#include "engine/bpf/bpf_impl.h"

void
bg_var_dropped(struct bg *g)
{
	int off = RT_OFF(drops) + 8 * RT_DROP_DYNVAR;

	em_ld(g->em, BPF_DW, R1, R6, off);
	em_alui(g->em, BPF_ADD, R1, 1);
	em_st(g->em, BPF_DW, R6, off, R1);
}

const struct dif_uvar *
bg_var_find(struct bg *g, unsigned scope, uint32_t id, enum dif_var_kind kind)
{
	const struct dif_uvar *v = dif_uvar_find(g->eng->en->tab, scope, id);

	if (v == NULL || v->kind != kind) {
		bg_refuse(g, "variable 0x%x is not known", id);
		return NULL;
	}
	return v;
}

void
bg_var_copy(struct bg *g, const struct dif_uvar *v, unsigned rs)
{
	bool str = v->type.kind == DIF_TYPE_STRING;

	em_mov(g->em, R3, bg_get(g, rs, R3));
	bg_copy(g, str ? g->eng->en->sizes.strsize : v->type.size, str, false);
	em_ji(g->em, BPF_JSLT, R0, 0, bg_fault(g, DIF_FAULT_BADADDR, (int)rs));
}

/* ---- self-> ------------------------------------------------------------- */

/*
 * R0 = the thread's element or NULL.  It is made if DIF register rs is not 0;
 * rs -1: it is only looked for.
 */
static void
thread_get(struct bg *g, int rs)
{
	struct em *em = g->em;
	uint32_t zero = em_label(em), have = em_label(em);

	if (g->keep_self) {
		em_ld(em, BPF_DW, R0, FP, FR_SELF);
		em_ji(em, BPF_JNE, R0, 0, have);
	}
	bg_task(g);
	em_mov(em, R2, R0);
	em_map(em, R1, g->eng->self.fd);
	em_imm(em, R3, 0);
	em_imm(em, R4, 0);
	if (rs >= 0) {
		em_ji(em, BPF_JEQ, bg_get(g, (unsigned)rs, R5), 0, zero);
		em_imm(em, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	}
	em_place(em, zero);
	em_call(em, BPF_FUNC_task_storage_get);
	if (g->keep_self)
		em_st(em, BPF_DW, FP, FR_SELF, R0);
	em_place(em, have);
}

static void
thread_load(struct bg *g, const struct dif_uvar *v, unsigned rd)
{
	struct em *em = g->em;
	uint32_t null = em_label(em);

	thread_get(g, -1);
	em_ji(em, BPF_JEQ, R0, 0, null);
	if (!is_byref(&v->type)) {
		em_alui(em, BPF_ADD, R0, (int32_t)v->off);
		em_ld(em, BPF_DW, R0, R0, 0);
	} else {
		uint32_t have = em_label(em);
		em_alui(em, BPF_ADD, R0, (int32_t)v->off);
		em_ld(em, BPF_DW, R1, R0, -(int)DIF_VAR_MARK);
		em_ji(em, BPF_JNE, R1, 0, have);
		em_imm(em, R0, 0);
		em_ja(em, null);
		em_place(em, have);
		bg_number(g, R0);
	}
	em_place(em, null);
	bg_put(g, rd, R0);
}

static void
thread_store(struct bg *g, const struct dif_uvar *v, unsigned rs)
{
	struct em *em = g->em;
	uint32_t have = em_label(em), done = em_label(em);

	thread_get(g, (int)rs);
	em_ji(em, BPF_JNE, R0, 0, have);
	em_ji(em, BPF_JEQ, bg_get(g, rs, R1), 0, done);
	bg_var_dropped(g);
	em_ja(em, done);
	em_place(em, have);
	em_alui(em, BPF_ADD, R0, (int32_t)v->off);
	if (!is_byref(&v->type)) {
		em_st(em, BPF_DW, R0, 0, bg_get(g, rs, R1));
	} else {
		uint32_t null = em_label(em);
		em_st(em, BPF_DW, FP, FR_TMP2, R0);
		em_sti(em, BPF_DW, FP, FR_TMP, 0);
		em_ji(em, BPF_JEQ, bg_get(g, rs, R1), 0, null);
		em_mov(em, R1, R0);
		bg_var_copy(g, v, rs);
		em_sti(em, BPF_DW, FP, FR_TMP, 1);
		em_place(em, null);
		em_ld(em, BPF_DW, R1, FP, FR_TMP2);
		em_ld(em, BPF_DW, R2, FP, FR_TMP);
		em_st(em, BPF_DW, R1, -(int)DIF_VAR_MARK, R2);
	}
	em_place(em, done);
}

/* ---- globals and this-> -------------------------------------------------- */

/* Where a this-> variable is in struct rt. */
static int32_t
at_local(const struct bg *g, const struct dif_uvar *v)
{
	return (int32_t)(g->eng->areas->off_locals + v->off);
}

/* reg = pointer to the variable. */
static void
static_ptr(struct bg *g, const struct dif_uvar *v, unsigned reg)
{
	if (v->scope == DIF_SCOPE_GLOBAL)
		em_mapval(g->em, reg, g->eng->ctl.fd, CTL_GLOBALS + v->off);
	else
		em_lea(g->em, reg, R6, at_local(g, v));
}

static void
static_load(struct bg *g, const struct dif_uvar *v, unsigned rd)
{
	struct em *em = g->em;
	uint32_t null = em_label(em);
	unsigned d = bg_dst(g, rd, R0);

	static_ptr(g, v, R1);
	if (!is_byref(&v->type)) {
		em_ld(em, BPF_DW, d, R1, 0);
		bg_put(g, rd, d);
		return;
	}
	em_ld(em, BPF_DW, R1, R1, -(int)DIF_VAR_MARK);
	em_imm(em, R0, 0);
	em_ji(em, BPF_JNE, R1, 0, null);
	if (v->scope == DIF_SCOPE_GLOBAL) {
		em_imm(em, R0, g->eng->globals_addr + v->off);
	} else {
		em_ld(em, BPF_DW, R0, R6, RT_OFF(self));
		em_alui(em, BPF_ADD, R0, at_local(g, v));
	}
	em_place(em, null);
	bg_put(g, rd, R0);
}

static void
static_store(struct bg *g, const struct dif_uvar *v, unsigned rs)
{
	struct em *em = g->em;
	uint32_t null = em_label(em), done = em_label(em);

	if (!is_byref(&v->type)) {
		static_ptr(g, v, R1);
		em_st(em, BPF_DW, R1, 0, bg_get(g, rs, R2));
		return;
	}
	em_ji(em, BPF_JEQ, bg_get(g, rs, R2), 0, null);
	static_ptr(g, v, R1);
	bg_var_copy(g, v, rs);
	static_ptr(g, v, R1);
	em_sti(em, BPF_DW, R1, -(int)DIF_VAR_MARK, 0);
	em_ja(em, done);
	em_place(em, null);
	static_ptr(g, v, R1);
	em_sti(em, BPF_DW, R1, -(int)DIF_VAR_MARK, 1);
	em_place(em, done);
}

int
bg_var_load(struct bg *g, unsigned scope, uint32_t id, unsigned rd)
{
	const struct dif_uvar *v;

	if (scope == DIF_SCOPE_GLOBAL && id < DIF_VAR_USER_MIN) {
		if (bg_builtin(g, id) != 0)
			return -1;
		bg_put(g, rd, R0);
		return 0;
	}
	v = bg_var_find(g, scope, id, DIF_VK_SCALAR);
	if (v == NULL)
		return -1;
	if (scope == DIF_SCOPE_THREAD)
		thread_load(g, v, rd);
	else
		static_load(g, v, rd);
	return 0;
}

int
bg_var_store(struct bg *g, unsigned scope, uint32_t id, unsigned rs)
{
	const struct dif_uvar *v = bg_var_find(g, scope, id, DIF_VK_SCALAR);

	if (v == NULL)
		return -1;
	if (scope == DIF_SCOPE_THREAD)
		thread_store(g, v, rs);
	else
		static_store(g, v, rs);
	return 0;
}
