#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * softirqs - time that soft interrupts take, by kind
 *
 * Usage: dtrace run softirqs [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Soft interrupts are what the kernel puts off when a device interrupts it:
 * packets, requests that are done, timers, and its own housekeeping (RCU,
 * SCHED). How many of each kind were handled, the time of all, and of the
 * longest, in microseconds; the kind that took most is last. Hard interrupts
 * that come in between are part of it.
 *
 * See: hardirqs hotkernel
 */
#pragma D option quiet
#pragma D option defaultargs

/* The kernel's numbers (enum in linux/interrupt.h). */
inline string softirq_name[int V] =
	V == 0 ? "HI" : V == 1 ? "TIMER" : V == 2 ? "NET_TX" :
	V == 3 ? "NET_RX" : V == 4 ? "BLOCK" : V == 5 ? "IRQ_POLL" :
	V == 6 ? "TASKLET" : V == 7 ? "SCHED" : V == 8 ? "HRTIMER" :
	V == 9 ? "RCU" : "?";

sdt:irq::softirq_entry
{
	began[cpu] = timestamp;
}

sdt:irq::softirq_exit
/began[cpu]/
{
	this->ns = timestamp - began[cpu];
	@all[softirq_name[(int)arg0]] = sum(this->ns);
	@most[softirq_name[(int)arg0]] = max(this->ns);
	@times[softirq_name[(int)arg0]] = count();
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
	printf("%-10s %12s %10s %10s\n", "KIND", "TIME(us)", "COUNT",
	    "MOST(us)");
	printa("%-10S %@12d %@10d %@10d\n", @all, @times, @most);
}
