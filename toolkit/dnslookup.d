#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dnslookup - names that a process looks up, and how long it takes
 *
 * Usage: dtrace run dnslookup -p PID [SECONDS]
 *        dtrace run dnslookup -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each call of getaddrinfo, gethostbyname and gethostbyname2 when
 * it returns: the thread, how many milliseconds it took, the result (0: found;
 * else an error of getaddrinfo, such as -2, EAI_NONAME; of gethostbyname -1),
 * and the name. Whatever the C library asks for it is within that time: files,
 * caches, servers. Programs with a resolver of their own (Go, browsers) are
 * not seen.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self uint64_t start;
self uintptr_t name;

dtrace:::BEGIN
{
	printf("%8s %10s %6s %s\n", "THREAD", "TIME(ms)", "RESULT", "NAME");
}

pid$target:libc.so*:getaddrinfo:entry,
pid$target:libc.so*:gethostbyname:entry,
pid$target:libc.so*:gethostbyname2:entry
{
	self->start = timestamp;
	self->name = arg0;
}

pid$target:libc.so*:getaddrinfo:return,
pid$target:libc.so*:gethostbyname:return,
pid$target:libc.so*:gethostbyname2:return
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	printf("%8d %6d.%03d %6d %S\n", tid, this->us / 1000,
	    this->us % 1000, probefunc == "getaddrinfo" ? (int)arg1 :
	    arg1 == 0 ? -1 : 0,
	    self->name == 0 ? "<none>" : copyinstr(self->name));
	self->start = 0;
	self->name = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
