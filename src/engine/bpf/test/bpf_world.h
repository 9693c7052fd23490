/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_world.h - enablings made by hand, for the tests of the kernel engine:
 * the probes fire in the test itself.
 */
#ifndef ENGINE_BPF_TEST_BPF_WORLD_H
#define ENGINE_BPF_TEST_BPF_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/engine.h"

#define MAX 16

/* An enabling in the making. */
struct world {
	struct arena *a;
	struct dif_prog prog, *progs[1];
	struct dif_clause clauses[MAX], *cptr[MAX];
	struct dif_probe probes[MAX];
	struct dif_site sites[MAX];
	struct dif_ecb ecbs[MAX];
	struct dif_uvar *vars[MAX];
	struct dif_aggvar *aggs[MAX];
	struct dif_tab tab;
	struct dif_enabling en;
	struct engine_opts opts;
	struct engine *eng;
	const struct rt_view *v;
	struct err e;
};

/* Of functions and system calls: two arguments, the cookie, -3; what a system
   call returned. */
extern const struct dif_recipes user_args, sysret_args;
/* A value by assembler: 1. */
extern const char one[];

struct world *world_new(void);
void world_free(struct world *w);
struct dif_obj *obj(struct world *w, const char *text);
struct dif_clause *clause(struct world *w, const char *pred);
/* A statement with values by assembler, up to three. */
struct dif_stmt *stmt(struct world *w, struct dif_clause *c, uint32_t kind,
		      const char *x0, const char *x1, const char *x2);
/* The statement's aggregation; its first nkeys values are keys. */
void agg(struct world *w, struct dif_stmt *s, uint32_t nkeys);
void var(struct world *w, uint32_t id, int scope, int kind,
	 const struct dif_type *t, const struct dif_type *key);
/* A probe that runs the clauses of a mask. */
struct dif_site *probe(struct world *w, enum dif_site_kind kind, uint64_t num,
		       unsigned mask, const struct dif_recipes *args);
/* A predicate by assembler: true in this process alone. */
const char *my_pid(void);

/* Lay the enabling out and load it; NULL with w->e set if it is refused. */
struct engine *try_load(struct world *w);
/* Load, attach and begin; the test fails if one of them does. */
void start(struct world *w);
void stop(struct world *w);
/* Call getppid(2) n times. */
void getppids(int n);

/* Take all records of an EPID, oldest first in each slot; their number. */
unsigned take(struct world *w, uint32_t epid, const struct rt_rec **last);
/* Records that were taken are still there, and may be taken again. */
void again(struct world *w);
uint64_t dropped(struct world *w, enum rt_drop d);

/* Cells of an aggregation as they are walked: their number and the sum of their
   first words; if keyed, the last one's key. */
struct cells {
	uint32_t agg;
	unsigned n;
	uint64_t sum, key;
	bool keyed;
};
/* For rt_drain_aggs(), with a struct cells. */
int cell_sum(void *arg, uint32_t a, unsigned cpu, const uint8_t *key,
	     const uint64_t *cell);

#endif
