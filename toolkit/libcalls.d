#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * libcalls - calls of the functions of a library, or of a program
 *
 * Usage: dtrace run libcalls -p PID OBJECT FUNCTIONS
 *        dtrace run libcalls -c CMD OBJECT FUNCTIONS
 * Needs: any user with -p or -c
 * Args:  $1  the object, or a pattern
 *        $2  a pattern of functions; '*' is all
 *
 * How often each function of an object is called: of a library by its file's
 * name (libc.so.6, libz.so.1; libz* too), of the program itself as a.out. All
 * functions that the pattern matches and that have a symbol are probed, also
 * those that the library calls itself.
 *
 * For a library like that of C this puts some three thousand probes into the
 * process: half a second, and then some nanoseconds a call.
 *
 * See: usertime, ustackcount, userflow, funccount
 */
#pragma D option quiet

pid$target:$1:$2:entry
{
	@calls[probefunc] = count();
}

dtrace:::END
{
	printf("%12s  %s\n", "CALLS", "FUNCTION");
	printa("%@12d  %s\n", @calls);
}
