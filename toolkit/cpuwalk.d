#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cpuwalk - which CPUs a process runs on
 *
 * Usage: dtrace run cpuwalk [SECONDS]
 *        dtrace run cpuwalk -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Looks 997 times a second on each CPU at what runs there, and prints for each
 * process how often it was found on which CPU: do the threads of a program use
 * all of them? With -p or -c only that process is counted; without, all are,
 * but not dtrace itself and idle CPUs.
 *
 * See: migrations runqlen profile
 */
#pragma D option quiet
#pragma D option defaultargs

profile:::profile-997
/pid != 0 && ($target == 0 ? pid != $pid : pid == $target)/
{
	@[pid, execname, cpu] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%7s %-16s %4s %8s\n", "PID", "COMMAND", "CPU", "SAMPLES");
	printa("%7d %-16S %4d %@8d\n", @);
}
