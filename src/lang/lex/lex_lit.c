/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lex_lit.c - integer, character and string literals.
 *
 * An integer literal has the first type of C's list for its suffix and base
 * that can hold it.  Characters are packed, the first one most significant.
 * Strings are bytes: a NUL that an escape makes is kept, and the length says
 * so.  The text itself has none.
 */
#include "lang/lex/lex_impl.h"

#include <limits.h>
#include <string.h>

/* ---- integers ------------------------------------------------------------ */

struct suffix {
	bool is_unsigned;
	int longs;
};

/* u, l, ll in either order, nothing twice; false: something else is there. */
static bool
int_suffix(const char *s, size_t n, struct suffix *sx)
{
	*sx = (struct suffix){ 0 };
	for (size_t i = 0; i < n; i++) {
		if ((s[i] == 'u' || s[i] == 'U') && !sx->is_unsigned) {
			sx->is_unsigned = true;
		} else if ((s[i] == 'l' || s[i] == 'L') && sx->longs == 0) {
			sx->longs = 1;
			if (i + 1 < n && s[i + 1] == s[i]) {
				sx->longs = 2;
				i++;
			}
		} else {
			return false;
		}
	}
	return true;
}

/* The list of C: long and long long have the same width, so rank decides. */
static struct type *
int_type(struct type_space *ts, uint64_t v, bool decimal, struct suffix sx)
{
	bool uns_ok = sx.is_unsigned || !decimal;
	bool sig_ok = !sx.is_unsigned;

	if (sx.longs == 0 && sig_ok && v <= INT_MAX)
		return type_basic(ts, TYPE_B_INT);
	if (sx.longs == 0 && uns_ok && v <= UINT_MAX)
		return type_basic(ts, TYPE_B_UINT);
	if (sig_ok && v <= INT64_MAX)
		return type_basic(ts,
				  sx.longs == 2 ? TYPE_B_LLONG : TYPE_B_LONG);
	if (uns_ok)
		return type_basic(ts,
				  sx.longs == 2 ? TYPE_B_ULLONG : TYPE_B_ULONG);
	return NULL;
}

static int
digit_value(int c)
{
	if (lex_isdigit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

enum int_status
lex_int_value(const char *s, size_t len, uint64_t *val, struct type_space *ts,
	      struct type **type)
{
	int base = 10;
	size_t i = 0;
	bool big = false;
	uint64_t v = 0;
	struct suffix sx;

	if (len == 0 || !lex_isdigit(s[0]))
		return INT_NOT;
	if (len > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		i = 2;
		if (len == 2 || digit_value(s[2]) >= 16)
			return INT_NOT;
	} else if (s[0] == '0') {
		base = 8;
	}
	for (; i < len && digit_value(s[i]) < (base == 16 ? 16 : 10); i++) {
		int d = digit_value(s[i]);
		if (d >= base)
			return INT_BADDIGIT;
		big = big || __builtin_mul_overflow(v, base, &v) ||
		      __builtin_add_overflow(v, d, &v);
	}
	if (!int_suffix(s + i, len - i, &sx))
		return INT_NOT;
	*val = v;
	*type = big ? NULL : int_type(ts, v, base == 10, sx);
	return *type == NULL ? INT_BIG : INT_OK;
}

/* Where C would end the number, right or wrong: 1.5e+3 is one. */
static const char *
number_end(const char *p, const char *end, bool *is_float)
{
	bool hex = end - p > 1 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');

	*is_float = false;
	for (; p < end; p++) {
		char c = (char)(*p | 0x20);
		if (*p == '.' || c == (hex ? 'p' : 'e'))
			*is_float = true;
		if (c == (hex ? 'p' : 'e') && end - p > 2 &&
		    (p[1] == '+' || p[1] == '-') && lex_isdigit(p[2]))
			p++;
		else if (!lex_idchar(*p) && *p != '.')
			break;
	}
	return p;
}

void
lex_number(struct compile *cx, struct token *t)
{
	struct lex *lx = cx->lex;
	const char *s = lx->p;
	bool is_float;

	lx->p = number_end(s, lx->end, &is_float);
	int len = (int)(lx->p - s);
	if (is_float)
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "floating-point constants are not permitted: %.*s",
			  len, s);
	t->tok = TOK_INT;
	switch (lex_int_value(s, (size_t)len, &t->ival, cx->types, &t->type)) {
	case INT_OK:
		return;
	case INT_BIG:
		lang_fail(cx, &D_INT_OFLOW, t->loc,
			  "integer constant %.*s does not fit in any integer "
			  "type",
			  len, s);
	case INT_BADDIGIT:
		lang_fail(cx, &D_INT_DIGIT, t->loc,
			  "invalid digit in octal constant %.*s", len, s);
	case INT_NOT:
	default:
		lang_fail(cx, &D_INT_DIGIT, t->loc,
			  "invalid digit or suffix in integer constant %.*s",
			  len, s);
	}
}

/* ---- escapes ------------------------------------------------------------- */

/*
 * One character or escape at s; returns how many bytes of text it took.  What
 * is no escape keeps its backslash: then the value is the backslash alone.
 */
static size_t
escape(const char *s, size_t left, unsigned char *out)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	unsigned v = 0;
	size_t i = 1;

	*out = (unsigned char)s[0];
	if (s[0] != '\\' || left < 2)
		return 1;
	const char *e = s[1] == '\0' ? NULL : strchr(from, s[1]);
	if (e != NULL) {
		*out = (unsigned char)to[e - from];
		return 2;
	}
	if (s[1] >= '0' && s[1] <= '7') {
		for (; i < left && i < 4 && s[i] >= '0' && s[i] <= '7'; i++)
			v = v * 8 + (unsigned)(s[i] - '0');
	} else if (s[1] == 'x' && left > 2 && digit_value(s[2]) < 16) {
		for (i = 2; i < left && digit_value(s[i]) < 16; i++)
			v = v * 16 + (unsigned)digit_value(s[i]);
	} else {
		return 1;
	}
	*out = (unsigned char)v;
	return i;
}

const char *
lex_unescape(struct compile *cx, const char *s, size_t *len)
{
	char *out = arena_alloc(cx->arena, *len + 1);
	size_t n = 0;

	for (size_t i = 0; i < *len;) {
		/* A continued line leaves nothing. */
		if (s[i] == '\\' && i + 1 < *len && s[i + 1] == '\n') {
			i += 2;
			continue;
		}
		unsigned char c;
		i += escape(s + i, *len - i, &c);
		out[n++] = (char)c;
	}
	*len = n;
	return out;
}

/* ---- strings and characters ---------------------------------------------- */

/* Step to the closing quote; the tag is for a newline before it. */
static const char *
quoted_end(struct compile *cx, char quote, struct src_loc loc,
	   const struct err_tag *tag, const char *what)
{
	struct lex *lx = cx->lex;

	while (lx->p < lx->end && *lx->p != quote) {
		if (*lx->p == '\\' && lx->p + 1 < lx->end) {
			lx->p++;
			if (*lx->p == '\n') {
				lex_newline(lx);
				lx->bol = false;
				continue;
			}
		} else if (*lx->p == '\n') {
			break;
		}
		lx->p++;
	}
	if (lx->p >= lx->end)
		lang_fail(cx, tag, loc, "end of input in %s", what);
	if (*lx->p != quote)
		lang_fail(cx, tag, loc, "newline in %s", what);
	return lx->p++;
}

void
lex_string(struct compile *cx, struct token *t)
{
	const char *s = ++cx->lex->p;
	const char *e =
		quoted_end(cx, '"', t->loc, &D_STR_NL, "string constant");

	t->tok = TOK_STR;
	t->len = (size_t)(e - s);
	t->raw = cx->lex->sub ? NULL : s;
	t->str = lex_unescape(cx, s, &t->len);
}

int
lex_written(const char *raw, size_t n)
{
	size_t i = 0;

	/* The quote that ends it is no part of an escape. */
	for (; n > 0; n--) {
		unsigned char c;

		if (raw[i] == '\\' && raw[i + 1] == '\n')
			return -1;
		i += escape(raw + i, SIZE_MAX, &c);
	}
	return (int)i;
}

void
lex_char(struct compile *cx, struct token *t)
{
	const char *s = ++cx->lex->p;
	const char *e =
		quoted_end(cx, '\'', t->loc, &D_CHR_NL, "character constant");
	unsigned n = 0;

	t->tok = TOK_CHAR;
	while (s < e) {
		unsigned char c;
		if (s[0] == '\\' && e - s > 1 && s[1] == '\'') {
			c = '\'';
			s += 2;
		} else {
			s += escape(s, (size_t)(e - s), &c);
		}
		if (++n > 8)
			lang_fail(cx, &D_CHR_OFLOW, t->loc,
				  "character constant is longer than 8 bytes "
				  "(a string has double quotes)");
		t->ival = t->ival << 8 | c;
	}
	if (n == 0)
		lang_fail(cx, &D_CHR_NULL, t->loc, "empty character constant");
	/* As in C: char is signed, and the constant an int if it fits. */
	if (n == 1)
		t->ival = (uint64_t)(int64_t)(signed char)t->ival;
	else if (n <= 4)
		t->ival = (uint64_t)(int64_t)(int32_t)t->ival;
	t->type = type_basic(cx->types, n <= 4 ? TYPE_B_INT : TYPE_B_LONG);
}
