#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pyimports - modules that a Python program imports, and the time of each
 *
 * Usage: dtrace run pyimports -p PID [SECONDS]
 *        dtrace run pyimports -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each module that is looked for and loaded, when that has ended,
 * so that what a module imports stands before it and is indented: the time of
 * the module alone, and with what it imports, in microseconds. Modules that
 * are loaded already cost nothing and are not shown; a module that is not
 * found has "not found".
 *
 * The interpreter must have been built with its probes (--with-dtrace), as
 * Debian's is. python3 -X importtime shows the same of a program that is begun
 * with it.
 *
 * Where CMD is a script that executes the interpreter, as python3 is with pyenv,
 * -x program='python3*' has tracing begin there.
 *
 * See: pycalls, dlopens
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

self int depth;
self uint64_t start[int];
self uint64_t inner[int];	/* time of what is imported there */

dtrace:::BEGIN
{
	printf("%10s %10s %s\n", "SELF(us)", "TOTAL(us)", "MODULE");
}

python$target:::import-find-load-start
{
	self->depth++;
	self->start[self->depth] = timestamp;
	self->inner[self->depth] = 0;
}

python$target:::import-find-load-done
/self->depth > 0/
{
	this->ns = timestamp - self->start[self->depth];
	printf("%10d %10d %*s%S%s\n",
	    (this->ns - self->inner[self->depth]) / 1000, this->ns / 1000,
	    2 * (self->depth - 1), "", copyinstr(arg0),
	    arg1 ? "" : " (not found)");
	self->start[self->depth] = 0;
	self->inner[self->depth] = 0;
	self->depth--;
	self->inner[self->depth] += this->ns;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}
