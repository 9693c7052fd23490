/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_agg.c - an aggregating statement: key, value, cell, update.
 *
 * The slot's half of the aggregation buffer belongs to the firing alone, so a
 * cell is updated by plain loads and stores.  Without keys the cell has a
 * fixed place.  With keys the key is made in rt->key; if it is short, its hash
 * and a look at the first entry of its chain are done in line (that is where
 * nearly every look-up ends), the rest is rt_agg_cell()'s.  The hash must be
 * the one of rt_key.c and rt_agg.c; test_bpf_agg.c would see a difference.
 *
 * Cells: see rt_agg_add.c, which defines them.
 */
#include "engine/bpf/bpf_impl.h"

#define HASH_MUL   0x9e3779b97f4a7c15ull
#define INLINE_KEY 64u /* bytes of a key that is hashed in line */

/* R0 = the slot's element, or to `none`. */
static void
slot_agg(const struct engine *eng, struct em *em, uint32_t none)
{
	em_map(em, R1, eng->agg.fd);
	em_lea(em, R2, R6, RT_OFF(slot));
	em_call(em, BPF_FUNC_map_lookup_elem);
	em_ji(em, BPF_JEQ, R0, 0, none);
}

/* FR_AGG = the half that is written now; once for a clause. */
static void
agg_base(struct bg *g, uint32_t none)
{
	struct em *em = g->em;

	if (g->agg_base)
		return;
	g->agg_base = true;
	slot_agg(g->eng, em, none);
	em_st(em, BPF_DW, FP, FR_ELEM, R0);
	em_mapval(em, R1, g->eng->ctl.fd, offsetof(struct rt_ctl, agg_half));
	em_ld(em, BPF_W, R1, R1, 0);
	em_alui(em, BPF_AND, R1, 1);
	em_alui(em, BPF_MUL, R1, (int32_t)(g->eng->agg.vsize / 2));
	em_alu(em, BPF_ADD, R0, R1);
	em_st(em, BPF_DW, FP, FR_AGG, R0);
}

/* The start of a new cell at R1: zero already, but for some words. */
static void
cell_start(struct bg *g, const struct dif_aggvar *a)
{
	const struct dif_agg_info *f = dif_agg_by_code(a->func);
	uint32_t at = 0;

	for (uint32_t i = 0; i < DIF_AGG_NWORDS; i++) {
		const struct dif_aggword_info *w = &dif_aggwords[f->word[i]];
		if (w->start != 0) {
			em_imm(g->em, R2, w->start);
			em_st(g->em, BPF_DW, R1, 8 * (int)at, R2);
		}
		at += w->words;
	}
}

/* R1 = the cell without keys. */
static void
agg_cell_fixed(struct bg *g, const struct dif_stmt *st,
	       const struct dif_aggvar *a)
{
	struct em *em = g->em;
	uint32_t used = em_label(em);

	em_ld(em, BPF_DW, R1, FP, FR_AGG);
	em_alui(em, BPF_ADD, R1, (int32_t)g->eng->view.agg_fixed[st->agg] + 8);
	if (dif_agg_starts(a->func)) {
		em_ld(em, BPF_DW, R2, R1, -8);
		em_ji(em, BPF_JNE, R2, 0, used);
		cell_start(g, a);
	}
	em_place(em, used);
	em_sti(em, BPF_DW, R1, -8, 1);
}

/* ---- cells with keys ----------------------------------------------------- */

/* R0 = hash of the key and the aggregation. */
static void
agg_key_hash(struct bg *g, const struct dif_aggvar *a)
{
	struct em *em = g->em;

	em_imm(em, R3, HASH_MUL);
	em_imm(em, R0, a->keysize);
	for (uint32_t i = 0; i < a->keysize; i += 8) {
		em_ld(em, BPF_DW, R2, R6, RT_OFF(key) + (int)i);
		em_alu(em, BPF_XOR, R0, R2);
		em_alu(em, BPF_MUL, R0, R3);
		em_mov(em, R2, R0);
		em_alui(em, BPF_RSH, R2, 32);
		em_alu(em, BPF_XOR, R0, R2);
	}
	em_alui(em, BPF_ADD, R0, (int32_t)a->id);
	em_mov32(em, R0, R0);
}

/* R1 = the cell if the key's entry is the first of its chain; else to slow. */
static void
cell_first(struct bg *g, const struct dif_aggvar *a, uint32_t slow)
{
	struct em *em = g->em;
	const struct rt_view *v = &g->eng->view;
	uint32_t size = (uint32_t)sizeof(struct rt_agg_entry) + a->keysize;
	uint32_t half = g->eng->agg.vsize / 2;

	agg_key_hash(g, a);
	em_mov(em, R1, R0);
	em_alui(em, BPF_AND, R1, (int32_t)v->agg_nbuckets - 1);
	em_alui(em, BPF_LSH, R1, 2);
	em_ld(em, BPF_DW, R2, FP, FR_AGG);
	em_alu(em, BPF_ADD, R1, R2);
	em_alui(em, BPF_ADD, R1, (int32_t)v->agg_buckets_off);
	em_ld(em, BPF_W, R3, R1, 0);
	em_ji(em, BPF_JEQ, R3, 0, slow);
	em_ji(em, BPF_JGT, R3, (int32_t)(half - size - a->words * 8), slow);
	em_alu(em, BPF_ADD, R2, R3);
	em_ld(em, BPF_W, R4, R2, offsetof(struct rt_agg_entry, hash));
	em_jr(em, BPF_JNE, R4, R0, slow);
	em_ld(em, BPF_W, R4, R2, offsetof(struct rt_agg_entry, agg));
	em_ji(em, BPF_JNE, R4, (int32_t)a->id, slow);
	for (uint32_t i = 0; i < a->keysize; i += 8) {
		em_ld(em, BPF_DW, R4, R2,
		      (int)sizeof(struct rt_agg_entry) + (int)i);
		em_ld(em, BPF_DW, R5, R6, RT_OFF(key) + (int)i);
		em_jr(em, BPF_JNE, R4, R5, slow);
	}
	em_lea(em, R1, R2, (int32_t)size);
}

/*
 * Poke the consumer when a new entry crosses three quarters of the half.  In
 * cell(): r7 is the entry's length.
 */
static void
agg_filling(struct engine *eng, struct bpf_unit *u, struct em *em, uint32_t no)
{
	uint32_t half = eng->agg.vsize / 2, mark = half / 4 * 3;

	slot_agg(eng, em, no);
	em_mapval(em, R1, eng->ctl.fd, offsetof(struct rt_ctl, agg_half));
	em_ld(em, BPF_W, R1, R1, 0);
	em_alui(em, BPF_AND, R1, 1);
	em_alui(em, BPF_MUL, R1, (int32_t)half);
	em_alu(em, BPF_ADD, R0, R1);
	em_ld(em, BPF_W, R2, R0, offsetof(struct rt_agg_half, used));
	em_ji(em, BPF_JLT, R2, (int32_t)mark, no);
	em_alu(em, BPF_SUB, R2, R7);
	em_ji(em, BPF_JSGE, R2, (int32_t)mark, no);
	bpf_rec_wake(eng, u, em);
}

/*
 * cell(slot, aggregation, bytes of the key, bytes of the cell): what
 * rt_agg_cell() gives, which is made if need be; 0: it was dropped, which is
 * counted, and the consumer knows.
 */
static void
cell_code(struct engine *eng, struct bpf_unit *u, struct em *em)
{
	uint32_t old = em_label(em), none = em_label(em), made = em_label(em);

	em_mov(em, R7, R3);
	em_alu(em, BPF_ADD, R7, R4);
	em_alui(em, BPF_ADD, R7, (int32_t)sizeof(struct rt_agg_entry));
	em_mov(em, R8, R2);
	em_st(em, BPF_DW, FP, FR_VAL, R3);
	em_st(em, BPF_DW, FP, FR_INC, R4);
	bpf_rec_slot(eng, em, false, none);
	em_mov(em, R1, R6);
	em_mov(em, R2, R8);
	em_ld(em, BPF_DW, R3, FP, FR_VAL);
	em_ld(em, BPF_DW, R4, FP, FR_INC);
	em_fn(em, "rt_agg_cell");
	em_mov(em, R8, R0);
	em_ji(em, BPF_JNE, R0, 0, made);
	bpf_rec_wake_once(eng, u, em);
	em_place(em, none);
	em_imm(em, R0, 0);
	em_exit(em);
	em_place(em, made);
	em_alui(em, BPF_RSH, R0, 32);
	em_ji(em, BPF_JEQ, R0, 0, old);
	agg_filling(eng, u, em, old);
	em_place(em, old);
	em_mov(em, R0, R8);
	em_exit(em);
}

/* R1 = the cell by cell(); or to `none`. */
static void
cell_slow(struct bg *g, const struct dif_aggvar *a, uint32_t none)
{
	struct em *em = g->em;
	uint32_t cell = a->words * 8;
	struct bpf_fn *fn;

	em_ld(em, BPF_W, R1, R6, RT_OFF(slot));
	em_imm(em, R2, a->id);
	em_imm(em, R3, a->keysize);
	em_imm(em, R4, cell);
	fn = bpf_link_shared(g->u, em, "cell", 4);
	if (fn != NULL) {
		cell_code(g->eng, g->u, &fn->em);
		bpf_link_done(fn, em);
	}
	em_ji(em, BPF_JEQ, R0, 0, none);
	em_mov(em, R2, R0);
	em_mov32(em, R0, R0);
	em_ji(em, BPF_JGT, R0, (int32_t)(g->eng->agg.vsize - cell), none);
	em_ld(em, BPF_DW, R1, FP, FR_ELEM);
	em_alu(em, BPF_ADD, R1, R0);
	if (dif_agg_starts(a->func)) {
		uint32_t used = em_label(em);
		em_alui(em, BPF_RSH, R2, 32);
		em_ji(em, BPF_JEQ, R2, 0, used);
		cell_start(g, a);
		em_place(em, used);
	}
}

static void
agg_cell_keyed(struct bg *g, const struct dif_aggvar *a, uint32_t none)
{
	uint32_t slow = em_label(g->em), have = em_label(g->em);
	uint32_t nb = g->eng->view.agg_nbuckets;

	if (a->keysize <= INLINE_KEY && nb != 0 && (nb & (nb - 1)) == 0) {
		cell_first(g, a, slow);
		em_ja(g->em, have);
	}
	em_place(g->em, slow);
	cell_slow(g, a, none);
	em_place(g->em, have);
}

/* ---- updates: R1 is the cell, R2 the value ------------------------------ */

struct update {
	const struct dif_aggvar *a;
	bool inc;      /* there is an increment */
	uint32_t none; /* the end */
};

/* cell[word] += reg, or += imm if reg is R0; clobbers R3. */
static void
add_reg(struct bg *g, int word, unsigned reg)
{
	em_ld(g->em, BPF_DW, R3, R1, 8 * word);
	em_alu(g->em, BPF_ADD, R3, reg);
	em_st(g->em, BPF_DW, R1, 8 * word, R3);
}

static void
add_one(struct bg *g, int word)
{
	em_ld(g->em, BPF_DW, R3, R1, 8 * word);
	em_alui(g->em, BPF_ADD, R3, 1);
	em_st(g->em, BPF_DW, R1, 8 * word, R3);
}

static void
update_extreme(struct bg *g, int word, unsigned keep)
{
	uint32_t no = em_label(g->em);

	em_ld(g->em, BPF_DW, R3, R1, 8 * word);
	em_jr(g->em, keep, R2, R3, no);
	em_st(g->em, BPF_DW, R1, 8 * word, R2);
	em_place(g->em, no);
}

/*
 * cell[word + 1]:cell[word] += R2 * R2.  With m = |v| = h * 2^32 + l:
 * m * m = (h*h << 64) + (h*l << 33) + l*l.
 */
static void
add_square(struct bg *g, int word)
{
	struct em *em = g->em;
	uint32_t pos = em_label(em), c1 = em_label(em), c2 = em_label(em);

	em_ji(em, BPF_JSGE, R2, 0, pos);
	em_raw(em, BPF_ALU64 | BPF_NEG, R2, 0, 0, 0);
	em_place(em, pos);
	em_mov32(em, R3, R2);         /* l */
	em_alui(em, BPF_RSH, R2, 32); /* h */
	em_mov(em, R4, R2);
	em_alu(em, BPF_MUL, R4, R3); /* h*l */
	em_alu(em, BPF_MUL, R2, R2);
	em_alu(em, BPF_MUL, R3, R3);
	em_mov(em, R5, R4);
	em_alui(em, BPF_RSH, R5, 31);
	em_alu(em, BPF_ADD, R2, R5); /* upper word but for the carry */
	em_alui(em, BPF_LSH, R4, 33);
	em_alu(em, BPF_ADD, R3, R4); /* lower word */
	em_jr(em, BPF_JGE, R3, R4, c1);
	em_alui(em, BPF_ADD, R2, 1);
	em_place(em, c1);
	em_ld(em, BPF_DW, R4, R1, 8 * word);
	em_alu(em, BPF_ADD, R4, R3);
	em_st(em, BPF_DW, R1, 8 * word, R4);
	em_jr(em, BPF_JGE, R4, R3, c2);
	em_alui(em, BPF_ADD, R2, 1);
	em_place(em, c2);
	add_reg(g, word + 1, R2);
}

/* By the rows of aggword.def: the value goes into word w of the cell.  R2
   stays, but for those that must be last in a cell. */
#define WORD(name)                                                             \
	static void bg_word_##name(struct bg *g, const struct update *u, int w)

WORD(ONE)
{
	(void)u;
	add_one(g, w);
}

WORD(VAL)
{
	(void)u;
	add_reg(g, w, R2);
}

WORD(MIN)
{
	(void)u;
	update_extreme(g, w, BPF_JSGE);
}

WORD(MAX)
{
	(void)u;
	update_extreme(g, w, BPF_JSLE);
}

WORD(SQUARE)
{
	(void)u;
	add_square(g, w);
}

WORD(BUCKET)
{
	struct em *em = g->em;

	em_ji(em, BPF_JGE, R2, (int32_t)u->a->words, u->none);
	em_alui(em, BPF_LSH, R2, 3);
	em_alu(em, BPF_ADD, R1, R2);
	if (!u->inc) {
		add_one(g, w);
		return;
	}
	em_ld(em, BPF_DW, R2, FP, FR_INC);
	add_reg(g, w, R2);
}
#undef WORD

static void
cell_update(struct bg *g, const struct update *u)
{
	static void (*const word_fn[DIF_NAGGWORDS])(
		struct bg *, const struct update *, int) = {
#define AGGWORD(NAME, words, start, what) [DIF_AW_##NAME] = bg_word_##NAME,
#include "dif/aggword.def"
#undef AGGWORD
	};
	const struct dif_agg_info *f = dif_agg_by_code(u->a->func);
	uint32_t at = 0;

	if (f->values != 0)
		em_ld(g->em, BPF_DW, R2, FP, FR_VAL);
	for (uint32_t i = 0; i < DIF_AGG_NWORDS && f->word[i]; i++) {
		word_fn[f->word[i]](g, u, (int)at);
		at += dif_aggwords[f->word[i]].words;
	}
}

/* ---- buckets, by the rows of agg.def that say OWN: R0 of R1 -------------- */

/* As dif_lquantize_bucket(). */
static void
bg_agg_lquantize(struct bg *g, uint64_t arg)
{
	struct em *em = g->em;
	uint32_t below = em_label(em), in = em_label(em);
	uint32_t step = DIF_LQ_STEP(arg), levels = DIF_LQ_LEVELS(arg);

	em_imm(em, R0, 0);
	em_ji(em, BPF_JSLT, R1, DIF_LQ_BASE(arg), below);
	em_imm(em, R2, (uint64_t)(int64_t)DIF_LQ_BASE(arg));
	em_alu(em, BPF_SUB, R1, R2);
	em_alui(em, BPF_DIV, R1, step ? (int32_t)step : 1);
	em_ji(em, BPF_JLT, R1, (int32_t)levels, in);
	em_imm(em, R1, levels);
	em_place(em, in);
	em_lea(em, R0, R1, 1);
	em_place(em, below);
}

/*
 * As dif_quantize_bucket().  The number of
 * bits of |v| is found by halving without branches, which the verifier would
 * follow one by one: ((2^s - 1) - x) >> 63 is 1 if x has more than s bits.
 */
static void
bg_agg_quantize(struct bg *g, uint64_t arg)
{
	struct em *em = g->em;
	uint32_t pos = em_label(em), neg = em_label(em), done = em_label(em);

	(void)arg;
	em_imm(em, R0, 0);
	em_mov(em, R2, R1);
	em_ji(em, BPF_JSGE, R1, 0, pos);
	em_raw(em, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	em_place(em, pos);
	for (int lg = 5; lg >= 0; lg--) {
		em_imm(em, R3, (1ull << (1 << lg)) - 1);
		em_alu(em, BPF_SUB, R3, R1);
		em_alui(em, BPF_RSH, R3, 63);
		if (lg != 0)
			em_alui(em, BPF_LSH, R3, lg);
		em_alu(em, BPF_RSH, R1, R3);
		em_alu(em, BPF_ADD, R0, R3);
	}
	em_alu(em, BPF_ADD, R0, R1);
	em_ji(em, BPF_JSLT, R2, 0, neg);
	em_alui(em, BPF_ADD, R0, 63);
	em_ja(em, done);
	em_place(em, neg);
	em_imm(em, R2, 63);
	em_alu(em, BPF_SUB, R2, R0);
	em_imm(em, R0, 0);
	em_ji(em, BPF_JSLT, R2, 0, done);
	em_mov(em, R0, R2);
	em_place(em, done);
}

/* FR_VAL, a value, becomes what goes into the cell. */
static void
value_map(struct bg *g, const struct dif_aggvar *a)
{
	static const struct {
		void (*own)(struct bg *, uint64_t arg);
		const char *body;
	} rows[] = {
#define MAP_NO(name)  { NULL, NULL },
#define MAP_RT(name)  { NULL, "rt_agg_" #name },
#define MAP_OWN(name) { bg_agg_##name, NULL },
#define AGG(code, name, words, map, shown, bounds, min, max, proto)            \
	MAP_##map(name)
#include "dif/agg.def"
#undef AGG
	};
	const struct dif_agg_info *f = dif_agg_by_code(a->func);
	struct em *em = g->em;

	switch (f->map) {
	case DIF_MAP_NO:
		return;
	case DIF_MAP_OWN:
		em_ld(em, BPF_DW, R1, FP, FR_VAL);
		rows[f - dif_aggfuncs].own(g, a->arg);
		break;
	case DIF_MAP_RT:
		em_mov(em, R1, R6);
		em_imm(em, R2, a->arg);
		em_ld(em, BPF_DW, R3, FP, FR_VAL);
		em_imm(em, R4, dif_agg_zero(a->func, a->arg));
		em_fn(em, rows[f - dif_aggfuncs].body);
		break;
	}
	em_st(em, BPF_DW, FP, FR_VAL, R0);
}

/* ---- the statement ------------------------------------------------------- */

static int
agg_key(struct bg *g, const struct dif_stmt *st, const struct dif_aggvar *a)
{
	if (a->keysize > g->eng->areas->key)
		return bg_refuse(g, "@%s: keys of %u bytes are too large",
				 a->name, a->keysize);
	for (uint32_t k = 0; k < st->nkeys; k++) {
		const struct dif_expr *x = &st->exprs[k];
		uint32_t size = (x->size + 7) & ~7u;
		if (k > 0 && bg_break(g) != 0)
			return -1;
		/* An expression may use arrays, whose keys go behind ours. */
		g->keybase = a->keysize;
		if (bg_value(g, x, R6, RT_OFF(key) + (int32_t)x->off, size,
			     true) != 0)
			return -1;
	}
	return 0;
}

int
bg_agg(struct bg *g, const struct dif_stmt *st)
{
	const struct dif_aggvar *a = g->eng->en->tab->aggs[st->agg];
	uint32_t none = em_label(g->em), nvals = st->nexprs - st->nkeys;
	const struct update u = { .a = a, .inc = nvals > 1, .none = none };

	if (a->words == 0 || a->func != st->kind ||
	    dif_agg_by_code(a->func) == NULL)
		return bg_refuse(g, "@%s: the aggregation has another function",
				 a->name);
	if (nvals < dif_agg_by_code(a->func)->values)
		return bg_refuse(g, "@%s: no value to aggregate", a->name);
	if (bg_solo(g, st))
		return 0;
	if (agg_key(g, st, a) != 0)
		return -1;
	for (uint32_t i = 0; i < nvals && i < 2; i++) {
		g->keybase = a->keysize;
		if (bg_obj(g, st->exprs[st->nkeys + i].obj) != 0)
			return -1;
		em_st(g->em, BPF_DW, FP, i == 0 ? FR_VAL : FR_INC, R0);
	}
	g->keybase = 0;
	value_map(g, a);
	agg_base(g, g->lb_done);
	if (a->keysize == 0)
		agg_cell_fixed(g, st, a);
	else
		agg_cell_keyed(g, a, none);
	cell_update(g, &u);
	em_place(g->em, none);
	return 0;
}
