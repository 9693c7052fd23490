#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nodegc - collections of garbage in Node.js: which, how many, how long
 *
 * Usage: dtrace run nodegc -p PID [SECONDS]
 *        dtrace run nodegc -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each space (0: what does not change, 1: young objects, 2: old ones;
 * others by V8's numbers) and reason (V8's number; 1 is a space that was full)
 * how many collections there were, and their time in all and at most; a
 * histogram of the microseconds. The program's JavaScript stands still
 * meanwhile. What V8 does beside it in other threads is not counted.
 *
 * It looks at V8's function Heap::CollectGarbage by its symbol, which node has
 * as it is distributed.
 *
 * See: gcsnoop, eventloop
 */
#pragma D option quiet
#pragma D option defaultargs

self int depth;
self uint64_t start;
self int space;
self int reason;

pid$target::_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE*:entry
/self->depth++ == 0/
{
	self->start = timestamp;
	self->space = arg1;
	self->reason = arg2;
}

pid$target::_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE*:return
/self->depth > 0 && --self->depth == 0/
{
	this->us = (timestamp - self->start) / 1000;
	@us = quantize(this->us);
	@n[self->space, self->reason] = count();
	@sum[self->space, self->reason] = sum(this->us);
	@max[self->space, self->reason] = max(this->us);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("collections, us:%@d\n", @us);
	printf("%6s %8s %8s %12s %12s\n", "SPACE", "REASON", "RUNS",
	    "TIME(us)", "LONGEST(us)");
	printa("%6d %8d %@8d %@12d %@12d\n", @n, @sum, @max);
}
