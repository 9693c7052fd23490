/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* plain.c - see plain.h. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

int
plain_char(unsigned char b)
{
	return (b < ' ' && b != '\n' && b != '\t') || b == 0x7f ? '?' : b;
}

void
plain_vprint(FILE *fp, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		fputs(fmt, fp);
		return;
	}
	for (const char *s = text; *s != '\0'; s++)
		fputc(plain_char((unsigned char)*s), fp);
	free(text);
}

void
plain_print(FILE *fp, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	plain_vprint(fp, fmt, ap);
	va_end(ap);
}
