/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_later.c - probes in objects that a process maps while it is traced.
 *
 * The engine says which code is new (engine_ops.mapped), the providers are
 * asked again for what the clauses describe, and what they have to say of that
 * code goes to the engine (engine_ops.extend).  A probe that is enabled already
 * has come to more places; any other becomes a row of the enabling, behind the
 * others, with EPIDs of its own.
 *
 * The kernel engine knows of no process: ten times a second the mappings are
 * looked at here, where a clause could have probes of what comes.  Its
 * breakpoints belong to files, so a file that was mapped before has them still,
 * wherever it is mapped now: only files that are new to the process are.
 *
 * A clause about every process (pid*, postgresql*) gets probes of files that
 * nobody had mapped when tracing began: the kernel tells which files are mapped
 * (proc_watch.c), and the providers are asked for what those have.
 *
 * So the kernel engine gets probes of modules that are loaded while tracing,
 * too (bpf_later.c).
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

#define PROBES_LATER  16384u
#define MODULES_LATER 1024u /* names that there is room for */
#define USERS_LATER   4096u
#define LATER_WHYS    64u

uint32_t
dt_later_probes(const struct dt_engine *de)
{
	for (uint32_t c = 0; c < de->en.nclauses; c++)
		if (de->en.clauses[c]->pid != 0)
			return PROBES_LATER;
	return 0;
}

/* ---- what the providers say ---------------------------------------------- */

struct later {
	dtrace_hdl_t *dtp;
	struct dt_engine *de;
	struct engine_fresh *fresh;
	size_t nfresh;
	int32_t pid;
	struct proc *proc; /* kernel engine: whose files are looked at */
	uint32_t round, clause;
	uint64_t files; /* that were known when the process before was done */
	bool failed;
	VEC(struct dt_enab) enabs;
	VEC(struct engine_site) sites;
};

static int
later_probe(void *arg, struct probe *p)
{
	struct later *l = arg;
	struct dt_enab en = { .clause = l->clause, .probe = p };

	/* What has not been named again has no new places. */
	if (p->round != l->round || vec_push(&l->enabs, en))
		return 0;
	l->failed = true;
	return 1;
}

/* A description whose probe is there and cannot be had, as a static probe with
   an operand that nobody understands.  What it names may also be gone again:
   then it matches nothing. */
static void
later_refused(struct later *l, const struct err *e)
{
	const char *why;

	if ((e->tag != &D_PROC_NAME && e->tag != &D_PROC_OFF &&
	     e->tag != &D_PROC_ALIGN) || l->de->later_why.n == LATER_WHYS)
		return;
	for (size_t i = 0; i < l->de->later_why.n; i++)
		if (strcmp(l->de->later_why.v[i], e->msg) == 0)
			return;
	why = arena_strdup(l->dtp->en_arena, e->msg);
	if (why == NULL || !vec_push(&l->de->later_why, why))
		l->failed = true;
}

/* The clauses of the engine's part that describe probes of its process. */
static void
later_match(struct later *l)
{
	dtrace_hdl_t *dtp = l->dtp;
	struct err e;

	l->round = probe_round(dtp->probes);
	for (uint32_t c = 0; c < dtp->clauses.n; c++) {
		const struct dif_clause *cl = dtp->clauses.v[c];

		if (l->de->clause_of[c] == DT_NO_CLAUSE ||
		    cl->pid != l->pid)
			continue;
		l->clause = c;
		err_clear(&e);
		if (probe_match(dtp->probes, &cl->pdesc, later_probe, l,
				&e) < 0)
			later_refused(l, &e);
	}
}

/* ---- rows ---------------------------------------------------------------- */

/* Room for one more: the array may move, what was there stays as it is, for the
   engine's threads may be at it.  NULL: no memory. */
static void *
later_room(struct arena *a, void *v, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = n < 16 ? 32 : 2 * n;
	void *p;

	if (n < *cap)
		return v;
	p = arena_calloc(a, more, size);
	if (p != NULL && n != 0)
		memcpy(p, v, n * size);
	if (p != NULL)
		*cap = more;
	return p;
}

static int
later_ecb(struct later *l, uint32_t row, const struct dt_enab *en)
{
	dtrace_hdl_t *dtp = l->dtp;
	struct dif_enabling *part = &l->de->en;
	struct dt_ecb *all = later_room(dtp->en_arena, dtp->ecbs, dtp->necbs,
					&dtp->ecbs_cap, sizeof(*all));
	struct dif_ecb *ecbs =
		later_room(dtp->en_arena, (void *)(uintptr_t)part->ecbs,
			   part->necbs, &l->de->ecbs_cap, sizeof(*ecbs));

	if (all == NULL || ecbs == NULL)
		return -1;
	dtp->ecbs = all;
	all[dtp->necbs++] = (struct dt_ecb){
		.clause = dtp->clauses.v[en->clause], .probe = en->probe
	};
	ecbs[part->necbs] = (struct dif_ecb){
		.epid = dtp->necbs, .probe = row,
		.clause = l->de->clause_of[en->clause]
	};
	part->ecbs = ecbs;
	part->necbs++;
	return 0;
}

/* The rows that there are, by id of their probes. */
static int
rows_init(struct dt_engine *de)
{
	if (de->rows != NULL)
		return 0;
	de->rows = hash_new();
	de->rows_max = de->en.nprobes + PROBES_LATER;
	for (uint32_t i = 0; de->rows != NULL && i < de->en.nprobes; i++)
		if (hash_set(de->rows, &de->en.probes[i].id,
			     sizeof(de->en.probes[i].id),
			     (void *)((uintptr_t)i + 1)) != 0)
			return -1;
	return de->rows != NULL ? 0 : -1;
}

/* The row of the probe of the n pairs at en; -1: no memory; 1: there is no room
   for it, which is counted. */
static int
later_row(struct later *l, const struct dt_enab *en, size_t n, uint32_t *row)
{
	struct dif_enabling *part = &l->de->en;
	struct probe *p = en->probe;
	uintptr_t at = (uintptr_t)hash_find(l->de->rows, &p->id,
					    sizeof(p->id));
	struct dif_probe *v;

	*row = at != 0 ? (uint32_t)(at - 1) : part->nprobes;
	if (at != 0)
		return 0;
	if (part->nprobes >= l->de->rows_max) {
		l->de->rows_left++;
		return 1;
	}
	v = later_room(l->dtp->en_arena, (void *)(uintptr_t)part->probes,
		       part->nprobes, &l->de->probes_cap, sizeof(*v));
	if (v == NULL || hash_set(l->de->rows, &p->id, sizeof(p->id),
				  (void *)((uintptr_t)*row + 1)) != 0)
		return -1;
	v[*row] = (struct dif_probe){ .id = p->id, .prov = p->prov,
				      .mod = p->mod, .func = p->func,
				      .name = p->name };
	part->probes = v;
	part->nprobes++;
	for (size_t i = 0; i < n; i++)
		if (later_ecb(l, *row, &en[i]) != 0)
			return -1;
	return 0;
}

/* ---- files that a process has had, for the kernel engine ----------------- */

struct users_key {
	uint64_t dev, ino;
	int64_t pid;
};

/* Not NULL: it is known. */
static void *
users_file(const struct dt_engine *de, int32_t pid, const struct proc_obj *o)
{
	struct users_key k = { o->dev, o->ino, pid };

	return hash_find(de->users, &k, sizeof(k));
}

static int
users_know(struct dt_engine *de, int32_t pid, struct proc *p)
{
	for (size_t i = 0; i < proc_nobjs(p); i++) {
		const struct proc_obj *o = proc_obj_at(p, i);
		struct users_key k = { o->dev, o->ino, pid };

		if (hash_set(de->users, &k, sizeof(k), de) != 0)
			return -1;
	}
	return 0;
}

/* ---- places -------------------------------------------------------------- */

/* Find out which of the objects that the engine has found are there for us
   too. */
static void
later_agree(struct later *l, struct proc *proc)
{
	for (size_t i = 0; i < proc_nobjs(proc); i++) {
		const struct proc_obj *o = proc_obj_at(proc, i);

		for (size_t k = 0; k < l->nfresh; k++)
			if (l->fresh[k].lo == o->start &&
			    l->fresh[k].base == o->base &&
			    l->fresh[k].ino == o->ino)
				l->fresh[k].agreed = true;
	}
}

static bool
is_fresh(const struct later *l, uint64_t addr)
{
	for (size_t i = 0; l->proc != NULL && i < proc_nobjs(l->proc); i++) {
		const struct proc_obj *o = proc_obj_at(l->proc, i);

		if (addr >= o->start && addr < o->end)
			return users_file(l->de, l->pid, o) == NULL;
	}
	for (size_t i = 0; i < l->nfresh; i++)
		if (l->fresh[i].agreed && addr >= l->fresh[i].lo &&
		    addr < l->fresh[i].hi)
			return true;
	return false;
}

/* The new places of the probe of n pairs; -1: no memory. */
static int
later_sites(struct later *l, const struct dt_enab *en, size_t n)
{
	struct probe *p = en->probe;
	struct site_list list = { 0 };
	struct err e;
	uint32_t row;
	int rc = 0;

	err_clear(&e);
	if (dt_made_ready(l->dtp, p, &e) != 0 ||
	    dt_made_sites(p, &list, &e) != 0) {
		later_refused(l, &e);
		list.n = 0;
	}
	for (size_t i = 0; rc == 0 && i < list.n; i++) {
		struct engine_site s = { .site = list.v[i] };

		if (!is_fresh(l, s.site.addr))
			continue;
		rc = later_row(l, en, n, &row);
		s.probe = row;
		if (rc == 0 && !vec_push(&l->sites, s))
			rc = -1;
	}
	free(list.v);
	return rc < 0 ? -1 : 0;
}

/* What has been found, by probe: row() of the enablings of each. */
static int
later_each(struct later *l,
	   int (*row)(struct later *l, const struct dt_enab *en, size_t n))
{
	l->enabs.n = dt_enabs_settle(l->dtp, l->enabs.v, l->enabs.n);
	for (size_t i = 0, end; i < l->enabs.n; i = end) {
		for (end = i + 1; end < l->enabs.n &&
				  l->enabs.v[end].probe == l->enabs.v[i].probe;
		     end++)
			;
		if (row(l, &l->enabs.v[i], end - i) != 0)
			return -1;
	}
	return 0;
}

static int
later_all(struct later *l)
{
	struct proc *proc = proc_find(l->dtp->env.procs, l->de->target.pid);

	if (proc == NULL || rows_init(l->de) != 0)
		return proc == NULL ? 0 : -1;
	proc_refresh(proc);
	later_agree(l, proc);
	later_match(l);
	if (l->failed)
		return -1;
	return later_each(l, later_sites);
}

int
dt_later_poll(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	struct later l = { .dtp = dtp, .de = de, .pid = de->target.pid };
	int rc = 0;

	if (de->ops->mapped == NULL ||
	    !de->ops->mapped(de->eng, &l.fresh, &l.nfresh))
		return 0;
	if (l.nfresh != 0)
		rc = later_all(&l);
	/* Also without: a thread waits. */
	if (de->ops->extend(de->eng, l.sites.v, l.sites.n, &dtp->err) != 0)
		rc = dt_fail(dtp, EDT_ENABLE);
	else if (rc != 0)
		rc = dt_nomem(dtp);
	vec_fini(&l.enabs);
	vec_fini(&l.sites);
	return rc;
}

/* ---- modules of the kernel ----------------------------------------------- */

/*
 * A clause that names a probe which is there is served.  Any other may get more
 * probes, where modules bring such.
 */
static bool
clause_served(const struct dt_engine *de, uint32_t clause,
	      const struct dif_clause *cl)
{
	for (uint32_t i = 0; dif_clause_names(cl) && i < de->en.necbs; i++)
		if (de->en.ecbs[i].clause == de->clause_of[clause])
			return true;
	return false;
}

static bool
modules_clause(dtrace_hdl_t *dtp, const struct dt_engine *de, uint32_t clause)
{
	const struct dif_clause *cl = dtp->clauses.v[clause];

	return de->clause_of[clause] != DT_NO_CLAUSE && !cl->maker &&
	       probe_desc_modules(dtp->probes, &cl->pdesc) &&
	       !clause_served(de, clause, cl);
}

/* A clause on one process that may get more probes. */
static bool
users_clause(const dtrace_hdl_t *dtp, const struct dt_engine *de,
	     uint32_t clause)
{
	const struct dif_clause *cl = dtp->clauses.v[clause];

	return cl->pid != 0 && de->clause_of[clause] != DT_NO_CLAUSE &&
	       !cl->maker && !clause_served(de, clause, cl);
}

/* The processes of those clauses: what they have mapped now is not new. */
static int
users_begin(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	for (uint32_t c = 0; c < dtp->clauses.n; c++) {
		const int32_t pid = dtp->clauses.v[c]->pid;
		struct proc *p;

		if (!users_clause(dtp, de, c))
			continue;
		if (de->users == NULL)
			de->users = hash_new();
		if (de->users == NULL)
			return -1;
		p = proc_find(dtp->env.procs, pid);
		if (p != NULL && users_know(de, pid, p) != 0)
			return -1;
	}
	return 0;
}

static bool
every_clause(dtrace_hdl_t *dtp, const struct dt_engine *de, uint32_t clause)
{
	const struct dif_clause *cl = dtp->clauses.v[clause];
	struct err e;

	err_clear(&e);
	return cl->pid == 0 && de->clause_of[clause] != DT_NO_CLAUSE &&
	       probe_match_every(dtp->probes, &cl->pdesc, NULL, NULL, NULL,
				 &e) > 0;
}

/* What processes have mapped between the compilation and now is looked at once,
   by the first poll. */
static void
every_begin(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	bool wanted = false;
	struct err e;

	for (uint32_t c = 0; c < dtp->clauses.n && !wanted; c++)
		wanted = every_clause(dtp, de, c);
	if (!wanted || de->watch != NULL)
		return;
	err_clear(&e);
	de->watch = proc_watch_open(dtp->env.procs, &e);
	de->watch_all = true;
	if (de->watch == NULL)
		de->watch_why = arena_strdup(dtp->en_arena, e.msg);
}

uint32_t
dt_later_kernel(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	for (uint32_t c = 0; c < dtp->clauses.n; c++)
		de->modules_wanted |= modules_clause(dtp, de, c);
	if (users_begin(dtp, de) != 0) {
		hash_free(de->users);
		de->users = NULL;
	}
	every_begin(dtp, de);
	return (de->modules_wanted ? MODULES_LATER : 0) +
	       (de->users != NULL ? USERS_LATER : 0) +
	       (de->watch != NULL ? USERS_LATER : 0);
}

/* A probe that is enabled already is there with all of its places: a module
   that is traced is not unloaded, or what was put into it went with it. */
static int
modules_probe(void *arg, struct probe *p)
{
	struct later *l = arg;
	struct dt_enab en = { .clause = l->clause, .probe = p };

	if (hash_find(l->de->rows, &p->id, sizeof(p->id)) != NULL ||
	    vec_push(&l->enabs, en))
		return 0;
	l->failed = true;
	return 1;
}

/* The row of the probe of n pairs, with all its places; those that it did not
   have are new, and behind the others (prov_ops.sites). */
static int
placed_row(struct later *l, const struct dt_enab *en, size_t n,
	   const struct site_list *list)
{
	struct dif_probe *p;
	uint32_t row;
	int rc = later_row(l, en, n, &row);

	if (rc != 0)
		return rc;
	p = (struct dif_probe *)(uintptr_t)&l->de->en.probes[row];
	for (size_t i = p->nsites; i < list->n; i++) {
		struct engine_site s = { .probe = row, .site = list->v[i] };

		if (!vec_push(&l->sites, s))
			return -1;
	}
	p->sites = arena_memdup(l->dtp->en_arena, list->v,
				list->n * sizeof(*list->v));
	p->nsites = (uint32_t)list->n;
	return p->sites != NULL ? dt_every_set(l->dtp, p) : -1;
}

static int
modules_row(struct later *l, const struct dt_enab *en, size_t n)
{
	struct site_list list = { 0 };
	struct err e;
	int rc = 0;

	err_clear(&e);
	if (dt_made_ready(l->dtp, en->probe, &e) != 0)
		later_refused(l, &e);
	else if (dt_made_sites(en->probe, &list, &e) == 0 && list.n != 0)
		rc = placed_row(l, en, n, &list);
	free(list.v);
	return rc < 0 ? -1 : 0;
}

static int
modules_all(struct later *l)
{
	dtrace_hdl_t *dtp = l->dtp;
	struct err e;

	if (rows_init(l->de) != 0)
		return -1;
	for (uint32_t c = 0; c < dtp->clauses.n; c++) {
		if (!modules_clause(dtp, l->de, c))
			continue;
		l->clause = c;
		err_clear(&e);
		(void)probe_match(dtp->probes, &dtp->clauses.v[c]->pdesc,
				  modules_probe, l, &e);
	}
	if (l->failed)
		return -1;
	return later_each(l, modules_row);
}

int
dt_later_modules_poll(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	struct later l = { .dtp = dtp, .de = de };
	uint64_t seen;
	int rc;

	if (!de->modules_wanted || (seen = kmod_seen()) == de->modules)
		return 0;
	de->modules = seen;
	rc = modules_all(&l) != 0 ? dt_nomem(dtp) : 0;
	if (rc == 0 && de->ops->extend(de->eng, l.sites.v, l.sites.n,
				       &dtp->err) != 0)
		rc = dt_fail(dtp, EDT_ENABLE);
	ksym_refresh(dtp->env.procs); /* they have symbols, too */
	vec_fini(&l.enabs);
	vec_fini(&l.sites);
	return rc;
}

/* ---- files that processes map, for the kernel engine --------------------- */

static int
users_order(const void *a, const void *b)
{
	const struct engine_site *x = a, *y = b;

	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

/* The engine gets the places that have been found, if rc is 0, and they are
   forgotten. */
static int
users_extend(struct later *l, int rc)
{
	dtrace_hdl_t *dtp = l->dtp;

	if (l->sites.n > 1)
		qsort(l->sites.v, l->sites.n, sizeof(*l->sites.v), users_order);
	if (rc == 0 &&
	    dt_text_extend(dtp, l->de, l->sites.v, l->sites.n) != 0)
		rc = dt_fail(dtp, EDT_ENABLE);
	vec_fini(&l->enabs);
	vec_fini(&l->sites);
	return rc;
}

static bool
users_fresh(const struct dt_engine *de, int32_t pid, struct proc *p)
{
	proc_refresh(p);
	for (size_t i = 0; i < proc_nobjs(p); i++)
		if (users_file(de, pid, proc_obj_at(p, i)) == NULL)
			return true;
	return false;
}

/* One process: the places in files that are new to it. */
static int
users_process(dtrace_hdl_t *dtp, struct dt_engine *de, int32_t pid)
{
	struct later l = { .dtp = dtp, .de = de, .pid = pid };
	int rc = 0;

	l.proc = proc_find(dtp->env.procs, pid);
	if (l.proc == NULL || !users_fresh(de, pid, l.proc))
		return 0;
	if (rows_init(de) != 0)
		return dt_nomem(dtp);
	later_match(&l);
	if (l.failed || later_each(&l, later_sites) != 0 ||
	    users_know(de, pid, l.proc) != 0)
		rc = dt_nomem(dtp);
	return users_extend(&l, rc);
}

/* True if it is the first of its process's.  One look at the mappings is for
   all. */
static bool
users_first(const dtrace_hdl_t *dtp, const struct dt_engine *de,
	    uint32_t clause)
{
	for (uint32_t c = 0; c < clause; c++)
		if (dtp->clauses.v[c]->pid == dtp->clauses.v[clause]->pid &&
		    users_clause(dtp, de, c))
			return false;
	return true;
}

int
dt_later_users_poll(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	for (uint32_t c = 0; de->users != NULL && c < dtp->clauses.n; c++)
		if (users_clause(dtp, de, c) && users_first(dtp, de, c) &&
		    users_process(dtp, de, dtp->clauses.v[c]->pid) != 0)
			return -1;
	return 0;
}

/* ---- files that any process maps, for the kernel engine ------------------ */

static int
every_found(void *arg, struct probe *p)
{
	struct later *l = arg;
	struct err e;

	err_clear(&e);
	if (p->round == l->round && dt_made_every(p, l->proc, &e) != 0)
		l->failed |= e.tag == &ERR_NOMEM;
	return later_probe(l, p);
}

/* What the clauses about every process describe, in the objects of one more. */
static void
every_process(struct later *l, struct proc *p)
{
	dtrace_hdl_t *dtp = l->dtp;
	struct err e;

	l->proc = p;
	for (uint32_t c = 0; c < dtp->clauses.n; c++) {
		const struct dif_clause *cl = dtp->clauses.v[c];

		if (cl->pid != 0 || l->de->clause_of[c] == DT_NO_CLAUSE)
			continue;
		l->clause = c;
		err_clear(&e);
		if (probe_match_every(dtp->probes, &cl->pdesc, p, every_found,
				      l, &e) < 0)
			l->failed = true;
	}
}

static int
every_new(void *arg, struct proc *p)
{
	struct later *l = arg;

	proc_refresh(p);
	if (proc_set_files(l->dtp->env.procs) != l->files)
		every_process(l, p);
	l->files = proc_set_files(l->dtp->env.procs);
	return 0;
}

/* Of all that there are those with files that nobody had when they were last
   looked at: before the watch, or where it has lost some. */
static void
every_scan(struct later *l)
{
	l->files = proc_set_files(l->dtp->env.procs);
	(void)proc_each(l->dtp->env.procs, every_new, l);
}

/* A pair of a clause and a probe is named once for each file that has it. */
static int
pairs_order(const void *a, const void *b)
{
	const struct dt_enab *x = a, *y = b;

	if (x->probe != y->probe)
		return x->probe->id < y->probe->id ? -1 : 1;
	return x->clause < y->clause ? -1 : x->clause > y->clause;
}

static void
pairs_once(struct later *l)
{
	size_t n = 0;

	if (l->enabs.n > 1)
		qsort(l->enabs.v, l->enabs.n, sizeof(*l->enabs.v), pairs_order);
	for (size_t i = 0; i < l->enabs.n; i++)
		if (n == 0 ||
		    pairs_order(&l->enabs.v[n - 1], &l->enabs.v[i]) != 0)
			l->enabs.v[n++] = l->enabs.v[i];
	l->enabs.n = n;
}

int
dt_later_every_poll(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	struct later l = { .dtp = dtp, .de = de };
	struct proc *p;
	bool lost = false;
	int rc = 0;

	if (de->watch == NULL ||
	    __atomic_load_n(&dt_view(de)->ctl->exited, __ATOMIC_ACQUIRE) != 0)
		return 0;
	l.round = probe_round(dtp->probes);
	while ((p = proc_watch_next(de->watch, &lost)) != NULL)
		every_process(&l, p);
	if (de->watch_all || lost)
		every_scan(&l);
	de->watch_all = false;
	pairs_once(&l);
	if (l.failed || rows_init(de) != 0 || later_each(&l, modules_row) != 0)
		rc = dt_nomem(dtp);
	return users_extend(&l, rc);
}

/* ---- what was left out -------------------------------------------------- */

uint32_t
dt_later_left(const struct dt_engine *de)
{
	return de->rows_left + (uint32_t)de->later_why.n;
}

void
dt_later_report(const struct dt_engine *de, struct buf *out)
{
	if (de->rows_left != 0)
		buf_printf(out,
			   "probes in objects mapped since that were left out: "
			   "%u, there is room for %u\n",
			   de->rows_left, PROBES_LATER);
	for (size_t i = 0; i < de->later_why.n; i++)
		buf_printf(out, "left out of objects mapped since: %s\n",
			   de->later_why.v[i]);
	if (de->watch_why != NULL)
		buf_printf(out, "files that processes map later have no probes of "
				"every process: %s\n", de->watch_why);
}
