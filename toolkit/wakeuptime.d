#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * wakeuptime - time that threads sleep, by who wakes them and where
 *
 * Usage: dtrace run wakeuptime [SECONDS]
 *        dtrace run wakeuptime -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds from when a thread goes to sleep until it is woken, by its
 * name, the name of the thread that wakes it, and the stacks of the latter in
 * the kernel and in its program. What took most is last. Time from being woken
 * to running is shown by runqlat.
 *
 * With -p or -c only threads of that process that sleep are counted; without,
 * all are, but not dtrace itself.
 *
 * See: offwaketime offcputime runqlat
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m

sched:::sleep
/pid != 0 && ($target == 0 ? pid != $pid : pid == $target)/
{
	asleep[curlwpsinfo->pr_addr] = timestamp;
}

sched:::wakeup
/asleep[args[0]->pr_addr]/
{
	@[args[1]->pr_fname, execname, stack(), ustack()] =
	    sum((timestamp - asleep[args[0]->pr_addr]) / 1000);
	asleep[args[0]->pr_addr] = 0;
}

/* It was woken while it was on its way to sleep. */
sched:::on-cpu
/asleep[curlwpsinfo->pr_addr]/
{
	asleep[curlwpsinfo->pr_addr] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("  %S, woken by %S%k%k%@16d us\n\n", @);
}
