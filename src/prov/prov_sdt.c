/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_sdt.c - sdt: every tracepoint of the kernel and of its modules,
 * sdt:<group>::<name>.
 *
 * Arguments are those that the kernel's code passes to the tracepoint, of the
 * types that they have there: sdt:sched::sched_switch has the next thread as
 * args[2], a struct task_struct *.  The provider rawtp has the same probes
 * under its own name (doc/decisions/0066-tracepoints-and-the-scheduler.md).
 */
#include "prov/prov_sdt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "prov/tp_list.h"
#include "prov/tp_note.h"

/* ---- names --------------------------------------------------------------- */

/*
 * A description that names no provider is worth the reading of the kernel's
 * types only if its name could be a tracepoint's: those are words of C.  These
 * few are, too, but they are other providers'.
 */
static bool
is_elsewhere(const char *name)
{
	static const char *const others[] = { "BEGIN", "END",	"ERROR",
					      "entry", "return" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(name, others[i]) == 0)
			return true;
	for (; *name != '\0'; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return true;
	return false;
}

/* True if the description may be about probes of this provider. */
static bool
sdt_is_ours(const struct prov *pv, const struct dif_pdesc *pd)
{
	if (!probe_glob(pd->prov, pv->ops->name) || !probe_glob(pd->func, ""))
		return false;
	if (probe_is_exact(pd->prov))
		return true;
	return pd->name[0] == '\0' || probe_is_glob(pd->name) ||
	       !is_elsewhere(pd->name);
}

static const char *
module_of(const struct tp_name *n)
{
	return n->group != NULL ? n->group : n->module;
}

static bool
is_named(const struct prov *pv, const struct dif_pdesc *pd)
{
	return strcmp(pd->prov, pv->ops->name) == 0;
}

/* All of them, whatever is looked for: so they have the ids of a listing. */
static int
sdt_add_all(struct prov *pv, const struct tp_name *all, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct probe *p = probe_add(pv, pv->ops->name,
					    module_of(&all[i]), "", all[i].name);
		if (p == NULL)
			return err_nomem(e);
		p->data = (void *)(uintptr_t)all[i].module;
	}
	return 0;
}

/* A group was named, and nobody knows the groups. */
static int
check_groups(const struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	const char *why = tp_list_no_groups(pv->data);

	if (why == NULL || !is_named(pv, pd) || pd->mod[0] == '\0' ||
	    probe_glob(pd->mod, "vmlinux"))
		return 0;
	return err_set(e, &ERR_GENERIC, 0,
		       "groups of tracepoints are not known (%s)%s; without one "
		       "it is %s:::%s",
		       why, geteuid() != 0 ? ", which root can read" : "",
		       pv->ops->name, pd->name);
}

int
sdt_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	const struct tp_name *all;
	struct err why = { 0 };
	bool fresh;
	size_t n;

	if (!sdt_is_ours(pv, pd))
		return 0;
	all = tp_list_all(pv->data, &n, &fresh, &why);
	if (all == NULL)
		return is_named(pv, pd) ? err_set(e, why.tag, 0, "%s: %s",
						  pv->ops->name, why.msg)
					: 0;
	if (fresh && sdt_add_all(pv, all, n, e) != 0)
		return -1;
	return check_groups(pv, pd, e);
}

/* ---- arguments ----------------------------------------------------------- */

/* The parameters of its prototype but for the cookie, at most DIF_NARGS. */
static const struct type_param *
params_of(struct prov *pv, const struct probe *p, size_t *n, struct err *e)
{
	struct type *proto =
		tp_list_proto(pv->env->types, p->data, p->name);
	const struct type_param *v;

	if (proto == NULL) {
		err_set(e, &ERR_GENERIC, 0,
			"%s:%s::%s: this kernel has no tracepoint %s", p->prov,
			p->mod, p->name, p->name);
		return NULL;
	}
	v = type_params(proto, n);
	if (*n == 0) {
		err_set(e, &ERR_GENERIC, 0,
			"%s:%s::%s: the types of this kernel do not say what "
			"its arguments are",
			p->prov, p->mod, p->name);
		return NULL;
	}
	*n = *n - 1 < DIF_NARGS ? *n - 1 : DIF_NARGS;
	return v + 1;
}

/* The type that a module's author wrote; of one that this kernel does not say
   about, a number. */
static struct type *
note_type(struct prov *pv, const char *text)
{
	struct type_space *ts = pv->env->types;
	struct type *t = type_from_text(ts, text, false);

	return t != NULL || errno == ENOMEM ? t : type_basic(ts, TYPE_B_ULONG);
}

/* The first place of a probe that a module brings; NULL: it is another's. */
static const struct tp_note *
note_of(const struct prov *pv, const struct probe *p)
{
	return tp_list_note(pv->data, p->data, p->name, NULL);
}

static int
note_args(struct prov *pv, const struct tp_note *t, struct probe_args *out,
	  struct err *e)
{
	out->typed = true;
	out->nargs = t->nargs;
	for (uint32_t i = 0; i < t->nargs; i++) {
		out->type[i] = note_type(pv, t->type[i]);
		if (out->type[i] == NULL)
			return err_nomem(e);
	}
	return 0;
}

/* The prototype has no names; the function that calls each of a tracepoint's
   probes has. */
static void
param_names(struct prov *pv, const struct probe *p, struct probe_args *out)
{
	const struct type_param *v;
	struct type *t;
	char text[128];
	size_t n = 0;

	snprintf(text, sizeof(text), "__traceiter_%s", p->name);
	t = type_kernel_func(pv->env->types, p->data, text);
	t = t != NULL ? type_resolve(t) : NULL;
	if (t == NULL || !type_is_func(t))
		return;
	v = type_params(t, &n);
	for (size_t i = 0; i < out->nargs && i + 1 < n; i++)
		out->name[i] = v[i + 1].name;
}

int
sdt_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	 struct err *e)
{
	const struct tp_note *note = note_of(pv, p);
	size_t n;

	if (note != NULL)
		return note_args(pv, note, out, e);
	const struct type_param *v = params_of(pv, p, &n, e);

	if (v == NULL)
		return -1;
	out->typed = true;
	out->nargs = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		out->type[i] = v[i].type;
	param_names(pv, p, out);
	return 0;
}

/* Argument i; of one that is narrower than a register, the kernel does not say
   what is in the rest of it. */
static struct dif_recipe
recipe_of(size_t i, struct type *t)
{
	struct dif_recipe r = { DIF_RCP_TPARG, (int64_t)i };
	uint64_t size = type_size(t);

	if (type_is_integer(t) && (size == 1 || size == 2 || size == 4)) {
		r.size = (uint8_t)size;
		r.is_signed = type_is_signed(t);
	}
	return r;
}

/* Each place has a tracepoint, and its arguments the types of the first. */
static int
note_sites(struct prov *pv, const struct probe *p, const struct tp_note *t,
	   struct site_list *out, struct err *e)
{
	struct dif_recipes r = { 0 };

	for (uint32_t i = 0; i < t->nargs; i++) {
		struct type *type = note_type(pv, t->type[i]);

		if (type == NULL)
			return err_nomem(e);
		r.arg[i] = recipe_of(i, type);
	}
	for (; t != NULL; t = tp_list_note(pv->data, p->data, p->name, t)) {
		struct dif_site s = { .kind = DIF_SITE_TP, .tp = t->tp };

		s.args = probe_recipes(pv->set, &r);
		if (s.args == NULL)
			return err_nomem(e);
		if (site_add(out, &s, e) != 0)
			return -1;
	}
	return 0;
}

int
sdt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	  struct err *e)
{
	const struct tp_note *note = note_of(pv, p);

	if (note != NULL)
		return note_sites(pv, p, note, out, e);
	struct dif_site s = { .kind = DIF_SITE_TP, .tp = p->name };
	struct dif_recipes r = { 0 };
	size_t n;
	const struct type_param *v = params_of(pv, p, &n, e);

	if (v == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		r.arg[i] = recipe_of(i, v[i].type);
	s.args = probe_recipes(pv->set, &r);
	return s.args != NULL ? site_add(out, &s, e) : err_nomem(e);
}

/* ---- the provider -------------------------------------------------------- */

int
sdt_init(struct prov *pv, struct err *e)
{
	pv->data = tp_list_new(pv->set, pv->env->types);
	return pv->data != NULL ? 0 : err_nomem(e);
}

void
sdt_fini(struct prov *pv)
{
	tp_list_free(pv->data);
}

int
prov_sdt_init(struct prov *pv, struct err *e)
{
	return sdt_init(pv, e);
}

const struct prov_ops prov_sdt_ops = {
	.name = "sdt",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Private/Private/ISA",
		  .args = "Private/Private/ISA" },
	.many = true,
	.modules = true,
	.provide = sdt_provide,
	.args = sdt_args,
	.sites = sdt_sites,
	.fini = sdt_fini,
};
