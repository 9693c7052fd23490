/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff_run.c - run a trace by one engine and gather what it leaves, in a form
 * that can be compared byte for byte.
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "engine/interp/interp.h"
#include "rt/engine.h"

uint32_t
diff_recsize(void *arg, uint32_t epid)
{
	const struct diff_trace *t = arg;

	if (epid == RT_EPID_ERROR)
		return sizeof(struct rt_error_rec);
	if (epid == 0 || epid > t->en.necbs)
		return 0;
	return t->en.clauses[t->en.ecbs[epid - 1].clause]->recsize;
}

/* ---- gathering ----------------------------------------------------------- */

static int
gather_records(struct diff_trace *t, const struct rt_view *v, unsigned slot,
	       struct diff_out *out, struct err *e)
{
	uint64_t pos = v->rt[slot]->tail;
	const struct rt_rec *r;
	size_t at;

	while ((r = rt_drain_next(v, slot, &pos, diff_recsize, t, e))) {
		at = out->recs.n;
		buf_write(&out->recs, r, diff_recsize(t, r->epid));
		struct rt_rec *copy = (void *)(out->recs.p + at);
		copy->time = copy->cpu = 0;
		struct rt_error_rec *er = (void *)copy;
		if (copy->epid == RT_EPID_ERROR &&
		    dif_fault_value(er->fault) == DIF_FV_NONE)
			er->val = 0;
	}
	return err_is_set(e) ? -1 : 0;
}

struct cells {
	struct diff_trace *t;
	uint64_t *count; /* by aggregation: of count() without keys, which an
			    engine may keep in several places */
	char **line;
	size_t n, cap;
};

static void
hex(struct buf *b, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%02x", ((const uint8_t *)p)[i]);
}

/* "aggregation key: word word ..." */
static void
cell_line(struct cells *c, uint32_t agg, const uint8_t *key,
	  const uint64_t *cell)
{
	const struct dif_aggvar *v = c->t->tab.aggs[agg];
	struct buf b = BUF_INIT;

	buf_printf(&b, "%2u %s ", agg, dif_agg_by_code(v->func)->name);
	hex(&b, key, v->keysize);
	buf_printf(&b, ":");
	for (uint32_t i = 0; i < v->words; i++)
		if (cell[i] != 0)
			buf_printf(&b, " %u=%llx", i,
				   (unsigned long long)cell[i]);
	if (c->n == c->cap) {
		c->cap = c->cap * 2 + 64;
		c->line = realloc(c->line, c->cap * sizeof(*c->line));
		if (c->line == NULL)
			abort();
	}
	c->line[c->n++] = strdup(buf_str(&b));
	buf_fini(&b);
}

static int
gather_cell(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
	    const uint64_t *cell)
{
	struct cells *c = arg;
	const struct dif_aggvar *v = c->t->tab.aggs[agg];

	if (v->func == DIF_AGG_count && v->keysize == 0)
		c->count[agg] += cell[0];
	else
		cell_line(c, agg, key, cell);
	return 0;
}

static void
gather_cells(struct cells *c, const struct rt_view *v)
{
	const struct dif_tab *tab = &c->t->tab;

	c->count = calloc(tab->naggs + 1, sizeof(*c->count));
	if (c->count == NULL)
		abort();
	rt_drain_aggs(v, tab, 0, gather_cell, c);
	for (uint32_t i = 0; i < tab->naggs; i++)
		if (c->count[i] != 0)
			cell_line(c, i, (const uint8_t *)"", &c->count[i]);
	free(c->count);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
diff_gather(struct diff_trace *t, const struct rt_view *v,
	    struct diff_out *out, struct err *e)
{
	struct cells c = { .t = t };

	memset(out, 0, sizeof(*out));
	for (unsigned s = 0; s < v->nslots; s++) {
		if (gather_records(t, v, s, out, e) != 0)
			return -1;
		for (unsigned d = 0; d < RT_NDROP; d++)
			out->drops[d] += v->rt[s]->drops[d];
		out->errors += v->rt[s]->errors;
	}
	gather_cells(&c, v);
	if (c.n != 0)
		qsort(c.line, c.n, sizeof(*c.line), by_text);
	for (size_t i = 0; i < c.n; i++) {
		buf_printf(&out->cells, "%s\n", c.line[i]);
		free(c.line[i]);
	}
	free(c.line);
	for (unsigned i = 0; i < DIFF_NSPEC; i++)
		buf_printf(&out->cells, "speculation %u: %u\n", i + 1,
			   v->ctl->spec[i].state);
	return 0;
}

void
diff_out_fini(struct diff_out *out)
{
	buf_fini(&out->recs);
	buf_fini(&out->cells);
}

/* ---- engines ------------------------------------------------------------- */

int
diff_run_interp(struct diff_trace *t, struct diff_out *out, struct err *e)
{
	struct rt_host host = { .en = &t->en,
				.tab = &t->tab,
				.sizes = t->en.sizes };
	struct rt_view v;
	struct rt *rt;
	int rc = -1;

	host.globals = calloc(1, t->tab.globals_size + 8);
	host.thread = calloc(1, t->tab.thread_size + 8);
	rt = interp_rt_new(&host);
	if (rt == NULL || host.globals == NULL || host.thread == NULL)
		abort();
	if (interp_view_init(&v, rt, DIFF_BUFSIZE, DIFF_AGGSIZE, e) == 0) {
		v.ctl->nspec = DIFF_NSPEC;
		interp_fire(rt, &v, 0);
		rc = diff_gather(t, &v, out, e);
		interp_view_fini(&v);
	}
	interp_assoc_free(&host);
	interp_rt_free(rt);
	free(host.globals);
	free(host.thread);
	return rc;
}
