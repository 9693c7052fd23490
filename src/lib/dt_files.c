/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_files.c - the files of traced processes, for engines: those that the
 * handle has read already to find functions in (engine_files, rt/engine.h).
 */
#include "lib/dt_impl.h"

#include <string.h>

/* The object of that path that a process has mapped, else one that it had. */
static struct proc_obj *
files_obj(struct proc *p, const char *path)
{
	struct proc_obj *had = NULL;

	for (size_t i = 0; i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);

		if (strcmp(o->open_path, path) != 0)
			continue;
		if (o->mapped)
			return o;
		had = o;
	}
	return had;
}

static struct elf_file *
files_open(void *arg, int32_t pid, const char *path, struct err *e)
{
	dtrace_hdl_t *dtp = arg;
	struct proc *p = proc_find(dtp->env.procs, pid);
	struct proc_obj *o = p != NULL ? files_obj(p, path) : NULL;

	if (o != NULL)
		return proc_obj_elf(o, e);
	if (pid == 0)
		return dt_every_open(dtp, path, e);
	err_set(e, &ERR_GENERIC, 0, "%s: process %d does not have it", path,
		(int)pid);
	return NULL;
}

static bool
files_object(void *arg, int32_t pid, size_t i, struct engine_object *out)
{
	dtrace_hdl_t *dtp = arg;
	struct proc *p = proc_find(dtp->env.procs, pid);
	const struct proc_obj *o;

	if (p == NULL || i >= proc_nobjs(p))
		return false;
	o = proc_obj_at(p, i);
	*out = (struct engine_object){ .name = o->name, .path = o->open_path };
	return true;
}

static bool
files_had(void *arg, int32_t pid, struct buf *out)
{
	dtrace_hdl_t *dtp = arg;

	return proc_had_maps(dtp->env.procs, pid, out);
}

void
dt_files_init(dtrace_hdl_t *dtp, struct engine_files *f)
{
	*f = (struct engine_files){ .arg = dtp,
				    .open = files_open,
				    .object = files_object,
				    .had = files_had };
}

/* ---- processes of the tree ----------------------------------------------- */

static void
files_kin_seen(void *arg, int32_t pid, int32_t like)
{
	dtrace_hdl_t *dtp = arg;

	proc_note(dtp->env.procs, pid, like);
}

static bool
stmt_names_user(const struct dif_stmt *s)
{
	for (uint32_t i = 0; i < s->nexprs; i++)
		if (s->exprs[i].src == DIF_SRC_USTACK ||
		    s->exprs[i].src == DIF_SRC_USYM)
			return true;
	return false;
}

const struct engine_kin *
dt_files_kin(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	bool any = false;

	for (uint32_t c = 0; c < de->en.nclauses; c++)
		for (uint32_t s = 0; s < de->en.clauses[c]->nstmts; s++)
			any |= stmt_names_user(&de->en.clauses[c]->stmts[s]);
	de->kin = (struct engine_kin){ .seen = files_kin_seen, .arg = dtp };
	return any ? &de->kin : NULL;
}
