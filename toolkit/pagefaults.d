#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pagefaults - page faults of programs, by process and kind
 *
 * Usage: dtrace run pagefaults [SECONDS]
 *        dtrace run pagefaults -p PID|-c CMD [SECONDS]
 * Needs: root; x86, whose tracepoint page_fault_user it uses
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts faults of programs in their own code, by process and kind: read,
 * write or exec, and new where no page was there, or protected where there was
 * one that could not be used so (a page that is shared until it is written,
 * mostly). Most faults are memory that is touched for the first time, and cost
 * little each. Those that wait for a disk are among them; fileslower does not
 * see these. Faults that the kernel takes on memory of a program are not
 * counted.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: slabtop oomkill
 */
#pragma D option quiet
#pragma D option defaultargs

/* Bits of the error code: 0 a page was there, 1 write, 4 instruction. */
sdt:exceptions::page_fault_user
/$target == 0 ? pid != $pid : pid == $target/
{
	@[pid, execname, arg2 & 0x10 ? "exec" : arg2 & 2 ? "write" : "read",
	    arg2 & 1 ? "protected" : "new"] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%7s %-16s %-6s %-10s %8s\n", "PID", "COMMAND", "ACCESS",
	    "PAGE", "FAULTS");
	printa("%7d %-16S %-6S %-10S %@8d\n", @);
}
