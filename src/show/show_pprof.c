/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_pprof.c - stacks as a profile for pprof.
 *
 * A message of protobuf may be written in pieces, which a reader puts together:
 * each sample, function or string is a piece of its own, written when it is
 * there.  What is kept are the names and places seen so far.  A profile is of
 * one aggregation; keys that are no stacks are labels of its samples.
 */
#include "show/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pprof.pb-c.h"

struct profile {
	struct show_out *out;
	const struct show_opts *opts;
	char *agg; /* the name of the one that is written; NULL: none yet */
	bool others; /* there are more with stacks */
	struct show_names *strings, *mappings, *functions, *locations;
	struct { uint64_t *v; size_t n, cap; } at; /* locations of a stack */
	struct buf piece;
	struct show_losses lost;
};

/* Write a part of the profile. */
static void
pprof_put(struct profile *p, const Pprof__Profile *part)
{
	size_t n = pprof__profile__get_packed_size(part);
	uint8_t *bytes = show_alloc(n, 1);

	pprof__profile__pack(part, bytes);
	show_write(p->out, bytes, n);
	free(bytes);
}

static int64_t
string_id(struct profile *p, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct buf b = BUF_INIT;
	bool is_new;

	show_clean(&b, text, strlen(text));
	char *s = (char *)(uintptr_t)show_text(&b);
	uint32_t id = show_name_new(p->strings, s, &is_new);
	s = (char *)(uintptr_t)show_name_text(p->strings, id);
	part.string_table = &s;
	part.n_string_table = 1;
	if (is_new)
		pprof_put(p, &part);
	buf_fini(&b);
	return id;
}

static uint64_t
mapping_id(struct profile *p, const char *module)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping m = PPROF__MAPPING__INIT, *list = &m;
	bool is_new;

	if (*module == '\0')
		return 0;
	m.id = show_name_new(p->mappings, module, &is_new) + 1u;
	if (!is_new)
		return m.id;
	module = show_name_text(p->mappings, (uint32_t)m.id - 1);
	m.filename = string_id(p, module);
	m.has_functions = true;
	part.mapping = &list;
	part.n_mapping = 1;
	pprof_put(p, &part);
	return m.id;
}

static uint64_t
function_id(struct profile *p, const char *label, const char *module)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function f = PPROF__FUNCTION__INIT, *list = &f;
	bool is_new;

	f.id = show_name_new(p->functions, label, &is_new) + 1u;
	if (!is_new)
		return f.id;
	label = show_name_text(p->functions, (uint32_t)f.id - 1);
	f.name = f.system_name = string_id(p, label);
	f.filename = string_id(p, module);
	part.function = &list;
	part.n_function = 1;
	pprof_put(p, &part);
	return f.id;
}

static void
location_add(void *arg, const struct show_frame *f, bool kernel,
	     const char *label)
{
	struct profile *p = arg;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location loc = PPROF__LOCATION__INIT, *locs = &loc;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	bool is_new;

	if (f == NULL) /* a key: a label */
		return;
	buf_reset(&p->piece);
	buf_printf(&p->piece, "%s %llx", label, (unsigned long long)f->addr);
	loc.id =
		show_name_new(p->locations, show_text(&p->piece), &is_new) + 1u;
	show_push(&p->at, loc.id);
	if (!is_new)
		return;
	if (strcmp(show_name_text(p->locations, (uint32_t)loc.id - 1),
		   SHOW_OTHERS) == 0) {
		line.function_id = function_id(p, SHOW_OTHERS, "");
	} else {
		line.function_id = function_id(p, label, f->module);
		loc.mapping_id = mapping_id(p, f->module);
		loc.address = f->addr;
	}
	loc.line = &lines;
	loc.n_line = 1;
	part.location = &locs;
	part.n_location = 1;
	pprof_put(p, &part);
}

/* The innermost comes first. */
static void
reverse(uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint64_t t = v[i];
		v[i] = v[n - 1 - i];
		v[n - 1 - i] = t;
	}
}

static void
label_make(struct profile *p, const struct show_value *v, size_t number,
	   Pprof__Label *l)
{
	char key[32];

	pprof__label__init(l);
	snprintf(key, sizeof(key), "key%zu", number);
	l->key = string_id(p, key);
	if (v->kind == SHOW_INT)
		l->num = v->num;
	else
		l->str = string_id(p, v->str);
}

static void
sample(struct profile *p, const struct show_value *v, size_t n, int64_t value)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *list = &s;
	Pprof__Label *labels = show_alloc(n, sizeof(*labels));
	Pprof__Label **at = show_alloc(n, sizeof(*at));

	p->at.n = 0;
	show_stack_walk(v, n, location_add, p);
	reverse(p->at.v, p->at.n);
	for (size_t i = 0; i < n; i++) {
		if (show_has_stack(&v[i], 1))
			continue;
		label_make(p, &v[i], i + 1, &labels[s.n_label]);
		at[s.n_label] = &labels[s.n_label];
		s.n_label++;
	}
	s.label = at;
	s.location_id = p->at.v;
	s.n_location_id = p->at.n;
	s.value = &value;
	s.n_value = 1;
	part.sample = &list;
	part.n_sample = 1;
	pprof_put(p, &part);
	free(labels);
	free(at);
}

/* What stands before all else. */
static void
pprof_begin(struct profile *p)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;

	string_id(p, ""); /* must be the first */
	part.time_nanos = (int64_t)time(NULL) * 1000000000;
	pprof_put(p, &part);
}

/* True if it is this one that is written.  The first that will do is. */
static bool
is_picked(struct profile *p, const char *name, const char *func)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *list = &type;

	if (p->opts->agg != NULL && strcmp(p->opts->agg, name) != 0)
		return false;
	if (p->agg != NULL) {
		p->others |= strcmp(p->agg, name) != 0;
		return strcmp(p->agg, name) == 0;
	}
	pprof_begin(p);
	p->agg = show_copy(name);
	type.type = string_id(p, name);
	type.unit = string_id(p, func);
	part.sample_type = &list;
	part.n_sample_type = 1;
	pprof_put(p, &part);
	return true;
}

static void
pprof_row(void *state, const struct show_agg *a, const struct show_row *r)
{
	struct profile *p = state;

	if (!a->partial && show_has_stack(r->keys, r->nkeys) &&
	    is_picked(p, a->name, a->func))
		sample(p, r->keys, r->nkeys, r->value);
}

static void
pprof_record(void *state, const struct show_rec *r)
{
	struct profile *p = state;
	struct buf b = BUF_INIT;
	const char *name = p->opts->agg;

	show_probe_text(&b, r);
	for (size_t i = 0; i < r->nvals; i++)
		if (show_has_stack(&r->vals[i], 1) &&
		    show_stacks_asked(show_text(&b), name) &&
		    is_picked(p, name != NULL ? name : SHOW_RECORDS, "count"))
			sample(p, &r->vals[i], 1, 1);
	buf_fini(&b);
}

static void *
pprof_open(struct show_out *o, const struct show_opts *opts)
{
	struct profile *p = show_alloc(1, sizeof(*p));

	p->out = o;
	p->opts = opts;
	p->strings = show_names_new();
	p->mappings = show_names_new();
	p->functions = show_names_new();
	p->locations = show_names_new();
	return p;
}

static void
pprof_note(void *state, const struct show_note *n)
{
	show_loss_note(&((struct profile *)state)->lost, n);
}

/* pprof -comments prints it. */
static void
put_comment(struct profile *p)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct buf b = BUF_INIT;
	int64_t comment;

	if (p->lost.n > 0) {
		comment = string_id(p, show_loss_text(&b, &p->lost));
		part.comment = &comment;
		part.n_comment = 1;
		pprof_put(p, &part);
	}
	buf_fini(&b);
}

static void
pprof_close(void *state)
{
	struct profile *p = state;
	/* For the notices that other formats give, too. */
	struct show_stacks none;

	if (p->agg == NULL) {
		show_stacks_init(&none);
		show_stacks_pick(&none, p->opts, "pprof");
	} else {
		if (p->others && !p->opts->quiet)
			show_say("pprof: this is %s; there are other "
				 "aggregations with stacks, for %spprof=FILE,"
				 "agg=NAME", p->agg, show_option);
		put_comment(p);
	}
	show_names_free(p->strings);
	show_names_free(p->mappings);
	show_names_free(p->functions);
	show_names_free(p->locations);
	free(p->at.v);
	free(p->agg);
	buf_fini(&p->piece);
	free(p);
}

const struct show_format show_format_pprof = {
	.name = "pprof", .what = "a profile of stacks, for pprof",
	.binary = true, .open = pprof_open, .record = pprof_record,
	.row = pprof_row, .note = pprof_note, .close = pprof_close,
};
