#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sleeps - who sleeps by nanosleep and the like, and how long
 *
 * Usage: dtrace run sleeps [SECONDS]
 *        dtrace run sleeps -p PID [SECONDS]
 *        dtrace run sleeps -c CMD [SECONDS]
 * Needs: root; any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Calls of nanosleep, clock_nanosleep, and of poll and select that wait for no
 * descriptor: for each process and call how often, how long in all, and a
 * histogram of the milliseconds that they took. Programs that look again and
 * again whether something has happened are found so.
 *
 * With -p or -c that process only, and then the stacks that slept longest.
 *
 * See: blocked, eventloop
 */
#pragma D option quiet
#pragma D option defaultargs

self uint64_t start;

syscall::nanosleep:entry,
syscall::clock_nanosleep:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->start = timestamp;
}

syscall::poll:entry,
syscall::ppoll:entry
/($target == 0 ? pid != $pid : pid == $target) && arg1 == 0/
{
	self->start = timestamp;
}

syscall::select:entry,
syscall::pselect6:entry
/($target == 0 ? pid != $pid : pid == $target) && arg0 == 0/
{
	self->start = timestamp;
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return,
syscall::poll:return,
syscall::ppoll:return,
syscall::select:return,
syscall::pselect6:return
/self->start/
{
	this->ns = timestamp - self->start;
	@ms[execname, probefunc] = quantize(this->ns / 1000000);
	@calls[pid, execname, probefunc] = count();
	@sum[pid, execname, probefunc] = sum(this->ns);
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return,
syscall::poll:return,
syscall::ppoll:return,
syscall::select:return,
syscall::pselect6:return
/self->start && $target != 0/
{
	@stacks[ustack()] = sum(timestamp - self->start);
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return,
syscall::poll:return,
syscall::ppoll:return,
syscall::select:return,
syscall::pselect6:return
{
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, 5);
	normalize(@stacks, 1000000);
	normalize(@sum, 1000000);
	printa("%k%@16d ms\n", @stacks);
	printa("\n%S, %s, ms:%@d", @ms);
	printf("\n%7s %-16s %-16s %10s %12s\n", "PID", "COMMAND", "CALL",
	    "CALLS", "TIME(ms)");
	printa("%7d %-16S %-16s %@10d %@12d\n", @calls, @sum);
}
