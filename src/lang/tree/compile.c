/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * compile.c - the handle of the front end, and the frame of one compile: what
 * it owns, and how it fails.
 *
 * compile_init() makes an arena, a type space, tables; every failure goes to
 * the innermost setjmp, of compile_try() or compile_run() (lang.c), and all is
 * dropped in compile_fini().
 */
#include "lang/tree/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failing ------------------------------------------------------------- */

static bool
same_file(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/*
 * What is wrong stands in an inline or translator: say where it was used, too.
 * If that is another text, the place that counts is the one in the program.
 */
static void
fail_place(const struct compile *cx, struct src_loc *loc, char *msg,
	   size_t size)
{
	const struct expansion *used = NULL;
	size_t n = strlen(msg);

	for (const struct expansion *x = cx->expansion; x != NULL; x = x->up)
		if (x->use.line != 0)
			used = x;
	if (used == NULL || (same_file(loc->file, used->use.file) &&
			     loc->line == used->use.line))
		return;
	if (loc->line == 0 || !same_file(loc->file, used->use.file)) {
		if (loc->file != NULL)
			snprintf(msg + n, size - n, " (in %s, %s line %d)",
				 used->name, loc->file, loc->line);
		*loc = used->use;
		return;
	}
	snprintf(msg + n, size - n, " (in %s, used in line %d)", used->name,
		 used->use.line);
}

/* True if the error may be nothing but a consequence of one before. */
static bool
is_consequence(const struct compile *cx, const struct err_tag *tag)
{
	return cx->unsure &&
	       (tag == &D_VAR_UNDEF || tag == &D_IDENT_UNDEF ||
		tag == &D_PRINTA_AGGBAD || tag == &D_CLEAR_AGGBAD ||
		tag == &D_TRUNC_AGGBAD || tag == &D_NORMALIZE_AGGBAD);
}

static bool
same_error(const struct err *e, const struct err_tag *tag, struct src_loc loc)
{
	return e->tag == tag && e->loc.line == loc.line &&
	       e->loc.col == loc.col && same_file(e->loc.file, loc.file);
}

/* A clause is compiled for each of its probes, and fails for each. */
static bool
is_known(const struct compile *cx, const struct err_tag *tag,
	 struct src_loc loc)
{
	const struct lang_more *more = cx->src->more;

	for (uint32_t i = 0; i < more->n; i++)
		if (same_error(&more->v[i], tag, loc))
			return true;
	return same_error(cx->err, tag, loc);
}

static void
compile_report(struct compile *cx, const struct err_tag *tag,
	       struct src_loc loc, const char *msg)
{
	struct lang_more *more = cx->src->more;

	if (!err_is_set(cx->err)) {
		err_set_loc(cx->err, tag, loc, "%s", msg);
	} else if (more != NULL && more->n < LANG_NMORE &&
		   !is_consequence(cx, tag) && !is_known(cx, tag, loc)) {
		err_clear(&more->v[more->n]);
		err_set_loc(&more->v[more->n++], tag, loc, "%s", msg);
	}
}

/* Another error may be looked for after the one that is known. */
static bool
may_go_on(const struct compile *cx)
{
	return cx->src->more != NULL && cx->src->more->n < LANG_NMORE &&
	       cx->err->tag != &ERR_NOMEM;
}

void
compile_warn(struct compile *cx, struct src_loc loc, const char *text)
{
	struct lang_note *new, **at = &cx->notes;

	for (; *at != NULL; at = &(*at)->next)
		if ((*at)->loud && (*at)->loc.line == loc.line &&
		    (*at)->loc.col == loc.col)
			return;
	new = arena_alloc(cx->arena, sizeof(*new));
	*new = (struct lang_note){ .loc = loc, .text = text, .loud = true };
	*at = new;
}

bool
compile_try(struct compile *cx, bool names,
	    void (*step)(struct compile *cx, void *arg), void *arg)
{
	const struct compile was = *cx;
	jmp_buf here;

	cx->fail = &here;
	if (setjmp(here) == 0) {
		step(cx, arg);
		cx->fail = was.fail;
		return true;
	}
	cx->fail = was.fail;
	if (!may_go_on(cx))
		longjmp(*cx->fail, 1);
	cx->lex = was.lex;
	cx->about = was.about;
	cx->nabout = was.nabout;
	cx->expansion = was.expansion;
	cx->inline_height = was.inline_height;
	cx->clause = was.clause;
	cx->unsure |= names;
	return false;
}

void
compile_check_types(struct compile *cx)
{
	if (type_space_failures(cx->types) != cx->types_failed)
		lang_nomem(cx);
}

_Noreturn void
lang_fail(struct compile *cx, const struct err_tag *tag, struct src_loc loc,
	  const char *fmt, ...)
{
	char msg[ERR_MSG_MAX];
	va_list ap;

	compile_check_types(cx);
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (cx->type_why != NULL) { /* what the rest comes of */
		tag = &D_TYPE_ERR;
		snprintf(msg, sizeof(msg), "%s", cx->type_why);
		cx->type_why = NULL;
	}
	fail_place(cx, &loc, msg, sizeof(msg));
	compile_report(cx, tag, loc, msg);
	longjmp(*cx->fail, 1);
}

_Noreturn void
lang_nomem(struct compile *cx)
{
	err_clear(cx->err);
	err_nomem(cx->err);
	longjmp(*cx->fail, 1);
}

static void
compile_oom(void *arg)
{
	lang_nomem(arg);
}

/* ---- small services ------------------------------------------------------ */

const char *
lang_intern(struct compile *cx, const char *s, size_t len)
{
	char *p = hash_find(cx->strings, s, len);

	if (p != NULL)
		return p;
	p = arena_alloc(cx->arena, len + 1);
	memcpy(p, s, len);
	if (hash_set(cx->strings, s, len, p) != 0)
		lang_nomem(cx);
	return p;
}

const char *
lang_type_name(struct compile *cx, struct type *t)
{
	struct buf b = BUF_INIT;
	char text[256];

	if (type_is_dyn(t))
		return "an aggregation";
	/* Through the stack: the arena may jump out and leak the buffer. */
	type_name(t, &b);
	snprintf(text, sizeof(text), "%s", buf_str(&b));
	buf_fini(&b);
	return arena_strdup(cx->arena, text);
}

/* File names outlive the compile: places in errors and clauses have them. */
const char *
lang_file(struct compile *cx, const char *name)
{
	struct lang *l = cx->lang;
	char *p = hash_find_str(l->files, name);

	if (p != NULL)
		return p;
	p = arena_strdup(l->arena, name);
	if (p == NULL || hash_set_str(l->files, name, p) != 0)
		lang_nomem(cx);
	return p;
}

/* ---- lists --------------------------------------------------------------- */

void *
list_room(struct compile *cx, void *v, size_t n, size_t size)
{
	/* Full exactly when n is 0 or a power of two. */
	if ((n & (n - 1)) != 0)
		return v;
	void *w = arena_calloc(cx->arena, n == 0 ? 1 : n * 2, size);
	if (n > 0)
		memcpy(w, v, n * size);
	return w;
}

/* ---- the handle ---------------------------------------------------------- */

struct lang *
lang_new(const struct lang_host *host, struct err *e)
{
	struct lang *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		err_nomem(e);
		return NULL;
	}
	l->host = *host;
	l->arena = arena_new();
	l->globals = hash_new();
	l->selfs = hash_new();
	l->thiss = hash_new();
	l->aggs = hash_new();
	l->files = hash_new();
	if (l->arena == NULL || l->globals == NULL || l->selfs == NULL ||
	    l->thiss == NULL || l->aggs == NULL || l->files == NULL)
		goto nomem;
	l->types = type_space_new(host->types, e);
	if (l->types == NULL)
		goto fail;
	if (!vec_push(&l->spaces, l->types)) {
		type_space_free(l->types);
		goto nomem;
	}
	l->nlibspaces = 1;
	return l;
nomem:
	err_nomem(e);
fail:
	lang_free(l);
	return NULL;
}

void
lang_free(struct lang *l)
{
	if (l == NULL)
		return;
	while (l->spaces.n > 0)
		type_space_free(l->spaces.v[--l->spaces.n]);
	vec_fini(&l->spaces);
	while (l->kept.n > 0)
		arena_free(l->kept.v[--l->kept.n]);
	vec_fini(&l->kept);
	vec_fini(&l->providers);
	hash_free(l->globals);
	hash_free(l->selfs);
	hash_free(l->thiss);
	hash_free(l->aggs);
	hash_free(l->files);
	arena_free(l->arena);
	free(l);
}

/* ---- one compile --------------------------------------------------------- */

static struct type *
compile_user_type(void *arg, const char *module, const char *name)
{
	struct compile *cx = arg;
	const struct lang_host *h = &cx->lang->host;
	const char *why = NULL;
	struct type *t = h->user_type(h->arg, cx->about, cx->nabout, module,
				      name, &why);

	if (why != NULL)
		cx->type_why = why;
	return t;
}

int
compile_init(struct compile *cx, struct lang *l, const struct lang_src *src,
	     struct err *e)
{
	*cx = (struct compile){ .err = e,
				.lang = l,
				.src = src,
				.cflags = src->cflags,
				.version = src->version != 0 ? src->version
							     : UINT32_MAX };
	cx->arena = arena_new();
	cx->out = arena_new();
	cx->strings = hash_new();
	if (cx->arena == NULL || cx->out == NULL || cx->strings == NULL)
		return err_nomem(e);
	arena_on_oom(cx->arena, compile_oom, cx);
	arena_on_oom(cx->out, compile_oom, cx);
	cx->types = type_space_new(
		src->library ? l->spaces.v[l->nlibspaces - 1] : l->types, e);
	if (cx->types == NULL)
		return -1;
	cx->types_failed = type_space_failures(cx->types);
	if (l->host.user_type != NULL)
		type_space_ask(cx->types, compile_user_type, cx);
	return 0;
}

void
compile_fini(struct compile *cx)
{
	vec_fini(&cx->clauses);
	hash_free(cx->providers);
	hash_free(cx->strings);
	if (cx->types != NULL)
		type_space_free(cx->types);
	arena_free(cx->out);
	arena_free(cx->arena);
}
