#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * killsnoop - signals that processes send by system calls
 *
 * Usage: dtrace run killsnoop [COMMAND]
 *        dtrace run killsnoop -p PID|-c CMD [COMMAND]
 * Needs: root; any user with -p or -c
 * Args:  $1  only senders of this name; "" is any ("")
 *
 * A line for each kill(2), tkill(2), tgkill(2), rt_sigqueueinfo(2) and
 * pidfd_send_signal(2) when it returns: who sends, the number of the signal,
 * to whom (as the call names it: 0 and negative numbers are groups of
 * processes; "fd" is a descriptor of a process), and the error, 0 if there was
 * none. A signal of 0 asks only whether the process is there. Signals that the
 * kernel sends of itself are for the tool signals.
 *
 * Without privilege a call that kills its own process is not seen, as it does
 * not return there.
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: signals exitsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %-16s %6s %10s %4s %s\n", "PID", "COMMAND", "SIGNAL", "TO",
	    "ERR", "CALL");
}

syscall::kill:entry,
syscall::tkill:entry,
syscall::rt_sigqueueinfo:entry,
syscall::pidfd_send_signal:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->sending = 1;
	self->to = (int)arg0;
	self->signal = (int)arg1;
}

syscall::tgkill:entry
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	self->sending = 1;
	self->to = (int)arg1;
	self->signal = (int)arg2;
}

syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return,
syscall::rt_sigqueueinfo:return
/self->sending/
{
	printf("%7d %-16S %6d %10d %4d %S\n", pid, execname, self->signal,
	    self->to, errno, probefunc);
}

syscall::pidfd_send_signal:return
/self->sending/
{
	printf("%7d %-16S %6d %7S %2d %4d %S\n", pid, execname, self->signal,
	    "fd", self->to, errno, probefunc);
}

syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return,
syscall::rt_sigqueueinfo:return,
syscall::pidfd_send_signal:return
/self->sending/
{
	self->sending = 0;
	self->to = 0;
	self->signal = 0;
}
