/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_flow.c - entry and return as slices, see show.h.
 *
 * Threads are told apart by the option who; without it a record has a CPU only,
 * and calls nest in that as they do with -F.
 */
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Slices that are open in one thread: what is deeper is shown as instants. */
#define OPEN_MAX 4096
/* Threads: those that come later share the last track. */
#define THREADS_MAX 65536

struct show_flows {
	show_flow_f *fn;
	void *arg;
	struct hash *threads; /* (is a CPU, pid, tid) */
	struct show_names *names;
	bool told; /* of entries without returns */
};

struct show_flows *
show_flows_new(show_flow_f *fn, void *arg)
{
	struct show_flows *f = show_alloc(1, sizeof(*f));

	f->fn = fn;
	f->arg = arg;
	f->threads = hash_new();
	if (f->threads == NULL)
		show_die("memory allocation failure");
	f->names = show_names_new();
	return f;
}

static void
thread_free(void *arg, struct show_thread *t)
{
	free((void *)(uintptr_t)t->execname);
	free(t->open);
	free(t->last);
	free(t->user);
	free(t);
}

void
show_flows_each(struct show_flows *f,
		void (*fn)(void *arg, struct show_thread *t), void *arg)
{
	size_t pos = 0;
	void *val;

	while (hash_next(f->threads, &pos, NULL, NULL, &val))
		fn(arg, val);
}

void
show_flows_free(struct show_flows *f)
{
	show_flows_each(f, thread_free, NULL);
	hash_free(f->threads);
	show_names_free(f->names);
	free(f);
}

static struct show_thread *
thread_of(struct show_flows *f, const struct show_rec *r)
{
	int64_t key[3] = { !r->has_who, r->pid, r->has_who ? r->tid : r->cpu };
	struct show_thread *t = hash_find(f->threads, key, sizeof(key));

	if (t == NULL && hash_count(f->threads) >= THREADS_MAX) {
		memset(key, 0, sizeof(key));
		t = hash_find(f->threads, key, sizeof(key));
	}
	if (t != NULL)
		return t;
	t = show_alloc(1, sizeof(*t));
	*t = (struct show_thread){ .id = hash_count(f->threads) + 1,
				   .pid = key[1], .tid = key[2],
				   .is_cpu = key[0] != 0,
				   .execname = show_copy(r->execname) };
	if (hash_set(f->threads, key, sizeof(key), t) != 0)
		show_die("memory allocation failure");
	return t;
}

/* One firing with several clauses leaves several records of one time. */
static bool
same_firing(struct show_thread *t, const struct show_rec *r)
{
	struct buf b = BUF_INIT;
	bool same;

	show_probe_text(&b, r);
	same = t->last != NULL && t->last_time == r->time &&
	       strcmp(t->last, show_text(&b)) == 0;
	if (!same) {
		free(t->last);
		t->last = show_copy(show_text(&b));
		t->last_time = r->time;
	}
	buf_fini(&b);
	return same;
}

static void
slice_begin(struct show_flows *f, struct show_thread *t,
	    const struct show_rec *r)
{
	if (t->nopen >= OPEN_MAX) {
		if (!f->told)
			show_say("%s: entered more often than left: has the "
				 "program no clause for its return? What is "
				 "deeper than %d has no length",
				 r->func, OPEN_MAX);
		f->told = true;
		f->fn(f->arg, t, SHOW_INSTANT, r->func, r);
		return;
	}
	show_grow((void **)&t->open, &t->cap, t->nopen + 1, sizeof(*t->open));
	t->open[t->nopen++] = show_name(f->names, r->func);
	f->fn(f->arg, t, SHOW_BEGIN, r->func, r);
}

/* End the slice of that function and those above; false: none is open. */
static bool
slice_end(struct show_flows *f, struct show_thread *t, const struct show_rec *r)
{
	uint32_t name = show_name(f->names, r->func);
	size_t i = t->nopen;

	while (i > 0 && t->open[i - 1] != name)
		i--;
	if (i == 0)
		return false;
	while (t->nopen >= i) {
		t->nopen--;
		f->fn(f->arg, t, SHOW_END,
		      show_name_text(f->names, t->open[t->nopen]), r);
	}
	return true;
}

void
show_flows_record(struct show_flows *f, const struct show_rec *r)
{
	struct show_thread *t = thread_of(f, r);
	bool same = same_firing(t, r);
	struct buf b = BUF_INIT;

	if (r->time > t->time)
		t->time = r->time;
	if (r->flow != SHOW_NONE && same)
		return;
	if (r->flow == SHOW_ENTRY) {
		slice_begin(f, t, r);
		return;
	}
	if (r->flow == SHOW_RETURN && slice_end(f, t, r))
		return;
	show_probe_text(&b, r);
	f->fn(f->arg, t, SHOW_INSTANT, show_text(&b), r);
	buf_fini(&b);
}
