#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fileslower - reads and writes of files that take long
 *
 * Usage: dtrace run fileslower [MILLISECONDS]
 *        dtrace run fileslower -p PID|-c CMD [MILLISECONDS]
 * Needs: root
 * Args:  $1  the least time that is shown; 0: all (10)
 *
 * A line for each read(2), write(2) and their kin on a regular file, fsync(2)
 * and fdatasync(2) that took that long: the time of day, the process, its
 * name, R, W or S, the bytes that were moved, how long the call took in
 * milliseconds, and the file. The time is what the program waited, whatever
 * for: the disk, a lock, a CPU. Calls of disks themselves are shown by
 * iosnoop.
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: filetop ext4slower iosnoop biolatency
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

/* Another thread may have closed it meanwhile. */
inline struct file *open_file[int FD] = curthread->files->fdt->fd[FD];
inline int is_regular[int FD] = open_file[FD] == NULL ? 0 :
	(open_file[FD]->f_inode->i_mode & 0xf000) == 0x8000;

dtrace:::BEGIN
{
	least = 1000000 * ($$1 == "" ? 10 : $1);
	printf("%-20s %7s %-16s %1s %9s %12s %s\n", "TIME", "PID", "COMMAND",
	    "D", "BYTES", "TOOK(ms)", "FILE");
}

syscall::read:entry,
syscall::pread64:entry,
syscall::readv:entry,
syscall::preadv:entry,
syscall::preadv2:entry,
syscall::write:entry,
syscall::pwrite64:entry,
syscall::writev:entry,
syscall::pwritev:entry,
syscall::pwritev2:entry,
syscall::fsync:entry,
syscall::fdatasync:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->began = timestamp;
	self->fd = (int)arg0;
}

syscall::*read*:return,
syscall::*write*:return,
syscall::fsync:return,
syscall::fdatasync:return
/self->began/
{
	this->took = timestamp - self->began;
	if ((int64_t)arg1 >= 0 && this->took >= least &&
	    is_regular[self->fd]) {
		printf("%-20Y %7d %-16S %S %9d %8d.%03d %S\n", walltimestamp,
		    pid, execname, strstr(probefunc, "sync") != NULL ? "S" :
		    strstr(probefunc, "write") != NULL ? "W" : "R", arg1,
		    this->took / 1000000, this->took / 1000 % 1000,
		    fds[self->fd].fi_pathname);
	}
	self->began = 0;
	self->fd = 0;
}
