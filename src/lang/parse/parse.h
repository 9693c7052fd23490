/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse.h - the door of the parser: one top-level item at a time.
 */
#ifndef LANG_PARSE_PARSE_H
#define LANG_PARSE_PARSE_H

#include "lang/tree/compile.h"

/*
 * What a declaration must know at once and only the checker can say; it is
 * above the parser, so lang.c hands it down.
 */
struct parse_ask {
	/* The value of n, which fails the compile with the tag unless it is an
	   integer constant: array bounds, bit-field widths, enumerators. */
	int64_t (*constant)(struct compile *cx, struct node *n,
			    const struct err_tag *tag, const char *what);
	/* True if name is an inline that is the integer constant val. */
	bool (*inline_equals)(struct compile *cx, const char *name,
			      struct src_loc loc, int64_t val);
};

/* ask lives as long as the compile. */
void parse_init(struct compile *cx, const struct parse_ask *ask);
/* The next top-level item, or NULL at the end of the text. */
struct item *parse_item(struct compile *cx);
/* After an error in an item that began at start: find where to go on, behind
   the next "}" that begins a line.  False: there is none. */
bool parse_resume(struct compile *cx, const char *start);
/*
 * Parse a C type written as text ("const char *", "struct x"), for prototypes
 * of the tables; fails the compile if it is none.
 */
struct type *parse_type_text(struct compile *cx, const char *text);
/* Parse an expression that the compiler itself adds; loc is where messages say
   it stands. */
struct node *parse_expr_text(struct compile *cx, const char *text,
			     struct src_loc loc);
/* The place of a byte of a string's value; of all of the string, where that is
   on another line, or not in the text as such. */
struct src_loc parse_str_loc(const struct node *str, size_t at);

#endif
