/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_inject_filter.c - processes with seccomp filters: what would kill them
 * is not called in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "engine/process/inject.h"
#include "engine/process/test/test_hold.h"

static void
body_strict(struct tgt_page *page, unsigned thread)
{
	if (page->rounds == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	page->user[0] = 1;
}

/* memfd_create(2) kills. */
static void
body_filter(struct tgt_page *page, unsigned thread)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { 4, f };

	if (page->rounds == 0 &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0))
		TGT_ERROR(page);
	page->user[0] = 1;
	tgt_body_sleep(page, thread);
}

static unsigned filter_kills; /* the thread whose filter does not spare */

/* Each thread installs a filter of its own, of four instructions. */
static void
body_filters(struct tgt_page *page, unsigned thread)
{
	static __thread bool have;
	const bool kills = thread == filter_kills;
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 kills ? SYS_memfd_create : SYS_kexec_load, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { 4, f };

	if (!have &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0))
		TGT_ERROR(page);
	if (!have)
		__atomic_add_fetch(&page->user[0], 1, __ATOMIC_RELAXED);
	have = true;
	tgt_body_sleep(page, thread);
}

/* One thread's filter that does not spare counts, wherever it comes among
   others, which are known after the first. */
static void
test_filters(void **state)
{
	enum { THREADS = 20 };
	static const unsigned kills[] = { THREADS, 0, 1, THREADS - 1 };

	if (geteuid() != 0)
		skip(); /* it cannot read filters */
	for (size_t i = 0; i < sizeof(kills) / sizeof(*kills); i++) {
		struct tgt t;
		struct hold h;

		filter_kills = kills[i];
		tgt_start(&t, body_filters, THREADS);
		while (t.page->user[0] < THREADS)
			tgt_sleep_us(500);
		hold_open(&h, t.pid, i % 2 != 0);
		hold_stop(&h, true);
		assert_int_equal(inject_filters_spare(&h.in),
				 kills[i] == THREADS);
		inject_resume(&h.in);
		hold_close(&h);
		assert_true(tgt_end(&t));
	}
}

/* Only the thread `filter_kills` has a filter. */
static void
body_one_filter(struct tgt_page *page, unsigned thread)
{
	if (thread == filter_kills)
		body_filters(page, thread);
	else
		tgt_body_sleep(page, thread);
}

/* A filter is seen, whichever thread has it; and where there is none. */
static void
test_under(void **state)
{
	static const struct {
		unsigned threads, has; /* has >= threads: none */
	} t[] = { { 1, 0 }, { 1, 1 }, { 3, 0 }, { 3, 1 }, { 3, 2 }, { 3, 3 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const bool one = t[i].has < t[i].threads;
		struct tgt g;

		filter_kills = t[i].has;
		tgt_start(&g, body_one_filter, t[i].threads);
		while (one && g.page->user[0] == 0)
			tgt_sleep_us(500);
		assert_int_equal(inject_under_seccomp(g.pid), one);
		assert_true(tgt_end(&g));
	}
}

static void
test_seccomp(void **state)
{
	struct tgt t;
	struct hold h;
	int ours, theirs;

	tgt_start(&t, body_strict, 1);
	while (t.page->user[0] == 0)
		tgt_sleep_us(500);
	hold_refused(t.pid, "strict seccomp");
	tgt_kill(&t);

	tgt_start(&t, body_filter, 1);
	while (t.page->user[0] == 0)
		tgt_sleep_us(500);
	if (geteuid() != 0) {
		hold_refused(t.pid, "seccomp filter");
	} else {
		hold_open(&h, t.pid, true);
		hold_stop(&h, false);
		ours = inject_memfd(&h.in, 4096, &theirs, &h.e);
		if (ours < 0)
			fail_msg("%s", h.e.msg);
		inject_resume(&h.in);
		close(ours);
		hold_close(&h);
		assert_true(tgt_runs(&t));
	}
	assert_true(tgt_end(&t));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seccomp),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_under),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
