#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * biolatency - how long block devices take, as a distribution
 *
 * Usage: dtrace run biolatency [SECONDS]
 *        dtrace run biolatency -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Microseconds from giving a request to a device until it is done, queues of
 * the device included and those of the kernel not, by device and direction (R,
 * W). With -p or -c only requests that this process itself gives to a device
 * are counted, not what is written later in its name.
 *
 * See: biosize iosnoop fileslower
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m

io:::start
/$target == 0 || pid == $target/
{
	began[args[0]->b_edev, args[0]->b_blkno] = timestamp;
}

io:::done
/began[args[0]->b_edev, args[0]->b_blkno]/
{
	@[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W"] =
	    quantize((timestamp -
	    began[args[0]->b_edev, args[0]->b_blkno]) / 1000);
	began[args[0]->b_edev, args[0]->b_blkno] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%S %S, microseconds:%@d\n", @);
}
