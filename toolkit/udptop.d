#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * udptop - sockets of UDP that move most, by process
 *
 * Usage: dtrace run udptop [SECONDS]
 *        dtrace run udptop -p PID|-c CMD [SECONDS]
 * Needs: root; Linux 6.3 or later
 * Args:  $1  seconds between two tables (5)
 *
 * Datagrams and bytes of payload that programs send and receive, by process
 * and local port (which may be of any address), when their system calls have
 * moved them. What arrives and is dropped before a program asks for it is not
 * counted. The socket that sent most datagrams is last; the last table is
 * printed when tracing ends. With -p or -c only that process is counted.
 *
 * See: tcptop netdev
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:sock::sock_send_length
/(int)arg1 >= 0 && args[0]->sk_protocol == IPPROTO_UDP &&
    ($target == 0 ? pid != $pid : pid == $target)/
{
	@out[pid, execname, args[0]->__sk_common.skc_num] = count();
	@sent[pid, execname, args[0]->__sk_common.skc_num] = sum((int)arg1);
}

/* Not what is only looked at (MSG_PEEK). */
sdt:sock::sock_recv_length
/(int)arg1 >= 0 && (arg2 & 2) == 0 && args[0]->sk_protocol == IPPROTO_UDP &&
    ($target == 0 ? pid != $pid : pid == $target)/
{
	@in[pid, execname, args[0]->__sk_common.skc_num] = count();
	@received[pid, execname, args[0]->__sk_common.skc_num] =
	    sum((int)arg1);
}

profile:::tick-1s,
dtrace:::END
/probename == "END" || ++seconds % ($1 ? $1 : 5) == 0/
{
	printf("%Y\n%7s %-16s %5s %9s %11s %9s %11s\n", walltimestamp, "PID",
	    "COMMAND", "PORT", "OUT", "SENT", "IN", "RECEIVED");
	printa("%7d %-16S %5d %@9d %@11d %@9d %@11d\n", @out, @sent, @in,
	    @received);
	trunc(@out);
	trunc(@sent);
	trunc(@in);
	trunc(@received);
}
