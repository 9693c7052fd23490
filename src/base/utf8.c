/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * utf8.c - valid UTF-8 by table 3-7 of the Unicode standard: no surrogates, no
 * overlong forms, nothing above U+10FFFF.
 */
#include "base/utf8.h"

size_t
utf8_len(const uint8_t *p, size_t n)
{
	static const struct {
		uint8_t lo, hi;	    /* first bytes */
		uint8_t more;	    /* bytes that follow */
		uint8_t least, most; /* of the second */
	} forms[] = {
		{ 0x00, 0x7f, 0, 0, 0 },	{ 0xc2, 0xdf, 1, 0x80, 0xbf },
		{ 0xe0, 0xe0, 2, 0xa0, 0xbf },	{ 0xe1, 0xec, 2, 0x80, 0xbf },
		{ 0xed, 0xed, 2, 0x80, 0x9f },	{ 0xee, 0xef, 2, 0x80, 0xbf },
		{ 0xf0, 0xf0, 3, 0x90, 0xbf },	{ 0xf1, 0xf3, 3, 0x80, 0xbf },
		{ 0xf4, 0xf4, 3, 0x80, 0x8f },
	};

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if (p[0] < forms[f].lo || p[0] > forms[f].hi)
			continue;
		if (forms[f].more >= n)
			return 0;
		for (size_t i = 1; i <= forms[f].more; i++) {
			uint8_t lo = i == 1 ? forms[f].least : 0x80;
			uint8_t hi = i == 1 ? forms[f].most : 0xbf;
			if (p[i] < lo || p[i] > hi)
				return 0;
		}
		return forms[f].more + 1u;
	}
	return 0;
}

size_t
utf8_span(const uint8_t *p, size_t n)
{
	size_t i = 0, len;

	while (i < n && (len = utf8_len(p + i, n - i)) != 0)
		i += len;
	return i;
}

bool
utf8_turns(const uint8_t *p, size_t len)
{
	if (len == 2)
		return p[0] == 0xd8 && p[1] == 0x9c;
	if (len != 3 || p[0] != 0xe2)
		return false;
	return p[1] == 0x80 ? (p[2] == 0x8e || p[2] == 0x8f ||
			       (p[2] >= 0xaa && p[2] <= 0xae)) :
			      p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

bool
utf8_is_plain(const char *s)
{
	while (*s != '\0' && !is_control(*s))
		s++;
	return *s == '\0';
}

void
utf8_plain(char *s)
{
	for (; *s != '\0'; s++)
		if (is_control(*s))
			*s = '?';
}
