/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_impl.h - what the files that write programs as text share.
 *
 * Nothing that is called here may fail the compile while a buffer of the
 * writer is open: buffers are not in the arena.
 */
#ifndef LANG_SHOW_IMPL_H
#define LANG_SHOW_IMPL_H

#include "lang/check_impl.h"

struct show {
	struct buf *out;
	struct type_writer *types;
	size_t ntypes; /* declarations of the compile's space so far */
	/* What the hidden variables %1, %2 of if are called: prefix1 ... */
	char hidden[32];
};

/* Any statement at the depth of a clause. */
void show_line(struct show *sh, const struct node *e);
/* The type as a declaration of that name, or of none. */
void show_type(struct show *sh, struct type *t, const char *name);

#endif
