/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* arena.c - chunks in a list, newest first; the contract is in arena.h. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fence.h"

#define ARENA_ALIGN 16u
#define ARENA_CHUNK ((size_t)16 * 1024)

struct chunk {
	struct chunk *next;
	size_t used, size; /* of data[] */
	_Alignas(ARENA_ALIGN) char data[];
};

struct arena {
	struct chunk *chunks; /* the newest first */
	void (*oom)(void *arg);
	void *oom_arg;
};

struct arena *
arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void
arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	for (struct chunk *c = a->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

void
arena_on_oom(struct arena *a, void (*fn)(void *arg), void *arg)
{
	a->oom = fn;
	a->oom_arg = arg;
}

static void *
arena_fail(struct arena *a)
{
	if (a->oom != NULL)
		a->oom(a->oom_arg);
	return NULL;
}

static struct chunk *
chunk_new(struct arena *a, size_t n)
{
	size_t size = n > ARENA_CHUNK / 4 ? n : ARENA_CHUNK;

	if (size > SIZE_MAX - sizeof(struct chunk))
		return NULL;
	/* calloc: large chunks come from the kernel zeroed already. */
	struct chunk *c = calloc(1, sizeof(*c) + size);
	if (c == NULL)
		return NULL;
	c->size = size;
	fence_off(c->data, size);
	if (size == n && a->chunks != NULL) {
		/* Full from the start: keep filling the one before. */
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		c->next = a->chunks;
		a->chunks = c;
	}
	return c;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	const size_t asked = n;

	if (n > SIZE_MAX - ARENA_ALIGN - FENCE_BYTES)
		return arena_fail(a);
	n += FENCE_BYTES;
	n = (n + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (n == 0)
		n = ARENA_ALIGN;
	struct chunk *c = a->chunks;
	if (c == NULL || c->size - c->used < n) {
		c = chunk_new(a, n);
		if (c == NULL)
			return arena_fail(a);
	}
	void *p = c->data + c->used;
	c->used += n;
	fence_open(p, asked);
	return p;
}

void *
arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		return arena_fail(a);
	return arena_alloc(a, total);
}

void *
arena_memdup(struct arena *a, const void *p, size_t n)
{
	void *q = arena_alloc(a, n);

	if (q != NULL && n > 0)
		memcpy(q, p, n);
	return q;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = arena_alloc(a, len + 1);

	if (p != NULL)
		memcpy(p, s, len);
	return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, PTRDIFF_MAX);
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list ap2;

	va_copy(ap2, ap);
	int n = vsnprintf(NULL, 0, fmt, ap2);
	va_end(ap2);
	if (n < 0)
		return arena_fail(a);
	char *p = arena_alloc(a, (size_t)n + 1);
	if (p != NULL)
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
