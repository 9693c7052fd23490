/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_frames.c - any bytes as the memory of a program with an interpreter of
 * Python or Perl, and as the layout of its structures: walks along its frames,
 * and the text of those.
 *
 * The layout comes first in the input; the rest is all memory there is, again
 * and again, so that any pointer leads somewhere: to rings, to itself, across
 * the end.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "rt/engine.h"
#include "rt/rt_mem.h"
#include "unwind/unwind.h"

#define WORDS (1u << 12)
#define CODE  0x400000ull
#define STACK 0x7f0000000000ull
#define WALKS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
	const uint8_t *p;
	size_t n;
};

static int
memory_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	const struct memory *m = arg;

	if (m->n == 0 || addr < 4096)
		return -1;
	for (uint64_t i = 0; i < n; i++)
		((uint8_t *)dst)[i] = m->p[(addr + i) % m->n];
	return 0;
}

/* Names go to terminals: nothing in them controls one. */
static void
plain(const struct buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		if ((uint8_t)b->p[i] < ' ' || b->p[i] == 0x7f)
			abort();
}

static void
texts(const struct rt_unw_area *a, struct rt *rt, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct buf name = BUF_INIT, file = BUF_INIT;
		uint32_t line;

		(void)rt_py_text(&a->py, rt_py_by_line(&a->py,
						       RT_FRAMES(rt)[i]),
				 &name, &file, &line);
		plain(&name);
		plain(&file);
		buf_fini(&name);
		buf_fini(&file);
	}
}

static void
walks(struct rt_unw_area *a, struct memory m)
{
	static const struct rt_conf conf = { .unw_words = WORDS };
	struct rt_host_mem host = { .arg = &m,
				    .read = memory_read,
				    .conf = &conf,
				    .unw = a,
				    .pool = a->pool,
				    .thread = STACK + 64 };
	struct rt *rt = calloc(1, sizeof(*rt));

	if (rt == NULL)
		return;
	rt->host = (uint64_t)(uintptr_t)&host;
	rt->self = (uint64_t)(uintptr_t)rt;
	for (uint64_t i = 0; i < WALKS; i++) {
		uint64_t n = rt_unwind(rt, CODE + 16 * i, STACK + 8 * i,
				       STACK + 64 * i, 200) &
			     (RT_UNWIND_WANT - 1);

		if (n > RT_UNWIND_MAX)
			abort();
		texts(a, rt, n);
	}
	free(rt);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_unw_area *a;

	if (size <= sizeof(a->python))
		return 0;
	a = calloc(1, sizeof(*a) + 4ull * WORDS);
	if (a == NULL)
		return 0;
	memcpy(&a->python, data, sizeof(a->python));
	/* Perl, in its loop or not, or Python. */
	if ((data[0] & 1) != 0)
		a->python.tss = 0;
	else
		a->python.pl.key = 0;
	if ((data[0] & 2) != 0) {
		a->python.pl.run = CODE;
		a->python.pl.run_n = 1u << 16;
	}
	a->pool_words = WORDS;
	a->id = a->n[1] = 1;
	/* Code without a table. */
	a->maps[1][0] = (struct rt_unw_map){ .lo = CODE, .hi = STACK };
	walks(a, (struct memory){ data + sizeof(a->python),
				  size - sizeof(a->python) });
	free(a);
	return 0;
}
