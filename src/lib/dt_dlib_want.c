/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_dlib_want.c - which files of the D library a program needs.
 *
 * To compile them all takes longer than all else that starts a small trace, so
 * a file whose text is built in is left out while nothing names what it
 * declares: no word of a program, of its macro arguments, of a file that is
 * compiled in any case, and no type to which args[] is translated.  Files of
 * the library itself say what they need (depends_on).
 *
 * Words are taken from the text (lang_words()), without regard to what they
 * mean there, and the probes that a program names are guessed by their words.
 * A guess too many costs time.  One too few makes the program fail: then the
 * rest is compiled, and the program once more (dt_prog.c), so that no error is
 * another than with the whole library.  doc/decisions/0022 has more.
 */
#include "lib/dt_impl.h"

#include <string.h>

#include "base/hash.h"

struct want {
	dtrace_hdl_t *dtp;
	struct hash *words; /* of all that is to be compiled */
	bool failed;        /* no memory */
};

static void
want_word(void *arg, const char *word, size_t len)
{
	struct want *w = arg;

	if (hash_set(w->words, word, len, w) != 0)
		w->failed = true;
}

static void
want_text(struct want *w, const char *text, size_t len)
{
	lang_words(text, len, want_word, w);
}

/* ---- types of args[] ----------------------------------------------------- */

struct absent {
	const struct hash *words;
	bool any;
};

static void
absent_word(void *arg, const char *word, size_t len)
{
	struct absent *a = arg;

	a->any |= hash_find(a->words, word, len) == NULL;
}

static bool
has_words(const struct want *w, const char *name)
{
	struct absent a = { .words = w->words };

	lang_words(name, strlen(name), absent_word, &a);
	return !a.any;
}

static void
want_translated(void *arg, const char *prov, const char *name, const char *type)
{
	struct want *w = arg;

	if (has_words(w, prov) || has_words(w, name))
		want_text(w, type, strlen(type));
}

/* ---- files --------------------------------------------------------------- */

/* True if one of the names is a word. */
static bool
has_name(const struct want *w, const struct dt_dlib_text *t)
{
	const char *name = t->names, *end = name + t->nameslen;

	for (size_t len; name < end; name += len + 1) {
		len = strlen(name);
		if (hash_find(w->words, name, len) != NULL)
			return true;
	}
	return false;
}

static bool
is_new(const struct dt_dlib_file *f)
{
	return f->state == DT_DLIB_NEW;
}

/* The files that somebody asked for are wanted already: their words count. */
static void
want_asked(struct want *w)
{
	const struct dt_dlib *dl = &w->dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++) {
		const struct dt_dlib_file *f = dl->files.v[i];

		if (f->builtin == NULL && is_new(f))
			want_text(w, f->text, f->len);
	}
}

static void
want_named(struct want *w)
{
	const struct dt_dlib *dl = &w->dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++) {
		struct dt_dlib_file *f = dl->files.v[i];

		if (is_new(f) && !f->wanted)
			f->wanted = has_name(w, f->builtin);
	}
}

static void
want_program(struct want *w, const struct lang_src *src)
{
	want_text(w, src->text, src->len);
	for (int i = 0; i < src->argc; i++)
		want_text(w, src->argv[i], strlen(src->argv[i]));
	want_asked(w);
	if (hash_find_str(w->words, "args") != NULL)
		probe_translated(w->dtp->probes, want_translated, w);
	want_named(w);
}

/* True if what is shown of a compile would show which files were in it. */
static bool
shows_files(const dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < DT_NTYPEFILES; i++)
		if (dtp->type_files[i] != NULL)
			return true;
	return dtp->opt[DT_OPT_tree] != DTRACEOPT_UNSET;
}

bool
dt_dlib_left(const dtrace_hdl_t *dtp)
{
	const struct dt_dlib *dl = &dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++)
		if (is_new(dl->files.v[i]))
			return true;
	return false;
}

int
dt_dlib_rest(dtrace_hdl_t *dtp)
{
	const struct dt_dlib *dl = &dtp->dlib;

	for (size_t i = 0; i < dl->files.n; i++)
		dl->files.v[i]->wanted = true;
	return dt_dlib_load(dtp);
}

int
dt_dlib_for(dtrace_hdl_t *dtp, const struct lang_src *src)
{
	struct want w = { .dtp = dtp };

	if (dt_dlib_read(dtp) != 0)
		return -1;
	/* One without a text has the library looked at (dtrace -e). */
	if (src->len == 0 || shows_files(dtp))
		return dt_dlib_rest(dtp);
	w.words = hash_new();
	if (w.words == NULL)
		return dt_nomem(dtp);
	want_program(&w, src);
	hash_free(w.words);
	return w.failed ? dt_nomem(dtp) : dt_dlib_load(dtp);
}
