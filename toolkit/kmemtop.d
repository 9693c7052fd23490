#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kmemtop - functions of the kernel that allocate memory
 *
 * Usage: dtrace run kmemtop [SECONDS]
 *        dtrace run kmemtop -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts calls of kmalloc() and its kin, and the bytes that were set aside for
 * them, by the place that called, the most frequent ones last. Objects of
 * caches with a name are counted by slabtop, whole pages by neither. With -p
 * or -c only what is allocated while that process runs is counted.
 *
 * See: slabtop
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:kmem::kmalloc
/$target == 0 ? pid != $pid : pid == $target/
{
	@calls[func(arg0)] = count();
	@bytes[func(arg0)] = sum(arg3);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%-48s %10s %14s\n", "FUNCTION", "CALLS", "BYTES");
	printa("%-48A %@10d %@14d\n", @calls, @bytes);
}
