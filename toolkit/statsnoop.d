#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * statsnoop - files whose status or permission is asked for
 *
 * Usage: dtrace run statsnoop [COMMAND [failed]]
 *        dtrace run statsnoop -p PID|-c CMD [COMMAND [failed]]
 * Needs: root; any user with -p or -c
 * Args:  $1  only processes of this name; "" is any ("")
 *        $2  failed: only calls that fail (all)
 *
 * A line for each stat(2), lstat(2), newfstatat(2), statx(2), access(2),
 * faccessat(2), faccessat2(2), readlink(2) and readlinkat(2) when it returns:
 * the process, its name, the error (0: none), the call, and the path as the
 * program gave it. Where a descriptor is asked for its status (fstat(2) and
 * the like) there is no path, and nothing is shown.
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: opensnoop dtruss
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %4s %-12s %s\n", "PID", "COMMAND", "ERR", "CALL",
	    "PATH");
}

/* Some machines have not all of these. */
syscall::stat:entry,
syscall::lstat:entry,
syscall::newstat:entry,
syscall::newlstat:entry,
syscall::access:entry,
syscall::readlink:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->asking = 1;
	self->path = arg0;
}

syscall::newfstatat:entry,
syscall::statx:entry,
syscall::faccessat:entry,
syscall::faccessat2:entry,
syscall::readlinkat:entry
/arg1 != 0 && ($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->asking = 1;
	self->path = arg1;
}

syscall::stat:return,
syscall::lstat:return,
syscall::newstat:return,
syscall::newlstat:return,
syscall::access:return,
syscall::readlink:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return,
syscall::readlinkat:return
/self->asking/
{
	this->path = errno == EFAULT ? "" : copyinstr(self->path);
	if (this->path != "" && ($$2 != "failed" || errno != 0)) {
		printf("%7d %-16S %4d %-12S %S\n", pid, execname, errno,
		    probefunc, this->path);
	}
	self->asking = 0;
	self->path = 0;
}
