/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_folded.c - stacks as lines "a;b;c 12", outermost frame first: what other
 * programs that draw stacks read, and what grep and diff can look at.
 */
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

struct folded {
	struct show_out *out;
	const struct show_opts *opts;
	struct show_stacks stacks;
	struct buf path;
};

static void *
folded_open(struct show_out *o, const struct show_opts *opts)
{
	struct folded *f = show_alloc(1, sizeof(*f));

	f->out = o;
	f->opts = opts;
	show_stacks_init(&f->stacks);
	return f;
}

static void
folded_row(void *state, const struct show_agg *a, const struct show_row *r)
{
	show_stacks_row(&((struct folded *)state)->stacks, a, r);
}

static void
folded_record(void *state, const struct show_rec *r)
{
	show_stacks_record(&((struct folded *)state)->stacks, r,
			   ((struct folded *)state)->opts->agg);
}

/* A frame of a line: what would end it becomes something else. */
static void
path_add(struct buf *b, const char *name)
{
	size_t at = b->n;

	show_clean(b, name, strlen(name));
	for (; at < b->n; at++) {
		if (b->p[at] == ';')
			b->p[at] = ':';
		else if (b->p[at] == '\n' || b->p[at] == '\t')
			b->p[at] = ' ';
	}
}

/* A stack has at most some hundreds of frames. */
static void
write_node(struct folded *f, const struct show_tree *t, uint32_t id)
{
	const struct show_node *n = &t->v[id];
	size_t len = f->path.n;

	if (id != 0) {
		if (len > 0)
			buf_putc(&f->path, ';');
		path_add(&f->path, show_name_text(t->names, n->name));
	}
	if (n->self > 0)
		show_printf(f->out, "%s %lld\n",
			    id != 0 ? show_text(&f->path) : "(no stack)",
			    (long long)n->self);
	for (uint32_t c = n->child; c != 0; c = t->v[c].next)
		write_node(f, t, c);
	f->path.n = len;
	if (f->path.p != NULL)
		f->path.p[len] = '\0';
}

static void
folded_close(void *state)
{
	struct folded *f = state;
	struct show_stack_agg *sa =
		show_stacks_pick(&f->stacks, f->opts, "folded");

	if (sa != NULL) {
		show_tree_sum(&sa->tree);
		write_node(f, &sa->tree, 0);
	}
	show_stacks_fini(&f->stacks);
	buf_fini(&f->path);
	free(f);
}

const struct show_format show_format_folded = {
	.name = "folded", .what = "stacks, a line each: a;b;c 12",
	.open = folded_open, .record = folded_record, .row = folded_row,
	.close = folded_close,
};
