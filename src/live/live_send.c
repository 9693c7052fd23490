/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_send.c - dtrace(1)'s side of the screen: what is sent, and how often.
 *
 * A look costs a walk over all rows.  It is taken once a second, less often
 * where it takes so long that it would be more than a hundredth of a CPU's
 * time.
 *
 * How often probes fire is known from what comes here anyway, so that no firing
 * costs more for being looked at: the records of a probe are counted as they
 * are consumed, and what aggregations count is their own.  A clause that has
 * neither is not seen.
 */
#include "live/live.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "live/live_wire.h"

#define SEND_EVERY_NS 1000000000
#define SEND_SHARE    100

/* Of probes, by id. */
struct sent_probe {
	char *name; /* NULL: no record has come */
	uint64_t records;
};

struct live_send {
	VEC(struct sent_probe) probes;
	uint64_t records, drops;
	int64_t began, next; /* ns; 0: not yet */
	struct buf out;
	/* While walking: */
	dtrace_hdl_t *dtp;
	bool any;
	dtrace_aggvarid_t agg; /* whose rows these are, if any have come */
	bool hist;
};

/* What a rate is made of: nothing, the value, or the first word, which counts
   values. */
enum send_events { EVENTS_NONE, EVENTS_VALUE, EVENTS_FIRST };

static const struct {
	uint32_t code;
	const char *name;
	enum send_events events;
	bool hist;
} send_funcs[] = {
	{ DTRACEAGG_COUNT, "count", EVENTS_VALUE, false },
	{ DTRACEAGG_MIN, "min", EVENTS_NONE, false },
	{ DTRACEAGG_MAX, "max", EVENTS_NONE, false },
	{ DTRACEAGG_AVG, "avg", EVENTS_FIRST, false },
	{ DTRACEAGG_SUM, "sum", EVENTS_VALUE, false },
	{ DTRACEAGG_STDDEV, "stddev", EVENTS_FIRST, false },
	{ DTRACEAGG_QUANTIZE, "quantize", EVENTS_VALUE, true },
	{ DTRACEAGG_LQUANTIZE, "lquantize", EVENTS_VALUE, true },
	{ DTRACEAGG_LLQUANTIZE, "llquantize", EVENTS_VALUE, true },
};

struct live_send *
live_send_new(void)
{
	return calloc(1, sizeof(struct live_send));
}

void
live_send_free(struct live_send *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->probes.n; i++)
		free(s->probes.v[i].name);
	vec_fini(&s->probes);
	buf_fini(&s->out);
	free(s);
}

/* ---- counting ------------------------------------------------------------ */

/* The probe's place; NULL: there is no memory, and it stays uncounted. */
static struct sent_probe *
send_probe(struct live_send *s, const dtrace_probedesc_t *pd)
{
	char name[DTRACE_PROVNAMELEN + DTRACE_MODNAMELEN + DTRACE_FUNCNAMELEN +
		  DTRACE_NAMELEN + 4];

	while (s->probes.n <= pd->dtpd_id)
		if (!vec_push(&s->probes, ((struct sent_probe){ 0 })))
			return NULL;
	struct sent_probe *p = &s->probes.v[pd->dtpd_id];
	if (p->name == NULL) {
		dtrace_probedesc_t named = *pd;

		named.dtpd_id = 0; /* or it is all that is shown */
		p->name = strdup(dtrace_desc2str(&named, name, sizeof(name)));
	}
	return p;
}

void
live_send_record(struct live_send *s, const dtrace_probedesc_t *pd)
{
	struct sent_probe *p = send_probe(s, pd);

	s->records++;
	if (p != NULL)
		p->records++;
}

void
live_send_drops(struct live_send *s, uint64_t n)
{
	s->drops += n;
}

/* ---- aggregations -------------------------------------------------------- */

static size_t
send_func(const dtrace_aggdesc_t *d)
{
	const size_t n = sizeof(send_funcs) / sizeof(send_funcs[0]);
	size_t i = 0;

	while (i < n && send_funcs[i].code != d->dtagd_func)
		i++;
	return i;
}

/* A bucket as dtrace prints it: those of quantize() and llquantize() by the end
   that is nearer to zero, those of lquantize() by the lower one. */
static void
send_bound(struct live_send *s, uint32_t func, int64_t low, int64_t high)
{
	bool steps = func == DTRACEAGG_LQUANTIZE;
	bool open = func != DTRACEAGG_QUANTIZE;
	enum live_bound b = BOUND_FROM;
	int64_t v = low < 0 && !steps ? high : low;

	if (open && high == INT64_MAX) {
		b = BOUND_LAST;
		v = low;
	} else if (open && low == INT64_MIN) {
		b = steps ? BOUND_BELOW : BOUND_UPTO;
		v = high + steps;
	} else if (low < 0 && high > 0 && !steps) {
		b = BOUND_NEARER;
		v = high + 1;
	}
	wire_put_u8(&s->out, (uint8_t)b);
	wire_put_u64(&s->out, (uint64_t)v);
}

static void
send_buckets(struct live_send *s, const dtrace_aggdata_t *data)
{
	wire_put_u32(&s->out, data->dtada_nwords);
	for (uint32_t i = 0; i < data->dtada_nwords; i++) {
		int64_t low = 0, high = 0;
		(void)dtrace_aggregate_bucket(s->dtp, data, i, &low, &high);
		send_bound(s, data->dtada_desc->dtagd_func, low, high);
	}
}

static void
send_agg(struct live_send *s, const dtrace_aggdata_t *data, size_t f)
{
	s->any = true;
	s->agg = data->dtada_desc->dtagd_varid;
	s->hist = send_funcs[f].hist;
	wire_put_u8(&s->out, 'A');
	wire_put_text(&s->out, data->dtada_desc->dtagd_name);
	wire_put_text(&s->out, send_funcs[f].name);
	wire_put_u8(&s->out, s->hist);
	if (s->hist)
		send_buckets(s, data);
}

static void
send_keys(struct live_send *s, const dtrace_aggdata_t *data)
{
	uint32_t n = (uint32_t)data->dtada_desc->dtagd_nkeys;

	wire_put_u32(&s->out, n);
	for (uint32_t i = 0; i < n; i++) {
		const dtrace_aggkey_t *k = &data->dtada_keys[i];
		wire_put_u8(&s->out, k->dtak_is_string != 0);
		if (k->dtak_is_string)
			wire_put_text(&s->out, k->dtak_str);
		else
			wire_put_u64(&s->out, (uint64_t)k->dtak_int);
	}
}

/* Buckets that are not zero, behind their number. */
static void
send_counts(struct live_send *s, const dtrace_aggdata_t *data)
{
	int64_t normal = (int64_t)data->dtada_normal;
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->dtada_nwords; i++)
		n += data->dtada_cell[i] != 0;
	wire_put_u32(&s->out, n);
	for (uint32_t i = 0; i < data->dtada_nwords; i++) {
		if (data->dtada_cell[i] == 0)
			continue;
		wire_put_u32(&s->out, i);
		wire_put_u64(&s->out, (uint64_t)(normal > 1 ?
			data->dtada_cell[i] / normal : data->dtada_cell[i]));
	}
}

static int
send_row(const dtrace_aggdata_t *data, void *arg)
{
	struct live_send *s = arg;
	size_t f = send_func(data->dtada_desc);

	if (f == sizeof(send_funcs) / sizeof(send_funcs[0]))
		return DTRACE_AGGWALK_NEXT;
	if (!s->any || s->agg != data->dtada_desc->dtagd_varid)
		send_agg(s, data, f);
	wire_put_u8(&s->out, 'R');
	send_keys(s, data);
	wire_put_u64(&s->out, (uint64_t)data->dtada_value);
	enum send_events e = send_funcs[f].events;
	wire_put_u64(&s->out, e == EVENTS_NONE ? UINT64_MAX
			      : e == EVENTS_FIRST
				      ? (uint64_t)data->dtada_cell[0]
				      : (uint64_t)data->dtada_value);
	if (s->hist)
		send_counts(s, data);
	return DTRACE_AGGWALK_NEXT;
}

/* ---- messages ------------------------------------------------------------ */

static int64_t
send_clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
send_probes(struct live_send *s)
{
	for (size_t i = 0; i < s->probes.n; i++) {
		if (s->probes.v[i].name == NULL)
			continue;
		wire_put_u8(&s->out, 'P');
		wire_put_text(&s->out, s->probes.v[i].name);
		wire_put_u64(&s->out, s->probes.v[i].records);
	}
}

/* 0, or the errno. */
static int
send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return errno;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static int
send_message(struct live_send *s, dtrace_hdl_t *dtp, int64_t now)
{
	uint64_t size = 0;

	buf_reset(&s->out);
	wire_put_u64(&s->out, size);
	wire_put_u64(&s->out, (uint64_t)now);
	wire_put_u64(&s->out, (uint64_t)(now - s->began));
	wire_put_u64(&s->out, s->records);
	wire_put_u64(&s->out, s->drops);
	s->dtp = dtp;
	s->any = false;
	if (dtrace_aggregate_snap(dtp) != 0 ||
	    dtrace_aggregate_walk(dtp, send_row, s) != 0)
		return -1;
	send_probes(s);
	wire_put_u8(&s->out, '.');
	return 0;
}

int
live_send_look(struct live_send *s, dtrace_hdl_t *dtp, int fd)
{
	int64_t now = send_clock_ns(CLOCK_MONOTONIC);
	int64_t cpu = send_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (s->began == 0)
		s->began = now;
	if (now < s->next)
		return 0;
	if (send_message(s, dtp, now) != 0)
		return -1;
	if (s->out.failed)
		return ENOMEM;
	if (s->out.n > LIVE_MESSAGE_MAX)
		return EMSGSIZE;
	uint64_t size = s->out.n - sizeof(size);
	memcpy(s->out.p, &size, sizeof(size));
	int64_t took = (send_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) *
		       SEND_SHARE;
	s->next = now + (took > SEND_EVERY_NS ? took : SEND_EVERY_NS);
	return send_all(fd, s->out.p, s->out.n);
}
