/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_site.c - what the rows of site.def and recipe.def say together.
 */
#include "dif/dif.h"

static bool
key_is_set(const struct dif_site *s)
{
	switch (dif_sites[s->kind].key) {
	case DIF_KEY_PERIOD: return s->num != 0;
	case DIF_KEY_COUNT:
		return s->num != 0 && (s->counter.user || s->counter.kernel);
	case DIF_KEY_NAME:
	case DIF_KEY_FUNCTION: return s->tp != NULL;
	case DIF_KEY_PLACE: return s->path != NULL;
	case DIF_KEY_NOTHING:
	case DIF_KEY_NUMBER: break;
	}
	return true;
}

static bool
recipe_ok(const struct dif_site *s, const struct dif_recipe *r)
{
	unsigned from = dif_recipe_info[r->kind].from;

	return (dif_sites[s->kind].gives & from) == from;
}

bool
dif_site_ok(const struct dif_site *s)
{
	for (unsigned i = 0; s->args != NULL && i < DIF_NARGS; i++)
		if (!recipe_ok(s, &s->args->arg[i]))
			return false;
	for (uint32_t i = 0; s->when != NULL && i < s->when->n; i++)
		if (!recipe_ok(s, &s->when->v[i].what))
			return false;
	if (s->thread.kind != DIF_RCP_NONE &&
	    (s->kind != DIF_SITE_TP || s->thread.kind != DIF_RCP_TPARG ||
	     s->thread.path != NULL))
		return false;
	return key_is_set(s) &&
	       (s->when == NULL || recipe_ok(s, &s->when->once));
}

uint64_t
dif_recipe_part(const struct dif_recipe *r, uint64_t reg)
{
	unsigned drop = r->size != 0 ? 64u - 8u * r->size : 0;

	reg = reg >> r->shift << drop;
	return r->is_signed ? (uint64_t)((int64_t)reg >> drop) : reg >> drop;
}

bool
dif_site_for(const struct dif_site *s, enum dif_engines engine)
{
	return s->engines == 0 || (s->engines & (unsigned)engine) != 0;
}
