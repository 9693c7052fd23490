#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * migrations - threads that are moved to another CPU
 *
 * Usage: dtrace run migrations [SECONDS]
 *        dtrace run migrations -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts how often the scheduler moved a thread from one CPU to another, by
 * process and both CPUs, the most frequent ones last. A thread that moves
 * finds nothing of its own in the caches. With -p or -c only that process is
 * counted.
 *
 * See: cpuwalk runqlat
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:sched::sched_migrate_task
/$target == 0 || xlate <psinfo_t *> (args[0])->pr_pid == $target/
{
	this->from = xlate <lwpsinfo_t *> (args[0])->pr_cpu;
	@[xlate <psinfo_t *> (args[0])->pr_pid, stringof(args[0]->comm),
	    this->from, (int)arg1] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%7s %-16s %4s %4s %8s\n", "PID", "COMMAND", "FROM", "TO",
	    "COUNT");
	printa("%7d %-16S %4d %4d %@8d\n", @);
}
