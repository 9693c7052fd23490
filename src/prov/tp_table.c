/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_table.c - the hooks of providers that are tables (tp_table.h).
 *
 * The prototype of a tracepoint is the kernel's typedef btf_trace_NAME: a
 * pointer to a function of a cookie and the tracepoint's arguments.  It says
 * whether the tracepoint is there, how many arguments this kernel gives it, and
 * of what type the one is that a path starts from.  The same is known of a
 * function of the kernel by the function's own type.
 */
#include "prov/tp_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proc/proc.h"

#define TP_MODULE "vmlinux"

static const struct tp_table *
tp_table_of(const struct prov *pv)
{
	return pv->data;
}

/* ---- names and types ----------------------------------------------------- */

int
tp_table_absent(const struct tp_table *t, const struct dif_pdesc *pd,
		struct err *e)
{
	if (strcmp(pd->prov, t->prov) != 0)
		return 0;
	for (size_t i = 0; i < t->nabsent; i++)
		if (strcmp(pd->name, t->absent[i].name) == 0)
			return err_set(e, &D_PROC_FUNC, 0,
				       "%s:::%s is not there: %s", t->prov,
				       t->absent[i].name, t->absent[i].why);
	return 0;
}

int
tp_table_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	const struct tp_table *t = tp_table_of(pv);

	if (!probe_glob(pd->prov, t->prov) || !probe_glob(pd->mod, TP_MODULE))
		return 0;
	for (size_t i = 0; i < t->nprobes; i++) {
		const struct tp_probe *row = &t->probes[i];
		struct probe *p;
		if (!probe_desc_match(pd, t->prov, TP_MODULE, row->func,
				      row->name))
			continue;
		p = probe_add(pv, t->prov, TP_MODULE, row->func, row->name);
		if (p == NULL)
			return err_nomem(e);
		p->num = i;
	}
	return tp_table_absent(t, pd, e);
}

/* "void (*)(void)" is the only type here that is more than a name. */
static struct type *
arg_type(struct prov *pv, const struct tp_arg *a)
{
	struct type_space *ts = pv->env->types;
	struct type *v = type_basic(ts, TYPE_B_VOID), *f;

	if (strcmp(a->type, "void (*)(void)") != 0)
		return type_from_text(ts, a->type, a->user);
	f = v != NULL ? type_func(ts, v, NULL, 0, false) : NULL;
	return f != NULL ? type_ptr(ts, f) : NULL;
}

/* The error of an argument whose type is not there; it says why, if none of the
   kernel's is. */
static int
no_type(struct prov *pv, const struct probe *p, const char *type, struct err *e)
{
	const char *why = type_space_kernel_error(pv->env->types);

	return err_set(e, &ERR_GENERIC, 0, "%s:%s:%s:%s: no type %s%s%s",
		       p->prov, p->mod, p->func, p->name, type,
		       why != NULL ? ": " : "", why != NULL ? why : "");
}

int
tp_table_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	      struct err *e)
{
	const struct tp_probe *row = &tp_table_of(pv)->probes[p->num];

	out->typed = true;
	for (unsigned i = 0; i < DIF_NARGS; i++) {
		const struct tp_arg *a = &row->arg[i];
		if (a->type == NULL)
			break;
		out->type[i] = arg_type(pv, a);
		if (out->type[i] == NULL && errno == ENOMEM)
			return err_nomem(e);
		if (out->type[i] == NULL)
			return no_type(pv, p, a->type, e);
		out->xlate[i] = a->xlate;
		out->nargs = i + 1;
	}
	return 0;
}

void
tp_table_translated(struct prov *pv, probe_translated_fn *fn, void *arg)
{
	const struct tp_table *t = tp_table_of(pv);

	for (size_t i = 0; i < t->nprobes; i++)
		for (unsigned n = 0; n < DIF_NARGS; n++)
			if (t->probes[i].arg[n].xlate != NULL)
				fn(arg, t->prov, t->probes[i].name,
				   t->probes[i].arg[n].xlate);
}

/* ---- sites --------------------------------------------------------------- */

/* A site while its texts are looked up. */
struct lookup {
	struct prov *pv;
	const struct probe *p;
	const struct tp_site *row;
	const struct type_param *params; /* of the tracepoint, the function */
	size_t nparams;
	struct type *ret; /* of the function */
	struct err *e;
};

static int
lookup_fail(const struct lookup *l, const char *fmt, const char *what)
{
	const struct probe *p = l->p;
	char text[160];

	snprintf(text, sizeof(text), fmt, what);
	return err_set(l->e, &ERR_GENERIC, 0, "%s:%s:%s:%s: %s", p->prov,
		       p->mod, p->func, p->name, text);
}

/* The type of a tracepoint's functions; NULL: there is none. */
static struct type *
tp_type(struct type_space *ts, const char *tp)
{
	char name[96];

	snprintf(name, sizeof(name), "btf_trace_%s", tp);
	return type_lookup(ts, TP_MODULE, name);
}

static int
lookup_tp(struct lookup *l)
{
	struct type_space *ts = l->pv->env->types;
	struct type *t = tp_type(ts, l->row->tp);

	t = t != NULL ? type_resolve(t) : NULL;
	if (t != NULL && type_is_ptr(t) && type_is_func(type_resolve(t->ref))) {
		l->params = type_params(type_resolve(t->ref), &l->nparams);
		if (l->nparams != 0) { /* but for the cookie */
			l->params++;
			l->nparams--;
		}
		return 0;
	}
	if (type_space_kernel_error(ts) != NULL)
		return lookup_fail(l, "%s", type_space_kernel_error(ts));
	return lookup_fail(l, "this kernel has no tracepoint %s", l->row->tp);
}

/* The symbol of a function that may have a suffix; tp and addr of the site. */
static int
lookup_suffixed(struct lookup *l, struct dif_site *s)
{
	size_t len = strlen(l->row->tp);
	struct ksym_info k;

	for (size_t i = 0; ksym_each(l->pv->env->procs, &i, &k);) {
		if ((k.kind != 't' && k.kind != 'T') ||
		    strncmp(k.name, l->row->tp, len) != 0 ||
		    (k.name[len] != '\0' && k.name[len] != '.') ||
		    strstr(k.name + len, ".cold") != NULL)
			continue;
		s->tp = probe_str(l->pv->set, k.name);
		s->addr = k.addr;
		return s->tp != NULL ? 0 : err_nomem(l->e);
	}
	return lookup_fail(l, "this kernel has no function %s", l->row->tp);
}

static int
lookup_fn(struct lookup *l, struct dif_site *s)
{
	struct type_space *ts = l->pv->env->types;
	struct type *t = type_kernel_func(ts, TP_MODULE, l->row->tp);

	t = t != NULL ? type_resolve(t) : NULL;
	if (t != NULL && type_is_func(t)) {
		l->params = type_params(t, &l->nparams);
		l->ret = t->ref;
	}
	if (l->row->suffixed)
		return lookup_suffixed(l, s);
	if (l->ret != NULL)
		return 0;
	if (type_space_kernel_error(ts) != NULL)
		return lookup_fail(l, "%s", type_space_kernel_error(ts));
	return lookup_fail(l, "this kernel has no function %s", l->row->tp);
}

static int
lookup_where(struct lookup *l, struct dif_site *s)
{
	if (l->row->kind == DIF_SITE_TP)
		return lookup_tp(l);
	return dif_sites[l->row->kind].key == DIF_KEY_FUNCTION
		       ? lookup_fn(l, s)
		       : 0;
}

static struct type *
value_type(const struct lookup *l, const struct tp_value *v)
{
	size_t n = (size_t)v->from.val;

	if (v->from.kind == DIF_RCP_KRET)
		return l->ret;
	if (v->from.kind == DIF_RCP_CURTHREAD) {
		struct type *task = type_lookup(l->pv->env->types, TP_MODULE,
						"struct task_struct");
		return task != NULL ? type_ptr(l->pv->env->types, task) : NULL;
	}
	return (v->from.kind == DIF_RCP_TPARG ||
		v->from.kind == DIF_RCP_KARG) && n < l->nparams
		       ? l->params[n].type
		       : NULL;
}

static int
lookup_value(struct lookup *l, const struct tp_value *v, struct dif_recipe *out)
{
	struct err why = { 0 };
	struct type *from;

	*out = v->from;
	if (v->from.kind == DIF_RCP_TPARG &&
	    (size_t)v->from.val >= l->nparams)
		return lookup_fail(l, "tracepoint %s of this kernel has "
				   "fewer arguments", l->row->tp);
	/* BTF need not have a function that may have a suffix. */
	if (v->from.kind == DIF_RCP_KARG && l->ret != NULL &&
	    (size_t)v->from.val >= l->nparams)
		return lookup_fail(l, "function %s of this kernel has fewer "
				   "arguments", l->row->tp);
	if (v->path == NULL)
		return 0;
	from = value_type(l, v);
	if (from == NULL)
		return lookup_fail(l, "this kernel does not say the type of "
				   "what has %s", v->path);
	out->path = probe_path(l->pv->set, from, v->path, &why);
	if (out->path != NULL)
		return 0;
	return why.tag == &ERR_NOMEM ? err_nomem(l->e)
				     : lookup_fail(l, "%s", why.msg);
}

static int
lookup_site(struct lookup *l, struct dif_site *s)
{
	struct dif_recipes r = { 0 };
	struct dif_whens w = { .n = l->row->nwhen };

	for (unsigned i = 0; i < DIF_NARGS; i++)
		if (lookup_value(l, &l->row->arg[i], &r.arg[i]) != 0)
			return -1;
	for (unsigned i = 0; i < w.n; i++) {
		const struct tp_when *from = &l->row->when[i];
		w.v[i].mask = from->mask;
		w.v[i].cmp = from->cmp;
		w.v[i].val = from->val;
		if (lookup_value(l, &from->what, &w.v[i].what) != 0)
			return -1;
	}
	if (lookup_value(l, &l->row->once, &w.once) != 0)
		return -1;
	s->args = probe_recipes(l->pv->set, &r);
	s->when = probe_whens(l->pv->set, &w);
	if (s->args == NULL || s->when == NULL)
		return err_nomem(l->e);
	if (w.n == 0 && w.once.kind == DIF_RCP_NONE)
		s->when = NULL;
	return 0;
}

/* True if this kernel has what a row is the substitute of, or must do with the
   substitute. */
static bool
row_is_spare(const struct prov *pv, const struct tp_site *row)
{
	struct type_space *ts = pv->env->types;

	for (size_t i = 0; i < 2; i++)
		if (row->without[i] != NULL &&
		    (tp_type(ts, row->without[i]) != NULL ||
		     (kfunc_can_be_probed() &&
		      type_kernel_func(ts, TP_MODULE, row->without[i]) !=
			      NULL)))
			return true;
	return row->probed && !kfunc_can_be_probed();
}

/* True if the row is for kernels like this one. */
static bool
row_fits(const struct lookup *l)
{
	return l->nparams >= l->row->least &&
	       (l->row->most == 0 || l->nparams <= l->row->most);
}

/* True if the probe has sites of its own for the process engine. */
static bool
probe_in_tree(const struct tp_table *t, uint64_t num)
{
	bool tree = false;

	for (size_t i = 0; i < t->nsites; i++)
		tree |= t->sites[i].probe == num && t->sites[i].tree;
	return tree;
}

static unsigned
row_engines(const struct lookup *l)
{
	if (l->row->tree)
		return DIF_ENG_P;
	return probe_in_tree(tp_table_of(l->pv), l->p->num) ? DIF_ENG_IK : 0;
}

/* The site of a row, if this kernel is one that the row is for. */
static int
row_site(struct lookup *l, struct site_list *out)
{
	struct dif_site s = { .kind = l->row->kind, .tp = l->row->tp,
			      .num = l->row->num, .thread = l->row->thread,
			      .counter = l->row->counter,
			      .engines = row_engines(l) };

	if (lookup_where(l, &s) != 0)
		return -1;
	if (!row_fits(l))
		return 0;
	return lookup_site(l, &s) != 0 || site_add(out, &s, l->e) != 0 ? -1 : 0;
}

int
tp_table_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	       struct err *e)
{
	const struct tp_table *t = tp_table_of(pv);
	size_t before = out->n;
	struct err why = { 0 };

	for (size_t i = 0; i < t->nsites; i++) {
		const struct tp_site *row = &t->sites[i];
		struct lookup l = { .pv = pv, .p = p, .row = row,
				    .e = row->others ? &why : e };

		if (row->probe != p->num || row_is_spare(pv, row) ||
		    row_site(&l, out) == 0)
			continue;
		if (!row->others)
			return -1;
	}
	if (out->n == before && err_is_set(&why))
		return err_set(e, why.tag, 0, "%s", why.msg);
	return 0;
}
