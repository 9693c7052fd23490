/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_patience.c - a sign of life while tracing is being started, or ended.
 *
 * Thousands of probes take seconds to be placed, and to be taken back.  Whoever
 * waits for that at a terminal is told after two seconds, or one, in a line
 * that is removed again.  Where the standard error output is no terminal
 * nothing is ever written.
 *
 * The line is written by a thread of its own, for the one that starts or ends
 * it is busy in the library; it makes no call of the library, and takes no
 * signal.
 *
 * Whoever waits for the first line of a running trace is told, once, that it
 * does run; with -v and a command, what goes on is said again and again.  That
 * is the loop's affair, which looks at the time.
 */
#include "cmd.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SILENCE_S  5	/* without a line: say that tracing goes on */
#define PROGRESS_S 10 /* ... between two lines of -v on that */

struct cmd_patience {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool over, told; /* under lock */
	const char *what;
	int seconds;
};

static void *
patience_wait(void *arg)
{
	struct cmd_patience *w = arg;
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += w->seconds;
	pthread_mutex_lock(&w->lock);
	while (!w->over && rc == 0)
		rc = pthread_cond_timedwait(&w->cond, &w->lock, &until);
	w->told = !w->over;
	if (w->told)
		fprintf(stderr, "%s: %s ...", cmd_name, w->what);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct cmd_patience *
cmd_patience_begin(const char *what, int seconds)
{
	struct cmd_patience *w;
	sigset_t all, had;

	if (!isatty(STDERR_FILENO))
		return NULL;
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->what = what;
	w->seconds = seconds;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->cond, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &had);
	int rc = pthread_create(&w->thread, NULL, patience_wait, w);
	pthread_sigmask(SIG_SETMASK, &had, NULL);
	if (rc == 0)
		return w;
	free(w);
	return NULL;
}

void
cmd_patience_end(struct cmd_patience *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->over = true;
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	if (w->told) /* to the start of the line, and clear it */
		fputs("\r\033[K", stderr);
	free(w);
}

/* ---- while tracing ------------------------------------------------------- */

static int64_t
patience_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int
patience_row(const dtrace_aggdata_t *data, void *arg)
{
	(void)data;
	++*(uint64_t *)arg;
	return DTRACE_AGGWALK_NEXT;
}

static void
tell_progress(struct cmd *c, int64_t seconds)
{
	uint64_t rows = 0;

	if (dtrace_aggregate_snap(c->dtp) != 0 ||
	    dtrace_aggregate_walk(c->dtp, patience_row, &rows) != 0)
		cmd_dfatal(c, "failed to read aggregations");
	cmd_notice(c, "%lld s: %d process%s of -c and -p run%s, %llu records, "
		   "%llu rows of aggregations", (long long)seconds, c->live,
		   c->live == 1 ? "" : "es", c->live == 1 ? "s" : "",
		   (unsigned long long)c->records, (unsigned long long)rows);
}

void
cmd_patience_look(struct cmd *c)
{
	int64_t now = patience_now_s();

	if (c->began == 0)
		c->began = c->told = now;
	if (c->quiet || c->screen != NULL || c->structured ||
	    !isatty(STDERR_FILENO) || !isatty(fileno(c->out)))
		return;
	if (c->verbose && c->nprocs > 0 && now - c->told >= PROGRESS_S) {
		c->told = now;
		tell_progress(c, now - c->began);
	}
	if (c->records > 0 || c->said_silence || now - c->began < SILENCE_S)
		return;
	c->said_silence = true;
	cmd_notice(c, "waiting on %u probe%s; nothing has been printed so "
		   "far%s", c->matches, c->matches == 1 ? "" : "s",
		   c->nprocs > 0 ? "" : " (^C ends it)");
}
