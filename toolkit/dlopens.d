#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dlopens - libraries that a process loads while it runs
 *
 * Usage: dtrace run dlopens -p PID [SECONDS]
 *        dtrace run dlopens -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each call of dlopen when it returns: how many milliseconds it
 * took, whether it was loaded, and the name; plugins, interpreters' modules,
 * and what is looked for in vain. A library that is there already counts as
 * loaded. The time includes the library's constructors. Libraries that the
 * program is linked with are loaded before it begins, and not shown.
 *
 * See: envsnoop, libcalls
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self uint64_t start[int];
self uintptr_t name[int];
self int depth;

dtrace:::BEGIN
{
	printf("%8s %10s %-6s %s\n", "THREAD", "TIME(ms)", "RESULT", "LIBRARY");
}

pid$target:libc.so*:dlopen:entry
{
	self->start[self->depth] = timestamp;
	self->name[self->depth] = arg0;
	self->depth++;
}

pid$target:libc.so*:dlopen:return
/self->depth > 0/
{
	self->depth--;
	this->us = (timestamp - self->start[self->depth]) / 1000;
	this->name = self->name[self->depth];
	printf("%8d %6d.%03d %-6s %S\n", tid, this->us / 1000,
	    this->us % 1000, arg1 == 0 ? "failed" : "loaded",
	    this->name == 0 ? "<the program>" : copyinstr(this->name));
	self->start[self->depth] = 0;
	self->name[self->depth] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
