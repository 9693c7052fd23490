#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcpconnlat - how long TCP connections take to come about
 *
 * Usage: dtrace run tcpconnlat [MILLISECONDS]
 *        dtrace run tcpconnlat -p PID|-c CMD [MILLISECONDS]
 * Needs: root
 * Args:  $1  the least time that is shown (0)
 *
 * A line when a connection that this machine has asked for is there, or has
 * failed: the process, its name, address and port of both ends, the time from
 * asking to the answer in milliseconds, and what came of it: connected, or
 * closed (refused, timed out, given up). The time is that of the network and
 * of the other machine's kernel; its program may not have accepted yet. With
 * -p or -c only that process is shown.
 *
 * See: tcpconnect soconnect tcpretrans
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

dtrace:::BEGIN
{
	printf("%7s %-16s %-18s %5s %-18s %5s %10s %s\n", "PID", "COMMAND",
	    "LOCAL", "PORT", "REMOTE", "PORT", "TOOK(ms)", "END");
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_SYN_SENT &&
    ($target == 0 || pid == $target)/
{
	asked[args[1]->cs_cid] = timestamp;
	owner[args[1]->cs_cid] = pid;
	name[args[1]->cs_cid] = execname;
}

tcp:::state-change
/args[5]->tcps_state == TCP_STATE_SYN_SENT && asked[args[1]->cs_cid] &&
    timestamp - asked[args[1]->cs_cid] >= $1 * 1000000/
{
	this->took = timestamp - asked[args[1]->cs_cid];
	printf("%7d %-16S %-18S %5d %-18S %5d %6d.%03d %S\n",
	    owner[args[1]->cs_cid], name[args[1]->cs_cid],
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, this->took / 1000000,
	    this->took / 1000 % 1000,
	    args[3]->tcps_state == TCP_STATE_ESTABLISHED ? "connected" :
	    "closed");
}

tcp:::state-change
/args[5]->tcps_state == TCP_STATE_SYN_SENT && asked[args[1]->cs_cid]/
{
	asked[args[1]->cs_cid] = 0;
	owner[args[1]->cs_cid] = 0;
	name[args[1]->cs_cid] = 0;
}
