/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_site.c - what providers hand to engines: lists of sites, and recipes
 * kept once each, so that engines may compare them by pointer; and the tags of
 * the errors that providers raise.
 */
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
	return vec_push(l, *s) ? 0 : err_nomem(e);
}

const struct dif_recipes *
probe_recipes(struct probe_set *ps, const struct dif_recipes *r)
{
	struct dif_recipes key, *found;

	/* Field by field: the padding must not make a difference. */
	memset(&key, 0, sizeof(key));
	for (int i = 0; i < DIF_NARGS; i++) {
		key.arg[i].kind = r->arg[i].kind;
		key.arg[i].val = r->arg[i].val;
	}
	found = hash_find(ps->recipes, &key, sizeof(key));
	if (found != NULL)
		return found;
	found = arena_memdup(ps->arena, &key, sizeof(key));
	if (found == NULL ||
	    hash_set(ps->recipes, &key, sizeof(key), found) != 0)
		return NULL;
	return found;
}
