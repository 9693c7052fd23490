/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* buf.c - the growing string of buf.h. */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf)BUF_INIT;
}

void
buf_reset(struct buf *b)
{
	b->n = 0;
	if (b->p != NULL)
		b->p[0] = '\0';
}

/* Make room for n more bytes and the NUL. */
static bool
buf_room(struct buf *b, size_t n)
{
	if (b->failed)
		return false;
	if (b->cap - b->n > n && b->cap > 0)
		return true;
	size_t cap = b->cap == 0 ? 64 : b->cap;
	while (cap - b->n <= n) {
		if (cap > SIZE_MAX / 2) {
			b->failed = true;
			return false;
		}
		cap *= 2;
	}
	char *p = realloc(b->p, cap);
	if (p == NULL) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

void
buf_write(struct buf *b, const void *p, size_t n)
{
	if (n == 0 || !buf_room(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
buf_putc(struct buf *b, char c)
{
	buf_write(b, &c, 1);
}

void
buf_puts(struct buf *b, const char *s)
{
	buf_write(b, s, strlen(s));
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list ap2;

	va_copy(ap2, ap);
	int n = vsnprintf(NULL, 0, fmt, ap2);
	va_end(ap2);
	if (n < 0 || !buf_room(b, (size_t)n))
		return;
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *
buf_str(const struct buf *b)
{
	return b->p == NULL || b->failed ? "" : b->p;
}

char *
buf_detach(struct buf *b)
{
	char *p = NULL;

	if (!b->failed && buf_room(b, 0)) {
		b->p[b->n] = '\0';
		p = b->p;
		b->p = NULL;
	}
	buf_fini(b);
	return p;
}
