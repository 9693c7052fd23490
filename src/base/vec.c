/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* vec.c - the growth of vec.h's arrays. */
#include "base/vec.h"

#include <stdlib.h>

bool
vec_grow(void **v, size_t *cap, size_t n, size_t size)
{
	size_t bytes;

	if (n <= *cap)
		return true;
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
