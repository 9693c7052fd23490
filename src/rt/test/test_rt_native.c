/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_native.c - the blob in this process: reads of memory, records, time,
 * actions and faults.  Its threads: test_rt_native_thread.c.
 */
#include <signal.h>
#include <time.h>

#include "rt/test/rt_world.h"

/* ---- the image ----------------------------------------------------------- */

static void
has_all_functions(void **state)
{
#define NAMES_IKP(id) assert_true(rtn_image.subr[id] < rtn_image.n)
#define NAMES_IK(id) assert_int_equal(rtn_image.subr[id], ~0u)
#define NAMES_NONE(id) NAMES_IK(id)
	for (unsigned i = 0; i < RTN_NFN; i++)
		assert_true(rtn_image.off[i] < rtn_image.n);
#define SUBR(id, name, proto, eng, flags, needs) NAMES_##eng(id);
#include "dif/subr.def"
#undef SUBR
}

/* ---- memory -------------------------------------------------------------- */

static uint64_t
load(struct world *w, struct rt *rt, const void *p, uint64_t size_flags)
{
	rt->fault = RT_FAULT_NONE;
	return CALL(w, rtn_load, rt, (uintptr_t)p, size_flags);
}

static void
loads(void **state)
{
	static const int64_t word = -0x7182838485868788;
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	assert_int_equal(load(w, rt, &word, 8), word);
	assert_int_equal(load(w, rt, &word, 4), (uint32_t)word);
	assert_int_equal(load(w, rt, &word, 4 | RTN_LD_SIGNED), (int32_t)word);
	assert_int_equal(load(w, rt, &word, 2 | RTN_LD_USER), (uint16_t)word);
	assert_int_equal(load(w, rt, &word, 2 | RTN_LD_SIGNED), (int16_t)word);
	assert_int_equal(load(w, rt, &word, 1), (uint8_t)word);
	assert_int_equal(load(w, rt, &word, 1 | RTN_LD_SIGNED), (int8_t)word);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
}

static void
survives_bad_addresses(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint8_t *page = world_map(8192, MAP_PRIVATE);
	const void *bad[] = { NULL, (void *)8, page + 4096, page + 4095,
			      (void *)(1ull << 47), (void *)(~0ull << 12),
			      (void *)~0ull };

	memset(page, 'x', 4096);
	munmap(page + 4096, 4096);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(load(w, rt, bad[i], 8), 0);
		assert_int_equal(rt->fault, RT_FAULT_BADADDR);
		assert_int_equal(rt->fault_val, (uintptr_t)bad[i]);
	}
	assert_int_equal(load(w, rt, page + 4095, 1), 'x');
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	munmap(page, 4096);
}

static void
reads_strings_to_their_end(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	char *page = world_map(8192, MAP_PRIVATE), *end = page + 4096;
	uint8_t *dst = rt->scratch_mem;

	munmap(end, 4096);
	memset(page, 'x', 4096);
	strcpy(end - 6, "hello");
	memset(dst, 0xee, 64);
	CALL(w, rtn_put_string, rt, (uintptr_t)dst, 32, (uintptr_t)end - 6);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_memory_equal(dst, "hello\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(dst[31], 0);
	assert_int_equal(dst[32], 0xee);
	/* one that is cut */
	CALL(w, rtn_put_string, rt, (uintptr_t)dst, 8, (uintptr_t)page);
	assert_string_equal((char *)dst, "xxxxxxx");
	/* one that runs into the hole */
	end[-1] = '!';
	CALL(w, rtn_put_string, rt, (uintptr_t)dst, 32, (uintptr_t)end - 6);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	for (int i = 0; i < 32; i++)
		assert_int_equal(dst[i], 0);
	/* bytes behind the NUL stay: rt_read_str() as others use it */
	memset(rt->scratch_mem, 0xee, 64);
	rt->ntuple = 1;
	rt->tuple[0].val = (uintptr_t)"abc";
	rt->fault = RT_FAULT_NONE;
	((uint64_t(*)(struct rt *))(uintptr_t)(w->code + rtn_image.subr[9]))(
		rt);
	assert_memory_equal(rt->scratch_mem, "abc\0\xee", 5);
	munmap(page, 4096);
}

/* Strings and data over many pages and windows. */
static void
copies_what_is_long(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	char *src = malloc(20000);

	for (int i = 0; i < 20000; i++)
		src[i] = (char)('a' + i % 23);
	for (unsigned at = 0; at < 4200; at += 97) {
		CALL(w, rtn_put_bytes, rt, (uintptr_t)rt->scratch_mem, 9000,
		     (uintptr_t)src + at);
		assert_memory_equal(rt->scratch_mem, src + at, 9000);
		src[at + 3000] = 0;
		CALL(w, rtn_put_string, rt, (uintptr_t)rt->scratch_mem, 4096,
		     (uintptr_t)src + at);
		assert_string_equal((char *)rt->scratch_mem, src + at);
		src[at + 3000] = 'z';
	}
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	free(src);
}

static void
makes_no_calls_under_seccomp(void **state)
{
	static const char text[] = "a constant";
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	int *far = malloc(sizeof(*far));

	*far = 5;
	w->sh->seccomp = 1;
	w->sh->ppid = 123;
	strcpy(w->sh->comm, "name");
	load(w, rt, far, 4);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(load(w, rt, &w->sh->ppid, 4), 123);
	load(w, rt, text, 1);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	w->sh->region[0].lo = (uintptr_t)text;
	w->sh->region[0].hi = (uintptr_t)text + sizeof(text);
	w->sh->nregions = 1;
	assert_int_equal(load(w, rt, text, 1), 'a');
	assert_int_equal(CALL(w, rtn_var_load, rt, 0, 0x11d), 123);
	assert_int_equal(CALL(w, rtn_var_load, rt, 0, 0x118),
			 (uintptr_t)w->sh->comm);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	CALL(w, rtn_raise, rt, SIGKILL);
	assert_int_equal(rt->fault, RT_FAULT_ILLOP);
	free(far);
}

/* ---- records ------------------------------------------------------------- */

static void
wraps_records(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t total = 0, at;

	rt->epid = 3;
	for (int i = 0; i < 200; i++) {
		uint64_t n = 24 + (uint64_t)(i * 40) % 328;
		uint64_t off = rt->head % WORLD_BUF;
		bool wrap = off + n > WORLD_BUF;

		memset((uint8_t *)(uintptr_t)rt->buf + off, 0xaa,
		       WORLD_BUF - off);
		at = CALL(w, rtn_reserve, rt, n);
		assert_int_equal(at - rt->buf, wrap ? 0 : off);
		total += n + (wrap ? WORLD_BUF - off : 0);
		assert_int_equal(rt->rec_end, total);
		if (wrap && WORLD_BUF - off >= sizeof(struct rt_rec))
			assert_int_equal(*(uint32_t *)(uintptr_t)(rt->buf +
								  off), 0);
		assert_int_equal(((struct rt_rec *)at)->epid, 3);
		for (uint64_t k = sizeof(struct rt_rec); k < n; k++)
			assert_int_equal(((uint8_t *)at)[k], 0);
		rt->head = rt->rec_end;
		rt->tail = rt->head;
	}
	assert_int_equal(rt->drops[RT_DROP_PRINCIPAL], 0);
}

static void
drops_records_that_do_not_fit(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	assert_int_not_equal(CALL(w, rtn_reserve, rt, WORLD_BUF), 0);
	assert_int_equal(CALL(w, rtn_reserve, rt, WORLD_BUF + 8), 0);
	rt->head = 600;
	assert_int_equal(CALL(w, rtn_reserve, rt, 512), 0); /* its filler */
	assert_int_equal(rt->drops[RT_DROP_PRINCIPAL], 2);
	rt->tail = 600;
	assert_int_equal(CALL(w, rtn_reserve, rt, 512), rt->buf);
	rt->buf = 0;
	assert_int_equal(CALL(w, rtn_reserve, rt, 32), 0);
	assert_int_equal(rt->drops[RT_DROP_PRINCIPAL], 3);
}

/* ---- time ---------------------------------------------------------------- */

static void
tells_the_time(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	struct rtn_clock *c = &w->sh->clock[1];
	uint64_t raw = CALL(w, rtn_now, rt);

	assert_int_equal(rt->raw_time, 1);
	assert_int_equal(CALL(w, rtn_now, rt), raw);
	*c = (struct rtn_clock){ .tsc0 = raw - 1000, .ns0 = 5000000,
				 .mult = 3ull << 31 }; /* 1.5 ns */
	w->sh->clock_idx = 1;
	assert_int_equal(CALL(w, rtn_timestamp, rt), 5001500);
	c->tsc0 = raw + 1000;
	assert_int_equal(CALL(w, rtn_timestamp, rt), 4998500);
	w->sh->conf.wall_offset = 7;
	assert_int_equal(CALL(w, rtn_var_load, rt, 0, 0x11a), 4998507);
}

static void
uses_the_vdso_where_it_must(void **state)
{
	struct world *w = *state;
	struct timespec a, b;
	struct rt *rt;
	uint64_t ns;

	w->sh->vdso_time = (uintptr_t)clock_gettime;
	rt = world_enter(w);
	assert_int_equal(rt->raw_time, 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	ns = CALL(w, rtn_timestamp, rt);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true(ns >= (uint64_t)a.tv_sec * 1000000000u +
				  (uint64_t)a.tv_nsec);
	assert_true(ns <= (uint64_t)b.tv_sec * 1000000000u +
				  (uint64_t)b.tv_nsec);
}

/* ---- actions and faults -------------------------------------------------- */

static void
exits_once(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	CALL(w, rtn_exit, rt, (uint64_t)-3);
	CALL(w, rtn_exit, rt, 4);
	assert_int_equal(w->sh->ctl.exit_status, -3);
	assert_int_equal(w->sh->ctl.exited, 1);
	assert_int_equal(w->sh->ctl.wanted, 1);
	assert_int_equal(w->sh->ctl.activity, RT_ACT_DRAINING);
	w->sh->ctl.activity = RT_ACT_STOPPED;
	CALL(w, rtn_exit, rt, 4);
	assert_int_equal(w->sh->ctl.activity, RT_ACT_STOPPED);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_all_functions),
		WORLD_TEST(loads),
		WORLD_TEST(survives_bad_addresses),
		WORLD_TEST(reads_strings_to_their_end),
		WORLD_TEST(copies_what_is_long),
		WORLD_TEST(makes_no_calls_under_seccomp),
		WORLD_TEST(wraps_records),
		WORLD_TEST(drops_records_that_do_not_fit),
		WORLD_TEST(tells_the_time),
		WORLD_TEST(uses_the_vdso_where_it_must),
		WORLD_TEST(exits_once),
	};

	return cmocka_run_group_tests_name("rt_native", tests, NULL, NULL);
}
