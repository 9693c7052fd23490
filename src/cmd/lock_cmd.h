/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lock_cmd.h - the frame of lockstat(1) and plockstat(1): a consumer that has
 * one program, runs it beside one process, and prints what has been added up
 * when that ends, a time is over, or a signal comes.
 */
#ifndef CMD_LOCK_CMD_H
#define CMD_LOCK_CMD_H

#include <dtrace/dtrace.h>
#include <stdbool.h>
#include <stdint.h>

struct lock_cmd {
	const char *name; /* of the command, before its messages */
	int status;	  /* when something fails */
	bool show;	  /* -V: print the program */
	/* The command's own probes make the kernel miss some: no loss. */
	bool misses_own;
	/* Behind "failed to enable tracing": of what, and what works; or NULL. */
	const char *cure;
	dtrace_hdl_t *dtp;
	unsigned matched; /* probes of the program */
	bool ended;    /* the process */
	bool harmed;   /* it died, perhaps of our probes */
	uint64_t lost; /* drops */
};

/* "lockstat: text: what the library says", and the end; fmt NULL: no text. */
_Noreturn void lock_cmd_fatal(struct lock_cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A handle, with handlers that warn on standard error. */
void lock_cmd_open(struct lock_cmd *c);
/* Set an option; val NULL: a flag. */
void lock_cmd_set(struct lock_cmd *c, const char *name, const char *val);
/* The same of -x, name[=value]; the text is cut at the sign. */
void lock_cmd_set_x(struct lock_cmd *c, char *arg);
/* Compile and enable a malloc'd program, which is freed; NULL: there was no
   memory for it.  flags: DTRACE_C_*. */
void lock_cmd_program(struct lock_cmd *c, char *text, unsigned flags);
/* Ends, with status, who may not trace the whole system; it says why that is
   wanted. */
void lock_cmd_must_watch(const struct lock_cmd *c, const char *why);
/*
 * Trace until the process ends, `most` seconds are over (0: there is no limit)
 * or a signal comes.  NULL for P, which dtrace_proc_create() or _grab() gave,
 * is fatal but for every: of all processes.  go: called when tracing has begun;
 * NULL: nothing is.  Returns how long it was, in seconds.
 */
double lock_cmd_run(struct lock_cmd *c, struct ps_prochandle *P, bool every,
		    double most, void (*go)(struct ps_prochandle *P));

#endif
