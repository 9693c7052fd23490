#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * drsnoop - threads that have to free memory before they get some
 *
 * Usage: dtrace run drsnoop
 *        dtrace run drsnoop -p PID|-c CMD
 * Needs: root
 *
 * A line when a thread that wanted memory has looked for pages to free itself,
 * because there were too few, or because the limit of its control group was
 * reached (group in the last column): the time of day, the process, its name,
 * how long it took in microseconds, and how many pages were freed. Programs
 * are slow meanwhile. With -p or -c only that process is shown.
 *
 * See: oomkill pagefaults
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-20s %7s %-16s %9s %8s %s\n", "TIME", "PID", "COMMAND",
	    "TOOK(us)", "PAGES", "FOR");
}

sdt:vmscan::mm_vmscan_direct_reclaim_begin,
sdt:vmscan::mm_vmscan_memcg_reclaim_begin
/$target == 0 || pid == $target/
{
	self->began = timestamp;
}

sdt:vmscan::mm_vmscan_direct_reclaim_end,
sdt:vmscan::mm_vmscan_memcg_reclaim_end
/self->began/
{
	printf("%-20Y %7d %-16S %9d %8d %S\n", walltimestamp, pid, execname,
	    (timestamp - self->began) / 1000, arg0,
	    strstr(probename, "memcg") != NULL ? "group" : "system");
	self->began = 0;
}
