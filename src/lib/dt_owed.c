/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_owed.c - users' stacks that an engine completes when they are read
 * (engine_ops.stack): those of a record, before anybody sees it, and those in
 * the keys of aggregations, before equal keys are merged.
 */
#include "lib/dt_impl.h"

#include <string.h>

/* A stack of n bytes: the process, then the frames. */
static void
owed_complete(const struct dt_engine *de, uint8_t *p, uint32_t n)
{
	uint64_t head[2 + RT_UNW_OWED_WITHIN];

	if (n < sizeof(head[0]) * 3)
		return;
	memcpy(head, p, n < sizeof(head) ? n : sizeof(head));
	for (size_t i = 2; i < sizeof(head) / sizeof(*head) && 8 * i < n; i++)
		if (rt_unw_is_owed(head[i])) {
			de->ops->stack(de->eng, (uint64_t *)(void *)(p + 8),
				       n / 8 - 1);
			return;
		}
}

void
dt_owed_record(const struct dt_engine *de, const struct dif_clause *c,
	       uint8_t *rec)
{
	if (de->ops->stack == NULL)
		return;
	for (uint32_t s = 0; s < c->nstmts; s++) {
		const struct dif_stmt *st = &c->stmts[s];

		for (uint32_t i = 0; i < st->nexprs; i++)
			if (st->exprs[i].src == DIF_SRC_USTACK &&
			    dt_stmt_consumed(st))
				owed_complete(de, rec + st->exprs[i].off,
					      st->exprs[i].size);
	}
}

/* The key is the engine's, in a half that nobody writes to. */
int
dt_owed_cell(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
	     const uint64_t *cell)
{
	const struct dt_owed *o = arg;
	const struct dif_aggvar *av = o->tab->aggs[agg];
	uint8_t *p = (uint8_t *)(uintptr_t)key;

	for (uint32_t i = 0; i < av->nkeys && o->de->ops->stack != NULL; i++)
		if (av->keysrc[i] == DIF_SRC_USTACK)
			owed_complete(o->de, p + av->keyoff[i], av->keylen[i]);
	return dt_aggs_add_cell(o->aggs, agg, cpu, key, cell);
}
