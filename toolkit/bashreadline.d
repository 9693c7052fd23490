#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bashreadline - lines that are typed into bash, in all shells
 *
 * Usage: dtrace run bashreadline [SECONDS]
 *        dtrace run bashreadline -p PID [SECONDS]
 * Needs: root; any user with -p
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each command line that an interactive bash reads: the time, the
 * process, its user, and the line, before the shell expands anything. What
 * scripts do is not shown (execsnoop), nor what other shells read.
 *
 * Lines may hold passwords that were typed by mistake.
 *
 * See: execsnoop, shellcmds
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-20s %7s %7s %s\n", "TIME", "PID", "UID", "LINE");
}

pid*:bash:readline:return
/arg1 != 0 && ($target == 0 || pid == $target)/
{
	printf("%Y %7d %7d %S\n", walltimestamp, pid, uid, copyinstr(arg1));
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
