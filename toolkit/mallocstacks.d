#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mallocstacks - stacks by which a process allocates most
 *
 * Usage: dtrace run mallocstacks -p PID [SECONDS [STACKS]]
 *        dtrace run mallocstacks -c CMD [SECONDS [STACKS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many stacks are shown (10)
 *
 * Bytes asked for by malloc, calloc, realloc and the like, added up by stack,
 * freed or not, the most last. realloc counts with its new size. With -x
 * ustackframes=N other than 20 frames are told apart.
 *
 * With -O flame=FILE.svg a picture is made of it, in which the widest allocate
 * most. A call costs some hundred nanoseconds, by its depth.
 *
 * See: mallocsize, memleak, heapgrow
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

pid$target::malloc:entry,
pid$target::valloc:entry
{
	@bytes[ustack()] = sum(arg0);
}

/* glibc has malloc do what realloc(NULL, n) asks for. */
pid$target::realloc:entry
/arg0 || probemod != "libc.so.6"/
{
	@bytes[ustack()] = sum(arg1);
}

/* Of glibc, two names of one function. */
pid$target::memalign:entry,
pid$target::aligned_alloc:entry
{
	@bytes[ustack()] = sum(arg1);
}

pid$target::posix_memalign:entry
{
	@bytes[ustack()] = sum(arg2);
}

pid$target::calloc:entry
{
	@bytes[ustack()] = sum(arg0 * arg1);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@bytes, $2 ? $2 : 10);
	printa("%k%@16d bytes\n", @bytes);
}
