#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * runqlen - how many threads wait for each CPU
 *
 * Usage: dtrace run runqlen [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Looks 97 times a second on each CPU how many threads could run there besides
 * the one that does, and prints a distribution for each CPU. Where it is not 0
 * for long, CPUs are scarce, or threads are bound to the wrong one. Sampling
 * costs next to nothing.
 *
 * See: runqlat cpudist
 */
#pragma D option quiet
#pragma D option defaultargs

/* The idle thread, whose pid is 0, is not among those that run. */
profile:::profile-97
{
	this->running = curthread->se.cfs_rq->rq->nr_running;
	@[cpu] = lquantize(this->running > 0 && pid != 0 ?
	    this->running - 1 : this->running, 0, 64, 1);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("CPU %d, threads that wait:%@d\n", @);
}
