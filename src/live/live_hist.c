/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_hist.c - histograms: a line for each bucket from the first that is not
 * zero to the last, as dtrace prints them; the longest bar is as long as there
 * is room.
 */
#include "live/live_impl.h"

#include <inttypes.h>
#include <stdlib.h>

#define LABEL_COLS 14
#define COUNT_COLS 10
#define BAR_COLS   60 /* no longer, however wide the terminal */

size_t
hist_lines(const struct live_agg *a, const struct live_row *r)
{
	(void)a;
	return r->ncounts == 0 ? 0 : r->counts[r->ncounts - 1].bucket -
					     r->counts[0].bucket + 1;
}

/* The count of a bucket, and the greatest of all. */
static int64_t
hist_count(const struct live_row *r, uint32_t bucket, int64_t *most)
{
	int64_t found = 0;

	*most = 1;
	for (uint32_t i = 0; i < r->ncounts; i++) {
		int64_t n = r->counts[i].count;
		if (r->counts[i].bucket == bucket)
			found = n;
		if (n > *most)
			*most = n;
	}
	return found;
}

static void
hist_label(const struct live_bucket *b, char *out, size_t n)
{
	static const char *const form[] = {
		[BOUND_FROM] = "%" PRId64,
		[BOUND_LAST] = ">= %" PRId64,
		[BOUND_BELOW] = "< %" PRId64,
		[BOUND_UPTO] = "<= %" PRId64,
		[BOUND_NEARER] = "abs() < %" PRId64,
	};

	snprintf(out, n, form[b->bound <= BOUND_NEARER ? b->bound : 0],
		 b->value);
}

void
hist_draw(const struct live_agg *a, const struct live_row *r, size_t i,
	  struct live_canvas *c, int row)
{
	uint32_t bucket = r->counts[0].bucket + (uint32_t)i;
	int64_t most, n = hist_count(r, bucket, &most);
	char label[40];
	/* On a narrow terminal all three have a third. */
	int lab = c->cols >= 40 ? LABEL_COLS : c->cols / 3;
	int cnt = c->cols >= 40 ? COUNT_COLS : c->cols / 3;
	int bar = c->cols - lab - cnt - 3;

	hist_label(&a->buckets[bucket], label, sizeof(label));
	int len = (int)clean_columns(label);
	canvas_put(c, row, len < lab ? lab - len : 0, lab, LOOK_DIM, label);
	canvas_put(c, row, lab + 1, 1, LOOK_DIM, c->utf8 ? "\u2502" : "|");
	bar = bar > BAR_COLS ? BAR_COLS : bar;
	canvas_bar(c, row, lab + 2, bar, (double)n / (double)most);
	canvas_printf(c, row, lab + 3 + (bar > 0 ? bar : 0), cnt, LOOK_PLAIN,
		      "%" PRId64, n);
}
