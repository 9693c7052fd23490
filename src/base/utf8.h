/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * utf8.h - which bytes are text.  Strings of D are any bytes; formats that are
 * Unicode (JSON, XML, HTML) need to know where they are not.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character at p, of at most n; 0: it is none. */
size_t utf8_len(const uint8_t *p, size_t n);
/* Where the first byte is that is no part of a character; n: nowhere. */
size_t utf8_span(const uint8_t *p, size_t n);
/* True if the valid character of so many bytes turns the direction of text
   around, so that a name could look like another: U+061C, U+200E, U+200F,
   U+202A to U+202E, U+2066 to U+2069. */
bool utf8_turns(const uint8_t *p, size_t len);
/* True if no byte of the string is a control character. */
bool utf8_is_plain(const char *s);
/* Each control character, the end of a line too, becomes a '?': names that
   others have given stand in lines of ours. */
void utf8_plain(char *s);

#endif
