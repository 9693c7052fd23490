/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_loss.c - what was lost while it was recorded, for pictures to say: one
 * that lacks half of the data looks as complete as any other.
 */
#include "show/show.h"

#include <stdio.h>
#include <string.h>

void
show_loss_note(struct show_losses *l, const struct show_note *n)
{
	size_t i = 0;

	if (strcmp(n->kind, "HINT") == 0 && l->nhints < SHOW_HINTS_MAX)
		snprintf(l->hints[l->nhints++], sizeof(l->hints[0]), "%s",
			 n->msg);
	if (strcmp(n->kind, "DROP") != 0)
		return;
	while (i < l->n && strcmp(l->v[i].what, n->what) != 0)
		i++;
	if (i == SHOW_LOSSES_MAX)
		return;
	if (i == l->n)
		snprintf(l->v[l->n++].what, sizeof(l->v[0].what), "%s",
			 n->what);
	l->v[i].count = show_add(l->v[i].count, n->count);
}

/* "AGGREGATION" as "aggregation". */
static void
put_lower(struct buf *b, const char *s)
{
	for (; *s != '\0'; s++)
		buf_putc(b, *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a')
						   : *s);
}

const char *
show_loss_text(struct buf *b, const struct show_losses *l)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_puts(b, i == 0 ? "Incomplete: drops (" : ", ");
		put_lower(b, l->v[i].what);
		if (l->v[i].count > 0)
			buf_printf(b, " %lld", (long long)l->v[i].count);
	}
	buf_puts(b, l->n > 0 ? ")" : "");
	for (size_t i = 0; i < l->nhints; i++)
		buf_printf(b, "; %s", l->hints[i]);
	return show_text(b);
}
