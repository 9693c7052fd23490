/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_var.c - variables of DIF objects.
 *
 * The user's scalars are words in three areas (dif_layout.c): globals at an
 * address of the process, self-> where rt.thread says, this-> in struct rt.
 * Numbers are loaded and stored here, as are addresses of by-reference ones;
 * what copies bytes or searches is a body's affair, and so are the built-in
 * variables that are neither in the machine nor constants.
 */
#include "engine/x86/x86_lower_impl.h"

static bool
lower_is_ref(const struct dif_type *t)
{
	return t->kind == DIF_TYPE_STRING || (t->flags & DIF_TF_BYREF) != 0;
}

static void
illop(struct lower *l, struct lower_dif *lo)
{
	x86_jmp_label(l->b, lower_fault_label(l, DIF_FAULT_ILLOP, lo->pc));
}

/* ---- built-in ------------------------------------------------------------ */

/* By the rows of var.def: code that puts the variable into rd. */
#define FN(name)                                                        \
	static void name(struct lower *l, struct lower_dif *lo, uint32_t id, \
			 unsigned rd)
typedef void lower_var_fn(struct lower *l, struct lower_dif *lo, uint32_t id,
			  unsigned rd);

FN(lower_var_epid)
{
	unsigned dst = lower_reg(rd);

	if (l->error) {
		x86_mov_ri(l->b, dst, l->epid);
		return;
	}
	lower_site(l, 4, dst, offsetof(struct rtn_site, epid0));
	if (l->epid != 0)
		x86_alu_ri(l->b, X86_ADD, 4, dst, (int32_t)l->epid);
}

FN(lower_var_id)
{
	unsigned dst = lower_reg(rd);

	if (l->error)
		x86_load(l->b, 4, false, dst, RT_M(probe_id));
	else
		lower_site(l, 4, dst, offsetof(struct rtn_site, probe_id));
}

FN(lower_var_timestamp)
{
	if (l->t->sh->vdso_time != 0)
		lower_obj_call(l, lo, RTN_FN_timestamp);
	else
		lower_timestamp(l);
	x86_mov_rr(l->b, 8, lower_reg(rd), X86_RAX);
}

FN(lower_var_cpu)
{
	lower_cpu(l);
	x86_mov_rr(l->b, 4, lower_reg(rd), X86_RAX);
}

FN(lower_var_pid)
{
	x86_load(l->b, 4, false, lower_reg(rd), RT_M(pid));
}

FN(lower_var_tid)
{
	x86_load(l->b, 4, false, lower_reg(rd), RT_M(tid));
}

FN(lower_var_errno)
{
	lower_errno(l);
	x86_mov_rr(l->b, 8, lower_reg(rd), X86_RAX);
}

FN(var_arg)
{
	lower_arg(l, id - DIF_VAR_arg0, lower_reg(rd));
}
#define lower_var_arg0 var_arg
#define lower_var_arg1 var_arg
#define lower_var_arg2 var_arg
#define lower_var_arg3 var_arg
#define lower_var_arg4 var_arg
#define lower_var_arg5 var_arg
#define lower_var_arg6 var_arg
#define lower_var_arg7 var_arg
#define lower_var_arg8 var_arg
#define lower_var_arg9 var_arg

FN(var_body)
{
	x86_mov_ri(l->b, X86_RSI, DIF_SCOPE_GLOBAL);
	x86_mov_ri(l->b, X86_RDX, id);
	lower_obj_call(l, lo, RTN_FN_var_load);
	lower_check_fault(l, lo->pc);
	x86_mov_rr(l->b, 8, lower_reg(rd), X86_RAX);
}

FN(var_zero)
{
	x86_mov_ri(l->b, lower_reg(rd), 0);
}
#undef FN

/* The element of DIF register idx in n words at a place of struct rt; beyond
   the end lies 0. */
static void
lower_element(struct lower *l, int32_t at, uint32_t n, unsigned idx,
	      unsigned rd)
{
	struct x86_label out = { 0 };
	unsigned i = lower_src(l, idx, X86_RCX);

	x86_mov_ri(l->b, X86_RAX, 0);
	x86_alu_ri(l->b, X86_CMP, 8, i, (int32_t)n);
	x86_jcc_short(l->b, X86_CC_AE, &out);
	x86_load(l->b, 8, false, X86_RAX, x86_mi(LOWER_RT, i, 8, at));
	x86_bind(l->b, &out);
	x86_mov_rr(l->b, 8, lower_reg(rd), X86_RAX);
}

static void
lower_array_args(struct lower *l, unsigned idx, unsigned rd)
{
	lower_element(l, RT_DISP(arg), RT_NARGS, idx, rd);
}

static void
lower_array_uregs(struct lower *l, unsigned idx, unsigned rd)
{
	lower_element(l, RT_DISP(ureg), DIF_NUREGS, idx, rd);
}

static const struct {
	lower_var_fn *scalar;
	void (*array)(struct lower *l, unsigned idx, unsigned rd);
} rows[DIF_VAR_USER_MIN] = {
#define ROW_RT_SCALAR(id, name)	  [id].scalar = var_body,
#define ROW_OWN_SCALAR(id, name)  [id].scalar = lower_var_##name,
#define ROW_ZERO_SCALAR(id, name) [id].scalar = var_zero,
#define ROW_NO_SCALAR(id, name)
#define ROW_OWN_ARRAY(id, name) [id].array = lower_array_##name,
#define ROW_OWN_ARGS(id, name)	ROW_OWN_ARRAY(id, name)
#define ROW_NO_ARRAY(id, name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	ROW_##p##_##kind(id, name)
#include "dif/var.def"
#undef VAR
};

static void
load_builtin(struct lower *l, struct lower_dif *lo, uint32_t id, unsigned rd)
{
	if (rows[id].scalar == NULL)
		illop(l, lo);
	else
		rows[id].scalar(l, lo, id, rd);
}

void
lower_lda(struct lower *l, struct lower_dif *lo, uint32_t id, unsigned idx,
	  unsigned rd)
{
	if (id >= DIF_VAR_USER_MIN || rows[id].array == NULL)
		illop(l, lo);
	else
		rows[id].array(l, idx, rd);
}

/* ---- the user's scalars -------------------------------------------------- */

/* The word at a variable's offset + disp, by way of rax. */
static struct x86_mem
var_m(struct lower *l, const struct dif_uvar *v)
{
	switch (v->scope) {
	case DIF_SCOPE_GLOBAL:
		x86_mov_ri(l->b, X86_RAX, l->t->sh->globals + v->off);
		return x86_m(X86_RAX, 0);
	case DIF_SCOPE_THREAD:
		x86_load(l->b, 8, false, X86_RAX, RT_M(thread));
		return x86_m(X86_RAX, (int32_t)v->off);
	default:
		return x86_m(LOWER_RT, RT_DISP(locals) + (int32_t)v->off);
	}
}

/* Its bytes' address, or 0 where its mark says that it is null. */
static void
load_ref(struct lower *l, const struct dif_uvar *v, unsigned dst)
{
	struct x86_mem m = var_m(l, v), mark = m;

	mark.disp -= (int32_t)DIF_VAR_MARK;
	x86_mov_ri(l->b, X86_RCX, 0);
	x86_lea(l->b, X86_RDX, m);
	x86_alu_mi(l->b, X86_CMP, 8, mark, 0);
	x86_cmov(l->b, v->scope == DIF_SCOPE_THREAD ? X86_CC_E : X86_CC_NE, 8,
		 X86_RDX, X86_RCX);
	x86_mov_rr(l->b, 8, dst, X86_RDX);
}

static const struct dif_uvar *
find(const struct lower *l, unsigned scope, uint32_t id, enum dif_var_kind kind)
{
	const struct dif_uvar *v = dif_uvar_find(l->in->en->tab, scope, id);

	return v == NULL || v->kind != kind ? NULL : v;
}

void
lower_ldv(struct lower *l, struct lower_dif *lo, unsigned scope, uint32_t id,
	  unsigned rd)
{
	const struct dif_uvar *v;

	if (scope == DIF_SCOPE_GLOBAL && id < DIF_VAR_USER_MIN) {
		load_builtin(l, lo, id, rd);
		return;
	}
	v = find(l, scope, id, DIF_VK_SCALAR);
	if (v == NULL)
		illop(l, lo);
	else if (lower_is_ref(&v->type))
		load_ref(l, v, lower_reg(rd));
	else
		x86_load(l->b, 8, false, lower_reg(rd), var_m(l, v));
}

void
lower_stv(struct lower *l, struct lower_dif *lo, unsigned scope, uint32_t id,
	  unsigned rs)
{
	const struct dif_uvar *v = find(l, scope, id, DIF_VK_SCALAR);

	if (v == NULL) {
		illop(l, lo);
		return;
	}
	if (!lower_is_ref(&v->type)) {
		struct x86_mem m = var_m(l, v);
		x86_store(l->b, 8, m, lower_src(l, rs, X86_RCX));
		return;
	}
	x86_mov_ri(l->b, X86_RSI, scope);
	x86_mov_ri(l->b, X86_RDX, id);
	x86_mov_rr(l->b, 8, X86_RCX, lower_src(l, rs, X86_RCX));
	lower_obj_call(l, lo, RTN_FN_var_store);
	lower_check_fault(l, lo->pc);
}

/* ---- associative arrays -------------------------------------------------- */

void
lower_assoc(struct lower *l, struct lower_dif *lo, unsigned scope, uint32_t id,
	    unsigned reg, bool store)
{
	if (find(l, scope, id, DIF_VK_ARRAY) == NULL) {
		illop(l, lo);
		return;
	}
	x86_mov_ri(l->b, X86_RSI, scope);
	x86_mov_ri(l->b, X86_RDX, id);
	if (store)
		x86_mov_rr(l->b, 8, X86_RCX, lower_src(l, reg, X86_RCX));
	lower_obj_call(l, lo, store ? RTN_FN_assoc_store : RTN_FN_assoc_load);
	lower_check_fault(l, lo->pc);
	if (!store)
		x86_mov_rr(l->b, 8, lower_reg(reg), X86_RAX);
}
