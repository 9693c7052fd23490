#!/usr/sbin/dtrace -s
#pragma D option quiet
/* the ordinary shapes */
BEGIN, tick-5s { x = 1; self->t = timestamp; this->s = "a\tb"; }
syscall::read*:entry /pid == $1 && arg0 / 2 > 0/ /* c */
{ @a[execname, probefunc] = quantize(arg2); @ = count(); }
pid$target:libc.so.6:mall?c:return { printf("%d %s\n", arg1, probemod); }
17 { trace(`jiffies); stack(); exit(0) }
