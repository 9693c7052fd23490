#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javaclasses - classes that a Java program loads and unloads
 *
 * Usage: dtrace run javaclasses -p PID [SECONDS]
 *        dtrace run javaclasses -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each class: whether it is loaded or unloaded, whether it comes
 * from the archive that JVMs share, and its name. At the end how many there
 * were of each kind. A program that loads classes all the time (proxies,
 * scripts, reflection) fills the memory for them.
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javacompile, javagc
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz
#pragma D option bufsize=16m

dtrace:::BEGIN
{
	printf("%-8s %-6s %s\n", "WHAT", "SHARED", "CLASS");
}

hotspot$target:::class-loaded
{
	this->shared = (arg3 & 0xff) ? "yes" : "no";
	printf("%-8s %-6s %S\n", "loaded", this->shared,
	    copyinstr(arg0, arg1 + 1));
	@["loaded", this->shared] = count();
}

hotspot$target:::class-unloaded
{
	this->shared = (arg3 & 0xff) ? "yes" : "no";
	printf("%-8s %-6s %S\n", "unloaded", this->shared,
	    copyinstr(arg0, arg1 + 1));
	@["unloaded", this->shared] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("\n%-8s %-6s %8s\n", "WHAT", "SHARED", "CLASSES");
	printa("%-8s %-6s %@8d\n", @);
}
