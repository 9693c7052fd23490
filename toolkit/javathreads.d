#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javathreads - threads that begin and end in a Java program
 *
 * Usage: dtrace run javathreads -p PID [SECONDS]
 *        dtrace run javathreads -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each thread of Java that begins or ends: its number in the JVM,
 * the kernel's, whether it is a daemon, how many milliseconds it lived when it
 * ends, and its name. Programs that make a thread for each request are found
 * so. Threads that were there when tracing began end with "-".
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javagc, pthreads
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

uint64_t start[uint64_t];

dtrace:::BEGIN
{
	printf("%-6s %6s %8s %-6s %10s %s\n", "WHAT", "JAVA", "THREAD",
	    "DAEMON", "LIVED(ms)", "NAME");
}

hotspot$target:::thread-start
{
	start[arg3] = timestamp;
	printf("%-6s %6d %8d %-6s %10s %S\n", "begin", arg2, arg3,
	    (arg4 & 0xff) ? "yes" : "no", "-", copyinstr(arg0, arg1 + 1));
}

hotspot$target:::thread-stop
/start[arg3]/
{
	printf("%-6s %6d %8d %-6s %10d %S\n", "end", arg2, arg3,
	    (arg4 & 0xff) ? "yes" : "no",
	    (timestamp - start[arg3]) / 1000000, copyinstr(arg0, arg1 + 1));
	start[arg3] = 0;
	this->told = 1;
}

hotspot$target:::thread-stop
/!this->told/
{
	printf("%-6s %6d %8d %-6s %10s %S\n", "end", arg2, arg3,
	    (arg4 & 0xff) ? "yes" : "no", "-", copyinstr(arg0, arg1 + 1));
}

hotspot$target:::thread-stop
{
	this->told = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
