#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * funccount - calls of functions of the kernel, counted
 *
 * Usage: dtrace run funccount FUNCTION [MODULE [SECONDS]]
 *        dtrace run funccount -p PID|-c CMD FUNCTION [MODULE [SECONDS]]
 * Needs: kernel function probes (kprobes)
 * Args:  $1  a function, or a pattern, as 'vfs_*'
 *        $2  its module, as ext4; "" is any, the kernel itself included ("")
 *        $3  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts calls by function, the most frequent ones last. Patterns with some
 * thousands of functions take a while to be put in place. Functions that the
 * compiler has put into others are not there. With -p or -c only calls while
 * that process runs are counted.
 *
 * See: funclatency stackcount argdist
 */
#pragma D option quiet
#pragma D option defaultargs

fbt:$2:$1:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	@[probefunc] = count();
}

profile:::tick-1s
/$3 != 0 && ++seconds >= $3/
{
	exit(0);
}

dtrace:::END
{
	printf("%-48s %10s\n", "FUNCTION", "CALLS");
	printa("%-48S %@10d\n", @);
}
