/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dtrace/probe.h> - probes in running programs for programs in C, without a
 * line of D: count how often a function runs, log its arguments, registers or
 * stack, or call a handler of one's own for each event.  Part of libdtrace
 * (-ldtrace); dtprobe(3).
 *
 *	dtprobe_t *p = dtprobe_add(&(dtprobe_spec_t){
 *		.pid = pid, .object = "libc.so.6", .function = "malloc",
 *		.want = DTPROBE_ARGS | DTPROBE_STACK,
 *		.handler = on_malloc }, err, sizeof(err));
 *	while (dtprobe_poll(p, 100) == 0)
 *		continue;
 *	dtprobe_remove(p);
 *
 * A probe is placed in the program itself where that is possible, which costs
 * some nanoseconds per event and needs no privilege but the right to trace the
 * process; else by the kernel, which needs the rights of dtrace(1).  Handlers
 * run in the calling process, in dtprobe_poll(), in order of time.  Several
 * probes may live at once, in one process or in several.  A probe is used by
 * one thread at a time, and removed by the one that added it.
 */
#ifndef DTRACE_PROBE_H
#define DTRACE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dtprobe dtprobe_t;

/* Where in the function. */
typedef enum {
	DTPROBE_ENTRY,	/* before its first instruction */
	DTPROBE_RETURN, /* before each ret: args[0] offset, args[1] value */
	DTPROBE_OFFSET	/* before the instruction `offset` bytes into it */
} dtprobe_at_t;

/* What an event carries, besides its time, thread and place. */
#define DTPROBE_COUNT 0x1u /* no events at all: dtprobe_count() only */
#define DTPROBE_ARGS  0x2u
#define DTPROBE_REGS  0x4u
#define DTPROBE_STACK 0x8u

#define DTPROBE_NARGS	6
#define DTPROBE_NREGS	21 /* in the order of uregs[] (d(5)) */
#define DTPROBE_NFRAMES 32

typedef struct dtprobe_event {
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns;	      /* CLOCK_MONOTONIC */
	const char *object, *function;
	uint64_t args[DTPROBE_NARGS]; /* with DTPROBE_ARGS; else 0 */
	uint64_t regs[DTPROBE_NREGS]; /* with DTPROBE_REGS; else 0 */
	uint64_t frames[DTPROBE_NFRAMES]; /* with DTPROBE_STACK: addresses */
	unsigned nframes;
} dtprobe_event_t;

/* Not 0: dtprobe_poll() returns it at once. */
typedef int dtprobe_handler_f(const dtprobe_event_t *ev, void *arg);

typedef struct dtprobe_spec {
	/* The process: a living one, or a program to start.  A started program
	   stands still until dtprobe_poll() is first called. */
	pid_t pid;
	char *const *argv;

	/* The place: object (NULL: the program itself; may be a pattern, as
	   may function: all that match), or, with function NULL, an address in
	   the process at which an instruction begins. */
	const char *object;
	const char *function;
	uint64_t address;
	dtprobe_at_t at;
	uint64_t offset;

	/* What to do: `want` for the handler (NULL: only counted), or a clause
	   in D, "/arg0 > 100/ { @ = quantize(arg0); }", whose output goes to
	   standard output as dtrace(1) prints it. */
	unsigned want;
	dtprobe_handler_f *handler;
	void *arg;
	const char *clause;

	const char *engine; /* "auto" (NULL), "process", "kernel" */
	size_t bufsize;	    /* bytes for events per thread; 0: 4 MB */
} dtprobe_spec_t;

/*
 * Put it in place.  NULL on failure, with one line in err (errlen bytes; may
 * be NULL).  The spec and its strings are not needed afterwards.
 */
dtprobe_t *dtprobe_add(const dtprobe_spec_t *spec, char *err, size_t errlen);

/*
 * Wait up to timeout_ms for events and call the handler for those there are.
 * 0: the process lives; 1: it has ended and all events have been handled;
 * -1: an error, see dtprobe_error(); or what the handler returned.
 */
int dtprobe_poll(dtprobe_t *p, int timeout_ms);

pid_t dtprobe_pid(const dtprobe_t *p);
/* How often it has fired, and how many events found no room. */
uint64_t dtprobe_count(dtprobe_t *p);
uint64_t dtprobe_drops(const dtprobe_t *p);
/* How many places the description matched. */
unsigned dtprobe_places(const dtprobe_t *p);
const char *dtprobe_error(const dtprobe_t *p);
/* With argv, after poll gave 1: the wait status, as waitpid(2) gives it. */
int dtprobe_status(const dtprobe_t *p);

/*
 * Take it out: the program's text is as it was, and the process runs on (a
 * started one too).  p is freed.  0, or -1: it could not be taken out now (a
 * debugger holds the process): it is silent, and removed when that ends.
 */
int dtprobe_remove(dtprobe_t *p);

#ifdef __cplusplus
}
#endif
#endif
