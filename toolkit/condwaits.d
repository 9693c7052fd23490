#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * condwaits - waits of threads for conditions: which, how long, where
 *
 * Usage: dtrace run condwaits -p PID [SECONDS]
 *        dtrace run condwaits -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * pthread_cond_wait, pthread_cond_timedwait and pthread_cond_clockwait: the
 * stacks that waited, the longest last, and for each condition how many waits
 * ended, how many of them by a timeout, and how long they took in all and at
 * most. Time includes that for getting the mutex back. Waits that go on when
 * tracing ends are not counted.
 *
 * Idle threads of a pool wait all the time: that is no fault of theirs.
 *
 * See: lockwaits, blocked
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

inline int TIMED_OUT = 110;	/* ETIMEDOUT */

self uint64_t start;
self uintptr_t cond;

pid$target:libc.so*:pthread_cond_wait:entry,
pid$target:libc.so*:pthread_cond_timedwait:entry,
pid$target:libc.so*:pthread_cond_clockwait:entry
{
	self->start = timestamp;
	self->cond = arg0;
}

pid$target:libc.so*:pthread_cond_wait:return,
pid$target:libc.so*:pthread_cond_timedwait:return,
pid$target:libc.so*:pthread_cond_clockwait:return
/self->start/
{
	this->ns = timestamp - self->start;
	@waits[self->cond] = sum(1);
	@late[self->cond] = sum((int)arg1 == TIMED_OUT);
	@sum[self->cond] = sum(this->ns);
	@max[self->cond] = max(this->ns);
	@stacks[ustack()] = sum(this->ns);
	self->start = 0;
	self->cond = 0;
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
	printf("\n%10s %10s %16s %16s  %s\n", "WAITS", "TIMEOUTS",
	    "TIME(ns)", "LONGEST(ns)", "CONDITION");
	printa("%@10d %@10d %@16d %@16d  %A\n", @waits, @late, @sum, @max);
}
