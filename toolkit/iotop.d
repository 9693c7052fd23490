#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * iotop - processes that block devices work for most
 *
 * Usage: dtrace run iotop [SECONDS]
 *        dtrace run iotop -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds between two tables (5)
 *
 * Counts requests and their KB when they are given to a device, by the process
 * that was running then, device and direction. What a program writes goes to a
 * device later, and threads of the kernel are shown for it: filetop shows who
 * wrote. The one with the most bytes is last; the last table is printed when
 * tracing ends. With -p or -c only that process is counted.
 *
 * See: iosnoop filetop biosize
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
/$target == 0 || pid == $target/
{
	this->way = args[0]->b_flags & B_READ ? "R" : "W";
	@bytes[pid, execname, args[1]->dev_statname, this->way] =
	    sum(args[0]->b_bcount);
	@requests[pid, execname, args[1]->dev_statname, this->way] = count();
}

profile:::tick-1s,
dtrace:::END
/probename == "END" || ++seconds % ($1 ? $1 : 5) == 0/
{
	normalize(@bytes, 1024);
	printf("%Y\n%7s %-16s %-10s %1s %8s %10s\n", walltimestamp, "PID",
	    "COMMAND", "DEVICE", "D", "REQUESTS", "SIZE(KB)");
	printa("%7d %-16S %-10S %1S %@8d %@10d\n", @requests, @bytes);
	trunc(@bytes);
	trunc(@requests);
}
