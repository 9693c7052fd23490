/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_draw.c - what is on the screen:
 *
 *	dtrace 00:00:12   records 12/s   drops 0   paused
 *	 1 @calls   2 @lat   probes
 *	KEY                          COUNT       /S
 *	read                         12345     1200  ██████████▌
 *	... the table, or histograms
 *	── output ──────────────────────────────────
 *	... the last lines of text
 *	? help  p pause  s sort  / filter ...
 *
 * On narrow terminals the bars go first, then the rates.
 */
#include "live/live_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR_LEAST  60 /* columns of a terminal that has room for bars */
#define RATE_LEAST 36 /* ... for rates */
#define RATE_COLS  8
#define BAR_MOST   40
#define NPAD	   4  /* keys that are put under each other */
#define PAD_SHARE  3  /* of the columns, that keys before the last may have */

void
draw_short(char out[24], double v)
{
	static const char units[] = "kMGTPE";
	int i = -1;

	while (fabs(v) >= 99999.5 && i < (int)sizeof(units) - 2) {
		v /= 1000;
		i++;
	}
	if (i < 0)
		snprintf(out, 24, fabs(v) < 99.95 && v != floor(v) ? "%.1f" :
								     "%.0f", v);
	else
		snprintf(out, 24, "%.0f%c", v, units[i]);
}

/* ---- above the table ----------------------------------------------------- */

static void
draw_title(const struct live_view *v, struct live_canvas *c)
{
	const struct live_frame *f = v->frame;
	char rate[24];
	int at;

	canvas_look(c, 0, LOOK_TITLE);
	if (f == NULL) {
		canvas_put(c, 0, 0, c->cols, LOOK_TITLE,
			   "dtrace  placing probes ...");
		return;
	}
	unsigned s = (unsigned)(f->since / 1000000000);
	at = canvas_printf(c, 0, 0, c->cols, LOOK_TITLE, "dtrace %02u:%02u:%02u",
			   s / 3600, s / 60 % 60, s % 60);
	if (v->paused)
		at += canvas_put(c, 0, at, c->cols - at, LOOK_TITLE,
				 "  paused");
	if (f->drops > 0)
		at += canvas_printf(c, 0, at, c->cols - at, LOOK_WARN,
				    "  drops %" PRIu64, f->drops);
	draw_short(rate, f->record_rate < 0 ? 0 : f->record_rate);
	at += canvas_printf(c, 0, at, c->cols - at, LOOK_TITLE,
			    "  records %" PRIu64 ", %s/s", f->records, rate);
	if (f->drops == 0)
		canvas_put(c, 0, at, c->cols - at, LOOK_TITLE, "  drops 0");
}

static void
draw_tabs(const struct live_view *v, struct live_canvas *c)
{
	int at = 0;

	for (size_t i = 0; v->frame != NULL && i < v->frame->aggs.n; i++) {
		const struct live_agg *a = &v->frame->aggs.v[i];
		/* What is chosen is seen, however many there are. */
		if (i < v->agg && v->agg > 0 && at > c->cols / 2)
			continue;
		at += canvas_printf(c, 1, at, c->cols - at,
				    i == v->agg ? LOOK_CHOSEN : LOOK_PLAIN,
				    " %s%s ", a->probes ? "" : "@",
				    strcmp(a->name, "_") == 0 ? "" : a->name);
		at++;
	}
	if (v->filter.n > 0)
		canvas_printf(c, 1, at, c->cols - at, LOOK_WARN, "only \"%s\"",
			      buf_str(&v->filter));
}

/* Where the columns of a table are. */
struct columns {
	int key, value, rate, bar; /* where they begin; rate, bar 0: no room */
	int nvalue, nbar;
	int pad[NPAD]; /* columns of the first keys, where there are several */
};

/* The text of a row's keys.  Those before the last are as wide as cols say. */
static void
row_keys(const struct live_view *v, const struct live_row *r,
	 const struct columns *cols, struct buf *b)
{
	for (uint32_t i = 0; i < r->nkeys; i++) {
		size_t from = b->n;
		clean_key(b, &r->keys[i], v->utf8);
		if (i + 1 == r->nkeys)
			break;
		int pad = i < NPAD ? cols->pad[i] : 0;
		int is = (int)clean_columns(buf_str(b) + from);
		for (; is < pad; is++)
			buf_putc(b, ' ');
		buf_puts(b, "  ");
	}
	if (r->nkeys == 0)
		buf_puts(b, "(all)");
}

/* Make cols as wide as the keys before the last are, unless that is too
   wide. */
static void
pad_keys(const struct live_view *v, const struct live_row *r, int most,
	 struct columns *cols)
{
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i + 1 < r->nkeys && i < NPAD; i++) {
		buf_reset(&b);
		clean_key(&b, &r->keys[i], v->utf8);
		int is = (int)clean_columns(buf_str(&b));
		if (is > cols->pad[i] && is <= most)
			cols->pad[i] = is;
	}
	buf_fini(&b);
}

/* Columns that keys and values need, of the rows that are shown. */
static void
need_columns(const struct live_view *v, const struct live_agg *a, size_t top,
	     int n, int most, struct columns *cols, int *key)
{
	struct buf b = BUF_INIT;

	for (size_t i = top; i < v->norder && i < top + (size_t)n; i++)
		pad_keys(v, &a->rows.v[v->order[i]], most, cols);
	for (size_t i = top; i < v->norder && i < top + (size_t)n; i++) {
		const struct live_row *r = &a->rows.v[v->order[i]];
		buf_reset(&b);
		row_keys(v, r, cols, &b);
		int is = (int)clean_columns(buf_str(&b));
		if (is > *key)
			*key = is;
		int digits = snprintf(NULL, 0, "%" PRId64, r->value);
		if (digits > cols->nvalue)
			cols->nvalue = digits;
	}
	buf_fini(&b);
}

static void
place_columns(const struct live_view *v, const struct live_agg *a, size_t top,
	      int n, int width, struct columns *cols)
{
	int key = 3, room = width;

	*cols = (struct columns){ .nvalue = (int)strlen(a->func) };
	need_columns(v, a, top, n, width / PAD_SHARE, cols, &key);
	if (cols->nvalue > width / 2)
		cols->nvalue = width / 2;
	room -= cols->nvalue + 2;
	if (width >= RATE_LEAST)
		room -= RATE_COLS + 1;
	if (width >= BAR_LEAST && room - key > 10) {
		cols->nbar = room - key - 2;
		cols->nbar = cols->nbar > BAR_MOST ? BAR_MOST : cols->nbar;
	}
	key = key > room ? room : key;
	cols->key = key;
	cols->value = key + 2;
	if (width >= RATE_LEAST)
		cols->rate = cols->value + cols->nvalue + 1;
	if (cols->nbar > 0)
		cols->bar = cols->rate + RATE_COLS + 2;
}

static void
right(struct live_canvas *c, int row, int col, int room, enum live_look look,
      const char *s)
{
	int n = (int)strlen(s);

	canvas_put(c, row, n < room ? col + room - n : col, room, look, s);
}

static const char *
sort_mark(const struct live_view *v, unsigned sort)
{
	if (v->sort != sort)
		return "";
	return v->utf8 ? (v->up ? "\u25b4" : "\u25be") : (v->up ? "^" : "v");
}

/* Words over the columns; which one is the order is marked. */
static void
draw_head(const struct live_view *v, const struct live_agg *a,
	  const struct columns *cols, struct live_canvas *c)
{
	char name[64];
	bool keys = v->sort >= SORT_KEY;
	char key[64] = "KEY";

	if (a->nkeys > 1 && keys)
		snprintf(key, sizeof(key), "KEY %u", v->sort - SORT_KEY + 1);
	if (a->probes)
		strcpy(key, "PROBE");
	canvas_printf(c, 2, 0, cols->key, LOOK_HEAD, "%s%s", key,
		      keys ? sort_mark(v, v->sort) : "");
	snprintf(name, sizeof(name), "%s", a->func);
	for (char *p = name; *p != '\0'; p++)
		*p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
	right(c, 2, cols->value, cols->nvalue, LOOK_HEAD, name);
	canvas_put(c, 2, cols->value + cols->nvalue, 1, LOOK_HEAD,
		   sort_mark(v, SORT_VALUE));
	if (cols->rate == 0)
		return;
	right(c, 2, cols->rate, RATE_COLS, LOOK_HEAD, "/S");
	canvas_put(c, 2, cols->rate + RATE_COLS, 1, LOOK_HEAD,
		   sort_mark(v, SORT_RATE));
}

/* ---- the table ----------------------------------------------------------- */

static void
draw_row(const struct live_view *v, const struct live_row *r,
	 const struct columns *cols, struct live_canvas *c, int row)
{
	struct buf b = BUF_INIT;
	char text[32];

	row_keys(v, r, cols, &b);
	canvas_put(c, row, 0, cols->key, LOOK_PLAIN, buf_str(&b));
	buf_fini(&b);
	snprintf(text, sizeof(text), "%" PRId64, r->value);
	if ((int)strlen(text) > cols->nvalue)
		draw_short(text, (double)r->value);
	right(c, row, cols->value, cols->nvalue, LOOK_PLAIN, text);
	if (cols->rate > 0 && r->rate >= 0) {
		draw_short(text, r->rate);
		right(c, row, cols->rate, RATE_COLS, LOOK_PLAIN, text);
	}
	if (cols->bar > 0 && v->most > 0)
		canvas_bar(c, row, cols->bar, cols->nbar,
			   fabs((double)r->value) / (double)v->most);
}

/* Lines of a row: that of its keys, its histogram and a blank one. */
static size_t
row_lines(const struct live_agg *a, const struct live_row *r)
{
	return a->hist ? hist_lines(a, r) + 2 : 1;
}

size_t
draw_lines(const struct live_view *v)
{
	const struct live_agg *a = view_agg(v);
	size_t n = 0;

	if (a == NULL || !a->hist)
		return v->norder;
	for (size_t i = 0; i < v->norder; i++)
		n += row_lines(a, &a->rows.v[v->order[i]]);
	return n;
}

/* Where line `top` is: a row, and a line of it. */
static size_t
find_line(const struct live_view *v, const struct live_agg *a, size_t top,
	  size_t *in)
{
	size_t i = 0;

	*in = 0;
	if (!a->hist)
		return top;
	for (; i < v->norder; i++) {
		size_t n = row_lines(a, &a->rows.v[v->order[i]]);
		if (top < n)
			break;
		top -= n;
	}
	*in = top;
	return i;
}

static void
draw_line(const struct live_view *v, const struct live_agg *a,
	  const struct live_row *r, size_t in, const struct columns *cols,
	  struct live_canvas *c, int row)
{
	if (in == 0)
		draw_row(v, r, cols, c, row);
	else if (in <= hist_lines(a, r))
		hist_draw(a, r, in - 1, c, row);
}

int
draw_table(const struct live_view *v, struct live_canvas *c, int row, int n,
	   size_t top)
{
	const struct live_agg *a = view_agg(v);
	struct columns cols;
	size_t in;
	int done = 0;

	if (a == NULL)
		return 0;
	size_t i = find_line(v, a, top, &in);
	place_columns(v, a, i, n, c->cols, &cols);
	draw_head(v, a, &cols, c);
	for (; done < n && i < v->norder; i++, in = 0) {
		const struct live_row *r = &a->rows.v[v->order[i]];
		for (; done < n && in < row_lines(a, r); in++)
			draw_line(v, a, r, in, &cols, c, row + done++);
	}
	return done;
}

/* ---- the whole ----------------------------------------------------------- */

void
draw_above(const struct live_view *v, struct live_canvas *c)
{
	draw_title(v, c);
	draw_tabs(v, c);
}

/* Rows for text, with the line above it. */
static int
text_room(const struct live_view *v)
{
	int room = v->rows - DRAW_ABOVE - 1;

	if (v->share == SHARE_NONE || v->text->n == 0 || room < 4)
		return 0;
	if (v->share == SHARE_ALL)
		return room;
	size_t most = (size_t)room / 3;
	return (int)(v->text->n + 1 < most ? v->text->n + 1 : most);
}

int
draw_room(const struct live_view *v)
{
	int room = v->rows - DRAW_ABOVE - 1 - text_room(v);

	return room < 0 ? 0 : room;
}

/* How many lines of text came since the view was paused. */
static size_t
text_since(const struct live_view *v)
{
	return v->paused ? (size_t)(v->text->total - v->text_paused) : 0;
}

static void
draw_text(const struct live_view *v, struct live_canvas *c, int row, int n)
{
	struct buf b = BUF_INIT;

	canvas_put(c, row, 0, 3, LOOK_DIM, v->utf8 ? "\u2500\u2500 " : "-- ");
	int at = 3 + canvas_put(c, row, 3, c->cols - 3, LOOK_DIM, "output ");
	for (; at < c->cols; at++)
		canvas_put(c, row, at, 1, LOOK_DIM, v->utf8 ? "\u2500" : "-");
	for (int i = 1; i < n; i++) {
		const struct live_line *l =
			text_line(v->text, (size_t)(n - 1 - i) + v->text_back +
						   text_since(v));
		if (l == NULL)
			continue;
		buf_reset(&b);
		clean_text(&b, l->p, l->n, v->utf8);
		canvas_put(c, row + i, 0, c->cols, LOOK_PLAIN, buf_str(&b));
	}
	buf_fini(&b);
}

static void
draw_help(struct live_canvas *c)
{
	for (int i = 0; keys_help[2 * i] != NULL; i++) {
		canvas_put(c, DRAW_ABOVE + i, 1, 14, LOOK_HEAD,
			   keys_help[2 * i]);
		canvas_put(c, DRAW_ABOVE + i, 16, c->cols, LOOK_PLAIN,
			   keys_help[2 * i + 1]);
	}
}

/* The last row: what is being typed, what has happened, or which keys there
   are. */
static void
draw_foot(const struct live_view *v, struct live_canvas *c)
{
	int row = c->rows - 1;

	if (v->prompt != PROMPT_NONE)
		canvas_printf(c, row, 0, c->cols, LOOK_PLAIN, "%s: %s_",
			      v->prompt == PROMPT_FILTER ? "only" : "save as",
			      buf_str(&v->input));
	else if (v->note[0] != '\0')
		canvas_put(c, row, 0, c->cols, LOOK_WARN, v->note);
	else
		canvas_put(c, row, 0, c->cols, LOOK_DIM,
			   "q quit  ? help  p pause  s sort  r reverse  "
			   "/ only  tab next  o output  w save");
}

void
draw_screen(const struct live_view *v, struct live_canvas *c)
{
	int room = draw_room(v), text = text_room(v);
	const struct live_agg *a = view_agg(v);

	draw_above(v, c);
	if (v->help)
		draw_help(c);
	else if (room > 0 &&
		 draw_table(v, c, DRAW_ABOVE, room, v->top) == 0 && a != NULL)
		canvas_put(c, DRAW_ABOVE, 0, c->cols, LOOK_DIM,
			   v->filter.n > 0 ? "(nothing has these letters)" :
			   a->probes ? "(no record has come)" :
				       "(nothing has been counted)");
	if (text > 0 && !v->help)
		draw_text(v, c, DRAW_ABOVE + room, text);
	if (c->rows > 1)
		draw_foot(v, c);
}
