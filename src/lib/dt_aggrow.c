/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggrow.c - rows of aggregations for consumers (dt_aggrow.h).
 *
 * The bytes of a row are made here, of merged values: the engines' own layout
 * has ids of probes and addresses where consumers want names.
 *
 *   u32 id | key | key ... | words
 *
 * with everything but the id on a boundary of 8 bytes.
 */
#include "lib/dt_aggrow.h"

#include <stdlib.h>
#include <string.h>

static void
row_pad(struct buf *b)
{
	while (b->n % 8 != 0 && !b->failed)
		buf_putc(b, '\0');
}

static void
row_record(struct dt_aggrow *r, uint16_t action, uint16_t align,
	   const void *p, size_t n)
{
	r->recs[r->desc.dtagd_nrecs++] = (dtrace_recdesc_t){
		.dtrd_action = action, .dtrd_alignment = align,
		.dtrd_offset = (uint32_t)r->bytes.n, .dtrd_size = (uint32_t)n,
	};
	buf_write(&r->bytes, p, n);
}

static void
row_key(struct dt_aggrow *r, dtrace_hdl_t *dtp, const struct dt_val *v,
	dtrace_aggkey_t *k)
{
	static const char nul;

	row_pad(&r->bytes);
	if (v->kind == DT_VAL_INT) { /* little-endian: the low bytes */
		*k = (dtrace_aggkey_t){ .dtak_int = (int64_t)v->num };
		row_record(r, DTRACEACT_DIFEXPR, (uint16_t)v->size, &v->num,
			   v->size);
		return;
	}
	uint16_t act = v->kind == DT_VAL_KSTACK ? DTRACEACT_STACK :
		       v->kind == DT_VAL_USTACK ? DTRACEACT_USTACK :
						  DTRACEACT_DIFEXPR;
	row_record(r, act, act == DTRACEACT_DIFEXPR ? 1 : 8, v->p, v->n);
	if (v->kind == DT_VAL_STR || v->kind == DT_VAL_SYM) {
		buf_write(&r->bytes, &nul, 1);
		r->recs[r->desc.dtagd_nrecs - 1].dtrd_size++;
	}
	struct buf b = BUF_INIT;
	dt_val_text(dtp->out, v, &b);
	*k = (dtrace_aggkey_t){ .dtak_is_string = 1,
				.dtak_str = buf_detach(&b) };
}

/* The function's words, behind the bounds where it has some; where they
   begin. */
static size_t
row_words(struct dt_aggrow *r, const struct dif_aggvar *av,
	  const struct dt_cell *c)
{
	static const uint64_t zero;
	bool bounds = dt_agg_info(av)->bounds;
	size_t n = ((size_t)av->words + bounds) * 8;

	row_pad(&r->bytes);
	row_record(r, (uint16_t)av->func, 8, &av->arg, bounds ? 8 : 0);
	r->recs[r->desc.dtagd_nrecs - 1].dtrd_size = (uint32_t)n;
	size_t at = r->bytes.n;
	for (uint32_t i = 0; i < av->words; i++)
		buf_write(&r->bytes, c != NULL ? &c->words[i] : &zero, 8);
	return at;
}

int
dt_aggrow_init(struct dt_aggrow *r, dtrace_hdl_t *dtp, uint32_t agg,
	       const struct dt_cell *c, const struct dt_val *keys,
	       uint32_t nkeys)
{
	const struct dif_aggvar *av = dt_aggs_tab(dtp->aggs)->aggs[agg];
	uint64_t normal = c != NULL ? dt_aggs_normal(dtp->aggs, c) : 1;

	memset(r, 0, sizeof(*r));
	r->keys = calloc(nkeys + (size_t)1, sizeof(*r->keys));
	r->recs = calloc(nkeys + (size_t)2, sizeof(*r->recs));
	if (r->keys == NULL || r->recs == NULL) {
		dt_aggrow_fini(r);
		return dt_nomem(dtp);
	}
	r->desc = (dtrace_aggdesc_t){ .dtagd_name = av->name,
				      .dtagd_varid = av->id,
				      .dtagd_id = av->id,
				      .dtagd_nkeys = (int)nkeys,
				      .dtagd_func = av->func,
				      .dtagd_arg = av->arg,
				      .dtagd_rec = r->recs };
	row_record(r, DTRACEACT_DIFEXPR, 4, &av->id, sizeof(av->id));
	for (uint32_t i = 0; i < nkeys; i++)
		row_key(r, dtp, &keys[i], &r->keys[i]);
	size_t at = row_words(r, av, c);
	if (r->bytes.failed) {
		dt_aggrow_fini(r);
		return dt_nomem(dtp);
	}
	const uint64_t *words = (const void *)(buf_str(&r->bytes) + at);
	r->desc.dtagd_size = (uint32_t)r->bytes.n;
	r->data = (dtrace_aggdata_t){
		.dtada_handle = dtp, .dtada_desc = &r->desc,
		.dtada_data = buf_str(&r->bytes), .dtada_size = r->bytes.n,
		.dtada_keys = r->keys, .dtada_cell = (const int64_t *)words,
		.dtada_nwords = av->words, .dtada_normal = normal,
		.dtada_value = dt_agg_value(dt_agg_info(av), words, av->words,
					    normal),
	};
	return 0;
}

void
dt_aggrow_fini(struct dt_aggrow *r)
{
	for (int i = 0; i < r->desc.dtagd_nkeys; i++)
		free((char *)r->keys[i].dtak_str);
	free(r->keys);
	free(r->recs);
	buf_fini(&r->bytes);
}

/* ---- walkers ----------------------------------------------------------- */

static int
row_answer(dtrace_hdl_t *dtp, struct dt_cell *c, const dtrace_aggdata_t *data,
	   int rv)
{
	int edt = rv == DTRACE_AGGWALK_ABORT || rv == DTRACE_AGGWALK_ERROR ?
			  EDT_DIRABORT : EDT_BADRVAL;

	switch (rv) {
	case DTRACE_AGGWALK_NEXT:
		return 0;
	case DTRACE_AGGWALK_CLEAR:
		dt_cell_clear(c);
		return 0;
	case DTRACE_AGGWALK_NORMALIZE: /* by what f has put there */
		c->normal = data->dtada_normal;
		return 0;
	case DTRACE_AGGWALK_DENORMALIZE:
		c->normal = 1;
		return 0;
	case DTRACE_AGGWALK_REMOVE:
		dt_aggs_remove(dtp->aggs, c);
		return 0;
	default:
		return dt_set_err(dtp, edt, "%s", dtrace_errmsg(NULL, edt));
	}
}

int
dt_aggrow_visit(dtrace_hdl_t *dtp, struct dt_cell *c, dtrace_aggregate_f *f,
		void *arg)
{
	struct dt_aggrow r;

	if (dt_aggrow_init(&r, dtp, c->agg, c, c->keys, c->nkeys) != 0)
		return -1;
	int rv = row_answer(dtp, c, &r.data, f(&r.data, arg));
	dt_aggrow_fini(&r);
	return rv;
}
