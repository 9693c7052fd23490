/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_keys.c - what keys do to the view.
 */
#include "live/live_impl.h"

#include <stdlib.h>
#include <string.h>

#define INPUT_MOST 200 /* bytes that can be typed at a prompt */
#define ESCAPE	   27
#define DELETE	   0x7f

const char *const keys_help[] = {
	"q ^C", "end tracing; what dtrace prints at the end follows",
	"p space", "keep the picture as it is; again: go on",
	"tab  1 to 9", "the next aggregation, or that one; probes are the last",
	"s", "sort by the next column",
	"r", "sort the other way round",
	"/", "show only rows with these letters; Enter alone: all rows",
	"arrows, pages", "up and down; home, end",
	"o", "output: a third of the screen, all of it, none",
	"w", "save the table and the output to a new file",
	"/S", "what has come in a second since the last look",
	NULL, NULL,
};

/* ---- places -------------------------------------------------------------- */

/* So that the last line is not above the end of the screen. */
static size_t
top_most(const struct live_view *v)
{
	size_t n = draw_lines(v), room = (size_t)draw_room(v);

	return n > room ? n - room : 0;
}

static void
keys_scroll(struct live_view *v, long by)
{
	size_t *at = v->share == SHARE_ALL ? &v->text_back : &v->top;
	size_t most = v->share == SHARE_ALL ?
			      (v->text->n > 0 ? v->text->n - 1 : 0) :
			      top_most(v);

	if (v->share == SHARE_ALL) /* counted from the end */
		by = -by;
	if (by < 0)
		*at = *at < (size_t)-by ? 0 : *at - (size_t)-by;
	else
		*at = *at + (size_t)by > most ? most : *at + (size_t)by;
}

static void
keys_agg(struct live_view *v, size_t agg)
{
	const struct live_agg *a;

	if (v->frame == NULL || agg >= v->frame->aggs.n)
		return;
	v->agg = agg;
	v->top = 0;
	a = view_agg(v);
	if (v->sort >= SORT_KEY + a->nkeys) {
		v->sort = SORT_VALUE;
		v->up = false;
	}
}

/* ---- prompts ------------------------------------------------------------- */

static void
prompt_open(struct live_view *v, enum live_prompt p, const char *text)
{
	v->prompt = p;
	buf_reset(&v->input);
	buf_puts(&v->input, text);
}

static void
prompt_close(struct live_view *v)
{
	if (v->prompt == PROMPT_SAVE) {
		save_view(v, buf_str(&v->input));
	} else {
		buf_reset(&v->filter);
		buf_puts(&v->filter, buf_str(&v->input));
		v->top = 0;
	}
	v->prompt = PROMPT_NONE;
}

static void
prompt_rubout(struct live_view *v)
{
	struct buf *b = &v->input;

	while (b->n > 0 && ((unsigned char)b->p[b->n - 1] & 0xc0) == 0x80)
		b->n--;
	if (b->n > 0)
		b->n--;
	if (b->p != NULL)
		b->p[b->n] = '\0';
}

static void
prompt_key(struct live_view *v, uint32_t key)
{
	if (key == '\n' || key == '\r') {
		prompt_close(v);
	} else if (key == ESCAPE) {
		v->prompt = PROMPT_NONE;
	} else if (key == KEYCODE_RUBOUT || key == DELETE || key == '\b') {
		prompt_rubout(v);
	} else if (key == 'U' - '@') {
		buf_reset(&v->input);
		buf_puts(&v->input, "");
	} else if (key >= ' ' && key < KEYCODE_UP &&
		   v->input.n < INPUT_MOST && (v->utf8 || key < DELETE)) {
		struct buf b = BUF_INIT;
		canvas_char(&b, key);
		clean_text(&v->input, buf_str(&b), b.n, v->utf8);
		buf_fini(&b);
	}
}

/* ---- keys ---------------------------------------------------------------- */

static void
keys_pause(struct live_view *v)
{
	v->paused = !v->paused;
	v->text_paused = v->text->total;
}

/* True if it was one of these. */
static bool
keys_move(struct live_view *v, uint32_t key)
{
	long page = v->share == SHARE_ALL ? v->rows - DRAW_ABOVE - 2 :
					    draw_room(v);

	switch (key) {
	case KEYCODE_UP:
	case 'k':
		keys_scroll(v, -1);
		return true;
	case KEYCODE_DOWN:
	case 'j':
		keys_scroll(v, 1);
		return true;
	case KEYCODE_PAGEUP:
		keys_scroll(v, -page);
		return true;
	case KEYCODE_PAGEDOWN:
		keys_scroll(v, page);
		return true;
	case KEYCODE_HOME:
	case 'g':
		keys_scroll(v, -INT32_MAX);
		return true;
	case KEYCODE_END:
	case 'G':
		keys_scroll(v, INT32_MAX);
		return true;
	default:
		return false;
	}
}

static void
keys_command(struct live_view *v, uint32_t key)
{
	size_t n = v->frame != NULL ? v->frame->aggs.n : 1;

	if (key >= '1' && key <= '9')
		keys_agg(v, key - '1');
	else if (key == '\t' || key == KEYCODE_NEXT)
		keys_agg(v, (v->agg + 1) % n);
	else if (key == KEYCODE_BEFORE)
		keys_agg(v, (v->agg + n - 1) % n);
	else if (key == 'p' || key == ' ')
		keys_pause(v);
	else if (key == 's')
		view_next_sort(v);
	else if (key == 'r')
		v->up = !v->up;
	else if (key == '/')
		prompt_open(v, PROMPT_FILTER, "");
	else if (key == 'w')
		prompt_open(v, PROMPT_SAVE, "dtrace-live.txt");
	else if (key == 'o') {
		v->share = (v->share + 1) % NSHARES;
		v->text_back = 0;
	} else if (key == '?' || key == 'h')
		v->help = true;
	else if (key == 'q')
		v->quit = true;
}

void
keys_take(struct live_view *v, uint32_t key)
{
	if (key == KEYCODE_NONE)
		return;
	v->note[0] = '\0';
	if (v->prompt != PROMPT_NONE)
		prompt_key(v, key);
	else if (v->help && key != 'q')
		v->help = false;
	else if (!keys_move(v, key))
		keys_command(v, key);
	if (!view_order(v))
		snprintf(v->note, sizeof(v->note), "no memory is left");
}
