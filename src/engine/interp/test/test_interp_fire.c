/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Firings end to end in ordinary memory: programs by hand, records and cells
 * read back through the consumer's functions.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "engine/interp/interp.h"
#include "rt/engine.h"

#define NUM { .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 8 }
#define INT { .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 4 }
#define STR                                                       \
	{ .kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,        \
	  .flags = DIF_TF_BYREF }

enum { PROBE_BEGIN, PROBE_TICK, PROBE_ERROR, NPROBES };

static const struct dif_site sites[] = {
	{ .kind = DIF_SITE_BEGIN }, { .kind = DIF_SITE_TICK },
	{ .kind = DIF_SITE_ERROR },
};
static const struct dif_probe probes[] = {
	{ 1, "dtrace", "", "", "BEGIN", &sites[0], 1 },
	{ 7, "profile", "", "", "tick-1", &sites[1], 1 },
	{ 3, "dtrace", "", "", "ERROR", &sites[2], 1 },
};

/* A trace: up to 8 clauses, each with its probe, on one machine. */
struct trace {
	struct arena *a;
	struct dif_clause cl[8];
	struct dif_ecb ecbs[8];
	struct dif_clause *clp[8];
	uint32_t n;
	struct dif_tab tab;
	struct dif_enabling en;
	struct rt_host host;
	struct rt *rt;
	struct rt_view v;
};

static struct dif_obj *
dif(struct trace *t, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(t->a, text, &e);

	if (o == NULL || dif_validate(o, &e) != 0)
		fail_msg("%s", e.msg);
	return o;
}

static void
trace_init(struct trace *t)
{
	memset(t, 0, sizeof(*t));
	t->a = arena_new();
}

/* ECBs must be given in the order of probes. */
static struct dif_clause *
clause(struct trace *t, uint32_t probe, struct dif_stmt *st, uint32_t n)
{
	t->ecbs[t->n] = (struct dif_ecb){ t->n + 1, probe, t->n };
	t->clp[t->n] = &t->cl[t->n];
	t->cl[t->n] = (struct dif_clause){ .stmts = st, .nstmts = n,
					   .records = true };
	return &t->cl[t->n++];
}

static void
trace_start(struct trace *t, uint64_t bufsize)
{
	struct dif_prog p = { .clauses = t->cl, .nclauses = t->n };
	struct dif_prog *progs[] = { &p };
	struct err e = { 0 };

	t->host.sizes = (struct dif_sizes){ .strsize = 32,
					     .stackframes = 4,
					     .ustackframes = 4 };
	t->host.en = &t->en;
	t->host.tab = &t->tab;
	dif_layout(progs, 1, &t->tab, &t->host.sizes, t->a);
	t->en = (struct dif_enabling){
		.probes = probes, .nprobes = NPROBES, .clauses = t->clp,
		.nclauses = t->n, .ecbs = t->ecbs, .necbs = t->n,
		.tab = &t->tab, .sizes = t->host.sizes,
	};
	t->rt = interp_rt_new(&t->host);
	if (interp_view_init(&t->v, t->rt, bufsize, 65536, &e) != 0)
		fail_msg("%s", e.msg);
	t->v.ctl->activity = RT_ACT_ACTIVE;
}

static void
trace_fini(struct trace *t)
{
	interp_view_fini(&t->v);
	interp_rt_free(t->rt);
	arena_free(t->a);
}

static uint32_t
recsize(void *arg, uint32_t epid)
{
	struct trace *t = arg;

	return epid <= t->n ? t->cl[epid - 1].recsize : 0;
}

static const uint8_t *
next(struct trace *t, uint64_t *pos)
{
	struct err e = { 0 };
	const struct rt_rec *r =
		rt_drain_next(&t->v, 0, pos, recsize, t, &e);

	if (err_is_set(&e))
		fail_msg("%s", e.msg);
	return (const uint8_t *)r;
}

static void
records(void **state)
{
	struct trace t;

	trace_init(&t);
	struct dif_expr e[] = {
		{ .obj = dif(&t, "ldgs arg0, %r1\nret %r1\n"), .type = INT },
		{ .obj = dif(&t, ".ret string 0\nldgs probename, %r1\n"
				 "ret %r1\n"), .type = STR },
		{ .src = DIF_SRC_NAME, .arg = DIF_VAR_probefunc, .type = STR },
	};
	struct dif_stmt st = { .kind = DIF_ACT_PRINTF, .exprs = e,
			       .nexprs = 3 };
	struct dif_clause *c = clause(&t, PROBE_TICK, &st, 1);
	c->pred = dif(&t, "ldgs arg1, %r1\nret %r1\n");
	trace_start(&t, 4096);

	t.rt->arg[0] = (uint64_t)-5;
	interp_fire(t.rt, &t.v, PROBE_TICK); /* predicate false */
	assert_int_equal(rt_drain_pending(&t.v, 0), 0);
	t.rt->arg[1] = 1;
	interp_fire(t.rt, &t.v, PROBE_TICK);
	assert_int_equal(rt_drain_pending(&t.v, 0), c->recsize);

	uint64_t pos = 0;
	const uint8_t *r = next(&t, &pos);
	assert_non_null(r);
	assert_int_equal(((const struct rt_rec *)r)->epid, 1);
	assert_true(((const struct rt_rec *)r)->time != 0);
	assert_int_equal(*(const int32_t *)(r + e[0].off), -5);
	assert_string_equal((const char *)r + e[1].off, "tick-1");
	assert_int_equal(*(const uint32_t *)(r + e[2].off), 7);
	assert_null(next(&t, &pos));
	rt_drain_done(&t.v, 0, pos);
	assert_int_equal(rt_drain_pending(&t.v, 0), 0);
	trace_fini(&t);
}

/* Records that do not divide the buffer: fillers, then a full buffer. */
static void
wrapping(void **state)
{
	struct trace t;
	unsigned seen = 0, wrote = 0;
	uint64_t pos = 0;

	trace_init(&t);
	struct dif_expr e = { .obj = dif(&t, "ldgs arg0, %r1\nret %r1\n"),
			      .type = NUM };
	struct dif_stmt st = { .kind = DIF_ACT_TRACE, .exprs = &e,
			       .nexprs = 1 };
	clause(&t, PROBE_TICK, &st, 1);
	trace_start(&t, 256);
	assert_int_equal(t.cl[0].recsize, 24);
	for (unsigned round = 0; round < 50; round++) {
		const uint8_t *r;
		for (unsigned i = 0; i < 1 + round % 7; i++) {
			t.rt->arg[0] = wrote++;
			interp_fire(t.rt, &t.v, PROBE_TICK);
		}
		while ((r = next(&t, &pos)) != NULL)
			assert_int_equal(*(const uint64_t *)(r + e.off),
					 seen++);
		rt_drain_done(&t.v, 0, pos);
	}
	assert_int_equal(seen, wrote);
	assert_int_equal(t.rt->drops[RT_DROP_PRINCIPAL], 0);
	for (unsigned i = 0; i < 20; i++)
		interp_fire(t.rt, &t.v, PROBE_TICK);
	for (seen = 0; next(&t, &pos) != NULL;)
		seen++;
	assert_in_range(seen, 9, 10);
	assert_int_equal(t.rt->drops[RT_DROP_PRINCIPAL], 20 - seen);
	trace_fini(&t);
}

static uint32_t
two_frames(void *arg, bool user, uint64_t *pcs, uint32_t n)
{
	assert_in_range(n, 2, 4);
	pcs[0] = user ? 0x1111 : 0x8888;
	pcs[1] = pcs[0] + 1;
	return 2;
}

static uint64_t
pid_42(void *arg, uint32_t id)
{
	return id == DIF_VAR_pid ? 42 : 0;
}

/* What the host knows of a firing: its time, CPU and stacks. */
static void
hosted(void **state)
{
	struct trace t;

	trace_init(&t);
	struct dif_expr e[] = {
		{ .src = DIF_SRC_USTACK, .arg = 4, .type = NUM },
		{ .src = DIF_SRC_STACK, .arg = 2, .type = NUM },
		{ .obj = dif(&t, "ldgs timestamp, %r1\nret %r1\n"),
		  .type = NUM },
	};
	struct dif_stmt st[] = {
		{ .kind = DIF_ACT_USTACK, .exprs = &e[0], .nexprs = 1 },
		{ .kind = DIF_ACT_STACK, .exprs = &e[1], .nexprs = 1 },
		{ .kind = DIF_ACT_TRACE, .exprs = &e[2], .nexprs = 1 },
	};
	clause(&t, PROBE_TICK, st, 3);
	t.host.stack = two_frames;
	t.host.builtin = pid_42;
	t.host.time = 12345;
	trace_start(&t, 4096);
	t.v.thread_slots = true;
	t.rt->cpu = 3;
	interp_fire(t.rt, &t.v, PROBE_TICK);

	uint64_t pos = 0;
	const uint8_t *r = next(&t, &pos);
	assert_non_null(r);
	assert_int_equal(((const struct rt_rec *)r)->cpu, 3);
	assert_int_equal(((const struct rt_rec *)r)->time, 12345);
	static const uint64_t user[] = { 42, 0x1111, 0x1112, 0, 0 };
	static const uint64_t kernel[] = { 0x8888, 0x8889 };
	assert_memory_equal(r + e[0].off, user, sizeof(user));
	assert_memory_equal(r + e[1].off, kernel, sizeof(kernel));
	assert_int_equal(*(const uint64_t *)(r + e[2].off), 12345);

	/* Where slots are CPUs, records do not say which. */
	t.v.thread_slots = false;
	t.host.time = 0;
	interp_fire(t.rt, &t.v, PROBE_TICK);
	r = next(&t, &pos);
	assert_int_equal(((const struct rt_rec *)r)->cpu, 0);
	assert_true(((const struct rt_rec *)r)->time > 12345);
	trace_fini(&t);
}

static bool
acted(void *arg, uint32_t kind, uint64_t val)
{
	uint64_t *seen = arg;

	seen[0]++;
	seen[1] = kind;
	seen[2] = val;
	return seen[0] < 4;
}

static void
acting(void **state)
{
	uint64_t seen[3] = { 0 };
	struct trace t;

	trace_init(&t);
	struct dif_expr e = { .obj = dif(&t, "setx 10, %r1\nret %r1\n"),
			      .type = INT };
	struct dif_stmt st[] = {
		{ .kind = DIF_ACT_RAISE, .exprs = &e, .nexprs = 1 },
		{ .kind = DIF_ACT_STOP },
	};
	clause(&t, PROBE_BEGIN, st, 1)->records = false;
	clause(&t, PROBE_TICK, st, 2)->records = false;
	t.host.act = acted;
	t.host.mem.arg = seen;
	trace_start(&t, 4096);
	interp_fire(t.rt, &t.v, PROBE_BEGIN); /* not now: it is active */
	assert_int_equal(seen[0], 0);
	interp_fire(t.rt, &t.v, PROBE_TICK);
	assert_int_equal(seen[0], 2);
	assert_int_equal(seen[1], DIF_ACT_STOP);
	t.v.ctl->activity = RT_ACT_INACTIVE;
	interp_fire(t.rt, &t.v, PROBE_BEGIN);
	assert_int_equal(seen[0], 3);
	assert_int_equal(seen[1], DIF_ACT_RAISE);
	assert_int_equal(seen[2], 10);
	assert_int_equal(rt_drain_pending(&t.v, 0), 0);
	interp_fire(t.rt, &t.v, PROBE_BEGIN); /* and now nobody is there */
	assert_int_equal(t.rt->errors, 1);
	trace_fini(&t);
}

static void
errors(void **state)
{
	struct trace t;

	trace_init(&t);
	struct dif_expr e[] = {
		{ .obj = dif(&t, "setx 1, %r1\nret %r1\n"), .type = NUM },
		{ .obj = dif(&t, "setx 16, %r1\nldx [%r1], %r1\nret %r1\n"),
		  .type = NUM },
		{ .obj = dif(&t, "ldgs arg2, %r1\nret %r1\n"), .type = NUM },
		{ .obj = dif(&t, "ldgs arg5, %r1\nret %r1\n"), .type = NUM },
	};
	struct dif_stmt st[] = {
		{ .kind = DIF_ACT_TRACE, .exprs = &e[0], .nexprs = 1 },
		{ .kind = DIF_ACT_TRACE, .exprs = &e[1], .nexprs = 1 },
		{ .kind = DIF_ACT_PRINTF, .exprs = &e[2], .nexprs = 2 },
	};
	clause(&t, PROBE_TICK, st, 2);
	clause(&t, PROBE_TICK, st, 1);
	clause(&t, PROBE_ERROR, st + 2, 1);
	clause(&t, PROBE_ERROR, st + 1, 1); /* faults itself */
	trace_start(&t, 4096);
	interp_fire(t.rt, &t.v, PROBE_TICK);

	uint64_t pos = 0;
	const struct rt_error_rec *er = (const void *)next(&t, &pos);
	assert_non_null(er);
	assert_int_equal(er->rec.epid, RT_EPID_ERROR);
	assert_int_equal(er->epid, 1);
	assert_int_equal(er->action, 2);
	assert_int_equal(er->difoff, 1);
	assert_int_equal(er->fault, DIF_FAULT_BADADDR);
	assert_int_equal(er->val, 16);
	const uint8_t *r = next(&t, &pos); /* the ERROR clause */
	assert_int_equal(((const struct rt_rec *)r)->epid, 3);
	assert_int_equal(*(const uint64_t *)(r + e[2].off), 2);
	assert_int_equal(*(const uint64_t *)(r + e[3].off), 16);
	r = next(&t, &pos); /* the clause after the one at fault */
	assert_int_equal(((const struct rt_rec *)r)->epid, 2);
	assert_null(next(&t, &pos));
	assert_int_equal(t.rt->errors, 1);
	assert_int_equal(t.rt->drops[RT_DROP_DBLERROR], 1);
	trace_fini(&t);
}

static void
exiting(void **state)
{
	struct trace t;

	trace_init(&t);
	struct dif_expr e = { .obj = dif(&t, "setx 3, %r1\nret %r1\n"),
			      .type = INT };
	struct dif_stmt st = { .kind = DIF_ACT_EXIT, .exprs = &e, .nexprs = 1 };
	clause(&t, PROBE_TICK, &st, 1);
	clause(&t, PROBE_TICK, NULL, 0);
	trace_start(&t, 4096);
	interp_fire(t.rt, &t.v, PROBE_TICK);
	interp_fire(t.rt, &t.v, PROBE_TICK);
	assert_int_equal(t.v.ctl->exited, 1);
	assert_int_equal(t.v.ctl->exit_status, 3);
	assert_int_equal(t.v.ctl->activity, RT_ACT_DRAINING);
	assert_int_equal(rt_drain_pending(&t.v, 0), t.cl[0].recsize);
	trace_fini(&t);
}

/* ---- aggregations -------------------------------------------------------- */

#define NAGGS 9

/* What the drain has shown, by aggregation and (first byte of) key. */
struct seen {
	uint64_t cell[NAGGS][128];
	unsigned calls;
	uint64_t words[NAGGS];
	uint64_t by_key[4];
};

static int
see(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
    const uint64_t *cell)
{
	struct seen *s = arg;

	s->calls++;
	assert_int_equal(cpu, 0);
	if (agg == 0)
		s->by_key[*(const uint64_t *)key] = cell[0];
	else
		memcpy(s->cell[agg], cell, s->words[agg] * 8);
	return 0;
}

static void
aggregations(void **state)
{
	static const uint32_t funcs[NAGGS] = {
		DIF_AGG_count, DIF_AGG_sum, DIF_AGG_min, DIF_AGG_max,
		DIF_AGG_avg, DIF_AGG_stddev, DIF_AGG_quantize,
		DIF_AGG_lquantize, DIF_AGG_llquantize,
	};
	static const uint64_t args[NAGGS] = {
		[7] = (uint64_t)10 << 48 | (uint64_t)3 << 32,
		[8] = (uint64_t)10 << 48 | (uint64_t)0 << 32 | 1 << 16 | 10,
	};
	struct dif_aggvar v[NAGGS], *vp[NAGGS];
	struct dif_type kt[] = { INT, STR };
	uint8_t ksrc[] = { DIF_SRC_OBJ, DIF_SRC_OBJ };
	uint32_t karg[2] = { 0 };
	struct dif_stmt st[NAGGS];
	struct dif_expr e[NAGGS][3];
	struct seen s = { 0 };
	struct trace t;

	trace_init(&t);
	for (unsigned i = 0; i < NAGGS; i++) {
		v[i] = (struct dif_aggvar){ .id = i + 1, .func = funcs[i],
					    .arg = args[i] };
		vp[i] = &v[i];
		e[i][0] = (struct dif_expr){
			.obj = dif(&t, "ldgs arg0, %r1\nret %r1\n"), .type = NUM
		};
		st[i] = (struct dif_stmt){ .kind = funcs[i], .agg = i,
					   .exprs = e[i], .nexprs = 1 };
	}
	/* @[arg1, "x"] = count() */
	v[0].keys = kt;
	v[0].keysrc = ksrc;
	v[0].keyarg = karg;
	v[0].nkeys = 2;
	e[0][0].obj = dif(&t, "ldgs arg1, %r1\nret %r1\n");
	e[0][0].type = (struct dif_type)INT;
	e[0][1] = (struct dif_expr){ .obj = dif(&t, "sets \"x\", %r1\n"
						    "ret %r1\n"),
				     .type = STR };
	st[0].nkeys = st[0].nexprs = 2;
	t.tab = (struct dif_tab){ .aggs = vp, .naggs = NAGGS };
	clause(&t, PROBE_TICK, st, NAGGS)->records = false;
	trace_start(&t, 4096);
	for (unsigned i = 0; i < NAGGS; i++)
		s.words[i] = v[i].words;

	static const int64_t values[] = { 5, -3, 25, 100 };
	for (unsigned i = 0; i < 4; i++) {
		t.rt->arg[0] = (uint64_t)values[i];
		t.rt->arg[1] = (1ull << 40) | (i & 1); /* recorded as int */
		interp_fire(t.rt, &t.v, PROBE_TICK);
	}
	assert_int_equal(t.rt->drops[RT_DROP_AGG], 0);
	assert_int_equal(rt_drain_aggs(&t.v, &t.tab, 0, see, &s), 0);
	assert_int_equal(s.calls, NAGGS + 1);
	assert_int_equal(s.by_key[0], 2);
	assert_int_equal(s.by_key[1], 2);
	assert_int_equal(s.cell[1][0], 127);
	assert_true((int64_t)s.cell[2][0] == -3);
	assert_int_equal(s.cell[3][0], 100);
	assert_int_equal(s.cell[4][0], 4);
	assert_int_equal(s.cell[4][1], 127);
	assert_int_equal(s.cell[5][2], 25 + 9 + 625 + 10000);
	assert_int_equal(s.cell[6][61], 1); /* -3 */
	assert_int_equal(s.cell[6][66], 1); /* 5 */
	assert_int_equal(s.cell[7][0], 1);
	assert_int_equal(s.cell[7][1], 1);
	assert_int_equal(s.cell[7][3], 1);
	assert_int_equal(s.cell[7][4], 1);
	assert_int_equal(s.cell[8][19 - 3], 1); /* 19: zero */
	assert_int_equal(s.cell[8][19 + 5], 1);
	assert_int_equal(s.cell[8][19 + 11], 1);
	assert_int_equal(s.cell[8][19 + 19], 1);

	/* Drained means empty; the other half is separate. */
	s.calls = 0;
	rt_drain_aggs(&t.v, &t.tab, 0, see, &s);
	assert_int_equal(s.calls, 0);
	for (uint64_t i = 0; i < t.v.aggsize; i++)
		assert_int_equal(t.v.agg[0][i], 0);
	t.v.ctl->agg_half = 1;
	interp_fire(t.rt, &t.v, PROBE_TICK);
	rt_drain_aggs(&t.v, &t.tab, 0, see, &s);
	assert_int_equal(s.calls, 0);
	rt_drain_aggs(&t.v, &t.tab, 1, see, &s);
	assert_int_equal(s.calls, NAGGS);
	trace_fini(&t);
}

static void
agg_full(void **state)
{
	struct dif_type kt = NUM;
	uint8_t ksrc = DIF_SRC_OBJ;
	uint32_t karg = 0;
	struct dif_aggvar v = { .id = 1, .func = DIF_AGG_count, .keys = &kt,
				.keysrc = &ksrc, .keyarg = &karg, .nkeys = 1 };
	struct dif_aggvar *vp = &v;
	struct trace t;

	trace_init(&t);
	struct dif_expr e = { .obj = dif(&t, "ldgs arg0, %r1\nsetx 3, %r2\n"
					     "and %r1, %r2, %r1\nret %r1\n"),
			      .type = NUM };
	struct dif_stmt st = { .kind = DIF_AGG_count, .exprs = &e, .nexprs = 1,
			       .nkeys = 1 };
	t.tab = (struct dif_tab){ .aggs = &vp, .naggs = 1 };
	clause(&t, PROBE_TICK, &st, 1)->records = false;
	trace_start(&t, 4096);
	/* One key a firing: 32 KB hold about a thousand entries of 32 bytes. */
	e.obj = dif(&t, "ldgs arg0, %r1\nret %r1\n");
	for (unsigned i = 0; i < 2000; i++) {
		t.rt->arg[0] = i;
		interp_fire(t.rt, &t.v, PROBE_TICK);
	}
	uint64_t drops = t.rt->drops[RT_DROP_AGG];
	assert_in_range(drops, 900, 1100);
	e.obj = dif(&t, "ldgs arg0, %r1\nsetx 3, %r2\nand %r1, %r2, %r1\n"
			"ret %r1\n");
	for (unsigned i = 0; i < 100; i++) {
		t.rt->arg[0] = i;
		interp_fire(t.rt, &t.v, PROBE_TICK);
	}
	assert_int_equal(t.rt->drops[RT_DROP_AGG], drops);
	trace_fini(&t);
}

/* ---- speculation --------------------------------------------------------- */

/* One expression, a number, for a speculative action. */
static struct dif_stmt
spec_stmt(struct trace *t, struct dif_expr *x, uint32_t kind, const char *text)
{
	*x = (struct dif_expr){ .obj = dif(t, text), .type = INT };
	return (struct dif_stmt){ .kind = kind, .exprs = x, .nexprs = 1 };
}

#define ONE "setx 1, %r1\nret %r1\n"
#define TWO "setx 2, %r1\nret %r1\n"

static void
speculative(void **state)
{
	struct trace t;
	struct dif_expr x[4], y[4];
	struct dif_stmt in[2], out[2], end, none;
	uint64_t pos = 0;

	trace_init(&t);
	in[0] = spec_stmt(&t, &x[0], DIF_ACT_SPECULATE, ONE);
	in[1] = spec_stmt(&t, &x[1], DIF_ACT_TRACE, TWO);
	out[0] = spec_stmt(&t, &y[0], DIF_ACT_SPECULATE, TWO);
	out[1] = spec_stmt(&t, &y[1], DIF_ACT_TRACE, TWO);
	end = spec_stmt(&t, &x[2], DIF_ACT_COMMIT, ONE);
	none = spec_stmt(&t, &x[3], DIF_ACT_TRACE, "call speculation, %r1\n"
						   "ret %r1\n");
	clause(&t, PROBE_TICK, in, 2);
	clause(&t, PROBE_TICK, out, 2); /* not active: no record */
	clause(&t, PROBE_TICK, &end, 1)->records = false;
	clause(&t, PROBE_TICK, in, 2); /* not active any more */
	clause(&t, PROBE_TICK, &none, 1); /* busy */
	trace_start(&t, 4096);
	t.v.ctl->nspec = 2;
	t.v.ctl->spec[0].state = RT_SPEC_ACTIVE;
	t.v.ctl->spec[1].state = RT_SPEC_DISCARDED;
	interp_fire(t.rt, &t.v, PROBE_TICK);

	const struct rt_rec *r = (const void *)next(&t, &pos);
	assert_non_null(r);
	assert_int_equal(r->epid, 1);
	assert_int_equal(r->spec, 1);
	assert_int_equal(t.cl[0].recsize, 24); /* no place for the id */
	assert_int_equal(t.cl[2].recsize, 0);
	r = (const void *)next(&t, &pos);
	assert_non_null(r);
	assert_int_equal(r->epid, 5);
	assert_int_equal(r->spec, 0);
	assert_null(next(&t, &pos));
	assert_int_equal(t.v.ctl->spec[0].state, RT_SPEC_COMMITTED);
	assert_true(t.v.ctl->spec[0].time != 0);
	assert_int_equal(t.rt->drops[RT_DROP_SPECBUSY], 1);
	assert_int_equal(t.rt->errors, 0);
	trace_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records), cmocka_unit_test(wrapping),
		cmocka_unit_test(errors),  cmocka_unit_test(exiting),
		cmocka_unit_test(aggregations), cmocka_unit_test(agg_full),
		cmocka_unit_test(hosted),  cmocka_unit_test(acting),
		cmocka_unit_test(speculative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
