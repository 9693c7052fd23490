#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * curlreq - requests that a process makes by libcurl, and their time
 *
 * Usage: dtrace run curlreq -p PID [SECONDS]
 *        dtrace run curlreq -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each transfer of curl_easy_perform when it ends: the thread, how
 * many milliseconds it took, the result (0: a transfer that worked, whatever
 * the server's answer; else an error of libcurl, as 7: no connection), and the
 * URL.
 *
 * Transfers of the multi interface (curl_multi_*) are not seen: there a
 * process makes several at a time.
 *
 * See: dnslookup, sslsniff
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

inline int OPT_URL = 10002;	/* CURLOPT_URL */

string url[uintptr_t];
self uint64_t start;
self uintptr_t handle;

dtrace:::BEGIN
{
	printf("%8s %10s %6s %s\n", "THREAD", "TIME(ms)", "RESULT", "URL");
}

pid$target::curl_easy_setopt:entry
/(int)arg1 == OPT_URL && arg2 != 0/
{
	url[arg0] = copyinstr(arg2);
}

pid$target::curl_easy_perform:entry
{
	self->start = timestamp;
	self->handle = arg0;
}

pid$target::curl_easy_perform:return
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	printf("%8d %6d.%03d %6d %S\n", tid, this->us / 1000,
	    this->us % 1000, (int)arg1,
	    url[self->handle] == NULL ? "?" : url[self->handle]);
	self->start = 0;
	self->handle = 0;
}

pid$target::curl_easy_cleanup:entry
{
	url[arg0] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
