#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * funclatency - how long functions of the kernel take
 *
 * Usage: dtrace run funclatency FUNCTION [MODULE [SECONDS]]
 *        dtrace run funclatency -p PID|-c CMD FUNCTION [MODULE [SECONDS]]
 * Needs: kernel function probes (kprobes)
 * Args:  $1  a function, or a pattern, as 'vfs_*'
 *        $2  its module, as ext4; "" is any, the kernel itself included ("")
 *        $3  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Nanoseconds from entry to return, a distribution for each function, whether
 * it works or waits; what it costs to watch is part of it. Calls of a function
 * by itself are measured each: the depth of the stack tells them apart. With
 * -p or -c only calls while that process runs are measured.
 *
 * See: funccount argdist
 */
#pragma D option quiet
#pragma D option defaultargs

fbt:$2:$1:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	self->began[probefunc, stackdepth] = timestamp;
}

fbt:$2:$1:return
/self->began[probefunc, stackdepth]/
{
	@[probefunc] =
	    quantize(timestamp - self->began[probefunc, stackdepth]);
	self->began[probefunc, stackdepth] = 0;
}

profile:::tick-1s
/$3 != 0 && ++seconds >= $3/
{
	exit(0);
}

dtrace:::END
{
	printa("%S, nanoseconds:%@d\n", @);
}
