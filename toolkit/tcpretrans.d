#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcpretrans - TCP segments that are sent again
 *
 * Usage: dtrace run tcpretrans
 * Needs: root
 *
 * A line for each segment that is sent again because nobody has acknowledged
 * it in time: the time of day, address and port of both ends, and the state of
 * the connection (state-syn-sent: nobody answers). It is a timer or another
 * segment that makes it so, so the process is not known. It costs nothing
 * where nothing gets lost.
 *
 * See: tcplife tcpconnlat tcpstates
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-20s %-22s %5s %-22s %5s %s\n", "TIME", "LOCAL", "PORT",
	    "REMOTE", "PORT", "STATE");
}

sdt:tcp::tcp_retransmit_skb
{
	this->sock = (struct sock *)arg0;
	printf("%-20Y %-22s %5d %-22s %5d %s\n", walltimestamp,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_laddr,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_lport,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_raddr,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_rport,
	    tcp_state_string[xlate <tcpsinfo_t *> (this->sock)->tcps_state]);
}
