/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_prog.c - the life of a compiled program.  All of it, the struct itself
 * included, lives in the program's arena, so there is only one thing to free.
 */
#include "dif/dif.h"

#include <string.h>

static bool
walks(const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->ntext; i++)
		if (DIF_OP(o->text[i]) == DIF_OP_LDGS &&
		    (DIF_IDX(o->text[i]) == DIF_VAR_ucaller ||
		     DIF_IDX(o->text[i]) == DIF_VAR_ustackdepth))
			return true;
	return false;
}

bool
dif_clause_walks(const struct dif_clause *c)
{
	bool any = walks(c->pred);

	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			any |= c->stmts[s].exprs[i].src == DIF_SRC_USTACK ||
			       walks(c->stmts[s].exprs[i].obj);
	return any;
}

static unsigned
needs_of(const struct dif_obj *o)
{
	unsigned needs = 0;

	for (uint32_t i = 0; o != NULL && i < o->ntext; i++)
		needs |= dif_instr_needs(o->text[i]);
	return needs;
}

/* They are sorted, and may be tens of thousands. */
uint32_t
dif_probe_ecbs(const struct dif_enabling *en, uint32_t probe, uint32_t *end)
{
	uint32_t lo = 0, hi = en->necbs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (en->ecbs[mid].probe < probe)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*end = lo; *end < en->necbs && en->ecbs[*end].probe == probe;)
		++*end;
	return lo;
}

unsigned
dif_enabling_needs(const struct dif_enabling *en)
{
	unsigned needs = 0;

	for (uint32_t i = 0; i < en->nclauses; i++) {
		const struct dif_clause *c = en->clauses[i];

		needs |= needs_of(c->pred);
		for (uint32_t s = 0; s < c->nstmts; s++)
			for (uint32_t x = 0; x < c->stmts[s].nexprs; x++)
				needs |= needs_of(c->stmts[s].exprs[x].obj);
	}
	return needs;
}

void
dif_prog_free(struct dif_prog *p)
{
	if (p != NULL)
		arena_free(p->arena);
}

/* True if a field of a description is one word, and no pattern of words. */
static bool
field_names(const char *s)
{
	return s != NULL && s[0] != '\0' && strpbrk(s, "*?[\\") == NULL;
}

bool
dif_pdesc_names(const struct dif_pdesc *pd)
{
	return pd->id != 0 || (field_names(pd->func) && field_names(pd->name));
}

bool
dif_clause_names(const struct dif_clause *c)
{
	return !c->maker && dif_pdesc_names(&c->pdesc);
}
