#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockhold - how long threads of a process hold their mutexes
 *
 * Usage: dtrace run lockhold -p PID [SECONDS]
 *        dtrace run lockhold -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each mutex of the C library and each place that takes it: how often it
 * was held, for how long in all and at most. A mutex that its owner takes
 * again (a recursive one) is held until it is given back as often. Waiting for
 * a condition gives the mutex back meanwhile. A mutex without a name is on the
 * heap or on a stack.
 *
 * A pair of lock and unlock costs two to four microseconds: a program that
 * locks all the time becomes slower.
 *
 * See: lockwaits
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m

uint64_t since[uintptr_t];
uintptr_t taker[uintptr_t];

plockstat$target:::mutex-acquire
/!args[1]/
{
	since[arg0] = timestamp;
	taker[arg0] = ucaller;
}

plockstat$target:::mutex-release
/!args[1] && since[arg0]/
{
	this->ns = timestamp - since[arg0];
	@holds[arg0, taker[arg0]] = count();
	@sum[arg0, taker[arg0]] = sum(this->ns);
	@max[arg0, taker[arg0]] = max(this->ns);
	since[arg0] = 0;
	taker[arg0] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%10s %16s %16s  %-32s %s\n", "HELD", "TIME(ns)",
	    "LONGEST(ns)", "MUTEX", "CALLER");
	printa("%@10d %@16d %@16d  %-32A %A\n", @holds, @sum, @max);
}
