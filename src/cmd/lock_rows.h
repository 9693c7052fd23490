/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lock_rows.h - rows of the tables of lockstat(1) and plockstat(1): what is
 * known of one lock, from one caller.
 */
#ifndef CMD_LOCK_ROWS_H
#define CMD_LOCK_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LOCK_BUCKETS 127 /* of quantize(): lower bounds -2^62 .. 0 .. 2^62 */
#define LOCK_ZERO 63

struct lock_row {
	char *lock, *stack; /* text; frames end with a newline each */
	uint32_t hash;	    /* of both */
	uint64_t count;
	int64_t sum;	/* ns */
	uint64_t refs;	/* holders, added up */
	uint64_t first;	/* when, of one event */
	/* What stands for a row that several have become: those of the one with
	   most events.  Not owned. */
	const char *hot_lock, *hot_stack;
	uint64_t *hist; /* LOCK_BUCKETS; NULL: none was given */
};

struct lock_rows {
	struct lock_row *v;
	size_t n, cap;
};

/* The row of a lock and a stack, made if it is not there; text is copied.
   NULL: no memory. */
struct lock_row *lock_rows_get(struct lock_rows *r, const char *lock,
			       const char *stack);
/* Take away the row that was made last. */
void lock_rows_pop(struct lock_rows *r);
/* Largest sum first. */
void lock_rows_sort(struct lock_rows *r);
void lock_rows_fini(struct lock_rows *r);
/* The lower bound of a quantize()'s bucket. */
int64_t lock_bucket_bound(int i);
/* Add a quantize()'s buckets.  0, or -1: no memory. */
int lock_row_hist(struct lock_row *row, const int64_t *cell, uint32_t n);
/*
 * Print the buckets that are not empty, and those between: bound, a bar of
 * `width` columns and `end`, count, and beside them the frames of the stack,
 * one a line.
 */
void lock_row_print_hist(const struct lock_row *row, const char *stack,
			 int width, const char *end, FILE *fp);

#endif
