/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_otlp.c - snapshots to OpenTelemetry: OTLP over HTTP, in protobuf.
 *
 * A thread sends the snapshot that is there, every so often, by libcurl.
 * Values are cumulative, so one that could not be sent is made good by the next
 * one.
 */
#include "export/export.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "otlp.pb-c.h"

#define CUMULATIVE 2
#define SEND_SECONDS 10L /* for one snapshot */
#define LAST_SECONDS 2L	 /* for the last one */

/* ---- a snapshot as a message -------------------------------------------- */

/* A new message of the arena, and a list of n pointers to such. */
#define MESSAGE(a, Type, init) \
	((Type *)arena_memdup(a, &(Type)init, sizeof(Type)))
#define LIST(a, Type, n) ((Type **)arena_calloc(a, (n), sizeof(Type *)))

/* The texts of messages are not const. */
static char *
plain(const char *s)
{
	return (char *)(uintptr_t)s;
}

static Otlp__KeyValue *
key_value(struct arena *a, const char *key, const char *value)
{
	Otlp__KeyValue *kv = MESSAGE(a, Otlp__KeyValue, OTLP__KEY_VALUE__INIT);

	kv->key = plain(key);
	kv->value = MESSAGE(a, Otlp__AnyValue, OTLP__ANY_VALUE__INIT);
	kv->value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	kv->value->string_value = plain(value);
	return kv;
}

static Otlp__KeyValue **
attributes(struct arena *a, const struct export_family *f,
	   const struct export_row *r)
{
	Otlp__KeyValue **list = LIST(a, Otlp__KeyValue, f->nlabels);

	for (size_t i = 0; i < f->nlabels; i++)
		list[i] = key_value(a, f->labels[i], r->labels[i]);
	return list;
}

static Otlp__Number **
numbers(struct arena *a, const struct export_snap *s,
	const struct export_family *f)
{
	Otlp__Number **list = LIST(a, Otlp__Number, f->n);

	for (size_t i = 0; i < f->n; i++) {
		Otlp__Number *p = list[i] =
			MESSAGE(a, Otlp__Number, OTLP__NUMBER__INIT);

		if (f->kind == EXPORT_IS_COUNTER)
			p->start_time_unix_nano = s->start_ns;
		p->time_unix_nano = s->time_ns;
		p->n_attributes = f->nlabels;
		p->attributes = attributes(a, f, &f->rows[i]);
		if (f->divide == 1) {
			p->value_case = OTLP__NUMBER__VALUE_AS_INT;
			p->as_int = f->rows[i].value;
		} else {
			p->value_case = OTLP__NUMBER__VALUE_AS_DOUBLE;
			p->as_double = (double)f->rows[i].value / f->divide;
		}
	}
	return list;
}

/* Buckets are not cumulative here: each counts what is above the one before. */
static void
set_buckets(struct arena *a, const struct export_family *f,
	    const struct export_row *r, Otlp__HistogramPoint *p)
{
	int64_t before = 0;

	p->n_explicit_bounds = f->nle;
	p->explicit_bounds = arena_calloc(a, f->nle, sizeof(double));
	p->n_bucket_counts = f->nle + 1;
	p->bucket_counts = arena_calloc(a, f->nle + 1, sizeof(uint64_t));
	for (size_t i = 0; i <= f->nle; i++) {
		if (i < f->nle)
			p->explicit_bounds[i] = (double)f->le[i] / f->divide;
		p->bucket_counts[i] = (uint64_t)(r->upto[i] - before);
		before = r->upto[i];
	}
}

static Otlp__HistogramPoint **
distributions(struct arena *a, const struct export_snap *s,
	      const struct export_family *f)
{
	Otlp__HistogramPoint **list = LIST(a, Otlp__HistogramPoint, f->n);

	for (size_t i = 0; i < f->n; i++) {
		const struct export_row *r = &f->rows[i];
		Otlp__HistogramPoint *p = list[i] = MESSAGE(a,
			Otlp__HistogramPoint, OTLP__HISTOGRAM_POINT__INIT);

		p->start_time_unix_nano = s->start_ns;
		p->time_unix_nano = s->time_ns;
		p->count = (uint64_t)r->upto[f->nle];
		if (r->has_sum) {
			p->optional_sum_case =
				OTLP__HISTOGRAM_POINT__OPTIONAL_SUM_SUM;
			p->sum = (double)r->sum / f->divide;
		}
		set_buckets(a, f, r, p);
		p->n_attributes = f->nlabels;
		p->attributes = attributes(a, f, r);
	}
	return list;
}

static Otlp__Metric *
metric(struct arena *a, const struct export_snap *s,
       const struct export_family *f)
{
	Otlp__Metric *m = MESSAGE(a, Otlp__Metric, OTLP__METRIC__INIT);

	m->name = plain(f->name);
	m->description = plain(f->help);
	if (f->kind == EXPORT_IS_HIST) {
		m->data_case = OTLP__METRIC__DATA_HISTOGRAM;
		m->histogram = MESSAGE(a, Otlp__Histogram,
				       OTLP__HISTOGRAM__INIT);
		m->histogram->aggregation_temporality = CUMULATIVE;
		m->histogram->n_data_points = f->n;
		m->histogram->data_points = distributions(a, s, f);
	} else if (f->kind == EXPORT_IS_COUNTER) {
		m->data_case = OTLP__METRIC__DATA_SUM;
		m->sum = MESSAGE(a, Otlp__Sum, OTLP__SUM__INIT);
		m->sum->aggregation_temporality = CUMULATIVE;
		m->sum->is_monotonic = true;
		m->sum->n_data_points = f->n;
		m->sum->data_points = numbers(a, s, f);
	} else {
		m->data_case = OTLP__METRIC__DATA_GAUGE;
		m->gauge = MESSAGE(a, Otlp__Gauge, OTLP__GAUGE__INIT);
		m->gauge->n_data_points = f->n;
		m->gauge->data_points = numbers(a, s, f);
	}
	return m;
}

static Otlp__Resource *
resource(struct arena *a)
{
	Otlp__Resource *r = MESSAGE(a, Otlp__Resource, OTLP__RESOURCE__INIT);
	char host[256] = "";
	struct buf clean = BUF_INIT;

	if (gethostname(host, sizeof(host) - 1) != 0)
		*host = '\0';
	export_clean(&clean, host, strlen(host));
	if (clean.failed)
		export_fatal("memory allocation failure");
	r->n_attributes = 2;
	r->attributes = LIST(a, Otlp__KeyValue, 2);
	r->attributes[0] = key_value(a, "service.name", "dtrace-export");
	r->attributes[1] = key_value(a, "host.name",
				     arena_strdup(a, buf_str(&clean)));
	buf_fini(&clean);
	return r;
}

uint8_t *
export_otlp_encode(const struct export_snap *s, size_t *n)
{
	struct arena *a = export_arena();
	Otlp__Request request = OTLP__REQUEST__INIT;
	Otlp__ResourceMetrics rm = OTLP__RESOURCE_METRICS__INIT, *rms = &rm;
	Otlp__ScopeMetrics sm = OTLP__SCOPE_METRICS__INIT, *sms = &sm;
	Otlp__Scope scope = OTLP__SCOPE__INIT;
	uint8_t *bytes;

	scope.name = plain("dtrace-export");
	scope.version = plain(_dtrace_version);
	sm.scope = &scope;
	sm.n_metrics = s->v.n;
	sm.metrics = LIST(a, Otlp__Metric, s->v.n);
	for (size_t i = 0; i < s->v.n; i++)
		sm.metrics[i] = metric(a, s, s->v.v[i]);
	rm.resource = resource(a);
	rm.n_scope_metrics = 1;
	rm.scope_metrics = &sms;
	request.n_resource_metrics = 1;
	request.resource_metrics = &rms;
	*n = otlp__request__get_packed_size(&request);
	bytes = malloc(*n);
	if (bytes == NULL)
		export_fatal("memory allocation failure");
	otlp__request__pack(&request, bytes);
	arena_free(a);
	return bytes;
}

/* ---- sending ------------------------------------------------------------ */

struct export_otlp {
	struct export_otlp_opts opts;
	struct export_stats *stats;
	CURL *curl;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	bool failing; /* which has been told */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	atomic_bool ending;
	atomic_llong end_ns; /* of the last try */
};

static int64_t
otlp_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nobody reads what the endpoint answers. */
static size_t
discard(char *p, size_t size, size_t n, void *arg)
{
	(void)p, (void)arg;
	return size * n;
}

/* Not 0: the exporter ends, and has waited long enough. */
static int
on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct export_otlp *p = arg;

	(void)a, (void)b, (void)c, (void)d;
	return p->ending && otlp_now() > p->end_ns;
}

static void
tell_result(struct export_otlp *p, CURLcode rv, long status)
{
	bool ok = rv == CURLE_OK && status >= 200 && status < 300;

	atomic_fetch_add(ok ? &p->stats->pushed : &p->stats->not_pushed, 1);
	if (ok == !p->failing)
		return;
	p->failing = !ok;
	if (ok)
		export_say("%s: is reached again", p->opts.url);
	else if (rv != CURLE_OK)
		export_say("%s: %s", p->opts.url, *p->error != '\0' ? p->error :
			   curl_easy_strerror(rv));
	else
		export_say("%s: the answer is status %ld", p->opts.url, status);
}

static void
otlp_push(struct export_otlp *p)
{
	struct export_snap *s = export_take();
	uint8_t *bytes;
	long status = 0;
	CURLcode rv;
	size_t n;

	if (s == NULL)
		return;
	bytes = export_otlp_encode(s, &n);
	export_snap_put(s);
	*p->error = '\0';
	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, bytes);
	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	rv = curl_easy_perform(p->curl);
	curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	free(bytes);
	tell_result(p, rv, status);
}

static void *
otlp_thread(void *arg)
{
	struct export_otlp *p = arg;
	int64_t next = otlp_now();
	bool last;

	do {
		struct timespec until;

		next += (int64_t)(p->opts.every * 1e9);
		if (next < otlp_now()) /* the endpoint is slow */
			next = otlp_now();
		until = (struct timespec){ next / 1000000000,
					   next % 1000000000 };
		pthread_mutex_lock(&p->lock);
		while (!p->ending &&
		       pthread_cond_timedwait(&p->wake, &p->lock, &until) !=
			       ETIMEDOUT)
			;
		last = p->ending;
		pthread_mutex_unlock(&p->lock);
		otlp_push(p);
	} while (!last);
	return NULL;
}

/* Lines "Name: value". */
static int
read_headers(struct export_otlp *p, const char *file, char *err, size_t n)
{
	FILE *fp = fopen(file, "re");
	char *line = NULL;
	size_t cap = 0;
	int rv = 0;

	if (fp == NULL) {
		snprintf(err, n, "%s: %s", file, strerror(errno));
		return -1;
	}
	while (rv == 0 && getline(&line, &cap, fp) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (*line == '\0' || *line == '#')
			continue;
		if (strchr(line, ':') == NULL) {
			snprintf(err, n, "%s: a line is no header: a colon is "
				 "missing", file);
			rv = -1;
		} else {
			p->headers = curl_slist_append(p->headers, line);
		}
	}
	free(line);
	fclose(fp);
	return rv;
}

static int
set_up_curl(struct export_otlp *p, char *err, size_t n)
{
	const struct export_otlp_opts *o = &p->opts;
	CURLcode rv;

	if (strncasecmp(o->url, "http://", 7) != 0 &&
	    strncasecmp(o->url, "https://", 8) != 0) {
		snprintf(err, n, "-o %s: no URL with http:// or https://",
			 o->url);
		return -1;
	}
	if (o->headers != NULL && read_headers(p, o->headers, err, n) != 0)
		return -1;
	if (o->ca != NULL && access(o->ca, R_OK) != 0) {
		snprintf(err, n, "%s: %s", o->ca, strerror(errno));
		return -1;
	}
	p->headers = curl_slist_append(p->headers,
				       "Content-Type: application/x-protobuf");
	p->curl = curl_easy_init();
	if (p->curl == NULL || p->headers == NULL) {
		snprintf(err, n, "memory allocation failure");
		return -1;
	}
	rv = curl_easy_setopt(p->curl, CURLOPT_URL, o->url);
	curl_easy_setopt(p->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(p->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(p->curl, CURLOPT_TIMEOUT, SEND_SECONDS);
	curl_easy_setopt(p->curl, CURLOPT_ERRORBUFFER, p->error);
	curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, discard);
	curl_easy_setopt(p->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(p->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(p->curl, CURLOPT_XFERINFODATA, p);
	if (o->ca != NULL)
		curl_easy_setopt(p->curl, CURLOPT_CAINFO, o->ca);
	if (rv == CURLE_OK)
		return 0;
	snprintf(err, n, "-o %s: %s", o->url, curl_easy_strerror(rv));
	return -1;
}

static void
otlp_free(struct export_otlp *p)
{
	curl_easy_cleanup(p->curl);
	curl_slist_free_all(p->headers);
	curl_global_cleanup();
	free(p);
}

struct export_otlp *
export_otlp_start(const struct export_otlp_opts *o, struct export_stats *st,
		  char *err, size_t n)
{
	struct export_otlp *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	if (p == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		snprintf(err, n, "memory allocation failure");
		free(p);
		return NULL;
	}
	p->opts = *o;
	p->stats = st;
	if (set_up_curl(p, err, n) != 0) {
		otlp_free(p);
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&p->thread, NULL, otlp_thread, p) == 0)
		return p;
	snprintf(err, n, "a thread cannot be made: %s", strerror(errno));
	otlp_free(p);
	return NULL;
}

void
export_otlp_stop(struct export_otlp *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->end_ns = otlp_now() + LAST_SECONDS * 1000000000;
	p->ending = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	otlp_free(p);
}
