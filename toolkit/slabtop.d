#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * slabtop - objects that the kernel allocates, by kind
 *
 * Usage: dtrace run slabtop [SECONDS]
 *        dtrace run slabtop -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts allocations from the kernel's caches of objects (those that have a
 * name, as dentry and filp), the bytes of these, and how many were given back,
 * by cache, the most frequent ones last. Unlike slabtop(1), which shows what
 * there is, it shows what goes on. Objects are given back by others and later,
 * as by RCU, so the columns of a short run do not match. With -p or -c only
 * what is allocated or given back while that process runs is counted.
 *
 * See: kmemtop pagefaults
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:kmem::kmem_cache_alloc
/$target == 0 ? pid != $pid : pid == $target/
{
	@made[stringof(args[2]->name)] = count();
	@bytes[stringof(args[2]->name)] = sum(args[2]->object_size);
}

sdt:kmem::kmem_cache_free
/$target == 0 ? pid != $pid : pid == $target/
{
	@freed[stringof(args[2]->name)] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%-28s %10s %12s %10s\n", "CACHE", "ALLOCATED", "BYTES",
	    "FREED");
	printa("%-28S %@10d %@12d %@10d\n", @made, @bytes, @freed);
}
