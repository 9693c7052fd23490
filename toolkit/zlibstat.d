#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * zlibstat - what a process compresses by zlib, and how well
 *
 * Usage: dtrace run zlibstat -p PID [SECONDS]
 *        dtrace run zlibstat -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For deflate and inflate of zlib, in any program that has it as a library:
 * how many streams ended, how many bytes went in and came out, the time in the
 * library in milliseconds, and a histogram of the size to which streams were
 * compressed, in percent. A stream is counted when it ends (deflateEnd,
 * inflateEnd) or is begun anew (deflateReset, inflateReset).
 *
 * zlib inside a program without symbols is not seen.
 *
 * See: usertime
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

int used[uintptr_t];	/* streams that something went through */
self uint64_t start;

pid$target:libz.so*:deflate:entry,
pid$target:libz.so*:inflate:entry
{
	self->start = timestamp;
	used[arg0] = 1;
}

pid$target:libz.so*:deflate:return,
pid$target:libz.so*:inflate:return
/self->start/
{
	@ns[probefunc] = sum(timestamp - self->start);
	self->start = 0;
}

/* z_stream: total_in is at 16, total_out at 40. A new one is reset, too. */
pid$target:libz.so*:deflateEnd:entry,
pid$target:libz.so*:deflateReset:entry
/used[arg0]/
{
	this->in = *(uint64_t *)copyin(arg0 + 16, 8);
	this->out = *(uint64_t *)copyin(arg0 + 40, 8);
	this->name = "deflate";
}

pid$target:libz.so*:inflateEnd:entry,
pid$target:libz.so*:inflateReset:entry
/used[arg0]/
{
	this->in = *(uint64_t *)copyin(arg0 + 16, 8);
	this->out = *(uint64_t *)copyin(arg0 + 40, 8);
	this->name = "inflate";
}

pid$target:libz.so*:deflateEnd:entry,
pid$target:libz.so*:deflateReset:entry,
pid$target:libz.so*:inflateEnd:entry,
pid$target:libz.so*:inflateReset:entry
/used[arg0] && this->in != 0/
{
	@streams[this->name] = count();
	@in[this->name] = sum(this->in);
	@out[this->name] = sum(this->out);
}

pid$target:libz.so*:deflateEnd:entry,
pid$target:libz.so*:deflateReset:entry
/used[arg0] && this->in != 0/
{
	@percent = lquantize(this->out * 100 / this->in, 0, 100, 10);
}

pid$target:libz.so*:deflateEnd:entry,
pid$target:libz.so*:deflateReset:entry,
pid$target:libz.so*:inflateEnd:entry,
pid$target:libz.so*:inflateReset:entry
{
	used[arg0] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("compressed size, %%:%@d\n", @percent);
	normalize(@ns, 1000000);
	printf("%-10s %8s %14s %14s %10s\n", "FUNCTION", "STREAMS", "IN(bytes)",
	    "OUT(bytes)", "TIME(ms)");
	printa("%-10s %@8d %@14d %@14d %@10d\n", @streams, @in, @out, @ns);
}
