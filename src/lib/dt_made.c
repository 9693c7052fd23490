/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_made.c - probes that are made of other probes, by clauses of their
 * provider (prov_ops.made).
 *
 * When a clause is enabled that matches such probes, the provider's clauses are
 * compiled and enabled in front of it, so that they run first wherever both
 * fire.  The compiler has the clause look at what they leave in this->__fires
 * and this->__argN (lang_probe_info.made); engines see ordinary clauses at
 * ordinary places.
 *
 * While tracing nothing is compiled.  So the clauses for probes in files that
 * nobody maps yet are enabled as well, of files that a provider can tell
 * beforehand (prov_ops.ahead); probes in others are left out.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

struct made_walk {
	dtrace_hdl_t *dtp;
	VEC(const char *) texts; /* not enabled yet */
	bool failed;
};

static bool
made_enabled(const dtrace_hdl_t *dtp, const char *text)
{
	for (size_t i = 0; i < dtp->made.n; i++)
		if (strcmp(dtp->made.v[i], text) == 0)
			return true;
	return false;
}

static int
made_need(struct made_walk *w, const char *text)
{
	if (made_enabled(w->dtp, text))
		return 0;
	for (size_t i = 0; i < w->texts.n; i++)
		if (strcmp(w->texts.v[i], text) == 0)
			return 0;
	return vec_push(&w->texts, text) ? 0 : err_nomem(&w->dtp->err);
}

static int
made_texts(void *arg, const struct probe_made *m)
{
	struct made_walk *w = arg;

	for (unsigned i = 0; i < PROBE_MADE_TEXTS && !w->failed; i++)
		w->failed = m->text[i] != NULL && made_need(w, m->text[i]) != 0;
	return w->failed;
}

static int
made_visit(void *arg, struct probe *p)
{
	struct made_walk *w = arg;
	struct probe_made m;

	if (p->owner->ops->made == NULL)
		return 0;
	w->failed = p->owner->ops->made(p->owner, p, &m, &w->dtp->err) != 0;
	return w->failed || made_texts(w, &m);
}

static int
made_compile(dtrace_hdl_t *dtp, const char *text)
{
	bool zdefs = dtp->zdefs;
	dtrace_prog_t *prog;
	int rc;

	/* First: its own clauses match made probes, too. */
	if (!vec_push(&dtp->made, text))
		return dt_nomem(dtp);
	dtp->zdefs = true; /* of the functions that it names some are absent */
	prog = dt_prog_maker(dtp, text);
	rc = prog == NULL ? -1 : dt_prog_enable(dtp, prog, NULL);
	dtp->zdefs = zdefs;
	return rc;
}

int
dt_made_enable(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct made_walk w = { .dtp = dtp };
	int rc = 0;

	err_clear(&dtp->err);
	/* Errors of the description are met again by who enables the clause. */
	(void)probe_match(dtp->probes, pd, made_visit, &w, &dtp->err);
	if (!w.failed && probe_ahead(dtp->probes, pd, made_texts, &w,
				     &dtp->err) != 0)
		w.failed = true;
	if (w.failed)
		rc = dt_fail(dtp, EDT_ENABLE);
	for (size_t i = 0; rc == 0 && i < w.texts.n; i++)
		rc = made_compile(dtp, w.texts.v[i]);
	vec_fini(&w.texts);
	return rc;
}

int
dt_made_ready(dtrace_hdl_t *dtp, struct probe *p, struct err *e)
{
	struct probe_made m;

	if (p->owner->ops->made == NULL)
		return 0;
	if (p->owner->ops->made(p->owner, p, &m, e) != 0)
		return -1;
	for (unsigned i = 0; i < PROBE_MADE_TEXTS; i++)
		if (m.text[i] != NULL && !made_enabled(dtp, m.text[i]))
			return err_set(e, &D_PROC_NAME, 0,
				       "%s:%s: these probes are made of others, "
				       "by clauses that must be there from the "
				       "beginning, and nothing was known of "
				       "such an object then",
				       p->prov, p->mod);
	return 0;
}

struct made_base {
	struct site_list *l;
	struct err *e;
	unsigned n;
	int rc;
};

static int
base_visit(void *arg, struct probe *p)
{
	struct made_base *b = arg;

	b->n++;
	b->rc = p->owner->ops->sites(p->owner, p, b->l, b->e);
	return b->rc;
}

int
dt_made_every(struct probe *p, struct proc *proc, struct err *e)
{
	const struct prov_ops *ops = p->owner->ops;
	struct probe_made m;

	if (ops->made == NULL)
		return 0;
	if (ops->made(p->owner, p, &m, e) != 0)
		return -1;
	return m.base.prov == NULL ||
			       probe_match_every(p->owner->set, &m.base, proc,
						 NULL, NULL, e) >= 0
		       ? 0 : -1;
}

int
dt_made_sites(struct probe *p, struct site_list *l, struct err *e)
{
	const struct prov_ops *ops = p->owner->ops;
	struct made_base b = { .l = l, .e = e };
	struct probe_made m;

	if (ops->made == NULL)
		return ops->sites(p->owner, p, l, e);
	if (ops->made(p->owner, p, &m, e) != 0)
		return -1;
	if (m.base.prov == NULL)
		return ops->sites(p->owner, p, l, e);
	if (probe_match(p->owner->set, &m.base, base_visit, &b, e) < 0)
		return -1;
	if (b.n == 0)
		return err_set(e, &D_PROC_FUNC, 0,
			       "%s:%s:%s:%s cannot be made: there is no probe "
			       "%s:%s:%s:%s",
			       p->prov, p->mod, p->func, p->name, m.base.prov,
			       m.base.mod, m.base.func, m.base.name);
	return b.rc;
}
