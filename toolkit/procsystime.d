#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * procsystime - time that system calls take, by call
 *
 * Usage: dtrace run procsystime [SECONDS]
 *        dtrace run procsystime -p PID|-c CMD [SECONDS]
 * Needs: root; any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * From the beginning of a call to its return, whether it works or waits: how
 * many returned, the time of all, of one on average, and of the longest, in
 * microseconds. The call that took most is last. Calls that have not returned
 * when tracing ends are not counted, nor is what waits in a call that began
 * before.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: syscount errinfo dtruss
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->began = timestamp;
}

syscall:::return
/self->began/
{
	this->us = (timestamp - self->began) / 1000;
	@all[probefunc] = sum(this->us);
	@calls[probefunc] = count();
	@mean[probefunc] = avg(this->us);
	@most[probefunc] = max(this->us);
	self->began = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%-24s %12s %8s %10s %10s\n", "CALL", "TIME(us)", "COUNT",
	    "MEAN(us)", "MOST(us)");
	printa("%-24S %@12d %@8d %@10d %@10d\n", @all, @calls, @mean, @most);
}
