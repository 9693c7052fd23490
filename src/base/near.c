/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * near.c - distance of names: restricted edit distance (insertion, deletion,
 * substitution, exchange of neighbours) by the usual table, of which three
 * rows are kept.  It is for messages only: names longer than a row are never
 * near.
 */
#include "base/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ROW 64 /* letters of the longest name compared */

void
near_init(struct near *n, const char *want)
{
	*n = (struct near){ .want = want,
			    .steps = strlen(want) < 5 ? 2 : 3 };
}

static bool
same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Both are shorter than ROW. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][ROW];
	unsigned *two = rows[0], *one = rows[1], *now = rows[2];

	for (size_t j = 0; j <= nb; j++)
		one[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned d = one[j - 1] + !same(a[i - 1], b[j - 1]);
			d = least(d, least(one[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				d = least(d, two[j - 2] + 1);
			now[j] = d;
		}
		unsigned *old = two;
		two = one;
		one = now;
		now = old;
	}
	return one[nb];
}

void
near_try(struct near *n, const char *name)
{
	size_t a = strlen(n->want), b = name != NULL ? strlen(name) : 0;

	/* What shares no letter with a short name is not near. */
	if (a < 2 || b < 2 || a >= ROW || b >= ROW ||
	    (a > b ? a - b : b - a) >= n->steps)
		return;
	unsigned d = distance(n->want, a, name, b);
	if (d < n->steps) {
		n->steps = d;
		n->best = name;
	}
}

const char *
near_best(const struct near *n)
{
	return n->best;
}

const char *
near_hint(const struct near *n, char buf[NEAR_HINT_MAX])
{
	buf[0] = '\0';
	if (n->best != NULL)
		snprintf(buf, NEAR_HINT_MAX, " (did you mean %s?)", n->best);
	return buf;
}
