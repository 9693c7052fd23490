#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * runqlat - how long threads wait for a CPU, as a distribution
 *
 * Usage: dtrace run runqlat [SECONDS]
 *        dtrace run runqlat -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds from when a thread could run (it was woken, is new, or another
 * took its CPU) until it did. Where this is long there are more threads that
 * want to run than CPUs, or threads that must not be disturbed. With -p or -c
 * only threads of that process are counted; without, all are. Each switch of
 * threads is seen, which a busy machine feels.
 *
 * See: runqlen cpudist offcputime wakeuptime
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m

sched:::wakeup
/$target == 0 || args[1]->pr_pid == $target/
{
	ready[args[0]->pr_addr] = timestamp;
}

sched:::preempt
/$target == 0 || pid == $target/
{
	ready[curlwpsinfo->pr_addr] = timestamp;
}

sched:::on-cpu
/ready[curlwpsinfo->pr_addr]/
{
	@ = quantize((timestamp - ready[curlwpsinfo->pr_addr]) / 1000);
	ready[curlwpsinfo->pr_addr] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("wait for a CPU, microseconds:\n");
	printa("%@d\n", @);
}
