#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hotuser - functions of a process that use the CPU, by samples
 *
 * Usage: dtrace run hotuser -p PID [SECONDS [FUNCTIONS]]
 *        dtrace run hotuser -c CMD [SECONDS [FUNCTIONS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many functions are shown (20)
 *
 * 997 times a second each thread of the process that runs is looked at, and
 * the function that it is in is counted: the hottest last. SAMPLES of one
 * thread divided by 997 are seconds of CPU time. [kernel] is time in system
 * calls and faults; only root sees it.
 *
 * With a thread on every CPU that is 997 samples a second for each of them, at
 * some microseconds each.
 *
 * See: profile, ustackcount, usertime, blocked
 */
#pragma D option quiet
#pragma D option defaultargs

profile:::profile-997
/pid == $target && arg1 != 0/
{
	@module[umod(arg1)] = count();
	@function[ufunc(arg1)] = count();
}

profile:::profile-997
/pid == $target && arg1 == 0/
{
	@kernel["[kernel]"] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@function, $2 ? $2 : 20);
	printf("%10s  %s\n", "SAMPLES", "FUNCTION");
	printa("%@10d  %A\n", @function);
	printf("\n%10s  %s\n", "SAMPLES", "MODULE");
	printa("%@10d  %A\n", @module);
	printa("%@10d  %s\n", @kernel);
}
