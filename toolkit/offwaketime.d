#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * offwaketime - time that threads wait, by stack and who woke them
 *
 * Usage: dtrace run offwaketime [SECONDS]
 *        dtrace run offwaketime -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds from when a thread goes to sleep until it runs again, by name
 * of the process, its stack of the kernel and of the program, and the name of
 * the thread that woke it. A thread that is woken by an interrupt, such as that
 * of a timer or a device, has been woken by whatever was running then. What
 * took most is last. The stack of the one who wakes is shown by wakeuptime.
 *
 * It is not known who wakes a thread that is still on its way to sleep.
 *
 * With -p or -c only threads of that process are counted; without, all are,
 * but not dtrace itself. Each switch of threads is seen, which a busy machine
 * feels.
 *
 * See: offcputime wakeuptime
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m

sched:::sleep
/pid != 0 && ($target == 0 ? pid != $pid : pid == $target)/
{
	self->sleeps = 1;
	asleep[curlwpsinfo->pr_addr] = timestamp;
	waker[curlwpsinfo->pr_addr] = "(before it slept)";
}

sched:::wakeup
/asleep[args[0]->pr_addr]/
{
	waker[args[0]->pr_addr] = pid == 0 ? "(interrupt)" : execname;
}

sched:::on-cpu
/self->sleeps && asleep[curlwpsinfo->pr_addr]/
{
	@[execname, stack(), ustack(), waker[curlwpsinfo->pr_addr]] =
	    sum((timestamp - asleep[curlwpsinfo->pr_addr]) / 1000);
	asleep[curlwpsinfo->pr_addr] = 0;
	waker[curlwpsinfo->pr_addr] = 0;
	self->sleeps = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("  %S%k%k  woken by %S%@16d us\n\n", @);
}
