#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * filetop - files that are read and written most
 *
 * Usage: dtrace run filetop [SECONDS [all]]
 *        dtrace run filetop -p PID|-c CMD [SECONDS [all]]
 * Needs: root
 * Args:  $1  seconds between two tables (5)
 *        $2  all: sockets and pipes, which have the name of their kind, and
 *            devices, too (regular files)
 *
 * Counts calls of read(2), write(2) and their kin that moved bytes, and these
 * in KB, by process and file. What comes by mapped memory (mmap(2)), splice(2)
 * or io_uring is not seen; what the cache served is. In each table the file
 * that was read from most is last; the last table is printed when tracing
 * ends.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: fileslower iotop opensnoop
 */
#pragma D option quiet
#pragma D option defaultargs

/* Another thread may have closed it meanwhile. */
inline struct file *open_file[int FD] = curthread->files->fdt->fd[FD];
inline int is_regular[int FD] = open_file[FD] == NULL ? 0 :
	(open_file[FD]->f_inode->i_mode & 0xf000) == 0x8000;

syscall::read:entry,
syscall::pread64:entry,
syscall::readv:entry,
syscall::preadv:entry,
syscall::preadv2:entry,
syscall::write:entry,
syscall::pwrite64:entry,
syscall::writev:entry,
syscall::pwritev:entry,
syscall::pwritev2:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->moving = 1;
	self->fd = (int)arg0;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return
/self->moving && (int64_t)arg1 > 0 && ($$2 == "all" ||
    is_regular[self->fd])/
{
	this->path = fds[self->fd].fi_pathname == "<unknown>" ?
	    fds[self->fd].fi_fs : fds[self->fd].fi_pathname;
	@reads[pid, execname, this->path] = count();
	@rbytes[pid, execname, this->path] = sum(arg1);
}

syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::pwritev2:return
/self->moving && (int64_t)arg1 > 0 && ($$2 == "all" ||
    is_regular[self->fd])/
{
	this->path = fds[self->fd].fi_pathname == "<unknown>" ?
	    fds[self->fd].fi_fs : fds[self->fd].fi_pathname;
	@writes[pid, execname, this->path] = count();
	@wbytes[pid, execname, this->path] = sum(arg1);
}

syscall::*read*:return,
syscall::*write*:return
/self->moving/
{
	self->moving = 0;
	self->fd = 0;
}

profile:::tick-1s,
dtrace:::END
/probename == "END" || ++seconds % ($1 ? $1 : 5) == 0/
{
	normalize(@rbytes, 1024);
	normalize(@wbytes, 1024);
	printf("%Y\n%7s %-16s %7s %7s %9s %9s %s\n", walltimestamp, "PID",
	    "COMMAND", "READS", "WRITES", "READ(KB)", "WRITE(KB)", "FILE");
	printa("%7d %-16S %@7d %@7d %@9d %@9d %S\n", @reads, @writes, @rbytes,
	    @wbytes);
	trunc(@reads);
	trunc(@writes);
	trunc(@rbytes);
	trunc(@wbytes);
}
