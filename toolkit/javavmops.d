#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javavmops - operations for which the JVM stops a Java program
 *
 * Usage: dtrace run javavmops -p PID [SECONDS]
 *        dtrace run javavmops -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * The JVM does some things when all threads of Java stand still: collections
 * of garbage, deoptimization, dumps of threads. For each kind how often, the
 * time in all and at most, and a histogram of the microseconds. Time is that
 * of the operation, without that until all threads had stopped.
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javagc
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t start;

hotspot$target:::vmops-begin
{
	self->start = timestamp;
}

hotspot$target:::vmops-end
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	this->what = copyinstr(arg0, arg1 + 1);
	@us = quantize(this->us);
	@n[this->what] = count();
	@sum[this->what] = sum(this->us);
	@max[this->what] = max(this->us);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("operations, us:%@d\n", @us);
	printf("%8s %12s %12s  %s\n", "TIMES", "TIME(us)", "LONGEST(us)",
	    "OPERATION");
	printa("%@8d %@12d %@12d  %S\n", @n, @sum, @max);
}
