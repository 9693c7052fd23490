/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_flow.c - the indentation of -F: what arrow a record has, and where.  The
 * columns themselves are the consumer's to print.
 *
 * With -F a probe named entry (or something-entry) is shown by an arrow to the
 * right and indents what follows by two; return goes back.  A probe with
 * several clauses leaves several records for one firing: only the first of an
 * entry and only the last of a return move the indentation, the others are
 * shown like any other probe.  Records of one firing follow each other in
 * their buffer, with the same probe id and rising epids; a record with the
 * same probe and an epid that did not rise is a new firing (recursion).
 */
#include "lib/dt_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct dt_flow_cpu {
	int indent;
	uint32_t last_id, last_epid;
};

static struct dt_flow_cpu *
flow_cpu(struct dt_flow *f, unsigned cpu, struct err *e)
{
	size_t old = f->n;

	if (cpu >= f->n) {
		if (!vec_grow((void **)&f->cpu, &f->cap, (size_t)cpu + 1,
			      sizeof(*f->cpu))) {
			err_nomem(e);
			return NULL;
		}
		f->n = (size_t)cpu + 1;
		memset(&f->cpu[old], 0, (f->n - old) * sizeof(*f->cpu));
	}
	return &f->cpu[cpu];
}

static bool
name_is(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	if (n < w || strcmp(name + n - w, word) != 0)
		return false;
	return n == w || name[n - w - 1] == '-';
}

int
dt_flow_next(struct dt_flow *f, unsigned cpu, const struct dt_flow_rec *r,
	     uint32_t next_id, uint32_t next_epid, struct dt_flow_text *t,
	     struct err *e)
{
	struct dt_flow_cpu *c = flow_cpu(f, cpu, e);
	bool first, last;

	if (c == NULL)
		return -1;
	first = c->last_id != r->id || c->last_epid >= r->epid;
	last = next_id != r->id || next_epid <= r->epid;
	c->last_id = r->id;
	c->last_epid = r->epid;

	t->kind = DT_FLOW_NONE;
	t->prefix = "| ";
	t->indent = c->indent;
	if (first && name_is(r->name, "entry")) {
		t->kind = DT_FLOW_ENTRY;
		t->prefix = r->crosses ? " => " : " -> ";
		c->indent += 2;
	} else if (last && name_is(r->name, "return")) {
		t->kind = DT_FLOW_RETURN;
		t->prefix = r->crosses ? " <= " : " <- ";
		if (c->indent >= 2)
			c->indent -= 2;
		t->indent = c->indent;
	}
	return 0;
}
