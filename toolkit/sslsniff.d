#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sslsniff - what a process sends and gets by OpenSSL, before encryption
 *
 * Usage: dtrace run sslsniff -p PID [data [SECONDS]]
 *        dtrace run sslsniff -c CMD [data [SECONDS]]
 * Needs: any user with -p or -c
 * Args:  $1  data: show what is sent and got (sizes only)
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each SSL_read and SSL_write that moved something: the thread, the
 * direction, and how many bytes. Only with "data" are the bytes themselves
 * shown: up to 200, with what is not printable as \ooo, and only up to the
 * first byte of zero.
 *
 * CAUTION: data are what encryption is there to hide: passwords, cookies,
 * contents of letters. Use "data" on processes of your own, and do not keep
 * what it prints.
 *
 * Seen are programs that use the library libssl or have its functions with
 * their names (node). Go, Java and those that use GnuTLS or NSS are not.
 *
 * See: curlreq, dnslookup
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self uintptr_t buf;
self int n;
self uintptr_t done;	/* where the _ex functions say how many */

dtrace:::BEGIN
{
	printf("%8s %-6s %10s %s\n", "THREAD", "CALL", "BYTES", "DATA");
}

pid$target::SSL_read:entry,
pid$target::SSL_write:entry
{
	self->buf = arg1;
}

pid$target::SSL_read_ex:entry,
pid$target::SSL_write_ex:entry
{
	self->buf = arg1;
	self->done = arg3;
}

pid$target::SSL_read:return,
pid$target::SSL_write:return
/self->buf/
{
	self->n = (int)arg1;
}

pid$target::SSL_read_ex:return,
pid$target::SSL_write_ex:return
/self->buf && (int)arg1 == 1/
{
	self->n = *(int *)copyin(self->done, sizeof(int));
}

pid$target::SSL_read:return,
pid$target::SSL_write:return,
pid$target::SSL_read_ex:return,
pid$target::SSL_write_ex:return
/self->n > 0 && $$1 != "data"/
{
	printf("%8d %-6s %10d -\n", tid, substr(probefunc, 4, 1) == "r" ?
	    "read" : "write", self->n);
}

pid$target::SSL_read:return,
pid$target::SSL_write:return,
pid$target::SSL_read_ex:return,
pid$target::SSL_write_ex:return
/self->n > 0 && $$1 == "data"/
{
	printf("%8d %-6s %10d %S\n", tid, substr(probefunc, 4, 1) == "r" ?
	    "read" : "write", self->n,
	    copyinstr(self->buf, (self->n < 200 ? self->n : 200) + 1));
}

pid$target::SSL_read:return,
pid$target::SSL_write:return,
pid$target::SSL_read_ex:return,
pid$target::SSL_write_ex:return
{
	self->buf = 0;
	self->done = 0;
	self->n = 0;
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}
