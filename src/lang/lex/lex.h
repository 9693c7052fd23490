/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lex.h - the door of the lexer: tokens, macros, control lines.
 *
 * The lexer works on demand, because D reads differently by place: at outer
 * scope runs of characters are probe descriptions, inside a predicate a slash
 * may end it, and control lines act when they are met.  So tokens are made no
 * earlier than the parser asks, and the parser never looks past the end of a
 * top-level item: between items the queue of tokens is empty.
 *
 * It knows the compile and its names and nothing above: no parser.
 */
#ifndef LANG_LEX_LEX_H
#define LANG_LEX_LEX_H

#include "lang/tree/compile.h"

enum kw {
#define KW(word, flags) KW_##word,
#include "lang/kw.def"
#undef KW
	NKW
};
enum kw_flags {
	KWF_TYPE = 1, KWF_SOU = 2, KWF_ITEM = 4, KWF_MEMBER = 8,
	KWF_RESERVED = 16
};
/* The keyword, or -1. */
int kw_find(const char *s, size_t len);
unsigned kw_flags(int kw);
const char *kw_name(int kw);

struct token {
	int tok; /* enum tok, or a character */
	int kw;	 /* TOK_KEYWORD: enum kw */
	struct src_loc loc;
	const char *text; /* as written, for messages; not terminated */
	size_t textlen;
	const char *name; /* IDENT, AGG; KEYWORD: its spelling */
	const char *mod;  /* IDENT: before the last backquote; NULL: none */
	const char *str;  /* STR */
	const char *raw;  /* the same as written; NULL: not in the text */
	size_t len;
	uint64_t ival;	   /* INT, CHAR */
	struct type *type; /* of those */
};

/* ---- lex.c --------------------------------------------------------------- */

/* Begin to read the text of the compile: cx->src. */
void lex_begin(struct compile *cx);
struct lex {
	const char *p, *end; /* what is still to be read */
	const char *line_start;
	const char *file;
	int line;
	bool bol;     /* only blanks so far on this line */
	bool outer;   /* between items: control lines may declare */
	bool in_pred; /* a slash may end the predicate */
	bool sub;     /* text of a macro argument or of a table: no control
			 lines, no macros, and every place is fixed */
	struct src_loc fixed;
	struct token *q; /* tokens looked at but not taken: q[head..n) */
	size_t head, n, cap;
};

/* Read other text for a while, every token of it at loc; and go back. */
struct lex *lex_enter(struct compile *cx, const char *text, size_t len,
		      struct src_loc loc);
void lex_leave(struct compile *cx, struct lex *saved);

/* The i-th token from here, without taking it. */
const struct token *lex_peek(struct compile *cx, size_t i);
struct token lex_next(struct compile *cx);
bool lex_accept(struct compile *cx, int tok);
bool lex_accept_kw(struct compile *cx, int kw);
struct token lex_expect(struct compile *cx, int tok);
/* "syntax error near ...", with what was expected, if there is a word for it */
_Noreturn void lex_syntax(struct compile *cx, const struct token *t,
			  const char *expected);
bool lex_is(struct compile *cx, int tok);
bool lex_is_kw(struct compile *cx, int kw);

/*
 * After an error in an item that began at start: go on behind the next closing
 * brace that begins a line, as that of a clause does.  False: there is none.
 */
bool lex_resume(struct compile *cx, const char *start);

/* For the outer scope. */
struct src_loc lex_loc(const struct lex *lx);
/* Blanks, comments and control lines. */
void lex_skip(struct compile *cx);
/* Step over blanks and comments without effect. */
const char *lex_ahead(const char *p, const char *end);
static inline bool
lex_idstart(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool
lex_isdigit(int c)
{
	return c >= '0' && c <= '9';
}
static inline bool
lex_idchar(int c)
{
	return lex_idstart(c) || lex_isdigit(c);
}
static inline bool
lex_isblank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- lex_lit.c ----------------------------------------------------------- */

/* How many bytes of a string as written, behind its quote, stand for the first
   n bytes of its value; -1: the line ends before. */
int lex_written(const char *raw, size_t n);

/* ---- lex_macro.c --------------------------------------------------------- */

/* text[0..len) with macros replaced, $target by target nth (from 1): probe
   specifiers. */
const char *macro_expand_text(struct compile *cx, const char *text, size_t len,
			      uint32_t nth, struct src_loc loc);
/* For how many targets it is to be expanded: 1, but if it has $target. */
uint32_t macro_ntargets(struct compile *cx, const char *text, size_t len);
/* At the end: arguments given and not used are an error. */
void macro_check_unused(struct compile *cx);

/* ---- pragma.c ------------------------------------------------------------ */

/* Dependencies only (LANG_C_CTL). */
void pragma_scan(struct compile *cx);
/* At the end: attributes of names that do not exist are an error. */
void pragma_check_unused(struct compile *cx);

#endif
