/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * malloc_watch.c - who asks a program for the most memory?
 *
 *	malloc_watch PID		until it ends, or for ten seconds
 *	malloc_watch PROGRAM [ARG ...]	until it ends
 *
 * A probe at the entry of malloc() hands size and stack of each call to
 * on_malloc() below, which adds up the sizes by caller; the ten callers that
 * asked for most are printed at the end.
 *
 *	cc malloc_watch.c -o malloc_watch $(pkg-config --cflags --libs dtrace)
 */
#include <dtrace/dtrace.h> /* only for the names of callers */
#include <dtrace/probe.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLERS 4096
#define SECONDS 10

struct caller {
	uint64_t pc, calls, bytes;
};

static struct caller callers[CALLERS];
static size_t ncallers;

static int
on_malloc(const dtprobe_event_t *ev, void *arg)
{
	/* Frame 0 is malloc itself. */
	uint64_t pc = ev->nframes > 1 ? ev->frames[1] : 0;
	size_t i = 0;

	while (i < ncallers && callers[i].pc != pc)
		i++;
	if (i == CALLERS)
		return -1; /* ends dtprobe_poll() */
	if (i == ncallers)
		callers[ncallers++].pc = pc;
	callers[i].calls++;
	callers[i].bytes += ev->args[0];
	return 0;
}

static int
by_bytes(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static void
report(dtprobe_t *p, dtrace_hdl_t *names)
{
	char name[256];

	qsort(callers, ncallers, sizeof(callers[0]), by_bytes);
	printf("%" PRIu64 " calls of malloc", dtprobe_count(p));
	if (dtprobe_drops(p) != 0)
		printf(", %" PRIu64 " of them not seen", dtprobe_drops(p));
	printf("\n%12s %12s  caller\n", "bytes", "calls");
	for (size_t i = 0; i < ncallers && i < 10; i++) {
		dtrace_uaddr2str(names, dtprobe_pid(p), callers[i].pc, name,
				 sizeof(name));
		printf("%12" PRIu64 " %12" PRIu64 "  %s\n", callers[i].bytes,
		       callers[i].calls, name);
	}
}

/* Until it ends, or `seconds` (0: for ever) are over. 0, or -1. */
static int
watch(dtprobe_t *p, time_t seconds)
{
	time_t end = time(NULL) + seconds;
	int rv = 0;

	while (rv == 0 && (seconds == 0 || time(NULL) < end))
		rv = dtprobe_poll(p, 100);
	if (rv >= 0)
		return 0;
	fprintf(stderr, "malloc_watch: %s\n",
		*dtprobe_error(p) != '\0' ? dtprobe_error(p) :
					    "too many callers");
	return -1;
}

int
main(int argc, char **argv)
{
	char err[256];
	int rv = 0;
	dtprobe_spec_t spec = { .object = "libc.so.6",
				.function = "malloc",
				.want = DTPROBE_ARGS | DTPROBE_STACK,
				.handler = on_malloc };

	if (argc < 2) {
		fprintf(stderr, "usage: malloc_watch PID | PROGRAM [ARG ...]\n");
		return 2;
	}
	spec.pid = argv[1][strspn(argv[1], "0123456789")] == '\0' ?
			   atoi(argv[1]) : 0;
	if (spec.pid == 0)
		spec.argv = argv + 1;
	dtrace_hdl_t *names = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &rv);
	if (names == NULL) {
		fprintf(stderr, "malloc_watch: %s\n", dtrace_errmsg(NULL, rv));
		return 1;
	}
	dtprobe_t *p = dtprobe_add(&spec, err, sizeof(err));
	if (p == NULL) {
		fprintf(stderr, "malloc_watch: %s\n", err);
		dtrace_close(names);
		return 1;
	}
	/* Symbols that are looked for while it lives can be had when it is
	   gone. */
	dtrace_uaddr2str(names, dtprobe_pid(p), 0, err, sizeof(err));
	rv = watch(p, spec.pid != 0 ? SECONDS : 0);
	report(p, names);
	if (dtprobe_remove(p) != 0)
		rv = -1;
	dtrace_close(names);
	return rv != 0;
}
