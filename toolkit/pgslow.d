#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pgslow - queries of PostgreSQL that take long, as they end
 *
 * Usage: dtrace run pgslow [MS [SECONDS]]
 *        dtrace run pgslow -p PID [MS [SECONDS]]
 * Needs: root; any user with -p
 * Args:  $1  milliseconds that a query must take to be shown (100)
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each query that took at least so many milliseconds, from when the
 * backend begins with it until it is idle or begins with another: the time of
 * its end, the backend, the milliseconds, and its text (256 bytes of it, or -x
 * strsize=N).
 *
 * All backends of all servers are seen that run a postgres with these probes,
 * as Debian's does; -p is one of them.
 *
 * See: pgquery, pgphases, pglocks
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

inline int LIMIT = $$1 == "" ? 100 : $1;

self uint64_t start;
self string text;

dtrace:::BEGIN
{
	printf("%-20s %7s %9s %s\n", "TIME", "PID", "TOOK(ms)", "QUERY");
}

postgresql*:::statement-status
/self->start && (arg0 == 0 || copyinstr(arg0) != self->text) &&
    timestamp - self->start >= LIMIT * 1000000/
{
	printf("%Y %7d %9d %S\n", walltimestamp, pid,
	    (timestamp - self->start) / 1000000, self->text);
}

postgresql*:::statement-status
/self->start && (arg0 == 0 || copyinstr(arg0) != self->text)/
{
	self->start = 0;
	self->text = 0;
}

postgresql*:::statement-status
/arg0 != 0 && !self->start && ($target == 0 || pid == $target)/
{
	self->start = timestamp;
	self->text = copyinstr(arg0);
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}
