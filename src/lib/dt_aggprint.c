/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_aggprint.c - printa(), and what is printed at the end of tracing.
 *
 * Default form of a row: the keys in their columns, then every value in 16
 * columns after a blank (or its histogram), and a newline.  With a format,
 * conversions take the keys in turn, also for `*`, and those with @ the values;
 * the format is all that is printed.  A value that is missing in a joined row
 * is zero.
 */
#include "lib/dt_out.h"

#include <inttypes.h>
#include <stdlib.h>

/* The words of a cell that does not exist; enough for every shape. */
static const uint64_t no_words[4];

/* Print a histogram for a cell or for none. */
static void
print_hist(struct dt_out *o, struct dt_aggs *as, const struct dif_aggvar *av,
	   const struct dt_cell *c)
{
	uint64_t *zeros;

	if (c != NULL) {
		dt_hist_print(o, av, c->words, dt_aggs_normal(as, c));
		return;
	}
	zeros = calloc(av->words, sizeof(*zeros));
	if (zeros != NULL)
		dt_hist_print(o, av, zeros, 1);
	else
		o->text.failed = true;
	free(zeros);
}

/* One value in its columns, or its histogram. */
static void
print_words(struct dt_out *o, const struct dif_aggvar *av,
	    const uint64_t *words, uint64_t normal)
{
	const struct dif_agg_info *f = dt_agg_info(av);

	if (f->hist)
		dt_hist_print(o, av, words, normal);
	else
		buf_printf(&o->text, " %16" PRId64,
			   dt_agg_value(f, words, av->words, normal));
}

/* aggpercpu: below the value that of each CPU, on a line of its own. */
static void
print_cpus(struct dt_out *o, struct dt_aggs *as, const struct dif_aggvar *av,
	   const struct dt_cell *c)
{
	for (size_t i = 0; c != NULL && i < c->ncpu; i++) {
		if (c->cpu[i] == NULL)
			continue;
		/* A histogram has ended its last line already. */
		buf_printf(&o->text, "%s    [CPU %zu]",
			   dt_agg_info(av)->hist ? "" : "\n", i);
		print_words(o, av, c->cpu[i], dt_aggs_normal(as, c));
	}
}

static int64_t
cell_value(struct dt_aggs *as, const struct dif_aggvar *av,
	   const struct dt_cell *c)
{
	if (c == NULL)
		return dt_agg_value(dt_agg_info(av), no_words, 0, 1);
	return dt_agg_value(dt_agg_info(av), c->words, c->nwords,
			    dt_aggs_normal(as, c));
}

void
dt_aggs_print_row(struct dt_out *o, struct dt_aggs *as, const uint32_t *aggs,
		  const struct dt_row *row)
{
	const struct dif_tab *tab = dt_aggs_tab(as);

	for (uint32_t i = 0; i < row->nkeys; i++)
		dt_print_key(o, &row->keys[i]);
	for (uint32_t i = 0; i < row->ncells; i++) {
		const struct dif_aggvar *av = tab->aggs[aggs[i]];

		if (dt_agg_info(av)->hist)
			print_hist(o, as, av, row->cell[i]);
		else
			buf_printf(&o->text, " %16" PRId64,
				   cell_value(as, av, row->cell[i]));
	}
	for (uint32_t i = 0; i < row->ncells; i++)
		print_cpus(o, as, tab->aggs[aggs[i]], row->cell[i]);
	buf_putc(&o->text, '\n');
}

/* ---- rows -------------------------------------------------------------- */

struct printing {
	struct dt_out *o;
	struct dt_aggs *as;
	const uint32_t *aggs;
	uint32_t naggs;
	const struct dif_fmt *fmt; /* NULL: default form */
	const char *text;          /* of fmt, for messages */
	struct dt_pict pict;
	struct err *e;
	dt_row_fn *after; /* the row has been printed; may be NULL */
	void *arg;
};

/* %@: the next aggregation's value. */
static int
fmt_value(struct printing *p, const struct dif_conv *c,
	  const struct dt_row *row, uint32_t *nth, int width, int prec)
{
	const struct dif_tab *tab = dt_aggs_tab(p->as);
	const struct dif_aggvar *av;
	struct dt_val v = { .kind = DT_VAL_INT, .is_signed = true, .size = 8 };
	uint32_t i = p->naggs == 1 ? 0 : (*nth)++;

	if (i >= p->naggs)
		return err_set(p->e, &ERR_GENERIC, 0,
			       "format \"%s\" has more %%@ conversions than "
			       "aggregations",
			       p->text);
	av = tab->aggs[p->aggs[i]];
	if (dt_agg_info(av)->hist) {
		print_hist(p->o, p->as, av, row->cell[i]);
		return 0;
	}
	v.num = (uint64_t)cell_value(p->as, av, row->cell[i]);
	return dt_fmt_conv(p->o, c, width, prec, &v, p->e);
}

/* The next key; NULL: there is none left. */
static const struct dt_val *
fmt_next_key(struct printing *p, const struct dt_row *row, uint32_t *nth)
{
	if (*nth < row->nkeys)
		return &row->keys[(*nth)++];
	err_set(p->e, &ERR_GENERIC, 0,
		"format \"%s\" has more conversions than the aggregation has "
		"keys",
		p->text);
	return NULL;
}

/* A width or precision: as written, or the next key for `*`. */
static int
fmt_number(struct printing *p, const struct dt_row *row, uint32_t *nth,
	   int given, int *out)
{
	const struct dt_val *v;

	*out = given;
	if (given != DIF_FMT_STAR)
		return 0;
	v = fmt_next_key(p, row, nth);
	return v != NULL ? dt_fmt_star(v, p->text, out, p->e) : -1;
}

static int
fmt_key(struct printing *p, const struct dif_conv *c, const struct dt_row *row,
	uint32_t *nth, int width, int prec)
{
	const struct dt_val *v = fmt_next_key(p, row, nth);

	return v != NULL ? dt_fmt_conv(p->o, c, width, prec, v, p->e) : -1;
}

static int
fmt_row(struct printing *p, const struct dt_row *row)
{
	uint32_t key = 0, value = 0;

	for (size_t i = 0; i < p->fmt->nconv; i++) {
		const struct dif_conv *c = &p->fmt->conv[i];
		int width, prec, rc;

		buf_write(&p->o->text, c->text, c->text_len);
		if (c->cls == DIF_CONV_LITERAL)
			continue;
		if (fmt_number(p, row, &key, c->width, &width) != 0 ||
		    fmt_number(p, row, &key, c->prec, &prec) != 0)
			return -1;
		rc = c->agg ? fmt_value(p, c, row, &value, width, prec)
			    : fmt_key(p, c, row, &key, width, prec);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
print_row(void *arg, const struct dt_row *row)
{
	struct printing *p = arg;

	if (p->pict.on)
		dt_pict_row(p->o, p->as, &p->pict, row);
	else if (p->fmt == NULL)
		dt_aggs_print_row(p->o, p->as, p->aggs, row);
	else if (fmt_row(p, row) != 0)
		return -1;
	if (dt_out_flush(p->o, p->e) != 0)
		return -1;
	return p->after != NULL ? p->after(p->arg, row) : 0;
}

int
dt_aggs_printa(struct dt_out *o, struct dt_aggs *as, const uint32_t *aggs,
	       uint32_t naggs, const char *fmt, struct err *e)
{
	struct printing p = { .o = o, .as = as, .aggs = aggs, .naggs = naggs,
			      .text = fmt, .e = e };

	if (fmt != NULL && (p.fmt = dt_fmt_get(o, fmt, e)) == NULL)
		return -1;
	if (fmt == NULL)
		buf_putc(&o->text, '\n');
	if (fmt == NULL && naggs == 1)
		dt_pict_begin(o, as, aggs[0], &p.pict);
	for (uint32_t i = 0; i < naggs; i++)
		dt_aggs_set_printed(as, aggs[i]);
	if (dt_aggs_walk(as, aggs, naggs, &o->sort, print_row, &p, e) != 0)
		return -1;
	return dt_out_flush(o, e);
}

int
dt_aggs_print_rest(struct dt_out *o, struct dt_aggs *as, dt_row_fn *after,
		   void *arg, struct err *e)
{
	const struct dif_tab *tab = dt_aggs_tab(as);

	for (uint32_t i = 0; i < tab->naggs; i++) {
		struct printing p = { .o = o, .as = as, .aggs = &i, .naggs = 1,
				      .e = e, .after = after, .arg = arg };

		if (dt_aggs_printed(as, i))
			continue;
		dt_pict_begin(o, as, i, &p.pict);
		if (dt_aggs_walk(as, &i, 1, &o->sort, print_row, &p, e) != 0)
			return -1;
	}
	return 0;
}
