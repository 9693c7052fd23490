/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * vec.h - growing arrays of any type: struct { T *v; size_t n, cap; }.
 * Zero-initialise; vec_push() is true when it worked; vec_fini() frees.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define VEC(T)                 \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}

/* Grow *v (of *cap elements of the given size) so that n fit; what is behind
   them is fenced off (fence.h). */
bool vec_grow(void **v, size_t *cap, size_t n, size_t size);

#define vec_push(vec, x)                                                  \
	(vec_grow((void **)&(vec)->v, &(vec)->cap, (vec)->n + 1,          \
		  sizeof(*(vec)->v)) &&                                   \
	 ((vec)->v[(vec)->n++] = (x), true))
#define vec_fini(vec)                             \
	do {                                      \
		free((vec)->v);                   \
		(vec)->v = NULL;                  \
		(vec)->n = (vec)->cap = 0;        \
	} while (0)

#endif
