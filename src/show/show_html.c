/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_html.c - one page with all there is, which needs no other file and no
 * network: aggregations, flame graphs, records, notices.  Without its script it
 * is whole; with it, tables can be sorted and flame graphs zoomed.
 */
#include "show/show_html.h"

#include <stdlib.h>
#include <string.h>

#include "show/show_text_embed.h"

struct html {
	struct show_out *out;
	const struct show_opts *opts;
	struct html_aggs aggs;
	struct html_times times;
	struct { struct show_note *v; size_t n, cap; } notes;
	size_t nnotes; /* all there were */
	struct show_losses lost;
	uint64_t start; /* the first time in the input; 0: none */
};

static void *
html_open(struct show_out *o, const struct show_opts *opts)
{
	struct html *h = show_alloc(1, sizeof(*h));

	h->out = o;
	h->opts = opts;
	show_stacks_init(&h->aggs.stacks);
	html_times_init(&h->times);
	return h;
}

static void
saw(struct html *h, uint64_t time)
{
	if (h->start == 0 || time < h->start)
		h->start = time;
}

static void
html_record(void *state, const struct show_rec *r)
{
	struct html *h = state;

	saw(h, r->time);
	html_times_record(&h->times, r);
	show_stacks_by_probe(&h->aggs.stacks, r);
}

static void
html_agg(void *state, const struct show_agg *a)
{
	struct html *h = state;

	saw(h, a->time);
	html_aggs_agg(&h->aggs, a);
}

static void
html_row(void *state, const struct show_agg *a, const struct show_row *r)
{
	html_aggs_row(&((struct html *)state)->aggs, a, r);
}

static void
html_note(void *state, const struct show_note *n)
{
	struct html *h = state;
	struct show_note kept = { .time = n->time };

	show_loss_note(&h->lost, n);
	if (strcmp(n->kind, "HINT") == 0) /* it stands above all */
		return;
	saw(h, n->time);
	if (h->nnotes++ >= HTML_NOTES_MAX)
		return;
	kept.kind = show_copy(n->kind);
	kept.msg = show_copy(n->msg);
	show_push(&h->notes, kept);
}

/* ---- the page ----------------------------------------------------------- */

static void
put_style(struct show_out *o)
{
	show_puts(o, "<style>\n");
	show_flame_style(o);
	show_write(o, show_report_css, show_report_css_len);
	show_puts(o, "</style>\n");
}

static void
put_nav(struct html *h)
{
	struct show_out *o = h->out;

	show_puts(o, "<nav>");
	for (size_t i = 0; i < h->aggs.list.n; i++) {
		const char *name = h->aggs.list.v[i]->name;
		show_printf(o, "<a href=\"#agg%zu\">@", i);
		show_xml(o, strcmp(name, "_") == 0 ? "" : name);
		show_puts(o, "</a>");
	}
	if (h->times.nrecords > 0)
		show_puts(o, "<a href=\"#records\">Records</a>");
	if (h->nnotes > 0)
		show_puts(o, "<a href=\"#notes\">Notices</a>");
	show_puts(o, "</nav>\n");
}

static void
page_put_head(struct html *h, const char *title)
{
	struct show_out *o = h->out;
	struct buf b = BUF_INIT;

	show_puts(o, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		     "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		     "content=\"width=device-width\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content="
		     "\"default-src 'none'; style-src 'unsafe-inline'; "
		     "script-src 'unsafe-inline'\">\n<title>");
	show_xml(o, title);
	show_puts(o, "</title>\n");
	put_style(o);
	show_puts(o, "</head><body>\n<header><h1>");
	show_xml(o, title);
	show_puts(o, "</h1><button id=\"theme\" type=\"button\">Dark or light"
		     "</button></header>\n");
	put_nav(h);
	if (h->lost.n > 0) {
		show_puts(o, "<p class=\"lost\">");
		show_xml(o, show_loss_text(&b, &h->lost));
		show_puts(o, "</p>\n");
	}
	buf_fini(&b);
}

/* Stacks that records have; those of aggregations are drawn with them. */
static void
put_flames(struct html *h)
{
	for (size_t i = 0; i < h->aggs.stacks.n; i++) {
		struct show_stack_agg *sa = h->aggs.stacks.v[i];
		bool drawn = false;
		for (size_t k = 0; k < h->aggs.list.n; k++)
			drawn |= strcmp(h->aggs.list.v[k]->name, sa->name) == 0;
		if (drawn)
			continue;
		show_puts(h->out, "<section>\n");
		html_flame_draw(h->out, sa, sa->name);
		show_puts(h->out, "</section>\n");
	}
}

static void
put_notes(struct html *h)
{
	struct show_out *o = h->out;

	if (h->nnotes == 0)
		return;
	show_puts(o, "<section id=\"notes\">\n<h2>Notices</h2>\n");
	if (h->nnotes > h->notes.n)
		show_printf(o, "<p class=\"soft\">The first %zu of %zu.</p>\n",
			    h->notes.n, h->nnotes);
	show_puts(o, "<table><tbody>\n");
	for (size_t i = 0; i < h->notes.n; i++) {
		show_puts(o, "<tr><td class=\"n\">");
		html_time(o, h->notes.v[i].time, h->start);
		show_puts(o, "</td><td>");
		show_xml(o, h->notes.v[i].kind);
		show_puts(o, "</td><td>");
		show_xml(o, h->notes.v[i].msg);
		show_puts(o, "</td></tr>\n");
	}
	show_puts(o, "</tbody></table></section>\n");
}

static void
put_scripts(struct show_out *o)
{
	show_puts(o, "<script>\n");
	show_write(o, show_report_js, show_report_js_len);
	show_flame_script(o);
	show_puts(o, "</script>\n");
}

static void
page_put(struct html *h)
{
	struct show_out *o = h->out;

	page_put_head(h, h->opts->title != NULL ? h->opts->title : "dtrace");
	for (size_t i = 0; i < h->aggs.list.n; i++)
		html_agg_draw(o, &h->aggs, i, h->start);
	put_flames(h);
	html_times_draw(o, &h->times);
	put_notes(h);
	put_scripts(o);
	show_puts(o, "</body></html>\n");
}

static void
html_close(void *state)
{
	struct html *h = state;

	if (h->aggs.list.n > 0 || h->times.nrecords > 0)
		page_put(h);
	else if (!h->opts->quiet)
		show_lack("html: nothing was recorded: there are neither "
			  "records nor aggregations");
	html_aggs_fini(&h->aggs);
	html_times_fini(&h->times);
	for (size_t i = 0; i < h->notes.n; i++) {
		free((void *)(uintptr_t)h->notes.v[i].kind);
		free((void *)(uintptr_t)h->notes.v[i].msg);
	}
	free(h->notes.v);
	free(h);
}

const struct show_format show_format_html = {
	.name = "html", .what = "a report of all there is, one page",
	.open = html_open, .record = html_record, .agg = html_agg,
	.row = html_row, .note = html_note, .close = html_close,
};
