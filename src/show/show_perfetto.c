/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_perfetto.c - records as a trace for Perfetto: a track for each thread of
 * each process, slices from entry to return on it, all other records as
 * instants, with what they have recorded beside them.
 *
 * A trace is a sequence of packets, each written when it is there.  Records of
 * speculations come when they are committed, with the times they have; the
 * reader puts packets in order.
 */
#include "show/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "perfetto.pb-c.h"

/* Numbers of tracks: threads have theirs, processes theirs behind these. */
#define PROCESS_TRACKS 1000000000u
#define LOSS_TRACK     (PROCESS_TRACKS - 1)
#define SEQUENCE       1
/* Losses before the first record that are kept for it. */
#define LOSSES_MAX 32
/* Values of a record that are shown. */
#define VALUES_MAX 32

struct perfetto {
	struct show_out *out;
	const struct show_opts *opts;
	struct show_flows *flows;
	struct hash *processes; /* that have been described */
	bool some;		/* there was a record */
	bool lost;		/* the track of losses has been described */
	/* Without a record nothing is written: what was lost before it. */
	struct { struct show_note *v; size_t n, cap; } early;
};

/* What a packet refers to lives until it is written. */
struct event {
	Perfetto__TrackEvent te;
	Perfetto__DebugAnnotation note[VALUES_MAX];
	Perfetto__DebugAnnotation *notes[VALUES_MAX];
	struct buf text[VALUES_MAX];
	char label[VALUES_MAX][16];
};

static void
perfetto_put(struct perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.packet = &packet;
	trace.n_packet = 1;
	size_t n = perfetto__trace__get_packed_size(&trace);
	uint8_t *bytes = show_alloc(n, 1);
	perfetto__trace__pack(&trace, bytes);
	show_write(p->out, bytes, n);
	free(bytes);
}

static void
describe(struct perfetto *p, Perfetto__TrackDescriptor *d)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.track_descriptor = d;
	perfetto_put(p, &packet);
}

static void
describe_process(struct perfetto *p, int64_t pid, char *name)
{
	Perfetto__ProcessDescriptor pd = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;

	if (hash_find(p->processes, &pid, sizeof(pid)) != NULL)
		return;
	if (hash_set(p->processes, &pid, sizeof(pid), p) != 0)
		show_die("memory allocation failure");
	pd.has_pid = true;
	pd.pid = (int32_t)pid;
	pd.process_name = name;
	d.has_uuid = true;
	d.uuid = PROCESS_TRACKS + (uint64_t)pid;
	d.process = &pd;
	describe(p, &d);
}

/* The first event of a thread: what its track is. */
static void
describe_thread(struct perfetto *p, const struct show_thread *t)
{
	Perfetto__ThreadDescriptor td = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	struct buf b = BUF_INIT;

	d.has_uuid = true;
	d.uuid = t->id;
	if (t->is_cpu) {
		buf_printf(&b, "CPU %lld", (long long)t->tid);
		d.name = (char *)(uintptr_t)show_text(&b);
		describe(p, &d);
		buf_fini(&b);
		return;
	}
	show_clean(&b, t->execname, strlen(t->execname));
	char *name = (char *)(uintptr_t)show_text(&b);
	describe_process(p, t->pid, name);
	td.has_pid = td.has_tid = true;
	td.pid = (int32_t)t->pid;
	td.tid = (int32_t)t->tid;
	td.thread_name = name;
	d.has_parent_uuid = true;
	d.parent_uuid = PROCESS_TRACKS + (uint64_t)t->pid;
	d.thread = &td;
	describe(p, &d);
	buf_fini(&b);
}

/* All frames of a stack, a line each. */
static void
perfetto_stack(struct buf *b, const struct show_value *v)
{
	for (size_t i = 0; i < v->nframes; i++) {
		if (i > 0)
			buf_putc(b, '\n');
		show_clean(b, v->frames[i].symbol, strlen(v->frames[i].symbol));
	}
}

/* The reader puts what is said at both ends of a slice together, by name. */
static void
annotate(struct event *e, const char *name, const struct show_value *v,
	 size_t i)
{
	Perfetto__DebugAnnotation *n = &e->note[i];

	perfetto__debug_annotation__init(n);
	snprintf(e->label[i], sizeof(e->label[i]), "%s%zu", name, i + 1);
	n->name = e->label[i];
	if (v->kind == SHOW_INT) {
		n->has_int_value = true;
		n->int_value = v->num;
	} else {
		if (v->kind == SHOW_STR)
			show_clean(&e->text[i], v->str, strlen(v->str));
		else
			perfetto_stack(&e->text[i], v);
		n->string_value = (char *)(uintptr_t)show_text(&e->text[i]);
	}
	e->notes[i] = n;
}

static void
perfetto_on_event(void *arg, struct show_thread *t, enum show_event kind,
	 const char *name, const struct show_rec *r)
{
	static const Perfetto__TrackEvent__Type types[] = {
		[SHOW_BEGIN] = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		[SHOW_END] = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END,
		[SHOW_INSTANT] = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
	};
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	struct perfetto *p = arg;
	struct event *e = show_alloc(1, sizeof(*e));
	struct buf b = BUF_INIT, prov = BUF_INIT;
	size_t n = r->nvals < VALUES_MAX ? r->nvals : VALUES_MAX;

	/* What a return has recorded is not of others that it ends. */
	if (kind == SHOW_END && strcmp(name, r->func) != 0)
		n = 0;

	if (t->user == NULL) {
		describe_thread(p, t);
		t->user = show_alloc(1, 1); /* it has been described */
	}
	perfetto__track_event__init(&e->te);
	e->te.has_type = e->te.has_track_uuid = true;
	e->te.type = types[kind];
	e->te.track_uuid = t->id;
	show_clean(&b, name, strlen(name));
	e->te.name = (char *)(uintptr_t)show_text(&b);
	show_clean(&prov, r->prov, strlen(r->prov));
	char *category = (char *)(uintptr_t)show_text(&prov);
	e->te.categories = &category;
	e->te.n_categories = 1;
	for (size_t i = 0; i < n; i++)
		annotate(e, kind == SHOW_END ? "returned" : "value",
			 &r->vals[i], i);
	e->te.debug_annotations = e->notes;
	e->te.n_debug_annotations = n;
	packet.has_timestamp = true;
	packet.timestamp = r->time;
	packet.track_event = &e->te;
	perfetto_put(p, &packet);
	for (size_t i = 0; i < n; i++)
		buf_fini(&e->text[i]);
	buf_fini(&prov);
	buf_fini(&b);
	free(e);
}

static void *
perfetto_open(struct show_out *o, const struct show_opts *opts)
{
	struct perfetto *p = show_alloc(1, sizeof(*p));

	p->out = o;
	p->opts = opts;
	p->flows = show_flows_new(perfetto_on_event, p);
	p->processes = hash_new();
	if (p->processes == NULL)
		show_die("memory allocation failure");
	return p;
}

/* What was lost is an instant in a track of its own. */
static void
put_loss(struct perfetto *p, const struct show_note *n)
{
	static char name[] = "drops: the trace is incomplete";
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__TrackEvent te = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	struct buf b = BUF_INIT;

	d.has_uuid = te.has_type = te.has_track_uuid = true;
	d.uuid = te.track_uuid = LOSS_TRACK;
	d.name = name;
	if (!p->lost)
		describe(p, &d);
	p->lost = true;
	te.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	show_clean(&b, n->msg, strcspn(n->msg, "\n"));
	te.name = (char *)(uintptr_t)show_text(&b);
	packet.has_timestamp = true;
	packet.timestamp = n->time;
	packet.track_event = &te;
	perfetto_put(p, &packet);
	buf_fini(&b);
}

static void
perfetto_note(void *state, const struct show_note *n)
{
	struct perfetto *p = state;
	struct show_note kept = { .time = n->time };

	if (strcmp(n->kind, "DROP") != 0)
		return;
	if (p->some) {
		put_loss(p, n);
	} else if (p->early.n < LOSSES_MAX) {
		kept.msg = show_copy(n->msg);
		show_push(&p->early, kept);
	}
}

/* The losses that waited. */
static void
early_end(struct perfetto *p, bool put)
{
	for (size_t i = 0; i < p->early.n; i++) {
		if (put)
			put_loss(p, &p->early.v[i]);
		free((void *)(uintptr_t)p->early.v[i].msg);
	}
	p->early.n = 0;
}

static void
perfetto_record(void *state, const struct show_rec *r)
{
	struct perfetto *p = state;

	early_end(p, true);
	p->some = true;
	show_flows_record(p->flows, r);
}

static void
perfetto_close(void *state)
{
	struct perfetto *p = state;

	if (!p->some && !p->opts->quiet)
		show_lack("perfetto: there are no records; a clause that only "
			  "aggregates leaves none");
	early_end(p, false);
	free(p->early.v);
	show_flows_free(p->flows);
	hash_free(p->processes);
	free(p);
}

const struct show_format show_format_perfetto = {
	.name = "perfetto",
	.what = "tracks of processes and threads, for ui.perfetto.dev",
	.binary = true, .open = perfetto_open, .record = perfetto_record,
	.note = perfetto_note, .close = perfetto_close,
};
