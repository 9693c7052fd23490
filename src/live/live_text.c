/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_text.c - the last lines of what dtrace and its command have printed.
 *
 * There are two sources, each with a line that may not have ended yet.  A line
 * that has grown too long is cut there, and goes on as another.
 */
#include "live/live_impl.h"

#include <stdlib.h>
#include <string.h>

struct live_text *
text_new(void)
{
	return calloc(1, sizeof(struct live_text));
}

void
text_free(struct live_text *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->lines[(t->first + i) % TEXT_LINES].p);
	buf_fini(&t->open[0]);
	buf_fini(&t->open[1]);
	free(t);
}

/* The open line of the source becomes the last one. */
static void
text_push(struct live_text *t, struct buf *open)
{
	struct live_line line = { .n = open->n };

	line.p = buf_detach(open);
	if (line.p == NULL)
		return; /* no memory: the line is lost */
	if (t->n == TEXT_LINES) {
		free(t->lines[t->first].p);
		t->first = (t->first + 1) % TEXT_LINES;
		t->n--;
	}
	t->lines[(t->first + t->n++) % TEXT_LINES] = line;
	t->total++;
}

void
text_add(struct live_text *t, int source, const char *p, size_t n)
{
	struct buf *open = &t->open[source];

	while (n > 0) {
		size_t room = TEXT_LINE - open->n, k = n < room ? n : room;
		const char *nl = memchr(p, '\n', k);
		if (nl != NULL)
			k = (size_t)(nl - p);
		buf_write(open, p, k);
		p += k + (nl != NULL);
		n -= k + (nl != NULL);
		if (nl != NULL || open->n >= TEXT_LINE || open->failed)
			text_push(t, open);
	}
}

void
text_end(struct live_text *t)
{
	for (int i = 0; i < 2; i++)
		if (t->open[i].n > 0)
			text_push(t, &t->open[i]);
}

const struct live_line *
text_line(const struct live_text *t, size_t i)
{
	return i >= t->n ? NULL :
	       &t->lines[(t->first + t->n - 1 - i) % TEXT_LINES];
}
