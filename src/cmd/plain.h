/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plain.h - messages with names of files, programs and symbols in them, which
 * others have chosen: a name must not command the terminal of whoever reads it.
 */
#ifndef CMD_PLAIN_H
#define CMD_PLAIN_H

#include <stdarg.h>
#include <stdio.h>

/* '?' for a control character, but for the ends of lines and tabs. */
int plain_char(unsigned char b);
/* printf() to fp; each character by plain_char().  Without memory for the text,
   the format alone is written. */
void plain_vprint(FILE *fp, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void plain_print(FILE *fp, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
