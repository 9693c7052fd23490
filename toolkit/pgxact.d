#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pgxact - transactions of PostgreSQL: how they end, how long they last
 *
 * Usage: dtrace run pgxact [SECONDS]
 *        dtrace run pgxact -p PID [SECONDS]
 * Needs: root; any user with -p
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each backend how many transactions it committed and aborted, and
 * histograms of the microseconds from the begin of a transaction to its end. A
 * transaction with BEGIN lasts until its COMMIT: long ones hold locks and keep
 * vacuum from its work. Each query without BEGIN is a transaction.
 *
 * All backends of all servers are seen that run a postgres with these probes,
 * as Debian's does; -p is one of them.
 *
 * See: pgquery, pglocks
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t start;

postgresql*:::transaction-start
/$target == 0 || pid == $target/
{
	self->start = timestamp;
}

postgresql*:::transaction-commit
/self->start/
{
	@us["commit"] = quantize((timestamp - self->start) / 1000);
	@commits[pid] = sum(1);
	@aborts[pid] = sum(0);
	@max[pid] = max((timestamp - self->start) / 1000);
	self->start = 0;
}

postgresql*:::transaction-abort
/self->start/
{
	@us["abort"] = quantize((timestamp - self->start) / 1000);
	@commits[pid] = sum(0);
	@aborts[pid] = sum(1);
	@max[pid] = max((timestamp - self->start) / 1000);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%s, us:%@d\n", @us);
	printf("%7s %10s %10s %14s\n", "PID", "COMMITS", "ABORTS",
	    "LONGEST(us)");
	printa("%7d %@10d %@10d %@14d\n", @commits, @aborts, @max);
}
