/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_agg.c - aggregating statements: keys, value, cell, adding.
 *
 * Three kinds of cell (rt.h, rt_native.h):
 *   fixed    without keys: at a constant place of the half
 *   static   whose keys are names of the probe: at a constant place for each
 *            site
 *   keyed    found by the key.  One word is looked up here, in the way of
 *            rt_agg.c; longer keys and new cells are a body's affair
 *
 * Evaluating keys and values may use rt.key (associative arrays do), so then
 * keys are put together in rt.stage and moved when all is evaluated.
 *
 * At the end rdx is the value, the cell's words are at [rcx + disp], and the
 * increment, if there is one, is in a slot.
 */
#include "engine/x86/x86_lower_impl.h"

#define NO_SLOT UINT32_MAX

struct agg_gen {
	const struct dif_stmt *st;
	const struct dif_aggvar *v;
	uint32_t val, inc; /* slots, or NO_SLOT: in rdx; 1 */
	int32_t disp;
	int32_t first; /* histograms: to be added to the index in rax */
	struct x86_label *done; /* the end, where there is no room for a cell;
				   in the arena, for cold parts go there */
};

bool
lower_agg_static(const struct dif_stmt *st)
{
	if (!DIF_ACT_IS_AGG(st->kind) || st->nkeys == 0)
		return false;
	for (uint32_t k = 0; k < st->nkeys; k++)
		if (st->exprs[k].src != DIF_SRC_NAME)
			return false;
	return true;
}

/* ---- adding -------------------------------------------------------------- */

static struct x86_mem
lower_word(const struct agg_gen *g, uint32_t i)
{
	return x86_m(X86_RCX, g->disp + (int32_t)i * 8);
}

static void
add_extreme(struct lower *l, const struct agg_gen *g, uint32_t i,
	    enum x86_cc not)
{
	struct x86_label keep = { 0 };

	x86_alu_rm(l->b, X86_CMP, 8, X86_RDX, lower_word(g, i));
	x86_jcc_short(l->b, not, &keep);
	x86_store(l->b, 8, lower_word(g, i), X86_RDX);
	x86_bind(l->b, &keep);
}

/* By the rows of aggword.def: the value in rdx goes into word i of the cell. */

static void
lower_word_ONE(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	x86_inc_m(l->b, 8, lower_word(g, i));
}

static void
lower_word_VAL(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	x86_alu_mr(l->b, X86_ADD, 8, lower_word(g, i), X86_RDX);
}

static void
lower_word_MIN(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	add_extreme(l, g, i, X86_CC_GE);
}

static void
lower_word_MAX(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	add_extreme(l, g, i, X86_CC_LE);
}

/* Uses the value up. */
static void
lower_word_SQUARE(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	x86_mov_rr(l->b, 8, X86_RAX, X86_RDX);
	x86_un_r(l->b, X86_IMUL, 8, X86_RDX);
	x86_alu_mr(l->b, X86_ADD, 8, lower_word(g, i), X86_RAX);
	x86_alu_mr(l->b, X86_ADC, 8, lower_word(g, i + 1), X86_RDX);
}

/* The bucket whose index is rax. */
static void
lower_word_BUCKET(struct lower *l, const struct agg_gen *g, uint32_t i)
{
	struct x86_mem m = x86_mi(X86_RCX, X86_RAX, 8,
				  g->disp + (g->first + (int32_t)i) * 8);

	if (g->inc == NO_SLOT) {
		x86_inc_m(l->b, 8, m);
		return;
	}
	x86_load(l->b, 8, false, X86_RDX, lower_slot_m(l, g->inc));
	x86_alu_mr(l->b, X86_ADD, 8, m, X86_RDX);
}

/* ---- buckets, by the rows of agg.def that say OWN: rax of rdx ------------ */

#define QUANTIZE_ZERO 63 /* the bucket of 0; above it 63 + bits of v */

/* Negative: 62 - the highest bit of -v, but not below 0; less the bucket of
   zero, which is added later. */
static void
quantize_negative(struct lower *l, struct lower_cold *c)
{
	struct x86_label in = { 0 };

	x86_un_r(l->b, X86_NEG, 8, X86_RDX);
	x86_bsr(l->b, 8, X86_RAX, X86_RDX);
	x86_un_r(l->b, X86_NEG, 8, X86_RAX);
	x86_alu_ri(l->b, X86_ADD, 8, X86_RAX, QUANTIZE_ZERO - 1);
	x86_jcc_short(l->b, X86_CC_NS, &in);
	x86_mov_ri(l->b, X86_RAX, 0);
	x86_bind(l->b, &in);
	x86_alu_ri(l->b, X86_SUB, 8, X86_RAX, QUANTIZE_ZERO);
	x86_jmp_label(l->b, &c->back);
}

/* The highest bit of 2v + 1 is the number of bits of v, and 0 for 0. */
static void
lower_agg_quantize(struct lower *l, struct agg_gen *g)
{
	struct lower_cold *neg = lower_cold(l, quantize_negative);

	x86_test_rr(l->b, 8, X86_RDX, X86_RDX);
	x86_jcc_label(l->b, X86_CC_S, &neg->at);
	x86_lea(l->b, X86_RAX, x86_mi(X86_RDX, X86_RDX, 1, 1));
	x86_bsr(l->b, 8, X86_RAX, X86_RAX);
	x86_bind(l->b, &neg->back);
	g->first = QUANTIZE_ZERO;
}

/* 0 below the base, else 1 + steps above it, at most levels + 1. */
static void
lower_agg_lquantize(struct lower *l, struct agg_gen *g)
{
	int32_t base = DIF_LQ_BASE(g->v->arg);
	uint32_t step = DIF_LQ_STEP(g->v->arg);
	uint32_t levels = DIF_LQ_LEVELS(g->v->arg);
	struct x86_label below = { 0 };
	struct x86_buf *b = l->b;

	x86_mov_rr(b, 8, X86_RSI, X86_RDX);
	x86_mov_ri(b, X86_RAX, 0);
	x86_alu_ri(b, X86_CMP, 8, X86_RSI, base);
	x86_jcc_label(b, X86_CC_L, &below);
	x86_alu_ri(b, X86_SUB, 8, X86_RSI, base);
	x86_mov_rr(b, 8, X86_RAX, X86_RSI);
	if (step > 1) {
		x86_mov_ri(b, X86_RDX, 0);
		x86_mov_ri(b, X86_RSI, step);
		x86_un_r(b, X86_DIV, 8, X86_RSI);
	}
	x86_mov_ri(b, X86_RSI, levels);
	x86_alu_rr(b, X86_CMP, 8, X86_RAX, X86_RSI);
	x86_cmov(b, X86_CC_A, 8, X86_RAX, X86_RSI);
	x86_inc_r(b, 8, X86_RAX);
	x86_bind(b, &below);
}

/* ---- what goes into the cell --------------------------------------------- */

/* By a body, to which the operation goes as four words of the frame. */
static void
add_body(struct lower *l, const struct agg_gen *g)
{
	struct x86_mem op[4]; /* slots lie upwards */

	for (int i = 0; i < 4; i++)
		op[i] = lower_slot_m(l, lower_slot(l));

	_Static_assert(sizeof(struct rt_aggop) == 32, "four slots");

	x86_store_imm(l->b, 8, op[0], (int32_t)g->v->func);
	x86_mov_ri(l->b, X86_RAX, g->v->arg);
	x86_store(l->b, 8, op[1], X86_RAX);
	if (g->inc == NO_SLOT)
		x86_mov_ri(l->b, X86_RAX, 1);
	else
		x86_load(l->b, 8, false, X86_RAX, lower_slot_m(l, g->inc));
	x86_store(l->b, 8, op[2], X86_RAX);
	x86_store_imm(l->b, 8, op[3],
		      (int32_t)dif_agg_zero(g->v->func, g->v->arg));
	x86_lea(l->b, X86_RSI, lower_word(g, 0));
	x86_lea(l->b, X86_RCX, op[0]);
	lower_call(l, RTN_FN_agg_add);
}

static void
lower_add(struct lower *l, struct agg_gen *g)
{
	static void (*const map[])(struct lower *, struct agg_gen *) = {
#define MAP_NO(code, name)
#define MAP_RT(code, name)
#define MAP_OWN(code, name) [(code) - DIF_AGG_count] = lower_agg_##name,
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	MAP_##map(code, name)
#include "dif/agg.def"
#undef AGG
	};
	static void (*const word_fn[DIF_NAGGWORDS])(
		struct lower *, const struct agg_gen *, uint32_t) = {
#define AGGWORD(NAME, words, start, what) \
	[DIF_AW_##NAME] = lower_word_##NAME,
#include "dif/aggword.def"
#undef AGGWORD
	};
	const struct dif_agg_info *f = dif_agg_by_code(g->v->func);

	if (f->map == DIF_MAP_RT) {
		add_body(l, g);
		return;
	}
	if (f->map == DIF_MAP_OWN)
		map[f->code - DIF_AGG_count](l, g);
	for (uint32_t i = 0, at = 0; i < DIF_AGG_NWORDS && f->word[i]; i++) {
		word_fn[f->word[i]](l, g, at);
		at += dif_aggwords[f->word[i]].words;
	}
}

/* ---- cells at constant places -------------------------------------------- */

/* reg = address of the half that probes write. */
static void
half(struct lower *l, unsigned reg)
{
	x86_load(l->b, 4, false, reg,
		 lower_ctl_m(l->b, l->t, offsetof(struct rt_ctl, agg_half),
			     reg));
	x86_imul_rri(l->b, 8, reg, reg,
		     (int32_t)l->t->sh->conf.agg_halfsize);
	x86_alu_rm(l->b, X86_ADD, 8, reg, RT_M(agg));
}

static void
lower_cell_first(struct lower *l, struct lower_cold *c)
{
	const struct dif_agg_info *f = dif_agg_by_code(c->agg->func);
	int32_t at = c->disp + 8;

	x86_store_imm(l->b, 8, x86_m(X86_RCX, c->disp), 1);
	for (uint32_t i = 0; i < DIF_AGG_NWORDS; i++) {
		const struct dif_aggword_info *w = &dif_aggwords[f->word[i]];
		if (w->start != 0) {
			x86_mov_ri(l->b, X86_RAX, w->start);
			x86_store(l->b, 8, x86_m(X86_RCX, at), X86_RAX);
		}
		at += (int32_t)w->words * 8;
	}
	x86_jmp_label(l->b, &c->back);
}

/* Mark the cell as used; the first time some need a start. */
static void
cell_used(struct lower *l, const struct agg_gen *g)
{
	int32_t used = g->disp - 8;

	if (dif_agg_starts(g->v->func)) {
		struct lower_cold *c = lower_cold(l, lower_cell_first);
		c->agg = g->v;
		c->disp = used;
		x86_alu_mi(l->b, X86_CMP, 8, x86_m(X86_RCX, used), 0);
		x86_jcc_label(l->b, X86_CC_E, &c->at);
		x86_bind(l->b, &c->back);
	} else {
		x86_store_imm(l->b, 8, x86_m(X86_RCX, used), 1);
	}
}

static void
lower_cell_fixed(struct lower *l, struct agg_gen *g)
{
	half(l, X86_RCX);
	g->disp = (int32_t)l->t->agg_fixed[g->st->agg] + 8;
	cell_used(l, g);
}

static void
cell_static(struct lower *l, struct agg_gen *g)
{
	half(l, X86_RCX);
	g->disp = (int32_t)l->statics + 8;
	if (l->inl) {
		l->f.site = true;
		g->disp += (int32_t)l->t->sites[l->site].cells;
	} else {
		lower_site(l, 4, X86_RAX, offsetof(struct rtn_site, cells));
		x86_alu_rr(l->b, X86_ADD, 8, X86_RCX, X86_RAX);
	}
	l->statics += 8 + g->v->words * 8;
	if (g->v->func != DIF_AGG_count)
		cell_used(l, g);
}

/* ---- cells with keys ----------------------------------------------------- */

static void
keyed_args(struct lower *l, const struct dif_aggvar *v)
{
	x86_mov_ri(l->b, X86_RSI, v->id);
	x86_mov_ri(l->b, X86_RDX, v->keysize);
	x86_mov_ri(l->b, X86_RCX, (uint64_t)v->func << 32 | v->words);
}

/* The key is in rsi and not in its chain: let a body make its cell. */
static void
word_miss(struct lower *l, struct lower_cold *c)
{
	x86_store(l->b, 8, RT_M(key), X86_RSI);
	lower_shield(l);
	keyed_args(l, c->agg);
	lower_call_cold(l, RTN_FN_agg_keyed);
	lower_unshield(l);
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_E, c->to);
	x86_mov_rr(l->b, 8, X86_RCX, X86_RAX);
	x86_jmp_label(l->b, &c->back);
}

static void
word_next(struct lower *l, struct lower_cold *c)
{
	x86_load(l->b, 4, false, X86_RCX,
		 x86_mi(X86_RDI, X86_RCX, 1,
			offsetof(struct rt_agg_entry, next)));
	x86_jmp_label(l->b, &c->back);
}

/* eax = the hash of the one word in rsi, as rt_key_hash() has it, and of the
   aggregation. */
static void
word_hash(struct lower *l, const struct dif_aggvar *v)
{
	x86_mov_rr(l->b, 8, X86_RAX, X86_RSI);
	x86_alu_ri(l->b, X86_XOR, 8, X86_RAX, 8); /* bytes of the key */
	x86_mov_ri(l->b, X86_RCX, RTN_HASH_MUL);
	x86_imul_rr(l->b, 8, X86_RAX, X86_RCX);
	x86_mov_rr(l->b, 8, X86_RCX, X86_RAX);
	x86_sh_ri(l->b, X86_SHR, 8, X86_RCX, 32);
	x86_alu_rr(l->b, X86_XOR, 4, X86_RAX, X86_RCX);
	x86_alu_ri(l->b, X86_ADD, 4, X86_RAX, (int32_t)v->id);
}

/* A field of the entry at rdi + rcx. */
static struct x86_mem
entry_m(size_t off)
{
	return x86_mi(X86_RDI, X86_RCX, 1, (int32_t)off);
}

static void
cell_word(struct lower *l, struct agg_gen *g)
{
	struct lower_cold *miss = lower_cold(l, word_miss);
	struct lower_cold *next = lower_cold(l, word_next);
	const struct rt_agg_layout *lay = l->t->agg;
	struct x86_buf *b = l->b;

	miss->agg = g->v;
	miss->to = g->done;
	half(l, X86_RDI);
	word_hash(l, g->v);
	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	x86_alu_ri(b, X86_AND, 4, X86_RCX, (int32_t)lay->nbuckets - 1);
	x86_load(b, 4, false, X86_RCX,
		 x86_mi(X86_RDI, X86_RCX, 4, (int32_t)lay->buckets_off));
	x86_bind(b, &next->back);
	x86_test_rr(b, 4, X86_RCX, X86_RCX);
	x86_jcc_label(b, X86_CC_E, &miss->at);
	x86_alu_mr(b, X86_CMP, 8,
		   entry_m(sizeof(struct rt_agg_entry)), X86_RSI);
	x86_jcc_label(b, X86_CC_NE, &next->at);
	x86_alu_mi(b, X86_CMP, 4, entry_m(offsetof(struct rt_agg_entry, agg)),
		   (int32_t)g->v->id);
	x86_jcc_label(b, X86_CC_NE, &next->at);
	x86_lea(b, X86_RCX, entry_m(sizeof(struct rt_agg_entry) + 8));
	x86_bind(b, &miss->back);
	g->disp = 0;
}

/* The key is in rt.key. */
static void
lower_cell_keyed(struct lower *l, struct agg_gen *g)
{
	keyed_args(l, g->v);
	lower_call(l, RTN_FN_agg_keyed);
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_E, g->done);
	x86_mov_rr(l->b, 8, X86_RCX, X86_RAX);
	g->disp = 0;
}

/* ---- keys ---------------------------------------------------------------- */

static bool
uses_key(const struct dif_obj *o)
{
	return lower_obj_has(o, DIF_OP_LDGAA) ||
	       lower_obj_has(o, DIF_OP_LDTAA) ||
	       lower_obj_has(o, DIF_OP_STGAA) || lower_obj_has(o, DIF_OP_STTAA);
}

static bool
key_is_word(const struct agg_gen *g)
{
	const struct dif_expr *e = g->st->exprs;

	if (g->st->nkeys != 1 || g->v->keysize != 8)
		return false;
	return e->src == DIF_SRC_SYM ||
	       (e->src == DIF_SRC_OBJ && e->type.kind != DIF_TYPE_STRING &&
		(e->type.flags & DIF_TF_BYREF) == 0);
}

/* The key of one word, evaluated and extended, in rax. */
static void
key_word(struct lower *l, const struct dif_expr *e)
{
	uint32_t n = e->type.size;

	lower_obj(l, e->obj);
	if (e->src == DIF_SRC_OBJ && (n == 1 || n == 2 || n == 4))
		x86_ext(l->b, n, (e->type.flags & DIF_TF_SIGNED) != 0, X86_RAX,
			X86_RAX);
}

/* What the value of a key leaves of its words, or all of them. */
static void
key_zero(struct lower *l, const struct dif_expr *e, int32_t at)
{
	uint32_t n = (e->size + 7) & ~7u;
	bool stack = e->src == DIF_SRC_STACK || e->src == DIF_SRC_USTACK;

	if (stack)
		lower_zero(l, LOWER_RT, at, n);
	else if (n != e->size)
		lower_zero(l, LOWER_RT, at + (int32_t)n - 8, 8);
}

/* Words of rt.stage to rt.key. */
static void
key_move(struct lower *l, uint32_t n)
{
	x86_lea(l->b, X86_RSI, RT_M(stage));
	x86_lea(l->b, X86_RDI, RT_M(key));
	x86_mov_ri(l->b, X86_RCX, n);
	x86_rep_movsb(l->b);
	l->f.strings = true;
}

static void
keys(struct lower *l, const struct agg_gen *g, bool staged)
{
	int32_t at = staged ? RT_DISP(stage) : RT_DISP(key);

	for (uint32_t k = 0; k < g->st->nkeys; k++) {
		const struct dif_expr *e = &g->st->exprs[k];
		key_zero(l, e, at + (int32_t)e->off);
		lower_value(l, e, LOWER_RT, at + (int32_t)e->off);
	}
}

/* ---- values -------------------------------------------------------------- */

/*
 * The value to rdx, and an increment to a slot.  keep: the value to a slot
 * too, because a call comes before it is used.
 */
static void
values(struct lower *l, struct agg_gen *g, bool keep)
{
	const struct dif_expr *e = &g->st->exprs[g->st->nkeys];
	uint32_t n = g->st->nexprs - g->st->nkeys;

	if (n == 0)
		return;
	lower_obj(l, e[0].obj);
	if (n == 1 && !keep) {
		x86_mov_rr(l->b, 8, X86_RDX, X86_RAX);
		return;
	}
	g->val = lower_slot(l);
	x86_store(l->b, 8, lower_slot_m(l, g->val), X86_RAX);
	if (n == 1)
		return;
	lower_obj(l, e[1].obj);
	g->inc = lower_slot(l);
	x86_store(l->b, 8, lower_slot_m(l, g->inc), X86_RAX);
}

static void
value_back(struct lower *l, const struct agg_gen *g)
{
	if (g->val != NO_SLOT)
		x86_load(l->b, 8, false, X86_RDX, lower_slot_m(l, g->val));
}

static void
cell_of_word(struct lower *l, struct agg_gen *g)
{
	uint32_t slot;

	key_word(l, g->st->exprs);
	if (g->st->nexprs == 1) {
		x86_mov_rr(l->b, 8, X86_RSI, X86_RAX);
	} else {
		slot = lower_slot(l);
		x86_store(l->b, 8, lower_slot_m(l, slot), X86_RAX);
		values(l, g, false);
		x86_load(l->b, 8, false, X86_RSI, lower_slot_m(l, slot));
	}
	cell_word(l, g);
}

static void
cell_of_keys(struct lower *l, struct agg_gen *g)
{
	bool staged = false;

	for (uint32_t i = 0; i < g->st->nexprs; i++)
		staged |= uses_key(g->st->exprs[i].obj);
	keys(l, g, staged);
	values(l, g, true);
	if (staged)
		key_move(l, g->v->keysize);
	lower_cell_keyed(l, g);
}

void
lower_agg(struct lower *l, const struct dif_stmt *st)
{
	struct agg_gen g = { .st = st,
			     .v = l->in->en->tab->aggs[st->agg],
			     .val = NO_SLOT,
			     .inc = NO_SLOT };
	uint32_t top = l->top;

	g.done = arena_calloc(l->a, 1, sizeof(*g.done));
	if (g.done == NULL) {
		lower_nomem(l);
		return;
	}
	if (g.v->keysize > RT_KEY_MAX) {
		lower_fail(l, "an aggregation's key is too long");
		return;
	}
	if (lower_agg_static(st) && !l->error) {
		values(l, &g, false);
		cell_static(l, &g);
	} else if (g.v->keysize == 0) {
		values(l, &g, false);
		lower_cell_fixed(l, &g);
	} else if (key_is_word(&g)) {
		cell_of_word(l, &g);
	} else {
		cell_of_keys(l, &g);
	}
	value_back(l, &g);
	lower_add(l, &g);
	x86_bind(l->b, g.done);
	l->top = top;
}
