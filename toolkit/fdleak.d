#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fdleak - descriptors that a process opened and did not close
 *
 * Usage: dtrace run fdleak -p PID [SECONDS]
 *        dtrace run fdleak -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each path or kind of descriptor that the process opened while traced:
 * how many were opened, and how many of these are open when tracing ends.
 * Files by open, openat and creat; sockets by socket, accept and socketpair;
 * pipes, dup, epoll, eventfd, timerfd, memfd and inotify descriptors by the
 * name of the call. What grows from run to run is a leak.
 *
 * Descriptors that were open before are not counted, nor those that come from
 * other processes. close, close_range and a dup2 onto a descriptor end one;
 * descriptors that an exec closes go unseen.
 *
 * See: opensnoop, memleak
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m
#pragma D option aggsortpos=1

string what[int];
self uintptr_t path;
self int to;

syscall::open:entry,
syscall::creat:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::openat:entry
/pid == $target/
{
	self->path = arg1;
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return
/self->path && errno == 0/
{
	what[arg1] = copyinstr(self->path);
	@opened[what[arg1]] = sum(1);
	@open[what[arg1]] = sum(1);
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return
{
	self->path = 0;
}

syscall::socket:return,
syscall::accept:return,
syscall::accept4:return,
syscall::dup:return,
syscall::epoll_create:return,
syscall::epoll_create1:return,
syscall::eventfd2:return,
syscall::timerfd_create:return,
syscall::signalfd4:return,
syscall::memfd_create:return,
syscall::inotify_init1:return,
syscall::pidfd_open:return
/pid == $target && errno == 0/
{
	what[arg1] = probefunc;
	@opened[probefunc] = sum(1);
	@open[probefunc] = sum(1);
}

syscall::pipe:entry,
syscall::pipe2:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::socketpair:entry
/pid == $target/
{
	self->path = arg3;
}

syscall::pipe:return,
syscall::pipe2:return,
syscall::socketpair:return
/self->path && errno == 0/
{
	this->fd = (int *)copyin(self->path, 8);
	what[this->fd[0]] = probefunc;
	what[this->fd[1]] = probefunc;
	@opened[probefunc] = sum(2);
	@open[probefunc] = sum(2);
}

syscall::pipe:return,
syscall::pipe2:return,
syscall::socketpair:return
{
	self->path = 0;
}

/* Onto a descriptor that is open: that one is closed. */
syscall::dup2:return,
syscall::dup3:return
/pid == $target && errno == 0 && what[arg1] != NULL/
{
	@open[what[arg1]] = sum(-1);
}

syscall::dup2:return,
syscall::dup3:return
/pid == $target && errno == 0/
{
	what[arg1] = probefunc;
	@opened[probefunc] = sum(1);
	@open[probefunc] = sum(1);
}

syscall::close:entry
/pid == $target && what[arg0] != NULL/
{
	@open[what[arg0]] = sum(-1);
	what[arg0] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%8s %8s  %s\n", "OPENED", "OPEN", "WHAT");
	printa("%@8d %@8d  %S\n", @opened, @open);
}
