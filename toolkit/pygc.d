#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pygc - runs of Python's collector of garbage: how many, how long
 *
 * Usage: dtrace run pygc -p PID [SECONDS]
 *        dtrace run pygc -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each generation: how many collections there were, the objects that they
 * collected, and the time in all and at most; a histogram of the microseconds.
 * Meanwhile the program does nothing else. What is freed because nothing
 * refers to it any more is not of the collector, which is for cycles only.
 *
 * The interpreter must have been built with its probes (--with-dtrace), as
 * Debian's is.
 *
 * Where CMD is a script that executes the interpreter, as python3 is with pyenv,
 * -x program='python3*' has tracing begin there.
 *
 * See: pycalls, gcsnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

self uint64_t start;
self int generation;

python$target:::gc-start
{
	self->start = timestamp;
	self->generation = arg0;
}

python$target:::gc-done
/self->start/
{
	this->us = (timestamp - self->start) / 1000;
	@us[self->generation] = quantize(this->us);
	@runs[self->generation] = count();
	@objects[self->generation] = sum(arg0);
	@sum[self->generation] = sum(this->us);
	@max[self->generation] = max(this->us);
	self->start = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("generation %d, us:%@d\n", @us);
	printf("%10s %8s %12s %12s %12s\n", "GENERATION", "RUNS", "COLLECTED",
	    "TIME(us)", "LONGEST(us)");
	printa("%10d %@8d %@12d %@12d %@12d\n", @runs, @objects, @sum, @max);
}
