#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ext4slower - operations of ext4 that take long
 *
 * Usage: dtrace run ext4slower [MILLISECONDS]
 *        dtrace run ext4slower -p PID|-c CMD [MILLISECONDS]
 * Needs: kernel function probes (kprobes)
 * Args:  $1  the least time that is shown; 0: all (10)
 *
 * A line for each read, write, open and fsync of a file of ext4 that took that
 * long: the time of day, the process, its name, R, W, O or S, the bytes that
 * were moved, the offset in the file, how long it took in milliseconds, and
 * the name of the file. Programs and the kernel itself are seen, whatever
 * system call was used, but not mapped memory (mmap(2)).
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: fileslower iosnoop biolatency
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	least = 1000000 * ($$1 == "" ? 10 : $1);
	printf("%-20s %7s %-16s %1s %9s %12s %12s %s\n", "TIME", "PID",
	    "COMMAND", "D", "BYTES", "OFFSET", "TOOK(ms)", "FILE");
}

fbt::ext4_file_read_iter:entry,
fbt::ext4_file_write_iter:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->began = timestamp;
	self->file = ((struct kiocb *)arg0)->ki_filp;
	self->offset = ((struct kiocb *)arg0)->ki_pos;
}

fbt::ext4_file_open:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->began = timestamp;
	self->file = (struct file *)arg1;
}

fbt::ext4_sync_file:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->synced = timestamp;
	self->sync = (struct file *)arg0;
}

fbt::ext4_file_read_iter:return,
fbt::ext4_file_write_iter:return,
fbt::ext4_file_open:return
/self->began && timestamp - self->began >= least/
{
	this->took = timestamp - self->began;
	printf("%-20Y %7d %-16S %S %9d %12d %8d.%03d %S\n", walltimestamp,
	    pid, execname, probefunc == "ext4_file_open" ? "O" :
	    probefunc == "ext4_file_read_iter" ? "R" : "W", (int64_t)arg1,
	    self->offset, this->took / 1000000, this->took / 1000 % 1000,
	    stringof(self->file->f_path.dentry->d_name.name));
}

fbt::ext4_file_read_iter:return,
fbt::ext4_file_write_iter:return,
fbt::ext4_file_open:return
/self->began/
{
	self->began = 0;
	self->file = 0;
	self->offset = 0;
}

/* Part of a write, where the file was opened for that: it has its own time. */
fbt::ext4_sync_file:return
/self->synced && timestamp - self->synced >= least/
{
	this->took = timestamp - self->synced;
	printf("%-20Y %7d %-16S %S %9d %12d %8d.%03d %S\n", walltimestamp,
	    pid, execname, "S", (int64_t)arg1, 0, this->took / 1000000,
	    this->took / 1000 % 1000,
	    stringof(self->sync->f_path.dentry->d_name.name));
}

fbt::ext4_sync_file:return
/self->synced/
{
	self->synced = 0;
	self->sync = 0;
}
