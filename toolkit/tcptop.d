#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcptop - TCP connections that move most, by process
 *
 * Usage: dtrace run tcptop [SECONDS]
 *        dtrace run tcptop -p PID|-c CMD [SECONDS]
 * Needs: root; Linux 6.3 or later
 * Args:  $1  seconds between two tables (5)
 *
 * Bytes of payload that programs send and receive by sockets of TCP, by
 * process and connection, when their system calls have moved them: what is
 * sent may be on its way still. What is received by mapped memory or splice(2)
 * is not seen. The connection that sent most is last; the last table is
 * printed when tracing ends. With -p or -c only that process is counted.
 *
 * See: udptop tcplife
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:sock::sock_send_length
/(int)arg1 > 0 && args[0]->sk_protocol == IPPROTO_TCP &&
    ($target == 0 ? pid != $pid : pid == $target)/
{
	@sent[pid, execname, xlate <tcpsinfo_t *> (args[0])->tcps_laddr,
	    xlate <tcpsinfo_t *> (args[0])->tcps_lport,
	    xlate <tcpsinfo_t *> (args[0])->tcps_raddr,
	    xlate <tcpsinfo_t *> (args[0])->tcps_rport] = sum((int)arg1);
}

/* Not what is only looked at (MSG_PEEK). */
sdt:sock::sock_recv_length
/(int)arg1 > 0 && (arg2 & 2) == 0 && args[0]->sk_protocol == IPPROTO_TCP &&
    ($target == 0 ? pid != $pid : pid == $target)/
{
	@received[pid, execname, xlate <tcpsinfo_t *> (args[0])->tcps_laddr,
	    xlate <tcpsinfo_t *> (args[0])->tcps_lport,
	    xlate <tcpsinfo_t *> (args[0])->tcps_raddr,
	    xlate <tcpsinfo_t *> (args[0])->tcps_rport] = sum((int)arg1);
}

profile:::tick-1s,
dtrace:::END
/probename == "END" || ++seconds % ($1 ? $1 : 5) == 0/
{
	printf("%Y\n%7s %-16s %-16s %5s %-16s %5s %11s %11s\n", walltimestamp,
	    "PID", "COMMAND", "LOCAL", "PORT", "REMOTE", "PORT", "SENT",
	    "RECEIVED");
	printa("%7d %-16S %-16S %5d %-16S %5d %@11d %@11d\n", @sent,
	    @received);
	trunc(@sent);
	trunc(@received);
}
