#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * userflow - what a function of a process calls, and how long each takes
 *
 * Usage: dtrace run userflow -p PID OBJECT FUNCTION
 *        dtrace run userflow -c CMD OBJECT FUNCTION
 * Needs: any user with -p or -c
 * Args:  $1  the object: a library's file name, or a.out for the program
 *        $2  the function where it begins
 *
 * The first call of a function is followed in its thread: every function of
 * the same object that is entered, indented by depth, and when it returns
 * after how many nanoseconds. Then tracing ends. Functions that the compiler
 * has put into others are not seen, nor those without a symbol.
 *
 * Times are of the moment of return, and the probes themselves take some ten
 * nanoseconds each, which those of the callers include.
 *
 * See: usertime, libcalls
 */
#pragma D option quiet

self int on;
self int depth;
self uint64_t start[int];
self uint64_t sp[int];		/* where the stack was when it was entered */

pid$target:$1:$2:entry
/!done && !self->on/
{
	done = 1;
	self->on = 1;
	self->depth = 0;
}

/*
 * A function that leaves where there is no probe is known by the stack: what is
 * entered now lies no deeper. Two such functions may have left together.
 */
pid$target:$1::entry
/self->on && self->depth > 0 && uregs[R_SP] >= self->sp[self->depth - 1]/
{
	self->depth--;
}

pid$target:$1::entry
/self->on && self->depth > 0 && uregs[R_SP] >= self->sp[self->depth - 1]/
{
	self->depth--;
}

pid$target:$1::entry
/self->on/
{
	printf("%*s-> %s\n", 2 * self->depth, "", probefunc);
	self->start[self->depth] = timestamp;
	self->sp[self->depth] = uregs[R_SP];
	self->depth++;
}

/* What lies deeper than the one that returns has left before. */
pid$target:$1::return
/self->on && self->depth > 1 && uregs[R_SP] > self->sp[self->depth - 1] + 8/
{
	self->depth--;
}

pid$target:$1::return
/self->on && self->depth > 1 && uregs[R_SP] > self->sp[self->depth - 1] + 8/
{
	self->depth--;
}

pid$target:$1::return
/self->on && self->depth > 0/
{
	self->depth--;
	printf("%*s<- %s %d ns\n", 2 * self->depth, "", probefunc,
	    timestamp - self->start[self->depth]);
	self->start[self->depth] = 0;
	self->sp[self->depth] = 0;
}

pid$target:$1::return
/self->on && self->depth == 0/
{
	self->on = 0;
	exit(0);
}
