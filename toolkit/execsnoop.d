#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * execsnoop - programs that are executed, with their arguments
 *
 * Usage: dtrace run execsnoop [failed]
 *        dtrace run execsnoop -p PID|-c CMD [failed]
 * Needs: root; any user with -p or -c
 * Args:  $1  failed: also attempts that fail (only those that succeed)
 *
 * A line for each execve(2): seconds since tracing began, user, process, its
 * parent, the result (0, or the error), and the arguments; of a failed attempt
 * the path, as there are no arguments then. A process that is executed several
 * times has several lines. With -p or -c what that process and its descendants
 * execute is shown, without the command of -c itself, which is there already
 * when tracing begins.
 *
 * See: opensnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %6s %7s %7s %4s %s\n", "TIME(s)", "UID", "PID", "PPID",
	    "ERR", "ARGS");
}

proc:::exec
{
	self->path = args[0];
}

proc:::exec-success
/$target == 0 || progenyof($target)/
{
	printf("%5d.%03d %6d %7d %7d %4d %S\n",
	    (timestamp - start) / 1000000000,
	    (timestamp - start) / 1000000 % 1000, uid, pid, ppid, 0,
	    curpsinfo->pr_psargs);
}

proc:::exec-failure
/$$1 == "failed" && ($target == 0 || progenyof($target))/
{
	printf("%5d.%03d %6d %7d %7d %4d %S\n",
	    (timestamp - start) / 1000000000,
	    (timestamp - start) / 1000000 % 1000, uid, pid, ppid, args[0],
	    stringof(self->path));
}

proc:::exec-success,
proc:::exec-failure
{
	self->path = 0;
}
