/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_kernel.c - the running kernel's types: its own BTF and its modules'.
 *
 * Nothing is opened before it is needed: the kernel's BTF at the first name
 * that nothing else declares, a module's when it is named or when the kernel's
 * own does not know a name that may be anywhere.  What cannot be opened is
 * tried once, unless it was for want of memory; the reason is kept for
 * type_space_kernel_error().
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "elf/btf.h"
#include "type/type_impl.h"

struct type_kernel {
	struct type_space *ts;
	const char *dir;         /* or NULL: where the kernel shows it */
	bool opened, all_opened; /* tried: the kernel's, every module's */
	const char *error;       /* in ts->arena */
	struct type_btf *vmlinux;
	VEC(struct type_btf *) modules;
	struct hash *missing; /* modules that cannot be opened -> why */
};

int
type_space_use_kernel(struct type_space *ts, const char *path)
{
	struct type_kernel *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return type_failed(ts);
	k->ts = ts;
	if (path != NULL &&
	    (k->dir = arena_strdup(ts->arena, path)) == NULL) {
		free(k);
		return -1;
	}
	type_kernel_free(ts->kernel);
	ts->kernel = k;
	return 0;
}

void
type_kernel_free(struct type_kernel *k)
{
	if (k == NULL)
		return;
	for (size_t i = 0; i < k->modules.n; i++)
		type_btf_free(k->modules.v[i]);
	vec_fini(&k->modules);
	type_btf_free(k->vmlinux);
	hash_free(k->missing);
	free(k);
}

struct type_btf *
type_kernel_btf(const struct type_kernel *k, size_t i)
{
	if (i == 0)
		return k->vmlinux;
	return i <= k->modules.n ? k->modules.v[i - 1] : NULL;
}

const char *
type_kernel_module(const struct type *t)
{
	const struct type_kernel *k = t->space->kernel;
	const struct type_btf *tb;

	for (size_t i = 0; k != NULL && (tb = type_kernel_btf(k, i)) != NULL;
	     i++)
		if (type_btf_owns(tb, t))
			return type_btf_module(tb);
	return NULL;
}

const char *
type_space_kernel_error(struct type_space *ts)
{
	for (; ts != NULL; ts = ts->parent)
		if (ts->kernel != NULL && ts->kernel->error != NULL)
			return ts->kernel->error;
	return NULL;
}

static struct type_btf *
kernel_adopt(struct type_kernel *k, struct btf_index *bi, struct type_btf *base,
	     const char *module)
{
	struct type_btf *tb = type_btf_new(k->ts, bi, base, module);

	if (tb == NULL)
		btf_index_free(bi);
	return tb;
}

static bool
kernel_nomem(struct type_kernel *k, const struct err *e)
{
	return e->tag == &ERR_NOMEM && type_failed(k->ts) != 0;
}

static struct type_btf *
kernel_vmlinux(struct type_kernel *k)
{
	struct btf_index *bi;
	struct err *e;

	if (k->opened)
		return k->vmlinux;
	e = calloc(1, sizeof(*e)); /* large for a stack */
	if (e == NULL) {
		type_failed(k->ts);
		return NULL;
	}
	bi = btf_index_kernel(k->dir, e);
	if (bi != NULL)
		k->vmlinux = kernel_adopt(k, bi, NULL, "vmlinux");
	else if (!kernel_nomem(k, e))
		k->error = arena_strdup(k->ts->arena, e->msg);
	k->opened = k->vmlinux != NULL || k->error != NULL;
	free(e);
	return k->vmlinux;
}

/* Open a module's BTF, or remember why that cannot be. */
static struct type_btf *
kernel_open_module(struct type_kernel *k, const char *name)
{
	struct err *e = calloc(1, sizeof(*e));
	struct type_btf *tb = NULL;
	struct btf_index *bi;
	char *why;

	if (e == NULL) {
		type_failed(k->ts);
		return NULL;
	}
	bi = btf_index_module(type_btf_index(k->vmlinux), k->dir, name, e);
	if (bi != NULL)
		tb = kernel_adopt(k, bi, k->vmlinux, name);
	if (tb != NULL && !vec_push(&k->modules, tb)) {
		type_failed(k->ts);
		type_btf_free(tb);
		tb = NULL;
	}
	if (bi == NULL && !kernel_nomem(k, e)) {
		why = arena_strdup(k->ts->arena, e->msg);
		if (why != NULL && type_hash(k->ts, &k->missing) != NULL)
			type_hash_set(k->ts, k->missing, name, strlen(name),
				      why);
	}
	free(e);
	return tb;
}

static struct type_btf *
kernel_module(struct type_kernel *k, const char *name)
{
	struct type_btf *tb = kernel_vmlinux(k);

	if (tb == NULL)
		return NULL;
	k->error = NULL; /* of a module asked for before */
	if (strcmp(name, "vmlinux") == 0 || strcmp(name, "kernel") == 0)
		return tb;
	for (size_t i = 0; i < k->modules.n; i++)
		if (strcmp(type_btf_module(k->modules.v[i]), name) == 0)
			return k->modules.v[i];
	tb = NULL;
	if (k->missing == NULL || hash_find_str(k->missing, name) == NULL)
		tb = kernel_open_module(k, name);
	if (tb == NULL && k->missing != NULL)
		k->error = hash_find_str(k->missing, name);
	return tb;
}

static void
kernel_all_modules(struct type_kernel *k)
{
	size_t failed = type_space_failures(k->ts);
	DIR *d;
	struct dirent *de;

	if (k->all_opened || kernel_vmlinux(k) == NULL)
		return;
	k->all_opened = true;
	d = opendir(k->dir != NULL ? k->dir : "/sys/kernel/btf");
	if (d == NULL)
		return;
	while ((de = readdir(d)) != NULL)
		if (de->d_name[0] != '.')
			kernel_module(k, de->d_name);
	closedir(d);
	k->error = NULL; /* nobody asked for those */
	k->all_opened = type_space_failures(k->ts) == failed;
}

/*
 * What fn finds in the module named, or, with none named, in the kernel and
 * then in each module.
 */
static struct type *
kernel_search(struct type_kernel *k, const char *module,
	      struct type *(*fn)(struct type_btf *, const void *),
	      const void *arg)
{
	struct type_btf *tb;
	struct type *t;

	if (module != NULL && module[0] != '\0') {
		tb = kernel_module(k, module);
		return tb != NULL ? fn(tb, arg) : NULL;
	}
	tb = kernel_vmlinux(k);
	if (tb == NULL)
		return NULL;
	if ((t = fn(tb, arg)) != NULL)
		return t;
	kernel_all_modules(k);
	for (size_t i = 0; i < k->modules.n; i++)
		if ((t = fn(k->modules.v[i], arg)) != NULL)
			return t;
	return NULL;
}

static struct type *
search_type(struct type_btf *tb, const void *arg)
{
	return type_btf_find(tb, arg);
}

struct type *
type_kernel_find(struct type_kernel *k, const char *module,
		 const struct type_id *id)
{
	return kernel_search(k, module, search_type, id);
}

/* ---- symbols and enumerators ------------------------------------ */

struct symbol {
	const char *name;
	uint32_t kind;
};

static struct type *
search_symbol(struct type_btf *tb, const void *arg)
{
	const struct symbol *s = arg;

	return type_btf_symbol(tb, s->name, s->kind);
}

static struct type *
kernel_symbol(struct type_space *ts, const char *module, const char *name,
	      uint32_t kind)
{
	struct symbol s = { name, kind };

	for (; ts != NULL; ts = ts->parent) {
		struct type *t;

		if (ts->kernel == NULL)
			continue;
		t = kernel_search(ts->kernel, module, search_symbol, &s);
		if (t != NULL)
			return t;
	}
	return NULL;
}

struct type *
type_kernel_func(struct type_space *ts, const char *module, const char *name)
{
	return kernel_symbol(ts, module, name, BTF_KIND_FUNC);
}

struct type *
type_kernel_var(struct type_space *ts, const char *module, const char *name)
{
	return kernel_symbol(ts, module, name, BTF_KIND_VAR);
}

int
type_kernel_typedefs(struct type_space *ts, const char *prefix, bool again,
		     int (*fn)(void *arg, const char *module, const char *name),
		     void *arg)
{
	struct type_kernel *k;
	int rc;

	while (ts != NULL && ts->kernel == NULL)
		ts = ts->parent;
	if (ts == NULL || kernel_vmlinux(ts->kernel) == NULL)
		return 0;
	k = ts->kernel;
	if (again)
		k->all_opened = false;
	kernel_all_modules(k);
	rc = type_btf_typedefs(k->vmlinux, prefix, fn, arg);
	for (size_t i = 0; rc == 0 && i < k->modules.n; i++)
		rc = type_btf_typedefs(k->modules.v[i], prefix, fn, arg);
	return rc;
}

bool
type_kernel_enumerator(struct type_kernel *k, const char *name, int64_t *val,
		       struct type **type)
{
	struct type_btf *tb = kernel_vmlinux(k);

	if (tb != NULL && type_btf_enumerator(tb, name, val, type))
		return true;
	/* Modules only if the program has named them: an unknown identifier
	   must not cost the reading of all. */
	for (size_t i = 0; i < k->modules.n; i++)
		if (type_btf_enumerator(k->modules.v[i], name, val, type))
			return true;
	return false;
}
