#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * forksnoop - processes that are made, and by whom
 *
 * Usage: dtrace run forksnoop [SECONDS]
 *        dtrace run forksnoop -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each new process (threads are for threadsnoop): seconds since
 * tracing began, the process that makes it, with its name, and the new one. At
 * the end a table of how many each has made. With -p or -c what that process
 * and its descendants make is shown.
 *
 * See: execsnoop exitsnoop threadsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %7s %-16s %7s\n", "TIME(s)", "PID", "COMMAND", "CHILD");
}

proc:::create
/$target == 0 ? pid != $pid : progenyof($target)/
{
	this->now = timestamp - start;
	printf("%5d.%03d %7d %-16S %7d\n", this->now / 1000000000,
	    this->now / 1000000 % 1000, pid, execname, args[0]->pr_pid);
	@made[pid, execname] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("\n%7s %-16s %8s\n", "PID", "COMMAND", "CHILDREN");
	printa("%7d %-16S %@8d\n", @made);
}
