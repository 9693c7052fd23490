/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockstat_prog.c - the D program of lockstat(1): for each event that is asked
 * for a clause on its probe, which adds up times by lock and stack.
 *
 * The aggregations of event N are @aN (count, or average), @qN (distribution)
 * and @rN (who had the lock); their keys are the lock, the stack and, with -T,
 * the time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lockstat.h"

#define CALLER_DEPTH 8 /* frames in which the caller is looked for */

const struct lock_event lock_events[LOCK_EVENTS] = {
	[0] = { "Adaptive mutex spin", .probe = "adaptive-spin" },
	[1] = { "Adaptive mutex block", .probe = "adaptive-block" },
	[2] = { "Spin lock spin", .probe = "spin-spin" },
	[3] = { "Thread lock spin" },
	[4] = { "R/W writer blocked by writer", .probe = "rw-block",
		.cond = "arg2 == 0 && arg3 == 1" },
	[5] = { "R/W writer blocked by readers", .probe = "rw-block",
		.cond = "arg2 == 0 && arg3 == 0", .refs = "arg4" },
	[6] = { "R/W reader blocked by writer", .probe = "rw-block",
		.cond = "arg2 != 0 && arg3 == 1" },
	[7] = { "R/W reader blocked by write wanted", .probe = "rw-block",
		.cond = "arg2 != 0 && arg3 == 0", .refs = "arg4" },
	/* Not of the tradition: readers/writer locks that do not sleep. */
	[8] = { "R/W writer spin", .probe = "rw-spin", .cond = "arg2 == 0" },
	[9] = { "R/W reader spin", .probe = "rw-spin", .cond = "arg2 != 0" },
	[32] = { "Adaptive mutex hold", "adaptive-acquire",
		 "adaptive-release" },
	/* Tracing takes spin locks itself: doc/decisions/0070. */
	[33] = { "Spin lock hold" },
	[34] = { "R/W writer hold", "rw-acquire", "rw-release",
		 .cond = "arg1 == 0" },
	[35] = { "R/W reader hold", "rw-acquire", "rw-release",
		 .cond = "arg1 != 0" },
	[LOCK_PROFILE] = { "Profiling interrupt", .probe = "profile" },
	/* -EDEADLK; the kernel's errors are negative. */
	[LOCK_ERROR] = { "Recursive lock entry detected",
			 .probe = "adaptive-acquire-error",
			 .cond = "(int)arg1 == -35" },
	[61] = { "Lock enter failure", .probe = "adaptive-acquire-error",
		 .cond = "(int)arg1 != -35" },
	[62] = { "Lock exit failure" },
	[LOCK_LOST] = { "Record failure", .probe = "" }, /* counted here */
};

int
lock_frames(const struct lockstat *l)
{
	return l->depth > CALLER_DEPTH ? l->depth : CALLER_DEPTH;
}

/* The predicate: condition of the event, locks of -l, what `more` says. */
static void
put_predicate(FILE *fp, const struct lockstat *l, const char *cond,
	      const char *more)
{
	fprintf(fp, "/%s", more);
	if (cond != NULL)
		fprintf(fp, " && %s", cond);
	for (int i = 0; i < l->nlocks; i++)
		fprintf(fp, "%sarg0 >= 0x%" PRIx64 " && arg0 < 0x%" PRIx64 "%s",
			i == 0 ? " && ((" : " || (", l->locks[i].from,
			l->locks[i].to, i == l->nlocks - 1 ? "))" : ")");
	fprintf(fp, "/\n");
}

static void
put_agg(FILE *fp, const struct lockstat *l, char kind, unsigned i,
	const char *lock, const char *value)
{
	fprintf(fp, "\t@%c%u[%s, stack(%d)%s] = %s;\n", kind, i, lock,
		lock_frames(l), l->trace ? ", timestamp" : "", value);
}

static void
put_aggs(FILE *fp, const struct lockstat *l, unsigned i)
{
	put_agg(fp, l, 'a', i, "arg0",
		l->gather == LOCK_COUNT ? "count()" : "avg(this->ns)");
	if (l->gather >= LOCK_HIST)
		put_agg(fp, l, 'q', i, "arg0", "quantize(this->ns)");
	if (lock_events[i].refs != NULL) {
		char sum[64];
		snprintf(sum, sizeof(sum), "sum(%s != 0 ? %s : 1)",
			 lock_events[i].refs, lock_events[i].refs);
		put_agg(fp, l, 'r', i, "arg0", sum);
	}
}

static void
put_wait(FILE *fp, const struct lockstat *l, unsigned i)
{
	const struct lock_event *ev = &lock_events[i];
	bool error = i >= LOCK_ERROR;
	char more[64] = "1";

	if (l->least != 0 && !error)
		snprintf(more, sizeof(more), "arg1 >= %" PRIu64, l->least);
	fprintf(fp, "lockstat:::%s\n", ev->probe);
	put_predicate(fp, l, ev->cond, more);
	fprintf(fp, "{\n\tthis->ns = %s;\n", error ? "0" : "arg1");
	put_aggs(fp, l, i);
	fprintf(fp, "}\n");
}

/* Of the locks that a thread has: many at once. */
static void
put_hold(FILE *fp, const struct lockstat *l, unsigned i)
{
	const struct lock_event *ev = &lock_events[i];
	char more[128];

	fprintf(fp, "lockstat:::%s\n", ev->begin);
	put_predicate(fp, l, ev->cond, "1");
	fprintf(fp, "{\n\tself->held%u[arg0] = timestamp;\n}\n", i);
	fprintf(fp, "lockstat:::%s\n", ev->probe);
	snprintf(more, sizeof(more),
		 "self->held%u[arg0] && timestamp - self->held%u[arg0] >= "
		 "%" PRIu64, i, i, l->least);
	put_predicate(fp, l, ev->cond, more);
	fprintf(fp, "{\n\tthis->ns = timestamp - self->held%u[arg0];\n", i);
	put_aggs(fp, l, i);
	fprintf(fp, "}\nlockstat:::%s\n", ev->probe);
	put_predicate(fp, l, ev->cond, "1");
	fprintf(fp, "{\n\tself->held%u[arg0] = 0;\n}\n", i);
}

static void
put_profile(FILE *fp, const struct lockstat *l, unsigned i)
{
	fprintf(fp, "profile-%d\n{\n", l->rate);
	put_agg(fp, l, 'a', i, "cpu", "count()");
	fprintf(fp, "}\n");
}

bool
lock_holds(const struct lockstat *l)
{
	for (unsigned i = 0; i < LOCK_EVENTS; i++)
		if (l->event[i] && lock_events[i].begin != NULL)
			return true;
	return false;
}

char *
lock_program(const struct lockstat *l)
{
	char *text = NULL;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	if (fp == NULL)
		return NULL;
	for (unsigned i = 0; i < LOCK_EVENTS; i++) {
		if (!l->event[i] || lock_events[i].probe == NULL ||
		    i == LOCK_LOST)
			continue;
		if (i == LOCK_PROFILE)
			put_profile(fp, l, i);
		else if (lock_events[i].begin != NULL)
			put_hold(fp, l, i);
		else
			put_wait(fp, l, i);
	}
	if (fclose(fp) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
