/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_html_time.c - records in the report: a line for each probe, which tells
 * how often it fired when, and the first and the last records as a table.
 */
#include "show/show_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LEFT   330
#define LINE_WIDTH  800
#define LINE_HEIGHT 18
#define SPAN_FIRST  65536 /* ns */

void
html_times_init(struct html_times *t)
{
	memset(t, 0, sizeof(*t));
	t->span = SPAN_FIRST;
	t->probes = show_names_new();
}

static void
record_free(struct html_record *r)
{
	free(r->who);
	free(r->probe);
	free(r->text);
}

void
html_times_fini(struct html_times *t)
{
	for (size_t i = 0; i < HTML_RECORDS_MAX; i++) {
		record_free(&t->first[i]);
		record_free(&t->last[i]);
	}
	show_names_free(t->probes);
	free(t->lines.v);
}

/* ---- what is kept ------------------------------------------------------- */

/* Parts twice as long. */
static void
spans_double(struct html_times *t)
{
	for (size_t i = 0; i < t->lines.n; i++) {
		uint32_t *v = t->lines.v[i].spans;
		for (size_t k = 0; k < HTML_SPANS_MAX; k++) {
			uint32_t a = 2 * k < HTML_SPANS_MAX ? v[2 * k] : 0;
			uint32_t b = 2 * k + 1 < HTML_SPANS_MAX ?
					     v[2 * k + 1] : 0;
			v[k] = a + b;
		}
	}
	t->span *= 2;
}

static void
html_line_add(struct html_times *t, const char *probe, uint64_t time)
{
	struct html_line none = { 0 };
	uint32_t id;

	/* Where names have an end, so has what is kept. */
	if (t->lines.n >= HTML_LINES_MAX &&
	    show_names_count(t->probes) > 8 * HTML_LINES_MAX) {
		t->nothers++;
		return;
	}
	id = show_name(t->probes, probe);
	if (id >= HTML_LINES_MAX) {
		t->nothers++;
		return;
	}
	if (id >= t->lines.n)
		show_push(&t->lines, none);
	/* Records of speculations may be older than the first. */
	uint64_t at = time > t->start ? time - t->start : 0;
	while (at / t->span >= HTML_SPANS_MAX)
		spans_double(t);
	t->lines.v[id].count++;
	t->lines.v[id].spans[at / t->span]++;
}

static void
record_make(struct html_record *to, const struct show_rec *r,
	    const char *probe)
{
	struct buf b = BUF_INIT;

	record_free(to);
	to->time = r->time;
	to->cpu = r->cpu;
	if (r->has_who)
		buf_printf(&b, "%s %" PRId64 "/%" PRId64, r->execname, r->pid,
			   r->tid);
	to->who = html_short(show_text(&b));
	to->probe = html_short(probe);
	buf_reset(&b);
	for (size_t i = 0; i < r->nvals; i++) {
		buf_puts(&b, i > 0 ? "  " : "");
		show_value_text(&b, &r->vals[i]);
	}
	to->text = html_short(show_text(&b));
	buf_fini(&b);
}

void
html_times_record(struct html_times *t, const struct show_rec *r)
{
	struct buf b = BUF_INIT;

	show_probe_text(&b, r);
	if (t->start == 0)
		t->start = r->time;
	html_line_add(t, show_text(&b), r->time);
	if (t->nrecords < HTML_RECORDS_MAX)
		record_make(&t->first[t->nrecords], r, show_text(&b));
	else
		record_make(&t->last[t->nrecords % HTML_RECORDS_MAX], r,
			    show_text(&b));
	t->nrecords++;
	buf_fini(&b);
}

/* ---- what it looks like ------------------------------------------------- */

static void
put_line(struct show_out *o, const struct html_times *t, size_t i, int y,
	 size_t nspans)
{
	const struct html_line *l = &t->lines.v[i];
	const char *name = show_name_text(t->probes, (uint32_t)i);
	double w = (double)LINE_WIDTH / (double)nspans;
	uint32_t most = 1;
	struct buf b = BUF_INIT;

	for (size_t k = 0; k < nspans; k++)
		if (l->spans[k] > most)
			most = l->spans[k];
	show_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\"><title>",
		    LINE_LEFT - 8, y + 12);
	show_xml(o, name);
	show_puts(o, "</title>");
	if (strlen(name) > 46) { /* the end of a probe's name tells most */
		buf_puts(&b, "..");
		name += strlen(name) - 44;
		while (((unsigned char)*name & 0xc0) == 0x80)
			name++;
	}
	buf_puts(&b, name);
	show_xml(o, show_text(&b));
	buf_fini(&b);
	show_puts(o, "</text>\n");
	for (size_t k = 0; k < nspans; k++) {
		double h = 3.0 + (LINE_HEIGHT - 5.0) * l->spans[k] / most;
		if (l->spans[k] == 0)
			continue;
		show_printf(o, "<rect class=\"tick\" x=\"%.1f\" y=\"%.1f\" "
			       "width=\"%.1f\" height=\"%.1f\"><title>%u at "
			       "%+.6f s</title></rect>\n",
			    LINE_LEFT + (double)k * w, y + LINE_HEIGHT - 2 - h,
			    w > 1.2 ? w - 0.3 : 1, h, l->spans[k],
			    (double)k * (double)t->span / 1e9);
	}
	show_printf(o, "<text x=\"%d\" y=\"%d\">%" PRIu64 "</text>\n",
		    LINE_LEFT + LINE_WIDTH + 8, y + 12, l->count);
}

static size_t
spans_used(const struct html_times *t)
{
	size_t most = 1;

	for (size_t i = 0; i < t->lines.n; i++)
		for (size_t k = 0; k < HTML_SPANS_MAX; k++)
			if (t->lines.v[i].spans[k] != 0 && k + 1 > most)
				most = k + 1;
	return most;
}

static void
put_record(struct show_out *o, const struct html_record *r, uint64_t start)
{
	show_printf(o, "<tr><td class=\"n\" data-v=\"%.9f\">",
		    (double)r->time / 1e9);
	html_time(o, r->time, start);
	show_printf(o, "</td><td class=\"n\" data-v=\"%d\">%d</td><td>",
		    r->cpu, r->cpu);
	show_xml(o, r->who);
	show_puts(o, "</td><td>");
	show_xml(o, r->probe);
	show_puts(o, "</td><td class=\"key\">");
	show_xml(o, r->text);
	show_puts(o, "</td></tr>\n");
}

static void
put_records(struct show_out *o, const struct html_times *t)
{
	uint64_t more = t->nrecords > HTML_RECORDS_MAX ?
				t->nrecords - HTML_RECORDS_MAX : 0;
	uint64_t last = more < HTML_RECORDS_MAX ? more : HTML_RECORDS_MAX;

	if (more > last)
		show_printf(o, "<p class=\"soft\">The first %d and the last "
			       "%d; %" PRIu64 " between them are not listed."
			       "</p>\n", HTML_RECORDS_MAX, HTML_RECORDS_MAX,
			    more - last);
	show_puts(o, "<table class=\"sortable\"><thead><tr><th class=\"n\">"
		     "seconds</th><th class=\"n\">CPU</th><th>of</th><th>probe"
		     "</th><th>values</th></tr></thead><tbody>\n");
	for (uint64_t i = 0; i < t->nrecords && i < HTML_RECORDS_MAX; i++)
		put_record(o, &t->first[i], t->start);
	for (uint64_t i = t->nrecords - last; i < t->nrecords; i++)
		put_record(o, &t->last[i % HTML_RECORDS_MAX], t->start);
	show_puts(o, "</tbody></table>\n");
}

void
html_times_draw(struct show_out *o, struct html_times *t)
{
	int height = (int)t->lines.n * LINE_HEIGHT;
	size_t nspans = spans_used(t);

	if (t->nrecords == 0)
		return;
	show_printf(o, "<section id=\"records\">\n<h2>Records</h2>\n"
		       "<p class=\"soft\">%" PRIu64 " in %.6f s", t->nrecords,
		    (double)nspans * (double)t->span / 1e9);
	if (t->nothers > 0)
		show_printf(o, "; %" PRIu64 " of probes that have no line",
			    t->nothers);
	show_printf(o, "</p>\n<svg class=\"chart times\" viewBox=\"0 0 %d %d\" "
		       "width=\"%d\" height=\"%d\">\n",
		    LINE_LEFT + LINE_WIDTH + 80, height + 6,
		    LINE_LEFT + LINE_WIDTH + 80, height + 6);
	for (size_t i = 0; i < t->lines.n; i++)
		put_line(o, t, i, (int)i * LINE_HEIGHT, nspans);
	show_puts(o, "</svg>\n");
	put_records(o, t);
	show_puts(o, "</section>\n");
}
