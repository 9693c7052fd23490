#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cachestat - pages that the page cache had when they were asked for
 *
 * Usage: dtrace run cachestat [SECONDS]
 *        dtrace run cachestat -p PID|-c CMD [SECONDS]
 * Needs: kernel function probes (kprobes)
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts, by process, how often pages of files were looked at in the cache to
 * be read, and how many pages (folios, to be exact, which may be of many
 * pages) had to be added to it, by reading ahead too. Few that are added among
 * many that are looked at: the cache serves. The counts do not say which of
 * those looked at was added just before.
 *
 * With -p or -c only that process is counted; without, all are, but not dtrace
 * itself.
 *
 * See: filetop iosnoop vfsstat
 */
#pragma D option quiet
#pragma D option defaultargs

fbt::folio_mark_accessed:entry
/$target == 0 ? pid != $pid : pid == $target/
{
	@looked[pid, execname] = count();
}

sdt:filemap::mm_filemap_add_to_page_cache
/$target == 0 ? pid != $pid : pid == $target/
{
	@added[pid, execname] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%7s %-16s %10s %10s\n", "PID", "COMMAND", "LOOKED", "ADDED");
	printa("%7d %-16S %@10d %@10d\n", @looked, @added);
}
