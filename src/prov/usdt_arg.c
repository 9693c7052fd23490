/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_arg.c - the list of operands of a static probe's note: how many, of what
 * size and sign.  What one of them means is the machine's.
 */
#include "prov/usdt_arg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 40 /* characters of an operand in a message */

bool
usdt_number(const char **s, const char *end, int64_t *v)
{
	char text[32], *stop;
	size_t n = 0;

	while (n < sizeof(text) - 1 && *s + n < end &&
	       (isalnum((unsigned char)(*s)[n]) ||
		(n == 0 && ((*s)[0] == '-' || (*s)[0] == '+'))))
		n++;
	memcpy(text, *s, n);
	text[n] = '\0';
	if (n == 0 || !isdigit((unsigned char)text[text[0] == '-' ||
						   text[0] == '+']))
		return false;
	*v = text[0] == '-' ? (int64_t)strtoll(text, &stop, 0)
			    : (int64_t)strtoull(text, &stop, 0);
	*s += stop - text;
	return true;
}

bool
usdt_is(const char *name, const char *s, const char *end)
{
	size_t n = (size_t)(end - s);

	return strlen(name) == n && memcmp(name, s, n) == 0;
}

bool
usdt_begins(const char *name, const char *s, const char *end)
{
	size_t n = strlen(name);

	return (size_t)(end - s) >= n && memcmp(name, s, n) == 0;
}

/* Where an operand ends: at a blank that is in no bracket. */
static const char *
operand_end(const char *s)
{
	int depth = 0;

	for (; *s != '\0' && (depth > 0 || (*s != ' ' && *s != '\t')); s++) {
		depth += *s == '(' || *s == '[';
		depth -= *s == ')' || *s == ']';
	}
	return s;
}

static int
operand_fail(const char *s, const char *end, unsigned n, const char *why,
	     struct err *e)
{
	char text[SHOWN + 4];
	size_t len = (size_t)(end - s), i;

	for (i = 0; i < len && i < SHOWN; i++)
		text[i] = (char)(isprint((unsigned char)s[i]) ? s[i] : '?');
	text[i] = '\0';
	if (len > SHOWN)
		strcpy(text + i, "...");
	return err_set(e, &ERR_GENERIC, 0, "operand %u of its note, %s: %s", n,
		       text, why);
}

/* "-4f@": size and sign; *s is behind it.  NULL, or why not. */
static const char *
operand_size(const char **s, const char *end, struct dif_recipe *r)
{
	const char *at = memchr(*s, '@', (size_t)(end - *s)), *p = *s;

	r->size = 8;
	/* One that has none is of a word; sym@PLT is not such a place. */
	if (at == NULL || at - p > 5 ||
	    (*p != '-' && !isdigit((unsigned char)*p)))
		return NULL;
	r->is_signed = *p == '-';
	p += r->is_signed;
	if (*p != '1' && *p != '2' && *p != '4' && *p != '8')
		return "it is of no size that an argument can have";
	r->size = (uint8_t)(*p++ - '0');
	if (*p == 'f') {
		r->is_signed = false;
		p++;
	}
	if (p != at)
		return "it is of no size that an argument can have";
	*s = at + 1;
	return NULL;
}

static int
count_operands(const char *text)
{
	int n = 0;

	for (const char *s = text; *s != '\0' && n < 1 << 24; n++) {
		s = operand_end(s);
		s += strspn(s, " \t");
	}
	return n;
}

int
usdt_args(const struct usdt_where *w, const char *text,
	  struct dif_recipe out[DIF_NARGS], struct err *e)
{
	const char *s = text + strspn(text, " \t"), *end;
	unsigned n;

	for (n = 0; *s != '\0'; n++, s = end + strspn(end, " \t")) {
		const char *p = s, *why;

		if (n == DIF_NARGS)
			return err_set(e, &ERR_GENERIC, 0,
				       "its note has %d operands; a probe has "
				       "%d at most",
				       count_operands(s) + (int)n, DIF_NARGS);
		end = operand_end(s);
		out[n] = (struct dif_recipe){ DIF_RCP_NONE };
		why = operand_size(&p, end, &out[n]);
		if (why == NULL)
			why = usdt_operand(w, p, end, &out[n]);
		if (why != NULL)
			return operand_fail(s, end, n + 1, why, e);
	}
	return (int)n;
}
