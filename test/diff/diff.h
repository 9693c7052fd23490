/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff.h - the differential test: the same random programs run by the
 * interpreter, which defines what they mean, and by another engine.
 *
 *   diff_prog.c  a random trace: variables, aggregations, clauses on BEGIN
 *   diff_run.c   the interpreter runs it: what was recorded and aggregated
 *   diff_kernel.c, diff_native.c   the other engine, in two programs
 *   diff_main.c  compares, and tells of the clause where they part
 */
#ifndef TEST_DIFF_DIFF_H
#define TEST_DIFF_DIFF_H

#include "base/buf.h"
#include "base/err.h"
#include "dif/dif.h"
#include "rt/rt.h"

#define DIFF_CLAUSES 24
#define DIFF_NSPEC   5

struct diff_trace {
	struct arena *a; /* owns everything below */
	uint64_t seed;
	struct dif_tab tab;
	struct dif_prog prog;
	struct dif_ecb ecbs[DIFF_CLAUSES + 1];
	struct dif_clause *clp[DIFF_CLAUSES + 1];
	struct dif_enabling en;
};

/* A trace of n clauses on BEGIN and one on ERROR; the same for a seed. */
void diff_trace_init(struct diff_trace *t, uint64_t seed, uint32_t n);
void diff_trace_fini(struct diff_trace *t);

/* What one run leaves.  Times, and values that mean nothing, are zero. */
struct diff_out {
	struct buf recs;  /* record after record */
	struct buf cells; /* sorted: one text line for each cell */
	uint64_t drops[RT_NDROP];
	uint64_t errors;
};

uint32_t diff_recsize(void *arg, uint32_t epid); /* arg: struct diff_trace */
int diff_run_interp(struct diff_trace *t, struct diff_out *out, struct err *e);
/* What a run has left in the view, to *out. */
struct rt_view;
int diff_gather(struct diff_trace *t, const struct rt_view *v,
		struct diff_out *out, struct err *e);

/* The engine that is compared with the interpreter: one for each program. */
struct diff_engine {
	const char *name;
	unsigned engines;	      /* whose subroutines may be used */
	const char *needs; /* words of tools/capabilities.py, or NULL */
	int (*run)(struct diff_trace *t, struct diff_out *out, struct err *e);
};
extern const struct diff_engine diff_engine;

#define DIFF_BUFSIZE (4u << 20)
#define DIFF_AGGSIZE (4u << 20)

void diff_out_fini(struct diff_out *out);

#endif
