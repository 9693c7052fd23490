/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_agg.c - the store of aggregations: cells of all CPUs and engines, merged.
 *
 * Engines keep cells by (aggregation, key bytes).  Before they are merged, a
 * key is brought into canonical form: names of probes and symbols of addresses
 * become text, so that what prints alike is one row, whichever probe id or
 * address it came from; strings end at their NUL.  The canonical bytes (id)
 * are, per key, a length and the bytes:
 *
 *   u32 len | bytes | u32 len | bytes ...
 *
 * and do not name the aggregation: rows of several aggregations are joined by
 * comparing them.
 *
 * Looking up symbols is slow and cells of the same key come again with every
 * snapshot, so aggregations with such keys have a second table from the raw
 * key to the cell; it is dropped when a cell is removed.
 *
 * A cell cleared by clear() is `empty`: the next value replaces it, whatever
 * the function, and until then it prints as zero.
 */
#include "lib/dt_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "rt/rt_python.h"

/* One aggregation. */
struct agg_state {
	struct hash *cells; /* id -> struct dt_cell *; owns them */
	struct hash *raw;   /* raw key -> the same; only if needed */
	uint64_t normal;    /* 0 and 1: as it is */
	bool printed;
};

struct dt_aggs {
	const struct dif_tab *tab;
	const struct dt_syms *syms;
	struct agg_state *agg; /* by index; as many as were touched */
	size_t n, cap;
	bool percpu;
	struct buf id, text;
	struct err err;
};

struct dt_aggs *
dt_aggs_new(const struct dif_tab *tab, const struct dt_syms *syms,
	    struct err *e)
{
	struct dt_aggs *as = calloc(1, sizeof(*as));

	if (as == NULL) {
		err_nomem(e);
		return NULL;
	}
	as->tab = tab;
	as->syms = syms;
	return as;
}

void
dt_aggs_set_percpu(struct dt_aggs *as)
{
	as->percpu = true;
}

static void
cell_free_cpus(struct dt_cell *c)
{
	for (size_t i = 0; i < c->ncpu; i++)
		free(c->cpu[i]);
	free(c->cpu);
	c->cpu = NULL;
	c->ncpu = c->capcpu = 0;
}

static void
cell_free(struct dt_cell *c)
{
	cell_free_cpus(c);
	free(c->id);
	free(c->keys);
	free(c->words);
	free(c);
}

static void
state_empty(struct agg_state *s)
{
	size_t pos = 0;
	void *c;

	if (s->cells != NULL)
		while (hash_next(s->cells, &pos, NULL, NULL, &c))
			cell_free(c);
	hash_free(s->cells);
	hash_free(s->raw);
	s->cells = s->raw = NULL;
}

void
dt_aggs_free(struct dt_aggs *as)
{
	if (as == NULL)
		return;
	for (size_t i = 0; i < as->n; i++)
		state_empty(&as->agg[i]);
	free(as->agg);
	buf_fini(&as->id);
	buf_fini(&as->text);
	free(as);
}

/* The state of an aggregation; NULL when there is no memory. */
static struct agg_state *
state_get(struct dt_aggs *as, uint32_t agg)
{
	size_t n = (size_t)agg + 1;

	if (n > as->n) {
		if (!vec_grow((void **)&as->agg, &as->cap, n, sizeof(*as->agg)))
			return NULL;
		memset(&as->agg[as->n], 0, (n - as->n) * sizeof(*as->agg));
		as->n = n;
	}
	return &as->agg[agg];
}

/* The state if there is one. */
static struct agg_state *
state_find(const struct dt_aggs *as, uint32_t agg)
{
	return agg < as->n ? &as->agg[agg] : NULL;
}

/* ---- canonical keys ---------------------------------------------------- */

static bool
key_is_looked_up(const struct dif_aggvar *av)
{
	for (uint32_t i = 0; i < av->nkeys; i++)
		if (av->keysrc[i] == DIF_SRC_NAME ||
		    av->keysrc[i] == DIF_SRC_SYM ||
		    av->keysrc[i] == DIF_SRC_USYM)
			return true;
	return false;
}

/* A stack; frames of languages as they differ from each other. */
static void
id_put_stack(const struct dt_syms *s, struct buf *id, const struct dt_val *v)
{
	pid_t pid = v->n >= 8 ? (pid_t)dt_val_u64(v->p) : 0;

	for (size_t i = 0; i + 8 <= v->n; i += 8) {
		uint64_t w = dt_val_u64(v->p + i);

		if (i != 0 && rt_py_is(w) && s->frame_key != NULL)
			w = s->frame_key(s->arg, pid, w);
		buf_write(id, &w, 8);
	}
}

static void
id_put(const struct dt_syms *s, struct buf *id, const struct dt_val *v)
{
	uint32_t len = v->kind == DT_VAL_INT ? 8 : (uint32_t)v->n;

	buf_write(id, &len, sizeof(len));
	if (v->kind == DT_VAL_INT)
		buf_write(id, &v->num, 8);
	else if (v->kind == DT_VAL_USTACK && v->n % 8 == 0)
		id_put_stack(s, id, v);
	else
		buf_write(id, v->p, v->n);
}

/* as->id = canonical bytes of the key. */
static int
id_make(struct dt_aggs *as, const struct dif_aggvar *av, const uint8_t *key,
	struct err *e)
{
	struct dt_val v;

	buf_reset(&as->id);
	for (uint32_t i = 0; i < av->nkeys; i++) {
		dt_val_key(as->syms, av, i, key, &as->text, &v);
		id_put(as->syms, &as->id, &v);
	}
	if (as->id.failed || as->text.failed) {
		buf_fini(&as->id);
		buf_fini(&as->text);
		as->id = as->text = (struct buf)BUF_INIT;
		return err_nomem(e);
	}
	return 0;
}

/* ---- cells ------------------------------------------------------------- */

/* The values of a new cell's keys, pointing into its id. */
static void
cell_keys(struct dt_aggs *as, const struct dif_aggvar *av, struct dt_cell *c,
	  const uint8_t *key)
{
	const uint8_t *p = c->id;
	uint32_t len;

	for (uint32_t i = 0; i < av->nkeys; i++) {
		struct dt_val *v = &c->keys[i];

		dt_val_key(as->syms, av, i, key, &as->text, v);
		memcpy(&len, p, sizeof(len));
		v->p = p + sizeof(len);
		v->n = len;
		p += sizeof(len) + len;
		if ((v->kind == DT_VAL_USTACK ||
		     av->keysrc[i] == DIF_SRC_USYM) &&
		    as->syms->pid_seen != NULL)
			as->syms->pid_seen(
				as->syms->arg,
				(pid_t)dt_val_u64(key + av->keyoff[i]));
	}
}

static struct dt_cell *
cell_new(struct dt_aggs *as, const struct dif_aggvar *av, uint32_t agg,
	 const uint8_t *key)
{
	struct dt_cell *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->agg = agg;
	c->nkeys = av->nkeys;
	c->nwords = av->words;
	c->empty = true;
	c->idlen = as->id.n;
	c->id = malloc(c->idlen + 1);
	c->keys = calloc(c->nkeys + 1, sizeof(*c->keys));
	c->words = calloc(c->nwords + 1, sizeof(*c->words));
	if (c->id == NULL || c->keys == NULL || c->words == NULL) {
		cell_free(c);
		return NULL;
	}
	memcpy(c->id, buf_str(&as->id), c->idlen);
	cell_keys(as, av, c, key);
	return c;
}

/* The cell of as->id, made if need be. */
static struct dt_cell *
cell_get(struct dt_aggs *as, struct agg_state *s, const struct dif_aggvar *av,
	 uint32_t agg, const uint8_t *key)
{
	struct dt_cell *c;

	if (s->cells == NULL && (s->cells = hash_new()) == NULL)
		return NULL;
	c = hash_find(s->cells, buf_str(&as->id), as->id.n);
	if (c != NULL)
		return c;
	c = cell_new(as, av, agg, key);
	if (c != NULL && hash_set(s->cells, c->id, c->idlen, c) != 0) {
		cell_free(c);
		return NULL;
	}
	return c;
}

/* The cell of a raw key, by the shortest way. */
static struct dt_cell *
cell_of(struct dt_aggs *as, const struct dif_aggvar *av, uint32_t agg,
	const uint8_t *key, struct err *e)
{
	struct agg_state *s = state_get(as, agg);
	bool slow = key_is_looked_up(av);
	struct dt_cell *c;

	if (s == NULL)
		goto nomem;
	if (slow && s->raw == NULL && (s->raw = hash_new()) == NULL)
		goto nomem;
	if (slow && (c = hash_find(s->raw, key, av->keysize)) != NULL)
		return c;
	if (id_make(as, av, key, e) != 0)
		return NULL;
	c = cell_get(as, s, av, agg, key);
	if (c == NULL || (slow && hash_set(s->raw, key, av->keysize, c) != 0))
		goto nomem;
	return c;
nomem:
	err_nomem(e);
	return NULL;
}

/* The value of one CPU, which the merged one does not show. */
static int
cell_add_cpu(struct dt_cell *c, const struct dif_agg_info *f, unsigned cpu,
	     const uint64_t *cell, struct err *e)
{
	size_t bytes = (size_t)c->nwords * sizeof(*cell), n = (size_t)cpu + 1;

	if (n > c->ncpu) {
		if (!vec_grow((void **)&c->cpu, &c->capcpu, n,
			      sizeof(*c->cpu)))
			return err_nomem(e);
		memset(&c->cpu[c->ncpu], 0, (n - c->ncpu) * sizeof(*c->cpu));
		c->ncpu = n;
	}
	if (c->cpu[cpu] != NULL) {
		dt_agg_merge(f, c->cpu[cpu], cell, c->nwords);
		return 0;
	}
	c->cpu[cpu] = malloc(bytes);
	if (c->cpu[cpu] == NULL)
		return err_nomem(e);
	memcpy(c->cpu[cpu], cell, bytes);
	return 0;
}

static int
aggs_add(struct dt_aggs *as, uint32_t agg, unsigned cpu, const uint8_t *key,
	 const uint64_t *cell, struct err *e)
{
	const struct dif_aggvar *av;
	struct dt_cell *c;

	if (agg >= as->tab->naggs)
		return err_set(e, &ERR_GENERIC, 0,
			       "no aggregation has the id %u", agg + 1);
	av = as->tab->aggs[agg];
	c = cell_of(as, av, agg, key, e);
	if (c == NULL)
		return -1;
	if (as->percpu &&
	    cell_add_cpu(c, dt_agg_info(av), cpu, cell, e) != 0)
		return -1;
	if (c->empty)
		memcpy(c->words, cell, (size_t)c->nwords * sizeof(*cell));
	else
		dt_agg_merge(dt_agg_info(av), c->words, cell, c->nwords);
	c->empty = false;
	return 0;
}

int
dt_aggs_add(struct dt_aggs *as, uint32_t agg, const uint8_t *key,
	    const uint64_t *cell, struct err *e)
{
	return aggs_add(as, agg, 0, key, cell, e);
}

int
dt_aggs_add_cell(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
		 const uint64_t *cell)
{
	struct dt_aggs *as = arg;

	return aggs_add(as, agg, cpu, key, cell, &as->err);
}

const struct err *
dt_aggs_err(const struct dt_aggs *as)
{
	return &as->err;
}

/* ---- the actions ------------------------------------------------------- */

void
dt_cell_clear(struct dt_cell *c)
{
	memset(c->words, 0, (size_t)c->nwords * sizeof(*c->words));
	cell_free_cpus(c);
	c->empty = true;
}

void
dt_aggs_clear(struct dt_aggs *as, uint32_t agg)
{
	struct agg_state *s = state_find(as, agg);
	size_t pos = 0;
	void *c;

	if (s == NULL || s->cells == NULL)
		return;
	while (hash_next(s->cells, &pos, NULL, NULL, &c))
		dt_cell_clear(c);
}

void
dt_aggs_remove(struct dt_aggs *as, struct dt_cell *c)
{
	struct agg_state *s = state_find(as, c->agg);

	hash_free(s->raw);
	s->raw = NULL;
	(void)hash_set(s->cells, c->id, c->idlen, NULL);
	cell_free(c);
}

struct trunc {
	struct dt_aggs *as;
	size_t left; /* rows still to be removed */
};

static int
trunc_row(void *arg, const struct dt_row *row)
{
	struct trunc *t = arg;

	if (t->left-- == 0)
		return 1;
	dt_aggs_remove(t->as, row->cell[0]);
	return 0;
}

int
dt_aggs_trunc(struct dt_aggs *as, uint32_t agg, int64_t n, struct err *e)
{
	/* The rows to keep stand at the end of this order. */
	struct dt_aggsort sort = { .rev = n < 0 };
	struct agg_state *s = state_find(as, agg);
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	size_t count = dt_aggs_count(as, agg);
	struct trunc t = { as, 0 };

	if (keep >= count)
		return 0;
	if (keep == 0) {
		state_empty(s);
		return 0;
	}
	t.left = count - (size_t)keep;
	return dt_aggs_walk(as, &agg, 1, &sort, trunc_row, &t, e) < 0 ? -1 : 0;
}

int
dt_aggs_normalize(struct dt_aggs *as, uint32_t agg, uint64_t factor,
		  struct err *e)
{
	struct agg_state *s = state_get(as, agg);
	size_t pos = 0;
	void *c;

	if (factor == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "normalize(@%s, 0): the factor may not be 0",
			       as->tab->aggs[agg]->name);
	if (s == NULL)
		return err_nomem(e);
	s->normal = factor;
	if (s->cells != NULL)
		while (hash_next(s->cells, &pos, NULL, NULL, &c))
			((struct dt_cell *)c)->normal = 0;
	return 0;
}

void
dt_aggs_denormalize(struct dt_aggs *as, uint32_t agg)
{
	struct agg_state *s = state_find(as, agg);
	size_t pos = 0;
	void *c;

	if (s == NULL)
		return;
	s->normal = 0;
	if (s->cells != NULL)
		while (hash_next(s->cells, &pos, NULL, NULL, &c))
			((struct dt_cell *)c)->normal = 0;
}

/* ---- questions --------------------------------------------------------- */

size_t
dt_aggs_count(const struct dt_aggs *as, uint32_t agg)
{
	struct hash *h = dt_aggs_cells(as, agg);

	return h != NULL ? hash_count(h) : 0;
}

struct hash *
dt_aggs_cells(const struct dt_aggs *as, uint32_t agg)
{
	struct agg_state *s = state_find(as, agg);

	return s != NULL ? s->cells : NULL;
}

bool
dt_aggs_printed(const struct dt_aggs *as, uint32_t agg)
{
	struct agg_state *s = state_find(as, agg);

	return s != NULL && s->printed;
}

void
dt_aggs_set_printed(struct dt_aggs *as, uint32_t agg)
{
	struct agg_state *s = state_get(as, agg);

	if (s != NULL)
		s->printed = true;
}

const struct dif_tab *
dt_aggs_tab(const struct dt_aggs *as)
{
	return as->tab;
}

uint64_t
dt_aggs_normal(const struct dt_aggs *as, const struct dt_cell *c)
{
	uint64_t n = c->normal != 0 ? c->normal : as->agg[c->agg].normal;

	return n != 0 ? n : 1;
}
