#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pgquery - queries of PostgreSQL: how often, and how long they take
 *
 * Usage: dtrace run pgquery [SECONDS]
 *        dtrace run pgquery -p PID [SECONDS]
 * Needs: root; any user with -p
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each text that clients sent: how often it was run, its time in all and
 * at most, from when the backend begins with it until it is idle or begins
 * with another. Texts are cut at strsize (256 bytes); prepared statements have
 * the text that they were prepared with, others the values as well.
 *
 * All backends of all servers are seen that run a postgres with these probes,
 * as Debian's does; -p is one of them.
 *
 * See: pgslow, pgphases, pglocks, pgxact
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option aggsortpos=1

self uint64_t start;
self string text;

postgresql*:::statement-status
/self->start && (arg0 == 0 || copyinstr(arg0) != self->text)/
{
	this->us = (timestamp - self->start) / 1000;
	@calls[self->text] = count();
	@sum[self->text] = sum(this->us);
	@max[self->text] = max(this->us);
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
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%8s %14s %14s  %s\n", "CALLS", "TIME(us)", "LONGEST(us)",
	    "QUERY");
	printa("%@8d %@14d %@14d  %S\n", @calls, @sum, @max);
}
