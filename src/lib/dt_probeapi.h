/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_probeapi.h - behind <dtrace/probe.h>: a probe is a small consumer.
 *
 *   dt_probeapi.c       adding and removing: what is said of a probe becomes a
 *			 program, in a handle of its own
 *   dt_probeapi_poll.c  running: records become events, counts, the end
 *
 * It uses nothing of the library but what <dtrace/dtrace.h> offers, as any
 * consumer could.  These are the clauses at its place:
 *
 *	{ @dtprobe_n = count(); }
 *	{ trace(pid); trace(tid);		if there is a handler
 *	  trace(arg0); ... trace(arg5);		DTPROBE_ARGS
 *	  trace(uregs[0]); ...			DTPROBE_REGS
 *	  ustack(32); }				DTPROBE_STACK
 *	the caller's
 *
 * The count is in a clause of its own, as a clause whose record finds no room
 * does nothing.
 */
#ifndef LIB_DT_PROBEAPI_H
#define LIB_DT_PROBEAPI_H

#include <stdbool.h>

#include "dtrace/dtrace.h"
#include "dtrace/probe.h"

#define PROBEAPI_AGG "dtprobe_n"

/*
 * LIVE ──▶ STOPPED ──▶ DONE
 *
 * STOPPED: the process has ended, and not all of its events have been handled.
 */
enum probeapi_state { PROBEAPI_LIVE, PROBEAPI_STOPPED, PROBEAPI_DONE };

/* Owned by the caller of dtprobe_add(). */
struct dtprobe {
	struct dtprobe *next; /* among the living (dt_probeapi.c) */
	dtrace_hdl_t *dtp;
	struct ps_prochandle *proc;
	pid_t pid;
	bool in_process; /* by the process engine; else the kernel's */
	bool let_go;	 /* the first poll has been */
	bool has_clause;
	enum probeapi_state state;
	bool ended; /* the process; its status is in status */
	int status;

	unsigned want, nargs; /* what a record has */
	dtprobe_handler_f *handler;
	void *arg;
	int answer;	/* of the handler, if it ended the poll */
	unsigned nseen; /* events of this poll */
	dtprobe_event_t ev;

	uint64_t count, drops;
	unsigned places;
	char err[512];
};

/* Set the error, as one line; always -1. */
int probeapi_fail(struct dtprobe *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The handle's last error; always -1. */
int probeapi_fail_dtp(struct dtprobe *p);

/* dt_probeapi_poll.c */
/* The handlers of a new handle. 0 / -1. */
int probeapi_listen(struct dtprobe *p);
/* All is over: take the last counts, and print what a clause has left. */
void probeapi_finish(struct dtprobe *p);

/* After dtrace_stop() (dt_run.c): true if something of ours is still in a
   process, to be taken out as soon as that can be done. */
bool dt_engines_left(const dtrace_hdl_t *dtp);

#endif
