#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * oomkill - processes that the kernel kills for want of memory
 *
 * Usage: dtrace run oomkill
 * Needs: root; Linux 6.9 or later
 *
 * A line when a process is chosen as a victim: the time of day, who asked for
 * memory when there was none, the victim, its memory in KB (resident, in
 * files' pages of that, and swapped out), and what its score was adjusted by
 * (/proc/PID/oom_score_adj). It costs nothing until then.
 *
 * See: pagefaults drsnoop
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-20s %7s %-16s %7s %-16s %9s %6s\n", "TIME", "PID", "COMMAND",
	    "VICTIM", "NAME", "SIZE(KB)", "ADJUST");
}

sdt:oom::mark_victim
{
	printf("%-20Y %7d %-16S %7d %-16S %9d %6d\n", walltimestamp, pid,
	    execname, xlate <psinfo_t *> (args[0])->pr_pid,
	    stringof(args[0]->comm), args[0]->mm->total_vm * 4,
	    args[0]->signal->oom_score_adj);
}
