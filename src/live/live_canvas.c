/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_canvas.c - a grid of characters, each with a look.
 *
 * Whatever is put beyond its edges is cut off, so that a terminal may be as
 * small as one likes.
 */
#include "live/live_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

bool
canvas_init(struct live_canvas *c, int rows, int cols, bool utf8)
{
	c->rows = rows < 1 ? 1 : rows;
	c->cols = cols < 1 ? 1 : cols;
	c->utf8 = utf8;
	c->cells = calloc((size_t)c->rows, (size_t)c->cols * sizeof(*c->cells));
	if (c->cells == NULL)
		return false;
	canvas_blank(c);
	return true;
}

void
canvas_fini(struct live_canvas *c)
{
	free(c->cells);
	c->cells = NULL;
}

void
canvas_blank(struct live_canvas *c)
{
	for (int i = 0; i < c->rows * c->cols; i++)
		c->cells[i] = (struct live_cell){ ' ', LOOK_PLAIN };
}

static bool
canvas_has(const struct live_canvas *c, int row, int col)
{
	return row >= 0 && row < c->rows && col >= 0 && col < c->cols;
}

static void
canvas_cell(struct live_canvas *c, int row, int col, uint32_t ch,
	    enum live_look look)
{
	if (canvas_has(c, row, col))
		c->cells[row * c->cols + col] =
			(struct live_cell){ ch, (uint8_t)look };
}

int
canvas_put(struct live_canvas *c, int row, int col, int room,
	   enum live_look look, const char *s)
{
	int at = 0, columns;
	size_t n;

	if (col + room > c->cols)
		room = c->cols - col;
	for (; *s != '\0'; s += n) {
		uint32_t ch = clean_next(s, &n, &columns);
		if (n == 0 || columns <= 0) { /* not clean: never */
			n = n == 0 ? 1 : n;
			continue;
		}
		bool last = clean_columns(s + n) == 0;
		if (at + columns > room - !last) {
			if (at < room)
				canvas_cell(c, row, col + at++,
					    c->utf8 ? 0x2026 : '+', look);
			return at;
		}
		canvas_cell(c, row, col + at, ch, look);
		for (int i = 1; i < columns; i++)
			canvas_cell(c, row, col + at + i, 0, look);
		at += columns;
	}
	return at;
}

int
canvas_printf(struct live_canvas *c, int row, int col, int room,
	      enum live_look look, const char *fmt, ...)
{
	struct buf b = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	int n = canvas_put(c, row, col, room, look, buf_str(&b));
	buf_fini(&b);
	return n;
}

void
canvas_bar(struct live_canvas *c, int row, int col, int room, double share)
{
	if (col + room > c->cols)
		room = c->cols - col;
	if (room <= 0 || !(share > 0))
		return;
	int eighths = (int)((share < 1 ? share : 1) * room * 8 + 0.5);
	if (!c->utf8)
		eighths = (eighths + 4) / 8 * 8;
	for (int i = 0; i < eighths / 8; i++)
		canvas_cell(c, row, col + i, c->utf8 ? 0x2588 : '#', LOOK_BAR);
	if (eighths % 8 != 0)
		canvas_cell(c, row, col + eighths / 8,
			    0x2590u - (uint32_t)(eighths % 8), LOOK_BAR);
}

void
canvas_look(struct live_canvas *c, int row, enum live_look look)
{
	for (int i = 0; i < c->cols && row >= 0 && row < c->rows; i++)
		c->cells[row * c->cols + i].look = (uint8_t)look;
}

void
canvas_char(struct buf *b, uint32_t ch)
{
	if (ch < 0x80) {
		buf_putc(b, (char)ch);
		return;
	}
	int tail = ch < 0x800 ? 1 : ch < 0x10000 ? 2 : 3;
	buf_putc(b, (char)(uint8_t)(0xffu << (7 - tail) | ch >> (6 * tail)));
	while (tail-- > 0)
		buf_putc(b, (char)(0x80 | (ch >> (6 * tail) & 0x3f)));
}

void
canvas_text(const struct live_canvas *c, int row, struct buf *b)
{
	const struct live_cell *cells = &c->cells[row * c->cols];
	int n = c->cols;

	while (n > 0 && cells[n - 1].ch == ' ')
		n--;
	for (int i = 0; i < n; i++)
		if (cells[i].ch != 0)
			canvas_char(b, cells[i].ch);
}
