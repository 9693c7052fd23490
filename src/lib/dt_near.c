/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_near.c - a probe description that matches nothing: what is wrong with
 * it?  Asked when a program is about to be refused, so time is no object; but
 * no processes are looked into: the pid provider tells its own errors.
 *
 *   the provider   is not there; or was given where the module stands
 *   the number     of a profile or tick probe cannot be; the provider says why
 *   one field      matches nothing beside the others, and another name would
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "prov/prov.h"

#define FIELDS 4 /* provider, module, function, name */

struct near_walk {
	struct near near;
	unsigned field;
	struct probe *best;
};

static const char *
probe_field(const struct probe *p, unsigned field)
{
	const char *const v[FIELDS] = { p->prov, p->mod, p->func, p->name };

	return v[field];
}

static const char **
desc_field(struct dif_pdesc *pd, unsigned field)
{
	const char **v[FIELDS] = { &pd->prov, &pd->mod, &pd->func, &pd->name };

	return v[field];
}

static int
near_visit(void *arg, struct probe *p)
{
	struct near_walk *w = arg;
	const char *had = near_best(&w->near);

	near_try(&w->near, probe_field(p, w->field));
	if (near_best(&w->near) != had)
		w->best = p;
	return 0;
}

/* Look for a text of this field with which there would be a probe; NULL if none
   is near. */
static char *
near_field(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, unsigned field)
{
	struct dif_pdesc any = *pd;
	const char **text = desc_field(&any, field);
	struct near_walk w = { .field = field };
	struct err e = { 0 };

	if (**text == '\0' || probe_is_glob(*text))
		return NULL;
	near_init(&w.near, *text);
	*text = "";
	if (probe_match(dtp->probes, &any, near_visit, &w, &e) < 0)
		err_clear(&e);
	if (w.best == NULL)
		return NULL;
	*text = near_best(&w.near);
	if (*any.prov == '\0' && *any.mod == '\0' && *any.func == '\0')
		return arena_printf(dtp->arena, " (did you mean %s?)",
				    any.name);
	return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
			    any.prov, any.mod, any.func, any.name);
}

static char *
near_prov(dtrace_hdl_t *dtp, const char *name)
{
	char buf[NEAR_HINT_MAX];
	struct near n;

	near_init(&n, name);
#define PROV(p) near_try(&n, #p);
#include "prov/prov.def"
#undef PROV
	return arena_printf(dtp->arena, ": there is no provider %s%s", name,
			    near_hint(&n, buf));
}

const char *
dt_near_probe(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	char *hint = NULL;
	const char *why;

	if (pd->id != 0)
		return NULL;
	why = *pd->prov == '\0' || strcmp(pd->prov, "profile") == 0
		      ? prov_profile_why_not(pd->name)
		      : NULL;
	if (why != NULL)
		return arena_printf(dtp->arena, ": %s", why);
	if (*pd->prov == '\0' && *pd->mod != '\0' &&
	    probe_has_prov(dtp->probes, pd->mod))
		return arena_printf(dtp->arena,
				    " (%s is a provider: did you mean "
				    "%s::%s:%s?)",
				    pd->mod, pd->mod, pd->func, pd->name);
	if (*pd->prov != '\0' && !probe_is_glob(pd->prov) &&
	    !probe_has_prov(dtp->probes, pd->prov))
		return near_prov(dtp, pd->prov);
	for (unsigned i = FIELDS; hint == NULL && i-- > 1;)
		hint = near_field(dtp, pd, i);
	return hint;
}
