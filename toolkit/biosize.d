#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * biosize - sizes of requests to block devices, by process
 *
 * Usage: dtrace run biosize [SECONDS]
 *        dtrace run biosize -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Bytes of each request when it is given to a device, by name of the process
 * that was running then, device and direction (R, W). Many small requests cost
 * more than a few large ones. With -p or -c only that process is counted.
 *
 * See: biolatency iosnoop iotop
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
/$target == 0 || pid == $target/
{
	@[execname, args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "R" : "W"] =
	    quantize(args[0]->b_bcount);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%S on %S %S, bytes:%@d\n", @);
}
