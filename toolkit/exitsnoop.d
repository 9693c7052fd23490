#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * exitsnoop - processes that end, how old they were, and why
 *
 * Usage: dtrace run exitsnoop [failed]
 *        dtrace run exitsnoop -p PID|-c CMD [failed]
 * Needs: root
 * Args:  $1  failed: only those that ended otherwise than with status 0 (all)
 *
 * A line when the last thread of a process ends: seconds since tracing began,
 * the process, its parent, its name, its age in seconds since it was made (not
 * since it executed its program), and its status, or the number of the signal
 * that killed it; "core" means that a core file was asked for.
 *
 * With -p or -c that process and its descendants are shown, but not one whose
 * parent has ended before: it belongs to another then.
 *
 * See: execsnoop forksnoop signals
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %7s %7s %-16s %10s %s\n", "TIME(s)", "PID", "PPID",
	    "COMMAND", "AGE(s)", "END");
}

proc:::exit
/($target == 0 || progenyof($target)) &&
    ($$1 != "failed" || curthread->signal->group_exit_code != 0)/
{
	this->now = timestamp - start;
	this->age = timestamp - curthread->group_leader->start_time;
	this->code = curthread->signal->group_exit_code;
	printf("%5d.%03d %7d %7d %-16S %6d.%03d %S%d\n",
	    this->now / 1000000000, this->now / 1000000 % 1000, pid, ppid,
	    execname, this->age / 1000000000, this->age / 1000000 % 1000,
	    args[0] == CLD_EXITED ? "status " :
	    args[0] == CLD_DUMPED ? "core, signal " : "signal ",
	    args[0] == CLD_EXITED ? this->code >> 8 & 0xff :
	    this->code & 0x7f);
}
