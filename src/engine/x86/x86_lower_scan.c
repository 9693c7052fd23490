/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_scan.c - what clauses use, found before any code is made: what a
 * firing must prepare for them (arguments and registers in memory, this->
 * variables at zero), and the string constants that go in front of the code.
 */
#include "engine/x86/x86_lower_impl.h"

#include <string.h>

/* ---- what a firing prepares ---------------------------------------------- */

/* The bit of an argument that an instruction loads by its name; 0: it loads
   none. */
static uint32_t
scan_arg(dif_instr_t i)
{
	uint32_t n = DIF_IDX(i) - DIF_VAR_arg0;

	return DIF_OP(i) == DIF_OP_LDGS && n <= DIF_VAR_arg9 - DIF_VAR_arg0
		       ? 1u << n
		       : 0;
}

static void
lower_scan_obj(const struct dif_obj *o, struct lower_facts *f)
{
	for (uint32_t pc = 0; o != NULL && pc < o->ntext; pc++) {
		unsigned op = DIF_OP(o->text[pc]);
		unsigned needs = dif_instr_needs(o->text[pc]);

		f->args |= scan_arg(o->text[pc]);
		f->stack |= (needs & DIF_NEED_USTACK) != 0;
		f->errno_mem |= (needs & DIF_NEED_SYSERR) != 0;
		f->args_mem |= (needs & DIF_NEED_RAWARGS) != 0;
		f->uregs |= (needs & DIF_NEED_UREGS) != 0;
		f->locals |= op == DIF_OP_LDLS || op == DIF_OP_STLS;
	}
}

void
lower_scan(const struct dif_clause *cl, struct lower_facts *f)
{
	lower_scan_obj(cl->pred, f);
	for (uint32_t s = 0; s < cl->nstmts; s++)
		for (uint32_t i = 0; i < cl->stmts[s].nexprs; i++) {
			const struct dif_expr *e = &cl->stmts[s].exprs[i];
			lower_scan_obj(e->obj, f);
			f->stack |= e->src == DIF_SRC_USTACK;
		}
}

bool
lower_obj_has(const struct dif_obj *o, unsigned op)
{
	for (uint32_t pc = 0; o != NULL && pc < o->ntext; pc++)
		if (DIF_OP(o->text[pc]) == op)
			return true;
	return false;
}

bool
lower_is_error(const struct dif_enabling *en, uint32_t ecb)
{
	const struct dif_probe *p = &en->probes[en->ecbs[ecb].probe];

	return p->nsites > 0 && p->sites[0].kind == DIF_SITE_ERROR;
}

/* ---- string constants ---------------------------------------------------- */

static int
strtab_add(struct lower *l, const struct dif_obj *o)
{
	const struct dif_obj **objs;
	uint64_t *at;

	if (!lower_obj_has(o, DIF_OP_SETS))
		return 0;
	objs = arena_alloc(l->a, (l->nobjs + 1) * sizeof(*objs));
	at = arena_alloc(l->a, (l->nobjs + 1) * sizeof(*at));
	if (objs == NULL || at == NULL)
		return lower_nomem(l);
	for (uint32_t i = 0; i < l->nobjs; i++) {
		objs[i] = l->objs[i];
		at[i] = l->strtabs[i];
	}
	objs[l->nobjs] = o;
	at[l->nobjs] = x86_here(l->b);
	x86_bytes(l->b, o->strtab, o->strlen);
	l->objs = objs;
	l->strtabs = at;
	l->nobjs++;
	return 0;
}

int
lower_strtabs(struct lower *l)
{
	const struct dif_enabling *en = l->in->en;

	for (uint32_t i = 0; i < l->in->necbs; i++) {
		uint32_t ecb = l->in->ecb0 + i;
		const struct dif_clause *cl = en->clauses[en->ecbs[ecb].clause];

		if (l->error && !lower_is_error(en, ecb))
			continue;
		if (strtab_add(l, cl->pred) != 0)
			return -1;
		for (uint32_t s = 0; s < cl->nstmts; s++)
			for (uint32_t x = 0; x < cl->stmts[s].nexprs; x++)
				if (strtab_add(l, cl->stmts[s].exprs[x].obj))
					return -1;
	}
	return 0;
}

uint64_t
lower_strtab(const struct lower *l, const struct dif_obj *o)
{
	for (uint32_t i = 0; i < l->nobjs; i++)
		if (l->objs[i] == o)
			return l->strtabs[i];
	return 0;
}
