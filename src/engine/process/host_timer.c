/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_timer.c - the timer thread: ticks, and the reading of samples.
 *
 * One thread with one timerfd.  It sleeps until the next thing is due:
 *
 *   a tick site     at multiples of its period from the start, so that it does
 *                   not drift; of periods that were missed one is made good
 *   the rings       now and then, also before a tick fires, so that the records
 *                   of this slot are in order of time
 *   the threads     of the target, to find new ones
 *   a profile site  where samples are had by walking
 *
 * All signals are blocked in it: they are the consumer's.
 */
#include "engine/process/host_impl.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SCAN_NS    50000000u
#define PERIOD_MIN 200000u /* ns: what the provider allows */
#define STOP_PERIOD_MIN 1000000u /* of stacks of Python */

struct timer {
	struct host *h;
	uint64_t drain, scan; /* when due; UINT64_MAX: never */
};

/* ---- what is due --------------------------------------------------------- */

/* True if the site is due.  Then its next time is set, after now. */
static bool
site_due(struct host_site *s, uint64_t now)
{
	if (now < s->next)
		return false;
	s->next += ((now - s->next) / s->period + 1) * s->period;
	return true;
}

static void
fire_ticks(struct host *h, uint64_t now)
{
	for (size_t i = 0; i < h->ticks.n; i++)
		if (site_due(&h->ticks.v[i], now))
			host_fire(&h->ctx[1], h->ticks.v[i].probe,
				  h->ticks.v[i].site, NULL);
}

static void
fire_walks(struct host *h, uint64_t now)
{
	for (size_t i = 0; i < h->profiles.n; i++)
		if (site_due(&h->profiles.v[i], now))
			host_walk(h, &h->profiles.v[i]);
}

static void
timer_due(struct timer *t)
{
	struct host *h = t->h;
	uint64_t now = host_now();

	if (h->perf == NULL) {
		fire_walks(h, now);
	} else {
		if (now >= t->scan) {
			host_perf_scan(h);
			t->scan = now + SCAN_NS;
		}
		host_perf_drain(h);
		t->drain = host_now() + host_perf_interval(h);
	}
	fire_ticks(h, host_now());
}

static uint64_t
timer_next(const struct timer *t)
{
	const struct host *h = t->h;
	uint64_t next = t->drain < t->scan ? t->drain : t->scan;

	for (size_t i = 0; i < h->ticks.n; i++)
		if (h->ticks.v[i].next < next)
			next = h->ticks.v[i].next;
	for (size_t i = 0; i < h->profiles.n && h->perf == NULL; i++)
		if (h->profiles.v[i].next < next)
			next = h->profiles.v[i].next;
	return next;
}

/* ---- the thread ---------------------------------------------------------- */

/* Wait until `when`; false: it is time to end. */
static bool
timer_wait(const struct host *h, uint64_t when)
{
	struct itimerspec it = {
		.it_value = { .tv_sec = (time_t)(when / 1000000000u),
			      .tv_nsec = (long)(when % 1000000000u) },
	};
	struct pollfd fds[] = { { .fd = h->stop_fd, .events = POLLIN },
				{ .fd = h->timer_fd, .events = POLLIN } };

	/* Setting it makes the descriptor quiet; a time that is past is due at
	   once; the far future is none. */
	if (when > INT64_MAX)
		memset(&it, 0, sizeof(it));
	timerfd_settime(h->timer_fd, TFD_TIMER_ABSTIME, &it, NULL);
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0;
}

static void *
timer_main(void *arg)
{
	struct timer t = { .h = arg, .drain = UINT64_MAX, .scan = UINT64_MAX };

	if (t.h->perf != NULL)
		t.drain = t.scan = host_now();
	while (timer_wait(t.h, timer_next(&t)))
		timer_due(&t);
	if (t.h->perf != NULL)
		host_perf_drain(t.h);
	return NULL;
}

/* ---- start and stop ------------------------------------------------------ */

static void
sites_start(struct host_site *s, size_t n, uint64_t now)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i].period < PERIOD_MIN)
			s[i].period = PERIOD_MIN;
		s[i].next = now + s[i].period;
	}
}

/*
 * Frames of Python and Perl are read in the heap of a thread that stands still,
 * so such a thread is stopped for its stack, unless that would be too often: a
 * stop costs some 20 to 100 us.
 */
static bool
stops_for_python(const struct host *h, const char **note)
{
	if (h->stack == NULL ||
	    (h->in.unw->python.tss == 0 && h->in.unw->python.pl.key == 0))
		return false;
	for (size_t i = 0; i < h->profiles.n; i++)
		if (h->profiles.v[i].period < STOP_PERIOD_MIN) {
			*note = ", stacks without frames of Python or Perl: "
				"that "
				"takes 1000 samples a second at most";
			return false;
		}
	return true;
}

/* How samples are had; says so in h->how. */
static void
sampler_start(struct host *h)
{
	struct err e = { 0 };
	const char *note, *python = "";

	if (h->profiles.n == 0)
		return;
	if (stops_for_python(h, &python))
		snprintf(h->how, sizeof(h->how),
			 "stopping running threads (for frames of Python or "
			 "Perl)");
	else if (host_perf_open(h, &note, &e) == 0)
		snprintf(h->how, sizeof(h->how), "perf cpu-clock events%s%s",
			 note, python);
	else
		snprintf(h->how, sizeof(h->how),
			 "stopping running threads (%.100s)", e.msg);
}

static int
thread_start(struct host *h, struct err *e)
{
	sigset_t all, was;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	int rc = pthread_create(&h->thread, NULL, timer_main, h);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (rc != 0)
		return err_set(e, &ERR_GENERIC, rc,
			       "cannot start the thread of timers");
	h->running = true;
	return 0;
}

int
host_start(struct host *h, const char **how, struct err *e)
{
	uint64_t now = host_now();

	*how = NULL;
	if (h->ticks.n == 0 && h->profiles.n == 0)
		return 0;
	h->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	h->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (h->timer_fd < 0 || h->stop_fd < 0) {
		err_set(e, &ERR_GENERIC, errno, "cannot make a timer");
		host_stop(h);
		return -1;
	}
	sampler_start(h);
	sites_start(h->ticks.v, h->ticks.n, now);
	sites_start(h->profiles.v, h->profiles.n, now);
	if (thread_start(h, e) != 0) {
		host_stop(h);
		return -1;
	}
	if (h->profiles.n != 0)
		*how = h->how;
	return 0;
}

void
host_stop(struct host *h)
{
	if (h->running) {
		eventfd_write(h->stop_fd, 1);
		pthread_join(h->thread, NULL);
		h->running = false;
	}
	host_perf_close(h);
	if (h->timer_fd >= 0)
		close(h->timer_fd);
	if (h->stop_fd >= 0)
		close(h->stop_fd);
	h->timer_fd = h->stop_fd = -1;
}
