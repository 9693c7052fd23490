/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_pun.c - instructions that no window fits over: jumps made of the
 * bytes behind them lead to us, the functions compute what they did, and all
 * probes fire; landings go when tracing ends.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "engine/process/process_impl.h"
#include "engine/process/test/process_world.h"

#define CALLS 1000u
#define SUM   (CALLS * (CALLS - 1ull) + CALLS)
#define SUM_HOP (CALLS * (CALLS - 1ull) / 2)

static void
count(struct test_world *w)
{
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
}

/* The number of such jumps, as the report has it. */
static unsigned
puns(struct test_world *w)
{
	struct buf out = BUF_INIT;
	const char *at;
	unsigned n = 0;

	process_engine_ops.report(w->eng, &out);
	at = strstr(buf_str(&out), " jumps made of other");
	if (at == NULL)
		at = strstr(buf_str(&out), " jump made of other");
	while (at != NULL && at > buf_str(&out) && at[-1] >= '0' &&
	       at[-1] <= '9')
		at--;
	if (at != NULL && sscanf(at, "%u", &n) != 1)
		fail();
	buf_fini(&out);
	return n;
}

static unsigned
mappings(pid_t pid)
{
	char name[40], line[512];
	unsigned n = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		n += strstr(line, "memfd:dtrace") != NULL;
	fclose(f);
	return n;
}

/* One probe: so many punned jumps, so many firings. */
static void
one(enum dif_site_kind kind, const void *fn, uint64_t addr, unsigned jumps,
    uint64_t fired)
{
	struct test_world *w = traced_new();
	struct dif_site *s;

	count(w);
	s = fn_probe(w, kind, fn, 1);
	if (addr != 0)
		s->addr = addr;
	start(w);
	assert_int_equal(puns(w), jumps);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	stop(w);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	assert_int_equal(cells(w, 0, 0, NULL), fired);
	traced_free(w);
}

static void
test_entry(void **state)
{
	one(DIF_SITE_UENTRY, target_tiny, 0, 1, CALLS);
}

static void
test_return(void **state)
{
	one(DIF_SITE_URETURN, target_tiny, 0, 1, CALLS);
}

static void
test_insn(void **state)
{
	one(DIF_SITE_UINSN, target_tiny, (uint64_t)(uintptr_t)target_tiny_ret,
	    1, CALLS);
}

/* Two at one instruction have one jump. */
static void
test_same(void **state)
{
	struct test_world *w = traced_new();

	count(w);
	fn_probe(w, DIF_SITE_URETURN, target_tiny, 1);
	fn_probe(w, DIF_SITE_UINSN, target_tiny, 1)->addr =
		(uint64_t)(uintptr_t)target_tiny_ret;
	start(w);
	assert_int_equal(puns(w), 1);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 2 * CALLS);
	traced_free(w);
}

/* A short jump to unused bytes: the jump there is written before it, and goes
   behind it. */
static void
test_hop(void **state)
{
	struct test_world *w = traced_new();
	uint64_t entry = (uint64_t)(uintptr_t)target_hop;
	const struct patch *p;
	unsigned n = 0;

	count(w);
	fn_probe(w, DIF_SITE_UENTRY, target_hop, 1);
	start(w);
	for (size_t i = 0; i < w->eng->patches.n; i++) {
		p = &w->eng->patches.v[i];
		if (p->addr - entry >= 64)
			continue; /* what ends threads */
		n++;
		assert_int_equal(p->landing, p->addr != entry);
		assert_int_equal(p->len, p->landing ? 5 : 3);
	}
	assert_int_equal(n, 2);
	assert_int_equal(target_do(w->t, T_HOP, CALLS), SUM_HOP);
	stop(w);
	assert_int_equal(target_do(w->t, T_HOP, CALLS), SUM_HOP);
	assert_int_equal(cells(w, 0, 0, NULL), CALLS);
	traced_free(w);
}

/* All at once: what is behind one is another's. */
static void
test_together(void **state)
{
	struct test_world *w = traced_new();

	count(w);
	fn_probe(w, DIF_SITE_UENTRY, target_tiny, 1);
	fn_probe(w, DIF_SITE_URETURN, target_tiny, 1);
	fn_probe(w, DIF_SITE_UENTRY, target_tiny2, 1);
	fn_probe(w, DIF_SITE_URETURN, target_tiny2, 1);
	start(w);
	assert_true(puns(w) >= 2);
	assert_true(mappings(w->t->pid) > 2);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	stop(w);
	/* Frames of the sanitizer's code are not written whole: addresses of
	   ours may be left there, and then the mappings stay. */
#ifndef __SANITIZE_ADDRESS__
	assert_int_equal(mappings(w->t->pid), 0);
#endif
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	assert_int_equal(cells(w, 0, 0, NULL), 4 * CALLS);
	traced_free(w);
}

/* Somebody maps where the jump was to lead, after that was decided. */
static void
test_taken(void **state)
{
	struct test_world *w = traced_new();
	struct inject_span sp[8];
	struct inject in = { 0 };
	size_t n;

	count(w);
	fn_probe(w, DIF_SITE_UENTRY, target_tiny, 1);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	assert_non_null(try_load(w));
	n = land_spans(w->eng->plan.land, false, sp, 8);
	assert_in_range(n, 1, 8);
	assert_int_equal(inject_open(&in, w->t->pid, false, &w->e), 0);
	assert_int_equal(inject_stop(&in, true, &w->e), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(inject_mmap(&in, sp[i].lo, 4096, 0, 0x22, -1,
					     0, &w->e),
				 0);
	inject_resume(&in);
	inject_close(&in);
	/* The clause has a place still; the probe is no more. */
	if (process_engine_ops.attach(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	assert_int_equal(process_engine_ops.begin(w->eng, &w->e), 0);
	w->v = process_engine_ops.view(w->eng);
	assert_int_equal(puns(w), 0);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 0);
	traced_free(w);
}

static void
spoil(pid_t pid, const void *at, uint8_t by)
{
	char name[40];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &by, 1, (off_t)(uintptr_t)at), 1);
	close(fd);
}

/* Other text is where a window was to be whose jump has bytes that one before
   it needs: both go, and nothing else. */
static void
test_spoiled(void **state)
{
	const uint8_t *second = (const uint8_t *)(uintptr_t)target_tiny2;
	struct test_world *w = traced_new();
	size_t n;

	count(w);
	fn_probe(w, DIF_SITE_URETURN, target_tiny, 1);
	fn_probe(w, DIF_SITE_UENTRY, target_tiny2, 1);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	assert_non_null(try_load(w));
	n = w->eng->plan.windows.n;
	spoil(w->t->pid, second, 0x53); /* push %rbx */
	if (process_engine_ops.attach(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	assert_int_equal(process_engine_ops.begin(w->eng, &w->e), 0);
	w->v = process_engine_ops.view(w->eng);
	assert_int_equal(w->eng->plan.windows.n, n - 2);
	spoil(w->t->pid, second, second[0]);
	assert_int_equal(target_do(w->t, T_TINY, CALLS), SUM);
	target_do(w->t, T_WORK, 7);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 7);
	traced_free(w);
}

/* What is mapped at the lowest addresses is in no gap, wherever it ends. */
static void
test_lowest(void **state)
{
	const uint64_t lo = 1u << 16, end = 2 * lo;
	const struct engine eng = { .pid = getpid() };
	struct gaps gs = { 0 };
	struct err e = { 0 };
	void *p = mmap((void *)(uintptr_t)lo, end - lo, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);

	if (p == MAP_FAILED)
		skip(); /* vm.mmap_min_addr */
	assert_int_equal(gaps_read(&eng, &gs, &e), 0);
	assert_true(gs.g.n > 0);
	for (size_t i = 0; i < gs.g.n; i++)
		assert_true(gs.g.v[i].lo >= end);
	vec_fini(&gs.g);
	munmap(p, end - lo);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_insn),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_hop),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_spoiled),
		cmocka_unit_test(test_lowest),
	};

	target_again(argc, argv);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
