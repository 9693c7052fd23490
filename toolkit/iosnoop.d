#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * iosnoop - requests to block devices, with process, size and time
 *
 * Usage: dtrace run iosnoop [DEVICE]
 *        dtrace run iosnoop -p PID|-c CMD [DEVICE]
 * Needs: root
 * Args:  $1  only this device, as sda; "" is any ("")
 *
 * A line for each request when it is done: seconds since tracing began, the
 * process that was running when it was given to the device, which for writes
 * is often a thread of the kernel, the device, R or W, the bytes, the first
 * block (of 512 bytes), how long the device took in microseconds, queues of
 * the device included and those of the kernel not, and the file if the pages
 * of one are moved. With -p or -c only what that process itself gives to
 * devices is shown.
 *
 * See: iotop biolatency biosize fileslower
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %7s %-16s %-10s %1s %8s %11s %9s %s\n", "TIME(s)", "PID",
	    "COMMAND", "DEVICE", "D", "BYTES", "BLOCK", "TOOK(us)", "FILE");
}

io:::start
/($target == 0 || pid == $target) &&
    ($$1 == "" || args[1]->dev_statname == $$1)/
{
	began[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	who[args[0]->b_edev, args[0]->b_blkno] = pid;
	name[args[0]->b_edev, args[0]->b_blkno] = execname;
	file[args[0]->b_edev, args[0]->b_blkno] = args[2]->fi_pathname;
}

io:::done
/began[args[0]->b_edev, args[0]->b_blkno]/
{
	this->now = timestamp - start;
	printf("%5d.%03d %7d %-16S %-10S %S %8d %11d %9d %S\n",
	    this->now / 1000000000, this->now / 1000000 % 1000,
	    who[args[0]->b_edev, args[0]->b_blkno],
	    name[args[0]->b_edev, args[0]->b_blkno], args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "R" : "W", args[0]->b_bcount,
	    args[0]->b_blkno, (timestamp -
	    began[args[0]->b_edev, args[0]->b_blkno]) / 1000,
	    file[args[0]->b_edev, args[0]->b_blkno]);
	began[args[0]->b_edev, args[0]->b_blkno] = 0;
	who[args[0]->b_edev, args[0]->b_blkno] = 0;
	name[args[0]->b_edev, args[0]->b_blkno] = 0;
	file[args[0]->b_edev, args[0]->b_blkno] = 0;
}
