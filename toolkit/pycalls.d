#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pycalls - functions of a Python program, by how often they are called
 *
 * Usage: dtrace run pycalls -p PID [SECONDS [FUNCTIONS]]
 *        dtrace run pycalls -c CMD [SECONDS [FUNCTIONS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many functions are shown (30)
 *
 * How often each function returned, by file, line of its definition and name;
 * <module> is a file's own code, and generators return at each yield. The most
 * frequent are last.
 *
 * The interpreter must have been built with its probes (--with-dtrace), as
 * Debian's is, and be that of CPython 3.6 or later. A call costs three to four
 * microseconds.
 *
 * Where CMD is a script that executes the interpreter, as python3 is with pyenv,
 * -x program='python3*' has tracing begin there.
 *
 * See: pyflow, pyexceptions, pygc, pyimports, pysyscalls
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

python$target:::function-return
{
	@calls[copyinstr(arg1), copyinstr(arg0)] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@calls, $2 ? $2 : 30);
	printf("%10s  %-32s %s\n", "CALLS", "FUNCTION", "FILE");
	printa("%@10d  %-32S %S\n", @calls);
}
