/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_world.c - enablings made by hand, loaded and run, and what they left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "engine/bpf/test/bpf_world.h"

const struct dif_recipes user_args = {
	.arg = { { DIF_RCP_UREG, DIF_R_SYSARG0 },
		 { DIF_RCP_UREG, DIF_R_SYSARG1 },
		 { DIF_RCP_COOKIE, 0 },
		 { DIF_RCP_CONST, -3 } },
};
const struct dif_recipes sysret_args = {
	.arg = { { DIF_RCP_SYSRET, 0 } },
};
const char one[] = "setx 1, %r1\nret %r1\n.ret int 8";

/* ---- making -------------------------------------------------------------- */

struct world *
world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

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

struct dif_obj *
obj(struct world *w, const char *text)
{
	struct dif_obj *o = dif_asm(w->a, text, &w->e);

	if (o == NULL || dif_validate(o, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	return o;
}

struct dif_clause *
clause(struct world *w, const char *pred)
{
	struct dif_clause *c = &w->clauses[w->prog.nclauses];

	w->cptr[w->prog.nclauses++] = c;
	c->pred = pred ? obj(w, pred) : NULL;
	c->loc.line = (int)w->prog.nclauses;
	c->stmts = arena_calloc(w->a, MAX, sizeof(*c->stmts));
	return c;
}

struct dif_stmt *
stmt(struct world *w, struct dif_clause *c, uint32_t kind, const char *x0,
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
agg(struct world *w, struct dif_stmt *s, uint32_t nkeys)
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
var(struct world *w, uint32_t id, int scope, int kind, const struct dif_type *t,
    const struct dif_type *key)
{
	struct dif_uvar *v = arena_alloc(w->a, sizeof(*v));

	*v = (struct dif_uvar){ .name = "v",
				.id = (uint16_t)id,
				.scope = (uint8_t)scope,
				.kind = (uint8_t)kind,
				.type = *t };
	if (key != NULL) {
		v->keys = arena_memdup(w->a, key, sizeof(*key));
		v->nkeys = 1;
	}
	w->vars[w->tab.nvars++] = v;
}

struct dif_site *
probe(struct world *w, enum dif_site_kind kind, uint64_t num, unsigned mask,
      const struct dif_recipes *args)
{
	uint32_t p = w->en.nprobes++;

	w->sites[p] = (struct dif_site){
		.kind = kind, .num = num, .args = args, .cookie = 1000 + p
	};
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

struct engine *
try_load(struct world *w)
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
	w->eng = bpf_engine_ops.load(&w->en, &w->opts, &w->e);
	return w->eng;
}

void
start(struct world *w)
{
	if (try_load(w) == NULL)
		fail_msg("load: %s", w->e.msg);
	w->v = bpf_engine_ops.view(w->eng);
	if (bpf_engine_ops.attach(w->eng, &w->e) != 0 ||
	    bpf_engine_ops.begin(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
}

void
stop(struct world *w)
{
	if (bpf_engine_ops.stop(w->eng, &w->e) != 0 ||
	    bpf_engine_ops.end(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
}

void
world_free(struct world *w)
{
	bpf_engine_ops.free(w->eng);
	arena_free(w->a);
	free(w);
}

/* ---- looking ------------------------------------------------------------- */

static uint32_t
recsize(void *arg, uint32_t epid)
{
	struct world *w = arg;

	return epid <= w->en.necbs ? w->cptr[w->ecbs[epid - 1].clause]->recsize
				   : 0;
}

unsigned
take(struct world *w, uint32_t epid, const struct rt_rec **last)
{
	unsigned n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++) {
		uint64_t pos = w->v->rt[s]->tail;
		const struct rt_rec *r;
		while ((r = rt_drain_next(w->v, s, &pos, recsize, w, &w->e)))
			if (r->epid == epid) {
				n++;
				*last = r;
			}
		assert_false(err_is_set(&w->e));
		rt_drain_done(w->v, s, pos);
	}
	return n;
}

void
again(struct world *w)
{
	for (unsigned s = 0; s < w->v->nslots; s++)
		w->v->rt[s]->tail = 0;
}

uint64_t
dropped(struct world *w, enum rt_drop d)
{
	uint64_t n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++)
		n += w->v->rt[s]->drops[d];
	return n;
}

int
cell_sum(void *arg, uint32_t a, unsigned cpu, const uint8_t *key,
	 const uint64_t *cell)
{
	struct cells *c = arg;

	if (a != c->agg)
		return 0;
	c->n++;
	c->sum += cell[0];
	if (c->keyed)
		memcpy(&c->key, key, 8);
	return 0;
}

const char *
my_pid(void)
{
	static char text[128];

	snprintf(text, sizeof(text),
		 "ldgs pid, %%r1\nsetx %d, %%r2\ncmp %%r1, %%r2\nbe yes\n"
		 "mov %%r0, %%r1\nret %%r1\nyes:\nsetx 1, %%r1\nret %%r1",
		 getpid());
	return text;
}

void
getppids(int n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
}

