/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_hold.c - values that wait while other code is made.
 *
 * Most expressions need few registers, so their code is first made as if there
 * were enough, and greg_hold() does nothing.  If there are not, the code is
 * made once more with g->spill set: whatever waits for more than a constant or
 * a plain variable is then stored in a hidden clause-local variable, %spill0
 * for the outermost value that waits.  The depth of an expression is thus not
 * bounded by the number of registers.
 */
#include "lang/gen/gen_impl.h"

/* True if its code cannot run short of registers. */
static bool
is_leaf(const struct node *n)
{
	return n != NULL &&
	       (n->is_const || (n->ref == REF_VAR && n->nargs == 0) ||
		(n->ref == REF_BUILTIN && n->nargs == 0));
}

static const struct dif_uvar *
spill_var(struct compile *cx, struct src_loc loc, uint32_t k)
{
	const char *name = arena_printf(cx->arena, "%%spill%u", k);
	struct ident *id = names_find(cx, DIF_SCOPE_LOCAL, name);

	if (id == NULL) {
		id = names_add(cx, DIF_SCOPE_LOCAL, ID_VAR, name,
			       dtype_named(cx, "int64_t"), loc);
		names_make_var(cx, id, DIF_SCOPE_LOCAL, NULL, 0);
	}
	if (clause_of(cx) != NULL)
		clause_of(cx)->uses_locals = true;
	return id->var;
}

void
greg_hold(struct gen *g, int r, const struct node *next, struct held *h)
{
	*h = (struct held){ .reg = r };
	if (!g->spill || r == 0 || is_leaf(next))
		return;
	h->var = spill_var(g->cx, g->loc, g->nheld++);
	gobj_uvar(g, h->var, DIF_VF_MOD);
	gobj_emit(g, DIF_INSTR_W(DIF_OP_STLS, h->var->id, r));
	greg_free(g, r);
}

int
greg_resume(struct gen *g, struct held *h)
{
	int r;

	if (h->var == NULL)
		return h->reg;
	g->nheld--;
	r = greg_alloc(g);
	gobj_uvar(g, h->var, DIF_VF_REF);
	gobj_emit(g, DIF_INSTR_W(DIF_OP_LDLS, h->var->id, r));
	return r;
}
