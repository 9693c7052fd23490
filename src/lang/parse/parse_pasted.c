/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_pasted.c - names of functions as a stack or a debugger shows them,
 * pasted into a probe description, which cannot have them:
 *
 *	pid1:a.out:ns::f(int):entry		C++
 *	pid1:a.out:<T as core::fmt::Debug>::fmt:entry	Rust
 *	pid1:a.out:main.(*T).Method:entry		Go
 *	pid1:a.out:example.com/x.F:entry		Go
 *
 * They are refused, with a pattern that matches the function.
 */
#include "lang/parse/parse_impl.h"

#include <ctype.h>
#include <string.h>

/* The function's field, after the provider's and the module's; NULL: the text
   is not about functions of a process. */
static const char *
function_field(const char *text)
{
	size_t n = strncmp(text, "pid", 3) == 0     ? 3
		   : strncmp(text, "instr", 5) == 0 ? 5
						    : 0;
	const char *mod = strchr(text, ':');

	if (n == 0 || mod == NULL ||
	    (text[n] != '*' && !isdigit((unsigned char)text[n])))
		return NULL;
	mod = strchr(mod + 1, ':');
	return mod != NULL ? mod + 1 : NULL;
}

/* What stands from here on up to where a clause or a line ends. */
static const char *
rest_of(struct compile *cx)
{
	const struct lex *lx = cx->lex;
	const char *p = lx->p;

	while (p < lx->end && *p != '{' && *p != '\n')
		p++;
	return arena_strndup(cx->arena, lx->p, (size_t)(p - lx->p));
}

/* Where the name of a probe at a way in or out begins, at its colon; NULL:
 * nowhere. */
static const char *
name_in_out(const char *s)
{
	static const char *const names[] = { ":entry", ":return" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(s, names[i]) != NULL)
			return strstr(s, names[i]);
	return NULL;
}

/* The function without the probe's name, which may be any. */
static const char *
without_name(struct compile *cx, const char *all)
{
	const char *name = name_in_out(all), *last = strrchr(all, ':');

	if (name == NULL && last != NULL && last > all && last[-1] != ':' &&
	    strpbrk(last, ")> ") == NULL)
		name = last;
	return name != NULL
		       ? arena_strndup(cx->arena, all, (size_t)(name - all))
		       : all;
}

/* Each character that a description cannot have, or which means something
   there, as one that may be any. */
static const char *
go_pattern(struct compile *cx, const char *func)
{
	char *s = arena_strdup(cx->arena, func);

	for (char *p = s; *p != '\0'; p++)
		if (!lex_idchar(*p) && strchr(".-", *p) == NULL)
			*p = '?';
	return s;
}

/* The end of <...>, at its beginning. */
static const char *
angle_end(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		depth += *p == '<';
		depth -= *p == '>';
		if (depth == 0)
			return p + 1;
	}
	return p;
}

/* The words of the name up to its parameters, without those of templates; a
   destructor and an operator have none of theirs. */
static const char *
scoped_pattern(struct compile *cx, const char *func)
{
	const char *glob = "*", *p = func;

	while (*p != '\0' && *p != '(') {
		const char *word = p;

		while (lex_idchar(*p))
			p++;
		if (p - word == 8 && memcmp(word, "operator", 8) == 0)
			break;
		if (*word == '~')
			return arena_printf(cx->arena, "%sD?Ev", glob);
		if (p != word && *p != ' ')
			glob = arena_printf(cx->arena, "%s%.*s*", glob,
					    (int)(p - word), word);
		else if (*p == '<')
			p = angle_end(p);
		else if (*p != '\0' && p == word)
			p++;
	}
	return glob;
}

void
parse_refuse_pasted(struct compile *cx, const char *text)
{
	const struct lex *lx = cx->lex;
	const char *func = function_field(text), *rest, *all;
	const struct src_loc loc = lex_loc(lx);
	bool path, go;

	if (func == NULL || lx->p == lx->end ||
	    strchr("(<>&=/", *lx->p) == NULL)
		return;
	rest = rest_of(cx);
	path = *lx->p == '/';
	/* A predicate begins with a slash, too, but has no probe's name. */
	if (path && (strchr(func, ':') != NULL || name_in_out(rest) == NULL))
		return;
	all = without_name(cx, arena_printf(cx->arena, "%s%s", func, rest));
	go = path || strstr(all, ".(") != NULL;
	lang_fail(cx, &D_PDESC_INVAL, loc,
		  "%s is no name that a probe description can have (%s: %s "
		  "matches that)",
		  all,
		  go ? "with ? for the characters that it cannot have"
		     : "a function of C++ or Rust has its linker's name",
		  go ? go_pattern(cx, all) : scoped_pattern(cx, all));
}
