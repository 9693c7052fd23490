#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stackcount - how often a probe fires, by stack
 *
 * Usage: dtrace run stackcount PROBE [SECONDS]
 *        dtrace run stackcount -p PID|-c CMD PROBE [SECONDS]
 * Needs: root
 * Args:  $1  a probe, as syscall::openat:entry or sdt:::sched_switch or,
 *            with -p or -c, 'pid$target:libc.so.6:malloc:entry'
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Who does it? Counts firings by name of the process, stack of the kernel and
 * stack of the program, the most frequent ones last; -O flame=FILE.svg makes a
 * picture of it. The probe is described as with dtrace -n and may have
 * patterns. For functions of a program the stack of the program alone is shown
 * by ustackcount.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: argdist funccount profile
 */
#pragma D option quiet
#pragma D option defaultargs

$1
/$target == 0 ? pid != $pid : pid == $target/
{
	@[execname, stack(), ustack()] = count();
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}

dtrace:::END
{
	printa("  %S%k%k%@16d\n\n", @);
}
