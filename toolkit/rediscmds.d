#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rediscmds - commands of a Redis server: how many, and their time
 *
 * Usage: dtrace run rediscmds -p PID [SECONDS]
 *        dtrace run rediscmds -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A histogram of the nanoseconds that commands took, and for each command how
 * many were run, and the time in all and at most. Time is that in the server's
 * call(): without reading the request, waiting for others' requests, and
 * writing the answer. What a script or a transaction runs counts as eval or
 * exec only.
 *
 * Commands are named by the server's functions: get, set, config and so on;
 * commands that share one (as CONFIG GET and CONFIG SET) may have names such
 * as configGet. Needs the server's symbols, which Debian's has.
 *
 * See: eventloop, nginxreq
 */
#pragma D option quiet
#pragma D option defaultargs

self int depth;
self uint64_t start;
self string name;

pid$target::call:entry
/self->depth++ == 0/
{
	self->start = timestamp;
}

/* The first of these within call() is the command's. */
pid$target::*Command:entry
/self->depth == 1 && self->name == NULL/
{
	self->name = substr(probefunc, 0, strlen(probefunc) - 7);
}

pid$target::call:return
/self->depth > 0 && --self->depth == 0/
{
	this->ns = timestamp - self->start;
	this->name = self->name == NULL ? "?" : self->name;
	@ns = quantize(this->ns);
	@calls[this->name] = count();
	@sum[this->name] = sum(this->ns);
	@max[this->name] = max(this->ns);
	self->start = 0;
	self->name = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	normalize(@sum, 1000);
	normalize(@max, 1000);
	printa("commands, ns:%@d\n", @ns);
	printf("%10s %12s %12s  %s\n", "CALLS", "TIME(us)", "LONGEST(us)",
	    "COMMAND");
	printa("%@10d %@12d %@12d  %s\n", @calls, @sum, @max);
}
