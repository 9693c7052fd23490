/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_world.h - this process as a traced one, for tests of the blob: its code
 * mapped, the memory it shares with a consumer, and calls by pointer.
 */
#ifndef RT_TEST_RT_WORLD_H
#define RT_TEST_RT_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/rt_assoc.h"
#include "rt/rt_impl.h"
#include "rt/rt_native_body.h"

#define WORLD_STRSIZE 64 /* of the worlds that WORLD_TEST() makes */

#define WORLD_THREADS 64
#define WORLD_BUF     1024u
#define WORLD_AGG     65536u
#define WORLD_SELF    512u
#define WORLD_ASSOC   65536u

/* What a memory file would hold. */
struct world_mem {
	struct rtn_shared sh;
	struct rt rt[WORLD_THREADS * RT_LEVELS];
	uint8_t self[WORLD_THREADS][WORLD_SELF];
	uint8_t buf[WORLD_THREADS * RT_LEVELS][WORLD_BUF];
	uint8_t agg[WORLD_THREADS * RT_LEVELS][WORLD_AGG];
	uint8_t globals[4096];
	uint64_t assoc[WORLD_ASSOC / 8];
	uint32_t names[2][4];
	char strtab[64];
	struct rtn_var vars[3][4];
};

struct world {
	struct world_mem *mem;
	struct rtn_shared *sh;
	struct rtn_table *table;
	uint8_t *code;
};

/* Call a function of rt_native.def. */
#define CALL(w, name, ...)                                        \
	((__typeof__(&name))(uintptr_t)((w)->code +               \
					rtn_image.off[FN_##name]))( \
		__VA_ARGS__)
enum world_fn {
#define RTNFN(name, proto) FN_rtn_##name = RTN_FN_##name, \
			   FN_rt_##name = RTN_FN_##name,
#include "rt/rt_native.def"
#undef RTNFN
};

static inline void *
world_map(size_t n, int flags)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static inline uint64_t
world_fsbase(void)
{
	uint64_t p;

	__asm__("movq %%fs:0, %0" : "=r"(p));
	return p;
}

static inline void
world_addresses(struct rtn_shared *sh, struct world_mem *m)
{
	sh->self = (uintptr_t)m;
	sh->shared_size = sizeof(*m);
	sh->slots = (uintptr_t)m->rt;
	sh->slot_stride = sizeof(m->rt[0]);
	/* The tests of threads are run in both ways. */
	sh->stacks = getenv("DT_TEST_STACKS") != NULL;
	sh->threads = (uintptr_t)m->self;
	sh->thread_stride = WORLD_SELF;
	sh->nthreads = WORLD_THREADS;
	sh->bufs = (uintptr_t)m->buf;
	sh->aggs = (uintptr_t)m->agg;
	sh->globals = (uintptr_t)m->globals;
	sh->assoc = (uintptr_t)m->assoc;
	sh->names = (uintptr_t)m->names;
	sh->strtab = (uintptr_t)m->strtab;
	for (unsigned i = 0; i < 3; i++) {
		sh->vars[i] = (uintptr_t)m->vars[i];
		sh->nvars[i] = 4;
	}
}

static inline void
world_conf(struct rt_conf *c, uint32_t strsize)
{
	c->strsize = strsize;
	c->bufsize = WORLD_BUF;
	c->aggsize = WORLD_AGG;
	c->agg_halfsize = WORLD_AGG / 2;
	c->agg_buckets_off = 1024;
	c->agg_nbuckets = 16;
	c->agg_entries_off = 1024 + 16 * 4;
}

static inline struct world *
world_new(uint32_t strsize)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->mem = world_map(sizeof(*w->mem), MAP_SHARED);
	w->table = world_map(sizeof(*w->table), MAP_PRIVATE);
	assert_return_code(madvise(w->table, sizeof(*w->table),
				   MADV_WIPEONFORK), 0);
	w->code = world_map(rtn_image.n, MAP_PRIVATE);
	memcpy(w->code, rtn_image.code, rtn_image.n);
	assert_return_code(mprotect(w->code, rtn_image.n,
				    PROT_READ | PROT_EXEC), 0);
	w->sh = &w->mem->sh;
	world_addresses(w->sh, w->mem);
	world_conf(&w->sh->conf, strsize);
	w->sh->table = (uintptr_t)w->table;
	w->table->alive = 1;
	w->sh->ctl.activity = RT_ACT_ACTIVE;
	w->sh->pid = w->sh->own_pid = (uint32_t)getpid();
	w->sh->rseq_off = __rseq_size != 0 ? __rseq_offset : 0;
	w->sh->clock[0].mult = 1ull << 32;
	rt_assoc_init((struct rt_assoc *)(void *)w->mem->assoc, WORLD_ASSOC);
	return w;
}

static inline void
world_free(struct world *w)
{
	munmap(w->mem, sizeof(*w->mem));
	munmap(w->table, sizeof(*w->table));
	munmap(w->code, rtn_image.n);
	free(w);
}

static inline struct rt *
world_enter(struct world *w)
{
	return CALL(w, rtn_enter, w->sh, world_fsbase());
}

/* Of cmocka: a world for each test, with strings of WORLD_STRSIZE. */
static inline int
world_setup(void **state)
{
	*state = world_new(WORLD_STRSIZE);
	return 0;
}

static inline int
world_teardown(void **state)
{
	world_free(*state);
	return 0;
}

#define WORLD_TEST(fn)                                                         \
	cmocka_unit_test_setup_teardown(fn, world_setup, world_teardown)

#endif
