/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * world.h - enablings made by hand, loaded into an engine and run, and what
 * they left: for the tests of each engine that has a load of its own.
 */
#ifndef RT_TEST_WORLD_H
#define RT_TEST_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/engine.h"

#define MAX 16
#define PROBES 13000

/* What walks have taken of an aggregation so far. */
struct cells {
	unsigned n;
	uint64_t sum; /* of the cells' first words */
	uint64_t key; /* first word of the last one's key, if it has keys */
};

/* An enabling in the making, and the engine that runs it. */
struct test_world {
	const struct engine_ops *ops;
	struct arena *a;
	struct dif_prog prog, *progs[1];
	struct dif_clause clauses[MAX], *cptr[MAX];
	struct dif_probe probes[PROBES];
	struct dif_site sites[PROBES];
	struct dif_ecb ecbs[PROBES];
	struct dif_uvar *vars[MAX];
	struct dif_aggvar *aggs[MAX];
	struct dif_tab tab;
	struct dif_enabling en;
	struct engine_target target;
	struct engine_opts opts;
	struct engine *eng;
	const struct rt_view *v;
	struct err e;
	struct cells seen[MAX]; /* by the number of the aggregation */
	struct target *t;	/* the process it is for; NULL: none */
};

/* Of a system call: what it returned. */
extern const struct dif_recipes sysret_args;
extern const struct dif_type i64;

struct test_world *world_new(const struct engine_ops *ops);
void world_free(struct test_world *w);

/* ---- making -------------------------------------------------------------- */

struct dif_obj *obj(struct test_world *w, const char *text);
struct dif_clause *clause(struct test_world *w, const char *pred);
/* A statement with values by assembler, up to three. */
struct dif_stmt *stmt(struct test_world *w, struct dif_clause *c, uint32_t kind,
		      const char *x0, const char *x1, const char *x2);
/* The statement's aggregation; its first nkeys values are keys. */
void agg(struct test_world *w, struct dif_stmt *s, uint32_t nkeys);
/* The same, with the probe's function as the only key: in place of the first
   value. */
void agg_byfunc(struct test_world *w, struct dif_stmt *s);
/* key: NULL, or of which type the only key is. */
void var(struct test_world *w, uint32_t id, int scope, const struct dif_type *t,
	 const struct dif_type *key);
/* A probe that runs the clauses of a mask. */
struct dif_site *probe(struct test_world *w, enum dif_site_kind kind,
		       uint64_t num, unsigned mask,
		       const struct dif_recipes *args);

/* ---- running ------------------------------------------------------------- */

/* Lay the enabling out and load it; NULL with w->e set if it is refused. */
struct engine *try_load(struct test_world *w);
/* Load, attach and begin; the test fails if one of them does. */
void start(struct test_world *w);
void stop(struct test_world *w);

/* ---- looking ------------------------------------------------------------- */

/* Records of an EPID that wait in the buffers: their number, and the last of
   them (last may be NULL).  They stay there until records_done(). */
unsigned records(struct test_world *w, uint32_t epid,
		 const struct rt_rec **last);
void records_done(struct test_world *w);
/* Take all cells of a half: sum of the first words of those of one aggregation,
   and their number (n may be NULL); w->seen is of each. */
uint64_t cells(struct test_world *w, uint32_t agg, unsigned half, unsigned *n);
uint64_t dropped(struct test_world *w, enum rt_drop d);

#endif
