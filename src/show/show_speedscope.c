/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_speedscope.c - for speedscope.app: each aggregation with stacks as a
 * sampled profile, each thread with entries and returns as an evented one.
 *
 * The file is one JSON object, whose members may come in any order, but the
 * events of a thread have to stand together, and weights after samples.  What
 * has to wait lies in a file without a name, and so needs no memory: rows and
 * events as small structures, each with the number of the next one of its
 * profile.  Names are numbered as they come and written at the end.
 */
#include "show/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ss_event {
	uint64_t next; /* number of the next of the thread + 1; 0: the last */
	uint64_t time;
	uint32_t frame;
	uint32_t open; /* 1: the slice begins */
};

/* A thread's events so far: show_thread.user. */
struct ss_thread {
	uint64_t first, last; /* numbers + 1 */
	uint64_t n;
};

struct ss_samples {
	char *name, *func;
	FILE *stacks;	/* "[1,2],..." as it will stand in the file */
	FILE *weights;
	uint64_t n;
	int64_t total;
};

struct speedscope {
	struct show_out *out;
	const struct show_opts *opts;
	struct show_names *frames;
	struct { struct ss_samples *v; size_t n, cap; } samples;
	struct show_flows *flows;
	FILE *events;
	uint64_t nevents;
	bool comma;	/* a profile has been written */
	int error;	/* of the files that wait */
	struct show_losses lost;
};

static FILE *
waiting_file(void)
{
	FILE *fp = tmpfile();

	if (fp == NULL)
		show_die("no file for what has to wait: %s", strerror(errno));
	return fp;
}

/* ---- sampled profiles --------------------------------------------------- */

static struct ss_samples *
samples_of(struct speedscope *s, const char *name, const char *func)
{
	struct ss_samples ns = { 0 };

	for (size_t i = 0; i < s->samples.n; i++)
		if (strcmp(s->samples.v[i].name, name) == 0)
			return &s->samples.v[i];
	/* Each has two files: they would be too many to be open. */
	if (s->samples.n >= SHOW_TREES_MAX)
		return &s->samples.v[s->samples.n - 1];
	ns.name = show_copy(s->samples.n == SHOW_TREES_MAX - 1 ? SHOW_OTHERS :
								 name);
	ns.func = show_copy(func);
	ns.stacks = waiting_file();
	ns.weights = waiting_file();
	show_push(&s->samples, ns);
	return &s->samples.v[s->samples.n - 1];
}

struct writing {
	struct speedscope *s;
	FILE *fp;
	bool comma;
};

static void
write_frame(void *arg, const struct show_frame *f, bool kernel,
	    const char *label)
{
	struct writing *w = arg;

	fprintf(w->fp, "%s%u", w->comma ? "," : "",
		show_name(w->s->frames, label));
	w->comma = true;
}

static void
add_sample(struct speedscope *s, const char *name, const char *func,
	   const struct show_value *v, size_t n, int64_t value)
{
	struct ss_samples *ss;
	struct writing w = { .s = s };

	if (value <= 0)
		return;
	ss = samples_of(s, name, func);
	w.fp = ss->stacks;
	fputs(ss->n > 0 ? ",[" : "[", ss->stacks);
	show_stack_walk(v, n, write_frame, &w);
	fputs("]", ss->stacks);
	fprintf(ss->weights, "%s%lld", ss->n > 0 ? "," : "", (long long)value);
	ss->n++;
	ss->total = show_add(ss->total, value);
	if (ferror(ss->stacks) || ferror(ss->weights))
		s->error = errno != 0 ? errno : EIO;
}

static void
speedscope_row(void *state, const struct show_agg *a, const struct show_row *r)
{
	struct speedscope *s = state;

	if (s->opts->agg != NULL && strcmp(s->opts->agg, a->name) != 0)
		return;
	if (!a->partial && show_has_stack(r->keys, r->nkeys))
		add_sample(s, a->name, a->func, r->keys, r->nkeys, r->value);
}

/* Copy what has waited. */
static void
put_file(struct speedscope *s, FILE *fp)
{
	const size_t size = 65536;
	char *chunk = show_alloc(size, 1);
	size_t n;

	rewind(fp);
	while ((n = fread(chunk, 1, size, fp)) > 0)
		show_write(s->out, chunk, n);
	if (ferror(fp))
		s->error = errno != 0 ? errno : EIO;
	free(chunk);
}

static void
speedscope_put_head(struct speedscope *s, const char *type, const char *name,
	 const char *unit)
{
	if (!s->comma)
		show_puts(s->out, "{\"$schema\":\"https://www.speedscope.app/"
			  "file-format-schema.json\",\"exporter\":\"dtrace\","
			  "\"activeProfileIndex\":0,\"profiles\":[");
	show_printf(s->out, "%s\n{\"type\":\"%s\",\"name\":",
		    s->comma ? "," : "", type);
	show_json(s->out, name);
	show_printf(s->out, ",\"unit\":\"%s\"", unit);
	s->comma = true;
}

static void
put_samples(struct speedscope *s, struct ss_samples *ss)
{
	char name[64];
	struct buf b = BUF_INIT;

	snprintf(name, sizeof(name), " (%.40s)", ss->func);
	buf_printf(&b, "%s%s", ss->name, name);
	speedscope_put_head(s, "sampled", show_text(&b), "none");
	buf_fini(&b);
	show_printf(s->out, ",\"startValue\":0,\"endValue\":%lld,\"samples\":[",
		    (long long)ss->total);
	put_file(s, ss->stacks);
	show_puts(s->out, "],\"weights\":[");
	put_file(s, ss->weights);
	show_puts(s->out, "]}");
}

/* ---- evented profiles --------------------------------------------------- */

static void
event_at(struct speedscope *s, uint64_t number, struct ss_event *e, bool put)
{
	off_t at = (off_t)((number - 1) * sizeof(*e));
	int fd = fileno(s->events);
	ssize_t n = put ? pwrite(fd, e, sizeof(*e), at) :
			  pread(fd, e, sizeof(*e), at);

	if (n != (ssize_t)sizeof(*e))
		s->error = n < 0 ? errno : ENOSPC;
}

static void
speedscope_on_event(void *arg, struct show_thread *t, enum show_event kind,
	 const char *name, const struct show_rec *r)
{
	struct speedscope *s = arg;
	struct ss_thread *st = t->user;
	struct ss_event e = { .time = t->time, .open = kind == SHOW_BEGIN }, p;

	if (kind == SHOW_INSTANT || s->error != 0)
		return;
	if (s->events == NULL)
		s->events = waiting_file();
	if (st == NULL)
		st = t->user = show_alloc(1, sizeof(*st));
	e.frame = show_name(s->frames, name);
	uint64_t number = ++s->nevents;
	if (st->last != 0) {
		event_at(s, st->last, &p, false);
		p.next = number;
		event_at(s, st->last, &p, true);
	} else {
		st->first = number;
	}
	event_at(s, number, &e, true);
	st->last = number;
	st->n++;
}

static void
speedscope_record(void *state, const struct show_rec *r)
{
	struct speedscope *s = state;
	struct buf b = BUF_INIT;

	if (r->flow != SHOW_NONE)
		show_flows_record(s->flows, r);
	show_probe_text(&b, r);
	for (size_t i = 0; i < r->nvals; i++)
		if (show_has_stack(&r->vals[i], 1) &&
		    (s->opts->agg == NULL ||
		     strcmp(s->opts->agg, show_text(&b)) == 0))
			add_sample(s, show_text(&b), "count", &r->vals[i], 1, 1);
	buf_fini(&b);
}

static void
put_event(struct speedscope *s, bool open, uint32_t frame, uint64_t at,
	  bool comma)
{
	show_printf(s->out, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}",
		    comma ? "," : "", open ? 'O' : 'C', frame,
		    (unsigned long long)at);
}

static void
put_thread(void *arg, struct show_thread *t)
{
	struct speedscope *s = arg;
	struct ss_thread *st = t->user;
	struct ss_event e = { 0 };
	struct { uint32_t *v; size_t n, cap; } open = { 0 };
	struct buf b = BUF_INIT;

	if (st == NULL || s->error != 0)
		return;
	event_at(s, st->first, &e, false);
	uint64_t start = e.time;
	if (t->is_cpu)
		buf_printf(&b, "CPU %lld", (long long)t->tid);
	else
		buf_printf(&b, "%s %lld/%lld", t->execname, (long long)t->pid,
			   (long long)t->tid);
	speedscope_put_head(s, "evented", show_text(&b), "nanoseconds");
	buf_fini(&b);
	show_printf(s->out, ",\"startValue\":0,\"endValue\":%llu,\"events\":[",
		    (unsigned long long)(t->time - start));
	for (uint64_t i = 0; i < st->n && s->error == 0; i++) {
		put_event(s, e.open, e.frame, e.time - start, i > 0);
		if (e.open)
			show_push(&open, e.frame);
		else
			open.n--;
		if (e.next != 0)
			event_at(s, e.next, &e, false);
	}
	/* What has not returned has to end as well. */
	while (open.n > 0)
		put_event(s, false, open.v[--open.n], t->time - start, true);
	free(open.v);
	show_puts(s->out, "]}");
}

/* ---- the file ----------------------------------------------------------- */

static void *
speedscope_open(struct show_out *o, const struct show_opts *opts)
{
	struct speedscope *s = show_alloc(1, sizeof(*s));

	s->out = o;
	s->opts = opts;
	s->frames = show_names_new();
	s->flows = show_flows_new(speedscope_on_event, s);
	return s;
}

static void
put_frames(struct speedscope *s)
{
	show_puts(s->out, "\n],\"shared\":{\"frames\":[");
	for (size_t i = 0; i < show_names_count(s->frames); i++) {
		show_puts(s->out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
		show_json(s->out, show_name_text(s->frames, (uint32_t)i));
		show_puts(s->out, "}");
	}
	show_puts(s->out, "\n]},\"name\":");
}

/* The title, and what was lost: the program shows it above the picture. */
static void
ss_put_name(struct speedscope *s)
{
	struct buf b = BUF_INIT;

	buf_puts(&b, s->opts->title != NULL ? s->opts->title : "dtrace");
	buf_puts(&b, s->lost.n > 0 ? ". " : "");
	show_json(s->out, show_loss_text(&b, &s->lost));
	show_puts(s->out, "}\n");
	buf_fini(&b);
}

static void
speedscope_note(void *state, const struct show_note *n)
{
	show_loss_note(&((struct speedscope *)state)->lost, n);
}

static void
speedscope_close(void *state)
{
	struct speedscope *s = state;

	for (size_t i = 0; i < s->samples.n; i++) {
		struct ss_samples *ss = &s->samples.v[i];
		put_samples(s, ss);
		fclose(ss->stacks);
		fclose(ss->weights);
		free(ss->name);
		free(ss->func);
	}
	show_flows_each(s->flows, put_thread, s);
	if (s->comma) {
		put_frames(s);
		ss_put_name(s);
	} else if (!s->opts->quiet) {
		show_lack("speedscope: there are neither stacks nor entries "
			  "and returns");
	}
	if (s->error != 0)
		show_die("speedscope: what has to wait cannot be kept: %s",
			 strerror(s->error));
	if (s->events != NULL)
		fclose(s->events);
	free(s->samples.v);
	show_flows_free(s->flows);
	show_names_free(s->frames);
	free(s);
}

const struct show_format show_format_speedscope = {
	.name = "speedscope",
	.what = "stacks, and threads from entry to return, for speedscope.app",
	.open = speedscope_open, .record = speedscope_record,
	.row = speedscope_row, .note = speedscope_note,
	.close = speedscope_close,
};
