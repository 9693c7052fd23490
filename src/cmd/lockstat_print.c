/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockstat_print.c - the tables of lockstat(1).
 *
 * Rows are kept as they were measured, by lock and stack.  When they are
 * printed those become one that the options make the same, the most frequent
 * first, so that what is shown of a row is what has most of it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lockstat.h"

#define BAR 30
#define FAR 0x10000 /* bytes behind a symbol that are not it */
#define TEXT 16384 /* of a stack */

/* ---- what was measured --------------------------------------------------- */

/* Functions that take locks, and those of tracing: never who wants a lock. */
static bool
is_lock_function(const char *s)
{
	static const char *const starts[] = {
		"_raw_", "do_raw_", "__raw_", "mutex_", "__mutex_", "__ww_mutex",
		"ww_mutex_", "down_", "__down", "up_read", "up_write", "__up",
		"downgrade_write", "rwsem_", "rwbase_", "queued_",
		"native_queued_", "__pv_queued", "pv_queued", "percpu_down_",
		"__percpu_", "percpu_up_", "percpu_rwsem_", "rt_mutex_",
		"__rt_mutex", "rtlock_", "rt_spin_", "bpf_prog_",
		"bpf_trampoline_", "__traceiter_", "trace_contention_", "raw_spin_rq_lock",
		"__bpf_trace_",
	};
	const char *fn = strchr(s, '`');

	fn = fn != NULL ? fn + 1 : s;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strncmp(fn, starts[i], strlen(starts[i])) == 0)
			return true;
	return strcmp(fn, "down") == 0 || strcmp(fn, "up") == 0 ||
	       strncmp(fn, "down+", 5) == 0 || strncmp(fn, "up+", 3) == 0;
}

/* An address as text; what is of the kernel itself without its module. */
static void
address_text(struct lockstat *l, uint64_t addr, char *out, int size)
{
	Elf64_Sym sym;

	/* Where a kernel names no data, the last symbol before is no name. */
	if (dtrace_lookup_by_addr(l->c.dtp, addr, &sym, NULL) != 0 ||
	    addr - sym.st_value >= FAR) {
		snprintf(out, (size_t)size, "0x%" PRIx64, addr);
		return;
	}
	dtrace_addr2str(l->c.dtp, addr, out, size);
	if (strncmp(out, "vmlinux`", 8) == 0)
		memmove(out, out + 8, strlen(out + 8) + 1);
}

static bool
in_ranges(const struct lock_range *r, int n, uint64_t addr)
{
	for (int i = 0; i < n; i++)
		if (addr >= r[i].from && addr < r[i].to)
			return true;
	return n == 0;
}

/*
 * The frames of a stack from the caller on, a line each; *caller is its
 * address.  Of a profile all: it has no lock, its first frame is what ran.  A
 * stack of no frames: a CPU that was in user mode.
 */
static void
lockstat_stack_text(struct lockstat *l, bool profile, const uint64_t *pc,
		    size_t n, char *out, uint64_t *caller)
{
	size_t len = 0;
	int kept = 0;

	*caller = 0;
	for (size_t i = 0; i < n && pc[i] != 0; i++) {
		char s[512];
		address_text(l, pc[i], s, sizeof(s));
		if (kept == 0 && is_lock_function(s) && !profile &&
		    i + 1 < n && pc[i + 1] != 0)
			continue;
		if (kept == 0)
			*caller = pc[i];
		if (len + strlen(s) + 2 > TEXT ||
		    (l->depth != 0 && kept == l->depth))
			break;
		kept++;
		len += (size_t)sprintf(out + len, "%s\n", s);
	}
	if (kept == 0)
		strcpy(out, "(usermode)\n");
}

/* The number of the event; false: no aggregation of ours. */
static bool
row_event(const char *name, unsigned *i)
{
	*i = name[0] != '\0' ? (unsigned)strtoul(name + 1, NULL, 10) : 0;
	return (name[0] == 'a' || name[0] == 'q' || name[0] == 'r') &&
	       *i < LOCK_EVENTS;
}

static int
lockstat_row_add(struct lockstat *l, struct lock_row *row,
		 const dtrace_aggdata_t *d)
{
	switch (d->dtada_desc->dtagd_name[0]) {
	case 'a':
		row->count += (uint64_t)d->dtada_cell[0];
		if (d->dtada_desc->dtagd_func == DTRACEAGG_AVG)
			row->sum += d->dtada_cell[1];
		break;
	case 'r':
		row->refs += (uint64_t)d->dtada_cell[0];
		break;
	default:
		l->nomem |= lock_row_hist(row, d->dtada_cell,
					  d->dtada_nwords) != 0;
	}
	return l->nomem ? DTRACE_AGGWALK_ABORT : DTRACE_AGGWALK_NEXT;
}

int
lock_collect(const dtrace_aggdata_t *d, void *arg)
{
	struct lockstat *l = arg;
	const dtrace_recdesc_t *rec;
	char lock[512], *stack;
	struct lock_row *row;
	struct lock_rows *rows;
	uint64_t caller, lock_at = (uint64_t)d->dtada_keys[0].dtak_int;
	size_t had;
	bool wanted;
	unsigned i;

	if (!row_event(d->dtada_desc->dtagd_name, &i))
		return DTRACE_AGGWALK_NEXT;
	rows = &l->rows[i];
	rec = &d->dtada_desc->dtagd_rec[2]; /* behind the id and the lock */
	stack = malloc(TEXT);
	if (stack == NULL) {
		l->nomem = true;
		return DTRACE_AGGWALK_ABORT;
	}
	lockstat_stack_text(
		l, i == LOCK_PROFILE,
		(const uint64_t *)(d->dtada_data + rec->dtrd_offset),
		rec->dtrd_size / sizeof(uint64_t), stack, &caller);
	if (i == LOCK_PROFILE)
		snprintf(lock, sizeof(lock), "cpu[%" PRIu64 "]", lock_at);
	else
		address_text(l, lock_at, lock, sizeof(lock));
	if (l->trace) { /* the time as well: one row an event */
		size_t n = strlen(lock);
		snprintf(lock + n, sizeof(lock) - n, "@%" PRId64,
			 d->dtada_keys[2].dtak_int);
	}
	had = rows->n;
	row = NULL;
	wanted = in_ranges(l->callers, l->ncallers, caller);
	if (wanted)
		row = lock_rows_get(rows, lock, stack);
	free(stack);
	if (!wanted)
		return DTRACE_AGGWALK_NEXT;
	if (row == NULL) {
		l->nomem = true;
		return DTRACE_AGGWALK_ABORT;
	}
	if (rows->n != had && l->nrows == l->records) {
		lock_rows_pop(rows);
		l->lost += d->dtada_desc->dtagd_name[0] == 'a';
		return DTRACE_AGGWALK_NEXT;
	}
	l->nrows += rows->n - had;
	if (l->trace)
		row->first = (uint64_t)d->dtada_keys[2].dtak_int;
	return lockstat_row_add(l, row, d);
}

/* ---- rows that become one ------------------------------------------------ */

/* A text without what stands behind `mark`. */
static void
cut(char *s, char mark)
{
	char *p = strrchr(s, mark);

	if (p != NULL)
		*p = '\0';
}

/* foo+0x40 of an array foo: foo[]. */
static void
lock_name(const struct lockstat *l, const char *lock, char *out, size_t size)
{
	char *plus;

	snprintf(out, size, "%s", lock);
	if (l->trace)
		cut(out, '@');
	plus = strchr(out, '+');
	if (l->coalesce && plus != NULL && (size_t)(plus - out) + 3 < size)
		strcpy(plus, "[]");
}

/* The frames that count, -k without offsets. */
static void
lock_frames_text(const struct lockstat *l, const char *stack, char *out)
{
	bool all = l->gather == LOCK_STACKS && !l->generated;
	size_t n = 0;

	for (const char *s = stack; *s != '\0'; s += strcspn(s, "\n") + 1) {
		size_t len = strcspn(s, "\n");
		const char *plus = memchr(s, '+', len);
		if (l->functions && plus != NULL)
			len = (size_t)(plus - s);
		n += (size_t)sprintf(out + n, "%.*s\n", (int)len, s);
		if (!all)
			break;
	}
	out[n] = '\0';
}

/* Row `from` goes to the row of these keys. */
static int
merge(const struct lockstat *l, struct lock_rows *rows,
      const struct lock_row *from, const char *lock, const char *stack)
{
	struct lock_row *row =
		lock_rows_get(rows, l->whichever && !l->trace ? "" : lock,
			      l->wherever && !l->trace ? "" : stack);

	if (row == NULL)
		return -1;
	if (row->hot_lock == NULL) {
		row->hot_lock = from->lock;
		row->hot_stack = from->stack;
		row->first = from->first;
	}
	row->count += from->count;
	row->sum += from->sum;
	row->refs += from->refs != 0 ? from->refs : from->count;
	return from->hist != NULL ? lock_row_hist(row, (int64_t *)from->hist,
						  LOCK_BUCKETS)
				  : 0;
}

/* -g: the event belongs to every function that stands in its stack, once. */
static int
merge_generated(const struct lockstat *l, struct lock_rows *rows,
		const struct lock_row *from, const char *lock, char *text)
{
	for (const char *s = from->stack; *s != '\0';
	     s += strcspn(s, "\n") + 1) {
		size_t len = strcspn(s, "+\n");
		bool seen = false;

		for (const char *t = from->stack; t < s && !seen;
		     t += strcspn(t, "\n") + 1)
			seen = strcspn(t, "+\n") == len &&
			       memcmp(s, t, len) == 0;
		sprintf(text, "%.*s\n", (int)len, s);
		if (!seen && merge(l, rows, from, lock, text) != 0)
			return -1;
	}
	return 0;
}

static int
by_count(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;
	int c;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	c = strcmp(x->lock, y->lock);
	return c != 0 ? c : strcmp(x->stack, y->stack);
}

static int
by_sum(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	return x->sum != y->sum ? (x->sum < y->sum ? 1 : -1) : by_count(a, b);
}

static int
by_time(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	return x->first != y->first ? (x->first > y->first ? 1 : -1)
				    : by_count(a, b);
}

static void
sort(struct lock_rows *r, int (*cmp)(const void *, const void *))
{
	if (r->n != 0)
		qsort(r->v, r->n, sizeof(*r->v), cmp);
}

static int
merge_all(struct lockstat *l, struct lock_rows *from, struct lock_rows *to)
{
	char lock[512], *stack = malloc(TEXT);
	int rc = stack != NULL ? 0 : -1;

	sort(from, by_count);
	for (size_t i = 0; rc == 0 && i < from->n; i++) {
		struct lock_row *r = &from->v[i];

		if (l->trace)
			snprintf(lock, sizeof(lock), "%s", r->lock);
		else
			lock_name(l, r->lock, lock, sizeof(lock));
		if (l->generated) {
			rc = merge_generated(l, to, r, lock, stack);
			continue;
		}
		lock_frames_text(l, r->stack, stack);
		rc = merge(l, to, r, lock, stack);
	}
	free(stack);
	sort(to, l->trace ? by_time : l->by_time ? by_sum : by_count);
	return rc;
}

/* ---- tables -------------------------------------------------------------- */

/* One table while it is printed. */
struct table {
	const struct lockstat *l;
	unsigned event;
	uint64_t total, total_ns, so_far;
	FILE *fp;
};

static bool
timed(const struct table *t)
{
	return t->l->gather != LOCK_COUNT && t->event != LOCK_PROFILE &&
	       t->event < LOCK_PROFILE;
}

static void
put_rule(FILE *fp)
{
	for (int i = 0; i < 79; i++)
		fputc('-', fp);
	fputc('\n', fp);
}

static void
put_heading(const struct table *t)
{
	const struct lockstat *l = t->l;
	bool cpus = t->event == LOCK_PROFILE;
	char lock[32];

	snprintf(lock, sizeof(lock), "%s%s", l->whichever ? "Hottest " : "",
		 cpus ? "CPU" : "Lock");
	fprintf(t->fp, "%5s %4s %4s %4s ", l->rates ? "ops/s" : "Count",
		l->generated ? "genr" : "indv", l->generated ? "----" : "cuml",
		"rcnt");
	if (timed(t))
		fprintf(t->fp, "%8s ", "nsec");
	fprintf(t->fp, "%-22s %s\n", lock,
		l->wherever ? "Hottest Caller" : "Caller");
}

/* What a row is counted in for its part of the whole. */
static uint64_t
weight(const struct table *t, const struct lock_row *r)
{
	return t->l->by_time && timed(t) ? (uint64_t)r->sum : r->count;
}

static unsigned
lock_percent(uint64_t part, uint64_t all)
{
	return all != 0 ? (unsigned)(100.0 * (double)part / (double)all + 0.5)
			: 0;
}

/* What stands for the lock, and for the caller, of a row. */
static void
row_names(const struct table *t, const struct lock_row *r, char *lock,
	  size_t size, char *caller, size_t csize)
{
	const struct lockstat *l = t->l;
	const char *stack = l->wherever ? r->hot_stack : r->stack;
	size_t len = strcspn(stack, "\n");

	if (l->functions)
		len = strcspn(stack, "+\n");
	lock_name(l, r->hot_lock, lock, size);
	snprintf(caller, csize, "%.*s", (int)len, stack);
}

/* What the weights of all rows add up to. */
static uint64_t
table_all(const struct table *t)
{
	return t->l->by_time && timed(t) ? t->total_ns : t->total;
}

static void
put_row(struct table *t, const struct lock_row *r)
{
	const struct lockstat *l = t->l;
	uint64_t w = weight(t, r), all = table_all(t);
	char lock[512], caller[512];

	t->so_far += w;
	row_names(t, r, lock, sizeof(lock), caller, sizeof(caller));
	if (l->rates)
		fprintf(t->fp, "%5.0f ", (double)r->count / l->secs);
	else
		fprintf(t->fp, "%5" PRIu64 " ", r->count);
	fprintf(t->fp, "%3u%% ", lock_percent(w, all));
	if (l->generated)
		fprintf(t->fp, "%4s ", "----");
	else
		fprintf(t->fp, "%3u%% ", lock_percent(t->so_far, all));
	fprintf(t->fp, "%4.2f ", (double)r->refs / (double)r->count);
	if (timed(t))
		fprintf(t->fp, "%8" PRIu64 " ", (uint64_t)r->sum / r->count);
	fprintf(t->fp, "%-22s %s\n", lock, caller);
}

/* The times of a row and its stack; of what takes no time the stack alone. */
static void
put_distribution(struct table *t, const struct lock_row *r)
{
	const struct lockstat *l = t->l;
	const char *stack = "";

	if (l->gather == LOCK_STACKS && !l->generated)
		stack = l->wherever ? r->hot_stack : r->stack;
	if (timed(t))
		fprintf(t->fp, "\n%10s ------ Time Distribution ------ %5s %s\n",
			"nsec", "count", *stack != '\0' ? "Stack" : "");
	else
		fprintf(t->fp, "\n%*sStack\n", BAR + 19, "");
	lock_row_print_hist(r, stack, BAR, "", t->fp);
}

/* Tabs between: event, count, parts, holders, time, lock, caller, distribution
   as bound:count, frames. */
static void
put_parsable(struct table *t, const struct lock_row *r)
{
	const struct lockstat *l = t->l;
	uint64_t w = weight(t, r), all = table_all(t);
	char lock[512], caller[512];
	const char *sep = "\t";

	t->so_far += w;
	row_names(t, r, lock, sizeof(lock), caller, sizeof(caller));
	fprintf(t->fp, "%u\t", t->event);
	if (l->rates)
		fprintf(t->fp, "%.3f", (double)r->count / l->secs);
	else
		fprintf(t->fp, "%" PRIu64, r->count);
	fprintf(t->fp, "\t%u\t%u\t%.2f\t%" PRIu64 "\t%s\t%s", lock_percent(w, all),
		l->generated ? 0 : lock_percent(t->so_far, all),
		(double)r->refs / (double)r->count,
		timed(t) ? (uint64_t)r->sum / r->count : 0, lock, caller);
	for (int i = 0; r->hist != NULL && i < LOCK_BUCKETS; i++)
		if (r->hist[i] != 0) {
			fprintf(t->fp, "%s%" PRId64 ":%" PRIu64, sep,
				lock_bucket_bound(i), r->hist[i]);
			sep = ",";
		}
	if (l->gather == LOCK_STACKS && !l->generated) {
		const char *s = l->wherever ? r->hot_stack : r->stack;
		fputc('\t', t->fp);
		for (; *s != '\0'; s += strcspn(s, "\n") + 1)
			fprintf(t->fp, "%.*s%s", (int)strcspn(s, "\n"), s,
				s[strcspn(s, "\n") + 1] != '\0' ? "," : "");
	}
	fputc('\n', t->fp);
}

static void
put_rows(struct table *t, const struct lock_rows *rows)
{
	const struct lockstat *l = t->l;
	bool each = timed(t) && l->gather >= LOCK_HIST;
	size_t n = rows->n;

	if (l->top != 0 && n > l->top)
		n = l->top;
	each |= l->gather == LOCK_STACKS && !l->generated;
	if (!each) {
		put_heading(t);
		put_rule(t->fp);
	}
	for (size_t i = 0; i < n; i++) {
		if (each) {
			put_rule(t->fp);
			put_heading(t);
		}
		put_row(t, &rows->v[i]);
		if (each) {
			put_distribution(t, &rows->v[i]);
			fputc('\n', t->fp);
		}
	}
	put_rule(t->fp);
	fputc('\n', t->fp);
}

/* The sums are of the events, before -g makes many of one. */
static void
lock_put_table(struct table *t, const struct lock_rows *from,
	  const struct lock_rows *rows)
{
	const struct lockstat *l = t->l;

	for (size_t i = 0; i < from->n; i++) {
		t->total += from->v[i].count;
		t->total_ns += (uint64_t)from->v[i].sum;
	}
	if (l->parsable) {
		size_t n = l->top != 0 && rows->n > l->top ? l->top : rows->n;
		for (size_t i = 0; i < n; i++)
			put_parsable(t, &rows->v[i]);
		return;
	}
	fprintf(t->fp, "%s: %" PRIu64 " events in %.3f seconds (%.0f "
		"events/sec)\n\n", lock_events[t->event].title, t->total,
		l->secs, (double)t->total / l->secs);
	put_rows(t, rows);
}

int
lock_print(struct lockstat *l, FILE *fp)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < LOCK_EVENTS; i++) {
		struct lock_rows rows = { 0 };
		struct table t = { .l = l, .event = i, .fp = fp };

		if (l->rows[i].n == 0)
			continue;
		rc = merge_all(l, &l->rows[i], &rows);
		if (rc == 0)
			lock_put_table(&t, &l->rows[i], &rows);
		lock_rows_fini(&rows);
	}
	if (l->event[LOCK_LOST] && l->lost != 0)
		fprintf(fp, "%s: %" PRIu64 " events in %.3f seconds (%.0f "
			"events/sec)\n\n", lock_events[LOCK_LOST].title,
			l->lost, l->secs, (double)l->lost / l->secs);
	return rc;
}
