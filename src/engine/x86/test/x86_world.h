/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_world.h - this process as a traced one, for tests and benchmarks of
 * lowered code: the blob and a region to generate into, all that a consumer
 * shares with it, and functions that fire a handler as a patched function
 * would.  What goes wrong here ends the test.
 */
#ifndef ENGINE_X86_TEST_X86_WORLD_H
#define ENGINE_X86_TEST_X86_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>

#include "engine/x86/x86_emit.h"
#include "rt/engine.h"
#include "rt/rt_assoc.h"

#define WORLD_THREADS 4u
#define WORLD_SLOTS (WORLD_THREADS * RT_LEVELS)
#define WORLD_SITES 64u
#define WORLD_CODE (16u << 20)
#define WORLD_ASSOC (4u << 20)
#define WORLD_VARS 64u

struct world {
	const struct dif_enabling *en;
	struct rtn_shared *sh;
	struct rtn_table *table;
	uint8_t *mem, *code;
	size_t memsize;
	struct rtn_site sites[WORLD_SITES];
	uint32_t *fixed;
	struct rt_agg_layout lay;
	struct x86_target t;
	struct x86_buf b;
	struct rt_view v;
	struct rt *rt[WORLD_SLOTS];
	uint8_t *buf[WORLD_SLOTS], *agg[WORLD_SLOTS];
};

static inline void
world_die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static inline uint8_t *
world_map(size_t n, int prot)
{
	void *p = mmap(NULL, n, prot,
		       MAP_ANONYMOUS | MAP_NORESERVE | MAP_PRIVATE, -1, 0);

	if (p == MAP_FAILED)
		world_die("mmap");
	return p;
}

/* n bytes of the shared memory at *at. */
static inline uint64_t
world_take(struct world *w, size_t *at, size_t n)
{
	uint64_t p = (uintptr_t)w->mem + *at;

	*at += (n + 63) & ~(size_t)63;
	if (*at > w->memsize)
		world_die("the shared memory is too small");
	return p;
}

static inline void
world_vars(struct world *w, size_t *at)
{
	const struct dif_tab *tab = w->en->tab;

	for (unsigned s = 0; s < 3; s++) {
		w->sh->nvars[s] = WORLD_VARS;
		w->sh->vars[s] = world_take(w, at, WORLD_VARS *
						   sizeof(struct rtn_var));
	}
	for (uint32_t i = 0; i < tab->nvars; i++) {
		const struct dif_uvar *u = tab->vars[i];
		bool str = u->type.kind == DIF_TYPE_STRING;
		bool ref = str || (u->type.flags & DIF_TF_BYREF) != 0;
		struct rtn_var *v = (void *)(uintptr_t)w->sh->vars[u->scope];
		v[u->id - RTN_VAR_MIN] = (struct rtn_var){
			u->off, u->size, ref && !str ? u->type.size : 0,
			(u->kind == DIF_VK_ARRAY ? RTN_VAR_ARRAY
						 : RTN_VAR_SCALAR) |
				(ref ? RTN_VAR_REF : 0) |
				(str ? RTN_VAR_STR : 0)
		};
	}
}

/* The names of probes, each at its place in strtab. */
static inline void
world_names(struct world *w, size_t *at)
{
	uint32_t off = 1;
	uint32_t(*names)[4];
	char *strtab;

	w->sh->names = world_take(w, at, w->en->nprobes * sizeof(*names));
	w->sh->strtab = world_take(w, at, 4096);
	names = (void *)(uintptr_t)w->sh->names;
	strtab = (char *)(uintptr_t)w->sh->strtab;
	for (uint32_t p = 0; p < w->en->nprobes; p++) {
		const struct dif_probe *pr = &w->en->probes[p];
		const char *part[] = { pr->prov, pr->mod, pr->func, pr->name };
		for (int i = 0; i < 4; i++) {
			names[p][i] = off;
			strcpy(strtab + off, part[i]);
			off += (uint32_t)strlen(part[i]) + 1;
		}
	}
}

static inline void
world_share(struct world *w, uint64_t bufsize, uint64_t aggsize)
{
	struct rtn_shared *sh = w->sh;
	size_t at = sizeof(*sh);
	uint32_t statics = 4096;

	sh->self = (uintptr_t)sh;
	sh->shared_size = w->memsize;
	/* The tests are run in both ways. */
	sh->stacks = getenv("DT_TEST_STACKS") != NULL;
	sh->slot_stride = ((sizeof(struct rt) + 63) & ~(size_t)63) + RTN_STACK;
	sh->slots = world_take(w, &at, sh->slot_stride * WORLD_SLOTS);
	sh->thread_stride = (w->en->tab->thread_size + 63 + 8) & ~63u;
	sh->threads = world_take(w, &at, sh->thread_stride * WORLD_THREADS);
	sh->nthreads = WORLD_THREADS;
	sh->bufs = world_take(w, &at, bufsize * WORLD_SLOTS);
	sh->aggs = world_take(w, &at, aggsize * WORLD_SLOTS);
	sh->globals = world_take(w, &at, w->en->tab->globals_size + 8);
	sh->assoc = world_take(w, &at, WORLD_ASSOC);
	rt_assoc_init((struct rt_assoc *)(uintptr_t)sh->assoc, WORLD_ASSOC);
	world_vars(w, &at);
	world_names(w, &at);
	rt_agg_layout_static(w->en->tab, aggsize / 2, statics, w->fixed,
			     &w->lay);
	sh->conf.strsize = w->en->sizes.strsize;
	sh->conf.scratchsize = w->en->sizes.scratchsize;
	sh->conf.bufsize = (uint32_t)bufsize;
	sh->conf.aggsize = (uint32_t)aggsize;
	sh->conf.agg_halfsize = (uint32_t)aggsize / 2;
	sh->conf.agg_buckets_off = w->lay.buckets_off;
	sh->conf.agg_nbuckets = w->lay.nbuckets;
	sh->conf.agg_entries_off = w->lay.entries_off;
}

static inline void
world_cpu(struct rtn_shared *sh)
{
	sh->pid = sh->own_pid = (uint32_t)getpid();
	sh->has_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
	sh->rseq_off = __rseq_size != 0 ? __rseq_offset : 0;
	sh->clock[0].mult = 1ull << 32; /* a tick is a ns */
}

static inline void
world_view(struct world *w, uint64_t bufsize, uint64_t aggsize)
{
	for (uint32_t i = 0; i < WORLD_SLOTS; i++) {
		w->rt[i] = (void *)(uintptr_t)(w->sh->slots +
					       i * w->sh->slot_stride);
		w->buf[i] = (uint8_t *)(uintptr_t)w->sh->bufs + i * bufsize;
		w->agg[i] = (uint8_t *)(uintptr_t)w->sh->aggs + i * aggsize;
	}
	w->v = (struct rt_view){
		.nslots = WORLD_SLOTS, .ncpus = 1, .maxslots = WORLD_SLOTS,
		.thread_slots = true, .rt = w->rt, .buf = w->buf,
		.agg = w->agg, .bufsize = bufsize, .aggsize = aggsize,
		.ctl = &w->sh->ctl, .agg_fixed = w->fixed,
		.agg_buckets_off = w->lay.buckets_off,
		.agg_nbuckets = w->lay.nbuckets,
		.agg_entries_off = w->lay.entries_off,
	};
}

/* Code for ERROR clauses is made at once; -1 + *e if it cannot be. */
static inline struct world *
world_new(const struct dif_enabling *en, uint64_t bufsize, uint64_t aggsize,
	  struct err *e)
{
	struct world *w = calloc(1, sizeof(*w));

	w->en = en;
	w->memsize = sizeof(*w->sh) + (bufsize + aggsize) * WORLD_SLOTS +
		     WORLD_SLOTS * sizeof(struct rt) + WORLD_ASSOC +
		     (4u << 20);
	w->mem = world_map(w->memsize, PROT_READ | PROT_WRITE);
	w->sh = (void *)w->mem;
	w->table = (void *)world_map(sizeof(*w->table),
				     PROT_READ | PROT_WRITE);
	w->code = world_map(WORLD_CODE, PROT_READ | PROT_WRITE | PROT_EXEC);
	w->fixed = calloc(en->tab->naggs + 1, sizeof(*w->fixed));
	world_share(w, bufsize, aggsize);
	world_cpu(w->sh);
	world_view(w, bufsize, aggsize);
	w->sh->table = (uintptr_t)w->table;
	w->table->alive = 1;
	w->sh->ctl.activity = RT_ACT_ACTIVE;
	w->sh->sites = (uintptr_t)w->sites;
	memcpy(w->code, rtn_image.code, rtn_image.n);
	w->sh->region[0].lo = (uintptr_t)w->code;
	w->sh->region[0].hi = (uintptr_t)w->code + WORLD_CODE;
	w->sh->nregions = 1;
	w->b = (struct x86_buf){ .p = w->code, .n = rtn_image.n,
				 .cap = WORLD_CODE,
				 .base = (uintptr_t)w->code };
	w->t = (struct x86_target){ .sh = w->sh,
				    .blob = (uintptr_t)w->code,
				    .agg = &w->lay,
				    .agg_fixed = w->fixed,
				    .sites = w->sites };
	w->t.fs_self = true;
	w->t.debug = getenv("X86_LOWER_DEBUG") != NULL;
	w->sh->error_fire = x86_lower_error(&w->b, &w->t, en, e);
	return w;
}

static inline void
world_free(struct world *w)
{
	munmap(w->mem, w->memsize);
	munmap(w->table, sizeof(*w->table));
	munmap(w->code, WORLD_CODE);
	free(w->fixed);
	free(w);
}

/* ---- firing -------------------------------------------------------------- */

/* A function that is probed at its entry, or before it returns its first
   argument. */
typedef uint64_t world_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			  uint64_t, uint64_t);

/* The probe of a site: registers saved, the handler called or in place. */
static inline void
world_fire(struct world *w, const struct x86_handler *h, uint32_t site,
	   bool inl)
{
	for (unsigned r = 0; r < 16; r++)
		if ((h->saves & X86_R(r)) != 0)
			x86_push(&w->b, r);
	if (inl) {
		x86_handler_inline(&w->b, &w->t, h, site);
	} else {
		x86_mov_ri(&w->b, X86_RAX, site);
		x86_call_to(&w->b, h->code);
	}
	for (unsigned r = 16; r-- > 0;)
		if ((h->saves & X86_R(r)) != 0)
			x86_pop(&w->b, r);
}

static inline world_fn *
world_function(struct world *w, const struct x86_handler *h, uint32_t site,
	       bool inl)
{
	uint64_t at;

	x86_align(&w->b, 16);
	at = x86_here(&w->b);
	if (h->in.at == X86_AT_RETURN)
		x86_mov_rr(&w->b, 8, X86_RAX, X86_RDI);
	world_fire(w, h, site, inl);
	if (h->in.at == X86_AT_ENTRY)
		x86_mov_rr(&w->b, 8, X86_RAX, X86_RDI);
	x86_ret(&w->b);
	if (w->b.full)
		world_die("no room for code");
	return (world_fn *)(uintptr_t)at;
}

/* Sites of a probe: the index is the probe's. */
static inline void
world_sites(struct world *w)
{
	for (uint32_t i = 0; i < w->en->nprobes && i < WORLD_SITES; i++)
		w->sites[i] = (struct rtn_site){
			.probe_id = w->en->probes[i].id, .probe = i,
			.pc = 0x401000 + i * 16, .cookie = 100 + i
		};
	for (uint32_t i = w->en->necbs; i-- > 0;)
		w->sites[w->en->ecbs[i].probe].epid0 = w->en->ecbs[i].epid;
}

#endif
