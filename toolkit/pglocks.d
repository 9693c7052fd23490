#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pglocks - locks that backends of PostgreSQL wait for, and how long
 *
 * Usage: dtrace run pglocks [SECONDS]
 *        dtrace run pglocks -p PID [SECONDS]
 * Needs: root; any user with -p
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each wait for a lock on a table, row or transaction, when it
 * ends: the backend, the milliseconds, the kind of lock (as in pg_locks), the
 * database and relation as OIDs (select oid::regclass names them) or for a
 * transaction its number, and the mode from 1 (AccessShareLock) to 8
 * (AccessExclusiveLock). Then, for the lightweight locks within the server,
 * how often one was waited for, how long in all and at most. A deadlock has a
 * line of its own.
 *
 * All backends of all servers are seen that run a postgres with these probes,
 * as Debian's does; -p is one of them.
 *
 * See: pgquery, pgxact, pgslow
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self uint64_t start;
self uint64_t light;

dtrace:::BEGIN
{
	kind[0] = "relation";
	kind[1] = "extend";
	kind[2] = "frozenid";
	kind[3] = "page";
	kind[4] = "tuple";
	kind[5] = "transactionid";
	kind[6] = "virtualxid";
	kind[7] = "spectoken";
	kind[8] = "object";
	kind[9] = "userlock";
	kind[10] = "advisory";
	printf("%7s %10s %-14s %10s %10s %5s\n", "PID", "WAIT(ms)", "KIND",
	    "DATABASE", "OBJECT", "MODE");
}

postgresql*:::lock-wait-start
/$target == 0 || pid == $target/
{
	self->start = timestamp;
}

postgresql*:::lock-wait-done
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	printf("%7d %6d.%03d %-14s %10d %10d %5d\n", pid, this->us / 1000,
	    this->us % 1000, arg4 <= 10 ? kind[arg4] : "?",
	    arg4 == 5 || arg4 == 6 ? 0 : arg0, arg4 == 5 ? arg0 : arg1, arg5);
	self->start = 0;
}

postgresql*:::deadlock-found
/$target == 0 || pid == $target/
{
	printf("%7d deadlock\n", pid);
}

postgresql*:::lwlock-wait-start
/$target == 0 || pid == $target/
{
	self->light = timestamp;
}

postgresql*:::lwlock-wait-done
/self->light/
{
	this->us = (timestamp - self->light) / 1000;
	@waits[copyinstr(arg0)] = count();
	@sum[copyinstr(arg0)] = sum(this->us);
	@max[copyinstr(arg0)] = max(this->us);
	self->light = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("\n%8s %14s %14s  %s\n", "WAITS", "TIME(us)", "LONGEST(us)",
	    "LWLOCK");
	printa("%@8d %@14d %@14d  %s\n", @waits, @sum, @max);
}
