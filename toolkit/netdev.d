#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * netdev - packets and bytes of network devices
 *
 * Usage: dtrace run netdev [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Packets and bytes that devices were given to send and have handed over, as
 * the kernel sees them: with the headers of the link when they are sent and
 * without when they are received, and a packet that a device cuts up, or has
 * put together, is one. Devices of all network namespaces are counted.
 *
 * See: tcptop udptop
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:net::net_dev_xmit
/(int)arg1 == 0/
{
	@out[stringof(args[2]->name)] = count();
	@sent[stringof(args[2]->name)] = sum(arg3);
}

sdt:net::netif_receive_skb
{
	@in[stringof(args[0]->dev->name)] = count();
	@received[stringof(args[0]->dev->name)] = sum(args[0]->len);
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%-16s %10s %14s %10s %14s\n", "DEVICE", "OUT", "SENT", "IN",
	    "RECEIVED");
	printa("%-16S %@10d %@14d %@10d %@14d\n", @out, @sent, @in, @received);
}
