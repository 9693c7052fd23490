/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_text.c - what names and values look like in pictures.  They come from
 * the processes that are traced, which may call themselves anything: nothing is
 * written but through here.
 */
#include "show/show.h"

#include <string.h>

#include "base/utf8.h"

/* U+FFFE and U+FFFF are UTF-8, but no characters of XML 1.0. */
static bool
no_character(const char *s, size_t len)
{
	return len == 3 && memcmp(s, "\xef\xbf", 2) == 0 &&
	       ((unsigned char)s[2] == 0xbe || (unsigned char)s[2] == 0xbf);
}

/* C1 controls: terminals and browsers may obey them. */
static bool
is_c1(const char *s, size_t len)
{
	return len == 2 && (unsigned char)s[0] == 0xc2 &&
	       (unsigned char)s[1] < 0xa0;
}

/* The character at s, if it may be written, is *len bytes; false: it may not,
   and *len bytes are to be shown by their numbers. */
static bool
printable(const char *s, size_t n, size_t *len)
{
	unsigned char c = (unsigned char)*s;

	*len = utf8_len((const uint8_t *)s, n);
	if (*len == 0) {
		*len = 1;
		return false;
	}
	if (c < 0x20 || c == 0x7f)
		return c == '\n' || c == '\t';
	return !no_character(s, *len) && !is_c1(s, *len) &&
	       !utf8_turns((const uint8_t *)s, *len);
}

/* Append by putting each character through put(). */
static void
clean(struct buf *b, const char *s, size_t n, const char *hex,
      void (*put)(struct buf *b, const char *s, size_t len))
{
	size_t len;

	for (; n > 0; s += len, n -= len) {
		if (printable(s, n, &len)) {
			put(b, s, len);
			continue;
		}
		for (size_t i = 0; i < len; i++)
			buf_printf(b, hex, (unsigned char)s[i]);
	}
}

static void
put_plain(struct buf *b, const char *s, size_t len)
{
	buf_write(b, s, len);
}

static void
put_xml(struct buf *b, const char *s, size_t len)
{
	switch (*s) {
	case '&':
		buf_puts(b, "&amp;");
		break;
	case '<':
		buf_puts(b, "&lt;");
		break;
	case '>':
		buf_puts(b, "&gt;");
		break;
	case '"':
		buf_puts(b, "&quot;");
		break;
	case '\'':
		buf_puts(b, "&#39;");
		break;
	default:
		buf_write(b, s, len);
	}
}

static void
text_put_json(struct buf *b, const char *s, size_t len)
{
	switch (*s) {
	case '"':
		buf_puts(b, "\\\"");
		break;
	case '\\':
		buf_puts(b, "\\\\");
		break;
	case '\n':
		buf_puts(b, "\\n");
		break;
	case '\t':
		buf_puts(b, "\\t");
		break;
	case '<': /* </script> would end what encloses it */
		buf_puts(b, "\\u003c");
		break;
	default:
		buf_write(b, s, len);
	}
}

void
show_clean(struct buf *b, const char *s, size_t n)
{
	clean(b, s, n, "\\x%02x", put_plain);
}

void
show_clean_xml(struct buf *b, const char *s, size_t n)
{
	clean(b, s, n, "\\x%02x", put_xml);
}

void
show_clean_json(struct buf *b, const char *s, size_t n)
{
	buf_putc(b, '"');
	clean(b, s, n, "\\\\x%02x", text_put_json);
	buf_putc(b, '"');
}

void
show_frame_label(struct buf *b, const struct show_frame *f)
{
	if (*f->name == '\0' && *f->module != '\0' && f->place != 0)
		buf_printf(b, "%s`+0x%llx", f->module,
			   (unsigned long long)f->place);
	else if (*f->name == '\0')
		buf_puts(b, *f->symbol != '\0' ? f->symbol : "?");
	else if (*f->module == '\0')
		buf_puts(b, f->name);
	else
		buf_printf(b, "%s`%s", f->module, f->name);
}

void
show_value_text(struct buf *b, const struct show_value *v)
{
	if (v->kind == SHOW_INT || v->kind == SHOW_STR)
		buf_puts(b, v->str);
	else if (v->nframes > 0)
		show_frame_label(b, &v->frames[0]);
	else
		buf_puts(b, "(no stack)");
}

void
show_probe_text(struct buf *b, const struct show_rec *r)
{
	buf_printf(b, "%s:%s:%s:%s", r->prov, r->mod, r->func, r->name);
}

int64_t
show_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}
