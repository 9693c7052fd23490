/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_layout.c - where everything is: fields in records, keys in key bytes,
 * variables in their areas.  Called once all programs of a trace are known and
 * the sizes are fixed, before an engine is loaded; engines and the consumer
 * then work from the same offsets.
 *
 *   record  | struct rt_rec | field | field ... | pad to 8 |
 *   key     | key, 8-aligned, zero padded | key ... |
 *   area    | var | mark + by-reference var | ... |
 *
 * Scalar variables take a whole 64-bit word: the compiler has converted the
 * value to the variable's type before it is stored.
 *
 * By-reference variables have an 8-byte mark in front of their bytes, because
 * a string can be null: `off` is the place of the bytes, the mark is at
 * off - DIF_VAR_MARK.  An area that is all zero holds empty strings for
 * globals and this-> variables, and null strings for self-> variables, which
 * is what D programs expect ("/self->path/").  So the mark says:
 *   self->           1: there is a value   0: null
 *   global, this->   1: null               0: there is a value
 *
 * Two statements may use one aggregation with keys that come about
 * differently: strings of different bounds, or probefunc (recorded as a probe
 * id) here and an expression there.  One layout must serve both, so bounds
 * are widened to the largest, and a name that meets anything else than the
 * same name is turned back into an expression.
 */
#include "dif/dif.h"

#include <assert.h>

#define REC_HEAD 16u /* struct rt_rec; rt.h is not ours to include */

static uint32_t
round8(uint32_t n)
{
	return (n + 7) & ~7u;
}

static uint32_t
type_size(const struct dif_type *t, const struct dif_sizes *sizes)
{
	if (t->kind != DIF_TYPE_STRING)
		return t->size;
	return t->size != 0 && t->size < sizes->strsize ? t->size
							: sizes->strsize;
}

/* Bytes of a value as recorded. */
static uint32_t
value_size(enum dif_src src, uint32_t arg, const struct dif_type *t,
	   const struct dif_sizes *sizes)
{
	switch (src) {
	case DIF_SRC_OBJ:
		return type_size(t, sizes);
	case DIF_SRC_NAME:
		return 4;
	case DIF_SRC_STACK:
		return arg * 8;
	case DIF_SRC_USTACK:
		return 8 + arg * 8;
	case DIF_SRC_SYM:
		return 8;
	case DIF_SRC_USYM:
		return 16;
	}
	return 0;
}

/* Values of 1, 2 and 4 bytes need no more; strings need nothing. */
static uint32_t
value_align(const struct dif_expr *e)
{
	if (e->src == DIF_SRC_OBJ && e->type.kind == DIF_TYPE_STRING)
		return 1;
	if (e->src == DIF_SRC_OBJ && (e->type.flags & DIF_TF_BYREF) != 0)
		return 8;
	return e->size == 1 || e->size == 2 || e->size == 4 ? e->size : 8;
}

static uint32_t
frames_asked(enum dif_src src, uint32_t arg, const struct dif_sizes *sizes)
{
	if (arg == DIF_FRAMES_DEFAULT && src == DIF_SRC_STACK)
		return sizes->stackframes;
	if (arg == DIF_FRAMES_DEFAULT && src == DIF_SRC_USTACK)
		return sizes->ustackframes;
	if (arg == DIF_FRAMES_JSTACK && src == DIF_SRC_USTACK)
		return sizes->jstackframes != 0 ? sizes->jstackframes :
						  sizes->ustackframes;
	return arg;
}

static uint32_t
frames_of(enum dif_src src, uint32_t arg, const struct dif_sizes *sizes)
{
	uint32_t n = frames_asked(src, arg, sizes), max = sizes->maxframes;

	if (src != DIF_SRC_STACK && src != DIF_SRC_USTACK)
		return n;
	return max != 0 && n > max ? max : n;
}

static void
layout_frames(struct dif_prog *const *progs, size_t nprogs,
	      struct dif_tab *tab, const struct dif_sizes *sizes)
{
	for (size_t p = 0; p < nprogs; p++)
		for (uint32_t c = 0; c < progs[p]->nclauses; c++) {
			struct dif_clause *cl = &progs[p]->clauses[c];
			for (uint32_t s = 0; s < cl->nstmts; s++)
				for (uint32_t i = 0; i < cl->stmts[s].nexprs;
				     i++) {
					struct dif_expr *e =
						&cl->stmts[s].exprs[i];
					e->arg = frames_of(e->src, e->arg,
							   sizes);
				}
		}
	for (uint32_t i = 0; i < tab->naggs; i++) {
		struct dif_aggvar *v = tab->aggs[i];
		for (uint32_t k = 0; k < v->nkeys; k++)
			v->keyarg[k] = frames_of(v->keysrc[k], v->keyarg[k],
						 sizes);
	}
}

/* ---- variables --------------------------------------------------------- */

static uint32_t
key_bytes(const struct dif_type *t, const struct dif_sizes *sizes)
{
	if (t->kind == DIF_TYPE_STRING)
		return round8(sizes->strsize);
	if ((t->flags & DIF_TF_BYREF) != 0)
		return round8(t->size);
	return 8;
}

static void
layout_vars(struct dif_tab *tab, const struct dif_sizes *sizes)
{
	uint32_t area[3] = { 0, 0, 0 };

	for (uint32_t i = 0; i < tab->nvars; i++) {
		struct dif_uvar *v = tab->vars[i];
		bool byref = (v->type.flags & DIF_TF_BYREF) != 0 ||
			     v->type.kind == DIF_TYPE_STRING;
		v->size = key_bytes(&v->type, sizes);
		if (v->kind == DIF_VK_ARRAY) {
			v->off = 0;
			v->keysize = 0;
			for (uint32_t k = 0; k < v->nkeys; k++)
				v->keysize += key_bytes(&v->keys[k], sizes);
			continue;
		}
		if (byref)
			area[v->scope] += DIF_VAR_MARK;
		v->off = area[v->scope];
		area[v->scope] += v->size;
	}
	tab->globals_size = area[DIF_SCOPE_GLOBAL];
	tab->thread_size = area[DIF_SCOPE_THREAD];
	tab->locals_size = area[DIF_SCOPE_LOCAL];
}

struct dif_uvar *
dif_uvar_find(const struct dif_tab *tab, unsigned scope, uint32_t id)
{
	for (uint32_t i = 0; i < tab->nvars; i++)
		if (tab->vars[i]->scope == scope && tab->vars[i]->id == id)
			return tab->vars[i];
	return NULL;
}

/* ---- aggregation keys -------------------------------------------------- */

/* Call fn for every statement that aggregates. */
static void
each_agg_stmt(struct dif_prog *const *progs, size_t nprogs,
	      struct dif_tab *tab, const struct dif_sizes *sizes,
	      struct arena *a,
	      void (*fn)(struct dif_stmt *, struct dif_aggvar *,
			 const struct dif_sizes *, struct arena *))
{
	for (size_t p = 0; p < nprogs; p++)
		for (uint32_t c = 0; c < progs[p]->nclauses; c++) {
			struct dif_clause *cl = &progs[p]->clauses[c];
			for (uint32_t s = 0; s < cl->nstmts; s++) {
				struct dif_stmt *st = &cl->stmts[s];
				if (!DIF_ACT_IS_AGG(st->kind))
					continue;
				assert(st->agg < tab->naggs);
				fn(st, tab->aggs[st->agg], sizes, a);
			}
		}
}

/* Make the aggregation's key types wide enough for this statement. */
static void
agg_widen(struct dif_stmt *st, struct dif_aggvar *v,
	  const struct dif_sizes *sizes, struct arena *a)
{
	for (uint32_t k = 0; k < st->nkeys && k < v->nkeys; k++) {
		const struct dif_expr *e = &st->exprs[k];

		if (v->keysrc[k] == DIF_SRC_NAME &&
		    (e->src != DIF_SRC_NAME || e->arg != v->keyarg[k])) {
			v->keysrc[k] = DIF_SRC_OBJ;
			v->keyarg[k] = 0;
			v->keys[k] = (struct dif_type){
				.kind = DIF_TYPE_STRING,
				.ckind = DIF_CK_STRING,
				.flags = DIF_TF_BYREF,
				.size = 0,
			};
		}
		if (v->keysrc[k] == DIF_SRC_STACK ||
		    v->keysrc[k] == DIF_SRC_USTACK) {
			if (e->arg > v->keyarg[k])
				v->keyarg[k] = e->arg;
			continue;
		}
		if (v->keys[k].kind != DIF_TYPE_STRING ||
		    v->keysrc[k] != DIF_SRC_OBJ)
			continue;
		uint32_t had = type_size(&v->keys[k], sizes);
		uint32_t need = e->src == DIF_SRC_OBJ
					? type_size(&e->type, sizes)
					: sizes->strsize;
		v->keys[k].size = had > need ? had : need;
	}
}

/* probefunc and its like as an expression: ldgs name, %r1; ret %r1. */
static void
name_to_obj(struct dif_expr *e, struct arena *a)
{
	struct dif_obj *o = arena_alloc(a, sizeof(*o));
	dif_instr_t text[] = { DIF_INSTR_W(DIF_OP_LDGS, e->arg, 1),
			       DIF_INSTR_R(DIF_OP_RET, 0, 0, 1) };

	if (o == NULL)
		return;
	o->text = arena_memdup(a, text, sizeof(text));
	o->ntext = 2;
	o->strtab = arena_strdup(a, "");
	o->strlen = 1;
	o->rtype = (struct dif_type){ .kind = DIF_TYPE_STRING,
				      .ckind = DIF_CK_STRING,
				      .flags = DIF_TF_BYREF };
	e->src = DIF_SRC_OBJ;
	e->arg = 0;
	e->obj = o;
	e->type = o->rtype;
}

static void
agg_key_places(struct dif_aggvar *v, const struct dif_sizes *sizes,
	       struct arena *a)
{
	uint32_t off = 0;

	v->keyoff = arena_calloc(a, v->nkeys, sizeof(*v->keyoff));
	v->keylen = arena_calloc(a, v->nkeys, sizeof(*v->keylen));
	for (uint32_t k = 0; k < v->nkeys; k++) {
		uint32_t n = value_size(v->keysrc[k], v->keyarg[k], &v->keys[k],
					sizes);
		bool bytes = v->keys[k].kind == DIF_TYPE_STRING ||
			     (v->keys[k].flags & DIF_TF_BYREF) != 0;

		if (v->keysrc[k] == DIF_SRC_NAME ||
		    (v->keysrc[k] == DIF_SRC_OBJ && !bytes))
			n = 8;
		v->keyoff[k] = off;
		v->keylen[k] = n;
		off += round8(n);
	}
	v->keysize = off;
	v->words = dif_agg_words(v->func, v->arg);
}

static void
agg_stmt_places(struct dif_stmt *st, struct dif_aggvar *v,
		const struct dif_sizes *sizes, struct arena *a)
{
	for (uint32_t k = 0; k < st->nkeys && k < v->nkeys; k++) {
		struct dif_expr *e = &st->exprs[k];

		if (e->src == DIF_SRC_NAME && v->keysrc[k] == DIF_SRC_OBJ)
			name_to_obj(e, a);
		e->off = v->keyoff[k];
		e->size = v->keylen[k];
	}
}

/* ---- records ----------------------------------------------------------- */

static void
layout_stmt(struct dif_stmt *st, const struct dif_sizes *sizes, uint32_t *off)
{
	if (!dif_act_records(st->kind))
		return;
	for (uint32_t i = 0; i < st->nexprs; i++) {
		struct dif_expr *e = &st->exprs[i];

		if (st->kind == DIF_ACT_TRACEMEM && i == 0) {
			/* The address is the value; the bytes are recorded. */
			e->type.kind = DIF_TYPE_CTF;
			e->type.flags |= DIF_TF_BYREF;
			e->type.size = (uint32_t)st->arg;
		}
		if (st->kind == DIF_ACT_PRINT && sizes->printsize != 0 &&
		    (e->type.flags & DIF_TF_BYREF) != 0 &&
		    type_size(&e->type, sizes) > sizes->printsize)
			e->type.size = sizes->printsize;
		e->size = value_size(e->src, e->arg, &e->type, sizes);
		uint32_t align = value_align(e);
		*off = (*off + align - 1) & ~(align - 1);
		e->off = *off;
		*off += e->size;
	}
}

static void
layout_clause(struct dif_clause *cl, const struct dif_sizes *sizes)
{
	uint32_t off = REC_HEAD;

	for (uint32_t s = 0; s < cl->nstmts; s++)
		layout_stmt(&cl->stmts[s], sizes, &off);
	cl->recsize = cl->records ? round8(off) : 0;
}

void
dif_layout(struct dif_prog *const *progs, size_t nprogs, struct dif_tab *tab,
	   const struct dif_sizes *sizes, struct arena *a)
{
	layout_frames(progs, nprogs, tab, sizes);
	layout_vars(tab, sizes);
	each_agg_stmt(progs, nprogs, tab, sizes, a, agg_widen);
	for (uint32_t i = 0; i < tab->naggs; i++)
		agg_key_places(tab->aggs[i], sizes, a);
	each_agg_stmt(progs, nprogs, tab, sizes, a, agg_stmt_places);
	for (size_t p = 0; p < nprogs; p++)
		for (uint32_t c = 0; c < progs[p]->nclauses; c++)
			layout_clause(&progs[p]->clauses[c], sizes);
}
