/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_pytext.c - the consumer's side of rt_python.c: a frame of Python as a
 * name, a file and a line.
 *
 * What was copied is the traced process's and may be anything: lengths are cut
 * to what there is, characters that a terminal would obey are replaced, and the
 * table of lines is read up to its end only.  Its format is that of CPython's
 * own documents: an entry is a byte 1 cccc lll (kind, units - 1) and the
 * bytes up to the next that has its highest bit set.
 */
#include <string.h>

#include "rt/engine.h"

/* ---- characters ---------------------------------------------------------- */

static void
utf8_put(struct buf *out, uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000) || c == '`')
		c = '?';
	if (c < 0x80) {
		buf_putc(out, (char)c);
	} else if (c < 0x800) {
		buf_putc(out, (char)(0xc0 | c >> 6));
		buf_putc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		if (c < 0x10000) {
			buf_putc(out, (char)(0xe0 | c >> 12));
		} else {
			buf_putc(out, (char)(0xf0 | c >> 18));
			buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_putc(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* The character that begins at p, in *n bytes; what is no UTF-8 is Latin-1. */
static uint32_t
utf8_get(const uint8_t *p, uint32_t left, uint32_t *n)
{
	uint32_t more = *p < 0x80		    ? 0
			: (*p & 0xe0) == 0xc0 ? 1
			: (*p & 0xf0) == 0xe0 ? 2
			: (*p & 0xf8) == 0xf0 ? 3
					      : left;
	uint32_t c;

	*n = 1;
	if (more == 0 || more >= left)
		return *p;
	c = *p & (0x7fu >> more);
	for (uint32_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return *p;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c > 0x10ffff)
		return *p;
	*n = more + 1;
	return c;
}

static void
text_put(struct buf *out, const struct rt_py_area *a, uint32_t at, uint32_t n,
	 uint32_t kind)
{
	if (at > RT_PY_TEXT || (kind != 1 && kind != 2 && kind != 4 &&
				kind != RT_PY_UTF8))
		return;
	if (n > sizeof(a->text) - at)
		n = (uint32_t)sizeof(a->text) - at;
	for (uint32_t i = 0, len; kind == RT_PY_UTF8 && i < n; i += len)
		utf8_put(out, utf8_get(a->text + at + i, n - i, &len));
	if (kind == RT_PY_UTF8)
		return;
	for (uint32_t i = 0; i + kind <= n; i += kind) {
		uint32_t c = 0;

		memcpy(&c, a->text + at + i, kind);
		utf8_put(out, c);
	}
}

/* ---- lines --------------------------------------------------------------- */

/* Six bits a byte, the lowest first; bit 6: more come. */
static int64_t
line_delta(const uint8_t *p, const uint8_t *end)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; p < end && shift < 36; p++, shift += 6) {
		v |= (uint64_t)(*p & 0x3f) << shift;
		if ((*p & 0x40) == 0)
			break;
	}
	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

#define LOC_NONE	15
#define LOC_LONG	14
#define LOC_NO_COLUMNS	13
#define LOC_ONE_LINE	10 /* to 12: so many lines on, + 10 */

/* The line of code unit `unit`; the last known one where the table says that
   there is none, or ends. */
static uint32_t
line_of(const uint8_t *p, const uint8_t *end, uint32_t line, uint32_t unit)
{
	int64_t now = line, shown = line;
	uint32_t at = 0;

	while (p < end) {
		unsigned kind = *p >> 3 & 15;

		at += (*p & 7u) + 1;
		p++;
		if (kind == LOC_LONG || kind == LOC_NO_COLUMNS)
			now += line_delta(p, end);
		else if (kind >= LOC_ONE_LINE && kind < LOC_NO_COLUMNS)
			now += kind - LOC_ONE_LINE;
		if (kind != LOC_NONE)
			shown = now;
		if (unit < at)
			return shown > 0 && shown <= INT32_MAX ? (uint32_t)shown
							       : 0;
		while (p < end && (*p & 0x80) == 0)
			p++;
	}
	return 0;
}

static uint32_t
code_line(const struct rt_py_area *a, const struct rt_py_code *c, uint32_t from,
	  uint32_t at)
{
	uint32_t n = c->nlines;

	if (at == 0)
		return c->line;
	if (at >= RT_PY_AT_MAX || from > RT_PY_TEXT)
		return 0;
	if (n > sizeof(a->text) - from)
		n = (uint32_t)sizeof(a->text) - from;
	return line_of(a->text + from, a->text + from + n, c->line, at - 1);
}

/* ---- all ----------------------------------------------------------------- */

/* The code object of a frame, as it is at the moment: false: there is none. */
static bool
code_of(const struct rt_py_area *a, uint64_t pc, struct rt_py_code *c)
{
	uint32_t n = (uint32_t)pc >> RT_PY_AT_BITS;

	if (!rt_py_is(pc) || n >= RT_PY_CODES)
		return false;
	*c = a->code[n];
	return c->state == RT_PY_DONE && c->nname != 0;
}

static uint32_t
frame_line(const struct rt_py_area *a, const struct rt_py_code *c, uint64_t pc)
{
	uint32_t at = (uint32_t)pc & RT_PY_AT_MAX;

	return pc & RT_PY_LINE ? at :
				 code_line(a, c, c->text + c->nname + c->nfile,
					   at);
}

uint64_t
rt_py_by_line(const struct rt_py_area *a, uint64_t pc)
{
	struct rt_py_code c;
	uint32_t line;

	if (!code_of(a, pc, &c))
		return pc;
	line = frame_line(a, &c, pc);
	return (pc & ~(uint64_t)RT_PY_AT_MAX) | RT_PY_LINE |
	       (line <= RT_PY_AT_MAX ? line : 0);
}

bool
rt_py_text(const struct rt_py_area *a, uint64_t pc, struct buf *name,
	   struct buf *file, uint32_t *line)
{
	struct rt_py_code c;

	if (!code_of(a, pc, &c))
		return false;
	text_put(name, a, c.text, c.nname, c.name_kind);
	text_put(file, a, c.text + c.nname, c.nfile, c.file_kind);
	*line = frame_line(a, &c, pc);
	return true;
}
