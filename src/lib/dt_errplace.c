/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_errplace.c - the errors of a program that does not compile, each with its
 * place and the line it is in, for those who show them better than as one text.
 *
 * The line is copied: the program's text is the caller's.  What the
 * preprocessor has made is searched as it is, for columns count in that; its
 * line markers (# 12 "file") say whose lines they are.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 4096 /* of a file's name in a line marker */

bool
dt_is_program(const struct lang_src *src, const char *file)
{
	return file == NULL || strcmp(file, "<stdin>") == 0 ||
	       (src->file != NULL && strcmp(file, src->file) == 0);
}

/* A line marker: false if it is none; else the number and file of the line
   after it. */
static bool
line_marker(const char *p, size_t len, int *line, char name[NAME_ROOM])
{
	char text[NAME_ROOM];

	if (len < 2 || len >= NAME_ROOM || p[0] != '#' || p[1] != ' ')
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	return sscanf(text, "# %d \"%4095[^\"]\"", line, name) == 2;
}

/* The line that a place is in, not terminated; NULL: it is not in the text. */
static const char *
line_at(const struct lang_src *src, struct src_loc loc, size_t *len)
{
	bool own = dt_is_program(src, loc.file), here = own;
	char file[NAME_ROOM];
	const char *end = src->text + src->len, *next;
	int line = 1;

	for (const char *p = src->text; p < end; p = next) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		*len = (size_t)((nl != NULL ? nl : end) - p);
		next = nl != NULL ? nl + 1 : end;
		if (line_marker(p, *len, &line, file))
			here = own ? dt_is_program(src, file)
				   : strcmp(file, loc.file) == 0;
		else if (line++ == loc.line && here)
			return p;
	}
	return NULL;
}

/* A handle's number has the name where the error itself has none. */
static const char *
errplace_tag(const struct err *e)
{
	return e->tag == &ERR_PRIV      ? "EDT_PRIV"
	       : e->tag == &ERR_GENERIC ? "EDT_COMPILER"
					: e->tag->name;
}

static char *
text_dup(const char *text)
{
	return text != NULL ? strdup(text) : NULL;
}

static void
errplace_add(dtrace_hdl_t *dtp, const struct lang_src *src, const struct err *e)
{
	dtrace_errplace_t *p = &dtp->places[dtp->nplaces++];
	size_t len = 0;
	const char *text = line_at(src, e->loc, &len);

	*p = (dtrace_errplace_t){
		.dtep_tag = errplace_tag(e),
		.dtep_file = dt_is_program(src, e->loc.file)
				     ? text_dup(src->file)
				     : text_dup(e->loc.file),
		.dtep_line = e->loc.line,
		.dtep_column = e->loc.col,
		.dtep_msg = text_dup(e->msg),
		.dtep_text = text != NULL ? strndup(text, len) : NULL,
	};
}

static int
errplace_cmp(const void *a, const void *b)
{
	const dtrace_errplace_t *x = a, *y = b;

	return x->dtep_line != y->dtep_line ? x->dtep_line - y->dtep_line
					    : x->dtep_column - y->dtep_column;
}

void
dt_errplace_clear(dtrace_hdl_t *dtp)
{
	while (dtp->nplaces > 0) {
		dtrace_errplace_t *p = &dtp->places[--dtp->nplaces];

		free((char *)p->dtep_file);
		free((char *)p->dtep_msg);
		free((char *)p->dtep_text);
	}
	dtp->more.n = 0;
}

void
dt_errplace_keep(dtrace_hdl_t *dtp, const struct lang_src *src)
{
	if (dtp->err.loc.line > 0)
		errplace_add(dtp, src, &dtp->err);
	for (uint32_t i = 0; dtp->nplaces > 0 && i < dtp->more.n; i++)
		if (dtp->more.v[i].loc.line > 0)
			errplace_add(dtp, src, &dtp->more.v[i]);
	qsort(dtp->places, dtp->nplaces, sizeof(*dtp->places), errplace_cmp);
}

size_t
dtrace_errplaces(dtrace_hdl_t *dtp, const dtrace_errplace_t **places)
{
	*places = dtp->places;
	return dtp->errnum == EDT_COMPILER || (dtp->errnum == EDT_PRIV &&
					       dtp->err.loc.line > 0)
		       ? dtp->nplaces
		       : 0;
}
