/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lock_rows.c - rows by lock and stack, with their histograms.
 */
#include "lock_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, so that most rows need not be compared. */
static uint32_t
row_hash(uint32_t h, const char *s)
{
	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static struct lock_row *
rows_find(struct lock_rows *r, uint32_t hash, const char *lock,
	  const char *stack)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].hash == hash && strcmp(r->v[i].lock, lock) == 0 &&
		    strcmp(r->v[i].stack, stack) == 0)
			return &r->v[i];
	return NULL;
}

static int
rows_room(struct lock_rows *r)
{
	size_t cap = r->cap != 0 ? 2 * r->cap : 64;
	struct lock_row *v;

	if (r->n < r->cap)
		return 0;
	v = realloc(r->v, cap * sizeof(*v));
	if (v == NULL)
		return -1;
	r->v = v;
	r->cap = cap;
	return 0;
}

struct lock_row *
lock_rows_get(struct lock_rows *r, const char *lock, const char *stack)
{
	uint32_t hash = row_hash(row_hash(2166136261u, lock), stack);
	struct lock_row *row = rows_find(r, hash, lock, stack);

	if (row != NULL)
		return row;
	if (rows_room(r) != 0)
		return NULL;
	row = &r->v[r->n];
	*row = (struct lock_row){ .lock = strdup(lock),
				  .stack = strdup(stack),
				  .hash = hash };
	if (row->lock == NULL || row->stack == NULL) {
		free(row->lock);
		free(row->stack);
		return NULL;
	}
	r->n++;
	return row;
}

static int
row_cmp(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->lock, y->lock);
}

void
lock_rows_sort(struct lock_rows *r)
{
	if (r->n != 0)
		qsort(r->v, r->n, sizeof(*r->v), row_cmp);
}

void
lock_rows_pop(struct lock_rows *r)
{
	struct lock_row *row = &r->v[--r->n];

	free(row->lock);
	free(row->stack);
	free(row->hist);
}

void
lock_rows_fini(struct lock_rows *r)
{
	while (r->n != 0)
		lock_rows_pop(r);
	free(r->v);
	*r = (struct lock_rows){ 0 };
}

int
lock_row_hist(struct lock_row *row, const int64_t *cell, uint32_t n)
{
	if (row->hist == NULL)
		row->hist = calloc(LOCK_BUCKETS, sizeof(*row->hist));
	if (row->hist == NULL)
		return -1;
	for (uint32_t i = 0; i < n && i < LOCK_BUCKETS; i++)
		row->hist[i] += (uint64_t)cell[i];
	return 0;
}

/* ---- histograms ---------------------------------------------------------- */

int64_t
lock_bucket_bound(int i)
{
	if (i == LOCK_ZERO)
		return 0;
	return i > LOCK_ZERO ? (int64_t)(1ull << (i - LOCK_ZERO - 1))
			     : -(int64_t)(1ull << (LOCK_ZERO - 1 - i));
}

void
lock_row_print_hist(const struct lock_row *row, const char *stack, int width,
		    const char *end, FILE *fp)
{
	const char *s = stack;
	uint64_t total = 0;
	int first = LOCK_BUCKETS, last = -1;

	for (int i = 0; row->hist != NULL && i < LOCK_BUCKETS; i++) {
		total += row->hist[i];
		if (row->hist[i] == 0)
			continue;
		first = i < first ? i : first;
		last = i;
	}
	for (int i = first; i <= last || *s != '\0'; i++) {
		int n = (int)strcspn(s, "\n"); /* of this frame */

		if (i <= last) {
			int bar = (int)(row->hist[i] * (uint64_t)width / total);
			fprintf(fp, "%10" PRId64 " |", lock_bucket_bound(i));
			for (int k = 0; k < width; k++)
				fputc(k < bar ? '@' : ' ', fp);
			fprintf(fp, "%s %5" PRIu64 " ", end, row->hist[i]);
		} else {
			fprintf(fp, "%*s", width + 19 + (int)strlen(end), "");
		}
		fprintf(fp, "%.*s\n", n, s);
		s += n + (s[n] == '\n');
	}
}
