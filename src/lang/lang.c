/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lang.c - the handle of the front end, and the frame of one compile.
 *
 * lang_compile() owns what a compile makes: an arena, a type space, tables.
 * The setjmp in compile_run() is the only one; every failure comes back to it,
 * and all is dropped in compile_fini().  What shall outlive the compile moves
 * to the struct lang at the end, in steps of which only the first can fail.
 */
#include "lang/parse_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG(name, what) const struct err_tag name = { #name, name##_IDX };
#include "lang/errtag.def"
#undef TAG

const struct lang_tag_info lang_tags[] = {
#define TAG(name, what) { { #name, name##_IDX }, what },
#include "lang/errtag.def"
#undef TAG
};
const size_t lang_ntags = LANG_NTAGS;

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

_Noreturn void
lang_fail(struct compile *cx, const struct err_tag *tag, struct src_loc loc,
	  const char *fmt, ...)
{
	char msg[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	fail_place(cx, &loc, msg, sizeof(msg));
	err_set_loc(cx->err, tag, loc, "%s", msg);
	longjmp(cx->fail, 1);
}

_Noreturn void
lang_nomem(struct compile *cx)
{
	err_nomem(cx->err);
	longjmp(cx->fail, 1);
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

struct dif_tab *
lang_tab(struct lang *l)
{
	return &l->tab;
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
	cx->types = type_space_new(l->types, e);
	return cx->types == NULL ? -1 : 0;
}

void
compile_fini(struct compile *cx)
{
	vec_fini(&cx->clauses);
	show_end(cx);
	hash_free(cx->strings);
	if (cx->types != NULL)
		type_space_free(cx->types);
	arena_free(cx->out);
	arena_free(cx->arena);
}

/* What dtrace calls the program: the description, cropped, or the file. */
static const char *
compile_name(struct compile *cx)
{
	const struct lang_src *src = cx->src;

	if (src->file != NULL)
		return arena_strdup(cx->out, src->file);
	size_t n = 0;
	while (n < src->len && strchr("{/;", src->text[n]) == NULL)
		n++;
	while (n > 0 && lex_isblank(src->text[n - 1]))
		n--;
	return arena_strndup(cx->out, src->text, n);
}

static void
compile_items(struct compile *cx)
{
	struct item *it;
	bool any = false;

	while ((it = parse_item(cx)) != NULL) {
		any = any || it->kind != ITEM_NONE;
		check_item(cx, it);
	}
	if (!any && !cx->src->library &&
	    !(cx->cflags & (LANG_C_EMPTY | LANG_C_CTL)))
		lang_fail(cx, &D_EMPTY, lex_loc(cx->lex), "empty D program");
	macro_check_unused(cx);
	pragma_check_unused(cx);
}

static struct dif_prog *
compile_result(struct compile *cx)
{
	struct dif_prog *p = arena_alloc(cx->out, sizeof(*p));

	p->name = compile_name(cx);
	p->clauses = arena_memdup(cx->out, cx->clauses.v,
				  cx->clauses.n * sizeof(*cx->clauses.v));
	p->nclauses = (uint32_t)cx->clauses.n;
	for (uint32_t i = 0; i < p->nclauses; i++)
		p->clauses[i].src = p->name;
	p->arena = cx->out;
	return p;
}

/* Move what outlives the compile.  All memory is had before names change. */
static void
compile_keep(struct compile *cx)
{
	struct lang *l = cx->lang;

	if (!vec_grow((void **)&l->spaces.v, &l->spaces.cap, l->spaces.n + 1,
		      sizeof(*l->spaces.v)) ||
	    !vec_grow((void **)&l->kept.v, &l->kept.cap, l->kept.n + 1,
		      sizeof(*l->kept.v)))
		lang_nomem(cx);
	names_commit(cx);
	l->spaces.v[l->spaces.n++] = cx->types;
	if (cx->src->library)
		l->nlibspaces = l->spaces.n;
	l->types = cx->types;
	cx->types = NULL;
	if (cx->keep_arena) {
		arena_on_oom(cx->arena, NULL, NULL);
		l->kept.v[l->kept.n++] = cx->arena;
		cx->arena = NULL;
	}
	while (cx->attrs != NULL) {
		struct lang_attr *a = cx->attrs;
		cx->attrs = a->next;
		a->next = l->attrs;
		l->attrs = a;
	}
}

static struct dif_prog *
compile_run(struct compile *cx)
{
	if (setjmp(cx->fail) != 0) {
		names_rollback(cx);
		parse_fini(cx);
		return NULL;
	}
	names_begin(cx);
	parse_init(cx);
	show_begin(cx);
	compile_items(cx);
	struct dif_prog *p = compile_result(cx);
	if (cx->skip)
		names_rollback(cx);
	else
		compile_keep(cx);
	parse_fini(cx);
	/* The program's arena is the caller's now. */
	arena_on_oom(cx->out, NULL, NULL);
	cx->out = NULL;
	return p;
}

struct dif_prog *
lang_compile(struct lang *l, const struct lang_src *src, struct err *e)
{
	struct compile cx;
	struct dif_prog *p = NULL;

	if (compile_init(&cx, l, src, e) == 0)
		p = compile_run(&cx);
	compile_fini(&cx);
	return p;
}
