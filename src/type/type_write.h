/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_write.h - what the files that write types share.
 */
#ifndef TYPE_TYPE_WRITE_H
#define TYPE_TYPE_WRITE_H

#include "type/type_impl.h"

enum type_mark_state {
	TYPE_UNWRITTEN,
	TYPE_BEGUN,    /* what it needs is being written */
	TYPE_DEFINED
};
struct type_mark {
	enum type_mark_state state;
	bool declared;	  /* struct x; */
	const char *name; /* in C text; NULL: not asked for yet, or none */
};

struct type_writer {
	struct type_space *ts;
	bool c;
	struct arena *arena;
	struct hash *marks; /* struct type * -> struct type_mark */
	struct hash *names; /* C: name space and name -> struct type */
	struct type_mark spare;
};

/* type_write.c */
struct type_mark *type_write_mark(struct type_writer *w, const struct type *t);
/* The tag or typedef's name as it is written. */
const char *type_write_tag(struct type_writer *w, struct type *t);
const char *type_write_unique(struct type_writer *w, char space,
			      const char *name, const struct type *t);
/* Write what has to stand before t is used; whole: t is complete then. */
void type_write_need(struct type_writer *w, struct type *t, bool whole,
		     struct buf *out);

/* type_members.c */
/* "struct x { ... }", "enum { ... }"; what it needs has been written. */
void type_write_body(struct type_writer *w, struct type *t, struct buf *out);
/* C: _Static_assert of size and offsets. */
void type_write_asserts(struct type_writer *w, struct type *t,
			struct buf *out);

#endif
