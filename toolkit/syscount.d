#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * syscount - system calls counted, by call or by process
 *
 * Usage: dtrace run syscount [call|process [SECONDS]]
 *        dtrace run syscount -p PID|-c CMD [call|process [SECONDS]]
 * Needs: root; any user with -p or -c
 * Args:  $1  call|process: what is counted by (call)
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Calls are counted when they begin, and the counts are printed at the end,
 * the most frequent ones last. With -p or -c only that process is counted;
 * without, all are, but not dtrace itself.
 *
 * See: execsnoop
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/($target == 0 ? pid != $pid : pid == $target) && $$1 != "process"/
{
	@calls[probefunc] = count();
}

syscall:::entry
/($target == 0 ? pid != $pid : pid == $target) && $$1 == "process"/
{
	@processes[pid, execname] = count();
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}

dtrace:::END
/$$1 != "process"/
{
	printf("%-24s %10s\n", "CALL", "COUNT");
	printa("%-24S %@10d\n", @calls);
}

dtrace:::END
/$$1 == "process"/
{
	printf("%7s %-16s %10s\n", "PID", "COMMAND", "COUNT");
	printa("%7d %-16S %@10d\n", @processes);
}
