#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javalocks - monitors that threads of a Java program wait for
 *
 * Usage: dtrace run javalocks -p PID [SECONDS]
 *        dtrace run javalocks -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each class whose objects' monitors (synchronized) a thread had to wait
 * for: how many waits, how long in all and at most, and a histogram of the
 * microseconds. The JVM has these probes only if it was begun with the option
 * -XX:+DTraceMonitorProbes, which slows it down somewhat. Locks of
 * java.util.concurrent are no monitors.
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javathreads, lockwaits
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t start;

hotspot$target:::monitor-contended-enter
{
	self->start = timestamp;
}

hotspot$target:::monitor-contended-entered
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	this->class = copyinstr(arg2, arg3 + 1);
	@us = quantize(this->us);
	@n[this->class] = count();
	@sum[this->class] = sum(this->us);
	@max[this->class] = max(this->us);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("waits, us:%@d\n", @us);
	printf("%8s %12s %12s  %s\n", "WAITS", "TIME(us)", "LONGEST(us)",
	    "CLASS");
	printa("%@8d %@12d %@12d  %S\n", @n, @sum, @max);
}
