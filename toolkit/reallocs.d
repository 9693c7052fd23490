#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * reallocs - blocks that a process enlarges, and what is copied
 *
 * Usage: dtrace run reallocs -p PID [SECONDS]
 *        dtrace run reallocs -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Calls of realloc for each place that makes them: how many in all, how many
 * moved the block, and how many bytes were asked for by those that did: about
 * what was copied, as a block that moves has most often grown. A place with
 * many calls that move should ask for more at a time.
 *
 * Calls with a null pointer are allocations, and are not counted.
 *
 * See: mallocsize, memleak
 */
#pragma D option quiet
#pragma D option defaultargs

self uintptr_t old;
self uintptr_t site;
self size_t size;

pid$target::realloc:entry
/arg0/
{
	self->old = arg0;
	self->size = arg1;
	self->site = ucaller;
}

pid$target::realloc:return
/self->old/
{
	this->moved = arg1 != 0 && (uintptr_t)arg1 != self->old;
	@calls[self->site] = sum(1);
	@moved[self->site] = sum(this->moved);
	@bytes[self->site] = sum(this->moved ? self->size : 0);
	self->old = 0;
	self->size = 0;
	self->site = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%10s %10s %14s  %s\n", "CALLS", "MOVED", "BYTES", "CALLER");
	printa("%@10d %@10d %@14d  %A\n", @calls, @moved, @bytes);
}
