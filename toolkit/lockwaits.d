#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockwaits - locks that threads of a process wait for, where, how long
 *
 * Usage: dtrace run lockwaits -p PID [SECONDS]
 *        dtrace run lockwaits -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For mutexes and readers/writer locks of the C library: the stacks that had
 * to sleep for one, the longest last; how long single waits took; and for each
 * lock how often a thread slept for it, how long in all and at most. A lock
 * without a name is on the heap or on a stack.
 *
 * A lock that is had at once is not shown; it costs some nanoseconds.
 * plockstat(1) shows spinning and holding as well.
 *
 * See: lockhold, condwaits, blocked
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option engine=process

/* engine=process: what is looked at is each lock, and in the kernel engine, which
   root would have, one that is free costs some thousand times as much. */
self uint64_t start;

plockstat$target:::mutex-block,
plockstat$target:::rw-block
{
	self->start = timestamp;
}

plockstat$target:::mutex-blocked,
plockstat$target:::rw-blocked
/self->start/
{
	this->ns = timestamp - self->start;
	@waits[arg0] = count();
	@sum[arg0] = sum(this->ns);
	@max[arg0] = max(this->ns);
	@times = quantize(this->ns);
	@stacks[ustack()] = sum(this->ns);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, 10);
	printa("%k%@16d ns\n", @stacks);
	printa("\nwaits, ns:%@d\n", @times);
	printf("%10s %16s %16s  %s\n", "WAITS", "TIME(ns)", "LONGEST(ns)",
	    "LOCK");
	printa("%@10d %@16d %@16d  %A\n", @waits, @sum, @max);
}
