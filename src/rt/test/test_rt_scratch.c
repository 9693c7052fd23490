/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_scratch.c - scratch, stores into it and copies from user space. */
#include "rt/test/rt_cases.h"

static uint8_t *
at(struct rt *rt, uint64_t addr)
{
	return (uint8_t *)rt + (addr - rt->self);
}

static void
allocates_zeroed(void **state)
{
	struct fixture *f = fixture_new(256);
	struct rt *rt = &f->rt;
	uint64_t a, b;

	memset(rt->scratch_mem, 0xee, sizeof(rt->scratch_mem));
	a = rt_allocs(rt, 13);
	b = rt_allocs(rt, 0);
	assert_int_equal(a, rt->self + RT_SCRATCH_OFF);
	assert_int_equal(b, a + 16);
	for (int i = 0; i < 16; i++)
		assert_int_equal(at(rt, a)[i], 0);
	assert_int_equal(at(rt, a)[16], 0xee);
	assert_int_not_equal(rt_allocs(rt, RT_SCRATCH - 16), 0);
	assert_int_equal(rt->scratch_mem[RT_SCRATCH], 0xee);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_int_equal(rt_allocs(rt, 1), 0);
	assert_int_equal(rt->fault, RT_FAULT_NOSCRATCH);
	rt->scratch = 0;
	assert_int_equal(rt_allocs(rt, (uint64_t)-1), 0);
	assert_int_equal(rt_allocs(rt, RT_SCRATCH + 1), 0);
	free(f);
}

static void
bad_store(struct rt *rt, uint64_t addr, uint64_t size, uint32_t fault)
{
	rt->fault = RT_FAULT_NONE;
	rt_store(rt, addr, 1, size);
	assert_int_equal(rt->fault, fault);
	assert_int_equal(rt->fault_val, addr);
}

static void
stores_where_allocated(void **state)
{
	struct fixture *f = fixture_new(256);
	struct rt *rt = &f->rt;
	uint64_t a = rt_allocs(rt, 24);

	rt_store(rt, a, 0x1122334455667788, 8);
	rt_store(rt, a + 8, 0xaabbccddeeff, 4);
	rt_store(rt, a + 12, 0x1234567, 2);
	rt_store(rt, a + 23, 0x99, 1);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_int_equal(RT_WORD(at(rt, a)), 0x1122334455667788);
	assert_int_equal(RT_WORD(at(rt, a + 8)), 0x4567ccddeeff);
	assert_int_equal(RT_WORD(at(rt, a + 16)), 0x99ull << 56);
	bad_store(rt, a + 24, 1, RT_FAULT_BADADDR);
	bad_store(rt, a - 8, 8, RT_FAULT_BADADDR);
	bad_store(rt, 0, 8, RT_FAULT_BADADDR);
	bad_store(rt, a + 4, 8, RT_FAULT_BADALIGN);
	bad_store(rt, a + 3, 2, RT_FAULT_BADALIGN);
	free(f);
}

static void
copies(void **state)
{
	struct fixture *f = fixture_new(256);
	struct rt *rt = &f->rt;
	uint64_t src = rt_allocs(rt, 6000), dst = rt_allocs(rt, 6000);

	for (int i = 0; i < 6000; i++)
		at(rt, src)[i] = (uint8_t)(i * 7);
	assert_int_equal(rt_copys(rt, src, dst, 5999), dst);
	assert_memory_equal(at(rt, dst), at(rt, src), 5999);
	assert_int_equal(at(rt, dst)[5999], 0);
	rt_copys(rt, src, dst, 6001);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, dst);
	fixture_reset(rt);
	dst = rt_allocs(rt, 16);
	push_val(rt, 77);
	push_val(rt, dst);
	push_val(rt, 16);
	rt_subr_bcopy(rt);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 77);
	free(f);
}

static void
copies_from_user(void **state)
{
	struct fixture *f = fixture_new(16);
	struct rt *rt = &f->rt;
	static uint8_t big[10000];
	const char *s = "twenty characters...";
	uint64_t a;

	for (unsigned i = 0; i < sizeof(big); i++)
		big[i] = (uint8_t)(i * 3);
	push_val(rt, (uintptr_t)big);
	push_val(rt, sizeof(big));
	a = rt_subr_copyin(rt);
	assert_memory_equal(at(rt, a), big, sizeof(big));
	/* The same into memory the program has. */
	memset(at(rt, a), 0, sizeof(big));
	push_val(rt, a);
	rt_subr_copyinto(rt);
	assert_memory_equal(at(rt, a), big, sizeof(big));
	rt->tuple[2].val++;
	rt_subr_copyinto(rt);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);

	fixture_reset(rt);
	push_val(rt, 8);
	push_val(rt, 4);
	assert_int_equal(rt_subr_copyin(rt), 0);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 8);
	rt->tuple[1].val = RT_SCRATCH + 1;
	rt_subr_copyin(rt);
	assert_int_equal(rt->fault, RT_FAULT_NOSCRATCH);

	fixture_reset(rt);
	push_val(rt, (uintptr_t)s);
	a = rt_subr_copyinstr(rt);
	assert_string_equal(at(rt, a), "twenty characte");
	push_val(rt, 7); /* the NUL counts */
	a = rt_subr_copyinstr(rt);
	assert_string_equal(at(rt, a), "twenty");
	rt->tuple[1].val = 1;
	a = rt_subr_copyinstr(rt);
	assert_string_equal(at(rt, a), "");
	rt->tuple[1].val = 0;
	a = rt_subr_copyinstr(rt);
	assert_string_equal(at(rt, a), "");
	rt->tuple[1].val = (uint64_t)-1;
	a = rt_subr_copyinstr(rt);
	assert_string_equal(at(rt, a), "twenty characte");
	rt->tuple[0].val = 9;
	assert_int_equal(rt_subr_copyinstr(rt), 0);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 9);
	free(f);
}

static int
write_here(void *arg, uint64_t addr, const void *src, uint64_t n)
{
	if (addr < 4096)
		return -1;
	memcpy((void *)(uintptr_t)addr, src, n);
	return 0;
}

static void
copies_to_user(void **state)
{
	struct fixture *f = fixture_new(16);
	struct rt *rt = &f->rt;
	static uint8_t to[6000];
	uint64_t src = rt_allocs(rt, 6000);

	for (int i = 0; i < 6000; i++)
		at(rt, src)[i] = (uint8_t)(i * 5);
	push_val(rt, src);
	push_val(rt, (uintptr_t)to);
	push_val(rt, 5999);
	rt_subr_copyout(rt);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR); /* no hook */
	rt->fault = RT_FAULT_NONE;
	f->host.write = write_here;
	rt_subr_copyout(rt);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_memory_equal(to, at(rt, src), 5999);
	assert_int_equal(to[5999], 0);

	fixture_reset(rt);
	push_str(rt, "text");
	push_val(rt, (uintptr_t)to);
	push_val(rt, 100);
	rt_subr_copyoutstr(rt);
	assert_string_equal(to, "text");
	memset(to, 'x', 8);
	rt->tuple[2].val = 2;
	rt_subr_copyoutstr(rt);
	assert_memory_equal(to, "texx", 4);
	rt->tuple[1].val = 7;
	rt_subr_copyoutstr(rt);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 7);
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocates_zeroed),
		cmocka_unit_test(stores_where_allocated),
		cmocka_unit_test(copies),
		cmocka_unit_test(copies_from_user),
		cmocka_unit_test(copies_to_user),
	};

	return cmocka_run_group_tests_name("rt_scratch", tests, NULL, NULL);
}
