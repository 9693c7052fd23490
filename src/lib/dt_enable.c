/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_enable.c - from programs to tracing: which clause applies to which probe,
 * the tables an engine and the consumer work from, go and stop.
 *
 * dtrace_program_exec() only collects (clause, probe) pairs.  dtrace_go() sorts
 * them by probe, so that the ECBs of a probe are adjacent and in program
 * order, asks the providers for sites, lays out records, keys and variables
 * (options are final now), and hands the enabling to the engine.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- collecting --------------------------------------------------------- */

struct collect {
	dtrace_hdl_t *dtp;
	uint32_t clause;
	unsigned matches;
	bool failed;
};

static int
collect_probe(void *arg, struct probe *p)
{
	struct collect *c = arg;
	struct dt_enab en = { .clause = c->clause, .probe = p };

	if (!vec_push(&c->dtp->enabs, en)) {
		c->failed = true;
		return 1;
	}
	c->matches++;
	return 0;
}

/* Refuse destructive statements unless they are allowed. */
static int
check_destructive(dtrace_hdl_t *dtp, const struct dif_clause *c)
{
	bool found = c->pred != NULL && c->pred->destructive;

	if (dt_opt_on(dtp, DT_OPT_destructive))
		return 0;
	for (uint32_t s = 0; s < c->nstmts; s++) {
		const struct dif_act_info *a =
			dif_act_by_code(c->stmts[s].kind);
		found |= a != NULL && a->cls == DIF_AC_DESTRUCTIVE;
		for (uint32_t x = 0; x < c->stmts[s].nexprs; x++) {
			const struct dif_obj *o = c->stmts[s].exprs[x].obj;
			found |= o != NULL && o->destructive;
		}
	}
	if (!found)
		return 0;
	return dt_set_err(dtp, EDT_DESTRUCTIVE, "%s",
			  dtrace_errmsg(NULL, EDT_DESTRUCTIVE));
}

/* One clause: its probes, as pairs.  *matches grows by their number. */
static int
exec_clause(dtrace_hdl_t *dtp, struct dif_clause *cl, unsigned *matches)
{
	struct collect c = { .dtp = dtp,
			     .clause = (uint32_t)dtp->clauses.n };

	if (check_destructive(dtp, cl) != 0)
		return -1;
	if (!vec_push(&dtp->clauses, cl))
		return dt_nomem(dtp);
	err_clear(&dtp->err);
	if (probe_match(dtp->probes, &cl->pdesc, collect_probe, &c,
			&dtp->err) < 0 &&
	    !dt_probe_absent(dtp, &dtp->err))
		return dt_fail(dtp, EDT_ENABLE);
	if (c.failed)
		return dt_nomem(dtp);
	*matches += c.matches;
	return 0;
}

int
dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
		    dtrace_proginfo_t *info)
{
	size_t nclauses = dtp->clauses.n, nenabs = dtp->enabs.n;
	dtrace_proginfo_t pi;

	if (dtp->active)
		return dt_set_err(dtp, EDT_ACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_ACTIVE));
	dtrace_program_info(dtp, prog, &pi);
	dtp->zdefs = (prog->cflags & DTRACE_C_ZDEFS) != 0;
	for (uint32_t i = 0; i < prog->dif->nclauses; i++) {
		if (exec_clause(dtp, &prog->dif->clauses[i],
				&pi.dpi_matches) == 0)
			continue;
		/* A program is enabled whole or not at all. */
		dtp->clauses.n = nclauses;
		dtp->enabs.n = nenabs;
		return -1;
	}
	prog->enabled = true;
	if (info != NULL)
		*info = pi;
	return 0;
}

/* ---- the enabling -------------------------------------------------------- */

static int
enab_cmp(const void *a, const void *b)
{
	const struct dt_enab *x = a, *y = b;

	if (x->probe->id != y->probe->id)
		return x->probe->id < y->probe->id ? -1 : 1;
	return x->clause < y->clause ? -1 : x->clause > y->clause;
}

static void
enab_order(dtrace_hdl_t *dtp)
{
	/* Most programs arrive in order already. */
	for (size_t i = 1; i < dtp->enabs.n; i++) {
		if (enab_cmp(&dtp->enabs.v[i - 1], &dtp->enabs.v[i]) > 0) {
			qsort(dtp->enabs.v, dtp->enabs.n,
			      sizeof(*dtp->enabs.v), enab_cmp);
			return;
		}
	}
}

/* The ECBs [*i, end) of one probe: its sites. */
static int
enab_probe(dtrace_hdl_t *dtp, struct dif_probe *out, size_t first, size_t end,
	   struct site_list *sites)
{
	struct probe *p = dtp->enabs.v[first].probe;
	uint32_t used = 0;
	size_t start = sites->n;

	for (size_t i = first; i < end; i++)
		used |= dtp->clauses.v[dtp->enabs.v[i].clause]->args_used;
	*out = (struct dif_probe){ .id = p->id, .prov = p->prov, .mod = p->mod,
				   .func = p->func, .name = p->name };
	if (p->owner->ops->sites(p->owner, p, used, DIF_ENG_K, sites, &dtp->err) != 0)
		return -1;
	out->nsites = (uint32_t)(sites->n - start);
	return 0;
}

static size_t
enab_run(const dtrace_hdl_t *dtp, size_t i)
{
	size_t end = i + 1;

	while (end < dtp->enabs.n &&
	       dtp->enabs.v[end].probe == dtp->enabs.v[i].probe)
		end++;
	return end;
}

static int
enabling_probes(dtrace_hdl_t *dtp, struct dif_probe *probes, uint32_t *np,
		struct dif_ecb *ecbs)
{
	struct site_list sites = { 0 };
	uint32_t n = 0;

	for (size_t i = 0, end; i < dtp->enabs.n; i = end) {
		end = enab_run(dtp, i);
		if (enab_probe(dtp, &probes[n], i, end, &sites) != 0) {
			free(sites.v);
			return dt_fail(dtp, EDT_ENABLE);
		}
		for (size_t k = i; k < end; k++)
			ecbs[k] = (struct dif_ecb){
				.epid = (uint32_t)k + 1, .probe = n,
				.clause = dtp->enabs.v[k].clause
			};
		n++;
	}
	/* The list has moved while it grew: point into its final place. */
	struct dif_site *v = arena_memdup(dtp->en_arena, sites.v,
					  sites.n * sizeof(*v));
	free(sites.v);
	if (v == NULL)
		return dt_nomem(dtp);
	for (uint32_t i = 0; i < n; i++) {
		probes[i].sites = v;
		v += probes[i].nsites;
	}
	*np = n;
	return 0;
}

static int
enabling_layout(dtrace_hdl_t *dtp)
{
	struct dif_sizes *sz = &dtp->en.sizes;
	size_t n = 0;

	sz->strsize = (uint32_t)dtp->opt[DT_OPT_strsize];
	sz->stackframes = (uint32_t)dtp->opt[DT_OPT_stackframes];
	sz->ustackframes = (uint32_t)dtp->opt[DT_OPT_ustackframes];
	for (struct dtrace_prog *p = dtp->progs; p != NULL; p = p->next)
		n++;
	struct dif_prog **progs = arena_calloc(dtp->en_arena, n + 1,
					       sizeof(*progs));
	if (progs == NULL)
		return dt_nomem(dtp);
	n = 0;
	for (struct dtrace_prog *p = dtp->progs; p != NULL; p = p->next)
		progs[n++] = p->dif;
	dif_layout(progs, n, lang_tab(dtp->lang), sz, dtp->en_arena);
	for (size_t i = 0; i < dtp->clauses.n; i++) {
		if (dtp->clauses.v[i]->recsize >
		    (uint64_t)dtp->opt[DT_OPT_bufsize] / 2)
			return dt_set_err(
				dtp, EDT_BUFSIZE,
				"%s: a record takes %u bytes, half of the "
				"buffer is %lld (-b or -x bufsize=...)",
				dtrace_errmsg(NULL, EDT_BUFSIZE),
				dtp->clauses.v[i]->recsize,
				(long long)dtp->opt[DT_OPT_bufsize] / 2);
	}
	return 0;
}

static int
enabling_build(dtrace_hdl_t *dtp)
{
	arena_free(dtp->en_arena);
	dtp->en_arena = arena_new();
	if (dtp->en_arena == NULL)
		return dt_nomem(dtp);
	dtp->en = (struct dif_enabling){ 0 };
	enab_order(dtp);
	if (enabling_layout(dtp) != 0)
		return -1;
	size_t n = dtp->enabs.n;
	struct arena *a = dtp->en_arena;
	struct dif_probe *probes = arena_calloc(a, n + 1, sizeof(*probes));
	struct dif_ecb *ecbs = arena_calloc(a, n + 1, sizeof(*ecbs));
	dtp->ecbs = arena_calloc(a, n + 1, sizeof(*dtp->ecbs));
	if (probes == NULL || ecbs == NULL || dtp->ecbs == NULL)
		return dt_nomem(dtp);
	if (enabling_probes(dtp, probes, &dtp->en.nprobes, ecbs) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		dtp->ecbs[i] = (struct dt_ecb){
			.clause = dtp->clauses.v[ecbs[i].clause],
			.probe = dtp->enabs.v[i].probe
		};
	dtp->en.probes = probes;
	dtp->en.clauses = dtp->clauses.v;
	dtp->en.nclauses = (uint32_t)dtp->clauses.n;
	dtp->en.ecbs = ecbs;
	dtp->en.necbs = (uint32_t)n;
	dtp->en.tab = lang_tab(dtp->lang);
	return 0;
}

/* ---- go ---------------------------------------------------------------------- */

/* Say which size came out lower than what was asked for. */
static void
go_sizes(dtrace_hdl_t *dtp, const struct rt_view *v)
{
	if (v->buf != NULL &&
	    v->bufsize < (uint64_t)dtp->opt[DT_OPT_bufsize])
		fprintf(stderr, "dtrace: buffer size lowered to %lluk\n",
			(unsigned long long)v->bufsize / 1024);
	if (v->agg != NULL &&
	    v->aggsize < (uint64_t)dtp->opt[DT_OPT_aggsize])
		fprintf(stderr, "dtrace: aggregation size lowered to %lluk\n",
			(unsigned long long)v->aggsize / 1024);
}

static int
go_engine(dtrace_hdl_t *dtp)
{
	const struct engine_opts opts = {
		.bufsize = (uint64_t)dtp->opt[DT_OPT_bufsize],
		.aggsize = (uint64_t)dtp->opt[DT_OPT_aggsize],
		.dynvarsize = (uint64_t)dtp->opt[DT_OPT_dynvarsize],
		.bufresize_manual = dtp->opt[DT_OPT_bufresize] == 1,
		.only_cpu = dtp->opt[DT_OPT_cpu] == DTRACEOPT_UNSET ?
				    -1 : (int)dtp->opt[DT_OPT_cpu],
		.destructive = dt_opt_on(dtp, DT_OPT_destructive),
		.debug = dt_opt_on(dtp, DT_OPT_debug),
	};
	struct err *e = &dtp->err;

	dtp->eops = &bpf_engine_ops;
	if (dtp->eops->probe(e) != 0) {
		dt_fail(dtp, EDT_PRIV);
		buf_puts(&dtp->errtext, "; compiling (-e, -S) and listing (-l) "
					"work without");
		return -1;
	}
	dtp->engine = dtp->eops->load(&dtp->en, &opts, e);
	if (dtp->engine == NULL)
		return dt_fail(dtp, EDT_ENABLE);
	const struct rt_view *v = dtp->eops->view(dtp->engine);
	dtp->seen = calloc(v->nslots, sizeof(*dtp->seen));
	dtp->aggs = dt_aggs_new(dtp->en.tab, &dtp->out->syms, e);
	if (dtp->seen == NULL || dtp->aggs == NULL)
		return dt_nomem(dtp);
	go_sizes(dtp, v);
	if (dtp->eops->attach(dtp->engine, e) != 0 ||
	    dtp->eops->begin(dtp->engine, e) != 0)
		return dt_fail(dtp, EDT_ENABLE);
	return 0;
}

int
dtrace_go(dtrace_hdl_t *dtp)
{
	if (dtp->active || dtp->stopped)
		return dt_set_err(dtp, EDT_ACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_ACTIVE));
	if (dtp->flags & DTRACE_O_NODEV)
		return dt_set_err(dtp, EDT_UNSUP, "the handle was opened for "
						  "compiling only");
	err_clear(&dtp->err);
	if (enabling_build(dtp) != 0)
		return -1;
	int rv = go_engine(dtp);
	if (rv != 0) {
		if (dtp->engine != NULL)
			dtp->eops->free(dtp->engine);
		dtp->engine = NULL;
		dt_aggs_free(dtp->aggs);
		dtp->aggs = NULL;
		free(dtp->seen);
		dtp->seen = NULL;
		return rv;
	}
	dtp->active = true;
	dtp->last_switch = dtp->last_agg = dt_now();
	dtp->last_status = dtp->last_drops = dtp->last_switch;
	return 0;
}

int
dtrace_stop(dtrace_hdl_t *dtp)
{
	if (!dtp->active || dtp->stopped)
		return 0;
	err_clear(&dtp->err);
	dtp->stopped = dtp->end_due = true;
	if (dtp->eops->stop(dtp->engine, &dtp->err) != 0)
		return dt_fail(dtp, EDT_ENABLE);
	return 0;
}

int
dtrace_exit_status(dtrace_hdl_t *dtp)
{
	if (dtp->engine == NULL)
		return 0;
	return dtp->eops->view(dtp->engine)->ctl->exit_status;
}
