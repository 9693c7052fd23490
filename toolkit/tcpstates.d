#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcpstates - changes of state of TCP connections
 *
 * Usage: dtrace run tcpstates [PORT]
 * Needs: root
 * Args:  $1  only connections with this port at either end; 0: all (0)
 *
 * A line for each change: seconds since tracing began, address and port of
 * both ends, the old and the new state, and how long the connection was in the
 * old one, in milliseconds, if that began while tracing goes on. Many that
 * stay in state-close-wait are a program that forgets to close. What follows
 * this machine's part (TIME_WAIT) is kept elsewhere, and shown as
 * state-closed.
 *
 * See: tcplife tcpconnlat
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

uint64_t since[uint64_t];

dtrace:::BEGIN
{
	start = timestamp;
	printf("%9s %-18s %5s %-18s %5s %-18s %-18s %10s\n", "TIME(s)",
	    "LOCAL", "PORT", "REMOTE", "PORT", "OLD", "NEW", "SPENT(ms)");
}

tcp:::state-change
/$1 == 0 || args[3]->tcps_lport == $1 || args[3]->tcps_rport == $1/
{
	this->now = timestamp - start;
	this->in = since[args[1]->cs_cid] == 0 ? 0 :
	    timestamp - since[args[1]->cs_cid];
	printf("%5d.%03d %-18s %5d %-18s %5d %-18s %-18s %6d.%03d\n",
	    this->now / 1000000000, this->now / 1000000 % 1000,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, tcp_state_string[args[5]->tcps_state],
	    tcp_state_string[args[3]->tcps_state], this->in / 1000000,
	    this->in / 1000 % 1000);
}

tcp:::state-change
/args[3]->tcps_state != TCP_STATE_CLOSED/
{
	since[args[1]->cs_cid] = timestamp;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED/
{
	since[args[1]->cs_cid] = 0;
}
