/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_html.h - inside this room: the parts of the report.
 *
 *	show_html.c	  the page
 *	show_html_agg.c	  aggregations: what is kept of them
 *	show_html_draw.c  ... and what it looks like
 *	show_html_time.c  records: time lines, and a table
 *
 * What is kept has bounds, and the page tells what they left out.
 */
#ifndef SHOW_SHOW_HTML_H
#define SHOW_SHOW_HTML_H

#include "show/show.h"

/* Rows of a table: those with the largest values. */
#define HTML_ROWS_MAX 2000
/* Histograms of an aggregation, which take more room. */
#define HTML_HISTS_MAX 60
/* Moments of an aggregation: of more every second is forgotten. */
#define HTML_MOMENTS_MAX 240
/* Parts that the time of the trace is divided into, and lines for probes. */
#define HTML_SPANS_MAX 400
#define HTML_LINES_MAX 60
/* Records in the table: the first and the last. */
#define HTML_RECORDS_MAX 500
#define HTML_NOTES_MAX 200
#define HTML_TEXT_MAX 600 /* bytes of a key or of a record's values */

struct html_key {
	char *text;
	bool num; /* an integer: sorted as one */
};

struct html_row {
	struct html_key *keys;
	size_t nkeys;
	int64_t value;
	struct show_bucket *buckets;
	size_t nbuckets;
};

/* The sum over all keys at one time. */
struct html_moment {
	uint64_t time;
	int64_t total;
	struct show_bucket *buckets;
	size_t nbuckets;
};

struct html_agg {
	char *name, *func;
	bool hist, stacks;
	struct { struct html_row *v; size_t n, cap; } rows; /* a heap: the
						 least value comes first */
	size_t nrows; /* all there were */
	int64_t total;
	struct { struct html_moment *v; size_t n, cap; } moments;
};

struct html_aggs {
	struct { struct html_agg **v; size_t n, cap; } list;
	struct html_agg *at; /* rows are coming for it */
	struct show_stacks stacks;
};

/* A copy of at most HTML_TEXT_MAX bytes, which the caller frees. */
char *html_short(const char *s);
void html_aggs_agg(struct html_aggs *as, const struct show_agg *a);
void html_aggs_row(struct html_aggs *as, const struct show_agg *a,
		   const struct show_row *r);
void html_aggs_fini(struct html_aggs *as);
/* The section of that number in the list. */
void html_agg_draw(struct show_out *o, struct html_aggs *as, size_t number,
		   uint64_t start);
/* The flame graph of stacks. */
void html_flame_draw(struct show_out *o, struct show_stack_agg *sa,
		     const char *title);
/* "8 - 15", "< 0": what a bucket is for, in text without markup. */
void html_bucket_text(struct buf *b, const struct show_bucket *k);
/* Seconds since start, "+1.250 s". */
void html_time(struct show_out *o, uint64_t time, uint64_t start);

struct html_line { /* of a probe */
	uint64_t count;
	uint32_t spans[HTML_SPANS_MAX];
};
struct html_record {
	uint64_t time;
	int cpu;
	char *who, *probe, *text;
};
struct html_times {
	uint64_t start;	/* of the first that came; 0: none has */
	uint64_t span;	/* ns; doubled when there are too many */
	struct show_names *probes;
	struct { struct html_line *v; size_t n, cap; } lines;
	uint64_t nrecords, nothers; /* all; those of probes without a line */
	struct html_record first[HTML_RECORDS_MAX], last[HTML_RECORDS_MAX];
};

void html_times_init(struct html_times *t);
void html_times_record(struct html_times *t, const struct show_rec *r);
void html_times_draw(struct show_out *o, struct html_times *t);
void html_times_fini(struct html_times *t);

#endif
