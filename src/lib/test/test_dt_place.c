/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_place.c - components of hand-made enablings, and where they are
 * placed in worlds of all kinds.  Nothing runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/dt_place.h"

#define MAXCLAUSES 8

/* A trace: clause i is made of one DIF object and fires at probe[i]. */
struct trace {
	struct arena *a;
	struct dif_clause clause[MAXCLAUSES], *clauses[MAXCLAUSES];
	struct dif_probe probes[MAXCLAUSES];
	struct dif_site sites[MAXCLAUSES];
	struct dif_ecb ecbs[MAXCLAUSES];
	struct dif_enabling en;
	struct dt_comps comps;
};

static int
setup(void **state)
{
	struct trace *t = test_calloc(1, sizeof(*t));

	t->a = arena_new();
	t->en = (struct dif_enabling){ .probes = t->probes,
				       .clauses = t->clauses,
				       .ecbs = t->ecbs };
	*state = t;
	return t->a == NULL;
}

static int
teardown(void **state)
{
	struct trace *t = *state;

	arena_free(t->a);
	test_free(t);
	return 0;
}

/* A probe with one site. */
static uint32_t
probe(struct trace *t, enum dif_site_kind kind, int32_t pid)
{
	uint32_t n = t->en.nprobes++;

	t->sites[n] = (struct dif_site){ .kind = kind, .pid = pid };
	t->probes[n] = (struct dif_probe){ .id = n + 1, .prov = "p",
					   .mod = "m", .func = "f", .name = "n",
					   .sites = &t->sites[n], .nsites = 1 };
	return n;
}

/* A clause with one statement whose value is the object. */
static void
clause(struct trace *t, uint32_t at, uint32_t act, const char *dif)
{
	uint32_t n = t->en.nclauses++;
	struct dif_stmt *st = arena_calloc(t->a, 1, sizeof(*st));
	struct err e;

	st->kind = act;
	st->exprs = arena_calloc(t->a, 1, sizeof(*st->exprs));
	st->nexprs = dif != NULL;
	if (dif != NULL && (st->exprs[0].obj = dif_asm(t->a, dif, &e)) == NULL)
		fail_msg("%s", e.msg);
	t->clause[n].stmts = st;
	t->clause[n].nstmts = 1;
	t->clauses[n] = &t->clause[n];
	t->ecbs[t->en.necbs++] = (struct dif_ecb){ .probe = at, .clause = n };
}

static void
comps(struct trace *t, const char *want)
{
	struct err e;
	char got[MAXCLAUSES + 1] = "";

	assert_int_equal(dt_comps_make(t->a, &t->en, &t->comps, &e), 0);
	for (uint32_t i = 0; i < t->en.nclauses; i++)
		got[i] = (char)('a' + t->comps.of[i]);
	assert_string_equal(got, want);
}

#define NOTHING "ret %r0\n"
#define PUT_GLB ".var g 1280 scl glb int 8\nstgs g, %r0\nret %r0\n"
#define GET_GLB ".var g 1280 scl glb int 8\nldgs g, %r1\nret %r1\n"
#define GET_TLS ".var t 1280 scl tls int 8\nldts t, %r1\nret %r1\n"
#define PUT_ARR ".var a 1281 arr glb int 8\nstgaa a, %r0\nret %r0\n"
#define GET_ARR ".var a 1281 arr glb int 8\nldgaa a, %r1\nret %r1\n"
#define PUT_LOC ".var l 1280 scl loc int 8\nstls l, %r0\nret %r0\n"

/* ---- components ---------------------------------------------------------- */

static void
variables_connect(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);
	uint32_t q = probe(t, DIF_SITE_END, 0);

	clause(t, p, DIF_ACT_TRACE, PUT_GLB);
	clause(t, p, DIF_ACT_TRACE, GET_TLS); /* the same number, not scope */
	clause(t, p, DIF_ACT_TRACE, PUT_ARR);
	clause(t, q, DIF_ACT_TRACE, GET_GLB);
	clause(t, q, DIF_ACT_TRACE, NOTHING);
	clause(t, q, DIF_ACT_TRACE, GET_ARR);
	clause(t, q, DIF_ACT_TRACE, GET_TLS);
	comps(t, "abcadcb");
	assert_int_equal(t->comps.n, 4);
	assert_int_equal(t->comps.v[0].nclauses, 2);
	assert_int_equal(t->comps.v[0].where, DT_AT(TRACE));
	assert_int_equal(t->comps.v[3].necbs, 1);
}

static void
predicates_connect(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);
	struct err e;

	clause(t, p, DIF_ACT_TRACE, PUT_GLB);
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	t->clause[1].pred = dif_asm(t->a, GET_GLB, &e);
	comps(t, "aa");
}

static void
speculations_connect(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);

	clause(t, p, DIF_ACT_TRACE, "call speculation, %r1\nret %r1\n");
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	clause(t, p, DIF_ACT_SPECULATE, NOTHING);
	clause(t, p, DIF_ACT_COMMIT, NOTHING);
	clause(t, p, DIF_ACT_DISCARD, NOTHING);
	comps(t, "abaaa");
}

static void
aggregations_do_not_connect(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);

	clause(t, p, DIF_AGG_count, NULL);
	clause(t, p, DIF_AGG_count, NULL);
	comps(t, "ab");
}

static void
locals_connect_at_one_probe(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);
	uint32_t q = probe(t, DIF_SITE_END, 0);

	clause(t, p, DIF_ACT_TRACE, PUT_LOC);
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	clause(t, p, DIF_ACT_TRACE, PUT_LOC);
	clause(t, q, DIF_ACT_TRACE, PUT_LOC);
	comps(t, "abac");
}

static void
error_connects_all(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_BEGIN, 0);
	uint32_t q = probe(t, DIF_SITE_ERROR, 0);

	clause(t, p, DIF_ACT_TRACE, NOTHING);
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	clause(t, q, DIF_ACT_TRACE, NOTHING);
	comps(t, "aaa");
}

static void
rows_tell_engines(void **state)
{
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_UENTRY, 7);
	struct dif_obj *sym;

	clause(t, p, DIF_ACT_TRACE, "ldgs curthread, %r1\nret %r1\n");
	clause(t, p, DIF_ACT_STOP, NULL);
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	clause(t, p, DIF_AGG_count, NULL);
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	sym = t->clause[2].stmts->exprs[0].obj;
	sym->kernel = true;
	t->clause[3].stmts->nexprs = 1;
	t->clause[3].stmts->exprs[0].src = DIF_SRC_STACK;
	comps(t, "abcde");
	const struct dt_comp *c = t->comps.v;
	assert_int_equal(c[0].engines, DIF_ENG_K);
	assert_string_equal(c[0].only_k, "curthread");
	assert_int_equal(c[1].engines, DIF_ENG_K | DIF_ENG_P);
	assert_null(c[1].only_p);
	assert_string_equal(c[2].only_k, "kernel symbols");
	assert_string_equal(c[3].only_k, "stack()");
	assert_int_equal(c[4].engines, DIF_ENG_K | DIF_ENG_P);
	assert_int_equal(c[4].pid, 7);
}

/* Kinds of site have engines in their rows, and so has what conditions ask
   for. */
static void
sites_tell_engines(void **state)
{
	static const struct dif_whens result = {
		.n = 1, .v[0].what = { DIF_RCP_SYSERR }
	};
	static const struct dif_whens task = {
		.n = 1, .v[0].what = { DIF_RCP_CURTHREAD }
	};
	static const struct dif_whens once = {
		.once = { DIF_RCP_CONST }
	};
	static const struct dif_recipes vector = { .arg[11] = {
							   DIF_RCP_UVEC } };
	struct trace *t = *state;
	uint32_t tp = probe(t, DIF_SITE_TP, 0);
	uint32_t sys = probe(t, DIF_SITE_SYSRETURN, 0);

	clause(t, tp, DIF_ACT_TRACE, NOTHING);
	clause(t, sys, DIF_ACT_TRACE, NOTHING);
	comps(t, "ab");
	assert_int_equal(t->comps.v[0].engines, DIF_ENG_K);
	assert_string_equal(t->comps.v[0].only_k, "tracepoints of the kernel");
	assert_int_equal(t->comps.v[0].where, DT_AT(KERNEL));
	assert_int_equal(t->comps.v[1].engines, DIF_ENG_K | DIF_ENG_P);
	assert_int_equal(t->comps.v[1].where, DT_AT(CALL));
	t->sites[sys].when = &result;
	comps(t, "ab");
	assert_int_equal(t->comps.v[1].engines, DIF_ENG_K | DIF_ENG_P);
	t->sites[sys].when = &task;
	comps(t, "ab");
	assert_int_equal(t->comps.v[1].engines, DIF_ENG_K);
	assert_string_equal(t->comps.v[1].only_k, "threads of the kernel");
	t->sites[sys].when = &once;
	comps(t, "ab");
	assert_int_equal(t->comps.v[1].engines, DIF_ENG_K);
	assert_string_equal(t->comps.v[1].only_k, "conditions that hold once");
	t->sites[sys].when = NULL;
	t->sites[sys].args = &vector;
	comps(t, "ab");
	assert_int_equal(t->comps.v[1].engines, DIF_ENG_P);
	assert_string_equal(t->comps.v[1].only_p, "vector registers");
}

/* ---- placement ----------------------------------------------------------- */

/* "K7": first component kernel, second process 7; "*": in each process, "+": in
   all as one; "!": refused. */
static void
placed(struct trace *t, const struct dt_world *world, const char *want)
{
	struct dt_placed out[MAXCLAUSES];
	struct dt_world w = *world;
	char got[MAXCLAUSES + 1] = "";
	struct err e;
	bool priv;

	err_clear(&e);
	assert_int_equal(dt_comps_make(t->a, &t->en, &t->comps, &e), 0);
	if (dt_place(t->a, &t->comps, &w, out, &priv, &e) != 0) {
		assert_true(err_is_set(&e));
		assert_string_equal("!", want);
		return;
	}
	for (uint32_t i = 0; i < t->comps.n; i++) {
		assert_non_null(out[i].why);
		got[i] = out[i].engine == DIF_ENG_K	? 'K' :
			 out[i].pid == DT_PID_SEVERAL ? '*' :
			 out[i].pid == DT_PID_JOINED ? '+' :
						      (char)('0' + out[i].pid);
	}
	assert_string_equal(got, want);
}

static const struct dt_world root = { 0 };
static const struct dt_world root7 = { .target = 7 };
static const struct dt_world user = { .no_kernel = "no", .self = 4 };
static const struct dt_world user7 = { .no_kernel = "no", .target = 7,
				       .self = 4 };
static const struct dt_world kernel7 = { .target = 7, .force = DIF_ENG_K };
static const struct dt_world process7 = { .target = 7, .force = DIF_ENG_P };

/* A probe whose event is one site for the kernel engine, another for the
   process engine: either will do, where processes may be followed. */
static void
sites_for_engines(void **state)
{
	static const struct dif_site sites[] = {
		{ .kind = DIF_SITE_TP, .tp = "x", .engines = DIF_ENG_IK },
		{ .kind = DIF_SITE_BEGUN, .engines = DIF_ENG_P },
	};
	struct dt_world alone7 = user7;
	struct trace *t = *state;
	uint32_t p = probe(t, DIF_SITE_TP, 0);

	t->probes[p].sites = sites;
	t->probes[p].nsites = 2;
	clause(t, p, DIF_ACT_TRACE, NOTHING);
	comps(t, "a");
	assert_int_equal(t->comps.v[0].engines, DIF_ENG_K | DIF_ENG_P);
	assert_true(t->comps.v[0].tree);
	placed(t, &root, "K");
	placed(t, &root7, "K");
	placed(t, &user7, "7");
	placed(t, &user, "!");
	alone7.no_tree = true;
	placed(t, &alone7, "!");
}

static void
by_kind(void **state)
{
	static const struct {
		enum dif_site_kind kind;
		int32_t pid;
		const char *root, *root7, *user, *user7, *kernel7, *process7;
	} v[] = {
		{ DIF_SITE_BEGIN, 0, "K", "K", "4", "7", "K", "7" },
		{ DIF_SITE_TICK, 0, "K", "K", "4", "7", "K", "7" },
		{ DIF_SITE_PROFILE, 0, "K", "K", "!", "7", "K", "7" },
		{ DIF_SITE_SYSENTRY, 0, "K", "K", "!", "7", "K", "7" },
		{ DIF_SITE_UENTRY, 7, "7", "7", "7", "7", "K", "7" },
		{ DIF_SITE_TP, 0, "K", "K", "!", "!", "K", "!" },
		{ DIF_SITE_KENTRY, 0, "K", "K", "!", "!", "K", "!" },
		{ DIF_SITE_KEXIT, 0, "K", "K", "!", "!", "K", "!" },
	};
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_BEGIN, 0), DIF_ACT_TRACE, NOTHING);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		t->sites[0].kind = v[i].kind;
		t->sites[0].pid = v[i].pid;
		placed(t, &root, v[i].root);
		placed(t, &root7, v[i].root7);
		placed(t, &user, v[i].user);
		placed(t, &user7, v[i].user7);
		placed(t, &kernel7, v[i].kernel7);
		placed(t, &process7, v[i].process7);
	}
}

static void
tick_goes_along(void **state)
{
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_TICK, 0), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE, NOTHING);
	placed(t, &root, "77");
	clause(t, probe(t, DIF_SITE_SYSENTRY, 0), DIF_ACT_TRACE, NOTHING);
	placed(t, &root7, "K7K");
	placed(t, &user7, "777");
	placed(t, &kernel7, "KKK");
}

static void
wide_and_user_probes_together(void **state)
{
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE, PUT_GLB);
	clause(t, probe(t, DIF_SITE_PROFILE, 0), DIF_ACT_TRACE, GET_GLB);
	placed(t, &root7, "K");
	placed(t, &user7, "7");
	placed(t, &process7, "7");
}

static void
processes(void **state)
{
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_UENTRY, 8), DIF_ACT_TRACE, NOTHING);
	placed(t, &root, "78");
	placed(t, &user, "78");
	clause(t, 0, DIF_ACT_TRACE, PUT_GLB);
	clause(t, 1, DIF_ACT_TRACE, GET_GLB);
	/* Both as one, and what is in one of them alone with them. */
	placed(t, &user, "+++");
	placed(t, &root, "+++");
}

/* Of several processes that were asked for. */
static void
in_each(void **state)
{
	const struct dt_world users = { .no_kernel = "no", .self = 4,
					.target = DT_PID_SEVERAL };
	const struct dt_denied no = { .pid = 7, .why = "held by gdb" };
	struct dt_world w = { .target = DT_PID_SEVERAL, .self = 4 };
	struct trace *t = *state;
	uint32_t sys = probe(t, DIF_SITE_SYSENTRY, 0);
	uint32_t tick = probe(t, DIF_SITE_TICK, 0);

	clause(t, sys, DIF_ACT_TRACE, PUT_ARR);
	placed(t, &users, "+");
	/* Of samples only those of one process are taken. */
	clause(t, probe(t, DIF_SITE_PROFILE, 0), DIF_ACT_TRACE, PUT_ARR);
	placed(t, &users, "!");
	t->en.nclauses = t->en.necbs = 0;
	clause(t, sys, DIF_ACT_TRACE, GET_TLS);
	clause(t, tick, DIF_ACT_TRACE, NOTHING);
	placed(t, &users, "*4");
	placed(t, &w, "KK");
	w.force = DIF_ENG_P;
	placed(t, &w, "*4");
	w.denied = &no;
	w.ndenied = 1;
	placed(t, &w, "!");
	/* The tick would be in each process; what goes along goes there. */
	clause(t, tick, DIF_ACT_TRACE, GET_TLS);
	placed(t, &users, "++");
	t->en.nclauses = t->en.necbs = 0;
	clause(t, sys, DIF_ACT_TRACE, "call speculation, %r1\nret %r1\n");
	placed(t, &users, "+");
}

/* A clause whose functions are in libraries that are not there yet. */
static void
none_yet(void **state)
{
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_BEGIN, 0), DIF_ACT_TRACE, NOTHING);
	t->clause[0].pid = 7;
	t->en.necbs = 0;
	placed(t, &root, "7");
	placed(t, &root7, "7");
	placed(t, &user7, "7");
	placed(t, &kernel7, "K");
	t->clause[0].pid = 0;
	placed(t, &root7, "K");
}

static void
one_process_one_engine(void **state)
{
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE,
	       "ldgs curthread, %r1\nret %r1\n");
	clause(t, probe(t, DIF_SITE_URETURN, 7), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_URETURN, 8), DIF_ACT_TRACE, NOTHING);
	placed(t, &root, "KK8");
	placed(t, &user7, "!");
	clause(t, 1, DIF_ACT_STOP, NULL);
	placed(t, &root, "KK8K");
}

static void
denied(void **state)
{
	const struct dt_denied no = { .pid = 7, .why = "held by gdb" };
	struct dt_world w = { .denied = &no, .ndenied = 1 };
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_UENTRY, 8), DIF_ACT_TRACE, NOTHING);
	placed(t, &w, "K8");
	w.no_kernel = "no";
	placed(t, &w, "!");
}

/* One that it may have, at a risk: only if nobody else can. */
static void
rather_not(void **state)
{
	const struct dt_denied no = { .pid = 7,
				      .why = "under a filter",
				      .rather = true };
	struct dt_world w = { .denied = &no, .ndenied = 1 };
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_UENTRY, 7), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_UENTRY, 8), DIF_ACT_TRACE, NOTHING);
	placed(t, &w, "K8");
	w.no_kernel = "no";
	placed(t, &w, "78");
	w.no_kernel = NULL;
	w.force = DIF_ENG_P;
	placed(t, &w, "78");
}

#define PUT_TLS ".var t 1280 scl tls int 8\nstts t, %r0\nret %r0\n"

/* What looks at one process alone. */
static void
bound(void **state)
{
	const struct dt_world near7 = { .target = 7, .near = true };
	const struct dt_world near8 = { .target = 8, .near = true };
	struct trace *t = *state;
	uint32_t sys = probe(t, DIF_SITE_SYSENTRY, 0);
	uint32_t prof = probe(t, DIF_SITE_PROFILE, 0);

	clause(t, sys, DIF_ACT_TRACE, NOTHING);
	clause(t, prof, DIF_ACT_TRACE, NOTHING);
	placed(t, &near7, "KK");
	t->clause[0].only_pid = t->clause[1].only_pid = 7;
	placed(t, &near7, "77");
	placed(t, &near8, "KK");
	placed(t, &root7, "KK");
	placed(t, &kernel7, "KK");
	assert_int_equal(t->comps.v[1].bound, 7);
	/* One that is not makes its component so. */
	clause(t, prof, DIF_ACT_TRACE, PUT_GLB);
	clause(t, sys, DIF_ACT_TRACE, GET_GLB);
	t->clause[2].only_pid = 7;
	placed(t, &near7, "77K");
	assert_int_equal(t->comps.v[2].bound, DT_PID_SEVERAL);
	t->clause[3].only_pid = 8;
	placed(t, &near7, "77K");
	t->clause[3].only_pid = 7;
	placed(t, &near7, "777");
}

/* By a variable that nobody sets but who looks at one process alone. */
static void
bound_by_a_variable(void **state)
{
	const struct dt_world near7 = { .target = 7, .near = true };
	struct trace *t = *state;
	uint32_t sys = probe(t, DIF_SITE_SYSENTRY, 0);
	uint32_t fn = probe(t, DIF_SITE_UENTRY, 7);

	clause(t, fn, DIF_ACT_TRACE, PUT_TLS);
	clause(t, sys, DIF_ACT_TRACE, PUT_TLS);
	t->clause[0].pid = 7;
	placed(t, &near7, "K");
	t->clause[1].only_self = 1280;
	placed(t, &near7, "7");
	placed(t, &root7, "K");
	/* Everybody sets it; another variable counts for nothing. */
	clause(t, sys, DIF_ACT_TRACE, PUT_TLS);
	placed(t, &near7, "K");
	t->clause[2].only_self = 1281;
	placed(t, &near7, "K");
	t->clause[2].only_self = 1280;
	placed(t, &near7, "7");
	t->clause[2].only_self = 0;
	t->clause[2].only_pid = 8;
	placed(t, &near7, "K");
}

/* Probes of one process that a provider has made of system calls, by clauses of
   its own, are that process's; until somebody asks for system calls as such. */
static void
made_of_wide(void **state)
{
	struct trace *t = *state;
	uint32_t sys = probe(t, DIF_SITE_SYSENTRY, 0);
	uint32_t fn = probe(t, DIF_SITE_UENTRY, 7);

	clause(t, fn, DIF_ACT_TRACE, PUT_TLS);
	clause(t, sys, DIF_ACT_TRACE, PUT_TLS);
	clause(t, sys, DIF_ACT_TRACE, GET_TLS);
	t->clause[0].pid = t->clause[2].pid = 7;
	t->clause[0].maker = t->clause[1].maker = true;
	placed(t, &root7, "7");
	placed(t, &root, "7");
	placed(t, &kernel7, "K");
	t->clause[1].maker = false;
	placed(t, &root7, "K");
	t->clause[1].maker = true;
	t->clause[2].pid = 0;
	placed(t, &root7, "K");
}

/* The kernel has refused a component when it was loaded. */
static void
refused(void **state)
{
	const struct dt_denied no = { .clause = 1, .why = "too large" };
	struct dt_world w = { .denied = &no, .ndenied = 1, .target = 7,
			      .self = 4 };
	struct trace *t = *state;

	clause(t, probe(t, DIF_SITE_BEGIN, 0), DIF_ACT_TRACE, NOTHING);
	clause(t, probe(t, DIF_SITE_SYSENTRY, 0), DIF_ACT_TRACE, NOTHING);
	placed(t, &w, "77");
	assert_int_equal(dt_place_other(t->a, &t->comps.v[0], &w),
			 DT_OTHER_RUNS);
	assert_int_equal(dt_place_other(t->a, &t->comps.v[1], &w),
			 DT_OTHER_ALONE);
	t->clause[1].only_pid = 7;
	placed(t, &w, "77");
	assert_int_equal(dt_place_other(t->a, &t->comps.v[1], &w),
			 DT_OTHER_RUNS);
	w.force = DIF_ENG_K;
	assert_int_equal(dt_place_other(t->a, &t->comps.v[1], &w),
			 DT_OTHER_ASKED);
	w.force = DIF_ENG_P;
	assert_int_equal(dt_place_other(t->a, &t->comps.v[1], &w),
			 DT_OTHER_NOT);
	w.force = 0;
	w.target = 0;
	assert_int_equal(dt_place_other(t->a, &t->comps.v[0], &w),
			 DT_OTHER_RUNS);
	assert_int_equal(dt_place_other(t->a, &t->comps.v[1], &w),
			 DT_OTHER_NOT);
	placed(t, &w, "!");
}

/* Where an option has left nothing, the other word is named if it would do. */
static void
cures(void **state)
{
	struct trace *t = *state;
	struct dt_world w = process7;
	struct dt_placed out[1];
	struct err e;
	bool priv;

	clause(t, probe(t, DIF_SITE_TP, 0), DIF_ACT_TRACE, NOTHING);
	comps(t, "a");
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_non_null(strstr(e.msg, "of the kernel (-x engine=kernel can)"));
	w.no_kernel = "no BPF";
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_null(strstr(e.msg, "can)"));
	t->sites[0].kind = DIF_SITE_SYSENTRY;
	comps(t, "a");
	w.force = DIF_ENG_K;
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_non_null(strstr(e.msg, "(-x engine=process can)"));
}

static void
messages(void **state)
{
	struct trace *t = *state;
	struct dt_world w = { .no_kernel = "no BPF" };
	struct dt_placed out[1];
	struct err e;
	bool priv;

	clause(t, probe(t, DIF_SITE_TICK, 0), DIF_ACT_TRACE, NOTHING);
	comps(t, "a");
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_true(priv);
	assert_string_equal(e.msg,
			    "no BPF; compiling (-e, -S) and listing (-l) work "
			    "without, and so does tracing a process of one's "
			    "own (-c or -p)");
	w.force = DIF_ENG_P;
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_false(priv);
	assert_string_equal(e.msg,
			    "p:m:f:n: kernel engine: not wanted "
			    "(-x engine=process); process engine: no process "
			    "was given (-c or -p)");
}

/* Of those that run together the one is named that an engine has not. */
static void
who_is_to_blame(void **state)
{
	const struct dt_world w = { .no_kernel = "no BPF", .target = 7 };
	struct trace *t = *state;
	struct dt_placed out[1];
	struct err e;
	bool priv;
	uint32_t tp;

	clause(t, probe(t, DIF_SITE_SYSENTRY, 0), DIF_ACT_TRACE, PUT_GLB);
	tp = probe(t, DIF_SITE_TP, 0);
	t->probes[tp].name = "off-cpu";
	clause(t, tp, DIF_ACT_TRACE, GET_GLB);
	comps(t, "aa");
	err_clear(&e);
	assert_int_equal(dt_place(t->a, &t->comps, &w, out, &priv, &e), -1);
	assert_non_null(strstr(e.msg, "p:m:f:off-cpu: kernel engine: no BPF"));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(variables_connect), T(predicates_connect),
		T(speculations_connect),
		T(aggregations_do_not_connect),
		T(locals_connect_at_one_probe),
		T(error_connects_all),
		T(rows_tell_engines),
		T(sites_tell_engines),
		T(sites_for_engines),
		T(by_kind),
		T(tick_goes_along),
		T(wide_and_user_probes_together),
		T(processes),
		T(none_yet),
		T(one_process_one_engine),
		T(denied),
		T(rather_not),
		T(in_each),
		T(bound),
		T(bound_by_a_variable),
		T(made_of_wide),
		T(refused),
		T(cures),
		T(messages),
		T(who_is_to_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
