#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * memleak - what a process has allocated and not freed, by caller
 *
 * Usage: dtrace run memleak -p PID [SECONDS]
 *        dtrace run memleak -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Bytes and blocks that were allocated while tracing and are not freed when it
 * ends, for each place that called malloc, calloc, realloc, valloc or
 * posix_memalign. Where operator new, strdup, getline or asprintf called
 * these, the place is the one that called operator new and so on. Places whose
 * blocks have all been freed are left out.
 *
 * A block is no leak because it is not free yet: trace some time of a
 * process's work with -p, and compare runs of different length. Frees of
 * blocks from before are ignored. mallocstacks shows the stacks that lead to a
 * place. Blocks of memalign and aligned_alloc are left out: glibc leaves these
 * by a jump, so that their result is not seen.
 *
 * A pair of malloc and free costs some five hundred nanoseconds, and several
 * microseconds where many threads allocate all the time. Each block that is
 * not freed needs some 100 bytes of dynvarsize. "dynamic variable drops" say
 * that this was too small (-x dynvarsize=64m), or that threads were in each
 * other's way: so many calls were not counted.
 *
 * See: mallocstacks, mallocsize, reallocs, fdleak
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option aggsortrev
#pragma D option aggnonzero
#pragma D option dynvarsize=16m

self uintptr_t via;	/* who called operator new and so on */
self uintptr_t site;	/* who is to be reported */
self uintptr_t old;
self uintptr_t where;
self size_t size;
self int in;	/* which of them the thread is in, 1 to 4; they call each other */
uintptr_t site[uintptr_t];	/* of each block */
size_t size[uintptr_t];

pid$target::_Znwm:entry,
pid$target::_Znam:entry,
pid$target::strdup:entry,
pid$target::strndup:entry,
pid$target::getline:entry,
pid$target::getdelim:entry,
pid$target::asprintf:entry,
pid$target::vasprintf:entry
/!self->via/
{
	self->via = ucaller;
}

pid$target::malloc:entry,
pid$target::valloc:entry
/!self->in/
{
	self->in = 1;
	self->size = arg0;
	self->site = self->via ? self->via : ucaller;
}

pid$target::calloc:entry
/!self->in/
{
	self->in = 2;
	self->size = arg0 * arg1;
	self->site = self->via ? self->via : ucaller;
}

/* glibc has malloc do what realloc(NULL, n) asks for, by a jump. */
pid$target::realloc:entry
/!self->in && (arg0 || probemod != "libc.so.6")/
{
	self->in = 3;
	self->old = arg0;
	self->size = arg1;
	self->site = self->via ? self->via : ucaller;
}

pid$target::posix_memalign:entry
/!self->in/
{
	self->in = 4;
	self->where = arg0;
	self->size = arg2;
	self->site = self->via ? self->via : ucaller;
}

/* What realloc was given is gone, if it gave another or was to free it. */
pid$target::realloc:return
/self->in == 3 && self->old && (arg1 || !self->size) && site[self->old]/
{
	@bytes[site[self->old]] = sum(-(int64_t)size[self->old]);
	@blocks[site[self->old]] = sum(-1);
	size[self->old] = 0;
	site[self->old] = 0;
}

pid$target::malloc:return,
pid$target::valloc:return
/self->in == 1/
{
	this->block = arg1;
	this->done = 1;
}

pid$target::calloc:return
/self->in == 2/
{
	this->block = arg1;
	this->done = 1;
}

pid$target::realloc:return
/self->in == 3/
{
	this->block = self->size ? arg1 : 0;
	this->done = 1;
}

pid$target::posix_memalign:return
/self->in == 4/
{
	this->block = arg1 == 0 ?
	    *(uintptr_t *)copyin(self->where, sizeof(uintptr_t)) : 0;
	this->done = 1;
}

pid$target::malloc:return,
pid$target::valloc:return,
pid$target::calloc:return,
pid$target::realloc:return,
pid$target::posix_memalign:return
/this->done && this->block/
{
	size[this->block] = self->size;
	site[this->block] = self->site;
	@bytes[self->site] = sum(self->size);
	@blocks[self->site] = sum(1);
}

pid$target::malloc:return,
pid$target::valloc:return,
pid$target::calloc:return,
pid$target::realloc:return,
pid$target::posix_memalign:return
/this->done/
{
	this->done = 0;
	self->in = 0;
	self->old = 0;
	self->where = 0;
}

pid$target::free:entry
/site[arg0]/
{
	@bytes[site[arg0]] = sum(-(int64_t)size[arg0]);
	@blocks[site[arg0]] = sum(-1);
	size[arg0] = 0;
	site[arg0] = 0;
}

pid$target::_Znwm:return,
pid$target::_Znam:return,
pid$target::strdup:return,
pid$target::strndup:return,
pid$target::getline:return,
pid$target::getdelim:return,
pid$target::asprintf:return,
pid$target::vasprintf:return
{
	self->via = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%14s %10s  %s\n", "BYTES", "BLOCKS", "CALLER");
	printa("%@14d %@10d  %A\n", @bytes, @blocks);
}
