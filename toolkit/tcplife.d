#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcplife - TCP connections with their length in time and bytes
 *
 * Usage: dtrace run tcplife
 *        dtrace run tcplife -p PID|-c CMD
 * Needs: root
 *
 * A line when a connection that began while tracing goes on has ended: the
 * process that asked for it or accepted it, its name, address and port of both
 * ends, the bytes that were sent and received (payload, without what was sent
 * again), and how many milliseconds it lasted, from the first segment to the
 * end of this machine's part; what is kept for late segments (TIME_WAIT) comes
 * after that. One that was never accepted has the process 0. With -p or -c
 * only that process is shown.
 *
 * See: tcpconnect tcpaccept tcptop tcpstates
 */
#pragma D option quiet
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

dtrace:::BEGIN
{
	printf("%7s %-16s %-18s %5s %-18s %5s %10s %10s %9s\n", "PID",
	    "COMMAND", "LOCAL", "PORT", "REMOTE", "PORT", "SENT", "RECEIVED",
	    "LIFE(ms)");
}

/* A program asks for a connection, in its own system call. */
tcp:::state-change
/args[3]->tcps_state == TCP_STATE_SYN_SENT/
{
	born[args[1]->cs_cid] = timestamp;
	owner[args[1]->cs_cid] = pid;
	name[args[1]->cs_cid] = execname;
}

/* One comes, whoever runs. */
tcp:::state-change
/args[5]->tcps_state == TCP_STATE_SYN_RECEIVED &&
    args[3]->tcps_state == TCP_STATE_ESTABLISHED/
{
	born[args[1]->cs_cid] = timestamp;
}

syscall::accept:return,
syscall::accept4:return
/(int)arg1 >= 0/
{
	this->sock = (uint64_t)((struct socket *)
	    curthread->files->fdt->fd[(int)arg1]->private_data)->sk;
}

syscall::accept:return,
syscall::accept4:return
/(int)arg1 >= 0 && born[this->sock]/
{
	owner[this->sock] = pid;
	name[this->sock] = execname;
}

/* The end of data (FIN) that was received is counted as a byte by the kernel:
   the second bit of sk_flags says that it came. */
tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && born[args[1]->cs_cid] &&
    ($target == 0 || owner[args[1]->cs_cid] == $target)/
{
	this->tcp = (struct tcp_sock *)arg1;
	printf("%7d %-16S %-18S %5d %-18S %5d %10d %10d %5d.%03d\n",
	    owner[args[1]->cs_cid], name[args[1]->cs_cid],
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport,
	    this->tcp->bytes_sent - this->tcp->bytes_retrans,
	    this->tcp->bytes_received -
	    (((struct sock *)arg1)->__sk_common.skc_flags >> 1 & 1),
	    (timestamp - born[args[1]->cs_cid]) / 1000000,
	    (timestamp - born[args[1]->cs_cid]) / 1000 % 1000);
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && born[args[1]->cs_cid]/
{
	born[args[1]->cs_cid] = 0;
	owner[args[1]->cs_cid] = 0;
	name[args[1]->cs_cid] = 0;
}
