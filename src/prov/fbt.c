/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fbt.c - the hooks of fbt and rawfbt: entry and return of the functions of the
 * kernel and of its modules.  (Dynamic Tracing Guide, "fbt Provider".)
 *
 * Which functions there are is what ftrace can trace (kfunc.c); nothing of that
 * is read before a description could mean one.  fbt has the types of arguments
 * from BTF, where a name says which function is meant; rawfbt has the same
 * probes without types.  Static functions of one name are each a probe.  One
 * that the compiler has given a suffix, as it changed its arguments
 * (finish_task_switch.isra.0), is found by its own name as well.
 *
 * The raw arguments of an entry probe are what the registers for arguments
 * hold, then the words on the stack; those of a return probe are 0, for the
 * offset, which is not known, and the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/proc.h"
#include "prov/fbt.h"

#define FN_MAX 512 /* bytes of a name of the kernel's */

struct fbt {
	struct probe **made; /* [2 * n]: entry and return of each; or NULL */
	size_t n;
	size_t all; /* of these all probes have been made, by one description */
	const struct dif_recipes *entry, *ret;
};

static const char *const fbt_names[] = { "entry", "return" };

/* ---- names --------------------------------------------------------------- */

/* The name without the suffix of a copy with other arguments; NULL: it has
   none.  (.part and .cold are no whole functions.) */
static const char *
fbt_base(const char *name, char *buf)
{
	size_t len = strcspn(name, ".");

	if (len >= FN_MAX || (strncmp(name + len, ".isra.", 6) != 0 &&
			      strncmp(name + len, ".constprop.", 11) != 0))
		return NULL;
	memcpy(buf, name, len);
	buf[len] = '\0';
	return buf;
}

static bool
fbt_has_alias(const struct probe *p, const char *name)
{
	const struct probe_alias *a = p->aliases;

	while (a != NULL && strcmp(a->func, name) != 0)
		a = a->next;
	return a != NULL;
}

/* Let the probe be found by that name, too. */
static int
fbt_alias(struct probe *p, const char *name)
{
	return fbt_has_alias(p, name) ? 0 : probe_add_alias(p, name);
}

static struct probe *
fbt_make(struct prov *pv, size_t i, const struct kfunc *f, unsigned k)
{
	const char *prov = pv->ops->name;
	struct probe *p = f->nth == 0 ? probe_add(pv, prov, f->module, f->name,
						  fbt_names[k])
				      : probe_add_twin(pv, prov, f->module,
						       f->name, fbt_names[k]);

	if (p != NULL)
		p->num = 2 * i + k;
	return p;
}

/* Probes of function i that match and are not there yet; whether any does. */
static int
fbt_try(struct prov *pv, const struct dif_pdesc *pd, size_t i,
	const struct kfunc *f, bool *any, struct err *e)
{
	struct fbt *t = pv->data;
	char buf[FN_MAX];
	const char *base;

	if (!probe_glob(pd->mod, f->module))
		return 0;
	base = fbt_base(f->name, buf);
	if (!probe_glob(pd->func, f->name) &&
	    (base == NULL || !probe_glob(pd->func, base)))
		return 0;
	*any = true;
	for (unsigned k = 0; k < 2; k++) {
		struct probe **p = &t->made[2 * i + k];
		if (!probe_glob(pd->name, fbt_names[k]))
			continue;
		if (*p == NULL)
			*p = fbt_make(pv, i, f, k);
		if (*p == NULL || (base != NULL && fbt_alias(*p, base) != 0))
			return err_nomem(e);
	}
	return 0;
}

/* A function that is named by another of its names than ftrace has for it: its
   probes are found by that one as well. */
static int
fbt_other_name(struct prov *pv, const struct dif_pdesc *pd,
	       const struct kfunc *v, size_t n, bool *any, struct err *e)
{
	struct fbt *t = pv->data;
	struct dif_pdesc as = *pd;

	if (pd->func[0] == '\0' || probe_is_glob(pd->func))
		return 0;
	as.func = kfunc_other_name(pv->env->procs, pd->func);
	for (size_t i = 0; as.func != NULL && i < n; i++) {
		if (strcmp(v[i].name, as.func) != 0)
			continue;
		if (fbt_try(pv, &as, i, &v[i], any, e) != 0)
			return -1;
		for (unsigned k = 0; k < 2; k++) {
			struct probe *p = t->made[2 * i + k];
			if (p != NULL && fbt_alias(p, pd->func) != 0)
				return err_nomem(e);
		}
	}
	return 0;
}

/* A function that is named, and cannot be traced. */
static int
fbt_why_not(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	const char *why;

	if (strcmp(pd->prov, pv->ops->name) != 0 || pd->func[0] == '\0' ||
	    probe_is_glob(pd->func) || probe_is_glob(pd->mod))
		return 0;
	why = kfunc_why_not(pv->env->procs, pd->mod, pd->func);
	if (why == NULL)
		return 0;
	return err_set(e, &D_PROC_FUNC, 0, "%s:%s:%s:%s: cannot be traced: %s",
		       pd->prov, pd->mod, pd->func, pd->name, why);
}

/* Room for the probes of n functions. */
static int
fbt_room(struct fbt *t, size_t n)
{
	struct probe **p;

	if (t->made != NULL && t->n == n)
		return 0;
	p = realloc(t->made, (2 * n + 1) * sizeof(*p));
	if (p == NULL)
		return -1;
	memset(p + 2 * t->n, 0, (2 * (n - t->n) + 1) * sizeof(*p));
	t->made = p;
	t->n = n;
	return 0;
}

int
fbt_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct fbt *t = pv->data;
	const struct kfunc *v;
	struct err why = { 0 };
	bool any = false;
	size_t n;

	if (!probe_glob(pd->prov, pv->ops->name) ||
	    (!probe_glob(pd->name, "entry") && !probe_glob(pd->name, "return")))
		return 0;
	if (kfunc_refresh(pv->env->procs) != 0)
		return err_nomem(e);
	v = kfunc_list(pv->env->procs, &n, &why);
	if (v == NULL && why.tag == &ERR_NOMEM)
		return err_nomem(e);
	if (v == NULL) {
		if (strcmp(pd->prov, pv->ops->name) != 0)
			return 0;
		return err_set(e, why.tag, 0, "%s:%s:%s:%s: %s", pd->prov,
			       pd->mod, pd->func, pd->name, why.msg);
	}
	if (t->all == n && !probe_is_exact(pd->func))
		return 0;
	if (fbt_room(t, n) != 0)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++)
		if (fbt_try(pv, pd, i, &v[i], &any, e) != 0)
			return -1;
	if (pd->mod[0] == '\0' && pd->func[0] == '\0' && pd->name[0] == '\0')
		t->all = n;
	if (!any && fbt_other_name(pv, pd, v, n, &any, e) != 0)
		return -1;
	return any ? 0 : fbt_why_not(pv, pd, e);
}

/* ---- arguments ----------------------------------------------------------- */

static const struct kfunc *
fbt_func(struct prov *pv, const struct probe *p, struct err *e)
{
	size_t n;
	const struct kfunc *v = kfunc_list(pv->env->procs, &n, e);

	return v != NULL ? &v[p->num / 2] : NULL;
}

/* The parameters, up to one that is no scalar: where those behind it are
   depends on what it is made of. */
static void
fbt_entry_args(struct type *t, struct probe_args *out)
{
	size_t n;
	const struct type_param *v = type_params(t, &n);

	for (size_t i = 0; i < n && i < DIF_NARGS; i++) {
		if (!type_is_scalar(type_resolve(v[i].type)))
			break;
		out->type[i] = v[i].type;
		out->name[i] = v[i].name;
		out->nargs = (uint32_t)i + 1;
	}
}

int
fbt_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	 struct err *e)
{
	struct type_space *ts = pv->env->types;
	const struct kfunc *f = fbt_func(pv, p, e);
	struct type *t;

	if (f == NULL)
		return -1;
	/* Which of several of the name the type is of, BTF does not say. */
	t = f->twins ? NULL : type_kernel_func(ts, f->module, f->name);
	t = t != NULL ? type_resolve(t) : NULL;
	if (t == NULL || !type_is_func(t))
		return 0;
	out->typed = true;
	if (p->num % 2 == 0) {
		fbt_entry_args(t, out);
		return 0;
	}
	out->type[0] = type_basic(ts, TYPE_B_INT);
	out->nargs = 1;
	if (type_is_scalar(type_resolve(t->ref))) {
		out->type[1] = t->ref;
		out->nargs = 2;
	}
	return 0;
}

/* ---- sites --------------------------------------------------------------- */

static int
fbt_recipes(struct prov *pv, struct err *e)
{
	struct dif_recipes ret = { .arg = { { DIF_RCP_CONST, 0 },
					    { DIF_RCP_KRET } } };
	struct dif_recipes entry = { 0 };
	struct fbt *t = pv->data;

	for (unsigned i = 0; i < DIF_NARGS; i++)
		entry.arg[i] = (struct dif_recipe){ DIF_RCP_KARG, i };
	t->entry = probe_recipes(pv->set, &entry);
	t->ret = probe_recipes(pv->set, &ret);
	return t->entry != NULL && t->ret != NULL ? 0 : err_nomem(e);
}

int
fbt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	  struct err *e)
{
	struct fbt *t = pv->data;
	const struct kfunc *f = fbt_func(pv, p, e);
	struct dif_site s = { .tp = p->func };

	if (f == NULL || (t->ret == NULL && fbt_recipes(pv, e) != 0))
		return -1;
	s.kind = p->num % 2 == 0 ? DIF_SITE_KENTRY : DIF_SITE_KRETURN;
	s.args = p->num % 2 == 0 ? t->entry : t->ret;
	s.twins = f->twins;
	if (strcmp(f->module, "vmlinux") != 0)
		s.mod = f->module;
	/* Its name will do if no other that can be traced has it. */
	if (s.twins) {
		s.addr = kfunc_addr(pv->env->procs, f);
		if (s.addr == 0)
			return 0; /* nobody says which of them it is */
	} else {
		s.fn = kfunc_begin(pv->env->procs, f);
	}
	return site_add(out, &s, e);
}

/* ---- life ---------------------------------------------------------------- */

int
fbt_init(struct prov *pv, struct err *e)
{
	pv->data = calloc(1, sizeof(struct fbt));
	return pv->data != NULL ? 0 : err_nomem(e);
}

void
fbt_fini(struct prov *pv)
{
	struct fbt *t = pv->data;

	free(t->made);
	free(t);
}
