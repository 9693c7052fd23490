#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mallocsize - sizes of the blocks that a process allocates
 *
 * Usage: dtrace run mallocsize -p PID [SECONDS]
 *        dtrace run mallocsize -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A histogram of the sizes asked for, in bytes, for each function of the
 * malloc family, and below it how often each was called and how many bytes
 * were asked for in all. calloc counts as the product of its arguments,
 * realloc as the new size: what is asked for, not by how much a block grows.
 *
 * Any allocator is seen that has these names, be it that of the C library or
 * one that is loaded before it; operator new of C++ is seen by the malloc that
 * it calls. In glibc realloc(NULL, n) is a call of malloc and counts as both.
 *
 * A call costs some ten nanoseconds.
 *
 * See: mallocstacks, memleak, reallocs, heapgrow
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

pid$target::malloc:entry,
pid$target::valloc:entry
{
	@size[probefunc] = quantize(arg0);
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg0);
}

pid$target::realloc:entry
{
	@size[probefunc] = quantize(arg1);
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg1);
}

/* Of glibc, two names of one function. */
pid$target::memalign:entry,
pid$target::aligned_alloc:entry
{
	@size[probefunc] = quantize(arg1);
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg1);
}

pid$target::posix_memalign:entry
{
	@size[probefunc] = quantize(arg2);
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg2);
}

pid$target::calloc:entry
{
	@size[probefunc] = quantize(arg0 * arg1);
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(arg0 * arg1);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%s, bytes:%@d\n", @size);
	printf("%-16s %12s %16s\n", "FUNCTION", "CALLS", "BYTES");
	printa("%-16s %@12d %@16d\n", @calls, @bytes);
}
