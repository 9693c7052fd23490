/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggrow.h - a row of an aggregation as consumers see it, in both forms:
 * keys and value ready to use, and bytes with their descriptions.
 */
#ifndef LIB_DT_AGGROW_H
#define LIB_DT_AGGROW_H

#include "lib/dt_impl.h"

struct dt_aggrow {
	dtrace_aggkey_t *keys; /* [nkeys] */
	dtrace_recdesc_t *recs; /* of the id, the keys and the words */
	dtrace_aggdesc_t desc;
	dtrace_aggdata_t data;
	struct buf bytes; /* dtada_data */
};

/*
 * The row of aggregation index agg with these keys; c NULL: it has none, and
 * its words are zero.  0, or -1: no memory (filed).
 */
int dt_aggrow_init(struct dt_aggrow *r, dtrace_hdl_t *dtp, uint32_t agg,
		   const struct dt_cell *c, const struct dt_val *keys,
		   uint32_t nkeys);
void dt_aggrow_fini(struct dt_aggrow *r);
/* Call f with the cell's row, and do to the cell what it answers.  0, or -1:
   the walk ends, the error is filed. */
int dt_aggrow_visit(dtrace_hdl_t *dtp, struct dt_cell *c,
		    dtrace_aggregate_f *f, void *arg);

#endif
