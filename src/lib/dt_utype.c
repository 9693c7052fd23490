/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_utype.c - the types of the program that a clause is about.
 *
 * In a clause on a probe of one process a name that no D program has declared
 * means the type that the process's own files have of that name: the file that
 * the description names first, then the program, then its libraries.  With a
 * module, which then is one of its objects, also where no clause is, of
 * $target. Files are looked at only for names, and only those with debug
 * information cost anything (type_prog.c).
 */
#include "lib/dt_impl.h"

#include "prov/pid_fn.h"

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

struct type *
dt_user_type(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, const char *module,
	     const char *name)
{
	bool scoped = module != NULL && module[0] != '\0';
	struct proc *p = utype_proc(dtp, pd, scoped);
	struct type *t = NULL;

	if (p == NULL)
		return NULL;
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
