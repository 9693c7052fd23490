/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_enable.c - from programs to enablings: which clause applies to which
 * probe, and the tables that engines and the consumer work from.
 *
 * dtrace_program_exec() only collects (clause, probe) pairs.  dtrace_go() (in
 * dt_run.c) has them sorted by probe, so that the ECBs of a probe are adjacent
 * and in program order, has the providers asked for sites, and records, keys
 * and variables laid out (options are final now).  That enabling is the whole
 * trace's: placement goes by it.  Each engine is then given its part.
 *
 * Sites are facts that all engines understand; where an engine can place none
 * of those of a probe, it leaves the probe out, or refuses it if a clause names
 * it.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/dt_lang.h"

/* ---- collecting --------------------------------------------------------- */

struct collect {
	dtrace_hdl_t *dtp;
	uint32_t clause;
	unsigned matches;
	bool made; /* one of them is made of other probes */
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
	c->made |= p->owner->ops->made != NULL;
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
	return dt_set_err(dtp, EDT_DESTRUCTIVE,
			  "%s (the option destructive allows them: -x "
			  "destructive, or dtrace -w)",
			  dtrace_errmsg(NULL, EDT_DESTRUCTIVE));
}

/* The probes that pd matches, as pairs with a clause. */
static int
collect_all(dtrace_hdl_t *dtp, struct collect *c, size_t clause,
	    const struct dif_pdesc *pd)
{
	*c = (struct collect){ .dtp = dtp, .clause = (uint32_t)clause };
	err_clear(&dtp->err);
	if (probe_match(dtp->probes, pd, collect_probe, c, &dtp->err) < 0 &&
	    !dt_probe_absent(dtp, &dtp->err))
		return dt_fail(dtp, EDT_ENABLE);
	return c->failed ? dt_nomem(dtp) : 0;
}

int
dt_clause_narrow(dtrace_hdl_t *dtp, uint32_t clause, const struct dif_pdesc *pd,
		 bool later)
{
	const size_t had = dtp->enabs.n;
	size_t n = 0;
	struct collect c;

	if (collect_all(dtp, &c, clause, pd) != 0)
		return -1;
	if (c.matches == 0 && !later)
		return 0;
	for (size_t i = 0; i < dtp->enabs.n; i++)
		if (i >= had || dtp->enabs.v[i].clause != clause)
			dtp->enabs.v[n++] = dtp->enabs.v[i];
	dtp->enabs.n = n;
	dtp->clauses.v[clause]->pdesc = *pd;
	dtp->clauses.v[clause]->pid = probe_desc_pid(dtp->probes, pd);
	dtp->clauses.v[clause]->every = false;
	return 1;
}

/* One clause: its probes, as pairs.  *matches grows by their number. */
static int
exec_clause(dtrace_hdl_t *dtp, struct dif_clause *cl, unsigned *matches)
{
	struct collect c;
	const size_t nenabs = dtp->enabs.n, to_come = dtp->clauses.n;

	if (check_destructive(dtp, cl) != 0 ||
	    collect_all(dtp, &c, to_come, &cl->pdesc) != 0)
		return -1;
	if (c.made ||
	    (c.matches == 0 && probe_desc_made(dtp->probes, &cl->pdesc))) {
		/* The clauses that make them come first. */
		dtp->enabs.n = nenabs;
		if (dt_made_enable(dtp, &cl->pdesc) != 0 ||
		    collect_all(dtp, &c, dtp->clauses.n, &cl->pdesc) != 0)
			return -1;
	}
	if (!vec_push(&dtp->clauses, cl))
		return dt_nomem(dtp);
	cl->pid = probe_desc_pid(dtp->probes, &cl->pdesc);
	cl->every = c.matches == 0 &&
		    probe_match_every(dtp->probes, &cl->pdesc, NULL, NULL, NULL,
				      &dtp->err) > 0;
	*matches += c.matches;
	return 0;
}

int
dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
		    dtrace_proginfo_t *info)
{
	probe_asks_new(dtp->probes);
	return dt_prog_enable(dtp, prog, info);
}

int
dt_prog_enable(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info)
{
	size_t nclauses = dtp->clauses.n, nenabs = dtp->enabs.n;
	size_t nmade = dtp->made.n;
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
		dtp->made.n = nmade;
		return -1;
	}
	prog->enabled = true;
	if (info != NULL)
		*info = pi;
	return 0;
}

/* ---- sorting ------------------------------------------------------------- */

/* Probes that are made of others come behind those: where both fire, what they
   remember is known then. */
static int
enab_cmp(const void *a, const void *b)
{
	const struct dt_enab *x = a, *y = b;
	const bool xmade = x->probe->owner->ops->made != NULL;
	const bool ymade = y->probe->owner->ops->made != NULL;

	if (xmade != ymade)
		return xmade ? 1 : -1;
	if (x->probe->id != y->probe->id)
		return x->probe->id < y->probe->id ? -1 : 1;
	return x->clause < y->clause ? -1 : x->clause > y->clause;
}

static void
enabs_sort(struct dt_enab *v, size_t n)
{
	/* Most programs arrive in order already. */
	for (size_t i = 1; i < n; i++) {
		if (enab_cmp(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof(*v), enab_cmp);
			return;
		}
	}
}

/* ---- functions of several names ------------------------------------------ */

/* True if a clause's description finds the probe by another name of its
   function only. */
static bool
enab_by_alias(const struct dif_pdesc *pd, const struct probe *p)
{
	return p->aliases != NULL && pd->id == 0 &&
	       !probe_glob(pd->func, p->func);
}

/* True if these clauses are of one text, for two of its descriptions. */
static bool
enab_siblings(const struct dif_clause *a, const struct dif_clause *b)
{
	return a - a->before == b - b->before &&
	       strcmp(a->pdesc.func, b->pdesc.func) != 0;
}

/*
 * True if an enabling, of a run of those of one probe, says again what another
 * one says: that the same text be run there.  Of two that find the probe by
 * other names, the later does.
 */
static bool
enab_again(const dtrace_hdl_t *dtp, const struct dt_enab *en,
	   const struct dt_enab *run, size_t n)
{
	const struct dif_clause *cl = dtp->clauses.v[en->clause];

	if (!enab_by_alias(&cl->pdesc, en->probe))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct dif_clause *o = dtp->clauses.v[run[i].clause];

		if (enab_siblings(cl, o) &&
		    (!enab_by_alias(&o->pdesc, en->probe) || o < cl))
			return true;
	}
	return false;
}

size_t
dt_enabs_settle(const dtrace_hdl_t *dtp, struct dt_enab *v, size_t n)
{
	size_t out = 0;

	enabs_sort(v, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].probe == v[i].probe; end++)
			;
		for (size_t k = i; k < end; k++)
			v[k].again = enab_again(dtp, &v[k], &v[i], end - i);
	}
	for (size_t i = 0; i < n; i++)
		if (!v[i].again)
			v[out++] = v[i];
	return out;
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

/* ---- layout -------------------------------------------------------------- */

/* Check that a machine has room for the keys of each aggregation. */
static int
enabling_keys(dtrace_hdl_t *dtp)
{
	const struct dif_tab *tab = lang_tab(dtp->lang);

	for (uint32_t i = 0; i < tab->naggs; i++) {
		const struct dif_aggvar *a = tab->aggs[i];

		if (a->keysize > RT_KEY_MAX)
			return dt_set_err(dtp, EDT_NOREG,
					  "the keys of @%s take %u bytes, more "
					  "than %u (lower strsize?)",
					  a->name, a->keysize, RT_KEY_MAX);
	}
	return 0;
}

/* The option; by default there is room for four strings. */
static uint32_t
scratch_size(const dtrace_hdl_t *dtp)
{
	uint32_t n = (uint32_t)dtp->opt[DT_OPT_scratchsize];
	uint64_t four = 4 * (uint64_t)dtp->opt[DT_OPT_strsize];

	return n != RT_SCRATCH_SMALL || four < n ? n : (uint32_t)four;
}

static int
enabling_layout(dtrace_hdl_t *dtp)
{
	struct dif_sizes *sz = &dtp->en.sizes;
	size_t n = 0;

	sz->strsize = (uint32_t)dtp->opt[DT_OPT_strsize];
	sz->maxframes = (uint32_t)dtp->opt[DT_OPT_maxframes];
	sz->stackframes = (uint32_t)dtp->opt[DT_OPT_stackframes];
	sz->ustackframes = (uint32_t)dtp->opt[DT_OPT_ustackframes];
	sz->jstackframes = (uint32_t)dtp->opt[DT_OPT_jstackframes];
	sz->printsize = (uint32_t)dtp->opt[DT_OPT_printsize];
	sz->scratchsize = scratch_size(dtp);
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
	if (enabling_keys(dtp) != 0)
		return -1;
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

/* ---- sites --------------------------------------------------------------- */

/* *out with its sites at the end of the list, which moves while it grows:
   probes get their pointers into it from sites_settle(). */
static int
sites_ask(struct site_list *l, struct probe *p, struct dif_probe *out,
	  struct err *e)
{
	size_t start = l->n;

	*out = (struct dif_probe){ .id = p->id, .prov = p->prov, .mod = p->mod,
				   .func = p->func, .name = p->name };
	if (dt_made_sites(p, l, e) != 0) {
		l->n = start;
		return -1;
	}
	out->nsites = (uint32_t)(l->n - start);
	return 0;
}

static int
sites_settle(dtrace_hdl_t *dtp, struct site_list *l, struct dif_probe *probes,
	     uint32_t n)
{
	struct dif_site *v = arena_calloc(dtp->en_arena, l->n + 1, sizeof(*v));

	if (v != NULL && l->n != 0)
		memcpy(v, l->v, l->n * sizeof(*v));
	free(l->v);
	if (v == NULL)
		return dt_nomem(dtp);
	for (uint32_t i = 0; i < n; i++) {
		probes[i].sites = v;
		v += probes[i].nsites;
		if (dt_every_set(dtp, &probes[i]) != 0)
			return -1;
	}
	return 0;
}

/* ---- the whole trace ----------------------------------------------------- */

/* Why probes have no sites, until it is known whether they may be left out. */
struct whole {
	uint8_t *placed, *served; /* dif_not_left_out() */
	struct whole_why {
		const struct err_tag *tag;
		const char *msg; /* in dtp->en_arena */
	} *why; /* by probe */
	struct site_list sites;
};

static int
whole_init(dtrace_hdl_t *dtp, struct whole *w)
{
	size_t n = dtp->enabs.n + 1;

	*w = (struct whole){
		.placed = calloc(n, 1),
		.served = calloc(dtp->clauses.n + 1, 1),
		.why = calloc(n, sizeof(*w->why)),
	};
	return w->placed != NULL && w->served != NULL && w->why != NULL ?
		       0 : dt_nomem(dtp);
}

static void
whole_fini(struct whole *w)
{
	free(w->placed);
	free(w->served);
	free(w->why);
}

/* The sites of probe number n, or why it has none. */
static int
whole_probe(dtrace_hdl_t *dtp, struct whole *w, struct probe *p,
	    struct dif_probe *out, uint32_t n)
{
	struct err *e = &dtp->err;

	if (sites_ask(&w->sites, p, out, e) == 0) {
		w->placed[n] = out->nsites != 0 ? DIF_PLACED : DIF_PLACE_NONE;
		return 0;
	}
	if (e->tag == &ERR_NOMEM)
		return -1;
	out->nsites = 0;
	w->placed[n] = DIF_PLACE_REFUSED;
	w->why[n].tag = e->tag;
	w->why[n].msg = arena_strdup(dtp->en_arena, e->msg);
	err_clear(e);
	return w->why[n].msg != NULL ? 0 : err_nomem(e);
}

static int
whole_ask(dtrace_hdl_t *dtp, struct whole *w, struct dif_probe *probes,
	  struct dif_ecb *ecbs, uint32_t *n)
{
	*n = 0;
	for (size_t i = 0, end; i < dtp->enabs.n; i = end, ++*n) {
		end = enab_run(dtp, i);
		if (whole_probe(dtp, w, dtp->enabs.v[i].probe, &probes[*n],
				*n) != 0)
			return dt_fail(dtp, EDT_ENABLE);
		for (size_t k = i; k < end; k++)
			ecbs[k] = (struct dif_ecb){
				.probe = *n, .clause = dtp->enabs.v[k].clause
			};
	}
	return 0;
}

/* Those without a place are left out, if they may be. */
static int
whole_check(dtrace_hdl_t *dtp, struct whole *w, const struct dif_probe *probes,
	    const struct dif_ecb *ecbs, uint32_t n)
{
	const struct dif_enabling en = { .probes = probes,
					 .nprobes = n,
					 .clauses = dtp->clauses.v,
					 .nclauses = (uint32_t)dtp->clauses.n,
					 .ecbs = ecbs,
					 .necbs = (uint32_t)dtp->enabs.n };
	uint32_t bad = dif_not_left_out(&en, w->placed, w->served);

	if (bad == UINT32_MAX)
		return 0;
	err_set(&dtp->err, w->why[bad].tag, 0, "%s", w->why[bad].msg);
	return dt_fail(dtp, EDT_ENABLE);
}

static int
whole_probes(dtrace_hdl_t *dtp, struct dif_probe *probes, struct dif_ecb *ecbs)
{
	struct whole w;
	uint32_t n;
	int rc = whole_init(dtp, &w);

	if (rc == 0)
		rc = whole_ask(dtp, &w, probes, ecbs, &n);
	if (rc == 0)
		rc = whole_check(dtp, &w, probes, ecbs, n);
	whole_fini(&w);
	if (rc != 0) {
		free(w.sites.v);
		return -1;
	}
	dtp->en.nprobes = n;
	return sites_settle(dtp, &w.sites, probes, n);
}

int
dt_enabling_make(dtrace_hdl_t *dtp)
{
	size_t n;

	arena_free(dtp->en_arena);
	struct arena *a = dtp->en_arena = arena_new();
	if (a == NULL)
		return dt_nomem(dtp);
	dtp->en = (struct dif_enabling){ 0 };
	dtp->enabs.n = n =
		dt_enabs_settle(dtp, dtp->enabs.v, dtp->enabs.n);
	if (enabling_layout(dtp) != 0)
		return -1;
	struct dif_probe *probes = arena_calloc(a, n + 1, sizeof(*probes));
	struct dif_ecb *ecbs = arena_calloc(a, n + 1, sizeof(*ecbs));
	if (probes == NULL || ecbs == NULL)
		return dt_nomem(dtp);
	if (whole_probes(dtp, probes, ecbs) != 0)
		return -1;
	dtp->en.probes = probes;
	dtp->jstack = dt_lang_asks(dtp);
	dtp->en.clauses = dtp->clauses.v;
	dtp->en.nclauses = (uint32_t)dtp->clauses.n;
	dtp->en.ecbs = ecbs;
	dtp->en.necbs = (uint32_t)n;
	dtp->en.tab = lang_tab(dtp->lang);
	return 0;
}

/* ---- parts --------------------------------------------------------------- */

struct part {
	dtrace_hdl_t *dtp;
	const bool *pick;
	enum dif_engines engine;
	bool failed;
	uint32_t *clause; /* [whole nclauses]: index in the part */
	struct dif_clause **clauses;
	struct dif_probe *probes;
	struct dif_ecb *ecbs;
	uint32_t nclauses, nprobes, necbs;
};

static void
part_ecb(struct part *pt, const struct dt_enab *en)
{
	dtrace_hdl_t *dtp = pt->dtp;

	dtp->ecbs[dtp->necbs++] = (struct dt_ecb){
		.clause = dtp->clauses.v[en->clause], .probe = en->probe
	};
	pt->ecbs[pt->necbs++] = (struct dif_ecb){
		.epid = dtp->necbs, .probe = pt->nprobes,
		.clause = pt->clause[en->clause]
	};
}

/* The sites of a probe that its engine looks at, where others do not. */
static void
part_sites(struct part *pt, struct dif_probe *p)
{
	const struct dif_site *from = p->sites;
	uint32_t n = 0;
	struct dif_site *v;

	for (uint32_t i = 0; i < p->nsites; i++)
		n += dif_site_for(&from[i], pt->engine);
	if (n == p->nsites)
		return;
	v = arena_calloc(pt->dtp->en_arena, n + 1ul, sizeof(*v));
	pt->failed |= v == NULL;
	p->sites = v;
	p->nsites = 0;
	for (uint32_t i = 0; v != NULL && p->nsites < n; i++)
		if (dif_site_for(&from[i], pt->engine))
			v[p->nsites++] = from[i];
}

/* The clauses [first, end) of one probe, number `nr` of the whole trace. */
static void
part_probe(struct part *pt, size_t first, size_t end, uint32_t nr)
{
	dtrace_hdl_t *dtp = pt->dtp;
	bool any = false;

	for (size_t i = first; i < end; i++)
		any |= pt->pick[dtp->enabs.v[i].clause];
	if (!any || dtp->en.probes[nr].nsites == 0)
		return;
	pt->probes[pt->nprobes] = dtp->en.probes[nr];
	part_sites(pt, &pt->probes[pt->nprobes]);
	for (size_t i = first; i < end; i++)
		if (pt->pick[dtp->enabs.v[i].clause])
			part_ecb(pt, &dtp->enabs.v[i]);
	pt->nprobes++;
}

static void
part_fill(struct part *pt)
{
	dtrace_hdl_t *dtp = pt->dtp;
	uint32_t nr = 0;

	for (uint32_t c = 0; c < dtp->en.nclauses; c++) {
		pt->clause[c] = DT_NO_CLAUSE;
		if (!pt->pick[c])
			continue;
		pt->clause[c] = pt->nclauses;
		pt->clauses[pt->nclauses++] = dtp->clauses.v[c];
	}
	for (size_t i = 0, end; i < dtp->enabs.n; i = end, nr++) {
		end = enab_run(dtp, i);
		part_probe(pt, i, end, nr);
	}
}

int
dt_enabling_part(dtrace_hdl_t *dtp, struct dt_engine *de, const bool *pick)
{
	struct arena *a = dtp->en_arena;
	size_t nc = dtp->en.nclauses + (size_t)1, n = dtp->enabs.n + 1;
	struct part pt = { .dtp = dtp,
			   .pick = pick,
			   .engine =
				   dt_is_process(de) ? DIF_ENG_P : DIF_ENG_K };

	pt.clause = arena_calloc(a, nc, sizeof(*pt.clause));
	pt.clauses = arena_calloc(a, nc, sizeof(*pt.clauses));
	pt.probes = arena_calloc(a, dtp->en.nprobes + (size_t)1,
				 sizeof(*pt.probes));
	pt.ecbs = arena_calloc(a, n, sizeof(*pt.ecbs));
	/* A clause may be in each instance. */
	if (dtp->ecbs == NULL) {
		dtp->ecbs_cap = (uint32_t)(n * dtp->nengines);
		dtp->ecbs = arena_calloc(a, dtp->ecbs_cap, sizeof(*dtp->ecbs));
	}
	if (pt.clause == NULL || pt.clauses == NULL || pt.probes == NULL ||
	    pt.ecbs == NULL || dtp->ecbs == NULL)
		return dt_nomem(dtp);
	part_fill(&pt);
	if (pt.failed)
		return dt_nomem(dtp);
	de->en = (struct dif_enabling){
		.probes = pt.probes, .nprobes = pt.nprobes,
		.clauses = pt.clauses, .nclauses = pt.nclauses,
		.ecbs = pt.ecbs, .necbs = pt.necbs,
		.tab = dtp->en.tab, .sizes = dtp->en.sizes,
	};
	de->clause_of = pt.clause;
	de->probes_cap = dtp->en.nprobes;
	de->ecbs_cap = (uint32_t)n;
	return 0;
}
