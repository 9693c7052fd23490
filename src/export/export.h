/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export.h - the door of this room: dtrace-export(1), which runs a D program as
 * a service and gives its aggregations as metrics.
 *
 *	export_spec.c	what the program's comments say of its aggregations
 *	export_snap.c	aggregations to a snapshot: families of rows
 *	export_text.c	a snapshot as Prometheus and OpenMetrics read it
 *	export_http.c	the server that scrapers ask
 *	export_otlp.c	a snapshot as OpenTelemetry reads it, and its sending
 *	export_main.c	options, and the loop that traces
 *
 * The loop is one thread, and only it knows libdtrace.  Some times a minute it
 * makes a snapshot, which nobody changes afterwards, and publishes it; the
 * server and the sender are threads of their own, take the one that is there,
 * and may take as long over it as they like.  So no scraper stops another one,
 * or the trace.
 *
 * This room is a program of its own: where there is no memory it ends, with a
 * line.  The kernel takes the probes away then.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "dtrace/dtrace.h"

/* A line on standard error; fatal: and the end, with status 1. */
void export_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void export_fatal(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
/* An arena that ends the program when there is no memory. */
struct arena *export_arena(void);

/* ---- what is exported, and how (export_spec.c) -------------------------- */

enum export_type { EXPORT_AUTO, EXPORT_COUNTER, EXPORT_GAUGE, EXPORT_NONE };

/* An aggregation and the metric that it becomes. */
struct export_metric {
	const char *agg;  /* "_" is the one without a name */
	const char *name; /* without _total */
	const char *help; /* NULL: none was given */
	VEC(const char *) labels; /* of its keys, in order; key3 ... for those
				     that are missing */
	const char *sum; /* histograms: the aggregation that is their _sum */
	bool is_sum;	 /* ... and this is one of those */
	bool declared;	 /* by a comment of the program */
	enum export_type type;
	double divide; /* values by that: 1e9 makes seconds of nanoseconds */
	bool has_range;
	int64_t from, to; /* the boundaries of buckets that are shown */
	/* The loop's: */
	uint64_t dropped;	   /* rows left out */
	bool told;		   /* of a number of labels that is wrong */
	struct export_family *now; /* in the snapshot that is made */
	struct hash *rows;	   /* its keys to numbers of rows */
};

struct export_spec {
	struct arena *arena; /* owns all but the vectors' arrays */
	VEC(struct export_metric *) v;
};

void export_spec_init(struct export_spec *s);
void export_spec_fini(struct export_spec *s);
/*
 * Read the comments "export @..." of a program's text; file is its name for
 * messages.  0, or -1 with one line about what is wrong in err.
 */
int export_spec_read(struct export_spec *s, const char *file, const char *text,
		     char *err, size_t n);
/* When all is read: -1 as above if two metrics have one name, else 0. */
int export_spec_check(const struct export_spec *s, char *err, size_t n);
/* That of an aggregation; one that no comment speaks of gets the name
   dtrace_<aggregation>. */
struct export_metric *export_spec_find(struct export_spec *s, const char *agg);

/* ---- snapshots (export_snap.c) ------------------------------------------ */

enum export_kind { EXPORT_IS_COUNTER, EXPORT_IS_GAUGE, EXPORT_IS_HIST };

struct export_row {
	const char **labels; /* [nlabels]: UTF-8, see export_clean() */
	int64_t value;
	int64_t *upto; /* [nle + 1]: values at or below each boundary; all */
	bool has_sum;
	int64_t sum;
};

struct export_family {
	const char *name; /* of counters without _total */
	const char *help;
	enum export_kind kind;
	double divide; /* of values, sums and boundaries */
	const char **labels; /* names */
	size_t nlabels;
	int64_t *le; /* boundaries: the greatest value of a bucket */
	uint32_t *last; /* [nle]: that bucket's number */
	size_t nle;
	struct export_row *rows;
	size_t n, cap;
};

struct export_snap {
	struct arena *arena; /* owns everything */
	atomic_int refs;
	uint64_t start_ns, time_ns; /* of the clock of the day */
	VEC(struct export_family *) v;
};

/* Kinds of drops, in the order of dtrace_dropkind_t. */
#define EXPORT_DROPS (DTRACEDROP_MISSED + 1)

/* What the exporter tells of itself. */
struct export_stats {
	atomic_ullong drops[EXPORT_DROPS]; /* values that tracing lost */
	atomic_ullong errors;		   /* of probes */
	atomic_ullong scrapes;
	atomic_ullong pushed, not_pushed; /* to the endpoint of OTLP */
	atomic_ullong unwritten; /* times that output could not be written */
};

/*
 * Walk the handle's aggregations, which are up to date, and make a snapshot
 * with at most limit rows of each.  Rows beyond that are removed from the
 * handle and counted.  NULL: libdtrace refused, dtrace_errno() says why.
 */
struct export_snap *export_snap_take(dtrace_hdl_t *dtp, struct export_spec *s,
				     size_t limit,
				     const struct export_stats *st,
				     uint64_t start_ns);
/* For tests, and for what is no aggregation's: an empty one, a family in it, a
   row in that. */
struct export_snap *export_snap_new(void);
struct export_family *export_family_new(struct export_snap *s, const char *name,
					const char *help,
					enum export_kind kind);
struct export_row *export_row_new(struct export_snap *s,
				  struct export_family *f);
void export_snap_put(struct export_snap *s);

/* The one that others see: publish gives away the caller's reference; take
   returns one more, or NULL as long as there is none. */
void export_publish(struct export_snap *s);
struct export_snap *export_take(void);

/* ---- text (export_text.c) ----------------------------------------------- */

/*
 * Any bytes as UTF-8, one to one: what is no UTF-8, and control characters
 * other than tab and newline, become \xNN; a backslash that stands before an x
 * becomes \x5c, so that no name can look like another one.
 */
void export_clean(struct buf *b, const char *s, size_t n);
/* The snapshot in text format 0.0.4, or as OpenMetrics 1.0. */
void export_text(struct buf *b, const struct export_snap *s, bool openmetrics);

/* ---- the server (export_http.c) ----------------------------------------- */

struct export_http_opts {
	const char *listen; /* ADDRESS:PORT, [ADDRESS]:PORT or PORT */
	const char *cert, *key; /* files; NULL: no TLS */
	const char *token; /* a file; NULL: whoever asks is answered */
};
struct export_http;
/* Listen and serve.  NULL: a line about why not is in err. */
struct export_http *export_http_start(const struct export_http_opts *o,
				      struct export_stats *st, char *err,
				      size_t n);
/* Read certificate, key and token anew.  0, or -1: err says why, and the old
   ones serve on. */
int export_http_reload(struct export_http *h, char *err, size_t n);
/* Where it is, as text. */
const char *export_http_url(const struct export_http *h);
void export_http_stop(struct export_http *h);

/* ---- OpenTelemetry (export_otlp.c) -------------------------------------- */

/* The snapshot as an ExportMetricsServiceRequest: bytes for free(3). */
uint8_t *export_otlp_encode(const struct export_snap *s, size_t *n);

struct export_otlp_opts {
	const char *url;
	const char *ca;	     /* a file; NULL: the system's */
	const char *headers; /* a file with a header in each line; NULL: none */
	double every;	     /* seconds */
};
struct export_otlp;
/* Begin to send.  NULL: a line about why not is in err. */
struct export_otlp *export_otlp_start(const struct export_otlp_opts *o,
				      struct export_stats *st, char *err,
				      size_t n);
/* Send the last snapshot, which takes two seconds at most, and end. */
void export_otlp_stop(struct export_otlp *p);

#endif
