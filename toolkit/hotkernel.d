#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hotkernel - functions of the kernel that use CPUs, by samples
 *
 * Usage: dtrace run hotkernel [SECONDS]
 *        dtrace run hotkernel -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Looks 997 times a second on each CPU at what runs there, and counts
 * functions of the kernel, the most frequent ones last; idle CPUs are left
 * out. Code that runs with interrupts disabled is seen where they are enabled
 * again, if the machine has no interrupts that cannot be disabled for samples,
 * as most virtual ones.
 *
 * With -p or -c only that process is counted; without, all are.
 *
 * See: profile stackcount
 */
#pragma D option quiet
#pragma D option defaultargs

profile:::profile-997
/arg0 != 0 && ($target == 0 ? pid != 0 : pid == $target)/
{
	@[func(arg0)] = count();
	@all = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%-52s %8s\n", "FUNCTION", "SAMPLES");
	printa("%-52A %@8d\n", @);
	printa("all of them%50@d\n", @all);
}
