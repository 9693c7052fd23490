/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch_sem.c - semaphores of static probes: 16 bits of the program's data that
 * say how many listen.  The program asks them whether to make its arguments.
 *
 * They are entries of the journal as patches of text are, so that the guardian
 * counts them down when the consumer is killed.  Others count too (the kernel,
 * for its uprobes; gdb), so undoing takes away one and does not write back what
 * was there.  A library that has gone takes its counters with it, and what lies
 * there then is not ours: an entry knows a piece of text that we have changed
 * in the same object, and is counted down only while that stands.  So they are
 * counted up after the text is written, and down before it is put back.
 *
 * Reading and writing are two steps.  The process stands still meanwhile; a
 * tracer that counts from outside between them would be lost, which takes it
 * some nanoseconds to hit.
 */
#include "engine/process/inject_impl.h"

#include <string.h>

void
patch_sem(struct patch *p, uint64_t sem, const struct patch *by)
{
	*p = (struct patch){ .addr = sem, .len = 2, .sem = true,
			     .by = by->addr };
	p->by_len = by->len;
	memcpy(p->now, by->now, by->len);
}

/* True if the text that goes with it stands. */
static bool
sem_stands(struct inject *in, const struct patch *p)
{
	uint8_t is[PATCH_MAX];

	return p->by_len <= PATCH_MAX &&
	       inject_read(in, p->by, is, p->by_len) == 0 &&
	       memcmp(is, p->now, p->by_len) == 0;
}

void
patch_sems_set(struct inject *in, struct patch *p, size_t n)
{
	uint16_t v;

	for (size_t i = 0; i < n; i++) {
		if (!p[i].sem || p[i].state != PATCH_SET || p[i].counted ||
		    !sem_stands(in, &p[i]) ||
		    inject_read(in, p[i].addr, &v, sizeof(v)) != 0 ||
		    v == UINT16_MAX)
			continue;
		v++;
		p[i].counted =
			inject_write(in, p[i].addr, &v, sizeof(v)) == 0;
	}
}

void
patch_sems_undo(struct inject *in, const struct patch *p, size_t n)
{
	uint16_t v;

	for (size_t i = 0; i < n; i++) {
		if (!p[i].sem || p[i].state != PATCH_SET || !p[i].counted ||
		    !sem_stands(in, &p[i]) ||
		    inject_read(in, p[i].addr, &v, sizeof(v)) != 0 || v == 0)
			continue;
		v--;
		/* Where it cannot be written the process is ending. */
		(void)inject_write(in, p[i].addr, &v, sizeof(v));
	}
}
