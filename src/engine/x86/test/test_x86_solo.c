/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_solo.c - handlers that only count: with all forms of addresses, by
 * threads that are known and that are not, and where nothing may be counted.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/x86/test/x86_clauses.h"
#include "engine/x86/test/x86_run.h"

#define COUNTER ((uint32_t)offsetof(struct rt, scratch_mem)) /* unused */

static const uint32_t fixed[] = { COUNTER, 0 };

/* Memory below 2 GB. */
static void *
low_memory(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

/* How the thread is known. */
enum fs { FS_WORD, FS_INSTRUCTION, FS_ASKED };

/* @ = count(); @[probefunc] = count(), as one handler. */
static struct trace *
solo_new(bool low, enum fs fs)
{
	struct trace *t = trace_new();
	struct dif_clause *cl = trace_clause(t);
	struct err e = { 0 };
	struct world *w;

	trace_agg(t, cl, DIF_AGG_count, 0, NULL, NULL);
	trace_key_name(t, trace_agg(t, cl, DIF_AGG_count, 0, NULL, NULL));
	trace_lower(t, X86_AT_ENTRY);
	w = t->w;
	if (low) {
		munmap(w->table, sizeof(*w->table));
		w->table = low_memory(sizeof(*w->table));
		w->table->alive = 1;
		w->sh->table = (uintptr_t)w->table;
	}
	w->t.fs_self = fs == FS_WORD;
	w->sh->has_fsgsbase &= fs != FS_ASKED;
	w->t.solo_fixed = fixed;
	w->sites[0].cells = COUNTER + 8;
	x86_solo_stub(&w->b, &w->t);
	assert_true(x86_solo(&t->en, 0, 1));
	assert_int_equal(x86_lower(&w->b, &w->t, &t->h.in, &t->h, &e), 0);
	assert_true(t->h.solo && t->h.inl);
	return t;
}

static uint64_t
count_of(const struct trace *t, unsigned slot, unsigned i)
{
	return ((const uint64_t *)(const void *)((const uint8_t *)
							 t->w->rt[slot] +
						 COUNTER))[i];
}

/* n calls keep all registers; both counters have grown by n. */
static void
fires(struct trace *t, world_fn *f, uint64_t n)
{
	uint64_t was = count_of(t, 0, 0);

	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(f(i, 1, 2, 3, 4, 5, 6), i);
	assert_int_equal(count_of(t, 0, 0), was + n);
	assert_int_equal(count_of(t, 0, 1), was + n);
	assert_int_equal(t->w->rt[0]->busy, 0);
}

static void
counts_everywhere(void **state)
{
	for (unsigned i = 0; i < 6; i++) {
		struct trace *t = solo_new((i & 1) != 0, (enum fs)(i / 2));

		fires(t, world_function(t->w, &t->h, 0, true), 1000);
		assert_int_equal(t->w->sh->nthreads_used, 1);
		trace_free(t);
	}
}

/*
 * A system call that is counted before and after: the other registers, and what
 * lies below the stack pointer, stay as they were, also when the thread becomes
 * known.
 */
static void
counts_calls(enum fs fs)
{
	/* mov [rsp-16], rsi; syscall; mov rdx, [rsp-16]; ret */
	static const uint8_t bytes[] = "\x48\x89\x74\x24\xf0\x0f\x05"
				       "\x48\x8b\x54\x24\xf0\xc3";
	const uint32_t len = sizeof(bytes) - 1;
	struct trace *t = solo_new(true, fs);
	struct x86_moved moved[X86_MOVED_MAX];
	struct rt_ctl *ctl = low_memory(sizeof(*ctl));
	struct run_regs r, q;
	struct err e = { 0 };
	uint64_t seed = 1;
	size_t nmoved;

	*ctl = t->w->sh->ctl;
	t->w->sh->ctl_low = (uint64_t)(uintptr_t)ctl;
	const struct x86_point p[] = {
		{ .at = 5, .h = &t->h, .kind = X86_AT_SYSENTRY },
		{ .at = 5, .after = true, .h = &t->h,
		  .kind = X86_AT_SYSRETURN },
	};
	uint64_t at = x86_tramp(&t->w->b, &t->w->t, bytes, 0x401000, len, p, 2,
				moved, &nmoved, &e);
	assert_int_not_equal(at, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		run_fill(&r, &seed);
		r.r[X86_RAX] = SYS_getppid;
		q = r;
		run_code((void *)(uintptr_t)at, &r);
		q.r[X86_RAX] = (uint64_t)getppid();
		q.r[X86_RDX] = q.r[X86_RSI];
		q.r[X86_RCX] = r.r[X86_RCX];
		q.r[X86_R11] = r.r[X86_R11];
		assert_memory_equal(q.r, r.r, sizeof(q.r));
		assert_int_equal(count_of(t, 0, 0), 2 * i);
		assert_int_equal(count_of(t, 0, 1), 2 * i);
	}
	ctl->activity = RT_ACT_INACTIVE;
	r.r[X86_RAX] = SYS_getppid;
	run_code((void *)(uintptr_t)at, &r);
	assert_int_equal(count_of(t, 0, 0), 6);
	munmap(ctl, sizeof(*ctl));
	trace_free(t);
}

static void
counts_system_calls(void **state)
{
	for (enum fs fs = FS_WORD; fs <= FS_ASKED; fs++)
		counts_calls(fs);
}

/* Under a filter nobody may be asked: the firing is lost, and counted. */
static void
asks_nobody_under_a_filter(void **state)
{
	struct trace *t = solo_new(false, FS_ASKED);
	world_fn *f = world_function(t->w, &t->h, 0, true);

	t->w->sh->seccomp = 1;
	assert_int_equal(f(7, 1, 2, 3, 4, 5, 6), 7);
	assert_int_equal(t->w->sh->no_slot, 1);
	assert_int_equal(t->w->sh->nthreads_used, 0);
	trace_free(t);
}

/* Its first home is another's, now and for ever. */
static void
looks_at_further_homes(void **state)
{
	struct trace *t = solo_new(true, FS_WORD);
	world_fn *f = world_function(t->w, &t->h, 0, true);
	uint64_t fs;

	__asm__("movq %%fs:0, %0" : "=r"(fs));
	for (uint32_t i = 0; i < 3; i++)
		t->w->table->home[(rtn_home_index(fs) + i) % RTN_NHOMES].key =
			12345;
	fires(t, f, 100);
	assert_int_equal(t->w->sh->nthreads_used, 1);
	trace_free(t);
}

static void
counts_only_when_active(void **state)
{
	struct trace *t = solo_new(false, FS_WORD);
	world_fn *f = world_function(t->w, &t->h, 0, true);

	t->w->sh->ctl.activity = RT_ACT_INACTIVE;
	assert_int_equal(f(1, 1, 2, 3, 4, 5, 6), 1);
	assert_int_equal(t->w->sh->nthreads_used, 0);
	t->w->sh->ctl.activity = RT_ACT_ACTIVE;
	fires(t, f, 5);
	t->w->sh->ctl.activity = RT_ACT_DRAINING;
	assert_int_equal(f(1, 1, 2, 3, 4, 5, 6), 1);
	assert_int_equal(count_of(t, 0, 0), 5);
	/* as in a forked child */
	t->w->sh->ctl.activity = RT_ACT_ACTIVE;
	memset(t->w->table, 0, sizeof(*t->w->table));
	assert_int_equal(f(2, 1, 2, 3, 4, 5, 6), 2);
	assert_int_equal(count_of(t, 0, 0), 5);
	trace_free(t);
}

/* More than a count: not of this kind. */
static void
leaves_others(void **state)
{
	struct trace *t = trace_new();
	struct dif_clause *cl = trace_clause(t);

	trace_agg(t, cl, DIF_AGG_count, 0, NULL, NULL);
	trace_agg(t, cl, DIF_AGG_sum, 0, NULL, "setx 1, %r1\nret %r1");
	trace_lower(t, X86_AT_ENTRY);
	assert_false(x86_solo(&t->en, 0, 1));
	cl->nstmts = 1;
	assert_true(x86_solo(&t->en, 0, 1));
	cl->pred = trace_obj(t, "setx 1, %r1\nret %r1");
	assert_false(x86_solo(&t->en, 0, 1));
	trace_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_everywhere),
		cmocka_unit_test(counts_system_calls),
		cmocka_unit_test(asks_nobody_under_a_filter),
		cmocka_unit_test(looks_at_further_homes),
		cmocka_unit_test(counts_only_when_active),
		cmocka_unit_test(leaves_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
