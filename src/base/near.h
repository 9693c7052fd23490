/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * near.h - what a name that nobody knows was probably meant to be.
 *
 *   struct near n;
 *   near_init(&n, "exename");
 *   for each known name: near_try(&n, name);
 *   near_best(&n)                      "execname", or NULL
 *
 * A message may then end with the hint that near_hint() makes of it.  Names
 * are compared letter by letter: one missing, superfluous, wrong or exchanged
 * letter is a step, and the wrong case of letters is none; up to two steps are
 * near, one for names of less than five letters.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

struct near {
	const char *want;  /* the caller's */
	const char *best;  /* as given to near_try(); NULL: none so far */
	unsigned steps;	   /* from want to best; without one, those allowed +
			      1 */
};

void near_init(struct near *n, const char *want);
/* name must live as long as the result is used; NULL is no name. */
void near_try(struct near *n, const char *name);
/* The nearest name, the first of several; NULL: none is near. */
const char *near_best(const struct near *n);

#define NEAR_HINT_MAX 160
/* " (did you mean NAME?)" or "", in buf, which is returned. */
const char *near_hint(const struct near *n, char buf[NEAR_HINT_MAX]);

#endif
