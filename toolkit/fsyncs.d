#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fsyncs - files that are synced to disk: by whom, how long it takes
 *
 * Usage: dtrace run fsyncs [SECONDS [full]]
 *        dtrace run fsyncs -p PID [SECONDS [full]]
 *        dtrace run fsyncs -c CMD [SECONDS [full]]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  full: whole paths of files (the last part)
 *
 * Calls of fsync, fdatasync and sync_file_range: for each process name and
 * file how many, and the milliseconds that they took in all and at most; a
 * histogram of the microseconds for each call. Databases wait here. The file
 * is the last part of its path, or its whole path if so asked.
 *
 * See: rwsize, fileslower, biolatency
 */
#pragma D option quiet
#pragma D option defaultargs

self uint64_t start;
self int fd;

syscall::fsync:entry,
syscall::fdatasync:entry,
syscall::sync_file_range:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->start = timestamp;
	self->fd = arg0;
}

syscall::fsync:return,
syscall::fdatasync:return,
syscall::sync_file_range:return
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	this->file = $$2 == "full" ? fds[self->fd].fi_pathname :
	    fds[self->fd].fi_name;
	@us[probefunc] = quantize(this->us);
	@calls[execname, probefunc, this->file] = count();
	@sum[execname, probefunc, this->file] = sum(this->us);
	@max[execname, probefunc, this->file] = max(this->us);
	self->start = 0;
	self->fd = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%s, us:%@d\n", @us);
	printf("%-16s %-16s %8s %12s %12s  %s\n", "COMMAND", "CALL", "CALLS",
	    "TIME(us)", "LONGEST(us)", "FILE");
	printa("%-16S %-16s %@8d %@12d %@12d  %S\n", @calls, @sum, @max);
}
