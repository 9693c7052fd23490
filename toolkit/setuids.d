#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * setuids - changes of users and groups, by system calls
 *
 * Usage: dtrace run setuids
 *        dtrace run setuids -p PID|-c CMD
 * Needs: root; any user with -p or -c
 *
 * A line for each setuid(2), setgid(2), setreuid(2), setregid(2),
 * setresuid(2), setresgid(2), setfsuid(2), setfsgid(2) and setgroups(2) when
 * it returns: the user before the call, the process, its name, the error (0:
 * none), and the call with its arguments; -1 leaves an id as it is. Users that
 * change because a program is executed that has the set-user-ID bit are not
 * seen: see execsnoop. With -p or -c only that process is shown.
 *
 * See: capable execsnoop
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%6s %7s %-16s %4s %s\n", "UID", "PID", "COMMAND", "ERR",
	    "CALL");
}

syscall::setuid:entry,
syscall::setgid:entry,
syscall::setreuid:entry,
syscall::setregid:entry,
syscall::setresuid:entry,
syscall::setresgid:entry,
syscall::setfsuid:entry,
syscall::setfsgid:entry,
syscall::setgroups:entry
/$target == 0 || pid == $target/
{
	self->called = 1;
	self->was = uid;
	self->first = (int)arg0;
	self->second = (int)arg1;
	self->third = (int)arg2;
}

syscall::setuid:return,
syscall::setgid:return,
syscall::setfsuid:return,
syscall::setfsgid:return
/self->called/
{
	printf("%6d %7d %-16S %4d %S(%d)\n", self->was, pid, execname, errno,
	    probefunc, self->first);
}

syscall::setreuid:return,
syscall::setregid:return
/self->called/
{
	printf("%6d %7d %-16S %4d %S(%d, %d)\n", self->was, pid, execname,
	    errno, probefunc, self->first, self->second);
}

syscall::setresuid:return,
syscall::setresgid:return
/self->called/
{
	printf("%6d %7d %-16S %4d %S(%d, %d, %d)\n", self->was, pid, execname,
	    errno, probefunc, self->first, self->second, self->third);
}

syscall::setgroups:return
/self->called/
{
	printf("%6d %7d %-16S %4d %S(%d of them)\n", self->was, pid, execname,
	    errno, probefunc, self->first);
}

syscall::set*id:return,
syscall::setgroups:return
/self->called/
{
	self->called = 0;
	self->was = 0;
	self->first = 0;
	self->second = 0;
	self->third = 0;
}
