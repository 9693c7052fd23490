#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profile - stacks of what runs on CPUs, by samples
 *
 * Usage: dtrace run profile [SECONDS]
 *        dtrace run profile -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Looks 997 times a second on each CPU at what runs there, and counts stacks
 * of the kernel and of the program by name of the process; idle CPUs are left
 * out. So a count of 997 is about a second of one CPU. The most frequent stack
 * is last; -O flame=FILE.svg makes a picture of it.
 *
 * With -p or -c only that process is counted; without, all are. Without
 * privilege the stacks of a program are counted by hotuser.
 *
 * See: hotkernel offcputime cpuwalk
 */
#pragma D option quiet
#pragma D option defaultargs

profile:::profile-997
/$target == 0 ? pid != 0 : pid == $target/
{
	@[execname, stack(), ustack()] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("  %S%k%k%@16d\n\n", @);
}
