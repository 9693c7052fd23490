#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pysyscalls - system calls of a Python program, by its own stacks
 *
 * Usage: dtrace run pysyscalls -p PID [SECONDS [CALL [STACKS]]]
 *        dtrace run pysyscalls -c CMD [SECONDS [CALL [STACKS]]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  the system call; "" is any ("")
 *        $3  how many stacks are shown (10)
 *
 * Which lines of a Python program make which system calls: for each call and
 * stack how often, the most frequent last, with the frames of Python between
 * those of the interpreter. $2 names the calls that are meant; without, all
 * are.
 *
 * It works for any program; frames of Python are known of CPython as stacks in
 * ustack() are.
 *
 * See: pycalls, syscount, blocked
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/pid == $target && ($$2 == "" || probefunc == $$2)/
{
	@[probefunc, ustack(40)] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@, $3 ? $3 : 10);
	printa("%s%k%@16d\n\n", @);
}
