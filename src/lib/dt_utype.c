/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_utype.c - the types of the program that a clause is about, and its
 * variables.
 *
 * In a clause on a probe of one process a name that no D program has declared
 * means the type that the process's own files have of that name: the file that
 * the description names first, then the program, then its libraries.  With a
 * module, which then is one of its objects, also where no clause is, of
 * $target. Files are looked at only for names, and only those with debug
 * information cost anything (type_prog.c).
 *
 * A clause on probes of every process is about the files that its probes are
 * in: each must have the name, and mean the same by it.  The address that a
 * clause casts may be of any of them.  So it is for a clause with descriptions
 * of several processes, or of several files of one.
 */
#include "lib/dt_impl.h"

#include "base/near.h"
#include "prov/pid_fn.h"

#include <stdlib.h>
#include <string.h>

static struct proc *
utype_proc(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, bool target)
{
	pid_t pid = pd != NULL ? probe_desc_pid(dtp->probes, pd) : 0;

	if (pid == 0 && target)
		pid = dtp->target;
	return pid != 0 ? proc_lookup(dtp->env.procs, pid) : NULL;
}

static struct type *
utype_in(dtrace_hdl_t *dtp, struct proc_obj *o, const char *name)
{
	struct err e = { 0 };
	struct elf_file *f = proc_obj_elf(o, &e);
	struct type_prog *tp = f != NULL ? type_prog(dtp->types, f) : NULL;

	return tp != NULL ? type_prog_lookup(tp, name) : NULL;
}

/* In the objects that text names. */
static struct type *
utype_named(dtrace_hdl_t *dtp, struct proc *p, const char *text,
	    const char *name)
{
	const char *canon = pid_mod_name(p, text);
	struct type *t = NULL;

	for (size_t i = 0; canon != NULL && t == NULL && i < proc_nobjs(p); i++)
		if (pid_mod_is(proc_obj_at(p, i), text, canon))
			t = utype_in(dtp, proc_obj_at(p, i), name);
	return t;
}

/* ---- every process ------------------------------------------------------- */

struct utype_file {
	struct elf_file *elf;
	const char *path;
};

struct utype_every {
	dtrace_hdl_t *dtp;
	const char *module; /* NULL: any */
	VEC(struct utype_file) files;
};

static int
utype_probe(void *arg, struct probe *p)
{
	struct utype_every *u = arg;
	struct utype_file f = { 0 };

	if (p->owner->ops->file == NULL ||
	    (u->module != NULL && strcmp(u->module, p->mod) != 0))
		return 0;
	for (size_t n = 0, k; (f.elf = p->owner->ops->file(p, n, &f.path)) !=
			      NULL; n++) {
		for (k = 0; k < u->files.n; k++)
			if (u->files.v[k].elf == f.elf)
				break;
		if (k == u->files.n && !vec_push(&u->files, f))
			return 1;
	}
	return 0;
}

static const char *
utype_differs(dtrace_hdl_t *dtp, const char *name, const char *a,
	      const char *b, bool missing)
{
	return missing ? arena_printf(dtp->arena,
				      "%s is known in %s and not in %s: name "
				      "one file, or one process",
				      name, a, b) :
			 arena_printf(dtp->arena,
				      "%s is something else in %s than in %s: "
				      "name one file, or one process",
				      name, a, b);
}

/* What all the files mean by it. */
static struct type *
utype_agreed(const struct utype_every *u, const char *name, const char **why)
{
	const struct utype_file *from = NULL, *not_in = NULL;
	struct type *t = NULL;

	for (size_t i = 0; i < u->files.n; i++) {
		const struct utype_file *f = &u->files.v[i];
		struct type_prog *tp = type_prog(u->dtp->types, f->elf);
		struct type *x = tp != NULL ? type_prog_lookup(tp, name) : NULL;

		if (x == NULL) {
			not_in = f;
		} else if (t == NULL) {
			t = x;
			from = f;
		} else if (!type_same(t, x)) {
			*why = utype_differs(u->dtp, name, from->path, f->path,
					     false);
			return NULL;
		}
	}
	if (t != NULL && not_in != NULL) {
		*why = utype_differs(u->dtp, name, from->path, not_in->path,
				     true);
		return NULL;
	}
	return t;
}

/* A pattern of which one thing is known: it is not the kernel's alone. */
static bool
utype_is_every(const struct dif_pdesc *pd)
{
	return pd->id == 0 && strchr(pd->prov, '*') != NULL;
}

static struct type *
utype_of_every(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
	       const char *module, const char *name, const char **why)
{
	struct utype_every u = { .dtp = dtp };
	struct type *t = NULL;
	struct err e;

	/* What the description calls its object is not looked at again. */
	if (module != NULL && module[0] != '\0' &&
	    strcmp(module, pd->mod) != 0)
		u.module = module;
	err_clear(&e);
	if (probe_match(dtp->probes, pd, utype_probe, &u, &e) > 0)
		t = utype_agreed(&u, name, why);
	vec_fini(&u.files);
	return t;
}

/* ---- one description ---------------------------------------------------- */

/* What one description, or NULL, means by a name; *user: it is about a
   program. */
static struct type *
utype_of(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, const char *module,
	 const char *name, bool *user, const char **why)
{
	bool scoped = module != NULL && module[0] != '\0';
	struct proc *p = utype_proc(dtp, pd, scoped);
	struct type *t = NULL;

	*user = p != NULL || (pd != NULL && utype_is_every(pd));
	if (p == NULL)
		return *user ? utype_of_every(dtp, pd, module, name, why)
			     : NULL;
	if (scoped)
		return utype_named(dtp, p, module, name);
	if (probe_is_exact(pd->mod))
		t = utype_named(dtp, p, pd->mod, name);
	for (int exec = 1; exec >= 0; exec--)
		for (size_t i = 0; t == NULL && i < proc_nobjs(p); i++)
			if (proc_obj_at(p, i)->is_exec == exec)
				t = utype_in(dtp, proc_obj_at(p, i), name);
	return t;
}

/* ---- a clause ----------------------------------------------------------- */

/* The same files are asked. */
static bool
utype_as_before(const struct dif_pdesc *pds, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(pds[k].prov, pds[i].prov) == 0 &&
		    strcmp(pds[k].mod, pds[i].mod) == 0)
			return true;
	return false;
}

static const char *
utype_whose(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	return arena_printf(dtp->arena, "%s:%s:%s:%s", pd->prov, pd->mod,
			    pd->func, pd->name);
}

/* What all descriptions that are about programs mean by it. */
static struct type *
utype_of_all(dtrace_hdl_t *dtp, const struct dif_pdesc *pds, uint32_t npds,
	     const char *module, const char *name, const char **why)
{
	const struct dif_pdesc *from = NULL, *not_in = NULL;
	struct type *t = NULL;

	for (uint32_t i = 0; i < npds && *why == NULL; i++) {
		struct type *x;
		bool user;

		if (utype_as_before(pds, i))
			continue;
		x = utype_of(dtp, &pds[i], module, name, &user, why);
		if (x == NULL && user)
			not_in = &pds[i];
		if (x == NULL)
			continue;
		if (t != NULL && !type_same(t, x))
			*why = utype_differs(dtp, name, utype_whose(dtp, from),
					     utype_whose(dtp, &pds[i]), false);
		t = x;
		from = &pds[i];
	}
	if (t != NULL && not_in != NULL && *why == NULL)
		*why = utype_differs(dtp, name, utype_whose(dtp, from),
				     utype_whose(dtp, not_in), true);
	return *why == NULL ? t : NULL;
}

struct type *
dt_user_type(dtrace_hdl_t *dtp, const struct dif_pdesc *pds, uint32_t npds,
	     const char *module, const char *name, const char **why)
{
	bool user;

	return npds > 0 ? utype_of_all(dtp, pds, npds, module, name, why)
			: utype_of(dtp, NULL, module, name, &user, why);
}

/* ---- variables ---------------------------------------------------------- */

static const char *
uvar_unknown(dtrace_hdl_t *dtp, struct elf_file *f, const char *module,
	     const char *name)
{
	const struct elf_sym *v;
	char buf[NEAR_HINT_MAX];
	struct near near;
	size_t n;

	near_init(&near, name);
	v = elf_syms(f, &n);
	for (size_t i = 0; i < n; i++)
		if (!v[i].is_func)
			near_try(&near, v[i].name);
	return arena_printf(dtp->arena, "no variable of that name in %s%s",
			    module, near_hint(&near, buf));
}

/* The variable that is meant: static variables of several sources may have one
   name. */
static const struct elf_sym *
uvar_find(dtrace_hdl_t *dtp, struct elf_file *f, const char *module,
	  const char *name, const char **why)
{
	const struct elf_sym *s = elf_sym_find(f, name), *v;
	size_t n, others = 0;

	if (s == NULL) {
		*why = uvar_unknown(dtp, f, module, name);
		return NULL;
	}
	v = elf_syms(f, &n);
	for (size_t i = 0; i < n; i++)
		others += v[i].addr != s->addr && strcmp(v[i].name, name) == 0;
	if (others == 0)
		return s;
	*why = arena_printf(dtp->arena, "%zu of this name are in %s",
			    others + 1, module);
	return NULL;
}

int
dt_user_var(dtrace_hdl_t *dtp, const struct dif_pdesc *pds, uint32_t npds,
	    const char *module, const char *name, uint64_t *addr,
	    struct type **type, const char **why)
{
	struct proc *p = npds == 1 ? utype_proc(dtp, pds, false) : NULL;
	const char *canon = p != NULL ? pid_mod_name(p, module) : NULL;
	int rc = -1;

	for (size_t i = 0; canon != NULL && i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);
		struct err e = { 0 };
		struct elf_file *f = pid_mod_is(o, module, canon)
					     ? proc_obj_elf(o, &e)
					     : NULL;
		const struct elf_sym *s =
			f != NULL ? uvar_find(dtp, f, module, name, why) : NULL;
		struct type_prog *tp;

		err_clear(&e);
		if (s == NULL && f != NULL && elf_is_tls(f, name)) {
			*why = "it is thread-local: each thread has one of its "
			       "own, and these are not supported";
			rc = 1;
		}
		if (s == NULL)
			continue;
		tp = s->is_func ? NULL : type_prog(dtp->types, f);
		*why = NULL;
		*addr = o->base + s->addr;
		*type = tp != NULL ? type_prog_var(tp, name) : NULL;
		return 0;
	}
	return rc;
}
