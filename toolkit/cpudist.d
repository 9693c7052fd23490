#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cpudist - how long threads run before they leave the CPU
 *
 * Usage: dtrace run cpudist [SECONDS]
 *        dtrace run cpudist -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds that a thread was on a CPU at a time, from being put there
 * until it leaves, to wait or because another takes its place: by name of the
 * process. Many short times cost switches. Interrupts in between are part of
 * it. Times that were under way when tracing begins or ends are left out. With
 * -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: runqlat offcputime
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::on-cpu
/pid != 0 && ($target == 0 ? pid != $pid : pid == $target)/
{
	self->on = timestamp;
}

sched:::off-cpu
/self->on/
{
	@[execname] = quantize((timestamp - self->on) / 1000);
	self->on = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%S, microseconds on a CPU:%@d\n", @);
}
