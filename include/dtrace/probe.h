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
 * probes may live at once, in one process or in several.  A probe belongs to
 * the thread that added it.
 */
#ifndef DTRACE_PROBE_H
#define DTRACE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DTRACE_API
#if defined(__GNUC__)
#define DTRACE_API __attribute__((visibility("default")))
#else
#define DTRACE_API
#endif
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
#define DTPROBE_NREGS	21
#define DTPROBE_NFRAMES 32

/* Indexes of dtprobe_event.regs[], which are those of D's uregs[]. */
typedef enum {
	DTPROBE_R15, DTPROBE_R14, DTPROBE_R13, DTPROBE_R12, DTPROBE_RBP,
	DTPROBE_RBX, DTPROBE_R11, DTPROBE_R10, DTPROBE_R9, DTPROBE_R8,
	DTPROBE_RAX, DTPROBE_RCX, DTPROBE_RDX, DTPROBE_RSI, DTPROBE_RDI,
	DTPROBE_ERR, DTPROBE_RIP, DTPROBE_CS, DTPROBE_RFL, DTPROBE_RSP,
	DTPROBE_SS
} dtprobe_reg_t;

typedef struct dtprobe_event {
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	/* Of the probe: with an address the function is "-".  They are good
	   until the probe is removed; the rest while the handler runs. */
	const char *object, *function;
	/* With DTPROBE_ARGS, at an entry the first arguments, at a return as
	   above; elsewhere, and without it, 0. */
	uint64_t args[DTPROBE_NARGS];
	uint64_t regs[DTPROBE_NREGS];	  /* with DTPROBE_REGS; else 0 */
	uint64_t frames[DTPROBE_NFRAMES]; /* with DTPROBE_STACK: addresses,
					     innermost first */
	unsigned nframes;
} dtprobe_event_t;

/* Not 0: dtprobe_poll() returns it at once; the next call goes on behind this
   event.  It must not remove the probe. */
typedef int dtprobe_handler_f(const dtprobe_event_t *ev, void *arg);

typedef struct dtprobe_spec {
	/* The process: a living one, or a program to start, argv as for
	   execvp().  A started program stands still, its libraries loaded,
	   until dtprobe_poll() is first called. */
	pid_t pid;
	char *const *argv;

	/* The place: object (NULL: the program itself; may be a pattern, as
	   may function: all that match), or, with function NULL, an address in
	   the process at which an instruction begins. */
	const char *object;
	const char *function;
	uint64_t address;
	dtprobe_at_t at;
	uint64_t offset; /* with DTPROBE_OFFSET */

	/* What to do: `want` for the handler (NULL: only counted), or a clause
	   in D, "/arg0 > 100/ { @ = quantize(arg0); }", whose output goes to
	   standard output as dtrace(1) prints it, aggregations at the end. */
	unsigned want;
	dtprobe_handler_f *handler;
	void *arg;
	const char *clause;

	const char *engine; /* "auto" (NULL), "process", "kernel" */
	size_t bufsize;	    /* bytes for events per thread; 0: 4 MB */
} dtprobe_spec_t;

/*
 * Put it in place.  NULL on failure, with one line in err (errlen bytes; may
 * be NULL), and a program that was to be started is not.  The spec and its
 * strings are not needed afterwards.
 */
DTRACE_API dtprobe_t *dtprobe_add(const dtprobe_spec_t *spec, char *err,
				  size_t errlen);

/*
 * Wait up to timeout_ms (below 0: without end) for events and call the handler
 * for those there are.  Events arrive some milliseconds late, as those of all
 * threads are put in order.
 * 0: the process lives; 1: it has ended (or the clause called exit()) and all
 * events have been handled; -1: an error, see dtprobe_error(); or what the
 * handler returned.
 */
DTRACE_API int dtprobe_poll(dtprobe_t *p, int timeout_ms);

DTRACE_API pid_t dtprobe_pid(const dtprobe_t *p);
/* How often it has fired, up to now, whether there was room for the event or
   not; and how many events found no room, as of the last poll. */
DTRACE_API uint64_t dtprobe_count(dtprobe_t *p);
DTRACE_API uint64_t dtprobe_drops(const dtprobe_t *p);
/* How many functions (or addresses) the description matched; those of one
   name in one object are one. */
DTRACE_API unsigned dtprobe_places(const dtprobe_t *p);
/* The last error, one line; "" if there was none. */
DTRACE_API const char *dtprobe_error(const dtprobe_t *p);
/* After poll gave 1: the wait status, as waitpid(2) gives it.  -1: not ended;
   or not known, which may be so without argv. */
DTRACE_API int dtprobe_status(const dtprobe_t *p);

/*
 * Take it out: the program's text is as it was, and the process runs on (a
 * started one too, as the caller's child).  Events that were not polled are
 * lost; what a clause has not printed is printed.  p (may be NULL) is freed.
 * 0, or -1: it could not be taken out now (a debugger holds the process): it
 * is silent, and removed when that ends.
 */
DTRACE_API int dtprobe_remove(dtprobe_t *p);

#ifdef __cplusplus
}
#endif
#endif
