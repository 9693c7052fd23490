/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live.h - the door of this room: a screen of what is being traced.
 *
 * The screen is a program of its own, dtrace-live, between dtrace(1) and the
 * terminal:
 *
 *	dtrace --live ──pictures (live_send.c)──▶ dtrace-live ──▶ terminal
 *	       └─────── text, as it prints it ──────▶    ◀── keys
 *
 * About once a second dtrace looks at its aggregations and sends what there is,
 * as one message.  All that follows (rates, order, filters, bars) is the
 * screen's work, and so is the library that knows terminals: dtrace has none of
 * it.
 *
 *	live_wire.c	numbers and texts to bytes and back: both programs
 *	live_send.c	dtrace's side: aggregations and counts of records
 *	live_frame.c	a message as aggregations, rows and rates
 *	live_order.c	... which of them are wanted, and in which order
 *	live_text.c	the last lines of text
 *	live_clean.c	any bytes as what a terminal may be given
 *	live_canvas.c	a grid of characters; live_draw.c: what is on it
 *	live_hist.c	... histograms
 *	live_keys.c	what keys do
 *	live_screen.c	the canvas on a terminal, by ncurses
 *	live_save.c	... in a file
 *	live_main.c	who waits for what
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "dtrace/dtrace.h"

struct live_send;

/* NULL: no memory. */
struct live_send *live_send_new(void);
void live_send_free(struct live_send *s);
/* A record of that probe has been consumed; data was lost. */
void live_send_record(struct live_send *s, const dtrace_probedesc_t *pd);
void live_send_drops(struct live_send *s, uint64_t n);
/*
 * Write a message with all there is to fd, if it is time for one.  0; -1: the
 * library has failed (dtrace_errno()); an errno: writing has.  EPIPE means that
 * the screen is gone.
 */
int live_send_look(struct live_send *s, dtrace_hdl_t *dtp, int fd);

#endif
