/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_again.c - functions that are probed in the target are probed in the
 * programs that its tree executes, where those map the same files.
 *
 *	the root's groups that have places ──again_note()──▶ file, site
 *	a program maps a file ──again_sites()──▶ the site, moved to where that
 *	is
 *
 * No provider is asked: which function of a file has which probes is known, and
 * the probe is the same row of the enabling.  What a program maps that the
 * target has not (its own text, as a rule) has no probes.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>

int
again_note(struct engine *root, uint32_t first, struct err *e)
{
	const struct plan *p = &root->plan;

	for (size_t i = first; i < p->groups.n; i++) {
		const struct plan_group *g = &p->groups.v[i];
		struct world_obj *o;
		struct again a;

		if (g->why != NULL || g->site == NULL ||
		    p->classes.v[g->cls].sys)
			continue;
		o = world_at(&root->world, g->site->addr);
		if (o == NULL)
			continue;
		a = (struct again){ .probe = g->probe, .site = *g->site };
		a.file = world_obj_file(o, &a.base);
		if (!vec_push(&root->again, a))
			return err_nomem(e);
	}
	return 0;
}

static void
again_move(uint64_t *addr, uint64_t by)
{
	if (*addr != 0)
		*addr += by;
}

/* Another place of the same probe. */
static struct engine_site
again_at(const struct again *a, uint64_t base)
{
	struct engine_site s = { .probe = a->probe, .site = a->site };
	uint64_t by = base - a->base;

	s.site.path = NULL; /* it is the same file, whatever it is called
			       there */
	s.site.pid = 0;
	s.site.bias += by;
	again_move(&s.site.addr, by);
	again_move(&s.site.fn, by);
	again_move(&s.site.fn_next, by);
	again_move(&s.site.sem_addr, by);
	return s;
}

static int
again_obj(const struct engine *root, const struct world_obj *o,
	  struct again_list *v, struct err *e)
{
	uint64_t base;
	const void *file = world_obj_file(o, &base);

	for (size_t i = 0; i < root->again.n; i++)
		if (root->again.v[i].file == file &&
		    !vec_push(v, again_at(&root->again.v[i], base)))
			return err_nomem(e);
	return 0;
}

int
again_sites(struct engine *m, bool fresh, struct again_list *v, struct err *e)
{
	for (size_t i = 0; m->root->again.n != 0 && i < m->world.objs.n; i++) {
		struct world_obj *o = m->world.objs.v[i];
		const struct later_note *note = world_obj_note(o);

		if (world_obj_mapped(o) &&
		    (!fresh || (note->there && !note->served)) &&
		    again_obj(m->root, o, v, e) != 0)
			return -1;
	}
	return 0;
}
