/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject.c - the door: a process's memory, and who does the rest.
 *
 *	inject_check.c  may we work there?  refusals in words
 *	inject_stop.c   stopping and letting go
 *	inject_call.c   system calls in its name
 *	inject_table.c  several by itself, at a program's first instruction
 *	inject_filter.c what its filters would say to them
 *	inject_own.c    by a thread of our own, with its own descriptors
 *	inject_frames.c where it goes on after signal handlers
 *
 * Memory is reached through /proc/PID/mem, which needs no stop and reaches
 * pages that are read only (see proc(5)); the file belongs to the address space
 * it was opened for, so that after an execve nothing is written to the wrong
 * program.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
inject_open(struct inject *in, pid_t pid, bool held, struct err *e)
{
	char path[32];

	*in = (struct inject){ .pid = pid, .held = held };
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)proc_face(pid));
	in->mem = open(path, O_RDWR | O_CLOEXEC);
	if (in->mem < 0)
		return inject_denied(pid, errno, e);
	return 0;
}

void
inject_through(struct inject *in, struct guard *g)
{
	in->guard = g;
}

void
inject_close(struct inject *in)
{
	if (in->mem >= 0)
		close(in->mem);
	in->mem = -1;
	free(in->threads);
	in->threads = NULL;
	in->n = in->cap = 0;
}

/* All n bytes, from the process or to it. */
static int
inject_bytes(const struct inject *in, uint64_t addr, void *p, size_t n,
	     bool to)
{
	for (size_t done = 0; done < n;) {
		char *at = (char *)p + done;
		off_t off = (off_t)(addr + done);
		ssize_t r = to ? pwrite(in->mem, at, n - done, off) :
				 pread(in->mem, at, n - done, off);

		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0)
			errno = EIO;
		if (r <= 0)
			return -1;
		done += (size_t)r;
	}
	return 0;
}

int
inject_read(struct inject *in, uint64_t addr, void *dst, size_t n)
{
	return inject_bytes(in, addr, dst, n, false);
}

int
inject_write(struct inject *in, uint64_t addr, const void *src, size_t n)
{
	return inject_bytes(in, addr, (void *)(uintptr_t)src, n, true);
}

int
inject_ids(struct inject *in, struct inject_id *v, size_t *n, struct err *e)
{
	if (inject_by_guard(in))
		return guard_ids(in->guard, v, in->n, n, e);
	*n = 0;
	for (size_t i = 0; i < in->n; i++) {
		const struct inject_thread *t = &in->threads[i];

		if (t->stopped)
			v[(*n)++] =
				(struct inject_id){ t->regs.fs_base, t->tid };
	}
	return 0;
}

bool
inject_fs_self(struct inject *in, const struct inject_id *v, size_t n)
{
	uint64_t word;

	for (size_t i = 0; i < n; i++)
		if (v[i].fs_base == 0 ||
		    inject_read(in, v[i].fs_base, &word, sizeof(word)) != 0 ||
		    word != v[i].fs_base)
			return false;
	return n != 0;
}
