#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nodehttp - HTTP requests that Node.js serves and makes, and their time
 *
 * Usage: dtrace run nodehttp [SECONDS]
 *        dtrace run nodehttp -p PID|-c CMD [SECONDS]
 * Needs: any user with -p or -c; root for all processes named node
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each answer: when, the process, whether it served the request or
 * asked another server (in, out), the milliseconds from the request's first
 * bytes to the answer's, the answer's status, the method and the path.
 *
 * It looks at what is read from sockets and written to them, so it needs
 * nothing of Node, and other servers are shown with -p, too, if they use read
 * and write. What goes through TLS is not readable there, HTTP/2 is another
 * language; of requests that a client sends without waiting for answers only
 * the last is known. Long paths are cut.
 *
 * See: eventloop, nodegc, curlreq, nginxreq
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

/* Requests that wait for their answer: by process, descriptor, and whether they
   have been read. */
uint64_t asked[int, int, int];
string method[int, int, int];
string path[int, int, int];
uint64_t began;
self uintptr_t buf;
self int fd;

dtrace:::BEGIN
{
	began = timestamp;
	printf("%10s %7s %-3s %10s %6s %-7s %s\n", "AT(ms)", "PID", "WAY",
	    "TOOK(ms)", "STATUS", "METHOD", "PATH");
}

syscall::read:entry
/$target == 0 ? execname == "node" : pid == $target/
{
	self->fd = (int)arg0;
	self->buf = arg1;
}

/* HTTP/1.1 200 is the shortest beginning that tells anything. */
syscall::read:return,
syscall::write:entry,
syscall::writev:entry
/$target == 0 ? execname == "node" : pid == $target/
{
	this->in = probefunc == "read";
	this->fd = this->in ? self->fd : (int)arg0;
	this->buf = (uintptr_t)0;
	this->n = (size_t)0;
	if (probefunc == "writev" && arg2 != 0) {
		this->buf = *(uintptr_t *)copyin(arg1, 8);
		this->n = *(size_t *)copyin(arg1 + 8, 8);
	} else if (probefunc == "write") {
		this->buf = (uintptr_t)arg1;
		this->n = (size_t)arg2;
	} else if (this->in && self->buf != 0) {
		this->buf = self->buf;
		this->n = (int64_t)arg0 > 0 ? (size_t)arg0 : 0;
	}
	self->buf = 0;
	/* Two words at least, or there would be none to be compared. */
	this->word = strtok(strjoin(this->n < 12 ? "" :
	    copyinstr(this->buf, this->n < 200 ? this->n : 200), " - -"), " ");
	this->next = strtok(NULL, " ");
}

syscall::read:return,
syscall::write:entry,
syscall::writev:entry
/($target == 0 ? execname == "node" : pid == $target) &&
    substr(this->next, 0, 1) == "/" &&
    index("|GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS|",
    strjoin("|", strjoin(this->word, "|"))) >= 0/
{
	asked[pid, this->fd, this->in] = timestamp;
	method[pid, this->fd, this->in] = this->word;
	path[pid, this->fd, this->in] = this->next;
}

syscall::read:return,
syscall::write:entry,
syscall::writev:entry
/($target == 0 ? execname == "node" : pid == $target) &&
    substr(this->word, 0, 7) == "HTTP/1." && asked[pid, this->fd, !this->in]/
{
	this->us = (timestamp - asked[pid, this->fd, !this->in]) / 1000;
	printf("%10d %7d %-3s %6d.%03d %6S %-7S %S\n",
	    (timestamp - began) / 1000000, pid, this->in ? "out" : "in",
	    this->us / 1000, this->us % 1000, substr(this->next, 0, 3),
	    method[pid, this->fd, !this->in], path[pid, this->fd, !this->in]);
	asked[pid, this->fd, !this->in] = 0;
	method[pid, this->fd, !this->in] = 0;
	path[pid, this->fd, !this->in] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
