#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * opensnoop - files that are opened, by whom, and what came of it
 *
 * Usage: dtrace run opensnoop [COMMAND [failed]]
 *        dtrace run opensnoop -p PID [COMMAND [failed]]
 *        dtrace run opensnoop -c CMD [COMMAND [failed]]
 * Needs: root; any user with -p or -c
 * Args:  $1  only processes of this name; "" is any ("")
 *        $2  failed: only calls that fail (all)
 *
 * A line for each open(2), creat(2), openat(2) and openat2(2) when it returns:
 * the process, its name, the descriptor or -1, the error (0: none), and the
 * path as the program gave it. A path that is not absolute begins at the
 * current directory, or at the directory that openat(2) was given. Files that
 * are opened by other ways (io_uring, descriptors that come through a socket)
 * are not seen.
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: execsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %4s %4s %s\n", "PID", "COMMAND", "FD", "ERR", "PATH");
}

/* Some machines have only the newer calls. */
syscall::open:entry,
syscall::creat:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->opening = 1;
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->opening = 1;
	self->path = arg1;
}

/* The path is read here: at the entry its page may not be in memory yet. */
syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->opening/
{
	if ($$2 != "failed" || errno != 0) {
		printf("%7d %-16S %4d %4d %S\n", pid, execname, (int)arg1,
		    errno, errno == EFAULT ? "<bad address>" :
		    copyinstr(self->path));
	}
	self->opening = 0;
	self->path = 0;
}
