/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_engine.c - whole traces of small targets, without privilege:
 * enablings made by hand are loaded, probes fire in a child of the test, and
 * the shared memory must hold what they left.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "engine/process/inject_impl.h"
#include "engine/process/process_impl.h"
#include "engine/process/test/process_world.h"

static const char arg0[] = "ldgs arg0, %r1\nret %r1";
static const char arg1[] = "ldgs arg1, %r1\nret %r1";

static uint64_t
mono(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t
word(const struct rt_rec *r, unsigned i)
{
	return ((const uint64_t *)(const void *)(r + 1))[i];
}

/* What n calls of target_work() sum to, untraced. */
static uint64_t
work_sum(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += target_work(i, i + 1);
	return sum;
}

/* ---- counting ------------------------------------------------------------ */

static void
test_count(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	uint64_t before;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	fn_probe(w, DIF_SITE_URETURN, target_work, 1);
	before = target_do(w->t, T_CHECK, 0);
	assert_int_equal(target_do(w->t, T_WORK, 1000), work_sum(1000));
	start(w);
	assert_int_not_equal(target_do(w->t, T_CHECK, 0), before);
	assert_int_equal(target_do(w->t, T_WORK, 1000), work_sum(1000));
	stop(w);
	assert_int_equal(target_do(w->t, T_WORK, 1000), work_sum(1000));
	assert_int_equal(cells(w, 0, 0, NULL), 2000);
	assert_int_equal(target_do(w->t, T_CHECK, 0), before);
	traced_free(w);
}

/* Keys that are names: cells at fixed places, one for each probe. */
static void
test_names(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	unsigned n;

	agg_byfunc(w, stmt(w, c, DIF_AGG_count, arg0, NULL, NULL));
	agg_byfunc(w, stmt(w, c, DIF_AGG_sum, arg0, arg0, NULL));
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	fn_probe(w, DIF_SITE_UENTRY, target_leaf, 1);
	start(w);
	target_do(w->t, T_LEAF, 100);
	target_do(w->t, T_WORK, 7);
	w->v->ctl->agg_half = 1;
	process_engine_ops.grace(w->eng);
	target_do(w->t, T_LEAF, 10);
	stop(w);
	assert_int_equal(cells(w, 0, 0, &n), 100 + 7 + 18);
	assert_int_equal(n, 2);
	assert_int_equal(cells(w, 0, 1, &n), 10);
	assert_int_equal(n, 1);
	traced_free(w);
}

/* What only counts does so in counters that are never set back: each look finds
   what has come since, whatever half it is at, whoever had the slot before. */
static void
test_solo(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	unsigned n;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	fn_probe(w, DIF_SITE_URETURN, target_work, 1);
	start(w);
	target_do(w->t, T_THREADS, 8);
	assert_int_equal(cells(w, 0, 0, NULL), 2 * 8 * 1000);
	assert_int_equal(cells(w, 0, 1, &n), 0);
	assert_int_equal(n, 0);
	w->v->ctl->agg_half = 1;
	process_engine_ops.grace(w->eng);
	target_do(w->t, T_SERIAL, 40);
	target_do(w->t, T_WORK, 7);
	stop(w);
	assert_int_equal(cells(w, 0, 0, &n), 2 * (40 + 7));
	assert_in_range(n, 1, 8 + 2);
	assert_int_equal(cells(w, 0, 1, NULL), 0);
	for (unsigned s = 0; s < w->v->nslots; s++)
		assert_int_equal(w->v->rt[s]->busy, 0);
	traced_free(w);
}

/* One counter for each probe, and for each statement. */
static void
test_solo_names(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	unsigned n;

	agg_byfunc(w, stmt(w, c, DIF_AGG_count, arg0, NULL, NULL));
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	agg_byfunc(w, stmt(w, c, DIF_AGG_count, arg0, NULL, NULL));
	fn_probe(w, DIF_SITE_UENTRY, target_work, 3);
	fn_probe(w, DIF_SITE_URETURN, target_work, 1);
	start(w);
	target_do(w->t, T_THREADS, 4);
	assert_int_equal(cells(w, 0, 0, &n), 2 * 4 * 1000);
	assert_in_range(n, 2, 2 * 4);
	target_do(w->t, T_WORK, 5);
	assert_int_equal(cells(w, 1, 0, &n), 5);
	assert_int_equal(n, 1);
	target_do(w->t, T_WORK, 6);
	stop(w);
	assert_int_equal(cells(w, 2, 0, &n), 6);
	assert_int_equal(n, 1);
	traced_free(w);
}

/* ---- records ------------------------------------------------------------- */

static void
test_records(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	const struct rt_rec *r = NULL;
	uint64_t t0 = mono();

	stmt(w, c, DIF_ACT_TRACE, arg0, arg1, "ldgs timestamp, %r1\nret %r1");
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	fn_probe(w, DIF_SITE_URETURN, target_work, 1);
	start(w);
	target_do(w->t, T_WORK, 10);
	stop(w);
	assert_int_equal(records(w, 1, &r), 10);
	assert_int_equal(word(r, 0), 9);
	assert_int_equal(word(r, 1), 10);
	assert_true(r->time >= t0 && r->time <= mono());
	assert_true(word(r, 2) >= t0 && word(r, 2) <= mono());
	assert_int_equal(records(w, 2, &r), 10);
	assert_int_equal(word(r, 1), target_work(9, 10));
	assert_true(r->time >= t0 && r->time <= mono());
	traced_free(w);
}

/* Text of so many additions, which come to so much. */
static char *
additions(unsigned n)
{
	static const char add[] = "add %r1, %r2, %r1\n";
	char *text = malloc(n * (sizeof(add) - 1) + 100), *p = text;

	assert_non_null(text);
	p += sprintf(p, "setx 1, %%r2\nmov %%r0, %%r1\n");
	for (unsigned i = 0; i < n; i++, p += sizeof(add) - 1)
		memcpy(p, add, sizeof(add) - 1);
	strcpy(p, "ret %r1");
	return text;
}

#define LARGE 40000 /* of additions, of three bytes each or more */

/* A clause of more code than there is room for at first (1 MB). */
static void
test_large(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	char *text = additions(LARGE);
	const struct rt_rec *r;

	for (int i = 0; i < 10; i++)
		stmt(w, c, DIF_ACT_TRACE, text, NULL, NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	assert_in_range(w->eng->class_size[0], (1u << 20) + 1, 1u << 24);
	target_do(w->t, T_WORK, 3);
	stop(w);
	assert_int_equal(records(w, 1, &r), 3);
	for (int i = 0; i < 10; i++)
		assert_int_equal(((const uint64_t *)(r + 1))[i], LARGE);
	traced_free(w);
	free(text);
}

static void
test_begin_end(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	stmt(w, c, DIF_ACT_TRACE, "setx 5, %r1\nret %r1", NULL, NULL);
	probe(w, DIF_SITE_BEGIN, 0, 1, NULL);
	probe(w, DIF_SITE_END, 0, 1, NULL);
	probe(w, DIF_SITE_TICK, 20000000, 1, NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	target_do(w->t, T_WORK, 3);
	usleep(200000);
	stop(w);
	assert_int_equal(records(w, 1, NULL), 1);
	assert_int_equal(records(w, 2, NULL), 1);
	assert_true(records(w, 3, NULL) >= 2); /* the machine's affair */
	assert_int_equal(records(w, 4, NULL), 3);
	traced_free(w);
}

/* exit() in the target is noticed soon. */
static void
test_exit(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c =
		clause(w, "ldgs arg0, %r1\nsetx 5, %r2\ncmp %r1, %r2\nbe yes\n"
			  "mov %r0, %r1\nret %r1\nyes:\nsetx 1, %r1\nret %r1");
	struct pollfd p = { .events = POLLIN };

	stmt(w, c, DIF_ACT_EXIT, "setx 7, %r1\nret %r1\n.ret int 4", NULL,
	     NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	target_do(w->t, T_WORK, 1000);
	p.fd = process_engine_ops.wait_fd(w->eng);
	assert_int_equal(poll(&p, 1, 300000), 1);
	process_engine_ops.wait_clear(w->eng);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(w->v->ctl->exit_status, 7);
	stop(w);
	assert_int_equal(records(w, 1, NULL), 1);
	traced_free(w);
}

/* ---- threads ------------------------------------------------------------- */

static void
test_threads(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	const char *begin =
		".var v 0x500 scl tls int 8\n"
		"ldgs arg0, %r1\nsetx 1, %r2\nadd %r1, %r2, %r1\n"
		"stts v, %r1\nret %r1";
	const char *end = ".var v 0x500 scl tls int 8\n"
			  "ldts v, %r1\nret %r1";

	var(w, 0x500, DIF_SCOPE_THREAD, &i64, NULL);
	stmt(w, c, DIF_ACT_NONE, begin, NULL, NULL);
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_sum, end, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	fn_probe(w, DIF_SITE_URETURN, target_work, 2);
	start(w);
	target_do(w->t, T_THREADS, 8);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 8 * 1000 * 1001 / 2);
	/* The consumer's two, the main thread's (it makes threads), and as many
	   as ran at once: where CPUs are busy that is all of them. */
	assert_in_range(w->v->nslots, (2 + 1 + 1) * RT_LEVELS,
			(2 + 1 + 8) * RT_LEVELS);
	assert_int_equal(dropped(w, RT_DROP_NESTED), 0);
	traced_free(w);
}

/* A thread that comes after another has its own variables. */
static void
test_serial(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	unsigned n;
	const char *add =
		".var v 0x500 scl tls int 8\n"
		"ldts v, %r1\nsetx 1, %r2\nadd %r1, %r2, %r1\n"
		"stts v, %r1\nret %r1";

	var(w, 0x500, DIF_SCOPE_THREAD, &i64, NULL);
	agg(w, stmt(w, c, DIF_AGG_sum, add, NULL, NULL), 0);
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, "ldgs tid, %r1\nret %r1", NULL, NULL),
	    1);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 3);
	start(w);
	target_do(w->t, T_SERIAL, 40);
	stop(w);
	/* Each adds 1 to what is 0 for it, and has a number of its own. */
	assert_int_equal(cells(w, 1, 0, &n), 40);
	assert_int_equal(n, 40);
	assert_int_equal(w->seen[0].sum, 40);
	traced_free(w);
}

/* ---- system calls -------------------------------------------------------- */

static void
test_syscall(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	const struct rt_rec *r = NULL;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE, arg0, NULL, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, &entry_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_getppid, 2, &sysret_args);
	start(w);
	assert_int_equal(target_do(w->t, T_GETPPID, 100),
			 100ull * (uint64_t)getpid());
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 100);
	assert_int_equal(records(w, 2, &r), 100);
	assert_int_equal(word(r, 0), getpid());
	traced_free(w);
}

/* ---- what becomes of the target ------------------------------------------ */

static void
test_fork(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	/* Room for all patches, and not for one more. */
	assert_int_equal(w->eng->journal->cap, w->eng->journal->n);
	target_do(w->t, T_WORK, 5);
	assert_int_equal(target_do(w->t, T_FORK, 5), 5);
	assert_int_equal(process_engine_ops.poll(w->eng, &w->e), 0);
	target_do(w->t, T_WORK, 5);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 10);
	traced_free(w);
}

static void
test_exec(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	target_do(w->t, T_WORK, 5);
	target_tell(w->t, T_EXEC, 0);
	usleep(50000);
	assert_int_equal(process_engine_ops.poll(w->eng, &w->e), 0);
	stop(w);
	assert_int_equal(kill(w->t->pid, 0), 0);
	assert_int_equal(waitpid(w->t->pid, NULL, WNOHANG), 0);
	assert_int_equal(cells(w, 0, 0, NULL), 5);
	traced_free(w);
}

/* What vfork's children do is not their parent's doing; and that keeps its
   variables when they end. */
static void
test_vfork(void **state)
{
	static const char more[] =
		".var v 0x500 scl tls int 8\n"
		"ldts v, %r1\nsetx 1, %r2\nadd %r1, %r2, %r1\n"
		"stts v, %r1\nret %r1";
	struct test_world *w = traced_new();
	struct dif_clause *c;
	const struct rt_rec *r = NULL;

	var(w, 0x500, DIF_SCOPE_THREAD, &i64, NULL);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE, more, NULL, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, &entry_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_vfork, 1, &sysret_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_exit_group, 1, &sysret_args);
	start(w);
	target_do(w->t, T_GETPPID, 3);
	assert_int_equal(target_do(w->t, T_VFORK, 10), 10);
	assert_int_equal(process_engine_ops.poll(w->eng, &w->e), 0);
	target_do(w->t, T_GETPPID, 2);
	stop(w);
	assert_int_equal(records(w, 1, &r), 5);
	assert_int_equal(records(w, 2, NULL), 10); /* to the parent */
	assert_int_equal(word(r, 0), 15);
	assert_int_equal(records(w, 3, NULL), 0); /* the child's last call */
	traced_free(w);
}

/* Poll until the target is traced in its n-th program. */
static void
until_followed(struct test_world *w, unsigned n)
{
	struct buf out = BUF_INIT;
	char want[32];

	snprintf(want, sizeof(want), "executed: %u;", n);
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(process_engine_ops.poll(w->eng, &w->e), 0);
		buf_reset(&out);
		process_engine_ops.report(w->eng, &out);
		if (strstr(buf_str(&out), want) != NULL)
			break;
		assert_null(strstr(buf_str(&out), "cannot be traced"));
		usleep(1000);
	}
	assert_non_null(strstr(buf_str(&out), want));
	buf_fini(&out);
}

/* System calls go on to be traced, what is known stays; functions are gone. */
static void
test_follow(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	const struct rt_rec *r = NULL;
	struct buf out = BUF_INIT;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, NULL);
	stmt(w, c, DIF_ACT_TRACE, arg0, NULL, NULL);
	c = clause(w, NULL);
	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, &entry_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_getppid, 2, &sysret_args);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 4);
	start(w);
	target_do(w->t, T_GETPPID, 10);
	target_do(w->t, T_WORK, 5);
	for (unsigned i = 1; i <= 3; i++) {
		target_tell(w->t, T_AGAIN, 0);
		until_followed(w, i);
		target_do(w->t, T_GETPPID, 10);
		target_do(w->t, T_WORK, 5);
		target_do(w->t, T_THREADS, 4);
	}
	stop(w);
	assert_int_equal(target_do(w->t, T_GETPPID, 1), getpid());
	assert_int_equal(records(w, 2, &r), 40);
	assert_int_equal(word(r, 0), getpid());
	assert_int_equal(cells(w, 1, 0, NULL), 5);
	assert_int_equal(w->seen[0].sum, 40);
	process_engine_ops.report(w->eng, &out);
	assert_non_null(strstr(buf_str(&out), ": 2 probes at "));
	assert_non_null(strstr(buf_str(&out),
			       ": left out: prov::func:name: the process runs "
			       "another program\n"));
	assert_null(strstr(buf_str(&out), "(null)")); /* no profile */
	buf_fini(&out);
	traced_free(w);
}

/* Wait until the target has fired. */
static void
until_fired(struct test_world *w)
{
	for (int i = 0; i < 5000; i++) {
		w->v = process_engine_ops.view(w->eng);
		if (w->v->nslots > 2 * RT_LEVELS)
			break;
		usleep(1000);
	}
	usleep(5000);
}

static void
test_death(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	target_do(w->t, T_WORK, 5);
	target_tell(w->t, T_SPIN, 0);
	usleep(20000);
	kill(w->t->pid, SIGKILL);
	usleep(20000);
	process_engine_ops.grace(w->eng);
	assert_int_equal(process_engine_ops.poll(w->eng, &w->e), 0);
	stop(w);
	assert_in_range(cells(w, 0, 0, NULL), 5, UINT64_MAX);
	traced_free(w);
}

static void
guard_kill(struct test_world *w)
{
	kill(guard_pid(w->eng->guard), SIGKILL);
	while (guard_lives(w->eng->guard))
		usleep(1000);
}

/* Then we put back its text ourselves. */
static void
test_guardian_killed(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	uint64_t was = target_do(w->t, T_CHECK, 0);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	assert_int_not_equal(target_do(w->t, T_CHECK, 0), was);
	guard_kill(w);
	target_do(w->t, T_WORK, 5);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 5);
	assert_int_equal(target_do(w->t, T_CHECK, 0), was);
	traced_free(w);
}

/* A debugger, which holds the process until the pipe is closed. */
static pid_t
hold(pid_t pid, int *let_go)
{
	int to[2], from[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	child = fork();
	if (child == 0) {
		close(to[1]);
		if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0 ||
		    ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0 ||
		    waitpid(pid, NULL, __WALL) != pid ||
		    write(from[1], "", 1) != 1)
			_exit(1);
		_exit(read(to[0], &byte, 1) != 0);
	}
	close(to[0]);
	close(from[1]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	close(from[0]);
	*let_go = to[1];
	return child;
}

/* Nor can it be stopped then, and nobody asks stop() for it, as where attaching
   has failed: a guardian that follows the killed one does it. */
static void
test_held(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);
	uint64_t was = target_do(w->t, T_CHECK, 0);
	int let_go, status;
	pid_t child;

	if (geteuid() != 0 && inject_yama() != 0) {
		printf("# skip: yama lets only parents trace\n");
		traced_free(w);
		skip();
	}
	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	child = hold(w->t->pid, &let_go);
	guard_kill(w);
	process_engine_ops.free(w->eng);
	w->eng = NULL;
	close(let_go);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 6000 && target_do(w->t, T_CHECK, 0) != was; i++)
		usleep(10000);
	assert_int_equal(target_do(w->t, T_CHECK, 0), was);
	traced_free(w);
}

/* Stopped and let go while it runs at full speed. */
static void
test_spin(void **state)
{
	for (int i = 0; i < 20; i++) {
		struct test_world *w = traced_new();
		struct dif_clause *c = clause(w, NULL);

		agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
		fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
		fn_probe(w, DIF_SITE_URETURN, target_work, 1);
		fn_probe(w, DIF_SITE_UENTRY, target_leaf, 1);
		fn_probe(w, DIF_SITE_URETURN, target_leaf, 1);
		target_tell(w->t, T_SPIN, 0);
		start(w);
		until_fired(w);
		stop(w);
		assert_true(cells(w, 0, 0, NULL) > 0);
		usleep(1000);
		assert_int_equal(waitpid(w->t->pid, NULL, WNOHANG), 0);
		traced_free(w);
	}
}

/* ---- refusals ------------------------------------------------------------ */

static void
test_refused(void **state)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	fn_probe(w, DIF_SITE_UENTRY, w, 1);
	assert_null(try_load(w));
	assert_non_null(strstr(w->e.msg, "prov::func:name"));
	err_clear(&w->e);
	traced_free(w);
}

static void
test_no_target(void **state)
{
	struct test_world *w = traced_new();

	kill(w->t->pid, SIGKILL);
	waitpid(w->t->pid, NULL, 0);
	clause(w, NULL);
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	assert_null(try_load(w));
	assert_true(err_is_set(&w->e));
	err_clear(&w->e);
	traced_free(w);
}

int
main(int argc, char **argv)
{
	target_again(argc, argv);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_solo),
		cmocka_unit_test(test_solo_names),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_begin_end),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_syscall),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_vfork),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_death),
		cmocka_unit_test(test_guardian_killed),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_spin),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_target),
	};

	return cmocka_run_group_tests_name("process_engine", tests, fds_note, fds_check);
}
