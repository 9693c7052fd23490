/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockstat.h - what the parts of lockstat(1) share: the events, what has been
 * asked for, and what was measured.
 */
#ifndef CMD_LOCKSTAT_H
#define CMD_LOCKSTAT_H

#include <dtrace/dtrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "lock_cmd.h"
#include "lock_rows.h"

/*
 * An event: the numbers that -e takes are the index.  A wait ends at `probe`,
 * and its second argument is how long it took; a hold begins at `begin` and
 * ends there.  `cond` is D that must hold at both.
 */
struct lock_event {
	const char *title;
	const char *begin, *probe; /* NULL: cannot be measured on Linux */
	const char *cond;
	const char *refs; /* D: how many have it; NULL: one */
};
#define LOCK_EVENTS 64
#define LOCK_PROFILE 56
#define LOCK_ERROR 60
#define LOCK_LOST 63
extern const struct lock_event lock_events[LOCK_EVENTS];

/* Addresses that -l and -f name. */
struct lock_range {
	const char *text; /* as it was given */
	uint64_t from, to;
};

enum lock_gather { LOCK_COUNT, LOCK_TIME, LOCK_HIST, LOCK_STACKS };

struct lockstat {
	struct lock_cmd c;
	bool event[LOCK_EVENTS];
	enum lock_gather gather;
	int depth; /* of stacks; 0: only the caller */
	int rate;  /* -i */
	uint64_t least; /* -d, ns */
	size_t records; /* -n */
	size_t top;	/* -D; 0: all */
	bool trace, coalesce, functions, generated, wherever, whichever;
	bool rates, parsable, by_time;
	struct lock_range *locks, *callers;
	int nlocks, ncallers;

	struct lock_rows rows[LOCK_EVENTS]; /* as they were measured */
	size_t nrows;
	uint64_t lost; /* records that there was no room for, and drops */
	bool nomem;
	double secs;
};

/* Frames that are kept: those asked for, or those to find the caller in. */
int lock_frames(const struct lockstat *l);
/* The program that measures, malloc'd; NULL: no memory. */
char *lock_program(const struct lockstat *l);
/* True if an event of it is a hold. */
bool lock_holds(const struct lockstat *l);
/* For dtrace_aggregate_walk(), arg is the struct lockstat: keep a row. */
int lock_collect(const dtrace_aggdata_t *d, void *arg);
/* A table for each event that has happened.  0, or -1: no memory. */
int lock_print(struct lockstat *l, FILE *fp);

#endif
