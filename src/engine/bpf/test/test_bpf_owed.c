/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_owed.c - stacks that are owed are walked: this process's own, which
 * glibc's unwinder walks too.  What a probe would have kept is put where it
 * keeps it; there is no kernel in this.
 */
#include <errno.h>
#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/bpf/bpf_impl.h"
#include "unwind/unwind.h"

#define FRAMES 64

int __wrap_bpf_maps_array(struct bpf_map *m, const char *name, uint32_t vsize,
			  uint32_t n, uint32_t flags);
void __wrap_bpf_maps_close(struct bpf_map *m);

int
__wrap_bpf_maps_array(struct bpf_map *m, const char *name, uint32_t vsize,
		      uint32_t n, uint32_t flags)
{
	assert_int_equal(n, 1);
	assert_true(flags & BPF_F_MMAPABLE);
	m->mem = calloc(n, vsize);
	return m->mem != NULL ? 0 : -1;
}

void
__wrap_bpf_maps_close(struct bpf_map *m)
{
	free(m->mem);
	m->mem = NULL;
}

static struct engine eng;
static struct rt_unw_debts *debts;
static uint64_t pcs[FRAMES + 1];

/* Field 48 of /proc/self/stat. */
static uint64_t
own_arg_start(void)
{
	char text[1024], *p;
	FILE *f = fopen("/proc/self/stat", "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')');
	for (int i = 2; i < 48; i++)
		p = strchr(p + 1, ' ');
	return strtoull(p, NULL, 10);
}

static int
setup(void **state)
{
	eng = (struct engine){ 0 };
	eng.unw.pool.vsize = 4 * UNWIND_POOL_WORDS;
	eng.unw.pool.mem = calloc(UNWIND_POOL_WORDS, 4);
	assert_non_null(eng.unw.pool.mem);
	eng.rtconf.unw_words = UNWIND_POOL_WORDS;
	eng.unw.tables = unwind_new((void *)eng.unw.pool.mem,
				    UNWIND_POOL_WORDS);
	assert_non_null(eng.unw.tables);
	assert_int_equal(bpf_owed_make(&eng), 0);
	debts = (void *)eng.unw.owed.mem;
	memset(pcs, 0, sizeof(pcs));
	return 0;
}

static int
teardown(void **state)
{
	bpf_owed_free(&eng);
	unwind_free(eng.unw.tables);
	free(eng.unw.pool.mem);
	return 0;
}

/* What a probe keeps, in the slot of that number. */
static struct rt_unw_owed *
owe(uint64_t number, uint64_t max)
{
	struct rt_unw_owed *o = &debts->v[number % RT_UNW_OWED_SLOTS];

	*o = (struct rt_unw_owed){ .state = RT_UNW_FULL,
				   .pid = (uint32_t)getpid(),
				   .number = number,
				   .max = max,
				   .arg_start = own_arg_start() };
	return o;
}

/* As much of the stack as there is, up to the end of the third page. */
static void
keep(struct rt_unw_owed *o)
{
	for (int i = 0; i < 3; i++) {
		size_t len = 4096 - (o->sp + o->n) % 4096;
		struct iovec to = { o->stack + o->n, len };
		struct iovec from = { (void *)(uintptr_t)(o->sp + o->n), len };

		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) !=
		    (ssize_t)len)
			return;
		o->n += len;
	}
}

/* Its own stack, as it is while backtrace() walks it; where its caller is in
   that: sanitizers have a frame more in front of its own. */
static __attribute__((noinline)) void **
here(struct rt_unw_owed *o, void **theirs)
{
	void *caller = __builtin_return_address(0);
	int n = backtrace(theirs, FRAMES), i = 0;
	ucontext_t uc;

	getcontext(&uc);
	o->pc = (uint64_t)uc.uc_mcontext.gregs[REG_RIP];
	o->sp = (uint64_t)uc.uc_mcontext.gregs[REG_RSP];
	o->fp = (uint64_t)uc.uc_mcontext.gregs[REG_RBP];
	keep(o);
	while (i < n && theirs[i] != caller)
		i++;
	assert_true(i + 3 < n);
	return theirs + i;
}

static void
test_whole(void **state)
{
	struct rt_unw_owed *o = owe(77, FRAMES);
	void *theirs[FRAMES], **callers = here(o, theirs);

	pcs[0] = o->pc;
	pcs[1] = RT_UNW_OWED | 77;
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[0], o->pc);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pcs[i + 1], (uintptr_t)callers[i]);
	assert_int_equal(o->state, RT_UNW_FREE);
}

/* Behind a function that has returned; and there is no room for all. */
static void
test_few(void **state)
{
	struct rt_unw_owed *o = owe(130, 2);
	void *theirs[FRAMES], **callers = here(o, theirs);

	pcs[0] = 5;
	pcs[1] = o->pc;
	pcs[2] = RT_UNW_OWED | 130;
	bpf_owed_stack(&eng, pcs, 3);
	assert_int_equal(pcs[0], 5);
	assert_int_equal(pcs[1], o->pc);
	assert_int_equal(pcs[2], (uintptr_t)callers[0]);
	assert_int_equal(pcs[3], 0);
}

/* So many frames that each lead to the next. */
static void
chain(struct rt_unw_owed *o, uint64_t n)
{
	o->pc = 0x1111;
	o->sp = 0x7000000;
	o->fp = o->sp + 16;
	o->n = 8192;
	o->by_fp = n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t frame[2] = { o->fp + 16 * (i + 1), 0x2000 + i };

		memcpy(o->stack + 16 + 16 * i, frame, sizeof(frame));
	}
}

/* The process has executed something else: by frame pointers. */
static void
test_other_program(void **state)
{
	struct rt_unw_owed *o = owe(1, FRAMES);

	o->arg_start++;
	chain(o, 3);
	pcs[0] = o->pc;
	pcs[1] = RT_UNW_OWED | 1;
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[0], 0x1111);
	assert_int_equal(pcs[1], 0x2000);
	assert_int_equal(pcs[3], 0x2002);
	assert_int_equal(pcs[4], 0);
}

static void
test_ended(void **state)
{
	struct rt_unw_owed *o = owe(2, 2);

	o->pid = 0x7fffffff; /* no process has that */
	o->arg_start = 0;
	chain(o, 3);
	pcs[0] = o->pc;
	pcs[1] = RT_UNW_OWED | 2;
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[1], 0x2000);
	assert_int_equal(pcs[2], 0);
}

/* What the second leads to was behind no call when the probe looked. */
static void
test_stray(void **state)
{
	struct rt_unw_owed *o = owe(3, FRAMES);

	o->pid = 0x7fffffff;
	o->arg_start = 0;
	chain(o, 3);
	o->by_fp = 1;
	pcs[0] = o->pc;
	pcs[1] = RT_UNW_OWED | 3;
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[0], 0x1111);
	assert_int_equal(pcs[1], 0x2000);
	assert_int_equal(pcs[2], 0);
}

static void
test_not_owed(void **state)
{
	uint64_t plain[] = { 0x401000, 0x402000, 1ull << 63 | 5, 0 };
	uint64_t kept[4];

	memcpy(kept, plain, sizeof(plain));
	bpf_owed_stack(&eng, plain, 4);
	assert_memory_equal(plain, kept, sizeof(plain));
	/* Nobody knows of it any more: what is known stays. */
	plain[1] = RT_UNW_OWED | 9;
	bpf_owed_stack(&eng, plain, 4);
	assert_int_equal(plain[0], 0x401000);
	assert_int_equal(plain[1], 0);
}

/* Of a thread that does not run: it may be read twice, or never, and a newer
   one makes room.  It does not count. */
static void
test_stays(void **state)
{
	for (uint64_t number = 0; number <= 4096; number++) {
		struct rt_unw_owed *o = owe(number, 8 | RT_UNWIND_KEPT);

		o->arg_start = 0;
		chain(o, 3);
		bpf_owed_settle(&eng);
		assert_int_equal(o->state, RT_UNW_FREE);
		if (number != 0)
			continue;
		for (int twice = 0; twice < 2; twice++) {
			memset(pcs, 0, sizeof(pcs));
			pcs[0] = o->pc;
			pcs[1] = RT_UNW_OWED | number;
			bpf_owed_stack(&eng, pcs, FRAMES);
			assert_int_equal(pcs[1], 0x2000);
			assert_int_equal(pcs[3], 0x2002);
		}
	}
	pcs[1] = RT_UNW_OWED | 0; /* 4,096 have come since */
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[1], 0);
	pcs[1] = RT_UNW_OWED | 1;
	bpf_owed_stack(&eng, pcs, FRAMES);
	assert_int_equal(pcs[1], 0x2000);
	assert_int_equal(debts->closed, 0);
}

/* What is kept is bounded: probes are told not to owe any more. */
static void
test_closed(void **state)
{
	uint64_t number = 0;

	while (debts->closed == 0) {
		for (int i = 0; i < 64; i++) {
			struct rt_unw_owed *o = owe(number++, RT_UNWIND_MAX);

			o->arg_start = 0;
			chain(o, 500);
		}
		bpf_owed_settle(&eng);
		assert_true(number < 10000);
	}
	assert_in_range(number, 2000, 2200);
	/* Until some have been read. */
	for (uint64_t i = 0; i < 100; i++) {
		pcs[1] = RT_UNW_OWED | i;
		bpf_owed_stack(&eng, pcs, FRAMES);
		assert_int_equal(pcs[2], 0x2001);
	}
	bpf_owed_settle(&eng);
	assert_int_equal(debts->closed, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_whole), T(test_few), T(test_other_program),
		T(test_ended), T(test_stray), T(test_not_owed), T(test_closed),
		T(test_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
