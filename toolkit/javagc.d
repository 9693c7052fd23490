#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javagc - collections of garbage in a Java program, and their pauses
 *
 * Usage: dtrace run javagc -p PID [SECONDS]
 *        dtrace run javagc -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each collection when it ends: the milliseconds since tracing
 * began, how long it took, and by which collector, in the JVM's words (Copy is
 * the young generation of the serial collector, MarkSweepCompact all of it);
 * at the end a histogram of the milliseconds. With most collectors the program
 * stands still meanwhile; those that work beside it (G1 for a part, ZGC,
 * Shenandoah) have fewer and shorter ones, and not all of their work is seen
 * here.
 *
 * It looks at the probes of the memory pools, of which a collection has one
 * each at its begin and at its end.
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javavmops, gcsnoop, javathreads
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

uint64_t began;
self uint64_t start;
self int pools;

dtrace:::BEGIN
{
	began = timestamp;
	printf("%10s %10s %s\n", "AT(ms)", "TOOK(ms)", "COLLECTOR");
}

hotspot$target:::mem-pool-gc-begin
/self->pools++ == 0/
{
	self->start = timestamp;
}

hotspot$target:::mem-pool-gc-end
/self->pools > 0 && --self->pools == 0/
{
	this->us = (timestamp - self->start) / 1000;
	this->name = copyinstr(arg0, arg1 + 1);
	printf("%10d %6d.%03d %S\n", (timestamp - began) / 1000000,
	    this->us / 1000, this->us % 1000, this->name);
	@ms[this->name] = quantize(this->us / 1000);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("\n%S, ms:%@d\n", @ms);
}
