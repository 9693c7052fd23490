/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_match.c - which probes a description means.
 *
 * First every provider is asked to make what is not there yet.  Then the
 * candidates are the shortest list that an exact field gives, or all probes,
 * and each is tested field by field.  Neighbours mostly share provider, module
 * and name, so the last answer of each pattern is kept beside the (interned)
 * string it was for.
 */
#include <string.h>

#include "probe/probe_impl.h"

/* One field of a description. */
struct filter {
	const char *pattern; /* NULL: every string matches */
	const char *exact;   /* interned: only this one does */
	const char *last;    /* the string last tested, and the answer */
	bool answer;
};

static inline bool
filter_pass(struct filter *f, const char *s)
{
	if (f->exact != NULL)
		return f->exact == s;
	if (f->pattern == NULL)
		return true;
	if (f->last != s) {
		f->last = s;
		f->answer = probe_glob(f->pattern, s);
	}
	return f->answer;
}

/* By the function's name or one of its other names. */
static bool
func_pass(struct filter *f, const struct probe *p)
{
	if (filter_pass(f, p->func))
		return true;
	for (const struct probe_alias *a = p->aliases; a != NULL; a = a->next)
		if (filter_pass(f, a->func))
			return true;
	return false;
}

/*
 * Prepare the four filters; *ids is the shortest list of candidates, NULL for
 * all.  false: an exact field has a name that no probe has.
 */
static bool
filters_init(struct probe_set *ps, const struct dif_pdesc *pd,
	     struct filter f[PROBE_NFIELD], struct probe_ids **ids)
{
	const char *const text[] = { pd->prov, pd->mod, pd->func, pd->name };

	*ids = NULL;
	memset(f, 0, sizeof(*f) * PROBE_NFIELD);
	for (int i = 0; i < PROBE_NFIELD; i++) {
		struct probe_name *n;

		if (text[i][0] == '\0' || strcmp(text[i], "*") == 0)
			continue;
		if (probe_is_glob(text[i])) {
			f[i].pattern = text[i];
			continue;
		}
		n = probe_name_find(ps, text[i]);
		if (n == NULL || n->by[i].n == 0)
			return false;
		f[i].exact = n->text;
		if (*ids == NULL || n->by[i].n < (*ids)->n)
			*ids = &n->by[i];
	}
	return true;
}

/* Ask for all probes of the providers that have very many, or of the others. */
static int
make_all(struct probe_set *ps, bool many, struct err *e)
{
	static const struct dif_pdesc all = { 0, "", "", "", "" };

	for (size_t i = 0; i < ps->provs.n; i++) {
		struct prov *pv = ps->provs.v[i];

		if (pv->ops->many == many && pv->ops->provide(pv, &all, e) != 0)
			return -1;
	}
	return 0;
}

int
probe_make_usual(struct probe_set *ps, struct err *e)
{
	return make_all(ps, false, e);
}

int
probe_make_listed(struct probe_set *ps, const struct dif_pdesc *pd,
		  struct err *e)
{
	static const struct dif_pdesc all = { 0, "", "", "", "" };
	size_t n = 0;

	for (size_t i = 0; i < ps->provs.n; i++)
		if (ps->provs.v[i]->ops->many && pd->prov[0] != '\0' &&
		    probe_glob(pd->prov, ps->provs.v[i]->ops->name))
			n = i + 1;
	for (size_t i = 0; i < n; i++)
		if (ps->provs.v[i]->ops->many &&
		    ps->provs.v[i]->ops->provide(ps->provs.v[i], &all, e) != 0)
			return -1;
	return 0;
}

static int
match_id(struct probe_set *ps, uint32_t id, int (*fn)(void *, struct probe *),
	 void *arg, struct err *e)
{
	struct probe *p = probe_by_id(ps, id);

	if (p == NULL && make_all(ps, true, e) != 0)
		return -1;
	if (p == NULL)
		p = probe_by_id(ps, id);
	if (p == NULL)
		return 0;
	fn(arg, p);
	return 1;
}

int32_t
probe_desc_pid(struct probe_set *ps, const struct dif_pdesc *pd)
{
	int32_t pid = 0;

	for (size_t i = 0; i < ps->provs.n && pid == 0 && pd->id == 0; i++) {
		struct prov *pv = ps->provs.v[i];

		if (pv->ops->pid != NULL)
			pid = pv->ops->pid(pv, pd);
	}
	return pid;
}

bool
probe_desc_made(struct probe_set *ps, const struct dif_pdesc *pd)
{
	struct err ignored = { 0 };

	for (size_t i = 0; i < ps->provs.n && pd->id == 0; i++) {
		struct prov *pv = ps->provs.v[i];

		if (pv->ops->made != NULL &&
		    ((pv->ops->pid != NULL && pv->ops->pid(pv, pd) != 0) ||
		     (pv->ops->every != NULL &&
		      pv->ops->every(pv, pd, NULL, &ignored) > 0)))
			return true;
	}
	return false;
}

int
probe_ahead(struct probe_set *ps, const struct dif_pdesc *pd,
	    int (*fn)(void *arg, const struct probe_made *m), void *arg,
	    struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < ps->provs.n && rc == 0 && pd->id == 0; i++) {
		struct prov *pv = ps->provs.v[i];

		if (pv->ops->ahead != NULL)
			rc = pv->ops->ahead(pv, pd, fn, arg, e);
	}
	return rc;
}

bool
probe_desc_modules(struct probe_set *ps, const struct dif_pdesc *pd)
{
	for (size_t i = 0; i < ps->provs.n && pd->id == 0; i++)
		if (ps->provs.v[i]->ops->modules &&
		    probe_glob(pd->prov, ps->provs.v[i]->ops->name))
			return true;
	return false;
}

/* fn for the probes that there are and that match; how many. */
static int
match_made(struct probe_set *ps, const struct dif_pdesc *named,
	   int (*fn)(void *arg, struct probe *p), void *arg)
{
	struct filter f[PROBE_NFIELD];
	struct probe_ids *ids;
	int found = 0;
	size_t n;

	if (!filters_init(ps, named, f, &ids))
		return 0;
	/* fn may add probes: the lists may move, and what is new is not met. */
	n = ids != NULL ? ids->n : ps->probes.n;
	for (size_t i = 0; i < n; i++) {
		size_t at = ids != NULL ? probe_ids_v(ids)[i] - 1 : i;
		struct probe *p = ps->probes.v[at];

		if (!filter_pass(&f[PROBE_PROV], p->prov) ||
		    !filter_pass(&f[PROBE_NAME], p->name) ||
		    !filter_pass(&f[PROBE_MOD], p->mod) ||
		    !func_pass(&f[PROBE_FUNC], p))
			continue;
		found++;
		if (fn(arg, p) != 0)
			break;
	}
	return found;
}

int
probe_match(struct probe_set *ps, const struct dif_pdesc *pd,
	    int (*fn)(void *arg, struct probe *p), void *arg, struct err *e)
{
	struct dif_pdesc named = *pd;

	if (pd->id != 0)
		return match_id(ps, pd->id, fn, arg, e);
	for (size_t i = 0; i < ps->provs.n; i++) {
		struct prov *pv = ps->provs.v[i];

		if (pv->ops->provide(pv, pd, e) != 0)
			return -1;
		if (pv->ops->canon != NULL)
			pv->ops->canon(pv, &named);
	}
	return match_made(ps, &named, fn, arg);
}

int
probe_match_every(struct probe_set *ps, const struct dif_pdesc *pd,
		  struct proc *p, int (*fn)(void *arg, struct probe *p),
		  void *arg, struct err *e)
{
	struct dif_pdesc named = *pd;
	int mine = 0;

	for (size_t i = 0; i < ps->provs.n && pd->id == 0; i++) {
		struct prov *pv = ps->provs.v[i];
		int rc = pv->ops->every != NULL ? pv->ops->every(pv, pd, p, e)
						: 0;

		if (rc < 0)
			return -1;
		if (rc > 0 && pv->ops->canon != NULL)
			pv->ops->canon(pv, &named);
		mine |= rc;
	}
	if (mine != 0 && p != NULL && fn != NULL)
		(void)match_made(ps, &named, fn, arg);
	return mine;
}
