/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_dlib.c - the D library: its files in an order in which each finds what
 * it depends on, compiled once per handle, before the first program that may
 * need them (dt_dlib_want.c).
 *
 *   #pragma D depends_on library net.d     load that file first
 *   #pragma D depends_on provider io       only where there is that provider
 *   #pragma D depends_on module ext4       only where the kernel has it
 *
 * A file with a dependence that is not met is left out without a word, and so
 * are the files that depend on it.  What the compiler says about a file is an
 * error of the compile that wants it: for those of a directory that was asked
 * for, of the first.
 *
 * Loading must cost little, so the compiler checks what a library declares only
 * when a program uses it, and until then takes any struct that it does not know
 * for one of the kernel's; see struct lang_src and doc/decisions/0022.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The compiler's message, with the file that it is about. */
static int
dlib_fail(dtrace_hdl_t *dtp, const struct dt_dlib_file *f)
{
	struct err e = dtp->err;
	char *msg;

	dt_fail(dtp, EDT_COMPILER);
	msg = strdup(buf_str(&dtp->errtext));
	dt_set_err(dtp, dtp->errnum, "D library %s: %s",
		   f->path != NULL ? f->path : f->name,
		   msg != NULL ? msg : e.msg);
	free(msg);
	dtp->err = e;
	return -1;
}

static int
dlib_compile(dtrace_hdl_t *dtp, const struct dt_dlib_file *f, unsigned cflags)
{
	const struct lang_src src = {
		.text = f->text,
		.len = f->len,
		.file = f->path != NULL ? f->path : f->name,
		.spec = LANG_SPEC_NAME,
		.cflags = cflags,
		.library = true,
	};

	err_clear(&dtp->err);
	struct dif_prog *p = lang_compile(dtp->lang, &src, &dtp->err);
	if (p == NULL)
		return dlib_fail(dtp, f);
	dif_prog_free(p);
	return 0;
}

/* ---- dependences --------------------------------------------------------- */

static bool
module_there(const char *name)
{
	char path[128];

	if (strcmp(name, "vmlinux") == 0 || strcmp(name, "kernel") == 0)
		return true;
	if (strchr(name, '/') != NULL || name[0] == '.')
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return access(path, F_OK) == 0;
}

/* The answer for programs, and for libraries once theirs are loaded. */
static bool
dlib_depends_met(dtrace_hdl_t *dtp, const char *kind, const char *name)
{
	if (strcmp(kind, "provider") == 0)
		return probe_has_prov(dtp->probes, name);
	if (strcmp(kind, "module") == 0)
		return module_there(name);
	const struct dt_dlib_file *f = dt_dlib_find(&dtp->dlib, name);
	return f != NULL && f->state == DT_DLIB_LOADED;
}

int
dt_dlib_depends(void *arg, const char *kind, const char *name)
{
	dtrace_hdl_t *dtp = arg;
	struct dt_dlib_file *f = dtp->dlib.scanned;

	if (f == NULL)
		return dlib_depends_met(dtp, kind, name);
	const struct dt_dlib_dep d = { arena_strdup(dtp->arena, kind),
				       arena_strdup(dtp->arena, name) };
	return d.kind != NULL && d.name != NULL && vec_push(&f->deps, d) ? 1
									 : -1;
}

/* Hear what a file depends on. */
static int
dlib_scan(dtrace_hdl_t *dtp, struct dt_dlib_file *f)
{
	int rv;

	f->deps.n = 0;
	dtp->dlib.scanned = f;
	rv = dlib_compile(dtp, f, DTRACE_C_CTL | DTRACE_C_EMPTY);
	dtp->dlib.scanned = NULL;
	return rv;
}

/* ---- loading ------------------------------------------------------------- */

static int dlib_load(dtrace_hdl_t *dtp, struct dt_dlib_file *f);

/* Load what f depends on; *met: all of it is there. */
static int
dlib_load_deps(dtrace_hdl_t *dtp, struct dt_dlib_file *f, bool *met)
{
	*met = true;
	for (size_t i = 0; i < f->deps.n && *met; i++) {
		const struct dt_dlib_dep *d = &f->deps.v[i];
		struct dt_dlib_file *on =
			strcmp(d->kind, "library") == 0
				? dt_dlib_find(&dtp->dlib, d->name)
				: NULL;

		if (on != NULL && on->state == DT_DLIB_OPEN)
			return dt_set_err(dtp, EDT_COMPILER,
					  "D library %s: it depends on %s, "
					  "which depends on it",
					  f->path != NULL ? f->path : f->name,
					  on->name);
		if (on == NULL && strcmp(d->kind, "library") == 0)
			return dt_set_err(dtp, EDT_COMPILER,
					  "D library %s: it depends on %s, "
					  "which is in no directory of D "
					  "libraries",
					  f->path != NULL ? f->path : f->name,
					  d->name);
		if (on != NULL && dlib_load(dtp, on) != 0)
			return -1;
		*met = dlib_depends_met(dtp, d->kind, d->name);
	}
	return 0;
}

static int
dlib_load(dtrace_hdl_t *dtp, struct dt_dlib_file *f)
{
	bool met;
	int rv;

	if (f->state != DT_DLIB_NEW)
		return 0;
	f->state = DT_DLIB_OPEN;
	rv = dlib_scan(dtp, f);
	if (rv == 0)
		rv = dlib_load_deps(dtp, f, &met);
	if (rv == 0 && met)
		rv = dlib_compile(dtp, f, DTRACE_C_EMPTY);
	if (rv != 0) {
		f->state = DT_DLIB_NEW; /* the next compile reports it again */
		return -1;
	}
	f->state = met ? DT_DLIB_LOADED : DT_DLIB_SKIPPED;
	dt_debug(dtp, "%s D library %s", met ? "compiled" : "left out",
		 f->path != NULL ? f->path : f->name);
	free(f->owned);
	f->owned = NULL;
	f->text = NULL;
	return 0;
}

int
dt_dlib_load(dtrace_hdl_t *dtp)
{
	const struct dt_dlib *dl = &dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++)
		if (dl->files.v[i]->wanted &&
		    dlib_load(dtp, dl->files.v[i]) != 0)
			return -1;
	return 0;
}

bool
dt_dlib_add_dir(dtrace_hdl_t *dtp, const char *dir)
{
	char *s = arena_strdup(dtp->arena, dir);

	return s != NULL && vec_push(&dtp->dlib.dirs, s);
}
