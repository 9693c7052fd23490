#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * javacompile - methods that the JVM compiles, and how long that takes
 *
 * Usage: dtrace run javacompile -p PID [SECONDS [METHODS]]
 *        dtrace run javacompile -c CMD [SECONDS [METHODS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many methods are shown (20)
 *
 * For each compiler (C1: quickly, C2: well) how many methods it compiled and
 * the time; then the methods that took longest, in microseconds in all: a
 * method is compiled more than once as it becomes hotter. The compilers work
 * in threads of their own, beside the program, but on its CPUs.
 *
 * Seen are the probes of HotSpot, which OpenJDK has as Debian and others build
 * it.
 *
 * See: javaclasses, hotuser
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t start;

hotspot$target:::method-compile-begin
{
	self->start = timestamp;
}

hotspot$target:::method-compile-end
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	this->compiler = copyinstr(arg0, arg1 + 1);
	@methods[this->compiler] = count();
	@sum[this->compiler] = sum(this->us);
	@top[this->compiler, copyinstr(arg2, arg3 + 1),
	    copyinstr(arg4, arg5 + 1)] = sum(this->us);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@top, $2 ? $2 : 20);
	printf("%12s %-8s %s\n", "TIME(us)", "COMPILER", "METHOD");
	printa("%@12d %-8S %S.%S\n", @top);
	printf("\n%-8s %10s %12s\n", "COMPILER", "METHODS", "TIME(us)");
	printa("%-8S %@10d %@12d\n", @methods, @sum);
}
