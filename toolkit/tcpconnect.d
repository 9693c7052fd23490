#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcpconnect - TCP connections that this machine asks for
 *
 * Usage: dtrace run tcpconnect
 *        dtrace run tcpconnect -p PID|-c CMD
 * Needs: root
 *
 * A line when the first segment (SYN) of a connection is sent: the process,
 * its name, and address and port of both ends. Whether it comes about is shown
 * by tcpconnlat, and what connect(2) returns by soconnect. With -p or -c only
 * that process is shown.
 *
 * See: tcpaccept tcpconnlat tcplife soconnect
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %-22s %5s %-22s %5s\n", "PID", "COMMAND", "LOCAL",
	    "PORT", "REMOTE", "PORT");
}

tcp:::connect-request
/$target == 0 || pid == $target/
{
	printf("%7d %-16S %-22S %5d %-22S %5d\n", pid, execname,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}
