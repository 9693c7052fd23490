/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_engine.c - the kernel engine on enablings made by hand: programs
 * are loaded, probes fire in this process, and the shared memory must hold
 * what they left.  What single DIF instructions compute is compared with the
 * interpreter elsewhere (test/diff).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <time.h>
#include <sys/syscall.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "engine/bpf/bpf_sys.h"
#include "engine/bpf/test/bpf_world.h"

static unsigned waits; /* for programs that run */

int __real_sys_grace(void);
int __wrap_sys_grace(void);

int
__wrap_sys_grace(void)
{
	waits++;
	return __real_sys_grace();
}

static void
test_begin_end(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct pollfd p = { .events = POLLIN };

	stmt(w, c, DIF_ACT_TRACE, "setx 0x1122334455667788, %r1\nret %r1",
	     "setx -2, %r1\nret %r1\n.ret int 2", NULL);
	stmt(w, c, DIF_ACT_EXIT, "setx 7, %r1\nret %r1\n.ret int 4", NULL,
	     NULL);
	c = clause(w, NULL); /* behind exit(): does not run in BEGIN */
	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 3, NULL);
	probe(w, DIF_SITE_END, 0, 3, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 2, NULL);
	start(w);
	p.fd = bpf_engine_ops.wait_fd(w->eng);
	assert_int_equal(poll(&p, 1, 1000), 1);
	bpf_engine_ops.wait_clear(w->eng);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(w->v->ctl->exit_status, 7);
	assert_int_equal(w->v->ctl->exited, 1);
	assert_int_equal(w->v->ctl->activity, RT_ACT_DRAINING);
	getppids(5);
	assert_int_equal(records(w, 1, &r), 1);
	assert_true(((const uint64_t *)(r + 1))[0] == 0x1122334455667788);
	assert_int_equal(((const int16_t *)(r + 1))[4], -2);
	assert_true(r->time > 0);
	stop(w);
	assert_int_equal(records(w, 2, &r), 0);
	assert_int_equal(records(w, 4, &r), 1);
	assert_int_equal(records(w, 5, &r), 0);
	world_free(w);
}

/* The hash in line and the one of rt_agg_cell() must be one. */
static void
test_keys(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	unsigned n;
	struct dif_stmt *s =
		stmt(w, c, DIF_AGG_sum, "ldgs pid, %r1\nret %r1\n.ret int 4",
		     "ldgs execname, %r1\nret %r1\n.ret string 16",
		     "setx 5, %r1\nret %r1");

	agg(w, s, 2);
	s = stmt(w, c, DIF_AGG_min, "ldgs pid, %r1\nret %r1\n.ret int 4",
		 "setx -9, %r1\nret %r1", NULL);
	agg(w, s, 1);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	start(w);
	getppids(3);
	w->v->ctl->agg_half = 1;
	bpf_engine_ops.grace(w->eng);
	getppids(4);
	stop(w);
	n = 0;
	for (unsigned i = 0; i < w->v->nslots; i++) {
		n += ((struct rt_agg_half *)w->v->agg[i])->nentries;
		assert_true(i + 1 < w->v->nslots || (n >= 2 && n % 2 == 0));
	}
	assert_int_equal(cells(w, 0, 0, NULL), 15);
	assert_int_equal(w->seen[0].key, getpid());
	assert_int_equal(cells(w, 0, 1, NULL), 20);
	cells(w, 1, 0, &n);
	assert_int_equal(n, 0); /* taken by the walk before */
	world_free(w);
}

/* Of count(): what only counts adds to the same as what looks at something
   first, and nothing is counted twice, whichever half is looked at. */
static void
test_counts(void **state)
{
	const int rare = SYS_sched_get_priority_min; /* nobody else calls it */
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_stmt *s;

	agg(w, stmt(w, clause(w, NULL), DIF_AGG_count, NULL, NULL, NULL), 0);
	s = stmt(w, clause(w, my_pid()), DIF_AGG_count, NULL, NULL, NULL);
	s->agg = 0;
	s = stmt(w, clause(w, "ret %r0"), DIF_AGG_count, NULL, NULL, NULL);
	s->agg = 0;
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 0x6, NULL);
	probe(w, DIF_SITE_SYSRETURN, (uint64_t)rare, 0x1, NULL);
	start(w);
	getppids(3);
	for (int i = 0; i < 4; i++)
		syscall(rare, 0);
	assert_int_equal(cells(w, 0, 1, NULL), 7);
	assert_int_equal(cells(w, 0, 0, NULL), 0);
	getppids(5);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 5);
	assert_int_equal(cells(w, 0, 1, NULL), 0);
	world_free(w);
}

static void
test_faults(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	const struct rt_error_rec *er;
	struct dif_clause *c = clause(w, NULL);

	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	stmt(w, c, DIF_ACT_TRACE, "setx 64, %r1\nlduw [%r1], %r2\nret %r2",
	     NULL, NULL);
	c = clause(w, NULL); /* ERROR */
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg1, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1", "ldgs arg5, %r1\nret %r1");
	c = clause(w, NULL); /* ERROR, faulty itself */
	stmt(w, c, DIF_ACT_TRACE, "udiv %r0, %r0, %r1\nret %r1", NULL, NULL);
	c = clause(w, NULL); /* BEGIN again */
	stmt(w, c, DIF_ACT_TRACE, "ldgs id, %r1\nret %r1\n.ret int 4", NULL,
	     NULL);
	probe(w, DIF_SITE_BEGIN, 0, 9, NULL);
	probe(w, DIF_SITE_ERROR, 0, 6, NULL);
	start(w);
	assert_int_equal(records(w, RT_EPID_ERROR, &r), 1);
	er = (const void *)r;
	assert_int_equal(er->epid, 1);
	assert_int_equal(er->action, 2);
	assert_int_equal(er->difoff, 1);
	assert_int_equal(er->fault, DIF_FAULT_BADADDR);
	assert_int_equal(er->val, 64);
	assert_int_equal(records(w, 3, &r), 1);
	assert_int_equal(((const uint64_t *)(r + 1))[0], 1);
	assert_int_equal(((const uint64_t *)(r + 1))[1], DIF_FAULT_BADADDR);
	assert_int_equal(((const uint64_t *)(r + 1))[2], 64);
	assert_int_equal(records(w, 2, &r), 1); /* the clause behind runs */
	assert_int_equal(((const uint32_t *)(r + 1))[0], 100);
	assert_int_equal(dropped(w, RT_DROP_DBLERROR), 1);
	stop(w);
	world_free(w);
}

/* What is written and what is dropped is all that fired; records wrap. */
static void
test_drops(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	struct pollfd p = { .events = POLLIN };
	uint64_t n = 0;

	stmt(w, c, DIF_ACT_TRACE, one, one, one);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	w->opts.bufsize = 4096;
	start(w);
	p.fd = bpf_engine_ops.wait_fd(w->eng);
	getppids(30); /* 40 bytes each: under half */
	assert_int_equal(poll(&p, 1, 0), 0);
	getppids(1000);
	assert_int_equal(poll(&p, 1, 1000), 1);
	n = records(w, 1, NULL);
	records_done(w);
	assert_true(n >= 100 && n <= 102 * w->v->nslots);
	assert_int_equal(n + dropped(w, RT_DROP_PRINCIPAL), 1030);
	for (int i = 0; i < 300; i++) {
		getppids(7);
		n += records(w, 1, NULL);
		records_done(w);
	}
	assert_int_equal(n + dropped(w, RT_DROP_PRINCIPAL), 1030 + 2100);
	assert_int_equal(w->v->bufsize, 4096);
	stop(w);
	world_free(w);
}

/* Two probes at one system call, many clauses, not all by both. */
static void
test_chain(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;

	for (int i = 0; i < 8; i++)
		stmt(w, clause(w, my_pid()), DIF_ACT_TRACE,
		     "ldgs epid, %r1\nret %r1\n.ret int 4",
		     "ldgs id, %r1\nret %r1\n.ret int 4", NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 0x55, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 0xf0, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getuid, 0x02, NULL);
	start(w);
	getppids(1);
	syscall(SYS_getuid);
	stop(w);
	for (uint32_t epid = 1; epid <= 9; epid++) {
		assert_int_equal(records(w, epid, &r), 1);
		const uint32_t *f = (const uint32_t *)(r + 1);
		assert_int_equal(f[0], epid);
		assert_int_equal(f[1], epid <= 4 ? 100 : epid <= 8 ? 101 : 102);
	}
	world_free(w);
}

static void
test_variables(void **state)
{
	static const struct dif_type str = { .kind = DIF_TYPE_STRING,
					     .flags = DIF_TF_BYREF };
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);

	var(w, 0x500, DIF_SCOPE_THREAD, &i64, NULL);
	var(w, 0x501, DIF_SCOPE_THREAD, &str, NULL);
	var(w, 0x500, DIF_SCOPE_GLOBAL, &i64, &str);
	var(w, 0x502, DIF_SCOPE_THREAD, &i64, &i64);
	stmt(w, c, DIF_ACT_NONE,
	     ".var x 0x500 scl tls int 8\n"
	     ".var s 0x501 scl tls string 0\n"
	     "setx 11, %r1\nstts x, %r1\n"
	     "sets \"hello\", %r2\nstts s, %r2\n"
	     "ret %r0",
	     NULL, NULL);
	stmt(w, c, DIF_ACT_NONE,
	     ".var a 0x500 arr glb int 8\nsets \"key\", %r1\n"
	     "pushtr DT_TYPE(1), %r0, %r1\nsetx 12, %r2\nstgaa a, %r2\nret %r0",
	     NULL, NULL);
	stmt(w, c, DIF_ACT_NONE,
	     ".var b 0x502 arr tls int 8\nsetx 5, %r1\npushtv DT_TYPE(0), %r0, "
	     "%r1\n"
	     "setx 13, %r2\nsttaa b, %r2\nflushts\nsetx 6, %r1\n"
	     "pushtv DT_TYPE(0), %r0, %r1\nsttaa b, %r2\nsttaa b, %r0\nret %r0",
	     NULL, NULL);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE,
	     ".var x 0x500 scl tls int 8\nldts x, %r1\nret %r1",
	     ".var a 0x500 arr glb int 8\nsets \"key\", %r1\n"
	     "pushtr DT_TYPE(1), %r0, %r1\nldgaa a, %r2\nret %r2",
	     ".var b 0x502 arr tls int 8\nsetx 5, %r1\npushtv DT_TYPE(0), %r0, "
	     "%r1\n"
	     "ldtaa b, %r2\nflushts\nsetx 6, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
	     "ldtaa b, %r3\nsll %r3, %r1, %r3\nor %r2, %r3, %r2\nret %r2");
	stmt(w, c, DIF_ACT_TRACE,
	     ".var s 0x501 scl tls string 0\nldts s, %r1\nret %r1\n"
	     ".ret string 0",
	     NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 3, NULL);
	start(w);
	assert_int_equal(records(w, 2, &r), 1);
	const uint64_t *f = (const uint64_t *)(r + 1);
	assert_int_equal(f[0], 11);
	assert_int_equal(f[1], 12);
	assert_int_equal(f[2], 13);
	assert_string_equal((const char *)(f + 3), "hello");
	stop(w);
	world_free(w);
}

static void
test_timers(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, NULL);
	struct timespec t = { .tv_nsec = 200000000 };

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	probe(w, DIF_SITE_PROFILE, 2000000, 1, NULL);
	probe(w, DIF_SITE_TICK, 20000000, 2, NULL);
	start(w);
	nanosleep(&t, NULL);
	stop(w);
	assert_true(cells(w, 0, 0, NULL) > 20);
	world_free(w);
}

/* Time on the CPU goes on, and not while the thread sleeps. */
static void
test_vtime(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const char *cpu = "ldgs vtimestamp, %r1\nret %r1";
	const char *clock = "ldgs timestamp, %r1\nret %r1";
	const struct rt_rec *r = NULL;
	const uint64_t *from, *to;

	for (int i = 0; i < 2; i++)
		stmt(w, clause(w, my_pid()), DIF_ACT_TRACE, cpu, clock, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_dup3, 2, NULL);
	start(w);
	getppids(1);
	usleep(20000);
	assert_int_equal(syscall(SYS_dup3, 54321, 7, 0), -1);
	stop(w);
	assert_int_equal(records(w, 1, &r), 1);
	from = (const uint64_t *)(r + 1);
	assert_int_equal(records(w, 2, &r), 1);
	to = (const uint64_t *)(r + 1);
	assert_true(to[0] > from[0]);
	assert_true(to[0] - from[0] + 19000000 < to[1] - from[1]);
	world_free(w);
}

static uint64_t
wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time of day, which the kernel's programs make of another clock. */
static void
test_walltime(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const uint64_t near = 1000000000;
	const struct rt_rec *r = NULL;
	uint64_t before = wall();

	stmt(w, clause(w, NULL), DIF_ACT_TRACE,
	     "ldgs walltimestamp, %r1\nret %r1", NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
	start(w);
	stop(w);
	assert_int_equal(records(w, 1, &r), 1);
	assert_in_range(*(const uint64_t *)(r + 1), before - near,
			wall() + near);
	world_free(w);
}

/* The least and the greatest value, kept in a cell that has no key. */
static void
test_extremes(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	const char *arg0 = "ldgs arg0, %r1\nret %r1";
	static const int fds[] = { 54321, 54320, 54322, 54321 };

	agg(w, stmt(w, c, DIF_AGG_min, arg0, NULL, NULL), 0);
	agg(w, stmt(w, c, DIF_AGG_max, arg0, NULL, NULL), 0);
	probe(w, DIF_SITE_SYSENTRY, SYS_dup3, 1, &user_args);
	start(w);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		assert_int_equal(syscall(SYS_dup3, fds[i], 7, 0), -1);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 54320);
	assert_int_equal(w->seen[1].sum, 54322);
	world_free(w);
}

static void
test_refused(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, NULL);

	/* Two ways to the same place with different tuple stacks. */
	stmt(w, c, DIF_ACT_TRACE,
	     "tst %r0\nbe over\npushtv DT_TYPE(0), %r0, %r0\nover:\n"
	     "call rand, %r1\nret %r1",
	     NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
	assert_null(try_load(w));
	assert_non_null(strstr(w->e.msg, "tuple stack"));
	assert_int_equal(w->e.loc.line, 1);
	world_free(w);
}

/* Programs that were attached may still run when they no longer are. */
static void
test_waits(void **state)
{
	for (unsigned attached = 0; attached < 2; attached++) {
		struct test_world *w = world_new(&bpf_engine_ops);

		stmt(w, clause(w, NULL), DIF_ACT_TRACE, one, NULL, NULL);
		probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
		if (attached)
			probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
		start(w);
		waits = 0;
		bpf_engine_ops.grace(w->eng);
		stop(w);
		assert_int_equal(waits, attached ? 2 : 0);
		world_free(w);
	}
}

int
main(void)
{
	int status = capable("bpf");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin_end),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_vtime),
		cmocka_unit_test(test_walltime),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_waits),
	};

	if (status != 0)
		return capable_tap(status);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
