#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * blocked - where threads of a process wait in system calls
 *
 * Usage: dtrace run blocked -p PID [SECONDS [STACKS]]
 *        dtrace run blocked -c CMD [SECONDS [STACKS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many stacks are shown (5)
 *
 * Time that the threads of a process were in system calls but not on a CPU,
 * that is waiting: for each call how often, how long in all and at most; and
 * the stacks that waited, the longest last. Waiting for locks and conditions
 * is in futex, for other processes in wait4 or read, and so on.
 *
 * It is wall time less CPU time between entry and return of each call, so that
 * a thread that could run but had no CPU counts as waiting too. Calls that
 * have not returned when tracing ends are not counted. One or two microseconds
 * a call, by the depth of the stack.
 *
 * See: offcputime, lockwaits, condwaits, sleeps, eventloop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggsortpos=1

self uint64_t start;
self uint64_t cpu;

syscall:::entry
/pid == $target/
{
	self->start = timestamp;
	self->cpu = vtimestamp;
}

syscall:::return
/self->start/
{
	this->ns = timestamp - self->start;
	this->run = vtimestamp - self->cpu;
	this->off = this->ns > this->run ? this->ns - this->run : 0;
	@calls[probefunc] = count();
	@sum[probefunc] = sum(this->off);
	@max[probefunc] = max(this->off);
	@stacks[probefunc, ustack()] = sum(this->off);
	self->start = 0;
	self->cpu = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, $2 ? $2 : 5);
	printa("%s%k%@16d ns\n\n", @stacks);
	printf("%10s %16s %16s  %s\n", "CALLS", "WAITING(ns)", "LONGEST(ns)",
	    "CALL");
	printa("%@10d %@16d %@16d  %s\n", @calls, @sum, @max);
}
