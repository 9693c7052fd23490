/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_space.c - spaces: where types live and where names are kept.
 *
 * A program gets a space of its own over the base space, so that what one
 * program declares goes with it.  Making one costs an arena and nothing else:
 * the tables of names come with the first name.
 */
#include <stdlib.h>
#include <string.h>

#include "type/type_impl.h"

int
type_failed(struct type_space *ts)
{
	while (ts->parent != NULL)
		ts = ts->parent;
	ts->failed++;
	return -1;
}

static void
space_oom(void *arg)
{
	type_failed(arg);
}

size_t
type_space_failures(const struct type_space *ts)
{
	while (ts->parent != NULL)
		ts = ts->parent;
	return ts->failed;
}

struct type_space *
type_space_new(struct type_space *parent, struct err *e)
{
	struct type_space *ts = calloc(1, sizeof(*ts));

	if (ts == NULL || (ts->arena = arena_new()) == NULL) {
		free(ts);
		if (parent != NULL)
			type_failed(parent);
		err_nomem(e);
		return NULL;
	}
	ts->parent = parent;
	arena_on_oom(ts->arena, space_oom, ts);
	return ts;
}

void
type_space_put_below(struct type_space *ts, struct type_space *below)
{
	ts->parent = below;
}

struct type_space *
type_space_base(struct err *e)
{
	struct type_space *ts = type_space_new(NULL, e);

	if (ts == NULL)
		return NULL;
	if (type_basic_fill(ts) != 0) {
		type_space_free(ts);
		err_nomem(e);
		return NULL;
	}
	return ts;
}

void
type_space_free(struct type_space *ts)
{
	if (ts == NULL)
		return;
	type_kernel_free(ts->kernel);
	type_prog_free(ts->progs);
	hash_free(ts->names);
	hash_free(ts->enums);
	hash_free(ts->derived);
	vec_fini(&ts->declared);
	arena_free(ts->arena);
	free(ts);
}

struct hash *
type_hash(struct type_space *ts, struct hash **h)
{
	if (*h == NULL && (*h = hash_new()) == NULL)
		type_failed(ts);
	return *h;
}

int
type_hash_set(struct type_space *ts, struct hash *h, const void *key,
	      size_t len, void *val)
{
	return hash_set(h, key, len, val) == 0 ? 0 : type_failed(ts);
}

struct type *
type_new(struct type_space *ts, enum type_kind kind)
{
	struct type *t = arena_alloc(ts->arena, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->kind = kind;
	t->space = ts;
	return t;
}

struct type *
type_new_list(struct type_space *ts, enum type_kind kind)
{
	struct type *t = type_new(ts, kind);

	if (t != NULL)
		t->detail = arena_alloc(ts->arena, sizeof(struct type_list));
	return t != NULL && t->detail != NULL ? t : NULL;
}

int
type_declare(struct type_space *ts, enum type_ns ns, const char *name,
	     struct type *t)
{
	char key[TYPE_NAME_MAX];
	size_t len = strlen(name);

	/* No lookup could ask for a longer name: type_id_parse(). */
	if (len + 2 > sizeof(key))
		return 0;
	key[0] = (char)ns;
	memcpy(key + 1, name, len + 1);
	if (type_hash(ts, &ts->names) == NULL)
		return -1;
	return type_hash_set(ts, ts->names, key, len + 1, t);
}

int
type_note(struct type_space *ts, struct type *t)
{
	return vec_push(&ts->declared, t) ? 0 : type_failed(ts);
}

struct type *
type_space_declared(const struct type_space *ts, size_t i)
{
	return i < ts->declared.n ? ts->declared.v[i] : NULL;
}

struct type *
type_space_find(struct type_space *ts, const struct type_id *id)
{
	if (ts->names == NULL)
		return NULL;
	return hash_find(ts->names, id->key, strlen(id->key));
}

void
type_space_ask(struct type_space *ts, type_ask_fn *fn, void *arg)
{
	ts->ask = fn;
	ts->ask_arg = arg;
}
