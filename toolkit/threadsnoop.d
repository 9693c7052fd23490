#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * threadsnoop - threads that are made, and how long each lived
 *
 * Usage: dtrace run threadsnoop
 *        dtrace run threadsnoop -p PID|-c CMD
 * Needs: root
 *
 * A line when a thread is made, and one when it ends: seconds since tracing
 * began, the process, its name, the thread, and new, or how many milliseconds
 * it lived and how many of these it was on a CPU. Threads that were there
 * before tracing began have both numbers, too. The first thread of a process,
 * with the number of the process, is not shown: see forksnoop and exitsnoop.
 *
 * See: forksnoop exitsnoop
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %7s %-16s %7s %s\n", "TIME(s)", "PID", "COMMAND", "TID",
	    "EVENT");
}

proc:::lwp-create
/args[0]->pr_lwpid != args[1]->pr_pid &&
    ($target == 0 ? pid != $pid : pid == $target)/
{
	this->now = timestamp - start;
	printf("%5d.%03d %7d %-16S %7d new\n", this->now / 1000000000,
	    this->now / 1000000 % 1000, pid, execname, args[0]->pr_lwpid);
}

proc:::lwp-exit
/tid != pid && ($target == 0 ? pid != $pid : pid == $target)/
{
	this->now = timestamp - start;
	printf("%5d.%03d %7d %-16S %7d lived %d ms, %d on CPU\n",
	    this->now / 1000000000, this->now / 1000000 % 1000, pid, execname,
	    tid, (timestamp - curthread->start_time) / 1000000,
	    curthread->se.sum_exec_runtime / 1000000);
}
