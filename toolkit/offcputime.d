#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * offcputime - time that threads wait, by stack
 *
 * Usage: dtrace run offcputime [SECONDS]
 *        dtrace run offcputime -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds from when a thread leaves its CPU until it runs again, by name
 * of the process, stack of the kernel, and stack of the program: what it
 * waited for, and who called that. The time includes waiting for a CPU
 * (runqlat). A thread that does not run again while tracing goes on is not
 * counted. What took most is last; -O flame=FILE.svg makes a picture of it.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself. Each switch of threads is seen, which a busy machine feels.
 *
 * See: offwaketime wakeuptime cpudist runqlat profile
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::off-cpu
/pid != 0 && ($target == 0 ? pid != $pid : pid == $target)/
{
	self->off = timestamp;
}

sched:::on-cpu
/self->off/
{
	@[execname, stack(), ustack()] = sum((timestamp - self->off) / 1000);
	self->off = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("  %S%k%k%@16d us\n\n", @);
}
