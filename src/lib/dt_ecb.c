/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_ecb.c - the record of an ECB as consumers are given it: one description
 * for each recorded value, in the order of the statements.
 */
#include "lib/dt_impl.h"

bool
dt_stmt_consumed(const struct dif_stmt *st)
{
	return dif_act_records(st->kind) && !dif_act_at_probe(st->kind);
}

static uint32_t
field_align(uint32_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

/* A statement's values; the place after them. */
static dtrace_recdesc_t *
stmt_describe(const struct dif_stmt *st, dtrace_recdesc_t *r)
{
	uint32_t k = 0;

	do {
		*r = (dtrace_recdesc_t){ .dtrd_action = (uint16_t)st->kind,
					 .dtrd_format = st->fmt,
					 .dtrd_arg = st->arg,
					 .dtrd_alignment = 1 };
		if (k < st->nexprs) {
			uint32_t size = st->exprs[k].size;
			r->dtrd_offset = st->exprs[k].off;
			r->dtrd_size = size;
			r->dtrd_alignment = (uint16_t)field_align(size);
		}
		r++;
	} while (++k < st->nexprs);
	return r;
}

int
dt_ecb_describe(dtrace_hdl_t *dtp, struct dt_ecb *ecb, uint32_t epid)
{
	const struct dif_clause *c = ecb->clause;
	uint32_t n = 0;

	for (uint32_t s = 0; s < c->nstmts; s++) {
		if (dt_stmt_consumed(&c->stmts[s]))
			n += c->stmts[s].nexprs > 0 ? c->stmts[s].nexprs : 1;
	}
	struct arena *a = dtp->en_arena;
	dtrace_recdesc_t *r = arena_calloc(a, n + 1, sizeof(*r));
	dtrace_eprobedesc_t *d = arena_alloc(a, sizeof(*d));
	dtrace_probedesc_t *pd = arena_alloc(a, sizeof(*pd));
	if (r == NULL || d == NULL || pd == NULL)
		return dt_nomem(dtp);
	dt_probe_desc(ecb->probe, pd);
	*d = (dtrace_eprobedesc_t){ .dtepd_epid = epid,
				    .dtepd_probeid = ecb->probe->id,
				    .dtepd_size = c->recsize,
				    .dtepd_nrecs = (int)n, .dtepd_rec = r };
	for (uint32_t s = 0; s < c->nstmts; s++)
		if (dt_stmt_consumed(&c->stmts[s]))
			r = stmt_describe(&c->stmts[s], r);
	ecb->pdesc = pd;
	ecb->desc = d;
	return 0;
}
