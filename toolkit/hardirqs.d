#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hardirqs - time that interrupts of devices take, by device
 *
 * Usage: dtrace run hardirqs [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * How many interrupts each handler had, the time of all, and of the longest,
 * in microseconds; the one that took most is last. Numbers are those of
 * /proc/interrupts. The processor's own interrupts, such as that of its timer,
 * have no handlers and are not counted; what is put off is shown by softirqs.
 *
 * See: softirqs
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:irq::irq_handler_entry
{
	began[cpu] = timestamp;
}

sdt:irq::irq_handler_exit
/began[cpu]/
{
	this->ns = timestamp - began[cpu];
	this->name = args[1]->name == NULL ? "?" : stringof(args[1]->name);
	@all[(int)arg0, this->name] = sum(this->ns);
	@most[(int)arg0, this->name] = max(this->ns);
	@times[(int)arg0, this->name] = count();
	began[cpu] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	normalize(@all, 1000);
	normalize(@most, 1000);
	printf("%5s %-32s %12s %10s %10s\n", "IRQ", "NAME", "TIME(us)",
	    "COUNT", "MOST(us)");
	printa("%5d %-32S %@12d %@10d %@10d\n", @all, @times, @most);
}
