/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_xlate.c - a translated struct as a value: all its members, put one by
 * one into a struct in scratch memory.  Members that the translator does not
 * give are 0.  What is translated is evaluated once, not for each member.
 *
 * A translated pointer has no value, as there is no struct to point to; as a
 * member of such a struct it is NULL.
 */
#include "lang/gen/gen_impl.h"

static void
store_member(struct gen *g, const struct node *xl,
	     const struct xlator_member *xm, int *copy)
{
	const struct xlator *x = xl->ident;
	struct node *place = node_new(g->cx, NODE_MEMBER, xl->loc), *v;
	const struct type_member *m;
	struct held h;
	int val, addr, off;
	uint64_t bits;

	m = type_member(x->out, xm->name, &bits);
	v = check_xlated(g->cx, xl, xm, m, xl->loc);
	if (v->kind == NODE_XLATE && type_is_ptr(v->type))
		return;
	place->name = xm->name;
	place->type = m->type;
	check_place_bits(g->cx, place, m, bits);
	greg_hold(g, *copy, v, &h);
	val = gen_value(g, v);
	*copy = greg_resume(g, &h);
	off = gen_int(g, place->ival);
	addr = greg_alloc(g);
	gen_r3(g, DIF_OP_ADD, *copy, off, addr);
	greg_free(g, off);
	if (type_resolve(m->type)->kind == TYPE_ARRAY ||
	    type_is_string(m->type))
		gen_store_array(g, m->type, v->type, val, addr);
	else
		gen_store(g, place, val, addr);
	greg_free(g, addr);
	greg_free(g, val);
}

int
gen_xlate(struct gen *g, struct node *n)
{
	const struct xlator *x = n->ident;
	struct node xl = *n, *set;
	int size, copy;

	if (type_is_ptr(n->type))
		lang_fail(g->cx, &D_CG_DYN, n->loc,
			  "a translated %s points to nothing in memory: use "
			  "its members, or * for all of it",
			  lang_type_name(g->cx, n->type));
	set = check_once(g->cx, &xl.left, NULL, 0);
	if (set != NULL)
		gen_effect(g, set);
	size = gen_int(g, type_size(x->out));
	copy = greg_alloc(g);
	gen_r2(g, DIF_OP_ALLOCS, size, copy);
	greg_free(g, size);
	for (uint32_t i = 0; i < x->nmembers; i++)
		store_member(g, &xl, &x->members[i], &copy);
	return copy;
}
