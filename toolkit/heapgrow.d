#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * heapgrow - stacks by which the memory of a process grows
 *
 * Usage: dtrace run heapgrow -p PID [SECONDS [STACKS]]
 *        dtrace run heapgrow -c CMD [SECONDS [STACKS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many stacks are shown (10)
 *
 * The system calls by which a process gets memory and gives it back: how
 * often, and how many bytes; mmap where no file is mapped, munmap of files
 * too. Then the stacks by which it got most, the most last. malloc makes these
 * calls when it has nothing left to give.
 *
 * Memory that is mapped is not yet used: pages come with their first access.
 * Of a heap that began before tracing, the first brk shows no bytes.
 *
 * See: mallocstacks, memleak
 */
#pragma D option quiet
#pragma D option defaultargs

inline int ANONYMOUS = 0x20;	/* MAP_ANONYMOUS */

self size_t length;
self size_t old;
uintptr_t top;

syscall::brk:return
/pid == $target && top != 0 && arg1 > top/
{
	@calls["brk, up"] = count();
	@bytes["brk, up"] = sum(arg1 - top);
	@stacks[ustack()] = sum(arg1 - top);
}

syscall::brk:return
/pid == $target && top != 0 && arg1 < top/
{
	@calls["brk, down"] = count();
	@bytes["brk, down"] = sum(top - arg1);
}

syscall::brk:return
/pid == $target/
{
	top = arg1;
}

syscall::mmap:entry
/pid == $target && (arg3 & ANONYMOUS)/
{
	self->length = arg1;
}

syscall::mremap:entry
/pid == $target/
{
	self->old = arg1;
	self->length = arg2;
}

syscall::munmap:entry
/pid == $target/
{
	self->length = arg1;
}

syscall::mmap:return
/self->length && errno == 0/
{
	@calls["mmap"] = count();
	@bytes["mmap"] = sum(self->length);
	@stacks[ustack()] = sum(self->length);
}

syscall::mremap:return
/self->length > self->old && errno == 0/
{
	@calls["mremap, up"] = count();
	@bytes["mremap, up"] = sum(self->length - self->old);
	@stacks[ustack()] = sum(self->length - self->old);
}

syscall::mremap:return
/self->length && self->length < self->old && errno == 0/
{
	@calls["mremap, down"] = count();
	@bytes["mremap, down"] = sum(self->old - self->length);
}

syscall::munmap:return
/self->length && errno == 0/
{
	@calls["munmap"] = count();
	@bytes["munmap"] = sum(self->length);
}

syscall::mmap:return,
syscall::mremap:return,
syscall::munmap:return
{
	self->length = 0;
	self->old = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, $2 ? $2 : 10);
	printa("%k%@16d bytes\n", @stacks);
	printf("\n%16s %10s  %s\n", "BYTES", "CALLS", "CALL");
	printa("%@16d %@10d  %s\n", @bytes, @calls);
}
