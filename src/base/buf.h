/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * buf.h - a growing string of bytes.
 *
 * Start from BUF_INIT.  A failed allocation sets `failed` and makes later
 * writes do nothing, so a writer checks once, at the end.  The bytes are
 * always followed by a NUL that n does not count.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *p; /* NULL until something is written; use buf_str() */
	size_t n, cap;
	bool failed;
};

#define BUF_INIT { 0 }

void buf_fini(struct buf *b);
/* Forget the content, keep the memory. */
void buf_reset(struct buf *b);
void buf_write(struct buf *b, const void *p, size_t n);
void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The end of a word behind its number: "1 probe", "2 probes". */
#define BUF_S(n) ((n) == 1 ? "" : "s")
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
/* The content as a string, "" when empty or failed. Owned by b. */
const char *buf_str(const struct buf *b);
/* The content as a malloc'd string the caller owns; NULL if failed. */
char *buf_detach(struct buf *b);

#endif
