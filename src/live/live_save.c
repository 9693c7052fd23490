/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_save.c - the picture in a file: as it is on the screen, with all lines
 * of the table and all lines of text.  It is drawn some lines at a time.
 */
#include "live/live_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SAVE_ROWS 200
#define SAVE_COLS 100 /* at least: a file has no edge */

static void
save_rows(const struct live_canvas *c, int from, int n, FILE *fp)
{
	struct buf b = BUF_INIT;

	for (int i = from; i < from + n; i++) {
		canvas_text(c, i, &b);
		buf_putc(&b, '\n');
	}
	fputs(buf_str(&b), fp);
	buf_fini(&b);
}

static void
save_table(const struct live_view *v, struct live_canvas *c, FILE *fp)
{
	size_t lines = draw_lines(v);
	int n;

	draw_above(v, c);
	n = draw_table(v, c, DRAW_ABOVE, SAVE_ROWS, 0);
	save_rows(c, 0, DRAW_ABOVE + n, fp);
	for (size_t top = (size_t)n; top < lines && n > 0; top += (size_t)n) {
		canvas_blank(c);
		n = draw_table(v, c, DRAW_ABOVE, SAVE_ROWS, top);
		save_rows(c, DRAW_ABOVE, n, fp);
	}
}

static void
save_text(const struct live_view *v, FILE *fp)
{
	struct buf b = BUF_INIT;

	for (size_t i = v->text->n; i-- > 0;) {
		const struct live_line *l = text_line(v->text, i);
		clean_text(&b, l->p, l->n, v->utf8);
		buf_putc(&b, '\n');
	}
	if (v->text->n > 0)
		fprintf(fp, "\n%s", buf_str(&b));
	buf_fini(&b);
}

/* 0, or the errno. */
static int
save_to(const struct live_view *v, int fd)
{
	struct live_canvas c;
	FILE *fp = fdopen(fd, "w");
	int cols = v->cols > SAVE_COLS ? v->cols : SAVE_COLS;

	if (fp == NULL || !canvas_init(&c, DRAW_ABOVE + SAVE_ROWS, cols,
				       v->utf8)) {
		fp == NULL ? close(fd) : fclose(fp);
		return ENOMEM;
	}
	save_table(v, &c, fp);
	save_text(v, fp);
	canvas_fini(&c);
	int failed = ferror(fp) ? EIO : 0;
	return fclose(fp) != 0 ? errno : failed;
}

void
save_view(struct live_view *v, const char *file)
{
	/* A new file, so that nothing is lost by a name that was not meant. */
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int e = fd < 0 ? errno : save_to(v, fd);

	if (e == 0)
		snprintf(v->note, sizeof(v->note), "saved as %.100s", file);
	else
		snprintf(v->note, sizeof(v->note), "failed to save: %.60s: %s",
			 file, strerror(e));
}
