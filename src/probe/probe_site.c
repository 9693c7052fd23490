/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_site.c - what providers hand to engines: lists of sites, and recipes
 * and conditions kept once each, so that engines may compare them by pointer;
 * and the tags of the errors that providers raise.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_impl.h"

enum {
#define TAG(name, what) name##_NUM,
#include "probe/errtag.def"
#undef TAG
};

#define TAG(name, what) const struct err_tag name = { #name, name##_NUM };
#include "probe/errtag.def"
#undef TAG

int
site_add(struct site_list *l, const struct dif_site *s, struct err *e)
{
	assert(dif_site_ok(s));
	return vec_push(l, *s) ? 0 : err_nomem(e);
}

/* ---- what sites share ------------------------------------ */

/* Contents of different kinds differ in length, so they do not meet. */
const void *
probe_keep(struct probe_set *ps, const void *key, size_t len)
{
	void *found = hash_find(ps->recipes, key, len);

	if (found != NULL)
		return found;
	found = arena_memdup(ps->arena, key, len);
	if (found == NULL || hash_set(ps->recipes, key, len, found) != 0)
		return NULL;
	return found;
}

static_assert(sizeof(struct dif_recipes) != sizeof(struct dif_whens) &&
		      sizeof(struct dif_recipes) != sizeof(struct dif_path) &&
		      sizeof(struct dif_whens) != sizeof(struct dif_path),
	      "told apart by their size");

/* Field by field, into zeroes: the padding must not make a difference. */
static void
recipe_copy(struct dif_recipe *to, const struct dif_recipe *from)
{
	to->kind = from->kind;
	to->val = from->val;
	to->path = from->path;
	to->size = from->size;
	to->is_signed = from->is_signed;
	to->shift = from->shift;
	to->base = from->base;
	to->index = from->index;
	to->scale = from->scale;
	to->fs = from->fs;
}

const struct dif_recipes *
probe_recipes(struct probe_set *ps, const struct dif_recipes *r)
{
	struct dif_recipes key;

	memset(&key, 0, sizeof(key));
	for (int i = 0; i < DIF_NARGS; i++)
		recipe_copy(&key.arg[i], &r->arg[i]);
	return probe_keep(ps, &key, sizeof(key));
}

const struct dif_whens *
probe_whens(struct probe_set *ps, const struct dif_whens *w)
{
	struct dif_whens key;

	memset(&key, 0, sizeof(key));
	key.n = w->n;
	for (uint32_t i = 0; i < w->n; i++) {
		recipe_copy(&key.v[i].what, &w->v[i].what);
		key.v[i].mask = w->v[i].mask;
		key.v[i].cmp = w->v[i].cmp;
		key.v[i].val = w->v[i].val;
	}
	recipe_copy(&key.once, &w->once);
	return probe_keep(ps, &key, sizeof(key));
}
