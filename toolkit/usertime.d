#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usertime - how long functions of a process take
 *
 * Usage: dtrace run usertime -p PID OBJECT FUNCTIONS
 *        dtrace run usertime -c CMD OBJECT FUNCTIONS
 * Needs: any user with -p or -c
 * Args:  $1  the object: a library's file name, or a.out for the program
 *        $2  the function, or a pattern
 *
 * A histogram of the nanoseconds from entry to return, for each function that
 * the pattern matches, and a table of the number of calls, their time in all
 * and the longest. Time is wall time, and includes what the function calls; a
 * function that calls itself counts each call. One that ends in a jump to
 * another (a tail call, as compilers make them) is measured up to that jump
 * (where the function is named, this is said); -x engine=kernel measures to the
 * end in programs without exceptions. Calls that had begun when tracing began,
 * and that have not returned when it ends, are not counted.
 *
 * Functions that are left by longjmp or an exception are taken for going on
 * until the one that called them returns. A pair of entry and return costs a
 * quarter of a microsecond.
 *
 * See: libcalls, ustackcount, hotuser, funclatency
 */
#pragma D option quiet

self int depth;
self uint64_t start[int];

pid$target:$1:$2:entry
{
	self->start[self->depth] = timestamp;
	self->depth++;
}

pid$target:$1:$2:return
/self->depth > 0/
{
	self->depth--;
	this->ns = timestamp - self->start[self->depth];
	self->start[self->depth] = 0;
	@time[probefunc] = quantize(this->ns);
	@calls[probefunc] = count();
	@sum[probefunc] = sum(this->ns);
	@max[probefunc] = max(this->ns);
}

dtrace:::END
{
	printa("%s, ns:%@d\n", @time);
	printf("%10s %16s %16s  %s\n", "CALLS", "TIME(ns)", "LONGEST(ns)",
	    "FUNCTION");
	printa("%@10d %@16d %@16d  %s\n", @calls, @sum, @max);
}
