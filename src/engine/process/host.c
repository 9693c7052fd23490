/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host.c - what fires in the consumer: BEGIN, END, tick and profile clauses,
 * run by the reference interpreter.
 *
 * They are too rare for native code, and mostly there is no thread of the
 * target that they could run in.  Each of our two threads has a slot, with
 * buffers that the consumer drains like all others; ctl, globals, arrays and
 * aggregations are those that native code uses.
 *
 * As in native code, rt.busy is set while clauses run, before agg_half is
 * read: whoever flips the halves waits until it was 0.
 */
#include "engine/process/host_impl.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

uint64_t
host_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- a firing ------------------------------------------------------------ */

static uint64_t
argument(const struct dif_recipe *r, const struct dif_site *site,
	 const struct host_sample *s)
{
	switch (r->kind) {
	case DIF_RCP_CONST:
		return (uint64_t)r->val;
	case DIF_RCP_COOKIE:
		return dif_recipe_part(r, site->cookie);
	case DIF_RCP_KPC:
		return s != NULL ? s->kpc : 0;
	case DIF_RCP_UPC:
		return s != NULL ? s->upc : 0;
	case DIF_RCP_UREG:
		return s != NULL && r->val < DIF_NUREGS
			       ? dif_recipe_part(r, s->ureg[r->val])
			       : 0;
	default:
		return 0;
	}
}

static void
arguments(struct rt *rt, const struct dif_site *site,
	  const struct host_sample *s)
{
	memset(rt->arg, 0, sizeof(rt->arg));
	if (site->args == NULL)
		return;
	for (unsigned i = 0; i < DIF_NARGS; i++)
		rt->arg[i] = argument(&site->args->arg[i], site, s);
}

static void
host_registers(struct rt *rt, const struct host_sample *s)
{
	memset(rt->ureg, 0, sizeof(rt->ureg));
	if (s != NULL)
		memcpy(rt->ureg, s->ureg, sizeof(s->ureg));
}

void
host_fire(struct host_ctx *c, uint32_t probe, const struct dif_site *site,
	  const struct host_sample *s)
{
	struct rt *rt = c->slot.rt;
	int cpu = s != NULL ? (int)s->cpu : sched_getcpu();
	uint32_t only = c->h->in.conf.only_cpu;

	if (s != NULL && only != 0 && s->cpu != only - 1)
		return;
	/* A full barrier: busy is seen before agg_half is read. */
	__atomic_exchange_n(&rt->busy, 1, __ATOMIC_SEQ_CST);
	rt->cpu = cpu < 0 ? 0 : (uint32_t)cpu;
	rt->cpu_id = (int32_t)rt->cpu;
	if (rt->cpu < RT_NCPUS_MAX) {
		const struct rtn_shared *sh = c->h->in.sh;

		rt->cpu_chip = sh->cpu_place[rt->cpu].chip;
		rt->cpu_lgrp = sh->cpu_place[rt->cpu].lgrp;
	}
	rt->cookie = site->cookie;
	arguments(rt, site, s);
	host_registers(rt, s);
	host_world_enter(c, s);
	interp_fire(rt, &c->view, probe);
	host_world_leave(c);
	__atomic_store_n(&rt->busy, 0, __ATOMIC_RELEASE);
}

/* The first probe that has clauses after ECB *i; *i moves.  NULL: no more. */
static const struct dif_probe *
next_probe(const struct dif_enabling *en, uint32_t *i, uint32_t *probe)
{
	if (*i == en->necbs)
		return NULL;
	*probe = en->ecbs[*i].probe;
	while (*i < en->necbs && en->ecbs[*i].probe == *probe)
		++*i;
	return &en->probes[*probe];
}

static void
fire_all(struct host *h, enum dif_site_kind kind)
{
	const struct dif_probe *p;
	uint32_t i = 0, idx;

	while ((p = next_probe(h->in.en, &i, &idx)) != NULL)
		if (p->nsites > 0 && p->sites[0].kind == kind)
			host_fire(&h->ctx[0], idx, p->sites, NULL);
}

void
host_begin(struct host *h)
{
	fire_all(h, DIF_SITE_BEGIN);
}

void
host_end(struct host *h)
{
	fire_all(h, DIF_SITE_END);
}

void
host_tree(struct host *h, enum dif_site_kind kind, uint64_t num, pid_t pid,
	  const char *comm)
{
	const int cpu = sched_getcpu();
	const struct host_sample s = { .time = host_now(),
				       .pid = pid,
				       .comm = comm,
				       .tid = (uint32_t)pid,
				       .cpu = cpu < 0 ? 0 : (uint32_t)cpu };
	const struct dif_probe *p;
	uint32_t i = 0, idx;

	while ((p = next_probe(h->in.en, &i, &idx)) != NULL)
		for (uint32_t k = 0; k < p->nsites; k++)
			if (p->sites[k].kind == kind && p->sites[k].num == num)
				host_fire(&h->ctx[0], idx, &p->sites[k], &s);
}

/* ---- slots --------------------------------------------------------------- */

struct host_slot *
host_slot(struct host *h, unsigned i)
{
	return &h->ctx[i].slot;
}

/* Zeroed, and not there before it is touched; size 0: NULL. */
static int
area_map(uint8_t **p, uint64_t size, struct err *e)
{
	void *m;

	*p = NULL;
	if (size == 0)
		return 0;
	m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED)
		return err_nomem(e);
	*p = m;
	return 0;
}

static void
area_unmap(uint8_t *p, uint64_t size)
{
	if (p != NULL)
		munmap(p, size);
}

/* The view of slot i alone, for the interpreter. */
static void
slot_view(struct host *h, struct host_ctx *c)
{
	const struct rt_conf *conf = &h->in.conf;

	c->view = (struct rt_view){
		.nslots = 1,
		.ncpus = 1,
		.maxslots = 1,
		.thread_slots = true,
		.rt = &c->slot.rt,
		.buf = c->slot.buf != NULL ? &c->slot.buf : NULL,
		.agg = c->slot.agg != NULL ? &c->slot.agg : NULL,
		.bufsize = h->in.bufsize,
		.aggsize = h->in.aggsize,
		.bufpolicy = (enum rt_policy)conf->bufpolicy,
		.ctl = &h->in.sh->ctl,
		.agg_fixed = h->in.agg_fixed,
		.agg_buckets_off = conf->agg_buckets_off,
		.agg_nbuckets = conf->agg_nbuckets,
		.agg_entries_off = conf->agg_entries_off,
	};
}

static int
slot_init(struct host *h, unsigned i, struct err *e)
{
	struct host_ctx *c = &h->ctx[i];

	c->h = h;
	if (host_world_init(h, c, e) != 0 ||
	    area_map(&c->slot.buf, h->in.bufsize, e) != 0 ||
	    area_map(&c->slot.agg, h->in.aggsize, e) != 0)
		return -1;
	c->slot.rt->slot = i * RT_LEVELS;
	c->agg_by_slot[i * RT_LEVELS] = c->slot.agg;
	if (c->slot.agg != NULL)
		c->world.mem.agg = c->agg_by_slot;
	slot_view(h, c);
	return 0;
}

static void
slot_fini(struct host *h, struct host_ctx *c)
{
	host_world_fini(c);
	area_unmap(c->slot.buf, h->in.bufsize);
	area_unmap(c->slot.agg, h->in.aggsize);
}

/* ---- an instance --------------------------------------------------------- */

static int
sites_gather(struct host *h, struct err *e)
{
	const struct dif_probe *p;
	uint32_t i = 0, idx;

	while ((p = next_probe(h->in.en, &i, &idx)) != NULL)
		for (uint32_t k = 0; k < p->nsites; k++) {
			const struct dif_site *s = &p->sites[k];
			struct host_site hs = { .probe = idx,
						.site = s,
						.period = s->num };
			bool ok = true;
			if (s->kind == DIF_SITE_TICK)
				ok = vec_push(&h->ticks, hs);
			else if (s->kind == DIF_SITE_PROFILE)
				ok = vec_push(&h->profiles, hs);
			if (!ok)
				return err_nomem(e);
		}
	return 0;
}

/* What an expression of a profile clause wants. */
static void
need_expr(struct host_need *n, const struct dif_expr *x)
{
	if (x->src == DIF_SRC_USTACK && x->arg > n->uframes)
		n->uframes = x->arg;
	if (x->src == DIF_SRC_STACK && x->arg > n->kframes)
		n->kframes = x->arg;
}

#define ALL_FRAMES 127u /* as many as the kernel walks */

static void
need_obj(struct host_need *n, const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->ntext; i++) {
		unsigned needs = dif_instr_needs(o->text[i]);

		n->uregs |= (needs & DIF_NEED_UREGS) != 0;
		if ((needs & DIF_NEED_USTACK) != 0)
			n->uframes = ALL_FRAMES;
		if ((needs & DIF_NEED_KSTACK) != 0)
			n->kframes = ALL_FRAMES;
	}
}

static void
need_clause(struct host_need *n, const struct dif_clause *cl)
{
	need_obj(n, cl->pred);
	for (uint32_t i = 0; i < cl->nstmts; i++)
		for (uint32_t k = 0; k < cl->stmts[i].nexprs; k++) {
			need_expr(n, &cl->stmts[i].exprs[k]);
			need_obj(n, cl->stmts[i].exprs[k].obj);
		}
}

/* ERROR clauses run where the fault was: they may want it too. */
static void
need_gather(struct host *h)
{
	const struct dif_enabling *en = h->in.en;

	for (uint32_t i = 0; i < en->necbs; i++) {
		const struct dif_probe *p = &en->probes[en->ecbs[i].probe];
		if (p->nsites > 0 && (p->sites[0].kind == DIF_SITE_PROFILE ||
				      p->sites[0].kind == DIF_SITE_ERROR))
			need_clause(&h->need, en->clauses[en->ecbs[i].clause]);
	}
	for (size_t i = 0; i < h->profiles.n; i++) {
		const struct dif_recipes *r = h->profiles.v[i].site->args;
		for (unsigned k = 0; r != NULL && k < DIF_NARGS; k++)
			h->need.uregs |= r->arg[k].kind == DIF_RCP_UREG;
	}
}

struct host *
host_new(const struct host_in *in, struct err *e)
{
	struct host *h = calloc(1, sizeof(*h));

	if (h == NULL) {
		err_nomem(e);
		return NULL;
	}
	h->in = *in;
	h->timer_fd = h->stop_fd = -1;
	if (host_world_own(h, e) != 0 || sites_gather(h, e) != 0) {
		host_free(h);
		return NULL;
	}
	need_gather(h);
	if (host_stack_open(h, e) != 0) {
		host_free(h);
		return NULL;
	}
	for (unsigned i = 0; i < HOST_SLOTS; i++)
		if (slot_init(h, i, e) != 0) {
			host_free(h);
			return NULL;
		}
	return h;
}

void
host_free(struct host *h)
{
	if (h == NULL)
		return;
	host_stop(h);
	for (unsigned i = 0; i < HOST_SLOTS; i++)
		slot_fini(h, &h->ctx[i]);
	host_stack_close(h);
	vec_fini(&h->own);
	vec_fini(&h->ticks);
	vec_fini(&h->profiles);
	free(h);
}
