#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * argdist - distribution of an argument of a probe, by process
 *
 * Usage: dtrace run argdist PROBE ARG [SECONDS]
 *        dtrace run argdist -p PID|-c CMD PROBE ARG [SECONDS]
 * Needs: root; any user with -p or -c for probes of a process
 * Args:  $1  a probe, as syscall::read:return or
 *            'pid$target:libc.so.6:malloc:entry'
 *        $2  the argument, as arg0
 *        $3  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts the values of an argument in powers of two, by name of the process.
 * The probe is described as with dtrace -n and may have patterns; what its
 * arguments are is shown by dtrace -lv. Of returns of system calls and
 * functions arg1 is the result.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: stackcount funclatency
 */
#pragma D option quiet
#pragma D option defaultargs

$1
/$target == 0 ? pid != $pid : pid == $target/
{
	@[execname] = quantize((int64_t)$2);
}

profile:::tick-1s
/$3 != 0 && ++seconds >= $3/
{
	exit(0);
}

dtrace:::END
{
	printa("%S:%@d\n", @);
}
