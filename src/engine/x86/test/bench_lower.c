/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bench_lower.c - what handlers cost in a loop, in this process: nanoseconds
 * that the probe adds to a call of a function that does nothing; the least of
 * several rounds.
 *
 * The programs are DIF, so that only the lowering is measured.  What a whole
 * trace costs is bench/process.
 */
#include <time.h>

#include "engine/x86/test/x86_world.h"

#define ROUNDS 15
#define CALLS 1000000

static struct dif_type t_int = { .ckind = DIF_CK_INT, .size = 8 };

static struct dif_obj *
assemble(struct arena *a, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(a, text, &e);

	if (o == NULL || dif_validate(o, &e) != 0)
		world_die(e.msg);
	return o;
}

static struct dif_expr
expr(struct arena *a, const char *text)
{
	return (struct dif_expr){ .obj = assemble(a, text), .type = t_int };
}

/* ---- the programs -------------------------------------------------------- */

struct program {
	const char *name;
	const char *pred, *key, *val; /* objects, or NULL */
	uint32_t func;		      /* of the aggregation; 0: a record */
	uint32_t nfields;	      /* of 8 bytes, each `val` */
	bool name_key;
	const char *effect; /* an object that is run for its effect only */
};

#define ARG0 "ldgs arg0, %r1\nret %r1\n"
#define IF_MORE(n)                                                 \
	"ldgs arg0, %r1\nsetx " n ", %r2\ncmp %r1, %r2\nbg yes\n" \
	"ret %r0\nyes:\nret %r2\n"

#define SELF_T ".var t 1280 scl tls int 8\n"

static const struct program programs[] = {
	{ .name = "count", .func = DIF_AGG_count },
	{ .name = "count_by_name", .func = DIF_AGG_count, .name_key = true },
	{ .name = "pred_false_count", .func = DIF_AGG_count,
	  .pred = IF_MORE("1000") },
	{ .name = "sum_arg0", .func = DIF_AGG_sum, .val = ARG0 },
	{ .name = "quantize_arg0", .func = DIF_AGG_quantize, .val = ARG0 },
	{ .name = "count_by_arg0", .func = DIF_AGG_count, .key = ARG0 },
	{ .name = "pred_count_by_arg0", .func = DIF_AGG_count, .key = ARG0,
	  .pred = IF_MORE("-1") },
	{ .name = "quantize_timestamp", .func = DIF_AGG_quantize,
	  .val = "ldgs timestamp, %r1\nret %r1\n" },
	{ .name = "self_t_timestamp",
	  .effect = SELF_T "ldgs timestamp, %r1\nstts t, %r1\nret %r0\n" },
	{ .name = "quantize_elapsed", .func = DIF_AGG_quantize,
	  .val = SELF_T "ldgs timestamp, %r1\nldts t, %r2\n"
			"sub %r1, %r2, %r1\nret %r1\n" },
	{ .name = "record_16", .nfields = 0 },
	{ .name = "record_64", .nfields = 6, .val = ARG0 },
};

struct made {
	struct arena *a;
	struct dif_tab tab;
	struct dif_uvar var, *vars[1];
	struct dif_aggvar agg, *aggs[1];
	uint8_t keysrc[1];
	uint32_t keyarg[1];
	struct dif_type keytype[1];
	struct dif_clause cl, *clp[1];
	struct dif_stmt st;
	struct dif_prog prog;
	struct dif_ecb ecb;
	struct dif_enabling en;
};

static void
make_agg(struct made *m, const struct program *p)
{
	m->agg = (struct dif_aggvar){ .name = "_", .id = 1, .func = p->func,
				      .keys = m->keytype, .keysrc = m->keysrc,
				      .keyarg = m->keyarg };
	m->aggs[0] = &m->agg;
	m->tab.aggs = m->aggs;
	m->tab.naggs = 1;
	m->st.kind = p->func;
	m->keytype[0] = t_int;
	if (p->key != NULL)
		m->st.exprs[m->st.nexprs++] = expr(m->a, p->key);
	if (p->name_key) {
		m->keysrc[0] = DIF_SRC_NAME;
		m->keyarg[0] = DIF_VAR_probefunc;
		m->st.exprs[m->st.nexprs++] = (struct dif_expr){
			.src = DIF_SRC_NAME, .arg = DIF_VAR_probefunc
		};
	}
	m->st.nkeys = m->agg.nkeys = m->st.nexprs;
	if (p->val != NULL)
		m->st.exprs[m->st.nexprs++] = expr(m->a, p->val);
}

static void
make(struct made *m, const struct program *p)
{
	static const struct dif_site site = { .kind = DIF_SITE_UENTRY };
	static const struct dif_probe probe = { 7, "pid1", "a.out", "f",
						"entry", &site, 1 };
	struct dif_sizes sizes = { .strsize = 256,
				   .stackframes = 20,
				   .ustackframes = 20 };
	struct dif_prog *progs[] = { &m->prog };

	memset(m, 0, sizeof(*m));
	m->a = arena_new();
	m->var = (struct dif_uvar){ .name = "t", .id = DIF_VAR_USER_MIN,
				    .scope = DIF_SCOPE_THREAD,
				    .kind = DIF_VK_SCALAR, .type = t_int };
	m->vars[0] = &m->var;
	m->tab.vars = m->vars;
	m->tab.nvars = 1;
	m->st.exprs = arena_calloc(m->a, 16, sizeof(*m->st.exprs));
	if (p->func != 0) {
		make_agg(m, p);
	} else if (p->effect != NULL) {
		m->st.kind = DIF_ACT_NONE;
		m->st.exprs[m->st.nexprs++] = expr(m->a, p->effect);
	} else {
		m->st.kind = DIF_ACT_PRINTF;
		m->cl.records = true;
		while (m->st.nexprs < p->nfields)
			m->st.exprs[m->st.nexprs++] = expr(m->a, p->val);
	}
	if (p->pred != NULL)
		m->cl.pred = assemble(m->a, p->pred);
	m->cl.stmts = &m->st;
	m->cl.nstmts = 1;
	m->prog.clauses = &m->cl;
	m->prog.nclauses = 1;
	m->clp[0] = &m->cl;
	dif_layout(progs, 1, &m->tab, &sizes, m->a);
	m->ecb.epid = 1;
	m->en = (struct dif_enabling){
		.probes = &probe, .nprobes = 1, .clauses = m->clp,
		.nclauses = 1, .ecbs = &m->ecb, .necbs = 1, .tab = &m->tab,
		.sizes = sizes
	};
}

/* ---- measuring ----------------------------------------------------------- */

static double
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double
round_ns(world_fn *fn, struct rt *rt)
{
	double start = now_ns();

	for (uint64_t i = 0; i < CALLS; i++) {
		fn(i & 255, 0, 0, 0, 0, 0, 0);
		rt->tail = rt->head; /* as if it were drained at once */
	}
	return (now_ns() - start) / CALLS;
}

static double
least_ns(world_fn *fn, struct rt *rt)
{
	double least = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double ns = round_ns(fn, rt);
		if (ns < least)
			least = ns;
	}
	return least;
}

/* Time to write it in place. */
static double
make_us(struct world *w, const struct x86_handler *h)
{
	enum { N = 10000 };
	double start = now_ns();

	for (int i = 0; i < N; i++)
		x86_handler_inline(&w->b, &w->t, h, 0);
	return (now_ns() - start) / N / 1000;
}

static void
measure(const struct program *p)
{
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_UREG, DIF_R_RDI },
			 { DIF_RCP_UREG, DIF_R_RSI } }
	};
	struct err e = { 0 };
	struct x86_handler h;
	struct made m;
	struct world *w;
	world_fn *plain, *probed;

	make(&m, p);
	struct x86_handler_in in = { &m.en, 0, 1, &args, X86_AT_ENTRY };
	w = world_new(&m.en, 1u << 16, 1u << 20, &e);
	world_sites(w);
	w->sites[0].cells = w->lay.fixed_end;
	if (x86_lower(&w->b, &w->t, &in, &h, &e) != 0)
		world_die(e.msg);
	x86_align(&w->b, 16);
	plain = (world_fn *)(uintptr_t)x86_here(&w->b);
	x86_mov_rr(&w->b, 8, X86_RAX, X86_RDI);
	x86_ret(&w->b);
	probed = world_function(w, &h, 0, false);
	probed(0, 0, 0, 0, 0, 0, 0);
	struct rt *rt = w->rt[0];
	double base = least_ns(plain, rt);
	printf("%-20s %6.2f ns  %2d registers", p->name,
	       least_ns(probed, rt) - base, __builtin_popcount(h.saves));
	if (h.inl)
		printf("  in place %6.2f ns, %u bytes, made in %.1f us",
		       least_ns(world_function(w, &h, 0, true), rt) - base,
		       h.inl_size, make_us(w, &h));
	printf("\n");
	world_free(w);
	arena_free(m.a);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		measure(&programs[i]);
	return 0;
}
