#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gcsnoop - collections of garbage in Python, Java and Node, as they end
 *
 * Usage: dtrace run gcsnoop -p PID [SECONDS]
 *        dtrace run gcsnoop -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each collection when it ends, in whichever of these the process
 * is: the milliseconds since tracing began, the thread, the run time, how long
 * it took, and what was collected: in Python the generation, in Java the
 * collector's name, in Node the space (V8's number, 1: young objects).
 *
 * How each knows of them stands in pygc, javagc and nodegc.
 *
 * See: pygc, javagc, nodegc
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

uint64_t began;
self int depth;
self int pools;
self uint64_t start;
self string what;

dtrace:::BEGIN
{
	began = timestamp;
	printf("%10s %8s %-8s %10s %s\n", "AT(ms)", "THREAD", "RUNTIME",
	    "TOOK(ms)", "WHAT");
}

python$target:::gc-start
{
	self->start = timestamp;
	self->what = strjoin("generation ", lltostr(arg0));
}

hotspot$target:::mem-pool-gc-begin
/self->pools++ == 0/
{
	self->start = timestamp;
	self->what = copyinstr(arg0, arg1 + 1);
}

pid$target::_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE*:entry
/self->depth++ == 0/
{
	self->start = timestamp;
	self->what = strjoin("space ", lltostr((int)arg1));
}

python$target:::gc-done
{
	this->runtime = "python";
}

hotspot$target:::mem-pool-gc-end
/self->pools > 0 && --self->pools == 0/
{
	this->runtime = "java";
}

pid$target::_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE*:return
/self->depth > 0 && --self->depth == 0/
{
	this->runtime = "node";
}

python$target:::gc-done,
hotspot$target:::mem-pool-gc-end,
pid$target::_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE*:return
/self->start && self->depth == 0 && self->pools == 0/
{
	this->us = (timestamp - self->start) / 1000;
	printf("%10d %8d %-8s %6d.%03d %S\n", (timestamp - began) / 1000000,
	    tid, this->runtime, this->us / 1000, this->us % 1000, self->what);
	self->start = 0;
	self->what = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
