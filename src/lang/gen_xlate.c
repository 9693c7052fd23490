/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_xlate.c - a translated struct as a value: all its members, put one by
 * one into a struct in scratch memory.  Members that the translator does not
 * give are 0.
 *
 * A translated pointer has no value, as there is no struct to point to; as a
 * member of such a struct it is NULL.
 */
#include "lang/gen_impl.h"

/* Bytes that a member takes; strings in structs have room for 256. */
static uint64_t
room(struct type *t)
{
	t = type_resolve(t);
	return type_is_string(t) ? 256 : type_size(t);
}

/* %rd = min(strlen(s), max): the NUL is there already, as memory is zero. */
static int
string_length(struct gen *g, int s, uint64_t max)
{
	uint32_t fits = gobj_label(g);
	int len = greg_alloc(g), most;

	gobj_emit(g, DIF_INSTR_R(DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, s));
	gobj_emit(g, DIF_INSTR_W(DIF_OP_CALL, DIF_SUBR_strlen, len));
	gobj_emit(g, DIF_INSTR_R(DIF_OP_FLUSHTS, 0, 0, 0));
	most = gen_int(g, max);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_CMP, len, most, 0));
	gobj_branch(g, DIF_OP_BLEU, fits);
	gen_r2(g, DIF_OP_MOV, most, len);
	gobj_place(g, fits);
	greg_free(g, most);
	return len;
}

/* Bytes of an array or string: no more than either side has. */
static void
copy_bytes(struct gen *g, const struct type_member *m, struct node *v, int val,
	   int addr)
{
	uint64_t max = room(m->type), have = room(v->type);
	int size;

	if (type_is_string(v->type))
		size = string_length(g, val, max - 1);
	else
		size = gen_int(g, have < max ? have : max);
	gen_r3(g, DIF_OP_COPYS, val, size, addr);
	greg_free(g, size);
}

static void
store_member(struct gen *g, const struct node *xl,
	     const struct xlator_member *xm, int copy)
{
	const struct xlator *x = xl->ident;
	struct node *place = node_new(g->cx, NODE_MEMBER, xl->loc), *v;
	const struct type_member *m;
	int val, addr, off;
	uint64_t bits;

	m = type_member(x->out, xm->name, &bits);
	v = check_xlated(g->cx, xl, xm, m, xl->loc);
	if (v->kind == NODE_XLATE && type_is_ptr(v->type))
		return;
	place->name = xm->name;
	place->type = m->type;
	check_place_bits(g->cx, place, m, bits);
	val = gen_value(g, v);
	off = gen_int(g, place->ival);
	addr = greg_alloc(g);
	gen_r3(g, DIF_OP_ADD, copy, off, addr);
	greg_free(g, off);
	if (type_is_string(m->type) ||
	    type_resolve(m->type)->kind == TYPE_ARRAY)
		copy_bytes(g, m, v, val, addr);
	else
		gen_store(g, place, val, addr);
	greg_free(g, addr);
	greg_free(g, val);
}

int
gen_xlate(struct gen *g, struct node *n)
{
	const struct xlator *x = n->ident;
	int size, copy;

	if (type_is_ptr(n->type))
		lang_fail(g->cx, &D_CG_DYN, n->loc,
			  "a translated %s points to nothing in memory: use "
			  "its members, or * for all of it",
			  lang_type_name(g->cx, n->type));
	size = gen_int(g, type_size(x->out));
	copy = greg_alloc(g);
	gen_r2(g, DIF_OP_ALLOCS, size, copy);
	greg_free(g, size);
	for (uint32_t i = 0; i < x->nmembers; i++)
		store_member(g, n, &x->members[i], copy);
	return copy;
}
