/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_impl.h - inside dtrace-live: what its files share.
 *
 * A frame is what one message says, and is not changed.  The view is what the
 * user has made of it: which aggregation, in what order, how far down.  Both
 * know nothing of terminals: they are drawn on a canvas.
 */
#ifndef LIVE_LIVE_IMPL_H
#define LIVE_LIVE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/vec.h"
#include "live/live_wire.h"

/* ---- live_frame.c -------------------------------------------------------- */

struct live_key {
	bool is_text;
	int64_t num;
	const char *text; /* n bytes of anything, and a NUL */
	size_t n;
};

struct live_count {
	uint32_t bucket;
	int64_t count;
};

struct live_row {
	struct live_key *keys;
	uint32_t nkeys;
	int64_t value;
	int64_t events; /* -1: no rate can be made */
	double rate;	/* a second; below 0: not known */
	struct live_count *counts; /* of a histogram, lowest bucket first */
	uint32_t ncounts;
	const char *raw; /* the keys as they came: what tells rows apart */
	size_t nraw;
};

struct live_bucket {
	enum live_bound bound;
	int64_t value;
};

/* An aggregation; or, as the last of a frame, the records of probes. */
struct live_agg {
	const char *name, *func;
	bool hist, probes;
	struct live_bucket *buckets;
	uint32_t nbuckets;
	VEC(struct live_row) rows;
	uint32_t nkeys; /* of the row that has most */
};

struct live_frame {
	struct arena *a; /* owns all but the vectors */
	uint64_t time, since, records, drops;
	double record_rate; /* below 0: not known */
	VEC(struct live_agg) aggs;
};

/*
 * A message of n bytes, which is copied, as a frame; rates are by the frame
 * before it (NULL: there was none).  NULL: it is none, or there is no memory.
 */
struct live_frame *frame_new(const char *msg, size_t n,
			     const struct live_frame *before);
void frame_free(struct live_frame *f);

/* ---- live_text.c --------------------------------------------------------- */

/* Lines that are kept, and bytes of a line. */
#define TEXT_LINES 5000
#define TEXT_LINE  2000

struct live_line {
	char *p;
	size_t n;
};

/* The last lines of text. */
struct live_text {
	struct live_line lines[TEXT_LINES]; /* a ring */
	size_t first, n;
	uint64_t total; /* lines there ever were */
	/* Lines that have no end yet, by where they come from: standard output
	   and standard error. */
	struct buf open[2];
};

struct live_text *text_new(void);
void text_free(struct live_text *t);
void text_add(struct live_text *t, int source, const char *p, size_t n);
/* Lines without an end are lines. */
void text_end(struct live_text *t);
/* The i-th line from the end, from 0; NULL: there are not so many. */
const struct live_line *text_line(const struct live_text *t, size_t i);

/* ---- live_clean.c -------------------------------------------------------- */

/*
 * n bytes of anything appended as what a terminal may be given, on one line:
 * what is no printable character becomes \xNN, what ends lines or divides them
 * a blank.  utf8 false: all but ASCII is such bytes.
 */
void clean_text(struct buf *b, const char *p, size_t n, bool utf8);
/* A key; the frames of a stack with " < " between them. */
void clean_key(struct buf *b, const struct live_key *k, bool utf8);
/* The character at p, of *n bytes, and how many columns it takes. */
uint32_t clean_next(const char *p, size_t *n, int *columns);
/* Columns of clean text. */
size_t clean_columns(const char *s);

/* ---- live_view: what the user has chosen --------------------------------- */

/* Columns one can sort by; keys are those from SORT_KEY on. */
enum { SORT_VALUE, SORT_RATE, SORT_KEY };
/* How much of the screen text has. */
enum live_share { SHARE_PART, SHARE_ALL, SHARE_NONE, NSHARES };
enum live_prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SAVE };

struct live_view {
	struct live_frame *frame; /* NULL: nothing has come */
	struct live_text *text;
	bool utf8, colour;
	int rows, cols; /* of the terminal */

	size_t agg; /* of the frame's */
	unsigned sort;
	bool up; /* smallest first */
	struct buf filter;
	uint32_t *order; /* rows that are wanted; owned */
	size_t norder;
	int64_t most; /* greatest magnitude of a value among them */
	size_t top;   /* first line that is shown */

	bool paused, help, quit;
	uint64_t text_paused; /* lines of text there were when it was paused */
	enum live_share share;
	size_t text_back; /* lines that are scrolled back */
	enum live_prompt prompt;
	struct buf input;
	char note[160]; /* a line until the next key */
};

/* The aggregation that is shown; NULL: there is none. */
const struct live_agg *view_agg(const struct live_view *v);
/* Order anew, after a change of frame, aggregation, filter or order.  False:
   there is no memory. */
bool view_order(struct live_view *v);
/* The next way to sort. */
void view_next_sort(struct live_view *v);
/* Show the aggregation that has this one's name, in a new frame, which
   becomes the view's. */
void view_frame(struct live_view *v, struct live_frame *f);
void view_fini(struct live_view *v);

/* ---- live_canvas.c ------------------------------------------------------- */

enum live_look { LOOK_PLAIN, LOOK_TITLE, LOOK_HEAD, LOOK_BAR, LOOK_DIM,
		 LOOK_CHOSEN, LOOK_WARN, NLOOKS };

struct live_cell {
	uint32_t ch; /* 0: the second column of the character before it */
	uint8_t look;
};

struct live_canvas {
	int rows, cols;
	bool utf8;
	struct live_cell *cells; /* owned */
};

/* Blank.  False: there is no memory. */
bool canvas_init(struct live_canvas *c, int rows, int cols, bool utf8);
void canvas_fini(struct live_canvas *c);
void canvas_blank(struct live_canvas *c);
/* Clean text at a place, at most `room` columns of it; what does not fit is cut
   off, with a mark.  The columns that it took. */
int canvas_put(struct live_canvas *c, int row, int col, int room,
	       enum live_look look, const char *s);
int canvas_printf(struct live_canvas *c, int row, int col, int room,
		  enum live_look look, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* A bar as long as share (0 to 1) of `room` columns. */
void canvas_bar(struct live_canvas *c, int row, int col, int room,
		double share);
/* The whole row in this look. */
void canvas_look(struct live_canvas *c, int row, enum live_look look);
/* A character of text, appended. */
void canvas_char(struct buf *b, uint32_t ch);
/* A row as text, without the blanks at its end. */
void canvas_text(const struct live_canvas *c, int row, struct buf *b);

/* ---- live_draw.c, live_hist.c -------------------------------------------- */

void draw_screen(const struct live_view *v, struct live_canvas *c);
/* Parts of it, for a file: the lines above the table, which are DRAW_ABOVE
   ... */
#define DRAW_ABOVE 3
void draw_above(const struct live_view *v, struct live_canvas *c);
/* ... n lines of the table from line `top` on, to row `row`; how many there
   were. */
int draw_table(const struct live_view *v, struct live_canvas *c, int row, int n,
	       size_t top);
/* Lines of the table. */
size_t draw_lines(const struct live_view *v);
/* Rows that the table has on the screen. */
int draw_room(const struct live_view *v);
/* 1234, 1.2M: at most six columns. */
void draw_short(char out[24], double v);

/* Lines of a row's histogram, without that of its keys. */
size_t hist_lines(const struct live_agg *a, const struct live_row *r);
/* Its line i. */
void hist_draw(const struct live_agg *a, const struct live_row *r, size_t i,
	       struct live_canvas *c, int row);

/* ---- live_keys.c --------------------------------------------------------- */

/* What ncurses calls its keys, without its header; characters are
   themselves. */
enum live_keycode { KEYCODE_UP = 0x110000, KEYCODE_DOWN, KEYCODE_PAGEUP,
		    KEYCODE_PAGEDOWN, KEYCODE_HOME, KEYCODE_END, KEYCODE_NEXT,
		    KEYCODE_BEFORE, KEYCODE_RUBOUT, KEYCODE_OTHER,
		    KEYCODE_NONE };
void keys_take(struct live_view *v, uint32_t key);
/* What they are, for the help: pairs of key and meaning, ended by NULL. */
extern const char *const keys_help[];

/* ---- live_save.c --------------------------------------------------------- */

/* Write the whole table and all text to a new file; v->note tells how it
   went. */
void save_view(struct live_view *v, const char *file);

/* ---- live_screen.c ------------------------------------------------------- */

/* True if terminfo knows the terminal, and how to move about on it. */
bool screen_known(void);
/*
 * Take the terminal `out`, whose keys come from `in`.  False: it cannot be
 * drawn on, and nothing has been done.  Only one screen can be.
 */
bool screen_open(FILE *out, FILE *in, struct live_view *v);
/* Give it back as it was: until screen_return(), or for good. */
void screen_leave(void);
void screen_return(struct live_view *v);
void screen_close(void);
/* Draw, as it is now. */
void screen_draw(struct live_view *v);
/* A key, or KEYCODE_NONE: there is none (any more). */
uint32_t screen_key(void);
/* The size has changed. */
void screen_size(struct live_view *v);

#endif
