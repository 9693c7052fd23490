#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * qsorts - what a process sorts by qsort: how much, how long, where
 *
 * Usage: dtrace run qsorts -p PID [SECONDS]
 *        dtrace run qsorts -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Calls of qsort and qsort_r of the C library: a histogram of the number of
 * elements, and for each place that calls them how many calls, how many
 * elements in all, and the time, which includes the function that compares.
 *
 * See: usertime
 */
#pragma D option quiet
#pragma D option defaultargs

self uint64_t start;
self uintptr_t site;
self uint64_t n;

pid$target:libc.so*:qsort:entry,
pid$target:libc.so*:qsort_r:entry
/!self->start/
{
	self->start = timestamp;
	self->site = ucaller;
	self->n = arg1;
}

/* In glibc qsort leaves by a jump to qsort_r: this is where both end. */
pid$target:libc.so*:qsort_r:return
/self->start/
{
	@elements = quantize(self->n);
	@calls[self->site] = count();
	@total[self->site] = sum(self->n);
	@ns[self->site] = sum(timestamp - self->start);
	self->start = 0;
	self->site = 0;
	self->n = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("elements:%@d\n", @elements);
	printf("%10s %14s %16s  %s\n", "CALLS", "ELEMENTS", "TIME(ns)",
	    "CALLER");
	printa("%@10d %@14d %@16d  %A\n", @calls, @total, @ns);
}
