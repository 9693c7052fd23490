#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rwsize - sizes of reads and writes, by process
 *
 * Usage: dtrace run rwsize [SECONDS]
 *        dtrace run rwsize -p PID [SECONDS]
 *        dtrace run rwsize -c CMD [SECONDS]
 * Needs: root; any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Histograms of the bytes that read, pread64, readv, recvfrom, recvmsg and
 * their counterparts for writing moved, for each process name, and a table of
 * how many calls and bytes that were. What counts is what was moved, not what
 * was asked for; calls that fail are counted in FAILED only. Many small ones
 * are better done as few large ones.
 *
 * See: fsyncs, filetop, blocked
 */
#pragma D option quiet
#pragma D option defaultargs

inline int ours = $target == 0 ? pid != $pid : pid == $target;

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::recvfrom:return,
syscall::recvmsg:return
/ours/
{
	this->dir = "read";
	this->n = (int64_t)arg1;
}

syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::sendto:return,
syscall::sendmsg:return
/ours/
{
	this->dir = "write";
	this->n = (int64_t)arg1;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::recvfrom:return,
syscall::recvmsg:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::sendto:return,
syscall::sendmsg:return
/ours/
{
	@calls[execname, this->dir] = sum(errno == 0);
	@failed[execname, this->dir] = sum(errno != 0);
	@bytes[execname, this->dir] = sum(errno == 0 ? this->n : 0);
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::recvfrom:return,
syscall::recvmsg:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::sendto:return,
syscall::sendmsg:return
/ours && errno == 0/
{
	@size[execname, this->dir] = quantize(this->n);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%S, %s, bytes:%@d\n", @size);
	printf("%-16s %-6s %10s %10s %16s\n", "COMMAND", "CALL", "CALLS",
	    "FAILED", "BYTES");
	printa("%-16S %-6s %@10d %@10d %@16d\n", @calls, @failed, @bytes);
}
