/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_write.c - types as declarations: D text of a program's own, or C text
 * of any with all that they need.
 *
 * Declarations come in an order in which they compile.  What a type holds by
 * value must be complete before it, what it only points to must be declared:
 *
 *	write_need(t, true)	struct a { struct b b; };   b whole, first
 *	write_need(t, false)	struct a { struct b *p; };  struct b; first
 *
 * Typedefs and enums have no forward form, and are written in either case.
 *
 * C text has one name space for all types that were read, be they from the D
 * program, from D's own or from several BTFs: a name that is taken by another
 * type gets ___2 behind it.  How members are laid out is in type_members.c.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "type/type_write.h"

/* ---- what has been written ----------------------------------------------- */

struct type_mark *
type_write_mark(struct type_writer *w, const struct type *t)
{
	struct type_mark *m = hash_find(w->marks, &t, sizeof(t));

	if (m != NULL)
		return m;
	m = arena_alloc(w->arena, sizeof(*m));
	if (m == NULL || hash_set(w->marks, &t, sizeof(t), m) != 0)
		return &w->spare; /* the text is incomplete: so is memory */
	return m;
}

struct type_writer *
type_writer_new(struct type_space *ts, bool c)
{
	struct type_writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->ts = ts;
	w->c = c;
	w->arena = arena_new();
	w->marks = hash_new();
	w->names = hash_new();
	if (w->arena != NULL && w->marks != NULL && w->names != NULL)
		return w;
	type_writer_free(w);
	return NULL;
}

void
type_writer_free(struct type_writer *w)
{
	if (w == NULL)
		return;
	hash_free(w->marks);
	hash_free(w->names);
	if (w->arena != NULL)
		arena_free(w->arena);
	free(w);
}

/* ---- names --------------------------------------------------------------- */

static const char *
keyword(const struct type *t)
{
	switch (t->kind) {
	case TYPE_ENUM:
		return "enum ";
	case TYPE_STRUCT:
		return "struct ";
	case TYPE_UNION:
		return "union ";
	case TYPE_FWD:
		return t->is_union ? "union " : "struct ";
	default:
		return "";
	}
}

/*
 * The name by which C knows it, unlike that of any other in its name space
 * ('s': tags, 't': all other).  What is declared, never defined, is what has
 * that tag.
 */
const char *
type_write_unique(struct type_writer *w, char space, const char *name,
		  const struct type *t)
{
	char *s = NULL;

	for (unsigned i = 1;; i++) {
		const struct type *owner;

		s = i == 1 ? arena_printf(w->arena, "%c%s", space, name) :
			     arena_printf(w->arena, "%c%s___%u", space, name, i);
		if (s == NULL)
			return name;
		for (char *p = s + 1; *p != '\0'; p++)
			if (!isalnum((unsigned char)*p) && *p != '_')
				*p = '_';
		owner = hash_find_str(w->names, s);
		if (owner == NULL || (owner->kind == TYPE_FWD && space == 's'))
			break;
		if (owner == t || (t->kind == TYPE_FWD && space == 's'))
			return s + 1;
	}
	if (hash_set_str(w->names, s, (void *)t) != 0)
		return name;
	return s + 1;
}

const char *
type_write_tag(struct type_writer *w, struct type *t)
{
	struct type_mark *m = type_write_mark(w, t);

	if (!w->c || t->name == NULL)
		return t->name;
	if (m->name != NULL)
		return m->name;
	m->name = type_write_unique(w, keyword(t)[0] != '\0' ? 's' : 't',
				    t->name, t);
	return m->name;
}

/* "ext4`" where the name alone would be another type. */
static const char *
d_module(const struct type_writer *w, struct type *t)
{
	char text[TYPE_NAME_MAX];
	struct type *found;

	if (t->btf_id == 0 || strlen(t->name) + 8 > sizeof(text) ||
	    (keyword(t)[0] == '\0' && t->kind != TYPE_TYPEDEF))
		return NULL;
	strcpy(text, keyword(t));
	strcat(text, t->name);
	found = type_lookup(w->ts, NULL, text);
	return found != t ? type_kernel_module(t) : NULL;
}

/* The words for what is not derived from another. */
static void
write_base_words(const struct type_how *how, struct type *t, struct buf *out)
{
	struct type_writer *w = how->arg;
	bool sou = t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
	const char *mod;

	if (t->kind == TYPE_STRING && w->c) {
		buf_puts(out, "char");
		return;
	}
	if (t->name == NULL && (sou || t->kind == TYPE_ENUM)) {
		const char *name = type_write_mark(w, t)->name;
		if (name != NULL)
			buf_puts(out, name);
		else
			type_write_body(w, t, out);
		return;
	}
	buf_puts(out, keyword(t));
	if (w->c && (keyword(t)[0] != '\0' || t->kind == TYPE_TYPEDEF)) {
		buf_puts(out, type_write_tag(w, t));
		return;
	}
	if (t->name == NULL)
		return;
	mod = w->c ? NULL : d_module(w, t);
	if (mod != NULL)
		buf_printf(out, "%s`", mod);
	buf_puts(out, t->name);
}

void
type_write(struct type_writer *w, struct type *t, const char *name, bool more,
	   struct buf *out)
{
	struct type_how how = { .base = write_base_words,
				.arg = w,
				.userland = !w->c,
				.c = w->c,
				.bare = more };

	type_text(&how, t, name != NULL ? name : "", out);
}

/* ---- declarations in order ----------------------------------------------- */

static void
write_forward(struct type_writer *w, struct type *t, struct buf *out)
{
	struct type_mark *m = type_write_mark(w, t);

	/* While its members are being written, a function may take it. */
	if (m->declared || m->state == TYPE_DEFINED || t->name == NULL ||
	    (m->state == TYPE_BEGUN && !w->c))
		return;
	m->declared = true;
	buf_printf(out, "%s%s;\n", keyword(t), type_write_tag(w, t));
}

static void
write_members(struct type_writer *w, struct type *t, struct buf *out)
{
	size_t n;
	const struct type_member *v = type_members(t, &n);

	for (size_t i = 0; i < n; i++)
		type_write_need(w, v[i].type, true, out);
}

static void
write_sou(struct type_writer *w, struct type *t, bool whole, struct buf *out)
{
	struct type_mark *m = type_write_mark(w, t);

	if (t->name != NULL && (!whole || type_is_incomplete(t))) {
		write_forward(w, t, out);
		return;
	}
	if (m->state == TYPE_DEFINED || m->state == TYPE_BEGUN)
		return;
	m->state = TYPE_BEGUN;
	write_members(w, t, out);
	if (t->name == NULL) {
		m->state = TYPE_UNWRITTEN; /* where it is used */
		return;
	}
	m->state = TYPE_DEFINED;
	type_write_body(w, t, out);
	buf_puts(out, ";\n");
	type_write_asserts(w, t, out);
}

static void
write_enum(struct type_writer *w, struct type *t, struct buf *out)
{
	struct type_mark *m = type_write_mark(w, t);

	if (m->state == TYPE_DEFINED || t->name == NULL)
		return;
	m->state = TYPE_DEFINED;
	type_write_body(w, t, out);
	buf_puts(out, ";\n");
}

/* C has this one. */
static bool
is_compilers(const struct type *t)
{
	return strcmp(t->name, "__builtin_va_list") == 0;
}

static void
write_typedef(struct type_writer *w, struct type *t, bool whole,
	      struct buf *out)
{
	struct type_mark *m = type_write_mark(w, t);

	if (is_compilers(t))
		return;
	if (m->state == TYPE_UNWRITTEN) {
		m->state = TYPE_BEGUN;
		type_write_need(w, t->ref, false, out);
		m->state = TYPE_DEFINED;
		buf_puts(out, "typedef ");
		type_write(w, t->ref, type_write_tag(w, t), false, out);
		buf_puts(out, ";\n");
		/* That is the name of what has no other. */
		if (t->ref->name == NULL && (type_is_sou(t->ref) ||
					     t->ref->kind == TYPE_ENUM))
			type_write_mark(w, t->ref)->name = type_write_tag(w, t);
	}
	if (whole && m->state == TYPE_DEFINED)
		type_write_need(w, t->ref, true, out);
}

static void
write_func(struct type_writer *w, struct type *t, struct buf *out)
{
	size_t n;
	const struct type_param *p = type_params(t, &n);

	type_write_need(w, t->ref, false, out);
	for (size_t i = 0; i < n; i++)
		type_write_need(w, p[i].type, false, out);
}

void
type_write_need(struct type_writer *w, struct type *t, bool whole,
		struct buf *out)
{
	bool known = !w->c && t->space != w->ts;

	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (!known)
			write_sou(w, t, whole, out);
		break;
	case TYPE_FWD:
		if (w->c)
			write_forward(w, t, out);
		break;
	case TYPE_ENUM:
		if (!known)
			write_enum(w, t, out);
		break;
	case TYPE_TYPEDEF:
		if (w->c)
			write_typedef(w, t, whole, out);
		break;
	case TYPE_ARRAY:
		type_write_need(w, t->ref, true, out);
		break;
	case TYPE_FUNC:
		write_func(w, t, out);
		break;
	case TYPE_PTR:
		type_write_need(w, t->ref, false, out);
		break;
	case TYPE_CONST:
	case TYPE_VOLATILE:
	case TYPE_RESTRICT:
		type_write_need(w, t->ref, whole, out);
		break;
	default:
		break;
	}
}

/* ---- all of a space ------------------------------------------------------ */

void
type_write_space(struct type_writer *w, const struct type_space *ts, size_t i,
		 struct buf *out)
{
	struct type *t;

	for (; (t = type_space_declared(ts, i)) != NULL; i++)
		if (t->name != NULL)
			type_write_need(w, t, true, out);
}

void
type_write_rest(struct type_writer *w, size_t i, struct buf *out)
{
	struct type *t;

	for (; (t = type_space_declared(w->ts, i)) != NULL; i++) {
		if (t->kind != TYPE_ENUM || t->name != NULL ||
		    type_write_mark(w, t)->state == TYPE_DEFINED)
			continue;
		type_write_body(w, t, out);
		buf_puts(out, ";\n");
	}
}

void
type_write_kernel(struct type_writer *w, const struct type_space *ts,
		  struct buf *out)
{
	const struct type_btf *tb;
	struct type *t;

	for (; ts != NULL && ts->kernel == NULL; ts = ts->parent)
		;
	for (size_t i = 0; ts != NULL &&
			   (tb = type_kernel_btf(ts->kernel, i)) != NULL;
	     i++) {
		bool end = false;

		for (uint32_t k = 0; !end; k++) {
			t = type_btf_imported(tb, k, &end);
			if (t == NULL || t->name == NULL)
				continue;
			if (t->kind == TYPE_TYPEDEF || type_list_read(t))
				type_write_need(w, t,
						t->kind != TYPE_TYPEDEF, out);
		}
	}
}
