#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * soconnect - connections that programs ask for, with time and outcome
 *
 * Usage: dtrace run soconnect [COMMAND]
 *        dtrace run soconnect -p PID|-c CMD [COMMAND]
 * Needs: root; any user with -p or -c
 * Args:  $1  only processes of this name; "" is any ("")
 *
 * A line for each connect(2) when it returns: the process, its name, the error
 * (0: none; 115, EINPROGRESS, means that the program goes on and asks later),
 * how long the call took in microseconds, the family, and the address: of IPv4
 * and IPv6 with the port, of local sockets the path ("@" for names that are no
 * files).
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: tcpconnect tcpconnlat tcpaccept
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %4s %9s %-6s %s\n", "PID", "COMMAND", "ERR",
	    "TIME(us)", "FAMILY", "ADDRESS");
}

syscall::connect:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->began = timestamp;
	self->to = arg1;
	self->length = (uint32_t)arg2;
}

syscall::connect:return
/self->began/
{
	self->took = (timestamp - self->began) / 1000;
	self->family = errno == EFAULT || self->length < 2 ? 0 :
	    *(uint16_t *)copyin(self->to, 2);
}

syscall::connect:return
/self->began && self->family == 2 && self->length >= 8/
{
	this->at = (uint8_t *)copyin(self->to, 8);
	printf("%7d %-16S %4d %9d %-6S %S:%d\n", pid, execname, errno,
	    self->took, "inet", inet_ntoa((ipaddr_t *)(this->at + 4)),
	    ntohs(*(uint16_t *)(this->at + 2)));
	self->family = 0;
	self->began = 0;
}

syscall::connect:return
/self->began && self->family == 10 && self->length >= 24/
{
	this->at = (uint8_t *)copyin(self->to, 24);
	printf("%7d %-16S %4d %9d %-6S [%S]:%d\n", pid, execname, errno,
	    self->took, "inet6", inet_ntoa6((struct in6_addr *)(this->at + 8)),
	    ntohs(*(uint16_t *)(this->at + 2)));
	self->family = 0;
	self->began = 0;
}

syscall::connect:return
/self->began && self->family == 1 && self->length > 2/
{
	this->first = *(char *)copyin(self->to + 2, 1);
	printf("%7d %-16S %4d %9d %-6S %S%S\n", pid, execname, errno,
	    self->took, "local", this->first == 0 ? "@" : "",
	    this->first == 0 && self->length == 3 ? "" :
	    copyinstr(self->to + 2 + (this->first == 0), self->length - 2));
	self->family = 0;
	self->began = 0;
}

/* Others, such as netlink, and what is no address. */
syscall::connect:return
/self->began/
{
	printf("%7d %-16S %4d %9d %-6d -\n", pid, execname, errno, self->took,
	    self->family);
	self->began = 0;
}

syscall::connect:return
{
	self->family = 0;
	self->to = 0;
	self->length = 0;
	self->took = 0;
}
