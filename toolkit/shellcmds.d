#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * shellcmds - commands that a process has a shell run
 *
 * Usage: dtrace run shellcmds -p PID [SECONDS]
 *        dtrace run shellcmds -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each call of system and popen: the thread, the function, and the
 * command as the shell gets it; for system also how long it took in
 * milliseconds and its status (as of wait(2): 256 is exit status 1), when the
 * shell has ended. A program that builds such commands from what others give
 * it should be looked at closely.
 *
 * Other ways to begin a program (execve, posix_spawn) are shown by execsnoop.
 *
 * See: execsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self uint64_t start;
self uintptr_t cmd;
self uintptr_t status;

dtrace:::BEGIN
{
	printf("%8s %-8s %10s %8s %s\n", "THREAD", "FUNCTION", "TIME(ms)",
	    "STATUS", "COMMAND");
}

pid$target:libc.so*:popen:entry
/arg0 != 0/
{
	printf("%8d %-8s %10s %8s %S\n", tid, probefunc, "-", "-",
	    copyinstr(arg0));
}

pid$target:libc.so*:system:entry
/arg0 != 0/
{
	self->start = timestamp;
	self->cmd = arg0;
}

/* system() may leave by a jump, so that its own return would say nothing. */
syscall::wait4:entry
/self->start/
{
	self->status = arg1;
}

syscall::wait4:return
/self->status && errno == 0/
{
	this->us = (timestamp - self->start) / 1000;
	printf("%8d %-8s %6d.%03d %8d %S\n", tid, "system", this->us / 1000,
	    this->us % 1000, *(int *)copyin(self->status, sizeof(int)),
	    copyinstr(self->cmd));
	self->start = 0;
	self->cmd = 0;
}

syscall::wait4:return
{
	self->status = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
