#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mountsnoop - file systems that are mounted and unmounted
 *
 * Usage: dtrace run mountsnoop
 *        dtrace run mountsnoop -p PID|-c CMD
 * Needs: root; any user with -p or -c
 *
 * A line for each mount(2), umount2(2) and move_mount(2) when it returns: the
 * process, the error (0: none), the call, and for mount(2) type and source,
 * then the place. Newer programs mount in several steps, of which
 * move_mount(2) is the last and has the place only. With -p or -c only that
 * process is shown.
 *
 * See: opensnoop statsnoop
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %4s %s\n", "PID", "COMMAND", "ERR", "CALL");
}

syscall::mount:entry,
syscall::umount2:entry,
syscall::move_mount:entry
/$target == 0 || pid == $target/
{
	self->called = 1;
	self->arg[0] = arg0;
	self->arg[1] = arg1;
	self->arg[2] = arg2;
	self->arg[3] = arg3;
}

syscall::mount:return
/self->called && errno != EFAULT/
{
	printf("%7d %-16S %4d mount -t %S %S %S\n", pid, execname, errno,
	    self->arg[2] == 0 ? "none" : copyinstr(self->arg[2]),
	    self->arg[0] == 0 ? "none" : copyinstr(self->arg[0]),
	    copyinstr(self->arg[1]));
}

syscall::umount2:return
/self->called && errno != EFAULT/
{
	printf("%7d %-16S %4d umount %S\n", pid, execname, errno,
	    copyinstr(self->arg[0]));
}

syscall::move_mount:return
/self->called && errno != EFAULT/
{
	printf("%7d %-16S %4d move_mount %S\n", pid, execname, errno,
	    copyinstr(self->arg[3]));
}

syscall::mount:return,
syscall::umount2:return,
syscall::move_mount:return
/self->called/
{
	self->called = 0;
	self->arg[0] = 0;
	self->arg[1] = 0;
	self->arg[2] = 0;
	self->arg[3] = 0;
}
