/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_stack.c - the user's stack of a sampled thread, walked by the tables
 * that native code walks by (rt_unwind.c).
 *
 * A thread that stands still is read where it is.  Where the kernel has taken
 * the sample, the thread has gone on: what was its stack is the piece that the
 * kernel has copied (host_perf.c), and of its memory only code is looked at,
 * which stays as it is.  A stack that is deeper than the piece ends early, and
 * has no frames of languages, which lie in the heap.
 */
#include "engine/process/host_impl.h"
#include "rt/rt_body.h"

#include <stdlib.h>
#include <string.h>

struct host_stack {
	struct host_ctx *c;
	struct rt_host_mem mem;
	const struct host_sample *s; /* that is walked */
	struct rt rt;
};

/* True if there is code at addr.  Lists are replaced while they are read: a
   wrong answer makes a read that fails, or one of something that is no call. */
static bool
stack_code(const struct rt_unw_area *a, uint64_t addr)
{
	uint32_t now = a->id & 1, n = a->n[now];
	const struct rt_unw_map *v = a->maps[now];

	for (uint32_t i = 0; i < n && i <= RT_UNW_MAPS_MAX; i++)
		if (addr >= v[i].lo && addr < v[i].hi)
			return true;
	return false;
}

/* rt_host_mem.read */
static int
stack_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	struct host_stack *k = arg;
	const struct host_sample *s = k->s;
	uint64_t off = addr - s->ureg[DIF_R_RSP];

	if (!user)
		return -1;
	if (s->piece != NULL && off < s->npiece && n <= s->npiece - off) {
		memcpy(dst, s->piece + off, n);
		return 0;
	}
	if (s->piece != NULL && !stack_code(k->mem.unw, addr))
		return -1;
	return host_target_read(k->c, addr, dst, n);
}

int
host_stack_open(struct host *h, struct err *e)
{
	struct host_stack *k;

	if (h->in.unw == NULL || h->need.uframes == 0)
		return 0;
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return err_nomem(e);
	k->c = &h->ctx[1];
	k->mem = (struct rt_host_mem){ .arg = k,
				       .read = stack_read,
				       .conf = &h->in.conf,
				       .unw = h->in.unw,
				       .pool = h->in.unw->pool };
	k->rt.self = (uintptr_t)&k->rt;
	k->rt.host = (uintptr_t)&k->mem;
	h->stack = k;
	return 0;
}

void
host_stack_close(struct host *h)
{
	free(h->stack);
	h->stack = NULL;
}

void
host_stack_walk(struct host *h, struct host_sample *s)
{
	struct host_stack *k = h->stack;
	uint64_t n, max = h->need.uframes;

	if (k == NULL || s->ureg[DIF_R_RSP] == 0)
		return;
	k->s = s;
	if (s->piece != NULL)
		max |= RT_UNWIND_BELOW;
	k->mem.thread = s->piece == NULL ? s->fs : 0;
	n = rt_unwind(&k->rt, s->ureg[DIF_R_RIP], s->ureg[DIF_R_RSP],
		      s->ureg[DIF_R_RBP], max);
	n &= RT_UNWIND_WANT - 1;
	/* Not even the first is known of: what it has by frame pointers. */
	if (n == 0)
		return;
	s->ustack = RT_FRAMES(&k->rt);
	s->nustack = (uint32_t)n;
}
