/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_engine.c - the kernel engine on enablings made by hand: programs
 * are loaded, probes fire in this process, and the shared memory must hold
 * what they left.  What single DIF instructions compute is compared with the
 * interpreter elsewhere (test/diff).
 */
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "base/test/capable.h"
#include "base/test/nomem.h"
#include "elf/elf.h"
#include "engine/bpf/bpf_impl.h"
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

static const struct dif_recipes user_args = {
	.arg = { { DIF_RCP_UREG, DIF_R_SYSARG0 },
		 { DIF_RCP_UREG, DIF_R_SYSARG1 },
		 { DIF_RCP_COOKIE, 0 },
		 { DIF_RCP_CONST, -3 } },
};
static const struct dif_recipes sysret_args = {
	.arg = { { DIF_RCP_SYSRET, 0 } },
};

/* ---- making -------------------------------------------------------------- */

static struct world *
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

static struct dif_obj *
obj(struct world *w, const char *text)
{
	struct dif_obj *o = dif_asm(w->a, text, &w->e);

	if (o == NULL || dif_validate(o, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	return o;
}

static struct dif_clause *
clause(struct world *w, const char *pred)
{
	struct dif_clause *c = &w->clauses[w->prog.nclauses];

	w->cptr[w->prog.nclauses++] = c;
	c->pred = pred ? obj(w, pred) : NULL;
	c->loc.line = (int)w->prog.nclauses;
	c->stmts = arena_calloc(w->a, MAX, sizeof(*c->stmts));
	return c;
}

/* A statement with values by assembler, up to three. */
static struct dif_stmt *
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

static void
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

static void
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

/* A probe that runs the clauses of a mask. */
static struct dif_site *
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

static struct engine *
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

static void
start(struct world *w)
{
	if (try_load(w) == NULL)
		fail_msg("load: %s", w->e.msg);
	w->v = bpf_engine_ops.view(w->eng);
	if (bpf_engine_ops.attach(w->eng, &w->e) != 0 ||
	    bpf_engine_ops.begin(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
}

static void
stop(struct world *w)
{
	if (bpf_engine_ops.stop(w->eng, &w->e) != 0 ||
	    bpf_engine_ops.end(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
}

static void
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

/* Take all records of an EPID, oldest first in each slot; their number. */
static unsigned
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

/* Records that were taken are still there, and may be taken again. */
static void
again(struct world *w)
{
	for (unsigned s = 0; s < w->v->nslots; s++)
		w->v->rt[s]->tail = 0;
}

static uint64_t
dropped(struct world *w, enum rt_drop d)
{
	uint64_t n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++)
		n += w->v->rt[s]->drops[d];
	return n;
}

struct cells {
	uint32_t agg;
	unsigned n;
	uint64_t sum, key;
	bool keyed;
};

static int
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

static const char one[] = "setx 1, %r1\nret %r1\n.ret int 8";
static const char *
my_pid(void)
{
	static char text[128];

	snprintf(text, sizeof(text),
		 "ldgs pid, %%r1\nsetx %d, %%r2\ncmp %%r1, %%r2\nbe yes\n"
		 "mov %%r0, %%r1\nret %%r1\nyes:\nsetx 1, %%r1\nret %%r1",
		 getpid());
	return text;
}

static void
getppids(int n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
}

/* ---- tests --------------------------------------------------------------- */

static void
test_begin_end(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct pollfd p = { .events = POLLIN };

	stmt(w, c, DIF_ACT_TRACE, "setx 0x1122334455667788, %r1\nret %r1",
	     "setx -2, %r1\nret %r1\n.ret int 2", NULL);
	stmt(w, c, DIF_ACT_EXIT, "setx 7, %r1\nret %r1\n.ret int 4", NULL,
	     NULL);
	c = clause(w, NULL); /* behind exit(): does not run in BEGIN */
	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 3, NULL);
	probe(w, DIF_SITE_END, 0, 3, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 2, NULL);
	start(w);
	p.fd = bpf_engine_ops.wait_fd(w->eng);
	assert_int_equal(poll(&p, 1, 1000), 1);
	bpf_engine_ops.wait_clear(w->eng);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(w->v->ctl->exit_status, 7);
	assert_int_equal(w->v->ctl->exited, 1);
	assert_int_equal(w->v->ctl->activity, RT_ACT_DRAINING);
	getppids(5);
	assert_int_equal(take(w, 1, &r), 1);
	assert_true(((const uint64_t *)(r + 1))[0] == 0x1122334455667788);
	assert_int_equal(((const int16_t *)(r + 1))[4], -2);
	assert_true(r->time > 0);
	stop(w);
	again(w);
	assert_int_equal(take(w, 2, &r), 0);
	again(w);
	assert_int_equal(take(w, 4, &r), 1);
	again(w);
	assert_int_equal(take(w, 5, &r), 0);
	world_free(w);
}

static void
test_syscall(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, my_pid());
	struct cells cells = { .agg = 0 };
	uint64_t t;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, my_pid());
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg3, %r1\nret %r1");
	c = clause(w, my_pid());
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs errno, %r1\nret %r1\n.ret int 4", NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, &user_args);
	probe(w, DIF_SITE_SYSENTRY, SYS_dup3, 2, &user_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_dup3, 4, &sysret_args);
	start(w);
	getppids(10);
	assert_int_equal(syscall(SYS_dup3, 54321, 7, 0), -1);
	stop(w);
	getppids(10);
	rt_drain_aggs(w->v, &w->tab, 0, cell_sum, &cells);
	assert_int_equal(cells.sum, 10);
	assert_int_equal(take(w, 2, &r), 1);
	t = ((const uint64_t *)(r + 1))[0];
	assert_int_equal(t, 54321);
	assert_int_equal(((const uint64_t *)(r + 1))[1], 7);
	assert_int_equal(((const int64_t *)(r + 1))[2], -3);
	again(w);
	assert_int_equal(take(w, 3, &r), 1);
	assert_int_equal(((const int64_t *)(r + 1))[0], -1);
	assert_int_equal(((const int32_t *)(r + 1))[2], 9); /* EBADF */
	world_free(w);
}

/* Of struct pt_regs: the first argument, read in several ways. */
#define ARG0(size, ...) { 1, { { 8 * DIF_R_SYSARG0, size, __VA_ARGS__ } } }
static const struct dif_path arg0 = ARG0(8, 0), arg0_w = ARG0(4, .is_signed = true),
			     arg0_h = ARG0(2, 0), arg0_b = ARG0(1, 4, 3, true);
#define REGS(path) { DIF_RCP_TPARG, 0, path }
#define GETPPID	   { { DIF_RCP_TPARG, 1 }, 0, DIF_CMP_EQ, SYS_getppid }

/*
 * sys_enter(regs, number): an argument by each kind of load, a bad pointer; a
 * site that is tried after one that does not fire; values met once.
 */
static void
test_rawtp(void **state)
{
	static const struct dif_path bad = { 2, { { 8 * DIF_R_SYSARG0, 8 },
						  { 16, 4 } } };
	/* What arg0 is, twice its low half besides, 7, and arg1 three times. */
	static const struct dif_path sum = { 4, {
		{ 8 * DIF_R_SYSARG0, 8 },
		{ 8 * DIF_R_SYSARG0, 2, .add = DIF_ADD_BESIDE, .scale = 2 },
		{ 7, .add = DIF_ADD_OFF },
		{ 8 * DIF_R_SYSARG1, 4, .add = DIF_ADD_BESIDE, .scale = 3 },
	} }, below = { 1, {
		{ 8 * DIF_R_SYSARG1, 4, .add = DIF_ADD_BELOW, .scale = 5 },
	} };
	static const struct dif_recipes args = {
		.arg = { REGS(&arg0), REGS(&arg0_w), REGS(&arg0_h), REGS(&arg0_b),
			 REGS(&bad), { DIF_RCP_TPARG, 1 }, REGS(&sum),
			 REGS(&below), { DIF_RCP_TPARG, 0 } },
	};
	static const struct dif_whens never = {
		2, { GETPPID, { REGS(&arg0_h), 0xff, DIF_CMP_NE, 0xee } }
	}, some = {
		4, { GETPPID, { REGS(&arg0_w), 0, DIF_CMP_LT, 0 },
		     { REGS(&arg0), 0, DIF_CMP_GT, INT64_MIN },
		     { REGS(&arg0_h), 0xff, DIF_CMP_EQ, 0xee } }
	}, once = { 1, { GETPPID }, REGS(&arg0_h) };
	struct world *w = world_new();
	const struct rt_rec *r;
	const uint64_t *v;
	struct dif_clause *c = clause(w, my_pid());
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg3, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1", "ldgs arg5, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg6, %r1\nret %r1",
	     "ldgs arg7, %r1\nret %r1", "ldgs arg8, %r1\nret %r1");
	for (int i = 0; i < 3; i++) {
		s = probe(w, DIF_SITE_TP, 0, 1, &args);
		s->tp = "sys_enter";
		s->when = (const struct dif_whens *[]){ &never, &some,
							&once }[i];
	}
	start(w);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getppid, -0x12L, 9L); /* 0xff...ee */
	stop(w);
	assert_int_equal(take(w, 1, &r), 0);
	again(w);
	assert_int_equal(take(w, 2, &r), 3);
	v = (const uint64_t *)(r + 1);
	assert_true(v[0] == (uint64_t)-0x12);
	assert_true(v[1] == (uint64_t)-0x12);
	assert_int_equal(v[2], 0xffee);
	assert_true(v[3] == (uint64_t)-2); /* bits 4 to 6 of 0xee */
	assert_int_equal(v[4], 0);
	assert_int_equal(v[5], SYS_getppid);
	assert_true(v[6] == (uint64_t)-0x12 + 2 * 0xffee + 7 + 3 * 9);
	assert_true(v[7] == v[8] + 5 * 9);
	again(w);
	assert_int_equal(take(w, 3, &r), 1);
	world_free(w);
}

static void
test_no_tracepoint(void **state)
{
	struct world *w = world_new();
	struct dif_clause *c = clause(w, NULL);
	struct err e = { 0 };

	stmt(w, c, DIF_ACT_TRACE, "setx 1, %r1\nret %r1", NULL, NULL);
	probe(w, DIF_SITE_TP, 0, 1, NULL)->tp = "no_such";
	w->eng = try_load(w);
	assert_non_null(w->eng);
	assert_int_equal(bpf_engine_ops.attach(w->eng, &e), -1);
	assert_non_null(strstr(e.msg, "prov::func:name: this kernel has no "
				      "tracepoint no_such"));
	world_free(w);
}

/* The hash in line and the one of rt_agg_cell() must be one. */
static void
test_keys(void **state)
{
	struct world *w = world_new();
	struct dif_clause *c = clause(w, my_pid());
	struct cells cells = { .agg = 0, .keyed = true };
	struct dif_stmt *s =
		stmt(w, c, DIF_AGG_sum, "ldgs pid, %r1\nret %r1\n.ret int 4",
		     "ldgs execname, %r1\nret %r1\n.ret string 16",
		     "setx 5, %r1\nret %r1");

	agg(w, s, 2);
	s = stmt(w, c, DIF_AGG_min, "ldgs pid, %r1\nret %r1\n.ret int 4",
		 "setx -9, %r1\nret %r1", NULL);
	agg(w, s, 1);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	start(w);
	getppids(3);
	w->v->ctl->agg_half = 1;
	bpf_engine_ops.grace(w->eng);
	getppids(4);
	stop(w);
	for (unsigned n = 0, i = 0; i < w->v->nslots; i++) {
		n += ((struct rt_agg_half *)w->v->agg[i])->nentries;
		assert_true(i + 1 < w->v->nslots || (n >= 2 && n % 2 == 0));
	}
	rt_drain_aggs(w->v, &w->tab, 0, cell_sum, &cells);
	assert_int_equal(cells.sum, 15);
	assert_int_equal(cells.key, getpid());
	cells = (struct cells){ .agg = 0 };
	rt_drain_aggs(w->v, &w->tab, 1, cell_sum, &cells);
	assert_int_equal(cells.sum, 20);
	cells = (struct cells){ .agg = 1 };
	rt_drain_aggs(w->v, &w->tab, 0, cell_sum, &cells);
	assert_int_equal(cells.n, 0); /* taken by the walk before */
	world_free(w);
}

static void
test_faults(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;
	const struct rt_error_rec *er;
	struct dif_clause *c = clause(w, NULL);

	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	stmt(w, c, DIF_ACT_TRACE, "setx 64, %r1\nlduw [%r1], %r2\nret %r2",
	     NULL, NULL);
	c = clause(w, NULL); /* ERROR */
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg1, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1", "ldgs arg5, %r1\nret %r1");
	c = clause(w, NULL); /* ERROR, faulty itself */
	stmt(w, c, DIF_ACT_TRACE, "udiv %r0, %r0, %r1\nret %r1", NULL, NULL);
	c = clause(w, NULL); /* BEGIN again */
	stmt(w, c, DIF_ACT_TRACE, "ldgs id, %r1\nret %r1\n.ret int 4", NULL,
	     NULL);
	probe(w, DIF_SITE_BEGIN, 0, 9, NULL);
	probe(w, DIF_SITE_ERROR, 0, 6, NULL);
	start(w);
	assert_int_equal(take(w, RT_EPID_ERROR, &r), 1);
	er = (const void *)r;
	assert_int_equal(er->epid, 1);
	assert_int_equal(er->action, 2);
	assert_int_equal(er->difoff, 1);
	assert_int_equal(er->fault, DIF_FAULT_BADADDR);
	assert_int_equal(er->val, 64);
	again(w);
	assert_int_equal(take(w, 3, &r), 1);
	assert_int_equal(((const uint64_t *)(r + 1))[0], 1);
	assert_int_equal(((const uint64_t *)(r + 1))[1], DIF_FAULT_BADADDR);
	assert_int_equal(((const uint64_t *)(r + 1))[2], 64);
	again(w);
	assert_int_equal(take(w, 2, &r), 1); /* the clause behind runs */
	assert_int_equal(((const uint32_t *)(r + 1))[0], 100);
	assert_int_equal(dropped(w, RT_DROP_DBLERROR), 1);
	stop(w);
	world_free(w);
}

/* What is written and what is dropped is all that fired; records wrap. */
static void
test_drops(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, my_pid());
	struct pollfd p = { .events = POLLIN };
	uint64_t n = 0;

	stmt(w, c, DIF_ACT_TRACE, one, one, one);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	w->opts.bufsize = 4096;
	start(w);
	p.fd = bpf_engine_ops.wait_fd(w->eng);
	getppids(30); /* 40 bytes each: under half */
	assert_int_equal(poll(&p, 1, 0), 0);
	getppids(1000);
	assert_int_equal(poll(&p, 1, 1000), 1);
	n = take(w, 1, &r);
	assert_true(n >= 100 && n <= 102 * w->v->nslots);
	assert_int_equal(n + dropped(w, RT_DROP_PRINCIPAL), 1030);
	for (int i = 0; i < 300; i++) {
		getppids(7);
		n += take(w, 1, &r);
	}
	assert_int_equal(n + dropped(w, RT_DROP_PRINCIPAL), 1030 + 2100);
	assert_int_equal(w->v->bufsize, 4096);
	stop(w);
	world_free(w);
}

/* Two probes at one system call, many clauses, not all by both. */
static void
test_chain(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;

	for (int i = 0; i < 8; i++)
		stmt(w, clause(w, my_pid()), DIF_ACT_TRACE,
		     "ldgs epid, %r1\nret %r1\n.ret int 4",
		     "ldgs id, %r1\nret %r1\n.ret int 4", NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 0x55, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 0xf0, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getuid, 0x02, NULL);
	start(w);
	getppids(1);
	syscall(SYS_getuid);
	stop(w);
	for (uint32_t epid = 1; epid <= 9; epid++) {
		again(w);
		assert_int_equal(take(w, epid, &r), 1);
		const uint32_t *f = (const uint32_t *)(r + 1);
		assert_int_equal(f[0], epid);
		assert_int_equal(f[1], epid <= 4 ? 100 : epid <= 8 ? 101 : 102);
	}
	world_free(w);
}

static void
test_variables(void **state)
{
	static const struct dif_type i64 = { .ckind = DIF_CK_INT, .size = 8 };
	static const struct dif_type str = { .kind = DIF_TYPE_STRING,
					     .flags = DIF_TF_BYREF };
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);

	var(w, 0x500, DIF_SCOPE_THREAD, DIF_VK_SCALAR, &i64, NULL);
	var(w, 0x501, DIF_SCOPE_THREAD, DIF_VK_SCALAR, &str, NULL);
	var(w, 0x500, DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, &i64, &str);
	var(w, 0x502, DIF_SCOPE_THREAD, DIF_VK_ARRAY, &i64, &i64);
	stmt(w, c, DIF_ACT_NONE,
	     ".var x 0x500 scl tls int 8\n"
	     ".var s 0x501 scl tls string 0\n"
	     "setx 11, %r1\nstts x, %r1\n"
	     "sets \"hello\", %r2\nstts s, %r2\n"
	     "ret %r0",
	     NULL, NULL);
	stmt(w, c, DIF_ACT_NONE,
	     ".var a 0x500 arr glb int 8\nsets \"key\", %r1\n"
	     "pushtr DT_TYPE(1), %r0, %r1\nsetx 12, %r2\nstgaa a, %r2\nret %r0",
	     NULL, NULL);
	stmt(w, c, DIF_ACT_NONE,
	     ".var b 0x502 arr tls int 8\nsetx 5, %r1\npushtv DT_TYPE(0), %r0, "
	     "%r1\n"
	     "setx 13, %r2\nsttaa b, %r2\nflushts\nsetx 6, %r1\n"
	     "pushtv DT_TYPE(0), %r0, %r1\nsttaa b, %r2\nsttaa b, %r0\nret %r0",
	     NULL, NULL);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE,
	     ".var x 0x500 scl tls int 8\nldts x, %r1\nret %r1",
	     ".var a 0x500 arr glb int 8\nsets \"key\", %r1\n"
	     "pushtr DT_TYPE(1), %r0, %r1\nldgaa a, %r2\nret %r2",
	     ".var b 0x502 arr tls int 8\nsetx 5, %r1\npushtv DT_TYPE(0), %r0, "
	     "%r1\n"
	     "ldtaa b, %r2\nflushts\nsetx 6, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
	     "ldtaa b, %r3\nsll %r3, %r1, %r3\nor %r2, %r3, %r2\nret %r2");
	stmt(w, c, DIF_ACT_TRACE,
	     ".var s 0x501 scl tls string 0\nldts s, %r1\nret %r1\n"
	     ".ret string 0",
	     NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 3, NULL);
	start(w);
	assert_int_equal(take(w, 2, &r), 1);
	const uint64_t *f = (const uint64_t *)(r + 1);
	assert_int_equal(f[0], 11);
	assert_int_equal(f[1], 12);
	assert_int_equal(f[2], 13);
	assert_string_equal((const char *)(f + 3), "hello");
	stop(w);
	world_free(w);
}

static __attribute__((noinline)) int
traced_function(int a, int b)
{
	__asm__ volatile("" : "+r"(a));
	return a + b;
}

static __attribute__((noinline)) int
traced_operands(long i, long n, const volatile int16_t *v)
{
	__asm__ volatile("" : "+r"(i));
	return (int)(i + n + v[0]);
}

/* Offset in the file of an address of this program. */
static uint64_t
file_offset(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t at = (uint64_t)(uintptr_t)p, a, b, off, res = 0;
	char line[512];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &a, &b, &off) == 3 &&
		    at >= a && at < b)
			res = at - a + off;
	fclose(f);
	return res;
}

static struct elf_file *self;

static struct elf_file *
files_open(void *arg, int32_t pid, const char *path, struct err *e)
{
	if (self == NULL)
		self = elf_open(path, e);
	return self;
}

/* A process of no objects: none of them could unwind. */
static bool
files_object(void *arg, int32_t pid, size_t i, struct engine_object *out)
{
	return false;
}

static const struct engine_files files = { NULL, files_open, files_object };

static uint64_t
self_bias(void)
{
	struct err e = { 0 };
	const struct elf_sym *s;

	files_open(NULL, 0, "/proc/self/exe", &e);
	assert_non_null(self);
	s = elf_sym_find(self, "traced_function");
	assert_non_null(s);
	return (uintptr_t)traced_function - s->addr;
}

static void
test_uprobe(void **state)
{
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	w->opts.files = &files;
	s = probe(w, DIF_SITE_UENTRY, 0, 1, &user_args);
	s->path = "/proc/self/exe";
	s->off = file_offset((const void *)(uintptr_t)traced_function);
	s->pid = getpid();
	s->addr = s->fn = (uintptr_t)traced_function;
	s->bias = self_bias();
	s->fn_size = 4;
	s = probe(w, DIF_SITE_URETURN, 0, 1, &user_args);
	*s = w->sites[0];
	s->kind = DIF_SITE_URETURN;
	start(w);
	for (int i = 0; i < 3; i++)
		traced_function(i, 70 + i);
	stop(w);
	assert_int_equal(take(w, 1, &r), 3);
	assert_int_equal(((const uint64_t *)(r + 1))[0], 2);
	assert_int_equal(((const uint64_t *)(r + 1))[1], 72);
	assert_int_equal(((const uint64_t *)(r + 1))[2], 1000);
	again(w);
	assert_int_equal(take(w, 2, &r), 3);
	world_free(w);
}

/* What a static probe's note may name: parts of registers, memory, and a
   semaphore, which is not 0 while anybody listens. */
static volatile uint16_t traced_semaphore
	__attribute__((section(".probes"))) = 0;

static void
test_operands(void **state)
{
	static const struct dif_recipes args = { .arg = {
		{ DIF_RCP_UREG, DIF_R_RSI, .size = 1, .shift = 8 },
		{ DIF_RCP_UREG, DIF_R_RSI, .size = 2, .is_signed = true },
		{ DIF_RCP_UMEM, 0, .size = 2, .is_signed = true,
		  .base = DIF_BASE(RDX), .index = DIF_BASE(RDI), .scale = 1 },
		{ DIF_RCP_UMEM, 2, .size = 2, .base = DIF_BASE(RDX) },
		{ DIF_RCP_UMEM, 16, .size = 4, .base = DIF_BASE(RDI) },
	}, .arg[11] = { DIF_RCP_CONST, 12 } };
	static const struct dif_whens when = {
		.n = 1,
		.v = { { { DIF_RCP_UMEM, 4, .size = 2, .is_signed = true,
			   .base = DIF_BASE(RDX) },
			 .cmp = DIF_CMP_LT } },
	};
	static volatile int16_t mem[] = { 1, 2, -3, 4 };
	struct world *w = world_new();
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct dif_site *s;
	const uint64_t *got;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg3, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1",
	     "setx 11, %r2\nldga args, %r2, %r1\nret %r1");
	w->opts.files = &files;
	s = probe(w, DIF_SITE_UENTRY, 0, 1, &args);
	s->path = "/proc/self/exe";
	s->off = file_offset((const void *)(uintptr_t)traced_operands);
	s->pid = getpid();
	s->addr = s->fn = (uintptr_t)traced_operands;
	s->bias = self_bias();
	s->fn_size = 4;
	s->sem = file_offset((const void *)(uintptr_t)&traced_semaphore);
	s->when = &when;
	assert_int_equal(traced_semaphore, 0);
	start(w);
	assert_true(traced_semaphore > 0);
	traced_operands(2, 0x9877, mem);
	mem[2] = 3; /* not below 0 any more */
	traced_operands(2, 0x9877, mem);
	mem[2] = -3;
	stop(w);
	assert_int_equal(traced_semaphore, 0);
	assert_int_equal(take(w, 1, &r), 1);
	got = (const uint64_t *)(r + 1);
	assert_int_equal(got[0], 0x98);
	assert_int_equal(got[1], (uint64_t)-0x6789);
	assert_int_equal(got[2], (uint64_t)-3);
	assert_int_equal(got[3], 2);
	assert_int_equal(got[4], 0);
	assert_int_equal(got[5], 12);
	world_free(w);
}

/* ---- older kernels ------------------------------------------------------- */

/* While it is set, this kernel seems to have neither uprobe_multi nor types
   for the tracepoints of system calls: the rows behind theirs are taken. */
static bool old_kernel;
static unsigned denied; /* how often */

bool __real_bpf_feat_multi(void);
bool __wrap_bpf_feat_multi(void);
int __real_bpf_feat_ktypes(struct engine *, struct err *);
int __wrap_bpf_feat_ktypes(struct engine *, struct err *);

bool
__wrap_bpf_feat_multi(void)
{
	denied += old_kernel;
	return !old_kernel && __real_bpf_feat_multi();
}

int
__wrap_bpf_feat_ktypes(struct engine *eng, struct err *e)
{
	int rc = __real_bpf_feat_ktypes(eng, e);

	denied += old_kernel;
	if (old_kernel)
		eng->kt.enter_btf_id = eng->kt.exit_btf_id = 0;
	return rc;
}

static void
test_older(void **state)
{
	old_kernel = true;
	denied = 0;
	test_uprobe(state);
	assert_int_equal(denied, 2); /* entry and return */
	test_operands(state);
	test_syscall(state);
	assert_true(denied > 2);
	old_kernel = false;
}

/* Whatever a kernel lacks: each kind of site that is served at all has a last
   row that needs nothing special, but for the kernel's own functions. */
static void
test_rows(void **state)
{
	for (unsigned kind = 0; kind < BPF_NPLACES; kind++) {
		const struct bpf_class *last = NULL;
		uint32_t id = 0;
		for (unsigned i = 0; i < BPF_NCLASSES; i++)
			if (bpf_classes[i].sites & (1u << kind))
				last = &bpf_classes[i];
		if (last == NULL || (kind < DIF_NSITES &&
				     dif_sites[kind].key == DIF_KEY_FUNCTION))
			continue;
		assert_true(last->have(NULL, NULL, &id));
		assert_int_equal(id, 0);
	}
}

/* ---- functions of the kernel --------------------------------------------- */

/* What this kernel seems to have: bits of its ways to a function. */
enum { FENTRY = 1, MULTI = 2, PERF = 4 };
static unsigned ways = FENTRY | MULTI | PERF;

#define WAY(name, bit)                                                       \
	bool __real_bpf_have_##name(struct engine *, const struct dif_site *, \
				    uint32_t *);                             \
	bool __wrap_bpf_have_##name(struct engine *, const struct dif_site *, \
				    uint32_t *);                             \
	bool __wrap_bpf_have_##name(struct engine *eng,                       \
				    const struct dif_site *s, uint32_t *id)  \
	{                                                                    \
		return (ways & (bit)) != 0 &&                                \
		       __real_bpf_have_##name(eng, s, id);                   \
	}
WAY(fentry, FENTRY)
WAY(kprobe_multi, MULTI)
WAY(kprobe, PERF)

/* The function gets the registers of the system call. */
#define GETSID_FN "__x64_sys_getsid"

/* Two sites at the entry, of which one has a condition, and one at the return:
   each way gives the same arguments, and says which it was. */
static void
kfunc_by(unsigned by, const char *want)
{
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_KARG, 0, &arg0 }, { DIF_RCP_KARG, 9 },
			 { DIF_RCP_CONST, 5 } },
	}, ret = { .arg = { { DIF_RCP_KRET } } };
	static const struct dif_whens never = {
		1, { { { DIF_RCP_KARG, 0, &arg0_w }, 0, DIF_CMP_GT, 0 } }
	};
	struct world *w = world_new();
	struct dif_clause *c = clause(w, my_pid());
	const struct rt_rec *r;
	struct buf out = { 0 };
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg2, %r1\nret %r1", NULL);
	s = probe(w, DIF_SITE_KENTRY, 0, 1, &args);
	s->tp = GETSID_FN;
	s->when = &never;
	probe(w, DIF_SITE_KENTRY, 0, 1, &args)->tp = GETSID_FN;
	probe(w, DIF_SITE_KRETURN, 0, 1, &ret)->tp = GETSID_FN;
	ways = by;
	start(w);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getsid, -0x12L);
	bpf_engine_ops.report(w->eng, &out);
	stop(w);
	ways = FENTRY | MULTI | PERF;
	assert_string_equal(buf_str(&out), want);
	assert_int_equal(take(w, 1, &r), 0);
	again(w);
	assert_int_equal(take(w, 2, &r), 3);
	assert_true(((const int64_t *)(r + 1))[0] == -0x12);
	assert_int_equal(((const int64_t *)(r + 1))[1], 5);
	again(w);
	assert_int_equal(take(w, 3, &r), 3);
	assert_int_equal(((const int64_t *)(r + 1))[0], -ESRCH);
	buf_fini(&out);
	world_free(w);
}

/* Kernels with kprobes may be without it (Debian's 6.1). */
static bool
kfunc_has_multi(void)
{
	struct engine *eng = calloc(1, sizeof(*eng));
	uint32_t id;
	bool has = __real_bpf_have_kprobe_multi(eng, NULL, &id);

	bpf_kfunc_free(eng);
	free(eng);
	return has;
}

static void
test_kfunc(void **state)
{
	if (!CAPABLE("kprobe btf"))
		return;
	kfunc_by(FENTRY | MULTI | PERF,
		 "functions of the kernel: 1 by fexit, 1 by fentry\n");
	if (kfunc_has_multi())
		kfunc_by(MULTI | PERF,
			 "functions of the kernel: 1 by kretprobe_multi, "
			 "1 by kprobe_multi\n");
	kfunc_by(PERF, "functions of the kernel: 1 by kretprobe, 1 by kprobe\n");
}

/* What it returns and the registers that it was given, by fexit alone. */
static void
test_kfunc_exit(void **state)
{
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_KARG, 0, &arg0 }, { DIF_RCP_KRET } },
	};
	struct world *w = world_new();
	struct dif_clause *c = clause(w, my_pid());
	const struct rt_rec *r;
	bool kprobe = CAPABLE("kprobe btf");

	c->pdesc = (struct dif_pdesc){ 0, "prov", "", "func", "name" };
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", NULL);
	probe(w, DIF_SITE_KEXIT, 0, 1, &args)->tp = GETSID_FN;
	if (kprobe) {
		start(w);
		syscall(SYS_getsid, -0x12L);
		stop(w);
		assert_int_equal(take(w, 1, &r), 1);
		assert_true(((const int64_t *)(r + 1))[0] == -0x12);
		assert_int_equal(((const int64_t *)(r + 1))[1], -ESRCH);
		world_free(w);
		return;
	}
	ways = MULTI | PERF;
	assert_null(try_load(w));
	ways = FENTRY | MULTI | PERF;
	assert_non_null(strstr(w->e.msg, "prov::func:name: arguments at the "
					 "return of a function take fexit"));
	arena_free(w->a), free(w);
}

/* A kernel without any way, and a function that is none. */
static void
test_kfunc_refused(void **state)
{
	static const struct {
		unsigned ways;
		const char *msg;
	} v[] = {
		{ 0, "prov::func:name: functions of this kernel cannot be "
		     "traced: it has no kprobes" },
		{ MULTI, "prov::func:name: the kernel refuses its function "
			 "no_such_fn: there is none" },
		{ PERF, "prov::func:name: the kernel refuses its function "
			"no_such_fn: there is none" },
	};
	bool kprobe = CAPABLE("kprobe"), multi = kfunc_has_multi();

	for (size_t i = 0; i < (kprobe ? 3 : 1); i++) {
		if (v[i].ways == MULTI && !multi)
			continue;
		struct world *w = world_new();
		struct dif_clause *c = clause(w, NULL);

		c->pdesc = (struct dif_pdesc){ 0, "prov", "", "func", "name" };
		stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
		probe(w, DIF_SITE_KENTRY, 0, 1, NULL)->tp = "no_such_fn";
		ways = v[i].ways;
		if (try_load(w) != NULL)
			assert_int_equal(
				bpf_engine_ops.attach(w->eng, &w->e), -1);
		ways = FENTRY | MULTI | PERF;
		assert_true(err_is_set(&w->e));
		if (strncmp(w->e.msg, v[i].msg, strlen(v[i].msg)) != 0)
			fail_msg("%s", w->e.msg);
		if (w->eng != NULL)
			world_free(w);
		else
			arena_free(w->a), free(w);
	}
}

static void
test_timers(void **state)
{
	struct world *w = world_new();
	struct dif_clause *c = clause(w, NULL);
	struct cells cells = { .agg = 0 };
	struct timespec t = { .tv_nsec = 200000000 };

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	probe(w, DIF_SITE_PROFILE, 2000000, 1, NULL);
	probe(w, DIF_SITE_TICK, 20000000, 2, NULL);
	start(w);
	nanosleep(&t, NULL);
	stop(w);
	rt_drain_aggs(w->v, &w->tab, 0, cell_sum, &cells);
	assert_true(cells.sum > 20);
	world_free(w);
}

static void
test_refused(void **state)
{
	struct world *w = world_new();
	struct dif_clause *c = clause(w, NULL);

	/* Two ways to the same place with different tuple stacks. */
	stmt(w, c, DIF_ACT_TRACE,
	     "tst %r0\nbe over\npushtv DT_TYPE(0), %r0, %r0\nover:\n"
	     "call rand, %r1\nret %r1",
	     NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
	assert_null(try_load(w));
	assert_non_null(strstr(w->e.msg, "tuple stack"));
	assert_int_equal(w->e.loc.line, 1);
	world_free(w);
}

/* ---- without memory -------------------------------------------------------- */

/* From loading to BEGIN with the nth allocation failing; false if refused. */
static bool
traced(struct world *w, long n)
{
	const struct engine_ops *ops = &bpf_engine_ops;

	assert_non_null(try_load(w)); /* lays it out, too */
	ops->free(w->eng);
	nomem_arm(n);
	w->eng = ops->load(&w->en, &w->opts, &w->e);
	return w->eng != NULL && ops->attach(w->eng, &w->e) == 0 &&
	       ops->begin(w->eng, &w->e) == 0 &&
	       ops->stop(w->eng, &w->e) == 0 && ops->end(w->eng, &w->e) == 0;
}

/* The nth allocation fails, n = 1, 2, 3 ...: the engine says that there is no
   memory, or does without and has the records that it should have. */
static void
test_nomem(void **state)
{
	const struct rt_rec *r;
	bool more = true;
	long n;

	for (n = 1; more; n = nomem_next(n, 40)) {
		struct world *w = world_new();
		struct dif_clause *c = clause(w, NULL);

		stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
		agg(w, stmt(w, c, DIF_AGG_count, one, NULL, NULL), 1);
		probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
		probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
		bool ok = traced(w, n);
		more = nomem_disarm();
		if (!ok && (!more || w->e.tag != &ERR_NOMEM))
			fail_msg("allocation %ld: %s", n, w->e.msg);
		if (ok) {
			w->v = bpf_engine_ops.view(w->eng);
			assert_int_equal(take(w, 1, &r), 1);
		}
		world_free(w);
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 20);
}

int
main(void)
{
	int status = capable("bpf");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin_end),
		cmocka_unit_test(test_syscall),
		cmocka_unit_test(test_rawtp),
		cmocka_unit_test(test_no_tracepoint),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_uprobe), cmocka_unit_test(test_operands),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_kfunc),
		cmocka_unit_test(test_kfunc_exit),
		cmocka_unit_test(test_kfunc_refused),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nomem),
	};

	if (status != 0)
		return capable_tap(status);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
