/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lex_words.c - the words of a text of D, without compiling it: all names that
 * it could mean.  libdtrace asks for them, to leave out texts of the D library
 * of which a program names nothing.
 *
 * This is no lexer: it needs no compile, takes any bytes, and never fails.
 * Comments, strings and numbers are stepped over, control lines are read as
 * the rest.  A word too many costs some time, and one that is missed costs a
 * second compile (doc/decisions/0022), so a text that is wrong may give either.
 */
#include "lang/lex/lex.h"

#include <string.h>

struct scan {
	const char *p, *end;
	const char *words; /* up to here are no comments and no literals */
};

static size_t
scan_left(const struct scan *s)
{
	return (size_t)(s->end - s->p);
}

static const char *
scan_eol(const struct scan *s)
{
	const char *nl = memchr(s->p, '\n', scan_left(s));

	return nl != NULL ? nl : s->end;
}

/* Behind the comment's end, or at the end of the text. */
static void
scan_block_comment(struct scan *s)
{
	for (s->p += 2; s->p < s->end; s->p++) {
		s->p = memchr(s->p, '*', scan_left(s));
		if (s->p == NULL) {
			s->p = s->end;
			return;
		}
		if (scan_left(s) > 1 && s->p[1] == '/') {
			s->p += 2;
			return;
		}
	}
}

/*
 * At a slash: true if a comment began there, and was stepped over.  Where the
 * first slash of three could end a predicate, what follows up to the end of the
 * line is words, whatever it is.
 */
static bool
scan_comment(struct scan *s)
{
	if (scan_left(s) < 2 || (s->p[1] != '*' && s->p[1] != '/'))
		return false;
	if (s->p[1] == '*') {
		scan_block_comment(s);
		return true;
	}
	if (scan_left(s) > 2 && s->p[2] == '*') {
		s->words = scan_eol(s);
		return false;
	}
	s->p = scan_eol(s);
	return true;
}

/* Behind the literal that begins here, which ends with its line at most; a
   backslash takes what follows along. */
static void
scan_literal(struct scan *s)
{
	const char quote = *s->p++;

	while (s->p < s->end && *s->p != quote && *s->p != '\n') {
		if (*s->p == '\\' && scan_left(s) > 1)
			s->p++;
		s->p++;
	}
	if (s->p < s->end && *s->p == quote)
		s->p++;
}

static void
scan_idchars(struct scan *s)
{
	while (s->p < s->end && lex_idchar(*s->p))
		s->p++;
}

/* Step over one thing that is no word. */
static void
scan_skip(struct scan *s)
{
	const bool plain = s->p < s->words;
	const char c = *s->p;

	if (lex_isdigit(c))
		scan_idchars(s);
	else if (!plain && (c == '"' || c == '\''))
		scan_literal(s);
	else if (plain || c != '/' || !scan_comment(s))
		s->p++;
}

void
lang_words(const char *text, size_t len, lang_word_fn *fn, void *arg)
{
	struct scan s = { .p = text, .end = text + len, .words = text };

	while (s.p < s.end) {
		const char *word = s.p;

		if (lex_idstart(*word)) {
			scan_idchars(&s);
			fn(arg, word, (size_t)(s.p - word));
		} else {
			scan_skip(&s);
		}
	}
}
