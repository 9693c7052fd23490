/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* lock_cmd.c - see lock_cmd.h. */
#include "lock_cmd.h"
#include "plain.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void
lock_cmd_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

void
lock_cmd_fatal(struct lock_cmd *c, const char *fmt, ...)
{
	const bool more = c->dtp != NULL && dtrace_errno(c->dtp) != 0;
	va_list ap;

	fprintf(stderr, "%s: ", c->name);
	va_start(ap, fmt);
	if (fmt != NULL)
		plain_vprint(stderr, fmt, ap);
	va_end(ap);
	if (more)
		plain_print(stderr, "%s%s", fmt != NULL ? ": " : "",
			    dtrace_errmsg(c->dtp, dtrace_errno(c->dtp)));
	fputc('\n', stderr);
	if (c->dtp != NULL)
		dtrace_close(c->dtp);
	exit(c->status);
}

/* ---- handlers ------------------------------------------------------------ */

static int
lock_cmd_proc(struct ps_prochandle *P, const char *msg, void *arg)
{
	struct lock_cmd *c = arg;
	int wstatus = dtrace_proc_wstatus(P);
	const char *sig = NULL;

	if (wstatus != -1 && WIFSIGNALED(wstatus))
		sig = sigabbrev_np(WTERMSIG(wstatus));
	if (sig != NULL)
		fprintf(stderr, "%s: process %d was terminated by SIG%s\n",
			c->name, (int)dtrace_proc_pid(P), sig);
	/* It may have been our doing. */
	if (msg != NULL) {
		plain_print(stderr, "%s: %s\n", c->name, msg);
		c->harmed = true;
	}
	c->ended = true;
	return DTRACE_HANDLE_OK;
}

static int
lock_cmd_drop(const dtrace_dropdata_t *d, void *arg)
{
	struct lock_cmd *c = arg;

	if (c->misses_own && d->dtdda_kind == DTRACEDROP_MISSED)
		return DTRACE_HANDLE_OK;
	c->lost += d->dtdda_drops;
	fprintf(stderr, "%s: warning: %s", c->name, d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
lock_cmd_error(const dtrace_errdata_t *d, void *arg)
{
	const struct lock_cmd *c = arg;

	fprintf(stderr, "%s: warning: %s", c->name, d->dteda_msg);
	return DTRACE_HANDLE_OK;
}

void
lock_cmd_open(struct lock_cmd *c)
{
	int err;

	c->dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (c->dtp == NULL)
		lock_cmd_fatal(c, "failed to initialize dtrace: %s",
			       dtrace_errmsg(NULL, err));
	if (dtrace_handle_err(c->dtp, lock_cmd_error, c) != 0 ||
	    dtrace_handle_drop(c->dtp, lock_cmd_drop, c) != 0 ||
	    dtrace_handle_proc(c->dtp, lock_cmd_proc, c) != 0)
		lock_cmd_fatal(c, "failed to establish handlers");
}

/* True if it may trace the whole system, or that is not known: what fails then
   says why. */
static bool
may_watch(void)
{
	static const unsigned perfmon = 38, bpf = 39; /* newer than some
							 headers */
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d) != 0)
		return true;
	return (d[0].effective >> CAP_SYS_ADMIN & 1) != 0 ||
	       ((d[1].effective >> (perfmon - 32) & 1) != 0 &&
		(d[1].effective >> (bpf - 32) & 1) != 0);
}

void
lock_cmd_must_watch(const struct lock_cmd *c, const char *why)
{
	if (may_watch())
		return;
	fprintf(stderr, "%s: %s: that needs root, or CAP_BPF and CAP_PERFMON\n",
		c->name, why);
	exit(c->status);
}

/* ---- what is to be done -------------------------------------------------- */

void
lock_cmd_set(struct lock_cmd *c, const char *name, const char *val)
{
	if (dtrace_setopt(c->dtp, name, val) != 0)
		lock_cmd_fatal(c, "failed to set -x %s", name);
}

void
lock_cmd_set_x(struct lock_cmd *c, char *arg)
{
	char *val = strchr(arg, '=');

	if (val != NULL)
		*val++ = '\0';
	lock_cmd_set(c, arg, val);
}

void
lock_cmd_program(struct lock_cmd *c, char *text, unsigned flags)
{
	dtrace_proginfo_t info;
	dtrace_prog_t *prog;

	if (text == NULL)
		lock_cmd_fatal(c, "no memory");
	if (c->show)
		fprintf(stderr,
			"%s: vvvv D program vvvv\n%s%s: ^^^^ D program ^^^^\n",
			c->name, text, c->name);
	prog = dtrace_program_strcompile(c->dtp, text, DTRACE_PROBESPEC_NAME,
					 flags, 0, NULL);
	free(text);
	if (prog == NULL)
		lock_cmd_fatal(c, "failed to compile program");
	if (dtrace_program_exec(c->dtp, prog, &info) != 0)
		lock_cmd_fatal(c, "failed to enable probes");
	c->matched = info.dpi_matches;
}

/* ---- running ------------------------------------------------------------- */

static double
lock_cmd_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
lock_cmd_signals(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	struct sigaction sa = { .sa_handler = lock_cmd_signal };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		sigaction(sigs[i], &sa, NULL);
}

/* The time that is over is a signal, too.  It begins when tracing has begun:
   that may take longer. */
static void
lock_cmd_arm(struct lock_cmd *c, double most)
{
	struct itimerspec it = { .it_value.tv_sec = (time_t)most };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGALRM };
	timer_t timer;

	it.it_value.tv_nsec =
		(long)((most - (double)it.it_value.tv_sec) * 1e9);
	if (most > 0 && (timer_create(CLOCK_MONOTONIC, &ev, &timer) != 0 ||
			 timer_settime(timer, 0, &it, NULL) != 0))
		lock_cmd_fatal(c, "cannot make a timer");
}

/* What a probe without a place would have seen is missing from the tables. */
static void
tell_no_place(struct lock_cmd *c)
{
	const char *s =
		dtrace_left_out(c->dtp) != 0 ? dtrace_engines(c->dtp) : "";

	for (size_t n; *s != '\0'; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		if (memmem(s, n, ": left out: ", 12) != NULL)
			fprintf(stderr, "%s: %.*s\n", c->name, (int)n, s);
	}
}

double
lock_cmd_run(struct lock_cmd *c, struct ps_prochandle *P, bool every,
	     double most, void (*go)(struct ps_prochandle *P))
{
	double start, end = 0;
	dtrace_workstatus_t st;

	if (P == NULL && !every)
		lock_cmd_fatal(c, NULL);
	lock_cmd_signals();
	if (dtrace_go(c->dtp) != 0)
		lock_cmd_fatal(c, "failed to enable tracing%s",
			       c->cure != NULL ? c->cure : "");
	tell_no_place(c);
	start = lock_cmd_now();
	if (P != NULL)
		dtrace_proc_continue(c->dtp, P);
	lock_cmd_arm(c, most);
	if (go != NULL)
		go(P);
	do {
		if (!interrupted && !c->ended)
			dtrace_sleep(c->dtp);
		if (interrupted || c->ended) {
			/* nothing counts from here; taking back takes time */
			end = end != 0 ? end : lock_cmd_now();
			if (dtrace_stop(c->dtp) != 0)
				lock_cmd_fatal(c, "couldn't stop tracing");
		}
		st = dtrace_work(c->dtp, stdout, NULL, NULL, NULL);
	} while (st == DTRACE_WORKSTATUS_OKAY);
	if (st != DTRACE_WORKSTATUS_DONE)
		lock_cmd_fatal(c, "processing aborted");
	return (end != 0 ? end : lock_cmd_now()) - start;
}
