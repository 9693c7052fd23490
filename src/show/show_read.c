/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_read.c - elements of structured output as records, rows and notices, and
 * who gets them.
 *
 * dtrace(1) may look at aggregations before the end, for pictures over time:
 * it says {"partial":true} on a line before such an element and
 * {"partial":false} behind it, which nobody but this program reads.  The same
 * holds of {"failed":true}: it has told of an error, so that what is missing
 * has a reason that is known; and of {"name":"HINT","msg":...}, what helps against
 * a loss.
 */
#include "show/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "show/show_json.h"

struct reader {
	const struct show_sink *sinks;
	size_t nsinks;
	struct arena *a; /* of the record or row at hand */
	struct show_agg agg;
	bool partial; /* the next aggregations are not the last */
	bool document; /* it is one of -O json */
	bool failed; /* dtrace has told of an error */
};

static void *
read_room(struct reader *rd, size_t n, size_t size)
{
	void *p = arena_calloc(rd->a, n, size);

	if (p == NULL)
		show_die("memory allocation failure");
	return p;
}

static void
begin(struct reader *rd)
{
	rd->a = arena_new();
	if (rd->a == NULL)
		show_die("memory allocation failure");
}

static void
end(struct reader *rd)
{
	arena_free(rd->a);
	rd->a = NULL;
}

/* ---- values ------------------------------------------------------------- */

static size_t
count_of(const struct jv *v)
{
	size_t n = 0;

	for (v = v->child; v != NULL; v = v->next)
		n++;
	return n;
}

static void
take_stack(struct reader *rd, const struct jv *frames, struct show_value *out)
{
	size_t i = 0;

	out->nframes = count_of(frames);
	out->frames = read_room(rd, out->nframes, sizeof(*out->frames));
	for (const struct jv *f = frames->child; f != NULL; f = f->next)
		out->frames[i++] = (struct show_frame){
			.symbol = jv_str(f, "symbol"),
			.module = jv_str(f, "module"),
			.name = jv_str(f, "name"),
			.off = (uint64_t)jv_int(f, "offset"),
			.place = (uint64_t)jv_int(f, "place"),
			.addr = (uint64_t)jv_int(f, "address"),
		};
}

/* The whole value as text: what has no form of its own here. */
static const char *
json_of(struct reader *rd, const struct jv *v)
{
	struct buf b = BUF_INIT;

	jv_text(&b, v);
	const char *s = arena_strdup(rd->a, show_text(&b));
	buf_fini(&b);
	if (s == NULL)
		show_die("memory allocation failure");
	return s;
}

static void
take_value(struct reader *rd, const struct jv *v, struct show_value *out)
{
	static const char *const texts[] = { "sym", "bytes", "message",
					     "printed" };
	const struct jv *m;

	*out = (struct show_value){ .kind = SHOW_STR, .str = v->str };
	if (v->kind == JV_NUM) {
		out->kind = SHOW_INT;
		errno = 0;
		out->num = strtoll(v->str, NULL, 10);
	}
	if (v->kind != JV_MAP && v->kind != JV_ARRAY)
		return;
	if ((m = jv_get(v, "ustack-frames")) != NULL) {
		out->kind = SHOW_USTACK;
		take_stack(rd, m, out);
		return;
	}
	if ((m = jv_get(v, "stack-frames")) != NULL) {
		out->kind = SHOW_STACK;
		take_stack(rd, m, out);
		return;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((m = jv_get(v, texts[i])) != NULL) {
			out->str = m->str;
			return;
		}
	m = jv_get(v, "value");
	if (m != NULL && jv_get(v, "type") == NULL)
		take_value(rd, m, out);
	else
		out->str = json_of(rd, v);
}

/* ---- aggregations ------------------------------------------------------- */

static const struct jv *
element_of(const struct jv *v)
{
	while (v->parent != NULL)
		v = v->parent;
	return v;
}

static void
on_agg(void *arg, const struct jv *data)
{
	const struct jv *e = element_of(data);
	struct reader *rd = arg;

	rd->agg = (struct show_agg){
		.name = jv_str(data->parent, "aggregation-name"),
		.func = jv_str(data->parent, "function"),
		.time = (uint64_t)jv_int(e, "timestamp"),
		.partial = rd->partial,
	};
	for (size_t i = 0; i < rd->nsinks; i++)
		if (rd->sinks[i].format->agg != NULL)
			rd->sinks[i].format->agg(rd->sinks[i].state, &rd->agg);
}

static void
take_bucket(const struct jv *v, struct show_bucket *b)
{
	b->kind = jv_get(v, "below") != NULL  ? SHOW_BELOW :
		  jv_get(v, "nearer") != NULL ? SHOW_NEARER : SHOW_FROM;
	b->value = jv_int(v, b->kind == SHOW_BELOW  ? "below" :
			     b->kind == SHOW_NEARER ? "nearer" : "value");
	b->count = jv_int(v, "count");
}

static void
take_row(struct reader *rd, const struct jv *v, struct show_row *r)
{
	const struct jv *keys = jv_get(v, "keys");
	const struct jv *buckets = jv_get(v, "buckets");
	size_t i = 0;

	if (keys != NULL) {
		r->nkeys = count_of(keys);
		r->keys = read_room(rd, r->nkeys, sizeof(*r->keys));
		for (const struct jv *k = keys->child; k != NULL; k = k->next)
			take_value(rd, k, &r->keys[i++]);
	}
	if (buckets == NULL) {
		r->value = jv_int(v, rd->agg.func);
		return;
	}
	r->hist = true;
	r->nbuckets = count_of(buckets);
	r->buckets = read_room(rd, r->nbuckets, sizeof(*r->buckets));
	i = 0;
	for (const struct jv *b = buckets->child; b != NULL; b = b->next) {
		take_bucket(b, &r->buckets[i]);
		r->value = show_add(r->value, r->buckets[i++].count);
	}
}

static void
on_row(void *arg, const struct jv *data, const struct jv *v)
{
	struct reader *rd = arg;
	struct show_row r = { 0 };

	begin(rd);
	take_row(rd, v, &r);
	for (size_t i = 0; i < rd->nsinks; i++)
		if (rd->sinks[i].format->row != NULL)
			rd->sinks[i].format->row(rd->sinks[i].state, &rd->agg,
						 &r);
	rd->agg.nrows++;
	end(rd);
}

/* ---- records and notices ------------------------------------------------ */

/* entry, return, or something that ends so behind a hyphen, as with -F. */
static enum show_flow
flow_of(const char *name)
{
	const char *p = strrchr(name, '-');

	if (p != NULL)
		name = p + 1;
	return strcmp(name, "entry") == 0  ? SHOW_ENTRY :
	       strcmp(name, "return") == 0 ? SHOW_RETURN : SHOW_NONE;
}

/* The last of a record's output with the option who. */
static bool
take_who(const struct jv *v, struct show_rec *r)
{
	if (jv_get(v, "tid") == NULL || jv_get(v, "execname") == NULL)
		return false;
	r->has_who = true;
	r->pid = jv_int(v, "pid");
	r->tid = jv_int(v, "tid");
	r->execname = jv_str(v, "execname");
	return true;
}

static void
give_record(struct reader *rd, const struct jv *e, const struct jv *output)
{
	struct show_rec r = {
		.time = (uint64_t)jv_int(e, "timestamp"),
		.cpu = (int)jv_int(e, "cpu"), .prov = jv_str(e, "provider"),
		.mod = jv_str(e, "module"), .func = jv_str(e, "function"),
		.name = jv_str(e, "name"), .execname = "",
	};

	begin(rd);
	r.flow = flow_of(r.name);
	r.vals = read_room(rd, count_of(output), sizeof(*r.vals));
	for (const struct jv *v = output->child; v != NULL; v = v->next)
		/* What an aggregation has to say are its rows. */
		if (jv_get(v, "aggregation-name") == NULL && !take_who(v, &r))
			take_value(rd, v, &r.vals[r.nvals++]);
	for (size_t i = 0; i < rd->nsinks; i++)
		if (rd->sinks[i].format->record != NULL)
			rd->sinks[i].format->record(rd->sinks[i].state, &r);
	end(rd);
}

static void
give_note(struct reader *rd, const struct jv *e, const char *kind)
{
	struct show_note n = { .time = (uint64_t)jv_int(e, "timestamp"),
			       .kind = kind, .msg = jv_str(e, "msg"),
			       .what = jv_str(e, "kind"),
			       .count = jv_int(e, "count") };
	struct buf b = BUF_INIT;

	if (strcmp(kind, "PROC") == 0) {
		buf_printf(&b, "process %s has ended", jv_str(e, "pid"));
		if (jv_get(e, "status") != NULL)
			buf_printf(&b, " with status %s", jv_str(e, "status"));
		if (jv_get(e, "signal") != NULL)
			buf_printf(&b, " by signal %s", jv_str(e, "signal"));
		n.msg = show_text(&b);
	}
	for (size_t i = 0; i < rd->nsinks; i++)
		if (rd->sinks[i].format->note != NULL)
			rd->sinks[i].format->note(rd->sinks[i].state, &n);
	buf_fini(&b);
}

static void
on_element(void *arg, const struct jv *e)
{
	const struct jv *output = jv_get(e, "output");
	const char *name = jv_str(e, "name");
	struct reader *rd = arg;

	if (jv_get(e, "partial") != NULL) {
		rd->partial = strcmp(jv_str(e, "partial"), "true") == 0;
		return;
	}
	if (jv_get(e, "failed") != NULL) {
		rd->failed = true;
		return;
	}
	if (jv_get(e, "dtrace") != NULL) {
		rd->document = true;
		return;
	}
	if (jv_int(e, "id") != -1) {
		if (output != NULL)
			give_record(rd, e, output);
	} else if (strcmp(name, "AGGREGATION") != 0) {
		give_note(rd, e, name);
	}
}

/* ---- the stream --------------------------------------------------------- */

int
show_read(int fd, const struct show_sink *sinks, size_t nsinks,
	  bool (*stop)(void *arg), void *arg, char *err, size_t n)
{
	struct reader rd = { .sinks = sinks, .nsinks = nsinks };
	const struct jv_reader r = { .element = on_element, .agg = on_agg,
				     .row = on_row, .arg = &rd };
	struct jv_state *j = jv_new(&r);
	const size_t size = 65536;
	char *text = show_alloc(size, 1);
	ssize_t k;
	int rv;

	do {
		k = read(fd, text, size);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			snprintf(err, n, "%s", strerror(errno));
			rv = -1;
			break;
		}
		rv = jv_feed(j, text, (size_t)k, err, n);
	} while (rv == 0 && k != 0 && !stop(arg));
	jv_free(j);
	free(text);
	if (rv == 0 && rd.document) {
		snprintf(err, n, "it is a document, of -O json; what is wanted "
				 "are the lines of -O jsonl");
		rv = -1;
	}
	return rv == 0 && rd.failed ? 1 : rv;
}
