/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_args.c - the types of args[] of the pid provider, from the debug
 * information of the file that the function is in.
 *
 *	entry    args[n] is parameter n of the function
 *	return   args[0] is arg0, args[1] what the function returns
 *
 * Which raw argument a parameter is depends on the types of those before it:
 * the machine's convention says.
 */
#include <string.h>

#include "prov/pid_fn.h"

enum pid_lang
pid_fn_lang(const struct pid_fn *f)
{
	size_t n = strlen(f->name);

	/* Names of Go have a package: main.add.  Those of C that a program of
	   Go has linked have none. */
	if (strchr(f->name, '.') == NULL || !elf_is_go(f->elf))
		return PID_LANG_C;
	return n > 5 && strcmp(f->name + n - 5, ".abi0") == 0
		       ? PID_LANG_GO_STACK
		       : PID_LANG_GO;
}

/* gcc has given it other parameters than its source has, or it is a part of
   a function. */
static bool
fn_changed(const struct pid_fn *f)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part." };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(f->name, marks[i]) != NULL)
			return pid_fn_lang(f) == PID_LANG_C;
	return false;
}

static const char *
why_keep(struct prov *pv, const char *fmt, const char *name)
{
	struct pid_data *d = pv->data;

	return arena_printf(d->arena, fmt, name);
}

/* The type of one function; NULL and *why. */
static struct type *
fn_type(struct prov *pv, const struct pid_fn *f, const char **why)
{
	struct type_prog *tp = type_prog(pv->env->types, f->elf);
	const char *bad = tp != NULL ? type_prog_error(tp) : "out of memory";
	struct type *t = NULL;

	if (bad != NULL)
		*why = why_keep(pv, "%s", bad);
	else if (fn_changed(f))
		*why = why_keep(pv,
				"the compiler has changed the parameters of "
				"%s",
				f->name);
	else if ((t = type_prog_func(tp, f->body.addr)) == NULL)
		*why = why_keep(pv,
				"the debug information does not have function "
				"%s",
				f->name);
	return t;
}

static const char *
files_differ(struct prov *pv, const struct proc_obj *a,
	     const struct proc_obj *b)
{
	struct pid_data *d = pv->data;

	return arena_printf(d->arena, "those in %s and in %s differ", a->path,
			    b->path);
}

/* The type that all functions of the name have. */
static struct type *
group_type(struct prov *pv, const struct pid_group *g, const char **why)
{
	struct type *t = NULL;

	for (const struct pid_fn *f = g->fns; f != NULL; f = f->next) {
		struct type *u = fn_type(pv, f, why);
		bool other = f->elf != g->fns->elf; /* whose structs may
						       differ */

		if (u == NULL)
			return NULL;
		if (t == NULL)
			t = u;
		if (!(other ? type_same(t, u) : type_compat(t, u)) ||
		    pid_fn_lang(f) != pid_fn_lang(g->fns)) {
			*why = other ? files_differ(pv, g->fns->obj, f->obj) :
				       why_keep(pv,
						"several functions named %s "
						"have different ones",
						g->func);
			return NULL;
		}
	}
	return t;
}

static void
args_entry(const struct pid_group *g, struct type *t, struct probe_args *out)
{
	size_t n;
	const struct type_param *v = type_params(t, &n);

	out->nargs =
		pid_abi_args(t, pid_fn_lang(g->fns), out->map, &out->unread);
	for (uint32_t i = 0; i < out->nargs; i++) {
		out->type[i] = v[i].type;
		out->name[i] = v[i].name;
	}
}

static void
args_return(struct prov *pv, struct type *t, struct probe_args *out)
{
	out->type[0] = type_basic(pv->env->types, TYPE_B_ULONG);
	out->nargs = 1;
	if (type_is_void(t->ref))
		return;
	out->nargs = 2;
	out->type[1] = t->ref;
	if (!pid_abi_result(t))
		out->unread |= 1u << 1;
}

int
pid_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	 struct err *e)
{
	const struct pid_probe *pp = p->data;
	struct type *t;

	if (pp->what != PID_ENTRY && pp->what != PID_RETURN)
		return 0;
	t = group_type(pv, pp->group, &out->why);
	if (t == NULL)
		return 0;
	out->typed = true;
	if (pp->what == PID_ENTRY)
		args_entry(pp->group, t, out);
	else
		args_return(pv, t, out);
	return 0;
}
