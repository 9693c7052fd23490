/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_screen.c - the canvas on a terminal, by ncurses, which knows terminals
 * and sends only what has changed.
 */
#include "live/live_impl.h"

#include <ncurses.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

static SCREEN *screen;
static FILE *screen_out;
static bool screen_left; /* it has been given back, for now */

/* ---- looks --------------------------------------------------------------- */

/* A colour of 256, one of 8, -1: none; and what else, also without colours. */
static const struct {
	short many, few;
	attr_t attr;
} looks[NLOOKS] = {
	[LOOK_PLAIN] = { -1, -1, A_NORMAL },
	[LOOK_TITLE] = { -1, -1, A_REVERSE },
	[LOOK_HEAD] = { -1, -1, A_BOLD },
	[LOOK_BAR] = { 73, COLOR_CYAN, A_NORMAL },
	[LOOK_DIM] = { 245, -1, A_NORMAL },
	[LOOK_CHOSEN] = { -1, -1, A_REVERSE | A_BOLD },
	[LOOK_WARN] = { 208, COLOR_YELLOW, A_BOLD },
};

static void
screen_colours(struct live_view *v)
{
	v->colour = v->colour && has_colors() && start_color() == OK &&
		    use_default_colors() == OK;
	for (int i = 0; v->colour && i < NLOOKS; i++)
		init_pair((short)(i + 1),
			  COLORS >= 256 ? looks[i].many : looks[i].few, -1);
}

/* ---- the terminal -------------------------------------------------------- */

void
screen_size(struct live_view *v)
{
	struct winsize w;

	if (ioctl(fileno(screen_out), TIOCGWINSZ, &w) == 0 && w.ws_row > 0 &&
	    w.ws_col > 0)
		resizeterm(w.ws_row, w.ws_col);
	getmaxyx(stdscr, v->rows, v->cols);
}

bool
screen_known(void)
{
	int err;

	if (setupterm(NULL, STDOUT_FILENO, &err) != OK)
		return false;
	const char *move_to = tigetstr("cup");
	bool known = move_to != NULL && move_to != (const char *)-1;
	del_curterm(cur_term);
	return known;
}

bool
screen_open(FILE *out, FILE *in, struct live_view *v)
{
	screen = newterm(NULL, out, in);
	if (screen == NULL)
		return false;
	set_term(screen);
	screen_out = out;
	screen_colours(v);
	cbreak(); /* ^C stays a signal, which is dtrace's affair */
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	screen_size(v);
	return true;
}

void
screen_leave(void)
{
	endwin();
	screen_left = true;
}

void
screen_return(struct live_view *v)
{
	screen_size(v);
	/* What others have written there is not what was drawn last. */
	clearok(curscr, TRUE);
	refresh();
	screen_left = false;
}

void
screen_close(void)
{
	if (screen == NULL)
		return;
	if (!screen_left)
		endwin();
	delscreen(screen);
	screen = NULL;
}

/* ---- drawing ------------------------------------------------------------- */

/* Cells of one look are written at once. */
static void
screen_row(const struct live_view *v, const struct live_canvas *c, int row,
	   wchar_t *run)
{
	const struct live_cell *cells = &c->cells[row * c->cols];

	move(row, 0);
	for (int i = 0; i < c->cols;) {
		uint8_t look = cells[i].look;
		int n = 0;
		for (; i < c->cols && cells[i].look == look; i++)
			if (cells[i].ch != 0)
				run[n++] = (wchar_t)cells[i].ch;
		attr_set(looks[look].attr, v->colour ? look + 1 : 0, NULL);
		addnwstr(run, n);
	}
}

void
screen_draw(struct live_view *v)
{
	struct live_canvas c;
	wchar_t *run = calloc((size_t)v->cols + 1, sizeof(*run));

	if (run == NULL || !canvas_init(&c, v->rows, v->cols, v->utf8)) {
		free(run);
		return; /* the picture stays as it was */
	}
	draw_screen(v, &c);
	for (int i = 0; i < c.rows; i++)
		screen_row(v, &c, i, run);
	refresh();
	canvas_fini(&c);
	free(run);
}

/* ---- keys ---------------------------------------------------------------- */

uint32_t
screen_key(void)
{
	static const struct {
		wint_t is;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, KEYCODE_UP }, { KEY_DOWN, KEYCODE_DOWN },
		{ KEY_PPAGE, KEYCODE_PAGEUP }, { KEY_NPAGE, KEYCODE_PAGEDOWN },
		{ KEY_HOME, KEYCODE_HOME }, { KEY_END, KEYCODE_END },
		{ KEY_RIGHT, KEYCODE_NEXT }, { KEY_LEFT, KEYCODE_BEFORE },
		{ KEY_BTAB, KEYCODE_BEFORE }, { KEY_BACKSPACE, KEYCODE_RUBOUT },
		{ KEY_ENTER, '\n' },
	};
	wint_t ch;
	int rc = get_wch(&ch);

	if (rc == OK)
		return (uint32_t)ch;
	for (size_t i = 0; rc == KEY_CODE_YES &&
			   i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].is == ch)
			return keys[i].key;
	return rc == KEY_CODE_YES ? KEYCODE_OTHER : KEYCODE_NONE;
}
