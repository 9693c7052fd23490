/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_unwind.c - any bytes as an object file: tables of its frames in a small
 * pool, and walks from all over it along a stack that is the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rt/rt_mem.h"
#include "unwind/unwind.h"

#define WORDS (1u << 17)
#define BASE  0x400000ull /* where the file is mapped */
#define STACK 0x7f0000000000ull
#define WALKS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *p;
	size_t n;
};

/* The input again and again, a megabyte of it: the stack. */
static int
stack_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	const struct bytes *b = arg;

	if (b->n == 0 || addr < STACK || addr - STACK > 1u << 20)
		return -1;
	for (uint64_t i = 0; i < n; i++)
		((uint8_t *)dst)[i] = b->p[(addr - STACK + i) % b->n];
	return 0;
}

static void
walks(struct rt_unw_area *a, struct bytes b)
{
	static const struct rt_conf conf = { .unw_words = WORDS };
	struct rt_host_mem host = { .arg = &b,
				    .read = stack_read,
				    .conf = &conf,
				    .unw = a,
				    .pool = a->pool };
	struct rt *rt = calloc(1, sizeof(*rt));
	uint64_t n, span = a->maps[1][0].hi - BASE;

	if (rt == NULL)
		return;
	rt->host = (uint64_t)(uintptr_t)&host;
	rt->self = (uint64_t)(uintptr_t)rt;
	for (uint64_t i = 0; i < WALKS; i++) {
		n = rt_unwind(rt, BASE + span * i / WALKS, STACK + 8 * i,
			      STACK + 64 * i, 1000);
		if ((n & ~RT_UNWIND_WANT) > RT_UNWIND_MAX)
			abort();
	}
	free(rt);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_unw_area *a = calloc(1, sizeof(*a) + 4ull * WORDS);
	struct unwind *u = a != NULL ? unwind_new(a->pool, WORDS) : NULL;
	struct err e = { 0 };
	struct elf_file *f = elf_open_mem(data, size, "fuzz", &e);
	struct unwind_table t;

	if (u != NULL && f != NULL && unwind_file(u, f, &t)) {
		if ((uint64_t)t.tab + t.npages >= WORDS)
			abort();
		a->id = a->n[1] = 1;
		a->maps[1][0] = (struct rt_unw_map){
			.lo = BASE,
			.hi = BASE + ((uint64_t)(t.npages + 1)
				      << RT_UNW_PAGE_BITS),
			.off = 0 - BASE,
			.tab = t.tab,
			.npages = t.npages,
		};
		walks(a, (struct bytes){ data, size });
	}
	elf_close(f);
	unwind_free(u);
	free(a);
	return 0;
}
