/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* dt_dlib.h - the files of the D library: found, wanted, ordered, compiled. */
#ifndef LIB_DT_DLIB_H
#define LIB_DT_DLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

/*
 * What is built in: the files of dlib/ in order of name, with the names that
 * each declares, sorted, each with a NUL behind it (tools/embed-dlib.py).
 */
struct dt_dlib_text {
	const char *name;
	const char *text;
	size_t len;
	const char *names;
	size_t nameslen;
};
extern const struct dt_dlib_text dt_dlib_texts[];
extern const size_t dt_dlib_ntexts;

enum dt_dlib_state {
	DT_DLIB_NEW,
	DT_DLIB_OPEN, /* what it depends on is being loaded */
	DT_DLIB_LOADED,
	DT_DLIB_SKIPPED /* something it depends on is not there */
};

/* One #pragma D depends_on of a file. */
struct dt_dlib_dep {
	const char *kind, *name;
};

struct dt_dlib_file {
	const char *name; /* "net.d": what depends_on calls it */
	const char *path; /* for messages; NULL: built in */
	const char *text; /* until the file is loaded */
	size_t len;
	char *owned; /* text, to be freed; NULL: built in */
	/* Whose text it is, which a program may do without; NULL: another's,
	   which is always wanted. */
	const struct dt_dlib_text *builtin;
	bool wanted; /* to be compiled */
	enum dt_dlib_state state;
	VEC(struct dt_dlib_dep) deps;
};

/* In struct dtrace_hdl; strings are in the handle's arena. */
struct dt_dlib {
	VEC(const char *) dirs; /* -L, in order */
	VEC(struct dt_dlib_file *) files;
	bool read; /* files are known */
	/* A program is being tried without some: if it fails, it is compiled
	   once more, and hints, which may make probes, wait for that. */
	bool trying;
	struct dt_dlib_file *scanned; /* whose pragmas are being heard */
};

/* dt_dlib_read.c: the file that depends_on calls so, or NULL. */
struct dt_dlib_file *dt_dlib_find(const struct dt_dlib *dl, const char *name);

#endif
