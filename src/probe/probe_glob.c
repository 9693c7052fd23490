/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_glob.c - patterns of probe descriptions: `*`, `?`, sets in brackets,
 * and `\` before a character that stands for itself.
 *
 * The match keeps one point of return, that of the last `*` seen: going back
 * to an earlier one could not find more.  So it needs no recursion and its
 * time is at worst the product of both lengths.
 */
#include <string.h>

#include "probe/probe_impl.h"

bool
probe_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[\\") != NULL;
}

bool
probe_is_exact(const char *field)
{
	return field[0] != '\0' && !probe_is_glob(field);
}

/*
 * True if c is in the set whose inside begins at s.  *end is put behind its
 * `]`; NULL if there is none, and `[` then is an ordinary character.
 */
static bool
set_has(const char *s, unsigned char c, const char **end)
{
	bool negate = *s == '!', in = false;
	const char *first;

	s += negate;
	/* A `]` that comes first is a member. */
	for (first = s; *s != '\0' && (*s != ']' || s == first); s++) {
		unsigned char lo, hi;

		if (*s == '\\' && s[1] != '\0')
			s++;
		lo = hi = (unsigned char)*s;
		if (s[1] == '-' && s[2] != ']' && s[2] != '\0') {
			s += 2;
			if (*s == '\\' && s[1] != '\0')
				s++;
			hi = (unsigned char)*s;
		}
		in |= lo <= c && c <= hi;
	}
	*end = *s == ']' ? s + 1 : NULL;
	return in != negate;
}

/* True if the first element of p matches c.  *next is behind that element. */
static bool
element_match(const char *p, char c, const char **next)
{
	const char *end;
	bool in;

	*next = p + 1;
	if (*p == '?')
		return true;
	if (*p == '[') {
		in = set_has(p + 1, (unsigned char)c, &end);
		if (end != NULL) {
			*next = end;
			return in;
		}
	} else if (*p == '\\' && p[1] != '\0') {
		*next = p + 2;
		return p[1] == c;
	}
	return *p == c;
}

bool
probe_glob(const char *p, const char *s)
{
	const char *star = NULL, *from = NULL, *next;

	if (*p == '\0')
		return true;
	for (;;) {
		if (*p == '*') {
			star = ++p;
			from = s;
		} else if (*s == '\0') {
			return *p == '\0';
		} else if (*p != '\0' && element_match(p, *s, &next)) {
			p = next;
			s++;
		} else if (star != NULL) {
			p = star;
			s = ++from;
		} else {
			return false;
		}
	}
}

bool
probe_desc_match(const struct dif_pdesc *pd, const char *prov, const char *mod,
		 const char *func, const char *name)
{
	return probe_glob(pd->prov, prov) && probe_glob(pd->mod, mod) &&
	       probe_glob(pd->func, func) && probe_glob(pd->name, name);
}
