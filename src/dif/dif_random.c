/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_random.c - random valid objects whose outcome does not depend on who
 * runs them, for differential tests: interpreter, kernel, native code must
 * give the same number or string, or the same fault at the same instruction.
 *
 * The generator follows what each register holds and emits only steps that
 * are meaningful with that:
 *
 *   NUM    a number that is the same everywhere
 *   STR    the address of a string, or null
 *   MEM    the address of `size` bytes that may be read (and, if `own`,
 *          written: scratch)
 *   JUNK   an address nobody may look at any more, or different things on
 *          the two ways that lead here
 *
 * Addresses differ between engines, so they never become numbers: they are
 * not computed with, not compared, not stored as numbers, not returned (null
 * tests are allowed).  Bytes that are loaded are bytes that the program has
 * put there, or a string's first one.
 *
 * The last register is set apart: every number that a step makes goes into it,
 * and it is what most objects return, so that one wrong bit anywhere is seen.
 *
 * Faults are wanted: division by what may be zero, loads from null and from
 * addresses that are bad in every address space, full tuple stacks, too much
 * scratch.  Registers that hold the address of a variable's bytes become JUNK
 * when variables are stored, since the bytes may move or go.
 */
#include "dif/dif_random_impl.h"

#include <string.h>

/* ---- arithmetic, comparison ---------------------------------------------- */

static void
step_alu(struct rnd *g)
{
	static const uint8_t ops[] = {
		DIF_OP_OR, DIF_OP_XOR, DIF_OP_AND, DIF_OP_SLL, DIF_OP_SRL,
		DIF_OP_SRA, DIF_OP_SUB, DIF_OP_ADD, DIF_OP_MUL,
	};
	unsigned op = ops[rnd_below(g, sizeof(ops))];
	unsigned a = want_num(g), b = pick(g, RND_NUM), d = pick_dst(g);

	emit_r(g, op, a, b, d);
	made_num(g, d);
}

static void
step_divide(struct rnd *g)
{
	unsigned op = DIF_OP_SDIV + rnd_below(g, 4);
	unsigned a = want_num(g), b, d = pick_dst(g);

	if (one_in(g, 8)) {
		b = pick(g, RND_NUM); /* r0 too */
	} else {
		b = pick_other(g, a);
		emit_setx(g, rnd_value(g) | one_in(g, 2), b);
		set_kind(g, b, RND_NUM);
	}
	emit_r(g, op, a, b, d);
	made_num(g, d);
}

/* An index: most are within the bound. */
static void
step_bound(struct rnd *g)
{
	unsigned a = want_num(g), b = pick_other(g, a);

	emit_setx(g, one_in(g, 8) ? rnd_value(g) : UINT64_MAX, b);
	set_kind(g, b, RND_NUM);
	emit_r(g, DIF_OP_BOUND, a, b, 0);
}

static void
step_move(struct rnd *g)
{
	unsigned s = pick_dst(g), d = pick_dst(g);

	if (g->r[s].kind == RND_NUM && one_in(g, 2)) {
		emit_r(g, DIF_OP_NOT, s, 0, d);
		made_num(g, d);
		return;
	}
	emit_r(g, DIF_OP_MOV, s, 0, d);
	g->r[d] = g->r[s];
}

/* Set the flags by something that is the same everywhere. */
static void
emit_flags(struct rnd *g)
{
	unsigned r, s;

	switch (rnd_below(g, 4)) {
	case 0:
		r = want_str(g);
		s = pick(g, RND_STR);
		emit_r(g, DIF_OP_SCMP, r, s == 0 ? r : s, 0);
		break;
	case 1:
		r = pick_dst(g);
		emit_r(g, DIF_OP_TST, g->r[r].kind == RND_JUNK ? 0 : r, 0, 0);
		break;
	default:
		r = want_num(g);
		emit_r(g, DIF_OP_CMP, r, pick(g, RND_NUM), 0);
		break;
	}
}

static void steps(struct rnd *g, unsigned n, unsigned depth);

/* What is known after two ways meet: what both agree on. */
static void
meet(struct rnd *g, const struct rnd_reg *other)
{
	for (unsigned i = 1; i < DIF_NREGS; i++) {
		struct rnd_reg *a = &g->r[i];
		const struct rnd_reg *b = &other[i];
		if (a->kind != b->kind)
			a->kind = RND_JUNK;
		if (b->size < a->size)
			a->size = b->size;
		a->own = a->own && b->own;
		a->var = a->var || b->var;
	}
}

/* if, with or without else; both ways meet again. */
static void
step_branch(struct rnd *g, unsigned depth)
{
	struct rnd_reg before[DIF_NREGS], then[DIF_NREGS];
	unsigned op = DIF_OP_BE + rnd_below(g, DIF_OP_BLEU - DIF_OP_BE + 1);
	uint32_t cond, skip;

	emit_flags(g);
	memcpy(before, g->r, sizeof(before));
	cond = g->ntext;
	emit(g, 0);
	steps(g, 1 + rnd_below(g, 4), depth + 1);
	if (one_in(g, 2) || !room(g)) {
		g->text[cond] = DIF_INSTR_B(op, g->ntext);
		meet(g, before);
		emit_r(g, DIF_OP_NOP, 0, 0, 0);
		return;
	}
	skip = g->ntext;
	emit(g, 0);
	g->text[cond] = DIF_INSTR_B(op, g->ntext);
	memcpy(then, g->r, sizeof(then));
	memcpy(g->r, before, sizeof(before));
	steps(g, 1 + rnd_below(g, 4), depth + 1);
	g->text[skip] = DIF_INSTR_B(DIF_OP_BA, g->ntext);
	meet(g, then);
	emit_r(g, DIF_OP_NOP, 0, 0, 0);
}

/* ---- memory -------------------------------------------------------------- */

static void
step_alloc(struct rnd *g)
{
	unsigned n = pick_dst(g), d = pick_dst(g);
	uint32_t size = one_in(g, 40) ? 20000 : 1 + rnd_below(g, 48);

	emit_setx(g, size, n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_ALLOCS, n, 0, d);
	g->r[d] = (struct rnd_reg){ .kind = RND_MEM, .size = size,
				    .own = true };
}

/* %t = %base + a multiple of size within the bytes; false: none fits. */
static bool
emit_place(struct rnd *g, unsigned base, uint32_t size, unsigned t)
{
	uint32_t n = g->r[base].size / size;

	if (n == 0)
		return false;
	emit_setx(g, (uint64_t)rnd_below(g, n) * size, t);
	emit_r(g, DIF_OP_ADD, base, t, t);
	set_kind(g, t, RND_JUNK);
	return true;
}

static const struct rnd_access {
	uint8_t op, size;
} rnd_loads[] = {
	{ DIF_OP_LDSB, 1 }, { DIF_OP_LDSH, 2 }, { DIF_OP_LDSW, 4 },
	{ DIF_OP_LDUB, 1 }, { DIF_OP_LDUH, 2 }, { DIF_OP_LDUW, 4 },
	{ DIF_OP_LDX, 8 },
}, rnd_stores[] = {
	{ DIF_OP_STB, 1 }, { DIF_OP_STH, 2 }, { DIF_OP_STW, 4 },
	{ DIF_OP_STX, 8 },
};

static void
step_load(struct rnd *g)
{
	const struct rnd_access *l = &rnd_loads[rnd_below(g, 7)];
	unsigned base = pick(g, RND_MEM), t;

	if (base == 0) {
		step_alloc(g);
		return;
	}
	t = pick_other(g, base);
	if (!emit_place(g, base, l->size, t))
		return;
	emit_r(g, l->op, t, 0, t);
	made_num(g, t);
}

static void
step_store(struct rnd *g)
{
	const struct rnd_access *s = &rnd_stores[rnd_below(g, 4)];
	unsigned val = want_num(g), base = pick(g, RND_MEM), t;

	if (base == 0 || !g->r[base].own) {
		step_alloc(g);
		return;
	}
	t = pick_other(g, base);
	if (t == val)
		val = 0;
	if (emit_place(g, base, s->size, t))
		emit_r(g, s->op, val, 0, t);
}

/* Between two pieces of memory, or from a literal. */
static void
step_copy(struct rnd *g)
{
	unsigned dst = pick(g, RND_MEM), n;
	unsigned src = pick(g, one_in(g, 2) ? RND_STR : RND_MEM);
	uint32_t most;

	if (dst == 0 || src == 0 || !g->r[dst].own || src == dst)
		return;
	most = g->r[src].size < g->r[dst].size ? g->r[src].size
					       : g->r[dst].size;
	if (most == 0)
		return;
	n = 1;
	while (n == src || n == dst)
		n++;
	emit_setx(g, 1 + rnd_below(g, most), n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_COPYS, src, n, dst);
}

/* A string's first byte; null faults. */
static void
step_first(struct rnd *g)
{
	unsigned s = want_str(g), d = pick_dst(g);

	emit_r(g, one_in(g, 2) ? DIF_OP_LDUB : DIF_OP_LDSB, s, 0, d);
	made_num(g, d);
}

static void
step_bad(struct rnd *g)
{
	static const uint8_t ops[] = {
		DIF_OP_LDX, DIF_OP_LDUB, DIF_OP_LDSW, DIF_OP_ULDX,
		DIF_OP_ULDUB, DIF_OP_RLDX, DIF_OP_STX, DIF_OP_STB,
	};
	unsigned a = pick_dst(g), d = pick_other(g, a);
	unsigned op = ops[rnd_below(g, sizeof(ops))];

	emit_setx(g, bad_address(g), a);
	if (dif_op_info[op].fmt == DIF_FMT_ST) {
		emit_r(g, op, 0, 0, a);
	} else {
		emit_r(g, op, a, 0, d);
		set_kind(g, d, RND_NUM);
	}
	set_kind(g, a, RND_NUM);
}

/* ---- variables ----------------------------------------------------------- */

static void
step_arg(struct rnd *g)
{
	unsigned d = pick_dst(g);

	emit(g,
	     DIF_INSTR_W(DIF_OP_LDGS,
			 DIF_VAR_arg0 +
				 rnd_below(g, DIF_VAR_arg9 - DIF_VAR_arg0 + 1),
			 d));
	set_kind(g, d, RND_NUM);
}

/* Put the variable into the object's table; its name is left out. */
static bool
random_use_var(struct rnd *g, const struct dif_uvar *v)
{
	for (uint32_t i = 0; i < g->nvar; i++)
		if (g->vars[i].id == v->id && g->vars[i].scope == v->scope)
			return true;
	if (g->nvar == VAR_CAP)
		return false;
	g->vars[g->nvar++] = (struct dif_var){
		.id = v->id, .kind = v->kind, .scope = v->scope,
		.flags = DIF_VF_REF | DIF_VF_MOD, .type = v->type,
	};
	return true;
}

/* The kind of register that the variable's value is. */
static enum rnd_kind
var_kind(const struct dif_type *t)
{
	if (t->kind == DIF_TYPE_STRING)
		return RND_STR;
	return (t->flags & DIF_TF_BYREF) != 0 ? RND_MEM : RND_NUM;
}

static void
set_loaded(struct rnd *g, unsigned d, const struct dif_type *t)
{
	enum rnd_kind kind = var_kind(t);

	g->r[d] = (struct rnd_reg){
		.kind = kind,
		.size = kind == RND_MEM ? t->size : 0,
		.var = kind != RND_NUM,
	};
	if (kind == RND_NUM)
		made_num(g, d);
}

/* A register with a value that may be stored to a variable of this type. */
static int
want_value(struct rnd *g, const struct dif_type *t)
{
	unsigned r;

	if (one_in(g, 8))
		return 0; /* zero, or null */
	switch (var_kind(t)) {
	case RND_NUM: return (int)want_num(g);
	case RND_STR: return (int)want_str(g);
	default:
		r = pick(g, RND_MEM);
		return r != 0 && g->r[r].size >= t->size ? (int)r : -1;
	}
}

/* Variables have been stored: addresses of their bytes are void. */
static void
forget_vars(struct rnd *g)
{
	for (unsigned i = 1; i < DIF_NREGS; i++)
		if (g->r[i].var)
			set_kind(g, i, RND_JUNK);
}

static void
scalar(struct rnd *g, const struct dif_uvar *v)
{
	static const uint8_t ld[] = { DIF_OP_LDGS, DIF_OP_LDTS, DIF_OP_LDLS };
	static const uint8_t st[] = { DIF_OP_STGS, DIF_OP_STTS, DIF_OP_STLS };
	int r;

	if (one_in(g, 2)) {
		unsigned d = pick_dst(g);
		emit(g, DIF_INSTR_W(ld[v->scope], v->id, d));
		set_loaded(g, d, &v->type);
		return;
	}
	r = want_value(g, &v->type);
	if (r < 0)
		return;
	emit(g, DIF_INSTR_W(st[v->scope], v->id, (unsigned)r));
	forget_vars(g);
}

/* Push a key of each type; false (and nothing left pushed): cannot. */
static bool
push_keys(struct rnd *g, const struct dif_uvar *v)
{
	for (uint32_t k = 0; k < v->nkeys; k++)
		if (var_kind(&v->keys[k]) == RND_MEM)
			return false;
	for (uint32_t k = 0; k < v->nkeys; k++) {
		if (var_kind(&v->keys[k]) == RND_STR) {
			emit_r(g, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0,
			       want_str(g));
			continue;
		}
		/* Few different keys, so that elements are met again. */
		unsigned r = pick_dst(g);
		emit_setx(g, rnd_below(g, 4), r);
		set_kind(g, r, RND_NUM);
		emit_r(g, DIF_OP_PUSHTV, 0, 0, r);
	}
	return true;
}

static void
element(struct rnd *g, const struct dif_uvar *v)
{
	bool global = v->scope == DIF_SCOPE_GLOBAL;
	unsigned d;
	int r;

	if (v->nkeys == 0 || v->nkeys > DIF_NTUPLE || !push_keys(g, v))
		return;
	if (one_in(g, 2)) {
		d = pick_dst(g);
		emit(g, DIF_INSTR_W(global ? DIF_OP_LDGAA : DIF_OP_LDTAA,
				    v->id, d));
		set_loaded(g, d, &v->type);
	} else if ((r = want_value(g, &v->type)) >= 0) {
		emit(g, DIF_INSTR_W(global ? DIF_OP_STGAA : DIF_OP_STTAA,
				    v->id, (unsigned)r));
		forget_vars(g);
	}
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
}

static void
step_var(struct rnd *g)
{
	const struct dif_uvar *v;

	if (g->tab == NULL || g->tab->nvars == 0) {
		step_arg(g);
		return;
	}
	v = g->tab->vars[rnd_below(g, g->tab->nvars)];
	if (!random_use_var(g, v))
		return;
	if (v->kind == DIF_VK_ARRAY)
		element(g, v);
	else
		scalar(g, v);
}

/* Push and pop for their own sake; nine at once overflow. */
static void
step_tuple(struct rnd *g)
{
	unsigned n = one_in(g, 10) ? DIF_NTUPLE + 1 : 1 + rnd_below(g, 4);

	for (unsigned i = 0; i < n; i++)
		emit_r(g, DIF_OP_PUSHTV, 0, 0, pick(g, RND_NUM));
	if (one_in(g, 2))
		emit_r(g, DIF_OP_POPTS, 0, 0, 0);
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
}

/* ---- the object ---------------------------------------------------------- */

static void
step(struct rnd *g, unsigned depth)
{
	switch (rnd_below(g, 25)) {
	case 0: case 1: case 2: case 3: step_alu(g); break;
	case 24:
		step_bound(g);
		break;
	case 4: step_divide(g); break;
	case 5: case 6: step_move(g); break;
	case 7: case 8: case 9:
		if (depth < 3)
			step_branch(g, depth);
		break;
	case 10: step_alloc(g); break;
	case 11: step_load(g); break;
	case 12: step_store(g); break;
	case 13: step_copy(g); break;
	case 14: step_arg(g); break;
	case 15: case 16: case 17: case 18: step_var(g); break;
	case 19: case 20: case 21: dif_random_call(g); break;
	case 22: step_first(g); break;
	default:
		if (one_in(g, 6))
			step_bad(g);
		else if (one_in(g, 2))
			step_tuple(g);
		break;
	}
}

static void
steps(struct rnd *g, unsigned n, unsigned depth)
{
	for (; n > 0 && g->steps > 0 && room(g); n--) {
		g->steps--;
		step(g, depth);
	}
}

/* Return a number or a string. */
static struct dif_type
finish(struct rnd *g)
{
	unsigned s = one_in(g, 3) ? pick(g, RND_STR) : 0;

	if (s != 0) {
		emit_r(g, DIF_OP_RET, 0, 0, s);
		return (struct dif_type){ .kind = DIF_TYPE_STRING,
					  .ckind = DIF_CK_STRING,
					  .flags = DIF_TF_BYREF };
	}
	emit_r(g, DIF_OP_RET, 0, 0, one_in(g, 8) ? pick(g, RND_NUM) : SUM);
	return (struct dif_type){ .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED,
				  .size = 8 };
}

struct dif_obj *
dif_random(struct arena *a, uint64_t seed, const struct dif_tab *tab,
	   unsigned engines)
{
	struct rnd *g = arena_alloc(a, sizeof(*g));
	struct dif_obj *o = arena_alloc(a, sizeof(*o));

	if (g == NULL || o == NULL)
		return NULL;
	g->state = seed;
	g->tab = tab;
	g->engines = engines;
	g->nstr = 1; /* "" */
	g->steps = 4 + rnd_below(g, 40);
	/* Registers are zero at the start: numbers, all of them. */
	for (unsigned i = 0; i < DIF_NREGS; i++)
		set_kind(g, i, RND_NUM);
	steps(g, g->steps, 0);
	o->rtype = finish(g);
	/* The generator's arrays stay in the arena and serve the object. */
	o->text = g->text;
	o->ntext = g->ntext;
	o->inttab = g->ints;
	o->nint = g->nint;
	o->strtab = g->strs;
	o->strlen = g->nstr;
	o->vartab = g->vars;
	o->nvar = g->nvar;
	return o;
}
