/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_json.c - tokens of libyajl's parser to trees, see show_json.h.  Text is
 * read in pieces of some kilobytes, so lines may have any length.
 */
#include "show/show_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/arena.h"

/* Deeper than anything that print() makes of a type. */
#define JV_DEPTH_MAX 512

struct jv_state {
	struct jv_reader r;
	yajl_handle yajl;
	struct arena *element, *row; /* row: NULL outside of rows */
	struct jv *at;		     /* the map or array that is open */
	const struct jv *row_at;     /* the row that is open, or NULL */
	const char *key;
	unsigned depth;
	bool too_deep;
};

static struct arena *
arena_make(void)
{
	struct arena *a = arena_new();

	if (a == NULL)
		show_die("memory allocation failure");
	return a;
}

static struct arena *
arena_here(struct jv_state *j)
{
	struct arena **a = j->row_at != NULL ? &j->row : &j->element;

	if (*a == NULL)
		*a = arena_make();
	return *a;
}

static const char *
copy_text(struct jv_state *j, const unsigned char *s, size_t n)
{
	struct buf b = BUF_INIT;
	const char *p = (const char *)s;

	if (memchr(s, '\0', n) != NULL) { /* a string of ours ends at NUL */
		show_clean(&b, p, n);
		p = show_text(&b);
		n = b.n;
	}
	char *copy = arena_strndup(arena_here(j), p, n);
	if (copy == NULL)
		show_die("memory allocation failure");
	buf_fini(&b);
	return copy;
}

static struct jv *
json_add(struct jv_state *j, enum jv_kind kind)
{
	struct jv *v = arena_alloc(arena_here(j), sizeof(*v));

	if (v == NULL)
		show_die("memory allocation failure");
	*v = (struct jv){ .kind = kind, .key = j->key != NULL ? j->key : "",
			  .str = "", .parent = j->at };
	j->key = NULL;
	/* Rows are no part of what they stand in. */
	if (j->at != NULL && v != j->row_at) {
		if (j->at->last != NULL)
			j->at->last->next = v;
		else
			j->at->child = v;
		j->at->last = v;
	}
	return v;
}

static bool
is_rows(const struct jv *v)
{
	return v != NULL && v->kind == JV_ARRAY &&
	       strcmp(v->key, "aggregation-data") == 0;
}

/* ---- tokens ------------------------------------------------------------- */

static int
on_null(void *arg)
{
	json_add(arg, JV_NULL);
	return 1;
}

static int
on_bool(void *arg, int value)
{
	json_add(arg, JV_STR)->str = value ? "true" : "false";
	return 1;
}

static int
on_number(void *arg, const char *s, size_t n)
{
	const char *copy = copy_text(arg, (const unsigned char *)s, n);

	json_add(arg, JV_NUM)->str = copy;
	return 1;
}

static int
on_string(void *arg, const unsigned char *s, size_t n)
{
	const char *copy = copy_text(arg, s, n);

	json_add(arg, JV_STR)->str = copy;
	return 1;
}

static int
on_key(void *arg, const unsigned char *s, size_t n)
{
	struct jv_state *j = arg;

	j->key = copy_text(j, s, n);
	return 1;
}

static int
open_one(struct jv_state *j, enum jv_kind kind)
{
	if (++j->depth > JV_DEPTH_MAX) {
		j->too_deep = true;
		return 0;
	}
	j->at = json_add(j, kind);
	return 1;
}

static int
on_map(void *arg)
{
	struct jv_state *j = arg;
	struct jv *data = j->at;

	if (j->row_at != NULL || !is_rows(data))
		return open_one(j, JV_MAP);
	/* Its own memory, which goes when it has been given. */
	j->row = arena_make();
	struct jv *row = arena_alloc(j->row, sizeof(*row));
	if (row == NULL)
		show_die("memory allocation failure");
	*row = (struct jv){ .kind = JV_MAP, .key = "", .str = "",
			    .parent = data };
	j->depth++;
	j->row_at = j->at = row;
	return 1;
}

static int
on_map_end(void *arg)
{
	struct jv_state *j = arg;
	struct jv *v = j->at;

	j->depth--;
	j->at = v->parent;
	if (v == j->row_at) {
		j->r.row(j->r.arg, v->parent, v);
		arena_free(j->row);
		j->row = NULL;
		j->row_at = NULL;
	} else if (v->parent == NULL) {
		if (v->kind == JV_MAP)
			j->r.element(j->r.arg, v);
		arena_free(j->element);
		j->element = NULL;
	}
	return 1;
}

static int
on_array(void *arg)
{
	struct jv_state *j = arg;

	if (!open_one(j, JV_ARRAY))
		return 0;
	if (j->row_at == NULL && is_rows(j->at))
		j->r.agg(j->r.arg, j->at);
	return 1;
}

static int
on_array_end(void *arg)
{
	return on_map_end(arg);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null, .yajl_boolean = on_bool,
	.yajl_number = on_number, .yajl_string = on_string,
	.yajl_start_map = on_map, .yajl_map_key = on_key,
	.yajl_end_map = on_map_end, .yajl_start_array = on_array,
	.yajl_end_array = on_array_end,
};

/* ---- the state ---------------------------------------------------------- */

struct jv_state *
jv_new(const struct jv_reader *r)
{
	struct jv_state *j = show_alloc(1, sizeof(*j));

	j->r = *r;
	j->yajl = yajl_alloc(&callbacks, NULL, j);
	if (j->yajl == NULL)
		show_die("memory allocation failure");
	yajl_config(j->yajl, yajl_allow_multiple_values, 1);
	return j;
}

void
jv_free(struct jv_state *j)
{
	yajl_free(j->yajl);
	arena_free(j->element);
	arena_free(j->row);
	free(j);
}

/* A parser that has read no value, or half of one, is not content: nothing at
   all is an empty trace. */
static int
feed_end(struct jv_state *j, char *err, size_t nerr)
{
	if (j->depth == 0)
		return 0;
	snprintf(err, nerr, "it ends in the middle of an element");
	return -1;
}

int
jv_feed(struct jv_state *j, const char *text, size_t n, char *err, size_t nerr)
{
	unsigned char *why;

	if (n == 0)
		return feed_end(j, err, nerr);
	if (yajl_parse(j->yajl, (const unsigned char *)text, n) ==
	    yajl_status_ok)
		return 0;
	if (j->too_deep) {
		snprintf(err, nerr, "it is nested too deeply");
		return -1;
	}
	why = yajl_get_error(j->yajl, 0, NULL, 0);
	snprintf(err, nerr, "%.*s", (int)strcspn((char *)why, "\n"), why);
	yajl_free_error(j->yajl, why);
	return -1;
}

/* ---- trees -------------------------------------------------------------- */

const struct jv *
jv_get(const struct jv *v, const char *key)
{
	if (v == NULL)
		return NULL;
	for (v = v->child; v != NULL; v = v->next)
		if (strcmp(v->key, key) == 0)
			return v;
	return NULL;
}

const char *
jv_str(const struct jv *v, const char *key)
{
	v = jv_get(v, key);
	return v != NULL ? v->str : "";
}

int64_t
jv_int(const struct jv *v, const char *key)
{
	const char *s = jv_str(v, key);

	errno = 0;
	int64_t n = strtoll(s, NULL, 10);
	/* Addresses of the kernel, and other large ones without a sign. */
	return errno == ERANGE && *s != '-' ? (int64_t)strtoull(s, NULL, 10) :
					      n;
}

void
jv_text(struct buf *b, const struct jv *v)
{
	bool map = v->kind == JV_MAP;

	switch (v->kind) {
	case JV_NULL:
		buf_puts(b, "null");
		return;
	case JV_NUM:
		buf_puts(b, v->str);
		return;
	case JV_STR:
		show_clean_json(b, v->str, strlen(v->str));
		return;
	default:
		break;
	}
	buf_putc(b, map ? '{' : '[');
	for (const struct jv *c = v->child; c != NULL; c = c->next) {
		if (c != v->child)
			buf_puts(b, ", ");
		if (map)
			buf_printf(b, "%s: ", c->key);
		jv_text(b, c);
	}
	buf_putc(b, map ? '}' : ']');
}
