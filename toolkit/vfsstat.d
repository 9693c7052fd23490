#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * vfsstat - calls of the file system layer, each second
 *
 * Usage: dtrace run vfsstat [SECONDS]
 *        dtrace run vfsstat -p PID|-c CMD [SECONDS]
 * Needs: kernel function probes (kprobes)
 * Args:  $1  seconds between two lines (1)
 *
 * How often the kernel's functions for files were called: read, write, fsync,
 * open, unlink, whatever the file is, pipes and sockets included, and whoever
 * asked: programs, or the kernel itself (a server of NFS). With -p or -c only
 * that process is counted. The last line is printed when tracing ends.
 *
 * A file system that lies over another, as overlay, calls that of the latter,
 * and both are counted.
 *
 * See: filetop funccount
 */
#pragma D option quiet
#pragma D option defaultargs

dtrace:::BEGIN
{
	printf("%-20s %8s %8s %8s %8s %8s\n", "TIME", "READ", "WRITE",
	    "FSYNC", "OPEN", "UNLINK");
	/* There is a line where nothing was called, too. */
	@read = sum(0);
	@write = sum(0);
	@sync = sum(0);
	@open = sum(0);
	@unlink = sum(0);
}

fbt::vfs_read:entry,
fbt::vfs_write:entry,
fbt::vfs_fsync_range:entry,
fbt::vfs_open:entry,
fbt::vfs_unlink:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	@read = sum(probefunc == "vfs_read");
	@write = sum(probefunc == "vfs_write");
	@sync = sum(probefunc == "vfs_fsync_range");
	@open = sum(probefunc == "vfs_open");
	@unlink = sum(probefunc == "vfs_unlink");
}

profile:::tick-1s,
dtrace:::END
/probename == "END" || ++seconds % ($1 ? $1 : 1) == 0/
{
	printf("%-20Y", walltimestamp);
	printa(" %@8d %@8d %@8d %@8d %@8d\n", @read, @write, @sync,
	    @open, @unlink);
	clear(@read);
	clear(@write);
	clear(@sync);
	clear(@open);
	clear(@unlink);
}
