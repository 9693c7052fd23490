/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_nomem.c - the nth allocation of the kernel engine fails,
 * n = 1, 2, 3 ..., from loading to stopping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "base/test/nomem.h"
#include "engine/bpf/test/bpf_world.h"

#define EACH 10 /* allocations that fail one by one */

/* From loading to BEGIN with the nth allocation failing; false if refused. */
static bool
traced(struct test_world *w, long n)
{
	const struct engine_ops *ops = &bpf_engine_ops;

	assert_non_null(try_load(w)); /* lays it out, too */
	ops->free(w->eng);
	nomem_arm(n);
	w->eng = ops->load(&w->en, &w->opts, &w->e);
	return w->eng != NULL && ops->attach(w->eng, &w->e) == 0 &&
	       ops->begin(w->eng, &w->e) == 0 &&
	       ops->stop(w->eng, &w->e) == 0 && ops->end(w->eng, &w->e) == 0;
}

static const char arg0_text[] = "ldgs arg0, %r1\nret %r1";

/* What needs memory: records, keys, a variable by thread, a stack; a probe of
   each kind that this kernel has. */
static struct test_world *
everything(void)
{
	static const struct dif_path arg0 = { 1, { { 8 * DIF_R_SYSARG0, 8 } } };
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_TPARG, 0, &arg0 } },
	};
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, NULL);

	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, one, NULL, NULL), 1);
	c = clause(w, my_pid());
	var(w, 0x500, DIF_SCOPE_THREAD, &i64, &i64);
	stmt(w, c, DIF_ACT_NONE,
	     ".var b 0x500 arr tls int 8\nsetx 5, %r1\n"
	     "pushtv DT_TYPE(0), %r0, %r1\nsttaa b, %r1\nret %r0",
	     NULL, NULL);
	agg(w, stmt(w, c, DIF_AGG_quantize,
		    "ldgs execname, %r1\nret %r1\n.ret string 16", arg0_text,
		    NULL), 1);
	probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 3, &user_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_getppid, 2, &sysret_args);
	probe(w, DIF_SITE_TP, 0, 2, &args)->tp = "sys_enter";
	probe(w, DIF_SITE_PROFILE, 20000000, 2, NULL);
	return w;
}

/* The nth allocation fails, n = 1, 2, 3 ...: the engine says that there is no
   memory, or does without and has the records that it should have. */
static void
test_nomem(void **state)
{
	const struct rt_rec *r;
	bool more = true;
	long n;

	for (n = 1; more; n = nomem_next(n, EACH)) {
		struct test_world *w = everything();
		bool ok = traced(w, n);

		more = nomem_disarm();
		if (!ok && (!more || w->e.tag != &ERR_NOMEM))
			fail_msg("allocation %ld: %s", n, w->e.msg);
		if (ok) {
			w->v = bpf_engine_ops.view(w->eng);
			assert_int_equal(records(w, 1, &r), 1);
		}
		world_free(w);
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 100);
}

int
main(void)
{
	int status = capable("bpf");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nomem),
	};

	if (status != 0)
		return capable_tap(status);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
