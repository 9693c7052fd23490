/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* lex_impl.h - what the files of the lexer share. */
#ifndef LANG_LEX_LEX_IMPL_H
#define LANG_LEX_LEX_IMPL_H

#include "lang/lex/lex.h"

/* ---- lex.c --------------------------------------------------------------- */

void lex_push(struct compile *cx, const struct token *t);
void lex_newline(struct lex *lx); /* at a newline: step over it */
bool lex_comment(struct compile *cx); /* at one: step over it */

/* ---- lex_lit.c ----------------------------------------------------------- */

void lex_number(struct compile *cx, struct token *t);
void lex_string(struct compile *cx, struct token *t);
void lex_char(struct compile *cx, struct token *t);
/* Value of text[0..len) as a C integer literal without sign. */
enum int_status { INT_OK, INT_NOT, INT_BIG, INT_BADDIGIT };
enum int_status lex_int_value(const char *text, size_t len, uint64_t *val,
			      struct type_space *ts, struct type **type);
/* The bytes a string literal's inside stands for; *len is changed. */
const char *lex_unescape(struct compile *cx, const char *s, size_t *len);

/* ---- lex_macro.c --------------------------------------------------------- */

/* At a $ in the text: push the tokens it stands for. */
void lex_macro(struct compile *cx);

/* ---- pragma.c ------------------------------------------------------------ */

/* At the # of a control line: do what it says; the newline stays. */
void pragma_line(struct compile *cx);

#endif
