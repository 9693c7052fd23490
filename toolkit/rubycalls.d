#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rubycalls - methods of a Ruby program, by how often they are called
 *
 * Usage: dtrace run rubycalls -p PID [SECONDS [METHODS]]
 *        dtrace run rubycalls -c CMD [SECONDS [METHODS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many methods are shown (30)
 *
 * How often each method was called, by class and name, those written in Ruby
 * and those in C; the most frequent are last. Operators of numbers, strings
 * and arrays that the interpreter does itself are no calls.
 *
 * The interpreter must have been built with its probes (--enable-dtrace), as
 * Debian's is. Since version 2.5 it says nothing of methods in Ruby before the
 * program has turned tracing on once, which costs it some speed:
 *
 *     TracePoint.new {}.enable
 *
 * anywhere in it, or in a file that is loaded first (RUBYOPT=-r./trace.rb). A
 * call costs about a microsecond more.
 *
 * See: rubygc, pycalls, perlops
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

ruby$target:::method-entry
{
	@calls["ruby", copyinstr(arg0), copyinstr(arg1)] = count();
}

ruby$target:::cmethod-entry
{
	@calls["c", copyinstr(arg0), copyinstr(arg1)] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@calls, $2 ? $2 : 30);
	printf("%10s  %-4s %-24s %s\n", "CALLS", "IN", "CLASS", "METHOD");
	printa("%@10d  %-4s %-24S %S\n", @calls);
}
