/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * arena.h - memory that is freed together.
 *
 * One arena per compile, per program, per loaded table: what is built for one
 * purpose is allocated from one arena and freed in one call.  Memory comes
 * zeroed and aligned for any type; what is behind a piece is fenced off
 * (fence.h).  Not thread safe.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

/* A new arena, or NULL when there is no memory. */
struct arena *arena_new(void);
/* Free the arena and all that was allocated from it; NULL is allowed. */
void arena_free(struct arena *a);
/*
 * Call fn(arg) when an allocation fails; fn may not return (longjmp).  With no
 * handler the allocating call returns NULL.
 */
void arena_on_oom(struct arena *a, void (*fn)(void *arg), void *arg);

/* n zeroed bytes (n may be 0: a unique pointer). */
void *arena_alloc(struct arena *a, size_t n);
/* n * size zeroed bytes; overflow counts as a failed allocation. */
void *arena_calloc(struct arena *a, size_t n, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void *arena_memdup(struct arena *a, const void *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#endif
