/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_text.c - a snapshot as text.
 *
 * Two formats that are nearly one: Prometheus' text format 0.0.4, and
 * OpenMetrics 1.0, where a counter's family has its name without _total,
 * boundaries are written as floating point, and the end is marked.  There a
 * histogram has a _count only where it has a _sum, and no _sum where boundaries
 * are negative; buckets give the count in any case.
 */
#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* What a terminal or a page would obey, and not show. */
static bool
text_controls(const uint8_t *p, size_t len)
{
	return (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f ||
	       (len == 2 && *p == 0xc2 && p[1] < 0xa0) || utf8_turns(p, len);
}

void
export_clean(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		const uint8_t *p = (const uint8_t *)s + i;
		size_t len = utf8_len(p, n - i), more = len != 0 ? len : 1;

		if (len == 0 || text_controls(p, len) ||
		    (*p == '\\' && i + 1 < n && p[1] == 'x')) {
			for (size_t k = 0; k < more; k++)
				buf_printf(b, "\\x%02x", p[k]);
			i += more;
		} else {
			buf_write(b, p, len);
			i += len;
		}
	}
}

/* A label's value, or a text of help. */
static void
text_escaped(struct buf *b, const char *s, bool quotes)
{
	for (; *s != '\0'; s++) {
		if (*s == '\n')
			buf_puts(b, "\\n");
		else if (*s == '\\' || (*s == '"' && quotes))
			buf_printf(b, "\\%c", *s);
		else
			buf_putc(b, *s);
	}
}

/* The shortest text that is that number. */
static void
text_double(struct buf *b, double v, bool point)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_puts(b, text);
	if (point && strpbrk(text, ".e") == NULL)
		buf_puts(b, ".0");
}

static void
text_number(struct buf *b, const struct export_family *f, int64_t v, bool point)
{
	if (f->divide == 1 && !point)
		buf_printf(b, "%" PRId64, v);
	else
		text_double(b, (double)v / f->divide, point);
}

/* {name="value",...}; le: one more, already text, or NULL. */
static void
text_labels(struct buf *b, const struct export_family *f,
	   const struct export_row *r, const char *le)
{
	char mark = '{';

	for (size_t i = 0; i < f->nlabels; i++, mark = ',') {
		buf_printf(b, "%c%s=\"", mark, f->labels[i]);
		text_escaped(b, r->labels[i], true);
		buf_putc(b, '"');
	}
	if (le != NULL) {
		buf_printf(b, "%cle=\"%s\"", mark, le);
		mark = ',';
	}
	if (mark == ',')
		buf_putc(b, '}');
	buf_putc(b, ' ');
}

static void
text_hist(struct buf *b, const struct export_family *f,
	 const struct export_row *r, bool om)
{
	struct buf le = BUF_INIT;
	bool sum = r->has_sum && !(om && f->nle > 0 && f->le[0] < 0);

	for (size_t i = 0; i <= f->nle; i++) {
		buf_reset(&le);
		if (i < f->nle)
			text_number(&le, f, f->le[i], om);
		else
			buf_puts(&le, "+Inf");
		b->failed |= le.failed;
		buf_printf(b, "%s_bucket", f->name);
		text_labels(b, f, r, buf_str(&le));
		buf_printf(b, "%" PRId64 "\n", r->upto[i]);
	}
	buf_fini(&le);
	if (sum) {
		buf_printf(b, "%s_sum", f->name);
		text_labels(b, f, r, NULL);
		text_number(b, f, r->sum, false);
		buf_putc(b, '\n');
	}
	if (sum || !om) {
		buf_printf(b, "%s_count", f->name);
		text_labels(b, f, r, NULL);
		buf_printf(b, "%" PRId64 "\n", r->upto[f->nle]);
	}
}

static void
text_head(struct buf *b, const struct export_family *f, bool om)
{
	static const char *const kinds[] = {
		[EXPORT_IS_COUNTER] = "counter", [EXPORT_IS_GAUGE] = "gauge",
		[EXPORT_IS_HIST] = "histogram",
	};
	const char *tail = f->kind == EXPORT_IS_COUNTER && !om ? "_total" : "";

	buf_printf(b, "# HELP %s%s ", f->name, tail);
	text_escaped(b, f->help, om);
	buf_printf(b, "\n# TYPE %s%s %s\n", f->name, tail, kinds[f->kind]);
}

static void
text_family(struct buf *b, const struct export_family *f, bool om)
{
	text_head(b, f, om);
	for (size_t i = 0; i < f->n; i++) {
		const struct export_row *r = &f->rows[i];

		if (f->kind == EXPORT_IS_HIST) {
			text_hist(b, f, r, om);
			continue;
		}
		buf_printf(b, "%s%s", f->name,
			   f->kind == EXPORT_IS_COUNTER ? "_total" : "");
		text_labels(b, f, r, NULL);
		text_number(b, f, r->value, false);
		buf_putc(b, '\n');
	}
}

void
export_text(struct buf *b, const struct export_snap *s, bool openmetrics)
{
	for (size_t i = 0; i < s->v.n; i++)
		text_family(b, s->v.v[i], openmetrics);
	if (openmetrics)
		buf_puts(b, "# EOF\n");
}
