/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_impl.h - what the files that write programs as text share.
 *
 * Nothing that is called here may fail the compile while a buffer of the
 * writer is open: buffers are not in the arena.
 */
#ifndef LANG_SHOW_SHOW_IMPL_H
#define LANG_SHOW_SHOW_IMPL_H

#include "lang/show/show.h"

struct show {
	struct buf *out;
	struct type_writer *types;
	size_t ntypes; /* declarations of the compile's space so far */
	/* What the hidden variables %1, %2 of if are called: prefix1 ... */
	char hidden[32];
};

/* The type as a declaration of that name, or of none. */
void show_type(struct show *sh, struct type *t, const char *name);
/* show_item.c: anything but a clause; types: those the compile declares. */
void show_item(struct show *sh, struct type_space *types,
	       const struct item *it);
/* show_expr.c: n as D, in parentheses if it binds less than that. */
enum show_level { SHOW_COMMA, SHOW_ASSIGN, SHOW_COND, SHOW_BINARY,
		  SHOW_UNARY = SHOW_BINARY + 12, SHOW_POSTFIX };
void show_expr(struct show *sh, const struct node *n, unsigned level);
/* show_tree.c */
void show_tree_clause(struct compile *cx, const struct clause_node *c);
void show_tree_checked(struct compile *cx, const struct node *n);

#endif
