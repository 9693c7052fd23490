/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_clean.c - any bytes as what a terminal may be given.
 *
 * Names of processes and strings of programs are any bytes, escape sequences
 * among them.  What goes to the canvas has been here: only characters that take
 * a column or two stay as they are.
 */
#include "live/live_impl.h"

#include <inttypes.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

uint32_t
clean_next(const char *p, size_t *n, int *columns)
{
	const uint8_t *u = (const uint8_t *)p;
	uint32_t ch = u[0];

	*n = utf8_len(u, strnlen(p, 4));
	if (*n > 1) {
		ch &= 0x7fu >> *n;
		for (size_t i = 1; i < *n; i++)
			ch = ch << 6 | (u[i] & 0x3f);
	}
	*columns = *n == 0 ? 0 : wcwidth((wchar_t)ch);
	return ch;
}

static void
clean_bytes(struct buf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "\\x%02x", (unsigned char)p[i]);
}

void
clean_text(struct buf *b, const char *p, size_t n, bool utf8)
{
	char at[5] = "";
	size_t used;
	int columns;

	for (size_t i = 0; i < n; i += used) {
		unsigned char c = (unsigned char)p[i];
		used = 1;
		if (c >= ' ' && c < 0x7f) {
			buf_putc(b, p[i]);
			continue;
		}
		if (strchr("\t\n\r", c) != NULL && c != '\0') {
			buf_putc(b, ' ');
			continue;
		}
		memset(at, 0, sizeof(at));
		memcpy(at, p + i, n - i < 4 ? n - i : 4);
		(void)clean_next(at, &used, &columns);
		if (c >= 0x80 && used > 0 && columns > 0 && utf8)
			buf_write(b, p + i, used);
		else
			clean_bytes(b, p + i, used == 0 ? 1 : used);
		used = used == 0 ? 1 : used;
	}
}

/* Lines of a stack begin with blanks, and there is an empty one around them. */
static void
clean_stack(struct buf *b, const char *p, size_t n, bool utf8)
{
	bool first = true;

	for (size_t i = 0; i < n;) {
		const char *nl = memchr(p + i, '\n', n - i);
		size_t end = nl != NULL ? (size_t)(nl - p) : n;
		while (i < end && p[i] == ' ')
			i++;
		if (i < end) {
			if (!first)
				buf_puts(b, " < ");
			clean_text(b, p + i, end - i, utf8);
			first = false;
		}
		i = end + 1;
	}
}

void
clean_key(struct buf *b, const struct live_key *k, bool utf8)
{
	if (!k->is_text)
		buf_printf(b, "%" PRId64, k->num);
	else if (memchr(k->text, '\n', k->n) != NULL)
		clean_stack(b, k->text, k->n, utf8);
	else
		clean_text(b, k->text, k->n, utf8);
}

size_t
clean_columns(const char *s)
{
	size_t total = 0, n;
	int columns;

	for (; *s != '\0'; s += n) {
		(void)clean_next(s, &n, &columns);
		if (n == 0)
			n = 1;
		total += columns > 0 ? (size_t)columns : 0;
	}
	return total;
}
