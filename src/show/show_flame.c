/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_flame.c - flame graphs: a frame is a box as wide as the part of all
 * samples in which it is on the stack, callers below callees, neighbours in
 * order of their names.  Without a script the picture is whole; with it
 * (flame.js) one can zoom and search.
 *
 * With an earlier run, widths are those of the later one and colours say how
 * a frame's part of all has changed: red is more, blue is less.
 *
 * A box narrower than a tenth of a pixel is not drawn, and where there are more
 * than FRAMES_MAX the narrowest are left out, so a picture has some megabytes
 * at the most.
 */
#include "show/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "show/show_text_embed.h"

#define WIDTH	   1200
#define MARGIN	   10
#define INNER	   (WIDTH - 2 * MARGIN)
#define BOX	   16
#define TOP	   62
#define BOTTOM	   12
#define CHAR	   6.7
#define FRAMES_MAX 40000

struct drawing {
	struct show_out *out;
	const struct show_tree *t;
	const char *unit;
	bool diff;
	double whole, whole_before;
	int64_t least; /* narrower ones are left out */
	unsigned depth;
	int height;
	struct buf text;
};

/* ---- what is shown ------------------------------------------------------ */

static void
measure(const struct show_tree *t, uint32_t id, int64_t least, unsigned depth,
	size_t *count, unsigned *deepest)
{
	++*count;
	if (depth > *deepest)
		*deepest = depth;
	for (uint32_t c = t->v[id].child; c != 0; c = t->v[c].next)
		if (t->v[c].total >= least)
			measure(t, c, least, depth + 1, count, deepest);
}

static void
choose(struct drawing *d)
{
	size_t count;

	d->least = (int64_t)(d->whole / (INNER * 10));
	if (d->least < 1)
		d->least = 1;
	for (; d->least < INT64_MAX / 2; d->least *= 2) {
		count = 0;
		d->depth = 0;
		measure(d->t, 0, d->least, 0, &count, &d->depth);
		if (count <= FRAMES_MAX)
			return;
	}
}

/* ---- colours ------------------------------------------------------------ */

static double
part(int64_t n, double whole)
{
	return whole > 0 ? (double)n / whole : 0;
}

static bool
is_kernel(const char *name, size_t *len)
{
	*len = strlen(name);
	if (*len < 4 || strcmp(name + *len - 4, "_[k]") != 0)
		return false;
	*len -= 4;
	return true;
}

static void
colour_diff(const struct drawing *d, const struct show_node *n, char *c,
	    size_t size)
{
	double now = part(n->total, d->whole);
	double was = part(n->before, d->whole_before);
	double most = now > was ? now : was;
	double change = most > 0 ? (now - was) / most : 0;
	int pale = (int)(235 - 150 * fabs(change));

	if (fabs(now - was) < 0.0005)
		pale = 235;
	if (change >= 0)
		snprintf(c, size, "rgb(245,%d,%d)", pale, pale);
	else
		snprintf(c, size, "rgb(%d,%d,245)", pale, pale);
}

static void
colour(const struct drawing *d, const struct show_node *n, const char *name,
       char *c, size_t size)
{
	size_t len;
	unsigned h;
	bool kernel = is_kernel(name, &len);

	h = (unsigned)hash_bytes(name, len);
	if (d->diff)
		colour_diff(d, n, c, size);
	else if (kernel)
		snprintf(c, size, "rgb(%u,%u,70)", 225 + h % 25,
			 135 + h / 32 % 45);
	else
		snprintf(c, size, "rgb(%u,%u,%u)", 215 + h % 40,
			 95 + h / 64 % 110, 50 + h / 8192 % 30);
}

/* ---- boxes -------------------------------------------------------------- */

static void
put_title(struct drawing *d, const struct show_node *n, const char *name)
{
	show_puts(d->out, "<title>");
	show_xml(d->out, name);
	show_printf(d->out, " (%lld ", (long long)n->total);
	show_xml(d->out, d->unit);
	show_printf(d->out, ", %.2f%%", part(n->total, d->whole) * 100);
	if (d->diff)
		show_printf(d->out, "; before %lld, %.2f%%",
			    (long long)n->before,
			    part(n->before, d->whole_before) * 100);
	show_puts(d->out, ")</title>");
}

/* As much of the name as there is room for; whole characters. */
static void
put_label(struct drawing *d, const char *name, double width)
{
	size_t room = width < 3 * CHAR + 6 ? 0 : (size_t)((width - 6) / CHAR);
	size_t n = strlen(name), k = n;

	if (room == 0)
		return;
	if (n > room) {
		k = room - 2;
		while (k > 0 && ((unsigned char)name[k] & 0xc0) == 0x80)
			k--;
	}
	buf_reset(&d->text);
	buf_write(&d->text, name, k);
	buf_puts(&d->text, k < n ? ".." : "");
	show_xml(d->out, show_text(&d->text));
}

static void
put_box(struct drawing *d, uint32_t id, double x, unsigned depth)
{
	const struct show_node *n = &d->t->v[id];
	const char *name = id == 0 ? "all" :
				     show_name_text(d->t->names, n->name);
	double w = part(n->total, d->whole);
	double left = MARGIN + x * INNER, width = w * INNER;
	int y = d->height - BOTTOM - (int)(depth + 1) * BOX;
	char c[40];

	colour(d, n, name, c, sizeof(c));
	show_printf(d->out,
		    "<g class=\"f\" data-x=\"%.7f\" data-w=\"%.7f\" "
		    "data-d=\"%u\" data-n=\"", x, w, depth);
	show_xml(d->out, name);
	show_puts(d->out, "\">");
	put_title(d, n, name);
	show_printf(d->out,
		    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
		    "rx=\"1\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\">", left, y,
		    width > 0.5 ? width - 0.4 : 0.1, BOX - 1, c, left + 3,
		    y + 11);
	put_label(d, name, width);
	show_puts(d->out, "</text></g>\n");
	for (uint32_t k = n->child; k != 0; k = d->t->v[k].next) {
		if (d->t->v[k].total >= d->least)
			put_box(d, k, x, depth + 1);
		x += part(d->t->v[k].total, d->whole);
	}
}

static void
put_lost(struct drawing *d, const struct show_losses *lost)
{
	struct buf b = BUF_INIT;

	show_printf(d->out, "<text class=\"lost\" x=\"%d\" y=\"%d\">",
		    MARGIN, TOP - 5);
	show_xml(d->out, show_loss_text(&b, lost));
	show_puts(d->out, "</text>\n");
	buf_fini(&b);
}

static void
flame_put_head(struct drawing *d, const char *title,
	       const struct show_losses *lost)
{
	bool alone = lost != NULL;

	show_printf(d->out,
		    "<svg%s class=\"dt-flame\" viewBox=\"0 0 %d %d\" "
		    "width=\"%d\" height=\"%d\">\n",
		    alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "",
		    WIDTH, d->height, WIDTH, d->height);
	if (alone) {
		show_puts(d->out, "<style><![CDATA[\n");
		show_flame_style(d->out);
		show_puts(d->out, "]]></style>\n");
	}
	show_printf(d->out, "<text class=\"title\" x=\"%d\" y=\"22\">",
		    WIDTH / 2);
	show_xml(d->out, title);
	show_printf(d->out,
		    "</text>\n<text class=\"button reset hidden\" x=\"%d\" "
		    "y=\"44\">Whole picture</text>\n<text class=\"button "
		    "search\" x=\"%d\" y=\"44\">Search</text>\n<text "
		    "class=\"button clear hidden\" x=\"%d\" y=\"44\">Clear"
		    "</text>\n<text class=\"info\" x=\"200\" y=\"44\"></text>\n",
		    MARGIN, WIDTH - 60, WIDTH - 110);
	if (alone && lost->n > 0)
		put_lost(d, lost);
}

void
show_flame_svg(struct show_out *o, const struct show_tree *t,
	       const char *title, const char *unit, bool diff,
	       const struct show_losses *lost)
{
	struct drawing d = { .out = o, .t = t, .unit = unit, .diff = diff,
			     .whole = (double)t->v[0].total,
			     .whole_before = (double)t->v[0].before };

	choose(&d);
	d.height = TOP + BOTTOM + (int)(d.depth + 1) * BOX;
	flame_put_head(&d, title, lost);
	put_box(&d, 0, 0, 0);
	if (lost != NULL) {
		show_puts(o, "<script><![CDATA[\n");
		show_flame_script(o);
		show_puts(o, "]]></script>\n");
	}
	show_puts(o, "</svg>\n");
	buf_fini(&d.text);
}

void
show_flame_style(struct show_out *o)
{
	show_write(o, show_flame_css, show_flame_css_len);
}

void
show_flame_script(struct show_out *o)
{
	show_write(o, show_flame_js, show_flame_js_len);
}

/* ---- the format --------------------------------------------------------- */

struct flame {
	struct show_out *out;
	const struct show_opts *opts;
	struct show_stacks stacks;
	struct show_losses lost;
};

static void
read_before(const struct show_opts *opts, struct show_tree *t)
{
	int error;

	if (opts->before == NULL ||
	    show_tree_before(t, opts->before, &error) == 0)
		return;
	if (error != 0)
		show_die("failed to read %s: %s", opts->before,
			 strerror(error));
	show_die("%s: these are no folded stacks, as -O folded writes them",
		 opts->before);
}

static void *
flame_open(struct show_out *o, const struct show_opts *opts)
{
	struct flame *f = show_alloc(1, sizeof(*f));
	struct show_tree t;

	/* Better to know that it is wrong now than at the end. */
	show_tree_init(&t);
	read_before(opts, &t);
	show_tree_fini(&t);
	f->out = o;
	f->opts = opts;
	show_stacks_init(&f->stacks);
	return f;
}

static void
flame_row(void *state, const struct show_agg *a, const struct show_row *r)
{
	show_stacks_row(&((struct flame *)state)->stacks, a, r);
}

static void
flame_record(void *state, const struct show_rec *r)
{
	show_stacks_record(&((struct flame *)state)->stacks, r,
			   ((struct flame *)state)->opts->agg);
}

static void
flame_note(void *state, const struct show_note *n)
{
	show_loss_note(&((struct flame *)state)->lost, n);
}

static void
flame_draw(const struct flame *f, const struct show_tree *t, const char *unit)
{
	const char *title = f->opts->title;

	if (title == NULL)
		title = f->opts->before != NULL ? "Flame graph, compared" :
						  "Flame graph";
	show_flame_svg(f->out, t, title, unit, f->opts->before != NULL,
		       &f->lost);
}

static void
flame_close(void *state)
{
	struct flame *f = state;
	struct show_stack_agg *sa =
		show_stacks_pick(&f->stacks, f->opts, "flame");
	struct show_tree empty, *t = sa != NULL ? &sa->tree : &empty;

	if (sa == NULL)
		show_tree_init(&empty);
	read_before(f->opts, t);
	show_tree_sum(t);
	/* Of nothing there is no picture; less than before is one. */
	if (sa != NULL || f->opts->before != NULL)
		flame_draw(f, t, sa != NULL ? sa->func : "samples");
	if (sa == NULL)
		show_tree_fini(&empty);
	show_stacks_fini(&f->stacks);
	free(f);
}

const struct show_format show_format_flame = {
	.name = "flame", .what = "a flame graph of stacks, as SVG with a script",
	.open = flame_open, .record = flame_record, .row = flame_row,
	.note = flame_note, .close = flame_close,
};
