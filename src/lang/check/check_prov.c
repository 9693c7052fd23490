/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_prov.c - provider declarations: kept for `dtrace -h`, and for the
 * types of args[] where the world does not know them.
 *
 *   provider myapp { probe query__done(struct res *r) : (resinfo_t *r); };
 *
 * A translated argument is made from the native one of its name, or from the
 * one in its place if it has no name.  Where the two types differ, a
 * translator must have been declared.
 *
 * See "Statically Defined Tracing" in the Dynamic Tracing Guide.
 */
#include "lang/check/check_impl.h"

#include <string.h>

/* ---- memory of the lang ------------------------------------------------- */

static void *
keep(struct compile *cx, size_t n, size_t size)
{
	void *p = arena_calloc(cx->lang->arena, n == 0 ? 1 : n, size);

	if (p == NULL)
		lang_nomem(cx);
	return p;
}

static const char *
keep_str(struct compile *cx, const char *s)
{
	return s == NULL ? NULL : strcpy(keep(cx, strlen(s) + 1, 1), s);
}

/* query__start is query-start to D. */
static const char *
probe_name(struct compile *cx, const char *cname)
{
	char *name = keep(cx, strlen(cname) + 1, 1), *to = name;

	while (*cname != '\0') {
		bool dash = cname[0] == '_' && cname[1] == '_';
		*to++ = dash ? '-' : *cname;
		cname += dash ? 2 : 1;
	}
	return name;
}

static struct lang_provider_arg *
keep_args(struct compile *cx, const struct type_param *v, uint32_t n)
{
	struct lang_provider_arg *a = keep(cx, n, sizeof(*a));

	for (uint32_t i = 0; i < n; i++) {
		a[i].type = keep_str(cx, lang_type_name(cx, v[i].type));
		a[i].ctype = v[i].type;
		a[i].name = keep_str(cx, v[i].name);
	}
	return a;
}

/* ---- translated arguments ----------------------------------------------- */

/* The native argument that translated argument i is made from. */
static uint32_t
native_of(struct compile *cx, const struct provider_probe *p, uint32_t i)
{
	const char *name = p->xargs[i].name;

	for (uint32_t k = 0; name != NULL && k < p->nargs; k++)
		if (p->args[k].name == name)
			return k;
	if (name != NULL || i >= p->nargs)
		lang_fail(cx, &D_PROV_PRXLATOR, p->loc,
			  "probe %s: translated argument #%u%s%s has no native "
			  "argument to be made from",
			  p->name, i + 1, name != NULL ? ", " : "",
			  name != NULL ? name : "");
	return i;
}

/* NULL: it is the native type; else the text of what it is translated to. */
static const char *
translated_to(struct compile *cx, const struct provider_probe *p, uint32_t i,
	      struct type *from)
{
	struct type *to = p->xargs[i].type, *out = type_resolve(to);

	if (type_compat(to, from))
		return NULL;
	if (out->kind == TYPE_PTR)
		out = type_resolve(out->ref);
	if (!type_is_sou(out) || check_xlator_find(cx, out, from) == NULL)
		lang_fail(cx, &D_PROV_PRXLATOR, p->loc,
			  "probe %s: no translator is declared from %s to %s",
			  p->name, lang_type_name(cx, from),
			  lang_type_name(cx, to));
	return keep_str(cx, lang_type_name(cx, to));
}

static void
probe_keep(struct compile *cx, const struct provider_probe *p,
	   struct lang_provider_probe *out, struct lang_probe_info *types)
{
	uint32_t n = p->has_xargs ? p->nxargs : p->nargs;
	uint8_t *map = keep(cx, n, sizeof(*map));

	out->cname = keep_str(cx, p->name);
	out->name = probe_name(cx, p->name);
	out->args = keep_args(cx, p->args, p->nargs);
	out->nargs = p->nargs;
	out->xargs = p->has_xargs ? keep_args(cx, p->xargs, n) : out->args;
	out->nxargs = n;
	out->map = map;
	out->loc = p->loc;
	types->typed = true;
	types->nargs = n < DIF_NARGS ? n : DIF_NARGS;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = p->has_xargs ? native_of(cx, p, i) : i;

		map[i] = (uint8_t)k;
		if (i >= DIF_NARGS)
			continue; /* args[] does not reach there */
		types->map[i] = (uint8_t)k;
		types->args[i] = p->args[k].type;
		if (p->has_xargs)
			types->xlate[i] =
				translated_to(cx, p, i, p->args[k].type);
	}
}

/* ---- declared twice ----------------------------------------------------- */

static const struct prov_decl *
find_provider(const struct lang *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->providers.n; i++) {
		const char *had = l->providers.v[i]->pub.name;
		if (strlen(had) == len && memcmp(had, name, len) == 0)
			return l->providers.v[i];
	}
	return NULL;
}

static bool
same_args(const struct lang_provider_arg *a, uint32_t na,
	  const struct lang_provider_arg *b, uint32_t nb)
{
	if (na != nb)
		return false;
	for (uint32_t i = 0; i < na; i++)
		if (strcmp(a[i].type, b[i].type) != 0)
			return false;
	return true;
}

static bool
same_probes(const struct lang_provider *a, const struct lang_provider *b)
{
	if (a->nprobes != b->nprobes)
		return false;
	for (uint32_t i = 0; i < a->nprobes; i++) {
		const struct lang_provider_probe *p = &a->probes[i];
		const struct lang_provider_probe *q = &b->probes[i];

		if (strcmp(p->cname, q->cname) != 0 ||
		    !same_args(p->args, p->nargs, q->args, q->nargs) ||
		    !same_args(p->xargs, p->nxargs, q->xargs, q->nxargs))
			return false;
	}
	return true;
}

void
check_provider(struct compile *cx, const struct item *it)
{
	struct prov_decl *d = keep(cx, 1, sizeof(*d));
	const struct prov_decl *had;

	d->pub.name = keep_str(cx, it->provider);
	d->pub.loc = it->loc;
	d->pub.nprobes = it->nprobes;
	d->pub.probes = keep(cx, it->nprobes, sizeof(*d->pub.probes));
	d->types = keep(cx, it->nprobes, sizeof(*d->types));
	for (uint32_t i = 0; i < it->nprobes; i++)
		probe_keep(cx, &it->probes[i], &d->pub.probes[i], &d->types[i]);
	had = find_provider(cx->lang, it->provider, strlen(it->provider));
	if (had == NULL)
		names_add_provider(cx, d);
	else if (!same_probes(&had->pub, &d->pub))
		lang_fail(cx, &D_PROV_INCOMPAT, it->loc,
			  "provider %s is declared already, with other probes "
			  "or arguments",
			  it->provider);
}

/* ---- uses --------------------------------------------------------------- */

/* myapp1234, myapp*: the provider in some process. */
static size_t
without_pid(const char *prov)
{
	size_t n = strlen(prov);

	if (n > 0 && prov[n - 1] == '*')
		return n - 1;
	while (n > 0 && prov[n - 1] >= '0' && prov[n - 1] <= '9')
		n--;
	return n;
}

void
check_prov_types(struct compile *cx, const struct dif_pdesc *pd,
		 struct lang_probe_info *pi)
{
	const struct prov_decl *d;

	if (pi->typed || pi->mixed || pd->id != 0)
		return;
	d = find_provider(cx->lang, pd->prov, without_pid(pd->prov));
	for (uint32_t i = 0; d != NULL && i < d->pub.nprobes; i++)
		if (strcmp(d->pub.probes[i].name, pd->name) == 0) {
			uint32_t nmatch = pi->nmatch;
			*pi = d->types[i];
			pi->nmatch = nmatch;
		}
}
