/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_arg.c - recipes in the kernel: the arguments of a firing, and the
 * conditions that a site has.
 *
 * The sites of a class that have the same recipes (conditions) share their
 * code; a site's element says which are its own.  Registers are bpf_prog.c's:
 * r6 rt (arguments only), r7 the context, r8 the site.
 */
#include "engine/bpf/bpf_prog_impl.h"

#include <errno.h>

/* ---- arguments ----------------------------------------------------------- */

static const uint8_t width[] = {
	[1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW
};

static bool
arg_is_user(const struct dif_recipe *rc)
{
	return rc->kind == DIF_RCP_UREG || rc->kind == DIF_RCP_UMEM;
}

/* R1 = its lowest `bits` bits, from bit `shift` on, as a number. */
static void
arg_bits(struct em *em, unsigned shift, unsigned bits, bool is_signed)
{
	if (shift + bits != 64)
		em_alui(em, BPF_LSH, R1, (int32_t)(64 - bits - shift));
	if (bits != 64)
		em_alui(em, is_signed ? BPF_ARSH : BPF_RSH, R1,
			(int32_t)(64 - bits));
}

/* R1 = so many bytes of user memory at R3, 0 where they cannot be read. */
static void
arg_umem(struct maker *m, unsigned size, bool is_signed)
{
	struct em *em = m->em;

	em_lea(em, R1, FP, FM(m, TMP));
	em_imm(em, R2, size);
	em_call(em, BPF_FUNC_probe_read_user);
	em_ld(em, width[size], R1, FP, FM(m, TMP));
	if (is_signed)
		arg_bits(em, 0, size * 8, true);
}

/* R3 += where the thread's %fs begins; R0 is used up.  Of a kernel that does
   not tell, nothing is there. */
static void
arg_fs(struct maker *m)
{
	const uint32_t off = bpf_feat_fsbase(m->eng);
	struct em *em = m->em;

	if (off == ~0u) {
		em_imm(em, R3, 0);
		return;
	}
	em_st(em, BPF_DW, FP, FM(m, ONCE), R3);
	bpf_builtin_task(m->c, em, FR_CTX);
	em_lea(em, R3, R0, (int32_t)off);
	em_lea(em, R1, FP, FM(m, TMP));
	em_imm(em, R2, 8);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R3, FP, FM(m, ONCE));
	em_ld(em, BPF_DW, R1, FP, FM(m, TMP));
	em_alu(em, BPF_ADD, R3, R1);
}

/* R1 = a value that is in user registers, or memory; R0 is the registers, which
   it keeps if that is said. */
static bool
arg_user(struct maker *m, const struct dif_recipe *rc)
{
	struct em *em = m->em;
	unsigned size = rc->size != 0 ? rc->size : 8;

	if (rc->kind == DIF_RCP_UREG) {
		bpf_builtin_ureg(m->c->class, em, R1, (unsigned)rc->val,
				 FM(m, TMP));
		if (rc->size != 0)
			arg_bits(em, rc->shift, size * 8, rc->is_signed);
		return !bpf_ureg_untyped((unsigned)rc->val);
	}
	em_imm(em, R3, (uint64_t)rc->val);
	if (rc->base != 0) {
		em_ld(em, BPF_DW, R1, R0, 8 * (rc->base - 1));
		em_alu(em, BPF_ADD, R3, R1);
	}
	if (rc->index != 0) {
		em_ld(em, BPF_DW, R1, R0, 8 * (rc->index - 1));
		em_alui(em, BPF_LSH, R1, rc->scale);
		em_alu(em, BPF_ADD, R3, R1);
	}
	if (rc->fs)
		arg_fs(m);
	arg_umem(m, size, rc->is_signed);
	return false;
}

/* The arguments that come from user registers or the user's memory. */
static void
args_user(struct maker *m, const struct dif_recipes *r)
{
	struct em *em = m->em;
	bool have = false; /* R0 is the registers */

	for (unsigned i = 0; i < DIF_NARGS; i++) {
		const struct dif_recipe *rc = &r->arg[i];
		if ((m->args & (1u << i)) == 0 || !arg_is_user(rc))
			continue;
		if (!have)
			bpf_builtin_uregs(m->c, em, FR_CTX);
		have = arg_user(m, rc);
		em_st(em, BPF_DW, R6, RT_OFF(arg) + 8 * (int)i, R1);
	}
}

/* R1 = what a step loads from R1. */
static void
arg_load(struct maker *m, const struct dif_step *s)
{
	struct em *em = m->em;
	uint32_t bits = s->bits != 0 ? s->bits : s->size * 8;

	em_lea(em, R3, R1, (int32_t)s->off);
	em_lea(em, R1, FP, FM(m, TMP));
	em_imm(em, R2, s->size);
	em_call(em, BPF_FUNC_probe_read_kernel); /* 0 where it fails */
	em_ld(em, width[s->size], R1, FP, FM(m, TMP));
	if (s->bits != 0 || s->is_signed)
		arg_bits(em, s->shift, bits, s->is_signed);
}

/* R1 += what a step says; FM_ONCE has where the last load was from. */
static void
arg_add(struct maker *m, const struct dif_step *s)
{
	struct em *em = m->em;

	if (s->add == DIF_ADD_OFF) {
		em_alui(em, BPF_ADD, R1, (int32_t)s->off);
		return;
	}
	em_st(em, BPF_DW, FP, FM(m, ONCE) + 8, R1);
	if (s->add == DIF_ADD_BESIDE)
		em_ld(em, BPF_DW, R1, FP, FM(m, ONCE));
	arg_load(m, s);
	if (s->scale != 1)
		em_alui(em, BPF_MUL, R1, (int32_t)s->scale);
	em_ld(em, BPF_DW, R2, FP, FM(m, ONCE) + 8);
	em_alu(em, BPF_ADD, R1, R2);
}

/* R1, a kernel address, through the steps of a path; FM_TMP and FM_ONCE are
   overwritten. */
static void
arg_path(struct maker *m, const struct dif_path *p)
{
	struct em *em = m->em;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct dif_step *s = &p->step[i];
		if (s->add != DIF_ADD_NONE) {
			arg_add(m, s);
			continue;
		}
		if (i + 1 < p->n && p->step[i + 1].add == DIF_ADD_BESIDE)
			em_st(em, BPF_DW, FP, FM(m, ONCE), R1);
		arg_load(m, s);
	}
}

/* R1 = the value of a recipe; R0 to R5 are used up. */
static void
arg_value(struct maker *m, const struct dif_recipe *rc)
{
	struct em *em = m->em;

	switch (rc->kind) {
	case DIF_RCP_CONST:
		em_imm(em, R1, (uint64_t)rc->val);
		break;
	case DIF_RCP_COOKIE:
		em_ld(em, width[rc->size != 0 ? rc->size : 8], R1, R8,
		      (int)offsetof(struct bpf_site, cookie) + rc->shift / 8);
		break;
	case DIF_RCP_CURTHREAD:
		bpf_builtin_task(m->c, em, FR_CTX);
		em_mov(em, R1, R0);
		break;
	case DIF_RCP_UREG:
	case DIF_RCP_UMEM:
		bpf_builtin_uregs(m->c, em, FR_CTX);
		arg_user(m, rc);
		break;
	default:
		m->c->class->args(em, R7, rc, FM(m, TMP));
		if (rc->size != 0)
			arg_bits(em, 0, rc->size * 8u, rc->is_signed);
	}
	if (rc->path != NULL)
		arg_path(m, rc->path);
}

static void
args_other(struct maker *m, const struct dif_recipes *r)
{
	struct em *em = m->em;

	for (unsigned i = 0; i < DIF_NARGS; i++) {
		const struct dif_recipe *rc = &r->arg[i];
		if ((m->args & (1u << i)) == 0 || arg_is_user(rc))
			continue;
		arg_value(m, rc);
		em_st(em, BPF_DW, R6, RT_OFF(arg) + 8 * (int)i, R1);
	}
}

void
bpf_arg_fill(struct maker *m)
{
	static const struct dif_recipes none;
	struct em *em = m->em;
	uint32_t done = em_label(em);
	size_t n = m->c->recipes.n;

	if (m->args == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t other = em_label(em);
		const struct dif_recipes *r = m->c->recipes.v[i];
		if (i + 1 < n) {
			em_ld(em, BPF_W, R1, R8,
			      offsetof(struct bpf_site, recipes));
			em_ji(em, BPF_JNE, R1, (int32_t)i, other);
		}
		args_user(m, r != NULL ? r : &none);
		args_other(m, r != NULL ? r : &none);
		em_ja(em, done);
		em_place(em, other);
	}
	em_place(em, done);
}

/* ---- conditions ---------------------------------------------------------- */

/* On, if it holds; else to the next site. */
static void
when_one(struct maker *m, const struct dif_when *w)
{
	static const uint8_t unless[] = {
		[DIF_CMP_EQ] = BPF_JNE,
		[DIF_CMP_NE] = BPF_JEQ,
		[DIF_CMP_GT] = BPF_JSLE,
		[DIF_CMP_LT] = BPF_JSGE,
	};
	struct em *em = m->em;

	arg_value(m, &w->what);
	if (w->mask != 0) {
		em_imm(em, R2, w->mask);
		em_alu(em, BPF_AND, R1, R2);
	}
	em_imm(em, R2, (uint64_t)w->val);
	em_jr(em, unless[w->cmp], R1, R2, m->lb_next);
}

/* Nobody of this process has been here with this value: on. */
static void
when_once(struct maker *m, const struct dif_recipe *once)
{
	struct em *em = m->em;

	arg_value(m, once);
	em_st(em, BPF_DW, FP, FM(m, ONCE), R1);
	em_call(em, BPF_FUNC_get_current_pid_tgid);
	em_alui(em, BPF_RSH, R0, 32);
	em_st(em, BPF_DW, FP, FM(m, ONCE) + 8, R0);
	em_map(em, R1, m->c->once.fd);
	em_lea(em, R2, FP, FM(m, ONCE));
	em_mov(em, R3, R2); /* the value is of no interest */
	em_imm(em, R4, BPF_NOEXIST);
	em_call(em, BPF_FUNC_map_update_elem);
	/* Kernels before 6.4 leave its upper half undefined. */
	em_ji32(em, BPF_JEQ, R0, -EEXIST, m->lb_next);
}

void
bpf_arg_when(struct maker *m)
{
	struct em *em = m->em;
	uint32_t done = em_label(em);
	size_t n = m->c->whens.n;

	for (size_t i = 0; i < n; i++) {
		uint32_t other = em_label(em);
		const struct dif_whens *w = m->c->whens.v[i];
		if (i + 1 < n) {
			em_ld(em, BPF_W, R1, R8,
			      offsetof(struct bpf_site, when));
			em_ji(em, BPF_JNE, R1, (int32_t)i, other);
		}
		for (uint32_t k = 0; w != NULL && k < w->n; k++)
			when_one(m, &w->v[k]);
		if (w != NULL && w->once.kind != DIF_RCP_NONE)
			when_once(m, &w->once);
		if (i + 1 < n)
			em_ja(em, done);
		em_place(em, other);
	}
	em_place(em, done);
}
