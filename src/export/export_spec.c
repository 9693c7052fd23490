/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_spec.c - what a program's comments say of its aggregations.
 *
 *	export @latency read_seconds{execname,fd} divide=1e9 sum=@total
 *
 * A line of a comment that begins so names the metric and the labels of the
 * aggregation's keys.  To D it is a comment: the program runs under dtrace(1)
 * as it is.
 */
#include "export/export.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line that is read. */
struct reader {
	struct export_spec *spec;
	struct export_metric *m;
	const char *file, *text;
	int line;
	const char *p, *end;
	char *err;
	size_t nerr;
};

static int
wrong(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(r->err, r->nerr, "%s:%d: export: ", r->file, r->line);
	va_start(ap, fmt);
	if (n > 0 && (size_t)n < r->nerr)
		vsnprintf(r->err + n, r->nerr - (size_t)n, fmt, ap);
	va_end(ap);
	return -1;
}

void
export_spec_init(struct export_spec *s)
{
	*s = (struct export_spec){ .arena = export_arena() };
}

void
export_spec_fini(struct export_spec *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		vec_fini(&s->v.v[i]->labels);
	vec_fini(&s->v);
	arena_free(s->arena);
}

static struct export_metric *
spec_lookup(const struct export_spec *s, const char *agg)
{
	for (size_t i = 0; i < s->v.n; i++)
		if (strcmp(s->v.v[i]->agg, agg) == 0)
			return s->v.v[i];
	return NULL;
}

static bool
name_taken(const struct export_spec *s, const char *name)
{
	for (size_t i = 0; i < s->v.n; i++)
		if (strcmp(s->v.v[i]->name, name) == 0)
			return true;
	return false;
}

/* dtrace_<aggregation>, or what is like it and free. */
static const char *
default_name(struct export_spec *s, const char *agg)
{
	const char *own = strcmp(agg, "_") == 0 ? "aggregation" : agg;
	bool ours = strncmp(own, "export_", 7) == 0;
	char *name = arena_printf(s->arena, "dtrace_%s%s", ours ? "agg_" : "",
				  own);

	while (name_taken(s, name))
		name = arena_printf(s->arena, "%s_", name);
	return name;
}

static struct export_metric *
metric_new(struct export_spec *s, const char *agg)
{
	struct export_metric *m = arena_alloc(s->arena, sizeof(*m));

	m->agg = arena_strdup(s->arena, agg);
	m->name = default_name(s, agg);
	m->divide = 1;
	if (!vec_push(&s->v, m))
		export_fatal("memory allocation failure");
	return m;
}

struct export_metric *
export_spec_find(struct export_spec *s, const char *agg)
{
	struct export_metric *m = spec_lookup(s, agg);

	return m != NULL ? m : metric_new(s, agg);
}

/* ---- words -------------------------------------------------------------- */

static bool
is_word(int c)
{
	return isalnum(c) || c == '_';
}

static void
pass_blanks(struct reader *r)
{
	while (r->p < r->end && isspace((unsigned char)*r->p))
		r->p++;
}

/* The name at the reader, which moves behind it; NULL: there is none. */
static char *
take_name(struct reader *r, const char *also)
{
	const char *from = r->p;

	while (r->p < r->end && (is_word((unsigned char)*r->p) ||
				 strchr(also, *r->p) != NULL))
		r->p++;
	return r->p == from || isdigit((unsigned char)*from) ? NULL :
		arena_strndup(r->spec->arena, from, (size_t)(r->p - from));
}

/* True if there is such an aggregation in the program.  Words after '@' are,
   those of the comments' own lines not. */
static bool
has_agg(const char *text, const char *agg)
{
	size_t n = strcmp(agg, "_") == 0 ? 0 : strlen(agg);

	for (const char *p = text; (p = strchr(p, '@')) != NULL; p++)
		if (strncmp(p + 1, agg, n) == 0 &&
		    !is_word((unsigned char)p[1 + n]))
			return true;
	return false;
}

/* "@name" -> the name. */
static const char *
take_agg(struct reader *r)
{
	const char *agg;

	if (r->p == r->end || *r->p++ != '@') {
		wrong(r, "an aggregation is expected, such as @reads");
		return NULL;
	}
	agg = take_name(r, "");
	if (agg == NULL)
		agg = "_";
	if (has_agg(r->text, agg))
		return agg;
	wrong(r, "the program has no aggregation @%s",
	      strcmp(agg, "_") == 0 ? "" : agg);
	return NULL;
}

/* ---- {execname,fd} ------------------------------------------------------ */

static int
add_label(struct reader *r, const char *name)
{
	struct export_metric *m = r->m;

	if (strncmp(name, "__", 2) == 0 || strcmp(name, "le") == 0)
		return wrong(r, "@%s: the label %s is reserved", m->agg, name);
	for (size_t i = 0; i < m->labels.n; i++)
		if (strcmp(m->labels.v[i], name) == 0)
			return wrong(r, "@%s: the label %s stands twice",
				     m->agg, name);
	if (!vec_push(&m->labels, name))
		export_fatal("memory allocation failure");
	return 0;
}

/* A label's name.  Prometheus and OpenTelemetry have to take it. */
static int
take_label(struct reader *r)
{
	const char *from = r->p, *to = from;
	const char *name = take_name(r, "");

	while (to < r->end && strchr(",} \t\r\n", *to) == NULL)
		to++;
	if (to == from)
		return wrong(r, "@%s: a label's name is expected", r->m->agg);
	if (name == NULL || r->p < to)
		return wrong(r, "@%s: %.*s is no name of a label (letters, "
			     "digits and _, no digit first)", r->m->agg,
			     (int)(to - from), from);
	return add_label(r, name);
}

static int
take_labels(struct reader *r)
{
	if (r->p == r->end || *r->p != '{')
		return 0;
	do {
		r->p++;
		pass_blanks(r);
		if (take_label(r) != 0)
			return -1;
		pass_blanks(r);
	} while (r->p < r->end && *r->p == ',');
	if (r->p == r->end || *r->p++ != '}')
		return wrong(r, "@%s: } is missing behind the labels",
			     r->m->agg);
	return 0;
}

static bool
has_tail(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n > m && strcmp(s + n - m, tail) == 0;
}

/* The metric's name, which may stand there. */
static int
take_metric(struct reader *r)
{
	const char *from = r->p;
	char *name = take_name(r, ":");

	if (r->p < r->end && *r->p == '=') { /* a setting, no name */
		r->p = from;
		return 0;
	}
	if (name == NULL && r->p < r->end && *r->p != '{')
		return wrong(r, "@%s: %.*s is no name of a metric", r->m->agg,
			     (int)strcspn(from, " \t\r\n{"), from);
	if (name != NULL && strncmp(name, "dtrace_export_", 14) == 0)
		return wrong(r, "@%s: names with dtrace_export_ are the "
			     "exporter's own", r->m->agg);
	if (name != NULL && has_tail(name, "_total"))
		name[strlen(name) - 6] = '\0';
	if (name != NULL)
		r->m->name = name;
	return take_labels(r);
}

/* ---- name=value --------------------------------------------------------- */

static int
set_type(struct reader *r, const char *val)
{
	static const struct {
		const char *name;
		enum export_type type;
	} types[] = { { "counter", EXPORT_COUNTER }, { "gauge", EXPORT_GAUGE },
		      { "none", EXPORT_NONE } };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].name, val) == 0) {
			r->m->type = types[i].type;
			return 0;
		}
	return wrong(r, "@%s: type=%s is none of counter, gauge, none",
		     r->m->agg, val);
}

static int
set_divide(struct reader *r, const char *val)
{
	char *end;

	r->m->divide = strtod(val, &end);
	if (end == val || *end != '\0' || !(r->m->divide > 0) ||
	    isinf(r->m->divide))
		return wrong(r, "@%s: divide=%s is no number above zero",
			     r->m->agg, val);
	return 0;
}

/* LOW..HIGH */
static int
set_range(struct reader *r, const char *val)
{
	struct export_metric *m = r->m;
	char *end;

	errno = 0;
	m->has_range = true;
	m->from = strtoll(val, &end, 0);
	if (end != val && strncmp(end, "..", 2) == 0) {
		const char *to = end + 2;
		m->to = strtoll(to, &end, 0);
		if (end != to && *end == '\0' && errno == 0 && m->from < m->to)
			return 0;
	}
	return wrong(r, "@%s: le=%s is no range, such as 0..1000000", m->agg,
		     val);
}

static int
set_sum(struct reader *r, const char *val)
{
	struct reader other = *r;
	const char *agg;

	other.p = val;
	other.end = val + strlen(val);
	agg = take_agg(&other);
	if (agg == NULL)
		return -1;
	if (other.p != other.end || strcmp(agg, r->m->agg) == 0)
		return wrong(r, "@%s: sum=%s is no other aggregation",
			     r->m->agg, val);
	r->m->sum = agg;
	export_spec_find(r->spec, agg)->is_sum = true;
	return 0;
}

static int
set_help(struct reader *r, const char *val)
{
	r->m->help = val;
	return 0;
}

static int
take_setting(struct reader *r)
{
	static const struct {
		const char *name;
		int (*set)(struct reader *r, const char *val);
	} settings[] = { { "divide", set_divide }, { "help", set_help },
			 { "le", set_range }, { "sum", set_sum },
			 { "type", set_type } };
	const char *from = r->p, *name = take_name(r, ""), *val;
	size_t n;

	if (name == NULL || r->p == r->end || *r->p++ != '=')
		return wrong(r, "@%s: name=value is expected, not %.*s",
			     r->m->agg, (int)strcspn(from, " \t\r\n"), from);
	val = r->p;
	if (r->p < r->end && *r->p == '"') {
		const char *q;

		val++;
		q = memchr(val, '"', (size_t)(r->end - val));
		if (q == NULL)
			return wrong(r, "@%s: %s: \" is missing", r->m->agg,
				     name);
		n = (size_t)(q - val);
		r->p = q + 1;
	} else {
		while (r->p < r->end && !isspace((unsigned char)*r->p))
			r->p++;
		n = (size_t)(r->p - val);
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (strcmp(settings[i].name, name) == 0)
			return settings[i].set(r,
				arena_strndup(r->spec->arena, val, n));
	return wrong(r, "@%s: %s is none of divide, help, le, sum, type",
		     r->m->agg, name);
}

/* ---- lines -------------------------------------------------------------- */

/* What is behind "export". */
static int
read_export(struct reader *r)
{
	const char *agg = take_agg(r);

	if (agg == NULL)
		return -1;
	r->m = export_spec_find(r->spec, agg);
	if (r->m->declared)
		return wrong(r, "@%s stands twice", agg);
	r->m->declared = true;
	pass_blanks(r);
	if (r->p < r->end && take_metric(r) != 0)
		return -1;
	for (;;) {
		pass_blanks(r);
		if (r->p == r->end)
			return 0;
		if (take_setting(r) != 0)
			return -1;
	}
}

/* A line of a comment, from what begins it to its end. */
static int
read_line(struct reader *r, const char *p, const char *end)
{
	while (p < end && (isspace((unsigned char)*p) || *p == '*'))
		p++;
	if (end - p < 8 || strncmp(p, "export", 6) != 0 ||
	    !isspace((unsigned char)p[6]))
		return 0;
	r->p = p + 6;
	r->end = end;
	pass_blanks(r);
	/* Else it is a sentence. */
	return r->p < r->end && *r->p == '@' ? read_export(r) : 0;
}

/* The lines from the beginning of a comment's text; where it ends. */
static const char *
read_comment(struct reader *r, const char *p, bool block, int *rv)
{
	while (*rv == 0) {
		size_t n = strcspn(p, "\n");
		const char *close = block ? memmem(p, n, "*/", 2) : NULL;

		*rv = read_line(r, p, close != NULL ? close : p + n);
		if (close != NULL)
			return close + 2;
		p += n;
		if (!block || *p == '\0')
			return p;
		p++;
		r->line++;
	}
	return p;
}

/* Behind the string or character that begins here. */
static const char *
skip_string(const char *p)
{
	char quote = *p++;

	while (*p != '\0' && *p != '\n' && *p != quote)
		p += *p == '\\' && p[1] != '\0' ? 2 : 1;
	return *p == quote ? p + 1 : p;
}

/* Behind the comment that begins here; p if none does. */
static const char *
comment_end(const char *p)
{
	const char *end;

	if (p[0] != '/' || (p[1] != '*' && p[1] != '/'))
		return p;
	if (p[1] == '/')
		return p + strcspn(p, "\n");
	end = strstr(p + 2, "*/");
	return end != NULL ? end + 2 : p + strlen(p);
}

/* The text with blanks where comments are: arena's. */
static char *
without_comments(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text);

	for (const char *p = text; *p != '\0';) {
		const char *from = p;

		if (*p == '"' || *p == '\'') {
			p = skip_string(p);
			continue;
		}
		p = comment_end(p);
		if (p == from) {
			p++;
			continue;
		}
		memset(out + (from - text), ' ', (size_t)(p - from));
	}
	return out;
}

int
export_spec_read(struct export_spec *s, const char *file, const char *text,
		 char *err, size_t n)
{
	struct reader r = { .spec = s, .file = file, .line = 1, .err = err,
			    .nerr = n,
			    .text = without_comments(s->arena, text) };
	const char *p = text;
	int rv = 0;

	while (*p != '\0' && rv == 0) {
		if (*p == '"' || *p == '\'') {
			p = skip_string(p);
		} else if (p[0] == '/' && (p[1] == '*' || p[1] == '/')) {
			p = read_comment(&r, p + 2, p[1] == '*', &rv);
		} else {
			r.line += *p == '\n';
			p++;
		}
	}
	return rv;
}

/* True if series of a would have the name of b. */
static bool
clash(const char *a, const char *b)
{
	static const char *const tails[] = { "", "_total", "_bucket", "_sum",
					     "_count" };
	size_t n = strlen(a);

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++)
		if (strncmp(b, a, n) == 0 && strcmp(b + n, tails[i]) == 0)
			return true;
	return false;
}

int
export_spec_check(const struct export_spec *s, char *err, size_t n)
{
	for (size_t i = 0; i < s->v.n; i++)
		for (size_t j = 0; j < s->v.n; j++) {
			const struct export_metric *a = s->v.v[i];
			const struct export_metric *b = s->v.v[j];

			if (i == j || !clash(a->name, b->name))
				continue;
			snprintf(err, n, "export: @%s and @%s cannot be the "
				 "metrics %s and %s at once", a->agg, b->agg,
				 a->name, b->name);
			return -1;
		}
	return 0;
}
