#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcpaccept - TCP connections that programs accept
 *
 * Usage: dtrace run tcpaccept
 *        dtrace run tcpaccept -p PID|-c CMD
 * Needs: root
 *
 * A line when accept(2) or accept4(2) returns a connection of TCP: the
 * process, its name, the descriptor, and address and port of both ends. The
 * connection may have been there for a while then, waiting to be accepted.
 * With -p or -c only that process is shown.
 *
 * See: tcpconnect tcplife
 */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %5s %-22s %5s %-22s %5s\n", "PID", "COMMAND", "FD",
	    "LOCAL", "PORT", "REMOTE", "PORT");
}

syscall::accept:return,
syscall::accept4:return
/(int)arg1 >= 0 && ($target == 0 || pid == $target)/
{
	this->sock = ((struct socket *)
	    curthread->files->fdt->fd[(int)arg1]->private_data)->sk;
}

syscall::accept:return,
syscall::accept4:return
/(int)arg1 >= 0 && ($target == 0 || pid == $target) &&
    this->sock->sk_protocol == IPPROTO_TCP/
{
	printf("%7d %-16S %5d %-22S %5d %-22S %5d\n", pid, execname,
	    (int)arg1, xlate <tcpsinfo_t *> (this->sock)->tcps_laddr,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_lport,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_raddr,
	    xlate <tcpsinfo_t *> (this->sock)->tcps_rport);
}
