/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_wire.h - messages from dtrace to dtrace-live, which are of one build:
 * the numbers are as this machine has them.
 *
 * The first message is empty: now take the terminal.  Every other is its size
 * (u64, of what follows), and then
 *
 *	u64 time in ns   u64 time since tracing began   u64 records   u64 drops
 *	{ 'A' name function u8:histogram [u32 n { u8:kind i64:value }]
 *	  { 'R' u32:keys { u8 0 i64 | u8 1 text } i64:value i64:events
 *	        [u32 n { u32:bucket i64:count }] } }
 *	{ 'P' name u64:records }
 *	'.'
 *
 * events is what a rate is made of: what the function has counted; -1: it does
 * not count.  The buckets of a histogram stand in its 'A', rows have those that
 * are not zero.
 */
#ifndef LIVE_LIVE_WIRE_H
#define LIVE_LIVE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The most bytes of a message: more is a mistake. */
#define LIVE_MESSAGE_MAX (1ull << 30)

/* How the value of a bucket bounds what it counts: at and above it, up to the
   next bucket; all at and above it; all below; all at and below; all nearer to
   zero. */
enum live_bound { BOUND_FROM, BOUND_LAST, BOUND_BELOW, BOUND_UPTO,
		  BOUND_NEARER };

void wire_put_u8(struct buf *b, uint8_t v);
void wire_put_u32(struct buf *b, uint32_t v);
void wire_put_u64(struct buf *b, uint64_t v);
void wire_put_text(struct buf *b, const char *s);

/* What is read, and how far; bad: it ended too early. */
struct wire {
	const char *p, *end;
	bool bad;
};

/* 0 and "" when bad. */
uint8_t wire_u8(struct wire *w);
uint32_t wire_u32(struct wire *w);
uint64_t wire_u64(struct wire *w);
/* A text of *n bytes with a NUL behind them, which stays where it is. */
const char *wire_text(struct wire *w, size_t *n);

#endif
