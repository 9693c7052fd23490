/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_near.c - names that were misspelt: hints for the messages of the
 * checker.  Each function gives " (did you mean NAME?)", or "" where no known
 * name is near, or what names_later() says of a name that came later, or what D
 * has for a word of another tracer (foreign.def); the text lives as long as the
 * compile.
 *
 * Names of the kernel (types, enumerators, symbols) are not searched: there
 * are too many, and something is always near.
 */
#include "lang/check/check_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/near.h"

static const char *
hint(struct compile *cx, const struct near *n)
{
	char buf[NEAR_HINT_MAX];

	return arena_printf(cx->arena, "%s", near_hint(n, buf));
}

static const struct foreign {
	const char *word, *name, *write;
} foreigns[] = {
#define FOREIGN(word, name, write) { #word, #name, write },
#include "lang/check/foreign.def"
#undef FOREIGN
};

/* What D has for a word of another tracer; NULL: it is none. */
static const char *
foreign_hint(struct compile *cx, const char *word)
{
	unsigned n;
	char end;

	for (size_t i = 0; i < sizeof(foreigns) / sizeof(*foreigns); i++) {
		const struct foreign *f = &foreigns[i];

		if (strcmp(f->word, word) == 0 &&
		    (names_exists(cx, f->name) ||
		     names_act(cx, f->name) != NULL ||
		     names_subr(cx, f->name) != NULL ||
		     names_aggfunc(cx, f->name) != NULL))
			return arena_printf(cx->arena, " (in D: %s)", f->write);
	}
	if (sscanf(word, "arg%2u%c", &n, &end) == 1 && n >= 10)
		return arena_printf(cx->arena,
				    " (arg0 to arg9 are variables: write "
				    "args[%u])",
				    n);
	return NULL;
}

static void
try_table(struct near *n, const struct hash *h)
{
	const void *key;
	size_t pos = 0, len;
	void *val;

	while (hash_next(h, &pos, &key, &len, &val))
		near_try(n, val != NULL ? key : NULL);
}

/* Those of what it is compared with. */
static void
try_enumerators(struct compile *cx, struct near *n)
{
	const struct type_enumerator *v;
	size_t k = 0;

	v = cx->beside != NULL ? type_enumerators(cx->beside, &k) : NULL;
	for (size_t i = 0; i < k; i++)
		near_try(n, v[i].name);
}

/* A macro argument that was meant as a string; NULL: it is none. */
static const char *
argument_hint(struct compile *cx, const char *name)
{
	for (int i = 1; i < cx->src->argc; i++)
		if (strcmp(cx->src->argv[i], name) == 0)
			return arena_printf(cx->arena,
					    " ($%d is a name then: $$%d is a "
					    "string)", i, i);
	return NULL;
}

const char *
check_near_var(struct compile *cx, enum dif_scope scope, const char *name)
{
	const char *foreign, *argument = argument_hint(cx, name);
	struct near n;

	if (*names_later(cx, name) != '\0')
		return names_later(cx, name);
	if (argument != NULL)
		return argument;
	foreign = scope == DIF_SCOPE_GLOBAL ? foreign_hint(cx, name) : NULL;
	if (foreign != NULL)
		return foreign;
	near_init(&n, name);
	if (scope == DIF_SCOPE_GLOBAL) {
		try_enumerators(cx, &n);
		for (size_t i = 0; i < dif_nbuiltins; i++)
			near_try(&n, dif_builtins[i].name);
	}
	try_table(&n, scope == DIF_SCOPE_THREAD ? cx->lang->selfs
		      : scope == DIF_SCOPE_LOCAL ? cx->lang->thiss
						 : cx->lang->globals);
	return hint(cx, &n);
}

const char *
check_near_func(struct compile *cx, const char *name)
{
	const char *foreign = foreign_hint(cx, name);
	struct near n;

	if (*names_later(cx, name) != '\0')
		return names_later(cx, name);
	if (foreign != NULL)
		return foreign;
	near_init(&n, name);
	for (size_t i = 0; i < dif_nacts; i++)
		near_try(&n, dif_acts[i].name);
	for (size_t i = 0; i < dif_nsubrs; i++)
		near_try(&n, dif_subrs[i].name);
	for (size_t i = 0; i < dif_naggfuncs; i++)
		near_try(&n, dif_aggfuncs[i].name);
	return hint(cx, &n);
}

/* Members of anonymous structs in it are members of it. */
static void
try_members(struct compile *cx, struct near *n, struct type *t)
{
	const struct type_member *m;
	size_t count;

	m = type_members(type_resolve(t), &count);
	for (size_t i = 0; i < count; i++)
		if (m[i].name == NULL)
			try_members(cx, n, m[i].type);
		else
			near_try(n, m[i].name);
}

const char *
check_near_member(struct compile *cx, struct type *t, const char *name)
{
	struct near n;

	near_init(&n, name);
	try_members(cx, &n, t);
	return hint(cx, &n);
}
