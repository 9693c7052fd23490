/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_json.h - inside this room: structured output as small trees.
 *
 * The parser gives tokens; here they become a tree for each element, which is
 * given to a function and forgotten.  Aggregations may have a million rows in
 * one element: a row is given as soon as it is whole, and is never part of the
 * element's tree.
 */
#ifndef SHOW_SHOW_JSON_H
#define SHOW_SHOW_JSON_H

#include "show/show.h"

enum jv_kind { JV_NULL, JV_NUM, JV_STR, JV_MAP, JV_ARRAY };

struct jv {
	enum jv_kind kind;
	const char *key; /* in a map; else "" */
	const char *str; /* NUM: its digits; STR; true and false too */
	struct jv *child, *last, *next, *parent;
};

struct jv_reader {
	/* A whole element. */
	void (*element)(void *arg, const struct jv *e);
	/* data is the array of rows that begins, as far as its aggregation and
	   the element are known. */
	void (*agg)(void *arg, const struct jv *data);
	void (*row)(void *arg, const struct jv *data, const struct jv *row);
	void *arg;
};

struct jv_state;
struct jv_state *jv_new(const struct jv_reader *r);
/* More text; n 0: the end.  0, or -1 with a reason in err (of size nerr). */
int jv_feed(struct jv_state *j, const char *text, size_t n, char *err,
	    size_t nerr);
void jv_free(struct jv_state *j);

/* A member, or NULL; NULL has none. */
const struct jv *jv_get(const struct jv *v, const char *key);
/* Its text or "", its number or 0. */
const char *jv_str(const struct jv *v, const char *key);
int64_t jv_int(const struct jv *v, const char *key);
/* The value as compact JSON. */
void jv_text(struct buf *b, const struct jv *v);

#endif
