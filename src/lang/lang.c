/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lang.c - the door of the front end: runs its layers over one text.
 *
 * Items, and the statements of clauses, are tried one by one (compile_try()),
 * so that a program learns of several errors at once.  What shall outlive the
 * compile moves to the struct lang at the end, in steps of which only the first
 * can fail.
 */
#include "lang/check/check.h"
#include "lang/clause/clause.h"
#include "lang/lex/lex.h"
#include "lang/parse/parse.h"
#include "lang/show/show.h"
#include "lang/tree/names.h"

#include <string.h>

/* ---- what there is ------------------------------------------------------- */

struct dif_tab *
lang_tab(struct lang *l)
{
	return &l->tab;
}

size_t
lang_nproviders(const struct lang *l)
{
	return l->providers.n;
}

const struct lang_provider *
lang_provider(const struct lang *l, size_t i)
{
	return &l->providers.v[i]->pub;
}

void
lang_provider_stab(const struct lang *l, const struct lang_provider *p,
		   const char *part, uint8_t stab[3])
{
	static const uint8_t private[3] = { 1, 1, 0 };

	memcpy(stab, private, sizeof(private));
	for (const struct lang_attr *a = l->attrs; a != NULL; a = a->next) {
		if (a->binding || a->provider == NULL ||
		    strcmp(a->provider, p->name) != 0 ||
		    strcmp(a->name, part) != 0)
			continue;
		memcpy(stab, a->stab, sizeof(a->stab));
		return; /* the newest */
	}
}

/* ---- one compile --------------------------------------------------------- */

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
read_item(struct compile *cx, void *arg)
{
	*(struct item **)arg = parse_item(cx);
}

static void
compile_item(struct compile *cx, void *arg)
{
	struct item *it = arg;

	if (it->kind == ITEM_CLAUSE)
		clause_compile(cx, &it->clause);
	else
		check_decl_item(cx, it);
}

/* Every item up to the end, or to where an error leaves nothing to go by; true
   if there was one. */
static bool
compile_each(struct compile *cx)
{
	const char *start = cx->lex->p;
	struct item *it = NULL;
	bool any = false;

	for (;; start = cx->lex->p) {
		if (!compile_try(cx, true, read_item, &it)) {
			if (!parse_resume(cx, start))
				return true;
			continue;
		}
		if (it == NULL)
			return any;
		any = any || it->kind != ITEM_NONE;
		show_parsed(cx, it);
		compile_try(cx, true, compile_item, it);
		show_made(cx, it);
	}
}

static void
compile_items(struct compile *cx)
{
	bool any = compile_each(cx);

	if (err_is_set(cx->err))
		longjmp(*cx->fail, 1);
	if (!any && !cx->src->library &&
	    !(cx->cflags & (LANG_C_EMPTY | LANG_C_CTL)))
		lang_fail(cx, &D_EMPTY, lex_loc(cx->lex), "empty D program");
	show_made(cx, NULL);
	macro_check_unused(cx);
	pragma_check_unused(cx);
}

static bool
note_before(const struct lang_note *a, const struct lang_note *b)
{
	return a->loc.line < b->loc.line ||
	       (a->loc.line == b->loc.line && a->loc.col < b->loc.col);
}

/* The notes, or the warnings, as lines, in the order of the text. */
static const char *
compile_notes(struct compile *cx, bool loud)
{
	const char *all = NULL;

	for (;;) {
		struct lang_note **first = NULL;
		for (struct lang_note **at = &cx->notes; *at != NULL;
		     at = &(*at)->next)
			if ((*at)->loud == loud &&
			    (first == NULL || note_before(*at, *first)))
				first = at;
		if (first == NULL)
			return all;
		const struct lang_note *n = *first;
		*first = n->next;
		all = arena_printf(cx->out, "%s%s:%d:%d: %s\n",
				   all != NULL ? all : "",
				   n->loc.file != NULL ? n->loc.file : "D",
				   n->loc.line, n->loc.col, n->text);
	}
}

static struct dif_prog *
compile_result(struct compile *cx)
{
	struct dif_prog *p = arena_alloc(cx->out, sizeof(*p));

	p->name = compile_name(cx);
	p->clauses = arena_memdup(cx->out, cx->clauses.v,
				  cx->clauses.n * sizeof(*cx->clauses.v));
	p->nclauses = (uint32_t)cx->clauses.n;
	p->notes = compile_notes(cx, false);
	p->warnings = compile_notes(cx, true);
	for (uint32_t i = 0; i < p->nclauses; i++)
		p->clauses[i].src = p->name;
	p->arena = cx->out;
	return p;
}

/* The types of the compile are the newest; those of a library's text, of the
   libraries'.  There is room. */
static void
keep_types(struct compile *cx)
{
	struct lang *l = cx->lang;
	size_t at = cx->src->library ? l->nlibspaces++ : l->spaces.n;
	struct type_space **v = &l->spaces.v[at];

	memmove(v + 1, v, (l->spaces.n++ - at) * sizeof(*v));
	*v = cx->types;
	if (at + 1 < l->spaces.n)
		type_space_put_below(v[1], cx->types);
	else
		l->types = cx->types;
	cx->types = NULL;
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
	type_space_ask(cx->types, NULL, NULL);
	keep_types(cx);
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
	jmp_buf fail;

	cx->fail = &fail;
	if (setjmp(fail) != 0) {
		show_made(cx, NULL);
		names_rollback(cx);
		return NULL;
	}
	names_begin(cx);
	parse_init(cx, &check_ask);
	show_begin(cx);
	compile_items(cx);
	struct dif_prog *p = compile_result(cx);
	compile_check_types(cx);
	if (cx->skip)
		names_rollback(cx);
	else
		compile_keep(cx);
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
	show_end(&cx);
	compile_fini(&cx);
	return p;
}
