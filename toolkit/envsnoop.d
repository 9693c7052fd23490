#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * envsnoop - environment variables that a process asks for
 *
 * Usage: dtrace run envsnoop -p PID [SECONDS]
 *        dtrace run envsnoop -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Calls of getenv and secure_getenv: for each name how often it was asked for,
 * and how often it was there. Which variables does a program heed? A program
 * that reads its environment without these functions, as a shell does for its
 * own variables, is not seen.
 *
 * A call costs about two microseconds.
 *
 * See: dlopens, shellcmds
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uintptr_t name;

pid$target:libc.so*:getenv:entry,
pid$target:libc.so*:secure_getenv:entry
{
	self->name = arg0;
}

pid$target:libc.so*:getenv:return,
pid$target:libc.so*:secure_getenv:return
/self->name/
{
	this->text = copyinstr(self->name);
	@asked[this->text] = sum(1);
	@there[this->text] = sum(arg1 != 0);
	self->name = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%8s %8s  %s\n", "ASKED", "THERE", "NAME");
	printa("%@8d %@8d  %S\n", @asked, @there);
}
