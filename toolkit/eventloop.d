#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * eventloop - how long a process's event loop is away from its poll
 *
 * Usage: dtrace run eventloop -p PID [SECONDS [MS]]
 *        dtrace run eventloop -c CMD [SECONDS [MS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  show each turn that is longer than so many milliseconds; 0: none
 *            (0)
 *
 * Node, nginx, redis and many others have a thread that waits for events in
 * epoll_wait, poll, select or the like, and does what is to be done between
 * two of these calls: meanwhile nothing else is answered. For each thread a
 * histogram of the microseconds between them, and a table of how many turns it
 * made, how long they were in all and at most, and how long it waited. Turns
 * of more than MS milliseconds are shown as they happen, with the stack of the
 * call that ended them.
 *
 * See: blocked, hotuser
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

self uint64_t woken;
self uint64_t slept;

syscall::epoll_wait:entry,
syscall::epoll_pwait:entry,
syscall::epoll_pwait2:entry,
syscall::poll:entry,
syscall::ppoll:entry,
syscall::select:entry,
syscall::pselect6:entry
/pid == $target/
{
	self->slept = timestamp;
}

syscall::epoll_wait:entry,
syscall::epoll_pwait:entry,
syscall::epoll_pwait2:entry,
syscall::poll:entry,
syscall::ppoll:entry,
syscall::select:entry,
syscall::pselect6:entry
/pid == $target && self->woken/
{
	this->us = (timestamp - self->woken) / 1000;
	@us[tid] = quantize(this->us);
	@turns[tid] = count();
	@busy[tid] = sum(this->us);
	@longest[tid] = max(this->us);
}

syscall::epoll_wait:entry,
syscall::epoll_pwait:entry,
syscall::epoll_pwait2:entry,
syscall::poll:entry,
syscall::ppoll:entry,
syscall::select:entry,
syscall::pselect6:entry
/$2 != 0 && pid == $target && self->woken &&
    timestamp - self->woken > $2 * 1000000/
{
	printf("%Y thread %d was busy for %d ms\n", walltimestamp, tid,
	    (timestamp - self->woken) / 1000000);
	ustack();
}

syscall::epoll_wait:return,
syscall::epoll_pwait:return,
syscall::epoll_pwait2:return,
syscall::poll:return,
syscall::ppoll:return,
syscall::select:return,
syscall::pselect6:return
/self->slept/
{
	@waited[tid] = sum((timestamp - self->slept) / 1000);
	self->woken = timestamp;
	self->slept = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("thread %d, us:%@d\n", @us);
	printf("%8s %10s %14s %14s %14s\n", "THREAD", "TURNS", "BUSY(us)",
	    "LONGEST(us)", "WAITING(us)");
	printa("%8d %@10d %@14d %@14d %@14d\n", @turns, @busy, @longest,
	    @waited);
}
