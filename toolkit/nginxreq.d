#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nginxreq - requests that an nginx worker serves, and their time
 *
 * Usage: dtrace run nginxreq -p PID [SECONDS]
 *        dtrace run nginxreq -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A histogram of the microseconds from when the request's header has been read
 * until the request is freed: with what is sent to the client, and with
 * waiting for a server behind. Below it requests and connections in all, and
 * the longest.
 *
 * Workers are processes of their own: -p is one of them (pgrep -f 'nginx:
 * worker'). Requests whose header is an error are not counted. Needs nginx's
 * symbols, which Debian's has.
 *
 * See: eventloop, rediscmds
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

uint64_t start[uintptr_t];

pid$target::ngx_http_process_request:entry
{
	start[arg0] = timestamp;
}

pid$target::ngx_http_free_request:entry
/start[arg0]/
{
	this->us = (timestamp - start[arg0]) / 1000;
	@us = quantize(this->us);
	@requests["requests"] = count();
	@longest["requests"] = max(this->us);
	start[arg0] = 0;
}

pid$target::ngx_http_init_connection:entry
{
	@requests["connections"] = count();
}

pid$target::ngx_http_upstream_init:entry
{
	@requests["upstream"] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("requests, us:%@d\n", @us);
	printf("%-12s %10s %14s\n", "WHAT", "COUNT", "LONGEST(us)");
	printa("%-12s %@10d %@14d\n", @requests, @longest);
}
