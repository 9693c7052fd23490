#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pthreads - threads that a process makes, by the function they run
 *
 * Usage: dtrace run pthreads -p PID [SECONDS]
 *        dtrace run pthreads -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each function that pthread_create was given, how many threads were begun
 * in it, how many calls failed, and by which stacks they were made. A program
 * that makes a thread for each piece of work is found so.
 *
 * Threads of languages whose run time does not use the C library's (Go) are
 * not seen.
 *
 * See: lockwaits, condwaits, threadsnoop
 */
#pragma D option quiet
#pragma D option defaultargs

self uintptr_t routine;

pid$target:libc.so*:pthread_create:entry
{
	self->routine = arg2;
	@stacks[ufunc(arg2), ustack()] = count();
}

pid$target:libc.so*:pthread_create:return
/self->routine/
{
	@made[self->routine] = sum((int)arg1 == 0);
	@failed[self->routine] = sum((int)arg1 != 0);
	self->routine = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%A%k%@16d\n\n", @stacks);
	printf("%10s %10s  %s\n", "THREADS", "FAILED", "FUNCTION");
	printa("%@10d %@10d  %A\n", @made, @failed);
}
