/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_snap.c - aggregations to a snapshot.
 *
 *	count			counter
 *	sum			gauge, for it may go down; type=counter
 *	min max avg stddev	gauge
 *	quantize and its kin	histogram
 *
 * A histogram's boundaries depend on the aggregation and on what the program's
 * comment says, never on the values: so those of several hosts can be added up.
 *
 * Rows are taken in the order in which their keys came, so those that are there
 * stay there when the limit has been reached.
 */
#include "export/export.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"

/* Boundaries of a histogram; of finer ones every nth is shown. */
#define EXPORT_LE_MAX 64
/* Without a range, logarithmic ones end there: 18 minutes in ns. */
#define EXPORT_LE_TO (((int64_t)1 << 40) - 1)

struct take {
	dtrace_hdl_t *dtp;
	struct export_snap *snap;
	struct export_spec *spec;
	size_t limit;
	bool sums; /* the second walk: sums of histograms */
};

/* ---- a snapshot --------------------------------------------------------- */

static uint64_t
wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct export_snap *
export_snap_new(void)
{
	struct arena *a = export_arena();
	struct export_snap *s = arena_alloc(a, sizeof(*s));

	s->arena = a;
	atomic_init(&s->refs, 1);
	s->time_ns = s->start_ns = wall_ns();
	return s;
}

void
export_snap_put(struct export_snap *s)
{
	if (s == NULL || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	vec_fini(&s->v);
	arena_free(s->arena);
}

struct export_family *
export_family_new(struct export_snap *s, const char *name, const char *help,
		  enum export_kind kind)
{
	struct export_family *f = arena_alloc(s->arena, sizeof(*f));

	f->name = arena_strdup(s->arena, name);
	f->help = arena_strdup(s->arena, help);
	f->kind = kind;
	f->divide = 1;
	if (!vec_push(&s->v, f))
		export_fatal("memory allocation failure");
	return f;
}

struct export_row *
export_row_new(struct export_snap *s, struct export_family *f)
{
	struct export_row *r;

	if (f->n == f->cap) {
		f->cap = f->cap == 0 ? 8 : 2 * f->cap;
		r = arena_calloc(s->arena, f->cap, sizeof(*r));
		if (f->n > 0)
			memcpy(r, f->rows, f->n * sizeof(*r));
		f->rows = r;
	}
	r = &f->rows[f->n++];
	r->labels = arena_calloc(s->arena, f->nlabels, sizeof(char *));
	r->upto = arena_calloc(s->arena, f->nle + 1, sizeof(int64_t));
	return r;
}

static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;
static struct export_snap *current; /* guarded by it */

void
export_publish(struct export_snap *s)
{
	struct export_snap *old;

	pthread_mutex_lock(&current_lock);
	old = current;
	current = s;
	pthread_mutex_unlock(&current_lock);
	export_snap_put(old);
}

struct export_snap *
export_take(void)
{
	struct export_snap *s;

	pthread_mutex_lock(&current_lock);
	s = current;
	if (s != NULL)
		atomic_fetch_add(&s->refs, 1);
	pthread_mutex_unlock(&current_lock);
	return s;
}

/* ---- families ----------------------------------------------------------- */

static bool
is_hist(uint32_t func)
{
	return func == DTRACEAGG_QUANTIZE || func == DTRACEAGG_LQUANTIZE ||
	       func == DTRACEAGG_LLQUANTIZE;
}

static enum export_kind
metric_kind(const struct export_metric *m, uint32_t func)
{
	if (is_hist(func))
		return EXPORT_IS_HIST;
	if (func == DTRACEAGG_COUNT)
		return m->type == EXPORT_GAUGE ? EXPORT_IS_GAUGE :
						 EXPORT_IS_COUNTER;
	return func == DTRACEAGG_SUM && m->type == EXPORT_COUNTER ?
		       EXPORT_IS_COUNTER : EXPORT_IS_GAUGE;
}

/* What the comment says and the aggregation cannot have; once. */
static void
tell(struct export_metric *m, const dtrace_aggdesc_t *d)
{
	if (m->told)
		return;
	m->told = true;
	if (m->labels.n != 0 && m->labels.n != (size_t)d->dtagd_nkeys)
		export_say("@%s has %d keys and %zu labels: missing ones are "
			   "key1, key2 ...", m->agg, d->dtagd_nkeys,
			   m->labels.n);
	if ((m->sum != NULL || m->has_range) && !is_hist(d->dtagd_func))
		export_say("@%s is no histogram: sum= and le= are of no use",
			   m->agg);
	if (m->type == EXPORT_COUNTER && d->dtagd_func != DTRACEAGG_COUNT &&
	    d->dtagd_func != DTRACEAGG_SUM)
		export_say("@%s cannot be a counter: only count() and sum() "
			   "can", m->agg);
	if (m->is_sum && d->dtagd_func != DTRACEAGG_SUM)
		export_say("@%s is no sum(): it cannot be a histogram's sum",
			   m->agg);
}

/* Which buckets' ends are boundaries. */
static void
set_boundaries(struct take *t, const struct export_metric *m,
	       struct export_family *f, const dtrace_aggdata_t *d)
{
	bool linear = d->dtada_desc->dtagd_func == DTRACEAGG_LQUANTIZE;
	int64_t from = m->has_range ? m->from : linear ? INT64_MIN : 0;
	int64_t to = m->has_range ? m->to : linear ? INT64_MAX : EXPORT_LE_TO;
	int64_t low, high;
	size_t n = 0, every;

	f->le = arena_calloc(t->snap->arena, d->dtada_nwords, sizeof(*f->le));
	f->last = arena_calloc(t->snap->arena, d->dtada_nwords,
			       sizeof(*f->last));
	for (uint32_t i = 0; i < d->dtada_nwords; i++) {
		if (dtrace_aggregate_bucket(t->dtp, d, i, &low, &high) != 0 ||
		    high < from || high > to || high == INT64_MAX)
			continue;
		f->le[n] = high;
		f->last[n++] = i;
	}
	every = (n + EXPORT_LE_MAX - 1) / EXPORT_LE_MAX;
	for (size_t i = every; every > 0 && i <= n; i += every) {
		f->le[f->nle] = f->le[i - 1];
		f->last[f->nle++] = f->last[i - 1];
	}
}

static struct export_family *
family_of(struct take *t, struct export_metric *m, const dtrace_aggdata_t *d)
{
	const dtrace_aggdesc_t *desc = d->dtada_desc;
	struct arena *a = t->snap->arena;
	struct export_family *f = m->now;

	if (f != NULL)
		return f;
	tell(m, desc);
	f = m->now = export_family_new(t->snap, m->name, m->help != NULL ?
		m->help : arena_printf(a, "The aggregation @%s.",
				       strcmp(m->agg, "_") == 0 ? "" : m->agg),
		metric_kind(m, desc->dtagd_func));
	f->divide = f->kind == EXPORT_IS_COUNTER &&
		    desc->dtagd_func == DTRACEAGG_COUNT ? 1 : m->divide;
	f->nlabels = (size_t)desc->dtagd_nkeys;
	f->labels = arena_calloc(a, f->nlabels, sizeof(char *));
	for (size_t i = 0; i < f->nlabels; i++)
		f->labels[i] = i < m->labels.n ?
			arena_strdup(a, m->labels.v[i]) :
			arena_printf(a, "key%zu", i + 1);
	if (f->kind == EXPORT_IS_HIST)
		set_boundaries(t, m, f, d);
	return f;
}

/* ---- rows --------------------------------------------------------------- */

/* The program may have cleared it: of no values there is no average. */
static bool
has_value(const dtrace_aggdata_t *d)
{
	uint32_t func = d->dtada_desc->dtagd_func;

	return (func != DTRACEAGG_AVG && func != DTRACEAGG_STDDEV) ||
	       d->dtada_cell[0] != 0;
}

static const char *
key_text(struct arena *a, const dtrace_aggkey_t *k)
{
	struct buf b = BUF_INIT;
	char *s;

	if (k->dtak_is_string && k->dtak_str != NULL)
		export_clean(&b, k->dtak_str, strlen(k->dtak_str));
	else
		buf_printf(&b, "%lld", (long long)k->dtak_int);
	if (b.failed)
		export_fatal("memory allocation failure");
	s = arena_strdup(a, buf_str(&b));
	buf_fini(&b);
	return s;
}

static void
count_buckets(struct export_row *r, const struct export_family *f,
	      const dtrace_aggdata_t *d)
{
	uint64_t sum = 0;
	size_t le = 0;

	for (uint32_t i = 0; i < d->dtada_nwords; i++) {
		sum += (uint64_t)d->dtada_cell[i];
		if (le < f->nle && f->last[le] == i)
			r->upto[le++] = (int64_t)sum;
	}
	r->upto[f->nle] = (int64_t)sum;
}

/* A row's keys as bytes, for hash_*. */
static struct buf
join_keys(const struct export_row *r, size_t n)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_write(&b, r->labels[i], strlen(r->labels[i]) + 1);
	if (b.failed)
		export_fatal("memory allocation failure");
	return b;
}

/* Remember the row, for the sum that belongs to it. */
static void
remember(struct export_metric *m, const struct export_family *f)
{
	struct buf b = join_keys(&f->rows[f->n - 1], f->nlabels);

	if (m->rows == NULL)
		m->rows = hash_new();
	/* Rows may move: their numbers do not, and are not NULL. */
	if (m->rows == NULL ||
	    hash_set(m->rows, buf_str(&b), b.n, (void *)(uintptr_t)f->n) != 0)
		export_fatal("memory allocation failure");
	buf_fini(&b);
}

static int
keep_row(struct take *t, struct export_metric *m, const dtrace_aggdata_t *d)
{
	struct export_family *f = family_of(t, m, d);
	struct export_row *r;

	if (!has_value(d))
		return DTRACE_AGGWALK_NEXT;
	if (f->n >= t->limit) {
		m->dropped++;
		return DTRACE_AGGWALK_REMOVE;
	}
	r = export_row_new(t->snap, f);
	for (size_t i = 0; i < f->nlabels; i++)
		r->labels[i] = key_text(t->snap->arena, &d->dtada_keys[i]);
	r->value = d->dtada_value;
	if (f->kind == EXPORT_IS_HIST) {
		count_buckets(r, f, d);
		if (m->sum != NULL)
			remember(m, f);
	}
	return DTRACE_AGGWALK_NEXT;
}

/* The row of a histogram that this one is the sum of; NULL: there is none. */
static struct export_row *
row_of_sum(struct take *t, const struct export_metric *h,
	 const dtrace_aggdata_t *d)
{
	const struct export_family *f = h->now;
	struct export_row key = { 0 };
	struct buf b;
	uintptr_t number;

	if (h->rows == NULL || f == NULL ||
	    f->nlabels != (size_t)d->dtada_desc->dtagd_nkeys)
		return NULL;
	key.labels = arena_calloc(t->snap->arena, f->nlabels, sizeof(char *));
	for (size_t k = 0; k < f->nlabels; k++)
		key.labels[k] = key_text(t->snap->arena, &d->dtada_keys[k]);
	b = join_keys(&key, f->nlabels);
	number = (uintptr_t)hash_find(h->rows, buf_str(&b), b.n);
	buf_fini(&b);
	return number != 0 ? &f->rows[number - 1] : NULL;
}

static int
keep_sum(struct take *t, struct export_metric *m, const dtrace_aggdata_t *d)
{
	bool found = false;

	tell(m, d->dtada_desc);
	if (d->dtada_desc->dtagd_func != DTRACEAGG_SUM)
		return DTRACE_AGGWALK_NEXT;
	for (size_t i = 0; i < t->spec->v.n; i++) {
		const struct export_metric *h = t->spec->v.v[i];
		struct export_row *r;

		if (h->sum == NULL || strcmp(h->sum, m->agg) != 0)
			continue;
		r = row_of_sum(t, h, d);
		if (r == NULL)
			continue;
		r->has_sum = found = true;
		r->sum = d->dtada_value;
	}
	/* Its histogram's row has been removed. */
	return found || m->declared ? DTRACE_AGGWALK_NEXT :
				      DTRACE_AGGWALK_REMOVE;
}

static int
see_row(const dtrace_aggdata_t *d, void *arg)
{
	struct take *t = arg;
	struct export_metric *m = export_spec_find(t->spec,
						   d->dtada_desc->dtagd_name);

	if (t->sums)
		return m->is_sum ? keep_sum(t, m, d) : DTRACE_AGGWALK_NEXT;
	if (m->type == EXPORT_NONE || (m->is_sum && !m->declared))
		return DTRACE_AGGWALK_NEXT;
	return keep_row(t, m, d);
}

/* ---- of itself ---------------------------------------------------------- */

static struct export_family *
own_family(struct export_snap *s, const char *name, const char *label,
	   const char *help, enum export_kind kind)
{
	struct export_family *f = export_family_new(s, name, help, kind);

	f->nlabels = label != NULL;
	f->labels = arena_calloc(s->arena, 1, sizeof(char *));
	f->labels[0] = label;
	return f;
}

static void
own_row(struct export_snap *s, struct export_family *f, const char *label,
	uint64_t value)
{
	struct export_row *r = export_row_new(s, f);

	if (f->nlabels == 1)
		r->labels[0] = arena_strdup(s->arena, label);
	r->value = (int64_t)value;
}

static void
own_counts(struct export_snap *s, const struct export_stats *st)
{
	const struct {
		const char *name, *help;
		uint64_t value;
	} counts[] = {
		{ "dtrace_export_probe_errors",
		  "Probes that ended in an error.", st->errors },
		{ "dtrace_export_scrapes", "Answers to scrapers.",
		  st->scrapes },
		{ "dtrace_export_unwritten",
		  "Times that output of the program could not be written.",
		  st->unwritten },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		own_row(s, own_family(s, counts[i].name, NULL, counts[i].help,
				      EXPORT_IS_COUNTER), NULL,
			counts[i].value);
}

static void
own_drops(struct export_snap *s, const struct export_stats *st)
{
	static const char *const kinds[EXPORT_DROPS] = {
		[DTRACEDROP_PRINCIPAL] = "principal",
		[DTRACEDROP_AGGREGATION] = "aggregation",
		[DTRACEDROP_DYNAMIC] = "dynamic",
		[DTRACEDROP_SPEC] = "speculation",
		[DTRACEDROP_NESTED] = "nested",
		[DTRACEDROP_DBLERROR] = "error",
		[DTRACEDROP_SPECBUSY] = "speculation_busy",
		[DTRACEDROP_SPECUNAVAIL] = "speculation_none",
		[DTRACEDROP_MISSED] = "missed",
	};
	struct export_family *f = own_family(s, "dtrace_export_drops", "kind",
		"Data that tracing lost, by the kind of loss.",
		EXPORT_IS_COUNTER);

	for (size_t i = 0; i < EXPORT_DROPS; i++)
		own_row(s, f, kinds[i], st->drops[i]);
	f = own_family(s, "dtrace_export_otlp_pushes", "result",
		       "Snapshots sent to the endpoint of OTLP.",
		       EXPORT_IS_COUNTER);
	own_row(s, f, "ok", st->pushed);
	own_row(s, f, "failed", st->not_pushed);
}

static void
own_metrics(struct take *t, const struct export_stats *st)
{
	struct export_snap *s = t->snap;
	struct export_family *sets = own_family(s, "dtrace_export_label_sets",
		"metric", "Label sets of a metric.", EXPORT_IS_GAUGE);
	struct export_family *lost = own_family(s,
		"dtrace_export_dropped_label_sets", "metric",
		"Rows left out because their metric had the most label sets "
		"it may have.", EXPORT_IS_COUNTER);

	for (size_t i = 0; i < t->spec->v.n; i++) {
		const struct export_metric *m = t->spec->v.v[i];

		if (m->now == NULL)
			continue;
		own_row(s, sets, m->name, m->now->n);
		own_row(s, lost, m->name, m->dropped);
	}
	own_row(s, own_family(s, "dtrace_export_label_sets_limit", NULL,
			      "The most label sets that a metric may have.",
			      EXPORT_IS_GAUGE), NULL, t->limit);
	own_drops(s, st);
	own_counts(s, st);
}

/* ---- all of it ---------------------------------------------------------- */

static bool
any_sum(const struct export_spec *spec)
{
	for (size_t i = 0; i < spec->v.n; i++)
		if (spec->v.v[i]->sum != NULL)
			return true;
	return false;
}

struct export_snap *
export_snap_take(dtrace_hdl_t *dtp, struct export_spec *spec, size_t limit,
		 const struct export_stats *st, uint64_t start_ns)
{
	struct take t = { .dtp = dtp, .snap = export_snap_new(), .spec = spec,
			  .limit = limit };
	int rv;

	t.snap->start_ns = start_ns;
	for (size_t i = 0; i < spec->v.n; i++)
		spec->v.v[i]->now = NULL;
	rv = dtrace_aggregate_walk(dtp, see_row, &t);
	t.sums = true;
	if (rv == 0 && any_sum(spec))
		rv = dtrace_aggregate_walk(dtp, see_row, &t);
	own_metrics(&t, st);
	for (size_t i = 0; i < spec->v.n; i++) {
		hash_free(spec->v.v[i]->rows);
		spec->v.v[i]->rows = NULL;
	}
	if (rv == 0)
		return t.snap;
	export_snap_put(t.snap);
	return NULL;
}
