/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_wire.c - numbers and texts to bytes and back (live_wire.h).
 */
#include "live/live_wire.h"

#include <string.h>

void
wire_put_u8(struct buf *b, uint8_t v)
{
	buf_write(b, &v, sizeof(v));
}

void
wire_put_u32(struct buf *b, uint32_t v)
{
	buf_write(b, &v, sizeof(v));
}

void
wire_put_u64(struct buf *b, uint64_t v)
{
	buf_write(b, &v, sizeof(v));
}

void
wire_put_text(struct buf *b, const char *s)
{
	size_t n = strlen(s);

	wire_put_u32(b, (uint32_t)n);
	buf_write(b, s, n + 1);
}

static void
wire_take(struct wire *w, void *to, size_t n)
{
	memset(to, 0, n);
	if (w->bad || (size_t)(w->end - w->p) < n) {
		w->bad = true;
		return;
	}
	memcpy(to, w->p, n);
	w->p += n;
}

uint8_t
wire_u8(struct wire *w)
{
	uint8_t v;

	wire_take(w, &v, sizeof(v));
	return v;
}

uint32_t
wire_u32(struct wire *w)
{
	uint32_t v;

	wire_take(w, &v, sizeof(v));
	return v;
}

uint64_t
wire_u64(struct wire *w)
{
	uint64_t v;

	wire_take(w, &v, sizeof(v));
	return v;
}

const char *
wire_text(struct wire *w, size_t *n)
{
	const char *s = w->p + sizeof(uint32_t);

	*n = wire_u32(w);
	if (w->bad || (size_t)(w->end - w->p) <= *n || w->p[*n] != '\0') {
		w->bad = true;
		*n = 0;
		return "";
	}
	w->p += *n + 1;
	return s;
}
