/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_dlib_read.c - where the files of the D library come from.
 *
 * First the system's: the directory of -xsyslibdir; else the one that
 * `meson install` fills; else, where that is not (a build tree, a program that
 * has brought libdtrace along), the same texts as they are built in.  Then
 * those of each -L directory.  A file takes the place of an earlier one of its
 * name, so that a part of the library can be replaced.
 */
#include "lib/dt_impl.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct dt_dlib_file *
dt_dlib_find(const struct dt_dlib *dl, const char *name)
{
	for (size_t i = 0; i < dl->files.n; i++) {
		if (strcmp(dl->files.v[i]->name, name) == 0)
			return dl->files.v[i];
	}
	return NULL;
}

/* The file of that name, without a text; NULL: no memory. */
static struct dt_dlib_file *
file_make(dtrace_hdl_t *dtp, const char *name)
{
	struct dt_dlib_file *f = dt_dlib_find(&dtp->dlib, name);

	if (f != NULL) {
		free(f->owned);
		f->owned = NULL;
		return f;
	}
	f = arena_calloc(dtp->arena, 1, sizeof(*f));
	if (f == NULL)
		return NULL;
	f->name = arena_strdup(dtp->arena, name);
	if (f->name == NULL || !vec_push(&dtp->dlib.files, f))
		return NULL;
	return f;
}

static int
read_builtin(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dt_dlib_ntexts; i++) {
		const struct dt_dlib_text *t = &dt_dlib_texts[i];
		struct dt_dlib_file *f = file_make(dtp, t->name);

		if (f == NULL)
			return dt_nomem(dtp);
		f->path = NULL;
		f->text = t->text;
		f->len = t->len;
		f->builtin = t;
		f->wanted = false;
	}
	return 0;
}

/* The text that is built in, if the file has the same; NULL: it has not. */
static const struct dt_dlib_text *
same_builtin(const char *name, const char *text, size_t len)
{
	for (size_t i = 0; i < dt_dlib_ntexts; i++) {
		const struct dt_dlib_text *t = &dt_dlib_texts[i];

		if (strcmp(t->name, name) == 0)
			return t->len == len && memcmp(t->text, text, len) == 0
				       ? t
				       : NULL;
	}
	return NULL;
}

/* asked: the file is wanted, whatever is in it. */
static int
read_file(dtrace_hdl_t *dtp, const char *dir, const char *name, bool asked)
{
	char *path = arena_printf(dtp->arena, "%s/%s", dir, name);
	FILE *fp = path == NULL ? NULL : fopen(path, "re");
	size_t len;

	if (path == NULL)
		return dt_nomem(dtp);
	if (fp == NULL)
		return dt_set_err(dtp, EDT_IO, "D library %s: %s", path,
				  strerror(errno));
	char *text = dt_prog_slurp(dtp, fp, &len);
	int why = errno;
	fclose(fp);
	if (text == NULL)
		return dt_set_err(dtp, EDT_IO, "D library %s: %s", path,
				  strerror(why));
	struct dt_dlib_file *f = file_make(dtp, name);
	if (f == NULL) {
		free(text);
		return dt_nomem(dtp);
	}
	f->path = path;
	f->text = f->owned = text;
	f->len = len;
	f->builtin = asked ? NULL : same_builtin(name, text, len);
	f->wanted = f->builtin == NULL;
	return 0;
}

static int
is_dlib_name(const struct dirent *de)
{
	size_t n = strlen(de->d_name);

	return de->d_name[0] != '.' && n > 2 &&
	       strcmp(de->d_name + n - 2, ".d") == 0;
}

/* The files of a directory; none: the directory cannot be read. */
static int
read_dir(dtrace_hdl_t *dtp, const char *dir, bool asked, bool *none)
{
	struct dirent **v;
	int n = scandir(dir, &v, is_dlib_name, alphasort);
	int rv = 0;

	*none = n < 0;
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (rv == 0)
			rv = read_file(dtp, dir, v[i]->d_name, asked);
		free(v[i]);
	}
	free(v);
	return rv;
}

/* A directory that somebody has named. */
static int
read_named(dtrace_hdl_t *dtp, const char *dir)
{
	bool none;

	if (read_dir(dtp, dir, true, &none) != 0)
		return -1;
	if (none)
		return dt_set_err(dtp, EDT_IO, "D library directory %s: %s",
				  dir, strerror(errno));
	return 0;
}

static int
read_system(dtrace_hdl_t *dtp)
{
	bool none;

	if (dtp->optstr[DT_OPT_syslibdir] != NULL)
		return read_named(dtp, dtp->optstr[DT_OPT_syslibdir]);
	if (read_dir(dtp, DT_DLIB_DIR, false, &none) != 0)
		return -1;
	return none ? read_builtin(dtp) : 0;
}

int
dt_dlib_read(dtrace_hdl_t *dtp)
{
	struct dt_dlib *dl = &dtp->dlib;

	if (dl->read)
		return 0;
	if (read_system(dtp) != 0)
		return -1;
	for (size_t i = 0; i < dl->dirs.n; i++) {
		if (read_named(dtp, dl->dirs.v[i]) != 0)
			return -1;
	}
	dl->read = true;
	return 0;
}

void
dt_dlib_fini(dtrace_hdl_t *dtp)
{
	struct dt_dlib *dl = &dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++) {
		free(dl->files.v[i]->owned);
		vec_fini(&dl->files.v[i]->deps);
	}
	vec_fini(&dl->files);
	vec_fini(&dl->dirs);
}
