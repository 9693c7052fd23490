/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_narrow.c - clauses about every process whose predicates want one.
 *
 *	pid*:libc.so.6:malloc:entry /pid == $target/
 *	postgresql*:::query-start /$target == 0 || pid == $target/
 *
 * As they are written, only the kernel engine has such probes.  Where that one
 * cannot be had, or the process engine is asked for, they become those of the
 * one process that passes the predicate, if the trace has to do with it: they
 * fire for the same events, with the same names in them.  Which process that is
 * may follow from other clauses, too (dt_comps_who()).
 */
#include <stdlib.h>
#include <string.h>

#include "lib/dt_impl.h"
#include "lib/dt_place.h"

/* What is made of clauses with names of their own is about those. */
static bool
narrow_every(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct err e;

	err_clear(&e);
	return pd->id == 0 && !probe_desc_made(dtp->probes, pd) &&
	       probe_match_every(dtp->probes, pd, NULL, NULL, NULL, &e) > 0;
}

bool
dt_narrow_may(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; dtp->procs != NULL && i < dtp->clauses.n; i++)
		if (narrow_every(dtp, &dtp->clauses.v[i]->pdesc))
			return true;
	return false;
}

static bool
narrow_held(const dtrace_hdl_t *dtp, int32_t pid)
{
	for (const struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (proc_pid(p->target.proc) == pid)
			return true;
	return false;
}

/* A provider's name: of its first n letters, and the number of a process.  NULL
   without memory. */
static const char *
narrow_name(dtrace_hdl_t *dtp, const char *prov, size_t n, int32_t pid)
{
	char name[128];

	if (n > sizeof(name) - 16)
		return NULL;
	snprintf(name, sizeof(name), "%.*s%d", (int)n, prov, (int)pid);
	return probe_str(dtp->probes, name);
}

/*
 * pid* is pid1234, and so is postgresql*; p*sql* may be any that is called so
 * and has this number.  What nobody has yet (-Z) goes by the first.
 */
static int
narrow_clause(dtrace_hdl_t *dtp, uint32_t clause, int32_t pid)
{
	struct dif_pdesc pd = dtp->clauses.v[clause]->pdesc;
	const char *was = pd.prov;
	const size_t n = strlen(was), star = n > 0 && was[n - 1] == '*';
	const char *one = narrow_name(dtp, was, n - star, pid);
	const char *any = narrow_name(dtp, was, n, pid);
	int rc;

	if (one == NULL || any == NULL)
		return dt_nomem(dtp);
	pd.prov = one;
	rc = dt_clause_narrow(dtp, clause, &pd, false);
	pd.prov = any;
	if (rc == 0)
		rc = dt_clause_narrow(dtp, clause, &pd, false);
	pd.prov = one;
	if (rc == 0 && dtp->zdefs)
		rc = dt_clause_narrow(dtp, clause, &pd, true);
	return rc < 0 ? -1 : 0;
}

int
dt_narrow(dtrace_hdl_t *dtp)
{
	const uint32_t n = (uint32_t)dtp->clauses.n;
	const struct dif_enabling en = { .clauses = dtp->clauses.v,
					 .nclauses = n };
	struct arena *a = arena_new();
	int32_t *who = calloc(n + (size_t)1, sizeof(*who));
	int rc = a != NULL && who != NULL &&
			 dt_comps_who(a, &en, who, &dtp->err) == 0
			 ? 0
			 : dt_nomem(dtp);

	for (uint32_t c = 0; rc == 0 && c < n; c++)
		if (narrow_held(dtp, who[c]) &&
		    narrow_every(dtp, &dtp->clauses.v[c]->pdesc))
			rc = narrow_clause(dtp, c, who[c]);
	free(who);
	arena_free(a);
	return rc;
}
