#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pyflow - calls of a Python program's functions, indented, with times
 *
 * Usage: dtrace run pyflow -p PID [FUNCTION [SECONDS]]
 *        dtrace run pyflow -c CMD [FUNCTION [SECONDS]]
 * Needs: any user with -p or -c
 * Args:  $1  the function where it begins; "" is any ("")
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * A line for each function of Python when it begins, with its file and the first
 * line that it runs, and one when it returns, with how many microseconds it
 * took; indented by depth, forty deep at most, in the order in which they happened. With a function
 * only its calls are shown and what they call, in each thread.
 *
 * <module> is a file's own code. Generators return at each yield, and begin
 * again where they go on. Functions that are written in C have no lines:
 * libcalls and pysyscalls see what they do. With -p, functions that have begun
 * before are shown when they go on, as if they began then.
 *
 * The interpreter must have been built with its probes (--with-dtrace), as
 * Debian's is, and be CPython 3.11, as it is the probe of lines by which a call is
 * seen: where the stack is deeper than at the line before. A hundred frames deep
 * it ends. Each line that is run costs some microseconds, which times include.
 *
 * Where CMD is a script that executes the interpreter, as python3 is with pyenv,
 * -x program='python3*' has tracing begin there.
 *
 * See: pycalls, pyexceptions, userflow
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=8m

uint64_t began;
self int n;			/* functions that are being followed */
self int at[int];		/* of each the depth of the stack, */
self uintptr_t name[int];	/* where its name is, */
self uint64_t start[int];	/* and when it began */

dtrace:::BEGIN
{
	began = timestamp;
	printf("%10s %8s %s\n", "AT(us)", "THREAD", "FUNCTION");
}

python$target:::line
/self->n > 0 || $$1 == "" || copyinstr(arg1) == $$1/
{
	this->depth = ustackdepth;
	this->seen = 1;
}

/* What lay deeper has left without a probe; two may have. */
python$target:::line
/this->seen && self->n > 0 && this->depth < self->at[self->n]/
{
	self->at[self->n] = 0;
	self->name[self->n] = 0;
	self->start[self->n] = 0;
	self->n--;
}

python$target:::line
/this->seen && self->n > 0 && this->depth < self->at[self->n]/
{
	self->at[self->n] = 0;
	self->name[self->n] = 0;
	self->start[self->n] = 0;
	self->n--;
}

python$target:::line
/this->seen/
{
	this->seen = 0;
	this->begins = self->n == 0 || this->depth > self->at[self->n] ||
	    (this->depth == self->at[self->n] && arg1 != self->name[self->n]);
}

python$target:::line
/this->begins/
{
	printf("%10d %8d %*s-> %S %S:%d\n", (timestamp - began) / 1000, tid,
	    2 * (self->n < 40 ? self->n : 40), "", copyinstr(arg1), basename(copyinstr(arg0)), arg2);
	self->n++;
	self->at[self->n] = this->depth;
	self->name[self->n] = arg1;
	self->start[self->n] = timestamp;
	this->begins = 0;
}

python$target:::function-return
/self->n > 0 && arg1 == self->name[self->n]/
{
	printf("%10d %8d %*s<- %S %d us\n", (timestamp - began) / 1000, tid,
	    2 * (self->n <= 40 ? self->n - 1 : 40), "", copyinstr(arg1),
	    (timestamp - self->start[self->n]) / 1000);
	self->at[self->n] = 0;
	self->name[self->n] = 0;
	self->start[self->n] = 0;
	self->n--;
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}
