#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ustackcount - stacks by which functions of a process are called
 *
 * Usage: dtrace run ustackcount -p PID OBJECT FUNCTIONS
 *        dtrace run ustackcount -c CMD OBJECT FUNCTIONS
 * Needs: any user with -p or -c
 * Args:  $1  the object: a library's file name, or a.out for the program
 *        $2  the function, or a pattern
 *
 * Counts the stacks that lead to a function, and shows the 20 most frequent,
 * these last. -x ustackframes=N other than 20 frames are told apart; with -O
 * flame=FILE.svg a picture is made of it.
 *
 * See: libcalls, usertime, mallocstacks, stackcount
 */
#pragma D option quiet

pid$target:$1:$2:entry
{
	@[ustack()] = count();
}

dtrace:::END
{
	trunc(@, 20);
	printa("%k%@16d\n", @);
}
