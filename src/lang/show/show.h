/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show.h - the door of the writer: the program as D text, and its trees.
 *
 * Called by lang.c while it compiles; all do nothing unless src->show asks for
 * it.
 */
#ifndef LANG_SHOW_SHOW_H
#define LANG_SHOW_SHOW_H

#include "lang/tree/compile.h"

void show_begin(struct compile *cx);
void show_end(struct compile *cx);
/* An item has been parsed and nothing else: its tree. */
void show_parsed(struct compile *cx, const struct item *it);
/*
 * It has been compiled: its text, and what cx->shown has, which is empty then.
 * it NULL: there is no item, or it has failed.
 */
void show_made(struct compile *cx, const struct item *it);

#endif
