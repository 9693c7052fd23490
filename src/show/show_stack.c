/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_stack.c - stacks with numbers as a tree of frames.
 *
 * A row may have keys that are no stacks, and stacks of the kernel and of the
 * process.  Its path from the root is: the keys before the first stack, the
 * user's frames, the kernel's, which they have called, the keys behind.  Rows
 * with the same path add up, and so do those that are printed several times.
 */
#include "show/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- the tree ----------------------------------------------------------- */

void
show_tree_init(struct show_tree *t)
{
	memset(t, 0, sizeof(*t));
	t->names = show_names_new();
	show_push(t, ((struct show_node){ .name = show_name(t->names, "") }));
}

void
show_tree_fini(struct show_tree *t)
{
	show_names_free(t->names);
	free(t->v);
	free(t->index);
}

static size_t
slot_of(const struct show_tree *t, uint32_t parent, uint32_t name)
{
	uint32_t key[2] = { parent, name };
	size_t i = hash_bytes(key, sizeof(key)) & (t->nindex - 1);

	while (t->index[i] != 0 && (t->v[t->index[i]].parent != parent ||
				    t->v[t->index[i]].name != name))
		i = (i + 1) & (t->nindex - 1);
	return i;
}

/* Keep the index half empty. */
static void
index_grow(struct show_tree *t)
{
	if (t->n * 2 < t->nindex)
		return;
	free(t->index);
	t->nindex = t->nindex != 0 ? t->nindex * 2 : 1024;
	t->index = show_alloc(t->nindex, sizeof(*t->index));
	for (uint32_t i = 1; i < t->n; i++)
		t->index[slot_of(t, t->v[i].parent, t->v[i].name)] = i;
}

uint32_t
show_tree_child(struct show_tree *t, uint32_t parent, const char *text)
{
	uint32_t name = show_name(t->names, text);
	size_t slot;

	index_grow(t);
	slot = slot_of(t, parent, name);
	if (t->index[slot] != 0)
		return t->index[slot];
	if ((t->used != NULL ? *t->used : t->n) >= SHOW_NODES_MAX)
		return 0;
	if (t->used != NULL)
		++*t->used;
	uint32_t id = (uint32_t)t->n;
	show_push(t, ((struct show_node){ .name = name, .parent = parent,
					  .next = t->v[parent].child }));
	t->v[parent].child = id;
	t->index[slot] = id;
	return id;
}

struct by_name {
	const struct show_tree *t;
	uint32_t id;
};

static int
compare_names(const void *a, const void *b)
{
	const struct by_name *x = a, *y = b;

	return strcmp(show_name_text(x->t->names, x->t->v[x->id].name),
		      show_name_text(y->t->names, y->t->v[y->id].name));
}

/* Put the children of a node in order. */
static void
sort_children(struct show_tree *t, uint32_t id)
{
	struct { struct by_name *v; size_t n, cap; } c = { 0 };
	uint32_t *link = &t->v[id].child;

	for (uint32_t i = *link; i != 0; i = t->v[i].next)
		show_push(&c, ((struct by_name){ t, i }));
	if (c.n > 1)
		qsort(c.v, c.n, sizeof(*c.v), compare_names);
	for (size_t i = 0; i < c.n; i++) {
		*link = c.v[i].id;
		link = &t->v[c.v[i].id].next;
	}
	*link = 0;
	free(c.v);
}

void
show_tree_sum(struct show_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		t->v[i].total = t->v[i].self;
		t->v[i].before = t->v[i].before_self;
		sort_children(t, (uint32_t)i);
	}
	/* Parents have lower numbers than their children. */
	for (size_t i = t->n - 1; i > 0; i--) {
		struct show_node *p = &t->v[t->v[i].parent];
		p->total = show_add(p->total, t->v[i].total);
		p->before = show_add(p->before, t->v[i].before);
	}
}

/* ---- an earlier run ----------------------------------------------------- */

/* "a;b;c 12": its end is the number.  False: it is no such line. */
static bool
before_line(struct show_tree *t, char *line)
{
	char *blank = strrchr(line, ' '), *end, *word, *rest = line;
	uint32_t id = 0, depth = 0;

	if (*line == '\0' || *line == '#')
		return true;
	if (blank == NULL)
		return false;
	errno = 0;
	long long value = strtoll(blank + 1, &end, 10);
	if (errno != 0 || end == blank + 1 || *end != '\0' || value < 0)
		return false;
	*blank = '\0';
	while (depth++ < SHOW_DEPTH_MAX &&
	       (word = strsep(&rest, ";")) != NULL) {
		uint32_t child = show_tree_child(t, id, word);
		if (child == 0)
			break;
		id = child;
	}
	t->v[id].before_self = show_add(t->v[id].before_self, value);
	return true;
}

int
show_tree_before(struct show_tree *t, const char *file, int *error)
{
	FILE *fp = fopen(file, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rv = 0;

	*error = fp == NULL ? errno : 0;
	if (fp == NULL)
		return -1;
	while (rv == 0 && (n = getline(&line, &cap, fp)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = '\0';
		rv = before_line(t, line) ? 0 : -1;
	}
	if (ferror(fp)) {
		*error = errno;
		rv = -1;
	}
	free(line);
	fclose(fp);
	return rv;
}

/* ---- rows --------------------------------------------------------------- */

bool
show_has_stack(const struct show_value *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == SHOW_STACK || v[i].kind == SHOW_USTACK)
			return true;
	return false;
}

typedef void walk_f(void *arg, const struct show_frame *f, bool kernel,
		    const char *label);

static void
walk_frames(const struct show_value *v, walk_f *fn, void *arg)
{
	struct buf b = BUF_INIT;

	for (size_t i = v->nframes; i > 0; i--) {
		buf_reset(&b);
		show_frame_label(&b, &v->frames[i - 1]);
		if (v->kind == SHOW_STACK) /* as flame graphs mark them */
			buf_puts(&b, "_[k]");
		fn(arg, &v->frames[i - 1], v->kind == SHOW_STACK,
		   show_text(&b));
	}
	buf_fini(&b);
}

static void
walk_kind(const struct show_value *v, size_t n, enum show_kind kind,
	  walk_f *fn, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == kind)
			walk_frames(&v[i], fn, arg);
}

void
show_stack_walk(const struct show_value *v, size_t n, walk_f *fn, void *arg)
{
	bool behind = false;
	size_t i;

	for (i = 0; i < n && !show_has_stack(&v[i], 1); i++)
		fn(arg, NULL, false, v[i].str);
	walk_kind(v, n, SHOW_USTACK, fn, arg);
	walk_kind(v, n, SHOW_STACK, fn, arg);
	for (; i < n; i++) {
		behind |= show_has_stack(&v[i], 1);
		if (behind && !show_has_stack(&v[i], 1))
			fn(arg, NULL, false, v[i].str);
	}
}

struct adding {
	struct show_tree *t;
	uint32_t at, depth;
	bool cut;
};

static void
add_frame(void *arg, const struct show_frame *f, bool kernel,
	  const char *label)
{
	struct adding *ad = arg;
	uint32_t id;

	if (ad->cut)
		return;
	id = ad->depth++ < SHOW_DEPTH_MAX ?
		     show_tree_child(ad->t, ad->at,
				     *label != '\0' ? label : "-") : 0;
	if (id == 0) {
		ad->cut = true;
		ad->t->cut++;
	} else {
		ad->at = id;
	}
}

static void
add_stack(struct show_tree *t, const struct show_value *v, size_t n,
	  int64_t value)
{
	struct adding ad = { .t = t };

	show_stack_walk(v, n, add_frame, &ad);
	if (value > 0)
		t->v[ad.at].self = show_add(t->v[ad.at].self, value);
}

/* ---- of every aggregation ----------------------------------------------- */

void
show_stacks_init(struct show_stacks *s)
{
	memset(s, 0, sizeof(*s));
}

void
show_stacks_fini(struct show_stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i]->name);
		free(s->v[i]->func);
		show_tree_fini(&s->v[i]->tree);
		free(s->v[i]);
	}
	free(s->v);
}

struct show_stack_agg *
show_stacks_find(const struct show_stacks *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (name == NULL || strcmp(s->v[i]->name, name) == 0)
			return s->v[i];
	return NULL;
}

static struct show_stack_agg *
stacks_get(struct show_stacks *s, const char *name, const char *func)
{
	struct show_stack_agg *sa = show_stacks_find(s, name);

	if (sa != NULL)
		return sa;
	if (s->n >= SHOW_TREES_MAX)
		return s->v[s->n - 1];
	sa = show_alloc(1, sizeof(*sa));
	sa->name = show_copy(s->n == SHOW_TREES_MAX - 1 ? SHOW_OTHERS : name);
	sa->func = show_copy(func);
	show_tree_init(&sa->tree);
	sa->tree.used = &s->used;
	show_push(s, sa);
	return sa;
}

void
show_stacks_row(struct show_stacks *s, const struct show_agg *a,
		const struct show_row *r)
{
	if (a->partial || !show_has_stack(r->keys, r->nkeys))
		return;
	add_stack(&stacks_get(s, a->name, a->func)->tree, r->keys, r->nkeys,
		  r->value);
}

static void
add_stacks(struct show_tree *t, const struct show_rec *r)
{
	for (size_t i = 0; i < r->nvals; i++)
		if (show_has_stack(&r->vals[i], 1))
			add_stack(t, &r->vals[i], 1, 1);
}

/* The tree of all records. */
static struct show_stack_agg *
stacks_records(struct show_stacks *s, const char *probe)
{
	if (s->records == NULL) {
		s->records = stacks_get(s, probe, "count");
	} else if (strcmp(s->records->name, probe) != 0 &&
		   strcmp(s->records->name, SHOW_RECORDS) != 0) {
		free(s->records->name);
		s->records->name = show_copy(SHOW_RECORDS);
	}
	return s->records;
}

bool
show_stacks_asked(const char *probe, const char *agg)
{
	return agg == NULL || strcmp(agg, SHOW_RECORDS) == 0 ||
	       strcmp(agg, probe) == 0;
}

void
show_stacks_record(struct show_stacks *s, const struct show_rec *r,
		   const char *agg)
{
	struct buf b = BUF_INIT;

	if (!show_has_stack(r->vals, r->nvals))
		return;
	show_probe_text(&b, r);
	if (show_stacks_asked(show_text(&b), agg))
		add_stacks(&stacks_records(s, show_text(&b))->tree, r);
	buf_fini(&b);
}

void
show_stacks_by_probe(struct show_stacks *s, const struct show_rec *r)
{
	struct buf b = BUF_INIT;

	if (!show_has_stack(r->vals, r->nvals))
		return;
	show_probe_text(&b, r);
	add_stacks(&stacks_get(s, show_text(&b), "count")->tree, r);
	buf_fini(&b);
}

static void
pick_notice(const struct show_stacks *s, const struct show_stack_agg *sa,
	    const char *name, const char *format)
{
	if (sa == NULL && name != NULL)
		show_lack("%s: there is no aggregation %s with stacks", format,
			  name);
	else if (sa == NULL)
		show_lack("%s: nothing has a stack: no clause with one has "
			  "run, or there is none, such as "
			  "{ @[ustack()] = count(); }", format);
	else if (name == NULL && s->n > 1)
		show_say("%s: of %zu aggregations with stacks this is %s; "
			 "another is asked for by %s%s=FILE,agg=%s", format,
			 s->n, sa->name, show_option, format, s->v[1]->name);
	else if (name == NULL && sa == s->records &&
		 strcmp(sa->name, SHOW_RECORDS) == 0)
		show_say("%s: these are the stacks of all probes' records; one "
			 "probe's are asked for by %s%s=FILE,agg=PROBE",
			 format, show_option, format);
	if (sa != NULL && sa->tree.cut > 0)
		show_say("%s: %zu stacks were cut short, there are too many",
			 format, sa->tree.cut);
}

struct show_stack_agg *
show_stacks_pick(const struct show_stacks *s, const struct show_opts *opts,
		 const char *format)
{
	struct show_stack_agg *sa = show_stacks_find(s, opts->agg);

	/* Of one probe they are called as that is. */
	if (sa == NULL && opts->agg != NULL &&
	    strcmp(opts->agg, SHOW_RECORDS) == 0)
		sa = s->records;
	if (!opts->quiet)
		pick_notice(s, sa, opts->agg, format);
	return sa;
}
