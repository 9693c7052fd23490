#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rubygc - Ruby's collections of garbage: steps, how long they take
 *
 * Usage: dtrace run rubygc -p PID [SECONDS]
 *        dtrace run rubygc -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A collection marks what is in use and sweeps up what is not, both in steps
 * between which the program runs. For each of the two how many steps there
 * were, their time in all and at most, and a histogram of the microseconds:
 * how long the program stood still at once.
 *
 * The interpreter must have been built with its probes (--enable-dtrace), as
 * Debian's is.
 *
 * See: rubycalls, pygc, gcsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t mark;
self uint64_t sweep;

ruby$target:::gc-mark-begin
{
	self->mark = timestamp;
}

ruby$target:::gc-sweep-begin
{
	self->sweep = timestamp;
}

ruby$target:::gc-mark-end
/self->mark/
{
	this->us = (timestamp - self->mark) / 1000;
	@us["mark"] = quantize(this->us);
	@steps["mark"] = count();
	@sum["mark"] = sum(this->us);
	@max["mark"] = max(this->us);
	self->mark = 0;
}

ruby$target:::gc-sweep-end
/self->sweep/
{
	this->us = (timestamp - self->sweep) / 1000;
	@us["sweep"] = quantize(this->us);
	@steps["sweep"] = count();
	@sum["sweep"] = sum(this->us);
	@max["sweep"] = max(this->us);
	self->sweep = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%s, us:%@d\n", @us);
	printf("%-8s %8s %12s %12s\n", "WHAT", "STEPS", "TIME(us)",
	    "LONGEST(us)");
	printa("%-8s %@8d %@12d %@12d\n", @steps, @sum, @max);
}
