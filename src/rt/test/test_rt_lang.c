/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_lang.c - frames of Perl and Python in memory that is anything: they
 * end, are what frames of languages are, and no byte outside is touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/rt_body.h"
#include "rt/rt_mem.h"

#define MEMORY 0x10000ull /* where it begins; as many bytes */
#define CODE   0x100000ull
#define KEY    16u /* where the threads' key is */
#define ROUNDS 1000

static uint8_t memory[MEMORY];
static struct rt_unw_area *area;
static struct rt *rt;

static int
memory_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	if (addr < MEMORY || addr - MEMORY > sizeof(memory) - n)
		return -1;
	memcpy(dst, memory + (addr - MEMORY), n);
	return 0;
}

static const struct rt_conf conf = { .unw_words = 16384 };
static struct rt_host_mem host = { .read = memory_read, .conf = &conf };

static int
setup(void **state)
{
	area = calloc(1, sizeof(*area) + 4 * 16384);
	rt = calloc(1, sizeof(*rt));
	if (area == NULL || rt == NULL)
		return 1;
	host.unw = area;
	host.pool = area->pool;
	host.thread = MEMORY;
	rt->host = (uint64_t)(uintptr_t)&host;
	rt->self = (uint64_t)(uintptr_t)rt;
	return 0;
}

static int
teardown(void **state)
{
	free(area);
	free(rt);
	return 0;
}

/* Objects of 64 bytes, whose words lead to others, but for some that are small
   numbers: half of the first, one of 16 of the others, the fifth; `type` is the
   second. */
static void
fill(uint64_t type, uint64_t key)
{
	for (size_t i = 0; i < sizeof(memory); i += 8) {
		unsigned small = i % 64 == 32 ? 1 : i % 64 == 0 ? 2 : 16;
		uint64_t w = random() % small == 0
				     ? (uint64_t)random() % 12
				     : MEMORY + (uint64_t)random() % 1024 * 64;

		if (i % 64 == 8)
			w = type;
		memcpy(memory + i, &w, sizeof(w));
	}
	memcpy(memory + KEY, &key, sizeof(key));
}

/* Walk from code that has no table, with a stack that leads nowhere: how many
   frames of the language there are behind that code's own. */
static unsigned
frames(const struct rt_py *py)
{
	uint64_t n;

	memset(area, 0, sizeof(*area));
	area->id = area->n[1] = 1;
	area->maps[1][0] = (struct rt_unw_map){ .lo = CODE, .hi = CODE + 4096 };
	area->python = *py;
	memset(rt->unw.cache, 0, sizeof(rt->unw.cache));
	n = rt_unwind(rt, CODE + 16, MEMORY, 0, RT_UNWIND_MAX) &
	    ~RT_UNWIND_WANT;
	assert_in_range(n, 1, RT_UNWIND_MAX);
	assert_int_equal(RT_FRAMES(rt)[0], CODE + 16);
	for (uint64_t i = 1; i < n; i++)
		assert_true(rt_py_is(RT_FRAMES(rt)[i]));
	return (unsigned)n - 1;
}

static const struct rt_py perl = {
	.specific = 80,
	.pl = { .key = MEMORY + KEY, .run = 1, .run_n = 1, .i_info = 240,
		.i_cop = 208, .si_cx = 24, .si_prev = 16, .si_top = 32,
		.cx_size = 64, .cx_cop = 16, .cx_retop = 48, .cx_cv = 24,
		.cx_env = 96, .cop_line = 36, .cop_file = 48, .cv_stash = 32,
		.cv_gv = 56, .cv_flags = 92, .gv_name = 32, .gv_stash = 40,
		.hv_name = 32, .hv_count = 60 },
};

static const struct rt_py python = {
	.tss = MEMORY + KEY,
	.code_type = 77,
	.specific = 80,
	.ts_cframe = 56, .cf_frame = 0, .cf_prev = 16, .f_code = 40,
	.f_prev = 48, .f_instr = 56, .f_entry = 68, .f_owner = 69,
	.c_line = 72, .c_file = 112, .c_qual = 128, .c_lines = 136,
	.c_code = 184, .s_ascii = 48, .s_other = 72,
};

/* How many walks have had frames of the language. */
static unsigned
walks(const struct rt_py *py, uint64_t type, uint64_t key)
{
	unsigned some = 0;

	srandom(1);
	for (int i = 0; i < ROUNDS; i++) {
		fill(type, key);
		some += frames(py) > 1;
	}
	return some;
}

static void
test_perl(void **state)
{
	/* SVt_PVCV, SVf_OOK */
	assert_true(walks(&perl, (13 | 1ull << 25) << 32, 1) > ROUNDS / 50);
}

static void
test_python(void **state)
{
	struct rt_py later = python;

	assert_true(walks(&python, 77, 1 | 1ull << 32) > ROUNDS / 50);
	/* As of 3.12, whose marks are frames of a sort. */
	later.f_entry = 0;
	assert_true(walks(&later, 77, 1 | 1ull << 32) > ROUNDS / 50);
}

static void
word(uint64_t at, uint64_t w)
{
	memcpy(memory + (at - MEMORY), &w, sizeof(w));
}

/* A _PyCFrame that is its own predecessor, and has no frame but a mark; a
   PERL_SI likewise, without contexts. */
static void
test_rings(void **state)
{
	struct rt_py later = python;
	const uint64_t block = MEMORY + 1024, thread = MEMORY + 2048,
		       ring = MEMORY + 4096, mark = MEMORY + 8192;

	memset(memory, 0, sizeof(memory));
	later.f_entry = 0;
	word(MEMORY + KEY, 1 | 1ull << 32);
	word(MEMORY + python.specific, block);
	word(block + 16 + 8, thread);
	word(thread + python.ts_cframe, ring);
	word(ring + python.cf_prev, ring);
	word(ring + python.cf_frame, mark);
	memory[mark - MEMORY + python.f_owner] = 3;
	assert_int_equal(frames(&later), 0);
	word(MEMORY + KEY, 1);
	word(thread + perl.pl.i_info, ring);
	word(ring + perl.pl.si_prev, ring);
	word(ring + perl.pl.si_top, UINT32_MAX);
	assert_int_equal(frames(&perl), 0);
	assert_int_equal(rt->unw.pl_info, ring);
	/* Behind one that cannot be read there is none. */
	word(ring + perl.pl.si_prev, 8);
	assert_int_equal(frames(&perl), 0);
	assert_int_equal(rt->unw.pl_info, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perl),
		cmocka_unit_test(test_python),
		cmocka_unit_test(test_rings),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
