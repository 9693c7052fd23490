/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * world.c - see world.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rt/test/world.h"

const struct dif_recipes sysret_args = {
	.arg = { { DIF_RCP_SYSRET, 0 } },
};
const struct dif_type i64 = { .ckind = DIF_CK_INT, .size = 8 };

struct test_world *
world_new(const struct engine_ops *ops)
{
	struct test_world *w = calloc(1, sizeof(*w));

	w->ops = ops;
	w->a = arena_new();
	w->opts = (struct engine_opts){ .bufsize = 65536,
					.aggsize = 65536,
					.dynvarsize = 65536,
					.only_cpu = -1 };
	w->en.sizes = (struct dif_sizes){ .strsize = 256,
					  .stackframes = 20,
					  .ustackframes = 20 };
	return w;
}

void
world_free(struct test_world *w)
{
	if (w->eng != NULL)
		w->ops->free(w->eng);
	arena_free(w->a);
	free(w);
}

/* ---- making -------------------------------------------------------------- */

struct dif_obj *
obj(struct test_world *w, const char *text)
{
	struct dif_obj *o = dif_asm(w->a, text, &w->e);

	if (o == NULL || dif_validate(o, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	return o;
}

struct dif_clause *
clause(struct test_world *w, const char *pred)
{
	struct dif_clause *c = &w->clauses[w->prog.nclauses];

	w->cptr[w->prog.nclauses++] = c;
	c->pred = pred ? obj(w, pred) : NULL;
	c->loc.line = (int)w->prog.nclauses;
	c->stmts = arena_calloc(w->a, MAX, sizeof(*c->stmts));
	return c;
}

struct dif_stmt *
stmt(struct test_world *w, struct dif_clause *c, uint32_t kind, const char *x0,
     const char *x1, const char *x2)
{
	struct dif_stmt *s = &c->stmts[c->nstmts++];
	const char *x[] = { x0, x1, x2 };

	s->kind = kind;
	s->exprs = arena_calloc(w->a, 3, sizeof(*s->exprs));
	for (int i = 0; i < 3 && x[i] != NULL; i++) {
		struct dif_obj *o = obj(w, x[i]);
		s->exprs[s->nexprs++] =
			(struct dif_expr){ .obj = o, .type = o->rtype };
	}
	if (kind != DIF_ACT_NONE && !DIF_ACT_IS_AGG(kind))
		c->records = true;
	return s;
}

void
agg(struct test_world *w, struct dif_stmt *s, uint32_t nkeys)
{
	struct dif_aggvar *v = arena_alloc(w->a, sizeof(*v));

	v->name = "a";
	v->func = s->kind;
	v->nkeys = s->nkeys = nkeys;
	v->keys = arena_calloc(w->a, nkeys + 1, sizeof(*v->keys));
	v->keysrc = arena_alloc(w->a, nkeys + 1);
	v->keyarg = arena_calloc(w->a, nkeys + 1, sizeof(*v->keyarg));
	for (uint32_t i = 0; i < nkeys; i++)
		v->keys[i] = s->exprs[i].type;
	s->agg = w->tab.naggs;
	w->aggs[w->tab.naggs++] = v;
	v->id = w->tab.naggs;
}

void
agg_byfunc(struct test_world *w, struct dif_stmt *s)
{
	agg(w, s, 1);
	s->exprs[0].src = DIF_SRC_NAME;
	s->exprs[0].arg = DIF_VAR_probefunc;
	w->aggs[s->agg]->keysrc[0] = DIF_SRC_NAME;
	w->aggs[s->agg]->keyarg[0] = DIF_VAR_probefunc;
}

void
var(struct test_world *w, uint32_t id, int scope, const struct dif_type *t,
    const struct dif_type *key)
{
	struct dif_uvar *v = arena_alloc(w->a, sizeof(*v));

	*v = (struct dif_uvar){ .name = "v",
				.id = (uint16_t)id,
				.scope = (uint8_t)scope,
				.kind = DIF_VK_SCALAR,
				.type = *t };
	if (key != NULL) {
		v->kind = DIF_VK_ARRAY;
		v->keys = arena_memdup(w->a, key, sizeof(*key));
		v->nkeys = 1;
	}
	w->vars[w->tab.nvars++] = v;
}

struct dif_site *
probe(struct test_world *w, enum dif_site_kind kind, uint64_t num,
      unsigned mask, const struct dif_recipes *args)
{
	uint32_t p = w->en.nprobes++;

	w->sites[p] = (struct dif_site){ .kind = kind,
					 .num = num,
					 .args = args,
					 .pid = w->target.pid,
					 .cookie = 1000 + p };
	w->probes[p] = (struct dif_probe){
		.id = 100 + p,
		.prov = "prov",
		.mod = "",
		.func = "func",
		.name = "name",
		.sites = &w->sites[p],
		.nsites = 1,
	};
	for (uint32_t c = 0; c < w->prog.nclauses; c++)
		if (mask & (1u << c)) {
			uint32_t n = w->en.necbs++;
			w->ecbs[n] = (struct dif_ecb){ n + 1, p, c };
		}
	return &w->sites[p];
}

/* ---- running ------------------------------------------------------------- */

struct engine *
try_load(struct test_world *w)
{
	w->prog.clauses = w->clauses;
	w->progs[0] = &w->prog;
	w->tab.vars = w->vars;
	w->tab.aggs = w->aggs;
	dif_layout(w->progs, 1, &w->tab, &w->en.sizes, w->a);
	w->en.probes = w->probes;
	w->en.clauses = w->cptr;
	w->en.nclauses = w->prog.nclauses;
	w->en.ecbs = w->ecbs;
	w->en.tab = &w->tab;
	w->eng = w->ops->load(&w->en, &w->opts, &w->e);
	return w->eng;
}

void
start(struct test_world *w)
{
	if (try_load(w) == NULL)
		fail_msg("load: %s", w->e.msg);
	if (w->ops->attach(w->eng, &w->e) != 0 ||
	    w->ops->begin(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	w->v = w->ops->view(w->eng);
}

void
stop(struct test_world *w)
{
	if (w->ops->stop(w->eng, &w->e) != 0 || w->ops->end(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	w->v = w->ops->view(w->eng);
}

/* ---- looking ------------------------------------------------------------- */

static uint32_t
recsize(void *arg, uint32_t epid)
{
	struct test_world *w = arg;

	return epid <= w->en.necbs ? w->cptr[w->ecbs[epid - 1].clause]->recsize
				   : 0;
}

/* Walk a slot's records to the end, which is the answer; each of an EPID is
   counted. */
static uint64_t
slot_records(struct test_world *w, unsigned slot, uint32_t epid, unsigned *n,
	     const struct rt_rec **last)
{
	uint64_t pos = w->v->rt[slot]->tail;
	const struct rt_rec *r;

	while ((r = rt_drain_next(w->v, slot, &pos, recsize, w, &w->e)) != NULL)
		if (r->epid == epid) {
			++*n;
			if (last != NULL)
				*last = r;
		}
	if (err_is_set(&w->e))
		fail_msg("%s", w->e.msg);
	return pos;
}

unsigned
records(struct test_world *w, uint32_t epid, const struct rt_rec **last)
{
	unsigned n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++)
		slot_records(w, s, epid, &n, last);
	return n;
}

void
records_done(struct test_world *w)
{
	unsigned n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++)
		rt_drain_done(w->v, s, slot_records(w, s, 0, &n, NULL));
}

static int
cell_seen(void *arg, uint32_t a, unsigned cpu, const uint8_t *key,
	  const uint64_t *cell)
{
	struct test_world *w = arg;
	struct cells *c = &w->seen[a];

	c->n++;
	c->sum += cell[0];
	if (w->aggs[a]->nkeys > 0)
		memcpy(&c->key, key, 8);
	return 0;
}

uint64_t
cells(struct test_world *w, uint32_t a, unsigned half, unsigned *n)
{
	struct cells was = w->seen[a];

	w->v = w->ops->view(w->eng);
	rt_drain_aggs(w->v, &w->tab, half, cell_seen, w);
	if (n != NULL)
		*n = w->seen[a].n - was.n;
	return w->seen[a].sum - was.sum;
}

uint64_t
dropped(struct test_world *w, enum rt_drop d)
{
	uint64_t n = 0;

	w->v = w->ops->view(w->eng);
	for (unsigned s = 0; s < w->v->nslots; s++)
		n += w->v->rt[s]->drops[d];
	return n;
}
