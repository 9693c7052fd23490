/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_text.c - whether the code of a process is still what its file says.
 *
 * The kernel steps the file's instruction when a breakpoint of its own fires,
 * not the one it overwrote.  Where something else has written into the text
 * (another consumer's jumps, a program that patches itself), the process would
 * go on in the middle of what was written there, and crash.  So whoever lets
 * the kernel place breakpoints asks here first.
 *
 * Both sides are read by pages: places to look at come in order, mostly.
 */
#include "proc/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BKPT  0xcc /* one byte, as the kernel writes it for a uprobe */
#define CHUNK 4096u

struct side {
	int fd;
	uint64_t at; /* of the chunk */
	size_t n;    /* bytes of it that could be read */
	uint8_t p[CHUNK];
};

struct proc_text {
	struct side mem, file;
	const char *path; /* of file */
};

struct proc_text *
proc_text_open(pid_t pid, struct err *e)
{
	struct proc_text *t = calloc(1, sizeof(*t));
	char path[32];

	if (t == NULL) {
		err_nomem(e);
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)proc_face(pid));
	t->mem.fd = open(path, O_RDONLY | O_CLOEXEC);
	t->file.fd = -1;
	return t;
}

void
proc_text_close(struct proc_text *t)
{
	if (t == NULL)
		return;
	if (t->mem.fd >= 0)
		close(t->mem.fd);
	if (t->file.fd >= 0)
		close(t->file.fd);
	free(t);
}

/* The byte at `at`, or -1. */
static int
side_byte(struct side *s, uint64_t at)
{
	if (s->n == 0 || at < s->at || at >= s->at + CHUNK) {
		s->at = at & ~(uint64_t)(CHUNK - 1);
		ssize_t n = pread(s->fd, s->p, CHUNK, (off_t)s->at);
		s->n = n > 0 ? (size_t)n : 0;
	}
	return at - s->at < s->n ? s->p[at - s->at] : -1;
}

bool
proc_text_same(struct proc_text *t, uint64_t addr, const char *path,
	       uint64_t off, unsigned before, unsigned n)
{
	if (t->path == NULL || strcmp(t->path, path) != 0) {
		if (t->file.fd >= 0)
			close(t->file.fd);
		t->file.fd = open(path, O_RDONLY | O_CLOEXEC);
		t->file.n = 0;
		t->path = path;
	}
	if (before > off)
		before = (unsigned)off;
	for (unsigned i = 0; i < before + n; i++) {
		int is = side_byte(&t->mem, addr - before + i);
		int was = side_byte(&t->file, off - before + i);
		if (is >= 0 && was >= 0 && is != was && is != BKPT)
			return false;
	}
	return true;
}
