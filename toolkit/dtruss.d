#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtruss - system calls of a process, with arguments and results
 *
 * Usage: dtrace run dtruss -p PID|-c CMD [CALL]
 *        dtrace run dtruss '' COMMAND
 * Needs: root; any user with -p or -c
 * Args:  $1  only this call; "" is any ("")
 *        $2  without -p and -c: all processes of this name ("")
 *
 * A line for each system call when it returns: the thread, how long it took in
 * microseconds, the call with up to three arguments, and its result, with the
 * number of the error if it failed. Paths are shown as text, as are the first
 * 32 bytes that read(2) and write(2) and their kin moved; other arguments are
 * hexadecimal. A call that does not return, such as exit_group(2), is shown
 * when it begins.
 *
 * Unlike strace(1) it neither stops the process for each call nor needs
 * ptrace(2) while it runs. It shows no structures; where these matter, write a
 * D program.
 *
 * See: syscount procsystime errinfo opensnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %9s %s\n", "TID", "TIME(us)", "CALL = RESULT");
}

dtrace:::BEGIN
/$target == 0 && $$2 == ""/
{
	printf("dtruss needs -p, -c, or a name of processes\n");
	exit(2);
}

syscall:::entry
/($target == 0 ? pid != $pid && execname == $$2 : pid == $target) &&
    ($$1 == "" || probefunc == $$1)/
{
	self->began = timestamp;
	self->first = arg0;
	self->second = arg1;
	self->third = arg2;
}

syscall::exit:entry,
syscall::exit_group:entry
/self->began/
{
	printf("%7d %9s %s(%d)\n", tid, "-", probefunc, (int)arg0);
	self->began = 0;
}

/* A path comes first.  Some machines have not all of these calls; execve is matched
   as it returns only where it fails, which need not be said each time. */
syscall::access:return,
syscall::acct:return,
syscall::chdir:return,
syscall::chmod:return,
syscall::chown:return,
syscall::chroot:return,
syscall::creat:return,
syscall::execv?:return,
syscall::getxattr:return,
syscall::lchown:return,
syscall::lgetxattr:return,
syscall::listxattr:return,
syscall::lstat:return,
syscall::mkdir:return,
syscall::mknod:return,
syscall::open:return,
syscall::readlink:return,
syscall::rmdir:return,
syscall::stat:return,
syscall::newlstat:return,
syscall::newstat:return,
syscall::statfs:return,
syscall::swapoff:return,
syscall::swapon:return,
syscall::truncate:return,
syscall::umount2:return,
syscall::unlink:return,
syscall::utime:return,
syscall::utimes:return
/self->began && errno != EFAULT && self->first != 0/
{
	printf("%7d %9d %S(\"%S\", 0x%x, 0x%x) = %d error %d\n", tid,
	    (timestamp - self->began) / 1000, probefunc,
	    copyinstr(self->first), self->second, self->third, (int64_t)arg1,
	    errno);
	self->began = 0;
}

/* Two paths. */
syscall::link:return,
syscall::rename:return,
syscall::symlink:return,
syscall::pivot_root:return
/self->began && errno != EFAULT && self->first != 0 && self->second != 0/
{
	printf("%7d %9d %S(\"%S\", \"%S\") = %d error %d\n", tid,
	    (timestamp - self->began) / 1000, probefunc,
	    copyinstr(self->first), copyinstr(self->second), (int64_t)arg1,
	    errno);
	self->began = 0;
}

/* A descriptor, or AT_FDCWD, and a path. */
syscall::execveat*:return,
syscall::faccessat:return,
syscall::faccessat2:return,
syscall::fchmodat:return,
syscall::fchownat:return,
syscall::inotify_add_watch:return,
syscall::mkdirat:return,
syscall::mknodat:return,
syscall::name_to_handle_at:return,
syscall::newfstatat:return,
syscall::openat:return,
syscall::openat2:return,
syscall::readlinkat:return,
syscall::statx:return,
syscall::unlinkat:return,
syscall::utimensat:return
/self->began && errno != EFAULT && self->second != 0/
{
	printf("%7d %9d %S(%d, \"%S\", 0x%x) = %d error %d\n", tid,
	    (timestamp - self->began) / 1000, probefunc, (int)self->first,
	    copyinstr(self->second), self->third, (int64_t)arg1, errno);
	self->began = 0;
}

/* Bytes that were moved. */
syscall::read:return,
syscall::pread64:return,
syscall::recvfrom:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::sendto:return
/self->began && (int64_t)arg1 > 0/
{
	printf("%7d %9d %S(%d, \"%S\", %d) = %d error 0\n", tid,
	    (timestamp - self->began) / 1000, probefunc, (int)self->first,
	    copyinstr(self->second, arg1 < 32 ? arg1 + 1 : 33), self->third, arg1);
	self->began = 0;
}

syscall:::return
/self->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x) = %d error %d\n", tid,
	    (timestamp - self->began) / 1000, probefunc, self->first,
	    self->second, self->third, (int64_t)arg1, errno);
	self->began = 0;
}

syscall:::return
{
	self->first = 0;
	self->second = 0;
	self->third = 0;
}
