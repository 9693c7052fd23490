/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* vec.c - the growth of vec.h's arrays. */
#include "base/vec.h"

#include <stdlib.h>

#include "base/fence.h"

#define FENCE_MOST 65536u /* bytes of an array whose rest is fenced off */

/* More elements than *cap: n of them fit. */
static bool
vec_more(void **v, size_t *cap, size_t n, size_t size)
{
	size_t bytes;
	size_t c = *cap < 8 ? 8 : *cap;
	while (c < n) {
		if (__builtin_mul_overflow(c, (size_t)2, &c))
			return false;
	}
	if (__builtin_mul_overflow(c, size, &bytes))
		return false;
	void *p = realloc(*v, bytes);
	if (p == NULL)
		return false;
	*v = p;
	*cap = c;
	return true;
}

bool
vec_grow(void **v, size_t *cap, size_t n, size_t size)
{
	if (n > *cap && !vec_more(v, cap, n, size))
		return false;
	if (*v != NULL && *cap * size <= FENCE_MOST) {
		fence_open(*v, n * size);
		fence_off((char *)*v + n * size, (*cap - n) * size);
	}
	return true;
}
